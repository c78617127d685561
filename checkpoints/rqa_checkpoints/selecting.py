"""Which of the hits may be shown, how near is each, and what held the others back?

The index proposes, the log disposes: a hit that is hidden in the log is not there, and is not named either. What
imitates the marks of our prompts is never scored. A hit that neither side vouches for is scored and held back, so that
an explanation can say how near it was.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Final

from rqa_checkpoints import sparse
from rqa_checkpoints.breakdown import Factor, HeldBack, ScoreBreakdown
from rqa_checkpoints.chunking import query_window
from rqa_checkpoints.fusion import Hit
from rqa_checkpoints.gravity import Candidate, Plan, Scored, held_by, reason_of
from rqa_checkpoints.provenance import MemoryNode, RecalledItem, fold, has_block_markers, is_question
from rqa_checkpoints.sentences import only_asks

__all__ = [
    "About",
    "Found",
    "brief_item",
    "candidates",
    "excerpt",
    "is_related",
    "outside",
    "promising",
    "quarantined",
    "recalled",
    "related_floor",
    "relevance_to",
    "unlisted",
    "wants_answer",
]

_PROMISING: Final = 0.5
"""Share of the best score by words from which a hit is read before those that neither side speaks for."""

_SPREAD: Final = 0.03
"""How far below the nearest item's cosine another one may lie, for a query of many sentences. Measured on our design
note with multilingual-e5-small: sentences about it at 0.85, unrelated ones at 0.80 to 0.82, both above the floor."""

_LONG_QUERY_CHARACTERS: Final = 400
"""From here on a query is a document, and no question."""

_LEAST_COVERAGE: Final = 0.34
"""Share of the grams of the shorter side that the other must have, where the vectors do not vouch."""

_TEXT_CHARACTERS: Final = 2000
"""So much of a long item is compared by words; a sentence is shorter."""

_ASKED_SHARE: Final = 0.25
"""Of its relevance an earlier question keeps so much where an answer is wanted: below that of whatever states anything
and is related at all, above nothing. Of LoCoMo's 1,105 messages that are evidence, 2 only ask."""
_ABOUT_ASKING: Final = re.compile(r"\b(?:ask(?:ed|ing)?|questions?)\b|質問|問い|尋ね|訊|聞いた|聞きまし|提问|问题|问过")

_EXPLAINED: Final = 3
"""Strongest matches outside the list that an explanation names."""
_EXCERPT: Final = 80
_REASONS: Final = {Factor.floor: "below_floor", Factor.quarantined: "quarantined", Factor.filter: "filter"}


@dataclass(frozen=True, slots=True)
class Found:
    """What a search gave, before the log was asked."""

    hits: Sequence[Hit]
    lexical: bool
    floor: float


@dataclass(frozen=True, slots=True, kw_only=True)
class About:
    """What the log says about the hits, beside the items themselves."""

    opposed: Mapping[str, frozenset[str]] = field(default_factory=dict)
    proximity: Mapping[str, float] = field(default_factory=dict)
    forced: bool = False
    """Every hit has a tag that the caller named."""
    shown: Mapping[str, int] = field(default_factory=dict)
    """By handle."""


@lru_cache(maxsize=64)
def wants_answer(query: str) -> bool:
    """Is the query a question, and none about what was asked before?"""
    return is_question(query) and not _ABOUT_ASKING.search(fold(query))


def relevance_to(query: str, hit: Hit, text: str) -> float:
    """How near a hit is to what the query wants: who asks a question is not answered by one asked before."""
    return hit.score * (_ASKED_SHARE if wants_answer(query) and only_asks(text) else 1.0)


def promising(found: Found) -> list[Hit]:
    """The hits in their order, those that neither side speaks for put last."""
    best = max((hit.lexical for hit in found.hits), default=0.0)

    def speaks(hit: Hit) -> bool:
        near = hit.cosine is not None and hit.cosine >= found.floor
        return near or (hit.lexical > 0 and hit.lexical >= _PROMISING * best)

    return sorted(found.hits, key=lambda hit: not speaks(hit))


def is_related(grams: sparse.SparseVector, text: str, hit: Hit, floor: float) -> bool:
    """Is a hit near enough to be shown: by its vector, or by enough words shared with the query's `grams`?"""
    if hit.cosine is not None and hit.cosine >= floor:
        return True
    if not hit.lexical:
        return False
    own = sparse.encode_query(text[:_TEXT_CHARACTERS])
    return max(_share(grams, own), _share(own, grams)) >= _LEAST_COVERAGE


def _share(wanted: sparse.SparseVector, found: sparse.SparseVector) -> float:
    """Share of the weight of one side's grams that the other has."""
    there, total = set(found.indices), sum(wanted.values)
    present = sum(weight for gram, weight in zip(wanted.indices, wanted.values, strict=True) if gram in there)
    return present / total if total else 0.0


def related_floor(query: str, hits: Sequence[Hit], floor: float) -> float:
    """The embedder's floor; for a long query, what is not much farther than the nearest: it is near to everything."""
    if len(query) < _LONG_QUERY_CHARACTERS:
        return floor
    nearest = max((hit.cosine for hit in hits if hit.cosine is not None), default=0.0)
    return max(floor, nearest - _SPREAD)


def candidates(query: str, found: Found, nodes: Mapping[str, MemoryNode], about: About) -> list[Candidate]:
    """The hits that may be scored, in their order."""
    grams, floor = sparse.encode_query(query_window(query)), related_floor(query, found.hits, found.floor)
    visible = [(hit, node) for hit in found.hits if (node := nodes.get(hit.id)) is not None and not node.hidden]
    return [
        Candidate(
            node=node,
            relevance=relevance_to(query, hit, node.text),
            cosine=hit.cosine,
            lexical=hit.lexical,
            related=is_related(grams, node.text, hit, floor),
            near=hit.near,
            opposed_by=about.opposed.get(node.id, frozenset()),
            proximity=about.proximity.get(node.id, 0.0),
            forced=about.forced,
            shown=about.shown.get(node.handle, 0),
        )
        for hit, node in visible
        if not has_block_markers(node.text)
    ]


def quarantined(found: Found, nodes: Mapping[str, MemoryNode]) -> list[HeldBack]:
    """What imitates the marks of our own prompts."""
    marked = (node for hit in found.hits if (node := nodes.get(hit.id)) is not None and not node.hidden)
    return [_held(node, Factor.quarantined) for node in marked if has_block_markers(node.text)]


def recalled(one: Scored, *, floor: float, breakdown: bool) -> RecalledItem:
    """A listed candidate as it is handed out."""
    cosine, lexical = one.candidate.cosine, one.candidate.lexical
    words = "" if cosine is None else f"cosine {cosine:.3f}"
    parts = [part for part in (words, f"words {lexical:.2f}" if lexical else "") if part]
    return RecalledItem(
        node=one.candidate.node,
        score=one.score,
        cosine=cosine,
        lexical=lexical,
        why=", ".join(parts) or "near",
        breakdown=one.breakdown if breakdown else None,
        reason=reason_of(one.breakdown, floor=floor),
    )


def unlisted(planned: Plan, *, explain: bool, floor: float = 0.0) -> list[HeldBack]:
    """What was scored and not listed, best first; explained: the nearest by meaning alone, with score and factor.

    `floor` is the cosine from which an item is near.
    """
    if not explain:
        return [_held(one.candidate.node, None if one.candidate.related else Factor.floor) for one in planned.held]
    nearest = sorted(planned.held, key=lambda one: (-(one.candidate.cosine or 0.0), -one.score, one.id))
    return [_measured(one, planned.listed, floor) for one in nearest[:_EXPLAINED]]


def _measured(one: Scored, listed: Sequence[Scored], floor: float) -> HeldBack:
    """Why a match is not listed, with what it had and what it would have needed."""
    factor = held_by(one, listed)
    held = _explained(one.candidate.node, factor, one.breakdown)
    if factor is Factor.floor:
        return replace(held, had=one.candidate.cosine, needed=floor)
    if factor is Factor.share or not listed:
        return held
    return replace(held, had=one.score, needed=listed[-1].score)


def outside(items: Sequence[RecalledItem], *, known: Collection[str]) -> list[HeldBack]:
    """Matches that nothing but the caller's own restrictions kept out."""
    return [_explained(one.node, Factor.filter, one.breakdown) for one in items if one.node.id not in known][
        :_EXPLAINED
    ]


def excerpt(text: str) -> str:
    """The beginning of a text on one line, as a list shows it: at most 80 characters."""
    return " ".join(text.splitlines())[:_EXCERPT]


def brief_item(item: RecalledItem) -> RecalledItem:
    """The item with its text cut to one line; nothing else of it changes."""
    return replace(item, node=replace(item.node, text=excerpt(item.node.text)))


def _held(node: MemoryNode, factor: Factor | None) -> HeldBack:
    reason = _REASONS.get(factor, "budget") if factor else "budget"
    return HeldBack(id=node.id, handle=node.handle, reason=reason, factor=factor)


def _explained(node: MemoryNode, factor: Factor, breakdown: ScoreBreakdown | None) -> HeldBack:
    return replace(_held(node, factor), breakdown=breakdown, text=excerpt(node.text))
