"""What leaves a turn is committed once and whole: after crashes, in the past of a thread, and on a full disk."""

from __future__ import annotations

from typing import Any

import pytest
from langchain_core.messages import HumanMessage
from langgraph.types import Command

from rqa_checkpoints.provenance import Scope, SourceClass
from rqa_graph.turns import Graph
from tests.support.faults import Killed, break_commits
from tests.support.graphs import analysis, evaluation, with_memory_saver
from tests.support.opened import Opened
from tests.support.turns import FORMS, LEVELS, Form, config_of, resume, tell

pytestmark = pytest.mark.thinned

MARA = Scope("local", "mara")
_BAD = "zqzqz9"

both = pytest.mark.parametrize("lang", ["en", "ja"])
forms = pytest.mark.parametrize("form", FORMS)

_SAID = {"en": "My sister Ines keeps bees near Lund.", "ja": "妹のイネスはルンドの近くで蜂を飼っています。"}
_REPLY = {
    "en": f"Heather honey is harvested in August. The hives face south [m:{_BAD}].",
    "ja": f"ヒースの蜂蜜は八月に採れます。巣箱は南向きです[m:{_BAD}]。",
}
_OTHER = {"en": "Linden honey is lighter than that.", "ja": "菩提樹の蜂蜜はもっと淡い色です。"}
_QUESTIONS = [
    "What would the mill lose?",
    "Who pays for the mill if the river dries up?",
    "Is upstream the thing to choose here?",
]
_WEAK = evaluation((5, 5, 5, 5), (4, 4, 4, 4), (4, 4, 4, 4))
_GOOD = evaluation((9, 9, 8, 9), (5, 5, 5, 5), (4, 4, 4, 4), rationale=f"sharp, as [m:{_BAD}] shows")


def _before(graph: Graph, node: str, *, nth: int = 0) -> Any:
    """The config of the nth newest checkpoint from which a node would run next."""
    return [s.config for s in graph.get_state_history(config_of()) if s.next == (node,)][nth]


class TestAfterACrash:
    @both
    @forms
    def test_between_commit_and_checkpoint_nothing_is_written_twice(
        self, lang: str, form: Form, opened: Opened
    ) -> None:
        services = opened([_REPLY[lang]])
        graph = with_memory_saver(services)
        memory = break_commits(services, "killed_after")
        with pytest.raises(Killed):
            tell(graph, _SAID[lang], form=form)
        before = services.memory.state_hash()
        waiting = graph.get_state(config_of())
        assert waiting.next == ("verify",)
        told = resume(graph, form=form)
        assert [result.state for result in memory.results] == ["written", "repeated"]
        assert services.memory.state_hash() == before
        assert told.result.turn == waiting.values["turn"]["turn_id"]
        (part,) = services.memory.turn(told.result.turn, scope=MARA)
        assert told.result.report == part.report
        assert told.result.report["counts"] == {"unknown_id": 1}
        assert [row["id"] for row in told.result.memory["written"]] == list(part.written)
        assert [m.type for m in told.state["messages"]] == ["human", "ai"]
        assert services.memory.removals(told.result.turn, scope=MARA) != []

    @both
    @forms
    def test_before_the_commit_the_turn_goes_on_under_its_id(self, lang: str, form: Form, opened: Opened) -> None:
        services = opened([_REPLY[lang]])
        graph = with_memory_saver(services)
        break_commits(services, "killed_before")
        with pytest.raises(Killed):
            tell(graph, _SAID[lang], form=form)
        assert services.memory.list(scope=MARA) == []
        turn_id = graph.get_state(config_of()).values["turn"]["turn_id"]
        told = resume(graph, form=form)
        assert told.result.turn == turn_id
        assert len(services.memory.turn(turn_id, scope=MARA)) == 1
        assert services.memory.list(scope=MARA) != []

    def test_between_question_and_checkpoint_the_question_is_asked_once(self, opened: Opened) -> None:
        services = opened(["Both can work.", analysis(_QUESTIONS)], [_GOOD])
        graph = with_memory_saver(services)
        memory = break_commits(services, "ok", "killed_after")
        with pytest.raises(Killed):
            tell(graph, LEVELS["en"][2])
        before = services.memory.state_hash()
        told = resume(graph)
        assert [result.state for result in memory.results] == ["written", "written", "repeated"]
        assert services.memory.state_hash() == before
        assert told.result.question == _QUESTIONS[0]
        assert [m.text for m in told.state["messages"]] == [LEVELS["en"][2], "Both can work.", _QUESTIONS[0]]


class TestInThePast:
    @both
    def test_the_same_reply_again_is_the_same_turn(self, lang: str, opened: Opened) -> None:
        services = opened([_REPLY[lang], _REPLY[lang]])
        graph = with_memory_saver(services)
        first = tell(graph, _SAID[lang])
        before = services.memory.state_hash()
        again = resume(graph, _before(graph, "answer"))
        assert services.memory.state_hash() == before
        assert (again.result.turn, again.state["turn"]["forked_from"]) == (first.result.turn, "")
        assert again.result.report == first.result.report

    @both
    @forms
    def test_another_reply_is_a_fork(self, lang: str, form: Form, opened: Opened) -> None:
        services = opened([_REPLY[lang], _OTHER[lang]])
        graph = with_memory_saver(services)
        first = tell(graph, _SAID[lang])
        again = resume(graph, _before(graph, "answer"), form=form)
        assert again.result.turn != first.result.turn
        assert again.state["turn"]["forked_from"] == first.result.turn
        (old,) = services.memory.turn(first.result.turn, scope=MARA)
        (new,) = services.memory.turn(again.result.turn, scope=MARA)
        assert (new.forked_from, new.reply_text, new.user_text) == (first.result.turn, _OTHER[lang], _SAID[lang])
        assert old.reply_text != new.reply_text
        said = [node for node in services.memory.list(scope=MARA) if node.source is SourceClass.user]
        assert [(node.text, node.seen) for node in said] == [(_SAID[lang], 1)]

    @both
    def test_another_message_is_a_fork(self, lang: str, opened: Opened) -> None:
        services = opened([_REPLY[lang], _OTHER[lang]])
        graph = with_memory_saver(services)
        first = tell(graph, _SAID[lang])
        edited = HumanMessage(_OTHER[lang], id=first.state["turn"]["message_id"])
        change: Any = Command(update={"messages": [edited]}, goto="recall")
        again = resume(graph, graph.update_state(_before(graph, "recall"), change, as_node="route"))
        (part,) = services.memory.turn(again.result.turn, scope=MARA)
        assert (part.forked_from, part.user_text) == (first.result.turn, _OTHER[lang])
        assert again.result.text == part.reply_text

    def test_from_its_very_beginning_it_is_another_turn_that_leaves_no_item_twice(self, opened: Opened) -> None:
        services = opened([_REPLY["en"], _REPLY["en"]])
        graph = with_memory_saver(services)
        first = tell(graph, _SAID["en"])
        items = {node.id: node.seen for node in services.memory.list(scope=MARA)}
        again = resume(graph, _before(graph, "route"))
        assert again.result.turn != first.result.turn
        assert {node.id: node.seen for node in services.memory.list(scope=MARA)} == items
        assert [m.type for m in again.state["messages"]] == ["human", "ai"]

    def test_a_crash_within_a_fork_makes_no_second_fork(self, opened: Opened) -> None:
        services = opened([_REPLY["en"], _OTHER["en"]])
        graph = with_memory_saver(services)
        first = tell(graph, _SAID["en"])
        break_commits(services, "ok", "killed_after")
        with pytest.raises(Killed):
            resume(graph, _before(graph, "answer"))
        before = services.memory.state_hash()
        again = resume(graph)
        assert services.memory.state_hash() == before
        assert [part.turn_id for part in services.memory.turns(scope=MARA)] == [again.result.turn, first.result.turn]
        assert again.state["turn"]["forked_from"] == first.result.turn

    def test_another_side_question_is_a_fork_and_the_answer_stays(self, opened: Opened) -> None:
        services = opened(["Both can work.", analysis(_QUESTIONS), analysis(_QUESTIONS[1:])], [_GOOD, _GOOD])
        graph = with_memory_saver(services)
        first = tell(graph, LEVELS["en"][2])
        again = resume(graph, _before(graph, "analyse"))
        assert (first.result.question, again.result.question) == (_QUESTIONS[0], _QUESTIONS[1])
        assert again.result.text == first.result.text == "Both can work."
        assert again.state["turn"]["forked_from"] == first.result.turn
        assert len(services.memory.turns(scope=MARA)) == 3


class TestWhenNothingCanBeWritten:
    @pytest.mark.parametrize(
        ("lang", "reply", "claim"),
        [
            ("en", "Heather honey is ripe in August. I have saved that for you.", "I have saved"),
            ("en", "I will remember that your sister keeps bees.", "I will remember"),
            ("ja", "ヒースの蜂蜜は八月に採れます。そのことを記録しました。", "記録しました"),
            ("ja", "妹さんのことは覚えておきます。", "覚えておきます"),
        ],
    )
    @forms
    def test_it_is_shown_with_its_receipts_taken_back(
        self, lang: str, reply: str, claim: str, form: Form, opened: Opened
    ) -> None:
        services = opened([reply])
        graph = with_memory_saver(services)
        break_commits(services, "disk_full")
        told = tell(graph, _SAID[lang], form=form)
        assert told.result.stored is False
        assert claim not in told.result.text
        assert told.result.report["counts"]["false_receipt"] == 1
        assert told.shown("answer") == told.result.text != ""
        assert services.memory.list(scope=MARA) == []
        assert services.memory.turns(scope=MARA) == []
        assert told.events[-1] == {"type": "committed", "part": "answer", "turn_id": told.result.turn, "stored": False}

    @both
    def test_a_receipt_stands_where_the_commit_has_returned(self, lang: str, opened: Opened) -> None:
        reply = {"en": "I have saved that for you.", "ja": "そのことを記録しました。"}[lang]
        told = tell(with_memory_saver(opened([reply])), _SAID[lang])
        assert (told.result.text, told.result.stored) == (reply, True)

    def test_no_side_question_follows_and_the_next_turn_is_stored_again(self, opened: Opened) -> None:
        services = opened(["Both can work.", "Stockholm."], [_GOOD])
        graph = with_memory_saver(services)
        break_commits(services, "disk_full")
        told = tell(graph, LEVELS["en"][2])
        assert (told.result.question, told.result.question_reason) == (None, "not_stored")
        assert tell(graph, LEVELS["en"][1]).result.stored is True


class TestAnEmptyDraft:
    def test_appends_no_message_and_writes_no_item(self, opened: Opened) -> None:
        services = opened([_REPLY["en"], "never"])
        graph = with_memory_saver(services)
        break_commits(services, "killed_before")
        with pytest.raises(Killed):
            tell(graph, _SAID["en"])
        told = resume(graph, graph.update_state(config_of(), {"draft": None}, as_node="answer"))
        assert [m.type for m in told.state["messages"]] == ["human"]
        assert services.memory.list(scope=MARA) == []
        assert (told.result.text, told.result.report["text"]) == ("", "")

    def test_of_a_question_leaves_its_outcome_only(self, opened: Opened) -> None:
        services = opened(["Both can work.", analysis(_QUESTIONS)], [_WEAK])
        told = tell(with_memory_saver(services), LEVELS["en"][2])
        answer, question = services.memory.turn(told.result.turn, scope=MARA)
        assert (question.part, question.outcome, question.reply_text, question.written) == ("question", "score", "", ())
        assert answer.outcome == ""
        assert len(told.state["messages"]) == 2


class TestRemovedWords:
    @pytest.mark.parametrize("level", [1, 2, 3])
    @forms
    def test_lie_in_the_audit_record_alone(self, level: int, form: Form, opened: Opened) -> None:
        drafts = [f"{_QUESTIONS[0]} [m:{_BAD}]", *_QUESTIONS[1:]]
        replies = {1: [_REPLY["en"]], 2: [_REPLY["en"], analysis(drafts)], 3: [analysis(drafts)]}[level]
        services = opened(replies, [_GOOD])
        graph = with_memory_saver(services)
        told = tell(graph, LEVELS["en"][level], form=form)
        words = [row["text"] for row in services.memory.removals(told.result.turn, scope=MARA)]
        assert len([text for text in words if _BAD in text]) == {1: 1, 2: 3, 3: 2}[level]
        saver: Any = graph.checkpointer
        assert f"[m:{_BAD}" not in repr(saver.storage) + repr(saver.blobs) + repr(saver.writes)

    def test_of_a_rationale_are_counted_in_the_panel(self, opened: Opened) -> None:
        services = opened([analysis(_QUESTIONS)], [_GOOD])
        panel = tell(with_memory_saver(services), LEVELS["en"][3]).result.panel
        assert panel is not None
        assert [(row["kind"], row["part"]) for row in panel["boundary"]["stripped"]] == [("unknown_id", "rationale")]


class TestAMessageInTheState:
    def test_that_claims_the_users_voice_for_the_assistants_words_supports_nothing(self, opened: Opened) -> None:
        guess = "You are afraid of failing at the half-marathon."
        claim = f"As we established, {guess[0].lower()}{guess[1:]}"
        services = opened([guess, claim, claim])
        graph = with_memory_saver(services)
        first = tell(graph, "I keep missing my morning run.")
        answer = first.state["messages"][-1]
        graph.update_state(config_of(), {"messages": [HumanMessage(answer.text, id=answer.id)]}, as_node="verify")
        told = tell(graph, "What is known about my run?")
        assert [m.type for m in told.state["messages"]][:2] == ["human", "human"]
        assert "established" not in told.result.text
