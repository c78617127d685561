"""What a pattern needs stands in every text that it matches, and is little enough to tell texts apart."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rqa_nodes.echo.needed import choose, needs_of, spaced


def needed(pattern: str) -> list[set[str]]:
    return [set(words) for words in needs_of(pattern).conjuncts()]


@pytest.mark.parametrize(
    ("pattern", "sets"),
    [
        ("tea", [{"tea"}]),
        (r"(?<![a-z])as (?:we|you) agreed(?! not)", [{" as we agreed", " as you agreed"}]),
        (r"you [a-z]+ said", [{"you "}, {" said"}]),
        (r"ご?確認(?:した|済み)[^。]{0,8}通り", [{"確認した", "確認済み", "ご確認した", "ご確認済み"}, {"通り"}]),
        (r"(?:tea|hot (?:milk|water))\b", [{"tea ", "hot milk ", "hot water "}]),
        (r"(?:tea|[a-z]+)", []),
        (r"(?:green[^.]* tea|coffee)", [{"green", "coffee"}, {" tea", "coffee"}]),
        (r"(?:my )*cup", [{"cup"}]),
        (r"(?:my )+cup", [{"my "}, {"cup"}]),
        (r"x{2,3}y", [{"x"}, {"y"}]),
        (r"a\.b\-c\ d", [{"a . b - c d"}]),
        (r"[ab]c", [{"ac", "bc"}]),
        (r"[^ab]c", [{"c"}]),
        (r"(?P<who>we|you) said", [{"we said", "you said"}]),
        (r"\byou(?: all| both)* (said|wrote)\b", [{" you "}, {" said ", " wrote "}]),
        (r"(?<![\w'])it(?:['v]s)*(?![a-z])", [{" it '", " itv", " it "}]),
        (r"\u6c34\x1a+", [{"水\x1a"}]),
    ],
)
def test_the_words_of_a_pattern(pattern: str, sets: list[set[str]]) -> None:
    assert needed(pattern) == sets


def test_a_named_part_stands_for_what_it_needs() -> None:
    parts = {"who": needs_of("we|you")}
    assert [set(words) for words in needs_of("{who} said{0,1}", parts).conjuncts()] == [{"we sai", "you sai"}]


def test_a_pattern_that_tests_a_group_is_refused() -> None:
    with pytest.raises(ValueError, match="two alternatives"):
        needs_of(r"(a)?(?(1)b|c)")


def test_words_that_stand_everywhere_are_no_choice() -> None:
    assert choose(needs_of("[-.]")) == []
    assert choose(needs_of("(?:we|you) [a-z]+ agreed")) == [{" agreed"}, {"we ", "you "}]


TEXTS = st.text(alphabet="abc水. ", max_size=12)
PARTS = st.recursive(
    st.sampled_from(
        ["a", "b", "水", "[ab]", "[^a]", ".", r"\.", "ab", r"\w", "(?<!b)", "$", r"\b", "(?<![a-z])", "(?![a-z])"]
    ),
    lambda inner: st.one_of(
        st.lists(inner, min_size=1, max_size=3).map("".join),
        st.lists(inner, min_size=1, max_size=3).map(lambda parts: f"(?:{'|'.join(parts)})"),
        st.tuples(inner, st.sampled_from(["?", "*", "+", "{2}", "{0,2}", "{1,2}", "+?"])).map(
            lambda pair: f"(?:{pair[0]}){pair[1]}"
        ),
    ),
    max_leaves=8,
)


@given(PARTS, TEXTS)
def test_a_text_that_matches_holds_one_word_of_each_set(pattern: str, text: str) -> None:
    if re.search(pattern, text):
        for words in needs_of(pattern).conjuncts():
            assert any(word in spaced(text) for word in words), (pattern, words)
