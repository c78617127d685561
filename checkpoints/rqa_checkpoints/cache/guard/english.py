"""What does an English question turn on?"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Final, NamedTuple

from rqa_checkpoints.cache.canonical import width_folded
from rqa_checkpoints.cache.guard.forms import pattern, respelled, words
from rqa_checkpoints.cache.guard.lexicon import Match, Role, capital_words, capitals_words, english, stem
from rqa_checkpoints.cache.guard.marks import marks
from rqa_checkpoints.cache.guard.numbers import english_number, ordinal, plain, roman, scaled
from rqa_checkpoints.cache.guard.reading import Reading
from rqa_checkpoints.cache.guard.signature import Content

__all__ = ["read_english"]

_TOKEN: Final = re.compile(
    r"[$€£¥]|\d+(?:/\d+)+|-?\d[\d,]*(?:\.\d+)?(?:st|nd|rd|th)?(?![A-Za-z\d])|-?\d[\d,]*(?:\.\d+)?"
    r"|[^\W\d_](?:[^\W_]|['.&](?=[^\W_]))*[+#*²³¹⁰-⁹]*"
)
_WHETHER: Final = re.compile(r"\b(?:if|whether)\W*$", re.IGNORECASE)
_ORDINAL: Final = re.compile(r"(-?\d[\d,]*)(?:st|nd|rd|th)$")
_FREE_WITH_HOW: Final = frozenset(("able", "advise", "permit", "will"))
_ALWAYS_FREE: Final = frozenset(("will",))
_PARTICLES: Final = ("on", "off")
_SWITCHES: Final = ("turn", "switch", "put", "shut")
_PARTICLE_REACH: Final = 6
_TITLE_SHARE: Final = 0.7
"""Of words with a capital: above it, a question is written like a title, and its capitals say nothing."""
_PRONOUN_CONTENT: Final = 2
"""A question with so few words of content leans on what "it" meant before."""


class _Token(NamedTuple):
    text: str
    key: str
    """The stem, or the text where its capitals matter."""


def read_english(text: str) -> Reading:
    """Read a question as it was asked; relative times are left as they are said."""
    folded = width_folded(text).replace("’", "'").strip()
    asked = respelled(pattern("en", "openings").sub("", folded), "en", "contracted")
    polite = pattern("en", "openings").match(folded)
    whether = bool(polite and _WHETHER.search(polite.group()))
    reading = Reading(lang="en")
    tokens = _measured(_joined(_tokens(asked)), reading)
    rest = _numbers(tokens, reading)
    matches = list(english().in_words([token.key for token in tokens]))
    _take(matches, tokens, rest, reading)
    _kind(asked, tokens, reading, whether=whether)
    _doubts(pattern("en", "openings").sub("", folded), reading)
    _scopes(tokens, reading)
    _tense(tokens, reading)
    for part in ("object", "subject"):  # "what do sharks eat" and "what eats sharks" are as far apart as opposites
        if pattern("en", f"asks_{part}").search(asked):
            reading.sides["asked of"] = {part}
            break
    reading.roles = {
        content.place: before for content in reading.content if (before := _preposition(tokens, content.place))
    }
    reading.is_passive = bool(pattern("en", "passive").search(asked))
    for mark in marks(asked):
        reading.note("symbols", mark)
    reading.follows = _follows(matches, tokens, asked, reading)
    reading.between = tuple(token.text.lower() for token in tokens)
    _capitals(asked, tokens, reading)
    return reading


def _tokens(text: str) -> list[_Token]:
    said = _TOKEN.findall(text)
    letters = [word for word in said if word[0].isalpha()]
    shouting = len(letters) > 1 and sum(word[:1].isupper() for word in letters) > _TITLE_SHARE * len(letters)
    return [_Token(word, _key(word, first=not place, shouting=shouting)) for place, word in enumerate(said)]


def _key(word: str, *, first: bool, shouting: bool) -> str:
    lower = word.lower()
    bare = lower.removesuffix("'s")
    own = word[: len(bare)]
    if len(bare) > 1 and own.isupper() and not shouting and bare in capitals_words() | capital_words():
        return own
    if own[:1].isupper() and not own.isupper() and not first and not shouting and bare in capital_words():
        return own
    return stem(lower)


def _joined(tokens: list[_Token]) -> list[_Token]:
    """Bring the particle of a switch to its verb: "turn the light off" is "turn off the light"."""
    joined = list(tokens)
    for place, token in enumerate(tokens):
        if token.key in _SWITCHES:
            after = joined[place + 1 : place + 1 + _PARTICLE_REACH]
            found = next((n for n, one in enumerate(after) if one.text.lower() in _PARTICLES), -1)
            if found > 0:
                joined.insert(place + 1, joined.pop(place + 1 + found))
    return joined


def _measured(tokens: list[_Token], reading: Reading) -> list[_Token]:
    """Read "how tall is it" as "what is its height": the adjective says it all."""
    for place, (token, after) in enumerate(pairwise(tokens)):
        if token.key == "how" and after.key in words("measures"):
            reading.note("wh", "what")
            return [*tokens[:place], *tokens[place + 1 :]]
    return tokens


def _numbers(tokens: Sequence[_Token], reading: Reading) -> set[int]:
    """Note every number, with its unit where one follows or stands before; return the places of all other words."""
    rest, place = set(range(len(tokens))), 0
    lowered = [token.text.lower() for token in tokens]
    while place < len(tokens):
        value, length = _number_at(tokens, lowered, place)
        if not length:
            place += 1
            continue
        before = tokens[place - 1].text if place else ""
        unit = _unit(before) or _unit(lowered[place + length] if place + length < len(tokens) else "")
        reading.note("number", f"{value} {unit}".strip())
        rest -= set(range(place, place + length))
        place += length
    return rest


def _number_at(tokens: Sequence[_Token], lowered: Sequence[str], place: int) -> tuple[str, int]:
    word = tokens[place].text
    if word[0].isdigit() or (word[0] == "-" and len(word) > 1):
        ending = _ORDINAL.match(word)
        if ending:
            return plain(ending[1]), 1
        large = scaled(word, lowered[place + 1]) if place + 1 < len(lowered) else ""
        return (large, 2) if large else (plain(word), 1)
    if _is_ordinal(lowered, place):
        return str(ordinal(lowered[place])), 1
    number, taken = english_number(list(lowered[place : place + 6]))
    if taken:
        return str(number), taken
    if word == "One" and place:
        return "1", 1
    is_name = place > 0 and tokens[place - 1].text[:1].isupper() and word not in ("I", "X", "V")
    after_name = place > 1 and tokens[place - 1].text[:1].isupper()
    if roman(word) and (is_name or (after_name and word in ("I", "V", "X"))):
        return str(roman(word)), 1
    return "", 0


def _is_ordinal(lowered: Sequence[str], place: int) -> bool:
    """True for "the second", but not for "per second", "5 seconds" or "at first"."""
    before = lowered[place - 1] if place else ""
    return bool(ordinal(lowered[place])) and before not in words("before_unit") and not before.isdigit()


def _unit(word: str) -> str:
    found = english().roles.get((word if word in "$€£¥" else stem(word),), ()) if word else ()
    return next((role.value for role in found if role.name == "units"), "")


def _take(matches: Sequence[Match], tokens: Sequence[_Token], rest: set[int], reading: Reading) -> None:
    taken: set[int] = set()
    for match in matches:
        places = set(range(match.start, match.end))
        reading.take_sides(match.roles)
        if not places <= rest:
            continue
        taken |= places
        is_facet = reading.take_facets(match.roles, match.start)
        groups = [role.name for role in match.roles if role.part == "concept"]
        if groups:
            reading.content.append(Content(groups[0], match.start, frozenset(groups[1:])))
        elif not is_facet and not any(role.part in ("light", "follow_up") for role in match.roles):
            reading.content.append(Content(match.text, match.start))
    for place in sorted(rest - taken):
        token = tokens[place]
        alternatives = frozenset({token.text}) if not place and token.text.lower() in capital_words() else frozenset()
        reading.content.append(Content(token.key, place, alternatives))
    reading.content.sort(key=lambda content: content.place)


def _kind(asked: str, tokens: Sequence[_Token], reading: Reading, *, whether: bool) -> None:
    """What is asked for; and with "how", whether one can, may or should do it is the same question."""
    kinds = reading.facets.setdefault("wh", [])
    first = tokens[0].text.lower() if tokens else ""
    if not kinds:
        kinds.append("yes_no" if first in words("auxiliaries") or whether else "what")
    if len(set(kinds)) > 1 and " and " not in asked:  # "when you own a car, how often": a clause beside the question
        reading.facets["wh"] = kinds = [kind for kind in kinds if kind not in ("when", "where")] or kinds
    if set(kinds) == {"how", "what"}:
        reading.facets["wh"] = kinds = ["how"]
    modality = reading.facets.get("modality", [])
    free = _FREE_WITH_HOW if any(kind.startswith("how") for kind in kinds) else _ALWAYS_FREE
    reading.facets["modality"] = [value for value in modality if value not in free]


def _preposition(tokens: Sequence[_Token], place: int) -> str:
    """The preposition before a word, past articles."""
    before = [token.text.lower() for token in tokens[max(place - 3, 0) : place]][::-1]
    word = next((word for word in before if word not in words("articles")), "")
    return word if word in words("prepositions") else ""


def _scopes(tokens: Sequence[_Token], reading: Reading) -> None:
    """What is denied: "OK to not tip" and "not OK to tip" are two questions."""
    for place, token in enumerate(tokens):
        if token.text.lower() == "not":
            after = (one.key for one in tokens[place + 1 :] if one.key not in words("undenied"))
            reading.note("denied", next(after, ""))


def _tense(tokens: Sequence[_Token], reading: Reading) -> None:
    said = {token.text.lower() for token in tokens}
    past, present = not said.isdisjoint(words("past")), not said.isdisjoint(words("present"))
    if past != present:
        reading.tense = "past" if past else "present"


def _doubts(text: str, reading: Reading) -> None:
    if pattern("en", "negated").search(text):
        reading.doubts.append("rhetorical")
    if len(reading.facets.get("polarity", ())) > 1:
        reading.doubts.append("double_negation")


def _follows(matches: Sequence[Match], tokens: Sequence[_Token], asked: str, reading: Reading) -> bool:
    roles = [(match.start, role) for match in matches for role in match.roles if role.part == "follow_up"]
    first_content = min((content.place for content in reading.content), default=len(tokens))
    if not reading.content and not reading.facets.get("number") and not reading.facets.get("relative"):
        return True
    if any(place == 0 and role.value == "opener" for place, role in roles):
        return True
    return any(_leans(place, role, tokens, asked, first_content, reading) for place, role in roles)


def _leans(place: int, role: Role, tokens: Sequence[_Token], asked: str, first_content: int, reading: Reading) -> bool:
    if role.value != "pronoun" or place > first_content:
        return False
    word = tokens[place].text.lower()
    if word in ("it", "there"):
        return len(reading.content) <= _PRONOUN_CONTENT and not pattern("en", "expletive").search(asked)
    if word == "that":
        return place <= 1 or place == len(tokens) - 1
    return word not in ("its", "such")


def _capitals(asked: str, tokens: Sequence[_Token], reading: Reading) -> None:
    if any(char.isupper() for char in asked):
        said = [token.text for token in tokens if token.text[0].isalpha()]
        title = sum(word[:1].isupper() for word in said) > _TITLE_SHARE * len(said)
        reading.words = frozenset() if title else frozenset(said[1:]) | {word for word in said[:1] if word.isupper()}
