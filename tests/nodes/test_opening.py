"""How a turn begins: its id, its level, its plan, and what is taken over from the turn before."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import pytest
from langchain_core.messages import AIMessage, HumanMessage
from langgraph.types import Overwrite

from rqa_checkpoints.provenance import Scope, node_id
from tests.support.graphs import with_memory_saver
from tests.support.opened import Opened
from tests.support.turns import FORMS, LEVELS, Form, config_of, tell

pytestmark = pytest.mark.thinned

MARA = Scope("local", "mara")

both = pytest.mark.parametrize("lang", ["en", "ja"])
forms = pytest.mark.parametrize("form", FORMS)


@both
@forms
def test_the_turn_is_fixed_at_its_beginning(lang: str, form: Form, opened: Opened) -> None:
    told = tell(with_memory_saver(opened(["Fine."])), LEVELS[lang][1], form=form)
    facts = told.state["turn"]
    assert (facts["turn_id"], facts["thread"], facts["forked_from"]) == ("t000000", "t", "")
    assert (facts["tenant"], facts["user"], facts["lang"]) == ("local", "mara", lang)
    time = datetime.fromisoformat(facts["deadline"]) - datetime.fromisoformat(facts["recorded_at"])
    assert time.total_seconds() == 120
    text = LEVELS[lang][1]
    own = node_id(MARA, thread="t", turn_id="t000000", role="user", index=0, text=text)
    assert facts["planned"] == [own]
    assert own in [ref["id"] for ref in told.state["written"]]


@both
@pytest.mark.parametrize("level", [2, 3])
def test_something_is_said_before_anything_is_opened(level: int, lang: str, opened: Opened) -> None:
    services = opened(["Fine."])
    shown: list[dict[str, Any]] = []
    at_opening: list[str] = []
    open_memory = services._open_memory

    def watched() -> Any:
        at_opening.extend(event["type"] for event in shown)
        return open_memory()

    services._open_memory = watched
    graph = with_memory_saver(services)
    given: Any = {"messages": [HumanMessage(LEVELS[lang][level])]}
    from rqa_nodes.opening import route
    from rqa_nodes.state import Context
    from rqa_nodes.turn import Turn

    route(given, Turn(services=services, context=Context(), thread="t", emit=shown.append))
    assert at_opening == ["route", "prelude"]
    assert graph.get_state(config_of()).values == {}


@pytest.mark.parametrize("replaces", [False, True], ids=["appended", "put in place of all"])
def test_ids_that_messages_have_are_kept_and_others_get_one(replaces: bool, opened: Opened) -> None:
    graph = with_memory_saver(opened(["Fine."]))
    rows = [HumanMessage("Earlier.", id="own"), AIMessage("Yes."), HumanMessage("Which colour is it?")]
    given: Any = {"messages": Overwrite(rows) if replaces else rows}
    told = graph.invoke(given, config_of())
    first, *made, last = [str(message.id or "") for message in told["messages"]]
    assert (first, last) == ("own", "t000000-answer")
    assert len({*made, ""}) == 3
    assert [message.text for message in told["messages"]][1:] == ["Yes.", "Which colour is it?", "Fine."]


@pytest.mark.parametrize(("asked_for", "lang"), [("ja", "ja"), ("zh", "zh"), ("", "en"), ("fr", "en"), ("xx", "en")])
def test_the_language_is_the_one_asked_for_or_that_of_the_message(asked_for: str, lang: str, opened: Opened) -> None:
    told = tell(with_memory_saver(opened(["Fine."])), LEVELS["en"][2], lang=asked_for, evaluator=False)
    assert told.result.lang == lang


@pytest.mark.parametrize("lang", ["en", "ja", "zh"])
def test_a_long_message_leaves_a_stub_in_its_language(lang: str, opened: Opened) -> None:
    told = tell(with_memory_saver(opened(["Fine."])), "The weir holds. " * 600, lang=lang)
    stub = told.state["messages"][0]
    assert (
        stub.text
        == {
            "en": "[long text, 9600 characters]",
            "ja": "[長文 9600 文字]",
            "zh": "[长文本，9600 个字符]",
        }[lang]
    )
    assert len(stub.additional_kwargs["rqa_digest"]) == 64


def test_eight_kilobytes_are_counted_in_bytes(opened: Opened) -> None:
    graph = with_memory_saver(opened(["Fine."] * 2))
    short, long = "a" * 8190, "堰" * 2731
    assert tell(graph, short).state["messages"][0].text == short
    assert tell(graph, long, thread="other").state["messages"][0].text != long


@pytest.mark.parametrize("text", ["nul \x00 inside", "a lone \ud83d surrogate", "\u202eturned round\u202c"])
@forms
def test_a_broken_text_is_a_turn_like_any_other(text: str, form: Form, opened: Opened) -> None:
    services = opened(["Fine."])
    told = tell(with_memory_saver(services), f"What about this {text}?", form=form)
    assert (told.result.text, told.result.stored) == ("Fine.", True)
    assert len(services.memory.turns(scope=MARA)) == 1


def test_the_documents_of_one_turn_are_not_those_of_the_next(opened: Opened) -> None:
    services = opened(["nothing"] * 8 + ["Fine."])
    graph = with_memory_saver(services)
    first = tell(graph, "Please look at it.", documents=[{"locator": "a.md", "text": "The mill pays."}], depth=1)
    assert [row["locator"] for row in first.state["documents"]] == ["a.md"]
    model: Any = services.chat("")
    model._replies[:] = ["Fine."]
    second = tell(graph, LEVELS["en"][1])
    assert (second.state["documents"], second.result.level) == ([], 1)


@pytest.mark.parametrize(("lang", "text"), [("en", "What do you think of this?"), ("ja", "これ、どう思いますか？")])
def test_a_bare_this_is_asked_for_unless_something_was_answered_before(lang: str, text: str, opened: Opened) -> None:
    graph = with_memory_saver(opened(["Fine."] * 3))
    assert tell(graph, text, evaluator=False).result.level == 0
    assert tell(graph, text, evaluator=False).result.level == 0, "a fixed reply is no answer"
    tell(graph, LEVELS[lang][1], evaluator=False)
    assert tell(graph, text, evaluator=False).result.level == 2
