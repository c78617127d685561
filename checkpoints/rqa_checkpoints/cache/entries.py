"""What must hold before an answer may become an entry, and what is attested of it?

Everything that decides whether the entry is served stands in the payload, so that no column can be changed without
breaking the hash. The payload is plain JSON without floats: one value has one form (RFC 8785).
"""

from __future__ import annotations

import unicodedata
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any, Final

from rqa_checkpoints.cache.canonical import CANON_VERSION, normalise, scope_key
from rqa_checkpoints.cache.freshness import Validity, is_valid, jitter_of, tag_of, validity
from rqa_checkpoints.cache.policy import Policy
from rqa_checkpoints.cache.records import ATTESTED_COLUMNS, CachedSource, Draft, FreshnessTag
from rqa_checkpoints.cache.signing import payload_digest
from rqa_checkpoints.errors import EntryRefusedError

__all__ = ["MAX_ANSWER_BYTES", "MAX_QUESTION_BYTES", "Prepared", "columns_of", "entry_id", "prepare"]

_ENTRIES: Final = uuid.UUID("2f0d7a5e-93c1-5a0a-9a55-0e6a5b1f7c11")
"""Namespace of our entry ids; any fixed value would do."""
MAX_QUESTION_BYTES: Final = 2000
MAX_ANSWER_BYTES: Final = 64 * 1024
_FIRST_WRITING_PHASE: Final = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Prepared:
    """An entry that may be attested."""

    id: str
    tenant: str
    payload: Mapping[str, Any]
    payload_hash: str


def entry_id(tenant: str, run_id: str) -> str:
    """The id of what a run leaves: the same run again is the same entry."""
    return str(uuid.uuid5(_ENTRIES, f"{len(tenant)}:{tenant}{run_id}"))


def prepare(
    draft: Draft,
    policy: Policy | None,
    *,
    phase: int,
    findings: Sequence[str],
    embedding_model: str,
    supersedes: str,
    now: datetime,
) -> Prepared:
    """Check every precondition and build the payload; writes nothing.

    Args:
        draft: The answer.
        policy: Of its domain; None where the domain is not on the list.
        phase: Of the rollout.
        findings: What was found in question and answer that forbids keeping them (`screening.findings`).
        embedding_model: Makes the vector of the question; "" where none is made.
        supersedes: Id of the active entry under the same key; "" for none.
        now: The time.

    Raises:
        EntryRefusedError: with the `reason`: domain_not_allowed, phase, no_store, or what is named below.
    """
    ident = entry_id(draft.ask.tenant, draft.run_id)
    if policy is None:
        raise _refused("domain_not_allowed", f"the domain {draft.ask.domain!r} is not on the list")
    for reason, holds, words in _preconditions(draft, policy, phase, findings):
        if not holds:
            raise _refused(reason, words)
    tag = tag_of(draft.ask.question, domain=policy.tag, claims=draft.claim_tags)
    times = _times(draft, tag, ident, now)
    payload = _payload(draft, policy, tag=tag, times=times, now=now)
    payload |= {"id": ident, "embedding_model": embedding_model, "supersedes": supersedes}
    payload = _composed(payload)
    return Prepared(id=ident, tenant=draft.ask.tenant, payload=payload, payload_hash=payload_digest(payload))


def _preconditions(draft: Draft, policy: Policy, phase: int, findings: Sequence[str]) -> list[tuple[str, bool, str]]:
    ask = draft.ask
    scored = draft.gi >= policy.baseline_gi
    approved = bool(draft.reviewers)
    size = len(ask.question.encode("utf-8", "surrogatepass"))
    return [
        ("not_cacheable", ask.cacheable, "the request does not allow it to be kept"),
        ("no_store", not ask.no_store, "the request says that nothing is to be stored"),
        ("phase", phase >= _FIRST_WRITING_PHASE, f"the rollout is in phase {phase}, which keeps nothing"),
        ("findings", not findings, f"question or answer holds {', '.join(findings)}"),
        ("jurisdiction_missing", bool(ask.jurisdiction) or not policy.needs_jurisdiction, "no jurisdiction is named"),
        ("question", bool(normalise(ask.question)) and size <= MAX_QUESTION_BYTES, f"the question has {size} bytes"),
        ("answer", _is_answer(draft.answer), f"the answer has {len(draft.answer)} characters"),
        ("gi", isinstance(draft.gi, int) and 0 <= draft.gi <= 1000, f"the score is {draft.gi!r}"),
        ("below_gi", scored or draft.human_override, f"the score is {draft.gi}, below {policy.baseline_gi}"),
        ("no_reviewer", approved or not draft.human_override, "an override names nobody who approved it"),
        ("sensitive", approved or not policy.sensitive, "nobody looked at an answer of a sensitive domain"),
        ("no_source", bool(draft.sources), "there is no source"),
        ("source", all(map(_is_source, draft.sources)), "a source has no locator, hash, span or time of retrieval"),
    ]


def _is_answer(answer: str) -> bool:
    return bool(answer.strip()) and len(answer.encode("utf-8", "surrogatepass")) <= MAX_ANSWER_BYTES


def _is_source(source: CachedSource) -> bool:
    return bool(
        source.locator and source.span.strip() and source.retrieved_at and len(source.sha256) == 64  # SHA-256 in hex
    )


def _times(draft: Draft, tag: FreshnessTag, ident: str, now: datetime) -> Validity:
    try:
        times = validity(tag, draft.sources, jitter=jitter_of(ident), period_end=draft.period_end, written_at=now)
    except ValueError as error:
        raise _refused("source", f"a time of a source cannot be read: {error}") from error
    if not is_valid(times.valid_until, now):
        raise _refused("stale_sources", f"its sources have aged past {times.valid_until}")
    return times


def _payload(draft: Draft, policy: Policy, *, tag: FreshnessTag, times: Validity, now: datetime) -> dict[str, Any]:
    ask = draft.ask
    return {
        "version": 1,
        "run": draft.run_id,
        "tenant": ask.tenant,
        "domain": ask.domain,
        "locale": ask.locale,
        "jurisdiction": ask.jurisdiction,
        "canon_version": CANON_VERSION,
        "scope_key": scope_key(ask),
        "question_raw": ask.question,
        "question_norm": normalise(ask.question),
        "answer": draft.answer,
        "answer_format": draft.answer_format,
        "sources": [asdict(source) for source in draft.sources],
        "gi": draft.gi,
        "gi_version": draft.gi_version,
        "gi_components": dict(draft.gi_components),
        "votes": [dict(vote) for vote in draft.votes],
        "policy_version": policy.version,
        "freshness_tag": tag.value,
        "verified_at": times.verified_at,
        "soft_until": times.soft_until,
        "valid_until": times.valid_until,
        "created_at": now.isoformat(timespec="milliseconds"),
        "origin": draft.origin.value,
        "human_override": draft.human_override,
        "reviewers": list(draft.reviewers),
        "importance": draft.importance,
    }


def columns_of(payload: Mapping[str, Any], *, payload_hash: str, attestation: int) -> dict[str, Any]:
    """What of a payload is asked about, as the columns of its row."""
    return {
        **{name: payload[name] for name in ATTESTED_COLUMNS},
        "payload_hash": payload_hash,
        "attestation": attestation,
    }


def _composed(payload: Any) -> Any:
    """Every text in NFC, so that one text has one form; the words of the question as asked are no exception."""
    match payload:
        case str():
            return unicodedata.normalize("NFC", payload)
        case Mapping():
            return {str(name): _composed(value) for name, value in payload.items()}
        case list() | tuple():
            return [_composed(value) for value in payload]
        case bool() | int() | None:
            return payload
        case _:
            raise _refused("payload", f"a {type(payload).__name__} cannot be attested")


def _refused(reason: str, words: str) -> EntryRefusedError:
    return EntryRefusedError(
        reason, f"the answer cannot be kept: {words}", hint="It may still be given, marked as unverified."
    )
