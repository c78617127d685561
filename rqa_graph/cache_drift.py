"""Does the library go on answering the same, and is it right?

A fixed set of canonical questions is asked in both languages, with the library on and bypassed. Drift is 1 minus the
mean F1 of the claims between a run and the one before it. It always stands beside how many answers are right: a frozen
wrong answer drifts by nothing. Answers of the last run lie in the home; they are answers to public questions only.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final, Literal

from rqa_checkpoints.cache.canonical import normalise
from rqa_checkpoints.cache.integrity import SCHEMA
from rqa_graph.errors import ConfigError
from rqa_graph.integrity import Question, answer_with_integrity
from rqa_graph.kpi import Share
from rqa_graph.resources import load_config
from rqa_graph.services import AppServices
from rqa_nodes.deliberate.agreement import claim_f1
from rqa_nodes.deliberate.claims import Guard, claims_of

__all__ = [
    "ANSWERS_FILE",
    "ARMS",
    "Canonical",
    "DriftRun",
    "answers_of",
    "canonical_questions",
    "drift_between",
    "keep_answers",
    "measure",
]

Arm = Literal["on", "off"]
ARMS: Final[tuple[Arm, ...]] = ("on", "off")
"""The library as it is, and bypassed: looked up by nobody and kept nowhere."""
ANSWERS_FILE: Final = "cache_drift.json"
_LANGS: Final = ("en", "ja")
_OWNER_ONLY: Final = 0o600

Answers = Mapping[str, str]
"""By the name of the question in its language; "" for none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Canonical:
    """One canonical question in one language."""

    name: str
    """Its id and language, such as `fuji/en`."""
    domain: str
    lang: str
    question: str
    statement: str
    """The sentence that answers it."""
    right: tuple[str, ...]
    """One of these stands in a right answer."""

    def is_answered_by(self, answer: str) -> bool:
        """Does one of the expected wordings stand in the answer?"""
        return any(normalise(wording) in normalise(answer) for wording in self.right)


@dataclass(frozen=True, slots=True, kw_only=True)
class DriftRun:
    """What a run over the questions came to."""

    questions: int
    right_on: Share
    right_off: Share
    drift_on: float | None
    """0 to 1, rounded to thousandths; None where no run was before."""
    drift_off: float | None

    def line(self, *, at: str, tenant: str) -> dict[str, Any]:
        """As it stands among the figures of a home."""
        shares = {
            name: f"{share.count}/{share.of}"
            for name, share in (("right_on", self.right_on), ("right_off", self.right_off))
        }
        return {"schema": SCHEMA, "kind": "drift", "at": at, "tenant": tenant, **asdict(self), **shares}


def canonical_questions(home: Path) -> list[Canonical]:
    """The questions of a home, or those that are shipped, English first. Raises ConfigError for a row that is none."""
    rows = load_config("canonical_questions", home).get("questions")
    if not isinstance(rows, list) or not rows:
        raise ConfigError("`canonical_questions.yaml` names no `questions`", hint="Compare with the shipped file.")
    return [_canonical(row, lang) for lang in _LANGS for row in rows]


def _canonical(row: Any, lang: str) -> Canonical:
    try:
        question, statement = (str(text) for text in row[lang])
        right = tuple(str(wording) for wording in row["right"])
        found = Canonical(
            name=f"{row['id']}/{lang}",
            domain=str(row["domain"]),
            lang=lang,
            question=question,
            statement=statement,
            right=right,
        )
    except (KeyError, TypeError, ValueError):
        found = None
    if found is None or not all(map(normalise, found.right)) or not found.right:
        raise ConfigError(
            f"a row of `canonical_questions.yaml` cannot be used: {str(row)[:80]!r}",
            hint="It has `id`, `domain`, `en: [question, sentence]`, `ja: [question, sentence]`, `right: [wording]`.",
        )
    return found


def measure(
    services: AppServices,
    questions: Sequence[Canonical],
    *,
    before: Mapping[Arm, Answers],
) -> tuple[DriftRun, dict[Arm, dict[str, str]]]:
    """Ask all questions in both arms.

    Args:
        services: Of the home.
        questions: What is asked.
        before: What the run before this one was answered; empty for none.

    Returns:
        The figures, and the answers for the next run.
    """
    now = {arm: dict(_answers(services, questions, arm)) for arm in ARMS}
    guard = services.deliberating.guard
    right = {arm: sum(one.is_answered_by(now[arm][one.name]) for one in questions) for arm in ARMS}
    drift = {arm: drift_between(questions, now[arm], before.get(arm, {}), guard) for arm in ARMS}
    run = DriftRun(
        questions=len(questions),
        right_on=Share(count=right["on"], of=len(questions)),
        right_off=Share(count=right["off"], of=len(questions)),
        drift_on=drift["on"],
        drift_off=drift["off"],
    )
    return run, now


def _answers(services: AppServices, questions: Sequence[Canonical], arm: Arm) -> Iterator[tuple[str, str]]:
    bypassed = arm == "off"
    for one in questions:
        asked = Question(
            text=one.question, domain=one.domain, locale=one.lang, bypass_cache=bypassed, no_store=bypassed
        )
        yield one.name, str(answer_with_integrity(asked, services=services)["answer"] or "")


def drift_between(questions: Sequence[Canonical], now: Answers, before: Answers, guard: Guard) -> float | None:
    """1 minus the mean claim F1 over the questions that both runs asked; None where there are none."""
    both = [one for one in questions if one.name in now and one.name in before]
    if not both:
        return None
    scores = [claim_f1(_claims(now[one.name]), _claims(before[one.name]), guard, one.lang) for one in both]
    return round(1 - sum(scores) / (1000 * len(scores)), 3)


def _claims(answer: str) -> list[str]:
    return [claim.text for claim in claims_of(answer)]


def answers_of(path: Path) -> dict[Arm, dict[str, str]]:
    """What the last run was answered; empty where there is none, or none that can be read."""
    try:
        rows = json.loads(path.read_text("utf-8"))
        return {arm: {str(name): str(text) for name, text in rows[arm].items()} for arm in ARMS}
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return {}


def keep_answers(path: Path, answers: Mapping[Arm, Answers]) -> None:
    """Write the answers for the next run, whole or not at all."""
    beside = path.with_name(f"{path.name}.new")
    beside.write_text(json.dumps({arm: dict(answers[arm]) for arm in ARMS}, ensure_ascii=False), "utf-8")
    beside.chmod(_OWNER_ONLY)
    beside.replace(path)
