"""The figures of a log that is written here, each worked by hand, and rules that fire and that stay silent."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from rqa_graph.cache_report import ALERTS, Kept, Material, compute_report, prometheus, psi, upper_bound
from rqa_graph.kpi import Share

NOW = datetime(2026, 6, 1, 12, tzinfo=UTC)


def _look(outcome: str = "miss", *, hours: float = 1, **changes: Any) -> dict[str, Any]:
    at = (NOW - timedelta(hours=hours)).isoformat()
    fields = {"kind": "lookup", "at": at, "domain": "facts", "outcome": outcome, "reason": "no_entry", "hit": None}
    if outcome == "hit":
        fields |= {
            "hit": "exact",
            "reason": "exact",
            "served_at": at,
            "valid_until": (NOW + timedelta(days=9)).isoformat(),
            "entry": "e1",
        }
    return {**fields, **changes}


def _run(gi: int = 960, outcome: str = "accept", *, hours: float = 1) -> dict[str, Any]:
    return {"at": (NOW - timedelta(hours=hours)).isoformat(), "gi": gi, "outcome": outcome}


def _kept(ident: str = "e1", gi: int = 980, **changes: Any) -> Kept:
    fields: dict[str, Any] = {"human_override": False, "active": True, "proven": True, "written_at": NOW.isoformat()}
    return Kept(id=ident, domain="facts", gi=gi, **{**fields, **changes})


QUIET = Material(
    lines=[_look("hit"), _look("hit", hit="semantic", reason="semantic"), _look(), _look("bypass", reason="personal")],
    runs=[_run(), _run(870, "review"), _run(400, "abstain")],
    entries=[_kept()],
    audits=[True, True],
    waiting=[NOW.isoformat()],
    listed=["facts"],
    now=NOW,
)


def test_figures_of_a_small_log() -> None:
    found = compute_report(QUIET)
    assert (found.requests, found.hit_rate) == (4, Share(count=2, of=4))
    assert found.by_domain == {"facts": {"exact": 1, "semantic": 1, "miss": 1, "bypass": 1}}
    assert found.reasons == {"no_entry": 1, "personal": 1}
    assert found.runs == {"accept": 1, "review": 1, "abstain": 1}
    assert found.scores == {"0": 1, "850": 1, "950": 1}
    assert (found.expired_serves, found.low_gi_kept, found.unproven) == (0, 0, 0)
    assert found.audited == Share(count=0, of=2)
    assert found.alerts == ()


def test_flags_are_counted_with_the_cache_on_and_off() -> None:
    flagged = [_kept("e1", flags=1), _kept("e2", flags=2), _kept("e3")]
    found = compute_report(replace(QUIET, entries=flagged))
    assert found.wrong_on == Share(count=1, of=2), "e1 was served from the library"
    assert found.wrong_off == Share(count=1, of=2), "e2 was only ever given fresh; two runs gave an answer"


@pytest.mark.parametrize(
    ("errors", "trials", "bound"), [(0, 600, 0.0050), (0, 300, 0.0099), (1, 100, 0.0466), (5, 5, 1.0)]
)
def test_the_upper_bound_is_that_of_clopper_and_pearson(errors: int, trials: int, bound: float) -> None:
    found = upper_bound(errors, trials)
    assert found is not None
    assert round(found, 4) == pytest.approx(bound, abs=1e-4)


def test_nothing_compared_has_no_bound() -> None:
    assert upper_bound(0, 0) is None
    assert compute_report(QUIET).false_hit_bound is None


def test_psi_of_equal_scores_is_nothing() -> None:
    assert psi([960] * 30, [961] * 30) == pytest.approx(0.0)
    # all moved from one bar to another: (1-0.0001)*ln(1/0.0001) twice
    assert psi([960] * 30, [400] * 30) == pytest.approx(2 * 0.9999 * 9.21034, rel=1e-4)
    assert psi([], [1]) == 0.0


FIRING: dict[str, Material] = {
    "low_gi_kept": replace(QUIET, entries=[_kept(gi=949)]),
    "expired_served": replace(QUIET, lines=[_look("hit", valid_until=(NOW - timedelta(hours=1)).isoformat())]),
    "unproven": replace(QUIET, entries=[_kept(proven=False)]),
    "domain_misses": replace(QUIET, lines=[_look("hit")] * 9 + [_look()] * 91),
    "bypass_drift": replace(
        QUIET,
        lines=[_look("bypass")] * 30 + [_look()] * 30 + [_look("bypass", hours=60)] * 2 + [_look(hours=60)] * 8,
    ),
    "store_failed": replace(QUIET, lines=[_look("hit"), _look(reason="store_failed")]),
    "answer_drift": replace(QUIET, lines=[{"kind": "drift", "at": NOW.isoformat(), "drift_on": 0.101}]),
    "score_shift": replace(QUIET, runs=[_run(960)] * 20 + [_run(700, hours=72)] * 20),
    "score_near_threshold": replace(QUIET, entries=[_kept(f"e{n}", gi=950 + n % 5) for n in range(20)]),
    "score_identical": replace(QUIET, entries=[_kept(f"e{n}", gi=990) for n in range(20)]),
    "false_hit": replace(QUIET, lines=[{"kind": "shadow", "at": NOW.isoformat(), "agrees": False}]),
    "flagged_answers": replace(QUIET, entries=[_kept(flags=1)]),
    "audit_wrong": replace(QUIET, audits=[True, False]),
    "review_stale": replace(QUIET, waiting=[(NOW - timedelta(days=8)).isoformat()]),
}


@pytest.mark.parametrize("name", FIRING)
def test_each_rule_fires_on_its_case(name: str) -> None:
    assert name in {alert.name for alert in compute_report(FIRING[name]).alerts}


def test_every_rule_has_a_case() -> None:
    assert set(ALERTS) <= set(FIRING)


@pytest.mark.parametrize(
    "material",
    [
        replace(QUIET, entries=[_kept(gi=949, human_override=True)]),
        replace(QUIET, entries=[_kept(gi=950)]),
        replace(QUIET, entries=[_kept(gi=949, active=False)]),
        replace(QUIET, lines=[_look("hit")] * 10 + [_look()] * 90),
        replace(QUIET, lines=[_look()] * 99),
        replace(QUIET, lines=[_look(domain="gossip")] * 200),
        replace(QUIET, lines=[{"kind": "drift", "at": NOW.isoformat(), "drift_on": 0.1}]),
        replace(QUIET, lines=[{"kind": "drift", "at": NOW.isoformat(), "drift_on": None}]),
        replace(QUIET, lines=[_look(reason="store_failed", hours=25)]),
        replace(QUIET, waiting=[(NOW - timedelta(days=6)).isoformat()]),
    ],
)
def test_a_rule_stays_silent_at_its_boundary(material: Material) -> None:
    assert compute_report(material).alerts == ()


def test_an_answer_served_at_the_moment_of_its_end_was_served_expired() -> None:
    end = NOW.isoformat()
    assert compute_report(replace(QUIET, lines=[_look("hit", served_at=end, valid_until=end)])).expired_serves == 1


def test_prometheus_text_has_a_type_for_each_name_and_escapes_labels() -> None:
    text = prometheus(compute_report(replace(QUIET, lines=[*QUIET.lines, _look(domain='a"b\\c')])))
    names = {line.split("{")[0].split(" ")[0] for line in text.splitlines() if not line.startswith("#")}
    assert names == {line.split(" ")[2] for line in text.splitlines() if line.startswith("# TYPE")}
    assert 'rqa_cache_lookups_total{domain="facts",outcome="exact"} 1' in text
    assert 'domain="a\\"b\\\\c"' in text
