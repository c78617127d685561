"""In which words is a failed model explained to a person?

One table of sentences in English and Japanese, package data: the same keys in both languages (a test holds them to
that). It is read when something fails, and never before. Values may hold a server's own words; whoever gives them has
bounded and cleaned them.
"""

from __future__ import annotations

from functools import cache
from typing import Any, TypedDict

from rqa_nodes.packaged import packaged

__all__ = ["Worded", "worded"]


class Worded(TypedDict):
    """What an error of this layer is built from."""

    message: str
    hint: str
    ja: tuple[str, str]
    """Message and hint in Japanese."""


def worded(message: str, hint: str = "none", **values: object) -> Worded:
    """The words of one failure in both languages.

    Args:
        message: Key of the sentence that says what happened.
        hint: Key of the one that says what to do.
        values: What the two need.
    """
    said, advice = _table()["messages"][message], _table()["hints"][hint]
    return Worded(
        message=said["en"].format(**values),
        hint=advice["en"].format(**values),
        ja=(said["ja"].format(**values), advice["ja"].format(**values)),
    )


@cache
def _table() -> Any:
    return packaged("fault_words")
