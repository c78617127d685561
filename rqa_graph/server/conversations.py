"""Which thread does a request continue, when its client sends the whole conversation each time?

An OpenAI client has no thread: it sends every message again. The server remembers for each reply which conversation it
ended, by a digest of what was said; a request that begins with exactly that goes on in the same thread, where side
questions, closed topics and late questions live. Anything else - a restart, an edited message, a second try - begins a
thread with the client's messages as its transcript, where the assistant's are never evidence.
"""

from __future__ import annotations

import hashlib
import json
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from threading import Lock
from typing import Final

from rqa_graph.server.gate import Identity

__all__ = ["Conversations", "Line", "Place", "name_in"]

_REMEMBERED: Final = 4096
"""Conversations whose thread is known; the oldest go first."""

Line = tuple[str, str]
"""Role (user or assistant) and text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where a turn runs."""

    thread: str
    seeded: bool
    """The thread begins here: the earlier messages have to go in with the new one."""


class Conversations:
    """Which conversation is which thread."""

    def __init__(self, *, ids: Callable[[], str]) -> None:
        self._ids = ids
        self._threads: OrderedDict[str, str] = OrderedDict()
        self._lock = Lock()

    def find(self, identity: Identity, before: Sequence[Line], *, named: str = "") -> Place:
        """The thread for the next message.

        Args:
            identity: Who speaks; a thread of somebody else cannot be reached.
            before: What was said before it.
            named: A thread that the client names itself; "" for none.
        """
        if named:
            return Place(thread=_own(identity, named), seeded=False)
        with self._lock:
            # Taken out: a second continuation of the same conversation is another one.
            known = self._threads.pop(_digest(identity, before), None) if before else None
        if known is not None:
            return Place(thread=known, seeded=False)
        return Place(thread=_own(identity, self._ids()), seeded=bool(before))

    def keep(self, identity: Identity, lines: Sequence[Line], thread: str) -> None:
        """Remember that a thread has come to the end of these lines."""
        with self._lock:
            self._threads[_digest(identity, lines)] = thread
            while len(self._threads) > _REMEMBERED:
                self._threads.popitem(last=False)


def name_in(thread: str, identity: Identity) -> str | None:
    """Under which name this person goes on in a thread; None for one that did not begin over HTTP."""
    own = _own(identity, "")
    return thread.removeprefix(own) if thread.startswith(own) else None


def _own(identity: Identity, name: str) -> str:
    """A thread's name that holds whose it is, so that naming one reaches only one's own."""
    whose = json.dumps([identity.owner.tenant, identity.owner.user])
    return f"http-{hashlib.sha256(whose.encode()).hexdigest()[:16]}-{name}"


def _digest(identity: Identity, lines: Sequence[Line]) -> str:
    said = [[role, text.strip()] for role, text in lines]
    whole = json.dumps([identity.owner.tenant, identity.owner.user, said])
    return hashlib.sha256(whole.encode()).hexdigest()
