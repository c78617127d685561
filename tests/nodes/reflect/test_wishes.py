"""Who wants no questions, or a topic left alone, is understood; who talks of such things wishes nothing."""

from __future__ import annotations

import pytest

from rqa_nodes.reflect.side_question import is_closed, topic_key
from rqa_nodes.reflect.wishes import closed_topic, question_budget

_STOP = [
    "Please don't ask me anything else.",
    "I'd rather you didn't ask me questions.",
    "Enough with the questions.",
    "Can you stop with the questions?",
    "You ask too many questions.",
    "I don't want any more questions.",
    "I do not want to be asked anything.",
    "Quit asking me stuff.",
    "No questions, please.",
    "Just answer, don't ask.",
    "Answers only, no questions.",
    "Skip the follow-up questions from now on.",
    "Leave out the questions at the end.",
    "Please refrain from asking questions.",
    "Stop questioning me.",
    "I'm tired of your questions.",
    "Drop the questions, please.",
    "No need for follow-up questions.",
    "Stop ending with a question.",
    "Without questions from now on, please.",
    "もう質問は結構です。",
    "質問は控えてください。",
    "これ以上質問しないでもらえますか。",
    "いちいち聞いてこないで。",
    "質問攻めはやめて。",
    "答えだけください。",
    "質問なしでお願いします。",
    "逆に質問するのはやめてください。",
    "問いかけはもう要りません。",
    "何も聞かないでほしい。",
    "今後は質問を付けないでください。",
    "最後に質問を添えるのはやめて。",
    "質問が多すぎます。",
    "もう訊かないでください。",
    "質問はいらないから、答えだけ教えて。",
    "質問されるのは嫌です。",
    "追加の質問は不要です。",
    "もう何も尋ねないでください。",
    "質問を返さないで。",
    "これからは質問抜きで。",
]
_LIFT = [
    "You can ask questions again now.",
    "It's fine to ask me things again.",
    "I don't mind questions anymore.",
    "Please resume asking questions.",
    "Questions are welcome again.",
    "Go ahead and ask.",
    "Feel free to ask me anything.",
    "You're allowed to ask again.",
    "また質問してくれて構いません。",
    "質問を再開してください。",
    "質問してもいいですよ。",
    "もう質問してくれて大丈夫です。",
    "また聞いてくれていいよ。",
    "遠慮せず質問してください。",
    "質問してくれてもいいよ。",
    "これからはまた質問してください。",
]
_TALK = [
    "I told my son to stop asking for ice cream.",
    "Nobody asks questions in our meetings.",
    "The teacher said no more questions.",
    "How can I ask fewer questions in interviews?",
    "He didn't ask me anything.",
    "Why do people stop asking questions as adults?",
    "My therapist asks too many questions.",
    "We have no questions so far.",
    "She is tired of his questions.",
    "Should managers stop asking questions?",
    "I want more questions on the exam.",
    "There were no questions after the talk.",
    "Don't ask for a discount at the market.",
    "彼は質問しないでと言った。",
    "なぜ大人は質問しなくなるのですか。",
    "会議では誰も質問をしません。",
    "先生に質問されるのは嫌ですか。",
    "面接で質問が多すぎて疲れました。",
    "息子は何も聞かない。",
    "カウンセラーの質問が多すぎます。",
    "説明書に質問は不要と書いてある。",
    "客に質問しないでください、と店長が言った。",
    "上司は質問を返さない人だ。",
    "試験の質問はもっと多くてもいい。",
    "講演の後に質問はありませんでした。",
    "市場で値引きを聞かないで買った。",
]
_NAMED = [
    ("Don't ask me about my mother again.", "my mother"),
    ("Please don't ask about the divorce.", "the divorce"),
    ("I don't want to talk about the house any more.", "the house"),
    ("No more questions about my salary.", "my salary"),
    ("Stop asking about my weight.", "my weight"),
    ("Let's not discuss the inheritance further.", "the inheritance"),
    ("I'd rather not talk about my job.", "my job"),
    ("Enough about the wedding.", "the wedding"),
    ("Let's move on from the budget.", "the budget"),
    ("The matter of the roof is settled.", "the roof"),
    ("We're done with the garden plan.", "the garden plan"),
    ("母のことはもう聞かないで。", "母"),
    ("離婚については質問しないでください。", "離婚"),
    ("家の話はもうしたくない。", "家"),
    ("給料についての質問はもうやめて。", "給料"),
    ("体重のことは聞かないで。", "体重"),
    ("相続の件はこれ以上話したくありません。", "相続"),
    ("仕事の話はしたくないです。", "仕事"),
    ("結婚式の話はもう十分です。", "結婚式"),
    ("予算の話はここまでにしよう。", "予算"),
    ("屋根の件は解決済みです。", "屋根"),
    ("庭の計画の話は終わった。", "庭の計画"),
]
_POINTED = [
    "Let's drop the subject.",
    "Let's leave that topic.",
    "That topic is closed.",
    "I've answered that already.",
    "Can we change the subject?",
    "その話はもうやめよう。",
    "この話題は終わりにしましょう。",
    "それはもう答えました。",
    "話題を変えましょう。",
    "その件については触れないで。",
]


@pytest.mark.parametrize("wish", _STOP)
def test_a_wish_in_other_words_sets_the_budget_to_zero(wish: str) -> None:
    assert question_budget(wish, None) == question_budget(wish, 3) == 0
    assert closed_topic(wish, "before") == ""


@pytest.mark.parametrize("wish", _LIFT)
def test_a_wish_in_other_words_is_taken_back(wish: str) -> None:
    assert question_budget(wish, 0) is None


@pytest.mark.parametrize("message", _TALK)
def test_who_tells_of_others_wishes_nothing(message: str) -> None:
    assert (question_budget(message, None), question_budget(message, 2)) == (None, 2)
    assert closed_topic(message, "before") == ""


@pytest.mark.parametrize(("wish", "topic"), _NAMED)
def test_a_named_topic_is_left_alone_and_no_other(wish: str, topic: str) -> None:
    assert closed_topic(wish, "before") == topic
    assert question_budget(wish, None) is None, "only this topic"


@pytest.mark.parametrize("wish", _POINTED)
def test_a_wish_that_names_nothing_means_what_was_just_talked_of(wish: str) -> None:
    assert closed_topic(wish, "the mill and the river") == "the mill and the river"
    assert question_budget(wish, None) is None


@pytest.mark.parametrize(
    ("wish", "question", "other"),
    [
        ("Don't ask me about my mother again.", "What would your mother say to it?", "What would the baker say?"),
        ("母のことはもう聞かないで。", "お母さん、つまり母は何と言うでしょうか？", "パン屋は何と言うでしょうか？"),
    ],
)
def test_a_question_about_a_closed_topic_is_found_by_its_key(wish: str, question: str, other: str) -> None:
    closed = [topic_key(closed_topic(wish, ""))]
    assert is_closed(question, closed)
    assert not is_closed(other, closed)


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


def test_a_very_long_message_is_read_in_no_time() -> None:
    assert question_budget("please " * 500_000, None) is None
    assert question_budget("もう、" * 300_000, 1) == 1
