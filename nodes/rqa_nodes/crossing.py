"""What does this message say against what the person said before?

Read path 2 in a turn: the new statements of the message, each against earlier items of the person and against what
stands before it in the same message. An update is drawn as `supersedes`, a tension as `contradicts`; what is not sure
enough is left to `rqa graph contradictions`, where a person looks at it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import combinations, pairwise
from typing import Final

from rqa_checkpoints.provenance import Kind, MemoryNode, SourceClass
from rqa_nodes.contradiction import ASKED_FROM, Claim, Contradiction, Entailment, claims_of, judge
from rqa_nodes.structure.changing import corrects, follows_on

__all__ = ["crossings", "relations_of"]

_FOLLOWED: Final = 0.7
"""How sure it is that what is said right after an end takes the place of what ended."""


def crossings(
    said: Sequence[MemoryNode], before: Sequence[MemoryNode], *, at: str, nli: Entailment | None = None
) -> tuple[Contradiction, ...]:
    """What a message, said at a time, says against earlier items of the person: the surest first, then the latest."""
    now = {node.id: at for node in said}  # what is said again is said now, whenever its item was made
    earlier = claims_of(node for node in before if node.id not in now and not node.hidden)
    told = claims_of(said, now)
    sure = {
        (one.later.id, one.earlier.id): _settled(one, earlier)
        for one in _found(told, earlier, nli)
        if one is not None and one.confidence >= ASKED_FROM
    }
    for one in _followed(told, claims_of(_said_last(before, said)) if told else ()):
        known = sure.get((one.later.id, one.earlier.id))
        if known is None or known.relation == "tension":
            sure[one.later.id, one.earlier.id] = one
    places = {claim.id: -place for place, claim in enumerate(told)}  # what stands last in the message is drawn last
    latest_first = sorted(
        sure.values(), key=lambda one: (one.earlier.at, one.earlier.id, places[one.later.id]), reverse=True
    )
    return tuple(sorted(latest_first, key=lambda one: -one.confidence))


def _found(told: Sequence[Claim], earlier: Sequence[Claim], nli: Entailment | None) -> Iterator[Contradiction | None]:
    yield from (judge(old, new, nli=nli) for new in told for old in earlier)
    for old, new in combinations(told, 2):
        within = judge(old, new)
        yield within if within is not None and within.relation == "update" else None


def _settled(found: Contradiction, earlier: Sequence[Claim]) -> Contradiction:
    """A tension with what the person has given up since is none: the later one has taken its place."""
    old = found.earlier
    if found.relation == "update" or not any(_is_replaced(old, one) for one in earlier if one.at >= old.at):
        return found
    return replace(found, relation="update")


def _is_replaced(old: Claim, by: Claim) -> bool:
    one = judge(old, by) if by is not old else None
    return one is not None and one.later is by and one.relation == "update" and one.confidence >= ASKED_FROM


def _said_last(before: Sequence[MemoryNode], said: Sequence[MemoryNode]) -> list[MemoryNode]:
    """The person's statements of the message before, in the same thread."""
    names = {node.id for node in said}
    own = [
        node
        for node in before
        if node.id not in names
        and not node.hidden
        and node.source is SourceClass.user
        and node.kind is not Kind.question
        and node.thread == said[0].thread
    ]
    latest = max((node.recorded_at for node in own), default="")
    return [node for node in own if node.recorded_at == latest]


def _followed(told: Sequence[Claim], last: Sequence[Claim]) -> Iterator[Contradiction]:
    """What is said right before, in the message before or in the sentence before, with what is said in its place."""
    sentences = [claim.text for claim in told]
    taken_back = [(old, new) for old in last if corrects(old.text, sentences) for new in told]
    pairs = [*((old, new) for old in last for new in told[:1]), *pairwise(told)]
    taken_back += [(old, new) for old, new in pairwise(told) if corrects(old.text, [new.text])]
    for old, new in (*taken_back, *(pair for pair in pairs if follows_on(pair[0].text, pair[1].text))):
        yield Contradiction(earlier=old, later=new, relation="update", confidence=_FOLLOWED, reason="change")


def relations_of(found: Sequence[Contradiction]) -> tuple[tuple[str, str, str], ...]:
    """The relations to draw, each from what was said later: (from, to, name)."""
    names = {"update": "supersedes", "tension": "contradicts"}
    return tuple((one.later.id, one.earlier.id, names[one.relation]) for one in found)
