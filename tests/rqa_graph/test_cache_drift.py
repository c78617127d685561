"""The canonical questions: enough of them, right or not beside drift, and a library that keeps what was verified."""

from __future__ import annotations

from pathlib import Path

import pytest

from rqa_graph.cache_drift import Canonical, answers_of, canonical_questions, drift_between, keep_answers, measure
from rqa_graph.errors import ConfigError
from rqa_graph.kpi import Share
from tests.support.deliberations import answering, deliberating_services

_SHIPPED = Path("/nonexistent")


def _one(name: str = "fuji/en", question: str = "How tall is Mount Fuji?", right: str = "3,776") -> Canonical:
    return Canonical(name=name, domain="facts", lang="en", question=question, statement="", right=(right,))


def test_there_are_fifty_or_more_in_each_language_and_each_sentence_is_right() -> None:
    questions = canonical_questions(_SHIPPED)
    for lang in ("en", "ja"):
        own = [one for one in questions if one.lang == lang]
        assert len({one.question for one in own}) >= 50
        assert [one.name for one in own if not one.is_answered_by(one.statement)] == []
    assert len({one.name for one in questions}) == len(questions)


@pytest.mark.parametrize(
    "text",
    [
        "questions: []",
        "questions: [{id: a}]",
        "questions: [{id: a, domain: facts, en: [q, s], ja: [q, s], right: ['']}]",
    ],
)
def test_a_file_that_names_none_is_refused(text: str, tmp_path: Path) -> None:
    (tmp_path / "config").mkdir()
    (tmp_path / "config" / "canonical_questions.yaml").write_text(text, "utf-8")
    with pytest.raises(ConfigError):
        canonical_questions(tmp_path)


def test_drift_is_one_minus_the_mean_f1_of_claims() -> None:
    def same(_one: str, _other: str, _lang: str) -> tuple[str, ...]:
        return ()

    questions = [_one(name) for name in ("a", "b", "c")]
    before = {"a": "Mount Fuji is high.", "b": "The lake is deep.", "c": ""}
    now = {"a": "Mount Fuji is high.", "b": "A tree grows. The lake is deep.", "c": ""}
    # a: 1.0; b: 2 * 1 matched of (1 + 2) claims = 0.666; c: both silent, 1.0
    assert drift_between(questions, now, before, same) == pytest.approx(1 - (1 + 0.666 + 1) / 3, abs=0.001)
    assert drift_between(questions, now, {}, same) is None
    assert drift_between(questions, {**now, "a": ""}, before, same) == pytest.approx(1 - (0 + 0.666 + 1) / 3, abs=0.001)


def test_an_engine_that_changes_its_mind_drifts_where_the_library_is_bypassed_alone(tmp_path: Path) -> None:
    sages = answering()
    services = deliberating_services(tmp_path, sages)
    first, answers = measure(services, [_one()], before={})
    assert (first.right_on, first.right_off, first.drift_on) == (Share(count=1, of=1), Share(count=1, of=1), None)
    kept = tmp_path / "answers.json"
    keep_answers(kept, answers)
    for name in ("alpha:1", "beta:1"):
        sages[name]._say = "The mountain is a volcano {m:Mount Fuji}."
    second, _ = measure(services, [_one()], before=answers_of(kept))
    assert (second.drift_on, second.right_on) == (0.0, Share(count=1, of=1))  # served from the library
    assert (second.drift_off, second.right_off.count) == (1.0, 0)
    line = second.line(at="2026-06-01", tenant="local")
    assert (line["kind"], line["right_on"], line["drift_off"]) == ("drift", "1/1", 1.0)


def test_a_wrong_answer_that_is_frozen_has_no_drift_and_is_not_right(tmp_path: Path) -> None:
    services = deliberating_services(tmp_path, answering())
    wrong = _one(right="4,000")
    _, answers = measure(services, [wrong], before={})
    again, _ = measure(services, [wrong], before=answers)
    assert (again.drift_on, again.right_on) == (0.0, Share(count=0, of=1))


def test_answers_that_cannot_be_read_are_none(tmp_path: Path) -> None:
    assert answers_of(tmp_path / "none.json") == {}
    (tmp_path / "torn.json").write_text('{"on": {"a"', "utf-8")
    assert answers_of(tmp_path / "torn.json") == {}
