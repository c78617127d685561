"""Search graphs are built when enough is new and nothing comes, and never where somebody waits."""

from __future__ import annotations

import logging
import threading
from types import SimpleNamespace
from typing import Any, cast

import pytest

from rqa_checkpoints.errors import StoreUnavailableError
from rqa_checkpoints.index import VectorIndex, quiet
from rqa_checkpoints.index.quiet import QuietOptimizer

_LONG = 30


class _Index:
    """Counts how often its graphs were built, and by which thread."""

    def __init__(self, *, held: int = 0, fails: bool = False) -> None:
        self._held = held
        self._fails = fails
        self.built: list[str] = []
        self.done = threading.Event()

    def count(self) -> int:
        return self._held

    def optimize(self) -> bool:
        self.built.append(threading.current_thread().name)
        self.done.set()
        if self._fails:
            raise StoreUnavailableError("the disk is full", hint="Free some.")
        return True


def _optimizer(index: _Index, **options: Any) -> QuietOptimizer:
    return QuietOptimizer(cast("VectorIndex", index), **options)


@pytest.fixture(autouse=True)
def few_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(quiet, "_ROWS", 3)
    monkeypatch.setattr(quiet, "_QUIET_SECONDS", 0.05)


def test_they_are_built_aside_once_enough_is_new() -> None:
    index = _Index()
    optimizer = _optimizer(index)
    optimizer.wrote(2)
    assert not index.done.wait(0.2)
    optimizer.wrote(1)
    assert index.done.wait(_LONG)
    assert index.built == ["rqa-optimize"]


def test_what_an_index_held_when_it_was_opened_counts() -> None:
    index = _Index(held=3)
    _optimizer(index)
    assert index.done.wait(_LONG)


def test_while_something_comes_nothing_is_built(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]
    monkeypatch.setattr(quiet, "time", SimpleNamespace(monotonic=lambda: now[0]))
    index = _Index()
    optimizer = _optimizer(index)
    for _ in range(20):
        now[0] += 0.04
        optimizer.wrote(1)
        assert not index.done.wait(0.01)
    now[0] += 0.06
    assert index.done.wait(_LONG)


def test_an_optimizer_that_is_closed_begins_nothing() -> None:
    index = _Index()
    optimizer = _optimizer(index)
    optimizer.wrote(3)
    optimizer.close()
    optimizer.wrote(3)
    assert not index.done.wait(0.3)


def test_where_it_does_not_work_by_itself_it_waits_to_be_asked() -> None:
    index = _Index(held=9)
    optimizer = _optimizer(index, by_itself=False)
    assert not index.done.wait(0.2)
    assert optimizer.build()
    assert index.built == [threading.current_thread().name]


def test_an_engine_that_fails_is_told_of_and_asked_again_when_more_comes(caplog: pytest.LogCaptureFixture) -> None:
    index = _Index(held=3, fails=True)
    with caplog.at_level(logging.WARNING):
        optimizer = _optimizer(index)
        assert index.done.wait(_LONG)
        index.done.clear()
        optimizer.wrote(3)
        assert index.done.wait(_LONG)
    assert "the disk is full" in caplog.text
