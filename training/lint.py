"""May this corpus teach a generator?

Every example is held to production's own parser, verifier, diversity check, selection and governor, and the corpus as a
whole to its composition: enough examples with memory, few wishes to change oneself, some that do not deepen, nothing
twice and nothing of what is measured with.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import lru_cache
from typing import Any, Final

from rqa_graph import lint_analysis
from rqa_nodes.reflect.diversity import check
from rqa_nodes.reflect.rank import rank
from rqa_nodes.reflect.schema import Analysis
from training.corpus import APPROVED, Example, content_hash, deepens, gold_hashes, input_hash, parsed

__all__ = ["Report", "faults_of", "lint_corpus", "statistics"]

_LEAST_WITH_MEMORY: Final = 0.3
_MOST_WITH_PROPOSAL: Final = 0.2
"""Shares of the corpus: most examples leave the generator as it is, and a third of them use memory."""

_LANGS: Final = ("en", "ja", "zh")
_REMEMBERED: Final = 4096
"""Examples whose faults are kept: a corpus is checked when it is put together, and again as a whole."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """What the linter found."""

    statistics: Mapping[str, Any]
    faults: tuple[str, ...]
    """"ID: fault" for an example, "corpus: fault" for the whole."""


def lint_corpus(examples: Sequence[Example], *, holdout: Collection[str] = ()) -> Report:
    """Check every example and the composition.

    Args:
        examples: What is to be trained on.
        holdout: Hashes of inputs (`input_hash`) that must not occur, besides those of the suites' own inputs.
    """
    faults = [f"{example.id}: {fault}" for example in examples for fault in faults_of(example)]
    return Report(statistics=statistics(examples), faults=(*faults, *_composition(examples, holdout)))


@lru_cache(maxsize=_REMEMBERED)
def faults_of(example: Example) -> tuple[str, ...]:
    """Everything that speaks against one example; empty if nothing does."""
    found = lint_analysis(
        example.assistant,
        candidates=example.candidates,
        user_text=example.user_text,
        lang=example.lang,
        injected=example.memory,
    )
    analysis = parsed(example.assistant, example.candidates)
    own = () if analysis is None else (*_candidates(example, analysis), *_memory(example, analysis))
    return (*_provenance(example), *found, *own)


def _provenance(example: Example) -> Iterator[str]:
    if example.review != APPROVED:
        yield f"provenance: review is {example.review!r}"
    if not example.source.strip():
        yield "provenance: no source"
    try:
        date.fromisoformat(example.date)
    except ValueError:
        yield f"provenance: the date is {example.date!r}, expected YYYY-MM-DD"
    if example.lang not in _LANGS:
        yield f"provenance: the language is {example.lang!r}, expected one of {', '.join(_LANGS)}"
    if not example.id.strip() or not example.user_text.strip():
        yield "provenance: no id or no input"


def _candidates(example: Example, analysis: Analysis) -> Iterator[str]:
    """Exactly K, all of them countable, none a template or nearly another: what stage 1 of the selection drops."""
    kept = check(analysis, example.candidates).kept
    if len(kept) != example.candidates:
        yield f"candidates: {len(kept)} of {example.candidates} count"
    short = rank(analysis, kept, size=len(kept), input_text=example.user_text)
    yield from (f"candidates: {row.reason} at question_candidates[{row.index}]" for row in short.dropped)


def _memory(example: Example, analysis: Analysis) -> Iterator[str]:
    """A tension names an item that was given and the day on which that item was recorded."""
    dates = {item.handle: item.date for item in example.memory}
    for row in analysis["feature_map"]["tensions_memory_cross"]:
        if row["memory_ref"] not in dates:
            yield f"memory: {row['memory_ref']!r} was not given"
        elif row["recorded_at"] != dates[row["memory_ref"]]:
            yield f"memory: {row['memory_ref']!r} was recorded at {dates[row['memory_ref']]!r}"


def statistics(examples: Iterable[Example]) -> dict[str, Any]:
    """What a corpus is made of, as counts.

    Returns:
        Examples; by language, source, review state and K; with memory, citing it, not deepening, with a search, with a
        proposal; layers and stances of all candidates.
    """
    found: dict[str, Counter[str]] = {name: Counter() for name in ("lang", "source", "review", "k", "layer", "stance")}
    counts: Counter[str] = Counter(examples=0, with_memory=0, citing_memory=0, not_deepening=0, with_search=0)
    counts["with_proposal"] = 0
    for example in examples:
        counts["examples"] += 1
        counts["with_memory"] += bool(example.memory)
        found["lang"][example.lang] += 1
        found["source"][example.source.split(":")[0]] += 1
        found["review"][example.review] += 1
        found["k"][str(example.candidates)] += 1
        analysis = parsed(example.assistant, example.candidates)
        if analysis is None:
            continue
        counts["citing_memory"] += bool(analysis["feature_map"]["tensions_memory_cross"])
        counts["not_deepening"] += not deepens(analysis)
        counts["with_search"] += analysis["search_decision"]["search_needed"]
        counts["with_proposal"] += analysis["self_update_proposal"] is not None
        found["layer"].update(draft["target_layer"] for draft in analysis["question_candidates"])
        found["stance"].update(draft["stance"] for draft in analysis["question_candidates"])
    return {**counts, **{name: dict(sorted(counter.items())) for name, counter in found.items()}}


def _composition(examples: Sequence[Example], holdout: Collection[str]) -> list[str]:
    counts, total = statistics(examples), len(examples)
    ids, contents = Counter(example.id for example in examples), Counter(map(content_hash, examples))
    inputs = {input_hash(example.user_text) for example in examples}
    checks = (
        (not total, "no example at all"),
        (counts["with_memory"] < _LEAST_WITH_MEMORY * total, "too few examples with memory"),
        (counts["with_proposal"] > _MOST_WITH_PROPOSAL * total, "too many self-update proposals"),
        (total > 0 and not counts["not_deepening"], "no example that does not deepen"),
        (any(count > 1 for count in contents.values()), "the same example twice"),
        (any(count > 1 for count in ids.values()), "the same id twice"),
        (not inputs.isdisjoint(holdout), "an example of the held-out set"),
        (not inputs.isdisjoint(gold_hashes()), "an input that the suites measure with"),
    )
    return [f"corpus: {fault}" for failed, fault in checks if failed]
