"""Does any reply crash the verifier, slip past it, or change at a second look?

Replies are drawn from the labelled corpora and mutated (`_fuzz_replies`), and each answer is checked by rules that are
not the verifier's own (`_fuzz_checks`): no crash; no id that was not given is left; a false claim that is taken out as
it stands is taken out in a longer text and in disguise; a second look changes nothing; a stream in random chunks gives
the same report as the whole. Reply n of a seed is always the same, so that a failure can be repeated (`--only`), the
work can be shared, and a run that was stopped goes on where it was (`--state`).

Run: python -m evals.fuzz --replies 1000000 --seed 7 --write
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import random
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Final, NamedTuple

from evals._fuzz_checks import failures
from evals._fuzz_replies import Reply, draw_reply
from evals.suite import report, revision
from evals.suites.guard import Item, load
from rqa_graph import verify

__all__ = ["Tally", "main", "run", "tally"]

_CHUNK: Final = 1000
"""Replies that one process takes at a time; the state is written after each."""

_SHOWN: Final = 20
"""Failures that are kept with their words."""

_FRAMES: Final = frozenset(':,"“「『（(-*>#|`~[')
"""What may open a frame (a letter, a quotation, a list), in which words are not the assistant's own."""


class _Corpus(NamedTuple):
    bad: list[Item]
    """Items with a false claim that the verifier takes out as they stand."""
    items: list[Item]
    plain: list[Item]


class Tally(NamedTuple):
    """What came of some replies."""

    kinds: Counter[str]
    """How many replies a kind of mutation had a part in."""
    failed: list[dict[str, Any]]
    """Number, mutations, words and what is wrong."""


@cache
def _corpus() -> _Corpus:
    items = load()
    bad = [item for item in items if not item.plain and item.row["expect"].get("gone") and _is_taken_out(item)]
    plain = [item for item in items if item.plain and item.lang in ("en", "ja") and _is_open(item.reply)]
    return _Corpus(bad, items, plain)


def _is_taken_out(item: Item) -> bool:
    return item.right(verify(item.reply, **item.facts).text)


def _is_open(text: str) -> bool:
    """Is it a whole sentence that opens nothing, so that what follows stands by itself?"""
    return text.endswith((".", "。")) and _FRAMES.isdisjoint(text)


def make(number: int, *, seed: int) -> tuple[Reply, random.Random]:
    """A reply by its number, and the source of chance that goes on with it."""
    draw = random.Random(f"{seed}:{number}")
    return draw_reply(*_corpus(), draw), draw


def tally(numbers: Iterable[int], *, seed: int) -> Tally:
    """Draw and check some replies."""
    kinds: Counter[str] = Counter()
    failed = []
    for number in numbers:
        reply, draw = make(number, seed=seed)
        kinds.update(set(reply.kinds))
        wrongs = list(failures(reply, draw))
        failed += [{"number": number, "kinds": reply.kinds, "wrong": one, "reply": reply.text} for one in wrongs]
    return Tally(kinds, failed)


def _work(task: tuple[int, int, int]) -> tuple[int, Tally]:
    seed, start, stop = task
    return start, tally(range(start, stop), seed=seed)


def run(replies: int, *, seed: int, jobs: int, state: Path | None = None) -> dict[str, Any]:
    """Fuzz, and return counts and failures.

    Args:
        replies: How many.
        seed: Which ones.
        jobs: Processes.
        state: Where to keep what is done, and to look for what was.
    """
    done = _read(state, seed)
    tasks = [
        (seed, start, min(replies, start + _CHUNK)) for start in range(0, replies, _CHUNK) if str(start) not in done
    ]
    for start, found in _spread(tasks, jobs):
        done[str(start)] = {"kinds": found.kinds, "failures": len(found.failed), "failed": found.failed[:_SHOWN]}
        if state is not None:
            state.write_text(json.dumps({"seed": seed, "revision": revision(), "done": done}), "utf-8")
    kinds: Counter[str] = Counter()
    for part in done.values():
        kinds.update(part["kinds"])
    return {
        "replies": replies,
        "seed": seed,
        "mutations": dict(sorted(kinds.items())),
        "failures": sum(part["failures"] for part in done.values()),
        "failed": [row for part in done.values() for row in part["failed"]][:_SHOWN],
    }


def _spread(tasks: Sequence[tuple[int, int, int]], jobs: int) -> Iterator[tuple[int, Tally]]:
    if jobs == 1 or len(tasks) < jobs:
        yield from map(_work, tasks)
        return
    _corpus()
    with multiprocessing.get_context("spawn").Pool(jobs) as pool:
        yield from pool.imap_unordered(_work, tasks)


def _read(state: Path | None, seed: int) -> dict[str, Any]:
    """What an earlier run of this seed on this revision has done."""
    if state is None or not state.exists():
        return {}
    kept: dict[str, Any] = json.loads(state.read_text("utf-8"))
    return dict(kept["done"]) if (kept["seed"], kept["revision"]) == (seed, revision()) else {}


def main(arguments: Sequence[str] | None = None) -> int:
    """Fuzz, and print or write what was found; the exit code is 1 if anything failed."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--replies", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--jobs", type=int, default=2, help="processes")
    parser.add_argument("--state", type=Path, help="a file that lets a stopped run go on")
    parser.add_argument("--only", type=int, metavar="NUMBER", help="show one reply and what is wrong with it")
    parser.add_argument("--write", action="store_true", help="write evals/results/fuzz.json instead of printing")
    given = parser.parse_args(arguments)
    if given.only is not None:
        reply, draw = make(given.only, seed=given.seed)
        print(json.dumps({"kinds": reply.kinds, "reply": reply.text, "wrong": list(failures(reply, draw))}, indent=1))
        return 0
    began = time.monotonic()
    result = run(given.replies, seed=given.seed, jobs=given.jobs, state=given.state)
    result |= {"suite": "fuzz", "seconds": round(time.monotonic() - began)}
    command = f"python -m evals.fuzz --replies {given.replies} --seed {given.seed} --write"
    report(result, command=command, write=given.write)
    return int(bool(result["failures"]))


if __name__ == "__main__":
    sys.exit(main())
