"""How does a suite read its labelled rows, halve them, and leave a result that can be repeated?

A result is one JSON object: the command, the revision and what was found. The outside fact: a JSON string may hold
U+2028 and other characters that `str.splitlines` takes for the end of a line, so rows end at newlines alone.
"""

from __future__ import annotations

import hashlib
import json
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, Literal

__all__ = [
    "DATASETS",
    "HALVES",
    "RESULTS",
    "Half",
    "command_of",
    "half",
    "head",
    "read_rows",
    "report",
    "revision",
    "write_rows",
]

DATASETS: Final = Path(__file__).parent / "datasets"
RESULTS: Final = Path(__file__).parent / "results"

Half = Literal["tune", "report"]
HALVES: Final[tuple[Half, ...]] = ("tune", "report")
"""Rules may be written with an eye on the first; the other is reported beside it."""


def read_rows(path: Path) -> list[dict[str, Any]]:
    """The objects of a file of JSON lines."""
    with path.open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines if line.strip()]


def write_rows(path: Path, rows: Iterable[Mapping[str, Any]]) -> None:
    """Write JSON lines."""
    path.write_text("".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows), "utf-8")


def half(key: str) -> Half:
    """The half of an item by the SHA-256 of its key."""
    return HALVES[int(hashlib.sha256(key.encode()).hexdigest()[0], 16) >= 8]


def command_of(suite: str, arguments: Sequence[str]) -> str:
    """How a suite was called, without the folders of this machine."""
    shown = (argument if argument.startswith("http") else Path(argument).name for argument in arguments)
    return " ".join(["python", "-m", f"evals.{suite}", *shown])


def revision() -> str:
    """Commit and, where files differ from it, a mark; "" outside a checkout."""
    describe = ["git", "describe", "--always", "--dirty", "--abbrev=12"]
    done = subprocess.run(describe, cwd=RESULTS, check=False, capture_output=True, text=True)  # noqa: S603  # fixed words
    return done.stdout.strip()


def report(result: Mapping[str, Any], *, command: str, write: bool, **beside: Any) -> None:
    """Print what a suite found, or write it to `evals/results/SUITE.json`.

    Args:
        result: With the name of the suite as `suite`.
        command: What repeats it.
        write: Whether to write instead of printing.
        beside: What else is needed to repeat it, such as the model.
    """
    found = {"command": command, "revision": revision(), **beside, "result": result}
    # What is no character by itself (a lone surrogate of a fuzzed reply) becomes JSON's own escape.
    text = json.dumps(found, indent=1, ensure_ascii=False).encode(errors="backslashreplace").decode() + "\n"
    if write:
        (RESULTS / f"{result['suite']}.json").write_text(text, "utf-8")
    else:
        print(text, end="")


def head(found: Mapping[str, Any]) -> str:
    """How a table of a committed result begins: by which command, at which revision."""
    return f"`{found['command']}` at {found['revision']}"
