"""The inspector in a real browser: each view on real data, in both languages, sizes and colour schemes."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any, Literal

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, expect

from tests.support.browser import SIZES, chromium, opened_page
from tests.support.http_server import Served
from tests.support.inspected import HOSTILE, inspected

VIEWS = ("talk", "memory")
SCHEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")
LOOKS = tuple(product(("en", "ja"), SIZES, SCHEMES))
USUAL = {("en", "phone", "dark"), ("ja", "phone", "light"), ("en", "wall", "light"), ("ja", "laptop", "dark")}


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as found:
        yield found


@pytest.fixture(scope="module")
def server(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    del browser  # where there is none, no server is started
    with inspected(tmp_path_factory.mktemp("inspected")) as found:
        yield found


def _thread(server: Served, lang: str) -> str:
    rows = server.home.memory.conversations(scope=server.home.scope)
    return next(row.thread for row in rows if row.thread.endswith(f"-{lang}"))


@pytest.mark.parametrize(
    ("lang", "size", "scheme"),
    [pytest.param(*look, marks=() if look in USUAL else pytest.mark.full) for look in LOOKS],
)
def test_every_view_fits_and_is_accessible(
    browser: Browser, server: Served, lang: str, size: str, scheme: Literal["light", "dark"], tmp_path: Path
) -> None:
    with opened_page(browser, server.url, lang=lang, size=size, scheme=scheme, strict=False) as opened:
        for view in VIEWS:
            page = opened.view(f"{view}/{_thread(server, lang)}" if view == "talk" else view)
            assert page.get_attribute("html", "lang") == lang
            assert opened.wide() == []
            page.screenshot(path=tmp_path / f"{view}.png")
            found: dict[str, Any] = Axe().run(page).response
            serious = [row for row in found["violations"] if row["impact"] in ("serious", "critical")]
            assert [(row["id"], [node["target"] for node in row["nodes"]]) for row in serious] == []
        assert opened.faults == []


@pytest.mark.parametrize("lang", ["en", "ja"])
def test_a_conversation_shows_what_the_verifier_did(browser: Browser, server: Served, lang: str) -> None:
    removed, put, why, given = {
        "en": ("As we established,", "I suggested earlier (unverified):", "no record of it", "I keep bees near Lund."),
        "ja": ("先ほど確認した通り、", "以前私が提案しました(未確認):", "記録なし", "私は大阪で織物の店をしています。"),
    }[lang]
    with opened_page(browser, server.url, lang=lang) as opened:
        page = opened.view(f"talk/{_thread(server, lang)}")
        last = page.locator(".turn").last
        expect(last.locator(".words del").first).to_have_text(removed)
        expect(last.locator(".words ins").first).to_have_text(put)
        expect(last.locator(".margin .finding").first).to_contain_text(why)
        last.locator("summary").last.click()
        expect(last.locator(".block")).to_contain_text("[memory_context]")
        expect(last.locator(".block")).to_contain_text(given)
        expect(last.locator(".holds")).to_contain_text("SHA-256")
        last.locator(".cite").first.click()
        expect(page.locator(".memory-detail .from-user")).to_have_count(1)
        assert opened.faults == []


def test_a_message_is_answered_in_the_page_and_checked(browser: Browser, server: Served) -> None:
    with opened_page(browser, server.url) as opened:
        page = opened.view("talk/new")
        expect(page.locator(".empty")).to_be_visible()
        page.get_by_label("Message").fill("What do you think of winter?")
        page.keyboard.press("Control+Enter")
        expect(page.locator(".turn .words del")).to_contain_text("As we agreed,")
        expect(page.locator(".turn .reply")).to_contain_text("<img src=x onerror=alert(5)>")
        expect(page.get_by_role("status")).to_contain_text("Reply complete")
        expect(page.get_by_label("Message")).to_be_focused()
        page.get_by_label("Message").fill("And of spring?")
        page.get_by_role("button", name="Send").click()
        expect(page.locator(".turn")).to_have_count(2)
        expect(page.locator(".turn .streaming")).to_have_count(0)
        assert opened.faults == []
    latest = server.home.memory.turns(scope=server.home.scope, limit=2)
    assert [turn.user_text for turn in latest] == ["And of spring?", "What do you think of winter?"]
    assert len({turn.thread for turn in latest}) == 1


def test_hostile_memory_is_words_and_nothing_else(browser: Browser, server: Served) -> None:
    with opened_page(browser, server.url) as opened:
        page = opened.view("memory")
        shown = page.locator(".memory-list .item-words")
        texts = shown.all_inner_texts()
        for text in HOSTILE[:3] + HOSTILE[4:6]:
            assert text in texts, text
        assert any("U+202E" in text and "U+2066" in text and "\u202e" not in text for text in texts)
        assert any("U+200B" in text and "U+E0041" in text for text in texts)
        handles = page.locator(".memory-list .handle").all_inner_texts()
        for handle in handles[: len(HOSTILE)]:
            opened.view(f"memory/{handle.removeprefix('m:')}")
            expect(page.locator(".memory-detail .words")).to_have_count(1)
        assert page.evaluate("window.pwned ?? null") is None
        assert page.locator("main :is(script, img, style, a[href^=javascript])").count() == 0
        # Each item is drawn in its own place, however tall its letters are.
        assert set(shown.evaluate_all("nodes => nodes.map(one => getComputedStyle(one).contain)")) <= {"paint"}
        assert opened.wide() == []
        assert opened.faults == []


def test_the_policy_stops_what_the_page_would_never_do(browser: Browser, server: Served) -> None:
    with opened_page(browser, server.url) as opened:
        thrown = opened.page.evaluate(
            """async () => {
                const script = document.createElement('script'), box = document.createElement('p');
                const tries = [() => { script.textContent = 'window.pwned = 1'; document.body.append(script); },
                    () => { document.body.innerHTML = '<p>'; }, () => setTimeout('window.pwned = 2', 0),
                    () => { script.src = '/inspect/api.js'; }];
                const count = tries.filter(one => { try { one(); return false } catch { return true } }).length;
                try { box.setAttribute('onclick', 'window.pwned = 3') } catch {}
                document.body.append(box);
                box.click();
                await new Promise(done => setTimeout(done, 50));
                return [count, window.pwned ?? null];
            }"""
        )
        assert thrown == [4, None]


def test_the_language_changes_in_place(browser: Browser, server: Served) -> None:
    with opened_page(browser, server.url, lang="en") as opened:
        page = opened.page
        page.get_by_role("button", name="日本語").click()
        expect(page.get_by_role("link", name="会話")).to_be_visible()
        assert page.get_attribute("html", "lang") == "ja"
        expect(page.get_by_role("button", name="新しい会話")).to_be_visible()
        page.reload()
        assert page.get_attribute("html", "lang") == "ja"
        assert opened.faults == []


def test_the_page_is_walked_with_the_keyboard(browser: Browser, server: Served) -> None:
    with opened_page(browser, server.url) as opened:
        page = opened.page
        reached = []
        for _ in range(8):
            page.keyboard.press("Tab")
            reached.append(page.evaluate("document.activeElement.textContent.trim()"))
        assert reached[:3] == ["Skip to the content", "Conversation", "Memory"]
        assert reached[len(VIEWS) + 1 : len(VIEWS) + 3] == ["English", "日本語"]
        page.get_by_role("link", name="Skip to the content").focus()
        page.keyboard.press("Enter")
        assert page.evaluate("document.activeElement.id") == "content"


def test_a_token_is_asked_for_and_kept_nowhere(browser: Browser, tmp_path: Path) -> None:
    with inspected(tmp_path) as own:
        token = own.token("bo")
        with opened_page(browser, own.url, drawn=False) as opened:
            page = opened.page
            dialog = page.get_by_role("dialog", name="A token is needed")
            dialog.get_by_label("Token").fill("rqa_wrong")
            dialog.get_by_role("button", name="Use it").click()
            expect(dialog.get_by_role("alert")).to_contain_text("does not know")
            dialog.get_by_label("Token").fill(token)
            dialog.get_by_role("button", name="Use it").click()
            expect(page.locator("#who")).to_have_text("memory of bo")
            expect(page.locator(".empty")).to_be_visible()
            kept = page.evaluate(
                "JSON.stringify([{...localStorage}, {...sessionStorage}, document.cookie, location.href])"
            )
            assert token not in kept
