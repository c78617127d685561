"""Every published part and every round of reflection leaves one line, and no line holds a word."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from rqa_nodes.errors import ModelUnavailableError
from tests.support.graphs import analysis, evaluation, with_memory_saver
from tests.support.opened import Opened
from tests.support.turns import FORMS, LEVELS, Form, tell

pytestmark = pytest.mark.thinned

both = pytest.mark.parametrize("lang", ["en", "ja"])
forms = pytest.mark.parametrize("form", FORMS)

_REPLY = {"en": "As we agreed, it pays [m:zzzzz9].", "ja": "先ほど確認した通り、元が取れます[m:zzzzz9]。"}
_QUESTIONS = {
    "en": ["What would the mill lose?", "Who says that it must move upstream?", "Is the wrong question asked here?"],
    "ja": ["製粉所は何を失いますか？", "上流に移すと誰が困りますか？", "そもそも問いの立て方はどこで違うのですか？"],
}
_SECOND_BEST_FIRST = evaluation((5, 5, 5, 5), (9, 9, 8, 9), (4, 4, 4, 4), best=1, rationale="the river is new")


class _Kept(list[Mapping[str, Any]]):
    def record(self, lines: Sequence[Mapping[str, Any]]) -> None:
        self.extend(lines)


def _keep(services: Any) -> _Kept:
    services.telemetry = _Kept()
    return services.telemetry  # type: ignore[no-any-return]  # the attribute just set


@both
@forms
def test_a_side_reflection_leaves_a_line_a_part_and_one_a_round(lang: str, form: Form, opened: Opened) -> None:
    services = opened([_REPLY[lang], analysis(_QUESTIONS[lang])], [_SECOND_BEST_FIRST])
    kept = _keep(services)
    told = tell(with_memory_saver(services), LEVELS[lang][2], form=form)
    assert [(line["kind"], line.get("part")) for line in kept] == [
        ("part", "answer"),
        ("part", "question"),
        ("round", None),
    ]
    answer, question, row = kept
    assert {line["turn"] for line in kept} == {told.result.turn}
    assert (answer["level"], answer["reason"], answer["lang"]) == (2, "open_question", lang)
    assert answer["seconds"] > 0
    assert answer["found"] == {"unknown_id": 1, "unbacked_history": 1}
    assert (answer["left"], answer["question"], question["question"]) == ({}, "", "earned")
    assert (row["round"], row["candidates"], row["kept"], row["shortlist"]) == (1, 3, [0, 1, 2], [0, 1, 2])
    assert (row["layers"], row["stances"][0]) == (["L3", "L4", "L5"], "claim_skeptic")
    assert [score["total"] for score in row["scores"]] == [20, 35, 16]
    assert (row["chosen"], row["score"], row["single_shot"]) == (1, 35, 20)
    assert (row["adopted"], row["uses_memory"], row["stop"]) == (True, False, "depth_threshold_reached")
    assert (row["violations"], row["issues"], row["stripped"]) == ([], [], {})
    assert "degraded" not in row


@both
def test_a_degraded_round_says_why_and_its_question_was_not_adopted(lang: str, opened: Opened) -> None:
    services = opened([_REPLY[lang], analysis(_QUESTIONS[lang])], [ModelUnavailableError("429")])
    kept = _keep(services)
    tell(with_memory_saver(services), LEVELS[lang][2])
    row = kept[-1]
    assert (row["kind"], row["degraded"], row["chosen"], row["adopted"]) == ("round", "unavailable", 0, False)
    assert (row["scores"], row["score"], row["single_shot"]) == ([], None, None)


@both
def test_the_panel_leaves_a_line_a_round_and_only_the_last_one_ends(lang: str, opened: Opened) -> None:
    low = evaluation((5, 5, 5, 5), (4, 4, 4, 4), (3, 3, 3, 3))
    services = opened([analysis(_QUESTIONS[lang])] * 2, [low, _SECOND_BEST_FIRST])
    kept = _keep(services)
    tell(with_memory_saver(services), LEVELS[lang][3], depth=2)
    assert [line["kind"] for line in kept] == ["part", "round", "round"]
    first, last = kept[1:]
    assert "stop" not in first
    assert (last["stop"], last["score"], last["single_shot"]) == ("depth_threshold_reached", 35, 20)


@both
def test_what_a_gate_stopped_is_in_its_round(lang: str, opened: Opened) -> None:
    bad = analysis(_QUESTIONS[lang], tool_request={"tool": "shell", "reason": "r", "query": "q", "expected_use": "u"})
    services = opened([bad], [_SECOND_BEST_FIRST])
    kept = _keep(services)
    tell(with_memory_saver(services), LEVELS[lang][3], depth=1)
    row = kept[-1]
    assert row["violations"] == ["tool_permission"]
    assert (row["stop"], row["adopted"]) == ("boundary_violation_detected", False)


@both
def test_the_light_levels_leave_one_line(lang: str, opened: Opened) -> None:
    services = opened([_REPLY[lang]])
    kept = _keep(services)
    graph = with_memory_saver(services)
    tell(graph, LEVELS[lang][0])
    tell(graph, LEVELS[lang][1])
    assert [(line["part"], line["level"], line["question"]) for line in kept] == [
        ("fixed", 0, "not_routed"),
        ("answer", 1, "not_routed"),
    ]


@both
def test_no_line_holds_a_word_of_anybody(lang: str, opened: Opened) -> None:
    services = opened(
        [_REPLY[lang], analysis(_QUESTIONS[lang])] + [analysis(_QUESTIONS[lang])] * 3, [_SECOND_BEST_FIRST] * 4
    )
    kept = _keep(services)
    graph = with_memory_saver(services)
    tell(graph, LEVELS[lang][2])
    tell(graph, LEVELS[lang][3])
    text = json.dumps(kept, ensure_ascii=False)
    words = {
        "en": ["mill", "river", "agreed", "zzzzz9", "assumption under", "mara"],
        "ja": ["製粉", "川", "確認", "zzzzz9"],
    }
    assert not [word for word in words[lang] if word in text]
