"""The state is plain JSON, small, and the same for the same inputs; the list of messages keeps its laws."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, RemoveMessage
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer

from rqa_checkpoints.provenance import Scope
from rqa_checkpoints.saver import QdrantSaver
from rqa_graph.graph import build_graph
from rqa_graph.services import AppServices
from rqa_nodes.state import VISIBLE_MESSAGES, merge_messages
from tests.support.graphs import analysis, evaluation, with_memory_saver
from tests.support.growth import assert_no_more_than
from tests.support.opened import Opened
from tests.support.turns import LEVELS, config_of, tell

MARA = Scope("local", "mara")
_BYTES_A_TURN = 30_000

both = pytest.mark.parametrize("lang", ["en", "ja"])


_QUESTIONS = ["What would the mill lose upstream?", "Who pays for the mill?", "Is upstream the thing to choose?"]
_PAST = [{"tension": "the mill never pays", "memory_ref": "[m:zqzqz9]", "recorded_at": "", "confidence": "high"}]


def _turns(services: AppServices, saver: Any) -> None:
    """One turn of each level, the third with a document and a fabricated reference."""
    graph = build_graph(services=services, checkpointer=saver)
    for level in (0, 1, 2):
        tell(graph, LEVELS["en"][level])
    tell(graph, LEVELS["ja"][3], documents=[{"locator": "note.md", "text": "The mill always pays for itself."}])


def _script() -> tuple[list[str], list[str]]:
    judged = evaluation((9, 9, 8, 9), (5, 5, 5, 5), (4, 4, 4, 4))
    cross = analysis(_QUESTIONS, feature_map={"tensions_memory_cross": _PAST})
    return ["Stockholm [m:zqzqz9].", "Both can work.", analysis(_QUESTIONS), cross], [judged, judged]


def test_every_value_of_every_checkpoint_comes_back_from_strict_msgpack(opened: Opened) -> None:
    services = opened(*_script())
    saver = InMemorySaver()
    _turns(services, saver)
    strict = JsonPlusSerializer(allowed_msgpack_modules=None)
    seen: set[str] = set()
    for found in saver.list(config_of()):
        for key, value in found.checkpoint["channel_values"].items():
            assert strict.loads_typed(strict.dumps_typed(value)) == value, key
            if key not in {"messages", "__start__"}:
                # Equal after JSON: no tuple, set, date, number type or object of ours hides in it.
                assert json.loads(json.dumps(value)) == value, key
            seen.add(key)
    assert {"turn", "route", "draft", "rounds", "panel", "best", "analysis", "evaluation", "injected"} <= seen


@both
def test_a_turn_costs_less_than_thirty_kilobytes_of_checkpoints(
    lang: str, opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = {
        "en": "I walk the canal path number {i} in the morning and the hill loop in the evening of day {i}.",
        "ja": "{i}日目の朝は運河の道を歩き、夕方は丘の道を歩きます。",
    }[lang]
    reply = {
        "en": "The canal path number {i} is flat and calm in the morning {{m:canal}}. Take a light coat with you and "
        "some water for the way back. The hill loop {i} is steeper; it is better kept for the days on which you have "
        "slept well. It helps to plan the week ahead, and to leave one day free.",
        "ja": "{i}日目の運河の道は平らで、朝は静かです{{m:運河}}。帰り道のために薄手の上着と水を持って行ってください。"
        "丘の道は急なので、よく眠れた日に取っておくほうがよいでしょう。一週間の予定を先に立て、一日は空けておくと楽です。",
    }[lang]
    services = opened([reply.format(i=i) for i in range(30)])
    with QdrantSaver.from_location(":memory:") as saver:
        store = saver._core._opened()
        apply, written = store.apply, [0]

        def counted(points: Any, drop: Any = ()) -> None:
            written[0] += sum(len(json.dumps(payload).encode()) for payload in points.values())
            apply(points, drop)

        monkeypatch.setattr(store, "apply", counted)
        graph = build_graph(services=services, checkpointer=saver)
        sizes: list[int] = []
        for i in range(30):
            written[0] = 0
            told = tell(graph, said.format(i=i))
            sizes.append(written[0])
        assert len(told.result.memory["injected"]) == 8
        assert len(told.state["messages"]) == VISIBLE_MESSAGES
    assert max(sizes) < _BYTES_A_TURN, sizes
    assert max(sizes[20:]) < 1.2 * max(sizes[10:20]), "a turn of a long thread costs no more than one of a short"


def test_a_turn_writes_the_list_of_messages_twice_whoever_names_them(opened: Opened) -> None:
    services = opened(["The canal path is flat."] * 3)
    with QdrantSaver.from_location(":memory:") as saver:
        graph = build_graph(services=services, checkpointer=saver)
        said: tuple[Any, ...] = (
            {"role": "user", "content": "Where do I walk?"},
            HumanMessage("Where?"),
            ("user", "So?"),
        )
        for message in said:
            before = len([*saver.list(config_of())])
            graph.invoke({"messages": [message]}, config_of())
            of_turn = [*saver.list(config_of())][: -before or None]
            versions = {item.checkpoint["channel_versions"].get("messages") for item in of_turn[:-1]}
            assert len(versions) == 2, "as it came, and with the reply"


def test_what_a_client_sends_is_in_the_first_checkpoints_of_its_turn_and_pruning_takes_it(opened: Opened) -> None:
    # LangGraph stores the input before any node runs, so a long text stands there as it came until the thread is
    # pruned; the state that later turns read has its digest only.
    services = opened([analysis(_QUESTIONS)], [evaluation((9, 9, 8, 9), (5, 5, 5, 5), (4, 4, 4, 4))])
    text = "Analyse this critically. " + "The weir holds. " * 900
    with QdrantSaver.from_location(":memory:") as saver:
        graph = build_graph(services=services, checkpointer=saver)
        told = tell(graph, text)
        found = [repr(item.checkpoint["channel_values"]) for item in saver.list(config_of())]
        assert [text[:300] in values for values in found] == [False] * (len(found) - 2) + [True, True]
        saver.prune(["t"], strategy="keep_latest")
        left = list(saver.list(config_of()))
        assert len(left) == 1
        assert text[:300] not in repr(left)
        assert graph.get_state(config_of()).values == told.state


def test_the_same_inputs_give_the_same_state_and_the_same_log(opened: Opened) -> None:
    hashes: list[str] = []
    states: list[dict[str, Any]] = []
    for _ in range(2):
        services = opened(*_script())
        saver = InMemorySaver()
        _turns(services, saver)
        hashes.append(services.memory.state_hash())
        states.append(build_graph(services=services, checkpointer=saver).get_state(config_of()).values)
    assert hashes[0] == hashes[1]
    assert states[0] == states[1]


def test_nothing_of_the_last_turn_is_written_again_where_it_is_fresh_already(opened: Opened) -> None:
    graph = with_memory_saver(opened(["Stockholm.", "Oslo."]))
    tell(graph, LEVELS["en"][1])
    told = tell(graph, LEVELS["en"][1])
    opening = next(s for s in graph.get_state_history(config_of()) if s.next == ("recall",))
    assert opening.values["draft"] is None
    assert told.result.text == "Oslo."
    first = next(item for item in graph.stream({"messages": [HumanMessage("hello")]}, config_of()) if "route" in item)
    assert "analysis" not in first["route"]


_ids = st.sampled_from([f"m{i}" for i in range(24)])
_messages: st.SearchStrategy[AnyMessage] = st.builds(
    lambda id_, text, own: HumanMessage(text, id=id_) if own else AIMessage(text, id=id_),
    _ids,
    st.text(max_size=3),
    st.booleans(),
)
_lists = st.lists(_messages, max_size=20)
_arrivals = st.lists(st.one_of(_messages, st.builds(HumanMessage, st.text(max_size=2))), max_size=8)
"""As clients send them: with an id or without."""


@given(_arrivals)
def test_merging_nothing_changes_nothing(rows: list[AnyMessage]) -> None:
    merged = merge_messages([], rows)
    assert merge_messages(merged, []) == merged


@given(_lists, _lists)
def test_merging_twice_is_merging_once(left: list[AnyMessage], right: list[AnyMessage]) -> None:
    # Without the cut: what is cut off is gone, so that its id is new again.
    left, right = left[:8], right[:8]
    once = merge_messages(merge_messages([], left), right)
    assert merge_messages(once, right) == once


@given(_arrivals, _arrivals)
def test_one_batch_is_two(one: list[AnyMessage], two: list[AnyMessage]) -> None:
    assert merge_messages([], [*one, *two]) == merge_messages(merge_messages([], one), two)


@given(_lists, st.lists(_messages, max_size=40))
@settings(max_examples=50)
def test_the_newest_are_kept_in_order_of_arrival(left: list[AnyMessage], right: list[AnyMessage]) -> None:
    merged = merge_messages(left[:16], right)
    assert len(merged) <= VISIBLE_MESSAGES
    fresh = list(dict.fromkeys(m.id for m in right if m.id not in {old.id for old in left[:16]}))
    kept = [m.id for m in merged if m.id in fresh]
    assert kept == [name for name in fresh if name in kept]


@given(_arrivals, _arrivals)
def test_what_comes_without_an_id_is_a_message_of_its_own(left: list[AnyMessage], right: list[AnyMessage]) -> None:
    merged = merge_messages(merge_messages([], left), right)
    ids = [message.id for message in merged]
    assert None not in ids
    assert len(set(ids)) == len(ids)
    named = {message.id for message in [*left, *right] if message.id}
    assert len(merged) == len(named) + sum(not message.id for message in [*left, *right])


def test_one_words_said_twice_are_two_messages_and_a_removed_one_may_be_said_again() -> None:
    once = merge_messages([], [HumanMessage("yes")])
    twice = merge_messages(once, [HumanMessage("yes")])
    assert [m.text for m in twice] == ["yes", "yes"]
    assert merge_messages([], [HumanMessage("yes"), HumanMessage("yes")]) == twice, "nothing random is in it"
    [first, _] = twice
    moved = merge_messages(merge_messages(twice, RemoveMessage(id=str(first.id))), [first, HumanMessage("yes")])
    assert len({m.id for m in moved}) == 3


def test_a_long_conversation_costs_what_its_length_explains() -> None:
    def said(count: int) -> list[AnyMessage]:
        return [HumanMessage("bees", id=str(number)) for number in range(count)]

    small, large = said(500), said(4000)
    assert_no_more_than(20, lambda _: merge_messages([], small), lambda _: merge_messages([], large))


def test_messages_are_replaced_and_removed_by_id() -> None:
    rows = merge_messages([], [HumanMessage("a", id="1"), AIMessage("b", id="2"), HumanMessage("c", id="3")])
    assert [m.text for m in merge_messages(rows, [AIMessage("B", id="2")])] == ["a", "B", "c"]
    assert [m.text for m in merge_messages(rows, RemoveMessage(id="2"))] == ["a", "c"]
    assert [m.text for m in merge_messages(rows, {"role": "user", "content": "d"})] == ["a", "b", "c", "d"]
