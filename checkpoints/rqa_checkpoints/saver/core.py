"""How are checkpoints kept, step by step?

One lock serializes everything: a head is read, compared and written back, and the engines promise nothing to two
callers at once. The store opens at the first use, so making a saver costs nothing and touches no disk. Several
owners may enter (the LangGraph server enters once for each of its threads); the last one out closes.

Durability: on return from a write, a kill of the process loses nothing (the engine's write-ahead log). Once a turn a
flush is asked for, which comes in the background when nothing was written for a moment, so that loss of power costs at
most the last seconds; what their turns committed is in the event log all the same.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any

from langgraph.checkpoint.base import (
    ChannelVersions,
    Checkpoint,
    CheckpointMetadata,
    CheckpointTuple,
)
from langgraph.checkpoint.serde.base import SerializerProtocol

from rqa_checkpoints.errors import CheckpointError, CheckpointNeededError, FormatMismatchError
from rqa_checkpoints.saver.engines import PointStore
from rqa_checkpoints.saver.plans import (
    SCANNED,
    Change,
    Thread,
    keep_latest,
    own_id,
    plan_copy,
    plan_put,
    plan_removal,
    plan_writes,
)
from rqa_checkpoints.saver.reading import load
from rqa_checkpoints.saver.records import (
    LAYOUT,
    LAYOUT_ID,
    Payload,
    Place,
    PointKind,
    pack,
    stored_body,
)

__all__ = ["CheckpointCore"]


class CheckpointCore:
    """The operations of a saver on one store. Safe to call from any thread."""

    def __init__(self, opener: Callable[[], PointStore]) -> None:
        self._opener = opener
        self._lock = threading.RLock()
        self._store: PointStore | None = None
        self._owners = 0
        self._closed = False

    # Opening and closing

    def enter(self) -> None:
        """Open for one more owner."""
        with self._lock:
            self._closed = False
            self._opened()
            self._owners += 1

    def leave(self) -> None:
        """Close if this was the last owner."""
        with self._lock:
            self._owners -= 1
            if self._owners <= 0:
                self.close()

    def close(self) -> None:
        """Close for all. Closing twice is nothing."""
        with self._lock:
            self._owners, self._closed = 0, True
            store, self._store = self._store, None
            if store is not None:
                store.close()

    def _opened(self) -> PointStore:
        if self._closed:
            raise CheckpointError(
                "The saver is closed.", hint="Use it inside its `with` block, or make a new one with from_location."
            )
        if self._store is None:
            store = self._opener()
            try:
                _check_layout(store)
            except BaseException:
                store.close()
                raise
            self._store = store
        return self._store

    # Writing

    def put(
        self,
        place: Place,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
        *,
        parent: str | None,
        serde: SerializerProtocol,
    ) -> None:
        """Store a checkpoint: one read, one write."""
        with self._lock:
            store = self._opened()
            ids = [place.head_id(), place.values_id(checkpoint["id"])]
            ids += [place.checkpoint_id(parent)] if parent else []
            change = plan_put(
                place,
                checkpoint,
                metadata,
                new_versions,
                parent=parent,
                found=store.retrieve(ids, ("cid", "channels", "rows")),
                encode=serde.dumps_typed,
            )
            store.apply(change.points)
            if place.ns == "" and metadata.get("source") != "loop":
                store.settle()

    def put_writes(
        self,
        place: Place,
        cid: str,
        writes: Sequence[tuple[str, Any]],
        *,
        task: str,
        path: str,
        serde: SerializerProtocol,
    ) -> None:
        """Store a task's pending writes: one read, one write."""
        with self._lock:
            store = self._opened()
            change = plan_writes(
                place,
                cid,
                writes,
                task=task,
                path=path,
                found=store.retrieve([place.tasks_id(cid), place.writes_id(cid, task)]),
                encode=serde.dumps_typed,
            )
            store.apply(change.points)

    # Reading

    def get(self, place: Place, cid: str | None, serde: SerializerProtocol) -> CheckpointTuple | None:
        """Return a checkpoint, the newest if `cid` is None."""
        with self._lock:
            store = self._opened()
            if not cid:
                head = store.retrieve([place.head_id()]).get(place.head_id())
                if head is None:
                    return None
                cid = head["cid"]
            return next(iter(load(store, [(place, cid)], serde, {})), None)

    def candidates(self, thread: str | None, ns: str | None) -> list[tuple[Place, str]]:
        """Return all checkpoints of a thread (None: of all) and namespace (None: all), newest first."""
        match: dict[str, Sequence[str]] = {"kind": [PointKind.checkpoint]}
        if thread is not None:
            match["thread"] = [thread]
        with self._lock:
            rows = self._opened().scan(match, ("thread", "ns", "cid")).values()
        found = [(Place(row["thread"], row["ns"]), row["cid"]) for row in rows if ns is None or row["ns"] == ns]
        return sorted(found, key=lambda item: (item[1], item[0]), reverse=True)

    def load(
        self, wanted: Sequence[tuple[Place, str]], serde: SerializerProtocol, matching: Mapping[str, Any]
    ) -> list[CheckpointTuple]:
        """Return those of the checkpoints that still exist and whose metadata has all of `matching`."""
        with self._lock:
            return load(self._opened(), wanted, serde, matching)

    # Whole threads

    def delete_thread(self, thread: str) -> None:
        """Delete everything of a thread."""
        with self._lock:
            store = self._opened()
            store.apply({}, [*store.scan({"thread": [thread]}, ("kind",))])

    def prune(self, thread: str) -> None:
        """Leave the newest checkpoint of each namespace, and what it is rebuilt from."""
        with self._lock:
            store = self._opened()
            whole = Thread(store.scan({"thread": [thread]}, SCANNED))
            _apply(store, plan_removal(whole, keep_latest(whole)))

    def delete_runs(self, runs: Sequence[str]) -> None:
        """Delete the checkpoints of these runs.

        Raises:
            CheckpointNeededError: another run's checkpoint is rebuilt from one of them; nothing was deleted.
        """
        with self._lock:
            store = self._opened()
            match: dict[str, Sequence[str]] = {"kind": [PointKind.checkpoint], "run": runs}
            removed: dict[str, dict[Place, set[str]]] = {}
            for row in store.scan(match, ("thread", "ns", "cid")).values() if runs else ():
                place = Place(row["thread"], row["ns"])
                removed.setdefault(place.thread, {}).setdefault(place, set()).add(row["cid"])
            changes = [
                _planned_deletion(Thread(store.scan({"thread": [thread]}, SCANNED)), places)
                for thread, places in sorted(removed.items())
            ]
            for change in changes:
                _apply(store, change)

    def everything(self) -> Iterator[tuple[str, Payload]]:
        """All points of threads, by id, read in one go; nothing is written meanwhile."""
        with self._lock:
            for page in self._opened().pages():
                yield from ((key, payload) for key, payload in page.items() if "thread" in payload)

    def put_back(self, points: Sequence[tuple[str, Payload]]) -> None:
        """Store points as `everything` gave them.

        Raises:
            CheckpointError: a point does not lie where its payload says.
        """
        for key, payload in points:
            if own_id(payload) != key:
                raise CheckpointError(f"The point {key!r} is not what its payload says.", hint="Make the file again.")
        with self._lock:
            self._opened().apply(dict(points))

    def erase_threads(self, threads: Collection[str]) -> int:
        """Leave no byte of these threads, nor of what was deleted before; return how many points went."""
        gone = frozenset(threads)
        with self._lock:
            return self._opened().rebuild(lambda payload: payload.get("thread") not in gone)

    def copy_thread(self, source: str, target: str, serde: SerializerProtocol) -> None:
        """Copy everything of a thread; what the target has already stays, a newer head stays the head."""
        with self._lock:
            store = self._opened()
            points = [_owned_by(target, payload, serde) for payload in store.scan({"thread": [source]}).values()]
            heads = [Place(target, row["ns"]).head_id() for row in points if row["kind"] == PointKind.head]
            store.apply(plan_copy(points, target, heads=store.retrieve(heads) if heads else {}))


def _apply(store: PointStore, change: Change) -> None:
    store.apply(change.points, change.drop)


def _planned_deletion(thread: Thread, removed: Mapping[Place, set[str]]) -> Change:
    for place, line in thread.checkpoints.items():
        gone = removed.get(place, set())
        for cid in line.keys() - gone:
            if needed := thread.history(place, cid) & gone:
                raise CheckpointNeededError(
                    f"Checkpoint {cid!r} of thread {place.thread!r} is rebuilt from {min(needed)!r}, which was to go.",
                    hint="Delete the later runs too, or prune the thread: that keeps what is needed.",
                )
    return plan_removal(thread, removed)


def _owned_by(thread: str, payload: Payload, serde: SerializerProtocol) -> Payload:
    """Let a copied checkpoint's metadata name its new thread, where it names one at all."""
    if payload["kind"] != PointKind.checkpoint:
        return payload
    body, metadata = stored_body(payload)
    told = serde.loads_typed(metadata)
    if "thread_id" not in told:
        return payload
    return {**payload, "body": pack([body, serde.dumps_typed({**told, "thread_id": thread})])}


def _check_layout(store: PointStore) -> None:
    """Compare the stored layout with ours, and write ours into a new store."""
    found = store.retrieve([LAYOUT_ID]).get(LAYOUT_ID)
    if found is None:
        store.apply({LAYOUT_ID: LAYOUT})
    elif found != LAYOUT:
        raise FormatMismatchError(
            f"Checkpoints were stored with layout {found.get('version')!r}; this version reads {LAYOUT['version']!r}.",
            hint="Open them with the version that wrote them, or name another folder or collection.",
        )
