"""What is kept of a turn for figures, and none of its words?

One line a round of reflection and one a published part, as plain JSON: numbers, ids of turns, names from closed sets.
No word of a person, a model or a document is in them; the turn's id leads to the words in the log, which can be erased.
A turn that is resumed may give a line twice: (turn, kind, round or part) names a line, and the later one counts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, Final, Protocol

from rqa_nodes.state import State
from rqa_nodes.tools.status import ToolStatus

__all__ = ["SCHEMA", "NoTelemetry", "Telemetry", "part_line", "round_lines"]

SCHEMA: Final = "rqa.telemetry/1"

_COPIED: Final = (
    "round",
    "engine",
    "completions",
    "evaluator_calls",
    "failed",
    "candidates",
    "kept",
    "layers",
    "stances",
    "issues",
    "shortlist",
    "chosen",
    "degraded",
    "violations",
)
"""What a line takes from the state's row as it is; what a round never reached is absent."""


class Telemetry(Protocol):
    """Where lines go. Keeping them never fails a turn."""

    def record(self, lines: Sequence[Mapping[str, Any]]) -> None:
        """Keep the lines, in order."""


class NoTelemetry:
    """Keeps nothing."""

    def record(self, lines: Sequence[Mapping[str, Any]]) -> None:
        """Forget them."""


def round_lines(state: State, *, at: datetime) -> list[dict[str, Any]]:
    """One line a round of a reflection that is over: what was drafted, what was left of it, and why it stopped.

    The last one says how the reflection ended: its stop reason, whether its question was adopted (shown to the person),
    its score and that of the candidate that would have been shown without a selection, and whether it uses memory.

    Args:
        state: The state after the reflection's part was published.
        at: The time of the record.
    """
    rounds = state.get("rounds", [])
    lines = [_round_line(state, row, at) for row in rounds]
    if lines:
        lines[-1] |= _ending(state, rounds)
    return lines


def part_line(
    state: State, *, part: str, at: datetime, found: Mapping[str, Any], left: Mapping[str, int]
) -> dict[str, Any]:
    """One line a published part: how deep, how long, and what the verifier found.

    Args:
        state: The state after the part was published; its question is why one may not follow, or what it was worth.
        part: "fixed", "answer" or "question".
        at: The time of the record.
        found: The report of the check of the author's own words.
        left: Claims by kind that had to be changed when the checked text was checked again.
    """
    route, fixed = state["route"], state["turn"]
    begun = (part == "question" and state.get("reflection_started")) or fixed["recorded_at"]
    return {
        **_named("part", fixed["turn_id"], at),
        "part": part,
        "level": route["level"],
        "mode": route["mode"],
        "reason": route["reason"],
        "budget": route["budget"],
        "lang": fixed["lang"],
        "engine": state.get("engine", ""),
        "seconds": round((at - datetime.fromisoformat(begun)).total_seconds(), 3),
        "degraded": state.get("degraded_reason", ""),
        "injected": len(state.get("injected", [])),
        "withheld": len(state.get("withheld", [])),
        "tools": [_tool_figures(row) for row in state.get("tools", [])],
        "found": dict(found.get("counts", {})),
        "left": dict(left),
        "question": state.get("question_reason", ""),
    }


def _tool_figures(row: Mapping[str, Any]) -> dict[str, Any]:
    """What a lookup was and brought; a name that no tool has is a model's word, and stays out."""
    name = row["tool"] if row["status"] != ToolStatus.not_enabled else ""
    kept = {key: row[key] for key in ("by", "status", "withheld", "leaves", "seconds")}
    return {"tool": name, **kept, "items": len(row["items"])}


def _named(kind: str, turn_id: str, at: datetime) -> dict[str, Any]:
    return {"schema": SCHEMA, "kind": kind, "at": at.isoformat(timespec="milliseconds"), "turn": turn_id}


def _round_line(state: State, row: Mapping[str, Any], at: datetime) -> dict[str, Any]:
    route = state["route"]
    return {
        **_named("round", state["turn"]["turn_id"], at),
        "level": route["level"],
        "budget": route["budget"],
        **{name: row[name] for name in _COPIED if name in row},
        "dropped": _by(drop["reason"] for drop in row.get("dropped", [])),
        "scores": [dict(score) for score in row.get("evaluation", {}).get("scores", [])],
        "injected": len(state.get("injected", [])),
        "withheld": len(state.get("withheld", [])),
        "stripped": _by(verdict["kind"] for verdict in row.get("stripped", [])),
    }


def _ending(state: State, rounds: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    best: Mapping[str, Any] = state.get("best") or {}
    return {
        "stop": state.get("stop_reason", ""),
        "adopted": state.get("question") is not None,
        "score": best.get("score"),
        "single_shot": _single_shot(rounds[0]),
        "uses_memory": str(best.get("target", "")).startswith("tensions_memory_cross"),
    }


def _single_shot(row: Mapping[str, Any]) -> int | None:
    """The score of what the generator itself put first, in the first round; None if nobody scored it."""
    first = next(iter(row.get("shortlist", [])), None)
    scores = row.get("evaluation", {}).get("scores", [])
    return next((score["total"] for score in scores if score["index"] == first), None)


def _by(names: Iterable[str]) -> dict[str, int]:
    return dict(Counter(names))
