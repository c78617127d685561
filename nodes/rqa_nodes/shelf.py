"""What do the kinds of the review queue need that are about kept answers?"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from rqa_checkpoints.provenance import Attestation, QueueItem

__all__ = ["Shelf"]


class Shelf(Protocol):
    """The library, as a person's decision changes it. Every write may be repeated."""

    def reweighed(self, payload: Mapping[str, Any]) -> dict[str, Any]:
        """The payload with its sources fetched again and its score computed anew, for an answer that a person wrote.

        Raises ProposalRefusedError for a source that is not on the list.
        """

    def obstacle(self, payload: Mapping[str, Any], *, by: str) -> str:
        """Why this answer cannot be kept now, in words; "" if it can. Writes nothing."""

    def keep(self, item: QueueItem, attestation: Attestation) -> str:
        """Attest the answer of an approved item and make it an entry; return its id."""

    def settle(self, item: QueueItem, attestation: Attestation) -> None:
        """End the entry of an approved flag, or serve it again after a rejected one."""
