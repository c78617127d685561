"""What does this message say against what the person said before?

Read path 2 in a turn: the new statements of the message, each against earlier items of the person. An update is drawn
as `supersedes`, a tension as `contradicts`; what is not sure enough is left to `rqa graph contradictions`, where a
person looks at it.
"""

from __future__ import annotations

from collections.abc import Sequence

from rqa_checkpoints.provenance import MemoryNode
from rqa_nodes.contradiction import ASKED_FROM, Contradiction, Entailment, claims_of, judge

__all__ = ["crossings", "relations_of"]


def crossings(
    said: Sequence[MemoryNode], before: Sequence[MemoryNode], *, at: str, nli: Entailment | None = None
) -> tuple[Contradiction, ...]:
    """What a message, said at a time, says against earlier items of the person: the surest first, then the latest."""
    now = {node.id: at for node in said}  # what is said again is said now, whenever its item was made
    earlier = claims_of(node for node in before if node.id not in now and not node.hidden)
    found = (judge(old, new, nli=nli) for new in claims_of(said, now) for old in earlier)
    sure = (one for one in found if one is not None and one.confidence >= ASKED_FROM)
    latest_first = sorted(sure, key=lambda one: (one.earlier.at, one.earlier.id, one.later.id), reverse=True)
    return tuple(sorted(latest_first, key=lambda one: -one.confidence))


def relations_of(found: Sequence[Contradiction]) -> tuple[tuple[str, str, str], ...]:
    """The relations to draw, each from what was said later: (from, to, name)."""
    names = {"update": "supersedes", "tension": "contradicts"}
    return tuple((one.later.id, one.earlier.id, names[one.relation]) for one in found)
