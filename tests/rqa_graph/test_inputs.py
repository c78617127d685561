"""What is read as input, and what is refused with which words."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rqa_graph.error_description import describe_error
from rqa_graph.errors import (
    EmptyInputError,
    InputError,
    IsFolderError,
    MissingFileError,
    NotTextError,
    RowError,
    TooLargeError,
    exit_code,
)
from rqa_graph.inputs import LIMIT_BYTES, check_text, read_document, read_message, read_rows

JAPANESE = "議事録\n本日の会議では、来月の計画を決めました。テストも行います。\n"


@pytest.mark.parametrize("text", ["", "   ", "\n\t", "　"])
def test_an_empty_message_is_refused(text: str) -> None:
    with pytest.raises(EmptyInputError):
        check_text(text)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("a\0b", NotTextError),
        ("a\ud800", NotTextError),
        ("あ" * 700_000, TooLargeError),
        ("a" * 2_000_000, TooLargeError),
    ],
)
def test_what_is_no_message_is_refused(text: str, kind: type[InputError]) -> None:
    with pytest.raises(kind) as caught:
        check_text(text)
    assert exit_code(caught.value) == 2
    assert all(describe_error(caught.value, lang)["hint"] for lang in ("en", "ja"))


def test_a_message_at_the_limit_is_read() -> None:
    assert check_text("a" * LIMIT_BYTES) == "a" * LIMIT_BYTES


def test_a_dash_reads_standard_input() -> None:
    assert read_message("-", io.BytesIO("こんにちは".encode())) == "こんにちは"
    assert read_message("-", io.BytesIO(b"\xef\xbb\xbfhello")) == "hello"


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (b"", EmptyInputError),
        (b"\xff\xfe\x00", NotTextError),
        (b"ok\xff", NotTextError),
        (b"a" * (LIMIT_BYTES + 1), TooLargeError),
    ],
)
def test_standard_input_that_is_no_text_is_refused(data: bytes, kind: type[InputError]) -> None:
    with pytest.raises(kind):
        read_message("-", io.BytesIO(data))


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp932", "euc_jp"])
def test_a_japanese_file_is_read_in_its_encoding(tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "memo.txt"
    path.write_bytes(JAPANESE.encode(encoding))
    document = read_document(str(path))
    assert document.text == JAPANESE
    assert document.locator == str(path)
    assert document.encoding == encoding.removesuffix("-sig")


def test_line_ends_are_unified(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(b"one\r\ntwo\n")
    assert read_document(str(path)).text == "one\ntwo\n"


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (b"", EmptyInputError),
        (b"  \n", EmptyInputError),
        (b"\x7fELF\x02\x01", NotTextError),
        (b"%PDF-1.7 text", NotTextError),
        (b"PK\x03\x04", NotTextError),
        (b"text\0text", NotTextError),
        (b"text \x01 text", NotTextError),
        (b"caf\xe9 cr\xe8me", NotTextError),
        (b"\xff\xfea", NotTextError),
        (b"a" * (LIMIT_BYTES + 1), TooLargeError),
    ],
)
def test_a_file_that_is_no_text_is_refused(tmp_path: Path, data: bytes, kind: type[InputError]) -> None:
    path = tmp_path / "file"
    path.write_bytes(data)
    with pytest.raises(kind, match="file"):
        read_document(str(path))


def test_a_folder_and_a_missing_file_are_told_apart(tmp_path: Path) -> None:
    with pytest.raises(IsFolderError):
        read_document(str(tmp_path))
    with pytest.raises(MissingFileError):
        read_document(str(tmp_path / "nowhere"))
    with pytest.raises(MissingFileError):
        read_document("a\0b")
    with pytest.raises(MissingFileError):
        read_document("x" * 5000)


def test_an_endless_device_is_refused() -> None:
    with pytest.raises(TooLargeError):
        read_document("/dev/zero")


def test_rows_come_with_their_line_numbers(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text('{"a": 1}\n\n{"a": "\u2028"}\n', "utf-8")
    assert list(read_rows(str(path), fields="a")) == [(1, {"a": 1}), (3, {"a": "\u2028"})]


@pytest.mark.parametrize("line", ["[1]", "{", "null", "[" * 100_000])
def test_a_line_that_is_no_object_is_refused_with_its_number(tmp_path: Path, line: str) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text(f'{{"a": 1}}\n{line}\n', "utf-8")
    with pytest.raises(RowError) as caught:
        list(read_rows(str(path), fields="a"))
    assert caught.value.values["line"] == 2


@given(data=st.binary(max_size=300))
def test_any_bytes_are_read_as_text_or_refused(data: bytes, tmp_path_factory: pytest.TempPathFactory) -> None:
    path = tmp_path_factory.getbasetemp() / "any"
    path.write_bytes(data)
    try:
        document = read_document(str(path))
    except InputError:
        return
    assert "\0" not in document.text
    assert document.text.strip()
