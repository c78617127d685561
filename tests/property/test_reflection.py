"""Laws of reflection that hold for any model output whatever."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import yaml
from hypothesis import given
from hypothesis import strategies as st

from rqa_nodes.errors import ModelOutputError
from rqa_nodes.reflect.budgets import Budgets
from rqa_nodes.reflect.choice import choice, runners_up
from rqa_nodes.reflect.diversity import check, with_targets
from rqa_nodes.reflect.evaluate import judge, offered
from rqa_nodes.reflect.govern import Counters, StopReason, gates, govern
from rqa_nodes.reflect.panel import Boundary, panel, to_markdown
from rqa_nodes.reflect.parse import parse_analysis
from rqa_nodes.reflect.rank import rank
from rqa_nodes.reflect.schema import LAYERS, STANCES, Analysis, validate_analysis
from tests.support.analyses import RAW_EN, RAW_JA
from tests.support.examples import share

BUDGETS = Budgets.from_mapping(
    yaml.safe_load((Path(__file__).parents[2] / "config" / "budgets.yaml").read_text(encoding="utf-8"))
)
BUDGET_NAMES = st.sampled_from(["quick", "standard", "full", "side"])
ANY_TEXT = st.text(st.characters(exclude_categories=()), max_size=60)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | ANY_TEXT,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(ANY_TEXT, inner, max_size=4),
    max_leaves=12,
)
QUESTIONS = [c["question"] for c in RAW_EN["question_candidates"] + RAW_JA["question_candidates"]]
ELEMENTS = [f"{name}[{n}]" for name in ("claims", "assumptions", "tensions_input_internal", "frames") for n in (0, 1)]
GOOD_DRAFTS = st.fixed_dictionaries(
    {
        "question": st.sampled_from(QUESTIONS),
        "target_layer": st.sampled_from([*LAYERS, "L4 Assumption", "layer 5"]),
        "target_element": st.sampled_from(ELEMENTS),
        "stance": st.sampled_from([*STANCES, "steel-man"]),
    }
)
WILD_DRAFTS = st.fixed_dictionaries(
    {"question": ANY_TEXT, "target_layer": JSON, "target_element": ANY_TEXT, "stance": JSON}
)
PROPOSALS = st.fixed_dictionaries(
    {
        "allowed_area": st.sampled_from(["question_generation_bias", "evaluator_criteria", "everything"]),
        "proposed_adjustment": st.sampled_from(["ask about time", "lower the threshold", "評価基準を緩める"]),
    }
)
TOOLS = st.fixed_dictionaries({"tool": st.sampled_from(["web_search", "concept_memory_lookup", "shell"])})
ANALYSES = st.fixed_dictionaries(
    {
        "feature_map": st.sampled_from([RAW_EN["feature_map"], RAW_JA["feature_map"]]),
        "question_candidates": st.lists(GOOD_DRAFTS | GOOD_DRAFTS | WILD_DRAFTS | JSON, max_size=8),
        "self_ranking": JSON | st.lists(st.integers(-2, 9), max_size=9),
        "self_update_proposal": st.none() | PROPOSALS | JSON,
        "tool_request": st.none() | TOOLS | JSON,
        "round": st.integers(),
        "rounds": JSON,
    }
)
SLIPS = st.lists(
    st.tuples(st.floats(0, 1), st.sampled_from(['"', "{", "}", "[", "]", ",", "\\", "\x00", "```", "\ud83d"])),
    max_size=6,
)


OUTCOMES = {"read", "empty_content", "not_an_object", "cut_off", "invalid"}


def _outcome(text: str) -> str:
    try:
        validate_analysis(parse_analysis(text, 4))
    except ModelOutputError as error:
        return error.reason
    return "read"


def _with_slips(text: str, slips: list[tuple[float, str]]) -> str:
    for place, slip in slips:
        at = int(place * len(text))
        text = text[:at] + slip + text[at:]
    return text


@share(50)
@given(ANY_TEXT | st.binary(max_size=200).map(lambda raw: raw.decode("utf-8", "surrogateescape")))
def test_any_text_gives_an_analysis_or_a_model_output_error(text: str) -> None:
    for wrapped in (
        text,
        f'{{"feature_map": {text}',
        f'{{"feature_map": {{"claims": [{text}]}}, "question_candidates": []}}',
    ):
        assert _outcome(wrapped) in OUTCOMES


@share(50)
@given(st.sampled_from([RAW_EN, RAW_JA]), SLIPS, st.floats(0, 1))
def test_a_damaged_answer_gives_an_analysis_or_a_model_output_error(
    written: dict[str, Any], slips: list[tuple[float, str]], cut: float
) -> None:
    text = _with_slips(json.dumps(written, ensure_ascii=False), slips)
    for damaged in (text, text[: int(cut * len(text))]):
        assert _outcome(damaged) in OUTCOMES


def _parse(value: Any, candidates: int) -> Analysis:
    return with_targets(parse_analysis(json.dumps(value), candidates))


@share(50)
@given(ANALYSES, BUDGET_NAMES, st.none() | st.integers(1, 12))
def test_no_output_exceeds_k_or_the_shortlist_and_what_is_kept_differs_pairwise(
    written: dict[str, Any], name: str, override: int | None
) -> None:
    budget = BUDGETS.named(name).overridden(candidates=override)
    analysis = _parse(written, budget.candidates)
    drafts = analysis["question_candidates"]
    found = check(analysis, budget.candidates)
    assert len(drafts) <= budget.candidates
    assert sorted([*found.kept, *(row.index for row in found.dropped)]) == list(range(len(drafts)))
    kept = [drafts[index] for index in found.kept]
    assert all(draft["target_layer"] in LAYERS and draft["stance"] in STANCES for draft in kept)
    assert len({draft["target_element"] for draft in kept}) == len(kept)
    assert len({draft["question"] for draft in kept}) == len(kept)
    shortlist = rank(analysis, found.kept, size=budget.shortlist, input_text="weekly releases")
    assert len(shortlist.indexes) <= min(3, budget.candidates)
    assert set(shortlist.indexes) <= set(found.kept)
    assert {*shortlist.indexes, *(row.index for row in shortlist.dropped)} == set(found.kept)
    assert set(offered(analysis, shortlist.indexes, local=False, memory=["a remembered line"])) <= set(
        shortlist.indexes
    )


@share(50)
@given(
    JSON
    | st.fixed_dictionaries(
        {
            "scores": st.lists(
                st.dictionaries(
                    st.sampled_from(["index", "depth", "sharpness", "novelty", "actionability"]),
                    st.integers(-2, 12) | JSON,
                ),
                max_size=5,
            ),
            "best_index": JSON | st.integers(-1, 4),
        }
    )
)
def test_any_evaluation_gives_scores_in_range_or_an_error(written: Any) -> None:
    indexes = (4, 1, 2)
    try:
        verdict = judge(json.dumps(written), indexes)
    except ModelOutputError:
        return
    assert verdict.best in {score.index for score in verdict.scores}
    assert all(0 <= part <= 10 for s in verdict.scores for part in (s.depth, s.sharpness, s.novelty, s.actionability))
    assert sorted([s.index for s in verdict.scores] + [row.index for row in verdict.rejected]) == sorted(indexes)


@share(50)
@given(
    ANALYSES,
    BUDGET_NAMES,
    st.none() | st.integers(1, 5),
    st.lists(st.none() | st.integers(0, 40), min_size=12, max_size=12),
)
def test_no_output_buys_a_round_beyond_the_budget(
    written: dict[str, Any], name: str, override: int | None, totals: list[int | None]
) -> None:
    budget = BUDGETS.named(name).overridden(rounds=override)
    analysis = _parse(written, budget.candidates)
    rounds = 0
    stop: StopReason | None = None
    while stop is None:
        rounds += 1
        counters = Counters(round=rounds)
        violations = gates(analysis, counters, budget)
        best = {"score": totals[rounds - 1], "question": "?"}
        stop = govern(best, violations, counters, budget, deep_enough=30).stop_reason
    assert rounds <= budget.rounds


@share(50)
@given(ANALYSES, st.integers(0, 40))
def test_a_violation_rejects_whatever_the_score(written: dict[str, Any], score: int) -> None:
    budget = BUDGETS.named("full")
    analysis = _parse(written, budget.candidates)
    violations = gates(analysis, Counters(round=1), budget)
    decision = govern({"score": score, "question": "?"}, violations, Counters(round=1), budget, deep_enough=30)
    assert decision.rejected is bool(violations)
    assert (decision.stop_reason == StopReason.boundary_violation_detected) is bool(violations)


@share(50)
@given(ANALYSES, st.sampled_from(["en", "ja", "zh"]))
def test_any_analysis_that_passed_the_checks_can_be_shown(written: dict[str, Any], lang: str) -> None:
    budget = BUDGETS.named("full")
    analysis = _parse(written, budget.candidates)
    kept = check(analysis, budget.candidates).kept
    best = choice(analysis, kept[0], round_number=1, degraded_reason="no_key") if kept else None
    rest = runners_up(analysis, kept, best=kept[0], round_number=1, degraded_reason="no_key") if kept else []
    boundary = Boundary(stop_reason="no_valid_candidate", budget=budget, rounds=1, injected=0)
    shown = panel(analysis, best, rest, boundary, lang=lang)
    json.dumps(shown).encode()
    for brief in (False, True):
        to_markdown(shown, brief=brief).encode("utf-8")
