"""What does a person answer in a review? The shape alone, which a schema can show before any graph is loaded."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from rqa_nodes.json_types import WHOLE

__all__ = ["Answer"]


class Answer(BaseModel):
    """What a person answers: the response schema of the interrupt."""

    model_config = ConfigDict(
        extra="forbid",
        strict=True,
        json_schema_extra={"examples": [{"decision": "approve", "version": 1, "note": "a fair question"}]},
    )

    decision: Annotated[Literal["approve", "edit", "reject"], Field(description="An edit waits for a decision again.")]
    version: Annotated[int, Field(ge=1, description="The version that you saw."), WHOLE]
    payload: Annotated[dict[str, Any] | None, Field(description="For edit: the whole new payload.")] = None
    note: Annotated[str, Field(max_length=1000, description="Why, for the log.")] = ""
