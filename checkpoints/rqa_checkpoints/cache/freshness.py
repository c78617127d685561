"""How long is an answer true enough to be given again?

Age counts from the oldest retrieval among its sources, never from when the entry was written or approved. An answer
ages as fast as the fastest of what its question, its domain and its claims say. An entry is valid while now is before
`valid_until`; at equality it has expired. Expired means: deliberate anew, nothing is deleted.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Any, Final

import re2

from rqa_checkpoints.cache.canonical import normalise
from rqa_checkpoints.cache.records import CachedSource, FreshnessTag
from rqa_checkpoints.packaged import packaged

__all__ = ["MAX_AGE", "SERVED", "Served", "Validity", "is_valid", "jitter_of", "parse_time", "tag_of", "validity"]

MAX_AGE: Final = {
    FreshnessTag.static: timedelta(days=365),
    FreshnessTag.yearly: timedelta(days=365),
    FreshnessTag.general: timedelta(days=30),
    FreshnessTag.law: timedelta(days=30),
    FreshnessTag.news: timedelta(days=3),
    FreshnessTag.daily: timedelta(hours=24),
}

_VOLATILITY: Final = (
    FreshnessTag.static,
    FreshnessTag.yearly,
    FreshnessTag.general,
    FreshnessTag.law,
    FreshnessTag.news,
    FreshnessTag.daily,
)
"""The slowest first: of several tags the last one counts."""

_JITTER_PERMILLE: Final = 100
"""Up to 10 % of the age is taken off, so that what was loaded together does not expire together."""
_SOFT_PERMILLE: Final = 800
"""From 80 % of its life an entry should be deliberated anew, while it still serves."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Served:
    """In which tiers an entry of a tag may be given as it is."""

    exact: bool
    semantic: bool


SERVED: Final = {
    FreshnessTag.static: Served(exact=True, semantic=True),
    FreshnessTag.yearly: Served(exact=True, semantic=True),
    FreshnessTag.general: Served(exact=True, semantic=False),
    FreshnessTag.law: Served(exact=True, semantic=False),
    FreshnessTag.news: Served(exact=False, semantic=False),
    FreshnessTag.daily: Served(exact=True, semantic=False),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Validity:
    """The times of an entry, ISO 8601, UTC."""

    verified_at: str
    """The oldest retrieval among its sources."""
    soft_until: str
    valid_until: str


def parse_time(text: str) -> datetime:
    """A stored time, aware. Raises ValueError for anything else, a time without a zone included."""
    found = datetime.fromisoformat(text)
    if found.tzinfo is None:
        raise ValueError(f"{text!r} has no time zone")
    return found.astimezone(UTC)


def is_valid(valid_until: str, now: datetime) -> bool:
    """Is `now` before the end? An end that is missing or cannot be read has passed."""
    try:
        return now < parse_time(valid_until)
    except ValueError:
        return False


def validity(
    tag: FreshnessTag, sources: Sequence[CachedSource], *, jitter: int, period_end: str = "", written_at: datetime
) -> Validity:
    """The times of an entry with at least one source.

    Args:
        tag: How fast it ages.
        sources: What it rests on.
        jitter: Thousandths of the age to take off, 0 to 100.
        period_end: For `yearly`, when the period that the answer is about ends; "" for none.
        written_at: A retrieval later than this counts as made now: a clock that runs ahead lends no life.

    Raises:
        ValueError: no source, or a time that is none.
    """
    verified = min(min(parse_time(source.retrieved_at), written_at) for source in sources)
    ends = [verified + MAX_AGE[tag] * (1000 - jitter) / 1000]
    ends += [parse_time(source.expires_at) for source in sources if source.expires_at]
    ends += [parse_time(period_end)] if period_end else []
    until = min(ends)
    soft = verified + (until - verified) * _SOFT_PERMILLE / 1000
    return Validity(verified_at=_iso(verified), soft_until=_iso(soft), valid_until=_iso(until))


def jitter_of(entry_id: str) -> int:
    """0 to 100 thousandths, by the id: even over entries, and the same for one that is written again."""
    return int(hashlib.sha256(entry_id.encode()).hexdigest()[:8], 16) % (_JITTER_PERMILLE + 1)


def tag_of(question: str, *, domain: FreshnessTag, claims: Iterable[FreshnessTag] = ()) -> FreshnessTag:
    """The fastest of what the question's words, its domain and its claims say (FRE-6)."""
    return max((domain, *claims, *_cues(question)), key=_VOLATILITY.index)


def _cues(question: str) -> list[FreshnessTag]:
    text = normalise(question)
    return [tag for tag, pattern in _patterns() if pattern.search(text)]


@cache
def _patterns() -> list[tuple[FreshnessTag, Any]]:
    rows = packaged("freshness_cues")
    return [(FreshnessTag(name), re2.compile(pattern)) for name, patterns in rows.items() for pattern in patterns]


def _iso(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat(timespec="milliseconds")
