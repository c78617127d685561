"""Which figures does this revision have, with the command that made each?

Runs every bench of this folder in a process of its own and writes `evals/results/NAME.json`: the command, the revision,
the machine, and the bench's own JSON object. Benches named in `_LARGE` run with the large counts.

Run: python -m evals.bench [NAME ...]
"""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

__all__ = ["main", "run_bench"]

_HERE: Final = Path(__file__).parent
_RESULTS: Final = _HERE.parent / "results"

_LARGE: Final[dict[str, tuple[str, ...]]] = {"index": ("--nodes", "100000"), "saver": ("--count", "2000")}
"""Arguments for the large counts; a bench that is not named runs as it is."""


def run_bench(name: str, arguments: Sequence[str]) -> dict[str, Any]:
    """Run one bench and return its result with what is needed to repeat it.

    Raises:
        subprocess.CalledProcessError: The bench failed.
        json.JSONDecodeError: It did not print one JSON object.
    """
    command = ["-m", f"evals.bench.{name}", *arguments]
    done = subprocess.run([sys.executable, *command], check=True, stdout=subprocess.PIPE, text=True)  # noqa: S603  # ours
    return {
        "command": " ".join(["python", *command]),
        "revision": _revision(),
        "machine": f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}",
        "result": json.loads(done.stdout),
    }


def _revision() -> str:
    """Commit and, where files differ from it, a mark; "" outside a checkout."""
    command = ["git", "describe", "--always", "--dirty", "--abbrev=12"]
    done = subprocess.run(command, cwd=_HERE, check=False, capture_output=True, text=True)  # noqa: S603  # fixed words
    return done.stdout.strip()


def main(names: Sequence[str] = ()) -> None:
    """Run the named benches, or all."""
    found = sorted(path.stem for path in _HERE.glob("[a-z]*.py"))
    _RESULTS.mkdir(exist_ok=True)
    for name in names or found:
        sys.stderr.write(f"bench: {name}\n")
        text = json.dumps(run_bench(name, _LARGE.get(name, ())), indent=1, ensure_ascii=False)
        (_RESULTS / f"{name}.json").write_text(f"{text}\n", "utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
