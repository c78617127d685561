"""A memory whose commits fail when a test says so."""

from __future__ import annotations

from typing import Any, Literal

from rqa_checkpoints.errors import HomeNotWritableError
from rqa_checkpoints.provenance import CommitResult, TurnPart
from rqa_graph.services import AppServices

__all__ = ["FaultyMemory", "Killed", "break_commits"]

Fault = Literal["ok", "disk_full", "killed_before", "killed_after"]


class Killed(BaseException):
    """Stands for the end of the process: nobody catches it."""


class FaultyMemory:
    """Everything is the real memory's; `commit` follows a list of faults, and is sound when the list is over."""

    def __init__(self, memory: Any, faults: list[Fault]) -> None:
        self._memory = memory
        self._faults = faults
        self.results: list[CommitResult] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self._memory, name)

    def commit(self, part: TurnPart) -> CommitResult:
        fault = self._faults.pop(0) if self._faults else "ok"
        if fault == "disk_full":
            raise HomeNotWritableError("the disk is full")
        if fault == "killed_before":
            raise Killed
        self.results.append(self._memory.commit(part))
        if fault == "killed_after":
            raise Killed
        return self.results[-1]


def break_commits(services: AppServices, *faults: Fault) -> FaultyMemory:
    """Let the next commits of these services fail, in this order."""
    faulty: Any = FaultyMemory(services.memory, list(faults))
    services._memory = faulty
    found: FaultyMemory = faulty
    return found
