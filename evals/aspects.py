"""Does a question for open tasks, values or promises get told from a topic? Precision and recall by aspect.

Rows `{id, lang, text, aspect}` of `datasets/aspects.jsonl`, written by somebody who had not seen the rules; an aspect
of null is a topic. Precision is what counts: a wrong hint is worse than none. The first contact of all rows is kept in
`results/aspects_first_contact.json`; afterwards rules were written with an eye on one half alone.

Run: python -m evals.aspects [--write] [--first-contact]
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from evals.intervals import rounded, wilson
from evals.suite import DATASETS, HALVES, half, read_rows, report
from rqa_checkpoints.aspects import Aspect, AspectRouter, aspect_router

__all__ = ["counted", "main", "measure"]

_TOPIC: Final = "topic"


def counted(rows: Sequence[Mapping[str, Any]], router: AspectRouter) -> dict[str, Any]:
    """For every aspect, how many rows were routed to it, how many of these rightly, and how many should have been."""
    routed, right, wanted = Counter[str](), Counter[str](), Counter[str]()
    for row in rows:
        found = router.match(row["text"])
        given, label = found[0].value if found else _TOPIC, row["aspect"] or _TOPIC
        routed[given] += 1
        wanted[label] += 1
        right[given] += given == label
    return {
        "rows": len(rows),
        "aspects": {name: _shares(routed[name], right[name], wanted[name]) for name in [*map(str, Aspect), _TOPIC]},
        "all": _shares(
            sum(routed.values()) - routed[_TOPIC],
            sum(right.values()) - right[_TOPIC],
            sum(wanted.values()) - wanted[_TOPIC],
        ),
    }


def _shares(routed: int, right: int, wanted: int) -> dict[str, Any]:
    return {
        "routed": routed,
        "right": right,
        "wanted": wanted,
        "precision": round(right / routed, 4) if routed else None,
        "precision_interval": rounded(wilson(right, routed)),
        "recall": round(right / wanted, 4) if wanted else None,
    }


def measure(path: Path = DATASETS / "aspects.jsonl", router: AspectRouter | None = None) -> dict[str, Any]:
    """All rows, by half and by language."""
    rows, rules = read_rows(path), router or aspect_router()
    halves = {name: [row for row in rows if half(row["id"]) == name] for name in HALVES}
    langs = {lang: [row for row in rows if row["lang"] == lang] for lang in sorted({row["lang"] for row in rows})}
    return {
        "all": counted(rows, rules),
        "halves": {name: counted(found, rules) for name, found in halves.items()},
        "languages": {name: counted(found, rules) for name, found in langs.items()},
    }


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the result as JSON, or write it."""
    parser = argparse.ArgumentParser(description="Measure which questions are routed to an aspect of the person.")
    parser.add_argument("--write", action="store_true", help="write evals/results/aspects.json instead of printing")
    parser.add_argument("--first-contact", action="store_true", help="write it as the first contact of these rows")
    given = parser.parse_args(arguments)
    suite = "aspects_first_contact" if given.first_contact else "aspects"
    flag = " --first-contact" if given.first_contact else ""
    report({"suite": suite, **measure()}, command=f"python -m evals.aspects{flag} --write", write=given.write)
    return 0


if __name__ == "__main__":
    sys.exit(main())
