"""What is an entry of the Integrity Cache, what is asked of it, and what may it answer?

Plain records without behaviour, in the standard library only: the layer above sees them through `provenance`. Scores
and similarities are integers in thousandths, because a threshold on a rounded or binary fraction lets 0.9695 pass as
0.970. Times are ISO 8601 in UTC.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from enum import StrEnum
from typing import Any

__all__ = [
    "ATTESTED_COLUMNS",
    "CACHE_USER",
    "GLOBAL",
    "Ask",
    "CachedSource",
    "Draft",
    "Entry",
    "EntryStatus",
    "FreshnessTag",
    "Hit",
    "Lookup",
    "Origin",
    "Outcome",
    "Reason",
]

CACHE_USER = "@cache"
"""Under whose name the events of a tenant's cache stand: no person's. Entries belong to the tenant."""

GLOBAL = "GLOBAL"
"""The jurisdiction of what holds everywhere. An empty one means that none was named, never "everywhere"."""


ATTESTED_COLUMNS = (
    "scope_key",
    "domain",
    "locale",
    "jurisdiction",
    "canon_version",
    "gi",
    "human_override",
    "freshness_tag",
    "verified_at",
    "valid_until",
    "embedding_model",
    "policy_version",
    "supersedes",
)
"""What of an attested payload is asked about, and so stands in the row of its entry too."""


class EntryStatus(StrEnum):
    """Where an entry stands. Nothing leaves the last two."""

    active = "active"
    deprecated = "deprecated"
    """Withdrawn, or contradicted by a later deliberation."""
    superseded = "superseded"
    """A newer entry stands under the same key."""


class FreshnessTag(StrEnum):
    """How fast an answer ages; the slowest first."""

    static = "static"
    yearly = "yearly"
    general = "general"
    law = "law"
    news = "news"
    daily = "daily"


class Origin(StrEnum):
    """Where an entry comes from."""

    deliberation = "deliberation"
    human = "human"
    seed = "seed"


class Hit(StrEnum):
    """Which tier served."""

    exact = "exact"
    semantic = "semantic"


class Outcome(StrEnum):
    """What a look-up comes to."""

    hit = "hit"
    """The stored answer may be given."""
    context = "context"
    """A prior answer that may be shown to a deliberation as such, never as evidence."""
    miss = "miss"
    """Nothing usable: deliberate."""
    bypass = "bypass"
    """The cache must not be asked at all."""


class Reason(StrEnum):
    """Why. The set is closed."""

    exact = "exact"
    semantic = "semantic"
    # context
    guard = "guard"
    """The questions differ, or may differ, in what the guard reads; the facets are in `detail`."""
    same_key = "same_key"
    """The same question below the strict threshold: its own nearest neighbour must not bring it in by another door."""
    not_direct = "not_direct"
    """The freshness of the entry allows the exact tier only."""
    single_approval = "single_approval"
    """A person overrode the score, and nobody else approved it: the exact tier only."""
    # miss
    no_entry = "no_entry"
    below_gi = "below_gi"
    below_similarity = "below_similarity"
    expired = "expired"
    withdrawn = "withdrawn"
    superseded = "superseded"
    not_servable = "not_servable"
    quarantined = "quarantined"
    not_verified = "not_verified"
    """The stored answer no longer passes the verifier as it is."""
    signature = "signature"
    """Under the same key, but the texts before folding differ: US and us."""
    semantic_off = "semantic_off"
    """The embedder is not calibrated for this language, or failed its probe."""
    embedder_failed = "embedder_failed"
    store_failed = "store_failed"
    jurisdiction_missing = "jurisdiction_missing"
    jurisdiction_conflict = "jurisdiction_conflict"
    """The text names another place than the request."""
    # bypass
    not_cacheable = "not_cacheable"
    domain_not_allowed = "domain_not_allowed"
    personal = "personal"
    detector_failed = "detector_failed"
    context_dependent = "context_dependent"
    phase = "phase"
    """The rollout of this tenant, domain and locale does not read yet."""
    documents = "documents"
    instrument = "instrument"
    asked_to = "asked_to"
    """The request says `bypass`."""
    too_long = "too_long"


@dataclass(frozen=True, slots=True, kw_only=True)
class CachedSource:
    """What an answer rests on: fetched by us, stored with its hash and the words that carry the claim."""

    locator: str
    publisher: str
    retrieved_at: str
    sha256: str
    """Of the whole source as it was fetched, lower-case hexadecimal."""
    span: str
    """The quoted words."""
    expires_at: str = ""
    """When the source itself says that it ends; "" for no such date."""
    family: str = ""
    """Whose voice it is: two pages of one publisher are one voice."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    """A question, and where it is asked. All but `question` and `tenant` decide which entries can answer at all."""

    question: str
    tenant: str
    domain: str
    locale: str
    jurisdiction: str = ""
    cacheable: bool = True
    bypass: bool = False
    """Do not read; a deliberation may still write."""
    no_store: bool = False
    tighten: Mapping[str, int] = field(default_factory=dict)
    """Thresholds in thousandths by name (`exact_gi`, `baseline_gi`, `similarity`); a lower one than the policy's
    changes nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """An answer on its way into the cache, before it is attested."""

    run_id: str
    """Names the deliberation: the same run again is the same entry."""
    ask: Ask
    answer: str
    sources: Sequence[CachedSource]
    gi: int
    """0 to 1000."""
    gi_components: Mapping[str, int]
    """Thousandths by name."""
    gi_version: str
    votes: Sequence[Mapping[str, Any]] = ()
    """Who took part, what they said of it, with which weight; plain JSON, no floats."""
    claim_tags: Sequence[FreshnessTag] = ()
    """How volatile the claims themselves are."""
    origin: Origin = Origin.deliberation
    human_override: bool = False
    reviewers: Sequence[str] = ()
    """Persons who approved; two of them let an override be served by similarity."""
    importance: int = 0
    answer_format: str = "markdown"
    period_end: str = ""
    """For `yearly`: when the period that the answer is about ends."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One entry: what was attested, and where it stands now."""

    id: str
    tenant: str
    payload: Mapping[str, Any]
    """What the signature covers: the answer, its question, scope, sources, score, policy and times."""
    payload_hash: str
    attestation: int
    """Number of the ledger's event."""
    status: EntryStatus
    servable: bool
    quarantined: bool
    gi: int
    freshness_tag: FreshnessTag
    verified_at: str
    valid_until: str
    human_override: bool
    scope_key: str
    embedding_model: str
    supersedes: str = ""

    @property
    def question(self) -> str:
        """The question as it was asked."""
        return str(self.payload["question_raw"])

    @property
    def answer(self) -> str:
        """The answer."""
        return str(self.payload["answer"])

    @property
    def sources(self) -> tuple[CachedSource, ...]:
        """What it rests on."""
        return tuple(CachedSource(**row) for row in self.payload["sources"])

    @property
    def reviewers(self) -> tuple[str, ...]:
        """Persons who approved it."""
        return tuple(self.payload["reviewers"])

    @property
    def soft_until(self) -> str:
        """From here on it should be deliberated anew, while it still serves."""
        return str(self.payload["soft_until"])


@dataclass(frozen=True, slots=True, kw_only=True)
class Lookup:
    """What a look-up came to, and everything that it was decided by."""

    outcome: Outcome
    reason: Reason
    hit: Hit | None = None
    entry: Entry | None = None
    """The entry that is served (`hit`) or shown as a prior answer (`context`)."""
    similarity: int | None = None
    """Calibrated, in thousandths; for the semantic tier only."""
    detail: tuple[str, ...] = ()
    """Facets in which the questions differ, kinds of personal data, and the like: names of closed sets, no words."""
    would: Outcome | None = None
    """What it would have come to if the rollout read already (phases 0 to 2)."""
    would_entry: str = ""
    """The entry that would have been served then: the shadow comparison needs it."""
    phase: int = 0
    policy_version: str = ""
    canon_version: str = ""
    mark: str = ""
    """Keyed hash of the question and its scope: repeats can be counted, and nobody can guess the question from it."""
    scope_key: str = ""
    served_at: str = ""
    """The time at which freshness was looked at last."""

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON without words: names, numbers and ids."""
        names = (field.name for field in fields(self) if field.name not in {"entry", "scope_key"})
        return {
            **{name: getattr(self, name) for name in names},
            "outcome": self.outcome.value,
            "reason": self.reason.value,
            "hit": self.hit.value if self.hit else None,
            "would": self.would.value if self.would else None,
            "detail": list(self.detail),
            "entry": self.entry.id if self.entry else "",
        }
