"""How does a reply read with its memory claims marked and the removed words back in their places?

For a person's eyes only: the removed words come from the turn's audit record and never go to a model. Whatever is put
between them, the words that were shown are all there, in order: what is marked as removed can be left out again.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final, Literal

from rqa_nodes.echo.segment import Segmenter

__all__ = ["Piece", "weave"]

_OPENING: Final = ("[m:", "［m:", "[m：", "［m：", "m:", "[", "(")
_CLOSING: Final = ("]", "］", ")")


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """A stretch of a reply."""

    kind: Literal["text", "claim", "reference", "removed", "put"]
    """`claim` is a sentence with a reference that holds, `reference` the reference itself, `put` what the verifier
    wrote in place of removed words."""
    text: str
    verdict: str = ""
    """Kind of the finding."""
    action: str = ""
    """For `removed`: what was done with the words."""
    node: str = ""
    """For `reference`: the id of the item."""

    def to_dict(self) -> dict[str, str]:
        """The piece as JSON; empty fields are left out."""
        names = ("kind", "text", "verdict", "action", "node")
        return {name: value for name in names if (value := getattr(self, name))}


@dataclass(frozen=True, slots=True)
class _Mark:
    start: int
    end: int
    piece: Piece


def weave(reply: str, report: Mapping[str, Any], removed: Sequence[Mapping[str, Any]]) -> list[Piece]:
    """The pieces of a reply.

    Args:
        reply: The words that were shown.
        report: What was found in them (`VerificationReport.to_dict`).
        removed: The audit record's rows; those of a structure (with `part`), and those without a place, are left out.
    """
    references = list(_references(reply, report))
    put = _put(reply, report, removed)
    pieces: list[Piece] = []
    for start, end, verdict in _claims(reply, references):
        pieces += _cut(reply, start, end, verdict, marks=[*references, *put])
    last = [mark.piece for mark in put if mark.start == len(reply) and mark.piece.kind == "removed"]
    return [*pieces, *last]


def _references(reply: str, report: Mapping[str, Any]) -> Iterator[_Mark]:
    """Where the references that hold stand in the reply: the report has their places in the draft."""
    at = 0
    for row in report.get("verdicts", ()):
        ref = row["ref"]
        if row["kind"] != "valid" or not ref:
            continue
        found = reply.find(ref, at)
        if found < 0:
            continue
        at = found + len(ref)
        start = found - next((len(mark) for mark in _OPENING if reply.endswith(mark, 0, found)), 0)
        end = at + next((len(mark) for mark in _CLOSING if reply.startswith(mark, at)), 0)
        yield _Mark(start, end, Piece(kind="reference", text=reply[start:end], verdict="valid", node=row["node"]))


def _put(reply: str, report: Mapping[str, Any], removed: Sequence[Mapping[str, Any]]) -> list[_Mark]:
    """The removed words before what stands in their place, in the order in which they stood in the draft."""
    marks: list[_Mark] = []
    placed = [row for row in removed if row.get("at") and "part" not in row]
    for row in sorted(placed, key=lambda row: (row["at"], row["span"])):
        start, end = (min(place, len(reply)) for place in row["at"])
        words = Piece(kind="removed", text=row["text"], verdict=row["kind"], action=_action(row, report))
        if end > start and not any(mark.start == start and mark.piece.kind == "put" for mark in marks):
            marks.append(_Mark(start, end, Piece(kind="put", text=reply[start:end], verdict=row["kind"])))
        marks.append(_Mark(start, start, words))
    return marks


def _action(removed: Mapping[str, Any], report: Mapping[str, Any]) -> str:
    """What was done with the words: the finding is on the claim, which may be less than what went with it."""
    first, last = removed["span"]
    found = (row for row in report.get("verdicts", ()) if row["kind"] == removed["kind"] and row["action"] != "kept")
    return next((row["action"] for row in found if first <= row["span"][0] <= last), "removed")


def _claims(reply: str, references: Sequence[_Mark]) -> Iterator[tuple[int, int, str]]:
    """The sentences of the reply, with the verdict on those that carry a reference."""
    segmenter = Segmenter()
    for unit in (*segmenter.feed(reply), *segmenter.finish()):
        end = unit.start + len(unit.text)
        carries = any(unit.start <= mark.start < end for mark in references)
        yield unit.start, end, "valid" if carries else ""


def _cut(reply: str, start: int, end: int, verdict: str, *, marks: Sequence[_Mark]) -> Iterator[Piece]:
    """A sentence in pieces: each stretch under the first mark that covers it, and removed words where they stood."""
    inside = [mark for mark in marks if mark.start < end and mark.end > start]
    gone = [mark for mark in marks if mark.piece.kind == "removed" and start <= mark.start < end]
    edges = sorted({start, end, *(max(start, m.start) for m in inside), *(min(end, m.end) for m in inside)})
    edges = sorted({*edges, *(mark.start for mark in gone)})
    for first, last in pairwise(edges):
        yield from (mark.piece for mark in gone if mark.start == first)
        over = next((mark.piece for mark in inside if mark.start <= first and mark.end >= last), None)
        words = reply[first:last]
        if over is None:
            yield Piece(kind="claim" if verdict else "text", text=words, verdict=verdict)
        else:
            yield Piece(kind=over.kind, text=words, verdict=over.verdict, node=over.node)
