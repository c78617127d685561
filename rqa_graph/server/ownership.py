"""Whose are the threads, runs and store items of LangGraph Server?

`auth.path` of `langgraph.json`. The gate before all routes has found out who asks; here the answer becomes the user of
LangGraph's own authorization, which filters threads by their owner and hands the user to every run. Everything that is
not named below is refused.
"""

from __future__ import annotations

from collections.abc import Mapping, MutableMapping
from typing import Any, Final
from urllib.parse import quote

from langgraph_sdk import Auth

from rqa_graph.server.gate import Identity
from rqa_graph.speaking import SPEAKER

__all__ = ["auth"]

auth = Auth()

_OWNER: Final = "owner"
"""Key of the metadata of threads and runs; a client cannot write it."""
_SHARED_READS: Final = frozenset({"read", "search"})
_FORBIDDEN: Final = 403


@auth.authenticate
async def authenticate(scope: Mapping[str, Any]) -> Auth.types.MinimalUserDict:
    """Who asks, as the gate has found out."""
    identity = scope.get("state", {}).get("identity")
    if not isinstance(identity, Identity):  # in-process calls of the server to itself carry no person
        raise Auth.exceptions.HTTPException(status_code=401, detail="no person stands behind this request")
    owner = identity.owner
    user: dict[str, Any] = {
        "identity": f"{quote(owner.tenant, safe='')}/{quote(owner.user, safe='')}",
        "display_name": owner.user,
        "is_authenticated": True,
        "permissions": [],
        SPEAKER: {"tenant": owner.tenant, "user": owner.user, "token": identity.token},
    }
    return user  # type: ignore[return-value]  # the server takes further fields; the type names the required ones


@auth.on
async def refuse(ctx: Auth.types.AuthContext, value: Any) -> bool:
    """Schedules, and whatever a later server adds."""
    del ctx, value
    return False


@auth.on.assistants
async def shared_assistants(ctx: Auth.types.AuthContext, value: Any) -> bool:
    """Everybody sees the graphs; who is at the machine, without a token, may change what is offered."""
    del value
    return ctx.action in _SHARED_READS or not ctx.user[SPEAKER]["token"]


@auth.on.threads
async def own_threads(ctx: Auth.types.AuthContext, value: MutableMapping[str, Any]) -> dict[str, str]:
    """One's own threads and runs, and no others."""
    owned = {_OWNER: ctx.user.identity}
    if ctx.action in ("create", "create_run", "update"):
        given = value.get("metadata")
        if given is None:
            value["metadata"] = dict(owned)
        else:
            given.update(owned)  # the server goes on with this very object
    return owned


@auth.on.store
async def own_items(ctx: Auth.types.AuthContext, value: MutableMapping[str, Any]) -> None:
    """Namespaces that begin with one's own tenant and user; a shorter prefix is read as that."""
    speaker = ctx.user[SPEAKER]
    own = (speaker["tenant"], speaker["user"])
    given = tuple(value.get("namespace") or ())
    if ctx.action in ("search", "list_namespaces") and given == own[: len(given)]:
        value["namespace"] = own if len(given) < len(own) else given
    elif given[:2] != own:
        raise Auth.exceptions.HTTPException(
            status_code=_FORBIDDEN, detail=f"the namespace of an item begins with {list(own)!r}"
        )
