"""How is light input answered at once?

`rqa ask "hello"` needs the router's table and nothing else: no option parser, no graph, no memory, no model. The same
table decides in the graph, so a surface that skips this shortcut says the same words.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rqa_graph.cli.output import Output
from rqa_graph.errors import ExitCode
from rqa_graph.resources import home_path, load_config

if TYPE_CHECKING:
    from rqa_nodes.route import Route, Router

__all__ = ["answer_fixed", "answer_light", "fixed_fields", "open_router"]


def answer_light(args: Sequence[str]) -> int | None:
    """Answer `ask TEXT [--json]` if the text is light; None if it is anything else, which then takes the usual way."""
    words = [arg for arg in args if arg != "--json"]
    if len(words) != 2 or words[0] != "ask" or words[1].startswith("-"):
        return None
    from rqa_graph.inputs import check_text  # with the rules, a sixth of what a command like `rqa token` loads

    route = open_router(home_path()).route(check_text(words[1]))
    if route.level != 0:
        return None
    return answer_fixed(route, Output("ask", as_json="--json" in args))


def open_router(home: Path) -> Router:
    """The router with the table of this home, or the shipped one."""
    from rqa_nodes.route import Router

    return Router.from_rules(load_config("router", home))


def answer_fixed(route: Route, output: Output) -> int:
    """Say what the table says."""
    output.result(fixed_fields(route), lambda out: out.text(route.reply))
    return ExitCode.ok


def fixed_fields(route: Route) -> dict[str, Any]:
    """What a level-0 turn returns as JSON: the same as from the graph, but no thread was opened and no turn counted."""
    report = {
        "text": route.reply,
        "verdicts": [],
        "cited": [],
        "injected_not_cited": [],
        "counts": {},
        "before_hash": hashlib.sha256(route.reply.encode()).hexdigest(),
        "part": "fixed",
    }
    return {
        "text": route.reply,
        "lang": route.lang,
        "level": route.level,
        "mode": route.mode,
        "reason": route.reason,
        "budget": route.budget,
        "question": None,
        "question_reason": "not_routed",
        "panel": None,
        "report": report,
        "memory": {"injected": [], "cited": [], "written": []},
        "withheld": [],
        "stop_reason": "",
        "degraded": False,
        "degraded_reason": "",
        "stored": True,
        "engine": "",
        "notice": "",
        "thread": "",
        "turn": "",
        "rounds": [],
        "tools": [],
        "training_delta": {},
    }
