"""Is a model server there, and which models does it have?

Invariant: the answer comes within the limit, whatever the server, the network or the name resolution does; nothing
but the request for the list is sent.
The outside fact that forces the shape: an HTTP client's limits hold for one phase at a time and not for name
resolution, so each look runs in a thread of its own that is left behind if it is late.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Sequence
from concurrent.futures import Future, wait
from dataclasses import dataclass
from typing import Any, Literal, assert_never

import httpx
from pydantic import SecretStr

from rqa_nodes._model_types import ServerProtocol
from rqa_nodes.addresses import is_loopback

__all__ = ["Look", "Target", "look", "same_model"]

_MAX_BYTES = 4_000_000
"""Above any list of models; a server that sends more is not one."""
_MAX_NAME = 400
"""llama.cpp names a model by its path."""
_PATHS = {"ollama": "/api/tags", "groq": "/openai/v1/models", "openai": "/models"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """A server to look at."""

    protocol: ServerProtocol
    url: str
    api_key: SecretStr | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """What was seen."""

    state: Literal["there", "absent", "late", "refused", "other"]
    """`late`: no answer within the limit. `refused`: it wants another key. `other`: something answered that is no such
    server, or one without a list of models."""
    models: tuple[str, ...] = ()
    elsewhere: frozenset[str] = frozenset()
    """Models that this server runs on another machine (Ollama's cloud models)."""


def look(targets: Sequence[Target], *, limit_s: float) -> list[Look]:
    """Ask several servers at once for their models; one result each, in the same order, within the limit."""
    # The first client of a process loads its transport, which on a busy machine takes longer than a server may.
    clients = [_client(target, limit_s) for target in targets]
    pending = [_started(target, client) for target, client in zip(targets, clients, strict=True)]
    done, _ = wait(pending, timeout=limit_s)
    return [future.result() if future in done else Look(state="late") for future in pending]


def same_model(asked: str, there: str) -> bool:
    """Do two Ollama names mean one model? A name without a tag means the tag `latest`."""
    return _tagged(asked) == _tagged(there)


def _tagged(name: str) -> str:
    return name if ":" in name.rsplit("/", 1)[-1] else f"{name}:latest"


def _client(target: Target, limit_s: float) -> httpx.Client:
    # Certificates are not loaded for plain HTTP: that alone would take a third of the 300 ms.
    return httpx.Client(
        timeout=limit_s, trust_env=not is_loopback(target.url), verify=target.url.startswith("https://")
    )


def _started(target: Target, client: httpx.Client) -> Future[Look]:
    future: Future[Look] = Future()
    thread = threading.Thread(target=lambda: future.set_result(_look(target, client)), daemon=True, name="model-look")
    thread.start()
    return future


def _look(target: Target, client: httpx.Client) -> Look:
    try:
        status, body = _fetch(target, client)
    except httpx.TimeoutException:
        return Look(state="late")
    except (httpx.HTTPError, httpx.InvalidURL, UnicodeError, OSError):
        return Look(state="absent")
    if status in {401, 403}:
        return Look(state="refused")
    try:
        return _read(target.protocol, body) if status == 200 else Look(state="other")
    except (ValueError, KeyError, TypeError, AttributeError):
        return Look(state="other")


def _fetch(target: Target, client: httpx.Client) -> tuple[int, bytes]:
    url = target.url.rstrip("/")
    if target.protocol == "groq":
        url = url.removesuffix("/openai/v1")
    headers = {"Authorization": f"Bearer {target.api_key.get_secret_value()}"} if target.api_key else {}
    with (
        client,
        client.stream("GET", url + _PATHS[target.protocol], headers=headers) as response,
    ):
        body = bytearray()
        for chunk in response.iter_bytes():
            body += chunk
            if len(body) > _MAX_BYTES:
                return response.status_code, b""
    return response.status_code, bytes(body)


def _read(protocol: ServerProtocol, body: bytes) -> Look:
    rows: Any = json.loads(body)
    match protocol:
        case "ollama":
            listed = {_name(row["name"]): bool(row.get("remote_host")) for row in rows["models"]}
            remote = frozenset(name for name, away in listed.items() if away)
            return Look(state="there", models=tuple(listed), elsewhere=remote)
        case "groq" | "openai":
            return Look(state="there", models=tuple(_name(row["id"]) for row in rows["data"]))
        case _:
            assert_never(protocol)


def _name(value: Any) -> str:
    """A model's name as a server gives it, safe to show on a terminal."""
    return "".join(character for character in str(value) if character.isprintable())[:_MAX_NAME]
