"""The words of a PDF are read page by page; what has none, is locked or damaged is refused in words."""

from __future__ import annotations

import sys
import zlib
from pathlib import Path

import pytest

from rqa_graph.cli.inputs import read_document
from tests.support.cli import Cli

WORDS = ("Everyone knows that the mill pays for itself.", "Therefore we must always keep it.")


def _pdf(*pages: str, wasted: int = 0) -> bytes:
    """A small PDF, written by hand; `wasted` adds so many blanks that pack to nothing to the first page."""
    objects = [b"<< /Type /Catalog /Pages 2 0 R >>"]
    kids = " ".join(f"{4 + 2 * number} 0 R" for number in range(len(pages)))
    objects.append(f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>".encode())
    objects.append(b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>")
    for number, text in enumerate(pages):
        drawn = f"BT /F1 12 Tf 72 720 Td ({text}{'x ' * wasted}) Tj ET" if text else ""
        stream = zlib.compress(drawn.encode("latin-1"))
        page = f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents {5 + 2 * number} 0 R "
        objects.append(f"{page}/Resources << /Font << /F1 3 0 R >> >> >>".encode())
        head = f"<< /Length {len(stream)} /Filter /FlateDecode >>\nstream\n".encode()
        objects.append(head + stream + b"\nendstream")
    out, offsets = bytearray(b"%PDF-1.4\n"), list[int]()
    for number, body in enumerate(objects, start=1):
        offsets.append(len(out))
        out += f"{number} 0 obj\n".encode() + body + b"\nendobj\n"
    start = len(out)
    out += f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n".encode()
    out += b"".join(f"{offset:010} 00000 n \n".encode() for offset in offsets)
    out += f"trailer << /Size {len(objects) + 1} /Root 1 0 R >>\nstartxref\n{start}\n%%EOF\n".encode()
    return bytes(out)


def test_the_pages_are_read_in_order(tmp_path: Path) -> None:
    path = tmp_path / "note.pdf"
    path.write_bytes(_pdf(*WORDS))
    found = read_document(str(path))
    assert (found.text, found.encoding) == ("\n\n".join(WORDS), "pdf")


def test_a_pdf_is_reviewed_like_any_document(cli: Cli, tmp_path: Path) -> None:
    path = tmp_path / "note.pdf"
    path.write_bytes(_pdf(*WORDS))
    panel = cli("review", str(path), "--json").json["panel"]
    assert any("must always keep it" in claim for claim in panel["claims"])
    assert panel["reading"][0]["locator"] == "note.pdf"


@pytest.mark.parametrize("lang", ["en", "ja"])
@pytest.mark.parametrize(
    ("data", "words"),
    [
        (_pdf("", ""), {"en": "2 pages and no text", "ja": "文字情報がありません"}),
        (b"%PDF-1.4\nnothing of the kind", {"en": "cannot be read as one", "ja": "読み取れません"}),
        (_pdf("word ", wasted=600_000), {"en": "more than 1000000 bytes", "ja": "1000000 バイトを超えています"}),
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
    path.write_bytes(_pdf(*WORDS))
    monkeypatch.setitem(sys.modules, "pypdf", None)
    ran = cli("review", str(path), "--lang", lang)
    assert ran.code != 0
    assert words in ran.err
    assert "rqa-graph[pdf]" in ran.err
