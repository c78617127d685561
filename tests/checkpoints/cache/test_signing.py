"""A key is its owner's alone, a rotation loses nothing, and no other key is believed."""

from __future__ import annotations

import json
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import rfc8785
from hypothesis import given
from hypothesis import strategies as st

from rqa_checkpoints.cache.signing import KeyRing, PublicKeys, canonical_bytes, payload_digest
from rqa_checkpoints.errors import LedgerKeyError

STATEMENT = {"b": 1, "a": ["é", None, True]}


def test_json_has_one_form() -> None:
    assert canonical_bytes(STATEMENT) == '{"a":["é",null,true],"b":1}'.encode()
    assert payload_digest({"a": 1, "b": 2}) == payload_digest({"b": 2, "a": 1})


_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**54), 2**54) | st.text(max_size=6) | st.floats(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner, max_size=4),
    max_leaves=12,
)


@given(_VALUES)
def test_the_quick_way_writes_what_rfc_8785_says(value: object) -> None:
    def written(encode: Callable[[Any], bytes]) -> bytes | None:
        try:
            return encode(value)
        except ValueError:
            return None

    assert written(canonical_bytes) == written(rfc8785.dumps)


def test_names_are_sorted_by_code_units_and_signs_escaped_as_rfc_8785_says() -> None:
    texts = {"é": "\x7f\x00\u2028/\\"}, {"a": '\x1f\b\n"é\u2028'}
    for value in ({"\U00010000": 1, "\ue000": 2}, *texts, {"a": 2**53 - 1}):
        assert canonical_bytes(value) == rfc8785.dumps(value)


def test_the_file_is_made_once_for_its_owner_alone(tmp_path: Path) -> None:
    path = tmp_path / "ledger.key"
    ring = KeyRing.open(path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert KeyRing.open(path).current == ring.current
    assert list(tmp_path.iterdir()) == [path]


def test_a_signature_holds_for_its_statement_and_key_alone(tmp_path: Path) -> None:
    ring = KeyRing.open(tmp_path / "ledger.key")
    signed = ring.sign(STATEMENT)
    assert ring.trusted.holds(STATEMENT, key=signed["key"], signature=signed["value"])
    assert not ring.trusted.holds({**STATEMENT, "b": 2}, key=signed["key"], signature=signed["value"])
    assert not ring.trusted.holds(STATEMENT, key="0" * 16, signature=signed["value"])
    assert not ring.trusted.holds(STATEMENT, key=signed["key"], signature="no base64!")
    assert not KeyRing.in_memory().trusted.holds(STATEMENT, key=signed["key"], signature=signed["value"])


def test_after_a_rotation_old_signatures_hold_and_new_ones_are_by_the_new_key(tmp_path: Path) -> None:
    path = tmp_path / "ledger.key"
    old = KeyRing.open(path)
    signed = old.sign(STATEMENT)
    old.successor().save()
    ring = KeyRing.open(path)
    assert ring.current != old.current
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert ring.trusted.holds(STATEMENT, key=signed["key"], signature=signed["value"])
    assert not old.trusted.holds(STATEMENT, **_named(ring.sign(STATEMENT)))


def _named(signed: dict[str, str]) -> dict[str, str]:
    return {"key": signed["key"], "signature": signed["value"]}


def test_exported_keys_are_public_and_read_back() -> None:
    ring = KeyRing.in_memory()
    exported = ring.trusted.exported()
    assert "private" not in json.dumps(exported)
    assert PublicKeys.parsed(json.loads(json.dumps(exported))).holds(STATEMENT, **_named(ring.sign(STATEMENT)))


@pytest.mark.parametrize("value", [None, [], {}, {"keys": {}}, {"keys": {"a": "!"}}, {"keys": {"a": "AAAA"}}])
def test_what_holds_no_public_keys_is_refused(value: object) -> None:
    with pytest.raises(LedgerKeyError):
        PublicKeys.parsed(value)


def test_a_key_file_that_others_may_read_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "ledger.key"
    KeyRing.open(path)
    path.chmod(0o644)
    with pytest.raises(LedgerKeyError, match="others may read"):
        KeyRing.open(path)


@pytest.mark.parametrize("text", ["", "{}", "[]", '{"private": "AAAA", "retired": {}}', "\0"])
def test_a_file_that_is_no_key_is_refused_without_its_content(tmp_path: Path, text: str) -> None:
    path = tmp_path / "ledger.key"
    path.write_text(text)
    path.chmod(0o600)
    with pytest.raises(LedgerKeyError, match="cannot be read"):
        KeyRing.open(path)


def test_a_retired_key_under_a_wrong_name_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "ledger.key"
    KeyRing.open(path).successor().save()
    value = json.loads(path.read_text())
    value["retired"] = {"0" * 16: next(iter(value["retired"].values()))}
    path.write_text(json.dumps(value))
    with pytest.raises(LedgerKeyError, match="wrong name"):
        KeyRing.open(path)
