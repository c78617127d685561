"""Does the static check agree with what graphs really do? Against a search of all runs, and against LangGraph."""

from __future__ import annotations

import random

from hypothesis import assume, event, given
from hypothesis import strategies as st
from langgraph.errors import GraphRecursionError
from langgraph.graph import START

from rqa_graph.reachability import find_leaks
from tests.support.examples import share
from tests.support.traces import steps_of
from tests.support.wiring import Wiring, joined_wirings, single_file_wirings, wirings

VERIFIED = frozenset({"verify"})


def first(options: object) -> str:
    raise AssertionError("nothing runs here")


def last_step(wiring: Wiring, source: random.Random) -> frozenset[str] | None:
    """Run it in LangGraph, choosing at random; None if it does not end."""
    graph = wiring.compile(source.choice)
    try:
        steps = steps_of(graph, limit=wiring.limit)
    except GraphRecursionError:
        return None
    return frozenset(steps[-1]) if steps else frozenset({START})


@share(150)
@given(wirings() | joined_wirings())
def test_no_run_of_an_accepted_graph_ends_elsewhere(wiring: Wiring) -> None:
    leaks = find_leaks(wiring.compile(first))
    event("refused" if leaks else "accepted")
    if not leaks:
        assert wiring.ends_of() <= {VERIFIED}


@share(100)
@given(single_file_wirings())
def test_in_single_file_a_reachable_leak_is_an_end_and_an_end_is_a_leak(wiring: Wiring) -> None:
    reached = wiring.reached() | {f"__error_handler__{name}" for name in wiring.reached()}
    leaks = {leak.node for leak in find_leaks(wiring.compile(first))} & reached
    event("refused" if leaks else "accepted")
    assert bool(leaks) == bool(wiring.ends_of() - {VERIFIED})


@share(30)
@given(wirings() | joined_wirings(), st.integers(0, 2**32).map(random.Random))
def test_langgraph_ends_where_the_search_says(wiring: Wiring, source: random.Random) -> None:
    """The oracle itself is held to the real thing, on accepted and refused graphs alike."""
    last = last_step(wiring, source)
    event("endless" if last is None else "ended")
    ends = {frozenset(name for name in end if not name.startswith("handler of")) for end in wiring.ends_of()}
    assert last in {None, *ends}


@share(30)
@given(wirings(defer=True), st.integers(0, 2**32).map(random.Random))
def test_langgraph_ends_an_accepted_graph_in_the_verifier_deferred_nodes_too(
    wiring: Wiring, source: random.Random
) -> None:
    assume(not find_leaks(wiring.compile(first)))
    last = last_step(wiring, source)
    event("endless" if last is None else "ended")
    assert last in (None, VERIFIED)
