"""Which request was it, and how did it go? One JSON line a request on the logger `rqa.access`, without content.

Outermost, so that what the gate turns away is counted too. A client's own `x-request-id` is kept where it is harmless.
"""

from __future__ import annotations

import json
import logging
import re
import time
from collections.abc import Callable
from typing import Final

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from rqa_graph.server.measures import Measures

__all__ = ["AccessLog"]

_LOG: Final = logging.getLogger("rqa.access")
_HARMLESS: Final = re.compile(r"[A-Za-z0-9_.-]{1,64}")
_NONE: Final = "(none)"


class AccessLog:
    """ASGI middleware: request ids, log lines, counters."""

    def __init__(self, app: ASGIApp, *, measures: Measures, ids: Callable[[], str]) -> None:
        self._app = app
        self._measures = measures
        self._ids = ids

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, and note how it went."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        given = Headers(scope=scope).get("x-request-id", "")
        ident = given if _HARMLESS.fullmatch(given) else self._ids()
        status, answered, start = 500, False, time.perf_counter()

        async def noted(message: Message) -> None:
            nonlocal status, answered
            if message["type"] == "http.response.start":
                status = message["status"]
                MutableHeaders(scope=message)["x-request-id"] = ident
            await send(message)
            answered = message["type"] == "http.response.body" and not message.get("more_body", False)

        try:
            await self._app(scope, receive, noted)
        except Exception:  # it was answered and logged inside; raised on, it would cut the connection off
            if not answered:
                raise
        finally:
            spent = time.perf_counter() - start
            route = getattr(scope.get("route"), "path", "") or _NONE
            self._measures.request(scope["method"], route, status, spent)
            identity = scope.get("state", {}).get("identity")
            line = {
                "request": ident,
                "method": scope["method"],
                "route": route,
                "status": status,
                "ms": round(spent * 1000, 1),
                "token": identity.token if identity else "",
            }
            _LOG.info(json.dumps(line))
