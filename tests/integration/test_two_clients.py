"""Two persons talk at once on one server, in English and Japanese, through OpenAI's client: nothing crosses over."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import openai
import pytest

from rqa_checkpoints.provenance import Scope
from tests.support.http_server import Served, served
from tests.support.opened import Opened, answered_by_builtin
from tests.support.two_talks import TALKS, Lang


@pytest.fixture
def server(opened: Opened, tmp_path: Path) -> Iterator[Served]:
    with served(answered_by_builtin(opened()), tmp_path) as found:
        yield found


@pytest.fixture
def turns(request: pytest.FixtureRequest) -> int:
    return 20 if request.config.getoption("--full") else 4


async def _talk(url: str, token: str, lang: Lang, turns: int) -> tuple[list[str], list[dict[str, Any]]]:
    """A conversation that is sent whole each time, streamed every other turn; its replies, and the `rqa` objects."""
    messages: list[Any] = []
    replies, objects = [], []
    async with openai.AsyncOpenAI(base_url=f"{url}/v1", api_key=token, max_retries=0, timeout=120) as client:
        for number, text in enumerate(TALKS[lang].words(turns)):
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
    tokens = {lang: server.token(f"person-{lang}") for lang in TALKS}
    talks = await asyncio.gather(*(_talk(server.url, token, lang, turns) for lang, token in tokens.items()))
    heard = dict(zip(TALKS, talks, strict=True))
    for lang, (replies, objects) in heard.items():
        other = next(talk for name, talk in TALKS.items() if name != lang)
        assert not other.is_in(json.dumps([replies, objects], ensure_ascii=False), turns)
        assert TALKS[lang].own in "".join(replies[1::2]), "each is told what they said themselves"
        assert len({found["thread"] for found in objects}) == 1, "one conversation is one thread"
        assert all(found["stored"] for found in objects)
        assert {found["lang"] for found in objects} == {lang}
        items = server.home.memory.list(scope=Scope("local", f"person-{lang}"), limit=1000)
        handles = {item.handle for item in items}
        assert all(ref["handle"] in handles for found in objects for refs in found["memory"].values() for ref in refs)
        assert not any(other.is_in(item.text, turns) for item in items)
    one, two = ({found["thread"] for found in objects} for _, objects in heard.values())
    assert not one & two
