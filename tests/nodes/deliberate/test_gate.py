"""The table from counts to what is done: each row decides something, and none hides another."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rqa_nodes.deliberate.gate import HIGH_IMPORTANCE, RULES, Case, may_show, rule

GOOD = Case(
    gi=960,
    baseline=950,
    sensitive=False,
    caps=frozenset(),
    support=1000,
    importance=0,
    keepable=True,
    can_repeat=False,
)
NOBODY = frozenset({"one_family", "no_reviewer"})

CASES = [
    (GOOD, "accept", "score"),
    (GOOD._replace(gi=950), "accept", "score"),
    (GOOD._replace(gi=949), "review", "low_gi"),
    (GOOD._replace(gi=800), "review", "low_gi"),
    (GOOD._replace(gi=799), "abstain", "below_band"),
    (GOOD._replace(gi=799, can_repeat=True), "again", "again"),
    (GOOD._replace(gi=800, can_repeat=True), "review", "low_gi"),
    (GOOD._replace(gi=799, importance=HIGH_IMPORTANCE), "review", "important"),
    (GOOD._replace(gi=799, importance=HIGH_IMPORTANCE - 1), "abstain", "below_band"),
    (GOOD._replace(gi=570, caps=NOBODY), "review", "no_second_opinion"),
    (GOOD._replace(gi=570, caps=NOBODY, support=999), "abstain", "below_band"),
    (GOOD._replace(gi=570, caps=NOBODY | {"contradiction"}), "abstain", "below_band"),
    (GOOD._replace(gi=990, sensitive=True), "review", "sensitive"),
    (GOOD._replace(keepable=False), "accept", "score"),
    (GOOD._replace(contested=True), "review", "contested"),
    (GOOD._replace(gi=949, keepable=False), "abstain", "not_keepable"),
    (GOOD._replace(gi=990, sensitive=True, keepable=False), "abstain", "not_keepable"),
    (GOOD._replace(gi=0, caps=frozenset({"no_source"}), can_repeat=True), "abstain", "no_source"),
    (GOOD._replace(gi=0, caps=frozenset({"no_answer"})), "abstain", "no_answer"),
]


@pytest.mark.parametrize(("case", "outcome", "reason"), CASES)
def test_a_case_is_ruled_on(case: Case, outcome: str, reason: str) -> None:
    assert rule(case) == (outcome, reason)


def test_each_row_has_its_own_name_and_is_reached() -> None:
    names = [row.id for row in RULES]
    assert len(names) == len(set(names))
    assert {rule(case).reason for case, _, _ in CASES} == set(names)


@settings(max_examples=50)
@given(
    st.builds(
        Case,
        gi=st.integers(0, 1000),
        baseline=st.integers(950, 1000),
        sensitive=st.booleans(),
        caps=st.frozensets(st.sampled_from(["no_source", "no_answer", "veto", "one_family", "no_reviewer"])),
        support=st.integers(0, 1000),
        importance=st.integers(0, 2000),
        keepable=st.booleans(),
        can_repeat=st.booleans(),
    )
)
def test_nothing_below_the_baseline_is_accepted_and_nothing_unkeepable_is_queued(case: Case) -> None:
    ruling = rule(case)
    if ruling.outcome == "accept":
        assert case.gi >= case.baseline
        assert not case.sensitive
    if ruling.outcome == "review":
        assert case.keepable


def test_what_waits_is_shown_from_800_on_and_never_in_a_sensitive_domain() -> None:
    assert [may_show(gi, sensitive=False) for gi in (799, 800, 949)] == [False, True, True]
    assert not may_show(949, sensitive=True)
