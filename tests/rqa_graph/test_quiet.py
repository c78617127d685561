"""Inside `quiet` nobody hears a model, and what it said leaves in no error."""

from __future__ import annotations

import asyncio

import pytest
from langchain_core.runnables import RunnableLambda
from langchain_core.runnables.config import var_child_runnable_config
from langsmith.run_helpers import get_tracing_context

from rqa_graph.errors import WithheldError
from rqa_graph.quiet import Listener, alone, quiet, quiet_model, showable
from tests.support.agents import Recorder, scripted

_SAID = {
    "en": "You are afraid of failing at the half-marathon.",
    "ja": "上司の佐伯さんの評価を恐れているのが理由です。",
}


@pytest.mark.parametrize("text", _SAID.values(), ids=list(_SAID))
def test_only_the_listener_hears_a_model(text: str) -> None:
    recorder, listener = Recorder(), Listener()

    def ask(_input: str) -> str:
        with quiet(Listener()), quiet(listener):
            return str(scripted(text).invoke("x").text)

    assert RunnableLambda(ask).invoke("x", {"callbacks": [recorder]}) == text
    assert listener.repeats(text)
    assert not any("chat_model" in seen or "llm" in seen for seen in recorder.seen)


def test_what_was_set_around_the_block_stands_again_after_it_even_after_an_error() -> None:
    token = var_child_runnable_config.set({"tags": ["mine"], "configurable": {"thread_id": "t"}})
    try:
        for block in (quiet(Listener()), alone()):
            with pytest.raises(ValueError, match="x"), block:
                raise ValueError("x")
            assert var_child_runnable_config.get() == {"tags": ["mine"], "configurable": {"thread_id": "t"}}
        with quiet(Listener()):
            inner = var_child_runnable_config.get() or {}
            assert (inner["tags"], inner["configurable"]) == (["mine"], {"thread_id": "t"})
            assert get_tracing_context()["enabled"] is False
        with alone():
            assert var_child_runnable_config.get() is None
    finally:
        var_child_runnable_config.reset(token)


async def test_a_quiet_task_makes_no_other_task_quiet() -> None:
    entered, left = asyncio.Event(), asyncio.Event()

    async def hush() -> None:
        with quiet(Listener()):
            entered.set()
            await left.wait()

    task = asyncio.create_task(hush())
    await entered.wait()
    assert var_child_runnable_config.get() is None
    left.set()
    await task


@pytest.mark.parametrize("text", _SAID.values(), ids=list(_SAID))
@pytest.mark.parametrize("form", ["{0}", "got {0!r}, wanted JSON", "input_value='...{1}...'", "{2}"])
def test_an_error_that_repeats_a_part_of_what_was_said_is_withheld(form: str, text: str) -> None:
    listener = Listener()
    with quiet(listener):
        scripted(text).invoke("x")
    shown = showable(ValueError(form.format(text, text[4:22], ascii(text))), listener)
    assert isinstance(shown, WithheldError)
    assert text[4:22] not in str(shown)


@pytest.mark.parametrize("text", _SAID.values(), ids=list(_SAID))
def test_so_is_one_whose_cause_or_attribute_does(text: str) -> None:
    listener = Listener()
    with quiet(listener):
        scripted(text).invoke("x")
    caused, held = ValueError("not good"), ValueError("not good")
    caused.__cause__ = KeyError(text)
    held.output = text  # type: ignore[attr-defined]
    assert isinstance(showable(caused, listener), WithheldError)
    assert isinstance(showable(held, listener), WithheldError)


@pytest.mark.parametrize("said", ["", *_SAID.values()])
def test_any_other_error_is_itself(said: str) -> None:
    listener = Listener()
    with quiet(listener):
        scripted(said).invoke("x")
    error = TimeoutError("no answer after 5 s")
    assert showable(error, listener) is error


def test_a_quiet_copy_has_no_callbacks_and_the_model_keeps_its_own() -> None:
    recorder = Recorder()
    model = scripted("Yes.", "No.", callbacks=[recorder])
    bound = model.bind(stop=["x"]).with_config(callbacks=[recorder])
    assert quiet_model(model).invoke("x").text == "Yes."
    assert quiet_model(bound).invoke("x").text == "No."
    assert not recorder.seen
    assert model.callbacks == [recorder]
    assert quiet_model("no model") == "no model"
