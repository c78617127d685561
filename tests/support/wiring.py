"""Small graphs as plain data: built for LangGraph, and played through in every possible way without it.

`ends_of` is the oracle of `find_leaks`: it knows nothing of rules, it only tries everything.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from hypothesis import strategies as st
from langgraph.errors import NodeError
from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.types import Command

from tests.support.traces import Trace

NODES = ("a", "b", "c", "verify")
FAIL = "raise an error"
ANYWHERE: tuple[str, ...] = (*NODES, END)

_T = TypeVar("_T")

Step = frozenset[str]
Barriers = tuple[Step, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Way:
    """How one node leads on."""

    edges: tuple[str, ...] = ()
    branch: tuple[str, ...] | None = None
    """Targets of a branch; an empty tuple is a branch without a map."""
    hint: tuple[str, ...] = ()
    handler: tuple[str, ...] | None = None
    """Edges of its error handler; an empty tuple is a handler without any."""
    defer: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Wiring:
    """A whole graph."""

    ways: dict[str, Way]
    joins: tuple[tuple[tuple[str, ...], str], ...] = ()
    limit: int = field(default=12)

    def compile(self, choose: Callable[[Sequence[str]], str]) -> CompiledStateGraph[Any, Any, Any, Any]:
        """Build it for LangGraph; wherever a run can go several ways, `choose` decides."""
        builder = StateGraph(Trace)
        for name in NODES:
            _add_node(builder, name, self.ways[name], choose)
        for name, way in self.ways.items():
            for target in way.edges:
                builder.add_edge(name, target)
            if way.branch is not None:
                options = way.branch or ANYWHERE
                builder.add_conditional_edges(name, _chooser(choose, options), [*way.branch] or None)
        for sources, target in self.joins:
            builder.add_edge([*sources], target)
        return builder.compile()

    def ends_of(self) -> set[Step]:
        """Return the nodes of the last step, handlers included, of every run that can end."""
        start = (frozenset({START}), tuple(Step() for _ in self.joins))
        seen, queue, ends = {start}, [start], set()
        for active, barriers in queue:
            for ran, targets, finished in _outcomes(sorted(active), self.ways):
                step, after = self._next(targets, finished, barriers)
                if not step:
                    ends.add(ran)
                elif (step, after) not in seen:
                    seen.add((step, after))
                    queue.append((step, after))
        return ends

    def reached(self) -> set[str]:
        """Return every node that some run can start, by declared ways."""
        found = {START}
        for _ in NODES:
            for name in tuple(found):
                way = self.ways[name]
                found |= {*way.edges, *way.hint, *(way.branch or ())}
                found |= {*NODES} if way.branch == () or way.handler == () else {*(way.handler or ())}
            found.discard(END)
        return found

    def _next(self, targets: Step, finished: Step, barriers: Barriers) -> tuple[Step, Barriers]:
        started, after = set(targets - {END}), []
        for (sources, target), barrier in zip(self.joins, barriers, strict=True):
            filled = barrier | (finished & set(sources))
            if filled == set(sources):
                started |= {target} - {END}
            # A join that leads to END is no channel at all; it keeps nothing.
            after.append(Step() if filled == set(sources) or target == END else filled)
        return Step(started), tuple(after)


def _outcomes(active: Iterable[str], ways: dict[str, Way]) -> Iterator[tuple[Step, Step, Step]]:
    """Yield (nodes that ran, their targets, those that did not fail) for every way a step can go."""
    options = [list(_outcomes_of(name, ways[name])) for name in active]
    for chosen in set(itertools.product(*options)):
        yield (
            Step().union(*(ran for ran, _, _ in chosen)),
            Step().union(*(targets for _, targets, _ in chosen)),
            Step().union(*(finished for _, _, finished in chosen)),
        )


def _outcomes_of(name: str, way: Way) -> Iterator[tuple[Step, Step, Step]]:
    choices = [way.branch or ANYWHERE] if way.branch is not None else []
    choices += [way.hint] if way.hint else []
    for picked in itertools.product(*choices):
        yield Step({name}), Step({*way.edges, *picked}), Step({name})
    if way.handler is not None:
        for target in [way.handler] if way.handler else [(one,) for one in ANYWHERE]:
            yield Step({name, f"handler of {name}"}), Step(target), Step()


def _add_node(builder: StateGraph[Trace], name: str, way: Way, choose: Callable[[Sequence[str]], str]) -> None:
    def node(state: Trace) -> Any:
        picked = choose([*(way.hint or ("",)), *([FAIL] if way.handler is not None else [])])
        if picked == FAIL:
            raise ValueError(FAIL)
        return Command(goto=picked) if picked else {"seen": [name]}

    def handle(state: Trace, error: NodeError) -> Any:
        return {"seen": [error.node]} if way.handler else Command(goto=choose(ANYWHERE))

    handler: Any = None if way.handler is None else handle
    builder.add_node(name, node, destinations=way.hint or None, error_handler=handler, defer=way.defer)
    for target in way.handler or ():
        builder.add_edge(f"__error_handler__{name}", target)


def _chooser(choose: Callable[[Sequence[str]], str], options: Sequence[str]) -> Callable[[Trace], str]:
    def pick(state: Trace) -> str:
        return choose(options)

    return pick


def _targets(*, least: int) -> st.SearchStrategy[tuple[str, ...]]:
    return st.lists(st.sampled_from(ANYWHERE), min_size=least, max_size=2, unique=True).map(tuple)


_INWARD = st.lists(st.sampled_from((*NODES, "verify")), min_size=1, max_size=2, unique=True).map(tuple)
"""Targets that keep a run going: most graphs should be nearly right, or all would be refused."""


def _way(*, start: bool = False, defer: bool = False) -> st.SearchStrategy[Way]:
    some = _often(_INWARD, _targets(least=1))
    return st.builds(
        Way,
        edges=_often(some, st.just(())),
        branch=_often(st.none(), _often(some, st.just(()))),
        hint=st.just(()) if start else _often(st.just(()), some),
        handler=st.none() if start else _often(st.none(), _often(some, st.just(()))),
        defer=st.booleans() if defer and not start else st.just(False),
    )


_LAST = st.just(Way()) | st.builds(Way, hint=_INWARD.map(lambda targets: (*targets, END)))
"""A verifier that can end a run: without one every accepted graph would go round for ever."""


def _often(usual: st.SearchStrategy[_T], rare: st.SearchStrategy[_T]) -> st.SearchStrategy[_T]:
    return st.integers(0, 6).flatmap(lambda number: rare if number == 6 else usual)


_JOIN = st.tuples(
    st.lists(st.sampled_from(NODES), min_size=2, max_size=3, unique=True).map(tuple), st.sampled_from((*NODES, END))
)


def wirings(*, defer: bool = False) -> st.SearchStrategy[Wiring]:
    """Any small graph."""
    return st.builds(
        lambda start, nodes, joins: Wiring(ways={START: start, **dict(zip(NODES, nodes, strict=True))}, joins=joins),
        _way(start=True).filter(lambda way: way.edges or way.branch is not None),
        st.tuples(*(_way(defer=defer) for _ in NODES[:-1]), _often(_LAST, _way(defer=defer))),
        st.just(()) | st.lists(_JOIN, max_size=2, unique=True).map(tuple),
    )


def joined_wirings() -> st.SearchStrategy[Wiring]:
    """Graphs whose nodes `a` and `b` lead on only through an AND-join, started together or not."""
    apart = st.builds(Way, edges=st.just(("a", "b")))
    return st.builds(
        lambda start, c, last: Wiring(
            ways={START: start, "a": Way(), "b": Way(), "c": c, "verify": last}, joins=((("a", "b"), "verify"),)
        ),
        _often(apart, _way(start=True).filter(lambda way: way.edges or way.branch is not None)),
        apart | _way(),
        _often(_LAST, apart | _way()),
    )


def _single(*, start: bool) -> st.SearchStrategy[Way]:
    one = st.sampled_from(ANYWHERE).map(lambda target: (target,))
    ways = [st.builds(Way, edges=one), st.builds(Way, branch=_targets(least=0))]
    if not start:
        ways += [st.builds(Way, hint=_targets(least=1)), st.just(Way())]
        ways += [st.builds(Way, edges=st.sampled_from(NODES).map(lambda node: (node,)), handler=st.just(()) | one)]
    return st.one_of(ways)


def single_file_wirings() -> st.SearchStrategy[Wiring]:
    """Graphs of which every step is one node: there a leak that can be reached is an end, and an end is a leak."""
    return st.builds(
        lambda start, nodes: Wiring(ways={START: start, **dict(zip(NODES, nodes, strict=True))}),
        _single(start=True),
        st.tuples(*(_single(start=False) for _ in NODES)),
    )
