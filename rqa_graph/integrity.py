"""What is the verified answer to a question: the one that was kept, or one that is found now?

The library is asked before any model is. A stored answer is given only if the verifier leaves it as it is; otherwise it
is put aside, and the question is deliberated on as if it had never been answered. Many who ask the same at once cost
one deliberation.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from rqa_checkpoints.cache.canonical import normalise, scope_key
from rqa_checkpoints.cache.entries import MAX_QUESTION_BYTES
from rqa_checkpoints.cache.records import Ask, Entry, Lookup, Outcome, Reason
from rqa_checkpoints.provenance import Scope
from rqa_graph.errors import EmptyInputError, TooLargeError, UsageFaultError
from rqa_graph.leasing import aled, led
from rqa_graph.services import AppServices, default_services
from rqa_graph.settings import Settings
from rqa_graph.shelf import injected_sources
from rqa_graph.stored_answer import hit_body
from rqa_graph.turn_deliberation import compare_in_shadow
from rqa_nodes.deliberate.body import body
from rqa_nodes.deliberate.keeping import is_as_verified
from rqa_nodes.deliberate.retrieve import language_of
from rqa_nodes.deliberate.state import DeliberationContext, DeliberationInput

__all__ = ["Question", "aanswer_with_integrity", "answer_with_integrity"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A question, and under which conditions it is asked."""

    text: str
    domain: str
    locale: str = ""
    """"" for the language of the question."""
    jurisdiction: str = ""
    cacheable: bool | None = None
    """None: yes where the domain is on the list, else no."""
    as_of: str = ""
    """A date, as ISO 8601 has it, that the answer must hold for: such an answer is neither served from the library nor
    kept."""
    bypass_cache: bool = False
    no_store: bool = False
    tighten: Mapping[str, int] = field(default_factory=dict)
    """Thresholds in thousandths by name; a lower one than the domain's changes nothing."""

    def __post_init__(self) -> None:
        """Refuse a date that is none. Raises UsageFaultError."""
        try:
            datetime.fromisoformat(self.as_of or "2026-01-01")
        except ValueError:
            raise UsageFaultError("recall.no_date", value=self.as_of) from None

    def ask(self, tenant: str, *, listed: bool) -> Ask:
        """The request as the library takes it."""
        return Ask(
            question=self.text,
            tenant=tenant,
            domain=self.domain,
            locale=self.locale or language_of("", self.text),
            jurisdiction=self.jurisdiction,
            cacheable=(listed if self.cacheable is None else self.cacheable) and not self.as_of,
            bypass=self.bypass_cache or bool(self.as_of),
            no_store=self.no_store or bool(self.as_of),
            tighten=self.tighten,
        )


def answer_with_integrity(
    question: str | Question,
    *,
    domain: str = "facts",
    user: str = "",
    tenant: str = "",
    settings: Settings | None = None,
    services: AppServices | None = None,
) -> dict[str, Any]:
    """Answer from what was verified, or deliberate.

    Args:
        question: The question, or all about it.
        domain: Where the question is a text: to which domain it belongs.
        user: Who asks; "" for the user of the settings.
        tenant: Whose library; "" for that of the settings.
        settings: What a person may set; default: read from the configuration.
        services: Ready-made services instead of those that `settings` describe.

    Returns:
        The body of `/v1/deliberate`: `status` (ok, pending_review, abstained, error), `answer`, `giScore`, `source`,
        `ledgerTx`, `entry`, `sources`, `validUntil`, `verifiedAt`, `humanOverride`, `reason`, `reviewId`, `trace`.

    Raises:
        EmptyInputError, TooLargeError: there is no question, or one of more than 2,000 bytes.
        CachePolicyError: a threshold that there is none of.
    """
    asking = _Asking(_question(question, domain), services or default_services(settings), tenant=tenant, user=user)
    found = asking.stored
    if found is not None:
        return found
    if not asking.shared:
        return asking.deliberate()
    try:
        flown = asking.services.flights.run(asking.key, asking.lead)
    except TimeoutError:
        return body(status="error", reason="busy", trace=asking.trace)
    return _shared(flown.result, flown.role)


async def aanswer_with_integrity(
    question: str | Question,
    *,
    domain: str = "facts",
    user: str = "",
    tenant: str = "",
    settings: Settings | None = None,
    services: AppServices | None = None,
) -> dict[str, Any]:
    """Async form of `answer_with_integrity`."""
    asking = await asyncio.to_thread(
        lambda: _Asking(_question(question, domain), services or default_services(settings), tenant=tenant, user=user)
    )
    found = asking.stored
    if found is not None:
        return found
    if not asking.shared:
        return await asking.adeliberate()
    try:
        flown = await asking.services.flights.arun(asking.key, asking.alead)
    except TimeoutError:
        return body(status="error", reason="busy", trace=asking.trace)
    return _shared(flown.result, flown.role)


def _question(given: str | Question, domain: str) -> Question:
    question = given if isinstance(given, Question) else Question(text=given, domain=domain)
    size = len(question.text.encode("utf-8", "surrogatepass"))
    if size > MAX_QUESTION_BYTES:
        raise TooLargeError("input.too_large", size=size, limit=MAX_QUESTION_BYTES)
    if not normalise(question.text):
        raise EmptyInputError("input.empty")
    return question


def _shared(result: dict[str, Any], role: str) -> dict[str, Any]:
    return {**result, "trace": {**result["trace"], "singleFlight": role}}


class _Asking:
    """One request, and what the library has for it."""

    def __init__(self, question: Question, services: AppServices, *, tenant: str, user: str) -> None:
        self.services = services
        self.scope: Scope = services.scope(tenant, user)
        library = services.answer_library
        listed = library.cache.policies.of(question.domain) is not None
        self.ask = question.ask(self.scope.tenant, listed=listed)
        library.policy(self.ask)  # refuses a threshold that there is none of before anything is looked up
        self.key = f"{self.scope.tenant}/{scope_key(self.ask)}"
        self._leases, self._seconds = library.cache.leases, services.deliberating.bench.seconds
        self._lookup = library.cache.confirm(self.ask, self._look())

    @property
    def shared(self) -> bool:
        """May others be given what this request finds? Never what may not be kept."""
        return self.ask.cacheable and self._lookup.outcome is not Outcome.bypass

    @property
    def trace(self) -> dict[str, Any]:
        """What the look-up came to."""
        found = self._lookup
        return {
            "policyVersion": found.policy_version,
            "guard": list(found.detail),
            "bypassReason": found.reason.value,
            "similarity": found.similarity / 1000 if found.similarity is not None else None,
            "matchedQuestion": found.entry.question if found.outcome is Outcome.context and found.entry else None,
        }

    @property
    def stored(self) -> dict[str, Any] | None:
        """The stored answer; None where there is none to give."""
        return hit_body(self._lookup) if self._lookup.outcome is Outcome.hit else None

    def _look(self) -> Lookup:
        cache = self.services.answer_library.cache
        found = cache.look(self.ask)
        if found.outcome is Outcome.hit and found.entry is not None and not self._holds(found.entry):
            cache.quarantine(found.entry.id, tenant=self.scope.tenant, reason=Reason.not_verified.value)
            return replace(found, outcome=Outcome.miss, reason=Reason.not_verified, hit=None, entry=None)
        return found

    def _landed(self) -> dict[str, Any] | None:
        """What another leader has kept since this request was looked up."""
        found = self._look()
        return hit_body(found) if found.outcome is Outcome.hit else None

    def _holds(self, entry: Entry) -> bool:
        lang = language_of(str(entry.payload["locale"]), entry.question)
        return is_as_verified(entry.answer, injected_sources(entry.sources), lang)

    def lead(self) -> dict[str, Any]:
        """Look once more, since another leader may have just landed; then deliberate."""
        return led(self._leases, self.key, seconds=self._seconds, landed=self._landed, work=self.deliberate)

    async def alead(self) -> dict[str, Any]:
        """Async form of `lead`."""
        return await aled(self._leases, self.key, seconds=self._seconds, landed=self._landed, work=self.adeliberate)

    def deliberate(self) -> dict[str, Any]:
        """Find an answer now."""
        done = self.services.deliberation.invoke(self._input(), context=self._context())
        return self._finished(done["result"])

    async def adeliberate(self) -> dict[str, Any]:
        """Async form of `deliberate`."""
        done = await self.services.deliberation.ainvoke(self._input(), context=self._context())
        return await asyncio.to_thread(self._finished, done["result"])

    def _finished(self, result: dict[str, Any]) -> dict[str, Any]:
        compare_in_shadow(self.services, self.ask, self._lookup.to_dict(), result)
        return self._traced(result)

    def _input(self) -> DeliberationInput:
        ask, found = self.ask, self._lookup
        prior = found.entry if found.outcome is Outcome.context else None
        may_keep = ask.cacheable and (found.outcome is not Outcome.bypass or ask.bypass)
        return DeliberationInput(
            question=ask.question,
            domain=ask.domain,
            locale=ask.locale,
            jurisdiction=ask.jurisdiction,
            cacheable=may_keep,
            no_store=ask.no_store,
            tighten=dict(ask.tighten),
            prior={"entry": prior.id, "question": prior.question, "answer": prior.answer} if prior else None,
        )

    def _context(self) -> DeliberationContext:
        return DeliberationContext(tenant=self.scope.tenant, user=self.scope.user)

    def _traced(self, result: dict[str, Any]) -> dict[str, Any]:
        """What the look-up said stands before what followed from it, where the library was not to be asked at all."""
        own = {name: value for name, value in result["trace"].items() if value}
        if self._lookup.outcome is Outcome.bypass:
            own["bypassReason"] = self._lookup.reason.value
        return {**result, "trace": {**result["trace"], **self.trace, **own}}
