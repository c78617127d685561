"""Which of the answers is the best, and what is its score?

Each answer is weighed; the one with the most of its claims carried by sources leads, then the reviewer's marks. A
reviewer that vetoes an answer takes it out of the choice while there is another one.
"""

from __future__ import annotations

from typing import Any

from rqa_nodes.deliberate.judge import shuffled
from rqa_nodes.deliberate.ports import Inquiry
from rqa_nodes.deliberate.score import caps, gi, parts
from rqa_nodes.deliberate.state import DeliberationState, found_of
from rqa_nodes.deliberate.weigh import Weighed, weigh_answer

__all__ = ["score"]


def score(state: DeliberationState, inquiry: Inquiry) -> dict[str, Any]:
    """Weigh the answers and choose one."""
    verdict, sources = state["verdict"], [found_of(row) for row in state["sources"]]
    weighed = [
        weigh_answer(
            row["text"],
            engine=row["engine"],
            sources=sources,
            candidates=state["candidates"],
            verdict=verdict,
            guard=inquiry.guard,
            lang=state["run"]["lang"],
        )
        for row in shuffled(state["candidates"], state["run"]["id"])
    ]
    if not weighed:
        return {"chosen": {}, "counted": {}, "gi": 0, "caps": ["no_answer"]}
    best = max(weighed, key=_rank)
    return {
        "chosen": {"engine": best.engine, "text": best.text, "spans": dict(best.spans)},
        "counted": best.counted.attested(),
        "gi": gi(best.counted),
        "caps": list(caps(best.counted)),
    }


def _rank(one: Weighed) -> tuple[bool, int, int, int]:
    """Without a veto, with the most claims that are carried, with the best marks; a short one before a long one."""
    found = parts(one.counted)
    return not one.counted.vetoes, found["support"], found["reviewer"], -len(one.text)
