"""`/v1/deliberate` and `/v1/feedback`: a verified answer, and a person who says that one is wrong.

A flag speaks for whoever the token stands for, and takes the answer out at once.
"""

from __future__ import annotations

import asyncio
from typing import Annotated, Any

from fastapi import APIRouter, Request, Response
from pydantic import ConfigDict, Field

from rqa_graph.opened import OpenHome
from rqa_graph.server.bodies import Body, Day, Words
from rqa_graph.server.gate import identity_of
from rqa_nodes.json_types import WHOLE

__all__ = ["deliberate_router"]

_ACCEPTED = 202


Thousandths = Annotated[int, Field(ge=0, le=1000), WHOLE]


class Tighten(Body):
    """Thresholds in thousandths; one below that of the domain changes nothing."""

    exact_gi: Thousandths | None = None
    baseline_gi: Thousandths | None = None
    similarity: Thousandths | None = None


class QuestionBody(Body):
    """A question, and under which conditions it is asked."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"question": "Which port does the server listen on?", "domain": "docs"}]},
    )

    question: Words
    domain: Annotated[str, Field(max_length=100)] = "facts"
    locale: Annotated[str, Field(max_length=16)] = ""
    jurisdiction: Annotated[str, Field(max_length=16)] = ""
    cacheable: bool | None = None
    as_of: Annotated[Day | None, Field(alias="asOf", description="The answer must hold on that day.")] = None
    bypass_cache: Annotated[bool, Field(alias="bypassCache")] = False
    no_store: Annotated[bool, Field(alias="noStore")] = False
    tighten: Annotated[Tighten, Field(description="What is asked beyond the domain's policy.")] = Tighten()


class FeedbackBody(Body):
    """What is wrong with which answer."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"entry": "e7k3m9x", "note": "the port has changed"}]})

    entry: Annotated[str, Field(min_length=1, max_length=64, description="`entry` of the answer.")]
    note: Annotated[str, Field(max_length=1000)] = ""


def deliberate_router(home: OpenHome) -> APIRouter:
    """The routes over an open home."""
    router = APIRouter(prefix="/v1", tags=["Answer library"])

    @router.post("/deliberate", summary="The verified answer to a question, or why there is none")
    async def deliberate(body: QuestionBody, request: Request, response: Response) -> dict[str, Any]:
        owner = identity_of(request).owner
        services = await asyncio.to_thread(lambda: home.services)  # they may have to be loaded
        from rqa_graph.integrity import Question, aanswer_with_integrity

        fields = {**body.model_dump(exclude={"question", "tighten"}), "as_of": body.as_of or ""}
        tighten = body.tighten.model_dump(exclude_none=True)
        found = await aanswer_with_integrity(
            Question(text=body.question, tighten=tighten, **fields),
            tenant=owner.tenant,
            user=owner.user,
            services=services,
        )
        if found["reason"] == "busy":
            response.status_code = _ACCEPTED
        return found

    @router.post("/feedback", summary="Say that an answer is wrong: it is not served from now on")
    def feedback(body: FeedbackBody, request: Request) -> dict[str, str]:
        owner = identity_of(request).owner
        item = home.services.flag(body.entry, tenant=owner.tenant, by=owner.user, note=body.note)
        return {"entry": body.entry, "reviewId": item}

    return router
