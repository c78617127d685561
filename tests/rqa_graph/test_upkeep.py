"""What changed or expires is looked at again; what contradicts ends, and a person decides."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from rqa_checkpoints.cache.records import EntryStatus
from rqa_checkpoints.provenance import CACHE_USER, Scope
from rqa_graph.integrity import Question, answer_with_integrity
from rqa_graph.services import AppServices
from rqa_graph.upkeep import due_entries, finish_interrupted, hits_of, revalidate
from tests.support.caches import SetClock
from tests.support.deliberations import Sage, answering, deliberating_services, marks

FUJI = "How tall is Mount Fuji?"
SCOPE = Scope("local", CACHE_USER)


def _kept(tmp_path: Path, clock: SetClock, sages: dict[str, Sage] | None = None) -> tuple[AppServices, str]:
    services = deliberating_services(tmp_path, sages or answering(), clock=clock)
    answer_with_integrity(FUJI, services=services)
    (entry,) = services.answer_library.store.entries(tenant="local")
    return services, entry.id


def _renewed(services: AppServices, **changes: Any) -> list[tuple[str, str]]:
    options: dict[str, Any] = {"tenant": "local", "hits": {}, "budget": 9, "by": "mara", **changes}
    return [(row.why, row.outcome) for row in revalidate(services, **options)]


def _status(services: AppServices, entry: str) -> EntryStatus:
    return services.answer_library.store.get(entry, tenant="local").status


def test_what_is_fresh_is_left_alone(tmp_path: Path) -> None:
    services, _ = _kept(tmp_path, SetClock())
    assert _renewed(services) == []


def test_from_80_percent_of_its_life_on_an_answer_is_renewed_and_gets_a_new_life(tmp_path: Path) -> None:
    clock = SetClock()
    services, entry = _kept(tmp_path, clock)
    before = services.answer_library.store.get(entry, tenant="local")
    clock.forward(days=300)
    assert _renewed(services) == [("expiring", "renewed")]
    (new,) = services.answer_library.store.entries(tenant="local")
    assert (new.supersedes, _status(services, entry)) == (entry, EntryStatus.superseded)
    assert new.valid_until > before.valid_until
    assert _renewed(services) == []


def test_a_source_that_changed_takes_the_answer_out_before_anybody_is_asked(tmp_path: Path) -> None:
    services, entry = _kept(tmp_path, SetClock())
    (tmp_path / "survey/fuji.md").write_text("Mount Fuji is 3,775 metres high.", "utf-8")
    assert _renewed(services, budget=0) == []
    found = services.answer_library.store.get(entry, tenant="local")
    assert not found.servable
    again = services.answer_library.cache.look(Question(text=FUJI, domain="facts").ask("local", listed=True))
    assert again.outcome.value != "hit"


def test_a_contradiction_ends_the_old_answer_and_a_person_decides_on_the_new_one(tmp_path: Path) -> None:
    height = ["3,776"]
    say = lambda _parts: f"Mount Fuji is {height[0]} metres high {{m:{height[0]}}}."  # noqa: E731  # one line of a test
    sages = {
        "alpha:1": Sage("scripted:alpha1", say),
        "beta:1": Sage("scripted:beta1", say),
        "gamma:1": Sage("scripted:gamma1", marks()),
    }
    services, entry = _kept(tmp_path, SetClock(), sages)
    height[0] = "3,775"
    for name in ("survey/fuji.md", "atlas/japan.md"):
        (tmp_path / name).write_text("Mount Fuji is 3,775 metres high.", "utf-8")
    assert _renewed(services) == [("source_changed", "contested")]
    assert _status(services, entry) is EntryStatus.deprecated
    (item,) = services.memory.queue.items(scope=SCOPE)
    assert (item.kind, item.payload["reason"], item.payload["gi"]) == ("cache_contested", "contested", 1000)
    assert services.answer_library.store.entries(tenant="local") == []


def test_what_is_used_most_comes_first_and_the_budget_holds(tmp_path: Path) -> None:
    clock = SetClock()

    def say(parts: Any) -> str:
        erupted = "Mount Fuji last erupted in 1707 {m:1707}."
        return erupted if "erupt" in parts.user_text else "Mount Fuji is 3,776 metres high {m:3,776}."

    sages = {
        "alpha:1": Sage("scripted:alpha1", say),
        "beta:1": Sage("scripted:beta1", say),
        "gamma:1": Sage("scripted:gamma1", marks()),
    }
    services, entry = _kept(tmp_path, clock, sages)
    assert answer_with_integrity("When did Mount Fuji last erupt?", services=services)["ledgerTx"]
    clock.forward(days=320)
    due = due_entries(services, tenant="local", hits={entry: 3})
    assert (len(due), due[0].entry.id) == (2, entry)
    assert len(_renewed(services, hits={entry: 3}, budget=1)) == 1


def test_hits_are_counted_from_what_was_served() -> None:
    lines = [
        {"kind": "lookup", "outcome": "hit", "entry": "e1"},
        {"kind": "lookup", "outcome": "miss", "entry": ""},
        {"kind": "shadow", "entry": "e1"},
    ]
    assert hits_of(lines) == {"e1": 1}


def test_with_nothing_cut_off_there_is_nothing_to_finish(tmp_path: Path) -> None:
    services, _ = _kept(tmp_path, SetClock())
    assert finish_interrupted(services, tenant="local") == []
