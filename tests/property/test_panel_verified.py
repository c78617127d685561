"""The panel is a fixed point of the last check, however its parts are put together."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rqa_nodes.echo import Injected, verify, verify_fields
from rqa_nodes.reflect.budgets import Budget
from rqa_nodes.reflect.choice import choice, runners_up
from rqa_nodes.reflect.diversity import check, with_targets
from rqa_nodes.reflect.panel import Boundary, panel, to_markdown
from rqa_nodes.reflect.parse import parse_analysis
from tests.support.graphs import analysis

_PIECES = {
    "en": [
        "As we established, the mill pays",
        "you said that the river is dry",
        "node 54",
        "past record 12",
        "memory 7 shows it",
        "note #31",
        "I have saved that",
        "3 of 40",
        "in 1999",
        "[m:k3v9xq]",
        "[m:zqzqz9]",
        "we agreed",
        "(237, 238)",
        "[185]",
        "earlier",
        "section 4.2",
        "the plan of the mill",
    ],
    "ja": [
        "先ほど確認した通り、製粉所は元が取れる",
        "川は涸れているとおっしゃいました",
        "ノード54",
        "過去の記録 195/198",
        "165番",
        "記録しました",
        "40点中3点",
        "1999年",
        "[m:k3v9xq]",
        "[m:zqzqz9]",
        "決まった",
        "(237, 238)",
        "【185】",
        "以前の議論",
        "第3章",
        "製粉所の計画",
    ],
}
_BUDGET = Budget(name="quick", candidates=3, rounds=1, fragments=2, regenerations=0, seconds=10)


def _options(lang: str) -> dict[str, Any]:
    return {
        "injected": [Injected(handle="k3v9xq", source="user", text="the river is dry 川は涸れている", id="n_abc")],
        "transcript": [("assistant", "The mill pays. 製粉所は元が取れる。"), ("user", "And the plan?")],
        "written": ["n_new"],
        "user_text": "And the plan?",
        "lang": lang,
    }


def _markdown(lang: str, texts: list[str]) -> str:
    """A panel of these texts, each verified by itself, as the nodes do it."""
    raw = json.loads(analysis([f"{text}?" for text in texts[:3]], claims=texts[3:6]))
    raw["feature_map"] |= {
        "tensions_input_internal": texts[6:7],
        "assumptions": texts[7:8],
        "frames": texts[8:9],
        "tensions_memory_cross": [
            {"tension": texts[9], "memory_ref": "[m:k3v9xq]", "recorded_at": "2026-01-01", "confidence": "high"}
        ],
    }
    raw["search_decision"] = {"search_needed": True, "reason": texts[10], "queries": [texts[11]]}
    verified, report = verify_fields(parse_analysis(json.dumps(raw), 3), **_options(lang))
    whole = with_targets(verified)
    kept = check(whole, 3).kept
    best = choice(whole, kept[0], round_number=1, degraded_reason="unavailable") if kept else None
    if best:
        best["rationale"] = verify(texts[12], **_options(lang)).text
    rest = runners_up(whole, kept, best=kept[0], round_number=1, degraded_reason="unavailable") if kept else []
    boundary = Boundary(
        stop_reason="max_reflection_depth",
        budget=_BUDGET,
        rounds=1,
        injected=1,
        withheld=[{"handle": "aaaaaa", "reason": "quarantined"}],
        stripped=[row for row in report.to_dict()["verdicts"] if row["kind"] != "valid"],
    )
    return to_markdown(panel(whole, best, rest, boundary, lang=lang))


@pytest.mark.parametrize("lang", ["en", "ja"])
def test_what_the_governor_verified_passes_the_last_check_unchanged(lang: str) -> None:
    glue = {"en": " ", "ja": "、"}[lang]
    text = st.lists(st.sampled_from(_PIECES[lang]), min_size=1, max_size=3).map(glue.join)
    panels = {"all": 0, "same": 0}

    @settings(max_examples=60)
    @given(st.lists(text, min_size=13, max_size=13))
    def passes(texts: list[str]) -> None:
        markdown = _markdown(lang, texts)
        once = verify(markdown, **_options(lang))
        again = verify(once.text, **_options(lang))
        assert (again.text, again.altered) == (once.text, False)
        assert "zqzqz9]" not in once.text
        panels["all"] += 1
        panels["same"] += once.text == markdown

    passes()
    # Put together, verified parts are nearly always a verified whole: the words between them claim nothing.
    assert panels["same"] >= 0.95 * panels["all"]
