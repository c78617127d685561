"""A reader that leaves in mid-turn takes nothing with it: the turn is whole or absent, and the thread can go on."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from langchain_core.messages import HumanMessage

from rqa_checkpoints.provenance import Scope
from rqa_graph.turns import Graph
from tests.support.graphs import analysis, evaluation, with_memory_saver
from tests.support.opened import Opened
from tests.support.turns import FORMS, LEVELS, ByTask, Form, config_of, resume, tell

pytestmark = pytest.mark.thinned

MARA = Scope("local", "mara")

_ANSWER = {"en": "Both can work. Each has its price.", "ja": "どちらにも利点があります。費用も異なります。"}
_QUESTIONS = {
    "en": ["What would the mill lose upstream?", "Who pays for the mill?", "Is upstream the thing to choose?"],
    "ja": ["製粉所は上流で何を失いますか？", "製粉所の費用は誰が払いますか？", "選ぶべきなのは上流ですか？"],
}
_GOOD = evaluation((9, 9, 8, 9), (5, 5, 5, 5), (4, 4, 4, 4))


def _read_some(graph: Graph, text: str, events: int, form: Form) -> None:
    """Read so many events of a turn, then close the stream."""
    given: Any = {"messages": [HumanMessage(text)]}

    async def read() -> None:
        stream: Any = graph.astream(given, config_of(), stream_mode="custom")
        for _ in range(events):
            await anext(stream)
        await stream.aclose()

    if form == "async":
        asyncio.run(read())
        return
    stream: Any = graph.stream(given, config_of(), stream_mode="custom")
    for _ in range(events):
        next(stream)
    stream.close()


@pytest.mark.parametrize("lang", ["en", "ja"])
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("events", range(1, 8))
def test_the_turn_is_whole_or_absent_and_resuming_commits_it_under_its_id(
    events: int, form: Form, lang: str, opened: Opened
) -> None:
    services = opened(ByTask(_ANSWER[lang], analysis(_QUESTIONS[lang])), [_GOOD] * 2)
    graph = with_memory_saver(services)
    _read_some(graph, LEVELS[lang][2], events, form)
    before = services.memory.turns(scope=MARA)
    assert len(before) in (0, 1, 2)
    for part in before:
        assert part.reply_text in {_ANSWER[lang], _QUESTIONS[lang][0]}
        assert len(services.memory.get(part.written, scope=MARA)) == len(part.written)
    waiting = graph.get_state(config_of())
    told = resume(graph, form=form)
    assert graph.get_state(config_of()).next == ()
    parts = services.memory.turns(scope=MARA)[::-1]
    assert [part.part for part in parts] == ["answer", "question"]
    assert {part.turn_id for part in parts} == {told.result.turn}
    if waiting.next != ("route",) and "turn" in waiting.values:
        assert told.result.turn == waiting.values["turn"]["turn_id"]
    assert (told.result.text, told.result.question) == (_ANSWER[lang], _QUESTIONS[lang][0])
    assert services.memory.verify_chain() is None
    assert services.memory.state_hash() == services.memory.log.replayed_hash()


def test_a_new_message_instead_of_resuming_begins_a_new_turn(opened: Opened) -> None:
    services = opened([_ANSWER["en"], "Stockholm."], [])
    graph = with_memory_saver(services)
    _read_some(graph, LEVELS["en"][2], 2, "sync")
    told = tell(graph, LEVELS["en"][1])
    assert told.result.level == 1
    assert [m.text for m in told.state["messages"]][-2] == LEVELS["en"][1]
    assert graph.get_state(config_of()).next == ()
