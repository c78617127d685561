"""One completion drafts everything; a second one is bought only by a fault, and no word of a failed one is kept."""

from __future__ import annotations

import json
from datetime import datetime, timedelta
from typing import Any

import pytest

from rqa_graph.bound_model import BoundChatModel
from rqa_nodes import models
from rqa_nodes.errors import ModelUnavailableError
from rqa_nodes.prompts import read
from tests.support.graphs import analysis, evaluation, with_memory_saver
from tests.support.opened import Opened
from tests.support.turns import FORMS, LEVELS, Form, Told, config_of, resume, tell

pytestmark = pytest.mark.thinned

both = pytest.mark.parametrize("lang", ["en", "ja"])
forms = pytest.mark.parametrize("form", FORMS)

_QUESTIONS = {
    "en": ["What would the mill lose upstream?", "Who pays for the mill?", "Is upstream the thing to choose?"],
    "ja": ["製粉所は上流で何を失いますか？", "製粉所の費用は誰が払いますか？", "選ぶべきなのは上流ですか？"],
}
_GOOD = evaluation((9, 9, 8, 9), (5, 5, 5, 5), (4, 4, 4, 4))
_REVIEWED = [{"locator": "note.md", "text": "The mill always pays for itself. 製粉所は必ず元が取れる。"}]

_BROKEN = {
    "empty": "",
    "prose": "zqzqz9 is what I think of it.",
    "cut off": analysis(_QUESTIONS["en"])[:200] + " zqzqz9",
    "a list": '["zqzqz9"]',
    "other fields": json.dumps({"zqzqz9": 1, "claims": ["x"]}),
}


def _alike(lang: str) -> str:
    """Drafts on one layer with one stance."""
    value = json.loads(analysis(_QUESTIONS[lang], claims=["one claim", "another claim", "a third claim"]))
    for number, draft in enumerate(value["question_candidates"]):
        draft |= {"target_layer": "L3", "stance": "claim_skeptic", "target_element": f"claims[{number}]"}
    return json.dumps(value, ensure_ascii=False)


def _review(opened: Opened, replies: list[Any], lang: str, form: Form, **context: Any) -> tuple[Told, Any]:
    services = opened(replies, [_GOOD] * 3)
    told = tell(with_memory_saver(services), LEVELS[lang][3], form=form, documents=_REVIEWED, depth=1, **context)
    return told, services.chat("")


@both
@forms
@pytest.mark.parametrize("fault", _BROKEN)
def test_what_cannot_be_read_is_asked_for_once_more(fault: str, lang: str, form: Form, opened: Opened) -> None:
    told, model = _review(opened, [_BROKEN[fault], analysis(_QUESTIONS[lang])], lang, form)
    (row,) = told.result.rounds
    assert (row["completions"], len(model.prompts)) == (2, 2)
    assert "failed" not in row
    assert told.result.question == _QUESTIONS[lang][0]
    assert told.result.engine == "scripted"


@both
@forms
@pytest.mark.parametrize("fault", _BROKEN)
def test_twice_unreadable_is_no_analysis_and_leaves_no_word_behind(
    fault: str, lang: str, form: Form, opened: Opened
) -> None:
    told, model = _review(opened, [_BROKEN[fault]] * 2, lang, form)
    assert len(model.prompts) == 2
    assert (told.result.engine, told.result.degraded) == ("builtin", True)
    assert told.result.degraded_reason != ""
    assert "zqzqz9" not in repr(told.state)
    assert told.result.question is not None


@both
@forms
def test_drafts_that_are_too_alike_are_replaced_once_by_better_ones(lang: str, form: Form, opened: Opened) -> None:
    told, model = _review(opened, [_alike(lang), analysis(_QUESTIONS[lang])], lang, form)
    (row,) = told.result.rounds
    assert (row["completions"], row["issues"]) == (2, [])
    assert {"en": "too alike", "ja": "似すぎていた"}[lang] in read(model.prompts[1]).feedback
    assert told.result.question == _QUESTIONS[lang][0]


@forms
def test_of_two_sets_the_better_one_stays(form: Form, opened: Opened) -> None:
    told, _ = _review(opened, [analysis(_QUESTIONS["en"][:2]), _alike("en")], "en", form)
    (row,) = told.result.rounds
    assert row["completions"] in (1, 2)
    assert told.result.question == _QUESTIONS["en"][0]


@forms
def test_a_retry_does_not_use_up_the_regeneration(form: Form, opened: Opened) -> None:
    told, model = _review(opened, ["no", _alike("en"), analysis(_QUESTIONS["en"])], "en", form)
    (row,) = told.result.rounds
    assert (row["completions"], len(model.prompts), row["issues"]) == (3, 3, [])
    assert told.result.stop_reason == "depth_threshold_reached"


@forms
def test_a_quick_budget_has_no_regeneration(form: Form, opened: Opened) -> None:
    services = opened([_alike("en"), analysis(_QUESTIONS["en"])], [_GOOD])
    told = tell(with_memory_saver(services), LEVELS["en"][3], form=form)
    (row,) = told.result.rounds
    assert (told.result.budget, row["completions"]) == ("quick", 1)
    assert row["issues"] != []


@both
@forms
def test_an_unavailable_model_is_not_asked_twice(lang: str, form: Form, opened: Opened) -> None:
    told, model = _review(opened, [ModelUnavailableError("`m` cannot be reached")] * 2, lang, form)
    assert len(model.prompts) == 1
    assert (told.result.engine, told.result.degraded_reason) == ("builtin", "`m` cannot be reached")


@forms
def test_a_later_round_that_fails_leaves_the_best_of_the_earlier_ones(form: Form, opened: Opened) -> None:
    weak = evaluation((6, 6, 6, 6), (5, 5, 5, 5), (4, 4, 4, 4))
    services = opened([analysis(_QUESTIONS["en"]), ModelUnavailableError("gone")], [weak])
    told = tell(with_memory_saver(services), LEVELS["en"][3], form=form, documents=_REVIEWED)
    assert told.result.stop_reason == "model_unavailable"
    assert told.result.question == _QUESTIONS["en"][0]
    assert [row.get("failed", "") for row in told.result.rounds] == ["", "gone"]


@forms
def test_after_a_built_in_answer_the_side_reflection_asks_no_broken_model(form: Form, opened: Opened) -> None:
    services = opened([ModelUnavailableError("down"), analysis(_QUESTIONS["en"])], [_GOOD])
    told = tell(with_memory_saver(services), LEVELS["en"][2], form=form)
    model: Any = services.chat("")
    assert len(model.prompts) == 1
    assert [row["engine"] for row in told.result.rounds] == ["builtin"]


@both
def test_the_generator_sees_the_fragments_of_its_budget_and_the_document(lang: str, opened: Opened) -> None:
    _, model = _review(opened, [analysis(_QUESTIONS[lang])], lang, "sync", candidates=5)
    parts = read(model.prompts[0])
    assert (parts.task, parts.lang, parts.candidates) == ("analyse", lang, 5)
    assert [part.text for part in parts.documents] == [_REVIEWED[0]["text"]]
    assert parts.user_text == LEVELS[lang][3]


@both
@forms
def test_a_review_resumed_long_after_its_time_still_gets_its_panel(lang: str, form: Form, opened: Opened) -> None:
    services = opened([])
    shift = timedelta()
    clock = services.clock

    def moved() -> datetime:
        return clock() + shift

    services.clock = moved
    late = BoundChatModel(models.builtin(), moved, 60.0)
    down = ModelUnavailableError("the time of this turn is over")
    model: Any = services.chat("")
    model._replies[:] = [down]
    services._resolve = lambda name: late if name == "builtin" else model
    graph = with_memory_saver(services)
    given: Any = {"messages": [{"role": "user", "content": LEVELS[lang][3]}]}
    graph.invoke(given, config_of(), interrupt_before=["analyse"])
    shift = timedelta(days=3)
    told = resume(graph, form=form)
    assert (told.result.engine, told.result.degraded_reason) == ("builtin", "the time of this turn is over")
    assert told.result.stop_reason == "time_limit"
    assert told.result.question is not None
    assert told.result.stored is True
