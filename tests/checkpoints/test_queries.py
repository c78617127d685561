"""Promises of the questions to the log: a turn's questions cost the same however much the person has stored."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Engine, event

from rqa_checkpoints.memory import ProvenanceMemory
from tests.support.memories import ANN, open_memory, take_turn

_OWNER_ALONE = "(tenant=? AND user=?)"
"""What SQLite says where it walks through everything that belongs to a person."""


@contextmanager
def _statements() -> Iterator[list[tuple[str, Any]]]:
    """All SELECTs while the block runs."""
    seen: list[tuple[str, Any]] = []

    def note(_connection: Any, _cursor: Any, statement: str, parameters: Any, _context: Any, _many: bool) -> None:
        if statement.lstrip().startswith("SELECT"):
            seen.append((statement, parameters))

    event.listen(Engine, "before_cursor_execute", note)
    try:
        yield seen
    finally:
        event.remove(Engine, "before_cursor_execute", note)


def _turn(memory: ProvenanceMemory, turn: str) -> None:
    """Everything that a turn asks the log."""
    said, reply = f"The loom of {turn} moved. Where is it?", f"Perhaps {turn} put it into the kitchen."
    found = memory.recall(said, scope=ANN)
    cited = [item.node.id for item in found.items]
    memory.get(cited, scope=ANN)
    memory.speakers_of([said, reply], scope=ANN)
    memory.speaker_of(said, scope=ANN, thread="th")
    memory.lookup("k3v9", scope=ANN)
    assert take_turn(memory, said, reply, turn=turn, injected=["the loom"], cited=cited).state == "written"


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[ProvenanceMemory]:
    with open_memory(tmp_path / "home") as memory:
        yield memory


def test_no_question_of_a_turn_walks_through_all_that_a_person_has(memory: ProvenanceMemory) -> None:
    for number in range(3):
        _turn(memory, f"n{number}")
    with _statements() as seen:
        _turn(memory, "n3")
    assert len({statement for statement, _ in seen}) > 8
    with memory.log.reading() as view:
        for statement, parameters in seen:
            steps = [row[3] for row in view.exec_driver_sql(f"EXPLAIN QUERY PLAN {statement}", parameters)]
            slow = [step for step in steps if step.startswith("SCAN ") or _OWNER_ALONE in step]
            assert not slow, (statement, steps)
