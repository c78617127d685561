"""What is wrong with this installation, and what mends it? One finding a question, in a fixed order.

Nothing is written, locked or sent but what a model server is asked about itself. A finding is `ok`, a `note` - a turn
runs, with less - or a `problem`, which carries the exit code that a command would end with for the same reason.
"""

from __future__ import annotations

import json
import shutil
import socket
import sys
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from http.client import HTTPException
from importlib.metadata import PackageNotFoundError, requires, version
from pathlib import Path
from typing import Any, Final, Literal
from urllib.request import ProxyHandler, build_opener

from packaging.requirements import Requirement

from rqa_checkpoints.embedding import open_embedder
from rqa_checkpoints.errors import CheckpointError
from rqa_checkpoints.home import Home
from rqa_checkpoints.memory import ProvenanceMemory
from rqa_graph.check import CheckReport, examine
from rqa_graph.errors import ExitCode, exit_code
from rqa_graph.memory_opening import open_memory_of
from rqa_graph.settings import Settings

__all__ = ["Finding", "diagnose"]

_PACKAGE: Final = "rqa-graph"
_OLDEST_PYTHON: Final = (3, 11)
_NEEDED_BYTES: Final = 200_000_000
"""Room for a rebuilt index beside the old one of some ten thousand items."""
_MODEL_SECONDS: Final = 5.0
_PORT_SECONDS: Final = 2.0
_HEALTH_BYTES: Final = 4096
_DIRECT: Final = build_opener(ProxyHandler({}))
"""Asks this machine itself, whatever proxy the environment names."""

Status = Literal["ok", "note", "problem"]


@dataclass(frozen=True, slots=True)
class Finding:
    """One line of the report: the sentence `doctor.<name>.<found>` of the messages, and what it needs."""

    name: str
    found: str
    status: Status
    exit: ExitCode = ExitCode.ok
    values: tuple[tuple[str, object], ...] = ()

    @property
    def key(self) -> str:
        """Of the sentence; the one under `<key>_fix` says what mends it."""
        return f"doctor.{self.name}.{self.found}"

    def to_dict(self) -> dict[str, Any]:
        """The JSON form."""
        return {**asdict(self), "exit": int(self.exit), "values": {name: str(value) for name, value in self.values}}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Ground:
    """What the questions are asked of."""

    settings: Settings
    report: CheckReport
    now: datetime
    free_bytes: Callable[[Path], int]


def diagnose(
    settings: Settings,
    *,
    model: str = "",
    lang: str = "en",
    clock: Callable[[], datetime],
    free_bytes: Callable[[Path], int] = lambda path: shutil.disk_usage(path).free,
) -> list[Finding]:
    """Ask all questions.

    Args:
        settings: What a person set.
        model: As given to --model.
        lang: Language of words that a model server's absence is told in.
        clock: The time now.
        free_bytes: How much room there is where a folder lies.
    """
    report = examine(settings, model=model, lang=lang)
    ground = _Ground(settings=settings, report=report, now=clock(), free_bytes=free_bytes)
    questions = (_versions, _model, _context, _evaluator, _embedder, _home, _disk, _log, _port)
    return [finding for question in questions for finding in question(ground)]


def _ok(name: str, **values: object) -> Finding:
    return Finding(name, "ok", "ok", values=tuple(values.items()))


def _note(name: str, found: str, **values: object) -> Finding:
    return Finding(name, found, "note", values=tuple(values.items()))


def _problem(name: str, found: str, exit_with: ExitCode, **values: object) -> Finding:
    return Finding(name, found, "problem", exit_with, tuple(values.items()))


def _versions(ground: _Ground) -> Iterator[Finding]:
    """Python, and each dependency, at a version that was asked for."""
    del ground
    python = ".".join(map(str, sys.version_info[:3]))
    if sys.version_info < _OLDEST_PYTHON:
        yield _problem("versions", "python", ExitCode.check_failed, python=python)
        return
    unmet = list(_unmet_requirements())
    if unmet:
        yield _problem("versions", "unmet", ExitCode.check_failed, packages=", ".join(unmet))
    else:
        yield _ok("versions", python=python)


def _unmet_requirements() -> Iterator[str]:
    try:
        wanted = [Requirement(line) for line in requires(_PACKAGE) or ()]
    except PackageNotFoundError:
        return  # run from a source tree that was never installed
    for row in wanted:
        if row.marker is not None and not row.marker.evaluate({"extra": ""}):
            continue
        try:
            there = version(row.name)
        except PackageNotFoundError:
            yield f"{row} (-)"
            continue
        if not row.specifier.contains(there, prereleases=True):
            yield f"{row} ({there})"


def _model(ground: _Ground) -> Iterator[Finding]:
    engine = ground.report.engine
    if engine.error:
        yield _problem("model", "absent", ExitCode.model_unavailable, reason=engine.error, hint=engine.hint)
    elif engine.engine == "builtin" and engine.asked == "auto":
        models = ground.settings.models
        yield _note("model", "builtin", reason=engine.notice, model=models.ollama_model)
    else:
        yield _ok("model", engine=engine.engine)


def _context(ground: _Ground) -> Iterator[Finding]:
    """Is the model made for as long a context as the settings ask it for? Ollama alone tells."""
    kind, _, name = ground.report.engine.engine.partition(":")
    if kind != "ollama":
        return
    asked, made_for = ground.settings.models.context_tokens, _ollama_context(ground.settings.models.ollama_url, name)
    if made_for is None:
        yield _note("context", "unknown", model=name)
    elif made_for < asked:
        yield _problem("context", "short", ExitCode.model_unavailable, model=name, made_for=made_for, asked=asked)
    else:
        yield _ok("context", asked=asked, made_for=made_for)


def _ollama_context(url: str, name: str) -> int | None:
    """The longest context of a model, in tokens; None where the server does not say."""
    from ollama import Client, ResponseError  # only where there is one

    try:
        with Client(host=url, timeout=_MODEL_SECONDS) as client:
            told = client.show(name).modelinfo or {}
    except (ResponseError, OSError, ValueError):
        return None
    lengths = [value for field, value in told.items() if field.endswith(".context_length") and isinstance(value, int)]
    return min(lengths, default=None)


def _evaluator(ground: _Ground) -> Iterator[Finding]:
    found = ground.report.evaluator
    match found.problem:
        case "binding_refused":
            yield _problem("evaluator", "refused", ExitCode.check_failed, reason=found.detail)
        case "no_key":
            yield _note("evaluator", "no_key", model=found.model, reason=found.detail)
        case "":
            yield _ok("evaluator", model=found.model)


def _embedder(ground: _Ground) -> Iterator[Finding]:
    wanted = ground.settings.memory.embedder
    try:
        encoder = open_embedder(wanted)
    except CheckpointError as error:
        yield _problem("embedder", "sick", exit_code(error), reason=error.message, hint=error.hint)
    else:
        yield _ok("embedder", embedder=encoder.name)


def _home(ground: _Ground) -> Iterator[Finding]:
    home = ground.report.home
    if not home.writable:
        yield _problem("home", "not_writable", ExitCode.home, path=home.path)
    elif home.holder is not None:
        held = home.holder
        yield _problem("home", "held", ExitCode.home, path=home.path, pid=held.pid, command=held.command)
    else:
        yield _ok("home", path=home.path)


def _disk(ground: _Ground) -> Iterator[Finding]:
    path = ground.settings.home.absolute()
    free = ground.free_bytes(next(folder for folder in (path, *path.parents) if folder.exists()))
    values = {"free_mb": free // 1_000_000, "needed_mb": _NEEDED_BYTES // 1_000_000}
    yield _problem("disk", "full", ExitCode.home, **values) if free < _NEEDED_BYTES else _ok("disk", **values)


def _log(ground: _Ground) -> Iterator[Finding]:
    """The chain of the log from its beginning, and a clock that does not stand before its end."""
    if ground.settings.memory.log == "sqlite" and not Home(ground.settings.home).log.exists():
        yield _ok("log", events=0)
        return
    try:
        with open_memory_of(ground.settings, read_only=True) as memory:
            yield from _chain(memory, ground.now)
    except CheckpointError as error:
        yield _problem("log", "unreadable", exit_code(error), reason=error.message, hint=error.hint)


def _chain(memory: ProvenanceMemory, now: datetime) -> Iterator[Finding]:
    events, broken = memory.log.head().seq, memory.verify_chain()
    if broken is not None:
        yield _problem("log", "broken", ExitCode.check_failed, seq=broken, events=events)
        return
    yield _ok("log", events=events)
    last = memory.log.events(after=events - 1, limit=1) if events else []
    written = datetime.fromisoformat(last[0].at) if last else now
    written = written if written.tzinfo else written.replace(tzinfo=UTC)
    at = now.isoformat(timespec="seconds")
    if written > now:
        yield _problem("clock", "behind", ExitCode.check_failed, now=at, last=written.isoformat(timespec="seconds"))
    else:
        yield _ok("clock", now=at)


def _port(ground: _Ground) -> Iterator[Finding]:
    """Can `rqa serve` take its address? A server that holds this home has it, and that is as it should be.

    One over another home is no fault either: both can run, each at a port of its own.
    """
    port, holder = ground.settings.server.port, ground.report.home.holder
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError as error:
            if not (holder and "serve" in holder.command):
                reason = error.strerror or str(error)
                taken = _problem("port", "taken", ExitCode.usage, port=port, reason=reason)
                yield _note("port", "other_home", port=port) if _is_ours(port) else taken
                return
    yield _ok("port", port=port)


def _is_ours(port: int) -> bool:
    """Does an `rqa serve` answer at this port of this machine?"""
    asked = f"http://127.0.0.1:{port}/healthz"
    try:
        with _DIRECT.open(asked, timeout=_PORT_SECONDS) as reply:
            said = json.loads(reply.read(_HEALTH_BYTES))
    except (OSError, ValueError, HTTPException):
        return False
    return isinstance(said, dict) and said.get("server") == "rqa"
