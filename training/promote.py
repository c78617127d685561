"""May this adapter be served?

Four gates, and none makes up for another. A: on the holdout it reads and cites at least as well as its base. B: it
still leaves plain inputs alone and still answers in words. C: its questions are no less varied. D: a person says so,
by name, and shows with the first digits of the adapter's hash that they looked at it. The decision is a line in the
home with the hashes of everything that led to it, and taking it back is one command.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, Final

from rqa_graph.promotion import PROMOTIONS, promoted_model, read_promotions, with_decision
from training.corpus import file_hash, read_json
from training.errors import CorpusError, RefusedError

__all__ = ["CONFIRM_CHARS", "Gate", "gates", "promote", "rollback"]

CONFIRM_CHARS: Final = 8
_LEAST_PARSED: Final = 0.95
_LEAST_INPUTS: Final = 10
"""Fewer inputs of a kind say nothing about it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Gate:
    """One condition."""

    name: str
    passed: bool
    why: str
    """What was compared, with the numbers."""


def gates(report: Mapping[str, Any]) -> tuple[Gate, ...]:
    """Gates A to C, from a report of `evaluate`.

    Raises:
        CorpusError: The report lacks an arm.
    """
    try:
        base, adapter = report["arms"]["base"], report["arms"]["adapter"]
        return tuple(_gates(base, adapter))
    except (KeyError, TypeError) as error:
        raise CorpusError(f"the report lacks {error}", hint="Make it with `python -m training evaluate`.") from error


def _gates(base: Mapping[str, Any], adapter: Mapping[str, Any]) -> list[Gate]:
    inputs = adapter["inputs"]
    return [
        Gate(name="A inputs", passed=inputs >= _LEAST_INPUTS and base["inputs"] == inputs, why=f"{inputs} inputs"),
        Gate(
            name="A schema",
            passed=adapter["parsed"] >= max(base["parsed"], _LEAST_PARSED * inputs),
            why=_said(base, adapter, "parsed"),
        ),
        _not_lower("A candidates", base, adapter, "kept"),
        _not_higher("A search", base, adapter, "search_mismatch"),
        _not_higher("A memory", base, adapter, "fabricated"),
        _not_lower("B restraint", base, adapter, "restraint"),
        _not_lower("B answers", base, adapter, "answers"),
        _not_lower("C diversity", base, adapter, "diverse"),
        _not_lower("C layers", base, adapter, "layer_bits"),
        _not_lower("C stances", base, adapter, "stance_bits"),
    ]


def _said(base: Mapping[str, Any], adapter: Mapping[str, Any], name: str) -> str:
    return f"{name}: base {base[name]}, adapter {adapter[name]}"


def _not_lower(gate: str, base: Mapping[str, Any], adapter: Mapping[str, Any], name: str) -> Gate:
    return Gate(name=gate, passed=adapter[name] >= base[name], why=_said(base, adapter, name))


def _not_higher(gate: str, base: Mapping[str, Any], adapter: Mapping[str, Any], name: str) -> Gate:
    return Gate(name=gate, passed=adapter[name] <= base[name], why=_said(base, adapter, name))


def promote(
    home: Path, *, report: Path, training: Path, model: str, approved_by: str, confirm: str, at: datetime
) -> dict[str, Any]:
    """Put a model into service in a home.

    Args:
        home: RQA_HOME; it must exist.
        report: `report.json` of `evaluate`.
        training: `training.json` of the run.
        model: The name under which it is served, as `--model` takes it.
        approved_by: Who says yes.
        confirm: The first digits of the adapter's hash.
        at: The time of the decision.

    Returns:
        The decision, as it is written.

    Raises:
        RefusedError: A gate is shut.
        CorpusError: A file cannot be read, or there is no home.
    """
    found, run = read_json(report), read_json(training)
    _refuse_shut(found)
    adapter = str(run.get("adapter", ""))
    if not adapter or found.get("adapter") != adapter:
        raise RefusedError(
            f"the report is about the adapter {found.get('adapter')!r}, the run made {adapter!r}",
            hint="Evaluate what this run made: `python -m training evaluate --training ...`.",
        )
    if not approved_by.strip() or confirm != adapter[:CONFIRM_CHARS]:
        raise RefusedError(
            "gate D: no person has approved it",
            hint=f"Look at the report, then give --approved-by NAME --confirm {adapter[:CONFIRM_CHARS]}.",
        )
    if not model.strip():
        raise RefusedError("the name of the served model is empty", hint="Give --model, such as ollama:rqa-gemma4.")
    return _decide(
        home,
        {
            "action": "promote",
            "at": at.isoformat(timespec="seconds"),
            "approved_by": approved_by.strip(),
            "model": model,
            "previous": promoted_model(home),
            "adapter": adapter,
            "corpus": run.get("corpus", ""),
            "base": run.get("config", {}).get("base", ""),
            "report": file_hash(report),
            "training": file_hash(training),
            "gates": [asdict(gate) for gate in gates(found)],
        },
    )


def _refuse_shut(report: Mapping[str, Any]) -> None:
    shut = [gate for gate in gates(report) if not gate.passed]
    if shut:
        said = "; ".join(f"{gate.name} ({gate.why})" for gate in shut)
        raise RefusedError(f"{len(shut)} gates are shut: {said}", hint="Nothing was changed.")


def rollback(home: Path, *, approved_by: str, at: datetime) -> dict[str, Any]:
    """Serve again what was served before the last promotion that still stands.

    Raises:
        RefusedError: Nothing is promoted, or nobody says so.
    """
    standing = _standing(read_promotions(home))
    if not standing:
        raise RefusedError(f"nothing is promoted in {str(home)!r}", hint="The settings decide which model is served.")
    if not approved_by.strip():
        raise RefusedError("nobody said who rolls back", hint="Give --approved-by NAME.")
    return _decide(
        home,
        {
            "action": "rollback",
            "at": at.isoformat(timespec="seconds"),
            "approved_by": approved_by.strip(),
            "model": standing[-1]["previous"],
            "taken_back": standing[-1]["model"],
        },
    )


def _standing(decisions: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """The promotions that no rollback took back; each rollback takes the newest that stands."""
    standing: list[Mapping[str, Any]] = []
    for decision in decisions:
        if decision["action"] == "promote":
            standing.append(decision)
        elif standing:
            standing.pop()
    return standing


def _decide(home: Path, decision: Mapping[str, Any]) -> dict[str, Any]:
    """Add the line; what stood there stays, and a line is whole or not there."""
    if not home.is_dir():
        raise CorpusError(f"{str(home)!r} is no folder", hint="Name the RQA_HOME that serves.")
    text = with_decision(decision, home)
    path = home / PROMOTIONS
    beside = path.with_name(f"{PROMOTIONS}.new")
    try:
        with beside.open("w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        beside.replace(path)
    except OSError as error:
        raise CorpusError(f"{str(path)!r} cannot be written: {error.strerror or error}") from error
    return read_promotions(home)[-1]
