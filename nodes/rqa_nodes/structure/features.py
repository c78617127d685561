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
from rqa_nodes.structure.joints import in_a_word, is_apart, up_to_joint, widened
from rqa_nodes.structure.lexicon import Language, Pattern, noun, patterns, screen
from rqa_nodes.structure.phrase import kind_of
from rqa_nodes.structure.segment import Unit
from rqa_nodes.structure.text import fold

__all__ = ["Finding", "find"]

_MOST: Final = 60
"""A design note of 500 sentences has fewer of any one feature."""

_PARTICLE: Final = re.compile(r"(?<=[一-鿿ァ-ー])(?<!二度)(?:です|だ|で|に|な|して|した|を|が|と)$")
_MIN_STEM: Final = 2
_PARTS: Final = ("a", "b", "c")
_SLOTS: Final = ("a", "b", "q", "s")
"""What has to stand on one side of a quotation; what somebody says stands within, and who says it does not."""
_OF_ALL: Final = re.compile(r"^((?:all|no|every)\b.*?) (?:are|is|has|have|was|were)(?: ever)?$", re.IGNORECASE)
"""Of whom something is said, behind which the pattern had to look for a verb."""
_SMALL: Final = frozenset(
    ("The", "My", "Our", "His", "Her", "Their", "Your", "All", "Every", "Everyone", "Everybody", "Nobody", "None", "No")
)
"""Words that are written small where they do not begin a sentence."""
_JOINED: Final = re.compile(r"\s*(?:and|but|or|which|who|because|although)\b", re.IGNORECASE)
"""A second part that begins so goes on with the first."""
_PAIRS: Final = (("「", "」"), ("『", "』"), ("（", "）"), ("(", ")"), ("“", "”"))
_REPORTED: Final = re.compile(
    r"^\s*(?:(?:my|our|the|his|her|their)(?: [\w-]+){1,3}|he|she|they|some|others|people) "
    r"(?:says?|said|thinks?|claims?|insists?|believes?|tells me|told me) (?:that |"
    r"(?=(?:i|we|you|he|she|it|they|the|this|that|there|my|our|his|her|their|"
    r"no|nobody|everyone|all|people|an?|some|most)\b))",
    re.IGNORECASE,
)
"""Who says it is no part of what a step starts from or leads to."""
_SAYS: Final = re.compile(r"\b(?:says?|said|thinks?|claims?|insists?|believes?|tells?|told)\b", re.IGNORECASE)
_FEARED: Final = re.compile(
    r"^(?:i|we)(?:['’]m| am|['’]re| are) (?:afraid|worried|convinced) (?:that )?", re.IGNORECASE
)
_REPORTED_JA: Final = re.compile(r"、?と[^、。「」はが]{1,10}は(?:言|述べ|主張)[^、。]{1,10}$")
_THOUGHT_JA: Final = re.compile(r"と(?:思|考え)[^、。とべ]{1,6}$")
_SPEECH_JA: Final = re.compile(r"[とって](?:[^、。と]{1,10}[にへはが])?(?:言|聞|答え|話し|伝え)[^、。と]{1,8}$")
"""A second part that ends so belongs to a speech that the first part began in."""
_OF_SPEAKERS: Final = frozenset(
    ("authority", "assent", "hearsay", "majority", "received", "mind", "hedge", "studies", "regret")
)
"""Features for which it matters who says it."""
_CONCEDED: Final = re.compile(r"(?:ますが|ですが|[いるた]が|けれども?|けど)、")


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
    if in_a_word(unit.text, _span(row, match)) or is_apart(unit.text, _spans(match), lang):
        return
    parts = {name: _whole_part(name, match, lang) for name in match.re.groupindex}
    if row.previous:
        if previous is None or not _follows(unit, previous):
            return
        parts[row.previous] = previous.text
    if parts.get("v") and kind_of(parts["a"]) != kind_of(parts["b"]):
        parts["a"] = parts["v"] + parts["a"]
    telling = _bare(parts.get("q", ""), lang)
    said = _part(parts.get("c", ""), lang)
    if row.feature == "authority" and parts.get("c") and kind_of(said) != "clause":
        return
    clause = said if kind_of(said) in ("clause", "condition") else _clause(row, unit, match, lang)
    if telling and not said and fold(telling) not in fold(clause) and not {"a", "b"} & parts.keys():
        return
    yield Finding(
        rule=row.id,
        feature=row.feature,
        unit=unit,
        c=clause,
        q=telling if said or fold(telling) in fold(clause) else "",
        a=_part(parts.get("a", ""), lang),
        b="" if _ends_a_speech(parts.get("b", ""), lang) else _part(parts.get("b", ""), lang),
        w="" if row.previous else quotable(_whole(match), lang),
        n=noun(telling) if telling and lang == "ja" else "",
    )


def _whole_part(name: str, match: Any, lang: Language) -> str:
    """What a group holds; of the two parts and the clause, with what they were cut off from at a comma."""
    groups = match.re.groupindex
    left, right = match.span(groups[name])
    if name not in _PARTS or left < 0:
        return match.group(groups[name]) or ""
    others = [
        match.span(groups[other])
        for other in _PARTS
        if other != name and groups.get(other) and match.group(groups[other])
    ]
    # What stands between the parts is the pattern's own joint.
    start, end = widened(match.string, (left, right), lang)
    if name == "c":
        end = up_to_joint(match.string, (start, end), lang)
    left = left if any(other < left for other, _ in others) else start
    right = right if any(other > right for _, other in others) else end
    return str(match.string[left:right])


def _said(clause: str, feature: str) -> str:
    """What is said, without who says it, where the feature is in what is said."""
    if feature in _OF_SPEAKERS:
        return clause
    if " and that " in clause or len(_SAYS.findall(clause)) > 1:
        return clause
    bare = _FEARED.sub("", _REPORTED.sub("", _REPORTED_JA.sub("", clause), count=1), count=1)
    if feature == "necessity":
        bare = _THOUGHT_JA.sub("", bare)
    return bare if kind_of(bare) == "clause" else clause


def _clause(row: Pattern, unit: Unit, match: Any, lang: Language) -> str:
    """The clause that shows the feature; the sentence, where the clause alone is no statement and the sentence is."""
    clause = clause_at(unit.text, _span(row, match), lang, keep_lead=row.feature == "hedge")
    if kind_of(clause) in ("clause", "question"):
        return _said(clause, row.feature)
    whole = quotable(unit.text, lang)
    return _said(whole, row.feature) if kind_of(whole) in ("clause", "question") else clause


def _whole(match: Any) -> str:
    """Both parts and what stands between them; empty for a pattern that has no two parts."""
    names = match.re.groupindex
    if not {"a", "b"} <= set(names):
        return ""
    spans = [match.span(names[name]) for name in "ab"]
    return str(match.string[min(left for left, _ in spans) : max(right for _, right in spans)])


def _part(text: str, lang: Language) -> str:
    if _JOINED.match(text) or any(text.count(opened) != text.count(closed) for opened, closed in _PAIRS):
        return ""
    text = _without_speaker(text, lang)
    if text[:5].lower() == "that " and kind_of(text[5:]) == "clause":
        text = text[5:]
    # Before 「ので」 an adjective ends in 「な」, which stands alone nowhere else.
    quoted = quotable(text, lang)
    if lang == "ja" and quoted.endswith("な") and "が" in quoted:
        return ""  # 「客が多い店なので」: what stands before 「なので」 is no statement and no cause
    return quoted.removesuffix("な") if lang == "ja" else quoted


def _without_speaker(text: str, lang: Language) -> str:
    """What is said, where somebody is said to say a statement; in Japanese the last of its clauses."""
    if lang == "ja":
        return _behind_concession(_REPORTED_JA.sub("", text.rstrip("。 ")))
    bare = _REPORTED.sub("", text, count=1)
    return bare if kind_of(bare.rstrip(" .!")) == "clause" else text


def _ends_a_speech(text: str, lang: Language) -> bool:
    """Whether a second part belongs to a speech that began before it: 「…いいと言います」."""
    return lang == "ja" and "「" not in text and bool(_SPEECH_JA.search(text.rstrip("。 ")))


def _behind_concession(text: str) -> str:
    """「安いと言うが、遠い」: a step starts from the last of the clauses, where that is a statement."""
    last = text[max((cut.end() for cut in _CONCEDED.finditer(text)), default=0) :]
    return last if kind_of(last) == "clause" else text


def _follows(unit: Unit, previous: Unit) -> bool:
    """Items of a list stand beside each other; only sentences of one passage draw on the one before."""
    same = unit.heading == previous.heading and unit.kind == previous.kind == "sentence"
    return same and not previous.text.endswith(("?", "？", "からだ。", "からです。", "ためだ。", "ためです。"))


def _bare(word: str, lang: Language) -> str:
    """A Japanese telling word without its particle or copula: 「安全に」 is quoted as 「安全」."""
    if lang == "en":
        first, _, rest = _OF_ALL.sub(r"\1", word.strip()).partition(" ")
        return f"{first.lower()} {rest}" if rest and first in _SMALL else word.strip()
    stem = _PARTICLE.sub("", word)
    return (stem if len(stem) >= _MIN_STEM else word).strip(" 、")


def _spans(match: Any) -> list[tuple[int, int]]:
    return [match.span(group) for name, group in match.re.groupindex.items() if name in _SLOTS and match.group(group)]


def _span(row: Pattern, match: Any) -> tuple[int, int]:
    names = row.pattern.groupindex
    for name in "sqab":
        if name in names and match.group(names[name]):
            return match.start(names[name]), match.end(names[name])
    return match.start(), match.end()
