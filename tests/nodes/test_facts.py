"""What a claim of this turn may rest on: what was really given, from the log, and no more."""

from __future__ import annotations

from typing import Any

import pytest
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage

from rqa_checkpoints.provenance import Scope, SourceClass
from rqa_nodes.errors import ModelUnavailableError
from rqa_nodes.facts import Facts, current_message, gather
from rqa_nodes.prompt_parts import DocumentPart
from rqa_nodes.state import Context
from rqa_nodes.turn import Turn
from tests.support.graphs import with_memory_saver
from tests.support.opened import Opened
from tests.support.turns import LEVELS, tell

MARA = Scope("local", "mara")

_ROWS: list[AnyMessage] = [HumanMessage("a", id="1"), AIMessage("b", id="2"), HumanMessage("c", id="3")]


@pytest.mark.parametrize(("wanted", "position"), [("1", 0), ("3", 2), ("gone", 2), ("", 2)])
def test_the_message_being_answered_is_found_by_its_id(wanted: str, position: int) -> None:
    assert current_message(_ROWS, wanted) == position


def test_without_any_message_of_a_person_there_is_none() -> None:
    assert current_message([AIMessage("b", id="2")], "x") == -1
    assert current_message([], "") == -1


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
