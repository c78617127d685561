"""How well does the library serve, and is anything wrong with it?

Pure functions over the figures of the cache, the runs in the ledger and the rows of entries. Each share stands with its
counts. What must never happen - an expired answer served, a low one kept without a person - is computed from what was
served and kept, not from what the read path promises.
"""

from __future__ import annotations

import math
import statistics
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any, Final

from rqa_graph.kpi import Share

__all__ = [
    "ALERTS",
    "Alert",
    "CacheReport",
    "Kept",
    "Material",
    "compute_report",
    "prometheus",
    "psi",
    "upper_bound",
]

Line = Mapping[str, Any]

DAY: Final = timedelta(hours=24)
TRAILING: Final = timedelta(days=28)
FLOOR: Final = 950
_EDGES: Final = (500, 700, 800, 850, 900, 950, 970, 985)
"""Where one bar of the score's distribution ends and the next begins, in thousandths."""
_THRESHOLDS: Final = (950, 970)
_NEAR: Final = 5
_LEAST_WRITES: Final = 20
"""Below this many writes a share of them says nothing."""
_EPSILON: Final = 1e-4
_DRIFT: Final = 0.10
"""Of 1 - mean claim F1, from which a person should look."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """An entry, as far as figures go."""

    id: str
    domain: str
    gi: int
    human_override: bool
    active: bool
    written_at: str
    proven: bool
    flags: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Material:
    """What a report is made of."""

    lines: Sequence[Line]
    """Figures: look-ups and comparisons in the shadow."""
    runs: Sequence[Line]
    """What deliberations came to, from the ledger, each with `at`."""
    entries: Sequence[Kept]
    audits: Sequence[bool]
    """One verdict for each entry that persons looked at: True if it is right."""
    waiting: Sequence[str]
    """Since when each undecided item of the queue waits."""
    listed: Sequence[str]
    """Domains on the list."""
    now: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Alert:
    """A rule that fires."""

    name: str
    found: str
    """What it saw, in numbers."""
    subject: str = ""
    """Domain, where it is about one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CacheReport:
    """Everything, ready to be shown."""

    requests: int
    hit_rate: Share
    by_domain: Mapping[str, Mapping[str, int]]
    """Domain, and how many look-ups were exact, semantic, context, miss, bypass."""
    reasons: Mapping[str, int]
    """Why a look-up was no hit."""
    runs: Mapping[str, int]
    """What deliberations came to."""
    scores: Mapping[str, int]
    """Distribution of the score over all runs; names are lower ends in thousandths."""
    expired_serves: int
    low_gi_kept: int
    unproven: int
    false_hits: Share
    false_hit_bound: float | None
    """95 % upper bound of the share, Clopper and Pearson 1934; None where nothing was compared."""
    wrong_off: Share
    """Flagged as wrong, of fresh answers."""
    wrong_on: Share
    """Flagged as wrong, of answers from the library."""
    audited: Share
    """Wrong, of the entries that persons looked at."""
    waiting: int
    drift: Mapping[str, Any] = field(default_factory=dict)
    """The last run over the canonical questions; empty if there was none."""
    alerts: tuple[Alert, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON."""
        return asdict(self)


def upper_bound(errors: int, trials: int, *, alpha: float = 0.05) -> float | None:
    """One-sided upper bound of a binomial share: the p at which so few errors have the probability `alpha`.

    Clopper and Pearson 1934, found by bisection. 0 of 600 gives 0.0050, as 3/n says. None without trials.
    """
    if trials <= 0:
        return None
    low, high = errors / trials, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if _at_most(errors, trials, middle) > alpha else (low, middle)
    return high


def _at_most(errors: int, trials: int, share: float) -> float:
    """The probability of at most so many errors."""
    if share >= 1.0:
        return float(errors >= trials)
    logs = [
        math.lgamma(trials + 1)
        - math.lgamma(k + 1)
        - math.lgamma(trials - k + 1)
        + (k * math.log(share) if k else 0.0)
        + (trials - k) * math.log1p(-share)
        for k in range(errors + 1)
    ]
    return math.fsum(math.exp(value) for value in logs)


def psi(now: Sequence[int], before: Sequence[int]) -> float:
    """Population stability index of two lists of scores over the bars of the report; 0 where either is empty.

    Sum of (p - q) * ln(p / q) over the bars; an empty bar counts as 0.0001.
    """
    if not now or not before:
        return 0.0
    one, other = _bars(now), _bars(before)
    total = 0.0
    for name in one.keys() | other.keys():
        p, q = (max(bars[name] / size, _EPSILON) for bars, size in ((one, len(now)), (other, len(before))))
        total += (p - q) * math.log(p / q)
    return total


def _bars(scores: Iterable[int]) -> Counter[str]:
    return Counter(str(max((edge for edge in (0, *_EDGES) if edge <= score), default=0)) for score in scores)


def compute_report(material: Material) -> CacheReport:
    """All figures of one home and tenant."""
    looks = [line for line in material.lines if line["kind"] == "lookup"]
    served = [line for line in looks if line["outcome"] == "hit"]
    shadows = [line for line in material.lines if line["kind"] == "shadow"]
    false = sum(not line["agrees"] for line in shadows)
    hits = Counter(str(line.get("entry")) for line in served)
    fresh = [run for run in material.runs if run["outcome"] in ("accept", "review")]
    flagged = [kept for kept in material.entries if kept.flags]
    drifts = [line for line in material.lines if line["kind"] == "drift"]
    report = CacheReport(
        requests=len(looks),
        hit_rate=Share(count=len(served), of=len(looks)),
        by_domain=_by_domain(looks),
        reasons=dict(Counter(line["reason"] for line in looks if line["outcome"] != "hit").most_common()),
        runs=dict(Counter(run["outcome"] for run in material.runs).most_common()),
        scores=dict(sorted(_bars(run["gi"] for run in material.runs).items(), key=lambda row: int(row[0]))),
        expired_serves=sum(line["served_at"] >= line.get("valid_until", "") for line in served),
        low_gi_kept=sum(kept.active and kept.gi < FLOOR and not kept.human_override for kept in material.entries),
        unproven=sum(not kept.proven for kept in material.entries),
        false_hits=Share(count=false, of=len(shadows)),
        false_hit_bound=upper_bound(false, len(shadows)),
        wrong_off=Share(count=sum(not hits[kept.id] for kept in flagged), of=len(fresh)),
        wrong_on=Share(count=sum(bool(hits[kept.id]) for kept in flagged), of=len(served)),
        audited=Share(count=material.audits.count(False), of=len(material.audits)),
        waiting=len(material.waiting),
        drift=dict(drifts[-1]) if drifts else {},
    )
    return replace(report, alerts=_alerts(material, report))


def _by_domain(looks: Sequence[Line]) -> dict[str, dict[str, int]]:
    found: dict[str, Counter[str]] = defaultdict(Counter)
    for line in looks:
        found[line["domain"]][line["hit"] if line["outcome"] == "hit" else line["outcome"]] += 1
    return {domain: dict(counts) for domain, counts in sorted(found.items())}


def _alerts(material: Material, report: CacheReport) -> tuple[Alert, ...]:
    return tuple(alert for rule in ALERTS.values() for alert in rule(material, report))


def _since(lines: Iterable[Line], start: datetime, end: datetime) -> list[Line]:
    return [line for line in lines if start.isoformat() <= str(line["at"]) < end.isoformat()]


def _low_gi(_material: Material, report: CacheReport) -> list[Alert]:
    return [Alert(name="low_gi_kept", found=str(report.low_gi_kept))] if report.low_gi_kept else []


def _expired(_material: Material, report: CacheReport) -> list[Alert]:
    return [Alert(name="expired_served", found=str(report.expired_serves))] if report.expired_serves else []


def _unproven(_material: Material, report: CacheReport) -> list[Alert]:
    return [Alert(name="unproven", found=str(report.unproven))] if report.unproven else []


def _down(material: Material, _report: CacheReport) -> list[Alert]:
    """In 24 hours a look-up met a ledger or a store that could not be read."""
    looks = [line for line in material.lines if line["kind"] == "lookup"]
    recent = _since(looks, material.now - DAY, material.now + DAY)
    failed = sum(line["reason"] == "store_failed" for line in recent)
    return [Alert(name="store_failed", found=f"{failed}/{len(recent)}")] if failed else []


def _drifted(_material: Material, report: CacheReport) -> list[Alert]:
    """What the library answers to the canonical questions is another tenth of claims than the time before."""
    drift = report.drift.get("drift_on")
    return [Alert(name="answer_drift", found=f"{drift}")] if drift is not None and drift > _DRIFT else []


def _misses(material: Material, _report: CacheReport) -> list[Alert]:
    """At least 100 look-ups in 24 hours and less than 10 % of them hits, in a domain on the list."""
    looks = [line for line in material.lines if line["kind"] == "lookup"]
    recent = _by_domain(_since(looks, material.now - DAY, material.now + DAY))
    found = []
    for domain in material.listed:
        counts = recent.get(domain, {})
        total, hits = sum(counts.values()), counts.get("exact", 0) + counts.get("semantic", 0)
        if total >= 100 and hits * 10 < total:
            found.append(Alert(name="domain_misses", subject=domain, found=f"{hits}/{total}"))
    return found


def _bypass(material: Material, _report: CacheReport) -> list[Alert]:
    """The share of bypasses of a day is more than twice its median of the 28 days before, with 50 look-ups or more."""
    looks = [line for line in material.lines if line["kind"] == "lookup"]
    found = []
    for domain in sorted({line["domain"] for line in looks}):
        own = [line for line in looks if line["domain"] == domain]
        today = _since(own, material.now - DAY, material.now + DAY)
        days = [
            _since(own, material.now - DAY * (n + 1), material.now - DAY * n) for n in range(1, TRAILING // DAY + 1)
        ]
        shares = [_bypassed(day) / len(day) for day in days if day]
        usual = statistics.median(shares) if shares else None
        if len(today) >= 50 and usual is not None and _bypassed(today) / len(today) > 2 * usual:
            found.append(Alert(name="bypass_drift", subject=domain, found=f"{_bypassed(today)}/{len(today)}"))
    return found


def _bypassed(lines: Sequence[Line]) -> int:
    return sum(line["outcome"] == "bypass" for line in lines)


def _scores(material: Material, _report: CacheReport) -> list[Alert]:
    """The scores of a day are unlike those of the 28 days before (PSI over 0.2)."""
    today = [run["gi"] for run in _since(material.runs, material.now - DAY, material.now + DAY)]
    before = [run["gi"] for run in _since(material.runs, material.now - DAY - TRAILING, material.now - DAY)]
    value = psi(today, before)
    enough = min(len(today), len(before)) >= _LEAST_WRITES
    return [Alert(name="score_shift", found=f"{value:.2f}")] if enough and value > 0.2 else []


def _gaming(material: Material, _report: CacheReport) -> list[Alert]:
    """More than 30 % of the entries of 28 days lie within 5 thousandths above a threshold, or half have one score."""
    start = (material.now - TRAILING).isoformat()
    scores = [kept.gi for kept in material.entries if kept.written_at >= start and not kept.human_override]
    if len(scores) < _LEAST_WRITES:
        return []
    near = sum(any(0 <= score - threshold < _NEAR for threshold in _THRESHOLDS) for score in scores)
    found = [Alert(name="score_near_threshold", found=f"{near}/{len(scores)}")] if near * 10 > 3 * len(scores) else []
    score, count = Counter(scores).most_common(1)[0]
    if count * 2 > len(scores):
        found.append(Alert(name="score_identical", found=f"{count}/{len(scores)} at {score}"))
    return found


def _false_hits(_material: Material, report: CacheReport) -> list[Alert]:
    false = report.false_hits
    return [Alert(name="false_hit", found=f"{false.count}/{false.of}")] if false.count else []


def _wrong(_material: Material, report: CacheReport) -> list[Alert]:
    """More than 5 % of what the library served was flagged as wrong, or a person found a wrong entry."""
    found = []
    if report.wrong_on.count * 20 > report.wrong_on.of:
        found.append(Alert(name="flagged_answers", found=f"{report.wrong_on.count}/{report.wrong_on.of}"))
    if report.audited.count:
        found.append(Alert(name="audit_wrong", found=f"{report.audited.count}/{report.audited.of}"))
    return found


def _stale(material: Material, _report: CacheReport) -> list[Alert]:
    """Something waits for a person for more than 7 days."""
    limit = (material.now - timedelta(days=7)).isoformat()
    old = sum(since < limit for since in material.waiting)
    return [Alert(name="review_stale", found=str(old))] if old else []


Rule = Callable[[Material, CacheReport], list[Alert]]
ALERTS: Final[Mapping[str, Rule]] = {
    "low_gi_kept": _low_gi,
    "expired_served": _expired,
    "unproven": _unproven,
    "store_failed": _down,
    "answer_drift": _drifted,
    "domain_misses": _misses,
    "bypass_drift": _bypass,
    "score_shift": _scores,
    "score_near_threshold": _gaming,
    "false_hit": _false_hits,
    "flagged_answers": _wrong,
    "review_stale": _stale,
}
"""The rules by name; `score_near_threshold` also finds `score_identical`, `flagged_answers` also `audit_wrong`."""


def prometheus(report: CacheReport) -> str:
    """The figures in the text format of Prometheus (version 0.0.4)."""
    rows = ["# TYPE rqa_cache_lookups_total counter"]
    for domain, counts in report.by_domain.items():
        rows += [
            f'rqa_cache_lookups_total{{domain="{_label(domain)}",outcome="{_label(name)}"}} {value}'
            for name, value in counts.items()
        ]
    rows.append("# TYPE rqa_cache_not_served_total counter")
    rows += [f'rqa_cache_not_served_total{{reason="{_label(name)}"}} {value}' for name, value in report.reasons.items()]
    rows.append("# TYPE rqa_deliberations_total counter")
    rows += [f'rqa_deliberations_total{{outcome="{_label(name)}"}} {value}' for name, value in report.runs.items()]
    gauges = {
        "rqa_cache_expired_serves": report.expired_serves,
        "rqa_cache_low_gi_kept": report.low_gi_kept,
        "rqa_cache_unproven": report.unproven,
        "rqa_cache_false_hits": report.false_hits.count,
        "rqa_cache_shadow_comparisons": report.false_hits.of,
        "rqa_cache_flagged_hits": report.wrong_on.count,
        "rqa_cache_flagged_fresh": report.wrong_off.count,
        "rqa_cache_waiting_reviews": report.waiting,
        "rqa_cache_alerts": len(report.alerts),
    }
    for name, value in gauges.items():
        rows += [f"# TYPE {name} gauge", f"{name} {value}"]
    return "\n".join(rows) + "\n"


def _label(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
