"""Which questions could be asked about a text, and which K of them belong together?

Every question digs at one element, a text that will stand in the feature map, and quotes the input. The choice is
greedy over a fixed order, so that the same input gives the same bytes; it spreads over layers, sentences and features.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Final, Literal, NamedTuple

from rqa_nodes.structure.clause import quotable
from rqa_nodes.structure.contrast import Contrast
from rqa_nodes.structure.features import Finding
from rqa_nodes.structure.intent import is_question
from rqa_nodes.structure.lexicon import Language, Layer, QuestionForm, Stance, Wording, sentence, sign, wording
from rqa_nodes.structure.marks import quotations
from rqa_nodes.structure.memory_cross import CrossTension
from rqa_nodes.structure.phrase import kind_of
from rqa_nodes.structure.segment import Unit
from rqa_nodes.structure.template import Template
from rqa_nodes.structure.text import fold

__all__ = [
    "FILLERS",
    "Candidate",
    "Element",
    "choose",
    "from_claims",
    "from_contrasts",
    "from_cross",
    "from_findings",
    "from_questions",
    "from_side",
]

ElementList = Literal["claims", "tensions_input_internal", "tensions_memory_cross", "assumptions", "frames"]

_LIST: Final[Mapping[str, ElementList]] = {
    "claim": "claims",
    "tension": "tensions_input_internal",
    "assumption": "assumptions",
    "frame": "frames",
}
FILLERS: Final = frozenset({"next", "plain3", "plain4", "open_question", "side"})
"""Kinds of candidate that any text has, with or without a telling word."""
_DEPTH: Final = ("L3", "L4", "L5", "L7")
_LAYER_IN_FEEDBACK: Final = re.compile(r"L([3457])")
_QUESTION_IN_FEEDBACK: Final = 12
"""Shorter strings would be found in any feedback by chance."""

_POINTS_BACK: Final = re.compile(
    r"(?:it|this|that|they|these|those|he|she|both)\b|(?:それ|これ|その|この|あれ|そう)", re.IGNORECASE
)
"""Out of its place, a quotation that begins so does not say what it is about."""

_REFERS: Final = re.compile(r"\b(?:on|with|by|do|of|for|about) (?:it|that|this|them)$|それ|これ", re.IGNORECASE)

_CONTRAST_WEIGHT: Final = {
    "number": 11.0,
    "exception": 10.5,
    "counter": 10.5,
    "gap": 10.5,
    "open": 9.5,
    "polarity": 9.5,
}
_CROSS_WEIGHT: Final = {"high": 11.5, "medium": 9.5, "low": 6.0}
_NEXT_WEIGHT: Final = 2.0
_FALLBACK_WEIGHT: Final = 1.0
_FILLER_WEIGHT: Final = 0.5
_SAME_SENTENCE: Final = 2.0
_SAME_FEATURE: Final = 3.0
_SAME_LAYER: Final = 1.6
_SAME_STANCE: Final = 0.6
_DEEPER: Final = 4.0
_LATER_FORM: Final = 0.5


@dataclass(frozen=True, slots=True)
class Element:
    """One item of the feature map."""

    list: ElementList
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """One question with what it digs at and how much it is worth."""

    question: str
    layer: Layer
    stance: Stance
    element: Element
    weight: float
    unit: int
    feature: str


def from_findings(findings: Sequence[Finding], lang: Language) -> Iterator[Candidate]:
    """The questions that the wording table knows for each finding, with all their slots filled."""
    table = wording(lang)
    charge = Counter(finding.unit.index for finding in findings)
    for finding in findings:
        row = table.get(finding.feature)
        if row is None:
            continue
        slots = finding.slots()
        for rank, form in enumerate(row.questions):
            element, question = _element(form, row, finding), form.text.fill(slots)
            if element and question:
                named = {name: value for name, value in slots.items() if name in form.text.kinds}
                weight = (
                    row.weight + min(charge[finding.unit.index] - 1, 3) * 0.5 - rank * _LATER_FORM - _awkward(named)
                )
                yield _candidate(form, element, question, finding, weight)


def _element(form: QuestionForm, row: Wording, finding: Finding) -> str:
    """What a question digs at; empty where a slot is missing, or for a question, which claims nothing."""
    if form.target == "claim":
        return "" if is_question(finding.unit.text) else finding.unit.text
    said: Template = getattr(row, form.target)
    return said.fill(finding.slots())


def _candidate(form: QuestionForm, element: str, question: str, finding: Finding, weight: float) -> Candidate:
    return Candidate(
        question=question,
        layer=form.layer,
        stance=form.stance,
        element=Element(_LIST[form.target], element),
        weight=weight,
        unit=finding.unit.index,
        feature=finding.feature,
    )


def _awkward(slots: Mapping[str, str]) -> float:
    """A cut or very long quotation reads badly, a two-letter one says nothing."""
    values = [value for name, value in slots.items() if name != "q"]
    cut = any(value.endswith("…") for value in values)
    thin = any(len(value) < 4 for name, value in slots.items() if name in "ab")
    vague = any(_POINTS_BACK.match(value) for name, value in slots.items() if name in "ab")
    elsewhere = bool(_REFERS.search(slots.get("c", "")))
    return 1.0 * elsewhere + 1.5 * cut + 2.0 * thin + 1.5 * vague + (1.0 if sum(map(len, values)) > 260 else 0.0)


def from_contrasts(found: Iterable[Contrast], lang: Language) -> Iterator[Candidate]:
    """One question a pair of sentences that pull against each other."""
    for contrast in found:
        first, second = quotable(contrast.first.text, lang), quotable(contrast.second.text, lang)
        slots = {"a": first, "b": second, "x": contrast.x, "y": contrast.y}
        question = sentence(lang, f"q_{contrast.kind}").fill(slots)
        if not question:
            continue
        yield Candidate(
            question=question,
            layer="L3",
            stance="claim_skeptic",
            element=Element("tensions_input_internal", sentence(lang, f"{contrast.kind}_tension").fill(slots)),
            weight=_CONTRAST_WEIGHT[contrast.kind] + contrast.strength,
            unit=contrast.first.index,
            feature=f"contrast_{contrast.kind}",
        )


def from_cross(found: Iterable[CrossTension]) -> Iterator[Candidate]:
    """One question a tension with a remembered item."""
    for tension in found:
        yield Candidate(
            question=tension.question,
            layer="L3",
            stance="claim_skeptic",
            element=Element("tensions_memory_cross", tension.text),
            weight=_CROSS_WEIGHT[tension.confidence],
            unit=tension.unit.index,
            feature="memory_cross",
        )


class _Filler(NamedTuple):
    """A question that any sentence allows."""

    layer: Layer
    stance: Stance
    list: ElementList
    name: str
    weight: float


_STEPS: Final = frozenset({"inference", "reason", "causal", "sufficiency"})
"""A sentence that takes a step is argued with, also where it starts from what was seen."""

_FILLED: Final[Mapping[Layer, str]] = {"L7": "next", "L3": "plain3", "L4": "plain4", "L5": "side"}
_Doing = Literal["plan", "seen", "told", "fact", "claim", "piece"]
"""What a sentence does: it says what is to be done, what was found out, what happened to its author, what is
so, or what is to be believed; or it is no whole sentence."""
_ASKED: Final[Mapping[_Doing, tuple[str, str, str, str]]] = {
    "plan": ("plan", "claim_assume", "side", "next_plan"),
    "seen": ("evidence", "observed_assume", "side", "next_observed"),
    "told": ("told", "told_assume", "side", "next_told"),
    "fact": ("fact", "fact_assume", "side", "next_fact"),
    "claim": ("claim_tension", "claim_assume", "side", "next_claim"),
    "piece": ("piece", "piece_assume", "piece_frame", "next_piece"),
}
"""By what a sentence does: the question that looks for what it leaves out, for what it rests on, for who sees it
otherwise, and the one that comes next."""
_SAID: Final = {
    "plan": "plan_tension",
    "evidence": "evidence_tension",
    "told": "told_tension",
    "fact": "known_tension",
    "fact_assume": "known_assume",
    "claim_tension": "claim_tension",
    "piece": "piece_tension",
    "claim_assume": "claim_assume",
    "observed_assume": "observed_assume",
    "told_assume": "told_assume",
    "piece_assume": "piece_assume",
    "side": "side_frame",
    "piece_frame": "piece_frame",
}
_QUESTION: Final = {
    "side": "q_side_frame",
    "fact": "q_known",
    "fact_assume": "q_known_assume",
    "next_fact": "q_next_known",
}
_THIN_QUESTION: Final = {"en": 15, "ja": 7}
"""Characters; a shorter question ("Honestly?") asks nothing that could be looked into."""
_THIN_REMARK: Final = {"en": 2, "ja": 3}
"""Words or characters; a shorter one ("nah") says nothing that could be asked about."""
_UNTOLD: Final = frozenset({"group", "despite", "concession"})
"""What a statement of fact shows too."""
_PIECE: Final = 1.0
"""How much less a remark that is no sentence is worth."""


def from_claims(claims: Sequence[Unit], findings: Sequence[Finding], lang: Language) -> Iterator[Candidate]:
    """The next question after each claim (steelman), and plain questions that fill up a short input."""
    for rank, unit in enumerate(claims):
        features = {finding.feature for finding in findings if finding.unit.index == unit.index}
        doing = _doing(unit, features, lang)
        lost = _awkward({"c": quotable(unit.text, lang)}) + 0.3 * rank + _PIECE * (doing == "piece")
        filler = (_FALLBACK_WEIGHT if not features else _FILLER_WEIGHT) - lost
        missing, rests, _, following = _ASKED[doing]
        yield from _filler(_Filler("L7", "steelman", "claims", following, _NEXT_WEIGHT - lost), unit, lang)
        yield from _filler(_Filler("L3", "claim_skeptic", "tensions_input_internal", missing, filler), unit, lang)
        yield from _filler(_Filler("L4", "claim_skeptic", "assumptions", rests, filler), unit, lang)


def _filler(form: _Filler, unit: Unit, lang: Language) -> Iterator[Candidate]:
    slots = {"c": quotable(unit.text, lang)}
    if len(slots["c"].split() if lang == "en" else slots["c"]) < _THIN_REMARK[lang]:
        return
    question = sentence(lang, _QUESTION.get(form.name, f"q_{form.name}")).fill(slots)
    element = unit.text if form.list == "claims" else sentence(lang, _SAID[form.name]).fill(slots)
    if question and element:
        yield Candidate(
            question=question,
            layer=form.layer,
            stance=form.stance,
            element=Element(form.list, element),
            weight=form.weight,
            unit=unit.index,
            feature=_FILLED[form.layer],
        )


def _doing(unit: Unit, features: Set[str], lang: Language) -> _Doing:
    if kind_of(quotable(unit.text, lang)) != "clause":
        return "piece"
    if "advice" in features or (0, len(bare := unit.text.strip(" .。"))) in quotations(bare):
        return "told"
    if features & _STEPS:
        return "claim"
    folded = fold(unit.text)
    if sign("plan").search(folded):
        return "plan"
    told = bool(sign("told").search(folded))
    if sign("evidence").search(folded) or (sign("report").search(folded) and not told):
        return "seen"
    if told or sign("event").search(folded):
        return "told"
    return "claim" if features - _UNTOLD else "fact"


def from_questions(units: Sequence[Unit], lang: Language) -> Iterator[Candidate]:
    """What is needed to answer a question that the input itself asks."""
    for unit in units:
        slots = {"c": quotable(unit.text, lang)}
        if len(slots["c"]) < _THIN_QUESTION[lang]:
            continue
        question = sentence(lang, "q_open_question").fill(slots)
        if question:
            yield Candidate(
                question=question,
                layer="L7",
                stance="steelman",
                element=Element("assumptions", sentence(lang, "open_assume").fill(slots)),
                weight=_NEXT_WEIGHT - _awkward(slots),
                unit=unit.index,
                feature="open_question",
            )
        else:
            # What asks without the form of a question is quoted as the remark that it is.
            yield from _filler(_Filler("L7", "steelman", "claims", "next_piece", _FALLBACK_WEIGHT), unit, lang)


def from_side(units: Sequence[Unit], lang: Language) -> Iterator[Candidate]:
    """Whose side a sentence is told from: the frame that every text has."""
    for rank, unit in enumerate(units):
        name = _ASKED[_doing(unit, frozenset(), lang)][2]
        yield from _filler(_Filler("L5", "frame_skeptic", "frames", name, _FALLBACK_WEIGHT - rank), unit, lang)


def choose(pool: Iterable[Candidate], count: int, *, feedback: str = "", most_a_list: int) -> list[Candidate]:
    """At most `count` candidates, best first, on different elements, the first ones on different layers.

    Args:
        pool: All candidates; the order decides between equals.
        count: K; 0 or less gives none.
        feedback: The verdict of the last round. Questions named in it are not asked again, and the layer below the
            one it names is preferred.
        most_a_list: How many elements one list of the feature map can hold.
    """
    left = [c for c in pool if not (len(c.question) >= _QUESTION_IN_FEEDBACK and c.question in feedback)]
    wanted = _deeper_layer(feedback)
    chosen: list[Candidate] = []
    while left and len(chosen) < count:
        best = max(left, key=lambda c: _worth(c, chosen, wanted, count))
        chosen.append(best)
        full = sum(c.element.list == best.element.list for c in chosen) >= most_a_list
        left = [c for c in left if _can_follow(c, best, full=full)]
    return sorted(chosen, key=lambda c: -(c.weight + _DEEPER * (c.layer == wanted)))


def _can_follow(candidate: Candidate, best: Candidate, *, full: bool) -> bool:
    if full and candidate.element.list == best.element.list:
        return False
    return candidate.element != best.element and candidate.question != best.question


def _deeper_layer(feedback: str) -> str:
    named = _LAYER_IN_FEEDBACK.search(feedback)
    if not named:
        return ""
    place = _DEPTH.index(f"L{named[1]}")
    return _DEPTH[min(place + 1, len(_DEPTH) - 1)]


def _worth(candidate: Candidate, chosen: Sequence[Candidate], wanted: str, count: int) -> float:
    layers = Counter(c.layer for c in chosen)
    # What comes next may well be about the sentence that was looked at.
    sentences = sum(c.unit == candidate.unit for c in chosen) if candidate.layer != "L7" else 0
    features = sum(c.feature == candidate.feature for c in chosen)
    worth = candidate.weight - _SAME_SENTENCE * sentences - _SAME_FEATURE * features
    worth -= _SAME_LAYER * layers[candidate.layer] + _SAME_STANCE * sum(c.stance == candidate.stance for c in chosen)
    if candidate.layer == wanted:
        worth += _DEEPER
    # While a layer is missing, any of its questions comes before a second one of a layer that is there.
    missing = len(_DEPTH) - len(layers)
    if not layers[candidate.layer] and count - len(chosen) <= missing + 1:
        worth += 100.0
    return worth
