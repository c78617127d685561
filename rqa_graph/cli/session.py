"""What does a command open, and is it closed again?

A turn needs services, a checkpointer and the graph; a command over memory needs the memory alone. Commands that only
read take no lock: a list must neither wait for a running chat nor keep one out.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from rqa_checkpoints.errors import HomeLockedError, HomeNotWritableError
from rqa_checkpoints.memory import ProvenanceMemory
from rqa_checkpoints.provenance import Scope
from rqa_graph.cli.common import Common
from rqa_graph.memory_opening import open_memory_of
from rqa_graph.settings import Settings

if TYPE_CHECKING:
    from rqa_graph.services import AppServices
    from rqa_graph.turns import Graph
    from rqa_nodes.state import Context

__all__ = ["MemorySession", "TurnSession", "load_settings", "open_memory", "open_turns"]

Needs = Literal["log", "index", "home"]
"""What a command over memory cannot do without."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnSession:
    """An open home, ready to run turns."""

    graph: Graph
    services: AppServices
    scope: Scope

    def context(self, common: Common, **options: Any) -> Context:
        """Who asks, and the options of one run."""
        from rqa_nodes.state import Context

        return Context(**{"tenant": self.scope.tenant, "user": self.scope.user, "lang": common.lang, **options})


@dataclass(frozen=True, slots=True, kw_only=True)
class MemorySession:
    """The memory of one person."""

    memory: ProvenanceMemory
    settings: Settings
    scope: Scope
    beside: bool
    """The index was wanted, and only the log is at hand."""


def load_settings(common: Common, *, model: str = "") -> Settings:
    """The settings, with what the command line says on top."""
    memory = {name: value for name, value in (("tenant", common.tenant), ("user", common.user)) if value}
    overrides: dict[str, Mapping[str, Any]] = {"memory": memory} if memory else {}
    if model:
        overrides["models"] = {"chat": model}
    return Settings.load(home=common.home or None, overrides=overrides)


@contextmanager
def open_turns(common: Common, *, model: str = "", lang: str = "") -> Iterator[TurnSession]:
    """Open a home for turns.

    Args:
        common: The options that all commands have.
        model: As given to --model.
        lang: Language of the notice that says which model answers; "" is that of messages.

    Raises:
        HomeLockedError: Another process holds it.
        HomeNotWritableError: It cannot be written.
        ModelUnavailableError: A model named explicitly is not there.
    """
    from rqa_graph.opened import open_home  # LangGraph and the nodes

    settings = load_settings(common, model=model)
    with open_home(settings, lang=lang or common.ui_lang) as home:
        yield TurnSession(graph=home.graph, services=home.services, scope=home.scope)


@contextmanager
def open_memory(common: Common, *, needs: Needs = "home") -> Iterator[MemorySession]:
    """Open the memory of one person.

    Args:
        common: The options that all commands have.
        needs: "log" reads the log and takes no lock, so it keeps nobody out and works beside another process; "index"
            takes the home if it can, and goes on with the log alone where it cannot; "home" writes.
    """
    settings = load_settings(common)

    try:
        memory, beside = open_memory_of(settings, read_only=needs == "log"), False
    except (HomeLockedError, HomeNotWritableError):
        if needs != "index":
            raise
        memory, beside = open_memory_of(settings, read_only=True), True
    with memory:
        scope = Scope(settings.memory.tenant, settings.user())
        yield MemorySession(memory=memory, settings=settings, scope=scope, beside=beside)
