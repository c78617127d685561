"""A turn can be left at any moment: before the answer nothing is kept, after it the answer is the result."""

from __future__ import annotations

import asyncio
import threading
from typing import Any

import pytest

from rqa_graph.cli.running import RunningTurn
from rqa_graph.turns import TurnResult, arun_turn
from rqa_nodes.scripted import ScriptedEvaluator
from rqa_nodes.state import Context
from tests.support.graphs import analysis, evaluation, with_memory_saver
from tests.support.opened import Opened
from tests.support.turns import LEVELS, config_of

QUESTIONS = {
    "en": ["What would the mill lose upstream?", "Who pays for the mill?", "Is upstream right?"],
    "ja": ["上流に移すと製粉所は何を失いますか？", "製粉所の費用は誰が払いますか？", "上流でよいのでしょうか？"],
}
GOOD = evaluation((9, 9, 8, 9), (5, 5, 5, 5), (4, 4, 4, 4))
both = pytest.mark.parametrize("lang", ["en", "ja"])


class _Waiting(ScriptedEvaluator):
    """Judges once it is let."""

    def __init__(self) -> None:
        super().__init__([GOOD])
        self.asked, self.let = threading.Event(), threading.Event()

    async def acomplete(self, messages: Any, *, deadline: Any, schema: Any) -> str:
        self.asked.set()
        while not self.let.is_set():  # noqa: ASYNC110  # set by another thread
            await asyncio.sleep(0.01)
        return self.complete(messages, deadline=deadline, schema=schema)


def _start(opened: Opened, lang: str) -> tuple[RunningTurn, _Waiting, Any]:
    judge = _Waiting()
    graph = with_memory_saver(opened(["Upstream is dry.", analysis(QUESTIONS[lang]), "Fine."], judge))

    async def run(on_event: Any, on_values: Any) -> None:
        text = LEVELS[lang][2]
        await arun_turn(graph, text, thread="t", context=Context(), on_event=on_event, on_values=on_values)

    return RunningTurn(run, thread="t", show=lambda _event: None), judge, graph


@both
def test_the_answer_is_there_before_the_question_which_comes_later(opened: Opened, lang: str) -> None:
    running, judge, _ = _start(opened, lang)
    running.wait(for_answer=True)
    came, later = threading.Event(), list[TurnResult]()

    def take(result: TurnResult) -> None:
        later.append(result)
        came.set()

    first = running.result(later=take)
    assert (first.text, first.question, first.question_reason) == ("Upstream is dry.", None, "")
    judge.let.set()
    assert came.wait(20)
    assert [result.question for result in later] == [QUESTIONS[lang][0]]
    running.wait()
    assert running.result().question == QUESTIONS[lang][0]


@both
def test_leaving_after_the_answer_keeps_it_and_the_thread_goes_on(opened: Opened, lang: str) -> None:
    running, judge, graph = _start(opened, lang)
    assert judge.asked.wait(20)
    running.cancel()
    left = running.result()
    assert (left.text, left.question, left.question_reason) == ("Upstream is dry.", None, "interrupted")
    judge.let.set()
    given = {"messages": [("user", LEVELS[lang][1])]}
    after = graph.invoke(given, config_of(), context=Context(evaluator=False))
    assert after["messages"][-1].text == "Fine."
    assert after["question"] is None
    assert judge.usable == [], "the one that was left never came to its verdict"


def test_leaving_before_the_answer_leaves_nothing() -> None:
    begun = threading.Event()

    async def run(_on_event: Any, on_values: Any) -> None:
        on_values({"turn": {}})
        begun.set()
        await asyncio.sleep(60)

    running = RunningTurn(run, thread="t", show=lambda _event: None)
    assert begun.wait(10)
    running.cancel()
    with pytest.raises(KeyboardInterrupt):
        running.result()


def test_what_ends_a_turn_is_raised_where_it_is_waited_for() -> None:
    async def run(_on_event: Any, _on_values: Any) -> None:
        raise OSError("the disk is full")

    running = RunningTurn(run, thread="t", show=lambda _event: None)
    running.wait()
    with pytest.raises(OSError, match="disk is full"):
        running.result()
