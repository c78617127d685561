"""A person decides about an answer: who wrote it does not approve it, and what has aged is not approved."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from langgraph.checkpoint.memory import InMemorySaver

from rqa_checkpoints.cache.records import EntryStatus
from rqa_checkpoints.errors import AlreadyDecidedError, StaleVersionError
from rqa_checkpoints.provenance import CACHE_USER, QueueItem, Scope
from rqa_graph.deliberation import build_deliberation
from rqa_graph.reviewing import build_review, decide
from rqa_graph.services import AppServices
from rqa_nodes.deliberate.score import CAP, Counted, gi
from rqa_nodes.errors import ProposalRefusedError
from rqa_nodes.review import ReviewContext
from rqa_nodes.review_answer import Answer
from tests.support.caches import SetClock
from tests.support.deliberations import ANSWERS, Sage, deliberating_services

SCOPE = Scope("local", CACHE_USER)


def _waiting(tmp_path: Path, clock: SetClock | None = None, **options: Any) -> tuple[AppServices, QueueItem]:
    """An answer of the built-in engine alone, which waits for a person."""
    services = deliberating_services(
        tmp_path, {"alpha:1": Sage("builtin", ANSWERS["a"])}, clock=clock or SetClock(), **options
    )
    given: Any = {"question": "How tall is Mount Fuji?", "domain": "facts", "cacheable": True}
    build_deliberation(services=services).invoke(given)
    (item,) = services.memory.queue.items(scope=SCOPE)
    return services, item


def _decide(services: AppServices, item: QueueItem, decision: str, by: str, **more: Any) -> dict[str, Any]:
    answer = Answer.model_validate({"decision": decision, "version": item.version, **more})
    context = ReviewContext(tenant="local", user=CACHE_USER, reviewer=by, lang="en")
    return decide(build_review(services=services, checkpointer=InMemorySaver()), item.id, answer, context=context)


def _entries(services: AppServices) -> list[Any]:
    return services.answer_library.store.entries(tenant="local")


def test_who_asked_may_approve_what_an_engine_answered(tmp_path: Path) -> None:
    services, item = _waiting(tmp_path)
    assert _decide(services, item, "approve", "mara")["outcome"] == "approved"
    (entry,) = _entries(services)
    assert (entry.human_override, entry.reviewers, entry.gi) == (True, ("mara",), item.payload["gi"])
    assert entry.gi == gi(Counted.read(entry.payload["gi_components"])) < CAP
    assert entry.servable


def test_a_rejection_keeps_nothing(tmp_path: Path) -> None:
    services, item = _waiting(tmp_path)
    assert _decide(services, item, "reject", "mara")["outcome"] == "rejected"
    assert _entries(services) == []


def test_a_second_verdict_is_refused_and_writes_nothing(tmp_path: Path) -> None:
    services, item = _waiting(tmp_path)
    _decide(services, item, "approve", "mara")
    head = services.memory.log.head()
    for decision in ("approve", "reject"):
        with pytest.raises(AlreadyDecidedError):
            _decide(services, item, decision, "ann")
    assert services.memory.log.head() == head


def test_an_edit_is_scored_anew_and_its_author_does_not_approve_it(tmp_path: Path) -> None:
    services, item = _waiting(tmp_path)
    changed = {**item.payload, "answer": "Mount Fuji is 3,776 metres high. Mount Fuji is holy.", "gi": 1000}
    _decide(services, item, "edit", "mara", payload=changed)
    edited = services.memory.queue.get(item.id, scope=SCOPE)
    assert (edited.version, edited.payload["authors"]) == (2, ["mara"])
    counted = Counted.read(edited.payload["gi_components"])
    assert (counted.claims, counted.supported, counted.reviewers) == (2, 1, 0)
    assert edited.payload["gi"] == gi(counted) < item.payload["gi"], "no score is typed in"
    assert edited.payload["answer"].startswith("Mount Fuji is 3,776 metres high [m:")
    with pytest.raises(ProposalRefusedError, match="somebody else"):
        _decide(services, edited, "approve", "mara")
    with pytest.raises(StaleVersionError):
        _decide(services, item, "approve", "ann")
    assert _entries(services) == []
    assert _decide(services, edited, "approve", "ann")["outcome"] == "approved"
    (entry,) = _entries(services)
    assert (entry.human_override, entry.reviewers, entry.payload["origin"]) == (True, ("ann",), "human")


def test_sources_are_added_and_removed_by_name_and_only_from_the_list(tmp_path: Path) -> None:
    services, item = _waiting(tmp_path)
    atlas = {"locator": "atlas/japan.md"}
    _decide(services, item, "edit", "mara", payload={**item.payload, "sources": [atlas]})
    edited = services.memory.queue.get(item.id, scope=SCOPE)
    assert [row["locator"] for row in edited.payload["sources"]] == ["atlas/japan.md"]
    (tmp_path / "secret.md").write_text("Mount Fuji is 3,776 metres high.", "utf-8")
    for name in ("secret.md", "../secret.md", "survey/../secret.md", "/etc/passwd"):
        with pytest.raises(ProposalRefusedError, match="not among"):
            _decide(services, edited, "edit", "mara", payload={**edited.payload, "sources": [{"locator": name}]})


def test_an_approval_is_refused_when_a_source_has_changed(tmp_path: Path) -> None:
    services, item = _waiting(tmp_path)
    for name in ("survey/fuji.md", "atlas/japan.md"):
        (tmp_path / name).write_text("Mount Fuji is 3,775 metres high.\n", "utf-8")
    with pytest.raises(ProposalRefusedError, match="has changed"):
        _decide(services, item, "approve", "mara")
    assert _entries(services) == []
    assert services.memory.queue.get(item.id, scope=SCOPE).status.value == "pending"


def test_an_approval_is_refused_when_its_sources_have_aged(tmp_path: Path) -> None:
    clock = SetClock()
    services, item = _waiting(tmp_path, clock)
    clock.forward(days=366)
    with pytest.raises(ProposalRefusedError, match="aged"):
        _decide(services, item, "approve", "mara")
    assert _entries(services) == []


def test_an_approval_in_phase_0_is_refused_before_it_is_made(tmp_path: Path) -> None:
    services, item = _waiting(tmp_path, phase=0)
    with pytest.raises(ProposalRefusedError, match="phase 0"):
        _decide(services, item, "approve", "mara")
    assert services.memory.queue.get(item.id, scope=SCOPE).status.value == "pending"


@pytest.mark.parametrize(
    "change",
    [{"answer": " "}, {"answer": "x" * 9_000}, {"sources": "all"}, {"sources": [{}]}, {"more": 1}, {"answer": 7}],
)
def test_a_payload_that_is_none_is_refused(change: dict[str, Any], tmp_path: Path) -> None:
    services, item = _waiting(tmp_path)
    with pytest.raises(ProposalRefusedError):
        _decide(services, item, "edit", "mara", payload={**item.payload, **change})


@pytest.mark.parametrize("lang", ["en", "ja"])
def test_a_person_reads_question_score_reason_and_quoted_words(lang: str, tmp_path: Path) -> None:
    services, item = _waiting(tmp_path)
    review = build_review(services=services, checkpointer=InMemorySaver())
    config: Any = {"configurable": {"thread_id": "r"}}
    context = ReviewContext(tenant="local", user=CACHE_USER, reviewer="mio", lang=lang)
    (asked,) = review.invoke({"item": item.id}, config, context=context)["__interrupt__"]
    text = asked.value["text"]
    for words in ("How tall is Mount Fuji?", "survey/fuji.md", "Mount Fuji is 3,776 metres high.", "0.600"):
        assert words in text
    assert {"en": "independent reviewer", "ja": "独立した審査役"}[lang] in text


class TestFlags:
    """A flag takes an answer out at once; a person says what becomes of it."""

    def _kept(self, tmp_path: Path) -> tuple[AppServices, str]:
        services, item = _waiting(tmp_path)
        _decide(services, item, "approve", "mara")
        (entry,) = _entries(services)
        return services, entry.id

    def _flag(self, services: AppServices, entry: str, by: str = "ann") -> QueueItem:
        found = services.flag(entry, tenant="local", by=by, note="It is 3,775.")
        return services.memory.queue.get(found, scope=SCOPE)

    def test_it_is_not_served_from_the_flag_on(self, tmp_path: Path) -> None:
        services, entry = self._kept(tmp_path)
        item = self._flag(services, entry)
        assert not services.answer_library.store.get(entry, tenant="local").servable
        assert (item.kind, item.requester) == ("cache_flag", "ann")

    def test_it_ends_with_an_approval_and_comes_back_with_a_rejection(self, tmp_path: Path) -> None:
        services, entry = self._kept(tmp_path)
        _decide(services, self._flag(services, entry), "reject", "mara")
        assert services.answer_library.store.get(entry, tenant="local").servable
        item = self._flag(services, entry, by="juno")
        assert not services.answer_library.store.get(entry, tenant="local").servable
        _decide(services, item, "approve", "mara")
        assert services.answer_library.store.get(entry, tenant="local").status is EntryStatus.deprecated

    def test_a_second_flag_by_another_person_makes_it_contested(self, tmp_path: Path) -> None:
        services, entry = self._kept(tmp_path)
        self._flag(services, entry)
        self._flag(services, entry)
        assert services.answer_library.flaggers(entry, tenant="local") == ("ann",)
        self._flag(services, entry, by="juno")
        assert services.answer_library.flaggers(entry, tenant="local") == ("ann", "juno")
