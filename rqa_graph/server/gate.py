"""Who speaks, is it really this person, and is it not too much?

One gate before every route, the mounted ones included. With tokens, identity comes from the token alone: no field,
header or name that a client sends chooses a person. Without tokens everybody who reaches the loopback address is the
person of the settings; a page on the web that points a name of its own at that address is turned away by the name, and
one that asks from its own by its `Origin`. A server that somebody else bound to another address stays closed there.
"""

from __future__ import annotations

import asyncio
import ipaddress
import re
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlsplit

# Its modules import each other: first used by two threads at once, it would come half-loaded, so it is loaded at once.
from limits import RateLimitItemPerMinute
from limits.storage import MemoryStorage
from limits.strategies import MovingWindowRateLimiter
from starlette.datastructures import Headers
from starlette.requests import HTTPConnection
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from rqa_checkpoints.provenance import Scope as Owner
from rqa_graph.errors import ForeignHostError, TooLargeError, TooManyRequestsError, UnauthorizedError
from rqa_graph.server.faults import error_response, language_of
from rqa_graph.server.inspector_page import INSPECTOR
from rqa_graph.server.tokens import TokenFile

__all__ = ["LOOPBACK", "Gate", "Identity", "identity_of", "is_loopback"]

LOOPBACK: Final = frozenset({"localhost", "127.0.0.1", "::1"})
_OPEN: Final = frozenset({"/healthz", "/ok"})
"""Says that the server runs, and nothing else; `/ok` is LangGraph Server's."""
_POLICY_VIOLATION: Final = 1008
"""Close code of a WebSocket (RFC 6455, section 7.4.1)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Identity:
    """Who speaks."""

    owner: Owner
    """Whose memory."""
    token: str
    """Name of the token; "" without tokens."""

    @property
    def owns_home(self) -> bool:
        """True for the person at the machine itself, who decides on what holds for everybody."""
        return not self.token


def is_loopback(host: str) -> bool:
    """Is an address, or a name without a port, this machine's own?"""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host in LOOPBACK


def identity_of(connection: HTTPConnection) -> Identity:
    """Who sent a request that has passed the gate."""
    found = connection.scope["state"]["identity"]
    assert isinstance(found, Identity)
    return found


class Gate:
    """ASGI middleware: identity, rate, size."""

    def __init__(
        self,
        app: ASGIApp,
        *,
        tokens: TokenFile,
        owner: Owner,
        requests_per_minute: int,
        largest_body: int,
        origins: str = "",
        now: Callable[[], float] = time.time,
    ) -> None:
        """`owner` is the person of the settings; `largest_body` is in bytes.

        `origins` is a pattern of the pages elsewhere that may ask where there are no tokens; "" for none.
        """
        self._app = app
        self._tokens = tokens
        self._owner = owner
        self._rate = RateLimitItemPerMinute(requests_per_minute)
        self._limiter = MovingWindowRateLimiter(MemoryStorage())
        self._largest = largest_body
        self._origins = re.compile(origins) if origins else None
        self._now = now

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request through with its identity, or answer why not."""
        if scope["type"] not in ("http", "websocket") or _is_open(scope["path"]):
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        try:
            identity = await asyncio.to_thread(self._identify, headers, (scope.get("client") or ("",))[0])
            self._count(identity)
            declared = headers.get("content-length", "")
            if declared.isdigit() and int(declared) > self._largest:
                raise self._too_large()
            scope.setdefault("state", {})["identity"] = identity
            body = _Bounded(receive, self._largest, self._too_large)
            await self._app(scope, body, send)
        except (ForeignHostError, UnauthorizedError, TooLargeError, TooManyRequestsError) as error:
            if scope["type"] == "websocket":
                await send({"type": "websocket.close", "code": _POLICY_VIOLATION, "reason": error.code})
                return
            await error_response(error, language_of(headers))(scope, receive, send)

    def _identify(self, headers: Headers, client: str) -> Identity:
        if not self._tokens.all():
            self._stay_at_home(headers, client)
            return Identity(owner=self._owner, token="")
        kind, _, given = headers.get("authorization", "").partition(" ")
        token = self._tokens.find(given.strip()) if kind.lower() == "bearer" else None
        if token is None:
            raise UnauthorizedError(
                "the request carries no token that this server knows",
                hint="Send `Authorization: Bearer TOKEN`; `rqa token add` makes one.",
            )
        return Identity(owner=token.scope, token=token.name)

    def _stay_at_home(self, headers: Headers, client: str) -> None:
        """Without tokens, only this machine asks, by a name of its own, and no page from elsewhere asks through it."""
        host, origin = _host_name(headers.get("host", "")), headers.get("origin", "")
        if host not in LOOPBACK:
            found = f"this server was asked for as {host!r}"
        elif client and not is_loopback(client):
            found = f"this server was asked from {client!r}"
        elif origin and not self._is_ours(origin):
            found = f"a page of {origin!r} asked"
        else:
            return
        raise ForeignHostError(found, hint="Without tokens it answers to localhost alone; `rqa token add` makes one.")

    def _is_ours(self, origin: str) -> bool:
        if self._origins is not None and self._origins.fullmatch(origin):
            return True
        try:
            return (urlsplit(origin).hostname or "") in LOOPBACK
        except ValueError:
            return False

    def _count(self, identity: Identity) -> None:
        if not self._limiter.hit(self._rate, identity.token):
            free_at, _ = self._limiter.get_window_stats(self._rate, identity.token)
            raise TooManyRequestsError(
                f"more than {self._rate.amount} requests a minute",
                retry_after=max(1, round(free_at - self._now())),
                hint="Wait, or raise `server.requests_per_minute`.",
            )

    def _too_large(self) -> TooLargeError:
        return TooLargeError("input.too_large", size=self._largest + 1, limit=self._largest)


class _Bounded:
    """Counts a body that comes without a declared length."""

    def __init__(self, receive: Receive, limit: int, error: Callable[[], Exception]) -> None:
        self._receive = receive
        self._left = limit
        self._error = error

    async def __call__(self) -> Message:
        message = await self._receive()
        self._left -= len(message.get("body", b""))
        if self._left < 0:
            raise self._error()
        return message


def _is_open(path: str) -> bool:
    """Does a path hold nothing of any person: a sign of life, or the files of the inspector, which ask for the rest?"""
    return path in _OPEN or path == INSPECTOR or path.startswith(f"{INSPECTOR}/")


def _host_name(host: str) -> str:
    """The name in a `Host` header, without port and brackets."""
    if host.startswith("["):
        return host[1:].partition("]")[0]
    return host.rpartition(":")[0] or host
