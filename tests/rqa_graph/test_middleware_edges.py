"""Words that a model puts where nobody expects words: no part of a message, an error or an interrupt carries them out.

Each case is an attack that was tried; tool results and the arguments of tool calls are the only parts that pass.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import pytest
from langchain.agents import create_agent
from langchain.agents.middleware import AgentMiddleware, ModelResponse
from langchain.agents.structured_output import ToolStrategy
from langchain_core.messages import (
    AIMessage,
    BaseMessage,
    ChatMessage,
    FunctionMessage,
    HumanMessage,
    InvalidToolCall,
    SystemMessage,
    ToolCall,
    ToolMessage,
)
from langchain_core.runnables import RunnableLambda
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.types import Command, interrupt
from typing_extensions import TypedDict

from rqa_graph import EchoGuardMiddleware
from rqa_graph.errors import WithheldError
from tests.support.agents import BAD, LANGS, Recorder, scripted

_MODES: Final[Any] = ["values", "updates", "messages", "custom", "tasks", "checkpoints", "debug"]
_IN_BLOCK: Final[Any] = {"type": "text", "text": "Fine."}


def look(place: str) -> str:
    """Look at a place."""
    return f"The mill at {place} stands dry."


def _agent(*replies: Any, inner: Any = (), **options: Any) -> Any:
    guarded = [EchoGuardMiddleware(), *inner]
    return create_agent(scripted(*replies), [look], middleware=guarded, checkpointer=InMemorySaver(), **options)


def _input(lang: str) -> dict[str, Any]:
    return {"messages": [HumanMessage(LANGS[lang]["ask"], id="h1")]}


def _config(recorder: Recorder | None = None) -> Any:
    return {"configurable": {"thread_id": "t"}, "callbacks": [recorder] if recorder else []}


def _seen(agent: Any, lang: str) -> str:
    """Everything that a run shows, and what it leaves behind."""
    recorder = Recorder()
    parts = [repr(part) for part in agent.stream(_input(lang), _config(recorder), stream_mode=_MODES)]
    history = list(agent.get_state_history(_config()))
    return f"{parts} {recorder.seen} {history!r} {agent.checkpointer.storage!r} {agent.checkpointer.writes!r}"


def _assert_clean(text: str, lang: str) -> None:
    assert BAD not in text
    assert LANGS[lang]["claim"] not in text


_PARTS: Final[dict[str, Callable[[str], AIMessage]]] = {
    "name": lambda bad: AIMessage("Fine.", name=bad),
    "id": lambda bad: AIMessage("Fine.", id=bad),
    "unparsed call": lambda bad: AIMessage(
        "Fine.", invalid_tool_calls=[InvalidToolCall(type="invalid_tool_call", id=bad, name=bad, args=bad, error=bad)]
    ),
    "picture": lambda bad: AIMessage([{"type": "image", "url": "https://example.org/a.png", "alt": bad}, _IN_BLOCK]),
    "file": lambda bad: AIMessage([{"type": "file", "file": {"filename": bad, bad: 1}}, _IN_BLOCK]),
    "hidden thinking": lambda bad: AIMessage([{"type": "redacted_thinking", "data": bad}, _IN_BLOCK]),
    "reasoning": lambda bad: AIMessage([{"type": "reasoning", "reasoning": bad}, _IN_BLOCK]),
    "refusal": lambda bad: AIMessage([{"type": "refusal", "refusal": bad}, _IN_BLOCK]),
    "annotation": lambda bad: AIMessage([{**_IN_BLOCK, "id": bad, "annotations": [{"cited_text": bad}]}]),
    "two text blocks": lambda bad: AIMessage([{"type": "text", "text": bad[:20]}, {"type": "text", "text": bad[20:]}]),
    "metadata key": lambda bad: AIMessage("Fine.", response_metadata={bad: 1, "deep": {bad: 2}}),
    "raw field": lambda bad: AIMessage("Fine.", additional_kwargs={bad: True, "x": bad.encode(), "y": [bad]}),
}


@pytest.mark.parametrize("lang", LANGS)
@pytest.mark.parametrize("part", _PARTS)
def test_no_part_of_a_message_carries_a_claim(part: str, lang: str) -> None:
    agent = _agent(_PARTS[part](LANGS[lang]["bad"]))
    _assert_clean(_seen(agent, lang), lang)
    assert agent.get_state(_config()).values["messages"][-1].text.strip()


@pytest.mark.parametrize("lang", LANGS)
@pytest.mark.parametrize("field", ["name", "id", "note"])
def test_a_call_passes_its_arguments_and_nothing_else(field: str, lang: str) -> None:
    bad = LANGS[lang]["bad"]
    fields: Any = {"id": "c1", "name": "look"} | ({field: bad} if field != "note" else {})
    block: dict[str, Any] = {"type": "tool_use", "input": {"place": "Lund"}, **fields, "note": bad}
    call = ToolCall(name=fields["name"], id=fields["id"], args={"place": "Lund"})
    agent = _agent(AIMessage([block], tool_calls=[call]), "Fine.")
    _assert_clean(_seen(agent, lang), lang)
    said, answer = agent.get_state(_config()).values["messages"][1:3]
    assert said.tool_calls[0]["args"] == said.content[0]["input"] == {"place": "Lund"}
    assert said.tool_calls[0]["id"] == said.content[0]["id"] == answer.tool_call_id


def test_names_ids_and_addresses_stay() -> None:
    blocks: list[Any] = [{"type": "image", "url": "https://example.org/a?b=c&d=%20"}, _IN_BLOCK]
    message = AIMessage(blocks, name="研究 assistant", id="run-1")
    agent: Any = create_agent(scripted(message), middleware=[EchoGuardMiddleware()])
    said = agent.invoke(_input("en"))["messages"][-1]
    assert (said.name, said.id, said.content) == ("研究 assistant", "run-1", blocks)


class _Says(AgentMiddleware[Any, Any, Any]):
    """Puts a message of its own in the place of the model's."""

    def __init__(self, message: BaseMessage) -> None:
        super().__init__()
        self._message = message

    def wrap_model_call(self, request: Any, handler: Any) -> Any:
        handler(request)
        return ModelResponse(result=[self._message])


@pytest.mark.parametrize("lang", LANGS)
@pytest.mark.parametrize("kind", ["chat", "human", "system", "function", "tool"])
def test_a_message_of_any_kind_that_comes_out_of_the_model_call_is_verified(kind: str, lang: str) -> None:
    bad = LANGS[lang]["bad"]
    messages: dict[str, Any] = {
        "chat": ChatMessage(content=bad, role="oracle"),
        "human": HumanMessage(bad),
        "system": SystemMessage(bad),
        "function": FunctionMessage(content=bad, name="f"),
        "tool": ToolMessage(bad, tool_call_id="c1"),
    }
    agent = _agent("x", inner=[_Says(messages[kind])])
    seen = _seen(agent, lang)
    _assert_clean(seen, lang)
    assert LANGS[lang]["kept"] in seen


class _Fails(AgentMiddleware[Any, Any, Any]):
    """Fails with what a function makes of the model's words."""

    def __init__(self, error: Callable[[str], Exception]) -> None:
        super().__init__()
        self._error = error

    def wrap_model_call(self, request: Any, handler: Any) -> Any:
        raise self._error(handler(request).result[0].text)


def _noted(text: str) -> Exception:
    error = ValueError("not good enough")
    error.add_note(text)
    return error


_ERRORS: Final[dict[str, Callable[[str], Exception]]] = {
    "group": lambda text: ExceptionGroup("many", [ValueError(text)]),
    "note": _noted,
    "words apart": lambda text: KeyError(tuple(text.split()) + tuple(text)),
    "upper case": lambda text: ValueError(text.upper()),
    "escaped": lambda text: ValueError(text.encode("unicode_escape")),
}


@pytest.mark.parametrize("lang", LANGS)
@pytest.mark.parametrize("form", _ERRORS)
def test_an_error_that_repeats_the_model_in_another_form_is_withheld(form: str, lang: str) -> None:
    agent = _agent(LANGS[lang]["bad"], inner=[_Fails(_ERRORS[form])])
    with pytest.raises(WithheldError):
        agent.invoke(_input(lang), _config())


class _Asks(AgentMiddleware[Any, Any, Any]):
    """Shows a person the model's words, and waits."""

    def wrap_model_call(self, request: Any, handler: Any) -> Any:
        response = handler(request)
        text = response.result[0].text
        interrupt({"draft": text, "rows": [text], "call": {"args": {"q": text}}})
        return response


@pytest.mark.parametrize("lang", LANGS)
def test_an_interrupt_within_the_model_call_is_verified_and_can_be_resumed(lang: str) -> None:
    bad = LANGS[lang]["bad"]
    agent = _agent(bad, bad, inner=[_Asks()])
    (asked,) = agent.invoke(_input(lang), _config())["__interrupt__"]
    _assert_clean(repr([asked.value["draft"], asked.value["rows"]]), lang)
    assert LANGS[lang]["kept"] in asked.value["draft"]
    assert asked.value["call"]["args"] == {"q": bad}, "whoever approves a call must see it as it is"
    done = agent.invoke(Command(resume="yes"), _config())
    _assert_clean(repr(done["messages"]), lang)


class _Answer(TypedDict):
    """Counts by word."""

    counts: dict[str, int]


@pytest.mark.parametrize("lang", LANGS)
def test_the_keys_of_a_structured_answer_are_words_too(lang: str) -> None:
    bad = LANGS[lang]["bad"]
    call = ToolCall(name="_Answer", args={"counts": {bad: 1, "Lund 2": 2}}, id="s1")
    agent = _agent(AIMessage("", tool_calls=[call]), response_format=ToolStrategy(_Answer))
    _assert_clean(_seen(agent, lang), lang)
    counts = agent.get_state(_config()).values["structured_response"]["counts"]
    assert counts["Lund 2"] == 2
    assert [key for key in counts if LANGS[lang]["kept"] in key]


@pytest.mark.parametrize("lang", LANGS)
def test_text_beside_parallel_calls_is_verified_and_all_are_made(lang: str) -> None:
    bad = LANGS[lang]["bad"]
    calls = [ToolCall(name="look", args={"place": place}, id=place) for place in ("Lund", "Skara")]
    agent = _agent(AIMessage(bad, tool_calls=calls), bad)
    _assert_clean(_seen(agent, lang), lang)
    results = [m.text for m in agent.get_state(_config()).values["messages"] if isinstance(m, ToolMessage)]
    assert results == ["The mill at Lund stands dry.", "The mill at Skara stands dry."]


@pytest.mark.parametrize("lang", LANGS)
async def test_batches_sequences_and_outer_graphs_show_none(lang: str) -> None:
    bad, recorder = LANGS[lang]["bad"], Recorder()

    def agent() -> Any:
        return create_agent(scripted(bad, bad), middleware=[EchoGuardMiddleware()])

    sequence = agent() | RunnableLambda(lambda state: state)
    outer: Any = StateGraph(MessagesState).add_node("agent", agent()).add_edge(START, "agent").compile()
    seen = [
        agent().batch([_input(lang)] * 2),
        await agent().abatch([_input(lang)] * 2),
        sequence.invoke(_input(lang), {"callbacks": [recorder]}),
        [event async for event in sequence.astream_events(_input(lang), version="v2")],
        list(outer.stream(_input(lang), {"callbacks": [recorder]}, stream_mode=_MODES, subgraphs=True)),
        [part async for part in outer.astream(_input(lang), stream_mode=_MODES, subgraphs=True)],
    ]
    for one in seen:
        _assert_clean(repr(one), lang)
        assert LANGS[lang]["kept"] in repr(one)
    _assert_clean(repr(recorder.seen), lang)


@pytest.mark.parametrize("lang", LANGS)
def test_what_is_put_into_the_state_as_the_assistants_is_no_evidence(lang: str) -> None:
    words = LANGS[lang]
    agent = _agent(words["bad"])
    agent.update_state(_config(), {"messages": [HumanMessage("..."), AIMessage(words["guess"])]})
    assert agent.invoke(_input(lang), _config())["messages"][-1].text == words["shown"]
