"""What does a program say in words?

The built-in engine reads sentences, and a line of code is none: of a file of code it reads the comments and the
docstrings, in order. The name of the file says that it is code. A model server gets the file as it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

__all__ = ["is_code", "prose_of"]

_HASH: Final = frozenset(("py", "pyi", "rb", "sh", "bash", "pl", "r", "jl", "toml", "yaml", "yml", "tf", "ex", "exs"))
_SLASH: Final = frozenset(
    (
        *("c", "h", "cc", "cpp", "hpp", "cs", "go", "java", "js", "jsx", "kt", "mjs", "php", "rs", "scala", "swift"),
        *("ts", "tsx", "zig", "dart", "css", "scss", "proto"),
    )
)
_DASH: Final = frozenset(("sql", "lua", "hs", "elm"))
_DOCSTRING: Final = re.compile(
    r"\"\"\"([^\"\\]*+(?:(?!\"\"\")[\"\\][^\"\\]*+)*+)\"\"\"|'''([^']*+(?:(?!''')'[^']*+)*+)'''"
)
_BLOCK: Final = re.compile(r"/\*+([^*]*+(?:\*(?!/)[^*]*+)*+)\*/")
_LINE: Final = {
    "#": re.compile(r"^[^\n\"'#]*#+(?!!)[ \t]*([^\n]*)$", re.MULTILINE),
    "//": re.compile(r"^[^\n\"'/]*//+[!/]*[ \t]*([^\n]*)$", re.MULTILINE),
    "--": re.compile(r"^[^\n\"'\-]*--+[ \t]*([^\n]*)$", re.MULTILINE),
}
_STARS: Final = re.compile(r"^[ \t]*\*+[ \t]?", re.MULTILINE)
_INDENT: Final = re.compile(r"^[ \t]+", re.MULTILINE)


def _suffix(locator: str) -> str:
    return locator.rpartition(".")[2].casefold() if "." in locator else ""


def is_code(locator: str) -> bool:
    """Does the name of a file say that it is a program?"""
    return _suffix(locator) in _HASH | _SLASH | _DASH


def prose_of(text: str, locator: str) -> str:
    """The comments and docstrings of a program; the text itself if it has none, or is no program."""
    if not is_code(locator):
        return text
    suffix = _suffix(locator)
    mark = "#" if suffix in _HASH else "//" if suffix in _SLASH else "--"
    found = sorted(_found(text, mark, blocks=suffix in _SLASH, docstrings=suffix in {"py", "pyi"}))
    pieces: list[str] = []
    end, before = 0, False
    for start, words, is_line in found:
        # Comments on lines that follow each other are one text.
        follows = before and is_line and text.count("\n", end, start) == 1
        pieces += [" " if follows else "\n\n", words]
        end, before = start + len(words), is_line
    return "".join(pieces).strip() or text


def _found(text: str, mark: str, *, blocks: bool, docstrings: bool) -> Iterator[tuple[int, str, bool]]:
    """Where words begin, the words, and whether they are a comment to the end of a line."""
    rest = text
    for pattern in ([_DOCSTRING] if docstrings else []) + ([_BLOCK] if blocks else []):
        for match in pattern.finditer(text):
            words = _INDENT.sub("", _STARS.sub("", match[1] or match[match.re.groups] or "")).strip()
            if words:
                yield match.start(), words, False
        rest = pattern.sub(_blanked, rest)
    for match in _LINE[mark].finditer(rest):
        if match[1].strip():
            yield match.start(1), match[1].strip(), True


def _blanked(match: re.Match[str]) -> str:
    """As many characters, and none of them a comment."""
    return "".join("\n" if char == "\n" else " " for char in match[0])
