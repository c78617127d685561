"""Pages as sources: only those that are listed, by the tool that fetches them, with the time of their reading."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from rqa_graph.deliberating import open_deliberating
from rqa_graph.deliberation_settings import SourceSettings
from rqa_graph.errors import ConfigError
from rqa_graph.integrity import answer_with_integrity
from rqa_graph.page_corpus import JoinedCorpus, PageCorpus
from rqa_graph.settings import Settings
from rqa_graph.tool_settings import DocumentFetchSettings
from rqa_graph.tools.document_fetch import DocumentFetch
from rqa_graph.tools.web_get import WebGet
from rqa_graph.upkeep import revalidate
from rqa_nodes.telemetry import NoTelemetry
from rqa_nodes.tools.toolbox import Toolbox
from tests.support.caches import SetClock
from tests.support.deliberations import answering, deliberating_services
from tests.support.web import WebServer, serving

FUJI = "Mount Fuji is 3,776 metres high."
QUESTION = "How tall is Mount Fuji in metres?"


@pytest.fixture
def web() -> Iterator[WebServer]:
    with serving() as server:
        server.page("/fuji", f"<html><body><nav>Home</nav><p>{FUJI}</p></body></html>".encode())
        server.page("/lake", b"<p>The lake is deep.</p>")
        yield server


def _tool() -> DocumentFetch:
    settings = DocumentFetchSettings(enabled=True, calls=2, seconds=5, items=2, web=True, roots=(), max_bytes=100_000)
    return DocumentFetch(settings, open_web=lambda most: WebGet(max_bytes=most, is_allowed=lambda _address: True))


def _corpus(web: WebServer, clock: SetClock, *paths: str, **fields: Any) -> PageCorpus:
    pages = tuple(f"{web.url}{path}" for path in paths)
    source = SourceSettings(pages=pages, publisher="The survey", **{"domains": ("facts",), **fields})
    return PageCorpus([source], text_at=_tool().text_at, clock=clock)


def test_a_page_that_bears_on_the_question_is_found_and_the_rest_is_not(web: WebServer) -> None:
    clock = SetClock()
    corpus = _corpus(web, clock, "/fuji", "/lake", "/gone")
    [found] = corpus.search(QUESTION, domain="facts", limit=6)
    assert (found.locator, found.publisher) == (f"{web.url}/fuji", "The survey")
    assert FUJI in found.text
    assert found.retrieved_at == clock().isoformat(timespec="milliseconds")
    assert corpus.search(QUESTION, domain="law", limit=6) == []


def test_a_page_stays_read_for_ten_minutes_and_is_fetched_anew_to_be_signed(web: WebServer) -> None:
    clock = SetClock()
    corpus = _corpus(web, clock, "/fuji")
    first = corpus.search(QUESTION, domain="facts", limit=6)
    clock.forward(seconds=599)
    assert corpus.search(QUESTION, domain="facts", limit=6) == first
    assert len(web.asked) == 1
    whole = corpus.fetch(f"{web.url}/fuji", domain="facts")
    assert whole is not None
    assert (len(web.asked), whole.sha256) == (2, first[0].sha256)
    clock.forward(seconds=600)
    assert corpus.search(QUESTION, domain="facts", limit=6) != first
    assert len(web.asked) == 3


def test_an_address_that_is_not_listed_is_never_fetched(web: WebServer) -> None:
    corpus = _corpus(web, SetClock(), "/fuji")
    for locator in (f"{web.url}/lake", f"{web.url}/fuji?x=1", "fuji", ""):
        assert corpus.fetch(locator, domain="facts") is None
    assert corpus.fetch(f"{web.url}/fuji", domain="law") is None
    assert web.asked == []


def test_an_answer_rests_on_a_folder_and_a_page_and_ends_when_the_page_changes(web: WebServer, tmp_path: Path) -> None:
    services = deliberating_services(tmp_path, answering())
    found = services.deliberating
    (tmp_path / "atlas" / "japan.md").unlink()
    pages = _corpus(web, services.clock, "/fuji")  # type: ignore[arg-type]  # it is a clock that stands still
    services._deliberating = replace(found, corpus=JoinedCorpus(found.corpus, pages))
    first = answer_with_integrity("How tall is Mount Fuji?", services=services)
    assert first["status"] == "ok"
    assert {row["locator"] for row in first["sources"]} >= {f"{web.url}/fuji"}
    assert list(revalidate(services, tenant="local", hits={}, budget=0, by="mara")) == []
    store = services.answer_library.store
    assert store.get(first["entry"], tenant="local").servable
    web.page("/fuji", b"<p>Mount Fuji is 3,999 metres high.</p>")
    assert list(revalidate(services, tenant="local", hits={}, budget=0, by="mara")) == []
    assert not store.get(first["entry"], tenant="local").servable


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"folder": "docs", "pages": ("https://example.org/",)},
        {"pages": ("ftp://example.org/a",)},
        {"pages": ("/etc/passwd",)},
        {"pages": ("https://",)},
    ],
)
def test_a_source_is_a_folder_or_pages(fields: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        SourceSettings(publisher="Us", **fields)


def test_pages_that_no_tool_may_read_are_refused_with_the_setting_named(tmp_path: Path) -> None:
    (tmp_path / "config").mkdir()
    (tmp_path / "config" / "deliberation.yaml").write_text(
        "deliberation: {sources: [{pages: ['https://example.org/rules'], publisher: Us}]}", "utf-8"
    )
    settings = Settings.load(home=tmp_path)
    with pytest.raises(ConfigError, match=r"tools\.document_fetch"):
        open_deliberating(settings, clock=SetClock(), telemetry=NoTelemetry(), tools=Toolbox())
