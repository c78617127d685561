"""Which items does a question bring back? Recall of the evidence, without any language model.

Two sets of notes and questions whose evidence is known: ours in Japanese (`datasets/retrieval.ja.jsonl`), with the
kind of each question, and, below the folder of `--data`, the conversations of LoCoMo. All arms search the same index
with the same vectors: the dense side alone, the sparse side alone (BM25 over grams), both fused by their ranks, and
both fused as the product does; then that with the product's scorer, after a history that says nothing about the
questions: ages and uses drawn at random. Besides them the share of common character trigrams, and the scorer of the
reference system over a fresh memory. Recall@k of a question is the share of its evidence among the first k items.
LoCoMo's adversarial questions (category 5) are left out: they have no answer. How the sides are fused was chosen with
an eye on one half of the questions (by the digest of their words); the other half is reported beside it.
"""

from __future__ import annotations

import random
import re
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from functools import cached_property
from pathlib import Path
from typing import Any, Final

import numpy as np

from evals.arms import Asked
from evals.locomo import messages, read_talk
from evals.markdown import table
from evals.reference import Reference
from evals.runner.declare import Arm, Case, Output, Plan, Scorer, Suite
from evals.runner.figures import Cells, shown
from evals.runner.setup import Setup
from evals.suite import DATASETS, half, head, read_rows
from evals.suites._indexed import asked, indexed, note
from rqa_checkpoints.embedding import Encoder
from rqa_checkpoints.fusion import fuse
from rqa_checkpoints.gravity import Candidate, Snapshot, Wanted
from rqa_checkpoints.gravity import plan as plan_recall
from rqa_checkpoints.index import VectorIndex
from rqa_checkpoints.index.base import Found
from rqa_checkpoints.mass import UNUSED, Holding, How, Root, Use, gain_of
from rqa_checkpoints.provenance import MemoryNode, SourceClass
from rqa_checkpoints.selecting import relevance_to

__all__ = [
    "CANDIDATES",
    "DEPTHS",
    "NOW",
    "SUITE",
    "Collection",
    "Question",
    "Ranker",
    "Searched",
    "candidates",
    "collections",
    "locomo",
    "ours",
    "plan",
    "rankers",
    "trigrams",
]

DEPTHS: Final = (5, 10, 20)
CANDIDATES: Final = 256
_ANSWERABLE: Final = (1, 2, 3, 4)
_EVIDENCE: Final = re.compile(r"D\d+:\d+")
_SEED: Final = 7
_RRF_K: Final = 60
"""Cormack, Clarke and Buettcher 2009, Reciprocal Rank Fusion outperforms Condorcet: sum of 1 / (60 + rank)."""
NOW: Final = datetime(2026, 11, 29, tzinfo=UTC)
_OLDEST_DAYS: Final = 180.0
_MOST_USES: Final = 5

Ranking = Sequence[str]
Ranker = Callable[["Searched", str], Ranking]
_PRODUCT: Final = "hybrid + gravity"


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
    "hybrid": lambda found: [hit.id for hit in fuse(found, limit=CANDIDATES)],
}


def _lived(notes: Mapping[str, str], seed: int = _SEED) -> dict[str, MemoryNode]:
    """The notes after a history that says nothing about any question: ages and uses drawn at random.

    Each was written up to 180 days ago; a fifth of them were cited by the person, up to five times, in sessions and on
    days of their own.
    """
    source = random.Random(seed)
    return {id_: _used(note(id_, text, recorded_at=NOW), source) for id_, text in notes.items()}


def _used(node: MemoryNode, source: random.Random) -> MemoryNode:
    born = NOW - timedelta(days=source.uniform(0, _OLDEST_DAYS))
    uses = source.randint(1, _MOST_USES) if source.random() < 0.2 else 0
    mass, last = UNUSED, ""
    for at in sorted(source.uniform(0, 1) for _ in range(uses)):
        moment = born + (NOW - born) * at
        held = Holding(root=Root.user, account=node.id, mass=mass, account_mass=mass)
        use = Use(id=node.id, actor=SourceClass.user, how=How.cited)
        mass, last = mass + gain_of(use, held, session=last, day=last), moment.isoformat()
    return replace(node, recorded_at=born.isoformat(), mass=mass, last_used=last)


def candidates(query: str, found: Found, nodes: Mapping[str, MemoryNode]) -> list[Candidate]:
    """What both sides found for a question, as the product's scorer takes it."""
    hits = fuse(found, limit=CANDIDATES)
    return [
        Candidate(
            node=nodes[hit.id],
            relevance=relevance_to(query, hit, nodes[hit.id].text),
            cosine=hit.cosine,
            lexical=hit.lexical,
            near=hit.near,
        )
        for hit in hits
    ]


def _weighed(query: str, found: Found, nodes: Mapping[str, MemoryNode]) -> Ranking:
    """What the product's scorer makes of what both sides found."""
    known = candidates(query, found, nodes)
    return [one.id for one in plan_recall(Wanted(top_k=len(known)), Snapshot(now=NOW, candidates=known)).listed]


class Searched:
    """One collection in an index, asked when it is needed."""

    def __init__(self, collection: Collection, encoder: Encoder) -> None:
        self.collection, self._encoder = collection, encoder
        self.grams = {id_: trigrams(text) for id_, text in collection.notes.items()}
        self.nodes = _lived(collection.notes)
        self._found: dict[str, Asked] = {}

    @cached_property
    def index(self) -> VectorIndex:
        """Filled at the first use."""
        return indexed([note(*row, recorded_at=NOW) for row in self.collection.notes.items()], self._encoder)

    @cached_property
    def reference(self) -> Reference:
        """The reference system over a fresh memory."""
        return Reference(ids=list(self.collection.notes), vectors=self.vectors)

    @cached_property
    def vectors(self) -> np.ndarray:
        """(notes, dimension), of length 1, in the order of the notes."""
        return np.array(self._encoder.embed_documents(list(self.collection.notes.values())))

    def asked(self, text: str) -> Asked:
        """A question's vector and what both sides find, once a question."""
        if text not in self._found:
            self._found[text] = asked(self.index, text, self._encoder, limit=CANDIDATES)
        return self._found[text]

    def found(self, text: str) -> Found:
        """What both sides find."""
        return self.asked(text).found

    def recalled(self, text: str) -> Ranking:
        """What the reference system brings back."""
        words = [hit.id for hit in self.found(text).sparse]
        reached = self.reference.recall(self.asked(text).vector, words, now=60.0, top_k=CANDIDATES, passive=True)
        return [id_ for id_, _ in reached]

    def close(self) -> None:
        """Release the index."""
        if "index" in self.__dict__:
            self.index.close()


def rankers() -> dict[str, Ranker]:
    """The arms by name; each ranks the notes of a collection for a question."""
    sides: dict[str, Ranker] = {
        name: lambda searched, text, side=side: side(searched.found(text))  # type: ignore[misc]  # bound by default
        for name, side in _SIDES.items()
    }
    return {
        **sides,
        _PRODUCT: lambda searched, text: _weighed(text, searched.found(text), searched.nodes),
        "trigrams": lambda searched, text: _by_trigrams(text, searched.grams),
        "reference": lambda searched, text: searched.recalled(text),
    }


def plan(
    sets: Mapping[str, Sequence[Collection]],
    encoder: Encoder,
    stack: ExitStack,
    *,
    arms: Mapping[str, Ranker],
    product: str = _PRODUCT,
) -> Plan:
    """Every question by every arm, of which one is the product; what is read from is released with the stack."""
    cases = []
    for name, collections in sets.items():
        for number, collection in enumerate(collections):
            searched = Searched(collection, encoder)
            stack.callback(searched.close)
            cases += [
                Case(
                    id=f"{name}/{number}/{place}",
                    data=(searched, question),
                    tags={
                        "set": name,
                        "half": half(question.text),
                        **({"kind": question.kind} if question.kind else {}),
                    },
                    private=True,
                )
                for place, question in enumerate(collection.questions)
            ]
    notes = {name: sum(len(one.notes) for one in collections) for name, collections in sets.items()}
    return Plan(
        cases=cases,
        arms=[Arm(name=name, run=_runner(rank), baseline=name != product) for name, rank in arms.items()],
        scorers=[Scorer(name=f"recall@{depth}", score=_recall(depth)) for depth in DEPTHS],
        by=[("set",), ("set", "half"), ("set", "kind")],
        facts={"encoder": encoder.name, "notes": notes},
    )


def _runner(rank: Callable[[Searched, str], Ranking]) -> Callable[[Case, int], Output]:
    return lambda case, _seed: {"ranking": list(rank(case.data[0], case.data[1].text))[: max(DEPTHS)]}


def _recall(depth: int) -> Callable[[Case, Output], float]:
    def score(case: Case, output: Output) -> float:
        evidence = case.data[1].evidence
        return len(evidence & {*output["ranking"][:depth]}) / len(evidence)

    return score


def collections(setup: Setup) -> dict[str, list[Collection]]:
    """Our set, and LoCoMo's where its folder was given."""
    sets = {"ours": [ours()]}
    if setup.data:
        sets["locomo"] = locomo(setup.below("locomo")[0].parent)
    return sets


def _open(setup: Setup) -> Plan:
    return plan(collections(setup), setup.encoder, setup.stack, arms=rankers())


_CAPTIONS: Final = {
    "ours": "Our notes and questions in Japanese, written by somebody who had not seen the code",
    "locomo": "LoCoMo, each message of its conversations a note",
}
_OTHER_HALF: Final = "The half that the fusion was not chosen with"
_KIND_DEPTH: Final = 10
"""The depth at which kinds are shown: a turn is given 8 items."""


def _readme(found: Mapping[str, Any], _others: Mapping[str, Any]) -> str:
    """Mean recall of the evidence of every set by arm and depth, and of a set with kinds by kind and arm."""
    cells, facts = Cells(found["result"]), found["result"]["facts"]
    tags = [cell["tags"] for cell in found["result"]["cells"]]
    encoder = facts["encoder"]
    caption = f"{head(found)}: evidence recall with the encoder {encoder} and no language model; mean, 95 % interval"
    parts = [f"{caption} (bootstrap)."]
    for name in dict.fromkeys(row["set"] for row in tags if row):
        over = f"{{}} questions over {facts['notes'][name]} notes:"
        parts.append(_by_depth(cells, f"{_CAPTIONS[name]}: {over}", set=name))
        if any(row == {"set": name, "half": "report"} for row in tags):
            parts.append(_by_depth(cells, f"{_OTHER_HALF}: {over}", set=name, half="report"))
        if kinds := sorted({row["kind"] for row in tags if row.get("set") == name and "kind" in row}):
            parts.append(_by_kind(cells, name, kinds))
    return "\n\n".join(parts)


def _by_depth(cells: Cells, caption: str, **tags: str) -> str:
    names = [f"recall@{depth}" for depth in DEPTHS]
    arms = [arm for arm in rankers() if cells.figure(arm, names[0], **tags)]
    questions = cells.figure(arms[0], names[0], **tags)["n"]
    rows = [[arm, *(shown(cells.figure(arm, name, **tags)) for name in names)] for arm in arms]
    return table(caption.format(questions), ["", *names], rows)


def _by_kind(cells: Cells, set_: str, kinds: Sequence[str]) -> str:
    name = f"recall@{_KIND_DEPTH}"
    arms = [arm for arm in rankers() if cells.figure(arm, name, set=set_, kind=kinds[0])]
    rows = []
    for kind in kinds:
        found = [cells.figure(arm, name, set=set_, kind=kind) for arm in arms]
        rows.append([kind.replace("_", " "), found[0]["n"], *map(shown, found)])
    return table(f"The same by kind of question, {name}:", ["", "questions", *arms], rows)


SUITE: Final = Suite(
    name="retrieval",
    about="Which notes a question brings back: recall of the evidence, ours and LoCoMo's (--data).",
    open=_open,
    readme=_readme,
)
