"""Can this graph end anywhere but in its verifier?

A LangGraph run ends when a step starts no further node; END is only a name for that, so a node without a way on ends
a run as surely as an edge to END. Hence the invariant that is checked here, node by node: **every node but the
verifier always starts another one**. Then the last step of a run can hold nothing but the verifier, whatever path led
there. The builder is read, not the drawing, because the drawing shows no error handlers, reads an AND-join as an OR,
and believes every hint. What cannot be seen is taken to go anywhere. The builder's fields are semi-private: LangGraph
is pinned, and the tests run real graphs against this check.

A hint can lie, and only a run can tell: `declared` holds a node to what it declared. So the static proof says "the
verifier ran last", never "the verifier was content".
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from typing import Any, TypeVar, cast

from langchain_core.runnables import RunnableLambda
from langgraph.constants import END, START
from langgraph.graph import StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.types import Command, Send

from rqa_graph.errors import LyingCommandError, UnverifiedPathError

__all__ = ["Leak", "assert_verified", "declared", "find_leaks"]

_GATE = "verify"
_Node = TypeVar("_Node", bound="RunnableLambda[Any, Any] | Callable[..., Any]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Leak:
    """A node other than the verifier that may be the last of a run."""

    node: str
    reason: str
    path: tuple[str, ...]
    """How a run gets there, without the verifier if that is possible; the node alone if no declared way leads there."""


def assert_verified(graph: CompiledStateGraph[Any, Any, Any, Any], *, gate: str = _GATE) -> None:
    """Prove that no run of the graph can end before, beside or after its verifier.

    A subgraph is one node here: its own END ends only itself, and its verifier, if it has one, is not this graph's.

    Args:
        graph: As compiled.
        gate: Name of the verifying node.

    Raises:
        UnverifiedPathError: the graph has no such node, or another node may end a run; names each with its path.
    """
    leaks = find_leaks(graph, gate=gate)
    if not leaks:
        return
    shown = "; ".join(f"{leak.node!r} {leak.reason} ({' -> '.join([*leak.path, END])})" for leak in leaks)
    raise UnverifiedPathError(
        f"Graph {graph.name!r} can end without {gate!r} as its last node: {shown}.",
        hint=f"Lead each of these nodes on to {gate!r} by an edge, or by a branch or hint that names all its targets.",
    )


def find_leaks(graph: CompiledStateGraph[Any, Any, Any, Any], *, gate: str = _GATE) -> tuple[Leak, ...]:
    """Return every node but the gate that may be the last of a run, in order of name.

    Raises:
        UnverifiedPathError: there is no graph to read, or it has no such node.
    """
    builder = getattr(graph, "builder", None)
    if not isinstance(builder, StateGraph):
        raise UnverifiedPathError(
            f"Expected a compiled StateGraph, found {type(graph).__name__}.", hint="Pass what `compile()` returned."
        )
    if gate not in builder.nodes:
        raise UnverifiedPathError(
            f"Graph {graph.name!r} has no node {gate!r}; it has {sorted(builder.nodes)!r}.",
            hint=f"Add the verifying node under the name {gate!r}; one inside a subgraph does not count.",
        )
    wiring = _Wiring(builder)
    return tuple(
        Leak(node=node, reason=reason, path=wiring.path_to(node, gate))
        for node in [START, *sorted(builder.nodes)]
        if node != gate and (reason := wiring.may_end(node))
    )


class _Wiring:
    """Where each node leads, as the builder says."""

    def __init__(self, builder: StateGraph[Any, Any, Any, Any]) -> None:
        self._nodes = builder.nodes
        self._branches = builder.branches
        self._joins = sorted(builder.waiting_edges)
        self._edges: dict[str, set[str]] = {}
        for source, target in builder.edges:
            self._edges.setdefault(source, set()).add(target)

    def may_end(self, node: str) -> str:
        """Say how this node may be the last of a run; empty if it always starts another."""
        checks = (self._names_end, self._goes_anywhere, self._has_no_way_on, self._waits_for_ever)
        return next((reason for check in checks if (reason := check(node))), "")

    def _names_end(self, node: str) -> str:
        if END in self._edges.get(node, ()) or any(target == END for target in self._joins_from(node).values()):
            return "has an edge to END"
        if END in self._hints(node):
            return "declares END as a destination"
        for name, branch in self._branches.get(node, {}).items():
            if branch.ends is not None and END in branch.ends.values():
                return f"has a branch {name!r} to END"
        return ""

    def _goes_anywhere(self, node: str) -> str:
        for name, branch in self._branches.get(node, {}).items():
            if not branch.ends:
                return f"has a branch {name!r} that does not say where it leads, so it may lead to END"
        return ""

    def _has_no_way_on(self, node: str) -> str:
        if self._sure_targets(node) or self._joins_from(node):
            return ""
        if node != START and self._nodes[node].is_error_handler:
            return "is an error handler without an edge, so it may lead to END"
        return "has no edge, branch or declared destination, so a run ends there"

    def _waits_for_ever(self, node: str) -> str:
        """An AND-join fires only if all its sources run; that is sure only where they always start together."""
        if self._sure_targets(node):
            return ""
        joins = self._joins_from(node)
        if any(self._start_together(sources) for sources in joins):
            return ""
        return f"leads only to AND-joins ({', '.join(sorted(joins.values()))}) whose other sources may never run"

    def _start_together(self, sources: tuple[str, ...]) -> bool:
        starters = [{node for node, targets in self._edges.items() if source in targets} for source in sources]
        everywhere = [START, *self._nodes]
        singly = {target for _, target in self._joins}.union(*map(self._chosen, everywhere))
        return (
            bool(starters[0])
            and all(starter == starters[0] for starter in starters)
            and not singly.intersection(sources)
            and not any(map(self._goes_anywhere, everywhere))
        )

    def _joins_from(self, node: str) -> dict[tuple[str, ...], str]:
        return {sources: target for sources, target in self._joins if node in sources}

    def _hints(self, node: str) -> set[str]:
        return set(self._nodes[node].ends or ()) if node in self._nodes else set()

    def _chosen(self, node: str) -> set[str]:
        """Targets of which a run takes some: hints, and branches with a map."""
        mapped = {target for branch in self._branches.get(node, {}).values() for target in (branch.ends or {}).values()}
        return mapped | self._hints(node)

    def _sure_targets(self, node: str) -> set[str]:
        """Targets of which a run surely takes at least one."""
        return self._edges.get(node, set()) | self._chosen(node)

    def path_to(self, node: str, gate: str) -> tuple[str, ...]:
        """Return a declared way to a node, without the gate if there is one."""
        without, all_ways = self._ways(barred=gate), self._ways(barred=START)
        return without.get(node) or all_ways.get(node, (node,))

    def _ways(self, *, barred: str) -> dict[str, tuple[str, ...]]:
        """A shortest way to each node that can be reached; START, which nothing leads to, bars nothing."""
        ways: dict[str, tuple[str, ...]] = {START: (START,)}
        queue = [START]
        for number, node in enumerate(queue, start=1):
            for target in sorted(set(self._next(node, queue[:number]))):
                if target not in ways and target != barred:
                    ways[target] = (*ways[node], target)
                    queue.append(target)
        return ways

    def _next(self, node: str, passed: Collection[str]) -> Iterator[str]:
        yield from self._sure_targets(node) - {END}
        for branch in self._branches.get(node, {}).values():
            if not branch.ends:
                yield from self._nodes
        if node in self._nodes and (handler := self._nodes[node].error_handler_node):
            yield handler
        for sources, target in self._joins:
            if node in sources and target != END and set(sources) <= set(passed):
                yield target


def declared(node: _Node, *, name: str, destinations: Collection[str] | None = None) -> _Node:
    """Hold a node to its destinations at run time: the guard against a hint that lies.

    Args:
        node: A `RunnableLambda`, or a plain function, sync or async; its signature stays as it is.
        name: The node's name, for the error.
        destinations: Where its Commands may go, END included; to return no Command at all is to go to END. None for a
            node that has edges and returns no Command.

    Returns:
        The same kind of thing. When the node goes elsewhere, to a parent graph too, calling it raises
        LyingCommandError, so that nothing it returned takes effect.
    """
    if isinstance(node, RunnableLambda):
        first, *second = [
            cast("Any", _held(form, name, destinations))
            for form in (getattr(node, "func", None), getattr(node, "afunc", None))
            if form is not None
        ]
        return cast("_Node", RunnableLambda(first, second[0] if second else None, name=node.name))
    return cast("_Node", _held(node, name, destinations))


def _held(function: Callable[..., Any], name: str, destinations: Collection[str] | None) -> Callable[..., Any]:
    if inspect.iscoroutinefunction(function):

        @functools.wraps(function)
        async def arun(*args: Any, **kwargs: Any) -> Any:
            return _checked(await function(*args, **kwargs), name, destinations)

        return arun

    @functools.wraps(function)
    def run(*args: Any, **kwargs: Any) -> Any:
        return _checked(function(*args, **kwargs), name, destinations)

    return run


def _checked(result: Any, name: str, destinations: Collection[str] | None) -> Any:
    went = list(_targets(result))
    allowed = set(destinations or ())
    if destinations is not None and not went:
        went = [END]
    if strange := [target for target in went if target not in allowed]:
        raise LyingCommandError(
            f"Node {name!r} went to {', '.join(map(repr, strange))}; it declared {sorted(allowed)!r}.",
            hint="Add the target to the node's destinations if it is meant, so that the graph is checked with it.",
        )
    return result


def _targets(result: Any) -> Iterator[str]:
    """Where a node's result sends the run, as LangGraph reads it."""
    for item in result if isinstance(result, (list, tuple)) else [result]:
        if isinstance(item, Send):
            yield item.node
        elif isinstance(item, Command):
            if item.graph is not None:
                yield f"graph {item.graph}"
            for target in [item.goto] if isinstance(item.goto, (str, Send)) else item.goto:
                yield target.node if isinstance(target, Send) else target
