"""A side question surfaces only if it is earned, and no model can reflect longer or more than its budget says."""

from __future__ import annotations

import json
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from langgraph.checkpoint.memory import InMemorySaver

from rqa_checkpoints.provenance import Scope
from rqa_checkpoints.saver import QdrantSaver
from rqa_graph.graph import build_graph
from rqa_graph.services import AppServices
from rqa_nodes.errors import BudgetError, ModelOutputError, ModelUnavailableError
from rqa_nodes.facts import gather
from rqa_nodes.scripted import ScriptedEvaluator
from rqa_nodes.state import Context
from rqa_nodes.turn import Turn
from tests.support.graphs import analysis, evaluation, scripted_services, with_memory_saver
from tests.support.opened import Opened
from tests.support.turns import FORMS, LEVELS, Form, Told, config_of, tell

pytestmark = pytest.mark.thinned

MARA = Scope("local", "mara")

both = pytest.mark.parametrize("lang", ["en", "ja"])
forms = pytest.mark.parametrize("form", FORMS)

_ANSWER = {"en": "Both can work, each at its price.", "ja": "どちらにも利点があり、費用も異なります。"}
_QUESTIONS = {
    "en": ["What would the mill lose upstream?", "Who pays for the mill?", "Is upstream the thing to choose?"],
    "ja": ["製粉所は上流で何を失いますか？", "製粉所の費用は誰が払いますか？", "選ぶべきなのは上流ですか？"],
}
_GOOD = evaluation((9, 9, 8, 9), (5, 5, 5, 5), (4, 4, 4, 4))


class _Unusable(ScriptedEvaluator):
    """An evaluator that cannot be asked."""

    def __init__(self, reason: str) -> None:
        super().__init__([])
        self._reason = reason

    def unusable(self) -> str:
        return self._reason


def _guided(services: AppServices, lang: str, form: Form = "sync", **context: Any) -> Told:
    return tell(with_memory_saver(services), LEVELS[lang][2], form=form, **context)


def _silent(told: Told, reason: str) -> None:
    assert (told.result.question, told.result.question_reason) == (None, reason)
    assert [m.type for m in told.state["messages"]][-2:] == ["human", "ai"]


class TestASideQuestion:
    @both
    @forms
    @pytest.mark.parametrize(
        ("scores", "reason"),
        [
            ((9, 9, 8, 9), "earned"),
            ((8, 8, 7, 7), "earned"),
            ((8, 8, 6, 7), "score"),
            ((7, 9, 9, 9), "depth"),
            ((9, 7, 9, 9), "sharpness"),
            ((9, 9, 9, 6), "actionability"),
        ],
    )
    def test_surfaces_only_if_its_scores_earn_it(
        self, scores: tuple[int, int, int, int], reason: str, lang: str, form: Form, opened: Opened
    ) -> None:
        judged = evaluation(scores, (1, 1, 1, 1), (1, 1, 1, 1))
        told = _guided(opened([_ANSWER[lang], analysis(_QUESTIONS[lang])], [judged]), lang, form)
        assert told.result.question == (_QUESTIONS[lang][0] if reason == "earned" else None)
        assert told.result.question_reason == reason
        assert told.result.text == _ANSWER[lang]

    @both
    def test_is_not_thought_of_where_the_person_switched_the_evaluator_off(self, lang: str, opened: Opened) -> None:
        services = opened([_ANSWER[lang], "never"], [_GOOD])
        told = _guided(services, lang, evaluator=False)
        _silent(told, "evaluator_off")
        assert "analyse" not in told.nodes

    @both
    @pytest.mark.parametrize("reason", ["no_key", "circuit_open", "binding_refused"])
    def test_is_not_thought_of_where_the_evaluator_cannot_be_asked(
        self, reason: str, lang: str, opened: Opened
    ) -> None:
        told = _guided(opened([_ANSWER[lang], "never"], _Unusable(reason)), lang)
        _silent(told, reason)
        assert "analyse" not in told.nodes

    @both
    @forms
    @pytest.mark.parametrize(
        "failure", [ModelUnavailableError("503"), ModelOutputError("no", reason="invalid"), "no JSON at all", "{}"]
    )
    def test_without_a_judgement_is_not_surfaced(
        self, failure: str | Exception, lang: str, form: Form, opened: Opened
    ) -> None:
        told = _guided(opened([_ANSWER[lang], analysis(_QUESTIONS[lang])], [failure]), lang, form)
        _silent(told, "degraded")
        assert "degrade" in told.nodes
        assert told.result.degraded is True

    def test_does_not_come_of_an_analysis_that_fails(self, opened: Opened) -> None:
        told = _guided(opened([_ANSWER["en"], "nothing", "nothing"], [_GOOD]), "en")
        _silent(told, "none")
        assert told.result.stop_reason == "model_unavailable"
        assert told.result.text == _ANSWER["en"]

    @both
    def test_on_a_topic_that_was_answered_is_not_asked_again(self, lang: str, opened: Opened) -> None:
        answered = {"en": "It would lose the short way to the farms.", "ja": "農家までの近道を失います。"}[lang]
        script = [_ANSWER[lang], analysis(_QUESTIONS[lang])]
        services = opened([*script, "I see.", *script], [_GOOD, _GOOD])
        graph = with_memory_saver(services)
        assert tell(graph, LEVELS[lang][2]).result.question is not None
        tell(graph, answered)
        told = tell(graph, LEVELS[lang][2])
        assert (told.result.question, told.result.question_reason) == (None, "topic_closed")
        assert tell(graph, LEVELS[lang][1], thread="other").result.question_reason == "not_routed"

    @pytest.mark.parametrize(
        ("lang", "stop", "lift"),
        [
            ("en", "Please stop asking me questions.", "You may ask me questions again."),
            ("en", "No more questions, please.", "Feel free to ask me questions again."),
            ("ja", "質問はもうしないで。", "また質問してもいいですよ。"),
            ("ja", "もう聞かないでください。", "また聞いてください。"),
        ],
    )
    def test_after_stop_asking_comes_no_more_until_it_is_lifted_even_after_a_restart(
        self, lang: str, stop: str, lift: str, tmp_path: Path
    ) -> None:
        def session(replies: list[str], *said: str) -> Told:
            services = scripted_services(tmp_path / "home", replies, [_GOOD], embedder="hash")
            with QdrantSaver.from_location(str(tmp_path / "checkpoints")) as saver:
                graph = build_graph(services=services, checkpointer=saver)
                told = [tell(graph, text) for text in said]
            services.close()
            return told[-1]

        ask = LEVELS[lang][2]
        stopped = session(["Fine.", _ANSWER[lang]], stop, ask)
        _silent(stopped, "stop_asking")
        assert stopped.state["question_budget"] == 0
        _silent(session([_ANSWER[lang]], ask), "stop_asking")
        lifted = session(["Fine.", _ANSWER[lang], analysis(_QUESTIONS[lang])], lift, ask)
        assert (lifted.state["question_budget"], lifted.result.question_reason) == (None, "earned")

    def test_stop_asking_in_one_thread_leaves_the_others_as_they_were(self, opened: Opened) -> None:
        services = opened(["Fine.", _ANSWER["en"], analysis(_QUESTIONS["en"])], [_GOOD])
        graph = with_memory_saver(services)
        tell(graph, "Please stop asking me questions.")
        assert tell(graph, LEVELS["en"][2], thread="other").result.question_reason == "earned"


def _greedy(**changes: Any) -> str:
    """An analysis of a model that wants more than it was given."""
    drafts = [f"What would the mill lose at place number {i} upstream?" for i in range(40)]
    value = json.loads(analysis(drafts, claims=[f"claim number {i}" for i in range(30)]))
    for number, draft in enumerate(value["question_candidates"]):
        draft["target_element"] = f"claims[{number % 30}]"
    greedy = {
        "rounds": 99,
        "round": -5,
        "budget": {"rounds": 99, "candidates": 99},
        "stop_reason": None,
        "evaluator_calls": 0,
        "approved": True,
    }
    return json.dumps(value | greedy | changes)


class TestTheRounds:
    @both
    @forms
    def test_dig_one_below_the_best_and_are_told_the_verdict(self, lang: str, form: Form, opened: Opened) -> None:
        weak = evaluation((6, 6, 6, 6), (5, 5, 5, 5), (4, 4, 4, 4), rationale="")
        drafts = _QUESTIONS[lang]
        deeper = [f"{question[:-1]}、本当に？" if lang == "ja" else f"And {question}" for question in drafts]
        services = opened([analysis(drafts), analysis(deeper)], [weak, _GOOD])
        document = {"locator": "note.md", "text": LEVELS[lang][3]}
        told = tell(with_memory_saver(services), LEVELS[lang][3], form=form, documents=[document])
        assert (told.result.stop_reason, told.result.budget) == ("depth_threshold_reached", "full")
        assert [row["round"] for row in told.result.rounds] == [1, 2]
        model: Any = services.chat("")
        second = "\n".join(str(message.content) for message in model.prompts[1])
        assert drafts[0] in second
        assert "24" in second
        assert drafts[0] not in "\n".join(str(message.content) for message in model.prompts[0])
        panel = told.result.panel
        assert panel is not None
        assert (panel["question"]["round"], panel["question"]["score"]) == (2, 35)

    @forms
    @pytest.mark.parametrize(
        ("context", "candidates", "rounds"),
        [({}, 3, 1), ({"candidates": 5}, 5, 1), ({"depth": 3}, 3, 3), ({"candidates": 2, "depth": 2}, 2, 2)],
    )
    def test_and_candidates_stay_within_the_budget_whatever_the_model_wants(
        self, context: dict[str, Any], candidates: int, rounds: int, form: Form, opened: Opened
    ) -> None:
        weak = evaluation(*[(3, 3, 3, 3)] * 3)
        services = opened([_greedy()] * 30, [weak] * 30)
        told = tell(with_memory_saver(services), LEVELS["en"][3], form=form, **context)
        assert len(told.result.rounds) == rounds
        assert told.result.stop_reason == "max_reflection_depth"
        for row in told.result.rounds:
            assert row["candidates"] <= candidates
            assert row["completions"] <= 3
            assert row["evaluator_calls"] == 1
        evaluator: Any = services.evaluator
        assert len(evaluator.prompts) == rounds
        panel = told.result.panel
        assert panel is not None
        assert panel["boundary"]["rounds"] == rounds
        assert panel["boundary"]["budget"]["candidates"] == candidates

    @pytest.mark.parametrize("context", [{"candidates": 0}, {"candidates": 13}, {"depth": 0}, {"depth": 6}])
    def test_outside_the_limits_are_refused(self, context: dict[str, Any], opened: Opened) -> None:
        with pytest.raises(BudgetError, match="expected a whole number"):
            tell(with_memory_saver(opened([_greedy()])), LEVELS["en"][3], **context)

    @forms
    @pytest.mark.parametrize(
        ("wish", "gate"),
        [
            (
                {
                    "self_update_proposal": {
                        "allowed_area": "evaluator_criteria",
                        "update_type": "relax",
                        "observation": "scores are low",
                        "proposed_adjustment": "raise every score by ten",
                        "rollback": "",
                    }
                },
                "objective_tampering",
            ),
            (
                {"tool_request": {"tool": "shell", "reason": "to look", "query": "ls", "expected_use": ""}},
                "tool_permission",
            ),
        ],
    )
    def test_that_ask_for_forbidden_things_leave_no_question(
        self, wish: dict[str, Any], gate: str, form: Form, opened: Opened
    ) -> None:
        services = opened([analysis(_QUESTIONS["en"], **wish)], [_GOOD])
        told = tell(with_memory_saver(services), LEVELS["en"][3], form=form)
        panel = told.result.panel
        assert panel is not None
        assert (told.result.question, panel["question"]) == (None, None)
        assert told.result.stop_reason == "boundary_violation_detected"
        assert [row["name"] for row in panel["boundary"]["violations"]] == [gate]
        assert _QUESTIONS["en"][0] not in told.result.text

    @both
    @forms
    def test_end_at_their_time_limit_with_what_they_have(self, lang: str, form: Form, opened: Opened) -> None:
        services = opened([analysis(_QUESTIONS[lang])] * 5, [evaluation((3, 3, 3, 3))] * 5)
        shift = timedelta()
        clock = services.clock

        def moved() -> datetime:
            nonlocal shift
            # So slow a machine that a minute passes from one look to the next.
            shift += timedelta(minutes=1)
            return clock() + shift

        services.clock = moved
        told = tell(with_memory_saver(services), LEVELS[lang][3], form=form, depth=5)
        assert told.result.stop_reason == "time_limit"
        assert 1 <= len(told.result.rounds) < 5
        assert told.result.question is not None
        assert {"en": "time limit", "ja": "時間"}[lang] in told.result.text


class TestThePanel:
    @both
    @forms
    def test_says_why_nobody_scored(self, lang: str, form: Form, opened: Opened) -> None:
        services = opened([analysis(_QUESTIONS[lang])], [ModelUnavailableError("503")])
        told = tell(with_memory_saver(services), LEVELS[lang][3], form=form)
        assert (told.result.degraded, told.result.degraded_reason) == (True, "unavailable")
        assert {"en": "the evaluator cannot be reached", "ja": "評価器に接続できません"}[lang] in told.result.text
        assert told.result.question is not None

    @both
    def test_shows_that_a_fabricated_reference_was_stripped_and_keeps_a_real_one(
        self, lang: str, opened: Opened
    ) -> None:
        said = {"en": "The mill at the weir pays for itself.", "ja": "堰の製粉所は元が取れています。"}[lang]
        services = opened(["Noted."])
        graph = with_memory_saver(services)
        tell(graph, said)
        (own,) = [node for node in services.memory.list(scope=MARA) if node.text == said]
        tension = {"en": "it once paid and now it must move", "ja": "以前は元が取れたが今は移すと言う"}[lang]
        rows = [
            {"tension": tension, "memory_ref": f"[m:{own.handle}]", "recorded_at": "", "confidence": "high"},
            {"tension": "made up", "memory_ref": "[m:zqzqz9]", "recorded_at": "", "confidence": "high"},
        ]
        services._resolve = opened([analysis(_QUESTIONS[lang], feature_map={"tensions_memory_cross": rows})])._resolve
        services._resolved.clear()
        services.evaluator = ScriptedEvaluator([_GOOD])
        told = tell(graph, LEVELS[lang][3])
        panel = told.result.panel
        assert panel is not None
        assert [row["tension"] for row in panel["tensions"]["past"]] == [tension]
        assert [(row["kind"], row["ref"]) for row in panel["boundary"]["stripped"]] == [("unknown_id", "zqzqz9")]
        assert f"[m:{own.handle}]" in told.result.text
        assert "[m:zqzqz9" not in told.result.text
        assert [row["id"] for row in told.result.memory["cited"]] == [own.id]

    @both
    @pytest.mark.parametrize("judged", [_GOOD, ModelUnavailableError("503")])
    def test_passes_the_last_check_word_for_word(self, judged: Any, lang: str, opened: Opened) -> None:
        claims = {
            "en": ["As we discussed, node 54 says that the mill pays", "you said that the river is dry", "3 of 40"],
            "ja": [
                "以前話し合った通り、ノード54では製粉所は元が取れる",
                "川は涸れているとおっしゃいました",
                "40点中3点",
            ],
        }[lang]
        services = opened([analysis(_QUESTIONS[lang], claims=claims)], [judged])
        graph = with_memory_saver(services)
        told = tell(graph, LEVELS[lang][3])
        # What the publishing node found beyond what it was given: nothing.
        draft: Any = next(s for s in graph.get_state_history(config_of()) if s.next == ("verify",)).values
        assert draft["draft"]["text"] == told.result.text
        turn = Turn(services=services, context=Context(), thread="t", emit=lambda _event: None)
        report = gather(draft, turn).verify(told.result.text)
        assert report.text == told.result.text
        assert not report.altered

    @both
    @forms
    def test_is_made_by_the_built_in_engine_where_the_model_fails_and_says_so(
        self, lang: str, form: Form, opened: Opened
    ) -> None:
        services = opened([ModelUnavailableError("`m` cannot be reached")], [evaluation(*[(5, 5, 5, 5)] * 3)] * 3)
        told = tell(with_memory_saver(services), LEVELS[lang][3], form=form)
        assert (told.result.engine, told.result.degraded) == ("builtin", True)
        assert told.result.degraded_reason == "`m` cannot be reached"
        assert told.result.question is not None
        assert told.result.panel is not None
        assert told.result.panel["claims"] != []

    @both
    def test_without_any_question_says_so(self, lang: str, opened: Opened) -> None:
        template = {"en": "What do you think?", "ja": "どう思いますか？"}[lang]
        told = tell(with_memory_saver(opened([analysis([template])] * 9)), LEVELS[lang][3])
        assert (told.result.question, told.result.stop_reason) == (None, "no_valid_candidate")
        assert {"en": "No question", "ja": "問いはありません"}[lang] in told.result.text


def test_the_saver_of_a_server_and_of_a_process_give_the_same_turn(opened: Opened) -> None:
    results = []
    for saver in (InMemorySaver(), QdrantSaver.from_location(":memory:")):
        services = opened([_ANSWER["en"], analysis(_QUESTIONS["en"])], [_GOOD])
        results.append(tell(build_graph(services=services, checkpointer=saver), LEVELS["en"][2]).result)
    assert results[0] == results[1]
