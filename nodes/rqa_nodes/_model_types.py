"""What a chat model is to the rest of the program: the model, its name, where its prompts go, and its limits.

Invariant: a value here never shows a secret; keys are `SecretStr` and left out of every repr.
The outside fact that forces the shape: the three client libraries take their time limits, schemas and context sizes in
different places, so that the place a model lives at (`Endpoint`) has to travel with it.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

from langchain_core.language_models.chat_models import BaseChatModel
from pydantic import SecretStr

from rqa_nodes.addresses import is_loopback

__all__ = ["Endpoint", "ModelChoice", "ResolvedModel", "ServerProtocol"]

ServerProtocol = Literal["ollama", "groq", "openai"]

_CLOUD_SUFFIXES = ("-cloud", ":cloud")
"""Ollama runs models with these endings on its own servers, though the address is this machine's."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelChoice:
    """What a person chose: which model, and what is needed to reach each kind of server."""

    name: str = "auto"
    """"auto", "builtin", or one model by name: "ollama:NAME", "groq:NAME", "openai:NAME" (at `base_url`)."""
    ollama_url: str = "http://127.0.0.1:11434"
    ollama_model: str = "gemma4:12b"
    base_url: str = ""
    """Any OpenAI-compatible server, with its version path: "http://127.0.0.1:8080/v1"."""
    base_url_model: str = ""
    """The model to ask for at `base_url`; empty: the first one that the server lists."""
    api_key: SecretStr | None = field(default=None, repr=False)
    groq_url: str = "https://api.groq.com"
    groq_api_key: SecretStr | None = field(default=None, repr=False)
    context_tokens: int = 16_384


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint:
    """One model at one server."""

    protocol: ServerProtocol
    url: str
    model: str
    context_tokens: int
    api_key: SecretStr | None = field(default=None, repr=False)

    @property
    def engine(self) -> str:
        """The name by which a person would ask for it."""
        return f"{self.protocol}:{self.model}"

    @property
    def is_local(self) -> bool:
        """True if no word of a prompt leaves this machine."""
        return is_loopback(self.url) and not self.model.endswith(_CLOUD_SUFFIXES)

    @property
    def secret(self) -> str:
        """The key itself; empty without one."""
        return self.api_key.get_secret_value() if self.api_key else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ResolvedModel:
    """A chat model that is ready to be called, and what may be said about it."""

    model: BaseChatModel
    engine: str
    """"builtin", "ollama:gemma4:12b", "groq:openai/gpt-oss-120b", ... as shown in `engine`."""
    is_local: bool
    """True if no word of a prompt leaves this machine."""
    notice: str = ""
    """One line for the person: why this engine answers. Empty if it is the one asked for."""
    endpoint: Endpoint | None = None
    """Where it lives; None for a model in this process."""
    monotonic: Callable[[], float] = time.monotonic
    """Seconds that only grow; measures the deadline of a call."""
