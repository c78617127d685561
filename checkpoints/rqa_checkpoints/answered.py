"""What has the person answered to a guess, and does that answer still stand?

Only a yes or a no of the person's own counts, in the form in which it was stored: an item of class `user` that answers
the guess (P5). A relation that somebody drew makes none. The last answer stands; one that was taken back, forgotten,
erased or contradicted since does not, and the guess is then what it was before: unverified.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from sqlalchemy import Connection

from rqa_checkpoints import queries
from rqa_checkpoints.answers import affirms, is_plain, repeats
from rqa_checkpoints.log import Writer
from rqa_checkpoints.provenance import (
    Answered,
    Kind,
    MemoryNode,
    Scope,
    SourceClass,
    Stance,
    confirmed_by,
    denied_by,
)
from rqa_checkpoints.queries import Edge

__all__ = ["answer_anew", "answered"]

_DRAWN = {"supports": Stance.confirmed, "contradicts": Stance.denied}
_AGAINST = frozenset({"contradicts", "supersedes"})


def answered(view: Connection, ids: Collection[str], scope: Scope) -> dict[str, Answered]:
    """The answer that stands to each of these items of the assistant or a document; unanswered ones are left out."""
    edges = [edge for edge in queries.edges_at(view, list(ids), scope) if edge.dst in ids] if ids else []
    if not edges:
        return {}
    nodes = queries.nodes_by_id(view, [end for edge in edges for end in (edge.src, edge.dst)], scope)
    found: dict[str, Answered] = {}
    for edge in edges:  # the oldest first: the last one stands
        node, guess = nodes.get(edge.src), nodes.get(edge.dst)
        if node is None or guess is None or node.hidden or node.source is not SourceClass.user:
            continue
        stance = _stance(edge, node, guess)
        if stance is not None:
            found[guess.id] = Answered(by=node, stance=stance)
        elif edge.kind in _AGAINST and guess.id in found and found[guess.id].stance is Stance.confirmed:
            del found[guess.id]
    return found


def _stance(edge: Edge, node: MemoryNode, guess: MemoryNode) -> Stance | None:
    """What an item of the user's says to a guess by this relation; None if it is no answer."""
    stance = _DRAWN.get(edge.kind)
    if stance is Stance.confirmed:
        return stance if guess.id in confirmed_by(node) and _says_yes(node, guess) else None
    return stance if stance is Stance.denied and denied_by(node, guess) else None


def _says_yes(node: MemoryNode, guess: MemoryNode) -> bool:
    """Are the words themselves a yes, or the guess again in plain words? An imported item may claim any lineage."""
    if node.kind is Kind.question or not is_plain(node.text):
        return False
    return affirms(node.text) or repeats(node.text, guess.text)


def answer_anew(writer: Writer, scope: Scope, answers: Sequence[tuple[str, str, str]]) -> None:
    """Let these answers (item, guess, relation), which are about to be drawn, be the last.

    The same one given before is taken back, and so drawn again behind whatever was said since.
    """
    known = queries.edges_from(writer.connection, [item for item, _, _ in answers], scope) if answers else ()
    for edge in known:
        if (edge.src, edge.dst, edge.kind) in answers:
            writer.append("unrelate", scope, {"src": edge.src, "dst": edge.dst, "kind": edge.kind})
