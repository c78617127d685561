"""What does one transaction write, and when is it the same one again?

Everything is checked before the first row. A part is known by (turn_id, part) of its owner and by its words: the same
words again change nothing, other words are a conflict and change nothing either. An item that says what a stored one
says is that one, seen once more (P6); no add ever deletes, hides or rewrites.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from rqa_checkpoints import queries, spoken
from rqa_checkpoints.answered import answer_anew
from rqa_checkpoints.chain import canonical
from rqa_checkpoints.errors import RefusedTextError, UnknownNodeError
from rqa_checkpoints.log import Writer
from rqa_checkpoints.provenance import (
    CommitResult,
    Kind,
    MemoryNode,
    Scope,
    SourceClass,
    Status,
    TrainingDelta,
    TurnPart,
    clean,
    confirmed_by,
    denied_by,
    has_block_markers,
    merge_origin,
    statement_key,
)
from rqa_checkpoints.relations import MERGED_INTO, RELATIONS
from rqa_checkpoints.review_queue import put_proposal
from rqa_checkpoints.uses import put_uses, uses_of

__all__ = ["check_text", "crossing", "put_edges", "revive", "store_nodes", "write_part"]


def check_text(text: str) -> None:
    """Raise RefusedTextError for a text that must not become memory."""
    if not any(ch.isalnum() for ch in text):
        raise RefusedTextError(f"nothing to remember in {text[:40]!r}", hint="Give at least one word.")
    if has_block_markers(text):
        raise RefusedTextError(
            f"the text carries markers of our own prompts: {text[:80]!r}", hint="Take the bracketed markers out."
        )


def write_part(writer: Writer, part: TurnPart, *, training: bool = True) -> CommitResult:
    """Write a part of a turn inside the transaction; with `training`, credit what it used.

    Raises RefusedTextError, UnknownNodeError.
    """
    part = _cleaned(part)
    digest = _digest(part)
    stored = spoken.part(writer.connection, part.scope, part.turn_id, part.part)
    if stored is not None:
        if stored.digest != digest:
            return CommitResult(state="conflict")
        return CommitResult(state="repeated", written=stored.written, report=stored.report)
    _check(writer, part)
    nodes = store_nodes(writer, part.nodes, thread=part.thread)
    cited = tuple(queries.nodes_by_id(writer.connection, part.cited, part.scope)) if part.cited else ()
    _relate(writer, part, nodes, cited)
    written = tuple(node.id for node in nodes)
    _record(writer, part, digest, written=written, cited=cited)
    for proposal in part.proposals:
        put_proposal(writer, proposal, scope=part.scope, at=part.recorded_at)
    delta = _credit(writer, part, nodes, cited) if training else None
    return CommitResult(state="written", written=written, report=part.report, training_delta=delta)


def _credit(writer: Writer, part: TurnPart, nodes: Sequence[MemoryNode], cited: Sequence[str]) -> TrainingDelta:
    """The turn's own time, not the clock's: what was planned when the turn recalled is what is applied."""
    now = datetime.fromisoformat(part.recorded_at)
    uses = uses_of(writer.connection, part, nodes, cited)
    return put_uses(writer, uses, scope=part.scope, session=part.thread, now=now)


def _cleaned(part: TurnPart) -> TurnPart:
    nodes = tuple(replace(node, text=clean(node.text)) for node in part.nodes)
    return replace(part, nodes=nodes, user_text=clean(part.user_text), reply_text=clean(part.reply_text))


def _digest(part: TurnPart) -> str:
    """What "the same texts" means: the messages, or, where there are none, the items."""
    words: list[Any] = [part.user_text, part.reply_text]
    if not any(words):
        words = [[node.source.value, node.kind.value, node.text] for node in part.nodes]
    return hashlib.sha256(canonical(words).encode("ascii")).hexdigest()


def _check(writer: Writer, part: TurnPart) -> None:
    planned = {node.id for node in part.nodes}
    parents = {parent for node in part.nodes for parent in node.derived_from} - planned
    missing = parents - queries.nodes_by_id(writer.connection, list(parents), part.scope).keys()
    if missing:
        raise UnknownNodeError(f"no such item: {min(missing)!r}", hint="Derive only from items of the same person.")
    for node in part.nodes:
        if node.scope != part.scope:
            raise UnknownNodeError(f"item {node.id!r} is of another person", hint="Commit each person's items apart.")
        if node.source is SourceClass.system:
            raise RefusedTextError("system text is no part of a turn", hint="Leave it out of the part.")
        check_text(node.text)


def store_nodes(
    writer: Writer, nodes: Sequence[MemoryNode], *, thread: str, extra: Mapping[str, Any] | None = None
) -> list[MemoryNode]:
    """Bear the items that are new and sight those that are there; return them as they are stored."""
    if not nodes:
        return []
    view, scope, words = writer.connection, nodes[0].scope, extra or {}
    keys = {node.id: statement_key(node, words.get("value_mark", "")) for node in nodes}
    parents = [parent for node in nodes for parent in node.derived_from]
    stored = queries.nodes_by_id(view, [*keys, *parents], scope)
    same = queries.by_statement(view, list(keys.values()), scope)
    handles = queries.free_handles(view, [item for item in keys if item not in stored], scope)
    seen = queries.seen_in(view, [*keys, *(node.id for node in same.values())], thread) if thread else set()
    result: dict[str, MemoryNode] = {}
    for node in nodes:
        known = stored.get(node.id) or same.get(keys[node.id])
        if known is None:
            fresh = _born(node, handles[node.id], stored)
            writer.add_node(fresh, extra)
        else:
            fresh = _sight(writer, known, thread, seen=known.id in seen)
        stored[fresh.id] = same[keys[node.id]] = result[fresh.id] = fresh
        seen.add(fresh.id)
    return list(result.values())


def _born(node: MemoryNode, handle: str, stored: Mapping[str, MemoryNode]) -> MemoryNode:
    """The item as it enters the log, whatever state the caller's copy claims."""
    origins = [stored[parent].origin for parent in node.derived_from if parent in stored]
    origin = merge_origin(node.source, origins)
    return replace(node, handle=handle, origin=origin, status=Status.open, seen=1, hidden=False)


def _sight(writer: Writer, node: MemoryNode, thread: str, *, seen: bool) -> MemoryNode:
    """Count a statement made again: once a thread, and each time where no thread is named.

    The assistant's own items never gain by being said again (P4). What a person forgot and says again is back.
    """
    if node.source is SourceClass.assistant:
        return node
    if not thread or not seen:
        writer.append("seen", node.scope, {"id": node.id, "thread": thread})
        node = replace(node, seen=node.seen + 1)
    if node.hidden and node.source is SourceClass.user:
        revive(writer, node)
        node = replace(node, hidden=False)
    return node


def revive(writer: Writer, node: MemoryNode) -> None:
    """Bring a hidden item back; one that was merged away stands for itself again."""
    writer.append("restore", node.scope, {"id": node.id})
    for edge in queries.edges_from(writer.connection, [node.id], node.scope):
        if edge.kind == MERGED_INTO:
            writer.append("unrelate", node.scope, {"src": edge.src, "dst": edge.dst, "kind": edge.kind})


def _relate(writer: Writer, part: TurnPart, nodes: Sequence[MemoryNode], cited: Sequence[str]) -> None:
    """Draw what the turn itself shows: answers to its questions, confirmations, denials, and what the reply cites."""
    said = [node for node in nodes if node.source is SourceClass.assistant]
    asked = [node for node in nodes if node.source is SourceClass.user and node.kind is Kind.question]
    answers = [node for node in said if node.kind is Kind.answer][:1]
    edges = [(answer.id, question.id, "answers") for answer in answers for question in asked]
    given = [(node.id, guess, "supports") for node in nodes for guess in confirmed_by(node)]
    echoed = queries.nodes_by_id(writer.connection, [node.echo_of for node in nodes if node.echo_of], part.scope)
    given += [
        (node.id, node.echo_of, "contradicts")
        for node in nodes
        if node.echo_of in echoed and denied_by(node, echoed[node.echo_of])
    ]
    edges += [(said[0].id, item, "mentions") for item in cited if said]
    answer_anew(writer, part.scope, given)
    put_edges(writer, part.scope, [*edges, *given, *crossing(writer, part.scope, part.relations)])


def crossing(writer: Writer, scope: Scope, relations: Sequence[tuple[str, str, str]]) -> list[tuple[str, str, str]]:
    """The relations whose both ends are there; what is the newer one now is not superseded any more."""
    view = writer.connection
    ends = queries.nodes_by_id(view, [end for src, dst, _ in relations for end in (src, dst)], scope)
    drawn = [row for row in relations if row[2] in RELATIONS and {row[0], row[1]} <= ends.keys()]
    turned = {(dst, src) for src, dst, kind in drawn if kind == "supersedes"}
    for edge in queries.edges_from(view, [src for src, _ in turned], scope) if turned else ():
        if edge.kind == "supersedes" and (edge.src, edge.dst) in turned:
            writer.append("unrelate", scope, {"src": edge.src, "dst": edge.dst, "kind": edge.kind})
    return drawn


def put_edges(writer: Writer, scope: Scope, edges: Sequence[tuple[str, str, str]]) -> int:
    """Draw relations (from, to, name), each once, none from an item to itself; return how many are new."""
    if not edges:
        return 0
    known = queries.edges_from(writer.connection, list({src for src, _, _ in edges}), scope)
    drawn = {(edge.src, edge.dst, edge.kind) for edge in known}
    fresh = [edge for edge in dict.fromkeys(edges) if edge not in drawn and edge[0] != edge[1]]
    for src, dst, kind in fresh:
        writer.append("edge", scope, {"src": src, "dst": dst, "kind": kind})
    return len(fresh)


def _record(writer: Writer, part: TurnPart, digest: str, *, written: Sequence[str], cited: Sequence[str]) -> None:
    public = {
        "turn_id": part.turn_id,
        "part": part.part,
        "thread": part.thread,
        "forked_from": part.forked_from,
        "recorded_at": part.recorded_at,
        "outcome": part.outcome,
        "written": list(written),
        "cited": list(cited),
    }
    private = {
        "user_text": part.user_text,
        "reply_text": part.reply_text,
        "report": dict(part.report),
        **({"given": dict(part.given)} if part.given else {}),
        "removed": [dict(words) for words in part.removed],
        "digest": digest,
    }
    writer.append("part", part.scope, public, private)
