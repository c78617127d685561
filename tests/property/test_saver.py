"""Do the sync methods of `QdrantSaver` answer like LangGraph's own saver, whatever was stored in whatever order?

`InMemorySaver` is the reference. Branches get fresh versions here, because the reference confuses equal ones.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import BaseCheckpointSaver, ChannelVersions, CheckpointTuple
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.checkpoint.serde.types import ERROR, INTERRUPT

from rqa_checkpoints.saver import QdrantSaver
from tests.support.checkpoints import checkpoint, place

NAMESPACES = ("", "child:1")
_EXAMPLES = count()


@dataclass(frozen=True, slots=True, kw_only=True)
class Put:
    ns: str
    parent: int
    values: dict[str, Any]
    removed: str
    source: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Write:
    target: int
    task: str
    path: str
    writes: list[tuple[str, Any]]


@dataclass(frozen=True, slots=True)
class Delete:
    ns: str


_CHANNEL = st.sampled_from(["text", "状態", "branch:to:x"])
_VALUE = st.none() | st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.text(max_size=8) | st.binary(max_size=8)
_OPERATION = st.one_of(
    st.builds(
        Put,
        ns=st.sampled_from(NAMESPACES),
        parent=st.integers(0, 5),
        values=st.dictionaries(_CHANNEL, _VALUE, max_size=3),
        removed=_CHANNEL | st.just(""),
        source=st.sampled_from(["input", "loop", "update"]),
    ),
    st.builds(
        Write,
        target=st.integers(0, 5),
        task=st.sampled_from(["t1", "t2"]),
        path=st.sampled_from(["", "p1", "p2"]),
        writes=st.lists(st.tuples(st.sampled_from(["text", ERROR, INTERRUPT]), _VALUE), min_size=1, max_size=3),
    ),
    st.builds(Delete, st.sampled_from(NAMESPACES)),
)


class Replay:
    """The same operations on one saver; a thread has its own namespace, so that a deletion leaves the other."""

    def __init__(self, saver: BaseCheckpointSaver[str], example: int) -> None:
        self.saver = saver
        self.example = example
        self.made: list[tuple[RunnableConfig, dict[str, Any], dict[str, Any]]] = []
        self.paths: dict[tuple[str, str], str] = {}

    def thread(self, ns: str) -> str:
        return f"{self.example} {ns}"

    def run(self, operations: list[Any]) -> None:
        for number, operation in enumerate(operations):
            match operation:
                case Put():
                    self._put(number, operation)
                case Write() if self.made:
                    self._write(operation)
                case Delete():
                    self.saver.delete_thread(self.thread(operation.ns))
                    self.made = [row for row in self.made if row[0]["configurable"]["checkpoint_ns"] != operation.ns]

    def _put(self, number: int, operation: Put) -> None:
        line = [row for row in self.made if row[0]["configurable"]["checkpoint_ns"] == operation.ns]
        start = place(self.thread(operation.ns), ns=operation.ns)
        parent = line[operation.parent % len(line)] if line and operation.parent else (start, {}, {})
        new: ChannelVersions = dict.fromkeys(operation.values, f"{number:032}")
        values = {**parent[1], **operation.values}
        versions = {**parent[2], **new}
        values.pop(operation.removed, None)
        versions.pop(operation.removed, None)
        new.pop(operation.removed, None)
        made = checkpoint(f"c{number:04}", values, versions)
        metadata: Any = {"source": operation.source, "step": number, "parents": {}}
        self.made.append((self.saver.put(parent[0], made, metadata, new), values, versions))

    def _write(self, operation: Write) -> None:
        config = self.made[operation.target % len(self.made)][0]
        # A task has one path: it is derived from the task in LangGraph, and never changes.
        key = (config["configurable"]["checkpoint_id"], operation.task)
        path = self.paths.setdefault(key, operation.path)
        self.saver.put_writes(config, operation.writes, operation.task, path)

    def shown(self) -> dict[str, Any]:
        shown: dict[str, Any] = {}
        for ns in NAMESPACES:
            config = place(self.thread(ns), ns=ns)
            shown[f"latest {ns}"] = self.saver.get_tuple(config)
            shown[f"all {ns}"] = list(self.saver.list(config))
            shown[f"loops {ns}"] = list(self.saver.list(config, filter={"source": "loop"}, limit=2))
            shown[f"older {ns}"] = list(self.saver.list(config, before=place("any", cid="c0003")))
        shown["each"] = [self.saver.get_tuple(row[0]) for row in self.made]
        return shown


@pytest.fixture(scope="module", params=["edge", "client"])
def saver(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[QdrantSaver]:
    folder = str(tmp_path_factory.mktemp("saver") / "checkpoints")
    with QdrantSaver.from_location(folder if request.param == "edge" else ":memory:") as opened:
        yield opened


@settings(max_examples=40, deadline=None)
@given(operations=st.lists(_OPERATION, max_size=12))
def test_it_answers_like_the_reference(saver: QdrantSaver, operations: list[Any]) -> None:
    example = next(_EXAMPLES)
    ours, reference = Replay(saver, example), Replay(InMemorySaver(), example)
    ours.run(operations)
    reference.run(operations)
    assert ours.shown() == reference.shown()
    saver.prune([ours.thread(ns) for ns in NAMESPACES], strategy="delete")


@settings(max_examples=20, deadline=None)
@given(operations=st.lists(_OPERATION, max_size=12))
def test_pruning_leaves_exactly_the_latest_and_a_copy_equals_its_source(
    saver: QdrantSaver, operations: list[Any]
) -> None:
    replay = Replay(saver, next(_EXAMPLES))
    replay.run(operations)
    for ns in NAMESPACES:
        thread, copy = replay.thread(ns), f"copy of {replay.thread(ns)}"
        before, latest = list(saver.list(whole(thread))), saver.get_tuple(place(thread, ns=ns))
        saver.copy_thread(thread, copy)
        saver.prune([thread])
        assert list(saver.list(whole(thread))) == ([latest] if latest else [])
        moved = [_elsewhere(item, copy) for item in before]
        assert list(saver.list(whole(copy))) == moved
        saver.prune([thread, copy], strategy="delete")
        assert list(saver.list(whole(copy))) == []


def whole(thread: str) -> RunnableConfig:
    return {"configurable": {"thread_id": thread}}


def _elsewhere(item: CheckpointTuple, thread: str) -> CheckpointTuple:
    def moved(config: RunnableConfig | None) -> RunnableConfig | None:
        return config and {"configurable": {**config["configurable"], "thread_id": thread}}

    replaced = functools.partial(item._replace, parent_config=moved(item.parent_config))
    config = moved(item.config)
    assert config is not None
    return replaced(config=config)
