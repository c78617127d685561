"""An error in the words of the person who reads it."""

from __future__ import annotations

import errno
from typing import Any

import pytest

from rqa_checkpoints.errors import CheckpointError, EntryRefusedError, HomeLockedError
from rqa_graph.error_description import describe_error, sentences
from rqa_graph.errors import AppError, InputError, NotTextError, TooManyRequestsError
from rqa_nodes.errors import ModelOutputError, RuleError


@pytest.mark.parametrize(("lang", "words"), [("en", "NUL byte at position 3"), ("ja", "3 文字目に NUL")])
def test_an_input_error_is_said_in_the_language(lang: str, words: str) -> None:
    assert words in describe_error(NotTextError("input.nul", position=3), lang)["message"]


def test_errors_of_lower_layers_keep_their_code_and_hint() -> None:
    error = HomeLockedError("Held by process 7.", hint="Stop it.")
    assert describe_error(error, "en") == {"code": "home_locked", "message": "Held by process 7.", "hint": "Stop it."}
    assert describe_error(OSError(errno.ENOSPC, "full"), "en")["code"] == "home_not_writable"
    assert describe_error(ValueError("odd"), "ja")["code"] == "internal"


def _tree(kind: type[Any]) -> list[type[Any]]:
    """What the product derives: another program in this process may derive errors of its own."""
    rows = [below for child in kind.__subclasses__() for below in (child, *_tree(child))]
    return [row for row in rows if row.__module__.startswith("rqa_")]


_MORE: dict[type[Any], dict[str, Any]] = {
    ModelOutputError: {"reason": "invalid"},
    EntryRefusedError: {"reason": "sources"},
    TooManyRequestsError: {"retry_after": 7},
}
"""What else some errors are made of."""


@pytest.mark.parametrize(
    "error", [*_tree(AppError), *_tree(CheckpointError), *_tree(RuleError)], ids=lambda e: e.__name__
)
def test_every_error_is_said_in_japanese_and_keeps_what_was_found(error: type[Any]) -> None:
    if issubclass(error, InputError):  # these are made of sentences in both languages from the start
        return
    values = {"message": "home '/x' is odd", **_MORE.get(error, {})}
    said = describe_error(error(hint="Do this.", **values), "ja")
    assert "home '/x' is odd" in said["message"]
    assert any("\u3041" <= char <= "\u9fff" for char in said["message"])
    assert said["hint"]
    assert describe_error(error(**values), "en")["message"] == "home '/x' is odd"


def test_sentences_are_closed_as_their_language_does_it() -> None:
    said = {"message": "そのような項目はありません（no item）", "hint": "一覧を確認してください。"}
    assert sentences(said, "ja") == "そのような項目はありません（no item）。一覧を確認してください。"
    assert sentences({"message": "There is none", "hint": "Look."}, "en") == "There is none. Look."
    assert sentences({"message": "There is none.", "hint": ""}, "en") == "There is none."
