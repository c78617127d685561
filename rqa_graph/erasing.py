"""How does what a person wants erased leave every place of a home, and what says so?

The log decides: one transaction clears words and salts and names what else must go. Then the threads' checkpoints are
written anew without those that held the words, the index is removed (the log builds it again), the log's file is
rewritten, and a receipt enters the chain. A process that is killed on the way leaves an erasure without a receipt:
whoever opens the home next finishes it first. Only what persons typed into `rqa chat` is cleared before, because a
restart no longer knows the words to look for.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any, Final, Protocol

from rqa_checkpoints.erasing import (
    Erasure,
    Pending,
    Subject,
    erased_after,
    holder_of,
    known_threads,
    persons_of,
    plan_node,
    plan_person,
    turns_of,
)
from rqa_checkpoints.errors import UnknownNodeError
from rqa_checkpoints.memory import ProvenanceMemory
from rqa_checkpoints.provenance import Scope
from rqa_checkpoints.saver.survey import ThreadFacts
from rqa_graph.telemetry import TELEMETRY_FILE, TelemetryFile

__all__ = ["CHAT_HISTORY", "Eraser", "ErasurePlan", "ThreadStore", "plan_fields"]

SCHEMA: Final = "rqa.receipt/1"

CHAT_HISTORY: Final = "chat_history"
"""Where `rqa chat` keeps typed lines, in a home."""

_FOLLOWED: Final = "erasures_followed"
"""Number of the last erasure in a shared log that a home has followed."""

_KEPT: Final = ("skeleton", "others", "derived")
"""What stays in the home by intention; `erase.kept.*` says it in words."""

_UNREACHABLE: Final = ("dev_server", "backups", "model_provider", "disk")
"""What no program of ours can clear; `erase.unreachable.*` says it in words."""

_OF_A_SERVER: Final = ("postgresql", "other_homes")
"""What is beyond reach besides where the log lies on a server."""


class ThreadStore(Protocol):
    """Where the checkpoints of threads lie."""

    def survey_threads(self, holds: Callable[[str], bool]) -> dict[str, ThreadFacts]:
        """Whose each thread is, and whether it holds a text."""

    def erase_threads(self, thread_ids: Collection[str]) -> int:
        """Erase threads byte by byte; return how many points went."""


class Folders(Protocol):
    """Where the indexes of folders lie."""

    def drop_person(self, scope: Scope) -> int:
        """Take everything of a person out; return how many folders that were."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ErasurePlan:
    """What would go. Nothing is erased yet."""

    subject: Subject
    name: str
    """The handle, the person or the tenant: what is typed to confirm."""
    erasures: tuple[Erasure, ...]
    threads: tuple[str, ...]
    """Threads whose checkpoints go, whole."""
    counts: Mapping[str, int]


class Eraser:
    """Plans, erases and finishes, in one home that this process holds."""

    def __init__(
        self,
        memory: ProvenanceMemory,
        *,
        home: Path,
        threads: ThreadStore | None,
        folders: Folders | None = None,
        clock: Callable[[], datetime],
    ) -> None:
        """`threads` is None where no checkpoint was ever stored, `folders` where no folder was ever indexed."""
        self._memory = memory
        self._folders = folders
        self._home = home
        self._threads = threads
        self._clock = clock

    def plan_item(self, reference: str, *, scope: Scope) -> ErasurePlan:
        """What goes with one item. Raises UnknownNodeError."""
        node = self._memory.show(reference, scope=scope).node
        with self._memory.log.reading() as view:
            erasure = plan_node(view, node)
            known = known_threads(view)
        holds = holder_of(one.text for one in erasure.nodes)
        mine = (scope.tenant, scope.user)

        def goes(thread: str, facts: ThreadFacts) -> bool:
            owners = facts.owners | known.get(thread, set())
            return (facts.holds or thread in erasure.threads) and (mine in owners or not owners)

        return self._planned("node", node.handle, [erasure], goes=goes, holds=holds)

    def plan_person(self, scope: Scope) -> ErasurePlan:
        """What goes with everything of a person. Raises UnknownNodeError where the log has nothing of them."""
        return self._plan_persons("user", scope.user, [scope])

    def plan_tenant(self, tenant: str) -> ErasurePlan:
        """What goes with everybody of a tenant. Raises UnknownNodeError where the log has nobody."""
        with self._memory.log.reading() as view:
            scopes = persons_of(view, tenant)
        return self._plan_persons("tenant", tenant, scopes)

    def _plan_persons(self, subject: Subject, name: str, scopes: Sequence[Scope]) -> ErasurePlan:
        with self._memory.log.reading() as view:
            erasures = [plan_person(view, scope) for scope in scopes]
            known = known_threads(view)
        if not any(erasure.seqs for erasure in erasures):
            raise UnknownNodeError(f"nothing is remembered of {name!r}", hint="`rqa memory list` shows what is there.")
        mine = {(scope.tenant, scope.user) for scope in scopes}
        holds = holder_of(node.text for erasure in erasures for node in erasure.nodes)

        def goes(thread: str, facts: ThreadFacts) -> bool:
            owners = facts.owners | known.get(thread, set())
            return not owners.isdisjoint(mine) if owners else facts.holds

        return self._planned(subject, name, erasures, goes=goes, holds=holds)

    def _planned(
        self,
        subject: Subject,
        name: str,
        erasures: Sequence[Erasure],
        *,
        goes: Callable[[str, ThreadFacts], bool],
        holds: Callable[[str], bool],
    ) -> ErasurePlan:
        surveyed = {} if self._threads is None else self._threads.survey_threads(holds)
        threads = tuple(sorted(thread for thread, facts in surveyed.items() if goes(thread, facts)))
        counts = {place: sum(erasure.counts[place] for erasure in erasures) for place in erasures[0].counts}
        typed = len(_split_history(self._typed(), holds if subject == "node" else _anything)[1])
        counts |= {"threads": len(threads), "typed": typed}
        return ErasurePlan(subject=subject, name=name, erasures=tuple(erasures), threads=threads, counts=counts)

    def erase(self, plan: ErasurePlan) -> dict[str, Any]:
        """Erase what was planned, everywhere; return the receipt.

        Raises:
            HomeLockedError: another process reads the log. What was planned is decided on: the next start finishes it.
        """
        texts = [node.text for erasure in plan.erasures for node in erasure.nodes]
        self._clear_history(holder_of(texts) if plan.subject == "node" else _anything)
        first = replace(plan.erasures[0], counts=plan.counts)
        others = [replace(erasure, counts={}) for erasure in plan.erasures[1:]]
        threads = set(plan.threads)
        if "://" in self._memory.log.place:  # those that other homes hold, too
            threads |= {thread for erasure in plan.erasures for thread in erasure.threads}
        self._memory.erase([first, *others], subject=plan.subject, name=plan.name, threads=threads)
        return self.finish()[-1]

    def finish(self) -> list[dict[str, Any]]:
        """Clear what begun erasures have left to clear; return their receipts."""
        return [self._finish(pending) for pending in self._memory.pending_erasures()]

    def _finish(self, pending: Pending) -> dict[str, Any]:
        threads = {thread for public in pending.public for thread in public["threads"]}
        points = 0 if self._threads is None else self._threads.erase_threads(threads)
        self._memory.clear_erased()
        counts = {"checkpoint_points": points, "figures": 0}
        if pending.public[0]["subject"] != "node":  # its lines hold no words, and figures of one turn name nobody
            with self._memory.log.reading() as view:
                turns = turns_of(view, pending)
            counts["figures"] = TelemetryFile(self._home / TELEMETRY_FILE).drop(turns)
            if self._folders is not None:
                counts["folders"] = sum(map(self._folders.drop_person, pending.scopes))
        receipt = self._receipt(pending, counts)
        receipt["log"] = self._memory.acknowledge(pending, receipt)
        self._note_followed(max(pending.seqs))
        return receipt

    def follow(self) -> None:
        """Clear here what other homes on the same log have erased since this one was last opened.

        Their erasure cleared the log; index and threads of this home still hold what went.
        """
        if "://" not in self._memory.log.place:
            return  # nobody else writes to it
        try:
            known = int((self._home / _FOLLOWED).read_text("utf-8"))
        except (OSError, ValueError):
            known = 0
        with self._memory.log.reading() as view:
            last, threads = erased_after(view, known)
        if last > known:
            if self._threads is not None:
                self._threads.erase_threads(threads)
            self._memory.discard_index()
            self._note_followed(last)

    def _note_followed(self, seq: int) -> None:
        if "://" in self._memory.log.place:
            (self._home / _FOLLOWED).write_text(str(seq), "utf-8")

    def _receipt(self, pending: Pending, counts: Mapping[str, int]) -> dict[str, Any]:
        first = pending.public[0]
        return {
            "schema": SCHEMA,
            "erasure": pending.id,
            "subject": first["subject"],
            "name": first["name"],
            "tenant": pending.scopes[0].tenant,
            "persons": [scope.user for scope in pending.scopes],
            "begun_at": pending.at,
            "done_at": self._clock().isoformat(timespec="seconds"),
            "erased_in": list(pending.seqs),
            "cleared": {**first["counts"], **counts},
            "rewritten": ["log", "index", *(["checkpoints"] if self._threads is not None else [])],
            "kept": list(_KEPT),
            "unreachable": [*_UNREACHABLE, *(_OF_A_SERVER if "://" in self._memory.log.place else ())],
        }

    def _typed(self) -> str:
        try:
            return (self._home / CHAT_HISTORY).read_bytes().decode("utf-8", "replace")
        except OSError:
            return ""

    def _clear_history(self, holds: Callable[[str], bool]) -> None:
        kept, gone = _split_history(self._typed(), holds)
        if gone:
            path = self._home / CHAT_HISTORY
            beside = path.with_name(CHAT_HISTORY + ".new")
            beside.write_bytes("".join(kept).encode())
            beside.replace(path)


def _anything(_text: str) -> bool:
    """Typed lines name nobody: with everything of a person, all of them go."""
    return True


def _split_history(text: str, holds: Callable[[str], bool]) -> tuple[list[str], list[str]]:
    """Entries of the file of typed lines (a line with the time, then lines that begin with +): kept, and gone."""
    entries: list[str] = []
    for line in io.StringIO(text):  # a line feed ends a line there, and no other break that a message may hold
        if line.startswith("+") and entries:
            entries[-1] += line
        elif line.startswith("#"):
            entries.append("\n" + line)
    said = [(entry, "\n".join(row[1:] for row in entry.split("\n") if row.startswith("+"))) for entry in entries]
    return [entry for entry, words in said if not holds(words)], [entry for entry, words in said if holds(words)]


def plan_fields(plan: ErasurePlan) -> dict[str, Any]:
    """What would go, as JSON."""
    items = [{"handle": node.handle, "text": node.text} for one in plan.erasures for node in one.nodes]
    return {
        "subject": plan.subject,
        "name": plan.name,
        "counts": dict(plan.counts),
        "threads": list(plan.threads),
        "items": items,
    }
