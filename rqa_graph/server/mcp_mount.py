"""`/mcp`: the tools of `mcp_tools` over streamable HTTP.

The library is loaded with the first request, because it takes longer than all else that a server needs to listen.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from contextvars import Context
from typing import TYPE_CHECKING

from starlette.types import ASGIApp, Receive, Scope, Send

from rqa_graph.opened import OpenHome

if TYPE_CHECKING:
    from mcp.server import MCPServer

__all__ = ["McpMount"]


class McpMount:
    """The ASGI application, which answers while `running` is."""

    def __init__(self, home: OpenHome) -> None:
        self._home = home
        self._app: asyncio.Future[ASGIApp] | None = None
        self._stopping = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Answer until the block ends."""
        try:
            yield
        finally:
            self._stopping.set()
            if self._task is not None:
                await self._task

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if self._app is None:
            self._app = asyncio.get_running_loop().create_future()
            # In a context of its own: what is known of this one request is not known of the next.
            self._task = asyncio.create_task(self._run(self._app), context=Context())
        app = await asyncio.shield(self._app)
        await app(scope, receive, send)

    async def _run(self, made: asyncio.Future[ASGIApp]) -> None:
        """In one task from beginning to end, as the library's own group of tasks wants it."""
        try:
            server, app = await asyncio.to_thread(_make, self._home)
        except Exception as error:  # noqa: BLE001  # whoever waits for it is told
            made.set_exception(error)
            return
        async with server.session_manager.run():
            made.set_result(app)
            await self._stopping.wait()


def _make(home: OpenHome) -> tuple[MCPServer, ASGIApp]:
    from mcp.server.transport_security import TransportSecuritySettings

    from rqa_graph.server.mcp_tools import mcp_server

    server = mcp_server(home)
    # The gate has looked at the host already, and knows who may use another name than localhost.
    app = server.streamable_http_app(
        streamable_http_path="/",
        json_response=True,
        transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),
    )
    return server, app
