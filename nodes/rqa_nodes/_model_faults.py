"""What does a failed call to a model server mean, in words for a person?

Invariant: no message holds a secret, and a server's own words are quoted only if they are short, printable and free of
the key.
The outside fact that forces the shape: three client libraries on two HTTP clients raise unrelated classes of the same
names, and whatever they find in a body that is not theirs (`AttributeError`, `KeyError`, ...). Importing all of them
to catch one would be slow, so a class is recognised by its name and a refusal by its status.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from rqa_nodes._model_types import Endpoint, shown_url
from rqa_nodes.errors import ModelOutputError, ModelUnavailableError, PromptTooLargeError, RuleError

__all__ = ["Call", "explain", "refused_request"]

_TIMEOUTS = frozenset({"TimeoutException", "APITimeoutError", "TimeoutError"})
_UNREACHABLE = frozenset({"ConnectError", "ConnectionError", "APIConnectionError", "UnsupportedProtocol", "InvalidURL"})
_CUT = frozenset({"ReadError", "WriteError", "RemoteProtocolError", "CloseError"})
_TOO_LARGE = frozenset({"ContextOverflowError"})
_QUOTED_CHARACTERS = 160
_GROQ_HOST = "api.groq.com"
_KEY_SETTINGS = {
    "groq": "set GROQ_API_KEY in the environment or in ./.env",
    "openai": "set RQA_MODELS__API_KEY in the environment or in ./.env",
    "ollama": "this server wants a key: set OLLAMA_API_KEY in the environment",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """The call that failed: what was asked of whom, how long it could take, and whether words had come already."""

    endpoint: Endpoint
    limit_s: float
    started: bool = False


def explain(error: Exception, call: Call) -> RuleError:
    """The error of ours that says what happened; one of ours passes unchanged."""
    if isinstance(error, RuleError):
        return error
    # The OpenAI and Groq clients hide what happened to the connection in the cause of their own error.
    names = {cls.__name__ for found in (error, error.__cause__) for cls in type(found).__mro__}
    if names & _TIMEOUTS:
        return _timed_out(call)
    if names & _TOO_LARGE:
        return _too_large(call)
    status = _status(error)
    if status >= 400:
        return _refused(error, status, call)
    return _broken(error, names, call)


def refused_request(error: Exception) -> bool:
    """Did the server say that it does not accept such a request (a schema, for one)?"""
    return _status(error) in {400, 422}


def _broken(error: Exception, names: set[str], call: Call) -> RuleError:
    who = _who(call.endpoint)
    if names & _CUT or (names & _UNREACHABLE and call.started):
        message = f"{who} closed the connection before the answer was complete"
        if call.started:
            return ModelOutputError(message, reason="cut_off", hint="ask again; if it repeats, see the server's log")
        return ModelUnavailableError(message, hint="ask again; if it repeats, see the server's log")
    if names & _UNREACHABLE:
        return ModelUnavailableError(f"{who} cannot be reached", hint=_start_hint(call.endpoint))
    words = _server_words(error, call.endpoint)
    if words:
        return ModelUnavailableError(f"{who} reports an error: {words!r}", hint="see the server's log")
    return ModelOutputError(
        f"{who} answered with something other than the {call.endpoint.protocol} protocol (`{type(error).__name__}`)",
        reason="invalid",
        hint="is this the address of the model server? `rqa check` shows where it is set",
    )


def _timed_out(call: Call) -> RuleError:
    return ModelUnavailableError(
        f"{_who(call.endpoint)} gave no whole answer within {call.limit_s:g} s",
        hint="a model that is loading needs longer: ask again, or raise `models.timeouts`",
    )


def _too_large(call: Call) -> RuleError:
    return PromptTooLargeError(
        f"{_who(call.endpoint)} says that the prompt does not fit its context",
        hint="shorten the text, or choose a model with a larger context",
    )


def _refused(error: Exception, status: int, call: Call) -> RuleError:
    who, endpoint = _who(call.endpoint), call.endpoint
    words = _server_words(error, endpoint)
    if status in {401, 403}:
        return ModelUnavailableError(f"{who} refused the key ({status})", hint=_KEY_SETTINGS[endpoint.protocol])
    if status == 404:
        return ModelUnavailableError(
            f"{who} answered 404: the model, or the address {shown_url(endpoint.url)}, is not known there",
            hint=f"`ollama pull {endpoint.model}`, or correct the address"
            if endpoint.protocol == "ollama"
            else "correct the model's name or the address",
        )
    if status == 413 or "context_length" in words:
        return _too_large(call)
    if status == 429:
        wait = _retry_after(error)
        return ModelUnavailableError(
            f"{who} has reached a rate limit (429){f' and asks to wait {wait} s' if wait else ''}",
            hint="wait, or choose another model with --model",
        )
    if "json_validate_failed" in words:
        return ModelOutputError(f"{who} could not keep to the schema", reason="not_an_object", hint="ask again")
    said = f": {words!r}" if words else ""
    verb = "failed with" if status >= 500 else "refused the request with"
    return ModelUnavailableError(f"{who} {verb} {status}{said}", hint="ask again later, or see the server's log")


def _who(endpoint: Endpoint) -> str:
    place = "Groq" if urlsplit(endpoint.url).hostname == _GROQ_HOST else shown_url(endpoint.url)
    return f"`{endpoint.engine}` at {place}"


def _start_hint(endpoint: Endpoint) -> str:
    if endpoint.protocol == "ollama":
        return "start it with `ollama serve`, or answer with --model builtin"
    return "check the address and the network, or answer with --model builtin"


def _status(error: Exception) -> int:
    status = getattr(error, "status_code", None)
    return status if isinstance(status, int) else 0


def _retry_after(error: Exception) -> str:
    headers = getattr(getattr(error, "response", None), "headers", None) or {}
    value = str(headers.get("retry-after", ""))
    return value if value.replace(".", "", 1).isdigit() and len(value) <= 8 else ""


def _server_words(error: Exception, endpoint: Endpoint) -> str:
    """What the server says in the error object of its protocol; nothing from an HTML page or with the key in it."""
    words = _error_field(getattr(error, "body", None)) or _error_field(getattr(error, "error", None))
    text = "".join(c for c in words if c.isprintable()).strip()[:_QUOTED_CHARACTERS]
    if "<" in text or (endpoint.secret and endpoint.secret[:6] in text):
        return ""
    return text


def _error_field(body: Any) -> str:
    if isinstance(body, str):
        try:
            parsed = json.loads(body)
        except ValueError:
            return body
        return _error_field(parsed) if isinstance(parsed, dict) else body
    if not isinstance(body, dict):
        return ""
    inner = body.get("error", body)
    if isinstance(inner, dict):
        return " ".join(str(inner[key]) for key in ("code", "message") if inner.get(key))
    return str(inner)
