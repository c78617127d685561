"""How does a person stop waiting for a turn without losing what was committed of it?

The turn runs in a thread with an event loop of its own, so that a model that is silent can be left at once: the
asynchronous clients hear a cancellation while they wait. A turn that has answered is a whole turn; what is cancelled
after that is the side reflection alone.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import replace
from threading import Event, Lock, Thread
from typing import Any, Final

from rqa_graph.turns import INTERRUPTED, TurnResult, read_turn

__all__ = ["RunningTurn"]

_POLL_SECONDS: Final = 0.2
"""How often the waiting thread looks up; a signal is handled there alone."""
_GRACE_SECONDS: Final = 1.0
"""How long a cancelled turn may take to end."""

Run = Callable[[Callable[[Mapping[str, Any]], None], Callable[[Mapping[str, Any]], None]], Coroutine[Any, Any, Any]]
"""Takes what is called with each event and with each state; its coroutine ends with the turn."""


class RunningTurn:
    """One turn, from its start on."""

    def __init__(
        self,
        run: Run,
        *,
        thread: str,
        show: Callable[[Mapping[str, Any]], None],
    ) -> None:
        """`show` is called with each event, in the turn's own thread."""
        self._run, self._thread, self._show = run, thread, show
        self._later: Callable[[TurnResult], None] | None = None
        self._over = Event()
        """Not the thread's own state: a `join` that a signal interrupts marks a running thread as ended."""
        self._cancelled = False
        self._lock = Lock()
        self._values: Mapping[str, Any] = {}
        self._committed = False
        self._answered = Event()
        self._error: BaseException | None = None
        self._loop = asyncio.new_event_loop()
        self._task: asyncio.Task[Any] | None = None
        Thread(target=self._work, daemon=True).start()

    def wait(self, *, for_answer: bool = False, tick: Callable[[], None] = lambda: None) -> None:
        """Wait for the end, or for the committed answer; `tick` is called a few times a second."""
        while not self._over.wait(_POLL_SECONDS) and not (for_answer and self._answered.is_set()):
            tick()

    def cancel(self) -> None:
        """Stop it; an answer that has just been committed is waited for."""
        if self._committed:
            self._answered.wait(_GRACE_SECONDS)
        self._cancelled = not self._over.is_set()
        if self._task is not None and self._cancelled:
            self._loop.call_soon_threadsafe(self._task.cancel)
        self._over.wait(_GRACE_SECONDS)

    def result(self, *, later: Callable[[TurnResult], None] | None = None) -> TurnResult:
        """What came of it so far.

        Args:
            later: Called in the turn's thread with the whole result, if it ends after this call with a side question.

        Raises:
            KeyboardInterrupt: It was cancelled before it had answered.
            Exception: Whatever ended it.
        """
        with self._lock:
            cancelled = self._cancelled and not (self._over.is_set() and self._error is None)
            if self._error is not None and not cancelled:
                raise self._error
            if not self._values or (not self._answered.is_set() and (cancelled or not self._over.is_set())):
                raise KeyboardInterrupt
            self._later = later
            found = read_turn(self._values, self._thread)
            return replace(found, question_reason=INTERRUPTED) if cancelled and not found.question else found

    def _work(self) -> None:
        error: BaseException | None = None
        try:
            with asyncio.Runner(loop_factory=lambda: self._loop) as runner:
                runner.run(self._keep())
        except BaseException as found:  # noqa: BLE001  # carried to the thread that waits, and raised there
            error = found
        with self._lock:
            self._error, later = error, self._later
            self._over.set()
        if later is not None and error is None and (whole := read_turn(self._values, self._thread)).question:
            later(whole)

    async def _keep(self) -> None:
        self._task = asyncio.current_task()
        await self._run(self._on_event, self._on_values)

    def _on_event(self, event: Mapping[str, Any]) -> None:
        self._show(event)
        self._committed = self._committed or event["type"] == "committed"

    def _on_values(self, values: Mapping[str, Any]) -> None:
        self._values = values
        if self._committed:
            self._answered.set()
