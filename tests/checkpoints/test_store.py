"""The LangGraph store: like `InMemoryStore` where that is right, stricter where memory must be."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from langgraph.store.base import GetOp, InvalidNamespaceError, ListNamespacesOp, MatchCondition, PutOp, SearchOp
from langgraph.store.memory import InMemoryStore

from rqa_checkpoints.errors import MissingScopeError, RefusedTextError
from rqa_checkpoints.memory import ProvenanceMemory
from rqa_checkpoints.provenance import SourceClass
from rqa_checkpoints.queries import NodeFilter
from rqa_checkpoints.store import MemoryStore
from tests.support.memories import ANN, BOB, open_memory

NS = ("local", "ann", "prefs")


@pytest.fixture
def memory() -> Iterator[ProvenanceMemory]:
    with open_memory() as opened:
        yield opened


@pytest.fixture
def store(memory: ProvenanceMemory) -> MemoryStore:
    return MemoryStore(memory)


@pytest.mark.parametrize(
    "value",
    [
        {"text": "likes tea", "n": 1, "deep": {"a": [1, 2.5, None, True]}},
        {"content": "お茶が好き"},
        {"text": "", "content": 3, "b": 1, "a": "z"},
        {"n": 0.1},
        {},
    ],
)
def test_a_value_comes_back_unchanged(store: MemoryStore, value: dict[str, Any]) -> None:
    store.put(NS, "k", value)
    item = store.get(NS, "k")
    assert item is not None
    assert (item.value, item.key, tuple(item.namespace)) == (value, "k", NS)
    assert list(item.value) == list(value)
    assert store.get(NS, "other") is None


def test_what_is_searched_is_the_text_the_content_or_all_as_json(memory: ProvenanceMemory, store: MemoryStore) -> None:
    store.put(NS, "a", {"text": "likes tea", "content": "x"})
    store.put(NS, "b", {"content": "likes bees"})
    store.put(NS, "c", {"n": 1, "m": "é"})
    assert [node.text for node in memory.list(scope=ANN)] == ['{"m": "é", "n": 1}', "likes bees", "likes tea"]


def test_whatever_is_put_has_the_class_of_the_store(memory: ProvenanceMemory) -> None:
    MemoryStore(memory).put(NS, "a", {"text": "the user likes tea", "source": "user"})
    MemoryStore(memory, SourceClass.user, author="ann").put(NS, "b", {"text": "I like tea"})
    assert [(node.source, node.author) for node in memory.list(scope=ANN)] == [
        (SourceClass.user, "ann"),
        (SourceClass.assistant, "store"),
    ]


def test_overwriting_makes_a_version_that_supersedes_and_deleting_hides(
    memory: ProvenanceMemory, store: MemoryStore
) -> None:
    store.put(NS, "k", {"text": "likes green tea"})
    first = memory.list(scope=ANN)[0]
    created = store.get(NS, "k")
    store.put(NS, "k", {"text": "likes black tea"})
    item = store.get(NS, "k")
    assert created is not None
    assert item is not None
    assert item.value == {"text": "likes black tea"}
    assert item.created_at == created.created_at < item.updated_at
    second = memory.list(scope=ANN)[0]
    assert [(edge.src, edge.kind, edge.dst) for edge in memory.show(second.id, scope=ANN).edges] == [
        (second.id, "supersedes", first.id)
    ]
    assert memory.get([first.id], scope=ANN)[0].hidden
    store.delete(NS, "k")
    store.delete(NS, "k")
    assert store.get(NS, "k") is None
    assert {node.text for node in memory.list(scope=ANN, where=NodeFilter(hidden=True))} == {
        "likes green tea",
        "likes black tea",
    }


def test_a_value_put_back_is_live_again_as_the_item_that_it_was(memory: ProvenanceMemory, store: MemoryStore) -> None:
    store.put(NS, "k", {"text": "tea", "n": 1})
    first = memory.list(scope=ANN)[0].id
    store.put(NS, "k", {"text": "tea", "n": 2})
    store.put(NS, "k", {"text": "tea", "n": 1})
    assert [node.id for node in memory.list(scope=ANN)] == [first]
    before = memory.log.head()
    store.put(NS, "k", {"n": 1, "text": "tea"})
    assert memory.log.head() == before
    memory.restore(memory.list(scope=ANN, where=NodeFilter(hidden=True))[0].id, scope=ANN)
    item = store.get(NS, "k")
    assert item is not None
    assert item.value["n"] == 2
    assert memory.counts(scope=ANN)["total"] == {"visible": 1, "hidden": 1}
    assert memory.state_hash() == memory.log.replayed_hash()


def test_a_forgotten_version_is_gone_from_the_store(memory: ProvenanceMemory, store: MemoryStore) -> None:
    store.put(NS, "k", {"text": "tea"})
    memory.forget(memory.list(scope=ANN)[0].handle, scope=ANN)
    assert store.get(NS, "k") is None
    assert store.search(NS) == []


@pytest.mark.parametrize(
    "value",
    [{"text": "see [memory_context]"}, {"text": "x", "more": "［/input］"}, {"text": object()}, {"x": float("nan")}],
)
def test_a_refused_value_raises_and_nothing_of_the_batch_is_written(
    memory: ProvenanceMemory, store: MemoryStore, value: dict[str, Any]
) -> None:
    with pytest.raises(RefusedTextError):
        store.batch([PutOp(NS, "good", {"text": "tea"}), PutOp(NS, "bad", value)])
    assert memory.log.events() == []


@pytest.mark.parametrize(
    "op",
    [
        GetOp(("local",), "k"),
        PutOp(("local",), "k", {"text": "x"}),
        PutOp(("local",), "k", None),
        SearchOp(()),
        SearchOp(("local",)),
        ListNamespacesOp(),
        ListNamespacesOp((MatchCondition("prefix", ("local", "*")),)),
        ListNamespacesOp((MatchCondition("suffix", ("local", "ann")),)),
    ],
)
def test_a_request_without_tenant_and_user_is_an_error(store: MemoryStore, op: Any) -> None:
    with pytest.raises(MissingScopeError, match="does not name tenant and user"):
        store.batch([op])


def test_labels_are_checked_as_langgraph_checks_them(store: MemoryStore) -> None:
    with pytest.raises(InvalidNamespaceError):
        store.batch([GetOp(("local", "ann", "a.b"), "k")])


def test_reads_in_a_batch_see_the_state_before_its_writes_and_the_last_write_wins(store: MemoryStore) -> None:
    results = store.batch([PutOp(NS, "k", {"n": 1}), GetOp(NS, "k"), PutOp(NS, "k", {"n": 2}), SearchOp(NS)])
    assert results == [None, None, None, []]
    item = store.get(NS, "k")
    assert item is not None
    assert item.value == {"n": 2}


def test_another_person_sees_nothing(memory: ProvenanceMemory, store: MemoryStore) -> None:
    store.put(NS, "k", {"text": "tea"})
    assert store.get(("local", "bob", "prefs"), "k") is None
    assert store.search(("local", "bob")) == []
    assert store.list_namespaces(prefix=("local", "bob")) == []
    store.delete(("local", "bob", "prefs"), "k")
    assert memory.counts(scope=BOB)["total"] == {"visible": 0, "hidden": 0}
    assert store.get(NS, "k") is not None


def _fill(target: MemoryStore | InMemoryStore) -> None:
    for number in range(12):
        place = ("local", "ann", "a" if number % 2 else "b", f"s{number % 3}")
        value = {"n": number, "even": number % 2 == 0, "deep": {"x": number % 4}, "tags": [number % 3, "t"]}
        target.put(place, f"k{number}", value)
    target.put(("local", "ann", "a", "s1"), "k1", {"n": 100})
    target.delete(("local", "ann", "b", "s2"), "k2")


@pytest.mark.parametrize(
    "wanted",
    [
        None,
        {"n": 4},
        {"n": {"$gt": 3, "$lte": 8}},
        {"n": {"$ne": 5}},
        {"even": True, "n": {"$gte": 6}},
        {"deep": {"x": 2}},
        {"deep": {"x": {"$lt": 2}}},
        {"tags": [1, "t"]},
        {"n": {"$eq": 100}},
        {"missing": None},
    ],
)
@pytest.mark.parametrize("prefix", [("local", "ann"), ("local", "ann", "a"), ("local", "ann", "b", "s0")])
def test_searching_without_a_query_gives_what_the_reference_store_gives(
    store: MemoryStore, wanted: dict[str, Any] | None, prefix: tuple[str, ...]
) -> None:
    reference = InMemoryStore()
    _fill(store)
    _fill(reference)
    mine = store.search(prefix, filter=wanted, limit=50)
    theirs = reference.search(prefix, filter=wanted, limit=50)
    assert sorted((item.key, str(item.value)) for item in mine) == sorted((i.key, str(i.value)) for i in theirs)
    assert all(item.score is None for item in mine)
    paged = store.search(prefix, filter=wanted, limit=2) + store.search(prefix, filter=wanted, limit=50, offset=2)
    assert paged == mine


@pytest.mark.parametrize(
    "options",
    [
        {"prefix": ("local", "ann")},
        {"prefix": ("local", "ann", "a")},
        {"prefix": ("local", "ann", "*", "s1")},
        {"prefix": ("local", "ann"), "suffix": ("s1",)},
        {"prefix": ("local", "ann"), "max_depth": 3},
        {"prefix": ("local", "ann"), "limit": 2, "offset": 1},
    ],
)
def test_namespaces_are_listed_as_the_reference_store_lists_them(store: MemoryStore, options: dict[str, Any]) -> None:
    reference = InMemoryStore()
    _fill(store)
    _fill(reference)
    mine = [tuple(namespace) for namespace in store.list_namespaces(**options)]
    assert mine == reference.list_namespaces(**options)


@pytest.mark.parametrize(
    ("query", "first"), [("which tea does she like", "a"), ("蜂について", "b"), ("boats and sails", "c")]
)
def test_a_search_ranks_all_and_finds_earlier_puts_at_once(store: MemoryStore, query: str, first: str) -> None:
    store.put(NS, "a", {"text": "She likes green tea in the morning."})
    store.put((*NS, "deep"), "b", {"text": "蜂をルンドで飼っている。"})
    store.put(NS, "c", {"text": "The boat has brown sails."})
    found = store.search(NS, query=query)
    assert found[0].key == first
    scores = [item.score for item in found if item.score is not None]
    assert scores == sorted(scores, reverse=True)
    assert {item.key for item in store.search(NS, query=query, limit=1)} == {first}
    assert [item.key for item in store.search((*NS, "deep"), query=query)] == ["b"]


def test_an_item_kept_out_of_the_index_comes_last_without_a_score(store: MemoryStore) -> None:
    store.put(NS, "a", {"text": "green tea"}, index=False)
    store.put(NS, "b", {"text": "green apples"})
    assert [(item.key, item.score is None) for item in store.search(NS, query="green tea")] == [
        ("b", False),
        ("a", True),
    ]


async def test_the_asynchronous_twin_does_the_same_off_the_loop(store: MemoryStore) -> None:
    await store.aput(NS, "a", {"text": "green tea"})
    item = await store.aget(NS, "a")
    assert item is not None
    assert item.value == {"text": "green tea"}
    found = await asyncio.gather(*(store.asearch(NS, query="tea") for _ in range(3)))
    assert [[hit.key for hit in hits] for hits in found] == [["a"]] * 3
    await store.adelete(NS, "a")
    assert await store.alist_namespaces(prefix=("local", "ann")) == []


@pytest.mark.parametrize("test", [{"n": {"$in": [1]}}])
def test_an_unknown_operator_is_named(store: MemoryStore, test: dict[str, Any]) -> None:
    store.put(NS, "a", {"n": 1})
    with pytest.raises(ValueError, match=r"'\$in'"):
        store.search(NS, filter=test)
    assert store.search(NS, filter={"n": {"$gt": "x"}}) == []


class _HandClock:
    """A clock that a test moves."""

    def __init__(self) -> None:
        self.now = datetime(2026, 3, 1, 9, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now


@pytest.mark.log_contract
class TestTimeToLive:
    @pytest.fixture
    def clock(self) -> _HandClock:
        return _HandClock()

    @pytest.fixture
    def memory(self, clock: _HandClock) -> Iterator[ProvenanceMemory]:
        with open_memory(clock=clock) as opened:
            yield opened

    @pytest.mark.parametrize("text", ["likes tea", "お茶が好き"])
    def test_a_value_is_gone_from_every_view_when_its_time_is_over(
        self, memory: ProvenanceMemory, store: MemoryStore, clock: _HandClock, text: str
    ) -> None:
        store.put(NS, "k", {"text": text}, ttl=5)
        store.put(NS, "stays", {"text": "A kettle stands on the stove."})
        clock.now += timedelta(minutes=5) - timedelta(seconds=1)
        assert len(store.search(NS, refresh_ttl=False)) == 2
        clock.now += timedelta(seconds=1)
        assert [item.node.text for item in memory.recall(text, scope=ANN).items if item.node.text == text] == []
        assert store.get(NS, "k") is None
        assert [item.key for item in store.search(NS)] == ["stays"]
        assert [node.text for node in memory.list(scope=ANN)] == ["A kettle stands on the stove."]
        assert memory.verify_chain() is None

    def test_reading_begins_the_time_anew_unless_it_is_told_not_to(self, store: MemoryStore, clock: _HandClock) -> None:
        store.put(NS, "k", {"n": 1}, ttl=5)
        for _ in range(3):
            clock.now += timedelta(minutes=4)
            assert store.get(NS, "k") is not None
        clock.now += timedelta(minutes=4)
        assert len(store.search(NS)) == 1
        clock.now += timedelta(minutes=4)
        assert store.get(NS, "k", refresh_ttl=False) is not None
        clock.now += timedelta(minutes=1)
        assert store.get(NS, "k") is None

    def test_a_new_put_says_anew_how_long(self, store: MemoryStore, clock: _HandClock) -> None:
        store.put(NS, "k", {"n": 1}, ttl=5)
        store.put(NS, "k", {"n": 1})
        clock.now += timedelta(days=400)
        assert store.get(NS, "k") is not None
        store.put(NS, "k", {"n": 1}, ttl=5)
        clock.now += timedelta(minutes=6)
        assert store.get(NS, "k") is None
        store.put(NS, "k", {"n": 1}, ttl=5)
        assert store.get(NS, "k") is not None

    def test_a_store_may_give_every_value_a_time(self, memory: ProvenanceMemory, clock: _HandClock) -> None:
        store = MemoryStore(memory, ttl={"default_ttl": 10.0, "refresh_on_read": False})
        store.put(NS, "k", {"n": 1})
        store.put(NS, "ever", {"n": 2}, ttl=None)
        clock.now += timedelta(minutes=9)
        assert store.get(NS, "k") is not None
        clock.now += timedelta(minutes=1)
        assert [item.key for item in store.search(NS)] == ["ever"]

    def test_what_a_person_brings_back_stays(self, memory: ProvenanceMemory, clock: _HandClock) -> None:
        MemoryStore(memory).put(NS, "k", {"text": "likes tea"}, ttl=5)
        [node] = memory.list(scope=ANN)
        clock.now += timedelta(minutes=5)
        assert memory.show(node.handle, scope=ANN).node.hidden
        memory.restore(node.handle, scope=ANN)
        clock.now += timedelta(days=400)
        assert [one.id for one in memory.list(scope=ANN)] == [node.id]

    def test_an_export_keeps_the_end(self, store: MemoryStore, memory: ProvenanceMemory, clock: _HandClock) -> None:
        store.put(NS, "k", {"text": "likes tea"}, ttl=5)
        with open_memory(clock=clock) as other:
            other.import_export(memory.export(scope=ANN), scope=ANN)
            there = MemoryStore(other)
            assert there.get(NS, "k", refresh_ttl=False) is not None
            clock.now += timedelta(minutes=5)
            assert there.get(NS, "k") is None

    @pytest.mark.parametrize("ttl", [0, -1, float("nan"), float("inf"), 1e12])
    def test_a_time_that_is_none_is_refused_and_nothing_of_the_batch_is_written(
        self, store: MemoryStore, ttl: float
    ) -> None:
        with pytest.raises(ValueError, match="more than 0"):
            store.batch([PutOp(NS, "a", {"n": 1}), PutOp(NS, "b", {"n": 2}, ttl=ttl)])
        assert store.search(NS) == []
