from __future__ import annotations

import pytest

from rqa_checkpoints.provenance import Kind, is_question, kind_of, settle_kind, split_sentences
from rqa_checkpoints.sentences import clean
from tests.support.growth import assert_linear


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("I live in Lund. I work nights!", ["I live in Lund.", "I work nights!"]),
        ("I met Dr. Berg at 3.5 km. Then J. R. left.", ["I met Dr. Berg at 3.5 km.", "Then J. R. left."]),
        ("Open main.py and run it. It fails.", ["Open main.py and run it.", "It fails."]),
        ("We use tools, e.g. Hammers. Good.", ["We use tools, e.g. Hammers.", "Good."]),
        ("Really?! Yes... No.", ["Really?!", "Yes...", "No."]),
        ("a list:\n- milk\n- eggs", ["a list:", "- milk", "- eggs"]),
        ("a line that is\nwrapped here. Next.", ["a line that is\nwrapped here.", "Next."]),
        ("今日は雨です。傘がない！どうしよう？", ["今日は雨です。", "傘がない！", "どうしよう？"]),
        ("彼は「行く。待て。」と言った。終わり", ["彼は「行く。待て。」と言った。", "終わり"]),
        ("閉じない「かぎ。次の文。", ["閉じない「かぎ。", "次の文。"]),
        ("Mixed です. 次。", ["Mixed です.", "次。"]),
        ("--- \n!!!\n", []),
        ("", []),
    ],
)
def test_sentences_are_cut_at_their_ends_only(text: str, sentences: list[str]) -> None:
    assert split_sentences(text) == sentences


def test_a_fenced_block_is_one_piece_and_an_open_fence_runs_to_the_end() -> None:
    block = "```py\nx = 1. \ny = 2\n```"
    assert split_sentences(f"Look. Here.\n{block}\nDone. Bye.") == ["Look.", "Here.", block, "Done.", "Bye."]
    assert split_sentences("Look.\n~~~\na. b. C.\n") == ["Look.", "~~~\na. b. C."]


@pytest.mark.parametrize("unit", ["word ", "あ", "Is. ", "「", "a\n", "(", "x. y "])
def test_cutting_is_linear_in_the_length_of_the_message(unit: str) -> None:
    assert_linear(split_sentences, lambda times: unit * times, largest=160_000 // len(unit))


def test_what_runs_on_is_cut_into_pieces_of_bounded_length() -> None:
    pieces = split_sentences("word " * 2000)
    assert max(map(len, pieces)) <= 2000
    assert " ".join(pieces).split() == ["word"] * 2000


@pytest.mark.parametrize(
    "sentence",
    [
        "When does the ferry for Tomaso leave?",
        "what is my name",
        "So, do you know Dr. Berg",
        "Tell me who Anna is.",
        "How many eggs do I need",
        'She asked: "Is it far?"',
        "名前は何ですか",
        "フェリーはいつ出ますか。",
        "どこへ行くか",
        "アンナについて教えてください。",
        "彼は来るのだろうか…",
        "本当？」",
        "你叫什么名字吗",
    ],
)
def test_questions_are_seen_with_and_without_a_mark(sentence: str) -> None:
    assert is_question(sentence)
    assert kind_of(sentence) is Kind.question


@pytest.mark.parametrize(
    "sentence",
    [
        "When I was young I lived in Lund.",
        "What a day.",
        "I know who Anna is.",
        "Whatever you say.",
        "Is-values are stored in the table.",
        "私の名前は田中です。",
        "昨日は静かな一日でした。",
        "しかし雨が降った。",
        "なかなか難しい。",
        "我住在上海。",
    ],
)
def test_statements_are_no_questions(sentence: str) -> None:
    assert kind_of(sentence) is Kind.statement


def test_a_question_never_becomes_an_assertion_whatever_kind_is_asked_for() -> None:
    assert settle_kind("Am I ill?", Kind.statement) is Kind.question
    assert settle_kind("私は病気ですか", Kind.claim) is Kind.question
    assert settle_kind("Fast or thorough?", Kind.tension) is Kind.tension
    assert settle_kind("Buy milk", Kind.task) is Kind.task


def test_only_lone_surrogates_are_replaced() -> None:
    assert clean("a\x00b é 😀 ①") == "a\x00b é 😀 ①"
    assert clean("a\ud800b") == "a\ufffdb"


_PLAIN_QUESTIONS = ["店を移すべきか。", "これでよいか", "昨日は行ったか。", "もう一度試してみるか。", "行かないか"]
_LOOKALIKES = ["夜は静か。", "それは確か。", "移すべきかどうかは分からない。", "土が豊か。", "遥か。"]


@pytest.mark.parametrize("sentence", _PLAIN_QUESTIONS)
def test_a_plain_japanese_question_without_a_mark_is_a_question(sentence: str) -> None:
    assert is_question(sentence)


@pytest.mark.parametrize("sentence", _LOOKALIKES)
def test_a_word_that_ends_like_one_is_no_question(sentence: str) -> None:
    assert not is_question(sentence)
