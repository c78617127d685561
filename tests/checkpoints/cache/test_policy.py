"""Floors hold: a domain may raise them, a request may raise its domain's, and nobody lowers anything."""

from __future__ import annotations

from typing import Any

import pytest
import yaml

from rqa_checkpoints.cache.policy import FLOORS, PolicyBook
from rqa_checkpoints.cache.records import FreshnessTag
from rqa_checkpoints.errors import CachePolicyError
from rqa_graph.resources import load_config
from tests.support.caches import book


def test_the_shipped_file_reads_and_begins_in_phase_0() -> None:
    shipped = PolicyBook.from_mapping(load_config("cache_policies"))
    assert {"civics", "docs", "lore", "law"} <= set(shipped.domains)
    assert shipped.first_phase("local", "docs", "en") == 0
    for name in shipped.domains:
        policy = shipped.of(name)
        assert policy is not None
        assert all(getattr(policy, field) >= floor for field, floor in FLOORS.items())
    law = shipped.of("law")
    assert law is not None
    assert (law.tag, law.needs_jurisdiction, law.sensitive) == (FreshnessTag.law, True, True)


def test_a_domain_is_a_name_not_a_part_of_one() -> None:
    assert book().of("law") is not None
    assert book().of("lawn care") is None
    assert book().of("flaw") is None


@pytest.mark.parametrize("name", sorted(FLOORS))
def test_a_request_tightens_and_never_loosens(name: str) -> None:
    policy = book().of("facts")
    assert policy is not None
    floor = FLOORS[name]
    assert getattr(policy.tightened({name: floor + 5}), name) == floor + 5
    assert getattr(policy.tightened({name: floor - 1}), name) == floor
    assert getattr(policy.tightened({name: 0}), name) == floor


@pytest.mark.parametrize("wanted", [{"tag": 1}, {"exact_gi": 1001}, {"exact_gi": -1}, {"exact_gi": True}])
def test_a_request_for_what_is_no_threshold_is_refused(wanted: dict[str, Any]) -> None:
    policy = book().of("facts")
    assert policy is not None
    with pytest.raises(CachePolicyError):
        policy.tightened(wanted)


@pytest.mark.parametrize(
    "text",
    [
        "domains: {facts: {tag: static, baseline_gi: 949}}",
        "domains: {facts: {tag: static, exact_gi: 969}}",
        "domains: {facts: {tag: static, similarity: 899}}",
        "domains: {facts: {tag: static, similarity: 0.9}}",
        "domains: {facts: {tag: weekly}}",
        "domains: {facts: {}}",
        "domains: {facts: {tag: static, ttl: 5}}",
        "domains: {facts: {tag: static, jurisdiction: maybe}}",
        "domains: [facts]",
        "rollout: []",
        "domains: {}\nrollout: [{phase: 5}]",
        "domains: {}\nrollout: [{phase: true}]",
        "domains: {}\nrollout: [3]",
        "domains: {}\nrollout: 3",
        "domains: {}\nthreshold: 3",
    ],
)
def test_a_file_that_loosens_or_is_wrong_is_refused(text: str) -> None:
    with pytest.raises(CachePolicyError, match=r"cache_policies\.yaml"):
        PolicyBook.from_mapping(yaml.safe_load(text))


def test_the_first_rollout_row_that_fits_counts() -> None:
    rows = [{"tenant": "t", "domain": "facts", "phase": 2}, {"locale": "ja", "phase": 3}, {"phase": 1}]
    policies = book(rollout=rows)
    assert policies.first_phase("t", "facts", "ja") == 2
    assert policies.first_phase("u", "facts", "ja") == 3
    assert policies.first_phase("u", "facts", "en") == 1


def test_any_change_of_the_file_is_another_version() -> None:
    assert book().version == book().version
    assert book(rollout=[]).version != book().version
