"""Each boundary of the read path, on both sides: what is served is right, proven, fresh and allowed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from typing import Any

import pytest
from sqlalchemy import event

from rqa_checkpoints.cache.freshness import parse_time
from rqa_checkpoints.cache.integrity import IntegrityCache
from rqa_checkpoints.cache.records import CachedSource, Hit, Lookup, Outcome, Reason
from rqa_checkpoints.cache.signing import PublicKeys
from rqa_checkpoints.errors import CheckpointError, EmbedderUnavailableError
from tests.support.caches import (
    LINEAR,
    NOW,
    ScriptedEncoder,
    SetClock,
    ask,
    draft,
    forge,
    open_cache,
    source,
    write,
)

Q = "How tall is Mount Fuji?"
SIMILAR = "What is the height of Mount Fuji?"
Opened = tuple[IntegrityCache, SetClock, ScriptedEncoder]


@pytest.fixture
def opened() -> Opened:
    clock, encoder = SetClock(), ScriptedEncoder({Q: 0, SIMILAR: 0})
    return open_cache(clock=clock, encoder=encoder), clock, encoder


def _served(found: Lookup) -> tuple[Any, ...]:
    return found.outcome, found.reason, found.entry.answer if found.entry else ""


@pytest.mark.parametrize(
    ("gi", "outcome", "reason"),
    [
        (949, Outcome.miss, Reason.below_gi),
        (950, Outcome.context, Reason.same_key),
        (969, Outcome.context, Reason.same_key),
        (970, Outcome.hit, Reason.exact),
        (1000, Outcome.hit, Reason.exact),
    ],
)
def test_the_same_question_is_served_from_970_and_never_by_its_own_neighbourhood(
    opened: Opened, gi: int, outcome: Outcome, reason: Reason
) -> None:
    cache, _, _ = opened
    forge(cache, draft(gi=gi))
    assert _served(cache.look(ask()))[:2] == (outcome, reason)


@pytest.mark.parametrize(("gi", "served"), [(949, False), (950, True)])
def test_a_similar_question_is_served_from_950(opened: Opened, gi: int, served: bool) -> None:
    cache, _, _ = opened
    forge(cache, draft(gi=gi))
    found = cache.look(ask(SIMILAR))
    assert (found.hit is Hit.semantic) == served
    assert found.reason is (Reason.semantic if served else Reason.below_gi)


@pytest.mark.parametrize(("cosine", "served"), [(0.8999, False), (0.9, True)])
def test_a_similar_question_is_a_candidate_from_900(cosine: float, served: bool) -> None:
    encoder = ScriptedEncoder({Q: 0, SIMILAR: cosine})
    cache = open_cache(encoder=encoder, scale=LINEAR)
    write(cache, draft())
    found = cache.look(ask(SIMILAR))
    assert (found.outcome is Outcome.hit) == served
    assert found.reason is (Reason.semantic if served else Reason.below_similarity)


def test_an_exact_hit_asks_no_embedder_and_no_model(opened: Opened) -> None:
    cache, _, encoder = opened
    write(cache, draft())
    encoder.fails = AssertionError("nobody may be asked")
    assert cache.look(ask("  how tall is mount fuji？ ")).hit is Hit.exact
    assert encoder.asked == []


def test_an_exact_hit_is_read_twice_and_each_signature_is_checked_once(
    opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache, _, _ = opened
    write(cache, draft())
    statements: list[str] = []
    checked: list[str] = []
    holds = PublicKeys.holds

    def counted(self: PublicKeys, statement: Mapping[str, Any], *, key: str, signature: str) -> bool:
        checked.append(signature)
        return holds(self, statement, key=key, signature=signature)

    monkeypatch.setattr(PublicKeys, "holds", counted)
    engine = cache.store.ledger.log._database._store.engine
    event.listen(engine, "before_cursor_execute", lambda *said: statements.append(said[2].split()[0]))
    found = cache.confirm(ask(), cache.look(ask()))
    assert found.served_at
    assert (
        statements == ["SELECT"] * 5
    )  # the phase, the rows under the key and their events; again one row and its events
    assert len(checked) == len(set(checked)) == 2  # that it was attested, and that it was committed


def test_an_embedder_that_fails_skips_the_tier(opened: Opened) -> None:
    cache, _, encoder = opened
    write(cache, draft())
    for error in (EmbedderUnavailableError("down"), RuntimeError("down")):
        encoder.fails = error
        assert cache.look(ask(SIMILAR)).reason is Reason.embedder_failed


def test_at_equality_an_entry_has_expired(opened: Opened) -> None:
    cache, clock, _ = opened
    entry = write(cache, draft(scope={"domain": "general"}))
    end = cache.entry(entry, tenant="local").valid_until
    clock.now = _time(end) - timedelta(milliseconds=1)
    assert cache.look(ask(domain="general")).outcome is Outcome.hit
    clock.now = _time(end)
    assert _served(cache.look(ask(domain="general")))[:2] == (Outcome.miss, Reason.expired)


def test_what_expires_while_it_is_being_answered_is_a_miss(opened: Opened) -> None:
    cache, clock, _ = opened
    entry = write(cache, draft(scope={"domain": "daily"}))
    clock.now = _time(cache.entry(entry, tenant="local").valid_until) - timedelta(milliseconds=1)
    asked = ask(domain="daily")
    found = cache.look(asked)
    assert found.outcome is Outcome.hit
    assert cache.confirm(asked, found).served_at
    clock.forward(milliseconds=1)
    assert _served(cache.confirm(asked, found)) == (Outcome.miss, Reason.expired, "")


def test_what_is_withdrawn_while_it_is_being_answered_is_a_miss(opened: Opened) -> None:
    cache, _, _ = opened
    entry = write(cache, draft())
    found = cache.look(ask())
    cache.store.withdraw(entry, tenant="local", reason="wrong", by="mio")
    assert cache.confirm(ask(), found).reason is Reason.withdrawn


@pytest.mark.parametrize("until", ["", None])
def test_an_active_row_without_an_end_cannot_be(opened: Opened, until: str | None) -> None:
    cache, _, _ = opened
    write(cache, draft())
    with (
        pytest.raises(CheckpointError, match="refused"),
        cache.store.ledger.log.writing() as writer,
    ):
        writer.connection.exec_driver_sql("UPDATE cache_entry SET valid_until = ?", (until,))


_END: list[tuple[str, Callable[[IntegrityCache, str], object], Reason]] = [
    ("withdrawn", lambda c, e: c.store.withdraw(e, tenant="local", reason="wrong", by="mio"), Reason.withdrawn),
    (
        "flagged",
        lambda c, e: c.store.set_servable(e, servable=False, tenant="local", reason="flag", by="ann"),
        Reason.not_servable,
    ),
    ("quarantined", lambda c, e: c.quarantine(e, tenant="local", reason="verifier"), Reason.quarantined),
]


@pytest.mark.parametrize(("name", "end", "reason"), _END, ids=[row[0] for row in _END])
def test_what_has_ended_is_served_by_no_tier(
    opened: Opened, name: str, end: Callable[[IntegrityCache, str], object], reason: Reason
) -> None:
    cache, _, _ = opened
    entry = write(cache, draft())
    assert cache.look(ask(SIMILAR)).outcome is Outcome.hit
    end(cache, entry)
    assert _served(cache.look(ask())) == (Outcome.miss, reason, ""), name
    assert cache.look(ask(SIMILAR)).outcome is Outcome.miss


def test_a_superseded_entry_in_the_index_leads_to_the_one_that_stands(opened: Opened) -> None:
    cache, _, _ = opened
    write(cache, draft(answer="3,775 m", gi=1000))
    assert cache.look(ask(SIMILAR)).outcome is Outcome.hit
    cache._questions = lambda: _stale(cache)  # type: ignore[method-assign]  # an index that has not heard of it yet
    write(cache, draft(run="run2", answer="3,776 m", gi=980))
    assert cache.look(ask(SIMILAR)).entry is not None
    found = cache.look(ask(SIMILAR))
    assert found.entry is not None
    assert found.entry.answer == "3,776 m"


def _stale(cache: IntegrityCache) -> Any:
    questions = cache._opened
    assert questions is not None
    questions.catch_up = lambda: 0  # type: ignore[method-assign]
    return questions


@pytest.mark.parametrize(
    ("change", "value"), [("tenant", "other"), ("domain", "yearly"), ("locale", "ja"), ("jurisdiction", "JP")]
)
def test_a_twin_out_of_scope_is_never_returned(opened: Opened, change: str, value: str) -> None:
    cache, _, _ = opened
    write(cache, draft())
    assert cache.look(ask(SIMILAR, **{change: value})).entry is None
    assert cache.look(ask(Q, **{change: value})).entry is None


_LAW = {"domain": "law", "jurisdiction": "US-NY"}
PARKING = "Is parking on the sidewalk legal?"


def test_jurisdictions_are_asked_for_matched_and_contradicted() -> None:
    encoder = ScriptedEncoder({PARKING: 0})
    cache = open_cache(encoder=encoder)
    write(cache, draft(PARKING, "No.", scope=_LAW, gi=990))
    assert cache.look(ask(PARKING, **_LAW)).outcome is Outcome.hit
    assert cache.look(ask(PARKING, domain="law")).reason is Reason.jurisdiction_missing
    for other in ("US", "US-CA", "GLOBAL", "JP"):
        assert cache.look(ask(PARKING, domain="law", jurisdiction=other)).outcome is Outcome.miss
    conflict = cache.look(ask("Is parking on the sidewalk legal in California?", **_LAW))
    assert conflict.reason is Reason.jurisdiction_conflict


def test_law_general_and_daily_serve_the_same_question_only() -> None:
    encoder = ScriptedEncoder({Q: 0, SIMILAR: 0})
    for domain in ("general", "daily"):
        cache = open_cache(encoder=encoder)
        write(cache, draft(scope={"domain": domain}))
        assert cache.look(ask(domain=domain)).hit is Hit.exact
        found = cache.look(ask(SIMILAR, domain=domain))
        assert (found.outcome, found.reason) == (Outcome.context, Reason.not_direct)


def test_news_is_kept_and_not_served() -> None:
    cache = open_cache(encoder=ScriptedEncoder({Q: 0, SIMILAR: 0}))
    write(cache, draft(scope={"domain": "news"}))
    assert cache.look(ask(domain="news")).outcome is Outcome.miss
    assert cache.look(ask(SIMILAR, domain="news")).outcome is Outcome.miss


def test_an_override_needs_two_persons_to_serve_a_similar_question(opened: Opened) -> None:
    cache, _, _ = opened
    write(cache, draft(gi=900, human_override=True, reviewers=["mio"]))
    assert cache.look(ask()).hit is Hit.exact
    assert cache.look(ask(SIMILAR)).reason is Reason.single_approval
    cache.store.withdraw(cache.store.entries(tenant="local")[0].id, tenant="local", reason="", by="mio")
    write(cache, draft(run="run2", gi=900, human_override=True, reviewers=["mio", "ken"]))
    assert cache.look(ask(SIMILAR)).hit is Hit.semantic


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ("How does inflation affect us?", "How does inflation affect the US?"),
        ("Is jaywalking legal?", "Is jaywalking illegal?"),
        ("What is x² at 3?", "What is x2 at 3?"),
        ("How do I open the sluice gate?", "How do I close the sluice gate?"),
        ("Does Wren owe money to Ash?", "Does Ash owe money to Wren?"),
        ("What was the GDP of Chile in 2023?", "What was the GDP of Chile in 2024?"),
    ],
)
def test_another_question_at_cosine_1_is_context_and_says_why(one: str, two: str) -> None:
    cache = open_cache(encoder=ScriptedEncoder({one: 0, two: 0}))
    write(cache, draft(one, "An answer.", scope={"domain": "facts"}, gi=990, sources=[_old()]))
    found = cache.look(ask(two))
    assert found.outcome is not Outcome.hit
    if found.outcome is Outcome.context:
        assert found.reason in (Reason.guard, Reason.not_direct)


@pytest.mark.parametrize(
    ("one", "two"),
    [("18歳以上は投票できますか？", "18歳未満は投票できますか？"), ("副業は合法？", "副業は違法？")],
)
def test_another_question_in_japanese_is_context(one: str, two: str) -> None:
    cache = open_cache(encoder=ScriptedEncoder({one: 0, two: 0}))
    write(cache, draft(one, "はい。", scope={"locale": "ja"}, gi=990))
    assert cache.look(ask(two, locale="ja")).outcome is Outcome.context


def _old() -> CachedSource:
    return source("An answer.")


def test_the_same_key_with_another_case_is_no_hit() -> None:
    cache = open_cache(encoder=ScriptedEncoder({}))
    write(cache, draft("Does WHO recommend masks?", "Rest."))
    assert cache.look(ask("Does WHO recommend masks?")).outcome is Outcome.hit
    assert cache.look(ask("Does who recommend masks?")).reason is Reason.guard
    without = open_cache()
    write(without, draft("Does WHO recommend masks?", "Rest."))
    assert without.look(ask("Does who recommend masks?")).reason is Reason.signature


def test_widths_are_one_question() -> None:
    cache = open_cache(encoder=ScriptedEncoder({}))
    write(cache, draft("２０２６年のＧＤＰは？", "…です。", scope={"locale": "ja", "domain": "yearly"}))
    assert cache.look(ask("2026年のGDPは?", locale="ja", domain="yearly")).hit is Hit.exact


def test_a_relative_time_counts_from_when_it_was_asked() -> None:
    clock = SetClock()
    question = "Which city hosts the fair this year?"
    cache = open_cache(clock=clock, encoder=ScriptedEncoder({question: 0}))
    write(cache, draft(question, "Lund.", scope={"domain": "yearly"}))
    assert cache.look(ask(question, domain="yearly")).outcome is Outcome.hit
    clock.now = NOW + timedelta(days=250)  # the next year, while the entry is still young enough
    assert cache.look(ask(question, domain="yearly")).reason is Reason.guard


@pytest.mark.parametrize(
    ("question", "scope", "reason"),
    [
        (Q, {"cacheable": False}, Reason.not_cacheable),
        (Q, {"domain": "lawn care"}, Reason.domain_not_allowed),
        (Q, {"bypass": True}, Reason.asked_to),
        ("What about the second one?", {}, Reason.context_dependent),
        ("and in Japan?", {}, Reason.context_dependent),
        ("それはなぜですか？", {"locale": "ja"}, Reason.context_dependent),
        ("My son has a fever, what should I give him?", {}, Reason.personal),
        ("私はうつ病と診断されました。どうすればいいですか", {"locale": "ja"}, Reason.personal),
        ("Who is reachable at mara@example.org?", {}, Reason.personal),
        ("x" * 2001, {}, Reason.too_long),
    ],
)
def test_what_must_not_be_asked_goes_past_the_cache(
    opened: Opened, question: str, scope: dict[str, Any], reason: Reason
) -> None:
    cache, _, encoder = opened
    found = cache.look(ask(question, **scope))
    assert (found.outcome, found.reason) == (Outcome.bypass, reason)
    assert encoder.asked == []


@pytest.mark.parametrize("phase", range(5))
def test_each_phase_serves_what_it_may(phase: int) -> None:
    cache = open_cache(encoder=ScriptedEncoder({Q: 0, SIMILAR: 0}))
    write(cache, draft())
    cache.store.set_phase(phase, tenant="local", domain="facts", locale="en", by="mio", reason="test")
    exact, similar = cache.look(ask()), cache.look(ask(SIMILAR))
    assert (exact.outcome is Outcome.hit, similar.outcome is Outcome.hit) == (phase >= 2, phase >= 3)
    for found in (exact, similar):
        if found.outcome is not Outcome.hit:
            assert (found.reason, found.would) == (Reason.phase, Outcome.hit)
            assert found.entry is None
            assert found.would_entry
            assert found.outcome is (Outcome.bypass if phase == 0 else Outcome.miss)


def test_a_kill_switch_for_everything_holds_from_the_next_look_up_on(opened: Opened) -> None:
    cache, _, _ = opened
    write(cache, draft())
    assert cache.look(ask()).outcome is Outcome.hit
    cache.store.set_phase(1, tenant="local", domain="*", locale="*", by="mio", reason="stop")
    assert cache.look(ask()).reason is Reason.phase
    assert cache.phase("local", "facts", "en") == 1
    assert cache.phase("other", "facts", "en") == 4


def test_a_request_tightens(opened: Opened) -> None:
    cache, _, _ = opened
    write(cache, draft(gi=980))
    assert cache.look(ask(tighten={"exact_gi": 100})).outcome is Outcome.hit
    assert cache.look(ask(tighten={"exact_gi": 981})).outcome is Outcome.context


def test_twenty_neighbours_are_looked_at_and_the_best_survivor_is_served() -> None:
    traps = [f"How tall is Mount {name}?" for name in ("Aso", "Ontake", "Hakusan", "Norikura", "Kita", "Hotaka")]
    encoder = ScriptedEncoder({**dict.fromkeys(traps, 0.99), Q: 0.95, SIMILAR: 0})
    cache = open_cache(encoder=encoder, scale=LINEAR)
    for number, trap in enumerate(traps):
        write(cache, draft(trap, "Another mountain.", run=f"trap{number}"))
    write(cache, draft(Q, "Mount Fuji is 3,776 metres high.", run="right"))
    found = cache.look(ask(SIMILAR))
    assert _served(found) == (Outcome.hit, Reason.semantic, "Mount Fuji is 3,776 metres high.")
    assert found.similarity == 950


def test_figures_hold_no_word_of_the_question() -> None:
    lines: list[Any] = []
    cache = open_cache(encoder=ScriptedEncoder({Q: 0, SIMILAR: 0}), lines=lines)
    write(cache, draft())
    for question in (Q, SIMILAR, "My son has a fever, what should I give him?"):
        asked = ask(question)
        cache.confirm(asked, cache.look(asked))
    assert [line["outcome"] for line in lines] == ["hit", "hit", "bypass"]
    assert all(line["served_at"] < line["valid_until"] for line in lines[:2])
    text = repr(lines).lower()
    assert not any(word in text for word in ("fuji", "tall", "fever"))
    assert len({line["mark"] for line in lines}) == 3


def _time(text: str) -> datetime:
    return parse_time(text)
