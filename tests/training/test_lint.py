"""The corpus linter finds what production would not accept."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from evals.suite import DATASETS, read_rows
from tests.training.support import changed, seed
from training.corpus import Example, input_hash, parsed
from training.lint import faults_of, lint_corpus, statistics


def test_the_seed_corpus_is_clean_and_composed_as_promised() -> None:
    report = lint_corpus(seed())
    found, total = report.statistics, report.statistics["examples"]
    assert report.faults == ()
    assert total >= 120
    assert min(found["lang"]["en"], found["lang"]["ja"]) > 0.4 * total
    assert found["with_memory"] >= 0.3 * total
    assert found["not_deepening"] >= 0.25 * total
    assert found["with_proposal"] <= 0.2 * total


def test_no_question_of_the_seed_stands_in_two_examples() -> None:
    questions = [
        draft["question"]
        for example in seed()
        if (analysis := parsed(example.assistant, example.candidates))
        for draft in analysis["question_candidates"]
    ]
    assert len(set(questions)) == len(questions) > 300


def _deep(lang: str) -> Example:
    return next(e for e in seed() if e.lang == lang and e.candidates == 3 and not e.memory)


def _citing(lang: str) -> Example:
    return next(e for e in seed() if e.lang == lang and e.memory and '"memory_ref"' in e.assistant)


def _fabricate(analysis: Any) -> None:
    analysis["feature_map"]["tensions_memory_cross"] = [
        {"tension": "In May it was twenty", "memory_ref": "zzzzz9", "recorded_at": "2026-05-01", "confidence": "high"}
    ]


def _repeat(analysis: Any) -> None:
    analysis["question_candidates"] = [analysis["question_candidates"][0]] * 3


def _tamper(analysis: Any) -> None:
    analysis["self_update_proposal"] = {
        "allowed_area": "evaluator_criteria",
        "update_type": "relax",
        "observation": "scores are low",
        "proposed_adjustment": "lower the threshold",
        "rollback": "none",
    }


def _template(analysis: Any) -> None:
    analysis["question_candidates"][0]["question"] = "Is that really true? 本当ですか？"


def _one_less(analysis: Any) -> None:
    del analysis["question_candidates"][2]


@pytest.mark.parametrize("lang", ["en", "ja"])
@pytest.mark.parametrize(
    ("change", "fault"),
    [
        (_fabricate, "verifier: unknown_id"),
        (_fabricate, "memory: 'zzzzz9' was not given"),
        (_repeat, "diversity: few_candidates"),
        (_tamper, "governor: objective_tampering"),
        (_template, "candidates: template at question_candidates[0]"),
        (_one_less, "candidates: 2 of 3 count"),
    ],
)
def test_an_example_that_production_rejects_is_named(lang: str, change: Callable[[Any], None], fault: str) -> None:
    example = _deep(lang)
    assert faults_of(example) == ()
    assert any(found.startswith(fault) for found in faults_of(changed(example, change)))


@pytest.mark.parametrize("lang", ["en", "ja"])
def test_a_tension_has_the_date_of_the_item_that_it_names(lang: str) -> None:
    def misdate(analysis: Any) -> None:
        analysis["feature_map"]["tensions_memory_cross"][0]["recorded_at"] = "1999-01-01"

    (fault,) = faults_of(changed(_citing(lang), misdate))
    assert fault.startswith("memory: ")


def test_prose_instead_of_an_object_is_a_parser_fault() -> None:
    assert faults_of(replace(_deep("en"), assistant="Sure, here are some questions.")) == ("parser: not_an_object",)


@pytest.mark.parametrize(
    ("field", "value", "fault"),
    [
        ("review", "pending", "review is 'pending'"),
        ("source", " ", "no source"),
        ("date", "yesterday", "the date is 'yesterday'"),
        ("lang", "fr", "the language is 'fr'"),
    ],
)
def test_an_example_says_where_it_comes_from(field: str, value: str, fault: str) -> None:
    changes: dict[str, Any] = {field: value}
    assert any(found.startswith(f"provenance: {fault}") for found in faults_of(replace(_deep("en"), **changes)))


def test_repeated_held_out_and_gold_inputs_are_found() -> None:
    examples = seed()
    gold = read_rows(DATASETS / "questions.en.jsonl")[0]["text"]
    assert "corpus: the same example twice" in lint_corpus([*examples, examples[0]]).faults
    assert "corpus: the same id twice" in lint_corpus([*examples, examples[0]]).faults
    held = {input_hash(examples[3].user_text.upper())}
    assert "corpus: an example of the held-out set" in lint_corpus(examples, holdout=held).faults
    assert "corpus: an input that the suites measure with" in lint_corpus([replace(examples[0], user_text=gold)]).faults


def test_a_corpus_without_memory_or_restraint_is_refused() -> None:
    without_memory = [example for example in seed() if not example.memory]
    always_deep = [example for example in seed() if not faults_of(example) and '"L4"' in example.assistant]
    assert "corpus: too few examples with memory" in lint_corpus(without_memory).faults
    assert "corpus: no example that does not deepen" in lint_corpus(always_deep).faults
    assert "corpus: no example at all" in lint_corpus([]).faults
    assert statistics([])["examples"] == 0
