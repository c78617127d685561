"""What does a Japanese question turn on?

There are no spaces: wordings of the lexicon are cut out first, the longest from the left; of the rest, runs of kanji,
katakana and Latin letters carry content, and hiragana is grammar. A single kanji of the lexicon counts only where it
stands alone, since 年 in 年金 is no year; a counter counts behind a number.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from rqa_checkpoints.cache.canonical import width_folded
from rqa_checkpoints.cache.guard.forms import chars, pattern
from rqa_checkpoints.cache.guard.kana import kana_words
from rqa_checkpoints.cache.guard.lexicon import Match, Role, japanese, spelled_ja
from rqa_checkpoints.cache.guard.marks import marks
from rqa_checkpoints.cache.guard.numbers import clock_times_resolved, era_years_resolved, kanji_numbers_resolved, plain
from rqa_checkpoints.cache.guard.reading import Reading
from rqa_checkpoints.cache.guard.signature import Content

__all__ = ["read_japanese"]

_HAN: Final = re.compile(r"[々〆\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]")
_RUN: Final = re.compile(
    r"(?P<number>\d+(?:/\d+)+|-?\d[\d,]*(?:\.\d+)?)|(?P<han>[々〆\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]+)|(?P<kana>[\u30a1-\u30fa\u30fc]+)|"
    r"(?P<latin>[a-z][a-z0-9.&']*[+#²³¹⁰-⁹]*)|(?P<hira>[\u3041-\u309f]+)"
)
_RHETORICAL: Final = "rhetorical"
_COUNTERS: Final = ("units",)
_HIRAGANA: Final = {code: code - 0x60 for code in range(0x30A1, 0x30F7)}
"""A word is the same in katakana and in hiragana."""
_MONTHS: Final = dict.fromkeys(("か月", "カ月", "ヵ月", "ケ月", "箇月"), "ヶ月")
_UNITS: Final = _MONTHS | {
    "名": "人",
    "才": "歳",
    "パーセント": "%",
    "％": "%",
    "コ": "つ",
    "キロメートル": "km",
    "キロ": "km",
    "個": "つ",
}
_SHORT: Final = 6
"""Characters of a question such as 猫は? that leans on what was said before; a longer one names what it asks of."""
_WAY: Final = "方"
_YEN: Final = "円"
_ENDING: Final = re.compile(r"[\u3041-\u309f]+$")
_ASKED: Final = ("how", "who", "when", "where", "how_long", "how_much")
"""Kinds that an ending asks for without the word: 書いた人は, 開花時期は."""
_OPEN_KINDS: Final = frozenset(("yes_no", "what"))
"""Kinds for which whether one may is what is asked; "where can I" asks where."""
_WITH_TENSE: Final = frozenset(("yes_no", "who", "what", "which", "where"))
"""Kinds for which what is and what was may differ."""
_ASKED_UNIT: Final = re.compile(r"何(年|ヶ月|か月|週|日|時間|分|秒)")
_BEHIND_COUNTER: Final = re.compile(r"[何\d][回個匹頭本枚台人羽杯]")
_LATIN: Final = re.compile(r"[A-Za-z]+")
_LATIN_WORD: Final = re.compile(r"[a-z]+")
_KATAKANA: Final = re.compile(r"[\u30a1-\u30fa\u30fc]+")
_COUNTED: Final = frozenset("個")
"""Counters that say no more than the number does."""
_SHORT_LOAN: Final = 2
"""Characters of a word in katakana that longer ones are full of: シミ in シミュレーション."""
_HOURS: Final = "時間"
"""A unit behind a number; alone it is what is asked of."""
_NO_UNIT: Final = re.compile(r"[\u3041-\u3063\u3065-\u309f]+")
"""What follows a number in hiragana is grammar, but for つ."""
_FIRST: Final = re.compile(
    r"(?:^|[、。？?！!\s]|(?<=[々〆\u3400-\u9fff])の)([\u3041-\u309f]{2,}?)(?=(?:とは|[のはをがにでもっ])(?![んっゃゅょ]))"
)
"""A word in hiragana at the beginning, or behind a kanji and の, up to a particle."""
_FREE_WITH_HOW: Final = frozenset(("permit", "advise"))
_ASKS_OF_AN_ACT: Final = ("how", "when", "where")
"""Kinds whose answer is the advice."""


def read_japanese(text: str) -> Reading:
    """Read a question; see `read_english`."""
    wide = _asked(width_folded(text).strip())
    folded = clock_times_resolved(kanji_numbers_resolved(era_years_resolved(spelled_ja(wide.casefold()))))
    reading = Reading(lang="ja")
    own = pattern("ja", "own_unit").search(folded)
    if own:  # heights are told in metres anyway
        folded = f"{folded[: own.start() + 2]}は何{folded[own.end() :]}"
    matches = [_counted(match, folded) for match in japanese().in_text(folded) if _stands(match, folded)]
    covered = _take(matches, reading)
    _rest(folded, covered, reading)
    _hidden(folded, matches, reading)
    _kind(folded, reading)
    if _RHETORICAL in reading.facets.get("polarity", ()):
        reading.doubts.append("rhetorical")
    if len(reading.facets.get("polarity", ())) > 1:
        reading.doubts.append("double_negation")
    reading.follows = _follows(matches, folded, reading)
    ends = {match.start: match.end for match in matches}
    reading.roles = {
        content.place: part
        for content in reading.content
        if (part := _part(folded, ends.get(content.place, content.place + len(content.key))))
    }
    _tense(folded, reading)
    asked_units = set(_ASKED_UNIT.findall(folded))
    if asked_units:  # 何年 and 何日 are as far apart as opposites
        reading.sides["asked unit"] = asked_units
    reading.is_passive = bool(pattern("ja", "passive").search(folded))
    for mark in marks(wide):
        reading.note("symbols", mark)
    reading.words = frozenset(_LATIN.findall(wide))
    reading.between = _by_place(folded)
    return reading


def _asked(text: str) -> str:
    """The question without what stands around it; all of it where nothing else is left."""
    bare = pattern("ja", "closings").sub("", pattern("ja", "openings").sub("", text))
    return bare if bare.strip() else text


def _part(text: str, end: int) -> str:
    """The case particle behind a word that ends here."""
    found = pattern("ja", "particle").match(text, end)
    return found.group() if found else ""


def _tense(text: str, reading: Reading) -> None:
    """Past or not, for questions that a yes or a no answers and for who is what."""
    if _WITH_TENSE & set(reading.facets["wh"]):
        reading.tense = (
            "past" if pattern("ja", "past").search(text) else "present" if pattern("ja", "present").search(text) else ""
        )


def _by_place(text: str) -> tuple[str, ...]:
    """The run that begins at each place, "" where none does: words have places in characters."""
    begins = {found.start(): found.group() for found in _RUN.finditer(text)}
    return tuple(begins.get(place, "") for place in range(len(text)))


def _stands(match: Match, text: str) -> bool:
    """Does the wording stand for itself, or is it a part of a longer word?"""
    if _LATIN_WORD.fullmatch(match.text):
        around = text[match.start - 1 : match.start], text[match.end : match.end + 1]
        return not any(_LATIN_WORD.match(char) for char in around)
    if _KATAKANA.fullmatch(match.text) and any(role.name in _COUNTERS for role in match.roles):
        around = text[match.start - 1 : match.start], text[match.end : match.end + 1]
        return not any(_KATAKANA.match(char) for char in around)  # a tunnel weighs no ton
    if _KATAKANA.fullmatch(match.text) and len(match.text) <= _SHORT_LOAN:
        return not _KATAKANA.match(text[match.start - 1 : match.start] or " ") and not _KATAKANA.match(
            text[match.end : match.end + 1] or " "
        )
    if len(match.text) > 1 or not _HAN.match(match.text):
        return True
    before, after = text[match.start - 1 : match.start], text[match.end : match.end + 1]
    if match.text == _WAY and "\u3041" <= before <= "\u309f":
        return True  # 作り方, whatever follows
    if (before.isdigit() or before == "何") and any(role.name in _COUNTERS for role in match.roles):
        return True
    if _BEHIND_COUNTER.fullmatch(text[max(match.start - 2, 0) : match.start]):
        before = ""  # 何回餌を
    return not (_HAN.match(before or " ") or _HAN.match(after or " "))


def _counted(match: Match, text: str) -> Match:
    """A unit of one kanji counts behind a number or 何 only: 人 in 書いた人 is no number of persons. 円 is money."""
    if match.text != _HOURS and (len(match.text) > 1 or not _HAN.match(match.text) or match.text == _YEN):
        return match
    before = text[match.start - 1 : match.start]
    if before.isdigit() or before == "何":
        return match
    return match._replace(roles=tuple(role for role in match.roles if role.name not in _COUNTERS))


def _take(matches: Sequence[Match], reading: Reading) -> list[tuple[int, int]]:
    covered = []
    for match in matches:
        reading.take_sides(match.roles)
        covered.append((match.start, match.end))
        is_facet = reading.take_facets(match.roles, match.start)
        groups = [role.name for role in match.roles if role.part == "concept"]
        if groups:
            reading.content.append(Content(groups[0], match.start, frozenset(groups[1:])))
        elif not is_facet and match.roles and all(role.part == "side" for role in match.roles):
            reading.content.append(Content(_ENDING.sub("", match.text) or match.text, match.start))
    return covered


def _rest(text: str, covered: Sequence[tuple[int, int]], reading: Reading) -> None:
    """Numbers, and what no wording covers; a word in hiragana at the beginning is one, whatever its signs are."""
    covered = _uncovered(text, covered, reading)
    open_text = list(text)
    for start, end in covered:
        open_text[start:end] = " " * (end - start)
    ends = {start: (start, end) for start, end in covered}
    for found in _RUN.finditer("".join(open_text)):
        kind, run = found.lastgroup, found.group()
        if kind == "number":
            unit = _unit(text, ends.get(found.end())) or text[found.end() : found.end() + 1]
            unit = "" if _NO_UNIT.fullmatch(unit) else unit
            reading.note("number", f"{run if '/' in run else plain(run)} {_UNITS.get(unit, unit)}".strip())
        elif kind in ("han", "latin"):
            if run.strip("何") and not (
                len(run) == 1 and run in _COUNTED and text[found.start() - 1 : found.start()].isdigit()
            ):  # ネコ何匹 is a cat, once it is written 猫
                reading.content.append(Content(run.strip("何"), found.start()))
        elif kind == "kana":
            reading.content.append(Content(run.translate(_HIRAGANA), found.start()))
        elif kind == "hira" and len(run) > 1 and not _HAN.match(text[found.start() - 1 : found.start()] or " "):
            reading.content.append(Content(run, found.start()))
        if kind == "han":
            reading.facets.setdefault("prefix", []).extend(char for char in run if char in chars("prefixes"))
    reading.content.sort(key=lambda content: content.place)


def _uncovered(text: str, covered: Sequence[tuple[int, int]], reading: Reading) -> list[tuple[int, int]]:
    """Note words in hiragana at the beginning, and return what is covered beside them."""
    left = list(covered)
    for found in _FIRST.finditer(text):
        inside = [span for span in left if span[0] < found.end(1) and found.start(1) < span[1]]
        if all(end - start == 1 for start, end in inside):
            left = [span for span in left if span not in inside] + [found.span(1)]
            reading.content.append(Content(found[1], found.start(1)))
    return left


def _hidden(text: str, matches: Sequence[Match], reading: Reading) -> None:
    """Note the words in hiragana that neither a wording nor a run has been read of."""
    read = {match.start for match in matches if any(role.part != "light" for role in match.roles)}
    read |= {content.place for content in reading.content}
    reading.content += [Content(word.text, word.start) for word in kana_words(text) if word.start not in read]
    reading.content.sort(key=lambda content: content.place)


def _unit(text: str, span: tuple[int, int] | None) -> str:
    return text[slice(*span)] if span else ""


def _kind(text: str, reading: Reading) -> None:
    kinds = reading.facets.setdefault("wh", [])
    if not kinds:
        kinds.extend(kind for kind in _ASKED if pattern("ja", f"asks_{kind}").search(text))
        del kinds[1:]
    if set(kinds) <= {"how_degree", "how_much"} and pattern("ja", "asks_how_much").search(text):
        kinds[:] = ["how_much"]
    if not kinds:
        kinds.append(
            "yes_no"
            if pattern("ja", "ends_asking").search(text) and not pattern("ja", "asks_what").search(text)
            else "what"
        )
    reading.facets["wh"] = kinds = ["what" if kind == "how_degree" else kind for kind in kinds]
    if len(set(kinds)) > 1:
        reading.facets["wh"] = kinds = [kind for kind in kinds if kind not in ("what", "which")] or kinds
    modality = reading.facets.get("modality", [])
    if not _OPEN_KINDS & set(kinds):
        reading.facets["modality"] = modality = [value for value in modality if value != "permit"]
    if any(kind.startswith(_ASKS_OF_AN_ACT) for kind in kinds):
        reading.facets["modality"] = [value for value in modality if value not in _FREE_WITH_HOW]


def _follows(matches: Sequence[Match], text: str, reading: Reading) -> bool:
    numbers = reading.facets.get("number") or reading.facets.get("relative")
    if not reading.content and not numbers:
        return True
    first = min((content.place for content in reading.content), default=len(text))
    roles: list[tuple[int, Role]] = [
        (match.start, role) for match in matches for role in match.roles if role.part == "follow_up"
    ]
    if any(place == 0 and role.value == "opener" for place, role in roles):
        return True
    if any(role.value == "pronoun" and place < first for place, role in roles):
        return True
    says_what = numbers or set(reading.facets["wh"]) - {"what", "yes_no"}
    bare = text.rstrip("?？。 ")
    topic = bare.endswith("とは") or (bare.endswith("は") and not bare.endswith("では") and len(bare) >= _SHORT)
    return bool(pattern("ja", "ellipsis").search(text)) and not topic and len(reading.content) <= 1 and not says_what
