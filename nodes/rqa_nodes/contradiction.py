"""Do two things that a person said exclude each other, and if so, has one simply become old?

Read path 2, as pure rules over both languages: other figures of the same thing, another value of something that has
one (an address, a birthday), the opposite sign, something given up and taken up again. A difference that comes from
time is an update; where neither is clearly newer it is a tension, and exactly one question asks which holds. A model
that judges entailment may be plugged in; it can find more, and never takes a finding of the rules away.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final, Literal, Protocol

from rqa_checkpoints.provenance import Kind, MemoryNode, SourceClass, fold
from rqa_nodes.structure.contrast import ContrastKind, compare, mark
from rqa_nodes.structure.lexicon import sign
from rqa_nodes.structure.segment import Unit
from rqa_nodes.structure.text import content_terms, coverage

__all__ = ["ASKED_FROM", "Claim", "Contradiction", "Entailment", "claims_of", "judge", "scan", "which_holds"]

Reason = Literal["number", "value", "polarity", "state", "exception", "model"]

ASKED_FROM: Final = 0.6
"""Confidence from which a person is asked which of two claims holds, and an update is drawn without asking."""

_CONFIDENCE: Final[Mapping[ContrastKind, tuple[Reason, float, float]]] = {
    "number": ("number", 0.5, 0.4),
    "gap": ("number", 0.5, 0.4),
    "polarity": ("polarity", 0.3, 0.6),
    "exception": ("exception", 0.2, 0.3),
}
"""Reason, and a + b * (share of the topic that both have): a rule and its exception are no reason to ask anybody."""
_SLOT_CONFIDENCE: Final = 0.9
_STATE_CONFIDENCE: Final = (0.7, 0.8)
"""Given up and taken up: things of one kind (coffee, espresso), and the same thing."""
_FIGURE_COVER: Final = 0.6
_DENIED_COVER: Final = 0.8
_APART: Final = timedelta(days=1)
"""What was said so much later is the newer one, where the thing can change at all."""
_LONGEST: Final = 400
"""Characters; a longer text is a document, and no claim."""
_COMMON: Final = 40
"""Claims that share a term from which on the term tells nothing; bounds the pairs that are compared."""

_CHANGED: Final = re.compile(
    r"\b(?:now|nowadays|these days|since|from now on|no longer|any ?more|moved|switched|changed|stopped|quit|gave up"
    r"|given up|started|back on|again|actually|instead|recently|lately|as of)\b"
    r"|今は|今では|いまは|現在|これから|以降|から(?:は|、)|もう[^。]{0,12}ない|引っ越|移っ|変わ|変え|変更|やめ|辞め|始め"
    r"|再開|転職|最近|訂正|やはり|ではなくなっ"
)
_LASTING: Final = re.compile(
    r"\b(?:born|birthday|blood (?:group|type)|native|middle name|maiden name)\b|誕生日|生まれ|血液型|出身|旧姓"
)
_CORRECTED: Final = re.compile(r"\b(?:actually|correction|i was wrong|i meant)\b|訂正|間違え|正しくは")
_PAST: Final = re.compile(
    r"\b\w+ed\b|\b(?:was|were|had|did|went|met|saw|came|got|took|bought|sold|made|ate|drank|ran|paid|gave|found|lost|wrote"
    r"|built|sent|won|read|held|left|brought|caught|spent|slept|swam|rode|drove|flew)\b|(?:た|ました|でした)[。.!！]?$"
)
"""Something that happened may happen again with another figure."""
_WORDS_EN: Final = "zero one two three four five six seven eight nine ten eleven twelve"
_NAMED_BY_NUMBER: Final = re.compile(
    r"(?<!is )(?<!are )\b(?:number|no\.|nr\.|part|page|chapter|day) ?\d+|#\d+|第\d+|\d+(?:日目|回目|章|ページ)"
)
"""A number that is a name: mill number 3 and mill number 5 are two mills."""

_NUMERALS: Final = {word: str(number) for number, word in enumerate(_WORDS_EN.split())}
_NUMERALS_JA: Final = {"一つ": "1", "二つ": "2", "三つ": "3", "四つ": "4", "五つ": "5"}
_NUMERAL: Final = re.compile(rf"\b(?:{'|'.join(_NUMERALS)})\b|{'|'.join(_NUMERALS_JA)}")
_FIGURE: Final = re.compile(r"(?<![\d.,:/-])\d+(?:[.,:]\d+)*(?![\d/-])")

_NAMED: Final = (
    r"name|birthday|address|phone(?: number)?|email|blood (?:group|type)|age|weight|height|job|employer|boss|manager"
    r"|hometown|locker|pin|code|password|deadline|salary|rent|shoe size|favou?rite \w+"
)
_NAMED_JA: Final = (
    "名前|誕生日|住所|電話番号|血液型|年齢|体重|身長|職業|勤務先|上司|出身地|ロッカー|暗証番号|締め切り|給料|家賃"
    "|好きな[^はがも、。]{1,8}"
)
_SLOTS: Final = (
    re.compile(rf"\b(?:my|our|the) (?P<slot>{_NAMED})(?: number)? (?:is|are)(?: now)? (?P<value>[^,;.!?]+)"),
    re.compile(
        rf"(?P<slot>{_NAMED_JA})(?:の番号)?は(?:今は?)?、?(?P<value>[^、。,.!?]+?)(?:です|だ|になった|になりました)?(?=[、。,.!?]|$)"
    ),
    re.compile(
        r"\b(?:i|we)(?: now| still)? (?:live|am living|are living|moved|have moved)(?: now)?"
        r" (?:in|to) (?P<live>[^,;.!?]+)"
    ),
    re.compile(r"(?P<live>[^、。はがも]{1,20})に(?:住んで|引っ越し)"),
    re.compile(r"\b(?:i|we)(?: now| still)? work (?:at|for) (?P<work>[^,;.!?]+)"),
    re.compile(r"(?P<work>[^、。はがも]{1,20})(?:で働いて|に勤めて|に転職)"),
    re.compile(r"\bi was born (?:in|on) (?P<born>[^,;.!?]+)"),
)
"""What has one value at a time: the name of the thing, and the value."""
_TAIL: Final = re.compile(r"\b(?:now|since .*|from .*|any ?more|these days|again)\b.*$|\s+$")

_GIVEN_UP: Final = re.compile(
    r"\b(?:gave up|given up|stopped|quit|(?:do|does|am) not \w+ing? any ?more|no longer|cut out|swore off)\b"
    r"|やめた|やめました|やめて|断った|断ちました|卒業した"
)
_TAKEN_UP: Final = re.compile(
    r"\b(?:back on|back to|took up|taken up|started (?:again|\w+ing)|resumed|again)\b"
    r"|再開|また[^。]{0,12}(?:始め|飲|吸|食べ|通)|復帰|に戻"
)
_KINDS_OF: Final = (
    frozenset(["coffee", "espresso", "cappuccino", "latte", "コーヒー", "エスプレッソ", "カフェラテ", "珈琲"]),
    frozenset(["alcohol", "beer", "wine", "sake", "whisky", "お酒", "酒", "ビール", "ワイン", "日本酒"]),
    frozenset(["smoking", "cigarettes", "tobacco", "vaping", "タバコ", "煙草", "喫煙"]),
    frozenset(["meat", "beef", "pork", "chicken", "sausage", "肉", "牛肉", "豚肉", "鶏肉"]),
    frozenset(["sugar", "sweets", "chocolate", "cake", "candy", "砂糖", "甘い物", "チョコレート", "ケーキ"]),
)
"""Words for one kind of thing, of what people give up most: no more is known of the world here."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """Something that a person said."""

    id: str
    handle: str
    text: str
    at: str
    """When it was said, or said last to hold: ISO 8601."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Contradiction:
    """Two claims that exclude each other."""

    earlier: Claim
    later: Claim
    relation: Literal["update", "tension"]
    """`update`: the later one replaces the earlier. `tension`: neither is clearly newer."""
    confidence: float
    """0 to 1: how sure it is that they exclude each other."""
    reason: Reason

    @property
    def is_asked(self) -> bool:
        """Whether a person should be asked which of them holds."""
        return self.relation == "tension" and self.confidence >= ASKED_FROM


class Entailment(Protocol):
    """A model of natural language inference, if there is one."""

    def contradiction(self, premise: str, hypothesis: str) -> float:
        """Probability, 0 to 1, that both cannot hold."""


def claims_of(nodes: Iterable[MemoryNode], said_again: Mapping[str, str] | None = None) -> list[Claim]:
    """The claims among a person's items: their own statements, and nothing that asks or that anybody else said.

    `said_again` holds, by id, when the person last said that an item still holds.
    """
    again = said_again or {}
    return [
        Claim(id=node.id, handle=node.handle, text=node.text, at=again.get(node.id, node.recorded_at))
        for node in nodes
        if node.source is SourceClass.user and node.kind is not Kind.question and len(node.text) <= _LONGEST
    ]


def judge(one: Claim, two: Claim, *, nli: Entailment | None = None) -> Contradiction | None:
    """Whether two claims exclude each other; the surest reason alone."""
    earlier, later = sorted((one, two), key=lambda claim: (claim.at, claim is two))
    if fold(earlier.text) == fold(later.text):
        return None
    found = list(_reasons(earlier.text, later.text))
    if nli is not None:
        found.append(("model", nli.contradiction(earlier.text, later.text)))
    reason, confidence = max(found, key=lambda row: row[1], default=("model", 0.0))
    if confidence < (0.5 if reason == "model" else 0.3):
        return None
    relation: Literal["update", "tension"] = "update" if _is_newer(earlier, later) else "tension"
    return Contradiction(
        earlier=earlier, later=later, relation=relation, confidence=round(min(confidence, 1.0), 2), reason=reason
    )


def scan(claims: Sequence[Claim], *, nli: Entailment | None = None) -> list[Contradiction]:
    """The contradictions among claims that share a telling term, the surest first."""
    holders: dict[str, list[int]] = defaultdict(list)
    for at, claim in enumerate(claims):
        for term in _terms(claim.text):
            holders[term].append(at)
    pairs = {(a, b) for held in holders.values() if len(held) <= _COMMON for a in held for b in held if a < b}
    found = (judge(claims[a], claims[b], nli=nli) for a, b in sorted(pairs))
    return sorted((one for one in found if one), key=lambda one: -one.confidence)


def which_holds(found: Contradiction, lang: str) -> str:
    """The one question, one sentence in the language of the talk: the earlier claim is cited, the later just said."""
    date, handle = found.earlier.at[:10], found.earlier.handle
    a, b = (" ".join(claim.text.split()).rstrip("。．. ") for claim in (found.earlier, found.later))
    if lang == "ja":
        a, b = (text.translate(str.maketrans("「」", "『』")) for text in (a, b))
        return f"{date} の「{a}」[m:{handle}] と今回の「{b}」では、今はどちらが正しいですか。"
    a, b = (text.replace('"', "'") for text in (a, b))
    return f'Which of the two holds now: "{a}" [m:{handle}], of {date}, or "{b}", as you say today?'


def _terms(text: str) -> frozenset[str]:
    words = fold(text)
    kinds = {f"kind {at}" for at, kind in enumerate(_KINDS_OF) if any(word in words for word in kind)}
    slots = {f"slot {slot}" for slot, _ in _slots(words)}
    return frozenset({*content_terms(text), *kinds, *slots})


def _reasons(earlier: str, later: str) -> Iterator[tuple[Reason, float]]:
    one, two = fold(earlier), fold(later)
    named, other = set(_NAMED_BY_NUMBER.findall(one)), set(_NAMED_BY_NUMBER.findall(two))
    if named and other and named != other:
        return
    old, new = dict(_slots(one)), dict(_slots(two))
    for slot in old.keys() & new.keys():
        if old[slot] not in new[slot] and new[slot] not in old[slot]:
            yield "value", _SLOT_CONFIDENCE
    yield from _figures(one, two)
    yield from _states(one, two)
    yield from _polarity(one, two)
    contrast = compare(mark(Unit(text=earlier)), mark(Unit(text=later, index=1)))
    if contrast is not None and contrast.kind in _CONFIDENCE and not (old.keys() & new.keys()):
        reason, base, share = _CONFIDENCE[contrast.kind]
        yield reason, base + share * contrast.strength


def _slots(words: str) -> Iterator[tuple[str, str]]:
    for pattern in _SLOTS:
        for match in pattern.finditer(words):
            given = {name: value for name, value in match.groupdict().items() if value}
            slot = given.pop("slot", "") or next(iter(given))
            value = _TAIL.sub("", next(iter(given.values()))).strip(" 、")
            if value:
                yield slot, value


def _figures(one: str, two: str) -> Iterator[tuple[Reason, float]]:
    """Two sentences in the present tense that differ in nothing much but a figure."""
    one, two = (_NUMERAL.sub(_figure_of, text) for text in (one, two))
    old, new = set(_FIGURE.findall(one)), set(_FIGURE.findall(two))
    if not old or not new or old & new or _PAST.search(_CHANGED.sub(" ", one)) or _PAST.search(_CHANGED.sub(" ", two)):
        return
    left, right = (content_terms(_FIGURE.sub(" ", _CHANGED.sub(" ", text))) for text in (one, two))
    smaller, larger = sorted((left, right), key=len)
    share = coverage(larger, smaller)
    if smaller and share >= _FIGURE_COVER:
        yield "number", 0.5 + 0.4 * share


def _figure_of(match: re.Match[str]) -> str:
    return _NUMERALS.get(match[0]) or _NUMERALS_JA[match[0]]


def _polarity(one: str, two: str) -> Iterator[tuple[Reason, float]]:
    """The same words, but for one that denies."""
    signs = [bool(sign("negation").search(sign("obliged").sub(" ", text))) for text in (one, two)]
    smaller, larger = sorted((content_terms(one), content_terms(two)), key=len)
    share = coverage(larger, smaller)
    if signs[0] != signs[1] and share >= _DENIED_COVER:
        yield "polarity", 0.9 * share


def _states(one: str, two: str) -> Iterator[tuple[Reason, float]]:
    """Something given up, and something of that kind taken up, or the other way round."""
    opposite = (_is_given_up(one) and _is_taken_up(two)) or (_is_taken_up(one) and _is_given_up(two))
    if not opposite:
        return
    rest = [_TAKEN_UP.sub(" ", _GIVEN_UP.sub(" ", text)) for text in (one, two)]
    if content_terms(rest[0]) & content_terms(rest[1]):
        yield "state", _STATE_CONFIDENCE[1]
    elif any(all(any(word in text for word in kind) for text in (one, two)) for kind in _KINDS_OF):
        yield "state", _STATE_CONFIDENCE[0]


def _is_given_up(words: str) -> bool:
    return bool(_GIVEN_UP.search(words))


def _is_taken_up(words: str) -> bool:
    return bool(_TAKEN_UP.search(words)) and not _is_given_up(words)


def _is_newer(earlier: Claim, later: Claim) -> bool:
    words = fold(later.text)
    if _LASTING.search(words) or _LASTING.search(fold(earlier.text)):
        return bool(_CORRECTED.search(words))
    apart = datetime.fromisoformat(later.at) - datetime.fromisoformat(earlier.at) >= _APART
    return apart or bool(_CHANGED.search(words))
