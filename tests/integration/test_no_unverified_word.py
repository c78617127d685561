"""No word that the verifier removes is ever seen: not in a stream, an event, a checkpoint, a state or a trace.

One case a stream mode, sync and async, in both languages; after each, the state and the history of the thread too.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable
from itertools import cycle
from typing import Any, Final

import pytest
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, HumanMessage

from rqa_graph.bound_model import BoundChatModel
from rqa_graph.turns import Graph
from rqa_nodes.models import ResolvedModel
from rqa_nodes.state import Context
from tests.support.agents import BAD, LANGS, Recorder, traces
from tests.support.graphs import analysis, evaluation, ticking_clock, with_memory_saver
from tests.support.opened import Opened
from tests.support.turns import FORMS, LEVELS, Form

_MODES: Final = ("values", "updates", "messages", "custom", "tasks", "checkpoints", "debug")
_ALL: Final = list(_MODES)
_QUESTIONS: Final = {
    "en": "Would the plan still stand if the river were dry in June?",
    "ja": "川が六月に干上がっても、この計画は成り立ちますか？",
}
_OTHERS: Final = {
    "en": ["What would count against it?", "Who decides that the mill pays?"],
    "ja": ["何がこの計画への反証になりますか？", "製粉所が元を取れると誰が決めますか？"],
}
_Opened = Callable[[str, int], Graph]


def _model(replies: list[str]) -> BoundChatModel:
    """A LangChain model, so that its own callbacks and streams are in play."""
    fake = GenericFakeChatModel(messages=iter([AIMessage(reply) for reply in replies]))
    return BoundChatModel(ResolvedModel(model=fake, engine="fake", is_local=True), ticking_clock(), 60.0)


@pytest.fixture
def graph_of(opened: Opened) -> _Opened:
    """The graph whose model and evaluator claim what never was, in a language, for a turn of a level."""

    def open_it(lang: str, level: int) -> Graph:
        bad = LANGS[lang]["bad"]
        analysed = analysis([f"{_QUESTIONS[lang]} {BAD}]", *_OTHERS[lang]])
        judged = evaluation((9, 9, 9, 9), (5, 5, 5, 5), (5, 5, 5, 5), rationale=f"sharp, {bad}")
        return with_memory_saver(opened(_model([bad, analysed] if level < 3 else [analysed]), [judged]))

    return open_it


def _input(lang: str, level: int) -> dict[str, Any]:
    return {"messages": [HumanMessage(LEVELS[lang][level], id="m1")]}


def _config(recorder: Recorder) -> Any:
    return {"configurable": {"thread_id": "t"}, "callbacks": [recorder]}


def _shown(lang: str, level: int) -> str:
    """The good words of a turn; where they are missing, a case proves nothing."""
    return LANGS[lang]["kept"] if level < 3 else _QUESTIONS[lang]


async def _assert_clean(graph: Graph, seen: list[Any], recorder: Recorder, *, lang: str, level: int) -> None:
    config: Any = {"configurable": {"thread_id": "t"}}
    states = [graph.get_state(config), *graph.get_state_history(config)]
    states += [await graph.aget_state(config), *[state async for state in graph.aget_state_history(config)]]
    saver: Any = graph.checkpointer
    stored = f"{saver.storage!r}{saver.blobs!r}{saver.writes!r}"
    places = ["\n".join(map(repr, seen)), repr(states), stored, "\n".join(recorder.seen)]
    for place in places:
        # The reference itself may be named in a verdict; the brackets stand only in unverified text.
        assert BAD not in place
        assert LANGS[lang]["claim"] not in place
    assert _shown(lang, level) in places[0]
    assert _shown(lang, level) in places[1]


async def _streamed(graph: Graph, given: Any, config: Any, *, mode: Any, form: Form) -> list[Any]:
    context = Context(depth=1)
    if form == "sync":
        return list(graph.stream(given, config, context=context, stream_mode=mode, subgraphs=True))
    parts: AsyncIterator[Any] = graph.astream(given, config, context=context, stream_mode=mode, subgraphs=True)
    return [part async for part in parts]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    ("mode", "lang"), [*zip(_MODES, cycle(LANGS), strict=False), *((_ALL, lang) for lang in LANGS)]
)
async def test_no_stream_mode_shows_one(mode: Any, lang: str, form: Form, graph_of: _Opened) -> None:
    graph, recorder = graph_of(lang, 2), Recorder()
    seen = await _streamed(graph, _input(lang, 2), _config(recorder), mode=mode, form=form)
    await _assert_clean(graph, seen, recorder, lang=lang, level=2)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("lang", LANGS)
async def test_no_panel_shows_one(lang: str, form: Form, graph_of: _Opened) -> None:
    graph, recorder = graph_of(lang, 3), Recorder()
    seen = await _streamed(graph, _input(lang, 3), _config(recorder), mode=_ALL, form=form)
    await _assert_clean(graph, seen, recorder, lang=lang, level=3)


@pytest.mark.parametrize("lang", LANGS)
async def test_no_event_shows_one(lang: str, graph_of: _Opened) -> None:
    graph, recorder = graph_of(lang, 2), Recorder()
    seen = [event async for event in graph.astream_events(_input(lang, 2), _config(recorder), version="v2")]
    await _assert_clean(graph, seen, recorder, lang=lang, level=2)


@pytest.mark.filterwarnings("ignore:The v3 streaming protocol")
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("lang", LANGS)
async def test_no_event_of_the_newer_protocol_shows_one(lang: str, form: Form, graph_of: _Opened) -> None:
    graph, recorder = graph_of(lang, 2), Recorder()
    given, config = _input(lang, 2), _config(recorder)
    if form == "sync":
        seen = list(graph.stream_events(given, config, version="v3"))
    else:
        seen = [event async for event in await graph.astream_events(given, config, version="v3")]
    await _assert_clean(graph, seen, recorder, lang=lang, level=2)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("lang", LANGS)
async def test_what_a_run_returns_shows_none(lang: str, form: Form, graph_of: _Opened) -> None:
    graph, recorder = graph_of(lang, 2), Recorder()
    given, config, context = _input(lang, 2), _config(recorder), Context()
    if form == "sync":
        result = graph.invoke(given, config, context=context)
    else:
        result = await graph.ainvoke(given, config, context=context)
    await _assert_clean(graph, [result], recorder, lang=lang, level=2)


def test_whole_messages_come_from_the_verifier_alone(graph_of: _Opened) -> None:
    config = _config(Recorder())
    parts: list[Any] = list(
        graph_of("en", 2).stream(_input("en", 2), config, context=Context(), stream_mode="messages")
    )
    assert {meta["langgraph_node"] for _, meta in parts} == {"verify"}
    assert next(message.text for message, _ in parts).endswith(LANGS["en"]["kept"])


@pytest.mark.parametrize("lang", LANGS)
def test_a_tracing_variable_publishes_none(lang: str, graph_of: _Opened, monkeypatch: pytest.MonkeyPatch) -> None:
    with traces(monkeypatch) as bodies:
        graph_of(lang, 2).invoke(_input(lang, 2), {"configurable": {"thread_id": "t"}}, context=Context())
    sent = json.dumps([json.loads(body) for body in bodies if body], ensure_ascii=False)
    assert LANGS[lang]["kept"] in sent, "the trace must have arrived, or this test proves nothing"
    assert BAD not in sent
    assert LANGS[lang]["claim"] not in sent
