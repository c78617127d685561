from __future__ import annotations

import dataclasses

import pytest

from rqa_checkpoints.chain import GENESIS, Event, Head, canonical, event_hash, first_broken, private_hash


def _chain(count: int) -> tuple[list[Event], Head]:
    events: list[Event] = []
    prev = GENESIS
    for seq in range(1, count + 1):
        salt, private = bytes([seq]) * 16, f'{{"text":"{seq}"}}'.encode()
        draft = Event(
            seq=seq,
            at="2026-03-01T09:00:00+00:00",
            op="node",
            tenant="local",
            user="ann",
            body=canonical({"id": f"n_{seq}"}),
            private_hash=private_hash(salt, private),
            prev=prev,
            hash="",
            salt=salt,
            private=private,
        )
        events.append(dataclasses.replace(draft, hash=event_hash(draft)))
        prev = events[-1].hash
    return events, Head(count, prev)


def test_an_untouched_chain_holds_and_an_empty_one_too() -> None:
    events, head = _chain(5)
    assert first_broken(events, head) is None
    assert first_broken([], Head(0, GENESIS)) is None


@pytest.mark.parametrize(
    "change",
    [
        {"body": canonical({"id": "n_x"})},
        {"at": "2026-03-02T09:00:00+00:00"},
        {"user": "bob"},
        {"op": "hide"},
        {"private": b'{"text":"x"}'},
        {"private": None},
        {"private": None, "salt": None},
        {"salt": b"0" * 16},
        {"private_hash": "0" * 64},
        {"hash": "0" * 64},
        {"prev": "0" * 64},
        {"seq": 7},
    ],
)
def test_any_change_is_found_where_it_was_made(change: dict[str, object]) -> None:
    events, head = _chain(5)
    events[2] = dataclasses.replace(events[2], **change)  # type: ignore[arg-type]  # one field at a time
    assert first_broken(events, head) == 3


def test_a_change_with_its_own_hash_made_right_breaks_the_next_event() -> None:
    events, head = _chain(5)
    forged = dataclasses.replace(events[2], body=canonical({"id": "n_x"}))
    events[2] = dataclasses.replace(forged, hash=event_hash(forged))
    assert first_broken(events, head) == 4


def test_a_cut_a_swap_a_repetition_and_a_foreign_head_are_found() -> None:
    events, head = _chain(5)
    assert first_broken(events[:4], head) == 5
    assert first_broken(events[1:], head) == 1
    assert first_broken([*events[:2], *events[3:]], head) == 3
    assert first_broken([events[0], events[2], events[1], *events[3:]], head) == 2
    assert first_broken([*events, events[4]], head) == 6
    assert first_broken(events, Head(5, "0" * 64)) == 6
    assert first_broken([], head) == 1


def test_equal_values_have_one_encoding() -> None:
    assert canonical({"b": 1, "a": "é"}) == canonical({"a": "é", "b": 1}) == '{"a":"\\u00e9","b":1}'
