"""Every way in which a model server fails ends in one of our errors, in clear words, in time, and without a secret."""

from __future__ import annotations

import time
import traceback
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass

import pytest
from langchain_core.messages import BaseMessage, HumanMessage
from pydantic import SecretStr

from rqa_nodes.errors import ModelOutputError, ModelUnavailableError, PromptTooLargeError, RuleError
from rqa_nodes.models import ResolvedModel, acomplete, astream, complete, endpoint_at, resolve_endpoint, stream
from tests.support.model_servers import Fault, ModelServer, OllamaServer, OpenAIServer, Reply

pytestmark = pytest.mark.thinned

PROMPT: list[BaseMessage] = [HumanMessage("How is the weather? 天気は?")]
SCHEMA = {"type": "object", "properties": {"sky": {"type": "string"}}, "required": ["sky"]}
KEY = "gsk-4f9c1b7e2d"
SHORT_S = 0.3
PATIENCE_S = 15.0
"""What a busy machine may add to a time limit; the slow servers are silent for twice as long."""
"""Stands for the 60 s of a real call, where the limit is what is tested."""
LONG_S = 20.0
"""Elsewhere: a busy machine must not turn a fault into a timeout."""

Ask = Callable[[ResolvedModel, float], Awaitable[str]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    fault: Fault
    error: type[RuleError]
    words: str
    reason: str = ""
    chats: int = 1


CASES = (
    Case(fault=Fault.not_found, error=ModelUnavailableError, words="answered 404"),
    Case(fault=Fault.html, error=ModelOutputError, words="something other than", reason="invalid"),
    Case(fault=Fault.html_404, error=ModelUnavailableError, words="answered 404"),
    Case(fault=Fault.empty, error=ModelOutputError, words="returned no words", reason="empty_content", chats=2),
    Case(fault=Fault.garbage, error=ModelOutputError, words="something other than", reason="invalid"),
    Case(fault=Fault.bad_request, error=ModelUnavailableError, words="refused the request with 400"),
    Case(fault=Fault.unauthorized, error=ModelUnavailableError, words=r"refused the key \(401\)"),
    Case(fault=Fault.too_large, error=PromptTooLargeError, words="does not fit"),
    Case(fault=Fault.rate_limited, error=ModelUnavailableError, words="rate limit"),
    Case(fault=Fault.server_error, error=ModelUnavailableError, words="failed with 500"),
)
TOO_SLOW = (Fault.silent, Fault.stalls, Fault.drips)
CUT_SHORT = (Fault.reset, Fault.early_end)


async def ask_sync(model: ResolvedModel, limit_s: float = LONG_S) -> str:
    return complete(model, PROMPT, deadline_s=limit_s)


async def ask_async(model: ResolvedModel, limit_s: float = LONG_S) -> str:
    return await acomplete(model, PROMPT, deadline_s=limit_s)


async def ask_sync_with_schema(model: ResolvedModel, limit_s: float = LONG_S) -> str:
    return complete(model, PROMPT, schema=SCHEMA, deadline_s=limit_s)


async def ask_async_with_schema(model: ResolvedModel, limit_s: float = LONG_S) -> str:
    return await acomplete(model, PROMPT, schema=SCHEMA, deadline_s=limit_s)


WAYS = (ask_sync, ask_async, ask_sync_with_schema, ask_async_with_schema)


@pytest.fixture(params=["ollama", "openai", "groq"])
def server(request: pytest.FixtureRequest) -> Iterator[tuple[ModelServer, ResolvedModel]]:
    kind: str = request.param
    with OllamaServer() if kind == "ollama" else OpenAIServer() as running:
        url = running.groq_url if kind == "groq" and isinstance(running, OpenAIServer) else running.url
        endpoint = endpoint_at(url, model="m", context_tokens=16_384, api_key=SecretStr(KEY))
        assert endpoint.protocol == kind
        yield running, resolve_endpoint(endpoint)


async def failure(model: ResolvedModel, ask: Ask, limit_s: float = LONG_S) -> RuleError:
    with pytest.raises(RuleError) as caught:
        await ask(model, limit_s)
    shown = "".join(traceback.format_exception(caught.value)) + str(caught.value) + caught.value.hint
    assert KEY not in shown
    assert caught.value.hint, "it says what to do"
    assert "\n" not in caught.value.message
    return caught.value


@pytest.mark.parametrize("ask", WAYS)
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.fault.value)
async def test_a_fault_is_said_clearly(server: tuple[ModelServer, ResolvedModel], case: Case, ask: Ask) -> None:
    running, model = server
    running.default = Reply(fault=case.fault, thinking="hm", message=f"bad key {KEY}")
    error = await failure(model, ask)
    assert type(error) is case.error
    with pytest.raises(case.error, match=case.words):
        raise error
    assert getattr(error, "reason", "") == case.reason
    if ask in {ask_sync, ask_async}:
        assert len(running.chats) == case.chats, "nothing but an empty answer is asked for twice"


@pytest.mark.parametrize("ask", [ask_sync, ask_async])
@pytest.mark.parametrize("fault", TOO_SLOW)
async def test_a_server_that_is_too_slow_is_given_up_in_time(
    server: tuple[ModelServer, ResolvedModel], fault: Fault, ask: Ask
) -> None:
    running, model = server
    running.default = Reply(fault=fault)
    started = time.monotonic()
    error = await failure(model, ask, SHORT_S)
    assert time.monotonic() - started < SHORT_S + PATIENCE_S, "a server is given up, though a drip never ends by itself"
    assert isinstance(error, ModelUnavailableError)
    assert f"no whole answer within {SHORT_S:g} s" in error.message


@pytest.mark.parametrize("ask", WAYS)
@pytest.mark.parametrize("fault", CUT_SHORT)
async def test_an_answer_that_breaks_off_is_no_answer(
    server: tuple[ModelServer, ResolvedModel], fault: Fault, ask: Ask
) -> None:
    running, model = server
    running.default = Reply(fault=fault)
    error = await failure(model, ask)
    assert "before" in error.message
    assert "complete" in error.message
    if model.engine != "groq:m":
        assert isinstance(error, ModelOutputError)
        assert error.reason == "cut_off"
    else:
        assert isinstance(error, ModelUnavailableError), "Groq is not streamed: no word had come"


@pytest.mark.parametrize("server", ["ollama", "openai"], indirect=True)
async def test_what_came_before_a_reset_has_been_passed_on(server: tuple[ModelServer, ResolvedModel]) -> None:
    running, model = server
    running.default = Reply(text="It rains. " * 8, fault=Fault.reset)
    pieces: list[str] = []

    async def collect() -> None:
        async for piece in astream(model, PROMPT, deadline_s=LONG_S):
            pieces.append(piece)

    with pytest.raises(ModelOutputError):
        await collect()
    assert pieces
    assert "".join(pieces) in running.default.text
    assert len(running.chats) == 1, "after the first word nothing is asked again"
    synchronous = stream(model, PROMPT, deadline_s=LONG_S)
    assert next(synchronous) == pieces[0]
    with pytest.raises(ModelOutputError):
        list(synchronous)


@pytest.mark.parametrize("ask", [ask_sync, ask_async])
async def test_an_empty_answer_is_asked_for_once_more(server: tuple[ModelServer, ResolvedModel], ask: Ask) -> None:
    running, model = server
    running.then(Reply(fault=Fault.empty, thinking="all of it thought"), Reply(text="雨です。"))
    assert await ask(model, LONG_S) == "雨です。"
    assert len(running.chats) == 2


@pytest.mark.parametrize("ask", [ask_sync_with_schema, ask_async_with_schema])
async def test_a_server_that_takes_no_schema_is_asked_without(
    server: tuple[ModelServer, ResolvedModel], ask: Ask
) -> None:
    running, model = server
    running.default = Reply(text='{"sky": "grey"}', fault=Fault.schema_refused)
    assert await ask(model, LONG_S) == '{"sky": "grey"}'
    assert len(running.chats) == 2


@pytest.mark.parametrize("ask", WAYS)
async def test_an_answer_that_ran_out_of_room_is_used_only_as_prose(
    server: tuple[ModelServer, ResolvedModel], ask: Ask
) -> None:
    running, model = server
    running.default = Reply(fault=Fault.length)
    if ask in {ask_sync, ask_async}:
        assert await ask(model, LONG_S) == "It rains."
    else:
        error = await failure(model, ask)
        assert isinstance(error, ModelOutputError)
        assert error.reason == "cut_off"


async def test_cut_json_is_returned_as_it_is_for_the_tolerant_parser(server: tuple[ModelServer, ResolvedModel]) -> None:
    running, model = server
    running.default = Reply(text='{"sky": "gre')
    assert await ask_sync_with_schema(model) == '{"sky": "gre'
    assert await ask_async_with_schema(model) == '{"sky": "gre'


async def test_a_rate_limit_says_how_long_to_wait() -> None:
    with OpenAIServer(reply=Reply(fault=Fault.rate_limited)) as running:
        for url in (running.url, running.groq_url):
            error = await failure(resolve_endpoint(endpoint_at(url, model="m", context_tokens=16_384)), ask_sync)
            assert "asks to wait 7 s" in error.message


@pytest.mark.parametrize("server", ["ollama", "openai"], indirect=True)
async def test_an_error_in_the_middle_of_a_stream_is_quoted(server: tuple[ModelServer, ResolvedModel]) -> None:
    running, model = server
    running.default = Reply(fault=Fault.error_in_stream, message="model requires more system memory (9.0 GiB)")
    for ask in (ask_sync, ask_async):
        assert "model requires more system memory (9.0 GiB)" in (await failure(model, ask)).message


async def test_what_a_server_says_cannot_drive_the_terminal(server: tuple[ModelServer, ResolvedModel]) -> None:
    running, model = server
    running.default = Reply(fault=Fault.server_error, message="\x1b]0;owned\x07\u202eboom" + "x" * 5000)
    message = (await failure(model, ask_sync)).message
    assert message.isprintable()
    assert len(message) < 400


@pytest.mark.parametrize("ask", WAYS)
async def test_a_server_that_is_gone_is_named_with_its_address(ask: Ask) -> None:
    for url in ("http://127.0.0.1:9", "http://127.0.0.1:9/v1", "http://127.0.0.1:9/openai/v1"):
        error = await failure(resolve_endpoint(endpoint_at(url, model="m", context_tokens=16_384)), ask)
        assert isinstance(error, ModelUnavailableError)
        assert "cannot be reached" in error.message
        assert url in error.message


async def test_an_async_call_blocks_no_event_loop(server: tuple[ModelServer, ResolvedModel]) -> None:
    """As under `langgraph dev`, which refuses a node that blocks."""
    blockbuster = pytest.importorskip("blockbuster")
    _, model = server
    with blockbuster.blockbuster_ctx():
        assert await ask_async(model) == "It rains."
        assert await ask_async_with_schema(model) == "It rains."
