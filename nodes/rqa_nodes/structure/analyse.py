"""What does a text claim, take for granted and leave open, and which questions would change its author's mind?

The result is the analysis object of the generator's contract, made without a model. Claims and evidence are sentences
of the input; tensions, assumptions and frames say something about its words and quote them. Nothing here knows the
world, and nothing vouches for itself. At most five items a list, as for any generator.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any, Final

from rqa_nodes.language import Lang, detect
from rqa_nodes.prompt_parts import PromptParts
from rqa_nodes.structure.candidates import (
    FILLERS,
    Candidate,
    Element,
    choose,
    from_claims,
    from_contrasts,
    from_cross,
    from_findings,
    from_questions,
    from_side,
)
from rqa_nodes.structure.clause import quotable, trim
from rqa_nodes.structure.contrast import MAX_READ, contrasts
from rqa_nodes.structure.features import Finding, find
from rqa_nodes.structure.intent import Intent, classify, is_question, is_request
from rqa_nodes.structure.lexicon import Language, Layer, Stance, language, phrases, sign, wording
from rqa_nodes.structure.memory_cross import CrossTension, cross_tensions
from rqa_nodes.structure.passages import best_passages, without_own_sentences
from rqa_nodes.structure.segment import Unit, segment
from rqa_nodes.structure.text import fold, key_terms

__all__ = ["analyse"]

_ITEMS: Final = 5
"""Most items a list: the generator's contract."""
_MAX_CLAIM_CHARS: Final = 220
_QUERIES: Final = 3
_SIDES: Final = 2
"""Sentences of which it is asked whose side they are told from."""
_SAME_FEATURE: Final = 2
"""Items of one feature in a list, beside those that a question digs at."""
_TITLE_WORDS: Final = 3
_TITLE_CHARS: Final = 5
"""A shorter item is a label, not a claim."""
_SHORT_INPUT_SENTENCES: Final = 2
_LIGHT_CHARS: Final = {"en": 60, "ja": 32}
"""A longer remark of one or two sentences is more than light talk, also where no single word of it is telling."""
_LIGHT_QUESTION_CHARS: Final = {"en": 40, "ja": 22}
"""A longer question without a short answer is no look-up."""
_LIGHT: Final = frozenset({"group", "hedge", "prediction", "ask_what", "comparison", "value"})
"""Features that a plain sentence has too; alone they call for no deepening of a short question."""
_PLAIN: Final = frozenset({Intent.fact, Intent.about_user, Intent.request, Intent.thanks})
"""What a short text can want without there being anything in it to deepen."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Reading:
    """What was read off the input, before questions are chosen."""

    lang: Lang
    units: tuple[Unit, ...]
    findings: tuple[Finding, ...]
    claims: tuple[Unit, ...]
    evidence: tuple[Unit, ...]
    terms: tuple[str, ...]
    cross: tuple[CrossTension, ...]


def analyse(parts: PromptParts) -> dict[str, Any]:
    """The analysis object of one input: the same input gives the same object.

    Args:
        parts: The user's words, documents, injected memory, K and the last round's verdict.

    Returns:
        A JSON-like dict with feature_map, search_decision, question_candidates, self_ranking, self_update_proposal and
        tool_request. An input without sentences has empty lists and says so in search_decision.reason.
    """
    lang = language(parts.lang)
    reading = _read(parts, lang)
    if not reading.units:
        return _object(reading, [], reason=phrases(lang)["no_prose"], pool=[], queries=[])
    if _is_plain(parts, reading):
        if classify(parts.user_text) in (Intent.request, Intent.thanks):
            return _object(reading, [], reason=phrases(lang)["plain_other"], pool=[], queries=[])
        return _plain_fact(parts, reading, lang)
    pool = list(_pool(reading, lang))
    reason = phrases(lang)["concept"]
    if reading.lang == "zh":
        reason = phrases(lang)["other_language"]
    elif len(reading.units) <= _SHORT_INPUT_SENTENCES and not any(c.feature not in FILLERS for c in pool):
        if is_question(reading.units[0].text) and _is_light_question(parts.user_text, lang):
            return _plain_fact(parts, reading, lang)
        is_short = sum(len(unit.text) for unit in reading.units) <= _LIGHT_CHARS[lang]
        if is_short and not any(is_question(unit.text) for unit in reading.units):
            return _object(reading, [], reason=phrases(lang)["plain_other"], pool=[], queries=[])
    chosen = choose(pool, parts.candidates, feedback=parts.feedback, most_a_list=_ITEMS)
    queries = _queries(reading)
    return _object(reading, chosen, reason=phrases(lang)["current"] if queries else reason, pool=pool, queries=queries)


def _read(parts: PromptParts, lang: Language) -> _Reading:
    units = _input_units(parts)
    written_in = detect("\n".join(unit.text for unit in units[:50]))
    source = language(written_in)
    findings = find(units, source) if written_in != "zh" else ()
    return _Reading(
        lang=written_in,
        units=units,
        findings=findings,
        claims=_claims(units, findings, lang),
        evidence=tuple(islice((unit for unit in units if _is_evidence(unit)), _ITEMS)),
        terms=tuple(key_terms((unit.text for unit in units[:MAX_READ]), source, limit=_ITEMS)),
        cross=tuple(cross_tensions(units, without_own_sentences(parts.memory), lang))[:_ITEMS],
    )


def _input_units(parts: PromptParts) -> tuple[Unit, ...]:
    own = segment(parts.user_text)
    if not parts.documents:
        said = [unit for unit in own if not sign("hand_over").search(fold(unit.text))]
        return tuple(replace(unit, index=index) for index, unit in enumerate(said or own))
    kept = [unit for unit in own if not is_request(unit.text)]
    # One by one: an unclosed fence of one document must not swallow the next.
    given = [unit for document in parts.documents for unit in segment(document.text)]
    return tuple(replace(unit, index=index) for index, unit in enumerate([*kept, *given]))


def _claims(units: Sequence[Unit], findings: Sequence[Finding], lang: Language) -> tuple[Unit, ...]:
    weights = {unit.index: 0.0 for unit in units}
    table = wording(lang)
    for finding in findings:
        row = table.get(finding.feature)
        weights[finding.unit.index] += row.weight if row else 0
    ranked = sorted(units, key=lambda unit: (-weights[unit.index], unit.index))
    stated = (unit for unit in ranked if _is_claim(unit, lang))
    first = {unit.text: unit for unit in islice(stated, _ITEMS * 4)}
    return tuple(sorted(islice(first.values(), _ITEMS), key=lambda unit: unit.index))


def _is_claim(unit: Unit, lang: Language) -> bool:
    said = trim(unit.text, lang)
    is_label = len(said.split()) < _TITLE_WORDS if said.isascii() else len(said) <= _TITLE_CHARS
    asks = is_question(unit.text) or classify(unit.text) is Intent.request or bool(sign("formula").search(fold(said)))
    return len(unit.text) <= _MAX_CLAIM_CHARS and not is_label and not asks


def _is_evidence(unit: Unit) -> bool:
    return bool(sign("evidence").search(fold(unit.text))) and not is_question(unit.text)


def _pool(reading: _Reading, lang: Language) -> Iterable[Candidate]:
    yield from from_cross(reading.cross)
    yield from from_contrasts(contrasts(reading.units), lang)
    yield from from_findings(reading.findings, lang)
    yield from from_claims(_by_charge(reading), reading.findings, lang)
    questions = (unit for unit in reading.units if is_question(unit.text))
    yield from from_questions(list(islice(questions, _ITEMS)), lang)
    yield from from_side((_by_charge(reading) or reading.units)[:_SIDES], lang)


def _by_charge(reading: _Reading) -> list[Unit]:
    def charge(unit: Unit) -> int:
        return sum(finding.unit.index == unit.index for finding in reading.findings)

    return sorted(reading.claims, key=lambda unit: (-charge(unit), unit.index))


def _is_plain(parts: PromptParts, reading: _Reading) -> bool:
    if parts.documents or len(reading.units) > _SHORT_INPUT_SENTENCES or reading.cross:
        return False
    if any(finding.feature not in _LIGHT for finding in reading.findings):
        return False
    return classify(parts.user_text) in _PLAIN


def _is_light_question(text: str, lang: Language) -> bool:
    if classify(text) is Intent.fact:
        return True
    return len(text) <= _LIGHT_QUESTION_CHARS[lang] and not sign("judgement").search(fold(text))


def _plain_fact(parts: PromptParts, reading: _Reading, lang: Language) -> dict[str, Any]:
    words = phrases(lang)
    x = quotable(reading.units[0].text, lang)
    unit = reading.units[0]
    answers = tuple(
        Unit(text=passage.text) for passage in best_passages(parts.user_text, parts.memory, parts.documents)[:1]
    )
    frame = Element("frames", words["fact_frame"].format(x=x))
    assume = Element("assumptions", words["fact_assume"].format(x=x))
    use = Element("claims", answers[0].text) if answers else Element("assumptions", words["fact_purpose"].format(x=x))
    pool = [
        _clarify("L5", "frame_skeptic", frame, words["fact_time"].format(x=x), unit),
        _clarify("L4", "claim_skeptic", assume, words["fact_scope"].format(x=x), unit),
        _clarify("L7", "steelman", use, words["fact_use"].format(x=x), unit),
    ]
    volatile = bool(sign("volatile").search(fold(parts.user_text))) and not answers
    bare = _Reading(
        lang=reading.lang, units=reading.units, findings=(), claims=answers, evidence=(), terms=reading.terms, cross=()
    )
    chosen = choose(pool, parts.candidates, most_a_list=_ITEMS)
    queries = [x] if volatile else []
    return _object(bare, chosen, reason=words["plain_fact"], pool=[], queries=queries)


def _clarify(layer: Layer, stance: Stance, element: Element, question: str, unit: Unit) -> Candidate:
    return Candidate(
        question=question, layer=layer, stance=stance, element=element, weight=1.0, unit=unit.index, feature=question
    )


def _queries(reading: _Reading) -> list[str]:
    named = (unit.text for unit in reading.units if sign("volatile").search(fold(unit.text)))
    return [trim(text, "en")[:_MAX_CLAIM_CHARS] for text in islice(named, _QUERIES)]


def _object(
    reading: _Reading, chosen: Sequence[Candidate], *, reason: str, pool: Sequence[Candidate], queries: list[str]
) -> dict[str, Any]:
    ranked = sorted(pool, key=lambda candidate: -candidate.weight)
    texts = {
        "claims": _claim_texts(reading, chosen),
        "evidence": [unit.text for unit in reading.evidence],
        "tensions_input_internal": _texts("tensions_input_internal", chosen, ranked),
        "tensions_memory_cross": [tension.text for tension in reading.cross],
        "assumptions": _texts("assumptions", chosen, ranked),
        "frames": _texts("frames", chosen, ranked),
    }
    feature_map: dict[str, Any] = {"surface_terms": list(reading.terms), **texts}
    feature_map["tensions_memory_cross"] = [_cross(tension) for tension in reading.cross]
    return {
        "feature_map": feature_map,
        "search_decision": {"search_needed": bool(queries), "reason": reason, "queries": queries},
        "question_candidates": [_draft(candidate, texts) for candidate in chosen],
        "self_ranking": list(range(len(chosen))),
        "self_update_proposal": None,
        "tool_request": None,
    }


def _draft(candidate: Candidate, texts: Mapping[str, list[str]]) -> dict[str, str]:
    element = candidate.element
    return {
        "question": candidate.question,
        "target_layer": candidate.layer,
        "target_element": f"{element.list}[{texts[element.list].index(element.text)}]",
        "stance": candidate.stance,
    }


def _texts(name: str, chosen: Sequence[Candidate], others: Sequence[Candidate]) -> list[str]:
    """The items that a question digs at first, then the rest by weight, at most two of one feature."""
    found = dict.fromkeys(candidate.element.text for candidate in chosen if candidate.element.list == name)
    features = Counter(candidate.feature for candidate in chosen if candidate.element.list == name)
    for candidate in others:
        if len(found) >= _ITEMS:
            break
        element = candidate.element
        if element.list == name and element.text not in found and features[candidate.feature] < _SAME_FEATURE:
            found[element.text] = None
            features[candidate.feature] += 1
    return list(found)[:_ITEMS]


def _claim_texts(reading: _Reading, chosen: Sequence[Candidate]) -> list[str]:
    dug_at = [candidate.element.text for candidate in chosen if candidate.element.list == "claims"]
    return list(dict.fromkeys([*dug_at, *(unit.text for unit in reading.claims)]))[:_ITEMS]


def _cross(tension: CrossTension) -> dict[str, str]:
    return {
        "tension": tension.text,
        "memory_ref": tension.line.handle,
        "recorded_at": tension.line.date,
        "confidence": tension.confidence,
    }
