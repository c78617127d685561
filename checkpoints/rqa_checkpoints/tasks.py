"""What has a person undertaken, and how far has it come?

A task is open, being worked on, completed or abandoned; its outcome, or why it was given up, is an item of the person's
that points to it. It ends after 30 days unless somebody goes on with it; one that is completed or abandoned has no end,
because then it is a record. A task that another one blocks cannot be started, and no circle of them can be drawn.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import timedelta
from typing import Literal, NamedTuple

from rqa_checkpoints import queries
from rqa_checkpoints.committing import put_edges
from rqa_checkpoints.editing import move
from rqa_checkpoints.persona import declared
from rqa_checkpoints.provenance import Kind, MemoryNode, Scope, Status
from rqa_checkpoints.rule_words import broken
from rqa_checkpoints.writing import FOREVER, LIFETIMES, Edit, set_end

__all__ = ["WAITS_FOR", "Ended", "Tasks"]

WAITS_FOR = frozenset({"depends_on", "blocked_by"})
"""Relations from a task to one that comes before it."""


class Ended(NamedTuple):
    """A task that is over, and what was said about it."""

    task: MemoryNode
    words: MemoryNode


@dataclass(frozen=True, slots=True)
class Tasks:
    """What persons undertake. Every call names the scope, and is a person's act."""

    edit: Callable[[Scope], AbstractContextManager[Edit]]
    """Opens a transaction of a person's."""

    def commit(self, text: str, *, scope: Scope, serves: str = "", lifetime: timedelta | None = None) -> MemoryNode:
        """Undertake something; the same words again are the same task, and its time begins anew.

        Args:
            text: The person's words.
            scope: Whose task it is.
            serves: Handle or id of the commitment, intention or value that it fulfils.
            lifetime: How long it stands; None: 30 days.

        Raises:
            RuleBrokenError: `serves` names what a task cannot serve.
            RefusedTextError, UnknownNodeError: nothing was written.
        """
        with self.edit(scope) as edit:
            return declared(edit, Kind.task, text, serves=serves, lifetime=lifetime)

    def start(self, reference: str, *, scope: Scope) -> MemoryNode:
        """Begin to work on a task, or take up one that was ended; its 30 days begin anew.

        Raises:
            UnknownNodeError: there is no such task.
            RuleBrokenError: it is begun already, or blocked by another one.
        """
        with self.edit(scope) as edit:
            task = _task(edit, reference)
            waiting = _unfinished(edit, task)
            if waiting:
                raise broken("blocked", handle=task.handle, before=waiting[0].handle, text=waiting[0].text[:80])
            mortal = bool(task.expires_at) or task.status is not Status.open
            task = move(edit.writer, task, Status.revisited)
            return set_end(edit.writer, task, LIFETIMES[Kind.task], now=edit.now) if mortal else task

    def complete(self, reference: str, outcome: str, *, scope: Scope) -> Ended:
        """Say that a task is done, and what came of it. Raises UnknownNodeError, RuleBrokenError, RefusedTextError."""
        return self._end(reference, outcome, "completed", scope=scope)

    def abandon(self, reference: str, reason: str, *, scope: Scope) -> Ended:
        """Give a task up, and say why. Raises UnknownNodeError, RuleBrokenError, RefusedTextError."""
        return self._end(reference, reason, "abandoned", scope=scope)

    def _end(self, reference: str, words: str, relation: Literal["completed", "abandoned"], *, scope: Scope) -> Ended:
        with self.edit(scope) as edit:
            task = _task(edit, reference)
            if task.status is Status.open:  # whoever ends it has worked on it
                task = move(edit.writer, task, Status.revisited)
            task = move(edit.writer, task, Status.resolved if relation == "completed" else Status.abandoned)
            said = edit.write(words, Kind.note)
            put_edges(edit.writer, scope, [(said.id, task.id, relation)])
            return Ended(set_end(edit.writer, task, FOREVER, now=edit.now), said)

    def depend(self, reference: str, on: str, *, scope: Scope, blocking: bool = False) -> bool:
        """Let a task wait for another one; False where it does already.

        Args:
            reference: The task that waits.
            on: The task that comes before it.
            scope: Whose tasks they are.
            blocking: Whether it cannot be started before the other one is over.

        Raises:
            UnknownNodeError: one of them is not there.
            RuleBrokenError: one is no task, or the other one waits for this one already, be it through others.
        """
        with self.edit(scope) as edit:
            task, before = _task(edit, reference), _task(edit, on)
            if task.id in _before(edit, before):
                raise broken("waits", handle=task.handle, before=before.handle)
            return put_edges(edit.writer, scope, [(task.id, before.id, "blocked_by" if blocking else "depends_on")]) > 0


def _task(edit: Edit, reference: str) -> MemoryNode:
    node = edit.named(reference)
    if node.kind is not Kind.task:
        raise broken("no_task", handle=node.handle, kind=node.kind.value)
    if node.hidden:
        raise broken("over", handle=node.handle)
    return node


def _unfinished(edit: Edit, task: MemoryNode) -> list[MemoryNode]:
    """The tasks that block this one and are not over."""
    view = edit.writer.connection
    blockers = [edge.dst for edge in queries.edges_from(view, [task.id], edit.scope) if edge.kind == "blocked_by"]
    found = queries.nodes_by_id(view, blockers, edit.scope).values()
    return [node for node in found if not node.hidden and node.status in {Status.open, Status.revisited}]


def _before(edit: Edit, task: MemoryNode) -> set[str]:
    """Ids of the task and of all that come before it."""
    found, wave = {task.id}, [task.id]
    while wave:
        edges = queries.edges_from(edit.writer.connection, wave, edit.scope)
        wave = [edge.dst for edge in edges if edge.kind in WAITS_FOR and edge.dst not in found]
        found.update(wave)
    return found
