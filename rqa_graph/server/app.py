"""Which routes does the server have, and what stands before them?

Outermost the access log, then the gate, then the routes. The home is open when the application is built, so that a
home that another process holds is said before anything listens.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException

from rqa_checkpoints.errors import CheckpointError
from rqa_graph.clock import utc_now
from rqa_graph.errors import AppError
from rqa_graph.opened import OpenHome
from rqa_graph.server.access_log import AccessLog
from rqa_graph.server.completions import completions_router
from rqa_graph.server.deliberate_routes import deliberate_router
from rqa_graph.server.faults import RESPONSES, on_error, on_http_error, on_invalid
from rqa_graph.server.gate import Gate, identity_of
from rqa_graph.server.graph_routes import graph_router
from rqa_graph.server.inspector_page import inspector_router
from rqa_graph.server.mcp_mount import McpMount
from rqa_graph.server.measures import Measures
from rqa_graph.server.memory_routes import memory_router
from rqa_graph.server.review_routes import review_router
from rqa_graph.server.status_routes import status_router
from rqa_graph.server.tokens import TOKENS_FILE, TokenFile
from rqa_graph.server.turn_routes import turn_router
from rqa_graph.server.verify_routes import verify_router
from rqa_nodes.errors import RuleError

__all__ = ["create_app"]

_DESCRIPTION: Final = (
    "An assistant whose own past guesses can never come back as facts. Every word of a reply has been verified against "
    "what the model was really given."
)


def create_app(home: OpenHome, *, origins: str = "") -> FastAPI:
    """The application over an open home; the caller closes the home when the application has stopped.

    Args:
        home: What is served.
        origins: A pattern of the pages elsewhere that may ask without a token; "" for none.
    """
    measures = Measures()
    tools = McpMount(home)

    @asynccontextmanager
    async def lifespan(_app: FastAPI) -> AsyncIterator[None]:
        async with tools.running():
            yield

    # The pages that draw the schema load their scripts from elsewhere; the schema itself is served.
    app = FastAPI(
        title="RQA Graph",
        description=_DESCRIPTION,
        lifespan=lifespan,
        docs_url=None,
        redoc_url=None,
        responses=RESPONSES,
    )
    app.include_router(completions_router(home, measures))
    app.include_router(graph_router(home))
    app.include_router(memory_router(home))
    app.include_router(review_router(home))
    app.include_router(turn_router(home))
    app.include_router(deliberate_router(home))
    app.include_router(verify_router())
    app.include_router(status_router(home))
    app.include_router(inspector_router())
    _add_plain_routes(app, measures)
    app.mount("/mcp", tools)
    for kind in (AppError, CheckpointError, RuleError, Exception):
        app.add_exception_handler(kind, on_error)
    app.add_exception_handler(RequestValidationError, on_invalid)
    app.add_exception_handler(HTTPException, on_http_error)
    allowed = home.settings.server
    app.add_middleware(
        Gate,
        tokens=TokenFile(home.settings.home / TOKENS_FILE, clock=utc_now),
        owner=home.scope,
        requests_per_minute=allowed.requests_per_minute,
        largest_body=allowed.largest_body,
        origins=origins,
    )
    app.add_middleware(AccessLog, measures=measures, ids=home.ids)
    return app


def _add_plain_routes(app: FastAPI, measures: Measures) -> None:
    @app.get("/healthz", tags=["Server"], summary="Is it there?")
    async def health() -> dict[str, str]:
        return {"status": "ok", "server": "rqa"}

    @app.get(
        "/metrics",
        tags=["Server"],
        summary="Counters for Prometheus; no words in them",
        response_class=Response,
        responses={200: {"content": {"text/plain": {"schema": {"type": "string"}}}}},
    )
    def metrics() -> Response:
        return Response(measures.text(), media_type="text/plain; version=0.0.4; charset=utf-8")

    @app.get("/whoami", tags=["Server"], summary="For whom does this token speak?")
    async def whoami(request: Request) -> dict[str, str]:
        identity = identity_of(request)
        return {"tenant": identity.owner.tenant, "user": identity.owner.user, "token": identity.token}
