"""What holds for every text: chunks do not matter, a second look changes nothing, nothing raises, little is wasted."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rqa_nodes.echo import IncrementalVerifier, Injected, VerdictKind, verify, verify_fields
from tests.support.growth import assert_linear

ITEMS = (
    Injected(handle="k3v9xq", source="user", text="I might move to Tromso in spring.", id="n_K3V9XQ77AB12CD34EF56"),
    Injected(handle="zz11yy", source="assistant", text="The gasket may be worn.", id="n_ZZ11YY77AB12CD34EF56"),
    Injected(
        handle="ee22ff", source="external", text="The pump needs oil.", id="n_EE22FF77AB12CD34EF56", author="manual"
    ),
)
TALK = (
    ("user", "The harbour pump leaks. 港のポンプが水漏れします。"),
    ("assistant", "My guess is that the gasket is worn. ガスケットの摩耗が原因です。"),
    ("user", "Let us paint the boat."),
)
PIECES = (
    "As we established, ",
    "we agreed that ",
    "You said ",
    "I said ",
    "the gasket is worn",
    "the pump needs oil",
    ". ",
    ", ",
    "! ",
    "\n",
    "\n\n",
    "[m:k3v9xq]",
    "[m:zz11yy]",
    "[m:nope99]",
    "[m:k3v9]",
    "[m:",
    "]",
    "[",
    "(",
    ")",
    "「",
    "」",
    '"',
    "“",
    "”",
    "`",
    "```\n",
    "node 54",
    "(ノード169)",
    "#146",
    "[185]",
    " (237, 238) ",
    "確認した通り、",
    "ガスケットの摩耗が原因",
    "だと確認しました",
    "とおっしゃいました",
    "。",
    "以前",
    "記録しました",
    "I saved that",
    "I will remember that",
    "過去の記録 195/198 ",
    "n_ABCD1234EFGH5678",
    "7d1c6f0e-52aa-4c1e-9b1f-0a6b7c8d9e10",
    "memory ",
    "\u200b",
    "\u202e",
    "［ｍ：ｚｚ］",
    " and ",
    "so ",
    "- ",
    "1. ",
    "> ",
    "**",
    "Nothing that I recalled this turn says so.",
    "I suggested earlier (unverified): ",
    "2019年",
    "正如我们之前讨论的，",
    "x",
    " ",
    "because ",
    "this ",
    "proves ",
    "m:",
)
soup = st.lists(st.sampled_from(PIECES), max_size=24).map("".join)
wild = st.text(alphabet=st.characters(codec=None, exclude_categories=()), max_size=200)
texts = st.one_of(soup, wild, st.tuples(soup, wild, soup).map("".join))


def clean(text: str) -> str:
    return verify(text, injected=ITEMS, transcript=TALK).text


@given(text=texts, sizes=st.lists(st.integers(1, 9), min_size=1, max_size=8))
@settings(max_examples=150, deadline=None, derandomize=True)
def test_chunks_do_not_change_the_result(text: str, sizes: list[int]) -> None:
    verifier = IncrementalVerifier(injected=ITEMS, transcript=TALK)
    shown, at, turn = "", 0, 0
    while at < len(text):
        size = sizes[turn % len(sizes)]
        shown += verifier.feed(text[at : at + size])
        at, turn = at + size, turn + 1
    tail, report = verifier.finish()
    whole = verify(text, injected=ITEMS, transcript=TALK)
    assert shown + tail == report.text == whole.text
    assert report == whole


@given(text=texts)
@settings(max_examples=300, deadline=None, derandomize=True)
def test_a_second_look_changes_nothing(text: str) -> None:
    once = clean(text)
    assert clean(once) == once


@given(text=texts)
@settings(max_examples=100, deadline=None, derandomize=True)
def test_a_second_annotation_adds_nothing_and_a_report_leaves_the_text(text: str) -> None:
    assert verify(text, injected=ITEMS, transcript=TALK, mode="report").text == text
    marked = verify(text, injected=ITEMS, transcript=TALK, mode="annotate").text
    assert len(marked) >= len(text)


@given(text=texts)
@settings(max_examples=150, deadline=None, derandomize=True)
def test_spans_lie_in_the_input_and_removed_words_are_not_in_the_report(text: str) -> None:
    report = verify(text, injected=ITEMS, transcript=TALK)
    for verdict in report.verdicts:
        start, end = verdict.span
        assert 0 <= start <= end <= len(text)
        assert (verdict.kind is VerdictKind.valid) == (verdict.kind == "valid")
    assert sum(report.counts.values()) == len(report.verdicts)
    assert "removed" not in report.to_dict()
    assert set(report.cited) | set(report.injected_not_cited) == {item.handle for item in ITEMS}


@given(text=texts)
@settings(max_examples=100, deadline=None, derandomize=True)
def test_words_in_mean_words_out(text: str) -> None:
    out = clean(text)
    assert any(char.isalnum() or char == "_" for char in out) or not any(char.isalnum() or char == "_" for char in text)


json_values = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False), soup),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.sampled_from(("text", "memory_ref", "a")), inner, max_size=3)
    ),
    max_leaves=8,
)


@given(value=json_values)
@settings(max_examples=100, deadline=None, derandomize=True)
def test_structures_never_raise_and_hold_no_unknown_reference(value: object) -> None:
    kept, _ = verify_fields(value, injected=ITEMS, transcript=TALK)
    again, second = verify_fields(kept, injected=ITEMS, transcript=TALK)
    assert again == kept
    assert not [verdict for verdict in second.verdicts if verdict.kind is VerdictKind.unknown_id]


@pytest.mark.parametrize(
    "unit",
    [
        "[",
        "[m:",
        "`",
        "` ",
        '"' * 100_000,
        "()",
        "a",
        "1",
        "\u200b",
        "\ud800",
        "\x00",
        "。",
        "\n",
        "we agreed ",
        "以前議論した",
        "m:",
        "node 1, ",
        "「",
        "~",
        "> ",
    ],
)
def test_hostile_text_costs_linear_time_and_raises_nothing(unit: str) -> None:
    assert_linear(_verified_strictly, lambda times: unit * times, largest=100_000 // len(unit))


def test_brackets_in_brackets_cost_linear_time_and_raise_nothing() -> None:
    assert_linear(_verified_strictly, lambda times: "(" * times + ")" * times, largest=50_000)


def _verified_strictly(text: str) -> None:
    verify(text, injected=ITEMS, transcript=TALK, mode="strict")
