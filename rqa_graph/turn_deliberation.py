"""How does a turn deliberate, and what is learned where the library does not serve yet?

Many turns that ask the same cost one run of the steps, in this process and, where the log lies on a server, in all that
share it. Where the rollout would have served a stored answer and does not yet, the fresh one is held against it, once a
run, and only whether they agree is written down.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from rqa_checkpoints.cache.canonical import scope_key
from rqa_checkpoints.cache.leases import Leases
from rqa_checkpoints.cache.records import Ask, Outcome
from rqa_checkpoints.errors import CheckpointError
from rqa_checkpoints.provenance import MemoryNode, Scope
from rqa_graph.leasing import aled, led
from rqa_graph.stored_answer import hit_body
from rqa_nodes.deliberate.body import body, deliberated, said
from rqa_nodes.deliberate.ports import cached
from rqa_nodes.deliberate.retrieve import language_of
from rqa_nodes.deliberate.shadow import agrees
from rqa_nodes.deliberate.state import DeliberationContext
from rqa_nodes.deliberate.words import WORDS
from rqa_nodes.facts import external_items
from rqa_nodes.lookup import find

if TYPE_CHECKING:
    from rqa_graph.services import AppServices

__all__ = ["adeliberate_turn", "compare_in_shadow", "deliberate_turn", "items_now"]

_TURN = "turn"
"""Before the key of a flight of turns: what they are given is not what `/v1/deliberate` returns."""


def deliberate_turn(
    services: AppServices, given: Mapping[str, Any], *, looked: Mapping[str, Any], scope: Scope
) -> dict[str, Any]:
    """Run the steps, or wait for the turn that runs them; see `rqa_nodes.turn.Services.deliberate`."""
    ask = _ask_of(given, scope)
    key, leases, seconds = _led_by(services, ask)

    def lead() -> dict[str, Any]:
        done = _done(services.deliberation_steps.invoke(dict(given), context=_context(scope)))
        compare_in_shadow(services, ask, looked, done["result"])
        return done

    try:
        return services.flights.run(
            f"{_TURN}/{key}",
            lambda: led(leases, key, seconds=seconds, landed=lambda: _landed(services, ask), work=lead),
        ).result
    except TimeoutError:
        return _busy(ask)


async def adeliberate_turn(
    services: AppServices, given: Mapping[str, Any], *, looked: Mapping[str, Any], scope: Scope
) -> dict[str, Any]:
    """Async form of `deliberate_turn`."""
    ask = _ask_of(given, scope)
    key, leases, seconds = _led_by(services, ask)

    async def lead() -> dict[str, Any]:
        done = _done(await services.deliberation_steps.ainvoke(dict(given), context=_context(scope)))
        await asyncio.to_thread(compare_in_shadow, services, ask, looked, done["result"])
        return done

    try:
        return (
            await services.flights.arun(
                f"{_TURN}/{key}",
                lambda: aled(leases, key, seconds=seconds, landed=lambda: _landed(services, ask), work=lead),
            )
        ).result
    except TimeoutError:
        return _busy(ask)


def compare_in_shadow(services: AppServices, ask: Ask, looked: Mapping[str, Any], result: Mapping[str, Any]) -> None:
    """Write down whether a fresh verified answer agrees with the entry that would have been served; else nothing.

    Args:
        services: Of the home.
        ask: The request.
        looked: What the look-up came to (`would`, `would_entry`, `similarity`).
        result: What the deliberation came to.
    """
    if looked.get("would") != Outcome.hit.value or not looked.get("would_entry") or result["status"] != "ok":
        return
    cache, entry = services.answer_library.cache, str(looked["would_entry"])
    try:
        stored = cache.entry(entry, tenant=ask.tenant).answer
    except CheckpointError:
        return
    lang = language_of(ask.locale, ask.question)
    same = agrees(stored, result["answer"], services.deliberating.guard, lang)
    cache.shadow(ask, entry, similarity=looked.get("similarity"), agrees=same)


def items_now(
    services: AppServices, rows: Iterable[Mapping[str, str]], *, domain: str, tenant: str
) -> tuple[MemoryNode, ...]:
    """Sources as they lie in the corpus now, as external items; one that has changed is left out."""
    corpus = services.deliberating.corpus
    found = [(row, corpus.fetch(row["locator"], domain=domain)) for row in rows]
    same = [cached(one, one.text) for row, one in found if one is not None and one.sha256 == row["sha256"]]
    return external_items(same, tenant=tenant)


def _led_by(services: AppServices, ask: Ask) -> tuple[str, Leases | None, float]:
    """Under which key a run is led, with which leases, and what it may take."""
    cache = services.answer_library.cache
    return f"{ask.tenant}/{scope_key(ask)}", cache.leases, services.deliberating.bench.seconds


def _landed(services: AppServices, ask: Ask) -> dict[str, Any] | None:
    """What another leader has kept since the turn looked; looked for only where there may be one."""
    cache = services.answer_library.cache
    if cache.leases is None:
        return None
    found = find(cache, ask)
    if found.outcome is not Outcome.hit or found.entry is None:
        return None
    return {"result": hit_body(found), "said": found.entry.answer}


def _ask_of(given: Mapping[str, Any], scope: Scope) -> Ask:
    return Ask(
        question=given["question"],
        tenant=scope.tenant,
        domain=given["domain"],
        locale=given["locale"],
        jurisdiction=given["jurisdiction"],
    )


def _context(scope: Scope) -> DeliberationContext:
    return DeliberationContext(tenant=scope.tenant, user=scope.user)


def _done(state: Any) -> dict[str, Any]:
    return {"result": deliberated(state), "said": said(state)}


def _busy(ask: Ask) -> dict[str, Any]:
    words = WORDS["ja" if language_of(ask.locale, ask.question) == "ja" else "en"]
    return {"result": body(status="error", reason="busy"), "said": words["abstained"].format(reason=words["busy"])}
