"""Pairs teach to ask better and to invent nothing, and not to leave memory alone."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from tests.training.support import PAIRS, seed
from training.corpus import parsed
from training.lint import faults_of
from training.pairs import (
    LEAST_GAP,
    Pair,
    blind_pairs,
    fabrications,
    limited,
    lint_pairs,
    read_pairs,
    selector_pairs,
)


def test_the_committed_negatives_are_clean_and_what_the_builder_makes() -> None:
    committed = read_pairs(PAIRS)
    report = lint_pairs(committed)
    built = {pair.id: pair for pair in fabrications(seed())}
    assert report.faults == ()
    assert report.statistics["fabrication"] == len(committed) >= 10
    assert {pair.lang for pair in committed} == {"en", "ja"}
    assert all(built[pair.id] == pair for pair in committed)


def test_only_the_memory_of_a_negative_is_wrong() -> None:
    for pair in fabrications(seed()):
        good, bad = (parsed(text, pair.candidates) for text in (pair.chosen, pair.rejected))
        assert good
        assert bad
        assert faults_of(pair.side(pair.chosen)) == ()
        assert any(fault.startswith("verifier: unknown_id") for fault in faults_of(pair.side(pair.rejected)))
        given = {item.handle for item in pair.memory}
        assert any(row["memory_ref"] not in given for row in bad["feature_map"]["tensions_memory_cross"])
        assert bad["question_candidates"] == good["question_candidates"]
        bad["feature_map"]["tensions_memory_cross"] = good["feature_map"]["tensions_memory_cross"]
        assert bad == good


def test_every_true_citation_stands_against_an_invented_handle() -> None:
    pairs = list(fabrications(seed()))
    citing = [pair for pair in pairs if pair.id.endswith("-handle")]
    assert len(citing) == sum('"memory_ref"' in example.assistant for example in seed())
    assert 2 * len(citing) == len(pairs)


def test_memory_may_not_be_punished() -> None:
    pairs = list(fabrications(seed()))
    silent = [pair for pair in pairs if pair.id.endswith("-memory")]
    cited = next(pair for pair in pairs if pair.id.endswith("-handle"))

    def without(analysis: Any) -> str:
        analysis["feature_map"]["tensions_memory_cross"] = []
        analysis["question_candidates"] = analysis["question_candidates"][1:2]
        analysis["self_ranking"] = [0]
        return json.dumps(analysis, ensure_ascii=False)

    against_silence = "corpus: most invented memory stands against silence, not against a true citation"
    punished = "corpus: the rejected side cites given memory more often than the chosen one"
    turned = replace(
        cited, id="x", kind="blind", candidates=1, chosen=without(json.loads(cited.chosen)), rejected=cited.chosen
    )
    assert against_silence in lint_pairs(silent).faults
    assert punished in lint_pairs([turned]).faults
    assert punished not in lint_pairs([turned, cited]).faults


def test_a_negative_that_invents_nothing_is_no_negative() -> None:
    pair = next(fabrications(seed()))
    harmless = replace(pair, rejected=pair.chosen)
    assert f"{pair.id}: rejected: the verifier finds no invented memory in it" in lint_pairs([harmless]).faults
    assert f"{pair.id}: both sides are the same" in lint_pairs([harmless]).faults


def test_the_best_question_of_a_round_stands_alone_against_those_that_scored_less() -> None:
    example = next(e for e in seed() if e.candidates == 4)
    pairs = list(selector_pairs(example, {0: 30, 1: 34, 2: 33, 3: 20}))
    drafts = json.loads(example.assistant)["question_candidates"]
    assert [(pair.gap, json.loads(pair.rejected)["question_candidates"]) for pair in pairs] == [
        (4, [drafts[0]]),
        (14, [drafts[3]]),
    ]
    assert all(pair.candidates == 1 and json.loads(pair.chosen)["question_candidates"] == [drafts[1]] for pair in pairs)
    assert all(faults_of(pair.side(pair.rejected)) == () for pair in pairs)
    assert list(selector_pairs(example, {})) == []


def test_the_selector_has_at_most_half_of_the_pairs_and_the_widest_gaps() -> None:
    example = next(e for e in seed() if e.candidates == 4)
    scored = [
        replace(pair, id=f"s{number}", gap=number)
        for number, pair in enumerate(list(selector_pairs(example, {0: 40, 1: 1})) * 30, LEAST_GAP)
    ]
    others = list(fabrications(seed()))[:10]
    kept = limited([*others, *scored])
    assert [pair.gap for pair in kept if pair.kind == "selector"] == list(range(22, 32))
    assert not any(fault.startswith("corpus: more than half") for fault in lint_pairs(kept).faults)
    assert any(fault.startswith("corpus: more than half") for fault in lint_pairs([*others, *scored]).faults)
    assert limited(scored) == []


def test_a_vote_makes_a_pair_and_a_tie_none() -> None:
    good, other = seed()[0], seed()[1].assistant
    row = {**good.to_row(), "a": other, "b": good.assistant, "winner": "b", "rater": "Ilse"}
    (pair,) = blind_pairs([row, {**row, "winner": "tie"}, {**row, "winner": ""}])
    assert (pair.chosen, pair.rejected, pair.kind) == (good.assistant, other, "blind")
    assert pair.source == "blind comparison: Ilse"


@pytest.mark.parametrize("change", [{"kind": "hearsay"}, {"chosen": 3}, {"gap": "wide"}])
def test_a_row_that_is_no_pair_is_refused(change: dict[str, Any]) -> None:
    row = read_pairs(PAIRS)[0].to_row()
    assert Pair.from_row(row) == read_pairs(PAIRS)[0]
    with pytest.raises(ValueError, match=next(iter(change))):
        Pair.from_row({**row, **change})
