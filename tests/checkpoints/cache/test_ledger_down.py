"""A ledger that cannot be read serves nothing, whenever it fails, and the figures say why."""

from __future__ import annotations

from typing import Any

import pytest
from sqlalchemy import Connection

from rqa_checkpoints.cache.ledger import Ledger
from rqa_checkpoints.cache.records import Hit, Outcome, Reason
from rqa_checkpoints.cache.store import CacheStore
from rqa_checkpoints.errors import StoreUnavailableError
from tests.support.caches import ScriptedEncoder, ask, draft, open_cache, write

Q = "How tall is Mount Fuji?"
SIMILAR = "What is the height of Mount Fuji?"


def _down(*_: Any, **__: Any) -> Any:
    raise StoreUnavailableError("the server is gone")


@pytest.mark.parametrize("question", [Q, SIMILAR])
@pytest.mark.parametrize(("owner", "name"), [(CacheStore, "reading"), (Ledger, "about")])
def test_at_a_look_up_it_is_a_miss_that_is_reported(
    owner: type, name: str, question: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines: list[Any] = []
    cache = open_cache(encoder=ScriptedEncoder({Q: 0, SIMILAR: 0}), lines=lines)
    write(cache, draft(Q))
    assert cache.look(ask(question)).outcome is Outcome.hit
    monkeypatch.setattr(owner, name, _down)
    found = cache.confirm(ask(question), cache.look(ask(question)))
    assert (found.entry, found.outcome is Outcome.hit) == (None, False)
    reported = lines[-1]
    assert (reported["outcome"], reported["reason"]) == ("miss", "store_failed")
    monkeypatch.undo()
    assert cache.look(ask(question)).outcome is Outcome.hit  # it was not put aside for what the ledger lacked


def test_between_look_up_and_answer_it_is_a_miss_too(monkeypatch: pytest.MonkeyPatch) -> None:
    lines: list[Any] = []
    cache = open_cache(lines=lines)
    write(cache, draft(Q))
    found = cache.look(ask(Q))
    assert found.hit is Hit.exact

    def gone(self: Ledger, view: Connection, tenant: str, entry: str) -> Any:
        del self, view, tenant, entry
        raise StoreUnavailableError("the server is gone")

    monkeypatch.setattr(Ledger, "about", gone)
    final = cache.confirm(ask(Q), found)
    assert (final.outcome, final.reason, final.entry) == (Outcome.miss, Reason.store_failed, None)
    assert [(line["outcome"], line["reason"]) for line in lines] == [("miss", "store_failed")]
