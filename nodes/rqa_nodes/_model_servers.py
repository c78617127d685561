"""How is a model at a server built and called, so that it cannot think aloud, cut a prompt silently or wait for ever?

Invariants: nothing is retried inside a client library (the caller knows the deadline); nothing is cached; a connection
is closed after each answer, so that a model may be called from any thread and any event loop; a server on this
machine is never reached through a proxy, because then the text would leave it.
The outside facts: Ollama's default context is small and a longer prompt is cut without a word; its client has one time
limit for its whole life; langchain-openai replaces the plain stream by a parsing one if it sees `response_format`.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any, assert_never

from langchain_core.language_models.chat_models import BaseChatModel
from pydantic import SecretStr

from rqa_nodes._bounded_body import bound
from rqa_nodes._model_types import Endpoint, ResolvedModel
from rqa_nodes.addresses import is_loopback

__all__ = [
    "build",
    "call_options",
    "context_was_full",
    "ended_early",
    "for_limit",
    "ran_out",
    "resolved",
    "thinks_unmarked",
]

_CONNECT_SECONDS = 5.0
_CLOSE = {"Connection": "close"}
_NO_KEY = SecretStr("none")
"""The OpenAI client insists on a key, and would take one meant for another server from the environment."""
_SCHEMA_NAME = "reply"
_THINKING_OFF = {"chat_template_kwargs": {"enable_thinking": False}}
"""llama.cpp, vLLM and SGLang pass it to the chat template; a hosted API may refuse a field that it does not know."""
_THINKERS = ("r1", "qwq", "think", "reason", "deepseek", "magistral", "gpt-oss", "qwen3", "glm", "kimi", "nemotron")
"""Parts of the names of models whose chat template may open the thinking in the prompt."""


def resolved(endpoint: Endpoint, *, notice: str = "", monotonic: Callable[[], float] = time.monotonic) -> ResolvedModel:
    """A model at an endpoint, ready to be called. Nothing is sent yet."""
    return ResolvedModel(
        model=build(endpoint, monotonic=monotonic),
        engine=endpoint.engine,
        is_local=endpoint.is_local,
        notice=notice,
        endpoint=endpoint,
        monotonic=monotonic,
    )


def build(
    endpoint: Endpoint, *, limit_s: float | None = None, monotonic: Callable[[], float] = time.monotonic
) -> BaseChatModel:
    """The LangChain model of an endpoint; imports the one client library that it needs."""
    match endpoint.protocol:
        case "ollama":
            return _ollama(endpoint, limit_s)
        case "groq":
            return _groq(endpoint, monotonic)
        case "openai":
            return _openai(endpoint)
        case _:
            assert_never(endpoint.protocol)


def for_limit(model: ResolvedModel, limit_s: float) -> BaseChatModel:
    """The same model with this time limit in its client: a new one for Ollama, whose client takes it at birth only."""
    if model.endpoint is not None and model.endpoint.protocol == "ollama":
        return build(model.endpoint, limit_s=limit_s)
    return model.model


def call_options(endpoint: Endpoint | None, schema: Mapping[str, Any] | None, limit_s: float) -> dict[str, Any]:
    """Keyword arguments of one call: the time limit and the schema, as each client wants them."""
    if endpoint is None:
        return {}
    if endpoint.protocol == "ollama":
        return {"format": dict(schema)} if schema else {}
    form: dict[str, Any] = {}
    if schema:
        form = {"response_format": {"type": "json_schema", "json_schema": {"name": _SCHEMA_NAME, "schema": {**schema}}}}
    if endpoint.protocol == "groq":
        return {"timeout": limit_s, **form}
    return {"timeout": limit_s, "extra_body": form | (_THINKING_OFF if is_loopback(endpoint.url) else {})}


def thinks_unmarked(endpoint: Endpoint | None) -> bool:
    """Should an answer be held back to its end, because it may begin with thinking of which only the end is marked?

    Groq's comes whole in any case; Ollama puts the marks in itself.
    """
    if endpoint is None or endpoint.protocol == "ollama":
        return False
    name = endpoint.model.casefold()
    return endpoint.protocol == "groq" or any(part in name for part in _THINKERS)


def ended_early(metadata: Mapping[str, Any]) -> bool:
    """Did the stream end without the server's word that it is done?"""
    return not (metadata.get("done_reason") or metadata.get("finish_reason") or metadata.get("done"))


def ran_out(metadata: Mapping[str, Any]) -> bool:
    """Does the server say that it stopped for lack of room?"""
    return "length" in {metadata.get("done_reason"), metadata.get("finish_reason")}


def context_was_full(endpoint: Endpoint, usage: Mapping[str, Any]) -> int:
    """The prompt's tokens as the server counted them, if they fill the context (Ollama cuts then); else 0."""
    tokens = int(usage.get("input_tokens") or 0)
    return tokens if endpoint.protocol == "ollama" and tokens >= endpoint.context_tokens else 0


def _ollama(endpoint: Endpoint, limit_s: float | None) -> BaseChatModel:
    from langchain_ollama import ChatOllama

    limits = None if limit_s is None else (min(_CONNECT_SECONDS, limit_s), limit_s, limit_s, limit_s)
    # Without TLS the certificates need not be read, which would block an event loop.
    secure = endpoint.url.startswith("https://")
    client = {
        "timeout": limits,
        "headers": dict(_CLOSE),
        "verify": secure,
        "trust_env": not is_loopback(endpoint.url),
    }
    return ChatOllama(
        model=endpoint.model,
        base_url=endpoint.url,
        num_ctx=endpoint.context_tokens,
        reasoning=False,
        client_kwargs=client,
        cache=False,
        verbose=False,
    )


def _groq(endpoint: Endpoint, monotonic: Callable[[], float]) -> BaseChatModel:
    import groq
    from langchain_groq import ChatGroq

    trust = not is_loopback(endpoint.url)
    return ChatGroq(
        model=endpoint.model,
        api_key=endpoint.api_key or _NO_KEY,
        base_url=endpoint.url.removesuffix("/").removesuffix("/openai/v1"),
        max_retries=0,
        # Left early, a stream of langchain-groq stays open; and Groq cannot stream an answer that has a schema.
        disable_streaming=True,
        default_headers=_CLOSE,
        http_client=groq.DefaultHttpxClient(trust_env=trust, event_hooks={"response": [bound(monotonic)]}),
        http_async_client=groq.DefaultAsyncHttpxClient(trust_env=trust),
        cache=False,
        verbose=False,
    )


def _openai(endpoint: Endpoint) -> BaseChatModel:
    import openai
    from langchain_openai import ChatOpenAI

    trust = not is_loopback(endpoint.url)
    return ChatOpenAI(
        model=endpoint.model,
        api_key=endpoint.api_key or _NO_KEY,
        base_url=endpoint.url,
        max_retries=0,
        use_responses_api=False,
        stream_usage=False,
        stream_chunk_timeout=None,
        default_headers=_CLOSE,
        openai_proxy="",
        http_client=openai.DefaultHttpxClient(trust_env=trust),
        http_async_client=openai.DefaultAsyncHttpxClient(trust_env=trust),
        cache=False,
        verbose=False,
    )
