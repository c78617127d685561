"""An adapter and its base are compared by what production would make of their words, and by people who see no names."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from tests.training.support import changed, seed
from training.corpus import Example, Message, parsed
from training.errors import CorpusError
from training.evaluate import ARMS, Reply, Task, ask_all, blind_sheet, count_votes, measure, table
from training.pairs import blind_pairs
from training.promote import gates


def _fabricate(analysis: Any) -> None:
    analysis["feature_map"]["tensions_memory_cross"] = [
        {"tension": "In May it was twenty", "memory_ref": "zzzzz9", "recorded_at": "2026-05-01", "confidence": "high"}
    ]


def _good(example: Example, task: Task, messages: list[Message]) -> tuple[str, float]:
    assert messages[-1]["role"] == "user"
    talk = {"en": "It depends on the weather.", "ja": "それは天気によります。"}
    return (example.assistant if task == "analyse" else talk[example.lang]), 1.0


def _bad(example: Example, task: Task, messages: list[Message]) -> tuple[str, float]:
    """Every third analysis is prose, the others invent a memory; answers are JSON."""
    del messages
    if task == "answer":
        return '{"feature_map": {}}', 2.0
    return ("Sure!" if len(example.id) % 3 == 0 else changed(example, _fabricate).assistant), 2.0


def _holdout() -> list[Example]:
    return seed()[:30]


def test_what_the_examples_say_themselves_is_perfect() -> None:
    found = measure(_holdout(), ask_all(_holdout(), {"base": _good, "adapter": _good}))
    assert found["base"] == found["adapter"]
    row = found["adapter"]
    assert row["inputs"] == row["parsed"] == row["answers"] == row["answered"] == 30
    assert row["diverse"] == row["deep"] > 0
    assert row["kept"] == row["asked"]
    assert row["restraint"] == row["plain"] > 0
    assert row["fabricated"] == row["search_mismatch"] == 0
    assert row["layer_bits"] > 1
    assert row["median_seconds"] == 1.0


def test_prose_invention_and_json_where_words_are_wanted_are_counted() -> None:
    examples = _holdout()
    row = measure(examples, ask_all(examples, {"base": _good, "adapter": _bad}))["adapter"]
    prose = sum(len(example.id) % 3 == 0 for example in examples)
    assert row["parsed"] == row["fabricated"] == 30 - prose
    assert row["search_mismatch"] >= prose
    assert (row["answers"], row["restraint"]) == (0, 0)


def test_a_wish_to_search_needs_words_of_the_input() -> None:
    searching = next(e for e in seed() if (a := parsed(e.assistant, e.candidates)) and a["search_decision"]["queries"])

    def elsewhere(analysis: Any) -> None:
        analysis["search_decision"]["queries"] = ["something unrelated"]

    def row(example: Example) -> Any:
        reply = Reply(id=searching.id, arm="adapter", task="analyse", text=example.assistant, seconds=1)
        return measure([searching], [reply])["adapter"]

    assert row(searching)["search_mismatch"] == 0
    assert row(changed(searching, elsewhere))["search_mismatch"] == 1


@pytest.mark.parametrize(
    ("lang", "text", "holds"),
    [
        ("en", "It depends on the weather.", True),
        ("en", "それは天気によります。", False),
        ("en", "As you told me in May, it was twenty.", False),
        ("en", "```json\n{}\n```", False),
        ("en", " ", False),
        ("ja", "それは天気によります。", True),
        ("ja", "It depends on the weather.", False),
    ],
)
def test_an_answer_is_words_in_the_language_of_the_input_that_invent_nothing(lang: str, text: str, holds: bool) -> None:
    example = next(e for e in seed() if e.lang == lang)
    reply = Reply(id=example.id, arm="base", task="answer", text=text, seconds=1)
    assert measure([example], [reply])["base"]["answers"] == holds


def test_the_sheet_hides_who_wrote_what_and_votes_come_back_to_the_arms() -> None:
    examples = _holdout()

    def other(example: Example, task: Task, messages: list[Message]) -> tuple[str, float]:
        return _good(replace(example, assistant=example.assistant + " "), task, messages)

    sheet, key = blind_sheet(examples, ask_all(examples, {"base": _good, "adapter": other}))
    assert [row["id"] for row in sheet] == [row["id"] for row in key] != [example.id for example in examples]
    assert not any(arm in json.dumps(sorted(row)) for row in sheet for arm in ARMS)
    assert 5 < sum(row["a"] == "adapter" for row in key) < 25
    texts = {example.id: example.assistant for example in examples}
    for row, names in zip(sheet, key, strict=True):
        assert row["a" if names["a"] == "base" else "b"] == texts[row["id"]]

    votes = [{**row, "winner": "a", "rater": "Ilse"} for row in sheet[1:]] + [{**sheet[0], "winner": "tie"}]
    wins = count_votes(votes, key)
    assert wins["tie"] == 1
    assert wins["adapter"] == sum(row["a"] == "adapter" for row in key[1:])
    assert len(list(blind_pairs(votes))) == len(sheet) - 1
    with pytest.raises(CorpusError, match="expected a, b or tie"):
        count_votes([{**sheet[0], "winner": "adapter"}], key)


def test_an_unreadable_analysis_is_not_put_to_a_person() -> None:
    examples = _holdout()
    sheet, _ = blind_sheet(examples, ask_all(examples, {"base": _good, "adapter": _bad}))
    assert len(sheet) == sum(len(example.id) % 3 != 0 for example in examples)


def test_the_table_names_counts_and_the_gates_read_them() -> None:
    examples = _holdout()
    same: dict[str, Any] = {"arms": measure(examples, ask_all(examples, {"base": _good, "adapter": _good}))}
    worse: dict[str, Any] = {"arms": measure(examples, ask_all(examples, {"base": _good, "adapter": _bad}))}
    rows = {
        name: (base, adapter) for name, base, adapter in table({**same, "blind": {"base": 1, "adapter": 2, "tie": 0}})
    }
    assert rows["schema parsed"][1] == "30 of 30"
    assert rows["blind wins (0 ties)"] == ("1", "2")
    assert all(gate.passed for gate in gates(same))
    shut = {gate.name for gate in gates(worse) if not gate.passed}
    assert shut >= {"A schema", "A candidates", "A search", "A memory", "B restraint", "B answers", "C diversity"}
