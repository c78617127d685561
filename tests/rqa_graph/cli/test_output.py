"""Results on a terminal, in a pipe and as JSON."""

from __future__ import annotations

import errno
import io
import json

import pytest

from rqa_checkpoints.errors import HomeLockedError
from rqa_graph.cli.output import Output, describe_error
from rqa_graph.errors import NotTextError


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


def test_markup_in_a_cell_is_text() -> None:
    terminal = Terminal()
    Output("memory", stream=terminal).table(["x"], [["[bold]no[/bold]"]])
    assert "[bold]no[/bold]" in terminal.getvalue()


def test_json_is_one_object_in_the_users_script() -> None:
    stream = io.StringIO()
    Output("ask", as_json=True, stream=stream).result({"text": "お茶\n"}, lambda out: out.text("never"))
    assert stream.getvalue() == '{"schema": "rqa.ask/1", "ok": true, "error": null, "text": "お茶\\n"}\n'
    assert json.loads(stream.getvalue())["text"] == "お茶\n"


@pytest.mark.parametrize(("lang", "words"), [("en", "NUL byte at position 3"), ("ja", "3 文字目に NUL")])
def test_an_input_error_is_said_in_the_language(lang: str, words: str) -> None:
    assert words in describe_error(NotTextError("input.nul", position=3), lang)["message"]


def test_errors_of_lower_layers_keep_their_code_and_hint() -> None:
    error = HomeLockedError("Held by process 7.", hint="Stop it.")
    assert describe_error(error, "en") == {"code": "home_locked", "message": "Held by process 7.", "hint": "Stop it."}
    assert describe_error(OSError(errno.ENOSPC, "full"), "en")["code"] == "home_not_writable"
    assert describe_error(ValueError("odd"), "ja")["code"] == "internal"
