"""A turn over HTTP: what was said, what was removed, and what the model was given."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from rqa_checkpoints.provenance import TurnPart
from rqa_nodes.scripted import ScriptedChatModel
from tests.support.http_server import Served, served
from tests.support.opened import Opened

_SAID = {
    "en": (
        ["I keep bees near Lund.", "What do you know about my bees?"],
        ["Bees are fine.", "As we established, you hate winter. You said you keep bees near Lund {m:bees}."],
    ),
    "ja": (
        ["私は大阪で織物の店をしています。", "私の店について何を知っていますか？"],
        ["すてきですね。", "先ほど確認した通り、冬が嫌いです。大阪で織物の店をしているとおっしゃいました{m:織物}。"],
    ),
}


@pytest.fixture(params=["en", "ja"])
def lang(request: pytest.FixtureRequest) -> str:
    found: str = request.param
    return found


@pytest.fixture
def model(lang: str) -> ScriptedChatModel:
    return ScriptedChatModel(_SAID[lang][1])


@pytest.fixture
def server(opened: Opened, tmp_path: Path, model: ScriptedChatModel) -> Iterator[Served]:
    with served(opened(model), tmp_path) as found:
        yield found


@pytest.fixture
def client(server: Served, lang: str) -> Iterator[httpx.Client]:
    with server.client(**{"accept-language": lang}) as found:
        for text in _SAID[lang][0]:
            body = {"messages": [{"role": "user", "content": text}]}
            found.post("/v1/chat/completions", json=body, headers={"x-rqa-thread": "hive"}).raise_for_status()
        yield found


def test_a_thread_is_listed_and_read_with_what_was_removed(client: httpx.Client, lang: str) -> None:
    listed = client.get("/conversations").json()["conversations"]
    assert [(row["name"], row["turns"], row["first_words"]) for row in listed] == [("hive", 2, _SAID[lang][0][0])]
    found = client.get("/conversations/turns", params={"thread": listed[0]["thread"]}).json()
    assert found["name"] == "hive"
    assert [turn["user_text"] for turn in found["turns"]] == _SAID[lang][0]
    last = found["turns"][-1]["parts"][0]
    kinds = [piece["kind"] for piece in last["pieces"]]
    assert {"removed", "claim", "reference"} <= set(kinds)
    assert "".join(piece["text"] for piece in last["pieces"] if piece["kind"] != "removed") == last["text"]
    cited = next(piece["node"] for piece in last["pieces"] if piece["kind"] == "reference")
    assert found["turns"][-1]["items"][cited]["source"] == "user"
    assert last["line"].startswith({"en": "memory: 1 cited", "ja": "記憶: 引用1件"}[lang])


def test_the_block_is_the_one_that_the_model_read(client: httpx.Client, model: ScriptedChatModel) -> None:
    thread = client.get("/conversations").json()["conversations"][0]["thread"]
    turns = client.get("/conversations/turns", params={"thread": thread}).json()["turns"]
    assert client.get("/conversations/turns").json()["turns"] == turns, "of the newest thread, if none is named"
    first, second = (client.get(f"/turns/{turn['turn']}").json() for turn in turns)
    assert (first["given"]["items"], first["given"]["block"], first["given"]["exact"]) == ([], "", False)
    given = second["given"]
    assert given["exact"] is True
    assert given["block"] in str(model.prompts[-1][-1].content)
    assert f"[m:{given['items'][0]['handle']}]" in given["block"]
    assert second["written"]
    assert [len(row["hash"]) for row in second["log"]] == [64]


def test_nobody_else_sees_any_of_it(server: Served, client: httpx.Client) -> None:
    thread = client.get("/conversations").json()["conversations"][0]["thread"]
    turn = client.get("/conversations/turns", params={"thread": thread}).json()["turns"][0]["turn"]
    with server.client(server.token("bo")) as other:
        assert other.get("/conversations").json()["conversations"] == []
        assert other.get("/conversations/turns", params={"thread": thread}).json()["turns"] == []
        assert other.get(f"/turns/{turn}").status_code == 404


def test_a_thread_of_another_surface_has_no_name_here(server: Served) -> None:
    memory, scope = server.home.memory, server.home.scope
    memory.commit(
        TurnPart(
            scope=scope,
            thread="01J0CLI",
            turn_id="t1",
            part="answer",
            recorded_at="2026-06-01T09:00:00+00:00",
            user_text="Hello.",
            reply_text="Good morning.",
        )
    )
    with server.client() as client:
        row = client.get("/conversations").json()["conversations"][0]
        assert (row["thread"], row["name"]) == ("01J0CLI", None)
        turn = client.get("/turns/t1").json()
    assert turn["parts"][0]["pieces"] == [{"kind": "text", "text": "Good morning."}]
    assert turn["given"]["items"] == []
