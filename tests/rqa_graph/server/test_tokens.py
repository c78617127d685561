"""Tokens: shown once, kept as digests, revoked at once."""

from __future__ import annotations

import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from rqa_checkpoints.provenance import Scope
from rqa_graph.errors import ConfigError, UsageFaultError
from rqa_graph.server.tokens import TokenFile
from tests.support.graphs import ticking_clock

ANN = Scope("local", "ann")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "home" / "tokens.json"


def test_a_token_is_found_by_every_process_and_stored_by_none(path: Path) -> None:
    one, other = (TokenFile(path, clock=ticking_clock()) for _ in range(2))
    assert other.find("rqa_x") is None
    token = one.add("phone", ANN)
    found = other.find(token)
    assert found is not None
    assert (found.name, found.scope) == ("phone", ANN)
    assert token.startswith("rqa_")
    assert len(token) > 40
    assert token not in path.read_text("utf-8")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    one.revoke("phone")
    assert other.find(token) is None


def test_names_are_given_once(path: Path) -> None:
    tokens = TokenFile(path, clock=ticking_clock())
    assert tokens.add("phone", ANN) != tokens.add("laptop", ANN)
    with pytest.raises(UsageFaultError):
        tokens.add("phone", ANN)
    with pytest.raises(UsageFaultError):
        tokens.revoke("watch")
    with pytest.raises(UsageFaultError):
        tokens.add(" ", ANN)
    assert [token.name for token in tokens.all()] == ["phone", "laptop"]


def test_of_many_who_add_at_once_none_is_lost(path: Path) -> None:
    names = [f"phone{number}" for number in range(24)]
    with ThreadPoolExecutor(len(names)) as pool:
        made = list(pool.map(lambda name: TokenFile(path, clock=ticking_clock()).add(name, ANN), names))
    kept = TokenFile(path, clock=ticking_clock())
    assert {token.name for token in kept.all()} == set(names)
    assert all(kept.find(token) for token in made)
    with ThreadPoolExecutor(len(names)) as pool:
        list(pool.map(lambda name: TokenFile(path, clock=ticking_clock()).revoke(name), names))
    assert kept.all() == ()


@pytest.mark.parametrize("content", ["", "{", "[1]", '[{"name": "x"}]', "\udc80"])
def test_a_file_that_is_not_ours_lets_nobody_in(path: Path, content: str) -> None:
    path.parent.mkdir()
    path.write_bytes(content.encode("utf-8", "surrogateescape"))
    with pytest.raises(ConfigError, match="no list of tokens"):
        TokenFile(path, clock=ticking_clock()).find("rqa_x")
