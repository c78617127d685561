"""Each tag's age, to the millisecond: at equality an entry has expired."""

from __future__ import annotations

from datetime import timedelta

import pytest

from rqa_checkpoints.cache.freshness import MAX_AGE, SERVED, is_valid, jitter_of, parse_time, tag_of, validity
from rqa_checkpoints.cache.records import FreshnessTag
from tests.support.caches import NOW, source

AGES = {
    FreshnessTag.static: timedelta(days=365),
    FreshnessTag.yearly: timedelta(days=365),
    FreshnessTag.general: timedelta(days=30),
    FreshnessTag.law: timedelta(days=30),
    FreshnessTag.news: timedelta(days=3),
    FreshnessTag.daily: timedelta(hours=24),
}


@pytest.mark.parametrize("tag", list(FreshnessTag))
def test_each_tag_ends_at_its_age_and_not_a_millisecond_later(tag: FreshnessTag) -> None:
    until = validity(tag, [source()], jitter=0, written_at=NOW).valid_until
    end = NOW + AGES[tag]
    assert parse_time(until) == end
    assert is_valid(until, end - timedelta(milliseconds=1))
    assert not is_valid(until, end)
    assert not is_valid(until, end + timedelta(milliseconds=1))


def test_the_tables_know_every_tag() -> None:
    assert set(MAX_AGE) == set(SERVED) == set(FreshnessTag)
    served = {tag: (row.exact, row.semantic) for tag, row in SERVED.items()}
    assert served[FreshnessTag.news] == (False, False)
    assert served[FreshnessTag.law] == served[FreshnessTag.general] == served[FreshnessTag.daily] == (True, False)
    assert served[FreshnessTag.static] == served[FreshnessTag.yearly] == (True, True)


def test_age_counts_from_the_oldest_source_and_ends_with_the_first_that_ends() -> None:
    old, new = source(at=NOW - timedelta(days=10)), source(at=NOW)
    times = validity(FreshnessTag.general, [new, old], jitter=0, written_at=NOW)
    assert parse_time(times.verified_at) == NOW - timedelta(days=10)
    assert parse_time(times.valid_until) == NOW + timedelta(days=20)
    assert parse_time(times.soft_until) == NOW + timedelta(days=14)
    ends = source(expires_at=(NOW + timedelta(days=2)).isoformat())
    assert parse_time(validity(FreshnessTag.static, [ends], jitter=0, written_at=NOW).valid_until) == NOW + timedelta(
        days=2
    )
    period = validity(FreshnessTag.yearly, [new], jitter=0, period_end="2026-12-31T00:00:00+00:00", written_at=NOW)
    assert period.valid_until.startswith("2026-12-31")


def test_a_clock_that_runs_ahead_lends_no_life() -> None:
    ahead = source(at=NOW + timedelta(days=300))
    assert parse_time(validity(FreshnessTag.daily, [ahead], jitter=0, written_at=NOW).valid_until) == NOW + timedelta(
        days=1
    )


def test_jitter_takes_up_to_a_tenth() -> None:
    jitters = {jitter_of(f"entry-{number}") for number in range(2000)}
    assert min(jitters) == 0
    assert max(jitters) == 100
    assert jitter_of("a") == jitter_of("a")
    times = validity(FreshnessTag.general, [source()], jitter=100, written_at=NOW)
    assert parse_time(times.valid_until) == NOW + timedelta(days=27)


@pytest.mark.parametrize("until", ["", "soon", "2026-06-01T09:00:01", "9999"])
def test_an_end_that_is_none_has_passed(until: str) -> None:
    assert not is_valid(until, NOW)


@pytest.mark.parametrize(
    ("question", "tag"),
    [
        ("How tall is Mount Fuji?", "static"),
        ("Who is the current mayor of Lund?", "general"),
        ("富士山の高さは？", "static"),
        ("現在の首相は誰ですか？", "general"),
        ("今年の祝日はいつですか？", "yearly"),
        ("Is jaywalking legal?", "law"),
        ("副業は違法ですか？", "law"),
        ("What is the latest on the strike?", "news"),
        ("今日の天気は？", "daily"),
        ("What is the weather today?", "daily"),
    ],
)
def test_words_of_the_question_make_it_age_faster(question: str, tag: str) -> None:
    assert tag_of(question, domain=FreshnessTag.static) == tag


def test_the_fastest_of_question_domain_and_claims_counts() -> None:
    assert tag_of("How tall?", domain=FreshnessTag.law) is FreshnessTag.law
    assert tag_of("How tall?", domain=FreshnessTag.static, claims=[FreshnessTag.daily]) is FreshnessTag.daily
