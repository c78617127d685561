"""What does `--help` say to a person who reads Japanese?

The English words stand with the commands, where the parser reads them; their translations stand in one table, found by
those words. A text without one stays English. Lines are broken by what a terminal shows: a Japanese letter takes two
columns.
"""

from __future__ import annotations

import inspect
import re
import unicodedata
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Final

from typer import Context

from rqa_graph.resources import load_yaml

__all__ = ["say_in_japanese", "translated", "usage_in_japanese"]

_FILE: Final = Path(__file__).parent.parent / "texts" / "help_ja.yaml"
_EXAMPLE: Final = "Example: "
_FIRST_COLUMN: Final = 30
_WIDE: Final = "WF"
_NOT_FIRST: Final = "、。，．）」』ー・：？！"
"""Marks that do not begin a line."""
_WORD: Final = re.compile(r"[!-~]+|\s+|.")
_FIXED: Final = {
    "Options": "オプション",
    "Arguments": "引数",
    "Commands": "コマンド",
    "Show this message and exit.": "この説明を表示して終わります。",
}
_EXTRAS: Final = (("[required]", "[必須]"), ("default: ", "既定: "))


_FAULTS: Final = (
    (r"Missing argument '(.+)'\.", r"引数 \1 がありません"),
    (r"Missing option '(.+)'\.", r"オプション \1 がありません"),
    (r"Missing command\.", "コマンドがありません"),
    (r"No such command '(.+?)'\.", r"\1 というコマンドはありません"),
    (r"No such option: (\S+) \(Possible options: (.+)\)", r"\1 というオプションはありません。近いもの: \2"),
    (r"No such option: (\S+) Did you mean (.+)\?", r"\1 というオプションはありません。近いもの: \2"),
    (r"No such option: (\S+)", r"\1 というオプションはありません"),
    (r"Option '(.+)' requires an argument\.", r"\1 には値が要ります"),
    (r"Got unexpected extra argument(?:\(s\)|s)? \((.+)\)", r"余分な引数があります: \1"),
    (r"Invalid value for '(.+?)': Input should be greater than or equal to (\S+)", r"\1 の値は \2 以上にしてください"),
    (r"Invalid value for '(.+?)': Input should be less than or equal to (\S+)", r"\1 の値は \2 以下にしてください"),
    (r"Invalid value for '(.+?)': Input should be a valid integer.*", r"\1 の値は整数にしてください"),
    (r"Invalid value for '(.+?)': Input should be a valid number.*", r"\1 の値は数にしてください"),
    (r"Invalid value for '(.+?)': (.*)", r"\1 の値が正しくありません: \2"),
)
"""What the parser finds wrong, and the same in Japanese."""


@cache
def _table() -> dict[str, str]:
    return {**load_yaml(_FILE), **_FIXED}


def translated(text: str) -> str:
    """A help text in Japanese, paragraph by paragraph; an example keeps its command."""
    return "\n\n".join(_paragraphs(text))


def _paragraphs(text: str) -> Iterator[str]:
    for paragraph in inspect.cleandoc(text).split("\n\n"):
        words = " ".join(paragraph.split())
        if words.startswith(_EXAMPLE):
            yield "例: " + words.removeprefix(_EXAMPLE)
        elif words:
            yield _table().get(words, words)


def say_in_japanese(command: Any) -> None:
    """Put the help of a command, of its options and of the commands below it into Japanese."""
    command.context_class = _Context
    first = inspect.cleandoc(command.help or "").split("\n\n")[0]
    command.short_help = translated(command.short_help or first)
    command.help = translated(command.help or "")
    for parameter in command.params:
        if getattr(parameter, "help", None):
            parameter.help = translated(parameter.help)
    for member in getattr(command, "commands", {}).values():
        say_in_japanese(member)


_HelpFormatter: Final[Any] = Context.formatter_class
"""The parser's own: it has no public name."""


class _Formatter(_HelpFormatter):  # type: ignore[misc]  # for the same reason
    """Headings in Japanese, and lines broken by the columns that they take."""

    def write_usage(self, prog: str, args: str = "", prefix: str | None = None) -> None:
        """The line that shows how it is called."""
        super().write_usage(prog, args, prefix or "使い方: ")

    def write_heading(self, heading: str) -> None:
        """The name of a section."""
        super().write_heading(_FIXED.get(heading, heading))

    def write_text(self, text: str) -> None:
        """Paragraphs."""
        indent = " " * self.current_indent
        blocks = ("\n".join(_broken(block, self.width - len(indent))) for block in text.split("\n\n"))
        self.write("\n\n".join(indent + block.replace("\n", "\n" + indent) for block in blocks) + "\n")

    def write_dl(self, rows: Sequence[tuple[str, str]], col_max: int = _FIRST_COLUMN, col_spacing: int = 2) -> None:
        """Options and commands, each with what it does."""
        widest = max((_columns(name) for name, _ in rows if _columns(name) <= col_max), default=0)
        start = self.current_indent + widest + col_spacing
        for name, words in rows:
            for english, japanese in _EXTRAS:
                words = words.replace(english, japanese)
            lines = _broken(_FIXED.get(words, words), max(self.width - start, 20)) or [""]
            head = " " * self.current_indent + name
            fits = _columns(name) <= widest
            first = head + " " * (start - _columns(head)) + lines[0] if fits else head
            rest = lines[1:] if fits else lines
            self.write("\n".join([first.rstrip(), *(" " * start + line for line in rest)]) + "\n")


class _Context(Context):
    formatter_class = _Formatter


def _columns(text: str) -> int:
    return sum(2 if unicodedata.east_asian_width(letter) in _WIDE else 1 for letter in text)


def _broken(text: str, width: int) -> list[str]:
    """The text in lines of at most so many columns; Latin words stay whole, and no line begins with a closing mark."""
    lines, line = [], ""
    for piece in _WORD.findall(" ".join(text.split())):
        if line and _columns(line + piece) > width and piece not in _NOT_FIRST:
            lines.append(line.rstrip())
            line = "" if piece.isspace() else piece
        else:
            line += piece
    return [*lines, line.rstrip()] if line.strip() else lines


def usage_in_japanese(message: str) -> str:
    """What the parser finds wrong, in Japanese; a message that is not known stays as it is."""
    for english, japanese in _FAULTS:
        match = re.fullmatch(english, message, re.DOTALL)
        if match:
            return match.expand(japanese)
    return message
