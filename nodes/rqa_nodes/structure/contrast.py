"""Do two sentences pull against each other: other figures, the opposite sign, a rule and its exception?

Only sentences on the same topic are compared, and topic means rare shared words, so that a document about one subject
does not contradict itself in every line. Comparing pairs is quadratic; it is bounded by `_MAX_SENTENCES` marked
sentences and says so here rather than in each result.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Final, Literal

from rqa_nodes.structure.lexicon import mark as signs
from rqa_nodes.structure.lexicon import opposites
from rqa_nodes.structure.segment import Unit
from rqa_nodes.structure.text import content_terms, coverage, fold

__all__ = ["MAX_READ", "Contrast", "ContrastKind", "Marked", "compare", "contrasts", "mark"]

ContrastKind = Literal["number", "polarity", "exception", "open", "quantifier"]

_MAX_SENTENCES: Final = 240
"""A design note has under 100 marked sentences; 240 make 28,680 pairs, about 0.1 s."""

MAX_READ: Final = 1000
"""Sentences looked at for marks; a longer text is a book, and is read by its beginning here."""

_NUMBER: Final = re.compile(
    r"(?<![\d.:/])(\d{1,12}(?:,\d{3})*(?:\.\d{1,6})?) ?"
    r"(seconds?|secs?|minutes?|mins?|hours?|days?|weeks?|months?|years?|%|percent|ms|kb|mb|gb|tb|users?|people|visitors|"
    r"guests|volunteers|requests?|devices?|servers?|replicas?|yen|dollars|euros?|times|retries|notes|"
    r"ミリ秒|秒|分間?|時間|日間?|週間?|か月|ヶ月|カ月|年間?|割|パーセント|人|名|万円|円|台|回|件|個|店|枚|割|張|本)(?![a-z月])"
)
_DURATION: Final[Mapping[str, float]] = {
    "ms": 0.001, "ミリ秒": 0.001, "second": 1, "sec": 1, "秒": 1, "minute": 60, "min": 60, "分": 60, "hour": 3600,
    "時間": 3600, "day": 86400, "日": 86400, "week": 604800, "週": 604800, "month": 2592000, "か月": 2592000,
    "ヶ月": 2592000, "カ月": 2592000, "year": 31536000, "年": 31536000,
}  # fmt: skip
_SAME_UNIT: Final = {"percent": "%", "パーセント": "%", "名": "人", "people": "人", "retries": "times"}
_DATE_BEFORE: Final = re.compile(r"月 ?$|/$|第$|午前 ?$|午後 ?$")

_NEED_COVER: Final[Mapping[str, float]] = {
    "number": 0.3,
    "polarity": 0.5,
    "exception": 0.34,
    "open": 0.3,
    "quantifier": 0.4,
}
_NEED_TERMS: Final[Mapping[str, int]] = {"number": 2, "polarity": 2, "exception": 2, "open": 2, "quantifier": 2}
_MIN_RARE: Final = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Marked:
    """A sentence and the marks that a contrast can rest on."""

    unit: Unit
    terms: frozenset[str]
    numbers: tuple[tuple[str, float, str], ...]
    """(family, value, as written)"""
    negated: bool
    universal: bool
    exception: bool
    open: bool
    fixed: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Contrast:
    """Two sentences that pull against each other; `x` and `y` are the figures, where it is about figures."""

    kind: ContrastKind
    first: Unit
    second: Unit
    strength: float
    x: str = ""
    y: str = ""


def mark(unit: Unit) -> Marked:
    """Read off the marks of one sentence."""
    folded = fold(unit.text)
    bare = signs("obliged").sub(" ", folded)
    return Marked(
        unit=unit,
        terms=content_terms(folded),
        numbers=tuple(_numbers(folded)),
        negated=bool(signs("negation").search(bare)),
        universal=bool(signs("universal").search(bare)),
        exception=bool(signs("exception").search(folded)),
        open=bool(signs("open").search(folded)),
        fixed=bool(signs("fixed").search(folded)),
    )


def _numbers(folded: str) -> Iterator[tuple[str, float, str]]:
    for found in _NUMBER.finditer(folded):
        if _DATE_BEFORE.search(folded[max(0, found.start() - 3) : found.start()]):
            continue
        unit = found[2].removesuffix("間") if found[2] not in ("時間", "週間") else found[2].replace("週間", "週")
        unit = unit if unit in _DURATION else unit.removesuffix("s") or unit
        value = float(found[1].replace(",", ""))
        if unit in _DURATION:
            yield "duration", value * _DURATION[unit], found.group().strip()
        else:
            yield _SAME_UNIT.get(unit, unit), value, found.group().strip()


def contrasts(units: Sequence[Unit]) -> list[Contrast]:
    """The pairs of sentences that pull against each other, strongest first, each sentence at most twice."""
    marked = [mark(unit) for unit in units[:MAX_READ]]
    common = _common_terms(marked)
    telling = [m for m in marked if m.numbers or m.negated or m.universal or m.exception or m.open or m.fixed]
    found = [
        contrast
        for left, right in combinations(telling[:_MAX_SENTENCES], 2)
        if (contrast := compare(left, right, ignore=common))
    ]
    used: Counter[int] = Counter()
    kept: list[Contrast] = []
    for contrast in sorted(found, key=lambda c: (-c.strength, c.first.index, c.second.index)):
        if used[contrast.first.index] < 1 and used[contrast.second.index] < 1:
            used.update((contrast.first.index, contrast.second.index))
            kept.append(contrast)
    return kept


def _common_terms(marked: Sequence[Marked]) -> frozenset[str]:
    counts = Counter(term for m in marked for term in m.terms)
    limit = max(_MIN_RARE, len(marked) // 4)
    return frozenset(term for term, count in counts.items() if count > limit)


def compare(left: Marked, right: Marked, *, ignore: frozenset[str] = frozenset()) -> Contrast | None:
    """How two sentences pull against each other, if they are on one topic; the strongest kind alone."""
    shared = (left.terms & right.terms) - ignore
    if not shared:
        return None
    smaller, larger = sorted((left.terms - ignore, right.terms - ignore), key=len)
    cover = coverage(smaller, larger)
    for kind, x, y in _kinds(left, right):
        if cover >= _NEED_COVER[kind] and len(shared) >= _NEED_TERMS[kind]:
            first, second = (left, right)
            return Contrast(kind=kind, first=first.unit, second=second.unit, strength=cover, x=x, y=y)
    return None


def _kinds(left: Marked, right: Marked) -> Iterator[tuple[ContrastKind, str, str]]:
    for family, value, shown in left.numbers:
        for other_family, other_value, other_shown in right.numbers:
            if family == other_family and value != other_value:
                yield "number", shown, other_shown
    if left.negated != right.negated and not (left.open or right.open):
        yield "polarity", "", ""
    if _opposed(left, right):
        yield "polarity", "", ""
    if (left.universal and right.exception) or (right.universal and left.exception):
        yield "exception", "", ""
    if left.open != right.open and (left.fixed or right.fixed):
        yield "open", "", ""


def _opposed(left: Marked, right: Marked) -> bool:
    a, b = fold(left.unit.text), fold(right.unit.text)
    return any(
        (x.search(a) and y.search(b) and not y.search(a)) or (y.search(a) and x.search(b) and not x.search(a))
        for x, y in opposites()
    )
