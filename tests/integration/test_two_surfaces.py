"""A chat client and a browser on the inspector talk on one server at once, in English and Japanese: nothing crosses."""

from __future__ import annotations

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import openai
import pytest

from rqa_checkpoints.provenance import Scope
from rqa_graph.server.inspector_page import page_words
from tests.support.browser import chromium, opened_page
from tests.support.http_server import Served, served
from tests.support.opened import Opened, answered_by_builtin
from tests.support.two_talks import TALKS, Lang


@pytest.fixture
def server(opened: Opened, tmp_path: Path) -> Iterator[Served]:
    with served(answered_by_builtin(opened()), tmp_path) as found:
        yield found


@pytest.fixture
def turns(request: pytest.FixtureRequest) -> int:
    return 20 if request.config.getoption("--full") else 2


def _by_client(url: str, token: str, lang: Lang, turns: int) -> list[str]:
    """A conversation that is sent whole each time; its replies."""
    messages: list[openai.types.chat.ChatCompletionMessageParam] = []
    replies = []
    with openai.OpenAI(base_url=f"{url}/v1", api_key=token, max_retries=0, timeout=300) as client:
        for text in TALKS[lang].words(turns):
            messages.append({"role": "user", "content": text})
            reply = client.chat.completions.create(model="rqa", messages=messages).choices[0].message.content or ""
            messages.append({"role": "assistant", "content": reply})
            replies.append(reply)
    return replies


def _by_browser(url: str, token: str, lang: Lang, turns: int) -> list[str]:
    """The same in the inspector; what its page shows in the end."""
    words = page_words(lang)
    with chromium() as browser, opened_page(browser, url, lang=lang, drawn=False) as opened:
        page = opened.page
        page.set_default_timeout(120_000)
        page.get_by_role("dialog").get_by_label(words["token.label"]).fill(token)
        page.get_by_role("dialog").get_by_role("button", name=words["token.use"]).click()
        page.wait_for_selector("main:not([aria-busy])")
        opened.view("talk/new")
        for number, text in enumerate(TALKS[lang].words(turns), start=1):
            page.get_by_label(words["talk.message"]).fill(text)
            page.get_by_role("button", name=words["talk.send"]).click()
            page.wait_for_function(
                "count => document.querySelectorAll('.turn').length === count && !document.querySelector('.streaming')",
                arg=number,
            )
        assert [fault for fault in opened.faults if "401" not in fault] == [], (
            "but for the first request, without a token"
        )
        return page.locator(".turn .reply").all_inner_texts()


@pytest.mark.parametrize(("in_client", "in_browser"), [("en", "ja"), pytest.param("ja", "en", marks=pytest.mark.full)])
def test_nothing_crosses_over(server: Served, turns: int, in_client: Lang, in_browser: Lang) -> None:
    tokens = {lang: server.token(f"person-{lang}") for lang in TALKS}
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(_by_client, server.url, tokens[in_client], in_client, turns)
        shown: dict[str, list[str]] = {in_browser: _by_browser(server.url, tokens[in_browser], in_browser, turns)}
        shown[in_client] = waiting.result()
    pairs: tuple[tuple[Lang, Lang], ...] = (("en", "ja"), ("ja", "en"))
    for lang, other in pairs:
        everything = json.dumps(shown[lang], ensure_ascii=False)
        assert len(shown[lang]) >= turns, "a turn may be followed by a side question"
        assert TALKS[lang].own in everything, "each is told what they said themselves"
        assert not TALKS[other].is_in(everything, turns)
        scope = Scope("local", f"person-{lang}")
        items = server.home.memory.list(scope=scope, limit=1000)
        assert items
        assert not any(TALKS[other].is_in(item.text, turns) for item in items)
        assert len({part.turn_id for part in server.home.memory.turns(scope=scope, limit=1000)}) == turns
