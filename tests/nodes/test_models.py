"""Which model answers and why, and what a call to one may return and may not do."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

import pytest
from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage
from langchain_core.runnables import RunnableLambda
from langchain_core.tracers.langchain import wait_for_all_tracers
from langsmith import Client
from langsmith.run_helpers import tracing_context
from pydantic import SecretStr

from rqa_nodes._model_probe import Target, look
from rqa_nodes.errors import ModelUnavailableError, PromptTooLargeError
from rqa_nodes.models import (
    Endpoint,
    ModelChoice,
    ResolvedModel,
    acomplete,
    aresolve_chat,
    astream,
    complete,
    endpoint_at,
    resolve_chat,
    resolve_endpoint,
    stream,
)
from tests.support.model_servers import OllamaServer, OpenAIServer, Reply

PROMPT: list[BaseMessage] = [SystemMessage("Be short."), HumanMessage("How is the weather? 天気は?")]
SCHEMA = {"type": "object", "properties": {"sky": {"type": "string"}}, "required": ["sky"]}
NOWHERE = "http://127.0.0.1:9"
"""The discard port: nothing listens there."""


@pytest.fixture(autouse=True)
def patient(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """A busy machine must not fail a test that is not about the 300 ms."""
    if "slow" not in request.node.name:
        monkeypatch.setattr("rqa_nodes.models.PROBE_SECONDS", 10.0)


@pytest.fixture
def ollama() -> Iterator[OllamaServer]:
    with OllamaServer(models=("gemma4:12b", "qwen3:latest", "away/gpt-oss:120b")) as server:
        yield server


@pytest.fixture
def openai() -> Iterator[OpenAIServer]:
    with OpenAIServer(models=("smollm2", "phi")) as server:
        yield server


def test_auto_takes_ollama_with_the_configured_model_and_says_nothing(ollama: OllamaServer) -> None:
    model = resolve_chat(ModelChoice(ollama_url=ollama.url))
    assert (model.engine, model.is_local, model.notice) == ("ollama:gemma4:12b", True, "")
    assert [request.path for request in ollama.requests] == ["/api/tags"]


def test_a_name_without_tag_means_latest(ollama: OllamaServer) -> None:
    model = resolve_chat(ModelChoice(ollama_url=ollama.url, ollama_model="qwen3"))
    assert model.engine == "ollama:qwen3:latest"


@pytest.mark.parametrize(("lang", "words"), [("en", "is not pulled"), ("ja", "取得されていません")])
def test_auto_names_a_model_that_is_not_pulled_and_those_that_are_in_one_line(
    ollama: OllamaServer, lang: str, words: str
) -> None:
    model = resolve_chat(ModelChoice(ollama_url=ollama.url, ollama_model="llama9:70b"), lang=lang)
    assert model.engine == "builtin"
    assert words in model.notice
    assert "llama9:70b" in model.notice
    assert "gemma4:12b, qwen3:latest" in model.notice
    assert "\n" not in model.notice


@pytest.mark.parametrize(("lang", "words"), [("en", "the built-in engine answers"), ("ja", "内蔵エンジンが答えます")])
def test_auto_without_any_server_answers_from_the_built_in_engine_and_says_so(lang: str, words: str) -> None:
    model = resolve_chat(ModelChoice(ollama_url=NOWHERE), lang=lang)
    assert (model.engine, model.is_local) == ("builtin", True)
    assert words in model.notice
    assert NOWHERE in model.notice


def test_auto_takes_the_url_where_ollama_is_absent(openai: OpenAIServer) -> None:
    model = resolve_chat(ModelChoice(ollama_url=NOWHERE, base_url=openai.url))
    assert model.engine == "openai:smollm2"
    assert "openai:smollm2" in model.notice


def test_auto_prefers_ollama_to_the_url(ollama: OllamaServer, openai: OpenAIServer) -> None:
    assert resolve_chat(ModelChoice(ollama_url=ollama.url, base_url=openai.url)).engine == "ollama:gemma4:12b"


@pytest.mark.parametrize("lang", ["en", "ja"])
def test_auto_with_a_dead_url_names_both_and_answers_itself(ollama: OllamaServer, lang: str) -> None:
    choice = ModelChoice(ollama_url=ollama.url, ollama_model="nope", base_url=f"{NOWHERE}/v1", base_url_model="m")
    model = resolve_chat(choice, lang=lang)
    assert model.engine == "builtin"
    assert f"{NOWHERE}/v1" in model.notice
    assert "nope" in model.notice


def test_auto_does_not_wait_for_a_slow_server(ollama: OllamaServer) -> None:
    ollama.probe_delay_s = 5.0
    assert resolve_chat(ModelChoice(ollama_url=ollama.url)).engine == "builtin"
    ollama.closing.set()
    assert len(ollama.requests) == 1


def test_auto_trusts_a_slow_url_whose_model_is_named(openai: OpenAIServer) -> None:
    openai.probe_delay_s = 5.0
    model = resolve_chat(ModelChoice(ollama_url=NOWHERE, base_url=openai.url, base_url_model="phi"))
    openai.closing.set()
    assert model.engine == "openai:phi"


def test_the_looks_run_at_once_and_not_one_after_the_other(ollama: OllamaServer, openai: OpenAIServer) -> None:
    ollama.gate = openai.gate = threading.Barrier(2)
    targets = [Target(protocol="ollama", url=ollama.url), Target(protocol="openai", url=openai.url)]
    assert [seen.state for seen in look(targets, limit_s=5)] == ["there", "there"]


def test_a_model_that_ollama_runs_elsewhere_is_not_local(ollama: OllamaServer) -> None:
    assert not resolve_chat(ModelChoice(name="ollama:away/gpt-oss:120b", ollama_url=ollama.url)).is_local
    away = Endpoint(protocol="ollama", url=ollama.url, model="gpt-oss:120b-cloud", context_tokens=16_384)
    assert not resolve_endpoint(away).is_local


def test_a_named_ollama_model_that_is_absent_is_an_error_that_lists_those_there(ollama: OllamaServer) -> None:
    with pytest.raises(ModelUnavailableError) as caught:
        resolve_chat(ModelChoice(name="ollama:nope:1b", ollama_url=ollama.url))
    assert "'nope:1b'" in caught.value.message
    assert "gemma4:12b" in caught.value.message
    assert caught.value.hint == "`ollama pull nope:1b`"


@pytest.mark.parametrize(
    ("choice", "words"),
    [
        (ModelChoice(name="ollama:m", ollama_url=NOWHERE), "no Ollama answers"),
        (ModelChoice(name="groq:m"), "GROQ_API_KEY is not set"),
        (ModelChoice(name="groq:m", groq_url=NOWHERE, groq_api_key=SecretStr("k")), "no model server answers at Groq"),
        (ModelChoice(name="openai:m"), "needs the address"),
        (ModelChoice(name="openai:m", base_url=f"{NOWHERE}/v1"), "no model server answers"),
        (ModelChoice(name="gemma4:12b"), "has no known form"),
        (ModelChoice(name="builtin:x"), "has no known form"),
        (ModelChoice(name=""), "has no known form"),
    ],
)
def test_a_named_model_is_never_replaced(choice: ModelChoice, words: str) -> None:
    with pytest.raises(ModelUnavailableError, match=words):
        resolve_chat(choice)


def test_a_named_model_at_a_url_must_be_listed_there(openai: OpenAIServer) -> None:
    assert resolve_chat(ModelChoice(name="openai:phi", base_url=openai.url)).engine == "openai:phi"
    with pytest.raises(ModelUnavailableError, match=r"has no model 'nope'; there: smollm2, phi"):
        resolve_chat(ModelChoice(name="openai:nope", base_url=openai.url))


def test_a_named_groq_model_is_looked_up_with_the_key(openai: OpenAIServer) -> None:
    choice = ModelChoice(name="groq:smollm2", groq_url=openai.groq_url, groq_api_key=SecretStr("gsk-1234567890"))
    assert resolve_chat(choice).engine == "groq:smollm2"
    assert openai.requests[0].path == "/openai/v1/models"
    assert openai.requests[0].headers["authorization"] == "Bearer gsk-1234567890"


def test_the_built_in_engine_can_be_named() -> None:
    model = resolve_chat(ModelChoice(name="builtin"))
    assert (model.engine, model.is_local, model.notice, model.endpoint) == ("builtin", True, "", None)


async def test_resolving_has_an_async_form(ollama: OllamaServer) -> None:
    assert (await aresolve_chat(ModelChoice(ollama_url=ollama.url))).engine == "ollama:gemma4:12b"


@pytest.mark.parametrize(
    ("url", "protocol"),
    [
        ("https://api.groq.com/openai/v1", "groq"),
        ("https://api.groq.com/openai/v1/", "groq"),
        ("http://127.0.0.1:8080/v1", "openai"),
        ("https://example.org/llm", "openai"),
        ("http://127.0.0.1:11434", "ollama"),
        ("http://127.0.0.1:11434/", "ollama"),
    ],
)
def test_the_path_of_an_address_tells_its_protocol(url: str, protocol: str) -> None:
    assert endpoint_at(url, model="m", context_tokens=16_384).protocol == protocol


def test_ollama_is_asked_without_thinking_with_its_context_and_the_schema(ollama: OllamaServer) -> None:
    model = resolve_chat(ModelChoice(ollama_url=ollama.url, context_tokens=20_000))
    assert complete(model, PROMPT, schema=SCHEMA, deadline_s=5) == "It rains."
    body = ollama.chats[0].body
    assert body["think"] is False
    assert body["options"] == {"num_ctx": 20_000}
    assert body["format"] == SCHEMA
    assert body["messages"][1]["content"] == "How is the weather? 天気は?"
    assert complete(model, PROMPT, deadline_s=5) == "It rains."
    assert not ollama.chats[1].body.get("format")


@pytest.mark.parametrize("protocol", ["groq", "openai"])
def test_an_openai_server_is_held_to_the_schema(openai: OpenAIServer, protocol: str) -> None:
    model = _model(openai, protocol)
    assert complete(model, PROMPT, schema=SCHEMA, deadline_s=5) == "It rains."
    wanted = openai.chats[0].body["response_format"]
    assert (wanted["type"], wanted["json_schema"]["schema"]) == ("json_schema", SCHEMA)
    assert openai.chats[0].headers["authorization"] == "Bearer sk-secret-123456"
    complete(model, PROMPT, deadline_s=5)
    assert "response_format" not in openai.chats[1].body


def test_a_key_of_the_environment_is_never_sent_to_another_server(
    openai: OpenAIServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-for-somebody-else")
    monkeypatch.setenv("GROQ_API_KEY", "gsk-for-somebody-else")
    monkeypatch.setenv("HTTP_PROXY", NOWHERE)
    for protocol in ("openai", "groq"):
        complete(_model(openai, protocol, key=None), PROMPT, deadline_s=5)
    assert all("somebody-else" not in str(request.headers) for request in openai.requests)


@pytest.mark.parametrize("kind", ["ollama", "openai", "groq"])
def test_a_proxy_setting_never_carries_text_for_this_machine_away(
    ollama: OllamaServer, openai: OpenAIServer, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "OPENAI_PROXY"):
        monkeypatch.setenv(name, NOWHERE)
    server = ollama if kind == "ollama" else openai
    assert complete(_model(server, kind), PROMPT, deadline_s=5) == "It rains."


@pytest.mark.parametrize("kind", ["ollama", "openai", "groq"])
async def test_thinking_never_comes_out(ollama: OllamaServer, openai: OpenAIServer, kind: str) -> None:
    server = ollama if kind == "ollama" else openai
    server.default = Reply(text="<think>inline plan</think>\n雨です。", thinking="a secret plan")
    model = _model(server, kind)
    assert complete(model, PROMPT, deadline_s=5) == "雨です。"
    assert await acomplete(model, PROMPT, deadline_s=5) == "雨です。"


def test_a_stream_comes_in_pieces_that_make_up_the_answer(ollama: OllamaServer) -> None:
    ollama.default = Reply(text="It rains. 雨が降っています。" * 4)
    pieces = list(stream(_model(ollama, "ollama"), PROMPT, deadline_s=5))
    assert len(pieces) > 1
    assert "".join(pieces) == ollama.default.text


async def test_a_stream_may_be_left_early(ollama: OllamaServer, openai: OpenAIServer) -> None:
    for kind, server in (("ollama", ollama), ("openai", openai), ("groq", openai)):
        server.default = Reply(text="It rains. " * 50)
        model = _model(server, kind)
        pieces = stream(model, PROMPT, deadline_s=5)
        assert next(filter(None, pieces)).startswith("It rains.")
        pieces.close()  # type: ignore[attr-defined]  # a generator
        apieces = astream(model, PROMPT, deadline_s=5)
        assert (await anext(piece async for piece in apieces if piece)).startswith("It rains.")
        await apieces.aclose()  # type: ignore[attr-defined]  # a generator


@pytest.mark.parametrize("text", ["x " * 30_000, "雨" * 15_000, "7" * 15_000], ids=["en", "ja", "digits"])
async def test_a_prompt_that_does_not_fit_is_refused_with_its_size_and_not_sent(
    ollama: OllamaServer, text: str
) -> None:
    model = _model(ollama, "ollama")
    messages: list[BaseMessage] = [HumanMessage(text)]
    with pytest.raises(PromptTooLargeError, match=r"about \d+ tokens, .* room for 14336"):
        complete(model, messages, deadline_s=5)
    with pytest.raises(PromptTooLargeError):
        await acomplete(model, messages, deadline_s=5)
    assert ollama.chats == []


@pytest.mark.parametrize("kind", ["ollama", "openai", "groq"])
async def test_what_utf8_cannot_say_is_replaced_and_the_rest_is_sent(
    ollama: OllamaServer, openai: OpenAIServer, kind: str
) -> None:
    server = ollama if kind == "ollama" else openai
    messages: list[BaseMessage] = [HumanMessage("天気\ud800は\x00?")]
    assert complete(_model(server, kind), messages, deadline_s=5) == "It rains."
    assert await acomplete(_model(server, kind), messages, deadline_s=5) == "It rains."
    assert [chat.body["messages"][0]["content"] for chat in server.chats] == ["天気\ufffdは\x00?"] * 2


def test_a_prompt_that_filled_the_context_at_the_server_is_an_error(ollama: OllamaServer) -> None:
    ollama.default = Reply(prompt_tokens=16_384)
    with pytest.raises(PromptTooLargeError, match="16384"):
        complete(_model(ollama, "ollama"), PROMPT, deadline_s=5)


def test_a_model_in_this_process_has_no_size_limit_and_keeps_its_own_errors() -> None:
    replies = iter([AIMessage("fine"), AIMessage("")])
    model = ResolvedModel(model=GenericFakeChatModel(messages=replies), engine="fake", is_local=True)
    assert complete(model, [HumanMessage("長い" * 100_000)], deadline_s=5) == "fine"
    broken = ResolvedModel(model=GenericFakeChatModel(messages=iter([])), engine="fake", is_local=True)
    with pytest.raises(RuntimeError, match="StopIteration"):
        complete(broken, PROMPT, deadline_s=5)


def test_secrets_are_in_no_repr() -> None:
    choice = ModelChoice(api_key=SecretStr("sk-secret-123456"), groq_api_key=SecretStr("gsk-secret-123456"))
    endpoint = Endpoint(
        protocol="groq", url="http://u:pw@h/v1", model="m", context_tokens=1, api_key=SecretStr("sk-secret-123456")
    )
    assert "secret-123456" not in repr(choice) + repr(endpoint) + str(endpoint)


class Spy(BaseCallbackHandler):
    """A handler of a surrounding run, as LangGraph's message stream is one."""

    def __init__(self) -> None:
        self.seen: list[str] = []

    def on_chat_model_start(self, serialized: Any, messages: Any, **kwargs: Any) -> None:
        self.seen.append("start")

    def on_llm_new_token(self, token: Any, **kwargs: Any) -> None:
        self.seen.append("token")

    def on_llm_end(self, response: Any, **kwargs: Any) -> None:
        self.seen.append("end")


async def test_no_handler_of_a_surrounding_run_sees_a_word(ollama: OllamaServer) -> None:
    model = _model(ollama, "ollama")

    async def ask(_: str) -> str:
        return await acomplete(model, PROMPT, deadline_s=5)

    inside = RunnableLambda(lambda _: complete(model, PROMPT, deadline_s=5), ask)
    spy = Spy()
    assert inside.invoke("x", {"callbacks": [spy]}) == "It rains."
    assert await inside.ainvoke("x", {"callbacks": [spy]}) == "It rains."
    assert spy.seen == []
    unprotected: RunnableLambda[str, BaseMessage] = RunnableLambda(lambda _: model.model.invoke(PROMPT))
    unprotected.invoke("x", {"callbacks": [spy]})
    assert "token" in spy.seen, "the spy sees a call that is not protected"


async def test_no_tracer_sees_a_word_though_tracing_is_on(ollama: OllamaServer, openai: OpenAIServer) -> None:
    model = _model(ollama, "ollama")
    client = Client(api_url=openai.root, api_key="ls-123", auto_batch_tracing=False, info={})
    with tracing_context(enabled=True, client=client):
        assert complete(model, PROMPT, deadline_s=5) == "It rains."
        assert await acomplete(model, PROMPT, deadline_s=5) == "It rains."
        assert openai.requests == []
        model.model.invoke(PROMPT)
    wait_for_all_tracers()
    assert "How is the weather?" in str(openai.requests), "the tracer sees a call that is not protected"


def _model(
    server: OllamaServer | OpenAIServer, protocol: str, *, key: str | None = "sk-secret-123456"
) -> ResolvedModel:
    url = server.groq_url if protocol == "groq" and isinstance(server, OpenAIServer) else server.url
    endpoint = endpoint_at(url, model="m", context_tokens=16_384, api_key=SecretStr(key) if key else None)
    assert endpoint.protocol == protocol
    return resolve_endpoint(endpoint)
