"""Who may use a thing while it is being replaced? Nobody; at all other times everybody, together.

The engine's shard takes searches and writes from many threads at once, but a closed shard raises in the middle of
them. A gate lets any number of users through, and makes the one who replaces or closes wait for them and them for it.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["Gate"]


class Gate:
    """A lock that many may share or one may have alone; whoever waits to have it alone goes before new sharers."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._sharing = 0
        self._alone = False

    @contextmanager
    def shared(self) -> Iterator[None]:
        """Hold it with others. Not to be nested: a second hold waits for whoever wants it alone."""
        with self._changed:
            self._changed.wait_for(lambda: not self._alone)
            self._sharing += 1
        try:
            yield
        finally:
            with self._changed:
                self._sharing -= 1
                self._changed.notify_all()

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Hold it alone."""
        with self._changed:
            self._changed.wait_for(lambda: not self._alone)
            self._alone = True
            self._changed.wait_for(lambda: self._sharing == 0)
        try:
            yield
        finally:
            with self._changed:
                self._alone = False
                self._changed.notify_all()
