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
from functools import lru_cache
from itertools import combinations
from typing import Any, Final, Literal

from rqa_nodes.structure.lexicon import failures, opposites, sign
from rqa_nodes.structure.segment import Unit
from rqa_nodes.structure.text import content_terms, coverage, fold, weigh

__all__ = ["MAX_READ", "Contrast", "ContrastKind", "Marked", "compare", "contrasts", "mark"]

ContrastKind = Literal["number", "gap", "polarity", "exception", "counter", "open"]

_MAX_SENTENCES: Final = 240
"""A design note has under 100 marked sentences; 240 make 28,680 pairs, about 0.1 s."""

MAX_READ: Final = 1000
"""Sentences looked at for marks; a longer text is a book, and is read by its beginning here."""

_NUMBER: Final = re.compile(
    r"(?<![\d.:/])(\d{1,12}(?:,\d{3})*(?:\.\d{1,6})?) ?"
    r"(seconds?|secs?|minutes?|mins?|hours?|days?|weeks?|months?|years?|%|percent|ms|kb|mb|gb|tb|users?|people|visitors|"
    r"guests|volunteers|employees|members|students|seats|requests?|devices?|servers?|replicas?|yen|dollars|euros?|times|retries|notes|"
    r"ミリ秒|秒|分間?|時間|日間?|週間?|か月|ヶ月|カ月|年間?|割|パーセント|人|名|万円|円|台|回|件|個|店|枚|割|張|本)(?![a-z月])"
)
_FIGURE: Final = re.compile(r"\d+(?:[.:]\d+)?")
_DURATION: Final[Mapping[str, float]] = {
    "ms": 0.001, "ミリ秒": 0.001, "second": 1, "sec": 1, "秒": 1, "minute": 60, "min": 60, "分": 60, "hour": 3600,
    "時間": 3600, "day": 86400, "日": 86400, "week": 604800, "週": 604800, "month": 2592000, "か月": 2592000,
    "ヶ月": 2592000, "カ月": 2592000, "year": 31536000, "年": 31536000,
}  # fmt: skip
_SAME_UNIT: Final = {"percent": "%", "パーセント": "%", "名": "人", "people": "人", "retries": "times"}
_DATE_BEFORE: Final = re.compile(r"月 ?$|/$|第$|午前 ?$|午後 ?$")

_PAST: Final = re.compile(
    r"昨年|去年|前回|一昨年|\b(?:last (?:year|month|week|summer|time)|previously|used to|before that|so far)\b"
)
"""An old figure beside a new one is a change, not a contradiction."""

_COVER: Final[Mapping[ContrastKind, float]] = {
    "number": 0.3,
    "gap": 0.0,
    "polarity": 0.5,
    "exception": 0.34,
    "counter": 0.0,
    "open": 0.3,
}
"""Share of the shorter sentence's topic that both must have."""
_SHARED_WEIGHT: Final = 8.0
"""Weight of the shared terms from which two sentences are on one topic: two English words or two Han bigrams."""
_BESIDE: Final = 8
"""Characters in which a denial stands beside what it denies."""
_SHARED_TERM: Final = 4.0
"""Weight of a single shared term."""
_SAME_WORDS: Final = (6.0, 0.9)
"""Less weight is enough where the shorter sentence has next to no other words."""
_CLOSE: Final = 3
"""Sentences under one heading, so near each other, are on one topic even if they share little."""
_COMPARABLE: Final = 24
"""Seconds and weeks limit different things; an hour and a day may limit the same."""
_MIN_RARE: Final = 3
_TEXTS_KEPT: Final = 1024
"""Sentences of which it is kept what they say: each is compared with many others, and again in the next turn."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Marked:
    """A sentence and the marks that a contrast can rest on."""

    unit: Unit
    terms: frozenset[str]
    numbers: tuple[tuple[str, float, str], ...]
    """(family, value, as written)"""
    figures: frozenset[str]
    """All figures, with or without a unit."""
    negated: bool
    universal: bool
    exception: bool
    sweeping: bool
    """Whether something is said never to happen."""
    counted: bool
    """Whether a number of cases is given."""
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
    bare = sign("obliged").sub(" ", folded)
    return Marked(
        unit=unit,
        terms=content_terms(folded),
        numbers=tuple(_numbers(folded)),
        figures=frozenset(_FIGURE.findall(folded)),
        negated=bool(sign("negation").search(bare)),
        universal=bool(sign("universal").search(bare)),
        exception=bool(sign("exception").search(sign("unexcepted").sub(" ", folded))),
        sweeping=bool(sign("sweeping").search(folded)),
        counted=bool(sign("counted").search(folded)),
        open=bool(sign("open").search(folded)),
        fixed=bool(sign("fixed").search(folded)),
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
    telling = [m for m in marked if _is_telling(m)]
    found = [
        contrast
        for left, right in combinations(telling[:_MAX_SENTENCES], 2)
        if (contrast := compare(left, right, ignore=common, near=_are_near(left.unit, right.unit)))
    ]
    used: Counter[int] = Counter()
    kept: list[Contrast] = []
    for contrast in sorted(found, key=lambda c: (-c.strength, c.first.index, c.second.index)):
        if used[contrast.first.index] < 1 and used[contrast.second.index] < 1:
            used.update((contrast.first.index, contrast.second.index))
            kept.append(contrast)
    return kept


def _is_telling(m: Marked) -> bool:
    return bool(m.numbers or m.negated or m.universal or m.exception or m.counted or m.open or m.fixed)


def _common_terms(marked: Sequence[Marked]) -> frozenset[str]:
    counts = Counter(term for m in marked for term in m.terms)
    limit = max(_MIN_RARE, len(marked) // 4)
    return frozenset(term for term, count in counts.items() if count > limit)


def compare(
    left: Marked, right: Marked, *, ignore: frozenset[str] = frozenset(), near: bool = False
) -> Contrast | None:
    """How two sentences pull against each other, if they are on one topic; the strongest kind alone.

    Args:
        left: One sentence.
        right: The other.
        ignore: Terms that all of the text shares.
        near: Whether one stands next to the other, which makes them speak of one matter without a word in common.
    """
    if _is_counterexample(left, right, near=near) or _is_counterexample(right, left, near=near):
        first, second = (left, right) if _is_counterexample(left, right, near=near) else (right, left)
        return Contrast(kind="counter", first=first.unit, second=second.unit, strength=1.0)
    shared = (left.terms & right.terms) - ignore
    close = _is_close(left.unit, right.unit)
    if not shared and not close:
        return None
    smaller, larger = sorted((left.terms - ignore, right.terms - ignore), key=len)
    cover = coverage(smaller, larger)
    weight, (least, most_of_it) = weigh(shared), _SAME_WORDS
    on_topic = weight >= _SHARED_WEIGHT or (weight >= least and cover >= most_of_it)
    for kind, x, y in _kinds(left, right, close=close):
        if (on_topic and cover >= _COVER[kind]) or (close and _holds_when_close(kind, left, right, shared)):
            first, second = _in_order(kind, left, right)
            return Contrast(kind=kind, first=first.unit, second=second.unit, strength=cover, x=x, y=y)
    return None


def _are_near(left: Unit, right: Unit) -> bool:
    return abs(left.index - right.index) == 1


def _is_counterexample(rule: Marked, case: Marked, *, near: bool) -> bool:
    """Whether one sentence says that something never happens, and the other counts cases in which it did."""
    if not (rule.sweeping or rule.universal) or case.sweeping or case.open or not case.counted:
        return False
    if not near and weigh(rule.terms & case.terms) < _SHARED_TERM:
        return False
    if not rule.sweeping:
        return not case.negated and not case.universal and _opposed(rule, case)
    said, told = fold(rule.unit.text), fold(case.unit.text)
    return any(never.search(said) and _happened(did, told) for never, did in failures())


def _happened(event: Any, told: str) -> bool:
    """Whether a sentence tells of an event, and not that it did not come to it."""
    found = event.search(told)
    if not found:
        return False
    before, behind = told[max(0, found.start() - _BESIDE) : found.start()], told[found.end() : found.end() + _BESIDE]
    return not sign("denied_before").search(before) and not sign("denied_behind").search(behind)


def _is_close(left: Unit, right: Unit) -> bool:
    return bool(left.heading) and left.heading == right.heading and 0 < abs(left.index - right.index) <= _CLOSE


def _holds_when_close(kind: ContrastKind, left: Marked, right: Marked, shared: frozenset[str]) -> bool:
    if kind == "gap":
        return True
    if kind == "number":
        return bool(shared)
    if abs(left.unit.index - right.unit.index) > 1:
        return False
    return kind == "exception" or (kind == "polarity" and _opposed(left, right))


def _in_order(kind: ContrastKind, left: Marked, right: Marked) -> tuple[Marked, Marked]:
    """The rule before its exception, the fixed before the open; else as they stand."""
    swapped = (kind == "exception" and not (left.universal and right.exception)) or (kind == "open" and left.open)
    return (right, left) if swapped else (left, right)


def _kinds(left: Marked, right: Marked, *, close: bool) -> Iterator[tuple[ContrastKind, str, str]]:
    dated = _is_dated(left.unit.text) != _is_dated(right.unit.text)
    for family, value, shown in left.numbers:
        for other_family, other_value, other_shown in right.numbers:
            if family == other_family and value != other_value and not dated:
                yield from _figures(family, (value, shown), (other_value, other_shown), close=close)
    if (left.universal and right.exception) or (right.universal and left.exception):
        yield "exception", "", ""
    if _opposed(left, right) or (left.negated != right.negated and not (left.open or right.open)):
        yield "polarity", "", ""
    if left.open != right.open and (left.fixed or right.fixed):
        yield "open", "", ""


def _figures(
    family: str, left: tuple[float, str], right: tuple[float, str], *, close: bool
) -> Iterator[tuple[ContrastKind, str, str]]:
    if family != "duration":
        yield "number", left[1], right[1]
    elif max(left[0], right[0]) <= min(left[0], right[0]) * _COMPARABLE:
        yield "gap" if close else "number", left[1], right[1]


def _opposed(left: Marked, right: Marked) -> bool:
    return any(one * other < 0 for one, other in zip(_sides(left.unit.text), _sides(right.unit.text), strict=True))


@lru_cache(maxsize=_TEXTS_KEPT)
def _sides(text: str) -> tuple[int, ...]:
    """Of each pair of opposites, which one alone a sentence has: 1, -1, or 0 for none or both."""
    folded = fold(text)
    return tuple(bool(x.search(folded)) - bool(y.search(folded)) for x, y in opposites())


@lru_cache(maxsize=_TEXTS_KEPT)
def _is_dated(text: str) -> bool:
    return bool(_PAST.search(fold(text)))
