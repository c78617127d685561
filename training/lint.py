"""May this corpus teach a generator?

Every example is held to production's own parser, verifier, diversity check and governor, and the corpus as a whole to
its composition: enough examples with memory, enough without a wish to change oneself, some that do not deepen, nothing
twice and nothing of the held-out set.

Run: python -m training.lint training/seed.jsonl [--holdout HASHES.txt]
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from evals.suite import read_rows
from rqa_graph import Injected, lint_analysis

__all__ = ["Report", "content_hash", "lint_corpus", "main"]

_FIELDS: Final = ("id", "lang", "source", "date", "review", "candidates", "user_text", "memory", "assistant")
_LEAST_WITH_MEMORY: Final = 0.3
_LEAST_WITHOUT_PROPOSAL: Final = 0.8
"""Shares of the corpus: most examples leave the generator as it is, and a third of them use memory."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """What the linter found."""

    examples: int
    counts: Mapping[str, int]
    """By language, with memory, not deepening, with a proposal."""
    faults: tuple[str, ...]
    """"ID: fault" for an example, "corpus: fault" for the whole."""


def content_hash(row: Mapping[str, Any]) -> str:
    """SHA-256 of what an example shows the generator and wants from it."""
    shown = json.dumps([row["user_text"], row["memory"], row["assistant"]], ensure_ascii=False, sort_keys=True)
    return hashlib.sha256(shown.encode()).hexdigest()


def lint_corpus(rows: Sequence[Mapping[str, Any]], *, holdout: Collection[str] = ()) -> Report:
    """Check every example and the composition.

    Args:
        rows: Examples; the fields are those of `training/seed.jsonl`.
        holdout: Content hashes that must not occur.
    """
    faults: list[str] = []
    usable: list[Mapping[str, Any]] = []
    for number, row in enumerate(rows, 1):
        missing = [name for name in _FIELDS if name not in row]
        if missing:
            faults.append(f"row {number}: lacks {', '.join(missing)}")
            continue
        usable.append(row)
        faults += [f"{row['id']}: {fault}" for fault in _faults(row)]
    faults += _composition(usable, holdout)
    return Report(examples=len(usable), counts=_counts(usable), faults=tuple(faults))


def _faults(row: Mapping[str, Any]) -> tuple[str, ...]:
    memory = [Injected(**item) for item in row["memory"]]
    found = lint_analysis(
        row["assistant"],
        candidates=row["candidates"],
        user_text=row["user_text"],
        lang=row["lang"],
        injected=memory,
    )
    return found if row["review"] == "approved" else (*found, f"review is {row['review']!r}")


def _counts(rows: Iterable[Mapping[str, Any]]) -> dict[str, int]:
    counts: Counter[str] = Counter()
    for row in rows:
        counts[row["lang"]] += 1
        counts["with_memory"] += bool(row["memory"])
        analysis = _analysis(row)
        features = analysis.get("feature_map", {})
        counts["with_proposal"] += analysis.get("self_update_proposal") is not None
        counts["not_deepening"] += bool(features) and not (features.get("assumptions") or features.get("frames"))
    return dict(counts)


def _analysis(row: Mapping[str, Any]) -> Mapping[str, Any]:
    """The object of an example; empty where it is none, which is a fault of the example already."""
    try:
        value = json.loads(row["assistant"])
    except json.JSONDecodeError:
        return {}
    return value if isinstance(value, dict) else {}


def _composition(rows: Sequence[Mapping[str, Any]], holdout: Collection[str]) -> list[str]:
    counts, total = _counts(rows), len(rows)
    hashes = Counter(content_hash(row) for row in rows)
    checks = (
        (counts.get("with_memory", 0) < _LEAST_WITH_MEMORY * total, "too few examples with memory"),
        (counts.get("with_proposal", 0) > (1 - _LEAST_WITHOUT_PROPOSAL) * total, "too many self-update proposals"),
        (not counts.get("not_deepening"), "no example that does not deepen"),
        (any(count > 1 for count in hashes.values()), "the same example twice"),
        (any(digest in holdout for digest in hashes), "an example of the held-out set"),
    )
    return [f"corpus: {fault}" for failed, fault in checks if failed]


def main(arguments: Sequence[str] | None = None) -> int:
    """Check a file and print counts and faults; 4 if there is any fault."""
    parser = argparse.ArgumentParser(description="Check a training corpus.")
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--holdout", type=Path, help="content hashes, one a line")
    given = parser.parse_args(arguments)
    holdout = given.holdout.read_text("utf-8").split() if given.holdout else ()
    report = lint_corpus(read_rows(given.corpus), holdout=holdout)
    print(json.dumps({"examples": report.examples, **report.counts}, sort_keys=True))
    for fault in report.faults:
        print(fault)
    return 4 if report.faults else 0


if __name__ == "__main__":
    sys.exit(main())
