"""What did real turns leave that a generator can learn from?

Telemetry says which rounds were scored and how; it holds no word. The words are in the checkpoints and the log of the
home, and only a round that is in both counts, so what a person erased is gone from here too. One person's turns are
read: the one that the settings name. What comes out waits for a person's review.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from langchain_core.messages import BaseMessage

from rqa_graph import Injected
from rqa_graph.opened import OpenHome, open_home
from rqa_graph.settings import Settings
from rqa_graph.telemetry import TELEMETRY_FILE, read_telemetry
from rqa_nodes.facts import DIGEST_KEY, current_message
from rqa_nodes.reflect.budgets import Budgets
from training.corpus import Example
from training.errors import CorpusError

__all__ = ["Records", "ScoredRound", "read_records"]

PENDING: Final = "pending"
GOOD: Final = 30
"""Total of 40 from which the loop itself stops: what its best question reached makes a round worth teaching."""
_PANEL_LEVEL: Final = 3
"""Below it a reflection has the budget of a side question."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoredRound:
    """One round: what was asked of the generator, what it wrote, and how the selector scored it."""

    example: Example
    scores: Mapping[int, int]
    """Total of 40 by index of the question."""

    @property
    def best(self) -> int:
        """The highest total."""
        return max(self.scores.values(), default=0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Records:
    """What a home holds."""

    rounds: tuple[ScoredRound, ...]
    left_out: Mapping[str, int] = field(default_factory=dict)
    """Scored rounds that cannot be used, by reason."""


def read_records(home: Path) -> Records:
    """The scored first rounds of the turns in a home.

    Args:
        home: RQA_HOME of an installation; it is opened like for a turn, so no other process may hold it.

    Raises:
        CorpusError: There is no home.
        HomeLockedError: Another process holds it.
    """
    if not (home / TELEMETRY_FILE).is_file():
        raise CorpusError(
            f"{str(home)!r} has no {TELEMETRY_FILE}", hint="Name the RQA_HOME of an installation that answered turns."
        )
    settings = Settings.load(home=home, overrides={"models": {"chat": "builtin"}})
    with open_home(settings) as opened:
        return collect(opened)


def collect(home: OpenHome) -> Records:
    """The same, of a home that is open."""
    lines = read_telemetry(home.settings.home / TELEMETRY_FILE)
    scored = {(line["turn"], line["round"]): line for line in lines if line["kind"] == "round" and line.get("scores")}
    words = dict(_states(home, scored))
    left_out = Counter({"no_words": len(scored.keys() - words.keys())})
    rounds = []
    for key, state in words.items():
        reason = _unusable(state, key[1])
        if reason:
            left_out[reason] += 1
            continue
        scores = {row["index"]: row["total"] for row in scored[key]["scores"]}
        rounds.append(ScoredRound(example=_example(home, state), scores=scores))
    return Records(rounds=tuple(rounds), left_out={name: count for name, count in left_out.items() if count})


def _states(home: OpenHome, scored: Mapping[Any, Any]) -> Iterator[tuple[tuple[str, int], Mapping[str, Any]]]:
    """For each scored round of this person the newest state that still holds its analysis."""
    seen = set()
    own = (home.scope.tenant, home.scope.user)
    for kept in home.saver.list(None):
        state = kept.checkpoint["channel_values"]
        turn, rows = state.get("turn") or {}, state.get("rounds") or []
        key = (turn.get("turn_id", ""), len(rows))
        whole = rows and state.get("analysis") and "evaluation" in rows[-1]
        if key in scored and key not in seen and whole and (turn["tenant"], turn["user"]) == own:
            seen.add(key)
            yield key, state


def _unusable(state: Mapping[str, Any], number: int) -> str:
    row, message = state["rounds"][-1], _message(state)
    reasons = (
        ("later_round", number > 1),
        ("documents", bool(state.get("documents"))),
        ("tools", any(tool["items"] for tool in state.get("tools", []))),
        ("repaired", bool(row.get("stripped"))),
        ("no_input", message is None or not message.text.strip()),
        ("long_input", message is not None and bool(message.additional_kwargs.get(DIGEST_KEY))),
    )
    return next((reason for reason, holds in reasons if holds), "")


def _message(state: Mapping[str, Any]) -> BaseMessage | None:
    messages = state.get("messages", [])
    position = current_message(messages, state["turn"]["message_id"])
    return messages[position] if position >= 0 else None


def _example(home: OpenHome, state: Mapping[str, Any]) -> Example:
    turn, message = state["turn"], _message(state)
    fragments = _fragments(home, state["route"])
    ids = [ref["id"] for ref in state.get("injected", [])][:fragments]
    analysis = state["analysis"]
    return Example(
        id=f"turn-{turn['turn_id']}",
        lang=turn["lang"],
        source=f"turn: {turn['turn_id']}",
        date=turn["recorded_at"][:10],
        review=PENDING,
        candidates=len(analysis["question_candidates"]),
        user_text=message.text if message else "",
        memory=tuple(
            Injected(
                handle=node.handle,
                source=node.source.value,
                text=node.text,
                author=node.author,
                date=node.recorded_at[:10],
                locator=node.locator,
            )
            for node in home.memory.get(ids, scope=home.scope)
        ),
        assistant=json.dumps(analysis, ensure_ascii=False),
    )


def _fragments(home: OpenHome, route: Mapping[str, Any]) -> int:
    budgets = Budgets.from_mapping(home.settings.budget_config())
    return (budgets.named(route["budget"]) if route["level"] == _PANEL_LEVEL else budgets.side).fragments
