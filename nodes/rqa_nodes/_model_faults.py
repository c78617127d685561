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

from rqa_nodes._model_types import Endpoint
from rqa_nodes.addresses import shown_url
from rqa_nodes.errors import ModelOutputError, ModelUnavailableError, PromptTooLargeError, RuleError
from rqa_nodes.fault_words import worded

__all__ = ["Call", "explain", "refused_request"]

_TIMEOUTS = frozenset({"TimeoutException", "APITimeoutError", "TimeoutError"})
_UNREACHABLE = frozenset({"ConnectError", "ConnectionError", "APIConnectionError", "UnsupportedProtocol", "InvalidURL"})
_CUT = frozenset({"ReadError", "WriteError", "RemoteProtocolError", "CloseError"})
_TOO_LARGE = frozenset({"ContextOverflowError"})
_QUOTED_CHARACTERS = 160
_GROQ_HOST = "api.groq.com"


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
    endpoint, who = call.endpoint, _who(call.endpoint)
    if names & _CUT or (names & _UNREACHABLE and call.started):
        words = worded("closed", "again_or_log", **who)
        return ModelOutputError(**words, reason="cut_off") if call.started else ModelUnavailableError(**words)
    if names & _UNREACHABLE:
        hint = "start_ollama" if endpoint.protocol == "ollama" else "address_or_builtin"
        return ModelUnavailableError(**worded("unreachable", hint, **who))
    said = _server_words(error, endpoint)
    if said:
        return ModelUnavailableError(**worded("reports", "log", words=said, **who))
    kind = type(error).__name__
    words = worded("other_protocol", "is_it_the_server", protocol=endpoint.protocol, kind=kind, **who)
    return ModelOutputError(**words, reason="invalid")


def _timed_out(call: Call) -> RuleError:
    return ModelUnavailableError(**worded("timed_out", "loading", limit=call.limit_s, **_who(call.endpoint)))


def _too_large(call: Call) -> RuleError:
    return PromptTooLargeError(**worded("too_large_there", "shorter_or_larger_model", **_who(call.endpoint)))


def _refused(error: Exception, status: int, call: Call) -> RuleError:
    who, endpoint = _who(call.endpoint), call.endpoint
    words = _server_words(error, endpoint)
    if status in {401, 403}:
        return ModelUnavailableError(**worded("refused_key", f"key_{endpoint.protocol}", status=status, **who))
    if status == 404:
        hint = "pull_or_address" if endpoint.protocol == "ollama" else "name_or_address"
        told = worded("unknown_there", hint, url=shown_url(endpoint.url), name=endpoint.model, **who)
        return ModelUnavailableError(**told)
    if status == 413 or "context_length" in words:
        return _too_large(call)
    if status == 429:
        wait = _retry_after(error)
        key = "rate_limit_wait" if wait else "rate_limit"
        return ModelUnavailableError(**worded(key, "wait_or_other", wait=wait, **who))
    if "json_validate_failed" in words:
        return ModelOutputError(**worded("schema_not_kept", "again", **who), reason="not_an_object")
    said = f": {words!r}" if words else ""
    verb = "failed" if status >= 500 else "refused"
    return ModelUnavailableError(**worded(verb, "later_or_log", status=status, said=said, **who))


def _who(endpoint: Endpoint) -> dict[str, str]:
    place = "Groq" if urlsplit(endpoint.url).hostname == _GROQ_HOST else shown_url(endpoint.url)
    return {"engine": endpoint.engine, "place": place}


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
