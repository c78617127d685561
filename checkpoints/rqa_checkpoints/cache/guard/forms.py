"""Which forms of the two languages does the guard know besides wordings? Read from `data/guard_forms.yaml` once."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from typing import Any, Final

from rqa_checkpoints.packaged import packaged

__all__ = ["ENDINGS", "chars", "inflected", "pattern", "respelled", "words"]

_VERB: Final = re.compile(r"[々〆\u3400-\u9fff]+([うくぐすつぬぶむる])")
_ROWS: Final = (
    "わいうえおっ かきくけこい がぎぐげごい さしすせそ たちつてとっ なにぬねのん ばびぶべぼん まみむめもん らりるれろっ"
)
ENDINGS: Final = {row[2]: row for row in _ROWS.split()}
"""The kana that may follow the stem of a verb of five rows, by that of its dictionary form."""


@cache
def pattern(lang: str, name: str) -> re.Pattern[str]:
    """Any of the patterns of a name; "openings" of English is anchored and repeated."""
    rows = "|".join(f"(?:{row})" for row in _data()[lang][name])
    if (lang, name) == ("en", "openings"):
        rows = rf"^\W*(?:(?:{rows})\b[\s,:;.!-]*(?:if|whether|about)?\s*)+"
    return re.compile(rows, re.IGNORECASE if lang == "en" else 0)


@cache
def words(name: str) -> tuple[str, ...]:
    """The English words of a name, in order."""
    return tuple(_data()["en"][name])


@cache
def chars(name: str) -> frozenset[str]:
    """The Japanese characters of a name."""
    return frozenset(_data()["ja"][name])


def inflected(wording: str) -> tuple[str, ...]:
    """The forms in which a Japanese verb of kanji and one kana begins; none for what is no such verb."""
    found = _VERB.fullmatch(wording)
    return tuple(f"{wording[:-1]}{kana}" for kana in ENDINGS[found[1]]) if found else ()


def respelled(text: str, lang: str, name: str) -> str:
    """The text with each pattern of a name replaced by what stands beside it."""
    for found, put in _respellings(lang, name):
        text = found.sub(put, text)
    return text


@cache
def _respellings(lang: str, name: str) -> tuple[tuple[re.Pattern[str], str], ...]:
    flags = re.IGNORECASE if lang == "en" else 0
    return tuple((re.compile(row, flags), put) for row, put in _data()[lang][name])


@cache
def _data() -> Mapping[str, Any]:
    value: Mapping[str, Any] = packaged("guard_forms")
    return value
