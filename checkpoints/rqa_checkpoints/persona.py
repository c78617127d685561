"""What does a person stand for?

Values, intentions that serve them, commitments that fulfil those: each the person's own words, declared by the person
and by nobody else, so that no model can write itself a will of its user's. A commitment ends after 14 days unless it
is renewed; the rest stays until it is forgotten.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import timedelta
from types import MappingProxyType
from typing import NamedTuple

from rqa_checkpoints.committing import put_edges
from rqa_checkpoints.provenance import Kind, MemoryNode, Scope, SourceClass
from rqa_checkpoints.rule_words import broken
from rqa_checkpoints.writing import Edit

__all__ = ["PERSONA_KINDS", "Persona", "check_parent"]


class _Parent(NamedTuple):
    """What an item of a kind may serve, and the name of that relation."""

    kinds: frozenset[Kind]
    relation: str


_PARENTS: Mapping[Kind, _Parent] = MappingProxyType(
    {
        Kind.intention: _Parent(frozenset({Kind.value}), "derived_from"),
        Kind.commitment: _Parent(frozenset({Kind.intention, Kind.value}), "fulfills"),
        Kind.task: _Parent(frozenset({Kind.commitment, Kind.intention, Kind.value}), "fulfills"),
    }
)

PERSONA_KINDS = (Kind.value, Kind.intention, Kind.commitment)
"""The kinds that a person declares, the most lasting first."""


@dataclass(frozen=True, slots=True)
class Persona:
    """What persons declare. Every call names the scope, and is a person's act."""

    edit: Callable[[Scope], AbstractContextManager[Edit]]
    """Opens a transaction of a person's."""

    def declare(
        self, kind: Kind, text: str, *, scope: Scope, serves: str = "", lifetime: timedelta | None = None
    ) -> MemoryNode:
        """Declare a value, an intention or a commitment; the same words again are the same item, and renewed.

        Args:
            kind: `value`, `intention` or `commitment`.
            text: The person's words.
            scope: Whose they are.
            serves: Handle or id of the value that an intention comes from, or of what a commitment fulfils.
            lifetime: How long it stands; None: 14 days for a commitment, for ever for the others.

        Raises:
            RuleBrokenError: another kind, or `serves` names what an item of this kind cannot serve.
            RefusedTextError, UnknownNodeError: nothing was written.
        """
        if kind not in PERSONA_KINDS:
            raise broken("not_declared", kind=kind.value, kinds=", ".join(PERSONA_KINDS))
        with self.edit(scope) as edit:
            return declared(edit, kind, text, serves=serves, lifetime=lifetime)


def declared(edit: Edit, kind: Kind, text: str, *, serves: str = "", lifetime: timedelta | None = None) -> MemoryNode:
    """Write an item of a kind that may serve another one, with that relation, inside the transaction."""
    parent = edit.named(serves) if serves else None
    if parent is not None:
        check_parent(kind, parent)
    node = edit.write(text, kind, lifetime=lifetime)
    if parent is not None:
        put_edges(edit.writer, edit.scope, [(node.id, parent.id, _PARENTS[kind].relation)])
    return node


def check_parent(kind: Kind, parent: MemoryNode) -> None:
    """Raise RuleBrokenError unless an item of this kind may serve that one."""
    allowed = _PARENTS[kind].kinds if kind in _PARENTS else frozenset[Kind]()
    if parent.kind not in allowed or parent.source is not SourceClass.user:
        names = ", ".join(sorted(allowed)) or "nothing"
        named = {"handle": parent.handle, "parent": parent.kind.value, "source": parent.source.value}
        raise broken("cannot_serve", kind=kind.value, allowed=names, **named)
