"""No unverified word of any LangChain agent is seen, whichever way it could slip past its guard."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from typing import Any, Final

import pytest
from langchain.agents import create_agent
from langchain.agents.middleware import AgentMiddleware, ModelRequest, ModelResponse, ModelRetryMiddleware
from langchain.agents.structured_output import ProviderStrategy, ToolStrategy
from langchain_core.messages import AIMessage, HumanMessage, ToolCall, ToolMessage
from langgraph.checkpoint.memory import InMemorySaver
from pydantic import BaseModel, Field

from rqa_graph import EchoGuardMiddleware
from rqa_graph.errors import ConfigError, MisplacedGuardError, WithheldError
from tests.support.agents import BAD, LANGS, Recorder, ScriptedAgentModel, scripted, traces

_MODES: Final[Any] = ["values", "updates", "messages", "custom", "tasks", "checkpoints", "debug"]


def look(place: str) -> str:
    """Look at a place."""
    return f"The mill at {place} stands dry."


def _call(text: str, **args: Any) -> AIMessage:
    return AIMessage(text, tool_calls=[ToolCall(name="look", args=args or {"place": "Lund"}, id="c1")])


def _agent(model: ScriptedAgentModel, *inner: Any, guard: EchoGuardMiddleware | None = None, **options: Any) -> Any:
    return create_agent(
        model,
        tools=[look],
        middleware=[guard or EchoGuardMiddleware(), *inner],
        checkpointer=InMemorySaver(),
        **options,
    )


def _input(lang: str = "en") -> dict[str, Any]:
    return {"messages": [HumanMessage(LANGS[lang]["ask"], id="h1")]}


def _config(recorder: Recorder | None = None) -> Any:
    return {"configurable": {"thread_id": "t"}, "callbacks": [recorder] if recorder else []}


def _everything(agent: Any) -> str:
    saver, config = agent.checkpointer, {"configurable": {"thread_id": "t"}}
    history = [agent.get_state(config), *agent.get_state_history(config)]
    return f"{history!r} {saver.storage!r} {saver.blobs!r} {saver.writes!r}"


def _assert_clean(*places: str, lang: str = "en", is_shown: bool = True) -> None:
    for place in places:
        assert BAD not in place
        assert LANGS[lang]["claim"] not in place
    assert not is_shown or LANGS[lang]["kept"] in places[0], "the text must be there, or this test proves nothing"


def _replies(lang: str) -> ScriptedAgentModel:
    bad = LANGS[lang]["bad"]
    return scripted(_call(bad), bad)


@pytest.mark.parametrize("lang", LANGS)
def test_no_stream_mode_callback_checkpoint_or_history_shows_one(lang: str) -> None:
    agent, recorder = _agent(_replies(lang)), Recorder()
    seen = [repr(part) for part in agent.stream(_input(lang), _config(recorder), stream_mode=_MODES)]
    _assert_clean("\n".join(seen), "\n".join(recorder.seen), _everything(agent), lang=lang)


@pytest.mark.parametrize("lang", LANGS)
async def test_no_stream_mode_callback_checkpoint_or_history_shows_one_async(lang: str) -> None:
    agent, recorder = _agent(_replies(lang)), Recorder()
    seen = [repr(part) async for part in agent.astream(_input(lang), _config(recorder), stream_mode=_MODES)]
    _assert_clean("\n".join(seen), "\n".join(recorder.seen), _everything(agent), lang=lang)


@pytest.mark.parametrize("lang", LANGS)
async def test_no_event_shows_one(lang: str) -> None:
    agent, recorder = _agent(_replies(lang)), Recorder()
    seen = [repr(event) async for event in agent.astream_events(_input(lang), _config(recorder), version="v2")]
    _assert_clean("\n".join(seen), "\n".join(recorder.seen), lang=lang)


@pytest.mark.filterwarnings("ignore:The v3 streaming protocol")
@pytest.mark.parametrize("lang", LANGS)
async def test_no_event_of_the_newer_protocol_shows_one(lang: str) -> None:
    sync = [repr(event) for event in _agent(_replies(lang)).stream_events(_input(lang), _config(), version="v3")]
    run = await _agent(_replies(lang)).astream_events(_input(lang), _config(), version="v3")
    _assert_clean("\n".join(sync), "\n".join([repr(event) async for event in run]), lang=lang)


async def test_no_token_is_streamed_and_each_message_comes_whole_and_once() -> None:
    agent = _agent(_replies("en"))
    parts = [part async for part in agent.astream(_input(), _config(), stream_mode="messages")]
    said = [message for message, _ in parts if isinstance(message, AIMessage)]
    assert [message.text for message in said] == [
        "You are afraid of failing. The mill stands on the river.",
        "I suggested earlier (unverified): you are afraid of failing. The mill stands on the river.",
    ]


def test_the_custom_channel_carries_the_verified_text() -> None:
    parts = list(_agent(_replies("en")).stream(_input(), _config(), stream_mode="custom"))
    assert [part.get("part", "text") for part in parts] == ["text", "aside", "text", "answer"]
    _assert_clean(parts[2]["text"])


async def _custom(agent: Any, lang: str, *, is_async: bool) -> list[dict[str, Any]]:
    if is_async:
        return [part async for part in agent.astream(_input(lang), _config(), stream_mode="custom")]
    return list(agent.stream(_input(lang), _config(), stream_mode="custom"))


@pytest.mark.parametrize("lang", LANGS)
@pytest.mark.parametrize("is_async", [False, True])
async def test_verified_sentences_are_released_while_the_model_writes(lang: str, is_async: bool) -> None:
    words = LANGS[lang]
    agent = _agent(scripted(f"{words['kept']} {words['bad']} {words['kept']}"), guard=EchoGuardMiddleware(stream=True))
    parts = await _custom(agent, lang, is_async=is_async)
    texts = [part["text"] for part in parts if part["type"] == "text"]
    assert len(texts) >= 3
    assert "".join(texts) == agent.get_state(_config()).values["messages"][-1].text
    assert [part["type"] for part in parts if part["type"] != "text"] == ["end"]
    _assert_clean("".join(texts), _everything(agent), lang=lang)


async def test_a_stream_beside_other_middleware_waits_for_what_that_makes_of_it() -> None:
    agent = _agent(scripted("One. Two. Three."), _Wraps(), guard=EchoGuardMiddleware(stream=True))
    texts = [part["text"] for part in await _custom(agent, "en", is_async=False) if part["type"] == "text"]
    assert texts == ["One. Two. Three."]


def test_a_stream_that_breaks_off_has_shown_verified_sentences_only() -> None:
    agent = _agent(scripted(LANGS["en"]["bad"], breaks_after=12), guard=EchoGuardMiddleware(stream=True))
    seen: list[str] = []
    stream = agent.stream(_input(), _config(), stream_mode=_MODES)
    with pytest.raises(ConnectionError):
        seen.extend(map(repr, stream))
    _assert_clean("\n".join(seen), is_shown=False)
    assert "You are afraid of failing." in "\n".join(seen)


@pytest.mark.parametrize("lang", LANGS)
def test_a_tracing_variable_publishes_none(lang: str, monkeypatch: pytest.MonkeyPatch) -> None:
    agent = _agent(_replies(lang))
    with traces(monkeypatch) as bodies:
        agent.invoke(_input(lang), _config())
    _assert_clean(*[json.dumps([json.loads(body) for body in bodies if body], ensure_ascii=False)], lang=lang)


def test_a_callback_of_the_model_itself_hears_nothing() -> None:
    recorder = Recorder()
    agent = _agent(scripted(LANGS["en"]["bad"], callbacks=[recorder]))
    agent.invoke(_input(), _config())
    assert not recorder.seen


def test_arguments_of_tool_calls_pass_untouched_and_the_text_beside_them_does_not() -> None:
    args = {"place": f"As we established {BAD}]"}
    result = _agent(scripted(_call(LANGS["en"]["bad"], **args), "Done.")).invoke(_input(), _config())
    said = result["messages"][1]
    assert said.tool_calls[0]["args"] == args
    _assert_clean(said.text)


def test_a_tool_result_is_external_located_by_tool_and_call_and_backs_a_claim() -> None:
    result = _agent(scripted(_call(""), "As we confirmed, the mill at Lund stands dry.")).invoke(_input(), _config())
    said = result["messages"][-1]
    assert said.text == "As we confirmed, the mill at Lund stands dry."
    (given,) = said.response_metadata["rqa"]["given"]
    assert (given["source"], given["id"]) == ("external", "look#c1")


def test_the_report_stands_in_the_metadata_of_the_message() -> None:
    report = _agent(scripted(LANGS["en"]["bad"])).invoke(_input(), _config())["messages"][-1].response_metadata["rqa"]
    assert report["counts"] == {"unbacked_history": 1, "unknown_id": 1}
    assert len(report["before_hash"]) == 64


class Answer(BaseModel):
    """An answer with fields."""

    reason: str
    sentences: list[str] = Field(default_factory=list)


@pytest.mark.parametrize("lang", LANGS)
def test_no_field_of_a_structured_answer_by_tool_shows_one(lang: str) -> None:
    bad = LANGS[lang]["bad"]
    call = ToolCall(name="Answer", args={"reason": bad, "sentences": [bad]}, id="s1")
    blocks: list[Any] = [{"type": "tool_use", "id": "s1", "name": "Answer", "input": call["args"]}]
    raw = {"tool_calls": [{"function": {"arguments": bad}}]}
    agent = _agent(
        scripted(AIMessage(blocks, tool_calls=[call], additional_kwargs=raw)), response_format=ToolStrategy(Answer)
    )
    seen = list(agent.stream(_input(lang), _config(), stream_mode=_MODES))
    result = agent.get_state(_config()).values
    _assert_clean(result["structured_response"].reason, repr(seen), repr(result), _everything(agent), lang=lang)
    assert isinstance(result["structured_response"], Answer)


def test_a_structured_answer_that_does_not_fit_is_asked_for_again_without_its_words() -> None:
    bad = LANGS["en"]["bad"]
    wrong = ToolCall(name="Answer", args={"reason": [bad]}, id="s1")
    right = ToolCall(name="Answer", args={"reason": "dry"}, id="s2")
    agent = _agent(
        scripted(AIMessage("", tool_calls=[wrong]), AIMessage("", tool_calls=[right])),
        response_format=ToolStrategy(Answer),
    )
    seen = list(agent.stream(_input(), _config(), stream_mode=_MODES))
    _assert_clean(repr(seen), _everything(agent), is_shown=False)
    assert agent.get_state(_config()).values["structured_response"].reason == "dry"


@pytest.mark.parametrize("lang", LANGS)
def test_no_field_of_a_structured_answer_in_json_shows_one(lang: str) -> None:
    text = json.dumps({"reason": LANGS[lang]["bad"]}, ensure_ascii=False)
    agent = _agent(scripted(text), response_format=ProviderStrategy(Answer))
    result = agent.invoke(_input(lang), _config())
    _assert_clean(result["messages"][-1].text, result["structured_response"].reason, _everything(agent), lang=lang)
    assert json.loads(result["messages"][-1].text)["reason"] == result["structured_response"].reason


def test_thinking_and_raw_fields_of_a_provider_are_left_out_and_names_and_numbers_stay() -> None:
    bad = LANGS["en"]["bad"]
    blocks: list[Any] = [{"type": "thinking", "thinking": bad}, {"type": "text", "text": bad}]
    message = AIMessage(
        blocks,
        additional_kwargs={"reasoning_content": bad},
        response_metadata={"model_name": "m-1", "logprobs": {"content": [{"token": bad}]}, "tokens": 3},
    )
    said = _agent(scripted(message)).invoke(_input(), _config())["messages"][-1]
    _assert_clean(repr(said))
    assert (said.response_metadata["model_name"], said.response_metadata["tokens"]) == ("m-1", 3)
    assert [block["type"] for block in said.content] == ["text"]


class _Quotes(AgentMiddleware[Any, Any, Any]):
    """Fails with the model's words in its mouth."""

    def wrap_model_call(self, request: Any, handler: Callable[[Any], Any]) -> Any:
        text = handler(request).result[0].text
        raise ValueError(f"not good enough: {text!r}") from KeyError(text)

    async def awrap_model_call(self, request: Any, handler: Callable[[Any], Any]) -> Any:
        text = (await handler(request)).result[0].text
        raise ValueError(f"not good enough: {text!r}") from KeyError(text)


@pytest.mark.parametrize("lang", LANGS)
@pytest.mark.parametrize("is_async", [False, True])
async def test_an_error_that_repeats_the_model_is_withheld_everywhere(lang: str, is_async: bool) -> None:
    agent, recorder, seen = _agent(scripted(LANGS[lang]["bad"]), _Quotes()), Recorder(), []

    async def run() -> None:
        if is_async:
            async for part in agent.astream(_input(lang), _config(recorder), stream_mode=_MODES):
                seen.append(repr(part))
        else:
            seen.extend(map(repr, agent.stream(_input(lang), _config(recorder), stream_mode=_MODES)))

    with pytest.raises(WithheldError, match="ValueError") as caught:
        await run()
    chain = f"{caught.value!r} {caught.value.__cause__!r} {caught.value.__context__!r}"
    _assert_clean("\n".join(seen), "\n".join(recorder.seen), _everything(agent), chain, lang=lang, is_shown=False)
    assert "ValueError" in "\n".join(seen)


def test_an_error_before_the_model_spoke_is_the_callers_as_it_is() -> None:
    def fail() -> AIMessage:
        raise TimeoutError("no answer after 5 s")

    with pytest.raises(TimeoutError, match="5 s"):
        _agent(scripted(fail)).invoke(_input(), _config())


@pytest.mark.parametrize("lang", LANGS)
def test_a_retry_inside_shows_neither_attempt(lang: str) -> None:
    class Once(_Quotes):
        spent = False

        def wrap_model_call(self, request: Any, handler: Callable[[Any], Any]) -> Any:
            if self.spent:
                return handler(request)
            self.spent = True
            return super().wrap_model_call(request, handler)

    bad = LANGS[lang]["bad"]
    agent, recorder = _agent(scripted(bad, bad), ModelRetryMiddleware(initial_delay=0), Once()), Recorder()
    seen = [repr(part) for part in agent.stream(_input(lang), _config(recorder), stream_mode=_MODES)]
    _assert_clean("\n".join(seen), "\n".join(recorder.seen), _everything(agent), lang=lang)


def test_what_a_retry_says_when_it_gives_up_is_verified_too() -> None:
    bad = LANGS["en"]["bad"]
    retry = ModelRetryMiddleware(max_retries=1, initial_delay=0, on_failure=lambda _error: f"Failed. {bad}")
    result = _agent(scripted(bad, bad), retry, _Quotes()).invoke(_input(), _config())
    _assert_clean(result["messages"][-1].text)


class _Wraps(AgentMiddleware[Any, Any, Any]):
    """Stands where it was put."""

    def wrap_model_call(self, request: Any, handler: Callable[[Any], Any]) -> Any:
        return handler(request)


def test_other_middleware_outside_is_refused_when_the_agent_is_built() -> None:
    with pytest.raises(MisplacedGuardError, match="_Wraps stands outside"):
        create_agent(scripted("x"), middleware=[_Wraps(), EchoGuardMiddleware()])


def test_a_builder_that_hides_its_list_gets_no_model_call() -> None:
    guard = EchoGuardMiddleware()
    model = scripted("x")

    def ask(request: ModelRequest[Any]) -> ModelResponse[Any]:
        return ModelResponse(result=[request.model.invoke("x")])

    with pytest.raises(MisplacedGuardError, match="no model is called"):
        guard.wrap_model_call(ModelRequest(model=model, messages=[]), ask)
    assert guard.name == "EchoGuardMiddleware"
    assert not model.prompts


def test_an_interrupt_inside_passes_and_is_resumed() -> None:
    from langchain.agents.middleware import HumanInTheLoopMiddleware
    from langgraph.types import Command

    agent = _agent(_replies("en"), HumanInTheLoopMiddleware(interrupt_on={"look": True}))
    stopped = agent.invoke(_input(), _config())
    assert stopped["__interrupt__"]
    done = agent.invoke(Command(resume={"decisions": [{"type": "approve"}]}), _config())
    assert isinstance(done["messages"][2], ToolMessage)
    _assert_clean(done["messages"][-1].text, _everything(agent))


@pytest.mark.parametrize(
    "options", [{"memory": object()}, {"remember": True}, {"memory": object(), "scope": None, "recall": list}]
)
def test_arguments_that_do_not_fit_together_are_refused(options: dict[str, Any]) -> None:
    with pytest.raises(ConfigError):
        EchoGuardMiddleware(**options)


def test_without_the_extra_one_line_names_it() -> None:
    code = (
        "import sys; sys.modules['langchain'] = None; sys.modules['langchain.agents'] = None\n"
        "import rqa_graph; rqa_graph.guard\n"
        "try: rqa_graph.EchoGuardMiddleware\n"
        "except ImportError as error: print(error)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout == "`EchoGuardMiddleware` needs the extra `agents`: pip install 'rqa-graph[agents]'\n"
