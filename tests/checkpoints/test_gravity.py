"""How matches are ordered: by hand, and for any memory. Relevance decides, and the rest moves a little."""

from __future__ import annotations

import math
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rqa_checkpoints.breakdown import Factor, Reason, ScoreBreakdown
from rqa_checkpoints.gravity import (
    LEAST_DECAY,
    LEAST_SATURATION,
    MOST_BESIDE,
    Candidate,
    Plan,
    Snapshot,
    Wanted,
    held_by,
    plan,
    reason_of,
    score,
)
from rqa_checkpoints.mass import MAX_MASS, Holding, Root
from rqa_checkpoints.provenance import Kind, MemoryNode, SourceClass

USER, ASSISTANT, EXTERNAL = SourceClass.user, SourceClass.assistant, SourceClass.external
NOW = datetime(2026, 3, 1, tzinfo=UTC)


def _node(name: str = "n_1", source: SourceClass = USER, *, age: float = 0.0, **fields: object) -> MemoryNode:
    base = {"handle": name, "tenant": "t", "user": "u", "thread": "", "turn_id": "", "author": "", "origin": (source,)}
    when = {"recorded_at": (NOW - timedelta(days=age)).isoformat(), "kind": Kind.statement, "text": "x"}
    return MemoryNode(id=name, source=source, **{**base, **when, **fields})  # type: ignore[arg-type]  # chosen fields


NODES = st.builds(
    _node,
    st.sampled_from([f"n_{n}" for n in range(12)]),
    st.sampled_from(list(SourceClass)),
    age=st.floats(0, 5000),
    mass=st.floats(1, MAX_MASS),
    last_used=st.sampled_from(["", NOW.isoformat(), (NOW - timedelta(days=90)).isoformat()]),
    echo_of=st.sampled_from(["", "n_g"]),
    locator=st.sampled_from(["", "book"]),
)
CANDIDATES = st.builds(
    Candidate,
    node=NODES,
    relevance=st.floats(0, 1),
    cosine=st.none() | st.floats(-1, 1),
    lexical=st.floats(0, 40),
    related=st.booleans(),
    near=st.booleans(),
    opposed_by=st.sets(st.sampled_from(["contradicts", "supersedes"])).map(frozenset),
    proximity=st.floats(0, 1),
    forced=st.booleans(),
    shown=st.integers(0, 50),
)
MANY = st.lists(CANDIDATES, max_size=12, unique_by=lambda one: one.node.id)


def _planned(*candidates: Candidate, top_k: int = 8) -> Plan:
    return plan(Wanted(top_k=top_k), Snapshot(now=NOW, candidates=candidates))


def test_a_score_is_its_formula() -> None:
    node = _node(age=100, mass=10.0, last_used=(NOW - timedelta(days=30)).isoformat())
    own = score(Candidate(node=node, relevance=0.8, proximity=0.5, shown=2), now=NOW).breakdown
    # 30 days after the last use: 0.85 + 0.15/2; excess 9 faded by 2**(-30/180); 1/(1 + 0.05*2).
    mass = 1 + 9 * 2 ** (-1 / 6)
    expected = (0.8 * 0.925 + 0.05 * math.log(1 + mass) / math.log(51) + 0.02 + 0.015) / 1.1
    assert own.expected_sum == pytest.approx(expected, rel=1e-12)
    assert own.node_mass == pytest.approx(mass)
    assert own.semantic_share == pytest.approx(0.8 * 0.925 / 1.1 / expected)
    assert not own.deceptive


def test_an_old_exact_match_stands_above_a_fresh_weak_one_however_heavy() -> None:
    old = Candidate(node=_node("n_old", age=5000), relevance=1.0)
    heavy = _node("n_heavy", mass=MAX_MASS, last_used=NOW.isoformat())
    weak = Candidate(node=heavy, relevance=0.7, proximity=1.0)
    assert [one.id for one in _planned(weak, old).listed] == ["n_old", "n_heavy"]


@given(CANDIDATES, CANDIDATES)
def test_nothing_beside_relevance_can_turn_a_clear_order_round(one: Candidate, two: Candidate) -> None:
    a, b = (score(c, now=NOW).breakdown for c in (one, two))
    before_a, before_b = (x.expected_sum / x.saturation for x in (a, b))
    if a.relevance * LEAST_DECAY > b.relevance + MOST_BESIDE:
        assert before_a > before_b


@given(CANDIDATES)
def test_every_term_keeps_its_bounds(candidate: Candidate) -> None:
    own = score(candidate, now=NOW).breakdown
    assert LEAST_DECAY <= own.decay_factor <= 1
    assert LEAST_SATURATION <= own.saturation <= 1
    assert 0 <= own.mass_boost + own.certainty_term + own.persona_term <= MOST_BESIDE + 1e-12 <= 0.14
    assert 0 <= own.semantic_share <= 1
    assert math.isfinite(own.expected_sum)
    if candidate.forced:
        assert own.saturation == 1
    if candidate.opposed_by:
        assert own.mass_boost == 0


@pytest.mark.parametrize("forced", [False, True])
def test_what_meaning_speaks_against_is_not_first_and_loses_no_other_place(forced: bool) -> None:
    words = Candidate(node=_node("n_words", mass=40.0), relevance=0.7, near=False, forced=forced)
    near = [Candidate(node=_node(f"n_{n}"), relevance=0.6 - n / 10) for n in range(3)]
    found = _planned(words, *near, top_k=3)
    order = ["n_0", "n_words", "n_1"]
    assert [one.id for one in found.listed] == (["n_words", "n_0", "n_1"] if forced else order)
    assert [one.id for one in _planned(words, *near, top_k=1).listed] == (["n_words"] if forced else ["n_0"])
    assert [one.id for one in _planned(words).listed] == ["n_words"], "where nothing else is there"


@given(MANY, st.integers(0, 12), st.randoms(use_true_random=False))
def test_a_plan_depends_on_nothing_but_its_arguments_and_loses_nobody(
    many: list[Candidate], top_k: int, source: object
) -> None:
    found = _planned(*many, top_k=top_k)
    mixed = list(many)
    source.shuffle(mixed)  # type: ignore[attr-defined]  # a Random of hypothesis
    assert _planned(*mixed, top_k=top_k) == found
    ids = [one.id for one in found.listed] + [one.id for one in found.held]
    assert sorted(ids) == sorted(one.node.id for one in many)
    assert len(found.listed) <= top_k
    scores = [one.score for one in found.listed]
    assert scores[1:] == sorted(scores[1:], reverse=True)
    fit = [one.near or one.forced for one in many if one.related or one.forced]
    leads = [one.candidate.near or one.candidate.forced for one in found.listed]
    assert leads[:1] == [any(fit)] * bool(leads)
    if all(leads):
        assert scores == sorted(scores, reverse=True)
    assert all(one.candidate.related or one.candidate.forced for one in found.listed)
    assert found.delta.mass_changes == {}
    assert found.delta.considered == len(many)


@given(MANY, st.sampled_from([USER, ASSISTANT]))
def test_what_is_planned_is_for_listed_items_and_never_for_the_assistants_own(
    many: list[Candidate], actor: SourceClass
) -> None:
    roots = {one.node.id: Root.assistant if one.node.source is ASSISTANT else Root.user for one in many}
    holdings = {name: Holding(root=root, account=name, mass=1.0, account_mass=1.0) for name, root in roots.items()}
    found = plan(Wanted(top_k=5, actor=actor), Snapshot(now=NOW, candidates=many, holdings=holdings))
    listed = {one.id for one in found.listed}
    assert set(found.delta.mass_changes) == {name for name in listed if roots[name] is Root.user}
    assert set(found.delta.mass_changes.values()) <= {0.98 * (0.5 if actor is USER else 0.1)}


def test_one_document_takes_half_of_the_places_and_all_where_nothing_else_wants_them() -> None:
    book = [Candidate(node=_node(f"n_b{n}", EXTERNAL, locator="book"), relevance=0.9 - n / 1000) for n in range(20)]
    notes = [Candidate(node=_node(f"n_u{n}"), relevance=0.5) for n in range(6)]
    found = _planned(*book, *notes, top_k=8)
    assert sum(one.id.startswith("n_b") for one in found.listed) == 4
    [fifth] = [one for one in found.held if one.id == "n_b4"]
    assert held_by(fifth, found.listed) is Factor.share
    assert len(_planned(*book, top_k=8).listed) == 8


def _held_by(candidate: Candidate, *listed: Candidate) -> Factor:
    found = _planned(candidate, *listed, top_k=len(listed))
    [held] = [one for one in found.held if one.id == candidate.node.id]
    return held_by(held, found.listed)


def test_the_one_thing_that_held_a_match_back_is_named() -> None:
    used = NOW.isoformat()
    listed = Candidate(node=_node("n_x", mass=20.0, last_used=used), relevance=0.80)
    assert _held_by(Candidate(node=_node(age=400), relevance=0.85), listed) is Factor.age
    assert _held_by(Candidate(node=_node(), relevance=0.81), listed) is Factor.mass
    plain = Candidate(node=_node("n_x"), relevance=0.80)
    assert _held_by(Candidate(node=_node(source=ASSISTANT), relevance=0.805), plain) is Factor.certainty
    old = Candidate(node=_node(), relevance=0.82, opposed_by=frozenset({"supersedes"}))
    assert _held_by(old, plain) is Factor.certainty
    assert _held_by(Candidate(node=_node(), relevance=0.9, shown=5), plain) is Factor.shown
    assert _held_by(Candidate(node=_node(), relevance=0.2), plain) is Factor.relevance
    assert _held_by(Candidate(node=_node(), relevance=0.99, related=False), plain) is Factor.floor


def test_an_item_that_is_near_to_nothing_is_not_listed_however_heavy() -> None:
    heavy = Candidate(node=_node(mass=MAX_MASS, last_used=NOW.isoformat()), relevance=0.1, related=False)
    assert _planned(heavy).listed == ()


def test_a_superseded_item_stands_below_the_one_that_took_its_place() -> None:
    old = Candidate(node=_node("n_a", mass=9.0), relevance=0.8, opposed_by=frozenset({"supersedes"}))
    new = Candidate(node=_node("n_b"), relevance=0.8)
    assert [one.id for one in _planned(old, new).listed] == ["n_b", "n_a"]


@pytest.mark.parametrize(
    ("own", "reason"),
    [
        (ScoreBreakdown(relevance=0.9, forced_inclusion=True), Reason.forced),
        (ScoreBreakdown(relevance=0.01, mass_boost=0.05), Reason.deceptive),
        (ScoreBreakdown(relevance=0.9, raw_cosine=0.9, bm25_score=3.0), Reason.both),
        (ScoreBreakdown(relevance=0.9, raw_cosine=0.9), Reason.meaning),
        (ScoreBreakdown(relevance=0.9, raw_cosine=0.1, bm25_score=3.0), Reason.words),
        (ScoreBreakdown(relevance=0.0), Reason.deceptive),
    ],
)
def test_the_reason_is_the_first_that_holds(own: ScoreBreakdown, reason: Reason) -> None:
    assert reason_of(own, floor=0.8) is reason
