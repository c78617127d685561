"""The judge sees the input and never memory that is not its own; whatever it does wrong only degrades the round."""

from __future__ import annotations

from typing import Any

import pytest

from rqa_checkpoints.provenance import Scope, SourceClass
from rqa_nodes.errors import ModelOutputError, ModelUnavailableError, OutOfTimeError, PromptTooLargeError
from rqa_nodes.prompts import read
from rqa_nodes.scripted import ScriptedEvaluator
from tests.support.graphs import analysis, evaluation, with_memory_saver
from tests.support.opened import Opened
from tests.support.turns import FORMS, LEVELS, Form, tell

pytestmark = pytest.mark.thinned

MARA = Scope("local", "mara")

both = pytest.mark.parametrize("lang", ["en", "ja"])
forms = pytest.mark.parametrize("form", FORMS)

_QUESTIONS = {
    "en": ["What would the mill lose upstream?", "Who pays for the mill?", "Is upstream the thing to choose?"],
    "ja": ["製粉所は上流で何を失いますか？", "製粉所の費用は誰が払いますか？", "選ぶべきなのは上流ですか？"],
}


class _Remote(ScriptedEvaluator):
    is_local = False


@both
@forms
@pytest.mark.parametrize(
    ("failure", "reason"),
    [
        (ModelUnavailableError("401"), "unavailable"),
        (ModelOutputError("cut off", reason="cut_off"), "bad_answer"),
        (PromptTooLargeError("too long"), "prompt_too_large"),
        ("", "bad_answer"),
        ('{"scores": [{"index": 0, "depth": 99, "sharpness": 9, "novelty": 9, "actionability": 9}]}', "bad_answer"),
        ('{"scores": "zqzqz9"}', "bad_answer"),
    ],
)
def test_a_judge_that_fails_degrades_the_round_with_its_reason(
    failure: Any, reason: str, lang: str, form: Form, opened: Opened
) -> None:
    services = opened([analysis(_QUESTIONS[lang])], [failure])
    told = tell(with_memory_saver(services), LEVELS[lang][3], form=form)
    assert (told.result.degraded, told.result.degraded_reason) == (True, reason)
    assert told.result.rounds[0]["degraded"] == reason
    assert told.result.question == _QUESTIONS[lang][0]
    assert told.result.panel is not None
    assert told.result.panel["question"]["score"] is None
    assert "zqzqz9" not in repr(told.state)
    judge: Any = services.evaluator
    assert judge.usable == [False]


@both
@forms
def test_a_turn_without_time_for_the_judge_is_not_held_against_it(lang: str, form: Form, opened: Opened) -> None:
    services = opened([analysis(_QUESTIONS[lang])], [OutOfTimeError("no time")])
    told = tell(with_memory_saver(services), LEVELS[lang][3], form=form)
    assert told.result.degraded_reason == "out_of_time"
    assert told.result.rounds[0]["evaluator_calls"] == 0
    judge: Any = services.evaluator
    assert judge.usable == []


@both
@forms
def test_a_judge_that_is_switched_off_is_not_asked(lang: str, form: Form, opened: Opened) -> None:
    services = opened([analysis(_QUESTIONS[lang])], [evaluation((9, 9, 9, 9))])
    told = tell(with_memory_saver(services), LEVELS[lang][3], form=form, evaluator=False)
    assert told.result.degraded_reason == "evaluator_off"
    judge: Any = services.evaluator
    assert (judge.prompts, judge.usable) == ([], [])
    assert told.result.rounds[0]["evaluator_calls"] == 0


@both
@forms
def test_the_best_index_counts_and_the_others_are_runners_up(lang: str, form: Form, opened: Opened) -> None:
    judged = evaluation((5, 5, 5, 5), (8, 8, 8, 8), (9, 9, 9, 9), best=1)
    services = opened([analysis(_QUESTIONS[lang])], [judged])
    told = tell(with_memory_saver(services), LEVELS[lang][3], form=form)
    assert told.result.question == _QUESTIONS[lang][1]
    assert told.result.panel is not None
    assert [row["score"] for row in told.result.panel["runners_up"]] == [36, 20]


@both
def test_a_judge_elsewhere_sees_the_input_and_its_document_and_nothing_of_memory(lang: str, opened: Opened) -> None:
    fact = {"en": "The heron nests upstream of the mill.", "ja": "製粉所の裏に鷺が巣を作っている。"}[lang]
    tension = {"en": "the heron nests up there", "ja": "鷺の巣が裏にある"}[lang]
    judge = _Remote([evaluation(*[(9, 9, 8, 9)] * 3)])
    services = opened([], judge)
    node = services.memory.add(fact, scope=MARA, source=SourceClass.user, author="mara")
    row = {"tension": tension, "memory_ref": f"[m:{node.handle}]", "recorded_at": "", "confidence": "high"}
    model: Any = services.chat("")
    model._replies[:] = [analysis(_QUESTIONS[lang], feature_map={"tensions_memory_cross": [row]})]
    document = {"locator": "plan.md", "text": {"en": "The mill moves in May.", "ja": "製粉所は五月に移る。"}[lang]}
    told = tell(with_memory_saver(services), LEVELS[lang][3], documents=[document], depth=1)
    assert node.id in [ref["id"] for ref in told.result.memory["injected"]]
    (prompt,) = judge.prompts
    shown = "\n".join(str(message.content) for message in prompt)
    assert LEVELS[lang][3] in read(prompt).user_text
    assert document["text"] in read(prompt).user_text
    for secret in (fact, tension, node.handle):
        assert secret not in shown
    assert told.result.panel is not None
    assert [past["tension"] for past in told.result.panel["tensions"]["past"]] == [tension]


@forms
def test_where_every_candidate_rests_on_memory_a_judge_elsewhere_is_not_asked(form: Form, opened: Opened) -> None:
    judge = _Remote([evaluation((9, 9, 9, 9))])
    services = opened([], judge)
    node = services.memory.add("The mill is haunted.", scope=MARA, source=SourceClass.user, author="mara")
    row = {"tension": "it is haunted", "memory_ref": f"[m:{node.handle}]", "recorded_at": "", "confidence": "low"}
    drafts = [f"Why move the mill, if [m:{node.handle}] says that it is haunted?"]
    model: Any = services.chat("")
    model._replies[:] = [analysis(drafts, feature_map={"tensions_memory_cross": [row]})] * 2
    told = tell(with_memory_saver(services), LEVELS["en"][3], form=form)
    assert judge.prompts == []
    assert told.result.degraded_reason == "only_memory"
