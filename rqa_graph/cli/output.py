"""How is a result shown: as one JSON object, as plain text in a pipe, or with tables on a terminal?

Standard output carries the result and nothing else; notes, progress and errors go to standard error. Text from a model
or a document may hold terminal escapes, so control characters never reach a terminal.
"""

from __future__ import annotations

import json
import re
import sys
import traceback
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, TextIO

from rqa_graph.messages import say

__all__ = ["Output", "show_error"]

_CONTROLS: Final = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f]")
"""All but tab and newline."""


class Output:
    """Where one command writes."""

    def __init__(self, command: str, *, as_json: bool = False, lang: str = "en", stream: TextIO | None = None) -> None:
        self.command = command
        self.as_json = as_json
        self.lang = lang
        self._stream = stream
        self._said: set[str] = set()

    def speaking(self, lang: str) -> Output:
        """The same in another language; what was said once stays said."""
        other = Output(self.command, as_json=self.as_json, lang=lang, stream=self._stream)
        other._said = self._said
        return other

    @property
    def is_terminal(self) -> bool:
        """True if a person sees it directly, in colour and with tables."""
        return not self.as_json and (self._stream or sys.stdout).isatty()

    def result(self, fields: Mapping[str, Any], render: Callable[[Output], None], *, ok: bool = True) -> None:
        """Show what a command found: `fields` as one JSON object, or whatever `render` writes."""
        if self.as_json:
            self.row(envelope(self.command, fields, ok=ok))
        else:
            render(self)

    def row(self, value: Mapping[str, Any]) -> None:
        """One line of JSON, whatever the mode (batches answer in JSONL)."""
        self._write(json.dumps(value, ensure_ascii=False, default=str))

    def text(self, text: str) -> None:
        """A line or more, as it is."""
        self._write(_CONTROLS.sub("", text) if self.is_terminal else text)

    def chunk(self, text: str) -> None:
        """A piece of a text that goes on: shown at once, no line end."""
        self._write(_CONTROLS.sub("", text) if self.is_terminal else text, end="")

    def markdown(self, text: str) -> None:
        """Markdown: laid out on a terminal, as it is in a pipe."""
        if not self.is_terminal:
            self.text(text)
            return
        from rich.console import Console  # only where a terminal shows it
        from rich.markdown import Markdown

        Console(file=self._stream).print(Markdown(_CONTROLS.sub("", text)))

    def say(self, text: str) -> None:
        """A line of a story; nothing where one JSON object is the result."""
        if not self.as_json:
            self.text(text)

    def heading(self, text: str) -> None:
        """A line that begins a part of a story."""
        if self.is_terminal:
            from rich.console import Console  # only where a terminal shows it
            from rich.rule import Rule

            Console(file=self._stream).print(Rule(_CONTROLS.sub("", text), align="left"))
        else:
            self.say(f"== {text} ==\n")

    def table(self, columns: Sequence[str], rows: Sequence[Sequence[object]], *, title: str = "") -> None:
        """Rows under headings: a drawn table on a terminal, tab-separated lines in a pipe."""
        cells = [[_CONTROLS.sub("", str(cell)) for cell in row] for row in rows]
        if not self.is_terminal:
            lines = [columns, *([cell.replace("\t", " ").replace("\n", " ") for cell in row] for row in cells)]
            self.text("\n".join("\t".join(line) for line in lines))
            return
        from rich.console import Console  # only where a terminal shows it
        from rich.table import Table
        from rich.text import Text

        drawn = Table(title=title or None, title_justify="left")
        for column in columns:
            drawn.add_column(column, overflow="fold")  # a hash or a handle that is cut short is of no use
        for row in cells:
            drawn.add_row(*(Text(cell) for cell in row))
        Console(file=self._stream).print(drawn)

    def tree(self, rows: Sequence[tuple[int, str]]) -> None:
        """Lines with their depth, parents first: a drawn tree on a terminal, indented lines in a pipe."""
        lines = [(depth, " ".join(_CONTROLS.sub("", line).split())) for depth, line in rows]
        if not self.is_terminal:
            self.text("\n".join("  " * depth + line for depth, line in lines))
            return
        from rich.console import Console  # only where a terminal shows it
        from rich.text import Text
        from rich.tree import Tree

        branches = [Tree(Text(lines[0][1]))]
        for depth, line in lines[1:]:
            branches[depth:] = [branches[depth - 1].add(Text(line))]
        Console(file=self._stream).print(branches[0])

    def note(self, text: str) -> None:
        """A line for the person, on standard error: progress, notices, hints."""
        (self._stream or sys.stdout).flush()  # notes and result meet in one terminal, in the order of writing
        sys.stderr.write(f"{_CONTROLS.sub('', text)}\n")
        sys.stderr.flush()

    def note_once(self, text: str) -> None:
        """A note that would be a nuisance a second time."""
        if text not in self._said:
            self._said.add(text)
            self.note(text)

    def _write(self, text: str, *, end: str = "\n") -> None:
        stream = self._stream or sys.stdout
        stream.write(text + end)
        stream.flush()


def envelope(command: str, fields: Mapping[str, Any], *, ok: bool = True) -> dict[str, Any]:
    """The JSON object of a command that ran."""
    return {"schema": f"rqa.{command}/1", "ok": ok, "error": None, **fields}


def show_error(
    error: Mapping[str, str], *, command: str, as_json: bool, lang: str, cause: BaseException | None = None
) -> None:
    """Say what went wrong: in the JSON object if one was asked for, and always on standard error."""
    if as_json:
        fields = {"schema": f"rqa.{command}/1", "ok": False, "error": dict(error)}
        Output(command, as_json=True).row(fields)
    notes = Output(command, lang=lang)
    notes.note(say("error.title", lang, message=error["message"]))
    if error["hint"]:
        notes.note(f"     {error['hint']}")
    if cause is not None:
        traceback.print_exception(cause, file=sys.stderr)
