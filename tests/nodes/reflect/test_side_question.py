"""A side question is earned, or there is silence."""

from __future__ import annotations

from typing import Any

import pytest

from rqa_nodes.reflect.budgets import Thresholds
from rqa_nodes.reflect.side_question import is_closed, may_surface, question_budget, spend, topic_key

ASK = "Which team could not test its part within a week?"


def _best(
    *, depth: int = 8, sharpness: int = 8, novelty: int = 7, actionability: int = 7, **changed: Any
) -> dict[str, Any]:
    parts = {"depth": depth, "sharpness": sharpness, "novelty": novelty, "actionability": actionability}
    row = {"question": ASK, "target_text": "every team can test its part", "degraded": False, "scores": parts}
    return row | {"score": sum(parts.values())} | changed


def _reason(best: dict[str, Any] | None, **options: Any) -> str:
    ruling = may_surface(best, thresholds=Thresholds(), **options)
    assert ruling.surfaces is (ruling.reason == "earned")
    return ruling.reason


def test_a_question_at_every_threshold_surfaces() -> None:
    assert _reason(_best()) == "earned"


@pytest.mark.parametrize(
    ("best", "reason"),
    [
        (_best(novelty=6), "score"),
        (_best(depth=7, novelty=10), "depth"),
        (_best(sharpness=7, novelty=10), "sharpness"),
        (_best(actionability=6, novelty=10), "actionability"),
        (_best(degraded=True), "degraded"),
        (_best(score=None), "degraded"),
        (_best(question=""), "none"),
        (None, "none"),
        ({}, "none"),
    ],
)
def test_one_missing_part_is_silence(best: dict[str, Any] | None, reason: str) -> None:
    assert _reason(best) == reason


def test_the_highest_score_does_not_lift_what_the_user_closed() -> None:
    best = _best(depth=10, sharpness=10, novelty=10, actionability=10)
    assert _reason(best, budget=0) == "stop_asking"
    assert _reason(best, asked=1) == "already_asked"
    assert _reason(best, closed_topics=[topic_key(ASK)]) == "topic_closed"
    assert _reason(best, budget=1, closed_topics=[topic_key("Which colour has the door?")]) == "earned"


@pytest.mark.parametrize(
    ("answered", "again", "other"),
    [
        (
            "By author or by date: how should the reading list be ordered?",
            "Should the reading list be ordered by author, or by date?",
            "Which books of the reading list were never opened?",
        ),
        (
            "読書リストは著者順と日付順のどちらで並べますか?",
            "読書リストの並べ方は、日付順でしょうか、著者順でしょうか?",
            "一度も開かなかった本はどれですか?",
        ),
    ],
)
def test_a_topic_answered_once_is_closed_in_other_words_too(answered: str, again: str, other: str) -> None:
    closed = [topic_key(answered)]
    assert is_closed(again, closed)
    assert not is_closed(other, closed)
    assert not is_closed("", closed)
    assert not is_closed(again, [])


@pytest.mark.parametrize(
    "wish",
    [
        "Stop asking.",
        "Please stop asking me questions!",
        "ok, now stop asking",
        "Could you stop asking, please?",
        "Stop asking so many questions, it tires me.",
        "Don't ask me any more questions.",
        "Do not ask again",
        "No more questions.",
        "That's enough questions.",
        "By date. And stop asking me things.",
        "質問しないで。",
        "もう質問しないでください",
        "これ以上聞かないで",
        "質問はもういいです。",
        "問い返しは不要です。",
        "日付順で。質問はやめて。",
        "私に質問しないで",
        "もういいです、聞かないで。",
        "質問はしなくていいです。",
        "There's no need to ask me again.",
        "别再问了",
        "请不要再提问",
    ],
)
def test_stop_asking_sets_the_budget_to_zero(wish: str) -> None:
    assert question_budget(wish, None) == 0
    assert question_budget(wish, 3) == 0


@pytest.mark.parametrize(
    "message",
    [
        "How do I get my children to stop asking for sweets?",
        "My boss will not stop asking about the date.",
        'The sign says "no more questions".',
        "Don't ask the vendor before Monday, ask Ines.",
        "You never stop asking good questions, thanks.",
        "Stop asking for permission and build.",
        "There are no more questions in the survey after page 3.",
        "子どもが質問しないのはなぜですか?",
        "「質問しないで」と言われました。",
        "会議で質問がやまない。",
        "部下に質問しないでほしいと言われた。",
        "親に聞かないで決めた。",
        "質問しないでいいのですか?",
        "他问了三次",
        "",
    ],
)
def test_talk_about_asking_is_no_wish(message: str) -> None:
    assert question_budget(message, None) is None
    assert question_budget(message, 2) == 2


@pytest.mark.parametrize(
    "wish",
    [
        "You may ask me questions again.",
        "Ask away.",
        "ok, ask me questions",
        "また質問していいよ",
        "遠慮なく聞いてください",
        "你可以再问我",
    ],
)
def test_the_user_lifts_it_again(wish: str) -> None:
    assert question_budget(wish, 0) is None


@pytest.mark.parametrize(
    "message",
    [
        "先生に質問してもいいですか?",
        "また質問してもいい?",
        "部下に質問してほしい。",
        "May I ask you a question?",
        "Can I ask again?",
    ],
)
def test_a_question_about_asking_lifts_nothing(message: str) -> None:
    assert question_budget(message, 0) == 0


def test_the_later_of_two_wishes_counts_and_other_messages_leave_zero_at_zero() -> None:
    assert question_budget("You may ask me again. No, stop asking.", None) == 0
    assert question_budget("Stop asking. Well, ask away.", 0) is None
    assert question_budget("What is a lug sail?", 0) == 0


def test_a_spent_budget_never_goes_below_zero() -> None:
    assert [spend(None), spend(2), spend(1), spend(0)] == [None, 1, 0, 0]


def test_a_very_long_message_is_read_in_no_time() -> None:
    assert question_budget("please " * 500_000, None) is None
    assert question_budget("もう、" * 300_000, 1) == 1
