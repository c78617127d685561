"""A verified answer is given at once, by nobody's model; whatever stands against it, the turn goes on as before."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import HumanMessage

from rqa_checkpoints.cache.integrity import IntegrityCache
from rqa_checkpoints.cache.records import Outcome
from rqa_checkpoints.provenance import source_handle
from rqa_graph.graph import build_graph
from rqa_graph.services import AppServices
from tests.support.caches import SetClock, ask, draft, open_cache, source, write
from tests.support.graphs import scripted_services, with_memory_saver

Q = "How tall is Mount Fuji?"
_SHOWN = ["messages", "cached"]
CITED = f"Mount Fuji is 3,776 metres high [m:{source_handle(source().locator, source().sha256)}]."


class Served(AppServices):
    """Services with a cache of a test's own, and a model that nobody may ask."""

    own: IntegrityCache | None = None

    @property
    def cache(self) -> IntegrityCache | None:
        return self.own


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[tuple[Any, IntegrityCache, SetClock]]:
    clock = SetClock()
    cache = open_cache(clock=clock)
    services = scripted_services(tmp_path / "home", ["A model said this."] * 3, embedder="hash")
    services.__class__ = Served
    services.own = cache  # type: ignore[attr-defined]
    yield services, cache, clock
    services.close()


def _ask(services: Any, question: str = Q, **given: Any) -> dict[str, Any]:
    run: Any = {"messages": [HumanMessage(question)], "cacheable": True, "domain": "facts", **given}
    found: dict[str, Any] = build_graph(services=services).invoke(run, output_keys=_SHOWN)
    return found


def _text(found: dict[str, Any]) -> str:
    return str(found["messages"][-1].content)


def test_a_verified_answer_is_given_with_what_proves_it(opened: Any) -> None:
    services, cache, _ = opened
    entry = write(cache, draft(answer=CITED))
    found = _ask(services)
    assert _text(found) == CITED
    assert (found["cached"]["outcome"], found["cached"]["hit"], found["cached"]["entry"]) == ("hit", "exact", entry)
    assert found["cached"]["matched_question"] == Q
    said = found["messages"][-1].response_metadata
    assert said["author"] == "integrity-cache"
    assert said["rqa"]["cache"]["valid_until"] == cache.entry(entry, tenant="local").valid_until
    assert services.chat("").prompts == []


def test_what_is_given_leaves_the_question_in_memory_and_no_item_of_the_answer(opened: Any) -> None:
    services, cache, _ = opened
    write(cache, draft(answer=CITED))
    _ask(services)
    items = services.memory.list(scope=services.scope("", ""), limit=10)
    assert [item.source.value for item in items] == ["user"]


@pytest.mark.parametrize(
    "given",
    [
        {"cacheable": False},
        {"domain": "gossip"},
        {"documents": [{"locator": "a.md", "text": "Mount Fuji is a mountain."}]},
    ],
)
def test_a_turn_that_may_not_use_it_goes_to_memory_and_model(opened: Any, given: dict[str, Any]) -> None:
    services, cache, _ = opened
    write(cache, draft(answer=CITED))
    found = _ask(services, **given)
    assert _text(found) != CITED
    assert found.get("cached", {}).get("outcome", "bypass") == "bypass"


def test_another_tenant_is_not_given_it(opened: Any) -> None:
    services, cache, _ = opened
    write(cache, draft(answer=CITED, scope={"tenant": "kiri"}))
    assert _ask(services)["cached"]["outcome"] != "hit"


def test_cacheable_holds_for_one_message(opened: Any) -> None:
    services, cache, _ = opened
    write(cache, draft(answer=CITED))
    graph = with_memory_saver(services)
    config: Any = {"configurable": {"thread_id": "t"}}
    first = graph.invoke(
        {"messages": [HumanMessage(Q)], "cacheable": True, "domain": "facts"}, config, output_keys=_SHOWN
    )
    again: Any = {"messages": [HumanMessage(Q)]}
    second = graph.invoke(again, config, output_keys=_SHOWN)
    assert _text(first) == CITED
    assert _text(second) != CITED
    assert second["cached"] == {}


def test_an_answer_that_the_verifier_would_change_is_put_aside(opened: Any) -> None:
    services, cache, _ = opened
    entry = write(cache, draft(answer="As we agreed last week, Mount Fuji is 3,776 metres high [m:zzzzz9]."))
    found = _ask(services)
    assert (found["cached"]["outcome"], found["cached"]["reason"]) == ("miss", "not_verified")
    assert "As we agreed" not in _text(found)
    assert cache.entry(entry, tenant="local").quarantined
    assert cache.look(ask()).outcome is Outcome.miss


def test_what_expires_is_not_given(opened: Any) -> None:
    services, cache, clock = opened
    write(cache, draft(answer=CITED, scope={"domain": "daily"}))
    assert _ask(services, domain="daily")["cached"]["outcome"] == "hit"
    clock.now += timedelta(days=2)
    assert _ask(services, domain="daily")["cached"]["reason"] == "expired"


def test_a_store_that_fails_costs_the_tier_and_not_the_turn(opened: Any) -> None:
    services, cache, _ = opened
    write(cache, draft(answer=CITED))
    cache.store.ledger.log.close()  # a database in memory is gone with its last connection
    found = _ask(services)
    assert found["cached"]["outcome"] in ("miss", "bypass")
    assert _text(found)


def test_services_without_a_cache_answer_as_before(tmp_path: Path) -> None:
    services = scripted_services(tmp_path / "home", ["A model said this."], embedder="hash")
    found = _ask(services)
    assert found["cached"]["outcome"] == "bypass"
    assert _text(found)
    services.close()
