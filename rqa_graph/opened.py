"""What does a home that is open for turns consist of?

The command line and the servers open it in the same way: services, a checkpointer, and the graphs over both.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property

from rqa_checkpoints.memory import ProvenanceMemory
from rqa_checkpoints.provenance import Scope
from rqa_graph.graph import build_graph
from rqa_graph.reviewing import ReviewGraph, build_review
from rqa_graph.savers import checkpoint_location
from rqa_graph.services import AppServices, open_services
from rqa_graph.settings import Settings
from rqa_graph.turn_saver import AnyTurnSaver, open_turn_saver
from rqa_graph.turns import Graph

__all__ = ["OpenHome", "open_home"]


@dataclass(frozen=True, kw_only=True)
class OpenHome:
    """A home that this process holds; the graphs are built at their first use."""

    settings: Settings
    services: AppServices
    saver: AnyTurnSaver

    @property
    def memory(self) -> ProvenanceMemory:
        """The memory of everybody in it."""
        return self.services.memory

    @property
    def scope(self) -> Scope:
        """Whose memory, where no caller says it."""
        return self.services.scope("", "")

    @cached_property
    def graph(self) -> Graph:
        """The graph `rqa`."""
        return build_graph(services=self.services, checkpointer=self.saver)

    @cached_property
    def review(self) -> ReviewGraph:
        """The graph `review`."""
        return build_review(services=self.services, checkpointer=self.saver)


@contextmanager
def open_home(settings: Settings, *, lang: str = "en") -> Iterator[OpenHome]:
    """Open a home for turns and decisions.

    Args:
        settings: What a person set.
        lang: Language of the notice that says which model answers.

    Raises:
        HomeLockedError: Another process holds it.
        HomeNotWritableError: It cannot be written.
        ModelUnavailableError: A model named explicitly is not there.
    """
    services = open_services(settings, lang=lang)
    try:
        if settings.models.chat != "auto":
            services.chat("")
        _ = services.memory  # takes the lock of the home before anything else of it is opened
        with open_turn_saver(checkpoint_location(settings)) as saver:
            yield OpenHome(settings=settings, services=services, saver=saver)
    finally:
        services.close()
