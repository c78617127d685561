"""Failures of the evaluator are remembered between processes, for their time and not longer."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from rqa_graph.circuit_file import CircuitFile, Failures
from rqa_nodes.reflect.circuit import FAILURES, OPEN_SECONDS, CircuitBreaker

NOON = datetime(2026, 6, 1, 12, tzinfo=UTC)


class _Clock:
    def __init__(self) -> None:
        self.now = NOON

    def __call__(self) -> datetime:
        return self.now


def _file(home: Path, clock: _Clock, binding: str = "b1") -> CircuitFile:
    return CircuitFile(home / "circuit.json", binding=binding, clock=clock)


def _breaker(file: CircuitFile, seconds: float) -> CircuitBreaker:
    """As a new process opens it: its monotonic time begins anywhere."""
    return CircuitBreaker(lambda: seconds, before=file.load(), keep=file.save)


def test_three_processes_that_fail_once_each_open_the_circuit_for_the_fourth(tmp_path: Path) -> None:
    clock = _Clock()
    for number in range(FAILURES):
        breaker = _breaker(_file(tmp_path, clock), 1000.0 * number)
        assert not breaker.is_open()
        assert breaker.begin()
        breaker.failed()
    clock.now += timedelta(seconds=OPEN_SECONDS - 1)
    assert _breaker(_file(tmp_path, clock), 7.0).is_open()
    clock.now += timedelta(seconds=2)
    trying = _breaker(_file(tmp_path, clock), 3.0)
    assert trying.begin()
    assert not _breaker(_file(tmp_path, clock), 5.0).begin(), "one process tries, the others wait"
    trying.succeeded()
    assert not _breaker(_file(tmp_path, clock), 5.0).is_open()
    assert list(tmp_path.iterdir()) == []


def test_another_binding_begins_anew(tmp_path: Path) -> None:
    clock = _Clock()
    _file(tmp_path, clock).save(FAILURES)
    assert _file(tmp_path, clock, "b2").load() == Failures()
    assert _file(tmp_path, clock).load() == Failures(FAILURES, 0.0)


def test_a_clock_that_was_set_back_holds_it_open_for_its_time_at_most(tmp_path: Path) -> None:
    clock = _Clock()
    _file(tmp_path, clock).save(FAILURES)
    clock.now -= timedelta(days=30)
    assert _file(tmp_path, clock).load() == Failures(FAILURES, 0.0)


_ROW = {"schema": "rqa.circuit/1", "binding": "b1", "failures": 3, "at": NOON.isoformat()}


@pytest.mark.parametrize(
    "content",
    [
        *("", "{", "[]", "null", "7", "[" * 100_000),
        *(json.dumps(_ROW | change) for change in ({"failures": -1}, {"failures": True}, {"failures": "3"})),
        *(json.dumps(_ROW | change) for change in ({"failures": 10**9}, {"at": "noon"}, {"at": 7}, {"schema": "x"})),
        json.dumps(_ROW | {"at": "2026-06-01T12:00:00"}),
    ],
)
def test_a_file_that_cannot_be_used_is_no_failure(content: str, tmp_path: Path) -> None:
    (tmp_path / "circuit.json").write_text(content, "utf-8")
    assert _file(tmp_path, _Clock()).load() == Failures()


def test_a_home_that_is_not_there_costs_nothing(tmp_path: Path) -> None:
    file: Any = CircuitFile(tmp_path / "nowhere" / "circuit.json", binding="b1", clock=_Clock())
    file.save(3)
    file.save(0)
    assert file.load() == Failures()
    assert list(tmp_path.iterdir()) == []
