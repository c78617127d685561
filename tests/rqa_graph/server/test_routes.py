"""Memory, reviews and the verifier over HTTP."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import httpx

from rqa_checkpoints.provenance import HOME_SCOPE, Kind, Proposal, Scope, SourceClass
from rqa_graph.services import open_services
from rqa_graph.settings import Settings
from tests.support.http_server import Served, served
from tests.support.wishes import WISH


def test_an_item_from_its_first_word_to_its_last_byte(client: httpx.Client) -> None:
    made = client.post("/memory", json={"text": "My locker is 41."})
    handle = made.json()["handle"]
    assert (made.status_code, made.json()["source"], made.json()["author"]) == (201, "user", "mara")
    assert [item["handle"] for item in client.get("/memory").json()["items"]] == [handle]
    assert client.post("/memory/recall", json={"query": "my locker"}).json()["items"][0]["handle"] == handle
    assert client.get(f"/memory/[m:{handle}]").json()["text"] == "My locker is 41."
    assert client.post(f"/memory/{handle}/forget").json()["hidden"] is True
    assert client.get("/memory").json()["items"] == []
    assert client.get("/memory", params={"hidden": True}).json()["items"][0]["handle"] == handle
    assert client.post(f"/memory/{handle}/restore").json()["hidden"] is False
    assert client.get("/memory/audit").json()["by_source"]["user"] == 1
    rows = [json.loads(line) for line in client.get("/memory/export").text.splitlines()]
    assert rows[1]["text"] == "My locker is 41."
    plan = client.delete(f"/memory/{handle}", params={"dry_run": True}).json()
    assert (plan["dry_run"], plan["items"][0]["handle"]) == (True, handle)
    erased = client.delete(f"/memory/{handle}").json()
    assert (erased["receipt"]["subject"], erased["index"]) == ("node", "rebuilt")
    assert client.get(f"/memory/{handle}").status_code == 404


def test_an_answer_is_the_persons_own_and_the_guess_stays_a_guess(server: Served, client: httpx.Client) -> None:
    guess = server.home.memory.add(
        "You are afraid of failing.", scope=server.home.scope, source=SourceClass.assistant, author="some-model"
    )
    said = client.post(f"/memory/{guess.handle}/deny").json()
    assert (said["source"], said["author"]) == ("user", "mara")
    shown = client.get(f"/memory/{guess.handle}").json()
    assert (shown["source"], [node["handle"] for node in shown["denied_by"]]) == ("assistant", [said["handle"]])
    assert client.post(f"/memory/{guess.handle}/applaud").status_code == 400


def test_the_memory_is_looked_at_as_a_whole(client: httpx.Client) -> None:
    made = client.post("/memory", json={"text": "My locker is 41."}).json()
    explored = client.post("/memory/explore", json={"query": "my locker", "seed": 3}).json()
    assert [item["handle"] for item in explored["items"]] == [made["handle"]]
    assert client.get("/memory/reflect").json()["total"] == 1
    assert client.get("/memory/reflect", params={"side": "duplicates"}).json()["pairs"] == []
    assert client.get("/memory/reflect", params={"side": "all"}).status_code == 400
    explained = client.post("/memory/recall", json={"query": "my locker", "explain": True}).json()
    assert set(explained) >= {"items", "training_delta", "routing_hint", "held_back"}


def test_what_has_a_locator_is_not_the_persons_own(client: httpx.Client) -> None:
    made = client.post("/memory", json={"text": "The lease ends in May.", "locator": "lease.pdf"}).json()
    assert (made["source"], made["locator"]) == ("external", "lease.pdf")


def test_bad_requests_are_refused_in_one_shape(client: httpx.Client) -> None:
    bad: tuple[tuple[str, Any, int], ...] = (
        ("/memory", {"text": "  "}, 400),
        ("/memory", {"text": "a\0b"}, 400),
        ("/memory", {"text": "\ud800"}, 400),
        ("/memory", {"text": 7}, 400),
        ("/memory", {"text": "x", "source": "user"}, 400),
        ("/memory", [], 400),
        ("/memory/recall", {"query": "x", "top_k": 0}, 400),
        ("/memory/recall", {}, 400),
        ("/memory/zzzzzz/forget", None, 404),
        ("/v1/verify", {"reply": "x", "memory": [{"handle": 1}]}, 400),
        ("/v1/verify", {"reply": "x", "mode": "loud"}, 400),
        ("/nowhere", {}, 404),
    )
    for path, body, status in bad:
        answer = client.post(path, content=json.dumps(body), headers={"content-type": "application/json"})
        assert answer.status_code == status, (path, body)
        assert set(answer.json()["error"]) == {"message", "type", "param", "code"}, (path, body)
        assert client.get("/memory").json()["items"] == [], (path, body)


def test_the_verifier_answers_for_any_assistant(client: httpx.Client) -> None:
    body = {
        "reply": "You told me you keep bees [m:k3v9xq]. As we established, you hate winter [m:zzzzz9].",
        "memory": [{"handle": "k3v9xq", "source": "user", "text": "I keep bees near Lund."}],
    }
    report = client.post("/v1/verify", json=body).json()
    assert report["cited"] == ["k3v9xq"]
    assert "zzzzz9" not in report["text"]


def test_the_graph_comes_filtered_with_a_place_for_each_item(server: Served, client: httpx.Client) -> None:
    memory, scope = server.home.memory, server.home.scope
    question = memory.add("Do bees drink?", scope=scope, source=SourceClass.user, author="mara", kind=Kind.question)
    answer = memory.add("They do.", scope=scope, source=SourceClass.assistant, author="m", kind=Kind.answer)
    memory.add("What is a mill?", scope=scope, source=SourceClass.user, author="mara", kind=Kind.question)
    said = memory.add("Bees are insects.", scope=scope, source=SourceClass.user, author="mara")
    memory.relate(answer.id, question.id, "answers", scope=scope)
    memory.relate(question.id, said.id, "asks", scope=scope)
    whole = client.get("/memory/graph").json()
    assert (whole["total"], whole["shown"], len(whole["nodes"])) == (3, 3, 4)
    assert {node["text"]: node["standing"] for node in whole["nodes"]} == {
        "Do bees drink?": "answered",
        "They do.": "",
        "What is a mill?": "open",
        "Bees are insects.": "",
    }
    assert {(edge["src"], edge["dst"], edge["kind"]) for edge in whole["edges"]} == {
        (answer.id, question.id, "answers"),
        (question.id, said.id, "asks"),
    }
    assert all(0 < node["x"] < whole["width"] and 0 < node["y"] < whole["height"] for node in whole["nodes"])
    answered = client.get("/memory/graph", params={"kind": "question", "standing": "answered"}).json()
    assert [node["text"] for node in answered["nodes"] if node["matched"]] == ["Do bees drink?"]
    assert client.get("/memory/graph", params={"text": "mill", "limit": 1}).json()["total"] == 1
    assert client.get("/memory/graph", params={"kind": "nonsense"}).status_code == 400
    with server.client(server.token("bo")) as other:
        assert other.get("/memory/graph").json()["nodes"] == []


def test_the_status_tells_whoever_asks_what_is_theirs_to_know(server: Served, client: httpx.Client) -> None:
    client.post("/memory", json={"text": "My locker is 41."})
    head = server.home.memory.log.head()
    status = client.get("/status").json()
    assert (status["log"]["intact"], status["log"]["events"], status["log"]["head"]) == (True, head.seq, head.hash)
    assert status["memory"]["total"] == {"visible": 1, "hidden": 0}
    assert client.get("/status/ledger").json() == {"kept": False}
    with server.client(server.token("bo")) as other:
        assert other.get("/status").json()["log"] == {"intact": True}
        assert other.get("/status/findings").json() == {"turns": []}


def test_the_ledger_is_checked(tmp_path: Path) -> None:
    services = open_services(Settings.load(home=tmp_path, overrides={"models": {"chat": "builtin"}}))
    try:
        with served(services, tmp_path) as server, server.client() as client:
            found = client.get("/status/ledger").json()
            assert found == {
                "kept": True,
                "holds": True,
                "first_broken": None,
                "events": found["events"],
                "entries": 0,
                "faults": [],
            }
    finally:
        services.close()


def _queue(server: Served, scope: Scope) -> str:
    proposal = Proposal(kind="self_update", payload=WISH["en"], requester="me", key=scope.user)
    return server.home.memory.queue.put(proposal, scope=scope, at="2026-06-01T09:00:00+00:00").id


def test_a_decision_is_made_once_and_on_what_was_seen(server: Served, client: httpx.Client) -> None:
    item = _queue(server, server.home.scope)
    assert [row["id"] for row in client.get("/reviews").json()["items"]] == [item]
    assert "Ask who pays before asking why." in client.get(f"/reviews/{item}").json()["text"]
    assert client.post(f"/reviews/{item}/decision", json={"decision": "approve", "version": 7}).status_code == 409
    done = client.post(f"/reviews/{item}/decision", json={"decision": "approve", "version": 1}).json()
    assert (done["outcome"], done["status"]) == ("approved", "approved")
    again = client.post(f"/reviews/{item}/decision", json={"decision": "reject", "version": 1})
    assert (again.status_code, again.json()["error"]["code"]) == (409, "already_decided")
    assert client.get("/reviews").json()["items"] == []


def test_with_a_token_only_ones_own_queue_is_there(server: Served) -> None:
    home, bos = _queue(server, HOME_SCOPE), _queue(server, Scope("local", "bo"))
    with server.client() as client:
        assert [row["id"] for row in client.get("/reviews").json()["items"]] == [home]
    with server.client(server.token("ann")) as client:
        assert client.get("/reviews").json()["items"] == []
        for item in (home, bos):
            assert client.get(f"/reviews/{item}").status_code == 404
            assert (
                client.post(f"/reviews/{item}/decision", json={"decision": "approve", "version": 1}).status_code == 404
            )


def test_every_route_is_documented_and_nothing_is_loaded_from_elsewhere(client: httpx.Client) -> None:
    assert [client.get(page).status_code for page in ("/docs", "/redoc")] == [404, 404]
    schema = client.get("/openapi.json").json()
    for path, methods in schema["paths"].items():
        for method in methods.values():
            assert method["summary"], path
    for path in ("/v1/chat/completions", "/memory", "/memory/recall", "/v1/verify"):
        body = schema["paths"][path]["post"]["requestBody"]["content"]["application/json"]["schema"]["$ref"]
        assert schema["components"]["schemas"][body.rpartition("/")[2]]["examples"], path


def test_a_method_that_a_path_does_not_take_is_answered_with_those_that_it_takes(client: httpx.Client) -> None:
    taken = {"/memory": {"GET", "POST"}, "/v1/models/rqa": {"GET"}, "/openapi.json": {"GET", "HEAD"}}
    for path, allowed in taken.items():
        answer = client.put(path)
        assert answer.status_code == 405, path
        assert set(answer.headers["allow"].split(", ")) == allowed, path
