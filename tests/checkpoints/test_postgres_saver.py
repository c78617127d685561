"""Checkpoints on a real PostgreSQL server: LangGraph's own contract, resuming after a restart, and erasure."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator
from typing import Any, TypedDict

import pytest
from langgraph.checkpoint.conformance import checkpointer_test, validate
from langgraph.checkpoint.conformance.capabilities import Capability
from langgraph.graph import END, START, StateGraph
from langgraph.types import Command, interrupt

from rqa_checkpoints.errors import CheckpointError, StoreUnavailableError
from rqa_checkpoints.saver.postgresql import PostgresThreadSaver
from rqa_graph.turn_saver import open_turn_saver
from tests.contract.test_checkpointer_conformance import TESTS
from tests.support.postgres import Server
from tests.support.residue import traces

SECRET = {"en": "I keep nineteen hives behind the mill.", "ja": "私は北浜で織物の店を十九年しています。"}
HAS = {
    *(Capability.PUT, Capability.PUT_WRITES, Capability.GET_TUPLE, Capability.LIST),
    *(Capability.DELETE_THREAD, Capability.PRUNE),
}


class _State(TypedDict):
    said: str
    heard: list[str]


def _graph(saver: Any) -> Any:
    """Two nodes: the first one asks a person."""

    def ask(state: _State) -> dict[str, Any]:
        return {"heard": [state["said"], interrupt("and then?")]}

    builder: Any = StateGraph(_State)
    builder.add_node("ask", ask)
    builder.add_node("end", lambda _state: {"said": "done"})
    builder.add_edge(START, "ask")
    builder.add_edge("ask", "end")
    builder.add_edge("end", END)
    return builder.compile(checkpointer=saver)


def _config(thread: str) -> dict[str, Any]:
    return {"configurable": {"thread_id": thread}}


@pytest.fixture
def address(postgres_server: Server) -> str:
    return postgres_server.new_database()


async def test_it_keeps_langgraphs_contract_for_what_it_says_that_it_can(postgres_server: Server) -> None:
    @checkpointer_test(name="PostgresThreadSaver")
    async def make() -> AsyncIterator[PostgresThreadSaver]:
        async with PostgresThreadSaver.from_location(postgres_server.new_database()) as saver:
            yield saver

    report = await validate(make)
    assert {name for name, result in report.results.items() if result.detected} == {one.value for one in HAS}
    for capability in HAS:
        result = report.results[capability.value]
        assert result.failures == []
        assert result.tests_passed == TESTS[capability], capability


@pytest.mark.parametrize("mode", ["immediate", "fast"])
def test_a_run_that_waits_goes_on_after_the_process_and_the_server_began_anew(
    postgres_server: Server, address: str, mode: str
) -> None:
    with PostgresThreadSaver.from_location(address) as saver:
        asked = _graph(saver).invoke({"said": "bees", "heard": []}, _config("a"))
        assert asked["__interrupt__"][0].value == "and then?"
    postgres_server.stop(mode)
    postgres_server.start()
    with PostgresThreadSaver.from_location(address) as saver:
        graph = _graph(saver)
        assert graph.get_state(_config("a")).next == ("ask",)
        assert graph.invoke(Command(resume="蜂"), _config("a")) == {"said": "done", "heard": ["bees", "蜂"]}
        history = list(graph.get_state_history(_config("a")))
        assert len(history) > 2
        past = graph.get_state(history[-2].config)
        assert past.values["said"] == "bees"


def test_a_pool_notices_a_restart_under_it(postgres_server: Server, address: str) -> None:
    with PostgresThreadSaver.from_location(address) as saver:
        graph = _graph(saver)
        graph.invoke({"said": "x", "heard": []}, _config("a"))
        postgres_server.stop()
        postgres_server.start()
        assert graph.get_state(_config("a")).next == ("ask",)


def test_what_is_found_may_be_asked_about_while_it_is_listed(address: str) -> None:
    with PostgresThreadSaver.from_location(address) as saver:
        _graph(saver).invoke({"said": "x", "heard": []}, _config("a"))
        assert all(saver.get_tuple(found.config) for found in saver.list(None))


def test_an_address_with_a_wrong_password_or_a_server_that_is_away_is_refused_in_words(
    postgres_server: Server, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.DEBUG):
        for address in (postgres_server.address(password="s3cret-wrong"), "postgresql://ann:s3cret@127.0.0.1:9/x"):
            with pytest.raises(StoreUnavailableError) as refused:
                open_turn_saver(address)
            assert "s3cret" not in f"{refused.value} {refused.value.__cause__}"
            assert refused.value.hint
    assert "s3cret" not in caplog.text


def test_a_server_that_goes_away_is_named(postgres_server: Server, address: str, monkeypatch: Any) -> None:
    monkeypatch.setattr("rqa_checkpoints.saver.postgresql.CONNECT_SECONDS", 1)
    with PostgresThreadSaver.from_location(address) as saver:
        postgres_server.stop()
        try:
            with pytest.raises(CheckpointError) as away:
                saver.get_tuple({"configurable": {"thread_id": "a"}})
        finally:
            postgres_server.start()
        assert isinstance(away.value, StoreUnavailableError)
        assert "s3cret" not in str(away.value)


@pytest.mark.parametrize("lang", ["en", "ja"])
def test_erased_threads_leave_no_byte_in_the_tables(postgres_server: Server, address: str, lang: str) -> None:
    name = address.rsplit("/", 1)[1]
    with PostgresThreadSaver.from_location(address) as saver:
        graph = _graph(saver)
        for thread, said in (("a", SECRET[lang]), ("b", "I restore boats.")):
            graph.invoke({"said": said, "heard": []}, _config(thread))
            graph.invoke(Command(resume=f"Because {said}"), _config(thread))
        postgres_server.execute("ANALYZE", name)
        postgres_server.execute("CHECKPOINT")
        [(oid,)] = postgres_server.execute("SELECT oid FROM pg_database WHERE datname = current_database()", name)
        folder, words = postgres_server.data / "base" / str(oid), SECRET[lang].strip(".。")
        assert traces(folder, words), "the search itself must be able to find something"
        facts = saver.survey_threads(lambda text: words in text)
        assert {thread for thread, one in facts.items() if one.holds} == {"a"}
        assert saver.erase_threads(["a"]) > 3
        postgres_server.execute("CHECKPOINT")
        assert traces(folder, words) == []
        assert graph.get_state(_config("b")).values["said"] == "done"
        assert graph.get_state(_config("a")).values == {}
