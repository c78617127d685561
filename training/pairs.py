"""Which of two completions is the better one, and how is that known?

Three sources: what the selector scored in real turns (two questions of one round, at least two points apart, at most
half of all pairs, because a judge's taste is no person's), what people preferred in blind comparisons, and good
completions that were corrupted with a memory that nobody gave. The corrupted ones must not teach that memory is bad:
where an example cites an item, the same text with an invented handle stands against it, and over all pairs the chosen
side cites given items at least as often as the rejected one.
"""

from __future__ import annotations

import copy
import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Final, Literal, get_args

from rqa_graph import Injected
from rqa_nodes.reflect.schema import Analysis, MemoryTension
from training.corpus import Example, deepens, gold_hashes, input_hash, parsed, rows_of
from training.errors import CorpusError
from training.lint import Report, faults_of

__all__ = ["Kind", "Pair", "blind_pairs", "fabrications", "limited", "lint_pairs", "read_pairs", "selector_pairs"]

Kind = Literal["selector", "blind", "fabrication"]

LEAST_GAP: Final = 2
"""Points of 40 between the two sides of a selector pair."""
MOST_SELECTOR: Final = 0.5
"""Share of the selector's pairs."""

_HANDLE_LETTERS: Final = "0123456789abcdefghjkmnpqrstvwxyz"
_HANDLE_CHARS: Final = 6
_FABRICATED: Final = "verifier: "


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """Two completions of one prompt."""

    id: str
    kind: Kind
    lang: str
    source: str
    date: str
    review: str
    candidates: int
    user_text: str
    memory: tuple[Injected, ...]
    chosen: str
    rejected: str
    gap: int = 0
    """Points of 40 that lie between them; 0 where nobody scored."""

    def side(self, text: str) -> Example:
        """One completion as an example."""
        names = ("id", "lang", "source", "date", "review", "candidates", "user_text", "memory")
        return Example(**{name: getattr(self, name) for name in names}, assistant=text)

    def to_row(self) -> dict[str, Any]:
        """The JSON object."""
        return {**asdict(self), "memory": self.side(self.chosen).to_row()["memory"]}

    @classmethod
    def from_row(cls, row: Mapping[str, Any]) -> Pair:
        """Read one JSON object. Raises ValueError, which says what is wrong."""
        missing = [name for name in ("kind", "chosen", "rejected") if not isinstance(row.get(name), str)]
        if missing:
            raise ValueError(f"lacks {', '.join(missing)}")
        if row["kind"] not in get_args(Kind):
            raise ValueError(f"the kind is {row['kind']!r}, expected one of {', '.join(get_args(Kind))}")
        gap = row.get("gap", 0)
        if type(gap) is not int:
            raise ValueError(f"the gap is {gap!r}, expected an integer")
        shown = Example.from_row({**row, "assistant": row["chosen"]})
        values = {name: getattr(shown, name) for name in Example.__slots__ if name != "assistant"}
        return cls(**values, kind=row["kind"], chosen=row["chosen"], rejected=row["rejected"], gap=gap)


def read_pairs(path: Path) -> list[Pair]:
    """The pairs of a file of JSON lines. Raises CorpusError."""
    pairs = []
    for number, row in enumerate(rows_of(path), 1):
        try:
            pairs.append(Pair.from_row(row))
        except ValueError as error:
            raise CorpusError(f"line {number} of {str(path)!r}: {error}") from error
    return pairs


def selector_pairs(example: Example, scores: Mapping[int, int]) -> Iterator[Pair]:
    """The best question of a round against each that got at least two points less; each alone, as K = 1.

    Args:
        example: The round: its prompt, and the analysis with all its questions.
        scores: Total of 40 by index of the question.
    """
    analysis = parsed(example.assistant, example.candidates)
    if analysis is None or not scores:
        return
    best = min(scores, key=lambda index: (-scores[index], index))
    for index in sorted(scores):
        gap = scores[best] - scores[index]
        if gap >= LEAST_GAP:
            alone = replace(example, candidates=1, assistant=_alone(analysis, best))
            yield _pair(alone, _alone(analysis, index), kind="selector", name=f"{best}-{index}", gap=gap)


def _alone(analysis: Analysis, index: int) -> str:
    draft = analysis["question_candidates"][index]
    return _written({**analysis, "question_candidates": [draft], "self_ranking": [0]})


def blind_pairs(votes: Iterable[Mapping[str, Any]]) -> Iterator[Pair]:
    """What people preferred who did not know which model wrote it; a tie is no pair.

    Args:
        votes: Rows of a filled-in blind sheet (`training.blind`).

    Raises:
        ValueError: A row lacks a field.
    """
    for vote in votes:
        winner = vote.get("winner")
        if winner not in ("a", "b"):
            continue
        source = f"blind comparison: {vote.get('rater', 'unnamed rater')}"
        shown = Example.from_row({**vote, "source": source, "review": "approved", "assistant": vote[winner]})
        yield _pair(shown, vote["b" if winner == "a" else "a"], kind="blind", name="blind")


def fabrications(examples: Sequence[Example]) -> Iterator[Pair]:
    """Good completions against themselves with an invented memory.

    An example that cites an item stands against the same words with a handle that nobody gave. As many that cite none
    stand against themselves with another example's memory, told as if it had been given here.
    """
    citing = [pair for example in examples for pair in _invented_handle(example)]
    told = [item for example in examples for item in _items(example)]
    silent = [pair for example in examples for pair in _invented_memory(example, told)]
    yield from citing
    yield from silent[: len(citing)]


def _items(example: Example) -> Iterator[tuple[str, Injected]]:
    yield from ((example.lang, item) for item in example.memory if item.source == "user" and item.date)


def _invented_handle(example: Example) -> Iterator[Pair]:
    analysis = parsed(example.assistant, example.candidates)
    if not analysis or not analysis["feature_map"]["tensions_memory_cross"]:
        return
    broken = copy.deepcopy(analysis)
    broken["feature_map"]["tensions_memory_cross"][0]["memory_ref"] = _handle(example)
    yield _pair(example, _written(broken), kind="fabrication", name="handle")


def _invented_memory(example: Example, told: Sequence[tuple[str, Injected]]) -> Iterator[Pair]:
    analysis = parsed(example.assistant, example.candidates)
    own = {item.text for item in example.memory}
    others = [item for lang, item in told if lang == example.lang and item.text not in own]
    if not analysis or not others or not deepens(analysis) or analysis["feature_map"]["tensions_memory_cross"]:
        return
    item = others[int(input_hash(example.user_text)[:8], 16) % len(others)]
    broken = copy.deepcopy(analysis)
    broken["feature_map"]["tensions_memory_cross"] = [
        MemoryTension(tension=item.text, memory_ref=_handle(example), recorded_at=item.date, confidence="high")
    ]
    yield _pair(example, _written(broken), kind="fabrication", name="memory")


def _handle(example: Example) -> str:
    """A handle that looks right and that nobody gave."""
    digest = int(hashlib.sha256(f"invented {example.id}".encode()).hexdigest(), 16)
    letters = []
    for _ in range(_HANDLE_CHARS):
        digest, place = divmod(digest, len(_HANDLE_LETTERS))
        letters.append(_HANDLE_LETTERS[place])
    return "".join(letters)


def _written(analysis: Any) -> str:
    return json.dumps(analysis, ensure_ascii=False)


def _pair(chosen: Example, rejected: str, *, kind: Kind, name: str, gap: int = 0) -> Pair:
    row = {field: getattr(chosen, field) for field in Example.__slots__ if field not in ("assistant", "id")}
    analysis = parsed(chosen.assistant, chosen.candidates)
    good = _written(analysis) if kind == "fabrication" and analysis else chosen.assistant
    return Pair(**row, id=f"{chosen.id}-{name}", kind=kind, chosen=good, rejected=rejected, gap=gap)


def limited(pairs: Sequence[Pair]) -> list[Pair]:
    """The pairs with at most half of them from the selector: those with the widest gaps, ties by id."""
    others = [pair for pair in pairs if pair.kind != "selector"]
    scored = sorted((pair for pair in pairs if pair.kind == "selector"), key=lambda pair: (-pair.gap, pair.id))
    kept = {pair.id for pair in scored[: int(len(others) * MOST_SELECTOR / (1 - MOST_SELECTOR))]}
    return [pair for pair in pairs if pair.kind != "selector" or pair.id in kept]


def lint_pairs(pairs: Sequence[Pair]) -> Report:
    """Check every pair, and that all together do not teach to leave memory alone."""
    faults = [f"{pair.id}: {fault}" for pair in pairs for fault in _faults(pair)]
    counts = Counter[str](pair.kind for pair in pairs)
    chosen = sum(_cites_given(pair, pair.chosen) for pair in pairs)
    rejected = sum(_cites_given(pair, pair.rejected) for pair in pairs)
    invented = [pair for pair in pairs if pair.kind == "fabrication"]
    contrasted = sum(_cites_given(pair, pair.chosen) for pair in invented)
    inputs = {input_hash(pair.user_text) for pair in pairs}
    checks = (
        (not pairs, "no pair at all"),
        (counts["selector"] > MOST_SELECTOR * len(pairs), "more than half are the selector's"),
        (chosen < rejected, "the rejected side cites given memory more often than the chosen one"),
        (2 * contrasted < len(invented), "most invented memory stands against silence, not against a true citation"),
        (len({pair.id for pair in pairs}) < len(pairs), "the same id twice"),
        (not inputs.isdisjoint(gold_hashes()), "an input that the suites measure with"),
    )
    cited = {"chosen_cites_given_memory": chosen, "rejected_cites_given_memory": rejected}
    found = {"pairs": len(pairs), **counts, **cited}
    return Report(statistics=found, faults=(*faults, *(f"corpus: {fault}" for failed, fault in checks if failed)))


def _cites_given(pair: Pair, text: str) -> bool:
    analysis = parsed(text, pair.candidates)
    given = {item.handle for item in pair.memory}
    rows = analysis["feature_map"]["tensions_memory_cross"] if analysis else []
    return bool(rows) and all(row["memory_ref"] in given for row in rows)


def _faults(pair: Pair) -> Iterator[str]:
    yield from (f"chosen: {fault}" for fault in faults_of(pair.side(pair.chosen)))
    if pair.chosen == pair.rejected:
        yield "both sides are the same"
    if pair.kind == "selector" and pair.gap < LEAST_GAP:
        yield f"the gap is {pair.gap}, expected at least {LEAST_GAP}"
    if pair.kind == "fabrication":
        yield from _not_fabricated(pair)


def _not_fabricated(pair: Pair) -> Iterator[str]:
    """A negative teaches one thing: all that is wrong with it is what the verifier finds in it."""
    found = [fault for fault in faults_of(pair.side(pair.rejected)) if not fault.startswith("memory: ")]
    if not any(fault.startswith(_FABRICATED) for fault in found):
        yield "rejected: the verifier finds no invented memory in it"
    yield from (f"rejected: {fault}" for fault in found if not fault.startswith(_FABRICATED))
