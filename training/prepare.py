"""What goes into a corpus, what is kept out, and why?

Examples come from the committed seed, from files of JSON lines and from the scored turns of a home. Only what the
linter passes and a person approved is trained on; the holdout is chosen by the hash of the input, so that it stays the
same from one corpus to the next; everything else is written beside it with its reason.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from evals.suite import write_rows
from training.corpus import (
    APPROVED,
    Example,
    content_hash,
    file_hash,
    gold_hashes,
    held_out,
    input_hash,
    read_examples,
    rows_of,
)
from training.errors import CorpusError
from training.lint import Report, faults_of, lint_corpus, statistics
from training.pairs import Pair, blind_pairs, fabrications, limited, lint_pairs, selector_pairs
from training.records import GOOD, PENDING, ScoredRound

__all__ = ["SEED", "Corpus", "assemble", "write_corpus"]

SEED: Final = Path(__file__).parent / "seed.jsonl"

REPORT: Final = "report.json"
_SCHEMA: Final = "rqa.corpus/1"


@dataclass(frozen=True, slots=True, kw_only=True)
class Corpus:
    """What is trained on, what it is measured with, and what waits or was left out."""

    train: tuple[Example, ...]
    holdout: tuple[Example, ...]
    pairs: tuple[Pair, ...]
    pending: tuple[Example, ...] = ()
    """Would pass, and nobody has approved it."""
    pending_pairs: tuple[Pair, ...] = ()
    left_out: Mapping[str, int] = field(default_factory=dict)
    """What cannot be used, by reason."""

    @property
    def lint(self) -> tuple[Report, Report]:
        """What the linter says about the examples and about the pairs."""
        return (
            lint_corpus(self.train, holdout={input_hash(example.user_text) for example in self.holdout}),
            lint_pairs(self.pairs),
        )

    def report(self) -> dict[str, Any]:
        """Counts and faults, as plain JSON."""
        examples, pairs = self.lint
        return {
            "schema": _SCHEMA,
            "train": dict(examples.statistics),
            "holdout": statistics(self.holdout),
            "pairs": dict(pairs.statistics),
            "pending": len(self.pending),
            "pending_pairs": len(self.pending_pairs),
            "left_out": dict(sorted(self.left_out.items())),
            "faults": [*examples.faults, *pairs.faults],
        }


def assemble(
    examples: Sequence[Example],
    *,
    rounds: Sequence[ScoredRound] = (),
    votes: Sequence[Mapping[str, Any]] = (),
) -> Corpus:
    """Sort what there is into a corpus.

    Args:
        examples: From the seed and from files.
        rounds: Scored rounds of real turns.
        votes: Filled-in rows of blind sheets.

    Raises:
        CorpusError: A vote cannot be read.
    """
    left_out: Counter[str] = Counter()
    given = [*examples, *(one.example for one in rounds if one.best >= GOOD)]
    passed = list(_passing(given, left_out))
    approved = [example for example in passed if example.review == APPROVED]
    train = [example for example in approved if not held_out(example.user_text)]
    pairs = limited(_pairs(train, rounds, votes, left_out))
    return Corpus(
        train=tuple(train),
        holdout=tuple(example for example in approved if held_out(example.user_text)),
        pairs=tuple(pair for pair in pairs if pair.review == APPROVED),
        pending=tuple(example for example in passed if example.review == PENDING),
        pending_pairs=tuple(pair for pair in pairs if pair.review == PENDING),
        left_out=left_out,
    )


def _passing(examples: Iterable[Example], left_out: Counter[str]) -> Iterable[Example]:
    """Each example once that has no fault but, at most, that it waits for a review."""
    gold, seen = gold_hashes(), set()
    for example in examples:
        digest, name = content_hash(example), input_hash(example.user_text)
        faults = _faults(example)
        reason = (
            "twice" * (digest in seen)
            or "measured_with" * (name in gold)
            or next((fault.partition(":")[0] for fault in faults), "")
        )
        seen.add(digest)
        if reason:
            left_out[reason] += 1
        else:
            yield example


def _faults(example: Example) -> list[str]:
    return [fault for fault in faults_of(example) if fault != f"provenance: review is {PENDING!r}"]


def _pairs(
    train: Sequence[Example],
    rounds: Sequence[ScoredRound],
    votes: Sequence[Mapping[str, Any]],
    left_out: Counter[str],
) -> list[Pair]:
    try:
        voted = list(blind_pairs(votes))
    except (ValueError, KeyError) as error:
        raise CorpusError(f"a row of the blind sheet cannot be read: {error}") from error
    scored = [pair for one in rounds for pair in selector_pairs(one.example, one.scores)]
    found, gold = [], gold_hashes()
    for pair in (*fabrications(train), *voted, *scored):
        name = input_hash(pair.user_text)
        faults = _faults(pair.side(pair.chosen))
        if held_out(pair.user_text) or name in gold or faults:
            left_out["pair"] += 1
        else:
            found.append(pair)
    return found


def read_votes(paths: Iterable[Path]) -> list[dict[str, Any]]:
    """The rows of filled-in blind sheets. Raises CorpusError."""
    return [row for path in paths for row in rows_of(path)]


def read_sources(paths: Iterable[Path]) -> list[Example]:
    """The examples of several files. Raises CorpusError."""
    return [example for path in paths for example in read_examples(path)]


def write_corpus(corpus: Corpus, folder: Path) -> dict[str, Any]:
    """Write the files and `report.json` into a folder; return the report, with the hash of each file.

    Raises:
        CorpusError: The folder cannot be written.
    """
    files: dict[str, Sequence[Example | Pair]] = {
        "train.jsonl": corpus.train,
        "holdout.jsonl": corpus.holdout,
        "pairs.jsonl": corpus.pairs,
        "pending.jsonl": corpus.pending,
        "pending_pairs.jsonl": corpus.pending_pairs,
    }
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, rows in files.items():
            write_rows(folder / name, (row.to_row() for row in rows))
        report = {**corpus.report(), "files": {name: file_hash(folder / name) for name in files}}
        write_rows(folder / REPORT, [report])
    except OSError as error:
        raise CorpusError(f"{str(folder)!r} cannot be written: {error.strerror or error}") from error
    return report
