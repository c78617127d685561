"""How is a model at a server built and called, so that it cannot think aloud, cut a prompt silently or wait for ever?

Invariants: nothing is retried inside a client library (the caller knows the deadline); nothing is cached; a connection
is closed after each answer, so that a model may be called from any thread and any event loop; a server on this
machine is never reached through a proxy, because then the text would leave it.
The outside facts: Ollama's default context is small and a longer prompt is cut without a word; its client has one time
limit for its whole life; langchain-openai replaces the plain stream
by a parsing one if it sees `response_format`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, assert_never

from langchain_core.language_models.chat_models import BaseChatModel
from pydantic import SecretStr

from rqa_nodes._model_types import Endpoint, ResolvedModel, is_loopback

__all__ = ["build", "call_options", "context_was_full", "ended_early", "for_limit", "ran_out", "resolved"]

_CONNECT_SECONDS = 5.0
_CLOSE = {"Connection": "close"}
_NO_KEY = SecretStr("none")
"""The OpenAI client insists on a key, and would take one meant for another server from the environment."""
_SCHEMA_NAME = "reply"
_CLOUD_SUFFIXES = ("-cloud", ":cloud")
"""Ollama runs models with these endings on its own servers, though the address is this machine's."""


def resolved(endpoint: Endpoint, *, notice: str = "") -> ResolvedModel:
    """A model at an endpoint, ready to be called. Nothing is sent yet."""
    local = is_loopback(endpoint.url) and not endpoint.model.endswith(_CLOUD_SUFFIXES)
    model = build(endpoint)
    return ResolvedModel(model=model, engine=endpoint.engine, is_local=local, notice=notice, endpoint=endpoint)


def build(endpoint: Endpoint, *, limit_s: float | None = None) -> BaseChatModel:
    """The LangChain model of an endpoint; imports the one client library that it needs."""
    match endpoint.protocol:
        case "ollama":
            return _ollama(endpoint, limit_s)
        case "groq":
            return _groq(endpoint)
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
    options: dict[str, Any] = {"timeout": limit_s}
    if schema:
        wanted = {"type": "json_schema", "json_schema": {"name": _SCHEMA_NAME, "schema": dict(schema)}}
        if endpoint.protocol == "groq":
            options["response_format"] = wanted
        else:
            options["extra_body"] = {"response_format": wanted}
    return options


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


def _groq(endpoint: Endpoint) -> BaseChatModel:
    from langchain_groq import ChatGroq

    return ChatGroq(
        model=endpoint.model,
        api_key=endpoint.api_key or _NO_KEY,
        base_url=endpoint.url.removesuffix("/").removesuffix("/openai/v1"),
        max_retries=0,
        # langchain-groq leaves the connection open if its stream is not read to the end; Groq is fast enough unstreamed.
        disable_streaming=True,
        default_headers=_CLOSE,
        cache=False,
        verbose=False,
        **_direct_clients("groq", endpoint.url),
    )


def _openai(endpoint: Endpoint) -> BaseChatModel:
    from langchain_openai import ChatOpenAI

    return ChatOpenAI(
        model=endpoint.model,
        api_key=endpoint.api_key or _NO_KEY,
        base_url=endpoint.url,
        max_retries=0,
        use_responses_api=False,
        stream_usage=False,
        stream_chunk_timeout=None,
        default_headers=_CLOSE,
        cache=False,
        verbose=False,
        **_direct_clients("openai", endpoint.url),
    )


def _direct_clients(library: str, url: str) -> dict[str, Any]:
    """HTTP clients that ignore proxy settings, for a server on this machine; nothing for any other."""
    if not is_loopback(url):
        return {}
    if library == "groq":
        import groq as sdk
    else:
        import openai as sdk  # type: ignore[no-redef]  # both packages export the same two client classes
    return {
        "http_client": sdk.DefaultHttpxClient(trust_env=False),
        "http_async_client": sdk.DefaultAsyncHttpxClient(trust_env=False),
    }
