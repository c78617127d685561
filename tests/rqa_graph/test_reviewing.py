"""A person decides in a thread of its own: once, on the version that was seen, and everybody else is told."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command
from pydantic import ValidationError

from rqa_checkpoints.errors import AlreadyDecidedError, StaleVersionError, UnknownKindError, UnknownProposalError
from rqa_checkpoints.provenance import HOME_SCOPE, Proposal, Scope
from rqa_graph.reachability import assert_verified, find_leaks
from rqa_graph.reviewing import KINDS, ReviewGraph, build_review, decide, graph
from rqa_graph.services import AppServices
from rqa_graph.turn_saver import TurnSaver
from rqa_nodes.errors import ProposalRefusedError
from rqa_nodes.reflect.rubric import rubric_hash
from rqa_nodes.review import ReviewContext
from rqa_nodes.review_answer import Answer
from rqa_nodes.review_words import REVIEW_WORDS
from tests.support.graphs import scripted_services
from tests.support.opened import Opened
from tests.support.turns import FORMS, Form
from tests.support.wishes import WISH

pytestmark = pytest.mark.thinned

MARA = Scope("local", "mara")
AT = "2026-06-01T09:00:00+00:00"
JUDGE = {
    "release": "own",
    "endpoint": "http://127.0.0.1:11434",
    "model": "gemma4:12b",
    "key_variable": "",
    "rubric_hash": rubric_hash(),
}

both = pytest.mark.parametrize("lang", ["en", "ja"])
forms = pytest.mark.parametrize("form", FORMS)


def _queued(services: AppServices, lang: str = "en", *, key: str = "k", scope: Scope = MARA) -> str:
    proposal = Proposal(kind="self_update", payload=WISH[lang], requester="scripted", key=key)
    return services.memory.queue.put(proposal, scope=scope, at=AT).id


def _review(services: AppServices) -> ReviewGraph:
    return build_review(services=services, checkpointer=InMemorySaver())


def _run(review: ReviewGraph, given: Any, *, form: Form = "sync", thread: str = "r", **context: Any) -> dict[str, Any]:
    config: Any = {"configurable": {"thread_id": thread}}
    who = ReviewContext(**{"user": "mara", **context})
    if form == "async":
        return asyncio.run(review.ainvoke(given, config, context=who))
    return review.invoke(given, config, context=who)


def _answer(decision: str, version: int = 1, **more: Any) -> Any:
    return Command(resume={"decision": decision, "version": version, **more})


def _asked(found: dict[str, Any]) -> dict[str, Any]:
    (interrupt,) = found["__interrupt__"]
    value: dict[str, Any] = interrupt.value
    return value


@both
@forms
def test_an_approval_changes_what_it_said_it_would_and_says_so(lang: str, form: Form, opened: Opened) -> None:
    services = opened()
    item, review = _queued(services, lang), _review(services)
    asked = _asked(_run(review, {"item": item}, form=form))
    assert (asked["item"], asked["kind"], asked["version"]) == (item, "self_update", 1)
    assert f"+ {WISH[lang]['proposed_adjustment']}" in asked["text"].splitlines()
    assert set(asked["schema"]["properties"]) == set(WISH[lang])
    assert services.memory.queue.areas(scope=MARA) == []
    done = _run(review, _answer("approve", note="so"), form=form, reviewer="mio")
    assert (done["outcome"], done["status"], done["version"]) == ("approved", "approved", 1)
    assert done["messages"][-1].text == REVIEW_WORDS[lang]["approved"].format(item=item, version=1, by="mio")
    (stands,) = services.memory.queue.areas(scope=MARA)
    assert (stands.content, stands.by, stands.item) == ({"lines": [WISH[lang]["proposed_adjustment"]]}, "mio", item)
    assert services.memory.queue.get(item, scope=MARA).note == "so"


@both
@forms
def test_a_rejection_changes_nothing_and_says_so(lang: str, form: Form, opened: Opened) -> None:
    services = opened()
    item, review = _queued(services, lang), _review(services)
    _run(review, {"item": item}, form=form)
    done = _run(review, _answer("reject"), form=form)
    assert done["messages"][-1].text == REVIEW_WORDS[lang]["rejected"].format(item=item, version=1, by="mara")
    assert services.memory.queue.areas(scope=MARA) == []


@both
@forms
def test_an_edit_is_asked_about_again_as_the_next_version(lang: str, form: Form, opened: Opened) -> None:
    services = opened()
    item, review = _queued(services, lang), _review(services)
    _run(review, {"item": item}, form=form)
    edited = {**WISH[lang], "proposed_adjustment": WISH[lang]["observation"]}
    again = _asked(_run(review, _answer("edit", payload=edited), form=form))
    assert again["version"] == 2
    assert f"+ {WISH[lang]['observation']}" in again["text"].splitlines()
    done = _run(review, _answer("approve", version=2), form=form)
    assert (done["outcome"], done["version"]) == ("approved", 2)


@both
def test_approving_twice_or_what_nobody_has_is_refused_in_words(lang: str, opened: Opened) -> None:
    services = opened()
    item, review = _queued(services, lang), _review(services)
    _run(review, {"item": item})
    _run(review, _answer("approve"))
    twice = _run(review, {"item": item}, lang=lang)
    assert twice["outcome"] == "already_decided"
    assert "mara" in twice["messages"][-1].text
    for unknown in (_run(review, {"item": "q0"}, lang=lang), _run(review, {"item": item}, lang=lang, user="juno")):
        assert unknown["outcome"] == "unknown"
    assert len(services.memory.queue.history("question_generation_bias", scope=MARA)) == 1


@both
def test_a_version_that_is_no_longer_the_latest_decides_nothing(lang: str, opened: Opened) -> None:
    services = opened()
    item, review = _queued(services, lang), _review(services)
    _run(review, {"item": item})
    services.memory.queue.revise(item, WISH["en" if lang == "ja" else "ja"], scope=MARA, version=1, by="x", at=AT)
    stale = _run(review, _answer("approve"), lang=lang)
    assert (stale["outcome"], stale["version"], stale["status"]) == ("stale", 2, "pending")
    assert services.memory.queue.areas(scope=MARA) == []


@both
@pytest.mark.parametrize(
    "changed", [{"allowed_area": "evaluator_criteria"}, {"observation": "password: hunter2"}, {"extra": "x"}]
)
def test_a_person_cannot_edit_the_yardstick_or_a_secret_into_it(
    changed: dict[str, str], lang: str, opened: Opened
) -> None:
    services = opened()
    item, review = _queued(services, lang), _review(services)
    _run(review, {"item": item})
    refused = _run(review, _answer("edit", payload={**WISH[lang], **changed}))
    assert (refused["outcome"], refused["status"], refused["version"]) == ("refused", "pending", 1)
    assert "hunter2" not in refused["messages"][-1].text


def test_an_answer_of_another_shape_is_refused_and_may_be_given_again(opened: Opened) -> None:
    services = opened()
    item, review = _queued(services), _review(services)
    _run(review, {"item": item})
    for wrong in ({"decision": "apply", "version": 1}, {"decision": "approve"}, "yes", {"decision": "edit", "x": 1}):
        with pytest.raises(ValidationError):
            _run(review, Command(resume=wrong))
    assert _run(review, _answer("approve"))["outcome"] == "approved"


@forms
def test_of_two_persons_who_were_asked_the_first_decides_and_the_second_is_told(form: Form, opened: Opened) -> None:
    services = opened()
    item, review = _queued(services), _review(services)
    for thread in "ab":
        _run(review, {"item": item}, form=form, thread=thread)
    first = _run(review, _answer("reject"), form=form, thread="b", reviewer="mio")
    second = _run(review, _answer("approve"), form=form, thread="a", reviewer="aki")
    assert (first["outcome"], second["outcome"]) == ("rejected", "already_decided")
    assert "mio" in second["messages"][-1].text
    assert services.memory.queue.areas(scope=MARA) == []


def test_of_many_who_decide_at_once_exactly_one_wins(opened: Opened) -> None:
    services = opened()
    item, review = _queued(services), _review(services)
    threads = [f"t{number}" for number in range(8)]
    for thread in threads:
        _run(review, {"item": item}, thread=thread)

    def answer(thread: str) -> str:
        return str(_run(review, _answer("approve"), thread=thread, reviewer=thread)["outcome"])

    with ThreadPoolExecutor(8) as pool:
        outcomes = sorted(pool.map(answer, threads))
    assert outcomes == ["already_decided"] * 7 + ["approved"]
    assert len(services.memory.queue.history("question_generation_bias", scope=MARA)) == 1


def test_a_commit_that_runs_again_after_a_crash_is_the_same_decision(opened: Opened) -> None:
    services = opened()
    item, review = _queued(services), _review(services)
    _run(review, {"item": item})
    _run(review, _answer("approve"))
    config: Any = {"configurable": {"thread_id": "r"}}
    before_commit = next(s for s in review.get_state_history(config) if s.next == ("commit",))
    head = services.memory.log.head()
    again = review.invoke(None, before_commit.config, context=ReviewContext(user="mara"))
    assert again["outcome"] == "approved"
    assert services.memory.log.head() == head


def test_a_review_outlives_its_process(tmp_path: Path) -> None:
    home, kept = tmp_path / "home", str(tmp_path / "checkpoints")
    services = scripted_services(home, embedder="hash")
    item = _queued(services)
    with TurnSaver.from_location(kept) as saver:
        _run(build_review(services=services, checkpointer=saver), {"item": item})
    services.close()
    services = scripted_services(home, embedder="hash")
    with TurnSaver.from_location(kept) as saver:
        done = _run(build_review(services=services, checkpointer=saver), _answer("approve"))
    assert (done["outcome"], len(services.memory.queue.areas(scope=MARA))) == ("approved", 1)
    services.close()


class TestTheHome:
    def test_decides_on_its_evaluator_and_no_person_does(self, opened: Opened) -> None:
        services = opened()
        proposal = Proposal(kind="evaluator_binding", payload=JUDGE, requester="mara", key="k")
        item = services.memory.queue.put(proposal, scope=HOME_SCOPE, at=AT).id
        review = _review(services)
        assert _run(review, {"item": item})["outcome"] == "unknown"
        home: dict[str, Any] = {"tenant": HOME_SCOPE.tenant, "user": HOME_SCOPE.user}
        _run(review, {"item": item}, **home)
        assert _run(review, _answer("approve"), **home)["outcome"] == "approved"
        stands = services.memory.queue.adopted("evaluator_binding", scope=HOME_SCOPE)
        assert stands is not None
        assert (dict(stands.content), stands.by) == (JUDGE, "mara")

    @pytest.mark.parametrize("kind", ["evaluator_binding", "cache_entry"])
    def test_what_is_no_kind_of_this_queue_cannot_be_decided(self, kind: str, opened: Opened) -> None:
        services = opened()
        item = services.memory.queue.put(
            Proposal(kind=kind, payload=JUDGE, requester="x", key="k"), scope=MARA, at=AT
        ).id
        assert _run(_review(services), {"item": item})["outcome"] == "unknown_kind"


class TestDeciding:
    def _decide(self, services: AppServices, item: str, answer: dict[str, Any]) -> dict[str, Any]:
        context = ReviewContext(tenant="local", user="mara", reviewer="mio", lang="en")
        return decide(_review(services), item, Answer.model_validate(answer), context=context)

    def test_is_one_call_and_every_refusal_an_error_that_says_what_stands(self, opened: Opened) -> None:
        services = opened()
        item = _queued(services)
        edited = {**WISH["en"], "proposed_adjustment": "Ask when."}
        done = self._decide(services, item, {"decision": "edit", "version": 1, "payload": edited})
        assert (done["outcome"], done["version"]) == ("edited", 2)
        with pytest.raises(StaleVersionError):
            self._decide(services, item, {"decision": "approve", "version": 1})
        with pytest.raises(ProposalRefusedError):
            self._decide(services, item, {"decision": "edit", "version": 2, "payload": {}})
        assert self._decide(services, item, {"decision": "approve", "version": 2})["outcome"] == "approved"
        with pytest.raises(AlreadyDecidedError, match="mio"):
            self._decide(services, item, {"decision": "reject", "version": 2})
        with pytest.raises(UnknownProposalError):
            self._decide(services, "q0", {"decision": "approve", "version": 1})
        odd = services.memory.queue.put(Proposal(kind="odd", payload={}, requester="x", key="k"), scope=MARA, at=AT)
        with pytest.raises(UnknownKindError):
            self._decide(services, odd.id, {"decision": "approve", "version": 1})


def test_no_run_can_end_anywhere_but_in_the_verifier() -> None:
    assert find_leaks(graph) == ()
    assert_verified(graph)
    assert set(graph.get_graph().nodes) >= {"load", "ask", "attest", "commit", "verify"}


def test_each_kind_has_a_name_a_reach_and_a_closed_schema() -> None:
    for name, kind in KINDS.items():
        assert name == kind.name
        assert kind.reach in {"person", "tenant", "home"}
        assert kind.schema["additionalProperties"] is False


def test_the_fixed_words_have_the_same_keys_in_both_languages() -> None:
    assert set(REVIEW_WORDS["en"]) == set(REVIEW_WORDS["ja"])
