"""The score is a pure function of the integers that are attested, and no cap can be outweighed."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rqa_nodes.deliberate.score import CAP, WEIGHTS, Counted, caps, gi, parts
from rqa_nodes.errors import ScoreInputError

BEST = Counted(
    claims=3,
    supported=3,
    two_voices=3,
    authority=0,
    contradictions=0,
    agreement=1000,
    families=2,
    reviewers=1,
    vetoes=0,
    reviewer=1000,
)


@st.composite
def counted(draw: st.DrawFn) -> Counted:
    claims = draw(st.integers(0, 9))
    supported = draw(st.integers(0, claims))
    two = draw(st.integers(0, supported))
    return Counted(
        claims=claims,
        supported=supported,
        two_voices=two,
        authority=draw(st.integers(0, supported - two)),
        contradictions=draw(st.integers(0, 2)),
        agreement=draw(st.integers(0, 1000)),
        families=draw(st.integers(0, 4)),
        reviewers=draw(st.integers(0, 1)),
        vetoes=draw(st.integers(0, 1)),
        reviewer=draw(st.integers(0, 1000)),
    )


def test_the_weights_are_those_of_the_definition() -> None:
    assert WEIGHTS == {"support": 40, "agreement": 25, "sources": 20, "reviewer": 15}
    assert sum(WEIGHTS.values()) == 100
    assert gi(BEST) == 1000


@pytest.mark.parametrize(
    ("changes", "score"),
    [
        # 0.40*1000 + 0.25*800 + 0.20*1000 + 0.15*1000 = 950
        ({"agreement": 800}, 950),
        # one below at each quarter of a thousandth: 949.75 is 949
        ({"agreement": 799}, 949),
        # 400 + 250 + 0.20*850 + 150 = 970: one voice, the authority
        ({"two_voices": 0, "authority": 3}, 970),
        # 970 - 0.15*6 = 969.1 -> 969
        ({"two_voices": 0, "authority": 3, "reviewer": 994}, 969),
        # 400 + 250 + 0.20*500 + 150 = 900: one voice that is no authority
        ({"two_voices": 0}, 900),
    ],
)
def test_a_value_worked_by_hand(changes: dict[str, Any], score: int) -> None:
    assert gi(replace(BEST, **changes)) == score


@pytest.mark.parametrize(
    ("changes", "cap"),
    [
        ({"supported": 2, "two_voices": 2}, "unsupported_claim"),
        ({"claims": 0, "supported": 0, "two_voices": 0}, "unsupported_claim"),
        ({"contradictions": 1}, "contradiction"),
        ({"families": 1}, "one_family"),
        ({"reviewers": 0}, "no_reviewer"),
        ({"vetoes": 1}, "veto"),
    ],
)
def test_a_cap_holds_whatever_else_was_counted(changes: dict[str, Any], cap: str) -> None:
    found = replace(BEST, **changes)
    assert cap in caps(found)
    assert gi(found) <= CAP == 949


@settings(max_examples=50)
@given(counted())
def test_any_counts_give_an_integer_in_range_and_only_uncapped_ones_reach_the_floor(found: Counted) -> None:
    value = gi(found)
    assert isinstance(value, int)
    assert 0 <= value <= 1000
    assert value <= CAP or not caps(found)
    assert all(0 <= part <= 1000 for part in parts(found).values())


@settings(max_examples=50)
@given(counted())
def test_what_is_attested_is_enough_to_compute_it_again(found: Counted) -> None:
    attested = found.attested()
    assert all(type(value) is int for value in attested.values())
    again = Counted.read(attested)
    assert again == found
    assert gi(again) == gi(found)


@settings(max_examples=50)
@given(counted(), st.sampled_from(["agreement", "reviewer"]), st.integers(0, 1000))
def test_more_of_a_part_never_lowers_it(found: Counted, name: str, more: int) -> None:
    raised = replace(found, **{name: max(more, getattr(found, name))})
    assert gi(raised) >= gi(found)


@settings(max_examples=50)
@given(counted())
def test_a_claim_that_loses_its_source_never_raises_it(found: Counted) -> None:
    if found.supported > found.two_voices + found.authority:
        assert gi(replace(found, supported=found.supported - 1)) <= gi(found)


@pytest.mark.parametrize(
    "changes",
    [{"claims": -1}, {"agreement": 0.5}, {"reviewer": 1001}, {"supported": 4}, {"two_voices": 4}, {"vetoes": True}],
)
def test_counts_that_no_answer_can_have_are_refused(changes: dict[str, Any]) -> None:
    with pytest.raises(ScoreInputError):
        replace(BEST, **changes)


def test_a_component_that_is_missing_is_named() -> None:
    attested = BEST.attested()
    del attested["vetoes"]
    with pytest.raises(ScoreInputError, match="vetoes"):
        Counted.read(attested)
