"""`/v1/verify`: the verifier for the replies of any other assistant."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, Literal

from fastapi import APIRouter
from pydantic import BaseModel, ConfigDict, Field

from rqa_graph.errors import UsageFaultError
from rqa_graph.reply_rows import FieldError, verify_row
from rqa_graph.server.bodies import Body
from rqa_nodes.echo.types import Mode

__all__ = ["verify_router"]


class _Row(BaseModel):
    """A part of a trace, whose other fields are nobody's concern here."""

    model_config = ConfigDict(strict=True)


class GivenItem(_Row):
    """What a model was given: an item of a memory, with the class of who said it."""

    handle: str
    source: Literal["user", "assistant", "external", "system"]
    text: str
    id: str = ""
    author: str = ""
    date: str = ""
    locator: str = ""


class SaidLine(_Row):
    """A line of the transcript."""

    role: Annotated[str, Field(description="user, assistant, system or tool; with a name, `assistant:Orla`.")]
    text: str


class KnownItem(_Row):
    """Another item of the person, which was not given."""

    handle: str
    id: str = ""


class NamedText(_Row):
    """A document."""

    text: str


class ReplyToVerify(Body):
    """A reply of any assistant, with what its model was given."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "reply": "You told me you keep bees [m:k3v9xq]. As we established, you hate winter [m:zzzzz9].",
                    "memory": [{"handle": "k3v9xq", "source": "user", "text": "I keep bees near Lund."}],
                }
            ]
        },
    )

    reply: str
    memory: Sequence[GivenItem] = ()
    transcript: Sequence[SaidLine] = ()
    known: Sequence[KnownItem | str] = ()
    documents: Sequence[NamedText | str] = ()
    user_text: str | None = None
    written: bool | list[str] = False
    lang: str | None = None
    mode: Mode = "strict"


def verify_router() -> APIRouter:
    """The route, which needs no home."""
    router = APIRouter(prefix="/v1", tags=["Verifier"])

    @router.post("/verify", summary="Check a reply of any assistant against what it was given")
    def verify(body: ReplyToVerify) -> dict[str, Any]:
        try:
            return verify_row(body.model_dump(exclude={"mode"}), mode=body.mode).to_dict()
        except FieldError as error:
            raise UsageFaultError("server.bad_row", reason=str(error)) from error

    return router
