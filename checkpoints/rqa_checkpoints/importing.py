"""How does a document become items that can be cited?

Cut word for word into passages that one vector can see, each an external item with its place (`notes.md:12`, the line
on which it begins) and the hash of the file. The same file again changes nothing; one that has changed replaces what
it said before: the old passages are hidden and superseded, and come back if the file says them again. Nothing of it is
ever the user's.
"""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from rqa_checkpoints import queries
from rqa_checkpoints.committing import put_edges, revive, store_nodes
from rqa_checkpoints.passages import Passage, cut_passages
from rqa_checkpoints.planning import plan_sentences
from rqa_checkpoints.provenance import Kind, MemoryNode, SourceClass, clean, has_block_markers
from rqa_checkpoints.queries import NodeFilter
from rqa_checkpoints.writing import Edit

__all__ = ["DocumentText", "import_documents", "imported"]


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentText:
    """A document that was read."""

    locator: str
    """Path or URL."""
    text: str

    @property
    def tag(self) -> str:
        """The content hash, as the items carry it."""
        return f"sha256:{hashlib.sha256(clean(self.text).encode()).hexdigest()}"


def imported(edit: Edit) -> dict[str, list[MemoryNode]]:
    """What was imported before, hidden passages too, by document."""
    where = NodeFilter(sources=frozenset({SourceClass.external}), kinds=frozenset({Kind.document}), hidden=None)
    found: dict[str, list[MemoryNode]] = defaultdict(list)
    for node in queries.all_nodes(edit.writer.connection, edit.scope, where):
        if node.locator.startswith(f"{node.author}:"):
            found[node.author].append(node)
    return found


def import_documents(edit: Edit, documents: Iterable[DocumentText]) -> Counter[str]:
    """Write the documents as items, all or none.

    Returns:
        How many passages are new ("external"), were there ("known"), carry our own block markers ("refused"), or were
        said by an earlier state of a document and are not any more ("replaced").
    """
    before = imported(edit)
    counts: Counter[str] = Counter()
    for document in documents:
        counts.update(_import(edit, document, before.get(document.locator, [])))
    return counts


def _import(edit: Edit, document: DocumentText, before: Sequence[MemoryNode]) -> Counter[str]:
    counts: Counter[str] = Counter()
    kept: list[MemoryNode] = []
    known = {node.id: node for node in before}
    for passage in cut_passages(clean(document.text)):
        if has_block_markers(passage.text):
            counts["refused"] += 1
            continue
        if not any(map(str.isalnum, passage.text)):
            continue
        node = _item(edit, document, passage, known)
        counts["known" if node.id in known else "external"] += 1
        kept.append(node)
    counts["replaced"] = _replace(edit, kept, [node for node in before if not node.hidden])
    return counts


def _item(edit: Edit, document: DocumentText, passage: Passage, known: Mapping[str, MemoryNode]) -> MemoryNode:
    message = replace(
        edit.message(Kind.document),
        role="import",
        author=document.locator,
        source=SourceClass.external,
        locator=f"{document.locator}:{passage.line}",
        tags=(document.tag,),
    )
    [planned] = plan_sentences(edit.writer.connection, [passage.text], message)
    there = known.get(planned.id)
    if there is None:
        [planned] = store_nodes(edit.writer, [planned], thread="")
    elif there.hidden:
        revive(edit.writer, there)
    return planned


def _replace(edit: Edit, now: Sequence[MemoryNode], before: Sequence[MemoryNode]) -> int:
    """Hide what the document does not say any more, behind the passage that stands where it stood."""
    ids = {node.id for node in now}
    gone = [node for node in before if node.id not in ids]
    for node in gone:
        edit.writer.append("hide", edit.scope, {"id": node.id})
    if now:
        places = {_line(node): node.id for node in now}
        edges = [(places.get(_line(node), now[-1].id), node.id, "supersedes") for node in gone]
        put_edges(edit.writer, edit.scope, edges)
    return len(gone)


def _line(node: MemoryNode) -> int:
    return int(node.locator.rpartition(":")[2])
