"""The built-in engine's analysis passes the same parser and diversity check as any model's."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from rqa_nodes.prompt_parts import DocumentPart, PromptParts
from rqa_nodes.prompts import render
from rqa_nodes.reflect.diversity import check
from rqa_nodes.reflect.parse import parse_analysis
from rqa_nodes.structural import StructuralChatModel
from tests.support.engine_inputs import INPUTS, Input

BUDGETS = (3, 4, 6)
"""K of the budgets quick, standard and full."""


def complete(parts: PromptParts) -> str:
    return StructuralChatModel().invoke(render(parts)).text


@pytest.mark.parametrize("k", BUDGETS)
@pytest.mark.parametrize("given", [row for row in INPUTS if not row.plain], ids=lambda row: row.id)
def test_an_analysis_is_parsed_whole_and_varied_enough(given: Input, k: int) -> None:
    text = complete(PromptParts(task="analyse", lang=given.lang, user_text=given.text, candidates=k))
    analysis = parse_analysis(text, k)
    assert analysis["feature_map"] == json.loads(text)["feature_map"]
    diversity = check(analysis, k)
    assert diversity.issues == ()
    assert diversity.dropped == ()


@pytest.mark.parametrize("k", BUDGETS)
@pytest.mark.parametrize("name", ["sync_service_en.md", "summer_festival_ja.md"])
def test_a_note_gives_k_kept_candidates_round_after_round(name: str, k: int) -> None:
    note = (Path(__file__).parent / "data" / name).read_text(encoding="utf-8")
    documents = (DocumentPart(locator=name, text=note),)
    feedback, asked = "", set()
    for _ in range(3):
        parts = PromptParts(
            task="analyse",
            lang="ja" if "ja" in name else "en",
            user_text="",
            documents=documents,
            candidates=k,
            feedback=feedback,
        )
        analysis = parse_analysis(complete(parts), k)
        assert len(check(analysis, k).kept) == k
        best = analysis["question_candidates"][0]
        assert best["question"] not in asked
        asked.add(best["question"])
        feedback += f"\n{best['question']} ({best['target_layer']})"
