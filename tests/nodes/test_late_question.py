"""A side question that lost only to the clock comes with the next answer; until then there is nothing to see."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any, Literal

import pytest

from rqa_checkpoints.provenance import Scope
from tests.support.faults import Killed, break_commits
from tests.support.graphs import analysis, evaluation, with_memory_saver
from tests.support.opened import Opened
from tests.support.turns import FORMS, LEVELS, Form, config_of, tell

pytestmark = pytest.mark.thinned

MARA = Scope("local", "mara")

both = pytest.mark.parametrize("lang", ["en", "ja"])
forms = pytest.mark.parametrize("form", FORMS)

_ANSWER = {"en": "That depends on the river.", "ja": "それは川によります。"}
_QUESTIONS = {
    "en": ["What would the mill lose?", "Who says that it must move upstream?", "Is the wrong question asked here?"],
    "ja": ["製粉所は何を失いますか？", "上流に移すと誰が困りますか？", "そもそも問いの立て方はどこで違うのですか？"],
}
_GOOD = evaluation((9, 9, 8, 9), (5, 5, 5, 5), (4, 4, 4, 4), rationale="")
_STOP = {"en": "Please stop asking me questions.", "ja": "もう質問しないでください。"}
_CLOSE = {"en": "Don't ask me about the mill again.", "ja": "製粉所のことはもう聞かないで。"}


class _SlowJudge:
    """Gives its verdict when the time of the reflection is all but over."""

    is_local = True
    room = None

    def __init__(self, verdict: str, pass_time: Callable[[float], None]) -> None:
        self.calls = 0
        self._verdict = verdict
        self._pass_time = pass_time

    def unusable(self) -> str:
        return ""

    def judged(self, *, usable: bool) -> None:
        assert usable

    def complete(self, messages: Any, *, deadline: datetime, schema: Any) -> str:
        del messages, deadline, schema
        self.calls += 1
        self._pass_time(29.5)
        return self._verdict

    async def acomplete(self, messages: Any, *, deadline: datetime, schema: Any) -> str:
        return self.complete(messages, deadline=deadline, schema=schema)


def _slow(services: Any) -> _SlowJudge:
    passed = [timedelta()]
    clock = services.clock

    def pass_time(seconds: float) -> None:
        passed[0] += timedelta(seconds=seconds)

    services.clock = lambda: clock() + passed[0]
    services.evaluator = _SlowJudge(_GOOD, pass_time)
    judge: _SlowJudge = services.evaluator
    return judge


@both
@forms
def test_it_is_held_in_silence_and_brought_by_the_next_answer(lang: str, form: Form, opened: Opened) -> None:
    services = opened([_ANSWER[lang], analysis(_QUESTIONS[lang]), "Fine."])
    judge = _slow(services)
    graph = with_memory_saver(services)
    first = tell(graph, LEVELS[lang][2], form=form)
    assert (first.result.question, first.result.question_reason) == (None, "held")
    assert [m.text for m in first.state["messages"]] == [LEVELS[lang][2], _ANSWER[lang]]
    assert first.shown("question") == ""
    assert [part.part for part in services.memory.turn(first.result.turn, scope=MARA)] == ["answer"]

    second = tell(graph, LEVELS[lang][1], form=form)
    assert second.result.text == "Fine."
    assert (second.result.question, second.result.question_reason) == (_QUESTIONS[lang][0], "late")
    assert second.shown("question") == _QUESTIONS[lang][0]
    assert [m.text for m in second.state["messages"]][-2:] == ["Fine.", _QUESTIONS[lang][0]]
    own = {part.part: part for part in services.memory.turn(first.result.turn, scope=MARA)}
    assert own["question"].reply_text == _QUESTIONS[lang][0]
    assert "question" not in [part.part for part in services.memory.turn(second.result.turn, scope=MARA)]
    assert judge.calls == 1


@both
def test_it_comes_once_and_its_topic_is_closed_by_the_answer_to_it(lang: str, opened: Opened) -> None:
    services = opened([_ANSWER[lang], analysis(_QUESTIONS[lang]), *["Fine."] * 3])
    _slow(services)
    graph = with_memory_saver(services)
    tell(graph, LEVELS[lang][2])
    assert tell(graph, LEVELS[lang][1]).result.question is not None
    third = tell(graph, LEVELS[lang][1])
    assert (third.result.question, third.state["late"]) == (None, None)
    assert third.state["closed_topics"]


@both
def test_an_answer_that_brings_one_gets_no_reflection_of_its_own(lang: str, opened: Opened) -> None:
    services = opened([_ANSWER[lang], analysis(_QUESTIONS[lang]), _ANSWER[lang]])
    judge = _slow(services)
    graph = with_memory_saver(services)
    tell(graph, LEVELS[lang][2])
    second = tell(graph, LEVELS[lang][2])
    assert (second.nodes[-1], judge.calls) == ("verify", 1)
    assert second.result.question_reason == "late"


@both
@pytest.mark.parametrize("wishes", [_STOP, _CLOSE])
def test_what_the_user_does_not_want_is_dropped(wishes: dict[str, str], lang: str, opened: Opened) -> None:
    services = opened([_ANSWER[lang], analysis(_QUESTIONS[lang]), "Fine.", "Fine."])
    _slow(services)
    graph = with_memory_saver(services)
    tell(graph, LEVELS[lang][2])
    second = tell(graph, wishes[lang], evaluator=False)
    assert (second.result.question, second.state["late"]) == (None, None)
    assert tell(graph, LEVELS[lang][1]).result.question is None


@both
def test_a_fixed_reply_leaves_it_waiting(lang: str, opened: Opened) -> None:
    services = opened([_ANSWER[lang], analysis(_QUESTIONS[lang]), "Fine."])
    _slow(services)
    graph = with_memory_saver(services)
    tell(graph, LEVELS[lang][2])
    assert tell(graph, {"en": "thanks", "ja": "ありがとう"}[lang]).result.question is None
    assert tell(graph, LEVELS[lang][1]).result.question == _QUESTIONS[lang][0]


@both
@pytest.mark.parametrize("fault", ["killed_before", "killed_after"])
def test_one_that_was_stopped_on_the_way_out_was_not_asked_and_comes_later(
    fault: Literal["killed_before", "killed_after"], lang: str, opened: Opened
) -> None:
    services = opened([_ANSWER[lang], analysis(_QUESTIONS[lang]), "Fine."], [_GOOD])
    graph = with_memory_saver(services)
    break_commits(services, "ok", fault)
    with pytest.raises(Killed):
        tell(graph, LEVELS[lang][2])
    first = graph.get_state(config_of()).values["turn"]["turn_id"]
    second = tell(graph, LEVELS[lang][1])
    assert (second.result.question, second.result.question_reason) == (_QUESTIONS[lang][0], "late")
    assert second.state["closed_topics"] == []
    assert [part.part for part in services.memory.turn(first, scope=MARA)] == ["answer", "question"]
