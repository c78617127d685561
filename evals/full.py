"""What takes hours: does it all hold, on which revision, and how long did each part take?

Each step is a process of its own, and one that fails does not keep the next from running; the run fails if any did.
After each step `evals/results/test_full.json` says what ran so far: command, revision, seconds, exit code, and of the
tests how many passed, failed and were skipped.

Run: python -m evals.full [--jobs 2] [STEP ...]
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final
from xml.etree import ElementTree

from evals.suite import RESULTS, revision

__all__ = ["STEPS", "counts", "main", "run_steps"]

_ROOT: Final = Path(__file__).parents[1]

STEPS: Final[Mapping[str, tuple[str, ...]]] = {
    "tests": ("pytest", "--hypothesis-profile=full", "--full"),
    "fuzz": ("evals.fuzz", "--replies", "1000000", "--seed", "7", "--write"),
    "bench": ("evals.bench",),
    "bench-large": ("evals.bench", "--large"),
}
"""Module and arguments of each."""


def counts(junit: Path) -> dict[str, int]:
    """How many tests passed, failed (or could not begin) and were skipped, by pytest's own report."""
    suites = list(ElementTree.parse(junit).getroot().iter("testsuite"))  # noqa: S314  # pytest has just written it
    totals = [
        {name: int(suite.get(name, 0)) for name in ("tests", "failures", "errors", "skipped")} for suite in suites
    ]
    failed = sum(total["failures"] + total["errors"] for total in totals)
    skipped = sum(total["skipped"] for total in totals)
    return {
        "passed": sum(total["tests"] for total in totals) - failed - skipped,
        "failed": failed,
        "skipped": skipped,
    }


def run_steps(steps: Mapping[str, Sequence[str]], *, jobs: int, result: Path) -> bool:
    """Run the steps in their order; True if all of them hold.

    Args:
        steps: Module and arguments by name; a step of pytest is given `jobs` and its report is read.
        jobs: Processes of the tests.
        result: The file that is written anew after each step.
    """
    ran: dict[str, Any] = {}
    for name, words in steps.items():
        sys.stderr.write(f"full: {name}\n")
        ran[name] = _ran(words, jobs)
        found = {
            "command": " ".join(["python -m evals.full", *steps]),
            "revision": revision(),
            "machine": f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}",
            "holds": all(step["exit"] == 0 for step in ran.values()),
            "steps": ran,
        }
        result.write_text(f"{json.dumps(found, indent=1)}\n", "utf-8")
    return all(step["exit"] == 0 for step in ran.values())


def _ran(words: Sequence[str], jobs: int) -> dict[str, Any]:
    command = ["-m", *words]
    with tempfile.TemporaryDirectory() as folder:
        junit = Path(folder) / "junit.xml"
        more = ["-n", str(jobs), f"--junitxml={junit}"] if words[0] == "pytest" else []
        begun = time.monotonic()
        done = subprocess.run([sys.executable, *command, *more], cwd=_ROOT, check=False)  # noqa: S603  # ours
        ran = {
            "command": " ".join(["python", *command, *more[:2]]),
            "seconds": round(time.monotonic() - begun, 1),
            "exit": done.returncode,
        }
        return ran | (counts(junit) if junit.exists() else {})


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the named steps, or all; 1 if one of them failed."""
    parser = argparse.ArgumentParser(prog="python -m evals.full", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="STEP", help=f"one of: {', '.join(STEPS)}; default: all")
    parser.add_argument("--jobs", type=int, default=2, help="processes of the tests")
    options = parser.parse_args(arguments)
    if unknown := sorted(set(options.names) - set(STEPS)):
        parser.error(f"no step is called {unknown[0]!r}; there are {', '.join(STEPS)}")
    steps = {name: words for name, words in STEPS.items() if not options.names or name in options.names}
    return 0 if run_steps(steps, jobs=options.jobs, result=RESULTS / "test_full.json") else 1


if __name__ == "__main__":
    sys.exit(main())
