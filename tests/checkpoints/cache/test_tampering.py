"""One change in any column of a row, or in any field of a record of the ledger: never served, always reported."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from rqa_checkpoints import tables
from rqa_checkpoints.cache.inspection import inspect_ledger
from rqa_checkpoints.cache.integrity import IntegrityCache
from rqa_checkpoints.cache.records import Outcome
from rqa_checkpoints.cache.signing import KeyRing
from rqa_checkpoints.chain import GENESIS, Event, canonical, event_hash, private_hash
from tests.support.caches import ScriptedEncoder, ask, draft, open_cache, write

Q, SIMILAR = "How tall is Mount Fuji?", "What is the height of Mount Fuji?"
_SEQ = {"attest": 1, "cache": 2}


@pytest.fixture
def cache(tmp_path: Path) -> Any:
    cache = open_cache(tmp_path / "log.sqlite", encoder=ScriptedEncoder({Q: 0, SIMILAR: 0}))
    write(cache, draft())
    assert cache.look(ask(SIMILAR)).outcome is Outcome.hit
    yield cache
    cache.close()
    cache.store.ledger.log.close()


def _flipped(value: Any, bit: int = 1) -> Any:
    """The value with one byte changed, of the same type where that can be."""
    match value:
        case bytes():
            return bytes([value[0] ^ 1]) + value[1:]
        case int():
            return value ^ bit
        case "":
            return "x"
        case str():
            last = "0" if value[-1] != "0" else "1"
            return value[:-1] + last
    raise AssertionError(value)


def _tamper(cache: IntegrityCache, table: str, column: str, where: str) -> None:
    database = sqlite3.connect(cache.store.ledger.log.place)
    with database:
        (value,) = database.execute(f'SELECT "{column}" FROM {table} WHERE {where}').fetchone()
        database.execute(
            f'UPDATE {table} SET "{column}" = ? WHERE {where}', (_flipped(value, 2 if column == "attestation" else 1),)
        )
    database.close()


def _check(cache: IntegrityCache) -> None:
    for question in (Q, SIMILAR):
        found = cache.look(ask(question))
        assert found.outcome is not Outcome.hit
        assert found.entry is None
    assert not inspect_ledger(cache.store).holds


@pytest.mark.parametrize("column", [column.name for column in tables.cache_entry.columns])
def test_a_changed_column_of_a_row_is_never_served(cache: IntegrityCache, column: str) -> None:
    _tamper(cache, "cache_entry", column, "1")
    _check(cache)


@pytest.mark.parametrize("op", sorted(_SEQ))
@pytest.mark.parametrize("column", [column.name for column in tables.event.columns])
def test_a_changed_field_of_a_record_is_never_served(cache: IntegrityCache, column: str, op: str) -> None:
    _tamper(cache, "event", column, f"seq = {_SEQ[op]}")
    _check(cache)


@pytest.mark.parametrize("column", ["salt", "private", "seq"])
def test_changed_words_are_never_served(cache: IntegrityCache, column: str) -> None:
    _tamper(cache, "content", column, "seq = 1")
    _check(cache)


@pytest.mark.parametrize("column", ["tenant", "entry", "seq", "op"])
def test_a_changed_place_in_the_ledger_is_reported(cache: IntegrityCache, column: str) -> None:
    _tamper(cache, "cache_event", column, "seq = 2")
    assert not inspect_ledger(cache.store).holds
    if column != "op":  # the name of the kind is a copy; the record itself says what it is
        _check(cache)


def _rewritten(cache: IntegrityCache, change: Callable[[Event], Event]) -> None:
    """What somebody does who can write the whole database, but has no key: one event changed, every hash made new."""
    log = cache.store.ledger.log
    prev, database = GENESIS, sqlite3.connect(log.place)
    for event in log.events():
        event = replace(change(event), prev=prev)
        if event.private is not None:
            event = replace(event, private_hash=private_hash(event.salt or b"", event.private))
        event = replace(event, hash=event_hash(event))
        prev = event.hash
        row = (event.body, event.private_hash, event.prev, event.hash, event.seq)
        database.execute("UPDATE event SET body = ?, private_hash = ?, prev = ?, hash = ? WHERE seq = ?", row)
        database.execute("UPDATE content SET private = ? WHERE seq = ?", (event.private, event.seq))
    database.execute("UPDATE meta SET value = ? WHERE name = 'head'", (f"{log.head().seq}:{prev}",))
    database.commit()
    database.close()
    assert log.verify_chain() is None  # the chain alone shows nothing


def _places(value: Any, at: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """Where a single value stands in plain JSON."""
    if isinstance(value, Mapping):
        for name, inner in value.items():
            yield from _places(inner, (*at, name))
    elif isinstance(value, list):
        for number, inner in enumerate(value):
            yield from _places(inner, (*at, number))
    else:
        yield at


def _put(value: Any, at: tuple[str | int, ...]) -> Any:
    changed = json.loads(json.dumps(value))
    inner = changed
    for name in at[:-1]:
        inner = inner[name]
    old = inner[at[-1]]
    inner[at[-1]] = not old if isinstance(old, bool) else _flipped(old)
    return changed


@pytest.mark.parametrize("part", ["attest.public", "attest.private", "cache.public"])
def test_a_changed_field_inside_a_record_is_never_served_though_all_hashes_are_made_anew(
    tmp_path: Path, part: str
) -> None:
    op, _, side = part.partition(".")
    place, ring = tmp_path / "log.sqlite", KeyRing.in_memory()
    encoder = ScriptedEncoder({Q: 0, SIMILAR: 0})
    first = open_cache(place, encoder=encoder, ring=ring)
    write(first, draft())
    event = first.store.ledger.log.events()[_SEQ[op] - 1]
    fields = event.public() if side == "public" else event.secret()
    first.store.ledger.log.close()
    kept, places = place.read_bytes(), list(_places(fields))
    assert len(places) > (5 if side == "public" else 25)
    for at in places:
        place.write_bytes(kept)
        cache = open_cache(place, encoder=encoder, ring=ring)
        column = "body" if side == "public" else "private"
        changed = canonical(_put(fields, at))

        def change(one: Event, column: str = column, changed: str = changed) -> Event:
            if one.seq != _SEQ[op]:
                return one
            return replace(one, body=changed) if column == "body" else replace(one, private=changed.encode())

        _rewritten(cache, change)
        assert _holds_not(cache), at
        cache.close()
        cache.store.ledger.log.close()


def _holds_not(cache: IntegrityCache) -> bool:
    found = [cache.look(ask(question)) for question in (Q, SIMILAR)]
    return all(one.outcome is not Outcome.hit and one.entry is None for one in found) and not (
        inspect_ledger(cache.store).holds
    )


def test_a_log_written_anew_with_all_its_hashes_is_not_believed(tmp_path: Path) -> None:
    """Whoever can write the database, but has no key."""
    real = open_cache(tmp_path / "log.sqlite", encoder=ScriptedEncoder({Q: 0, SIMILAR: 0}))
    real.store.ledger.ring = KeyRing.in_memory(b"\1" * 32)
    write(real, draft(answer="Mount Fuji is 9,999 metres high."))
    real.store.ledger.log.close()
    honest = open_cache(tmp_path / "log.sqlite", encoder=ScriptedEncoder({Q: 0, SIMILAR: 0}))
    assert honest.store.ledger.log.verify_chain() is None
    _check(honest)
    honest.store.ledger.log.close()


def test_what_was_put_aside_stays_aside_after_the_column_is_put_back(cache: IntegrityCache) -> None:
    _tamper(cache, "cache_entry", "gi", "1")
    assert cache.look(ask()).outcome is Outcome.miss
    _tamper(cache, "cache_entry", "gi", "1")
    assert cache.look(ask()).reason == "quarantined"
    assert cache.look(ask(SIMILAR)).outcome is Outcome.miss


def test_an_untouched_ledger_holds(cache: IntegrityCache) -> None:
    found = inspect_ledger(cache.store)
    assert found.holds
    assert (found.events, found.entries) == (2, 1)
