"""What does a person's decision change in the library?

The promise that the kinds of the review queue declare. A decision is checked before it is made: what could not be kept
is refused while it can still be corrected.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any, Final

from rqa_checkpoints.cache.records import Ask, CachedSource, Draft, Entry, EntryStatus, Origin
from rqa_checkpoints.errors import EntryRefusedError, RuleBrokenError
from rqa_checkpoints.provenance import Attestation, QueueItem, source_handle
from rqa_graph.answer_library import FLAG_UPHELD, IntegrityLibrary
from rqa_nodes.deliberate.citing import with_references
from rqa_nodes.deliberate.claims import Guard
from rqa_nodes.deliberate.keeping import changed_source, is_as_verified
from rqa_nodes.deliberate.ports import Corpus, Found, cached
from rqa_nodes.deliberate.retrieve import language_of
from rqa_nodes.deliberate.score import GI_VERSION, Counted, caps, gi
from rqa_nodes.deliberate.state import Candidate
from rqa_nodes.deliberate.weigh import documents_of, weigh_answer
from rqa_nodes.echo import Injected
from rqa_nodes.errors import ProposalRefusedError

__all__ = ["LibraryShelf", "injected_sources"]

_PERSON: Final = "person"


def injected_sources(sources: Sequence[CachedSource]) -> list[Injected]:
    """The sources of an answer as the verifier is told of them."""
    return [
        Injected(
            handle=source_handle(row.locator, row.sha256),
            source="external",
            text=row.span,
            author=row.publisher,
            locator=row.locator,
        )
        for row in sources
    ]


class LibraryShelf:
    """The library of one home, as decisions change it."""

    def __init__(self, library: IntegrityLibrary, corpus: Corpus, guard: Guard, *, tenant: str) -> None:
        self._library = library
        self._corpus = corpus
        self._guard = guard
        self._tenant = tenant

    def reweighed(self, payload: Mapping[str, Any]) -> dict[str, Any]:
        """The payload with its sources fetched again and its score computed anew. Raises ProposalRefusedError."""
        ask = payload["ask"]
        lang = language_of(ask["locale"], ask["question"])
        found = [self._fetched(row["locator"], ask["domain"]) for row in payload["sources"]]
        text = with_references(payload["answer"], documents_of(found), self._guard, lang)
        weighed = weigh_answer(
            text,
            engine="",
            sources=found,
            candidates=[
                Candidate(
                    engine=row["engine"], family=row["family"], text=row["text"], round=1, failure="", seconds=0.0
                )
                for row in payload["candidates"]
            ],
            verdict=None,
            guard=self._guard,
            lang=lang,
        )
        sources = [
            asdict(cached(one, weighed.spans[one.handle])) | {"authority": one.authority}
            for one in found
            if weighed.spans.get(one.handle)
        ]
        return {
            **payload,
            "answer": text,
            "sources": sources,
            "gi": gi(weighed.counted),
            "gi_version": GI_VERSION,
            "gi_components": weighed.counted.attested(),
            "caps": list(caps(weighed.counted)),
        }

    def _fetched(self, locator: str, domain: str) -> Found:
        found = self._corpus.fetch(locator, domain=domain)
        if found is None:
            raise ProposalRefusedError(
                f"the source {locator!r} is not among those that may be cited in {domain!r}",
                problem="source",
                hint="List its folder in RQA_HOME/config/deliberation.yaml, or name another document.",
            )
        return found

    def obstacle(self, payload: Mapping[str, Any], *, by: str) -> str:
        """Why this answer cannot be kept now; "" if it can."""
        sources = [source_of(row) for row in payload["sources"]]
        changed = changed_source(
            [(row.locator, row.sha256, row.span) for row in sources], self._corpus, domain=payload["ask"]["domain"]
        )
        if changed:
            return f"the source {changed!r} has changed or is gone since the answer was written"
        lang = language_of(payload["ask"]["locale"], payload["ask"]["question"])
        if not is_as_verified(payload["answer"], injected_sources(sources), lang):
            return "the answer claims what its sources do not show"
        try:
            self._library.prepared(self._draft(payload, run="check", by=by))
        except EntryRefusedError as error:
            return error.message
        return ""

    def keep(self, item: QueueItem, attestation: Attestation) -> str:
        """Attest the answer of an approved item and make it an entry; return its id."""
        draft = self._draft(item.payload, run=f"{item.id}:{item.version}", by=attestation.by)
        entry = self._library.attest(draft)
        return self._library.commit(entry, tenant=self._tenant).entry

    def settle(self, item: QueueItem, attestation: Attestation) -> None:
        """End the entry of an approved flag, or serve it again after a rejected one."""
        store, entry = self._library.store, str(item.payload["entry"])
        found: Entry = store.get(entry, tenant=self._tenant)
        if found.status is not EntryStatus.active:
            return
        try:
            if attestation.verdict == "approve":
                store.withdraw(entry, tenant=self._tenant, reason=FLAG_UPHELD, by=attestation.by)
            else:
                store.set_servable(entry, servable=True, tenant=self._tenant, reason="flag_refused", by=attestation.by)
        except RuleBrokenError:
            return  # its freshness never let it be served, or somebody ended it meanwhile

    def _draft(self, payload: Mapping[str, Any], *, run: str, by: str) -> Draft:
        ask = Ask(tenant=self._tenant, cacheable=True, **payload["ask"])
        policy = self._library.policy(ask)
        scored = policy is not None and payload["gi"] >= policy.baseline_gi
        engines = [{"who": row["engine"], "role": "engine", "family": row["family"]} for row in payload["candidates"]]
        authors = [{"who": name, "role": "author", "family": _PERSON} for name in payload["authors"]]
        return Draft(
            run_id=run,
            ask=ask,
            answer=payload["answer"],
            sources=[source_of(row) for row in payload["sources"]],
            gi=payload["gi"],
            gi_components=Counted.read(payload["gi_components"]).attested(),
            gi_version=payload["gi_version"],
            votes=[*engines, *authors, {"who": by, "role": "approver", "family": _PERSON, "vote": "approve"}],
            origin=Origin.human if payload["authors"] else Origin.deliberation,
            human_override=not scored,
            reviewers=[by],
            importance=payload["importance"],
        )


def source_of(row: Mapping[str, Any]) -> CachedSource:
    """A source from the payload of an item."""
    return CachedSource(**{name: value for name, value in row.items() if name != "authority"})
