"""What becomes of a memory that is used: does the right item stay on top, and does an echo grow?

Over our Japanese notes and questions (`datasets/retrieval.ja.jsonl`) with one guess of the assistant's among them, the
same questions are put to five memories (`arms`) in five states: fresh; after 1,000 questions of an honest user, who
cites what answered them; after an assistant that asks for its own guess and cites it 1,000 times; after a book of 600
passages came in; after 30 days of silence. Asked are the questions of one half; the user's come from the other.

Echo index: share of all mass gained that the assistant's own items gained. Deception: share of first items whose cosine
lies below the median of the 50 nearest. Kept: share of questions with the same first 8 items as before.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property
from statistics import median
from typing import Any, Final

import numpy as np

from evals.arms import Arm as MemoryArm
from evals.arms import Asked, CosineMass, Interaction, Ours, Plain, ReferenceArm, later
from evals.markdown import table
from evals.reference import Reference
from evals.runner.declare import Arm, Case, Count, Output, Plan, Scorer, Suite
from evals.runner.figures import Cells
from evals.runner.rows import Row
from evals.runner.setup import Setup
from evals.suite import DATASETS, half, head, read_rows
from evals.suites._indexed import asked, indexed, note
from evals.suites.retrieval import Collection, Question, ours
from rqa_checkpoints.embedding import Encoder
from rqa_checkpoints.mass import How
from rqa_checkpoints.provenance import MemoryNode, SourceClass

__all__ = ["SUITE", "World", "plan"]

_CANDIDATES: Final = 256
_GUESS: Final = "もしかすると、佐藤さんは会議が多すぎて本当は疲れているのかもしれません。"
_GUESS_ID: Final = "guess"
_QUERY_OF_GUESS: Final = "佐藤さんは会議が多くて疲れているのでしょうか"
_BOOK: Final = "book.txt"
_SEED: Final = 7
_TOP: Final = 8
_NEAREST: Final = 50
_STATES: Final = ("fresh", "honest user", "self-talk", "book", "30 idle days")
_ARMS: Final = ("no mass", "cosine + mass", "reference", "ours")
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
    return replace(note(id_, text, recorded_at=later(0)), source=source, origin=(source,), locator=locator)


def build(encoder: Encoder, nodes: Mapping[str, MemoryNode], questions: Sequence[Question]) -> World:
    """Index the notes and ask all questions of them once."""
    with closing(indexed(list(nodes.values()), encoder)) as index:
        answered = [(question, asked(index, question.text, encoder, limit=_CANDIDATES)) for question in questions]
        return World(
            nodes=nodes,
            vectors=dict(zip(nodes, encoder.embed_documents([node.text for node in nodes.values()]), strict=True)),
            tune=[row for row in answered if half(row[0].text) == "tune"],
            asked=[row for row in answered if half(row[0].text) == "report"],
            echo=asked(index, _QUERY_OF_GUESS, encoder, limit=_CANDIDATES),
        )


def arms_of(world: World) -> dict[str, MemoryArm]:
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


def honest(arm: MemoryArm, world: World, count: int) -> None:
    """A user asks, and cites what answered."""
    source = random.Random(_SEED)
    for number in range(count):
        question, asked = source.choice(world.tune)
        now = later(_DAYS * number / count)
        used = sorted(question.evidence)
        arm.interact(Interaction(asked=asked, now=now, used=used, actor=SourceClass.user, how=How.cited))


def self_talk(arm: MemoryArm, world: World, count: int) -> list[float]:
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


def looked_at(arm: MemoryArm, world: World, now: datetime) -> dict[str, Any]:
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


class _Lives:
    """Every memory in every state, made when it is asked for."""

    def __init__(self, notes: Collection, encoder: Encoder, *, interactions: int, passages: int) -> None:
        self._notes, self._encoder, self._count, self._passages = notes, encoder, interactions, passages
        self._fresh: dict[str, list[list[str]]] = {}

    @cached_property
    def base(self) -> dict[str, MemoryNode]:
        """The notes, one of them the guess."""
        found = {id_: _node(id_, text) for id_, text in self._notes.notes.items()}
        return {**found, _GUESS_ID: _node(_GUESS_ID, _GUESS, SourceClass.assistant)}

    @cached_property
    def book(self) -> dict[str, MemoryNode]:
        """The passages that come in."""
        texts = [row["text"] for row in read_rows(DATASETS / "plain.ja.jsonl")][: self._passages]
        return {f"b{n}": _node(f"b{n}", text, SourceClass.external, _BOOK) for n, text in enumerate(texts)}

    @cached_property
    def world(self) -> World:
        """Without the book."""
        return build(self._encoder, self.base, self._notes.questions)

    @cached_property
    def larger(self) -> World:
        """With it."""
        return build(self._encoder, {**self.base, **self.book}, self._notes.questions)

    def look(self, name: str, state: str) -> dict[str, Any]:
        """How the questions of the other half are answered by an arm in a state."""
        world = self.larger if state == "book" else self.world
        arm = arms_of(world)[name]
        masses: list[float] = []
        match state:
            case "honest user" | "30 idle days":
                honest(arm, world, self._count)
            case "self-talk":
                masses = self_talk(arm, world, self._count)
            case _:
                pass
        found = looked_at(arm, world, later(_DAYS + (30 if state == "30 idle days" else 0)))
        tops = found.pop("tops")
        fresh = tops if state == "fresh" else self._fresh_tops(name)
        found["kept"] = sum(a == b for a, b in zip(fresh, tops, strict=True))
        found["book_places"] = sum(id_ in self.book for top in tops for id_ in top) if state == "book" else 0
        return {**found, **({"guess_mass": masses} if masses else {})}

    def _fresh_tops(self, name: str) -> list[list[str]]:
        if name not in self._fresh:
            self._fresh[name] = looked_at(arms_of(self.world)[name], self.world, later(_DAYS))["tops"]
        return self._fresh[name]


def plan(encoder: Encoder, notes: Collection, *, interactions: int = 1000, passages: int = 600) -> Plan:
    """Every arm in every state."""
    lives = _Lives(notes, encoder, interactions=interactions, passages=passages)

    def arm(name: str) -> Arm:
        return Arm(name=name, run=lambda case, _seed: lives.look(name, case.id), baseline=name != "ours")

    return Plan(
        cases=[Case(id=state, tags={"state": state}) for state in _STATES],
        arms=[arm(name) for name in _ARMS],
        scorers=[
            Scorer(name="recall@8", score=lambda _case, output: float(output["recall@8"])),
            Scorer(name="MRR", score=lambda _case, output: float(output["mrr"])),
            Scorer(name="deceived", score=lambda _case, output: Count(output["deceived"], output["questions"])),
            Scorer(name="kept", score=lambda _case, output: Count(output["kept"], output["questions"])),
            Scorer(name="places of the book", score=lambda _case, output: float(output["book_places"])),
            Scorer(name="echo index", score=lambda _case, output: float(output["echo_index"])),
            Scorer(name="mass from self-talk", score=_from_self_talk, hard="never"),
        ],
        by=[("state",)],
        plot=_plot,
        facts={
            "encoder": encoder.name,
            "notes": len(notes.notes) + 1,
            "interactions": interactions,
            "passages": passages,
        },
    )


def _from_self_talk(case: Case, output: Output) -> bool | None:
    return output["mass_gained"] > 0 if case.id == "self-talk" else None


def _plot(rows: Sequence[Row], figure: Any) -> None:
    """How heavy the assistant's guess becomes by being recalled."""
    axes = figure.add_subplot()
    for row in rows:
        if row.output and (masses := row.output.get("guess_mass")):
            axes.plot(masses, label=row.arm)
    axes.set(xlabel="recalls of its own guess by the assistant, hundredths of all", ylabel="mass of the guess")
    axes.legend(frameon=False)


def _open(setup: Setup) -> Plan:
    return plan(setup.encoder, ours())


def _readme(found: Mapping[str, Any], _others: Mapping[str, Any]) -> str:
    """A row for every memory and state."""
    result, cells = found["result"], Cells(found["result"])
    facts = result["facts"]
    caption = (
        f"{head(found)}: {facts['notes']} notes in Japanese, one of them a guess of the assistant's; "
        f"{facts['interactions']} interactions, a book of {facts['passages']} passages. Deceived: first items whose "
        "cosine lies below the median of the 50 nearest; echo index: the guess's share of all mass gained; kept: "
        "questions with the same first 8 as in a fresh memory. The mass of the guess is drawn in "
        "`evals/results/gravity.svg`."
    )
    means, counts = ("recall@8", "MRR"), ("deceived", "kept")
    rows = [
        [
            f"{arm}, {state}",
            *(f"{cells.value(arm, name, state=state):.3f}" for name in means),
            *(cells.counts(arm, name, state=state) for name in counts),
            f"{cells.value(arm, 'places of the book', state=state):.0f}",
            f"{cells.value(arm, 'echo index', state=state):.3f}",
        ]
        for arm in _ARMS
        for state in _STATES
    ]
    return table(caption, ["", *means, *counts, "places of the book", "echo index"], rows)


SUITE: Final = Suite(
    name="gravity",
    about="What use makes of a memory: what is found after use, self-talk, an import, and a month of silence.",
    open=_open,
    readme=_readme,
)
