"""Are the drafted questions really different questions?

Machine-checked, because a model asked for variety returns the same question in other words. A candidate without a
known layer, stance and element of the input's own feature map is no candidate. Invariants: kept candidates differ
pairwise in question and element; what is kept is a subset of what was drafted, in its order.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from typing import Final

from rqa_nodes.reflect.schema import ELEMENT_LISTS, LAYERS, STANCES, Analysis, Candidate, FeatureMap, element_text
from rqa_nodes.structure.text import fold

__all__ = ["Diversity", "Dropped", "better", "check", "resolve_target", "with_targets"]

_PATH: Final = re.compile(r"(?:feature_?map\.)?([a-z_]+?)s?[\s.:#]*[\[(]?\s*([0-9]{1,2})\s*[\])]?(_\w+)?")
_NAME: Final = re.compile(r"(?:feature_?map\.)?([a-z_]+?)s?")
_MIN_WORDS_CHARS: Final = 6
"""Shorter words would be found in too many elements to name one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Dropped:
    """A candidate that does not count, and why."""

    index: int
    reason: str
    """unknown_layer, unknown_stance, empty_question, repeated_question, unknown_element or repeated_element."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Diversity:
    """What the check found."""

    kept: tuple[int, ...]
    """Indexes of the candidates that count, in the order drafted."""
    dropped: tuple[Dropped, ...]
    issues: tuple[str, ...]
    """few_candidates, few_layers, few_stances: each allows one regeneration where the budget has one."""
    layers: int
    stances: int


def resolve_target(feature_map: FeatureMap, target: str) -> str:
    """The element that a target names, as `list[index]`; empty if the feature map has no such element.

    Understood: a path in its usual spellings, the name of a list of one, and the words of an element, whole or a part
    of at least 6 characters. Where the map has nothing but claims (a plain request), `claims[0]_use` and its like name
    aspects of one claim and stay distinct.
    """
    folded = fold(target)
    path = _PATH.fullmatch(folded)
    if path and (name := _list_name(path[1])):
        element = f"{name}[{int(path[2])}]"
        if not element_text(feature_map, element):
            return ""
        return element + (path[3] or "" if _only_claims(feature_map) else "")
    named = _NAME.fullmatch(folded)
    if named and (name := _list_name(named[1])):
        return (
            f"{name}[0]"
            if element_text(feature_map, f"{name}[0]") and not element_text(feature_map, f"{name}[1]")
            else ""
        )
    return _by_words(feature_map, folded)


def _list_name(stem: str) -> str:
    """The list whose name begins with the stem: "assumption" is "assumptions", "tensions_input" its full name."""
    return next((name for name in ELEMENT_LISTS if len(stem) > 4 and name.startswith(stem)), "")


def _only_claims(feature_map: FeatureMap) -> bool:
    deeper = ("tensions_input_internal", "tensions_memory_cross", "assumptions", "frames")
    return not any(element_text(feature_map, f"{name}[0]") for name in deeper)


def _by_words(feature_map: FeatureMap, folded: str) -> str:
    if not folded:
        return ""
    partial = ""
    for name in reversed(ELEMENT_LISTS):
        for number in range(len(feature_map[name])):
            element = f"{name}[{number}]"
            words = fold(element_text(feature_map, element))
            if words == folded:
                return element
            shorter, longer = sorted((words, folded), key=len)
            if not partial and len(shorter) >= _MIN_WORDS_CHARS and shorter in longer:
                partial = element
    return partial


def with_targets(analysis: Analysis) -> Analysis:
    """The analysis with each target written as `list[index]` where it names an element, else as it was."""
    drafts = [
        Candidate(
            **{
                **draft,
                "target_element": resolve_target(analysis["feature_map"], draft["target_element"])
                or draft["target_element"],
            }
        )
        for draft in analysis["question_candidates"]
    ]
    return Analysis(**{**analysis, "question_candidates": drafts})


def check(analysis: Analysis, candidates: int) -> Diversity:
    """Which candidates count, and is the set varied enough for K = `candidates`?

    The thresholds are max(2, K/2) kept, 2 layers and 2 stances; with K = 1 one of each is all that was asked for.
    """
    kept: list[int] = []
    dropped: list[Dropped] = []
    questions: set[str] = set()
    elements: set[str] = set()
    drafts = analysis["question_candidates"][:candidates]
    for index, draft in enumerate(drafts):
        question = _folded_question(draft["question"])
        element = resolve_target(analysis["feature_map"], draft["target_element"])
        reason = _fault(draft, question, element, seen=(questions, elements))
        if reason:
            dropped.append(Dropped(index=index, reason=reason))
            continue
        kept.append(index)
        questions.add(question)
        elements.add(element)
    layers = len({drafts[index]["target_layer"] for index in kept})
    stances = len({drafts[index]["stance"] for index in kept})
    return Diversity(
        kept=tuple(kept),
        dropped=tuple(dropped),
        issues=_issues(len(kept), layers, stances, candidates=candidates),
        layers=layers,
        stances=stances,
    )


def _folded_question(question: str) -> str:
    """Letters and digits only: white space, punctuation, width and case do not make another question."""
    return "".join(ch for ch in unicodedata.normalize("NFKC", question).casefold() if ch.isalnum())


def _fault(draft: Candidate, question: str, element: str, *, seen: tuple[set[str], set[str]]) -> str:
    questions, elements = seen
    faults = (
        ("unknown_layer", draft["target_layer"] not in LAYERS),
        ("unknown_stance", draft["stance"] not in STANCES),
        ("empty_question", not question),
        ("repeated_question", question in questions),
        ("unknown_element", not element),
        ("repeated_element", element in elements),
    )
    return next((reason for reason, holds in faults if holds), "")


def _issues(kept: int, layers: int, stances: int, *, candidates: int) -> tuple[str, ...]:
    enough = min(candidates, max(2, candidates / 2))
    found = (
        ("few_candidates", kept < enough),
        ("few_layers", layers < min(2, candidates)),
        ("few_stances", stances < min(2, candidates)),
    )
    return tuple(issue for issue, holds in found if holds)


def better(first: Diversity, second: Diversity) -> bool:
    """Is the second set the better one: fewer issues, then more candidates, layers, stances? A tie keeps the first."""
    return _quality(second) > _quality(first)


def _quality(found: Diversity) -> tuple[int, int, int, int]:
    return (-len(found.issues), len(found.kept), found.layers, found.stances)
