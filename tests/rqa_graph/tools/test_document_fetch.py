"""One document: under an allowed folder and nowhere else, or a public page where the settings allow the web."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path
from typing import Any

import pytest

from rqa_checkpoints.provenance import Scope
from rqa_graph.tool_settings import DocumentFetchSettings
from rqa_graph.tools.document_fetch import DocumentFetch
from rqa_graph.tools.web_get import WebGet
from rqa_nodes.errors import ToolError
from rqa_nodes.tools.toolbox import Source, ToolCall
from tests.support.pdfs import made_pdf
from tests.support.web import serving


def _tool(*roots: Path, **changes: Any) -> DocumentFetch:
    options = {"enabled": True, "calls": 2, "seconds": 5, "items": 2, "web": False, "max_bytes": 100_000}
    settings = DocumentFetchSettings(**{**options, "roots": roots, **changes})
    return DocumentFetch(settings, open_web=lambda most: WebGet(max_bytes=most, is_allowed=lambda _address: True))


def _run(tool: DocumentFetch, query: str, about: str = "") -> list[Source]:
    return list(tool.run(ToolCall(query=query, scope=Scope("local", "ann"), about=about)))


@pytest.fixture
def papers(tmp_path: Path) -> Path:
    folder = tmp_path / "papers"
    (folder / "sub").mkdir(parents=True)
    (folder / "mill.md").write_text("# Mill\n\nIt is old.\n\n# Cost\n\nIt costs 420.\n\n# Roof\n\nIt leaks.\n", "utf-8")
    (folder / "sub" / "水車.txt").write_bytes("水車の修理費は四十二万円だ。".encode("euc_jp"))
    (tmp_path / "secret.md").write_text("The key is under the stone.", "utf-8")
    return folder


def test_the_passages_nearest_to_the_turn_are_given_with_line_and_hash(papers: Path) -> None:
    found = _run(_tool(papers), "mill.md", about="What does it cost, and does the roof leak?")
    assert [(source.locator, source.text) for source in found] == [
        ("papers/mill.md:5", "# Cost\n\nIt costs 420."),
        ("papers/mill.md:9", "# Roof\n\nIt leaks."),
    ]
    assert {source.digest for source in found} == {hashlib.sha256((papers / "mill.md").read_bytes()).hexdigest()}
    assert [source.locator for source in _run(_tool(papers), "mill.md")] == ["papers/mill.md:1", "papers/mill.md:5"]


def test_a_path_may_be_absolute_or_lie_under_any_root(papers: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    tool = _tool(other, papers)
    assert _run(tool, str(papers / "sub" / "水車.txt"))[0].text == "水車の修理費は四十二万円だ。"
    assert _run(tool, "sub/../sub/水車.txt")[0].locator == "papers/sub/水車.txt:1"


@pytest.mark.parametrize(
    "query",
    [
        *("../secret.md", "sub/../../secret.md", "/etc/passwd", "~/.bashrc", "link.md", "linked/secret.md", ".env"),
        *(".git/config", "sub", "", ".", "nowhere.md", "mill.md\0.txt", "x" * 5000, "sub/nothing", "loop.md"),
    ],
)
def test_nothing_outside_the_roots_is_read_and_nothing_hidden(query: str, papers: Path, tmp_path: Path) -> None:
    (papers / "link.md").symlink_to(tmp_path / "secret.md")
    (papers / "linked").symlink_to(tmp_path)
    (papers / "loop.md").symlink_to(papers / "loop.md")
    (papers / ".env").write_text("KEY=1", "utf-8")
    (papers / ".git").mkdir()
    (papers / ".git" / "config").write_text("x", "utf-8")
    with pytest.raises(ToolError, match="no such file under the allowed folders"):
        _run(_tool(papers), query)
    with pytest.raises(ToolError):
        _run(_tool(), query)


def test_a_link_that_stays_inside_is_followed(papers: Path) -> None:
    (papers / "link.md").symlink_to(papers / "mill.md")
    assert _run(_tool(papers), "link.md")[0].locator == "papers/mill.md:1"


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"\x89PNG\r\n", "PNG"),
        (b"\0\1\2", "NUL"),
        (b"x" * 2000, "more than 1000 bytes"),
        (b"\xff\xfe\xfd", "UTF"),
        (b" ", "no text"),
    ],
)
def test_what_is_no_text_or_too_much_is_refused(data: bytes, words: str, papers: Path) -> None:
    (papers / "x.md").write_bytes(data)
    with pytest.raises(ToolError, match=words):
        _run(_tool(papers, max_bytes=1000), "x.md")


def test_a_pipe_is_not_waited_for(papers: Path) -> None:
    os.mkfifo(papers / "pipe.md")
    with pytest.raises(ToolError):
        _run(_tool(papers), "pipe.md")


def test_addresses_are_fetched_only_where_the_settings_allow_the_web(papers: Path) -> None:
    with serving() as server:
        server.page("/tax", b"<h1>Tax</h1><p>It doubled.</p><script>x()</script>")
        address = f"{server.url}/tax"
        assert _tool(papers).leaves(address)
        assert not _tool(papers).leaves("mill.md")
        with pytest.raises(ToolError, match="allow no web addresses"):
            _run(_tool(papers), address)
        assert server.asked == []
        (source,) = _run(_tool(papers, web=True), address)
        assert (source.text, source.locator) == ("Tax\n\nIt doubled.", address)
        assert source.digest == hashlib.sha256(b"<h1>Tax</h1><p>It doubled.</p><script>x()</script>").hexdigest()


@pytest.mark.parametrize(
    ("kind", "body", "text"),
    [
        ("text/plain; charset=Shift_JIS", "水車は古い。".encode("cp932"), "水車は古い。"),
        ("text/markdown", b"# Mill", "# Mill"),
        ("application/pdf", made_pdf("The pond is deep."), "The pond is deep."),
        ("image/png", b"\x89PNG", ""),
        ("application/json", b"{}", ""),
        ("text/plain; charset=klingon", b"x", ""),
        ("text/plain", b"\0\1", ""),
    ],
)
def test_text_and_pdf_are_read_and_nothing_else(kind: str, body: bytes, text: str, papers: Path) -> None:
    with serving() as server:
        server.page("/x", body, Content_Type=kind)
        if text:
            assert _run(_tool(papers, web=True), f"{server.url}/x")[0].text == text
        else:
            with pytest.raises(ToolError):
                _run(_tool(papers, web=True), f"{server.url}/x")


def test_a_file_scheme_is_no_way_around_the_roots(papers: Path) -> None:
    with pytest.raises(ToolError):
        _run(_tool(papers, web=True), f"file://{papers / 'mill.md'}")
