"""Which chat model answers, and how does the person learn why?

Names: `auto` (Ollama with the configured model, else the OpenAI-compatible URL if one is set, else the built-in
engine), `builtin`, `ollama:NAME`, `groq:NAME`, `openai:NAME` (at `models.base_url`).
Invariant: `auto` always finds a model, after one look of at most 300 ms, and says in one line if it is not the wished
one; a model asked for by name is never replaced: it is there, or `ModelUnavailableError` says what is.
"""

from __future__ import annotations

import asyncio
from dataclasses import replace
from urllib.parse import urlsplit

from pydantic import SecretStr

from rqa_nodes._model_calls import acomplete, astream, complete, estimate_prompt, estimate_tokens, room_of, stream
from rqa_nodes._model_probe import Look, Target, look, same_model
from rqa_nodes._model_servers import resolved
from rqa_nodes._model_types import Endpoint, ModelChoice, ResolvedModel, ServerProtocol
from rqa_nodes.addresses import shown_url
from rqa_nodes.errors import ModelUnavailableError
from rqa_nodes.fault_words import worded

__all__ = [
    "Endpoint",
    "ModelChoice",
    "ResolvedModel",
    "acomplete",
    "aresolve_chat",
    "astream",
    "builtin",
    "complete",
    "endpoint_at",
    "estimate_prompt",
    "estimate_tokens",
    "resolve_chat",
    "resolve_endpoint",
    "room_of",
    "stream",
]

PROBE_SECONDS = 0.3
"""Nobody waits longer than this to learn that there is no model server."""
NAMED_PROBE_SECONDS = 3.0
"""A model asked for by name is worth a longer look."""
_FORMS = 'one of "auto", "builtin", "ollama:NAME", "groq:NAME", "openai:NAME"'
_GROQ_PATH = "/openai/v1"
_LISTED_MODELS = 8
_NOTICES = {
    "no_server": {
        "en": "No Ollama at {url}: {answers} answers.",
        "ja": "{url} に Ollama が見つかりません。{answers}が答えます。",
    },
    "not_pulled": {
        "en": "{model} is not pulled at {url} (pulled: {there}): {answers} answers.",
        "ja": "{model} は {url} に取得されていません（取得済み: {there}）。{answers}が答えます。",
    },
    "no_url": {
        "en": "Neither Ollama at {url} nor a model at {base_url}: {answers} answers.",
        "ja": "{url} の Ollama も {base_url} のモデルも使えません。{answers}が答えます。",
    },
    "not_pulled_no_url": {
        "en": "{model} is not pulled at {url} (pulled: {there}) and no model at {base_url}: {answers} answers.",
        "ja": "{model} は {url} に取得されておらず（取得済み: {there}）、{base_url} のモデルも使えません。"
        "{answers}が答えます。",
    },
}
_BUILTIN_WORDS = {"en": "the built-in engine", "ja": "内蔵エンジン"}
_NOTHING_WORDS = {"en": "nothing", "ja": "なし"}


def resolve_chat(choice: ModelChoice, *, lang: str = "en") -> ResolvedModel:
    """Find the chat model that a person chose.

    Args:
        choice: The name asked for (or "auto") and where servers are.
        lang: Language of the notice, "en" or "ja"; any other reads English.

    Raises:
        ModelUnavailableError: A model asked for by name is not there, or the name has no known form.
    """
    kind, _, name = choice.name.partition(":")
    match kind:
        case "auto" if not name:
            return _automatic(choice, "ja" if lang == "ja" else "en")
        case "builtin" if not name:
            return builtin()
        case "ollama":
            return _named_ollama(choice, name or choice.ollama_model)
        case "groq" if name:
            return _named_groq(choice, name)
        case "openai":
            return _named_openai(choice, name or choice.base_url_model)
        case _:
            raise ModelUnavailableError(**worded("unknown_form", "prefix_ollama", name=choice.name, forms=_FORMS))


async def aresolve_chat(choice: ModelChoice, *, lang: str = "en") -> ResolvedModel:
    """As `resolve_chat`, without blocking."""
    return await asyncio.to_thread(resolve_chat, choice, lang=lang)


def endpoint_at(url: str, *, model: str, context_tokens: int, api_key: SecretStr | None = None) -> Endpoint:
    """A model at an address whose path says which protocol is spoken there.

    `.../openai/v1` is Groq's, any other path an OpenAI-compatible server's, and no path an Ollama's.
    """
    path = urlsplit(url).path.rstrip("/")
    protocol: ServerProtocol = "groq" if path == _GROQ_PATH else "openai" if path else "ollama"
    return Endpoint(protocol=protocol, url=url, model=model, context_tokens=context_tokens, api_key=api_key)


def resolve_endpoint(endpoint: Endpoint) -> ResolvedModel:
    """A model at a pinned address, as the evaluator's binding names it. Nothing is sent before the first call."""
    return resolved(endpoint)


def builtin(*, notice: str = "") -> ResolvedModel:
    """The built-in engine: always there, in this process."""
    from rqa_nodes.structural import StructuralChatModel

    return ResolvedModel(model=StructuralChatModel(), engine="builtin", is_local=True, notice=notice)


def _automatic(choice: ModelChoice, lang: str) -> ResolvedModel:
    ollama = Target(protocol="ollama", url=choice.ollama_url)
    url = Target(protocol="openai", url=choice.base_url, api_key=choice.api_key)
    seen = look([ollama, url] if choice.base_url else [ollama], limit_s=PROBE_SECONDS)
    if pulled := _pulled(choice.ollama_model, seen[0]):
        return _ollama(choice, pulled, seen[0])
    missing = "not_pulled" if seen[0].state == "there" else "no_server"
    if not choice.base_url:
        return builtin(notice=_notice(missing, choice, seen[0], lang, answers=_BUILTIN_WORDS[lang]))
    if at_url := _usable_at_url(choice, seen[1]):
        endpoint = _openai_endpoint(choice, at_url)
        answers = f"{endpoint.engine} ({shown_url(choice.base_url)})"
        return resolved(endpoint, notice=_notice(missing, choice, seen[0], lang, answers=answers))
    missing = "not_pulled_no_url" if missing == "not_pulled" else "no_url"
    return builtin(notice=_notice(missing, choice, seen[0], lang, answers=_BUILTIN_WORDS[lang]))


def _usable_at_url(choice: ModelChoice, seen: Look) -> str:
    """The model to ask for at the URL; empty if nothing can answer there.

    A server that is late or has no list is trusted if the person named a model: a remote one may need longer.
    """
    if seen.state in {"absent", "refused"}:
        return ""
    return choice.base_url_model or (seen.models[0] if seen.models else "")


def _named_ollama(choice: ModelChoice, name: str) -> ResolvedModel:
    [seen] = look([Target(protocol="ollama", url=choice.ollama_url)], limit_s=NAMED_PROBE_SECONDS)
    where = shown_url(choice.ollama_url)
    if seen.state != "there":
        raise ModelUnavailableError(**worded("no_ollama", "start_ollama_or_url", place=where, name=name))
    if pulled := _pulled(name, seen):
        return _ollama(choice, pulled, seen)
    raise ModelUnavailableError(**worded("not_pulled", "pull", place=where, name=name, there=_listed(seen, "en")))


def _named_groq(choice: ModelChoice, name: str) -> ResolvedModel:
    if choice.groq_api_key is None:
        raise ModelUnavailableError(**worded("needs_groq_key", "key_groq", name=name))
    [seen] = look(
        [Target(protocol="groq", url=choice.groq_url, api_key=choice.groq_api_key)], limit_s=NAMED_PROBE_SECONDS
    )
    _require(seen, name, "Groq", key="GROQ_API_KEY")
    return resolved(
        Endpoint(
            protocol="groq",
            url=choice.groq_url,
            model=name,
            api_key=choice.groq_api_key,
            context_tokens=choice.context_tokens,
        )
    )


def _named_openai(choice: ModelChoice, name: str) -> ResolvedModel:
    if not choice.base_url:
        raise ModelUnavailableError(**worded("needs_address", "set_base_url", name=name))
    target = Target(protocol="openai", url=choice.base_url, api_key=choice.api_key)
    [seen] = look([target], limit_s=NAMED_PROBE_SECONDS)
    name = name or (seen.models[0] if seen.models else "")
    _require(seen, name, shown_url(choice.base_url), key="RQA_MODELS__API_KEY")
    return resolved(_openai_endpoint(choice, name))


def _require(seen: Look, name: str, where: str, *, key: str) -> None:
    """Raise unless the model may be there. A server without a list is asked for the answer itself later."""
    if seen.state in {"absent", "late"}:
        raise ModelUnavailableError(**worded("no_server", "address_or_builtin", place=where, name=name))
    if seen.state == "refused":
        raise ModelUnavailableError(**worded("place_refused_key", "check_key", place=where, key=key))
    if not name or (seen.state == "there" and name not in seen.models):
        raise ModelUnavailableError(
            **worded("no_such_model", "name_one", place=where, name=name, there=_listed(seen, "en"))
        )


def _pulled(name: str, seen: Look) -> str:
    """The server's own name for a model, if it has it; else empty."""
    return next((there for there in seen.models if same_model(name, there)), "")


def _ollama(choice: ModelChoice, name: str, seen: Look) -> ResolvedModel:
    endpoint = Endpoint(protocol="ollama", url=choice.ollama_url, model=name, context_tokens=choice.context_tokens)
    model = resolved(endpoint)
    return replace(model, is_local=False) if name in seen.elsewhere else model


def _openai_endpoint(choice: ModelChoice, name: str) -> Endpoint:
    return Endpoint(
        protocol="openai",
        url=choice.base_url,
        model=name,
        api_key=choice.api_key,
        context_tokens=choice.context_tokens,
    )


def _listed(seen: Look, lang: str) -> str:
    names = ", ".join(seen.models[:_LISTED_MODELS]) or _NOTHING_WORDS[lang]
    return names + (", ..." if len(seen.models) > _LISTED_MODELS else "")


def _notice(rule: str, choice: ModelChoice, seen: Look, lang: str, *, answers: str) -> str:
    return _NOTICES[rule][lang].format(
        model=choice.ollama_model,
        url=shown_url(choice.ollama_url),
        base_url=shown_url(choice.base_url),
        there=_listed(seen, lang),
        answers=answers,
    )
