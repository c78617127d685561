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
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import Final, Literal, Protocol

from rqa_checkpoints.provenance import Kind, MemoryNode, SourceClass, fold
from rqa_nodes.structure.changing import Change, are_of_one, became_of, is_other, read_change, topic_of
from rqa_nodes.structure.contrast import ContrastKind, Marked, compare, mark
from rqa_nodes.structure.segment import Unit
from rqa_nodes.structure.text import content_terms, coverage

__all__ = ["ASKED_FROM", "Claim", "Contradiction", "Entailment", "claims_of", "judge", "scan", "which_holds"]

Reason = Literal["number", "value", "polarity", "state", "change", "exception", "model"]

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
_TEXTS_KEPT: Final = 1024
"""Texts whose reading is kept: a turn holds its message against the same last statements as the turn before."""
_COMMON: Final = 40
"""Claims that share a term from which on the term tells nothing; bounds the pairs that are compared."""

_CHANGED: Final = re.compile(
    r"\b(?:now|nowadays|these days|since|from now on|no longer|any ?more|moved|switched|changed|stopped|quit|gave up"
    r"|given up|started|back on|again|actually|instead|recently|lately|as of)\b"
    r"|今は|今では|いまは|現在|これから|以降|から(?:は|、)|もう[^。]{0,12}ない|引っ越|移っ|変わ|変え|変更|やめ|辞め|始め"
    r"|\bmy new\b|新しい|\b(?:went|gone) (?:up|down)\b|\b(?:rose|increased|raised|lowered) to\b"
    r"|[上下]が(?:り|っ)|値上げ|値下げ"
    r"|(?:先月|先週|今月|今週|今年|昨日|今日|春|夏|秋|冬|\d+[月日])から"
    r"|after all|turns out|turned out|in the end|結局|検査の結果|再開|転職|最近|訂正|やはり|ではなくなっ"
    r"|(?:に|と)なりました|(?:に|と)なった"
    r"|\b(?:postponed|rescheduled|brought forward|put off|pushed back)\b|延期|延び|ずれ|前倒し|繰り[上下]"
)
_MOVED: Final = re.compile(
    r"\b(?:(?:is|was|were|are|got|has been|have been) (?:now )?)?"
    r"(?:moved|changed|switched|postponed|rescheduled|shifted|brought forward|put off|pushed back"
    r"|(?:went|gone) (?:up|down)|rose|increased|raised|lowered)"
    r"(?: (?:it|(?:my|our|the|this|that)(?: [a-z]+){1,3}))?(?: (?:from [^.;]{1,24}? )?(?:to|until|till)| by)\b"
    r"|\b(?:is|are) now\b"
    r"|(?:に|へ|まで)(?:変わ|変更|延期|延び|移[りっ]|ずれ|前倒し|繰り[上下]|[上下]が)[^。]{0,10}?(?:た|です|だ)(?=[。.!！]|$)"
    r"|(?:に|と)(?:なりました|なった|決まりました|決まった)(?=[。.!！]|$)"
)
"""Says of something that it has another date or figure than before: no event of the past, but how it stands now."""
_NAMED_TIME: Final = re.compile(
    r"\b(?:(?:mon|tues|wednes|thurs|fri|satur|sun)day|january|february|march|april|may|june|july|august|september"
    r"|october|november|december|noon|midnight|morning|afternoon|evening)\b"
    r"|[月火水木金土日]曜日?|午前|午後|正午|今日|明日|明後日|来週|再来週|今週|来月|今月"
)
"""A time without a figure."""
_MONTH: Final = "january|february|march|april|may|june|july|august|september|october|november|december"
_DATE: Final = re.compile(rf"\d{{1,2}}月\d{{1,2}}日|\b(?:{_MONTH}) \d{{1,2}}\b|\b\d{{1,2}} (?:{_MONTH})\b")
"""One time of two figures."""
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
    re.compile(
        rf"\b(?:my|our|the)(?: new)?(?: (?P<owner>\w+)'s)? (?P<slot>{_NAMED})(?: number)?"
        r" (?:is|are)(?: now)? (?P<value>[^,;.!?]+)"
    ),
    re.compile(
        rf"(?:(?P<owner>[^、。はがの ]{{1,8}})の)?(?P<slot>{_NAMED_JA})(?:の番号)?は(?:今は?)?、?"
        r"(?P<value>[^、。,.!?]+?)(?:です|だ|になった|になりました)?(?=[、。,.!?]|$)"
    ),
    re.compile(
        r"\b(?:i|we)(?: now| still)? (?:live|am living|are living|moved|have moved)(?: now)?"
        r" (?:in|to) (?P<live>[^,;.!?]+)"
    ),
    re.compile(r"(?P<live>[^、。はがも]{1,20})[にへ](?:住んで|引っ越し)"),
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


@dataclass(frozen=True, slots=True, kw_only=True)
class _Reading:
    """What the rules read off one text, whatever it is held against."""

    words: str
    """Folded."""
    change: Change
    marked: Marked
    slots: Mapping[str, str]
    named_by_number: frozenset[str]
    figures: frozenset[str]
    times: frozenset[str]
    """Figures, weekdays, months and the like."""
    is_moved: bool
    beside_figures: frozenset[str]
    """Terms of what is said with the figures."""
    beside_times: frozenset[str]
    """The same, without the times and the words of moving."""
    is_past: bool
    is_given_up: bool
    is_taken_up: bool
    beside_state: frozenset[str]
    """Terms of what was given up or taken up."""


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
    if _read(earlier.text).words == _read(later.text).words:
        return None
    found = list(_reasons(_read(earlier.text), _read(later.text)))
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
    read = _read(text)
    kinds = {f"kind {at}" for at, kind in enumerate(_KINDS_OF) if any(word in read.words for word in kind)}
    return frozenset({*read.marked.terms, *kinds, *(f"slot {slot}" for slot in read.slots)})


@lru_cache(maxsize=_TEXTS_KEPT)
def _read(text: str) -> _Reading:
    words = fold(text)
    figured = _NUMERAL.sub(_figure_of, words)
    lasting = _CHANGED.sub(" ", figured)
    is_given_up = bool(_GIVEN_UP.search(words))
    return _Reading(
        words=words,
        change=read_change(text),
        marked=mark(Unit(text=text)),
        slots=dict(_slots(words)),
        named_by_number=frozenset(_NAMED_BY_NUMBER.findall(words)),
        figures=frozenset(_FIGURE.findall(figured)),
        times=_times(figured),
        is_moved=bool(_MOVED.search(words)),
        beside_times=content_terms(_FIGURE.sub(" ", _NAMED_TIME.sub(" ", _CHANGED.sub(" ", _DATE.sub(" ", figured))))),
        beside_figures=content_terms(_FIGURE.sub(" ", lasting)),
        is_past=bool(_PAST.search(lasting)),
        is_given_up=is_given_up,
        is_taken_up=bool(_TAKEN_UP.search(words)) and not is_given_up,
        beside_state=content_terms(_TAKEN_UP.sub(" ", _GIVEN_UP.sub(" ", words))),
    )


def _reasons(old: _Reading, new: _Reading) -> Iterator[tuple[Reason, float]]:
    if old.named_by_number and new.named_by_number and old.named_by_number != new.named_by_number:
        return
    if any(one.change.tells_past or one.change.is_wished for one in (old, new)):
        return  # how something was, or is wished to be, speaks against nothing that is
    if not are_of_one(old.change, new.change):
        return
    became = became_of(old.change, new.change)
    if became:
        yield "change", became
    same_slots = old.slots.keys() & new.slots.keys()
    for slot in same_slots:
        if old.slots[slot] not in new.slots[slot] and new.slots[slot] not in old.slots[slot]:
            yield "value", _SLOT_CONFIDENCE
    yield from _figures(old, new)
    yield from _moved(old, new)
    yield from _states(old, new)
    yield from _polarity(old, new)
    contrast = compare(old.marked, new.marked)
    if contrast is not None and contrast.kind in _CONFIDENCE and not same_slots:
        reason, base, share = _CONFIDENCE[contrast.kind]
        yield reason, base + share * contrast.strength


def _slots(words: str) -> Iterator[tuple[str, str]]:
    for pattern in _SLOTS:
        for match in pattern.finditer(words):
            given = {name: value for name, value in match.groupdict().items() if value}
            owner = given.pop("owner", "") or ("" if "slot" in given else topic_of(words))
            slot = (given.pop("slot", "") or next(iter(given))) + (f" of {owner}" if is_other(owner) else "")
            value = _TAIL.sub("", next(iter(given.values()))).strip(" 、")
            if value:
                yield slot, value


def _figures(old: _Reading, new: _Reading) -> Iterator[tuple[Reason, float]]:
    """Two sentences in the present tense that differ in nothing much but a figure."""
    if not old.figures or not new.figures or old.figures & new.figures or old.is_past or new.is_past:
        return
    smaller, larger = sorted((old.beside_figures, new.beside_figures), key=len)
    share = coverage(larger, smaller)
    if smaller and share >= _FIGURE_COVER:
        yield "number", 0.5 + 0.4 * share


def _times(figured: str) -> frozenset[str]:
    """The dates, and whatever else is a figure or names a time."""
    rest = _DATE.sub(" ", figured)
    return frozenset((*_DATE.findall(figured), *_FIGURE.findall(rest), *_NAMED_TIME.findall(rest)))


def _moved(old: _Reading, new: _Reading) -> Iterator[tuple[Reason, float]]:
    """The later one says that the same thing was moved to another time or figure."""
    if not new.is_moved or not old.times or not new.times - old.times or not old.times - new.times:
        return
    smaller, larger = sorted((old.beside_times, new.beside_times), key=len)
    share = coverage(larger, smaller)
    if smaller and share >= _FIGURE_COVER:
        yield "number", 0.5 + 0.4 * share


def _figure_of(match: re.Match[str]) -> str:
    return _NUMERALS.get(match[0]) or _NUMERALS_JA[match[0]]


def _polarity(old: _Reading, new: _Reading) -> Iterator[tuple[Reason, float]]:
    """The same words, but for one that denies."""
    if old.marked.negated == new.marked.negated:
        return
    smaller, larger = sorted((old.marked.terms, new.marked.terms), key=len)
    share = coverage(larger, smaller)
    if share >= _DENIED_COVER:
        yield "polarity", 0.9 * share


def _states(old: _Reading, new: _Reading) -> Iterator[tuple[Reason, float]]:
    """Something given up, and something of that kind taken up, or the other way round."""
    if not ((old.is_given_up and new.is_taken_up) or (old.is_taken_up and new.is_given_up)):
        return
    if old.beside_state & new.beside_state:
        yield "state", _STATE_CONFIDENCE[1]
    elif any(all(any(word in one.words for word in kind) for one in (old, new)) for kind in _KINDS_OF):
        yield "state", _STATE_CONFIDENCE[0]


def _moment(at: str) -> datetime:
    """A time as it is given: of some items only the day is known, and a time without a zone is UTC."""
    found = datetime.fromisoformat(at)
    return found if found.tzinfo else found.replace(tzinfo=UTC)


def _is_newer(earlier: Claim, later: Claim) -> bool:
    words = _read(later.text).words
    if became_of(_read(earlier.text).change, _read(later.text).change):
        return True
    if _LASTING.search(words) or _LASTING.search(_read(earlier.text).words):
        return bool(_CORRECTED.search(words))
    apart = _moment(later.at) - _moment(earlier.at) >= _APART
    return apart or bool(_CHANGED.search(words))
