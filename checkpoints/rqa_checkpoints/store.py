"""How does LangGraph's store speak to this memory?

`namespace[:2]` is (tenant, user) and part of every request: one without it is an error, never "all". Whatever is put
gets the class that the store was opened with (`assistant` unless the wiring says otherwise), so that no agent can make
its own words the user's by storing them. In one batch, reads see the state before the writes.
"""

from __future__ import annotations

import asyncio
import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from langgraph.store.base import (
    BaseStore,
    GetOp,
    Item,
    ListNamespacesOp,
    MatchCondition,
    Op,
    PutOp,
    Result,
    SearchItem,
    SearchOp,
    TTLConfig,
    validate_op_namespace,
)

from rqa_checkpoints.errors import MissingScopeError
from rqa_checkpoints.memory import ProvenanceMemory
from rqa_checkpoints.provenance import Scope, SourceClass
from rqa_checkpoints.versions import LONGEST_TTL_MINUTES, Put, Version

__all__ = ["MemoryStore"]

_SCOPE_LABELS = 2
_ORDERS: Mapping[str, Callable[[float, float], bool]] = {
    "$gt": operator.gt,
    "$gte": operator.ge,
    "$lt": operator.lt,
    "$lte": operator.le,
}


class MemoryStore(BaseStore):
    """A LangGraph store over a `ProvenanceMemory`.

    One live version per (namespace, key); overwriting makes a new version that supersedes the old one, deleting hides.
    What is searched of a value is its `text`, its `content`, or all of it as JSON; the value comes back unchanged.
    A value with a time to live is hidden when it is over, as if it had been deleted; reading it begins the time anew
    unless `refresh_ttl` is False.

    What differs from `InMemoryStore`, and has to: a namespace names tenant and user; values are JSON; a key is not
    empty; a namespace that holds nothing is not listed; the same value put again changes nothing but its time to live;
    `created_at` is when the place was first filled; a comparison with what is no number is false and no error; a query
    ranks without any configuration. The order of items that are not ranked is the order of their last change.
    """

    supports_ttl = True

    def __init__(
        self,
        memory: ProvenanceMemory,
        writes_as: SourceClass = SourceClass.assistant,
        *,
        author: str = "store",
        ttl: TTLConfig | None = None,
    ) -> None:
        self.ttl_config = ttl
        self._memory = memory
        self._writes_as = SourceClass(writes_as)
        self._author = author

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        """Run operations; all writes are one transaction.

        Raises:
            MissingScopeError: a namespace does not begin with tenant and user.
            RefusedTextError: a value that must not become memory; then nothing of the batch is written.
            ValueError: an empty key, or a time to live that is none; then nothing of the batch is written.
        """
        listed = list(ops)
        for op in listed:
            validate_op_namespace(op)
            if isinstance(op, GetOp | PutOp) and not op.key:
                raise ValueError(f"the key in {op.namespace!r} is empty; a key has at least one character")
        puts = {(op.namespace, op.key): self._put(op) for op in listed if isinstance(op, PutOp)}
        results = [self._read(op) for op in listed]
        if puts:
            self._memory.put_versions(list(puts.values()))
        return results

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        """As `batch`, off the event loop."""
        return await asyncio.to_thread(self.batch, list(ops))

    def _read(self, op: Op) -> Result:
        if isinstance(op, GetOp):
            return self._get(op)
        if isinstance(op, SearchOp):
            return self._search(op)
        if isinstance(op, ListNamespacesOp):
            return self._namespaces(op)
        return None

    def _put(self, op: PutOp) -> Put:
        if op.ttl is not None and not 0 < op.ttl <= LONGEST_TTL_MINUTES:
            raise ValueError(f"`ttl` is {op.ttl!r} minutes; expected more than 0 and at most {LONGEST_TTL_MINUTES}")
        scope, rest = _split(op.namespace)
        return Put(
            scope=scope,
            namespace=rest,
            key=op.key,
            value=op.value,
            source=self._writes_as,
            author=self._author,
            indexed=op.index is not False,
            ttl_minutes=op.ttl or 0.0,
        )

    def _get(self, op: GetOp) -> Item | None:
        scope, rest = _split(op.namespace)
        version = self._memory.versions([(rest, op.key)], scope=scope)[0]
        if version is None:
            return None
        self._refresh([version], wanted=op.refresh_ttl)
        return Item(**_fields(version))

    def _search(self, op: SearchOp) -> list[SearchItem]:
        scope, rest = _split(op.namespace_prefix)
        versions = [v for v in self._memory.versions_under(rest, scope=scope) if _passes(v.value, op.filter)]
        ranked: Sequence[tuple[Version, float | None]] = [(version, None) for version in versions]
        if op.query and versions:
            scores = dict(self._memory.rank_versions(op.query, versions, scope=scope))
            ranked = sorted(
                ((version, scores.get(version.node.id)) for version in versions),
                key=lambda pair: (pair[1] is None, -(pair[1] or 0.0), pair[0].node.id),
            )
        page = ranked[op.offset : op.offset + op.limit]
        self._refresh([version for version, _ in page], wanted=op.refresh_ttl)
        return [SearchItem(**_fields(version), score=score) for version, score in page]

    def _refresh(self, read: Sequence[Version], *, wanted: bool) -> None:
        mortal = [version.node for version in read if version.node.ttl_minutes]
        if wanted and mortal:
            self._memory.refresh(mortal)

    def _namespaces(self, op: ListNamespacesOp) -> list[tuple[str, ...]]:
        conditions = op.match_conditions or ()
        scope, _ = _split(_longest_prefix(conditions))
        owner = (scope.tenant, scope.user)
        found = {owner + version.node.namespace for version in self._memory.versions_under((), scope=scope)}
        chosen = {namespace for namespace in found if all(_matches(condition, namespace) for condition in conditions)}
        cut = sorted({namespace[: op.max_depth] for namespace in chosen})
        return cut[op.offset : op.offset + op.limit]


def _split(namespace: tuple[str, ...]) -> tuple[Scope, tuple[str, ...]]:
    if len(namespace) < _SCOPE_LABELS or "*" in namespace[:_SCOPE_LABELS]:
        raise MissingScopeError(
            f"the namespace {namespace!r} does not name tenant and user", hint="Begin it with (tenant, user)."
        )
    return Scope(*namespace[:_SCOPE_LABELS]), tuple(namespace[_SCOPE_LABELS:])


def _longest_prefix(conditions: Sequence[MatchCondition]) -> tuple[str, ...]:
    prefixes = [tuple(condition.path) for condition in conditions if condition.match_type == "prefix"]
    return max(prefixes, key=len, default=())


def _matches(condition: MatchCondition, namespace: tuple[str, ...]) -> bool:
    path = tuple(condition.path)
    if len(path) > len(namespace):
        return False
    part = namespace[: len(path)] if condition.match_type == "prefix" else namespace[len(namespace) - len(path) :]
    return all(label in ("*", found) for label, found in zip(path, part, strict=True))


def _fields(version: Version) -> dict[str, Any]:
    node = version.node
    return {
        "value": version.value,
        "key": node.key,
        "namespace": (node.tenant, node.user, *node.namespace),
        "created_at": datetime.fromisoformat(version.created_at),
        "updated_at": datetime.fromisoformat(version.updated_at),
    }


def _passes(value: Mapping[str, Any], wanted: Mapping[str, Any] | None) -> bool:
    return all(_compares(value.get(name), test) for name, test in (wanted or {}).items())


def _compares(found: Any, test: Any) -> bool:
    """Equality, or the operators of LangGraph's filters; nested objects are compared field by field."""
    if isinstance(test, Mapping):
        if any(str(name).startswith("$") for name in test):
            return all(_operate(found, name, operand) for name, operand in test.items())
        return isinstance(found, Mapping) and _passes(found, test)
    if isinstance(test, list | tuple):
        same_length = isinstance(found, list | tuple) and len(found) == len(test)
        return same_length and all(_compares(one, two) for one, two in zip(found, test, strict=True))
    return bool(found == test)


def _operate(found: Any, name: str, operand: Any) -> bool:
    if name == "$eq":
        return bool(found == operand)
    if name == "$ne":
        return bool(found != operand)
    order = _ORDERS.get(name)
    if order is None:
        raise ValueError(f"unknown operator {name!r}; expected one of $eq, $ne, {', '.join(sorted(_ORDERS))}")
    try:
        return order(float(found), float(operand))
    except (TypeError, ValueError):
        return False
