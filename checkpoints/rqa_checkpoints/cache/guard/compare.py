"""In what do two questions differ, as far as the guard can read them?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from typing import Final

from rqa_checkpoints.cache.guard.english import read_english
from rqa_checkpoints.cache.guard.forms import chars as chars_of
from rqa_checkpoints.cache.guard.japanese import read_japanese
from rqa_checkpoints.cache.guard.reading import Reading, resolved
from rqa_checkpoints.cache.guard.signature import Content, Signature

__all__ = ["Comparison", "compare", "is_self_contained", "sign"]

_SYMMETRIC: Final = frozenset(
    ("and", "or", "a", "an", "the", "&", ",", "と", "や", "か", "および", "または", "もしくは")
)
"""Between two things that may be named in either order."""
_STEM_SHARE: Final = 0.75
_STEM_LETTERS: Final = 5
_SOME_DAY: Final = datetime(2000, 1, 1, tzinfo=UTC)
_KANJI_FROM: Final = "\u3400"


@dataclass(frozen=True, slots=True)
class Comparison:
    """Where two questions differ."""

    facets: tuple[str, ...]
    """Names of what differs or is in doubt, sorted; empty if they are the same question."""


def sign(question: str, lang: str, at: datetime | None = None) -> Signature:
    """Read a question.

    Args:
        question: As it was asked, not normalised.
        lang: "ja" for Japanese; any other is read as English.
        at: When it was asked, for "this year"; by default a fixed time, fit where no relative time matters.
    """
    return resolved(_read(question, lang.startswith("ja")), at or _SOME_DAY)


@lru_cache(maxsize=4096)
def _read(question: str, is_japanese: bool) -> Reading:
    """A stored question and the one that is asked are often the same words, asked on different days."""
    return read_japanese(question) if is_japanese else read_english(question)


def is_self_contained(question: str, lang: str) -> bool:
    """Can it be understood without what was said before?"""
    return not _read(question, lang.startswith("ja")).follows


def compare(one: Signature, two: Signature) -> Comparison:
    """Compare two questions; anything that differs, and any doubt, is named."""
    found = set(one.doubts) | set(two.doubts)
    if one.lang != two.lang:
        found.add("language")
    found |= {name for name in one.facets.keys() | two.facets.keys() if one.facets.get(name) != two.facets.get(name)}
    if any(one.sides[pair] != two.sides[pair] for pair in one.sides.keys() & two.sides.keys()):
        found.add("opposite")
    if one.follows or two.follows:
        found.add("follow_up")
    if _cased_apart(one.words, two.words):
        found.add("case")
    pairs, left, right = _matched(one.content, two.content)
    if left or right:
        found.add("content")
    if one.tense and two.tense and one.tense != two.tense:
        found.add("tense")
    if _parts_differ(one, two, pairs):
        found.add("role")
    if _roles_swapped(one, two, pairs) or _voice_turned(one, two, pairs):
        found.add("order")
    if any(_swapped(one, two, first, second) for first, second in _inverted(pairs)):
        found.add("order")
    return Comparison(tuple(sorted(found)))


_Pair = tuple[Content, Content]


def _matched(one: Sequence[Content], two: Sequence[Content]) -> tuple[list[_Pair], list[Content], list[Content]]:
    """Pair what says the same, each once; what is left over on either side."""
    pairs: list[_Pair] = []
    left, right = list(one), list(two)
    for same in (_equal, _akin):
        for content in list(left):
            partner = next((other for other in right if same(content, other)), None)
            if partner is not None:
                pairs.append((content, partner))
                left.remove(content)
                right.remove(partner)
    said = {name for content in one for name in content.names}, {name for content in two for name in content.names}
    left = [content for content in left if not content.names & said[1]]
    right = [content for content in right if not content.names & said[0]]
    return pairs, *_split(left, right)


def _equal(one: Content, two: Content) -> bool:
    return bool(one.names & two.names)


def _akin(one: Content, two: Content) -> bool:
    """Forms of one English word that the stemmer leaves apart: they share nearly all of their letters."""
    first, second = one.key, two.key
    if not (first.isascii() and second.isascii() and first.isalpha() and second.isalpha()):
        return False
    shared = next(
        (n for n, (a, b) in enumerate(zip(first, second, strict=False)) if a != b), min(len(first), len(second))
    )
    return shared >= max(_STEM_LETTERS, _STEM_SHARE * max(len(first), len(second)))


def _split(left: Sequence[Content], right: Sequence[Content]) -> tuple[list[Content], list[Content]]:
    """Words of kanji that are cut differently are compared by their characters: 消費税率 and 消費税の税率."""
    one, two = _characters(left), _characters(right)
    chars = Counter("".join(content.key for content in one)), Counter("".join(content.key for content in two))
    extra = set(chars[0]) ^ set(chars[1])
    one_sided = not extra & set(chars[0]) or not extra & set(chars[1])
    if not extra or (one_sided and chars[0] and chars[1] and extra <= chars_of("suffixes")):
        return [c for c in left if c not in one], [c for c in right if c not in two]
    return list(left), list(right)


def _characters(contents: Sequence[Content]) -> list[Content]:
    return [content for content in contents if content.key >= _KANJI_FROM]


def _inverted(pairs: Sequence[_Pair]) -> Iterator[tuple[_Pair, _Pair]]:
    for number, first in enumerate(pairs):
        for second in pairs[number + 1 :]:
            if (first[0].place - second[0].place) * (first[1].place - second[1].place) < 0:
                yield first, second


def _swapped(one: Signature, two: Signature, first: _Pair, second: _Pair) -> bool:
    """Do two words that changed places have the same word between them in both questions, such as "to"?"""
    before = _between(one, first[0].place, second[0].place)
    after = _between(two, first[1].place, second[1].place)
    return bool((before & after) - _SYMMETRIC)


def _cased_apart(one: frozenset[str], two: frozenset[str]) -> bool:
    """Does a word stand in both in other letters, as kB and KB do, or Polish and polish?"""
    forms: dict[str, set[str]] = {}
    for word in two:
        forms.setdefault(word.lower(), set()).add(word)
    return any(word.lower() in forms and word not in forms[word.lower()] for word in one)


def _roles_swapped(one: Signature, two: Signature, pairs: Sequence[_Pair]) -> bool:
    """Have two words taken each other's part, as in "from A to B" and "to A from B"?"""
    parts = {(one.roles.get(first.place, ""), two.roles.get(second.place, "")) for first, second in pairs}
    return any(a and b and a != b and (b, a) in parts for a, b in parts)


_PARTS_APART: Final = {
    (False, False): frozenset((("が", "を"), ("を", "が"), ("が", "に"), ("に", "が"))),
    (True, True): frozenset((("が", "に"), ("に", "が"))),
    (True, False): frozenset((("に", "を"),)),
    (False, True): frozenset((("を", "に"),)),
}
"""Case particles of one word that say opposite things of it, by whether the questions may be passive (or potential)."""


def _parts_differ(one: Signature, two: Signature, pairs: Sequence[_Pair]) -> bool:
    """Does a word act in one question, and is it acted upon in the other: サメを食べる魚, サメが食べる魚?"""
    apart = _PARTS_APART[one.is_passive, two.is_passive]
    return any((one.roles.get(first.place, ""), two.roles.get(second.place, "")) in apart for first, second in pairs)


def _voice_turned(one: Signature, two: Signature, pairs: Sequence[_Pair]) -> bool:
    """Active and passive with the same order of words say opposite things."""
    return (
        one.lang == "en"
        and one.is_passive != two.is_passive
        and len(pairs) > 1
        and next(_inverted(pairs), None) is None
    )


def _between(signature: Signature, start: int, end: int) -> set[str]:
    low, high = sorted((start, end))
    return set(signature.between[low + 1 : high]) - {""}
