"""A turn that finds nothing verified deliberates, and says how that ended: answered, waiting, or no answer."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier
from typing import Any

import pytest
from langchain_core.messages import HumanMessage

from rqa_checkpoints.cache.records import CACHE_USER
from rqa_checkpoints.provenance import Scope
from rqa_graph.graph import build_graph
from rqa_graph.services import AppServices
from rqa_nodes.scripted import ScriptedChatModel
from tests.support.deliberations import ANSWERS, answering, deliberating_services, marks, write_documents
from tests.support.turns import FORMS, Form

FUJI = "How tall is Mount Fuji?"
_SHOWN = ["messages", "cached", "deliberated", "route"]
forms = pytest.mark.parametrize("form", FORMS)


def _turn(services: AppServices, question: str = FUJI, *, form: Form = "sync", **given: Any) -> dict[str, Any]:
    run: Any = {"messages": [HumanMessage(question)], "cacheable": True, "domain": "facts", **given}
    graph = build_graph(services=services)
    if form == "async":
        return asyncio.run(graph.ainvoke(run, output_keys=_SHOWN))
    return graph.invoke(run, output_keys=_SHOWN)


def _text(found: Mapping[str, Any]) -> str:
    return str(found["messages"][-1].content)


@forms
def test_a_miss_is_deliberated_on_and_the_next_turn_is_a_hit(form: Form, tmp_path: Path) -> None:
    sages = answering()
    services = deliberating_services(tmp_path, sages)
    first = _turn(services, form=form)
    assert _text(first).startswith("Mount Fuji is 3,776 metres high [m:")
    assert (first["deliberated"]["status"], first["cached"]["outcome"]) == ("ok", "miss")
    said = first["messages"][-1].response_metadata
    assert (said["author"], said["rqa"]["deliberation"]["status"]) == ("deliberation", "ok")
    assert said["rqa"]["cited"]
    second = _turn(services, form=form)
    assert (second["cached"]["outcome"], second["deliberated"]) == ("hit", {})
    assert _text(second) == _text(first)
    assert [len(sage.prompts) for sage in sages.values()] == [1, 1, 1]


def test_nothing_of_it_becomes_memory_but_the_question(tmp_path: Path) -> None:
    services = deliberating_services(tmp_path, answering())
    _turn(services)
    items = services.memory.list(scope=Scope("local", "mara"), limit=10)
    assert [item.source.value for item in items] == ["user"]


@pytest.mark.parametrize(
    ("lang", "question", "shown"),
    [
        ("en", FUJI, "Unverified, and waiting for a person ("),
        ("ja", "富士山の高さは何メートルですか？", "未確認です。人の確認を待っています（"),
    ],
)
def test_an_answer_that_is_not_certain_enough_waits_and_says_so(
    lang: str, question: str, shown: str, tmp_path: Path
) -> None:
    answers = ANSWERS if lang == "en" else dict.fromkeys("ab", "富士山の高さは3776メートルです {m:富士山の高さ}。")
    services = deliberating_services(tmp_path, answering(answers, marks(faithful=6, complete=6)))
    found = _turn(services, question)
    assert found["deliberated"]["status"] == "pending_review"
    assert _text(found).startswith(shown)
    waiting = services.memory.queue.items(scope=Scope("local", CACHE_USER))
    assert [item.id for item in waiting] == [found["deliberated"]["reviewId"]]
    assert waiting[0].id in _text(found)


@pytest.mark.parametrize(
    ("question", "shown"),
    [
        ("Who painted the ceiling of the old chapel?", "No verified answer: no source on the list bears on"),
        ("古い礼拝堂の天井を描いたのは誰ですか？", "確認済みの答えはありません: 登録された出典の中に"),
    ],
)
def test_without_a_source_there_is_no_answer_and_the_turn_says_so(question: str, shown: str, tmp_path: Path) -> None:
    sages = answering()
    found = _turn(deliberating_services(tmp_path, sages), question)
    assert found["deliberated"]["status"] == "abstained"
    assert _text(found).startswith(shown)
    assert all(sage.prompts == [] for sage in sages.values())


@pytest.mark.parametrize(
    ("question", "given", "phase"),
    [
        (FUJI, {}, 0),
        (FUJI, {"cacheable": False}, 4),
        (FUJI, {"domain": "gossip"}, 4),
        (FUJI, {"domain": "law"}, 4),
        ("Which ward am I booked into?", {}, 4),
        ("And how tall is it?", {}, 4),
    ],
)
def test_what_may_not_be_deliberated_on_goes_to_memory_and_model(
    question: str, given: dict[str, Any], phase: int, tmp_path: Path
) -> None:
    sages: Any = {**answering(), "": ScriptedChatModel(["A model said this."])}
    found = _turn(deliberating_services(tmp_path, sages, phase=phase, engines=("alpha:1", "beta:1")), question, **given)
    assert (found["deliberated"], _text(found)) == ({}, "A model said this.")


def test_the_kill_switch_stops_serving_and_what_would_have_been_served_is_compared(tmp_path: Path) -> None:
    lines: list[Any] = []
    services = deliberating_services(tmp_path, answering(), recorded=lines)
    _turn(services)
    store = services.answer_library.store
    store.set_phase(1, tenant="local", domain="*", locale="*", by="ann", reason="kill")
    found = _turn(services)
    assert (found["cached"]["outcome"], found["cached"]["reason"], found["deliberated"]["status"]) == (
        "miss",
        "phase",
        "ok",
    )
    shadows = [line for line in lines if line["kind"] == "shadow"]
    assert [(line["agrees"], line["entry"]) for line in shadows] == [(True, found["cached"]["would_entry"])]


def test_a_stored_answer_that_says_otherwise_is_a_false_hit_of_the_shadow(tmp_path: Path) -> None:
    lines: list[Any] = []
    sources = write_documents(tmp_path)
    services = deliberating_services(tmp_path, answering(), sources=sources, recorded=lines)
    _turn(services)
    services.answer_library.store.set_phase(1, tenant="local", domain="*", locale="*", by="ann", reason="watch")
    for name in ("survey/fuji.md", "atlas/japan.md"):
        (tmp_path / name).write_text("Mount Fuji is 3,999 metres high.", "utf-8")
    said = "Mount Fuji is 3,999 metres high {m:3,999 metres}."
    changed = deliberating_services(tmp_path, answering(dict.fromkeys("ab", said)), sources=sources, recorded=lines)
    changed._library, changed._memory = services.answer_library, services.memory
    _turn(changed)
    assert [line["agrees"] for line in lines if line["kind"] == "shadow"] == [False]


def _at_once(services: AppServices, count: int) -> list[str]:
    graph, start = build_graph(services=services), Barrier(count)

    def one(_number: int) -> str:
        start.wait()
        run: Any = {"messages": [HumanMessage(FUJI)], "cacheable": True, "domain": "facts"}
        return str(graph.invoke(run)["messages"][-1].content)

    _ = services.answer_library
    with ThreadPoolExecutor(count) as pool:
        return list(pool.map(one, range(count)))


def test_thirty_turns_that_ask_at_once_cost_one_deliberation(tmp_path: Path) -> None:
    sages = answering()
    assert len(set(_at_once(deliberating_services(tmp_path, sages), 30))) == 1
    assert [len(sage.prompts) for sage in sages.values()] == [1, 1, 1]


def test_turns_that_ask_at_once_are_compared_in_the_shadow_once_a_deliberation(tmp_path: Path) -> None:
    lines: list[Any] = []
    sages = answering()
    services = deliberating_services(tmp_path, sages, recorded=lines)
    _turn(services)
    services.answer_library.store.set_phase(1, tenant="local", domain="*", locale="*", by="ann", reason="watch")
    _at_once(services, 5)
    runs = {len(sage.prompts) - 1 for sage in sages.values()}
    assert {sum(line["kind"] == "shadow" for line in lines)} == runs
