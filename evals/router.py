"""How often does the router find the level that people would give, and the same one in both languages?

Runs the labelled pairs of `evals/datasets/router.*.jsonl` through the shipped rules and through two baselines in the
same run: the length of the input alone, with the cuts that suit the tuning half best, and level 1 for everything. An
item is exact if level and mode are those of its label; a pair is the same if level, mode, budget and side question are
equal in English and Japanese. Half of the pairs, chosen by the hash of their id, may be looked at while rules are
written; the other half is reported beside it.

Run: python -m evals.router [--missed] [--write]
"""

from __future__ import annotations

import argparse
import itertools
import statistics
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, NamedTuple

from evals.suite import DATASETS, HALVES, Half, half, read_rows, report
from rqa_graph.resources import load_config
from rqa_nodes.route import Router

__all__ = ["Item", "length_arm", "load", "main", "run"]

_LANGS: Final = ("en", "ja")
_MODES: Final = {1: "direct", 2: "guided", 3: "instrument"}
_CUTS: Final = (4, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384)
"""Lengths in characters at which the length-only baseline may change its level."""
_LIGHT: Final = (0, 1)
_REPEATS: Final = 5


class Decision(NamedTuple):
    """What an arm says of one input; the modes of level 0 are told apart by the router alone."""

    level: int
    mode: str
    budget: str = ""
    side_question: bool = False


Arm = Callable[[str], Decision]


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """One labelled input."""

    id: str
    pair: str
    lang: str
    form: str
    text: str
    level: int
    mode: str

    @property
    def half(self) -> Half:
        """Whether rules may be tuned on it; both languages of a pair are in the same half."""
        return half(self.pair)


def load(folder: Path = DATASETS) -> list[Item]:
    """All items, English first."""
    return [Item(**row) for lang in _LANGS for row in read_rows(folder / f"router.{lang}.jsonl")]


def _router_arm(router: Router) -> Arm:
    def decide(text: str) -> Decision:
        found = router.route(text)
        return Decision(found.level, found.mode, found.budget or "", found.side_question)

    return decide


def _level_one(text: str) -> Decision:
    del text
    return Decision(1, _MODES[1])


def length_arm(items: Sequence[Item]) -> Arm:
    """The best that the length alone can do: three cuts, chosen for the most exact levels of `items`."""
    lengths = [(len(item.text), item.level) for item in items]

    def right(cuts: tuple[int, ...]) -> int:
        return sum(_by_length(length, cuts) == level for length, level in lengths)

    cuts = max(itertools.combinations(_CUTS, 3), key=right)

    def decide(text: str) -> Decision:
        level = _by_length(len(text), cuts)
        return Decision(level, _MODES.get(level, "fixed"))

    return decide


def _by_length(length: int, cuts: Sequence[int]) -> int:
    return sum(length > cut for cut in cuts)


def run(items: Sequence[Item], router: Router) -> dict[str, Any]:
    """Score every arm on every item.

    Returns:
        By half and arm: for each language how many items were exact, within one level, and light but at level 3, of how
        many; and how many pairs got one decision. And the microseconds of one decision, median and 99th percentile.
    """
    arms: dict[str, Arm] = {
        "router": _router_arm(router),
        "length only": length_arm([item for item in items if item.half == "tune"]),
        "always level 1": _level_one,
    }
    halves = {name: [item for item in items if item.half == name] for name in HALVES}
    rows = {half: {name: _scores(found, arm) for name, arm in arms.items()} for half, found in halves.items()}
    return {"suite": "router", "pairs": len(items) // 2, "rows": rows, "microseconds": _cost(items, arms["router"])}


def _scores(items: Sequence[Item], arm: Arm) -> dict[str, Any]:
    found = {item.id: arm(item.text) for item in items}
    pairs: dict[str, set[Decision]] = {}
    for item in items:
        pairs.setdefault(item.pair, set()).add(found[item.id])
    scores: dict[str, Any] = {
        lang: _counts([(item, found[item.id]) for item in items if item.lang == lang]) for lang in _LANGS
    }
    return {**scores, "same": sum(len(decisions) == 1 for decisions in pairs.values()), "pairs": len(pairs)}


def _counts(rows: Sequence[tuple[Item, Decision]]) -> dict[str, int]:
    return {
        "exact": sum(_is_exact(item, decision) for item, decision in rows),
        "within_one": sum(abs(item.level - decision.level) <= 1 for item, decision in rows),
        "light_at_3": sum(item.level in _LIGHT and decision.level == 3 for item, decision in rows),
        "of": len(rows),
    }


def _is_exact(item: Item, decision: Decision) -> bool:
    return (decision.level, decision.mode) == (item.level, item.mode)


def _cost(items: Sequence[Item], arm: Arm) -> dict[str, float]:
    """Each text several times, the median of each; a first pass warms what is compiled lazily."""
    times: list[float] = []
    for item in items:
        arm(item.text)
        times.append(statistics.median(_clocked(arm, item.text) for _ in range(_REPEATS)))
    times.sort()
    return {"median": round(statistics.median(times), 1), "p99": round(times[int(0.99 * (len(times) - 1))], 1)}


def _clocked(arm: Arm, text: str) -> float:
    start = time.perf_counter()
    arm(text)
    return (time.perf_counter() - start) * 1e6


def _missed(items: Sequence[Item], router: Router) -> Iterator[str]:
    for item in items:
        found = router.route(item.text)
        if item.half == "tune" and (found.level, found.mode) != (item.level, item.mode):
            yield f"{item.id} {item.form} {item.level} -> {found.level} {found.mode} {found.reason} | {item.text!r}"


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the result as JSON, or the items of the tuning half that were not right."""
    parser = argparse.ArgumentParser(description="Measure the router on labelled pairs.")
    parser.add_argument("--missed", action="store_true", help="list what was wrong in the tuning half")
    parser.add_argument("--write", action="store_true", help="write evals/results/router.json instead of printing")
    given = parser.parse_args(arguments)
    items, router = load(), Router.from_rules(load_config("router"))
    if given.missed:
        print("\n".join(_missed(items, router)))
        return 0
    report(run(items, router), command="python -m evals.router --write", write=given.write)
    return 0


if __name__ == "__main__":
    sys.exit(main())
