"""Two persons talk at once on one server, in English and Japanese, through OpenAI's client: nothing crosses over."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import openai
import pytest

from rqa_checkpoints.provenance import Scope
from rqa_graph.bound_model import BoundChatModel
from rqa_nodes import models
from tests.support.http_server import Served, served
from tests.support.opened import Opened

_PERSONS: Final = {
    "ann": (
        ("My locker code is {} and it lies in the blue drawer.", "What do you know about my locker code?"),
        "blue drawer",
    ),
    "bo": (("私の倉庫の番号は{}で、鍵は赤い箱にあります。", "私の倉庫の番号について何を知っていますか？"), "赤い箱"),
}
"""Whose, what they tell and ask in turn, and words that nobody else says."""
_FIRST: Final = {"ann": 4100, "bo": 7700}


@pytest.fixture
def server(opened: Opened, tmp_path: Path) -> Iterator[Served]:
    services = opened()
    services._resolve = lambda _name: BoundChatModel(models.builtin(), services.clock, 60.0)
    with served(services, tmp_path) as found:
        yield found


@pytest.fixture
def turns(request: pytest.FixtureRequest) -> int:
    return 20 if request.config.getoption("--full") else 4


async def _talk(url: str, token: str, user: str, turns: int) -> tuple[list[str], list[dict[str, Any]]]:
    """A conversation that is sent whole each time, streamed every other turn; its replies, and the `rqa` objects."""
    (told, asked), _ = _PERSONS[user]
    messages: list[Any] = []
    replies, objects = [], []
    async with openai.AsyncOpenAI(base_url=f"{url}/v1", api_key=token, max_retries=0, timeout=120) as client:
        for number in range(turns):
            text = asked if number % 2 else told.format(_FIRST[user] + number)
            messages.append({"role": "user", "content": text})
            if number % 2:
                stream = await client.chat.completions.create(model="rqa", messages=messages, stream=True)
                chunks = [chunk async for chunk in stream]
                reply = "".join(chunk.choices[0].delta.content or "" for chunk in chunks)
                found = chunks[-1].rqa  # type: ignore[attr-defined]  # ours
            else:
                whole: Any = await client.chat.completions.create(model="rqa", messages=messages)
                reply, found = whole.choices[0].message.content, whole.rqa
            messages.append({"role": "assistant", "content": reply})
            replies.append(reply)
            objects.append(found)
    return replies, objects


async def test_two_conversations_at_once_keep_apart(server: Served, turns: int) -> None:
    tokens = {user: server.token(user) for user in _PERSONS}
    talks = await asyncio.gather(*(_talk(server.url, token, user, turns) for user, token in tokens.items()))
    heard = dict(zip(_PERSONS, talks, strict=True))
    for user, (replies, objects) in heard.items():
        (_, own), other = _PERSONS[user], next(name for name in _PERSONS if name != user)
        everything = json.dumps([replies, objects], ensure_ascii=False)
        assert _PERSONS[other][1] not in everything
        assert not any(str(_FIRST[other] + number) in everything for number in range(turns))
        assert own in "".join(replies[1::2]), "each is told what they said themselves"
        assert len({found["thread"] for found in objects}) == 1, "one conversation is one thread"
        assert all(found["stored"] for found in objects)
        assert {found["lang"] for found in objects} == {"en" if user == "ann" else "ja"}
        items = server.home.memory.list(scope=Scope("local", user), limit=1000)
        handles = {item.handle for item in items}
        assert all(ref["handle"] in handles for found in objects for refs in found["memory"].values() for ref in refs)
        assert not any(_PERSONS[other][1] in item.text for item in items)
    ann, bo = ({found["thread"] for found in objects} for _, objects in heard.values())
    assert not ann & bo
