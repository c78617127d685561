"""Who asks a graph, when a server that knows it runs the graph?

LangGraph Server hands the authenticated user to every run, where no client can write. A user that our own gate let in
carries tenant and user, and these replace whatever the run's context names; for any other caller - a program that
builds the graph, a server with an authentication of its own - the context stands. A graph around ours may have a
context of another shape: of that the fields that ours knows are read.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, replace
from typing import Any, Final, TypeVar

from langgraph.runtime import Runtime, get_runtime

from rqa_checkpoints.provenance import CACHE_USER, HOME_SCOPE, Scope
from rqa_nodes.deliberate.state import DeliberationContext
from rqa_nodes.review import ReviewContext
from rqa_nodes.state import Context

__all__ = ["SPEAKER", "deliberation_context", "review_context", "reviewed_scopes", "turn_context"]

C = TypeVar("C", Context, DeliberationContext, ReviewContext)

SPEAKER: Final = "rqa_speaker"
"""Field of the authenticated user: `{"tenant", "user", "token"}`."""


def turn_context() -> Context:
    """The context of the turn that runs."""
    runtime = get_runtime(Context)
    context, speaker = _as(Context, runtime.context), _speaker(runtime)
    return replace(context, tenant=speaker["tenant"], user=speaker["user"]) if speaker else context


def deliberation_context() -> DeliberationContext:
    """The context of the deliberation that runs, or of the turn around it."""
    runtime = get_runtime(DeliberationContext)
    context, speaker = _as(DeliberationContext, runtime.context), _speaker(runtime)
    if not speaker:
        return context
    return DeliberationContext(tenant=speaker["tenant"], user=speaker["user"], lang=context.lang)


def review_context() -> ReviewContext:
    """The context of the review that runs: of the queues that one may see, the named one, else one's own."""
    runtime = get_runtime(ReviewContext)
    context, speaker = _as(ReviewContext, runtime.context), _speaker(runtime)
    if not speaker:
        return context
    owner = Scope(speaker["tenant"], speaker["user"])
    named = Scope(context.tenant or owner.tenant, context.user or owner.user)
    queue = named if named in reviewed_scopes(owner, owns_home=not speaker["token"]) else owner
    return replace(context, tenant=queue.tenant, user=queue.user, reviewer=owner.user)


def reviewed_scopes(owner: Scope, *, owns_home: bool) -> tuple[Scope, ...]:
    """Whose queues a person decides on: the own one, that of the library that one shares, at the machine the home's."""
    shared = Scope(owner.tenant, CACHE_USER)
    return (owner, shared, HOME_SCOPE) if owns_home else (owner, shared)


def _as(kind: type[C], given: object) -> C:
    if isinstance(given, kind):
        return given
    named = [field.name for field in fields(kind)]
    if isinstance(given, Mapping):
        return kind(**{name: given[name] for name in named if name in given})
    return kind(**{name: getattr(given, name) for name in named if hasattr(given, name)})


def _speaker(runtime: Runtime[Any]) -> Mapping[str, str] | None:
    user = runtime.server_info.user if runtime.server_info else None
    return user[SPEAKER] if user is not None and SPEAKER in user else None
