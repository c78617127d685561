"""What does a home that is open for turns consist of?

The command line and the servers open it in the same way: the memory, services, a checkpointer, and the graphs over
them. The memory is open at once, so that a home that another process holds is said first. What answers turns is loaded
at its first use - LangGraph and the nodes, a second and more of imports - so that a server can listen before that.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from datetime import datetime
from threading import Lock
from typing import TYPE_CHECKING, Generic, TypeVar

from rqa_checkpoints.memory import ProvenanceMemory
from rqa_checkpoints.provenance import Scope
from rqa_graph.clock import new_id, utc_now
from rqa_graph.memory_opening import open_memory_of
from rqa_graph.settings import Settings

if TYPE_CHECKING:
    from rqa_graph.reviewing import ReviewGraph
    from rqa_graph.services import AppServices
    from rqa_graph.turn_saver import AnyTurnSaver
    from rqa_graph.turns import Graph

__all__ = ["Once", "OpenHome", "open_home"]

T = TypeVar("T")

_ALWAYS_THERE = ("auto", "builtin")
"""Models that need not be looked for before anything else."""


class Once(Generic[T]):
    """A thing that is made at the first call, and once, whichever thread calls."""

    def __init__(self, make: Callable[[], T]) -> None:
        self._make = make
        self._made: list[T] = []
        self._lock = Lock()

    def __call__(self) -> T:
        """The thing. Raises what making it raises, and tries again at the next call."""
        with self._lock:
            if not self._made:
                self._made.append(self._make())
            return self._made[0]


class OpenHome:
    """A home that this process holds."""

    def __init__(
        self,
        *,
        settings: Settings,
        memory: ProvenanceMemory,
        scope: Scope,
        services: Callable[[], AppServices],
        saver: Callable[[], AnyTurnSaver],
        clock: Callable[[], datetime] = utc_now,
        ids: Callable[[], str] = new_id,
    ) -> None:
        """`memory` is that of everybody in it, `scope` whose it is where no caller says so.

        `services` and `saver` are called once, when they are needed.
        """
        self.settings = settings
        self.memory = memory
        self.scope = scope
        self.clock = clock
        self.ids = ids
        self._services = Once(services)
        self._saver = Once(saver)
        self._graph = Once(self._build_graph)
        self._review = Once(self._build_review)

    @classmethod
    def over(cls, settings: Settings, services: AppServices, saver: AnyTurnSaver) -> OpenHome:
        """A home whose services and checkpointer are open already."""
        return cls(
            settings=settings,
            memory=services.memory,
            scope=services.scope("", ""),
            services=lambda: services,
            saver=lambda: saver,
            clock=services.clock,
            ids=services.ids,
        )

    @property
    def services(self) -> AppServices:
        """What the nodes of a turn work with."""
        return self._services()

    @property
    def saver(self) -> AnyTurnSaver:
        """The checkpointer."""
        return self._saver()

    @property
    def graph(self) -> Graph:
        """The graph `rqa`."""
        return self._graph()

    @property
    def review(self) -> ReviewGraph:
        """The graph `review`."""
        return self._review()

    def _build_graph(self) -> Graph:
        from rqa_graph.graph import build_graph

        return build_graph(services=self.services, checkpointer=self.saver)

    def _build_review(self) -> ReviewGraph:
        from rqa_graph.reviewing import build_review

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
    with ExitStack() as stack:
        memory = stack.enter_context(open_memory_of(settings))

        def services() -> AppServices:
            from rqa_graph.services import open_services

            opened = open_services(settings, lang=lang, memory=memory)
            stack.callback(opened.close)
            return opened

        def saver() -> AnyTurnSaver:
            from rqa_graph.savers import checkpoint_location
            from rqa_graph.turn_saver import open_turn_saver

            opened = open_turn_saver(checkpoint_location(settings))
            stack.enter_context(opened)
            return opened

        scope = Scope(settings.memory.tenant, settings.user())
        home = OpenHome(settings=settings, memory=memory, scope=scope, services=services, saver=saver)
        if settings.models.chat not in _ALWAYS_THERE:
            home.services.chat("")
        yield home
