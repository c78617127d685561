"""Which linguistic features does each sentence show, and with which words?

A finding is a pattern that matched, with the slots that the wording needs: the clause, the telling word and the two
parts, all taken from the sentence as they stand there.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from rqa_nodes.structure.clause import clause_at, quotable
from rqa_nodes.structure.lexicon import Language, Pattern, noun, patterns, screen
from rqa_nodes.structure.segment import Unit

__all__ = ["Finding", "find"]

_MOST: Final = 60
"""A design note of 500 sentences has fewer of any one feature."""

_PARTICLE: Final = re.compile(r"(?<=[一-鿿ァ-ー])(?:です|だ|で|に|な|して|した|を|が|と)$")
_MIN_STEM: Final = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One feature in one sentence."""

    rule: str
    feature: str
    unit: Unit
    c: str
    q: str = ""
    a: str = ""
    b: str = ""
    w: str = ""
    """From the first part to the end of the second, as it stands in the sentence."""
    n: str = ""
    """The telling word as a noun (Japanese)."""

    def slots(self) -> dict[str, str]:
        """What the wording may name; an empty slot is left out."""
        return {name: value for name in "cqabwn" if (value := getattr(self, name))}


def find(units: Sequence[Unit], lang: Language) -> tuple[Finding, ...]:
    """Every feature of every sentence, one finding a feature and sentence, in text order.

    Of each feature the first `_MOST` are taken, and of equal sentences the first: a report holds five, and a megabyte
    has to stay cheap.
    """
    found: list[Finding] = []
    rows, first = patterns(lang), screen(lang)
    full: Counter[str] = Counter()
    read: set[str] = set()
    for position, unit in enumerate(units):
        if unit.text in read:
            continue
        read.add(unit.text)
        seen = {feature for feature, count in full.items() if count >= _MOST}
        for number in sorted(first.Match(unit.text) or ()):
            row = rows[number]
            if row.feature in seen or row.not_with & seen:
                continue
            previous = units[position - 1] if position else None
            for finding in _apply(row, unit, previous, lang):
                seen.add(row.feature)
                full[row.feature] += 1
                found.append(finding)
    return tuple(found)


def _apply(row: Pattern, unit: Unit, previous: Unit | None, lang: Language) -> Iterator[Finding]:
    match = row.pattern.search(unit.text)
    if not match or (row.unless and row.unless.search(unit.text)):
        return
    parts = {name: value or "" for name, value in match.groupdict().items()}
    if row.previous:
        if previous is None or not _follows(unit, previous):
            return
        parts[row.previous] = previous.text
    telling = _bare(parts.get("q", ""), lang)
    yield Finding(
        rule=row.id,
        feature=row.feature,
        unit=unit,
        c=clause_at(unit.text, _span(row, match), lang),
        q=telling,
        a=_part(parts.get("a", ""), lang),
        b=_part(parts.get("b", ""), lang),
        w="" if row.previous else quotable(_whole(match), lang),
        n=noun(telling) if telling and lang == "ja" else "",
    )


def _whole(match: Any) -> str:
    """Both parts and what stands between them; empty for a pattern that has no two parts."""
    names = match.re.groupindex
    if not {"a", "b"} <= set(names):
        return ""
    spans = [match.span(names[name]) for name in "ab"]
    return str(match.string[min(left for left, _ in spans) : max(right for _, right in spans)])


def _part(text: str, lang: Language) -> str:
    # Before 「ので」 an adjective ends in 「な」, which stands alone nowhere else.
    quoted = quotable(text, lang)
    return quoted.removesuffix("な") if lang == "ja" else quoted


def _follows(unit: Unit, previous: Unit) -> bool:
    """Items of a list stand beside each other; only sentences of one passage draw on the one before."""
    same = unit.heading == previous.heading and unit.kind == previous.kind == "sentence"
    return same and not previous.text.endswith(("?", "？", "からだ。", "からです。", "ためだ。", "ためです。"))


def _bare(word: str, lang: Language) -> str:
    """A Japanese telling word without its particle or copula: 「安全に」 is quoted as 「安全」."""
    stem = _PARTICLE.sub("", word) if lang == "ja" else word
    return (stem if len(stem) >= _MIN_STEM else word).strip()


def _span(row: Pattern, match: Any) -> tuple[int, int]:
    names = row.pattern.groupindex
    for name in "sqab":
        if name in names and match.group(names[name]):
            return match.start(names[name]), match.end(names[name])
    return match.start(), match.end()
