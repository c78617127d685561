"""What can be looked up this turn, and how long may that take?

A tool is somebody else's program: a web page, a search service, a folder on a slow disk. It runs in a thread of its
own that sees nothing of the turn (no callbacks, no tracer), is waited for as long as the settings say, and is then left
behind; while one call of a tool hangs there is no second one. What it returns is hostile until the controller has
looked at it, and so are the words of its errors.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Protocol

from rqa_checkpoints.provenance import Scope
from rqa_nodes.errors import ToolError

__all__ = ["Source", "Tool", "ToolCall", "Toolbox"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """One thing that a tool found."""

    text: str
    locator: str
    """Path or URL."""
    digest: str
    """SHA-256 in hex of the content that it was taken from."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCall:
    """What is looked up, for whom, and what it is about."""

    query: str
    scope: Scope
    about: str = ""
    """The person's own words: of a long source, what is near them is taken."""


class Tool(Protocol):
    """One way to look something up."""

    @property
    def name(self) -> str:
        """As a model asks for it."""

    @property
    def calls(self) -> int:
        """Calls a turn."""

    @property
    def seconds(self) -> float:
        """How long one call may take."""

    @property
    def items(self) -> int:
        """Sources of one call that are used."""

    def leaves(self, query: str) -> bool:
        """Would this query leave the machine?"""

    def run(self, call: ToolCall) -> Sequence[Source]:
        """Look it up. Raises ToolError where it is refused or cannot be had."""

    def close(self) -> None:
        """Give back what it holds. May be called twice."""


class Toolbox:
    """The tools that a person enabled."""

    def __init__(self, tools: Iterable[Tool] = ()) -> None:
        self._tools: Mapping[str, Tool] = {tool.name: tool for tool in tools}
        self._running: set[str] = set()
        self._lock = threading.Lock()

    @property
    def enabled(self) -> frozenset[str]:
        """Names of the tools."""
        return frozenset(self._tools)

    def get(self, name: str) -> Tool | None:
        """A tool by name; None for one that is not enabled."""
        return self._tools.get(name)

    def close(self) -> None:
        """Give back what the tools hold."""
        for tool in self._tools.values():
            tool.close()

    def run(self, name: str, call: ToolCall, *, seconds: float) -> Sequence[Source]:
        """Call a tool and wait for it, at most so long. Raises ToolError."""
        try:
            return self._start(name, call).result(timeout=seconds)
        except TimeoutError:
            raise _too_slow(name, seconds) from None

    async def arun(self, name: str, call: ToolCall, *, seconds: float) -> Sequence[Source]:
        """Async form of `run`; cancelled, it leaves the call behind at once."""
        try:
            return await asyncio.wait_for(asyncio.wrap_future(self._start(name, call)), seconds)
        except TimeoutError:
            raise _too_slow(name, seconds) from None

    def _start(self, name: str, call: ToolCall) -> Future[Sequence[Source]]:
        tool, future = self._tools[name], Future[Sequence[Source]]()
        with self._lock:
            if name in self._running:
                raise ToolError(
                    f"an earlier call of `{name}` still hangs", reason="busy", ja=f"前の `{name}` が終わらない"
                )
            threading.Thread(target=self._work, args=(future, tool, call), name=f"rqa-{name}", daemon=True).start()
            self._running.add(name)
        return future

    def _work(self, future: Future[Sequence[Source]], tool: Tool, call: ToolCall) -> None:
        found, error = _outcome(tool, call)
        with self._lock:
            self._running.discard(tool.name)  # before anybody hears of it: who waited may call again at once
        _settle(future, found, error)


def _too_slow(name: str, seconds: float) -> ToolError:
    return ToolError(
        f"`{name}` took longer than {seconds:.3g} seconds",
        reason="timed_out",
        ja=f"`{name}` が {seconds:.3g} 秒で終わらない",
    )


def _outcome(tool: Tool, call: ToolCall) -> tuple[Sequence[Source], ToolError | None]:
    try:
        return tool.run(call), None
    except ToolError as error:
        return (), error
    except BaseException as error:  # noqa: BLE001  # of somebody else's program: only its class is told
        kind = type(error).__name__
        return (), ToolError(f"it raised `{kind}`", reason="failed", ja=f"例外 `{kind}`")


def _settle(future: Future[Sequence[Source]], found: Sequence[Source], error: ToolError | None) -> None:
    """Hand over what came of it; nobody may be waiting any more, as after a cancelled wait."""
    if not future.set_running_or_notify_cancel():
        return
    if error is not None:
        future.set_exception(error)
    else:
        future.set_result(found)
