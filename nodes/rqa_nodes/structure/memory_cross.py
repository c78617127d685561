"""Does the input pull against something that was remembered?

Only items that were injected this turn are looked at, and the tension names the one it rests on by handle and by whose
words it is. An assistant item can never give more than low confidence: it is a guess, not evidence.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from rqa_checkpoints.provenance import SourceClass
from rqa_nodes.prompt_parts import MemoryLine
from rqa_nodes.structure.clause import quotable
from rqa_nodes.structure.contrast import MAX_READ, Contrast, ContrastKind, Marked, compare, mark
from rqa_nodes.structure.intent import Intent, classify, is_question
from rqa_nodes.structure.lexicon import Language, own_analysis, phrases
from rqa_nodes.structure.segment import Unit
from rqa_nodes.structure.text import coverage, weigh

__all__ = ["CrossTension", "cross_tensions"]

Confidence = Literal["high", "medium", "low"]

_KEYS: Final[Mapping[ContrastKind, str]] = {
    "number": "cross_number",
    "gap": "cross_number",
    "polarity": "cross_polarity",
    "exception": "cross_quantifier",
    "counter": "cross_counter",
    "open": "cross_open",
}
_SHARED_WEIGHT: Final = 6.0
"""Weight of the shared terms from which a statement is taken to be about an open question."""
_QUOTED: Final = re.compile(r"“([^”]*)”|「([^」]*)」")
_SURE: Final = 0.7
_FAIR: Final = 0.4
_ORDER: Final = ("high", "medium", "low")


@dataclass(frozen=True, slots=True, kw_only=True)
class CrossTension:
    """One tension between an injected item and a sentence of the input."""

    text: str
    line: MemoryLine
    unit: Unit
    confidence: Confidence
    question: str


def cross_tensions(units: Sequence[Unit], memory: Sequence[MemoryLine], lang: Language) -> list[CrossTension]:
    """At most one tension an item, surest first, items in the order in which they were injected."""
    marked = [mark(unit) for unit in units[:MAX_READ]] if memory else []
    found = [tension for line in memory if (tension := _strongest(line, marked, lang))]
    return sorted(found, key=lambda tension: _ORDER.index(tension.confidence))


def _strongest(line: MemoryLine, marked: Sequence[Marked], lang: Language) -> CrossTension | None:
    if is_question(line.text) and classify(line.text) is Intent.fact:
        return None  # what has one short answer is answered by such a sentence, and not passed over
    item = mark(Unit(text=_about(line)))
    contrasts = [c for m in marked if (c := _contrast(item, m)) and c.first.text != c.second.text]
    if not contrasts:
        return None
    best = max(contrasts, key=lambda c: c.strength)
    unit = best.second if best.first is item.unit else best.first
    swapped = best.first is not item.unit
    words = phrases(lang)
    key = _KEYS[best.kind]
    slots = {
        "a": quotable(line.text, lang),
        "b": quotable(unit.text, lang),
        "x": best.y if swapped else best.x,
        "y": best.x if swapped else best.y,
        "handle": line.handle,
        "who": words[f"who_{line.source.value}"].format(where=line.locator or line.author),
    }
    return CrossTension(
        text=words[key].format(**slots),
        line=line,
        unit=unit,
        confidence=_confidence(line, best),
        question=words["q_cross_open" if best.kind == "open" else "q_cross"].format(**slots),
    )


def _about(line: MemoryLine) -> str:
    """What a line says; of what this engine said about a text, the words of that text, and that it asked."""
    if line.source is not SourceClass.assistant or own_analysis().fullmatch(line.text.strip()) is None:
        return line.text
    quoted = " ".join("".join(groups) for groups in _QUOTED.findall(line.text))
    return f"{quoted}?" if is_question(line.text) else quoted


def _contrast(item: Marked, found: Marked) -> Contrast | None:
    if item.open:
        return _open_question(item, found)
    if found.open:
        return None
    return compare(item, found)


def _open_question(item: Marked, found: Marked) -> Contrast | None:
    contrast = compare(item, found)
    shared = item.terms & found.terms
    if contrast is None and weigh(shared) < _SHARED_WEIGHT:
        return None
    strength = contrast.strength if contrast else coverage(item.terms, shared)
    return Contrast(kind="open", first=item.unit, second=found.unit, strength=strength) if strength >= _FAIR else None


def _confidence(line: MemoryLine, contrast: Contrast) -> Confidence:
    if line.source is SourceClass.assistant:
        return "low"
    if (contrast.kind == "number" and contrast.strength >= _FAIR) or contrast.strength >= _SURE:
        return "high"
    return "medium" if contrast.strength >= _FAIR else "low"
