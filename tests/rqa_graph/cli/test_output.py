"""Results on a terminal, in a pipe and as JSON."""

from __future__ import annotations

import io
import json
import re
from pathlib import Path

import pytest

from rqa_graph import messages
from rqa_graph.cli.output import Output


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize("word", ["tea", "お茶"])
def test_a_table_is_drawn_on_a_terminal_and_tabbed_in_a_pipe(word: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    terminal, pipe = Terminal(), io.StringIO()
    for stream in (terminal, pipe):
        Output("memory", stream=stream).table(["handle", "text"], [["k3v9xq", f"{word}\nx"]], title="t")
    assert pipe.getvalue() == f"handle\ttext\nk3v9xq\t{word} x\n"
    assert word in terminal.getvalue()
    assert "─" in terminal.getvalue() or "━" in terminal.getvalue()


@pytest.mark.parametrize("kind", ["text", "chunk", "markdown", "table"])
def test_escapes_in_a_text_never_reach_a_terminal(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "dumb")
    terminal = Terminal()
    output, hostile = Output("ask", stream=terminal), "a\x1b[2Jb\x07c\x9b1md"
    if kind == "table":
        output.table(["x"], [[hostile]])
    else:
        getattr(output, kind)(hostile)
    assert "a[2Jbc1md" in terminal.getvalue()


@pytest.mark.parametrize("word", ["tea", "お茶"])
def test_a_tree_is_drawn_on_a_terminal_and_indented_in_a_pipe(word: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    terminal, pipe = Terminal(), io.StringIO()
    rows = [(0, "root"), (1, "left"), (2, f"{word}\x1b[2J\nx [bold]"), (1, "right")]
    for stream in (terminal, pipe):
        Output("memory", stream=stream).tree(rows)
    assert pipe.getvalue() == f"root\n  left\n    {word}[2J x [bold]\n  right\n"
    assert terminal.getvalue().split() == [
        "root",
        "├──",
        "left",
        "│",
        "└──",
        f"{word}[2J",
        "x",
        "[bold]",
        "└──",
        "right",
    ]


def test_markup_in_a_cell_is_text() -> None:
    terminal = Terminal()
    Output("memory", stream=terminal).table(["x"], [["[bold]no[/bold]"]])
    assert "[bold]no[/bold]" in terminal.getvalue()


def test_json_is_one_object_in_the_users_script() -> None:
    stream = io.StringIO()
    Output("ask", as_json=True, stream=stream).result({"text": "お茶\n"}, lambda out: out.text("never"))
    assert stream.getvalue() == '{"schema": "rqa.ask/1", "ok": true, "error": null, "text": "お茶\\n"}\n'
    assert json.loads(stream.getvalue())["text"] == "お茶\n"


def test_a_sentence_is_written_once() -> None:
    text = (Path(messages.__file__).parent / "texts" / "messages.yaml").read_text("utf-8")
    written = re.findall(r"^([^\s#][^:\n]*):", text, re.MULTILINE)
    assert sorted(written) == sorted(set(written)) == sorted(messages.keys())


@pytest.mark.parametrize("text", ["Once.", "一度だけ。"])
def test_a_note_is_said_once_whatever_the_language_around_it(text: str, capsys: pytest.CaptureFixture[str]) -> None:
    output = Output("chat", stream=io.StringIO())
    output.note_once(text)
    output.speaking("ja").note_once(text)
    assert capsys.readouterr().err == text + "\n"


def test_what_must_be_copied_is_not_cut_short_on_a_narrow_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    terminal = Terminal()
    Output("check", stream=terminal).table(["name", "value"], [["fingerprint", "0123456789abcdef" * 4]])
    assert "…" not in terminal.getvalue()
    digits = "".join(char for char in terminal.getvalue() if char.isdigit())
    assert digits.endswith("0123456789" * 4)
