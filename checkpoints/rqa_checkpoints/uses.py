"""Which uses of remembered items does the log hold, and what does one more leave?

What a use earns is worked out by `mass`; here is what that needs of the log, and how it gets into it: one event a
credited item, in the transaction of whoever used it.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Connection, bindparam, select

from rqa_checkpoints import queries, spoken, tables
from rqa_checkpoints.breakdown import TrainingDelta
from rqa_checkpoints.log import Writer
from rqa_checkpoints.mass import UNUSED, Credit, Holding, How, Use, apply, faded, plan_uses, root_of
from rqa_checkpoints.provenance import Kind, MemoryNode, Scope, SourceClass, TurnPart, confirmed_by
from rqa_checkpoints.queries import asker, owned_by_asker

__all__ = ["holdings_of", "opposed", "proximities", "put_uses", "said", "shown_in", "uses_of"]

_CITATION = re.compile(r"[\[［【]\s*m\s*[:：]\s*([0-9A-Za-z_]{4,64})\s*[\]］】]")
_MOST_CITED = 16
"""Citations read of one message."""

_HOPS = 2
_TURNS_BACK = 6
"""Parts of a thread that count as its session."""
_OPPOSING = ("contradicts", "supersedes")


def _any_of(name: str) -> Any:
    return bindparam(name, expanding=True)


_edge, _node, _credit = tables.edge.c, tables.node.c, tables.credit.c
_OPPOSED = (
    select(_edge.dst, _edge.kind)
    .join(
        tables.node,
        (_node.tenant == _edge.tenant) & (_node.user == _edge.user) & (_node.id == _edge.src),
    )
    .where(
        owned_by_asker(tables.edge),
        _edge.dst.in_(_any_of("ids")),
        _edge.kind.in_(_OPPOSING),
        _node.hidden.is_(False),
    )
)
# Two statements: as one with a subquery, a server that has no statistics yet looks it up once for each item there is.
_ACCOUNTS = select(_node.id, _node.account).where(owned_by_asker(tables.node), _node.id.in_(_any_of("ids")))
_MEMBERS = select(_node.account, _node.mass, _node.last_used).where(
    owned_by_asker(tables.node), _node.account.in_(_any_of("accounts"))
)
_CREDITS = (
    select(_credit.node, _credit.actor, _credit.how, _credit.session, _credit.day)
    .where(owned_by_asker(tables.credit), _credit.node.in_(_any_of("ids")))
    .order_by(_credit.seq)
)


def opposed(view: Connection, ids: Collection[str], scope: Scope) -> dict[str, frozenset[str]]:
    """Items that a visible item contradicts or supersedes, and which of both."""
    found: dict[str, set[str]] = defaultdict(set)
    if ids:
        for item, kind in view.execute(_OPPOSED, asker(scope) | {"ids": list(ids)}):
            found[item].add(kind)
    return {item: frozenset(kinds) for item, kinds in found.items()}


def proximities(view: Connection, persona: Sequence[str], scope: Scope) -> dict[str, float]:
    """1 for the items named, half for each relation between, in either direction, over at most two."""
    near = dict.fromkeys(persona, 1.0)
    edge = list(persona)
    for hop in range(1, _HOPS + 1):
        drawn = queries.edges_at(view, edge, scope) if edge else []
        edge = sorted({end for one in drawn for end in (one.src, one.dst)} - near.keys())
        near |= dict.fromkeys(edge, 0.5**hop)
    return near


def shown_in(view: Connection, thread: str, scope: Scope) -> Counter[str]:
    """How often each item was given to the assistant in the last parts of a thread without being cited, by handle."""
    records = spoken.parts(view, scope, thread=thread, limit=_TURNS_BACK)
    return Counter(str(handle) for record in records for handle in record.report.get("injected_not_cited", ()))


def holdings_of(
    view: Connection, nodes: Mapping[str, MemoryNode], scope: Scope, *, against: Collection[str], now: datetime
) -> dict[str, Holding]:
    """What must be known of these items to say what a use of them earns; `against` are those that are `opposed`."""
    if not nodes:
        return {}
    asked = asker(scope) | {"ids": list(nodes)}
    accounts = {row.id: row.account for row in view.execute(_ACCOUNTS, asked)}
    excess: dict[str, list[float]] = defaultdict(list)
    shared = asker(scope) | {"accounts": sorted(set(accounts.values()))}
    for account, mass, used_at in view.execute(_MEMBERS, shared):
        excess[account].append(faded(mass, used_at=used_at, now=now) - UNUSED)
    given: dict[str, list[Credit]] = defaultdict(list)
    for item, actor, how, session, day in view.execute(_CREDITS, asked):
        given[item].append(Credit(actor=SourceClass(actor), how=How(how), session=session, day=day))
    return {
        item: Holding(
            root=root_of(node),
            account=accounts[item],
            mass=faded(node.mass, used_at=node.last_used, now=now),
            account_mass=UNUSED + sum(sorted(excess[accounts[item]])),
            opposed=item in against,
            credits=given[item],
        )
        for item, node in nodes.items()
    }


def put_uses(writer: Writer, uses: Sequence[Use], *, scope: Scope, session: str, now: datetime) -> TrainingDelta:
    """Credit these uses; items of another person, unknown and hidden ones earn nothing."""
    view, at = writer.connection, now.astimezone(UTC)
    found = queries.nodes_by_id(view, [use.id for use in uses], scope)
    visible = {item: node for item, node in found.items() if not node.hidden}
    holdings = holdings_of(view, visible, scope, against=opposed(view, visible, scope), now=at)
    day = at.date().isoformat()
    effective, delta = plan_uses(uses, holdings, session=session, day=day)
    masses = apply(delta, {item: held.mass for item, held in holdings.items()})
    for use in effective:
        change = {"actor": use.actor.value, "how": use.how.value, "session": session, "day": day}
        stands = {"at": at.isoformat(timespec="seconds"), "gain": delta.mass_changes[use.id], "mass": masses[use.id]}
        writer.append("use", scope, {"id": use.id, **change, **stands})
    return replace(delta, applied=True)


def uses_of(view: Connection, part: TurnPart, nodes: Sequence[MemoryNode], cited: Sequence[str]) -> list[Use]:
    """What a part of a turn used: what the person cites, says again or confirms, and what the verified reply cites."""
    user, assistant = SourceClass.user, SourceClass.assistant
    named = [queries.by_reference(view, handle, part.scope) for handle in _cited_handles(part.user_text)]
    return [
        *(Use(id=node.id, actor=user, how=How.cited) for node in named if node is not None),
        *(Use(id=node.id, actor=user, how=how) for node, how in said(nodes, part.turn_id)),
        *(Use(id=item, actor=assistant, how=How.cited) for item in cited if part.reply_text),
    ]


def _cited_handles(text: str) -> list[str]:
    found = (match.group(1) for match in _CITATION.finditer(text))
    return [handle for handle, _ in zip(dict.fromkeys(found), range(_MOST_CITED), strict=False)]


def said(nodes: Sequence[MemoryNode], turn_id: str) -> Iterator[tuple[MemoryNode, How]]:
    """Of what a turn stored: what the person confirms, and what was there before and is said again.

    A question asserts nothing.
    """
    for node in nodes:
        if node.source is not SourceClass.user or node.kind is Kind.question:
            continue
        if confirmed_by(node):
            yield node, How.confirmed
        elif node.turn_id != turn_id:
            yield node, How.repeated
