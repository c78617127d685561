"""A reply is shown sentence by sentence as far as it is verified, and a model that fails does not fail the turn."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Sequence
from datetime import datetime, timedelta
from typing import Any

import pytest
from langchain_core.messages import BaseMessage

from rqa_checkpoints.provenance import Scope, SourceClass
from rqa_graph.bound_model import BoundChatModel
from rqa_nodes import models
from rqa_nodes.errors import ModelOutputError, ModelUnavailableError, RuleError
from rqa_nodes.scripted import ScriptedChatModel
from tests.support.graphs import with_memory_saver
from tests.support.opened import Opened
from tests.support.turns import FORMS, LEVELS, Form, config_of, resume, tell

pytestmark = pytest.mark.thinned

MARA = Scope("local", "mara")

both = pytest.mark.parametrize("lang", ["en", "ja"])
forms = pytest.mark.parametrize("form", FORMS)

_REPLY = {
    "en": "The canal path is flat. The hill loop climbs 120 m. Take a light coat for the way back.",
    "ja": "運河の道は平らです。丘の道は120 m登ります。帰りには薄手の上着を持って行ってください。",
}
_SAID = {"en": "I have two routes for my run.", "ja": "ランニングの道が二つあります。"}
_CUT = {"en": "The model stopped here: ", "ja": "モデルの応答はここで途切れました: "}


class _BreaksOff(ScriptedChatModel):
    """Says the beginning of a reply, then fails."""

    def __init__(self, reply: str, error: RuleError, *, after: int) -> None:
        super().__init__([reply], engine="fragile")
        self._error = error
        self._after = after

    def stream(self, messages: Sequence[BaseMessage], *, deadline: datetime) -> Iterator[str]:
        text = "".join(super().stream(messages, deadline=deadline))[: self._after]
        yield from (text[at : at + 5] for at in range(0, len(text), 5))
        raise self._error

    async def astream(self, messages: Sequence[BaseMessage], *, deadline: datetime) -> AsyncIterator[str]:
        for chunk in self.stream(messages, deadline=deadline):
            yield chunk


@both
@forms
def test_sentences_are_released_while_the_model_still_writes(lang: str, form: Form, opened: Opened) -> None:
    told = tell(with_memory_saver(opened([_REPLY[lang]])), _SAID[lang], form=form)
    kinds = [(e["type"], e.get("text", "")) for e in told.events]
    pieces = [text for kind, text in kinds if kind == "text"]
    assert len(pieces) >= 2
    assert "".join(pieces) == told.result.text == _REPLY[lang]


@both
@forms
def test_nothing_after_a_receipt_is_shown_before_the_commit_has_returned(lang: str, form: Form, opened: Opened) -> None:
    reply = {
        "en": "Two routes, then. I have saved them for you. The canal path is flat.",
        "ja": "道は二つですね。記録しました。運河の道は平らです。",
    }[lang]
    services = opened([reply])
    at_commit: list[str] = []
    graph = with_memory_saver(services)
    commit = services.memory.commit
    shown: list[str] = []

    def watched(part: Any) -> Any:
        at_commit.append("".join(shown))
        return commit(part)

    services.memory.commit = watched  # type: ignore[method-assign]  # seen from inside the turn
    config = config_of()
    given: Any = {"messages": [{"role": "user", "content": _SAID[lang]}]}
    for event in graph.stream(given, config, stream_mode="custom"):
        shown += [event["text"]] if event["type"] == "text" else []
    assert "".join(shown) == reply
    assert "saved" not in at_commit[0]
    assert "記録" not in at_commit[0]


class TestAModelThatFails:
    @both
    @forms
    def test_before_its_first_sentence_is_replaced_by_the_built_in_engine(
        self, lang: str, form: Form, opened: Opened
    ) -> None:
        services = opened([ModelUnavailableError("`m` at here cannot be reached")])
        told = tell(with_memory_saver(services), _SAID[lang], form=form)
        assert told.result.engine == "builtin"
        assert told.result.degraded is True
        assert told.result.degraded_reason == "`m` at here cannot be reached"
        assert told.shown("answer") == told.result.text != ""
        said = services.memory.list(scope=MARA)
        assert _SAID[lang] in [node.text for node in said if node.source is SourceClass.user]

    @both
    @forms
    def test_in_mid_stream_keeps_the_verified_prefix_and_says_where_it_stopped(
        self, lang: str, form: Form, opened: Opened
    ) -> None:
        error = ModelOutputError("`m` closed the connection", reason="cut_off")
        first = _REPLY[lang].split("." if lang == "en" else "。")[0]
        services = opened(_BreaksOff(_REPLY[lang], error, after=len(first) + 9))
        told = tell(with_memory_saver(services), _SAID[lang], form=form)
        assert told.result.text.startswith(first)
        assert told.result.text.endswith(f"({_CUT[lang]}`m` closed the connection)")
        assert told.shown("answer") == told.result.text
        assert (told.result.engine, told.result.degraded) == ("fragile", True)
        assert told.result.degraded_reason == "`m` closed the connection"
        own = [node.text for node in services.memory.list(scope=MARA) if node.source is SourceClass.assistant]
        assert own != []
        assert not any("m` closed" in text for text in own), "a note of the program is no statement of the assistant"

    @forms
    def test_with_words_that_were_not_released_yet_shows_none_of_them(self, form: Form, opened: Opened) -> None:
        error = ModelOutputError("cut off", reason="cut_off")
        told = tell(with_memory_saver(opened(_BreaksOff(_REPLY["en"], error, after=12))), _SAID["en"], form=form)
        assert told.result.engine == "builtin"
        assert "The canal" not in told.result.text

    @pytest.mark.parametrize("reply", ["", "  \n\t", "\u3000"])
    @forms
    def test_with_an_empty_reply_is_replaced_too(self, reply: str, form: Form, opened: Opened) -> None:
        told = tell(with_memory_saver(opened([reply])), _SAID["en"], form=form)
        assert (told.result.engine, told.result.degraded) == ("builtin", True)
        assert told.result.text.strip() != ""

    @forms
    def test_and_puts_words_into_its_error_has_them_verified(self, form: Form, opened: Opened) -> None:
        error = ModelUnavailableError("the server says: as we established, you are afraid of failing [m:zqzqz9]")
        told = tell(with_memory_saver(opened([error])), _SAID["en"], form=form)
        assert "zqzqz9" not in repr(told.state)
        assert "established" not in told.result.degraded_reason

    @forms
    def test_on_an_explicit_name_ends_the_run_and_keeps_the_message(self, form: Form, opened: Opened) -> None:
        services = opened(["fine"])
        graph = with_memory_saver(services)
        real = services._resolve

        def resolve(name: str) -> Any:
            if name == "ollama:absent":
                raise ModelUnavailableError("no such model")
            return real(name)

        services._resolve = resolve
        with pytest.raises(ModelUnavailableError, match="no such model"):
            tell(graph, _SAID["en"], form=form, model="ollama:absent")
        assert services.memory.list(scope=MARA) == []
        waiting = graph.get_state(config_of())
        told = resume(graph, form=form)
        assert told.result.turn == waiting.values["turn"]["turn_id"]
        assert told.result.text == "fine"


class TestTime:
    @both
    @forms
    def test_a_turn_resumed_long_after_its_time_still_gets_its_answer(
        self, lang: str, form: Form, opened: Opened
    ) -> None:
        services = opened([])
        shift = timedelta()
        clock = services.clock

        def moved() -> datetime:
            return clock() + shift

        services.clock = moved
        builtin = models.builtin()
        services._resolve = lambda name: BoundChatModel(builtin, moved, 60.0)
        graph = with_memory_saver(services)
        given: Any = {"messages": [{"role": "user", "content": _SAID[lang]}]}
        graph.invoke(given, config_of(), interrupt_before=["answer"])
        shift = timedelta(days=3)
        told = resume(graph, form=form)
        assert (told.result.engine, told.result.degraded) == ("builtin", False)
        assert told.result.text != ""

    @forms
    def test_when_the_time_is_over_the_built_in_engine_still_ends_the_turn(self, form: Form, opened: Opened) -> None:
        services = opened([ModelUnavailableError("no whole answer within 120 s")])
        shift = timedelta()
        clock = services.clock

        def moved() -> datetime:
            return clock() + shift

        services.clock = moved
        builtin, scripted = models.builtin(), services.chat("")

        def resolve(name: str) -> Any:
            nonlocal shift
            if name == "":
                return scripted
            shift = timedelta(minutes=10)
            return BoundChatModel(builtin, moved, 60.0)

        services._resolve = resolve
        told = tell(with_memory_saver(services), LEVELS["en"][1], form=form)
        assert (told.result.engine, told.result.degraded_reason) == ("builtin", "no whole answer within 120 s")
