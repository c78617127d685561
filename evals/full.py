"""What takes hours: does it all hold, on which revision, and how long did each part take?

Each step is a process of its own, and one that fails does not keep the next from running; the run fails if any did.
After each step `evals/results/test_full.json` says how it ended: command, revision, seconds, exit code, and of the
tests how many passed, failed and were skipped. What an earlier run left of other steps stays, each with its revision.

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
_SERIES: Final[Mapping[str, tuple[str, ...]]] = {
    name: ("pytest", "--full", f"tests/integration/test_{name}.py")
    for name in ("kill_turns", "kill_log_index", "kill_deliberations", "kill_server", "crowds")
}

STEPS: Final[Mapping[str, tuple[str, ...]]] = {
    "tests": ("pytest", "--full"),
    "kills": ("pytest", "--full", *(words[-1] for words in _SERIES.values())),
    **_SERIES,
    "marked": ("pytest", "--full", "-m", "full"),
    "properties": ("pytest", "--hypothesis-profile=full", "-m", "hypothesis"),
    "fuzz": ("evals.fuzz", "--replies", "1000000", "--seed", "7", "--write"),
    "bench": ("evals.bench",),
    "bench-large": ("evals.bench", "--large"),
}
"""Module and arguments of each. `tests` holds what is in `kills` and `marked`, and `kills` each series: what may be run
alone."""
_WHOLE: Final = ("tests", "properties", "fuzz", "bench", "bench-large")
"""What runs where no step is named."""


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
        result: The file that is written anew after each step, and keeps what it says of others.
    """
    known: dict[str, Any] = json.loads(result.read_text("utf-8"))["steps"] if result.exists() else {}
    machine = f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}"
    tested = revision()  # before the result file is written, which would make the checkout a changed one
    for name, words in steps.items():
        sys.stderr.write(f"full: {name}\n")
        known[name] = {"revision": tested, "machine": machine, **_ran(words, jobs)}
        result.write_text(f"{json.dumps({'steps': known}, indent=1)}\n", "utf-8")
    return all(known[name]["exit"] == 0 for name in steps)


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
    """Run the named steps, or all that there is; 1 if one of them failed."""
    parser = argparse.ArgumentParser(prog="python -m evals.full", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="STEP", help=f"of {', '.join(STEPS)}; default: {', '.join(_WHOLE)}")
    parser.add_argument("--jobs", type=int, default=2, help="processes of the tests")
    options = parser.parse_args(arguments)
    if unknown := sorted(set(options.names) - set(STEPS)):
        parser.error(f"no step is called {unknown[0]!r}; there are {', '.join(STEPS)}")
    steps = {name: STEPS[name] for name in options.names or _WHOLE}
    return 0 if run_steps(steps, jobs=options.jobs, result=RESULTS / "test_full.json") else 1


if __name__ == "__main__":
    sys.exit(main())
