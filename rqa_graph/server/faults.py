"""How does an error look over HTTP?

In OpenAI's shape everywhere - `{"error": {"message", "type", "param", "code"}}` - because the clients of one endpoint
know how to show it and the others read JSON. The words are those of the command line, in the language that the request
asks for.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Annotated, Any, Final

from fastapi import Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from pydantic import BaseModel, ConfigDict, Field
from starlette.exceptions import HTTPException
from starlette.routing import compile_path
from starlette.status import HTTP_404_NOT_FOUND as NOT_FOUND
from starlette.status import HTTP_405_METHOD_NOT_ALLOWED as METHOD_NOT_ALLOWED

from rqa_graph.error_description import describe_error, sentences
from rqa_graph.errors import ExitCode, exit_code
from rqa_graph.messages import say

__all__ = [
    "RESPONSES",
    "error_body",
    "error_response",
    "language_of",
    "on_error",
    "on_http_error",
    "on_invalid",
    "status_of",
]

_STATUS: Final[Mapping[str, int]] = {
    "unauthorized": 401,
    "foreign_host": 403,
    "foreign_turn": 403,
    "unknown_node": 404,
    "unknown_proposal": 404,
    "unknown_kind": 404,
    "unknown_entry": 404,
    "model_not_found": 404,
    "already_decided": 409,
    "stale_version": 409,
    "too_large": 413,
    "refused_text": 422,
    "rule_broken": 422,
    "proposal_refused": 422,
    "too_many_requests": 429,
    "queue_full": 429,
    "home_locked": 503,
    "home_not_writable": 503,
    "store_unavailable": 503,
    "embedder_unavailable": 503,
    "model_unavailable": 503,
}
"""Status by the code of an error; what is not here goes by its exit code."""

_BY_EXIT: Final[Mapping[ExitCode, int]] = {ExitCode.usage: 400, ExitCode.model_unavailable: 503, ExitCode.home: 503}

_UNFORESEEN: Final = 500

_LOG: Final = logging.getLogger("rqa.server")


class ErrorDetail(BaseModel):
    """What went wrong."""

    message: Annotated[str, Field(description="In the language of `Accept-Language`, English or Japanese.")]
    type: str
    param: Annotated[str | None, Field(description="The field that cannot be used, where there is one.")]
    code: Annotated[str, Field(description="Stable; `rqa errors` says what each means and what to do.")]


class ErrorReply(BaseModel):
    """An error, in OpenAI's shape."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "error": {
                        "message": "There is no token 'phone'. `rqa token list` shows those that are there.",
                        "type": "invalid_request_error",
                        "param": None,
                        "code": "usage",
                    }
                }
            ]
        }
    )

    error: ErrorDetail


RESPONSES: Final[dict[int | str, dict[str, Any]]] = {
    status: {"model": ErrorReply, "description": words}
    for status, words in (
        (400, "The request cannot be used as it is."),
        (401, "No token that the server knows."),
        (403, "Not this person's to ask for, or not from here."),
        (404, "There is none of that name for this person."),
        (405, "The path does not take this method."),
        (409, "It has changed, or was decided, meanwhile."),
        (413, "Larger than is read at once."),
        (422, "Well-formed, and refused by a rule."),
        (429, "Too many requests a minute; `Retry-After` says how long to wait."),
        (500, "A fault of the server; its words stay in its log."),
        (503, "A model, a store or the home is not available."),
    )
}
"""What any route may answer instead of its result."""

_TYPES: Final = ((401, "authentication_error"), (403, "permission_error"), (429, "rate_limit_error"))


def status_of(error: BaseException) -> int:
    """The HTTP status of an error; 500 for what nobody foresaw."""
    code = str(getattr(error, "code", ""))
    return _STATUS.get(code) or _BY_EXIT.get(exit_code(error), _UNFORESEEN)


def error_body(status: int, message: str, *, code: str, param: str | None = None) -> dict[str, Any]:
    """The body of an error."""
    kind = dict(_TYPES).get(status) or ("invalid_request_error" if status < 500 else "api_error")
    return {"error": {"message": message, "type": kind, "param": param, "code": code}}


def error_response(error: BaseException, lang: str) -> JSONResponse:
    """An error as a response."""
    status = status_of(error)
    if status == _UNFORESEEN:  # its words may hold anything
        _LOG.error("an error that nobody foresaw", exc_info=error)
        return JSONResponse(error_body(status, say("server.internal", lang), code="internal"), status)
    words = describe_error(error, lang)
    message = sentences(words, lang)
    headers = {"WWW-Authenticate": "Bearer"} if status == 401 else {}
    if (wait := getattr(error, "retry_after", None)) is not None:
        headers["Retry-After"] = str(wait)
    return JSONResponse(error_body(status, message, code=words["code"]), status, headers)


def language_of(headers: Mapping[str, str]) -> str:
    """The first of our languages that `Accept-Language` names among the headers of a request, in its order."""
    named = (part.split(";")[0].strip().lower()[:2] for part in headers.get("accept-language", "").split(","))
    return next((lang for lang in named if lang in ("en", "ja")), "en")


async def on_error(request: Request, error: Exception) -> JSONResponse:
    """Answer with any error of ours; FastAPI calls it."""
    return error_response(error, language_of(request.headers))


async def on_invalid(request: Request, error: Exception) -> JSONResponse:
    """Answer to a request that does not have the documented shape: which field, and what is wrong with it."""
    assert isinstance(error, RequestValidationError)
    first = error.errors()[0]
    field = ".".join(str(part) for part in first["loc"] if part != "body")
    words = say("server.invalid", language_of(request.headers), field=field or "body", reason=first["msg"])
    return JSONResponse(error_body(400, words, code="invalid_request", param=field or None), 400)


async def on_http_error(request: Request, error: Exception) -> JSONResponse:
    """Answer to an unknown path or method."""
    assert isinstance(error, HTTPException)
    words = str(error.detail)
    if error.status_code == NOT_FOUND:
        words = say("server.no_path", language_of(request.headers), path=request.scope["path"])
    body = error_body(error.status_code, words, code="http")
    headers = dict(error.headers or {})
    if error.status_code == METHOD_NOT_ALLOWED and (methods := _methods(request)):
        headers["Allow"] = ", ".join(sorted(methods))
    return JSONResponse(body, error.status_code, headers)


def _methods(request: Request) -> set[str]:
    """What a path takes, by the schema: a route knows its own method alone, and here each method is one.

    None for a path that is not in the schema, such as that of the schema itself.
    """
    paths: Mapping[str, Mapping[str, Any]] = request.app.openapi()["paths"]
    asked = request.scope["path"]
    # A path without parameters is meant before one with them, as OpenAPI has it.
    fitting = [asked] if asked in paths else [path for path in paths if compile_path(path)[0].match(asked)]
    return {method.upper() for path in fitting for method in paths[path]}
