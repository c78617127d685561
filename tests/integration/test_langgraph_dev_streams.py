"""No word that the verifier removes leaves the real development server: in no stream mode, state, history or run.

The model behind it is a server that always claims what never was; each reply must have been asked for, and its good
sentence must arrive, or a case proves nothing.
"""

from __future__ import annotations

import json
import sys
from collections.abc import AsyncIterator, Iterator
from itertools import cycle
from pathlib import Path
from typing import Any, Final

import pytest
from langgraph_sdk import get_client

from tests.support.agents import BAD, LANGS
from tests.support.dev_server import dev_folder, dev_server
from tests.support.model_servers import OpenAIServer, Reply

pytestmark = pytest.mark.skipif(
    not (Path(sys.executable).parent / "langgraph").exists(), reason="langgraph-cli[inmem] is not installed"
)

_BOTH: Final = " ".join(words["bad"] for words in LANGS.values())
_MODES: Final = ("values", "updates", "messages-tuple", "messages", "custom", "tasks", "checkpoints", "debug", "events")


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, OpenAIServer]]:
    """The URL of a development server, and the model server that it asks."""
    with OpenAIServer(models=("claims",), reply=Reply(text=_BOTH)) as model:
        variables: dict[str, Any] = {"RQA_MODELS__CHAT": "openai:claims", "RQA_MODELS__BASE_URL": model.url}
        with dev_server(dev_folder(tmp_path_factory.mktemp("dev")), **variables) as (url, _log):
            yield url, model


@pytest.fixture
async def client(server: tuple[str, OpenAIServer]) -> AsyncIterator[Any]:
    async with get_client(url=server[0], api_key=None) as opened:
        yield opened


def _input(lang: str) -> dict[str, Any]:
    return {"messages": [{"role": "user", "content": LANGS[lang]["ask"]}]}


def _assert_clean(seen: Any) -> None:
    text = json.dumps(seen, ensure_ascii=False, default=str)
    assert BAD not in text
    for words in LANGS.values():
        assert words["claim"] not in text
        assert words["kept"] in text, "the verified text must be there, or this proves nothing"


@pytest.mark.parametrize(("mode", "lang"), [*zip(_MODES, cycle(LANGS), strict=False), (list(_MODES), "en")])
async def test_no_stream_shows_one(mode: Any, lang: str, client: Any, server: tuple[str, OpenAIServer]) -> None:
    asked = len(server[1].chats)
    thread = (await client.threads.create())["thread_id"]
    parts = client.runs.stream(thread, "rqa", input=_input(lang), stream_mode=mode, stream_subgraphs=True)
    _assert_clean([(part.event, part.data) async for part in parts])
    assert len(server[1].chats) > asked
    _assert_clean(await client.threads.get_state(thread, subgraphs=True))
    _assert_clean(await client.threads.get_history(thread, limit=100))


async def test_no_run_that_is_waited_for_joined_or_without_a_thread_shows_one(client: Any) -> None:
    _assert_clean(await client.runs.wait(None, "rqa", input=_input("en")))
    thread = (await client.threads.create())["thread_id"]
    run = await client.runs.create(thread, "rqa", input=_input("ja"))
    _assert_clean(await client.runs.join(thread, run["run_id"]))
    _assert_clean((await client.threads.get(thread))["values"])
