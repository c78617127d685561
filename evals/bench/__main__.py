"""Which figures does this revision have, with the command that made each?

Runs every bench of this folder in a process of its own and writes `evals/results/NAME.json`, or `NAME.large.json` with
the large counts: the command, the revision, the machine, how busy it was, and the bench's own JSON object. Files that
start with `_` are no benches.

Run: python -m evals.bench [--large] [NAME ...]
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from evals.suite import RESULTS, revision

__all__ = ["main", "names", "run_bench"]

_HERE: Final = Path(__file__).parent

_LARGE: Final[dict[str, tuple[str, ...]]] = {
    "answers": ("--entries", "100000"),
    "index": ("--nodes", "100000"),
    "scale": ("--nodes", "100000"),
    "saver": ("--count", "2000"),
    "serve": ("--streams", "200", "--seconds", "60"),
    "turn": ("--nodes", "100000"),
}
"""Arguments for the large counts; a bench that is not named runs as it is."""


def names() -> list[str]:
    """All benches."""
    return sorted(path.stem for path in _HERE.glob("[a-z]*.py"))


def run_bench(name: str, arguments: Sequence[str]) -> dict[str, Any]:
    """Run one bench and return its result with what is needed to repeat it.

    Raises:
        subprocess.CalledProcessError: The bench failed.
        json.JSONDecodeError: It did not print one JSON object.
    """
    command = ["-m", f"evals.bench.{name}", *arguments]
    before = os.getloadavg()[0]
    done = subprocess.run([sys.executable, *command], check=True, stdout=subprocess.PIPE, text=True)  # noqa: S603  # ours
    return {
        "command": " ".join(["python", *command]),
        "revision": revision(),
        "machine": f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}",
        "load": {"before": round(before, 2), "after": round(os.getloadavg()[0], 2)},
        "result": json.loads(done.stdout),
    }


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the named benches, or all."""
    parser = argparse.ArgumentParser(prog="python -m evals.bench", description="Run benches and write their results.")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"one of: {', '.join(names())}; default: all")
    parser.add_argument("--large", action="store_true", help="the large counts: 100,000 items, written to a file apart")
    options = parser.parse_args(arguments)
    if unknown := sorted(set(options.names) - set(names())):
        parser.error(f"no bench is called {unknown[0]!r}; there are {', '.join(names())}")
    for name in options.names or names():
        sys.stderr.write(f"bench: {name}\n")
        text = json.dumps(run_bench(name, _LARGE.get(name, ()) if options.large else ()), indent=1, ensure_ascii=False)
        (RESULTS / f"{name}{'.large' if options.large else ''}.json").write_text(f"{text}\n", "utf-8")


if __name__ == "__main__":
    main()
