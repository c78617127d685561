"""Analyses as a good generator writes them, one a language, for tests that then break one thing."""

from __future__ import annotations

import copy
import json
from typing import Any

from rqa_nodes.reflect.parse import parse_analysis
from rqa_nodes.reflect.schema import Analysis

__all__ = ["INPUT_EN", "INPUT_JA", "RAW_EN", "RAW_JA", "parsed", "raw", "scores"]

INPUT_EN = "If we move every team to weekly releases, quality will rise, because problems show up sooner."
INPUT_JA = "全チームを週次リリースに移せば、問題が早く見つかるので品質は上がるはずだ。"

RAW_EN: dict[str, Any] = {
    "feature_map": {
        "surface_terms": ["weekly releases", "quality"],
        "claims": ["weekly releases raise quality"],
        "evidence": ["problems show up sooner"],
        "tensions_input_internal": ["seeing problems sooner is not the same as having fewer of them"],
        "tensions_memory_cross": [],
        "assumptions": ["every team can test its part within a week", "quality is what releases reveal"],
        "frames": ["quality as a matter of rhythm"],
    },
    "search_decision": {"search_needed": False, "reason": "a question of concepts", "queries": []},
    "question_candidates": [
        {
            "question": "Which team could not test its part within a week, and what would it drop?",
            "target_layer": "L4",
            "target_element": "assumptions[0]",
            "stance": "claim_skeptic",
        },
        {
            "question": "If weekly releases only show problems sooner, what makes there be fewer of them?",
            "target_layer": "L3",
            "target_element": "tensions_input_internal[0]",
            "stance": "claim_skeptic",
        },
        {
            "question": "What would quality mean here if it were no matter of rhythm at all?",
            "target_layer": "L5",
            "target_element": "frames[0]",
            "stance": "frame_skeptic",
        },
        {
            "question": "Suppose weekly releases do raise quality: what would you measure first to see it?",
            "target_layer": "L7",
            "target_element": "claims[0]",
            "stance": "steelman",
        },
    ],
    "self_ranking": [1, 0, 2, 3],
    "self_update_proposal": None,
    "tool_request": None,
}

RAW_JA: dict[str, Any] = {
    "feature_map": {
        "surface_terms": ["週次リリース", "品質"],
        "claims": ["週次リリースは品質を上げる"],
        "evidence": ["問題が早く見つかる"],
        "tensions_input_internal": ["問題が早く見つかることと、問題が減ることは同じではない"],
        "tensions_memory_cross": [],
        "assumptions": ["どのチームも担当部分を一週間で検証できる", "品質はリリースによって見えるものである"],
        "frames": ["品質をリズムの問題とみなす"],
    },
    "search_decision": {"search_needed": False, "reason": "概念の整理である", "queries": []},
    "question_candidates": [
        {
            "question": "一週間で担当部分を検証できないチームはどこで、何を省くことになるか?",
            "target_layer": "L4",
            "target_element": "assumptions[0]",
            "stance": "claim_skeptic",
        },
        {
            "question": "週次リリースで問題が早く見つかるだけなら、何が問題を減らすのか?",
            "target_layer": "L3",
            "target_element": "tensions_input_internal[0]",
            "stance": "claim_skeptic",
        },
        {
            "question": "品質がリズムの問題でないとすれば、ここで品質とは何を指すか?",
            "target_layer": "L5",
            "target_element": "frames[0]",
            "stance": "frame_skeptic",
        },
        {
            "question": "週次リリースで品質が上がるとして、最初に何を測れば分かるか?",
            "target_layer": "L7",
            "target_element": "claims[0]",
            "stance": "steelman",
        },
    ],
    "self_ranking": [1, 0, 2, 3],
    "self_update_proposal": None,
    "tool_request": None,
}


def raw(lang: str = "en") -> dict[str, Any]:
    """A fresh copy to change."""
    return copy.deepcopy(RAW_JA if lang == "ja" else RAW_EN)


def parsed(lang: str = "en", *, candidates: int = 4) -> Analysis:
    """The same, through the parser."""
    return parse_analysis(json.dumps(raw(lang), ensure_ascii=False), candidates)


def scores(*rows: tuple[int, int, int, int], best: object = 0, rationale: str = "") -> str:
    """An evaluator's answer: depth, sharpness, novelty, actionability for 0, 1, 2, ..."""
    axes = ("depth", "sharpness", "novelty", "actionability")
    listed = [{"index": i, **dict(zip(axes, row, strict=True))} for i, row in enumerate(rows)]
    return json.dumps({"scores": listed, "best_index": best, "rationale": rationale}, ensure_ascii=False)
