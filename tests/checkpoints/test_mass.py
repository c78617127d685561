"""Who earns mass, how much, and how it fades: by hand, and for anything that may happen."""

from __future__ import annotations

import math
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rqa_checkpoints.mass import (
    MAX_MASS,
    UNUSED,
    WEIGHTS,
    Credit,
    Holding,
    How,
    Root,
    Use,
    account_of,
    apply,
    faded,
    gain_of,
    plan_uses,
    root_of,
)
from rqa_checkpoints.provenance import Kind, MemoryNode, SourceClass

USER, ASSISTANT, EXTERNAL, SYSTEM = SourceClass.user, SourceClass.assistant, SourceClass.external, SourceClass.system
NOW = datetime(2026, 3, 1, tzinfo=UTC)
ACTORS, WAYS, ROOTS = st.sampled_from(list(SourceClass)), st.sampled_from(list(How)), st.sampled_from(list(Root))
MASSES = st.floats(UNUSED, MAX_MASS)
CREDITS = st.lists(
    st.builds(Credit, actor=ACTORS, how=WAYS, session=st.sampled_from("ab"), day=st.sampled_from(["d1", "d2"])),
    max_size=6,
)
HELD = st.builds(
    Holding,
    root=ROOTS,
    account=st.sampled_from(["one", "two"]),
    mass=MASSES,
    account_mass=MASSES,
    opposed=st.booleans(),
    credits=CREDITS,
)


def _node(source: SourceClass = USER, **fields: object) -> MemoryNode:
    base = {"id": "n_1", "handle": "h", "tenant": "t", "user": "u", "thread": "", "turn_id": "", "author": ""}
    given_ = {
        "kind": Kind.statement,
        "text": "x",
        "recorded_at": NOW.isoformat(),
        "origin": (source,),
        **base,
        **fields,
    }
    return MemoryNode(source=source, **given_)  # type: ignore[arg-type]  # the tests choose the fields


def _held(root: Root = Root.user, **fields: object) -> Holding:
    given_: dict[str, object] = {"account": "a", "mass": UNUSED, "account_mass": UNUSED, **fields}
    return Holding(root=root, **given_)  # type: ignore[arg-type]  # the tests choose the fields


def _gain(actor: SourceClass, how: How, held: Holding, *, session: str = "s", day: str = "d") -> float:
    return gain_of(Use(id="n_1", actor=actor, how=how), held, session=session, day=day)


# A first use of an unused item: w * 2**0 * (1 - 1/50) = w * 0.98.
@pytest.mark.parametrize(
    ("actor", "how", "root", "weight"),
    [
        (USER, How.confirmed, Root.user, 1.0),
        (USER, How.cited, Root.user, 0.5),
        (USER, How.repeated, Root.user, 0.5),
        (USER, How.cited, Root.external, 0.5),
        (USER, How.confirmed, Root.external, 0.5),
        (USER, How.confirmed, Root.confirmation, 1.0),
        (USER, How.cited, Root.confirmation, 0.0),
        (USER, How.confirmed, Root.assistant, 0.0),
        (USER, How.repeated, Root.assistant, 0.0),
        (USER, How.cited, Root.system, 0.0),
        (ASSISTANT, How.cited, Root.user, 0.1),
        (ASSISTANT, How.cited, Root.external, 0.1),
        (ASSISTANT, How.cited, Root.assistant, 0.0),
        (ASSISTANT, How.cited, Root.confirmation, 0.0),
        (ASSISTANT, How.confirmed, Root.user, 0.0),
        (SYSTEM, How.cited, Root.user, 0.0),
        (EXTERNAL, How.confirmed, Root.user, 0.0),
    ],
)
def test_who_earns_what(actor: SourceClass, how: How, root: Root, weight: float) -> None:
    assert _gain(actor, how, _held(root)) == pytest.approx(0.98 * weight, abs=1e-12)


def test_the_same_actor_earns_half_each_time_in_one_session_and_once_a_day_and_way() -> None:
    given_before = [Credit(actor=USER, how=How.cited, session="s", day="d")]
    assert _gain(USER, How.cited, _held(credits=given_before), day="d") == 0
    assert _gain(USER, How.cited, _held(credits=given_before), day="d", session="other") == 0
    assert _gain(USER, How.cited, _held(credits=given_before), day="e") == pytest.approx(0.98 * 0.5 / 2)
    assert _gain(USER, How.cited, _held(credits=given_before), day="e", session="other") == pytest.approx(0.98 * 0.5)
    assert _gain(USER, How.confirmed, _held(credits=given_before), day="d") == pytest.approx(0.98 / 2)
    assert _gain(ASSISTANT, How.cited, _held(credits=given_before), day="d") == pytest.approx(0.098)


def test_what_is_contradicted_or_superseded_earns_nothing() -> None:
    assert _gain(USER, How.confirmed, _held(opposed=True)) == 0


@pytest.mark.parametrize(
    ("node", "root"),
    [
        (_node(), Root.user),
        (_node(EXTERNAL, locator="book.txt"), Root.external),
        (_node(ASSISTANT), Root.assistant),
        (_node(SYSTEM), Root.system),
        (_node(origin=(ASSISTANT, USER), derived_from=("n_g",)), Root.assistant),
        (_node(echo_of="n_g"), Root.assistant),
        (_node(origin=(ASSISTANT, USER), derived_from=("n_g",), echo_of="n_g"), Root.confirmation),
        (_node(ASSISTANT, origin=(ASSISTANT, USER), derived_from=("n_u",)), Root.assistant),
        (_node(origin=(EXTERNAL, USER), derived_from=("n_e",)), Root.external),
    ],
)
def test_lineage_says_whose_words_it_goes_back_to(node: MemoryNode, root: Root) -> None:
    assert root_of(node) is root


def test_chunks_of_a_document_and_confirmations_of_a_guess_share_an_account() -> None:
    one, two = _node(EXTERNAL, locator="b", id="n_a"), _node(EXTERNAL, locator="b", id="n_b")
    assert account_of(one) == account_of(two) != account_of(_node(EXTERNAL, locator="c"))
    yes: dict[str, object] = {"origin": (ASSISTANT, USER), "derived_from": ("n_g",), "echo_of": "n_g"}
    assert account_of(_node(USER, id="n_a", **yes)) == account_of(_node(USER, id="n_b", **yes))
    assert account_of(_node(id="n_a")) != account_of(_node(id="n_b"))


def test_mass_halves_in_half_a_year_of_no_use() -> None:
    used = (NOW - timedelta(days=180)).isoformat()
    assert faded(3.0, used_at=used, now=NOW) == pytest.approx(2.0)
    assert faded(3.0, used_at=NOW.isoformat(), now=NOW - timedelta(days=9)) == 3.0
    assert faded(UNUSED, used_at="", now=NOW) == UNUSED


@given(MASSES, st.floats(0, 4000), st.floats(0, 4000))
def test_fading_in_two_steps_is_fading_in_one_and_stays_within_bounds(mass: float, first: float, then: float) -> None:
    start, middle, end = NOW.isoformat(), NOW + timedelta(days=first), NOW + timedelta(days=first + then)
    half_way = faded(mass, used_at=start, now=middle)
    once = faded(mass, used_at=start, now=end)
    assert UNUSED <= once <= half_way <= mass
    assert faded(half_way, used_at=middle.isoformat(), now=end) == pytest.approx(once, rel=1e-9, abs=1e-9)


@given(ACTORS, WAYS, HELD, st.sampled_from("ab"), st.sampled_from(["d1", "d2"]))
def test_a_gain_is_never_negative_never_above_its_weight_and_never_leaves_the_bound(
    actor: SourceClass, how: How, held: Holding, session: str, day: str
) -> None:
    gain = _gain(actor, how, held, session=session, day=day)
    assert math.isfinite(gain)
    assert 0 <= gain <= WEIGHTS.get((actor, how, held.root), 0.0)
    assert held.mass + gain <= MAX_MASS
    # G2: the assistant's own words earn nothing from anybody, and nothing but use by a person or the assistant counts.
    if held.root in {Root.assistant, Root.system} or actor not in {USER, ASSISTANT} or held.opposed:
        assert gain == 0
    if actor is ASSISTANT and held.root is Root.confirmation:
        assert gain == 0


@given(
    st.lists(st.builds(Use, id=st.sampled_from("abcd"), actor=ACTORS, how=WAYS), max_size=12),
    st.fixed_dictionaries(dict.fromkeys("abc", HELD)),
)
def test_a_plan_is_the_same_however_it_is_ordered_and_an_account_keeps_its_bound(
    uses: list[Use], held: dict[str, Holding]
) -> None:
    effective, delta = plan_uses(uses, held, session="a", day="d1")
    assert plan_uses(uses[::-1], dict(reversed(held.items())), session="a", day="d1") == (effective, delta)
    assert list(delta.mass_changes) == sorted(delta.mass_changes) == [use.id for use in effective]
    for account in {one.account for one in held.values()}:
        together = sum(gain for name, gain in delta.mass_changes.items() if held[name].account == account)
        before = max(one.account_mass for one in held.values() if one.account == account)
        lowest = min(one.account_mass for one in held.values() if one.account == account)
        assert together <= MAX_MASS - lowest + 1e-9
        assert before <= MAX_MASS
    after = apply(delta, {name: one.mass for name, one in held.items()})
    assert all(held[name].mass < mass <= MAX_MASS for name, mass in after.items())


def test_the_strongest_of_several_uses_in_one_message_counts_once() -> None:
    uses = [Use(id="a", actor=ASSISTANT, how=How.cited), Use(id="a", actor=USER, how=How.confirmed)]
    _, delta = plan_uses(uses, {"a": _held()}, session="s", day="d")
    assert delta.mass_changes == {"a": pytest.approx(0.98)}


def test_ten_thousand_chunks_of_one_document_weigh_together_no_more_than_one_item_can() -> None:
    total, masses = 0.0, dict.fromkeys(map(str, range(600)), UNUSED)
    for day in range(200):
        name = str(day % 600)
        held = {name: _held(Root.external, mass=masses[name], account_mass=UNUSED + total)}
        _, delta = plan_uses([Use(id=name, actor=USER, how=How.cited)], held, session=str(day), day=str(day))
        masses |= apply(delta, {name: masses[name]})
        total = sum(mass - UNUSED for mass in masses.values())
    # M(n+1) = M + 0.5 * (1 - M/50): the excess of the whole document follows the curve of a single item.
    alone = UNUSED
    for _ in range(200):
        alone += 0.5 * (1 - alone / 50)
    assert total == pytest.approx(alone - UNUSED)
