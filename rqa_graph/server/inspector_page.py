"""`/inspect`: the page that shows what the other routes hold.

The files are our own and lie in the package; nothing is built, and nothing is loaded from elsewhere. They hold no
person's data, so they are served to everybody who may reach the server; what is shown comes from the routes behind
the gate. The policy that goes with them lets a browser run these scripts and no others, so that no remembered text
can, whatever is in it.
"""

from __future__ import annotations

import hashlib
import html
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Annotated, Any, Final, Literal

from fastapi import APIRouter, Header, Query, Request
from fastapi.responses import JSONResponse, Response
from starlette.exceptions import HTTPException

from rqa_graph.messages import keys, say
from rqa_graph.resources import load_yaml
from rqa_graph.server.faults import language_of
from rqa_nodes.echo.types import VerdictKind, reason_words

__all__ = ["INSPECTOR", "inspector_router", "page_words"]

INSPECTOR: Final = "/inspect"
"""Path of the page; its files lie below."""

_FOLDER: Final = Path(__file__).parent / "inspector"
_TEXTS: Final = Path(__file__).parents[1] / "texts" / "inspector.yaml"
_TYPES: Final = {
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}
_PAGE: Final = "index.html"
_PLACEHOLDER: Final = re.compile(r"\{\{([a-z_.]+)\}\}")
_SHARED: Final = ("source.", "action.", "lineage.", "reason.", "factor.", "queue.kind.", "queue.status.")
_SHARED_TERMS: Final = ("relevance", "age", "use", "certainty", "persona", "shown", "none_held")
"""Words of the command line that the page says too: by their group, and those of a recall."""

_HEADERS: Final = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; "
        "trusted-types 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-cache",
    "Vary": "Accept-Language",
}
"""Scripts and styles of this server alone, no inline ones, no evaluation of strings, no frame around the page."""

Language = Literal["en", "ja"]


@dataclass(frozen=True, slots=True)
class _File:
    content: bytes
    kind: str

    def answer(self, known: str) -> Response:
        """The file, or word that the browser has it already."""
        mark = f'"{hashlib.sha256(self.content).hexdigest()[:32]}"'
        headers = {**_HEADERS, "ETag": mark}
        if known == mark:
            return Response(status_code=304, headers=headers)
        return Response(self.content, media_type=self.kind, headers=headers)


def inspector_router() -> APIRouter:
    """The page and its files."""
    router = APIRouter(prefix=INSPECTOR, tags=["Inspector"])

    @router.get(
        "",
        summary="The page",
        response_class=Response,
        responses={200: {"content": {"text/html": {"schema": {"type": "string"}}}}},
    )
    def page(request: Request, lang: Language | None = None, if_none_match: Annotated[str, Header()] = "") -> Response:
        return _page(lang or language_of(request.headers)).answer(if_none_match)

    @router.get("/words", summary="What the page says, by key")
    def words(lang: Annotated[Language, Query()] = "en") -> JSONResponse:
        return JSONResponse(page_words(lang), headers=_HEADERS)

    @router.get("/{name}", summary="A script, a style sheet or a picture of the page", response_class=Response)
    def file(name: str, if_none_match: Annotated[str, Header()] = "") -> Response:
        found = _files().get(name)
        if found is None:
            raise HTTPException(404, f"the inspector has no file {name!r}")
        return found.answer(if_none_match)

    return router


@cache
def page_words(lang: str) -> Mapping[str, str]:
    """Everything that the page says in a language, by key."""
    own: Mapping[str, Any] = load_yaml(_TEXTS)
    shared = [*(key for key in keys() if key.startswith(_SHARED)), *(f"recall.{name}" for name in _SHARED_TERMS)]
    said = {key: say(key, lang) for key in shared}
    verdicts = {f"verdict.{kind.value}": reason_words(kind, lang) for kind in VerdictKind}
    return {**said, **verdicts, **{key: row[lang] for key, row in own.items()}}


@cache
def _files() -> Mapping[str, _File]:
    found = (path for path in _FOLDER.iterdir() if path.suffix in _TYPES)
    return {path.name: _File(path.read_bytes(), _TYPES[path.suffix]) for path in found}


@cache
def _page(lang: str) -> _File:
    """The page in a language, before any script has run."""
    words = {**page_words(lang), "lang": lang}
    text = (_FOLDER / _PAGE).read_text("utf-8")
    filled = _PLACEHOLDER.sub(lambda found: html.escape(words[found[1]]), text)
    return _File(filled.encode(), "text/html; charset=utf-8")
