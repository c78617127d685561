"""What has a run found so far? One JSON line a case, arm and trial, written at once, so that a killed run goes on.

The first line says what was run. A file that holds another run is refused, never mixed; a last line that was cut off by
a kill is dropped.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Final

from evals.runner.errors import AnotherRunError, NoRunError

__all__ = ["ROWS", "Row", "RunFile", "read_run"]

ROWS: Final = "rows.jsonl"


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One case, run by one arm once."""

    suite: str
    case: str
    arm: str
    trial: int
    seed: int
    tags: Mapping[str, str] = field(default_factory=dict)
    scores: Mapping[str, Any] = field(default_factory=dict)
    """Of each scorer that has one: true or false, a number, or [hits, of]."""
    hard_failed: tuple[str, ...] = ()
    judged: Mapping[str, Mapping[str, bool | None]] = field(default_factory=dict)
    """By judge and question; None: the judge gave no usable answer."""
    output: Mapping[str, Any] | None = None
    """None for a case that is private."""
    seconds: float = 0.0

    @property
    def key(self) -> tuple[str, str, str, int]:
        """What makes it this row."""
        return self.suite, self.case, self.arm, self.trial


class RunFile:
    """The rows of a run, on disk."""

    def __init__(self, folder: Path, run: Mapping[str, Any], environment: Mapping[str, Any]) -> None:
        """Begin a run in a folder, or go on with it.

        Args:
            folder: Made if it is not there.
            run: What makes it this run: suites, engine, seed, revision ...
            environment: Where it runs; kept, not compared.

        Raises:
            AnotherRunError: The folder holds another one.
        """
        folder.mkdir(parents=True, exist_ok=True)
        self.path = folder / ROWS
        self.rows: dict[tuple[str, str, str, int], Row] = {}
        if self.path.exists() and self.path.stat().st_size:
            known, rows = read_run(folder)
            if known["run"] != dict(run):
                raise AnotherRunError(folder, known["run"], run)
            self.rows = {row.key: row for row in rows}
            self.header = known
            self._drop_torn_line()
        else:
            self.header = {"run": dict(run), "environment": dict(environment)}
            self._write(self.header)

    def _drop_torn_line(self) -> None:
        text = self.path.read_bytes()
        if not text.endswith(b"\n"):
            self.path.write_bytes(text[: text.rfind(b"\n") + 1])

    def add(self, row: Row) -> None:
        """Keep a row, on disk when this returns."""
        self.rows[row.key] = row
        self._write({name: value for name, value in asdict(row).items() if value not in (None, (), {})})

    def _write(self, value: Mapping[str, Any]) -> None:
        # A reply may hold what is no character by itself (a lone surrogate), hence ASCII.
        with self.path.open("a", encoding="ascii") as out:
            out.write(json.dumps(value) + "\n")


def read_run(folder: Path) -> tuple[dict[str, Any], list[Row]]:
    """The first line and the rows of a run.

    Raises:
        NoRunError: There is none, or it cannot be read.
    """
    path = folder / ROWS
    try:
        text = path.read_text("ascii")
        whole = text[: text.rfind("\n") + 1]
        header, *rows = [json.loads(line) for line in whole.split("\n") if line]
        found = [Row(**{**row, "hard_failed": tuple(row.get("hard_failed", ()))}) for row in rows]
    except (OSError, ValueError, TypeError) as error:
        raise NoRunError(folder, error) from error
    if "run" not in header:
        raise NoRunError(folder, "its first line names no run")
    return header, found
