"""Folders of documents as sources: what is read, what never is, and by which name."""

from __future__ import annotations

from pathlib import Path

import pytest

from rqa_graph.corpus import FolderCorpus
from rqa_graph.deliberation_settings import SourceSettings
from tests.support.caches import SetClock

TEXT = "Mount Fuji is 3,776 metres high."


@pytest.fixture
def corpus(tmp_path: Path) -> FolderCorpus:
    for name in (
        "docs/fuji.md",
        "docs/deep/fuji.txt",
        "docs/.venv/fuji.md",
        "docs/.fuji.md",
        "docs/fuji.csv",
        "out.md",
    ):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(TEXT, "utf-8")
    (tmp_path / "docs" / "linked.md").symlink_to(tmp_path / "out.md")
    (tmp_path / "docs" / "large.md").write_text(f"{TEXT}\n" * 40_000, "utf-8")
    sources = [SourceSettings(folder="docs", publisher="Us", domains=("facts",))]
    return FolderCorpus(sources, home=tmp_path, clock=SetClock())


def test_what_is_hidden_elsewhere_too_large_or_no_text_is_not_found(corpus: FolderCorpus) -> None:
    found = corpus.search("How high is Mount Fuji in metres?", domain="facts", limit=12)
    assert [row.locator for row in found] == ["docs/deep/fuji.txt", "docs/fuji.md"]
    assert corpus.search("How high is Mount Fuji in metres?", domain="law", limit=12) == []


def test_a_document_is_fetched_by_its_locator_without_a_look_at_the_others(
    corpus: FolderCorpus, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Path, "rglob", lambda *_: pytest.fail("the whole folder was walked"))
    found = corpus.fetch("docs/deep/fuji.txt", domain="facts")
    assert found is not None
    assert (found.text, found.publisher, found.family) == (TEXT, "Us", "Us")
    assert corpus.fetch("docs/deep/fuji.txt", domain="law") is None


@pytest.mark.parametrize(
    "locator",
    [
        *("", "docs", "docs/", "docs/none.md", "docs/deep", "docs/fuji.csv", "docs/linked.md", "docs/large.md"),
        *("docs/../out.md", "docs/deep/../fuji.md", "docs/deep//fuji.txt", "docs/.fuji.md", "docs/.venv/fuji.md"),
        *("other/fuji.md", "fuji.md", "docs/\0.md", f"docs/{'x' * 5000}.md", "docs/\ud800.md", "docs//etc/hosts.txt"),
    ],
)
def test_no_locator_leads_out_of_the_list(corpus: FolderCorpus, locator: str) -> None:
    assert corpus.fetch(locator, domain="facts") is None


def test_an_absolute_path_as_locator_is_not_read(corpus: FolderCorpus, tmp_path: Path) -> None:
    assert corpus.fetch(str(tmp_path / "docs" / "fuji.md"), domain="facts") is None
    assert corpus.fetch(f"docs/{tmp_path}/out.md", domain="facts") is None
