"""What does the judge see, and what does its answer mean?

Stage 2 of the selection: one call a round. What goes to a remote judge holds no remembered text: no tension with
memory, no candidate that targets one, and no string that restates an injected item. An answer out of range is rejected,
never clamped into meaning; a candidate without four valid scores has none.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from rqa_nodes.errors import ModelOutputError
from rqa_nodes.prompt_parts import DocumentPart, PromptParts
from rqa_nodes.reflect._json_text import find_object
from rqa_nodes.reflect.diversity import Dropped, resolve_target
from rqa_nodes.reflect.parse import MAX_TEXT_CHARS
from rqa_nodes.reflect.schema import Analysis, FeatureMap, element_text
from rqa_nodes.structure.text import clean, content_terms, coverage

__all__ = ["AXES", "Score", "Verdict", "evaluation_parts", "judge", "offered"]

AXES: Final = ("depth", "sharpness", "novelty", "actionability")
_HIGHEST: Final = 10

_RESTATED: Final = 0.5
"""Share of an injected item's own terms (those the input does not have) from which a string is taken to restate it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """The judge's four integers for one candidate, 0 to 10 each."""

    index: int
    """Index in `question_candidates`."""
    depth: int
    sharpness: int
    novelty: int
    actionability: int

    @property
    def total(self) -> int:
        """The sum, 0 to 40."""
        return self.depth + self.sharpness + self.novelty + self.actionability

    def to_dict(self) -> dict[str, int]:
        """Plain JSON, with the total."""
        return {"index": self.index, **{axis: getattr(self, axis) for axis in AXES}, "total": self.total}


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What the judge said, as far as it counts."""

    scores: tuple[Score, ...]
    """In the order of the shortlist."""
    best: int
    """Index in `question_candidates`."""
    rationale: str
    rejected: tuple[Dropped, ...]
    """Candidates without a usable score: out_of_range, missing or repeated."""

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON for the state."""
        return {
            "scores": [score.to_dict() for score in self.scores],
            "best": self.best,
            "rationale": self.rationale,
            "rejected": [{"index": row.index, "reason": row.reason} for row in self.rejected],
        }


def offered(
    analysis: Analysis, shortlist: Sequence[int], *, local: bool, input_text: str = "", memory: Sequence[str] = ()
) -> tuple[int, ...]:
    """The candidates of the shortlist that this judge may see; all of them if it is local."""
    if local:
        return tuple(shortlist)
    return tuple(i for i in shortlist if not _from_memory(analysis, i, input_text=input_text, memory=memory))


def _from_memory(analysis: Analysis, index: int, *, input_text: str, memory: Sequence[str]) -> bool:
    draft, features = analysis["question_candidates"][index], analysis["feature_map"]
    target = resolve_target(features, draft["target_element"])
    texts = (draft["question"], element_text(features, target))
    return target.startswith("tensions_memory_cross") or any(_restates(t, input_text, memory) for t in texts)


def _restates(text: str, input_text: str, memory: Sequence[str]) -> bool:
    if "[m:" in text.casefold():
        return True
    said, own = content_terms(input_text), content_terms(text)
    return any((terms := content_terms(item) - said) and coverage(terms, own) >= _RESTATED for item in memory)


def evaluation_parts(
    analysis: Analysis,
    indexes: Sequence[int],
    *,
    input_text: str,
    lang: str,
    local: bool,
    memory: Sequence[str] = (),
) -> PromptParts:
    """The judge's prompt: the input, the feature map and the candidates, numbered from 0 in the order of `indexes`.

    Args:
        analysis: The parsed analysis.
        indexes: What `offered` returned.
        input_text: The user's words.
        lang: Language of the rationale.
        local: True if the judge runs on this machine; only then do tensions with memory go along.
        memory: Texts of the items injected this turn, to keep their words from a remote judge.
    """
    features: dict[str, Any] = {**analysis["feature_map"]}
    if not local:
        del features["tensions_memory_cross"]
        features = {
            name: [text for text in texts if not _restates(text, input_text, memory)]
            for name, texts in features.items()
        }
    rows = [_row(analysis, number, index) for number, index in enumerate(indexes)]
    return PromptParts(
        task="evaluate",
        lang=lang,
        user_text=input_text,
        documents=(
            DocumentPart(locator="feature_map", text=json.dumps(features, ensure_ascii=False)),
            DocumentPart(locator="candidates", text=json.dumps(rows, ensure_ascii=False)),
        ),
        candidates=len(rows),
    )


def _row(analysis: Analysis, number: int, index: int) -> dict[str, Any]:
    draft, features = analysis["question_candidates"][index], analysis["feature_map"]
    return {
        "index": number,
        "question": draft["question"],
        "layer": draft["target_layer"],
        "stance": draft["stance"],
        "target": _target_text(features, draft["target_element"]),
    }


def _target_text(features: FeatureMap, target: str) -> str:
    return element_text(features, resolve_target(features, target))


def judge(text: str, indexes: Sequence[int]) -> Verdict:
    """Read the judge's answer.

    Args:
        text: Everything that the judge returned.
        indexes: The candidates it was shown, in the order of its numbers.

    Returns:
        The verdict: the best is `best_index` if that candidate has a usable score, else the highest total, ties to the
        earlier in `indexes`.

    Raises:
        ModelOutputError: Nothing readable, or no candidate with four integers from 0 to 10.
    """
    found = find_object(text, wanted=("scores",))
    rows = found.get("scores")
    by_number = _by_number(rows if isinstance(rows, list) else [], len(indexes))
    scores: list[Score] = []
    rejected: list[Dropped] = []
    for number, index in enumerate(indexes):
        value = by_number.get(number, "missing")
        if isinstance(value, str):
            rejected.append(Dropped(index=index, reason=value))
        else:
            scores.append(Score(index=index, **value))
    if not scores:
        raise ModelOutputError(
            f"the evaluator gave no usable scores for {len(indexes)} candidates",
            reason="invalid",
            hint="The round goes on without scores (degraded).",
        )
    named = _whole(found.get("best_index"))
    usable = {score.index for score in scores}
    best = indexes[named] if named is not None and named < len(indexes) and indexes[named] in usable else None
    return Verdict(
        scores=tuple(scores),
        best=max(scores, key=lambda score: score.total).index if best is None else best,
        rationale=_rationale(found.get("rationale")),
        rejected=tuple(rejected),
    )


def _by_number(rows: Sequence[Any], count: int) -> dict[int, dict[str, int] | str]:
    """Scores, or why there are none, by the judge's number; without numbers the order counts."""
    numbered = any(isinstance(row, Mapping) and "index" in row for row in rows)
    found: dict[int, dict[str, int] | str] = {}
    for place, row in enumerate(rows[: 4 * count]):
        if not isinstance(row, Mapping):
            continue
        number = _whole(row.get("index")) if numbered else place
        if number is not None:
            found[number] = "repeated" if number in found else _axes(row)
    return found


def _axes(row: Mapping[Any, Any]) -> dict[str, int] | str:
    values = {axis: _whole(row.get(axis)) for axis in AXES}
    if any(axis not in row for axis in AXES):
        return "missing"
    scores = {axis: value for axis, value in values.items() if value is not None and value <= _HIGHEST}
    return scores if len(scores) == len(AXES) else "out_of_range"


def _whole(value: Any) -> int | None:
    """A whole number of zero or more; 8.0 is 8, while True, "8" and 7.5 are none."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < 1000:
        return None
    return int(value) if value == int(value) else None


def _rationale(value: Any) -> str:
    return " ".join(clean(value).split())[:MAX_TEXT_CHARS] if isinstance(value, str) else ""
