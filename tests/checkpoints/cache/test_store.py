"""Attest, commit, supersede, withdraw: each once, in the chain, and only what was attested."""

from __future__ import annotations

from pathlib import Path

import pytest

from rqa_checkpoints.cache.entries import prepare
from rqa_checkpoints.cache.records import EntryStatus
from rqa_checkpoints.cache.store import CacheStore
from rqa_checkpoints.errors import EntryRefusedError, RuleBrokenError, UnknownEntryError
from tests.support.caches import NOW, SetClock, book, draft, open_store, put, source

pytestmark = pytest.mark.log_contract

T = "local"


def test_an_entry_says_what_was_attested() -> None:
    store = open_store()
    entry = store.get(put(store, draft()), tenant=T)
    assert (entry.answer, entry.gi, entry.status) == ("Mount Fuji is 3,776 metres high.", 980, EntryStatus.active)
    assert entry.sources == (source(),)
    assert entry.attestation == 1


def test_the_same_run_again_changes_nothing_and_another_answer_for_it_is_refused() -> None:
    store = open_store()
    first = put(store, draft())
    head = store.ledger.log.head()
    assert put(store, draft()) == first
    assert store.ledger.log.head() == head
    with pytest.raises(EntryRefusedError) as caught:
        put(store, draft(answer="4,000 metres."))
    assert caught.value.reason == "conflict"
    assert store.ledger.log.head() == head


def test_a_newer_entry_ends_the_one_before_it_in_the_same_event() -> None:
    store = open_store()
    old = put(store, draft())
    new = put(store, draft(run="run2", answer="3,776 m."), supersedes=old)
    assert store.get(old, tenant=T).status is EntryStatus.superseded
    assert store.get(new, tenant=T).supersedes == old
    assert [entry.id for entry in store.entries(tenant=T)] == [new]


def test_of_two_writers_under_one_key_the_first_stands_and_the_other_adopts_it() -> None:
    store = open_store()
    first, second = (
        prepare(
            draft(run=run, answer=run),
            book().of("facts"),
            phase=1,
            findings=(),
            embedding_model="hash",
            supersedes="",
            now=NOW,
        )
        for run in ("one", "two")
    )
    store.attest(first)
    store.attest(second)
    assert store.commit(first.id, tenant=T) == ("committed", first.id)
    assert store.commit(second.id, tenant=T) == ("adopted", first.id)
    assert store.orphans(tenant=T) == []
    with pytest.raises(UnknownEntryError):
        store.commit(second.id, tenant=T)


def test_a_withdrawn_entry_has_ended_for_good() -> None:
    store = open_store()
    entry = put(store, draft())
    store.set_servable(entry, servable=False, tenant=T, reason="flag", by="ann")
    assert not store.get(entry, tenant=T).servable
    store.set_servable(entry, servable=True, tenant=T, reason="looked at", by="mio")
    assert store.get(entry, tenant=T).servable
    gone = store.withdraw(entry, tenant=T, reason="wrong", by="mio")
    assert (gone.status, gone.servable) == (EntryStatus.deprecated, False)
    with pytest.raises(RuleBrokenError):
        store.withdraw(entry, tenant=T, reason="again", by="mio")
    with pytest.raises(RuleBrokenError):
        store.set_servable(entry, servable=True, tenant=T, reason="no", by="mio")
    assert put(store, draft(run="run2")) != entry


def test_news_is_kept_for_the_record_and_cannot_be_made_servable() -> None:
    store = open_store()
    entry = put(store, draft(scope={"domain": "news"}))
    assert not store.get(entry, tenant=T).servable
    with pytest.raises(RuleBrokenError, match="record"):
        store.set_servable(entry, servable=True, tenant=T, reason="please", by="mio")


def test_an_entry_of_another_tenant_is_an_unknown_entry() -> None:
    store = open_store()
    entry = put(store, draft())
    for call in (
        lambda: store.get(entry, tenant="other"),
        lambda: store.commit(entry, tenant="other"),
        lambda: store.withdraw(entry, tenant="other", reason="", by="x"),
        lambda: store.audit(entry, tenant="other", right=True, by="x"),
    ):
        with pytest.raises(UnknownEntryError):
            call()


def test_a_crash_between_attest_and_commit_is_resumed_or_made_void() -> None:
    clock = SetClock()
    store = open_store(clock=clock)
    kept = prepare(draft(), book().of("facts"), phase=1, findings=(), embedding_model="", supersedes="", now=NOW)
    late = prepare(
        draft(run="late", scope={"domain": "daily"}),
        book().of("daily"),
        phase=1,
        findings=(),
        embedding_model="",
        supersedes="",
        now=NOW,
    )
    store.attest(kept)
    store.attest(late)
    assert store.orphans(tenant=T) == [kept.id, late.id]
    clock.forward(days=2)
    assert store.sweep(tenant=T) == [("committed", kept.id)]
    assert store.orphans(tenant=T) == []
    assert store.sweep(tenant=T) == []
    with pytest.raises(UnknownEntryError):
        store.get(late.id, tenant=T)


def test_the_log_replays_to_the_same_rows(tmp_path: Path) -> None:
    store = open_store(tmp_path / "log.sqlite")
    old = put(store, draft())
    put(store, draft(run="run2"), supersedes=old)
    store.audit(old, tenant=T, right=True, by="mio")
    store.set_phase(3, tenant=T, domain="facts", locale="en", by="mio", reason="gates hold")
    store.quarantine(old, tenant=T, reason="test")
    store.ledger.rotate(tenant=T, by="mio")
    log = store.ledger.log
    assert log.verify_chain() is None
    assert log.state_hash() == log.replayed_hash()
    with store.reading() as view:
        assert [row[:4] for row in store.rollouts(view, tenant=T)] == [(T, "facts", "en", 3)]
    log.close()


def test_rows_under_one_key_come_active_first() -> None:
    store = open_store()
    ids = [put(store, draft())]
    for number in range(3):
        ids.append(put(store, draft(run=f"next{number}"), supersedes=ids[-1]))
    with store.reading() as view:
        key = store.rows(view, ids[:1], tenant=T)[ids[0]]["scope_key"]
        assert [row["id"] for row in store.under_key(view, tenant=T, key=key)] == ids[::-1]
    assert store.active_id(tenant=T, key=key) == ids[-1]


def test_what_is_written_is_there_for_another_process(tmp_path: Path) -> None:
    store = open_store(tmp_path / "log.sqlite")
    entry = put(store, draft())
    store.ledger.log.close()
    again: CacheStore = open_store(tmp_path / "log.sqlite")
    assert again.get(entry, tenant=T).gi == 980
    again.ledger.log.close()
