"""Which questions could be asked about a text, and which K of them belong together?

Every question digs at one element, a text that will stand in the feature map, and quotes the input. The choice is
greedy over a fixed order, so that the same input gives the same bytes; it spreads over layers, sentences and features.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal, NamedTuple

from rqa_nodes.structure.clause import quotable
from rqa_nodes.structure.contrast import Contrast
from rqa_nodes.structure.features import Finding
from rqa_nodes.structure.intent import is_question
from rqa_nodes.structure.lexicon import Language, Layer, QuestionForm, Stance, Wording, phrases, sign, wording
from rqa_nodes.structure.memory_cross import CrossTension
from rqa_nodes.structure.segment import Unit
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

_CONTRAST_WEIGHT: Final = {"number": 11.0, "exception": 10.5, "gap": 10.5, "open": 9.5, "polarity": 9.5}
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
            element = _element(form, row, finding)
            if element and _fills(form.text, slots):
                named = {name: value for name, value in slots.items() if f"{{{name}}}" in form.text}
                weight = (
                    row.weight + min(charge[finding.unit.index] - 1, 3) * 0.5 - rank * _LATER_FORM - _awkward(named)
                )
                yield _candidate(form, element, form.text.format(**slots), finding, weight)


def _element(form: QuestionForm, row: Wording, finding: Finding) -> str:
    """What a question digs at; empty where a slot is missing, or for a question, which claims nothing."""
    if form.target == "claim":
        return "" if is_question(finding.unit.text) else finding.unit.text
    text: str = getattr(row, form.target)
    return text.format(**finding.slots()) if _fills(text, finding.slots()) else ""


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


def _fills(template: str, slots: Mapping[str, str]) -> bool:
    return all(name in slots for name in re.findall(r"\{(\w)\}", template))


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
    words = phrases(lang)
    for contrast in found:
        first, second = quotable(contrast.first.text, lang), quotable(contrast.second.text, lang)
        slots = {"a": first, "b": second, "x": contrast.x, "y": contrast.y}
        yield Candidate(
            question=words[f"q_{contrast.kind}"].format(**slots),
            layer="L3",
            stance="claim_skeptic",
            element=Element("tensions_input_internal", words[f"{contrast.kind}_tension"].format(**slots)),
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
    question: str
    weight: float


_STEPS: Final = frozenset({"inference", "reason", "causal", "sufficiency"})
"""A sentence that takes a step is argued with, also where it starts from what was seen."""

_NEXT: Final = {
    "plan": "q_next_plan",
    "evidence": "q_next_observed",
    "report": "q_next_observed",
    "event": "q_next_observed",
    "claim": "q_next_claim",
}
_ASKED: Final = {
    "plan": "q_plan",
    "evidence": "q_evidence",
    "report": "q_evidence",
    "event": "q_evidence",
    "claim": "q_claim_tension",
}
_ASSUMED: Final = {
    "plan": "q_claim_assume",
    "evidence": "q_observed_assume",
    "report": "q_observed_assume",
    "event": "q_observed_assume",
    "claim": "q_claim_assume",
}
"""By what a sentence does: the question that comes next, the one that looks for what it leaves out, and the one that
looks for what it rests on."""
_SAID: Final = {
    "q_plan": "plan_tension",
    "q_evidence": "evidence_tension",
    "q_claim_tension": "claim_tension",
    "q_claim_assume": "claim_assume",
    "q_observed_assume": "observed_assume",
}
_FILLED: Final[Mapping[Layer, str]] = {"L7": "next", "L3": "plain3", "L4": "plain4"}


def from_claims(claims: Sequence[Unit], findings: Sequence[Finding], lang: Language) -> Iterator[Candidate]:
    """The next question after each claim (steelman), and plain questions that fill up a short input."""
    words = phrases(lang)
    for rank, unit in enumerate(claims):
        features = {finding.feature for finding in findings if finding.unit.index == unit.index}
        c = quotable(unit.text, lang)
        kind = "claim" if features & _STEPS else _kind(unit)
        lost = _awkward({"c": c}) + 0.3 * rank
        filler = (_FALLBACK_WEIGHT if not features else _FILLER_WEIGHT) - lost
        for form in (
            _Filler("L7", "steelman", "claims", _NEXT[kind], _NEXT_WEIGHT - lost - (kind == "report")),
            _Filler("L3", "claim_skeptic", "tensions_input_internal", _ASKED[kind], filler + (kind == "evidence")),
            _Filler("L4", "claim_skeptic", "assumptions", _ASSUMED[kind], filler - (kind == "report")),
        ):
            element = unit.text if form.list == "claims" else words[_SAID[form.question]].format(c=c)
            yield Candidate(
                question=words[form.question].format(c=c),
                layer=form.layer,
                stance=form.stance,
                element=Element(form.list, element),
                weight=form.weight,
                unit=unit.index,
                feature=_FILLED[form.layer],
            )


def _kind(unit: Unit) -> Literal["plan", "evidence", "report", "event", "claim"]:
    folded = fold(unit.text)
    if sign("plan").search(folded):
        return "plan"
    if sign("report").search(folded):
        return "report"
    if sign("evidence").search(folded):
        return "evidence"
    return "event" if sign("event").search(folded) else "claim"


def from_questions(units: Sequence[Unit], lang: Language) -> Iterator[Candidate]:
    """What is needed to answer a question that the input itself asks."""
    words = phrases(lang)
    for unit in units:
        c = quotable(unit.text, lang)
        element = Element("assumptions", words["open_assume"].format(c=c))
        question = words["q_open_question"].format(c=c)
        yield _plain(
            "L7",
            "steelman",
            element,
            question,
            weight=_NEXT_WEIGHT - _awkward({"c": c}),
            unit=unit,
            feature="open_question",
        )


def from_side(unit: Unit, lang: Language) -> Candidate:
    """Whose side a sentence is told from: the frame that every text has."""
    words = phrases(lang)
    c = quotable(unit.text, lang)
    element = Element("frames", words["side_frame"].format(c=c))
    return _plain(
        "L5",
        "frame_skeptic",
        element,
        words["q_side_frame"].format(c=c),
        weight=_FALLBACK_WEIGHT,
        unit=unit,
        feature="side",
    )


def _plain(
    layer: Layer, stance: Stance, element: Element, question: str, *, weight: float, unit: Unit, feature: str
) -> Candidate:
    return Candidate(
        question=question, layer=layer, stance=stance, element=element, weight=weight, unit=unit.index, feature=feature
    )


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
