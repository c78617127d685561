"""What can wait for a person's decision, and what does each kind mean?

A kind is a name with a schema, a check, a rendering and what an approval brings about. The review graph and the command
line know no kind by name: whoever has something to be decided adds a row to a registry. An approval brings about
events of the log and nothing else, so it is all there or not at all.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from rqa_checkpoints.provenance import CACHE_USER, HOME_SCOPE, Adopted, Attestation, Effect, QueueItem, Scope
from rqa_nodes.errors import ProposalRefusedError
from rqa_nodes.shelf import Shelf
from rqa_nodes.structure.text import clean

__all__ = ["Kinds", "Reach", "Reader", "ReviewKind", "reach_of", "text_fields", "text_schema"]

Payload = Mapping[str, Any]
Reach = Literal["person", "tenant", "home"]
Reader = Callable[[str], Adopted | None]
"""Reads the version of an area that stands."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewKind:
    """One kind of item."""

    name: str
    reach: Reach
    """Whose the items are: a person's, those of all who share a library, or the whole home's (`HOME_SCOPE`)."""
    schema: Mapping[str, Any]
    """JSON schema of a payload."""
    check: Callable[[Payload], Mapping[str, Any]]
    """The payload as it may be kept; raises ProposalRefusedError. Called again on every edit and every approval."""
    render: Callable[[Payload, Reader, str], str]
    """What a person decides on, in their language: the payload, and what it would change."""
    apply: Callable[[Payload, Reader, Attestation], Sequence[Effect]]
    """What an approval brings about, given what stands in its transaction."""
    edited: Callable[[Payload, QueueItem, str, Shelf], Mapping[str, Any]] | None = None
    """What becomes of a payload that a person (named third) has edited; None keeps it as it was checked."""
    permit: Callable[[QueueItem, str, Shelf], None] | None = None
    """May this person approve it now? Raises ProposalRefusedError; None lets everybody."""
    follow: Callable[[QueueItem, Attestation, Shelf], None] | None = None
    """What is done after a decision of either sort, outside its transaction; it may run twice."""


Kinds = Mapping[str, ReviewKind]
"""A registry: kinds by name."""


def reach_of(scope: Scope) -> Reach:
    """Whose the items of a scope are."""
    if scope == HOME_SCOPE:
        return "home"
    return "tenant" if scope.user == CACHE_USER else "person"


def text_schema(limits: Mapping[str, int]) -> dict[str, Any]:
    """JSON schema of an object of texts, each with its limit in characters."""
    fields = {name: {"type": "string", "maxLength": limit} for name, limit in limits.items()}
    return {"type": "object", "properties": fields, "required": list(limits), "additionalProperties": False}


def text_fields(payload: Payload, limits: Mapping[str, int]) -> dict[str, str]:
    """The fields of an object of texts, cleaned, each on one line.

    Raises:
        ProposalRefusedError: a field is missing, unknown, no text, or too long. Its value is not repeated.
    """
    wrong = sorted(set(map(str, payload)) ^ set(limits))
    if wrong:
        raise ProposalRefusedError(
            f"the field {wrong[0]!r} is missing or unknown; expected are {sorted(limits)!r}", problem="fields"
        )
    fields = {}
    for name, limit in limits.items():
        value = payload[name]
        if not isinstance(value, str) or len(value) > limit:
            raise ProposalRefusedError(f"`{name}` must be a text of at most {limit} characters", problem="limits")
        fields[name] = " ".join(clean(value).split())
    return fields
