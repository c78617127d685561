"""What lacks any precondition becomes no entry, and what is attested covers all that decides about serving."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from rqa_checkpoints.cache.entries import Prepared, columns_of, entry_id, prepare
from rqa_checkpoints.cache.records import Draft, FreshnessTag
from rqa_checkpoints.cache.signing import payload_digest
from rqa_checkpoints.errors import EntryRefusedError
from tests.support.caches import NOW, ask, book, draft, source


def _prepare(given: Draft, *, phase: int = 1, findings: tuple[str, ...] = (), supersedes: str = "") -> Prepared:
    return prepare(
        given,
        book().of(given.ask.domain),
        phase=phase,
        findings=findings,
        embedding_model="hash",
        supersedes=supersedes,
        now=NOW,
    )


CARE = {"domain": "care"}


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        (draft(gi=949), "below_gi"),
        (draft(gi=1001), "gi"),
        (draft(sources=[]), "no_source"),
        (draft(sources=[replace(source(), sha256="")]), "source"),
        (draft(sources=[replace(source(), span=" ")]), "source"),
        (draft(sources=[replace(source(), retrieved_at="")]), "source"),
        (draft(sources=[replace(source(), retrieved_at="yesterday")]), "source"),
        (draft(sources=[source(at=NOW - timedelta(days=365))]), "stale_sources"),
        (draft(answer=" "), "answer"),
        (draft(answer="x" * 70_000), "answer"),
        (draft(question="?"), "question"),
        (draft(question="x" * 2001), "question"),
        (draft(scope={"cacheable": False}), "not_cacheable"),
        (draft(scope={"no_store": True}), "no_store"),
        (draft(scope={"domain": "gossip"}), "domain_not_allowed"),
        (draft(scope={"domain": "law"}), "jurisdiction_missing"),
        (draft(gi=940, human_override=True), "no_reviewer"),
        (draft(gi=969, scope=CARE, reviewers=["mio"]), "below_gi"),
        (draft(gi=990, scope=CARE), "sensitive"),
        (replace(draft(), votes=[{"weight": 0.5}]), "payload"),
    ],
)
def test_what_lacks_a_precondition_is_refused_with_its_name(given: Draft, reason: str) -> None:
    with pytest.raises(EntryRefusedError) as caught:
        _prepare(given)
    assert caught.value.reason == reason


def test_the_boundary_of_the_score_is_a_thousandth() -> None:
    assert _prepare(draft(gi=950)).payload["gi"] == 950
    assert _prepare(draft(gi=940, human_override=True, reviewers=["mio"])).payload["human_override"] is True


def test_phase_0_keeps_nothing_and_findings_forbid() -> None:
    with pytest.raises(EntryRefusedError, match="phase 0"):
        _prepare(draft(), phase=0)
    with pytest.raises(EntryRefusedError, match="email"):
        _prepare(draft(), findings=("email",))


def test_the_same_run_is_the_same_entry_and_another_tenant_another() -> None:
    assert _prepare(draft()).payload_hash == _prepare(draft()).payload_hash
    assert entry_id("ab", "c") != entry_id("a", "bc")
    assert _prepare(draft(run="run2")).id != _prepare(draft()).id


def test_any_change_of_the_payload_is_another_hash() -> None:
    payload = dict(_prepare(draft()).payload)
    seen = {payload_digest(payload)}
    for name in payload:
        changed: Any = {**payload, name: "changed"}
        seen.add(payload_digest(changed))
        seen.add(payload_digest({key: value for key, value in payload.items() if key != name}))
    assert len(seen) == 2 * len(payload) + 1


def test_the_columns_are_part_of_what_is_hashed() -> None:
    found = _prepare(draft())
    columns = columns_of(found.payload, payload_hash=found.payload_hash, attestation=7)
    assert {name: columns[name] for name in columns if name in found.payload} == {
        name: found.payload[name] for name in columns if name in found.payload
    }
    assert columns["freshness_tag"] == FreshnessTag.static
    assert columns["attestation"] == 7


def test_texts_are_composed() -> None:
    found = _prepare(draft(answer="Cafe\u0301 is open.", scope={}))
    assert found.payload["answer"] == "Café is open."
    assert ask().domain == found.payload["domain"]
