"""The inspector in a real browser: each view on real data, in both languages, sizes and colour schemes."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any, Literal

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, expect

from tests.support.browser import SIZES, chromium, opened_page
from tests.support.http_server import Served
from tests.support.inspected import HOSTILE, inspected

VIEWS = ("talk", "memory", "graph", "reviews", "status")
SCHEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")
LOOKS = tuple(product(("en", "ja"), SIZES, SCHEMES))
USUAL = {("en", "phone", "dark"), ("ja", "laptop", "light")}


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


def _places(server: Served, lang: str) -> dict[str, str]:
    """What is shown in the views that show one thing."""
    memory, scope = server.home.memory, server.home.scope
    item = memory.list(scope=scope, limit=1)[0].handle
    return {"talk": _thread(server, lang), "memory": item, "reviews": memory.queue.items(scope=scope)[0].id}


@pytest.mark.parametrize("lang", ["en", "ja"])
def test_every_view_fits_every_window(browser: Browser, server: Served, lang: str) -> None:
    places = _places(server, lang)
    with opened_page(browser, server.url, lang=lang) as opened:
        for view in VIEWS:
            page = opened.view(f"{view}/{places.get(view, '')}")
            assert page.get_attribute("html", "lang") == lang
            for size, (width, height) in SIZES.items():
                page.set_viewport_size({"width": width, "height": height})
                assert opened.wide() == [], (view, size)
        assert opened.faults == []


@pytest.mark.parametrize(
    ("lang", "size", "scheme"),
    [pytest.param(*look, marks=() if look in USUAL else pytest.mark.full) for look in LOOKS],
)
def test_axe_finds_nothing_serious(
    browser: Browser, server: Served, lang: str, size: str, scheme: Literal["light", "dark"]
) -> None:
    places = _places(server, lang)
    with opened_page(browser, server.url, lang=lang, size=size, scheme=scheme, strict=False) as opened:
        for view in VIEWS:
            page = opened.view(f"{view}/{places.get(view, '')}")
            found: dict[str, Any] = Axe().run(page).response
            serious = [row for row in found["violations"] if row["impact"] in ("serious", "critical")]
            assert [(row["id"], [node["target"] for node in row["nodes"]]) for row in serious] == []
            assert len(found["passes"]) > 10
        assert opened.faults == []


@pytest.mark.parametrize("lang", ["en", "ja"])
def test_a_conversation_shows_what_the_verifier_did(browser: Browser, server: Served, lang: str) -> None:
    removed, put, why, given = {
        "en": (
            "As we established,",
            "I suggested earlier (unverified):",
            "nothing recalled says it",
            "I keep bees near Lund.",
        ),
        "ja": (
            "先ほど確認した通り、",
            "以前私が提案しました(未確認):",
            "参照した記録になし",
            "私は大阪で織物の店をしています。",
        ),
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


@pytest.mark.parametrize(("lang", "query"), [("en", "where are my bees?"), ("ja", "私の織物の店")])
def test_a_search_shows_each_score_as_its_sum_and_why_not(
    browser: Browser, server: Served, lang: str, query: str
) -> None:
    with opened_page(browser, server.url, lang=lang) as opened:
        page = opened.view("memory")
        page.get_by_role("searchbox").fill(query)
        page.keyboard.press("Enter")
        expect(page.locator(".memory-list .score-bar rect").first).to_be_attached()
        shown = page.locator(".rows").first.locator("li")
        with server.client() as client:
            found = client.post("/memory/recall", json={"query": query, "top_k": 12, "explain": True}).json()
        assert shown.count() == len(found["items"]) > 0
        first = found["items"][0]["breakdown"]
        expect(shown.first.locator(".score-terms strong")).to_have_text(f"{first['expected_sum']:.4f}")
        terms = [first[name] for name in ("relevance", "mass_boost", "certainty_term", "persona_term")]
        assert shown.first.locator(".score-bar rect").count() == sum(abs(term) >= 0.0005 for term in terms)
        assert page.locator(".why-not").count() == len(found["held_back"]) > 0
        shown.first.locator("button.handle").click()
        expect(page.locator(".memory-detail .words")).to_have_text(found["items"][0]["text"])
        assert opened.faults == []


def test_an_item_stands_above_what_it_was_made_from(browser: Browser, server: Served) -> None:
    memory, scope = server.home.memory, server.home.scope
    guess = next(one for one in memory.list(scope=scope, limit=100) if "afraid of winter" in one.text)
    yes = memory.confirm(guess.handle, scope=scope)
    with opened_page(browser, server.url) as opened:
        page = opened.view(f"memory/{yes.handle}")
        detail = page.locator(".memory-detail")
        expect(detail.locator(".tree")).to_contain_text("confirms")
        expect(detail.locator(".tree .from-assistant")).to_have_count(1)
        detail.locator(".tree button.handle").click()
        expect(detail.locator(".words")).to_have_text(guess.text)
        expect(detail).to_contain_text("Confirmed by")
        assert opened.faults == []


@pytest.mark.parametrize("lang", ["en", "ja"])
def test_the_graph_is_drawn_and_filtered(browser: Browser, server: Served, lang: str) -> None:
    with opened_page(browser, server.url, lang=lang) as opened:
        page = opened.view("graph")
        marks, rows = page.locator(".graph-picture .mark"), page.locator(".graph-rows > li")
        whole = marks.count()
        assert page.locator(".graph-picture .tie").count() >= 3
        page.get_by_role("checkbox", name={"en": "claim", "ja": "主張"}[lang], exact=True).check()
        expect(rows).to_have_count(2)
        expect(page.locator(".tie-contradicts")).to_have_count(1)
        assert marks.count() < whole
        page.get_by_role("checkbox", name={"en": "claim", "ja": "主張"}[lang], exact=True).uncheck()
        page.get_by_role("combobox").select_option("answered")
        expect(rows).to_have_count(2)
        page.get_by_role("combobox").select_option("open")
        page.get_by_role("searchbox").fill("蜂は冬に")
        expect(rows).to_have_count(1)
        rows.first.locator("button").click()
        expect(page.locator(".graph-detail .words")).to_have_text("蜂は冬に水を必要としますか？")
        expect(page.locator(".mark.is-chosen")).to_have_count(1)
        page.locator(".graph-detail .rows button").first.click()
        expect(page.locator(".graph-detail .words")).to_have_text("<b>Bees</b> drink whenever it is above ten degrees.")
        page.get_by_role("searchbox").fill("nothing has these words")
        expect(page.locator(".graph-room")).to_contain_text({"en": "No question", "ja": "該当する"}[lang])
        assert opened.faults == []


def test_the_queue_is_decided_by_its_rules(browser: Browser, server: Served) -> None:
    queue, scope = server.home.memory.queue, server.home.scope
    english, japanese = queue.items(scope=scope)[:2]
    with opened_page(browser, server.url) as opened:
        page = opened.view("reviews")
        expect(page.locator(".review-row")).to_have_count(3)
        page.get_by_role("link", name="answer to be kept").click()
        expect(page.get_by_role("button", name="Approve")).to_be_disabled()
        expect(page.locator(".decision")).to_contain_text("somebody else has to approve it")
        expect(page.locator(".review-text")).to_contain_text("<script>window.pwned = 9</script>")
        page.locator(".edit-fold summary").click()
        assert page.locator(".editor label").all_inner_texts() == ["answer", "sources"]

        opened.view(f"reviews/{english.id}")
        expect(page.locator(".review-text")).to_contain_text("+ Ask who pays before asking why.")
        page.locator(".edit-fold summary").click()
        page.get_by_label("proposed_adjustment").fill("Ask who pays first.")
        page.get_by_role("button", name="Save as the next version").click()
        expect(page.locator(".told")).to_contain_text("version 2")
        expect(page.locator(".review-text")).to_contain_text("+ Ask who pays first.")
        page.get_by_label("Why, for the log").fill("shorter")
        page.get_by_role("button", name="Approve").click()
        expect(page.locator(".review-title")).to_contain_text("approved")
        expect(page.get_by_role("button", name="Approve")).to_have_count(0)

        opened.view(f"reviews/{japanese.id}")
        expect(page.get_by_role("button", name="Reject")).to_be_visible()
        with server.client() as other:  # somebody is faster
            other.post(f"/reviews/{japanese.id}/decision", json={"decision": "reject", "version": 1}).raise_for_status()
        page.get_by_role("button", name="Approve").click()
        expect(page.locator(".review-title")).to_contain_text("rejected")
        assert [fault for fault in opened.faults if "409" not in fault] == []
    done = queue.get(english.id, scope=scope)
    assert (done.version, done.status.value, done.note, done.decided_by) == (2, "approved", "shorter", "mara")


@pytest.mark.parametrize("lang", ["en", "ja"])
def test_the_status_says_what_holds(browser: Browser, server: Served, lang: str) -> None:
    with opened_page(browser, server.url, lang=lang) as opened:
        page = opened.view("status")
        words = {"en": "The hash chain is as it was written.", "ja": "ハッシュ鎖は書かれたときのままです。"}[lang]
        expect(page.locator(".verdict").first).to_contain_text(words)
        expect(page.locator(".hash")).to_have_text(server.home.memory.log.head().hash)
        assert page.locator(".columns .column").count() >= 6
        assert page.locator(".bars .bar").count() >= 5
        expect(page.locator("table code", has_text="/v1/chat/completions")).to_have_count(1)
        page.get_by_role("button", name={"en": "Check now", "ja": "今すぐ確認"}[lang]).click()
        expect(page.locator(".status")).to_contain_text(
            {"en": "No answers are kept", "ja": "回答を保存していません"}[lang]
        )
        assert opened.faults == []


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


def test_a_token_is_asked_for_and_kept_nowhere(browser: Browser, server: Served) -> None:
    token = server.token("bo")
    try:
        with opened_page(browser, server.url, drawn=False) as opened:
            page = opened.page
            dialog = page.get_by_role("dialog", name="A token is needed")
            dialog.get_by_label("Token").fill("rqa_wrong")
            dialog.get_by_role("button", name="Use it").click()
            expect(dialog.get_by_role("alert")).to_contain_text("does not know")
            dialog.get_by_label("Token").fill(token)
            dialog.get_by_role("button", name="Use it").click()
            expect(page.locator("#who")).to_have_text("memory of bo")
            expect(page.locator(".empty")).to_be_visible()
            kept = page.evaluate("[{...localStorage}, {...sessionStorage}, document.cookie, location.href]")
            assert token not in str(kept)
    finally:
        server.tokens.revoke("local-bo")
