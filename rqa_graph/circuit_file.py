"""How does the next process know that the evaluator was down a moment ago?

`RQA_HOME/evaluator_circuit.json`: which binding, how many failures in a row, and when the last one was. It is written
whole or not at all, removed by the first success, and may be deleted at any time. Processes share no monotonic clock,
so the wall clock counts here: one that was set back, or a file from the future, never holds the circuit open for longer
than its full time.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Final, NamedTuple

__all__ = ["CIRCUIT_FILE", "CircuitFile", "Failures"]

CIRCUIT_FILE: Final = "evaluator_circuit.json"
_SCHEMA: Final = "rqa.circuit/1"
_MOST: Final = 1_000_000


class Failures(NamedTuple):
    """What is known of failures in a row."""

    in_a_row: int = 0
    seconds_ago: float = 0.0
    """Since the last one, zero or more."""


class CircuitFile:
    """Failures of one binding, kept between processes; a disk that is full costs a wait, never a turn."""

    def __init__(self, path: Path, *, binding: str, clock: Callable[[], datetime]) -> None:
        """`binding` is its fingerprint: another evaluator begins anew."""
        self._path = path
        self._binding = binding
        self._clock = clock

    def load(self) -> Failures:
        """What an earlier process left; nothing for another binding, and for a file that cannot be used."""
        try:
            row = json.loads(self._path.read_text("utf-8"))
            if row["schema"] != _SCHEMA or row["binding"] != self._binding:
                return Failures()
            ago = (self._clock() - datetime.fromisoformat(row["at"])).total_seconds()
            count = row["failures"]
        except (OSError, ValueError, TypeError, KeyError, RecursionError):
            return Failures()
        if not isinstance(count, int) or isinstance(count, bool) or not 0 < count < _MOST:
            return Failures()
        return Failures(count, max(ago, 0.0))

    def save(self, count: int) -> None:
        """Keep so many failures in a row, the last one now; none removes the file."""
        row = {"schema": _SCHEMA, "binding": self._binding, "failures": count, "at": self._clock().isoformat()}
        beside = self._path.with_name(f"{self._path.name}.{os.getpid()}")
        try:
            if count == 0:
                self._path.unlink(missing_ok=True)
                return
            beside.write_text(json.dumps(row), "utf-8")
            beside.replace(self._path)
        except OSError:
            return
