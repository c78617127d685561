"""How often does the router find the level that people would give, and the same one in both languages?

Runs the labelled pairs of `evals/datasets/router.*.jsonl` through the shipped rules and through two baselines: the
length of the input alone, with the cuts that suit the tuning half best, and level 1 for everything. An item is exact if
level and mode are those of its label; a pair is the same if level, mode, budget and side question are equal in English
and Japanese. Half of the pairs, chosen by the hash of their id, may be looked at while rules are written; the other
half is reported beside it.
"""

from __future__ import annotations

import itertools
import statistics
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, NamedTuple

from evals.markdown import table
from evals.runner.declare import Arm, Case, Count, Output, Plan, Scorer, Suite
from evals.runner.figures import Cells
from evals.runner.rows import Row
from evals.runner.setup import Setup
from evals.suite import DATASETS, Half, half, head, read_rows
from rqa_graph.resources import load_config
from rqa_nodes.route import Router

__all__ = ["SUITE", "Item", "length_rule", "load", "plan"]

_LANGS: Final = {"en": "English", "ja": "Japanese"}
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


Rule = Callable[[str], Decision]


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


def shipped() -> Rule:
    """The router with the rules that ship."""
    router = Router.from_rules(load_config("router"))

    def decide(text: str) -> Decision:
        found = router.route(text)
        return Decision(found.level, found.mode, found.budget or "", found.side_question)

    return decide


def _level_one(_text: str) -> Decision:
    return Decision(1, _MODES[1])


def length_rule(items: Sequence[Item]) -> Rule:
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


def plan(items: Sequence[Item], rule: Rule) -> Plan:
    """Every pair by every rule."""
    pairs: dict[str, dict[str, Item]] = {}
    for item in items:
        pairs.setdefault(item.pair, {})[item.lang] = item
    return Plan(
        cases=[Case(id=name, data=both, tags={"half": half(name)}) for name, both in pairs.items()],
        arms=[
            _arm("router", rule, baseline=False),
            _arm("length only", length_rule([item for item in items if item.half == "tune"]), baseline=True),
            _arm("always level 1", _level_one, baseline=True),
        ],
        scorers=[
            *(Scorer(name=f"exact, {name}", score=_in(lang, _is_exact)) for lang, name in _LANGS.items()),
            Scorer(name="within one level", score=_in("", _is_within_one), hard="always"),
            Scorer(name="light input at level 3", score=_in("", _is_light_at_3), hard="never"),
            Scorer(name="one decision in both", score=lambda _case, output: output["en"] == output["ja"]),
        ],
        metrics={
            "microseconds, median": lambda rows: _cost(rows, 0.5),
            "microseconds, p99": lambda rows: _cost(rows, 0.99),
        },
        by=[("half",)],
    )


def _arm(name: str, rule: Rule, *, baseline: bool) -> Arm:
    def run(case: Case, _seed: int) -> Output:
        found: dict[str, Any] = {lang: list(rule(item.text)) for lang, item in case.data.items()}
        # Each text several times: a first pass warms what is compiled lazily.
        found["microseconds"] = [
            round(statistics.median(_clocked(rule, item.text) for _ in range(_REPEATS)), 1)
            for item in case.data.values()
        ]
        return found

    return Arm(name=name, run=run, baseline=baseline)


def _clocked(rule: Rule, text: str) -> float:
    start = time.perf_counter()
    rule(text)
    return (time.perf_counter() - start) * 1e6


def _cost(rows: Sequence[Row], share: float) -> float | None:
    times = sorted(spent for row in rows for spent in (row.output or {}).get("microseconds", ()))
    return times[int(share * (len(times) - 1))] if times else None


def _in(lang: str, holds: Callable[[Item, Sequence[Any]], bool]) -> Callable[[Case, Output], Count]:
    """How many items of a pair it holds for, of those of one language, or of both."""

    def score(case: Case, output: Output) -> Count:
        rows = [(item, output[name]) for name, item in case.data.items() if lang in ("", name)]
        return Count(sum(holds(item, found) for item, found in rows), len(rows))

    return score


def _is_exact(item: Item, found: Sequence[Any]) -> bool:
    return (item.level, item.mode) == tuple(found[:2])


def _is_within_one(item: Item, found: Sequence[Any]) -> bool:
    return abs(item.level - int(found[0])) <= 1


def _is_light_at_3(item: Item, found: Sequence[Any]) -> bool:
    return item.level in _LIGHT and found[0] == 3


def _open(_setup: Setup) -> Plan:
    return plan(load(), shipped())


_CAPTION: Final = (
    "labelled pairs in English and Japanese, written by us. By now all of them have been looked at while rules were "
    "written: the rows of first contact say how the router does on new input, the others what it must not lose."
)
_COLUMNS: Final = ("exact, English", "exact, Japanese", "within one level", "light input at level 3")
_NOW: Final = {"tune": "tuning half, now", "report": "report half, now"}


def _readme(found: Mapping[str, Any], others: Mapping[str, Any]) -> str:
    """What it got right at first contact, before anybody had looked at the items with the rules, and what it does now.

    The first says how it does on new input; the second is what later rules must not lose.
    """
    result = found["result"]
    cells = Cells(result)
    rows = list(_first_contacts(others["router_blind"]["result"])) if "router_blind" in others else []
    rows += [_row(cells, label, "router", half=name) for name, label in _NOW.items()]
    rows += [_row(cells, f"baseline: {name}", name) for name in ("length only", "always level 1")]
    median, p99 = (cells.value("router", f"microseconds, {name}") for name in ("median", "p99"))
    caption = (
        f"{head(found)}: {result['cases']} {_CAPTION} One decision takes {median:.0f} microseconds (median; "
        f"p99 {p99:.0f})."
    )
    shown = ("within one level, both", "light input at level 3, both", "one decision in both languages")
    return table(caption, ["", *_COLUMNS[:2], *shown], rows)


def _row(cells: Cells, label: str, arm: str, **tags: str) -> list[Any]:
    light = cells.figure(arm, "light input at level 3", **tags)["hits"]
    counts = [cells.counts(arm, name, **tags) for name in (*_COLUMNS[:3], "one decision in both")]
    return [label, *counts[:3], light, counts[3]]


def _first_contacts(result: Mapping[str, Any]) -> Iterator[list[Any]]:
    for row in result["rows"]:
        of = row["of"]
        exact = [f"{row[lang]['exact']}/{of}" for lang in _LANGS]
        within, light = (sum(row[lang][name] for lang in _LANGS) for name in ("within_one", "light_at_3"))
        yield [f"first contact: {row['what']}", *exact, f"{within}/{2 * of}", light, f"{row['same']}/{of}"]


SUITE: Final = Suite(
    name="router",
    about="How often the router finds the level that people gave, and the same one in both languages.",
    open=_open,
    readme=_readme,
)
