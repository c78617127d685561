"""Which questions are for an aspect of the person: each rule is reached, negations and code go elsewhere."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rqa_checkpoints.aspects import Aspect, aspect_router

# One question for each rule, in the order of the rules.
REACHED = {
    "dropped-task": ("dropped tasks", Aspect.tasks_abandoned),
    "dropped-what": ("What have I given up on this year?", Aspect.tasks_abandoned),
    "dropped-ja": ("未完了のまま中断した作業は？", Aspect.tasks_abandoned),
    "running-unfinished": ("what did I begin and not finish?", Aspect.tasks_doing),
    "running-unfinished-ja": ("着手したが終わっていないタスクは？", Aspect.tasks_doing),
    "todo-unfinished": ("Which tasks are not done yet?", Aspect.tasks_todo),
    "todo-what": ("what do I still have to do?", Aspect.tasks_todo),
    "todo-list": ("my to-do list", Aspect.tasks_todo),
    "todo-ja": ("未完了のタスクを見せて", Aspect.tasks_todo),
    "todo-ja-list": ("やることリスト", Aspect.tasks_todo),
    "running-task": ("ongoing work tasks", Aspect.tasks_doing),
    "running-what": ("what am I working on right now", Aspect.tasks_doing),
    "running-ja": ("いま進行中の作業", Aspect.tasks_doing),
    "finished-task": ("show completed tasks", Aspect.tasks_completed),
    "finished-what": ("What have I finished so far?", Aspect.tasks_completed),
    "finished-ja": ("完了したタスク", Aspect.tasks_completed),
    "todo-named": ("where is the active to-do list?", Aspect.tasks_todo),
    "promises-mine": ("my commitments", Aspect.commitments),
    "promises-held": ("which promises have I made?", Aspect.commitments),
    "promised-what": ("What did I promise to Ines?", Aspect.commitments),
    "promises-ja": ("今有効な約束を見せて", Aspect.commitments),
    "values-mine": ("our values", Aspect.values),
    "values-held": ("what matters most to me?", Aspect.values),
    "values-ja": ("私の価値観は？", Aspect.values),
    "aims-mine": ("my goals", Aspect.intentions),
    "aims-held": ("what do I intend?", Aspect.intentions),
    "aims-ja": ("持っている意向", Aspect.intentions),
    "people-mine": ("our relationships", Aspect.relationships),
    "people-to-me": ("Who is Ines to me?", Aspect.relationships),
    "people-ja": ("佐藤さんとの関係は？", Aspect.relationships),
}


@pytest.mark.parametrize(("rule", "asked"), REACHED.items())
def test_each_rule_is_reached(rule: str, asked: tuple[str, Aspect]) -> None:
    text, aspect = asked
    assert aspect_router().match(text) == (aspect, rule)


def test_every_rule_has_a_case_and_a_name_of_its_own() -> None:
    ids = aspect_router().rule_ids()
    assert len(set(ids)) == len(ids)
    assert tuple(REACHED) == ids


@pytest.mark.parametrize(
    "text",
    [
        "print my values array",
        "How do promises work in JavaScript?",
        "Which tasks in the Celery queue are still pending?",
        "今日はコミットの粒度について",
        "この関数の意図は？",
        "テーブル間の関係を教えて",
        "日本人の価値観について教えて",
        "I finished the task yesterday.",
        "昨日やっとタスクが終わった。",
        "who is Alice",
        "commitment",
        "",
        "？",
        "my tasks " * 60,
    ],
)
def test_code_statements_and_topics_are_no_aspect(text: str) -> None:
    assert aspect_router().match(text) is None


@pytest.mark.parametrize(
    ("unfinished", "finished"),
    [
        ("未完了のタスク", "完了したタスク"),
        ("unfinished tasks", "finished tasks"),
        ("終わっていない作業", "終わった作業"),
    ],
)
def test_a_negation_is_another_state(unfinished: str, finished: str) -> None:
    router = aspect_router()
    assert (router.match(unfinished) or [None])[0] is Aspect.tasks_todo
    assert (router.match(finished) or [None])[0] is Aspect.tasks_completed


@given(st.text(max_size=200))
def test_nothing_that_is_asked_raises(text: str) -> None:
    aspect_router().match(text)
