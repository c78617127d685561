"""Only writing is folded: a key never joins what means something else, and folding twice is folding once."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rqa_checkpoints.cache.canonical import mark, normalise, scope_key
from tests.support.caches import ask


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ("２０２６年の人口は？", "2026年の人口は?"),
        ("ｶﾌｪとは何ですか", "カフェとは何ですか。"),
        ("ﾊﾟﾘはどこ", "パリはどこ"),
        ("  What is   GDP? ", "what is gdp"),
        ("What is\u200b GDP?", "What is GDP"),
        ("What is\u3000GDP？", "What is GDP?"),
        ("Cafe\u0301 hours?", "Café hours?"),
        ("ＵＳの首都は", "usの首都は"),
    ],
)
def test_differences_of_writing_fold(one: str, two: str) -> None:
    assert normalise(one) == normalise(two)


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ("What is x²?", "What is x2?"),
        ("①とは", "1とは"),
        ("㍻とは", "平成とは"),
        ("What is 5!?", "What is 5?"),
        ("Is C++ fast?", "Is C fast?"),
        ("What is -5 squared?", "What is 5 squared?"),
        ("はは", "ハハ"),
    ],
)
def test_differences_of_meaning_stay(one: str, two: str) -> None:
    assert normalise(one) != normalise(two)


@given(st.text(max_size=60))
def test_folding_is_idempotent(text: str) -> None:
    assert normalise(normalise(text)) == normalise(text)


_FIELDS = st.fixed_dictionaries(
    {name: st.text(alphabet="ab|1\u3042", max_size=3) for name in ("tenant", "domain", "locale", "jurisdiction")}
)


@given(_FIELDS, _FIELDS, st.text(alphabet="ab ", max_size=3), st.text(alphabet="ab ", max_size=3))
def test_keys_are_equal_only_for_equal_scopes_and_texts(
    one: dict[str, str], two: dict[str, str], first: str, second: str
) -> None:
    same = one == two and normalise(first) == normalise(second)
    assert (scope_key(ask(first, **one)) == scope_key(ask(second, **two))) == same


def test_a_mark_needs_the_key() -> None:
    assert mark(b"1", ask()) != mark(b"2", ask())
    assert len(mark(b"1", ask())) == 16
    assert mark(b"1", ask("Is it?")) == mark(b"1", ask("is it"))
