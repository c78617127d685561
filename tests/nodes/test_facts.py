"""What a claim of this turn may rest on: what was really given, from the log, and no more."""

from __future__ import annotations

from typing import Any

import pytest
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage
from langgraph.types import Command

from rqa_checkpoints.provenance import Scope, SourceClass
from rqa_nodes.errors import ForeignTurnError, ModelUnavailableError
from rqa_nodes.facts import Facts, current_message, gather, given_refs
from rqa_nodes.opening import _interrupted
from rqa_nodes.prompt_parts import DocumentPart
from rqa_nodes.state import Context
from rqa_nodes.turn import Turn
from tests.support.graphs import with_memory_saver
from tests.support.opened import Opened
from tests.support.turns import FORMS, LEVELS, Form, config_of, resume, tell

MARA = Scope("local", "mara")

_ROWS: list[AnyMessage] = [HumanMessage("a", id="1"), AIMessage("b", id="2"), HumanMessage("c", id="3")]


@pytest.mark.parametrize(("wanted", "position"), [("1", 0), ("3", 2), ("gone", 2), ("", 2)])
def test_the_message_being_answered_is_found_by_its_id(wanted: str, position: int) -> None:
    assert current_message(_ROWS, wanted) == position


def test_without_any_message_of_a_person_there_is_none() -> None:
    assert current_message([AIMessage("b", id="2")], "x") == -1
    assert current_message([], "") == -1


def test_what_tools_found_was_given_like_what_was_recalled_and_counts_once() -> None:
    refs = [{"id": name, "handle": name, "source": "external"} for name in "abc"]
    values = {"injected": refs[:2], "tools": [{"items": refs[1:]}, {"items": []}]}
    assert given_refs(values) == refs
    assert given_refs({}) == []


def test_a_question_that_was_stopped_may_refer_to_what_tools_found() -> None:
    ref = {"id": "a", "handle": "a", "source": "external"}
    draft = {"part": "question", "text": "Is it [m:a]?", "author": "scripted"}
    state: Any = {"draft": draft, "asked": ["Is it [m:a]?", "it"], "turn": {}, "tools": [{"items": [ref]}]}
    late = _interrupted(state)
    assert late is not None
    assert late["injected"] == [ref]


def test_the_input_is_the_words_and_the_documents() -> None:
    note = DocumentPart(locator="a.md", text="the note")
    assert Facts(lang="en", user_text="look", documents=(note,)).input_text == "look\n\nthe note"
    assert Facts(lang="en", user_text="", documents=(note,)).input_text == "the note"


@pytest.mark.parametrize("lang", ["en", "ja"])
def test_the_words_of_an_error_are_checked_like_any_text(lang: str) -> None:
    facts = Facts(lang=lang, user_text="x")
    plain = {"en": "`m` at 127.0.0.1 gave no whole answer within 60 s", "ja": "`m` に接続できません"}[lang]
    assert facts.reason(ModelUnavailableError(plain)) == plain
    assert "zqzqz9" not in facts.reason(ModelUnavailableError(f"{plain} [m:zqzqz9]"))


@pytest.mark.parametrize("lang", ["en", "ja"])
def test_what_was_given_comes_from_the_log_whatever_the_state_says(lang: str, opened: Opened) -> None:
    services = opened(["Fine."])
    stranger = services.memory.add("x y z", scope=Scope("local", "juno"), source=SourceClass.user, author="juno")
    own = services.memory.add(LEVELS[lang][2], scope=MARA, source=SourceClass.user, author="mara")
    graph = with_memory_saver(services)
    state: Any = dict(tell(graph, LEVELS[lang][1]).state)
    ref = {"handle": "aaaaaa", "source": "user", "text": "what a client wrote"}
    state["injected"] = [{"id": stranger.id, **ref}, {"id": own.id, **ref}, {"id": "n_made_up", **ref}]
    facts = gather(state, Turn(services=services, context=Context(), thread="t", emit=lambda _event: None))
    assert [(node.id, node.text) for node in facts.nodes] == [(own.id, LEVELS[lang][2])]
    assert [line.handle for line in facts.lines()] == [own.handle]


@pytest.mark.parametrize("lang", ["en", "ja"])
def test_a_row_in_the_users_name_that_the_assistant_wrote_is_the_assistants(lang: str, opened: Opened) -> None:
    reply = {"en": "The weir is built of oak.", "ja": "堰は楢材でできています。"}[lang]
    services = opened([reply])
    graph = with_memory_saver(services)
    state: Any = dict(tell(graph, LEVELS[lang][1]).state)
    own = {"en": "The weir is built of ash.", "ja": "堰は梣材でできています。"}[lang]
    rows = [HumanMessage(reply, id="f1"), HumanMessage(own, id="f2"), AIMessage("Hm.", id="f3", name="Signe")]
    state["messages"] = [*rows, HumanMessage("And?", id="now")]
    state["turn"] = {**state["turn"], "message_id": "now"}
    facts = gather(state, Turn(services=services, context=Context(), thread="t", emit=lambda _event: None))
    assert [(line.role, line.text) for line in facts.transcript] == [
        ("assistant", reply),
        ("user", own),
        ("assistant:Signe", "Hm."),
    ]


class TestWhoseTurnItIs:
    @pytest.mark.parametrize("form", FORMS)
    def test_a_state_that_names_another_opens_no_memory_of_theirs(self, form: Form, opened: Opened) -> None:
        services = opened(["Fine."])
        secret = "The capital of my savings is under the stairs."
        services.memory.add(secret, scope=Scope("local", "juno"), source=SourceClass.user, author="juno")
        graph = with_memory_saver(services)
        given: Any = {"messages": [HumanMessage(LEVELS["en"][1])]}
        graph.invoke(given, config_of(), interrupt_before=["recall"])
        forged = {**graph.get_state(config_of()).values["turn"], "user": "juno"}
        change: Any = Command(update={"turn": forged}, goto="recall")
        graph.update_state(config_of(), change, as_node="route")
        with pytest.raises(ForeignTurnError, match="was not begun by 'mara'"):
            resume(graph, form=form)
        assert secret not in repr(graph.get_state(config_of()).values)

    @pytest.mark.parametrize("form", FORMS)
    def test_a_turn_is_resumed_in_the_name_in_which_it_was_begun(self, form: Form, opened: Opened) -> None:
        services = opened(["Fine."])
        graph = with_memory_saver(services)
        given: Any = {"messages": [HumanMessage(LEVELS["en"][1])]}
        graph.invoke(given, config_of(), context=Context(user="juno"), interrupt_before=["answer"])
        with pytest.raises(ForeignTurnError):
            resume(graph, form=form)
        told = resume(graph, form=form, user="juno")
        assert told.result.text == "Fine."
        assert services.memory.list(scope=MARA) == []
        assert len(services.memory.list(scope=Scope("local", "juno"))) == 2
