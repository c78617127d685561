"""A guarded graph lets out verified text only, whatever somebody else's graph does inside."""

from __future__ import annotations

import operator
from typing import Annotated, Any, Final, TypedDict

import pytest
from langchain.agents import create_agent
from langchain_core.documents import Document
from langchain_core.messages import AIMessage, ChatMessage, HumanMessage, SystemMessage, ToolCall, ToolMessage
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.config import get_stream_writer
from langgraph.errors import GraphRecursionError
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.types import Command, Overwrite, interrupt

from rqa_graph import Injected, guard
from rqa_graph.errors import ConfigError, RefusedStreamError, WithheldError
from tests.support.agents import BAD, LANGS, Recorder, scripted, traces

_MODES: Final[Any] = ["values", "updates", "messages"]


class State(MessagesState, total=False):
    """Messages, and what graphs put beside them."""

    draft: str
    panel: dict[str, Any]
    documents: list[Document]
    last: Any
    notes: Annotated[list[str], operator.add]


def _graph(*nodes: Any, saver: bool = True) -> Any:
    builder = StateGraph(State)
    names = [START, *(f"n{number}" for number in range(len(nodes)))]
    for number, node in enumerate(nodes):
        builder.add_node(names[number + 1], node)
        builder.add_edge(names[number], names[number + 1])
    return builder.compile(checkpointer=InMemorySaver() if saver else None)


def _speaker(*replies: Any) -> Any:
    model = scripted(*replies)
    return lambda state: {"messages": [model.invoke(state["messages"])]}


def _input(lang: str = "en") -> dict[str, Any]:
    return {"messages": [HumanMessage(LANGS[lang]["ask"], id="h1")]}


def _config(**more: Any) -> Any:
    return {"configurable": {"thread_id": "t"}, **more}


def _assert_clean(*places: str, lang: str = "en", is_shown: bool = True) -> None:
    for place in places:
        assert BAD not in place
        assert LANGS[lang]["claim"] not in place
    assert not is_shown or LANGS[lang]["kept"] in places[0], "the text must be there, or this test proves nothing"


@pytest.mark.parametrize("lang", LANGS)
@pytest.mark.parametrize("mode", [*_MODES, _MODES])
def test_no_stream_mode_or_callback_shows_an_unverified_word(mode: Any, lang: str) -> None:
    recorder = Recorder()
    guarded = guard(_graph(_speaker(LANGS[lang]["bad"])))
    seen = repr(list(guarded.stream(_input(lang), _config(callbacks=[recorder]), stream_mode=mode)))
    _assert_clean(seen, "\n".join(recorder.seen), lang=lang)


@pytest.mark.parametrize("lang", LANGS)
@pytest.mark.parametrize("mode", [*_MODES, _MODES])
async def test_no_stream_mode_or_callback_shows_an_unverified_word_async(mode: Any, lang: str) -> None:
    recorder = Recorder()
    guarded = guard(_graph(_speaker(LANGS[lang]["bad"])))
    stream = guarded.astream(_input(lang), _config(callbacks=[recorder]), stream_mode=mode)
    _assert_clean(repr([part async for part in stream]), "\n".join(recorder.seen), lang=lang)


@pytest.mark.parametrize("lang", LANGS)
async def test_the_result_of_a_run_is_verified_sync_and_async(lang: str) -> None:
    guarded = guard(_graph(_speaker(LANGS[lang]["bad"], LANGS[lang]["bad"]), saver=False))
    for result in (guarded.invoke(_input(lang)), await guarded.ainvoke(_input(lang))):
        said = result["messages"][-1]
        _assert_clean(repr(result), lang=lang)
        assert said.response_metadata["rqa"]["counts"] == {"unbacked_history": 1, "unknown_id": 1}


@pytest.mark.parametrize("lang", LANGS)
def test_a_guess_of_the_first_turn_is_no_fact_in_the_second(lang: str) -> None:
    words = LANGS[lang]
    guarded = guard(_graph(_speaker(words["guess"], words["bad"])))
    assert guarded.invoke({"messages": [("user", "...")]}, _config())["messages"][-1].text == words["guess"]
    result = guarded.invoke(_input(lang), _config())
    assert [m.text for m in result["messages"] if isinstance(m, AIMessage)] == [words["guess"], words["shown"]]


@pytest.mark.parametrize("asked", ["custom", "tasks", "checkpoints", "debug", ["values", "debug"]])
def test_streams_that_carry_unverified_text_are_refused(asked: Any) -> None:
    guarded = guard(_graph(_speaker("x")))
    with pytest.raises(RefusedStreamError, match="unverified"):
        guarded.stream(_input(), _config(), stream_mode=asked)
    with pytest.raises(RefusedStreamError, match="unverified"):
        guarded.astream(_input(), _config(), stream_mode=asked)


def test_streams_of_subgraphs_and_events_are_refused() -> None:
    guarded = guard(_graph(_speaker("x")))
    with pytest.raises(RefusedStreamError, match="subgraphs"):
        guarded.stream(_input(), _config(), subgraphs=True)
    with pytest.raises(RefusedStreamError, match="subgraphs"):
        guarded.astream(_input(), _config(), subgraphs=True)
    with pytest.raises(RefusedStreamError, match="event stream"):
        guarded.astream_events(_input(), version="v2")
    with pytest.raises(RefusedStreamError, match="event stream"):
        guarded.stream_events(_input())


def test_what_a_node_writes_to_the_custom_channel_stays_inside() -> None:
    def leak(_state: State) -> dict[str, Any]:
        get_stream_writer()({"token": LANGS["en"]["bad"]})
        return {"messages": [AIMessage(LANGS["en"]["kept"])]}

    _assert_clean(repr(list(guard(_graph(leak)).stream(_input(), _config(), stream_mode=_MODES))))


@pytest.mark.parametrize("lang", LANGS)
def test_a_tracing_variable_publishes_nothing_of_the_inner_graph(lang: str, monkeypatch: pytest.MonkeyPatch) -> None:
    guarded = guard(_graph(_speaker(LANGS[lang]["bad"])))
    with traces(monkeypatch) as bodies:
        result = guarded.invoke(_input(lang), _config())
    _assert_clean(repr(result), repr(bodies), lang=lang)


@pytest.mark.parametrize("lang", LANGS)
def test_every_other_string_of_the_state_is_verified_too(lang: str) -> None:
    bad = LANGS[lang]["bad"]

    def write(_state: State) -> dict[str, Any]:
        panel = {"rows": [{"text": bad}], "message": AIMessage(bad), "n": 3}
        return {"draft": bad, "panel": panel, "last": [AIMessage(bad), {"deep": bad}], "notes": [bad]}

    guarded = guard(_graph(write))
    seen = repr(list(guarded.stream(_input(lang), _config(), stream_mode=_MODES)))
    result = guarded.invoke(_input(lang), {"configurable": {"thread_id": "u"}})
    _assert_clean(seen, repr(result), lang=lang)
    assert result["panel"]["n"] == 3


@pytest.mark.parametrize("lang", LANGS)
@pytest.mark.parametrize("form", ["dict", "tuple", "chat", "human", "overwrite", "command", "several"])
def test_whatever_form_a_node_gives_its_message_it_is_verified(form: str, lang: str) -> None:
    bad = LANGS[lang]["bad"]
    updates: dict[str, Any] = {
        "dict": {"messages": [{"role": "assistant", "content": bad}]},
        "tuple": {"messages": ("ai", bad)},
        "chat": {"messages": [ChatMessage(content=bad, role="oracle")]},
        "human": {"messages": [HumanMessage(bad, name="researcher")]},
        "overwrite": {"messages": Overwrite([HumanMessage(LANGS[lang]["ask"], id="h1"), AIMessage(bad)])},
        "command": Command(update={"messages": [AIMessage(bad)]}),
        "several": [Command(update={"messages": [AIMessage(bad)]}), {"draft": bad}],
    }
    guarded = guard(_graph(lambda _state: updates[form]))
    seen = list(guarded.stream(_input(lang), _config(), stream_mode=_MODES))
    _assert_clean(repr(seen[-1]), repr(seen), lang=lang)


def test_what_a_node_says_as_a_person_is_no_evidence_and_what_the_person_says_is() -> None:
    def research(_state: State) -> dict[str, Any]:
        return {"messages": [HumanMessage("The hive is empty.", name="researcher")]}

    says = _speaker("As we established, the hive is empty.", "As we established, the hive is empty.")
    forged = guard(_graph(research, says)).invoke(_input(), _config())["messages"][-1]
    honest = guard(_graph(says)).invoke({"messages": [("user", "The hive is empty.")]}, _config())["messages"][-1]
    assert forged.text.startswith("I suggested earlier (unverified)")
    assert honest.text == "As we established, the hive is empty."


def test_tool_results_and_given_items_and_documents_are_evidence() -> None:
    call = AIMessage("", tool_calls=[ToolCall(name="look", args={}, id="c1")])
    result = ToolMessage("The mill at Lund stands dry.", tool_call_id="c1")
    page = Document("The weir at Lund is broken.", metadata={"source": "page.html"})
    reply = (
        "As we confirmed, the mill at Lund stands dry. As we confirmed, the weir at Lund is broken. "
        "You said you keep bees [m:k3v9xq]. As we confirmed, the moon is cheese."
    )
    guarded = guard(
        _graph(lambda _state: {"messages": [call, result], "documents": [page]}, _speaker(reply)),
        given=lambda state: [Injected(handle="k3v9xq", source="user", text="I keep bees.")] if state else [],
    )
    result_state = guarded.invoke(_input(), _config())
    assert result_state["messages"][-1].text == reply.replace("As we confirmed, the moon", "The moon")
    assert result_state["documents"] == [page]


def test_arguments_of_tool_calls_and_named_external_text_pass_untouched() -> None:
    bad = LANGS["en"]["bad"]
    call = AIMessage(bad, tool_calls=[ToolCall(name="look", args={"q": bad}, id="c1")])
    guarded = guard(_graph(lambda _state: {"messages": [call], "draft": bad}), external={"draft"})
    result = guarded.invoke(_input(), _config())
    assert result["draft"] == bad
    assert result["messages"][-1].tool_calls[0]["args"] == {"q": bad}
    _assert_clean(result["messages"][-1].text)


@pytest.mark.parametrize("lang", LANGS)
async def test_an_interrupt_passes_with_its_arguments_as_they_are_and_is_resumed(lang: str) -> None:
    bad = LANGS[lang]["bad"]

    def ask(_state: State) -> dict[str, Any]:
        return {"messages": [AIMessage(interrupt({"draft": bad, "call": {"args": {"q": bad}}}))]}

    for is_async in (False, True):
        guarded = guard(_graph(_speaker(bad), ask))
        first = await guarded.ainvoke(_input(lang), _config()) if is_async else guarded.invoke(_input(lang), _config())
        (stopped,) = first["__interrupt__"]
        _assert_clean(stopped.value["draft"], repr(first["messages"]), lang=lang)
        assert stopped.value["call"]["args"] == {"q": bad}
        more: Any = Command(resume=bad)
        done = await guarded.ainvoke(more, _config()) if is_async else guarded.invoke(more, _config())
        assert len(done["messages"]) == 3
        _assert_clean(repr(done), lang=lang)


@pytest.mark.parametrize("lang", LANGS)
@pytest.mark.parametrize("is_async", [False, True])
async def test_an_error_that_repeats_the_model_is_withheld(lang: str, is_async: bool) -> None:
    model = scripted(LANGS[lang]["bad"])

    def fail(state: State) -> dict[str, Any]:
        raise ValueError(f"not good enough: {model.invoke(state['messages']).text!r}")

    guarded = guard(_graph(fail))
    with pytest.raises(WithheldError, match="ValueError") as caught:
        await guarded.ainvoke(_input(lang), _config()) if is_async else guarded.invoke(_input(lang), _config())
    _assert_clean(f"{caught.value!r} {caught.value.__cause__!r} {caught.value.__context__!r}", is_shown=False)


def test_other_errors_are_the_callers_as_they_are() -> None:
    def fail(_state: State) -> dict[str, Any]:
        raise TimeoutError("no answer after 5 s")

    with pytest.raises(TimeoutError, match="5 s"):
        guard(_graph(fail)).invoke(_input(), _config())
    with pytest.raises(GraphRecursionError):
        guard(_graph(*[lambda _state: {"draft": "x"}] * 3)).invoke(_input(), _config(recursion_limit=2))


def test_a_message_keeps_the_form_in_which_it_was_first_shown() -> None:
    given = [Injected(handle="k3v9xq", source="user", text="I keep bees.")]
    guarded = guard(_graph(_speaker("You said you keep bees [m:k3v9xq].", "Yes.")), given=lambda _state: given)
    first = guarded.invoke(_input(), _config())["messages"][-1]
    given.clear()
    again = guarded.invoke({"messages": [("user", "Sure?")]}, _config())["messages"][1]
    assert again.text == first.text == "You said you keep bees [m:k3v9xq]."


@pytest.mark.parametrize("lang", LANGS)
@pytest.mark.parametrize("modes", [_MODES, ["values", "updates", "messages", "custom", "tasks", "debug"]])
def test_inside_a_node_of_another_graph_nothing_leaks_into_its_streams(modes: Any, lang: str) -> None:
    guarded, recorder = guard(_graph(_speaker(LANGS[lang]["bad"]))), Recorder()
    outer = _graph(lambda state, config: {"messages": guarded.invoke(state, config)["messages"]})
    parts = outer.stream(_input(lang), _config(callbacks=[recorder]), stream_mode=modes, subgraphs=True)
    history = repr(list(parts)) + repr(list(outer.get_state_history(_config())))
    _assert_clean(history, "\n".join(recorder.seen), repr(outer.checkpointer.storage), lang=lang)


@pytest.mark.parametrize("lang", LANGS)
def test_it_fits_around_an_agent_and_what_its_hooks_write(lang: str) -> None:
    from langchain.agents.middleware import after_model

    bad = LANGS[lang]["bad"]

    @after_model
    def rewrite(state: Any, runtime: Any) -> dict[str, Any]:
        return {"messages": [AIMessage(bad, id=state["messages"][-1].id)]}

    agent: Any = create_agent(scripted("Fine."), middleware=[rewrite])
    _assert_clean(repr(guard(agent).invoke(_input(lang))), lang=lang)


def test_callbacks_and_debug_prints_of_the_graph_itself_stay_off(capsys: pytest.CaptureFixture[str]) -> None:
    recorder = Recorder()
    graph = _graph(_speaker(LANGS["en"]["bad"])).with_config(callbacks=[recorder])
    graph.debug = True
    guard(graph).invoke(_input(), _config())
    assert not recorder.seen
    assert not capsys.readouterr().out


def test_the_checkpoints_of_the_inner_graph_are_as_its_owner_made_them() -> None:
    graph = _graph(_speaker(LANGS["en"]["bad"]))
    guard(graph).invoke(_input(), _config())
    assert BAD in repr(graph.get_state(_config()))


async def test_the_result_holds_what_the_graph_gives_out_and_its_messages_are_evidence_all_the_same() -> None:
    class Output(TypedDict):
        draft: str

    reply = "As we confirmed, the hive is empty. As we confirmed, the moon is cheese."
    builder = StateGraph(State, output_schema=Output)
    builder.add_node("write", lambda _state: {"draft": reply, "notes": ["inner"]})
    builder.add_edge(START, "write")
    guarded = guard(builder.compile())
    asked = {"messages": [HumanMessage("The hive is empty.")]}
    shown = {"draft": "As we confirmed, the hive is empty. The moon is cheese."}
    assert guarded.invoke(asked) == await guarded.ainvoke(asked) == shown


def test_what_is_no_graph_with_messages_is_refused() -> None:
    with pytest.raises(ConfigError, match="compiled graph"):
        guard(StateGraph(State))  # type: ignore[arg-type]
    with pytest.raises(ConfigError, match="no channel 'talk'"):
        guard(_graph(_speaker("x")), messages_key="talk")


class _Sealed:
    """An object that has no form as JSON."""

    def __init__(self, text: str) -> None:
        self._text = text

    def __repr__(self) -> str:
        return self._text


@pytest.mark.parametrize("lang", LANGS)
@pytest.mark.parametrize("form", ["object", "error", "bytes"])
def test_a_value_that_cannot_be_repaired_is_withheld_if_it_claims_something(form: str, lang: str) -> None:
    def value(text: str) -> Any:
        return {"object": _Sealed(text), "error": ValueError(text), "bytes": text.encode()}[form]

    for text, is_bad in ((LANGS[lang]["bad"], True), (LANGS[lang]["kept"], False)):
        guarded = guard(_graph(lambda _state, text=text: {"last": value(text)}, saver=False))
        if is_bad:
            with pytest.raises(WithheldError, match="cannot be taken out"):
                guarded.invoke(_input(lang))
        else:
            assert type(guarded.invoke(_input(lang))["last"]) is type(value(text))


@pytest.mark.parametrize("lang", LANGS)
def test_keys_sets_names_ids_roles_and_system_messages_of_a_node_are_verified_too(lang: str) -> None:
    bad = LANGS[lang]["bad"]
    messages = [
        AIMessage("Fine.", name=bad, id=bad),
        ChatMessage(content="Fine.", role=bad, name=bad, id=f"2{bad}"),
        SystemMessage(bad, name=bad),
        AIMessage("Fine.", tool_calls=[ToolCall(name=bad, args={}, id=bad)]),
    ]
    guarded = guard(_graph(lambda _state: {"messages": messages, "panel": {bad: 1}, "last": {bad, "x"}}))
    seen = repr(list(guarded.stream(_input(lang), _config(), stream_mode=_MODES)))
    _assert_clean(seen, lang=lang)


def test_a_system_message_that_came_in_stays_as_it_is() -> None:
    own = SystemMessage("As we agreed, answer in one line.", id="s1")
    shown = guard(_graph(_speaker("Fine."))).invoke({"messages": [own, ("user", "Hm?")]}, _config())["messages"][0]
    assert shown == own
