"""How is a recall shown: the items, what each score is made of, what use changed, and what was held back?"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from rqa_checkpoints.dormant import Dormant
from rqa_checkpoints.provenance import (
    Factor,
    HeldBack,
    Recall,
    RecalledItem,
    RoutingHint,
    ScoreBreakdown,
    TrainingDelta,
)
from rqa_graph.cli.items import Answers, show_items, who_said
from rqa_graph.cli.output import Output
from rqa_graph.messages import say

__all__ = ["breakdown_line", "delta_lines", "read_delta", "show_dormant", "show_recall"]

_MOVERS: Final = 3
"""Largest gains that a text names; JSON has them all."""


def read_delta(turn: Mapping[str, Any]) -> TrainingDelta | None:
    """What the uses of a turn have changed, from what the turn left; None where use does not count."""
    if not turn:
        return None
    return TrainingDelta(mass_changes=turn.get("applied", {}), applied=True, passive=False)


def show_dormant(out: Output, sample: Dormant, answers: Answers) -> None:
    """A sample of dormant items, with what it was drawn from."""
    show_items(out, sample.items, answers)
    counts = {"eligible": sample.eligible, "population": sample.population}
    out.note(
        say("recall.dormant", out.lang, **counts, cut=f"{sample.cut:.2f}", days=sample.idle_days, seed=sample.seed)
    )


def show_recall(
    out: Output, *, found: Recall, delta: TrainingDelta | None, explain: bool, beside: bool, answers: Answers
) -> None:
    """A recall for people."""
    lang = out.lang
    columns = [say(f"memory.{name}", lang) for name in ("handle", "source", "score", "why", "text")]
    if found.items:
        out.table(columns, [_row(item, lang, answers) for item in found.items])
    else:
        out.text(say("memory.none", lang))
    if explain:
        _explain(out, found)
    hint = found.routing_hint
    if hint is not None and hint.pattern_matched:
        out.text(_hint_line(hint, lang))
    for line in delta_lines(delta, _handles(found), lang):
        out.text(line)
    if found.mode == "lexical":
        out.note(say("memory.lexical_beside" if beside else "memory.lexical_embedder", lang))


def _row(item: RecalledItem, lang: str, answers: Answers) -> list[str]:
    node, reason = item.node, item.reason
    why = f"{say(f'reason.{reason.value}', lang)} ({_measures(item, lang)})" if reason else item.why
    return [node.handle, who_said(node, lang, answers), f"{item.score:.4f}", why, node.text]


def _measures(item: RecalledItem, lang: str) -> str:
    """What the two sides of the search measured, in words."""
    rows = (("recall.cosine", item.cosine, 3), ("recall.words", item.lexical or None, 2))
    said = [f"{say(name, lang)} {value:.{digits}f}" for name, value, digits in rows if value is not None]
    return ", ".join(said) or item.why


def _handles(found: Recall) -> dict[str, str]:
    return {item.node.id: item.node.handle for item in found.items}


def _explain(out: Output, found: Recall) -> None:
    lang = out.lang
    lines = [(item.node.handle, item.breakdown) for item in found.items if item.breakdown is not None]
    if lines:
        out.text(say("recall.scores", lang))
    for handle, own in lines:
        out.text(f"  {handle}  {breakdown_line(own, lang)}")
    out.text(say("recall.held" if found.held_back else "recall.none_held", lang))
    for held in found.held_back:
        factor = say(f"factor.{held.factor.value}", lang) if held.factor else held.reason
        out.text(f"  {held.handle}  {factor}{_measure(held, lang)}: {held.text}")
        if held.breakdown is not None:
            out.text(f"          {breakdown_line(held.breakdown, lang)}")


def _measure(held: HeldBack, lang: str) -> str:
    """What the item had, and from where on it would have been listed; "" where no threshold decided."""
    if held.needed is None:
        return ""
    unit = "cosine" if held.factor is Factor.floor else "score"
    had = say("recall.no_cosine", lang) if held.had is None else f"{held.had:.3f}"
    return say(f"recall.threshold_{unit}", lang, had=had, needed=f"{held.needed:.3f}")


def breakdown_line(own: ScoreBreakdown, lang: str) -> str:
    """A score as the sum that it is, on one line."""
    terms = {
        "recall.use": own.mass_boost,
        "recall.certainty": own.certainty_term,
        "recall.persona": own.persona_term,
    }
    added = "".join(f" + {say(name, lang)} {value:.3f}" for name, value in terms.items() if value)
    nearness = f"{say('recall.relevance', lang)} {own.relevance:.3f} × {say('recall.age', lang)} {own.decay_factor:.2f}"
    shown = "" if own.saturation == 1 else f" × {say('recall.shown', lang)} {own.saturation:.2f}"
    whole = f"({nearness}{added}){shown}" if shown else f"{nearness}{added}"
    share = say("recall.share", lang, percent=f"{100 * own.semantic_share:.0f}")
    return f"{own.expected_sum:.4f} = {whole}; {share}"


def _hint_line(hint: RoutingHint, lang: str) -> str:
    line = say("recall.routed", lang, aspect=say(f"aspect.{hint.aspect}", lang))
    return f"{line} {hint.reflect_summary if hint.listed else say('recall.none_listed', lang)}"


def delta_lines(delta: TrainingDelta | None, handles: Mapping[str, str], lang: str) -> list[str]:
    """What use changed; nothing is said where nothing could change."""
    if delta is None or (delta.passive and not delta.cache_hit):
        return []
    if delta.cache_hit:
        return [say("recall.kept", lang)]
    largest = sorted(delta.mass_changes.items(), key=lambda row: (-row[1], row[0]))[:_MOVERS]
    movers = ", ".join(f"{handles.get(name, name)} +{gain:.3f}" for name, gain in largest)
    key = "recall.applied" if delta.applied else "recall.planned"
    line = say(key, lang, count=len(delta.mass_changes))
    return [f"{line} {movers}" if movers else line]
