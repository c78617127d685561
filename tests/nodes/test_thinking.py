"""Thinking that leaked into an answer never comes out, whatever its marks and however the chunks fall."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rqa_nodes._thinking import AnswerOnly
from tests.support.examples import share
from tests.support.growth import assert_linear

PLANS = ("secret plan", "秘密の計画", "秘密计划\nsecond line")
MARKED = (
    ("<think>", "</think>"),
    ("<Thinking>\n", "\n</THINKING>"),
    ("<thought>", "</thought>"),
    ("<reasoning>", "</reasoning>"),
    ("<seed:think>", "</seed:think>"),
    ("[THINK]", "[/THINK]"),
    ("◁think▷", "◁/think▷"),
    ("<|begin_of_thought|>", "<|end_of_thought|>"),
    ("<|channel>thought\n", "<channel|>"),
    ("<unused94>thought\n", "<unused95>"),
    ("<思考>", "</思考>"),
    ("＜思考＞", "＜／思考＞"),
    ("<推理过程>", "</推理过程>"),
    ("【思考】", "【回答】"),
    ("<|channel|>analysis<|message|>", "<|end|><|start|>assistant<|channel|>final<|message|>"),
    ("<|start|>assistant<|channel|>analysis<|message|>", "<|end|><|channel|>final<|message|>"),
    (
        "<|channel|>commentary to=functions.find <|constrain|>json<|message|>",
        "<|call|><|start|>assistant<|channel|>final<|message|>",
    ),
    ("analysisWe think: ", "assistantfinal"),
    ("analysis私は考える: ", "assistantfinal"),
)
ANSWERS = ("It rains in the hills.", "丘では雨です。\n傘が要ります。", "Use `<think>` here.\n\n- one\n- two")
ONLY_THE_END = (
    *("\n</think>\n\n", "</think>\n", "[/THINK]\n", "＜／思考＞\n"),
    "<|end|><|start|>assistant<|channel|>final<|message|>",
)
SPEAKING_OF_IT = (
    "Use <think> and </think>.",
    "Write `<think>`\nand then `</think>`\nand the answer.",
    "```xml\n<think>\nplan\n</think>\n```\nThat is the form.",
    "analysis of the text: it is short.",
    "a < b, [x] is done, <div> stays, 【注】 stays",
    "「<思考>」という札です。",
)
SIZES = st.lists(st.integers(1, 9), min_size=1, max_size=8)


def read(text: str, sizes: list[int], *, whole: bool = False) -> tuple[str, bool]:
    """The answer, and whether thinking was given out before it could be known."""
    answer, at = AnswerOnly(whole=whole), 0
    pieces: list[str] = []
    while at < len(text):
        size = sizes[len(pieces) % len(sizes)]
        pieces.append(answer.feed(text[at : at + size]))
        at += size
    pieces.append(answer.finish())
    return "".join(pieces), answer.leaked


@settings(max_examples=200)
@given(st.sampled_from(MARKED), st.sampled_from(PLANS), st.sampled_from(ANSWERS), SIZES, st.booleans())
def test_marked_thinking_is_removed(
    marks: tuple[str, str], plan: str, answer: str, sizes: list[int], whole: bool
) -> None:
    assert read(f" \n{marks[0]}{plan}{marks[1]}{answer}", sizes, whole=whole) == (answer, False)


@settings(max_examples=60)
@given(st.sampled_from(MARKED), st.sampled_from(PLANS), SIZES)
def test_thinking_that_never_ends_leaves_nothing(marks: tuple[str, str], plan: str, sizes: list[int]) -> None:
    assert read(marks[0] + plan, sizes) == ("", False)


@settings(max_examples=60)
@given(st.sampled_from(MARKED[:14]), st.sampled_from(PLANS), SIZES, st.booleans())
def test_thinking_between_two_lines_is_removed(
    marks: tuple[str, str], plan: str, sizes: list[int], whole: bool
) -> None:
    text = f"First line.\n{marks[0]}{plan}{marks[1]}\nLast line."
    assert read(text, sizes, whole=whole) == ("First line.\nLast line.", False)


@settings(max_examples=80)
@given(st.sampled_from(ONLY_THE_END), st.sampled_from(PLANS), st.sampled_from(ANSWERS), SIZES)
def test_thinking_of_which_only_the_end_is_marked(end: str, plan: str, answer: str, sizes: list[int]) -> None:
    text = f"{plan}.\n\nOr so.{end}{answer}"
    assert read(text, sizes, whole=True) == (answer, False), "held back, it is dropped"
    assert read(text, sizes)[1], "given out, it is at least known"


@pytest.mark.parametrize("text", SPEAKING_OF_IT)
@share(30)
@given(SIZES, st.booleans())
def test_a_reply_may_speak_about_the_marks(text: str, sizes: list[int], whole: bool) -> None:
    assert read(text, sizes, whole=whole) == (text, False)


@settings(max_examples=150)
@given(st.text(alphabet="ab`<>/|[]think【】思考 \n雨", max_size=60), SIZES, SIZES)
def test_how_the_chunks_fall_makes_no_difference(text: str, sizes: list[int], others: list[int]) -> None:
    assert read(text, sizes, whole=True) == read(text, others, whole=True)
    one, two = read(text, sizes), read(text, others)
    assert one[1] == two[1]
    if not one[1]:
        assert one[0] == two[0]


@pytest.mark.parametrize(("opening", "unit"), [("", "<"), ("<think>", "x"), ("", "`</think>`\n"), ("", "<|")], ids=repr)
def test_a_long_reply_costs_what_its_length_explains(opening: str, unit: str) -> None:
    assert_linear(lambda text: read(text, [1000]), lambda times: opening + unit * times, largest=250_000 // len(unit))
