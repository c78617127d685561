"""What did the person give us to read, and is it text at all?

Everything is bounded and checked before anything else runs: at most one megabyte, no NUL, no lone surrogates, no binary
file. A refusal names what was found and leaves nothing behind. Files may be UTF-8, UTF-16 with a mark, Shift_JIS or
EUC-JP, because Japanese notes still are.
"""

from __future__ import annotations

import codecs
import json
import re
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, Final

from rqa_graph.errors import EmptyInputError, IsFolderError, MissingFileError, NotTextError, RowError, TooLargeError

__all__ = [
    "LIMIT_BYTES",
    "Document",
    "check_text",
    "decode_document",
    "read_document",
    "read_dump_text",
    "read_message",
    "read_rows",
]

LIMIT_BYTES: Final = 1_000_000
"""The most that one message or document may have: about 500 pages."""

_ROWS_LIMIT_BYTES: Final = 100_000_000
_DUMP_LIMIT_BYTES: Final = 256 * 1024 * 1024
"""A batch or a list of memory rows is data, not one text."""

_MARKS: Final = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
"""Longer marks first: UTF-32 begins like UTF-16."""

_PDF: Final = b"%PDF-"
_MAGIC: Final = (
    (_PDF, "PDF"),
    (b"PK\x03\x04", "ZIP, Office"),
    (b"\x89PNG", "PNG"),
    (b"\xff\xd8\xff", "JPEG"),
    (b"GIF8", "GIF"),
    (b"\x7fELF", "ELF"),
    (b"\x1f\x8b", "gzip"),
    (b"SQLite format 3", "SQLite"),
)

_CONTROLS: Final = re.compile("[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f]")
_SURROGATE: Final = re.compile("[\ud800-\udfff]")
_JAPANESE: Final = re.compile("[\u3041-\u30ff\u3400-\u9fff\uff01-\uff5e、。]")
_HALF_KANA: Final = re.compile("[\uff61-\uff9f\ue000-\uf8ff]")
"""What EUC-JP looks like when it is read as Shift_JIS."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """A file that was read as text."""

    locator: str
    """The path as given."""
    text: str
    encoding: str


def read_message(given: str, stdin: BinaryIO | None = None) -> str:
    """The message: the argument itself, or standard input for "-".

    Raises:
        EmptyInputError: Nothing but blanks.
        TooLargeError: More than `LIMIT_BYTES`.
        NotTextError: NUL, lone surrogates, or bytes that are no UTF-8.
    """
    if given != "-":
        return check_text(given)
    data = (stdin or sys.stdin.buffer).read(LIMIT_BYTES + 1)
    if len(data) > LIMIT_BYTES:
        raise TooLargeError("input.too_large", size=len(data), limit=LIMIT_BYTES)
    return check_text(data.decode("utf-8-sig", "surrogateescape"))


def check_text(text: str) -> str:
    """Return the text if it can be read as a message; see `read_message` for what is refused."""
    size = len(text) if len(text) > LIMIT_BYTES else len(text.encode("utf-8", "surrogatepass"))
    if size > LIMIT_BYTES:
        raise TooLargeError("input.too_large", size=size, limit=LIMIT_BYTES)
    nul = text.find("\0")
    if nul >= 0:
        raise NotTextError("input.nul", position=nul)
    surrogate = _SURROGATE.search(text)
    if surrogate:
        raise NotTextError("input.surrogate", position=surrogate.start())
    if not text.strip():
        raise EmptyInputError("input.empty")
    return text


def read_document(path: str) -> Document:
    """Read a file as text, whatever of the known encodings it is in; of a PDF, its text layer.

    Raises:
        MissingFileError: No such file, or it cannot be opened.
        IsFolderError: A folder.
        TooLargeError: More than `LIMIT_BYTES`.
        NotTextError: A binary file, an unknown encoding, or a PDF that cannot be read.
        EmptyInputError: Nothing but blanks, or a PDF without text.
        MissingExtraError: A PDF, and pypdf is not installed.
    """
    return decode_document(_read_bytes(path, limit=LIMIT_BYTES), path)


def decode_document(data: bytes, path: str, *, limit: int = LIMIT_BYTES) -> Document:
    """The text of a file that was read before; `path` is its name in messages. Errors as in `read_document`."""
    if data.startswith(_PDF):
        from rqa_graph.pdf_text import pdf_text  # only where a PDF was named

        text, encoding = pdf_text(data, path, limit=limit), "pdf"
    else:
        text, encoding = _decode(data, path)
    if not text.strip():
        raise EmptyInputError("file.empty", path=path)
    return Document(locator=path, text=text, encoding=encoding)


def read_dump_text(path: str) -> str:
    """Read the dump of another memory, which may be large; raises what `read_document` raises."""
    return _decode(_read_bytes(path, limit=_DUMP_LIMIT_BYTES), path)[0]


def read_rows(path: str, *, fields: str) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """Rows of a JSONL file ("-" for standard input) with their line numbers; blank lines are skipped.

    Args:
        path: The file.
        fields: What a row should hold, for the message about one that does not.

    Raises:
        RowError: A line is no JSON object; rows before it have been given out.
    """
    data = sys.stdin.buffer.read(_ROWS_LIMIT_BYTES + 1) if path == "-" else _read_bytes(path, limit=_ROWS_LIMIT_BYTES)
    if len(data) > _ROWS_LIMIT_BYTES:
        raise TooLargeError("file.too_large", path=path, limit=_ROWS_LIMIT_BYTES)
    text, _ = _decode(data, path)
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            yield number, _parse_row(line, number, path=path, fields=fields)


def _parse_row(line: str, number: int, *, path: str, fields: str) -> Mapping[str, Any]:
    try:
        value = json.loads(line)
    except (json.JSONDecodeError, RecursionError) as error:
        raise RowError("row.invalid", line=number, path=path, reason=error, fields=fields) from error
    if not isinstance(value, dict):
        raise RowError("row.invalid", line=number, path=path, reason=type(value).__name__, fields=fields)
    return value


def _read_bytes(path: str, *, limit: int) -> bytes:
    """Bounded, so that an endless device is refused like a file that is too long."""
    if "\0" in path:
        raise MissingFileError("file.missing", path=path)
    try:
        with Path(path).open("rb") as file:
            data = file.read(limit + 1)
    except IsADirectoryError as error:
        raise IsFolderError("file.folder", path=path) from error
    except FileNotFoundError as error:
        raise MissingFileError("file.missing", path=path) from error
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise MissingFileError("file.unreadable", path=path, reason=reason) from error
    if len(data) > limit:
        raise TooLargeError("file.too_large", path=path, limit=limit)
    return data


def _decode(data: bytes, path: str) -> tuple[str, str]:
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return _strict(data, encoding, path), encoding.removesuffix("-sig")
    kind = next((name for magic, name in _MAGIC if data.startswith(magic)), "NUL" if b"\0" in data else "")
    if kind:
        raise NotTextError("file.binary", path=path, what=kind)
    encoding = "utf-8" if _decodes(data, "utf-8") else "" if _is_damaged_utf8(data) else _japanese_encoding(data)
    if not encoding:
        raise NotTextError("file.encoding", path=path)
    return _strict(data, encoding, path), encoding


def _strict(data: bytes, encoding: str, path: str) -> str:
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError as error:
        raise NotTextError("file.encoding", path=path) from error
    control = _CONTROLS.search(text)
    if control:
        raise NotTextError("file.binary", path=path, what=f"U+{ord(control[0]):04X}")
    return text.replace("\r\n", "\n")


def _decodes(data: bytes, encoding: str) -> bool:
    try:
        data.decode(encoding)
    except UnicodeDecodeError:
        return False
    return True


def _is_damaged_utf8(data: bytes) -> bool:
    """True for UTF-8 with bytes lost or foreign, which a legacy encoding would read as noise, without an error."""
    try:
        codecs.getincrementaldecoder("utf-8")().decode(data)  # not the end: a sequence that is cut short is no error
    except UnicodeDecodeError:
        wide = sum(char > "\u07ff" for char in data.decode("utf-8", "ignore"))  # pairs of bytes are common in EUC-JP
        return 6 * wide > sum(byte > 0x7F for byte in data)
    return True


def _japanese_encoding(data: bytes) -> str:
    """The one of two legacy encodings under which the bytes look most like Japanese; "" if neither does."""
    best, score = "", 0
    for encoding in ("euc_jp", "cp932"):
        if _decodes(data, encoding):
            text = data.decode(encoding)
            points = len(_JAPANESE.findall(text)) - 3 * len(_HALF_KANA.findall(text))
            if points > score:
                best, score = encoding, points
    return best
