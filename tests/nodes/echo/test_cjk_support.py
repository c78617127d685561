"""Japanese and Chinese: who stands behind a claim, and what is no claim at all."""

from __future__ import annotations

import pytest

from rqa_nodes.echo import Injected, verify

GUESS = "会議は木曜に移してはいかがですか。"
CLAIM = "先ほど決まったように、会議は木曜に移します。"


@pytest.mark.parametrize(
    "said",
    [
        "はい、その通りです。",
        "それでお願いします。",
        "了解です。",
        "賛成です。",
        "いいね、そうしよう！",
        "ええ、それで決まりです。",
    ],
)
def test_an_affirmation_right_after_the_proposal_backs_it(said: str) -> None:
    rows = [("user", "会議の日が合わない"), ("assistant", GUESS), ("user", said), ("user", "案内文を書いて")]
    assert verify(CLAIM, transcript=rows, lang="ja").text == CLAIM


@pytest.mark.parametrize(
    "said",
    [
        "それでお願いできますか？",
        "「了解です」と言えばいいの？",
        "賛成ではありません。",
        "上司が賛成なら、それでお願いします。",
    ],
)
def test_a_question_a_quotation_a_denial_and_a_condition_back_nothing(said: str) -> None:
    rows = [("user", "会議の日が合わない"), ("assistant", GUESS), ("user", said), ("user", "案内文を書いて")]
    assert verify(CLAIM, transcript=rows, lang="ja").text != CLAIM


def test_a_guess_in_the_form_of_a_denial_is_affirmed_as_what_it_guesses() -> None:
    rows = [("assistant", "原因は電池切れではないでしょうか。"), ("user", "はい、そうでした。"), ("user", "予備は?")]
    reply = "確認した通り、原因は電池切れでした。"
    assert verify(reply, transcript=rows, lang="ja").text == reply


@pytest.mark.parametrize(
    "reply",
    ["ご指摘の通り、合計の欄が合っていません。", "お話しいただいた通り、合計の欄が合っていません。"],
)
def test_what_the_user_said_backs_a_word_of_saying(reply: str) -> None:
    assert verify(reply, user_text="合計の欄が合っていないと思うんですが", lang="ja").text == reply


def test_the_assistants_own_words_may_be_called_so() -> None:
    rows = [("assistant", "酢は火を止めてから入れます。"), ("user", "順番をもう一回")]
    reply = "先ほど申し上げたとおり、酢は火を止めてから入れます。"
    assert verify(reply, transcript=rows, lang="ja").text == reply


def test_what_a_user_quotes_of_somebody_else_is_handed_back() -> None:
    user = "上司の方が「先日決めた通り進めて」と言うんです"
    reply = "上司の方が「先日決めた通り進めて」と仰ったのですね。"
    assert verify(reply, user_text=user, lang="ja").text == reply


@pytest.mark.parametrize(
    ("source", "author", "reply"),
    [
        ("user", "加藤", "加藤さんが話していた紅茶[m:k3v9xq]です。"),
        ("user", "", "田中さんが話していた紅茶[m:k3v9xq]です。"),
        ("user", "", "ご本人によると、紅茶が好きです[m:k3v9xq]。"),
        ("assistant", "", "私が以前お勧めした紅茶[m:k3v9xq]です。"),
        ("user", "", "あなたのお話では、紅茶が好きです[m:k3v9xq]。"),
        ("user", "加藤", "加藤課長のご意見では、紅茶が好きです[m:k3v9xq]。"),
        ("user", "", "あなたからは、紅茶が好きだと伺いました[m:k3v9xq]。"),
        ("assistant", "", "僕が前に勧めた紅茶[m:k3v9xq]です。"),
        ("external", "就業規則.pdf", "就業規則では、紅茶が好きだと定められています[m:k3v9xq]。"),
        ("external", "調査票.pdf", "調査票によれば、紅茶が好きです[m:k3v9xq]。"),
    ],
)
def test_a_true_attribution_stays(source: str, author: str, reply: str) -> None:
    item = Injected(handle="k3v9xq", source=source, text="紅茶が好きだ。", id="n_K3V9XQ77AB12CD34EF56", author=author)
    assert verify(reply, injected=[item], lang="ja").text == reply


@pytest.mark.parametrize(
    ("reply", "gone", "stands"),
    [
        ("您上个月说想换工作。现在进展如何？", "换工作", "现在进展如何？"),
        ("我们已经谈过三次这个话题了。", "三次", "我这次查到的记录里没有这一点。"),
        ("上回您问过同样的问题。答案是可以。", "上回", "答案是可以。"),
        ("我之前也说过，茶要趁热喝。", "之前", "茶要趁热喝。"),
        ("我们上次一起制定的计划，从周一开始。", "上次", "计划，从周一开始。"),
        ("根据第165号记忆，茶要趁热喝。", "165", "茶要趁热喝。"),
        ("您的数据已删除。", "已删除", "我未能删除。"),
        ("我已经把这段记忆清除了。", "清除了", "我未能删除。"),
    ],
)
def test_chinese_talk_with_a_word_of_time_needs_a_record(reply: str, gone: str, stands: str) -> None:
    shown = verify(reply, lang="zh").text
    assert gone not in shown
    assert stands in shown


@pytest.mark.parametrize(
    "text",
    [
        "孔子曾说过，温故而知新。",
        "专家之前提到过这种风险。",
        "他上次说的地方在河边。",
        "如果你之前说过不，他会尊重。",
        "老师多次强调安全第一。",
        "上个月我们公司制定了新的规定。",
    ],
)
def test_other_peoples_talk_in_chinese_is_untouched(text: str) -> None:
    assert verify(text, lang="zh").text == text


def test_a_sentence_that_only_credits_keeps_its_bracket() -> None:
    item = Injected(handle="k3v9xq", source="assistant", text="屋号は「とんぼ堂」がよい。", id="n_K3V9XQ77AB12CD34EF56")
    reply = "話し合いの末に決まった屋号は「とんぼ堂」です。"
    assert verify(reply, injected=[item], lang="ja").text == "これは以前私が提案したものです(未確認)。"
