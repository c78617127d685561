"""The words of a PDF are read page by page; what has none, is locked or damaged is refused in words."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from rqa_graph.inputs import read_document
from tests.support.cli import Cli
from tests.support.pdfs import made_pdf

WORDS = ("Everyone knows that the mill pays for itself.", "Therefore we must always keep it.")


def test_the_pages_are_read_in_order(tmp_path: Path) -> None:
    path = tmp_path / "note.pdf"
    path.write_bytes(made_pdf(*WORDS))
    found = read_document(str(path))
    assert (found.text, found.encoding) == ("\n\n".join(WORDS), "pdf")


def test_a_pdf_is_reviewed_like_any_document(cli: Cli, tmp_path: Path) -> None:
    path = tmp_path / "note.pdf"
    path.write_bytes(made_pdf(*WORDS))
    panel = cli("review", str(path), "--json").json["panel"]
    assert any("must always keep it" in claim for claim in panel["claims"])
    assert panel["reading"][0]["locator"] == "note.pdf"


@pytest.mark.parametrize("lang", ["en", "ja"])
@pytest.mark.parametrize(
    ("data", "words"),
    [
        (made_pdf("", ""), {"en": "2 pages and no text", "ja": "文字情報がありません"}),
        (b"%PDF-1.4\nnothing of the kind", {"en": "cannot be read as one", "ja": "読み取れません"}),
        (made_pdf("word ", wasted=600_000), {"en": "more than 1000000 bytes", "ja": "1000000 バイトを超えています"}),
    ],
    ids=["scan", "damaged", "unpacks to too much"],
)
def test_what_cannot_be_read_is_refused_in_words(
    cli: Cli, tmp_path: Path, data: bytes, words: dict[str, str], lang: str
) -> None:
    path = tmp_path / "bad.pdf"
    path.write_bytes(data)
    ran = cli("review", str(path), "--lang", lang)
    assert (ran.code, ran.out) == (2, "")
    assert words[lang] in ran.err
    assert "Traceback" not in ran.err


@pytest.mark.parametrize(("lang", "words"), [("en", "needs the extra `pdf`"), ("ja", "追加の部品が入っていません")])
def test_without_the_extra_one_line_names_it(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, lang: str, words: str
) -> None:
    path = tmp_path / "note.pdf"
    path.write_bytes(made_pdf(*WORDS))
    monkeypatch.setitem(sys.modules, "pypdf", None)
    ran = cli("review", str(path), "--lang", lang)
    assert ran.code != 0
    assert words in ran.err
    assert "rqa-graph[pdf]" in ran.err
