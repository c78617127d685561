"""Whatever is asked of it in whatever order, the store answers as LangGraph's own does.

The reference is `InMemoryStore`, with a model of the time to live beside it, which that one does not have. What must
differ stands in the docstring of `MemoryStore`; here the reference is asked the same, and its answer is read so.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from langgraph.store.base import GetOp, Item, ListNamespacesOp, MatchCondition, Op, PutOp, SearchItem, SearchOp
from langgraph.store.memory import InMemoryStore, _compare_values

from rqa_checkpoints.memory import ProvenanceMemory
from rqa_checkpoints.store import MemoryStore
from tests.support.memories import Clock, Ids

_TTL_MINUTES = 60
_PLACES = [("local", "ann", *rest) for rest in ((), ("a", "b"), ("a", "b", "c"), ("x", "b"))]
_places = st.sampled_from([*_PLACES, ("local", "bob", "蜂")])
_keys = st.sampled_from(["k1", "鍵"])
_scalars = st.sampled_from([0, 1, 2.5, True, None, "", "tea", "お茶"])
_values = st.fixed_dictionaries(
    {"n": st.sampled_from([1, 0, 2.5])},
    optional={
        "text": _scalars,
        "deep": st.one_of(st.fixed_dictionaries({"x": _scalars}), st.lists(_scalars, max_size=2)),
    },
)
_FILTERS: list[dict[str, Any] | None] = [
    None,
    *({"n": {operator: 1}} for operator in ("$eq", "$ne", "$gt", "$gte", "$lt", "$lte")),
    {"n": {"$gt": 0, "$lt": 2}, "text": "tea"},
    {"text": {"$gte": 1}},
    {"deep": {"x": {"$ne": "tea"}}},
    {"deep": []},
]
_pages = {"limit": st.sampled_from([50, 50, 2, 0]), "offset": st.sampled_from([0, 0, 0, 1])}
_prefixes = st.sampled_from([("local", "ann"), ("local", "ann", "*", "b"), ("local", "bob")])
_suffixes = st.sampled_from([("b",), ("b", "c"), ("*", "c"), ("zz",)])


@dataclass(frozen=True)
class Wait:
    """Time passes."""

    minutes: int


_puts = st.builds(
    PutOp,
    _places,
    _keys,
    st.one_of(_values, _values, _values, st.none()),
    st.sampled_from([None, False]),
    st.sampled_from([None, _TTL_MINUTES]),
)
_gets = st.builds(GetOp, _places, _keys, st.booleans())
_searches = st.builds(
    SearchOp, _places, st.sampled_from(_FILTERS), **_pages, query=st.none(), refresh_ttl=st.booleans()
)
_lists = st.builds(
    lambda prefix, suffix, **rest: ListNamespacesOp(
        (MatchCondition("prefix", prefix), *((MatchCondition("suffix", suffix),) if suffix else ())), **rest
    ),
    _prefixes,
    st.none() | _suffixes,
    max_depth=st.sampled_from([None, 2, 3, 4]),
    **_pages,
)
_batches = st.lists(st.one_of(_puts, _puts, _searches, _searches, _gets, _lists), min_size=3, max_size=6)
_runs = st.lists(
    st.one_of(_batches, _batches, _batches, st.builds(Wait, st.sampled_from([25, 25, 61]))), min_size=16, max_size=24
)


class _Reference:
    """`InMemoryStore`, and when what lies in it is over."""

    def __init__(self) -> None:
        self.store = InMemoryStore()
        self._ends: dict[tuple[tuple[str, ...], str], int] = {}
        self._now = 0

    def wait(self, minutes: int) -> None:
        self._now += minutes
        for place, end in list(self._ends.items()):
            if end <= self._now:
                self.store.delete(*place)
                del self._ends[place]

    def read(self, op: Op) -> Any:
        if isinstance(op, SearchOp):
            found = self.store.search(op.namespace_prefix, limit=10_000)
            return [item for item in found if _passes(item, op.filter)]
        if isinstance(op, ListNamespacesOp):
            filled = {tuple(i.namespace) for owner in _owners(op) for i in self.store.search(owner, limit=10_000)}
            [listed] = self.store.batch([op._replace(limit=10_000, offset=0, max_depth=None)])
            assert isinstance(listed, list)
            names = [found for found in listed if isinstance(found, tuple) and found in filled]
            deep = sorted({found[: op.max_depth] for found in names})
            return deep[op.offset : op.offset + op.limit]
        return self.store.batch([op])[0]

    def write(self, puts: list[PutOp]) -> None:
        for place, op in {(op.namespace, op.key): op for op in puts}.items():
            self.store.batch([op._replace(ttl=None)])
            self._ends.pop(place, None)
            if op.value is not None and op.ttl:
                self._ends[place] = self._now + _TTL_MINUTES

    def refresh(self, items: list[Item]) -> None:
        for item in items:
            place = (tuple(item.namespace), item.key)
            if place in self._ends:
                self._ends[place] = self._now + _TTL_MINUTES


def _owners(op: ListNamespacesOp) -> set[tuple[str, ...]]:
    return {tuple(condition.path[:2]) for condition in op.match_conditions or () if condition.match_type == "prefix"}


def _passes(item: Item, wanted: dict[str, Any] | None) -> bool:
    """As the reference compares; where it raises, because something is no number, the answer is no."""
    try:
        return all(_compare_values(item.value.get(name), test) for name, test in (wanted or {}).items())
    except (TypeError, ValueError):
        return False


def _shown(item: Item | None) -> tuple[Any, ...] | None:
    return None if item is None else (tuple(item.namespace), item.key, item.value)


def _same(op: Op, mine: Any, theirs: Any) -> None:
    if not isinstance(op, SearchOp):
        same = (_shown(mine), _shown(theirs)) if isinstance(op, GetOp) else (mine, theirs)
        assert same[0] == same[1], op
        return
    everything = [_shown(item) for item in theirs]
    got = [_shown(item) for item in mine]
    assert len(got) == len(everything[op.offset : op.offset + op.limit]), op
    assert all(item in everything and got.count(item) == 1 for item in got), op
    assert all(isinstance(item, SearchItem) and item.score is None for item in mine)


def _check(run: list[list[Op] | Wait]) -> None:
    clock, reference = Clock(), _Reference()
    with ProvenanceMemory.open(":memory:", clock=clock, ids=Ids(), embedder="hash", index=":memory:") as memory:
        store = MemoryStore(memory)
        for step in run:
            if isinstance(step, Wait):
                clock._now += timedelta(minutes=step.minutes)
                reference.wait(step.minutes)
                continue
            mine, theirs = store.batch(step), [reference.read(op) for op in step if not isinstance(op, PutOp)]
            reads = [(op, found) for op, found in zip(step, mine, strict=True) if not isinstance(op, PutOp)]
            for (op, found), expected in zip(reads, theirs, strict=True):
                _same(op, found, expected)
                if isinstance(op, GetOp | SearchOp) and op.refresh_ttl:
                    read = found if isinstance(found, list) else [found]
                    reference.refresh([item for item in read if isinstance(item, Item)])
            reference.write([op for op in step if isinstance(op, PutOp)])
        assert memory.verify_chain() is None
        assert memory.state_hash() == memory.log.replayed_hash()


@given(_runs)
@settings(max_examples=15)
def test_the_store_answers_as_the_reference_does(run: list[list[Op] | Wait]) -> None:
    _check(run)


@pytest.mark.full
@given(_runs)
def test_the_store_answers_as_the_reference_does_in_many_runs(run: list[list[Op] | Wait]) -> None:
    _check(run)


@given(
    st.lists(st.tuples(_keys, _values, st.booleans()), min_size=1, max_size=6, unique_by=lambda row: row[0]),
    st.sampled_from(["tea", "お茶"]),
)
@settings(max_examples=10)
def test_a_query_brings_all_items_and_those_kept_out_of_the_index_last(
    rows: list[tuple[str, dict[str, Any], bool]], query: str
) -> None:
    place = ("local", "ann", "a")
    with ProvenanceMemory.open(":memory:", clock=Clock(), ids=Ids(), embedder="hash", index=":memory:") as memory:
        store, reference = MemoryStore(memory), InMemoryStore()
        for key, value, indexed in rows:
            for target in (store, reference):
                target.put(place, key, value, index=None if indexed else False)
        found = store.search(place, query=query, limit=50)
        theirs = reference.search(place, query=query, limit=50)
        assert sorted(map(repr, map(_shown, found))) == sorted(map(repr, map(_shown, theirs)))
        out = {key for key, _value, indexed in rows if not indexed}
        scored = [item.score is not None for item in found]
        assert scored == sorted(scored, reverse=True)
        assert all(item.score is None for item in found if item.key in out)


def test_an_empty_key_is_refused_and_touches_nothing() -> None:
    with ProvenanceMemory.open(":memory:", clock=Clock(), ids=Ids(), embedder="hash") as memory:
        store = MemoryStore(memory)
        store.put(("local", "ann"), "k", {"text": "tea"})
        before = memory.state_hash()
        for op in (
            PutOp(("local", "ann"), "", {"n": 1}),
            PutOp(("local", "ann"), "", None),
            GetOp(("local", "ann"), ""),
        ):
            with pytest.raises(ValueError, match="is empty"):
                store.batch([op])
        assert memory.state_hash() == before
