"""Whatever is proposed, edited and decided in whatever order: nothing is lost, nothing is decided twice."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, consumes, invariant, multiple, rule

from rqa_checkpoints.errors import AlreadyDecidedError, RuleBrokenError, StaleVersionError, UnknownProposalError
from rqa_checkpoints.proposals import Attestation, Proposal, adoption, proposal_id
from rqa_checkpoints.provenance import Scope
from tests.support.memories import ANN, AT, BOB, open_memory

_PERSONS = st.sampled_from([ANN, BOB])
_WORDS = st.sampled_from(["ask who", "ask when", "誰かを問う", "いつかを問う"])
_AREA = "habits"


@dataclass
class _Expected:
    """One item as it should stand."""

    words: str
    version: int = 1
    status: str = "pending"
    marks: set[str] = field(default_factory=set)


class Queue(RuleBasedStateMachine):
    """The queue beside the simplest account of it."""

    items = Bundle("items")

    def __init__(self) -> None:
        super().__init__()
        self.memory = open_memory()
        self.expected: dict[tuple[Scope, str], _Expected] = {}
        self.contents: dict[Scope, list[dict[str, Any]]] = {ANN: [{}], BOB: [{}]}
        self.stands: dict[Scope, list[int]] = {ANN: [0], BOB: [0]}

    def teardown(self) -> None:
        self.memory.close()

    @rule(target=items, scope=_PERSONS, key=st.integers(0, 5), words=_WORDS)
    def put(self, scope: Scope, key: int, words: str) -> Any:
        known = (scope, proposal_id(scope, "habit", str(key))) in self.expected
        proposal = Proposal(kind="habit", payload={"line": words}, requester="engine", key=str(key))
        found = self.memory.queue.put(proposal, scope=scope, at=AT)
        assert found.state == ("known" if known else "queued")
        if known:
            return multiple()
        self.expected[scope, found.id] = _Expected(words=words)
        return scope, found.id

    @rule(named=items, words=_WORDS, off=st.integers(-1, 1))
    def revise(self, named: tuple[Scope, str], words: str, off: int) -> None:
        scope, item = named
        known = self.expected[named]
        options: dict[str, Any] = {"scope": scope, "version": known.version + off, "by": "mio", "at": AT}
        try:
            found = self.memory.queue.revise(item, {"line": words}, **options)
        except AlreadyDecidedError:
            assert known.status != "pending"
        except StaleVersionError:
            assert off
        else:
            repeated = off == -1 and words == known.words and known.version > 1
            assert repeated or (known.status, off) == ("pending", 0)
            known.version += not repeated and words != known.words
            known.words = words
            assert found.version == known.version

    @rule(named=items, off=st.integers(-1, 1), approve=st.booleans(), thread=st.sampled_from("ab"))
    def decide(self, named: tuple[Scope, str], off: int, approve: bool, thread: str) -> None:
        scope, item = named
        known = self.expected[named]
        decision = Attestation(
            item=item,
            version=known.version + off,
            verdict="approve" if approve else "reject",
            by="mio",
            at=AT,
            thread=thread,
        )
        before = self.memory.log.head()
        try:
            done = self.memory.queue.decide(
                decision,
                scope=scope,
                effects=lambda read: [
                    adoption(_AREA, {"line": known.words}, current=read(_AREA), attestation=decision)
                ],
            )
        except (AlreadyDecidedError, StaleVersionError):
            assert known.status != "pending" or off
            assert self.memory.log.head() == before
            return
        if done.state == "repeated":
            assert decision.mark in known.marks
            assert self.memory.log.head() == before
            return
        assert (known.status, off) == ("pending", 0)
        known.status = "approved" if approve else "rejected"
        known.marks.add(decision.mark)
        if approve:
            self.contents[scope].append({"line": known.words})
            self.stands[scope].append(len(self.contents[scope]) - 1)

    @rule(scope=_PERSONS)
    def roll_back(self, scope: Scope) -> None:
        versions = self.stands[scope]
        try:
            found = self.memory.queue.rollback(_AREA, scope=scope, by="mio", at=AT)
        except RuleBrokenError:
            assert versions[-1] == 0
            return
        target = versions[-1] - 1
        self.contents[scope].append(self.contents[scope][target])
        versions.append(target)
        assert found.restores == target

    @rule(named=consumes(items))
    def look_as_somebody_else(self, named: tuple[Scope, str]) -> None:
        scope, item = named
        other = BOB if scope == ANN else ANN
        if (other, item) not in self.expected:
            try:
                self.memory.queue.get(item, scope=other)
            except UnknownProposalError:
                return
            raise AssertionError(item)

    @invariant()
    def nothing_is_lost_and_nothing_is_decided_twice(self) -> None:
        found = {(s, i.id): i for s in (ANN, BOB) for i in self.memory.queue.items(scope=s)}
        assert found.keys() == self.expected.keys()
        for named, item in found.items():
            known = self.expected[named]
            assert (item.version, item.status, item.payload["line"]) == (known.version, known.status, known.words)
        decisions = Counter(
            (Scope(e.tenant, e.user), e.public()["id"]) for e in self.memory.log.events() if e.op == "decide"
        )
        assert decisions == Counter(named for named, known in self.expected.items() if known.status != "pending")

    @invariant()
    def what_was_adopted_is_what_was_approved_or_brought_back(self) -> None:
        for scope in (ANN, BOB):
            history = self.memory.queue.history(_AREA, scope=scope)
            assert [dict(row.content) for row in history] == self.contents[scope][1:]
            assert [row.version for row in history] == [*range(1, len(history) + 1)]

    @invariant()
    def the_log_in_its_order_is_the_truth(self) -> None:
        assert self.memory.verify_chain() is None
        assert self.memory.log.replayed_hash() == self.memory.log.state_hash()


Queue.TestCase.settings = settings(max_examples=8, stateful_step_count=20, deadline=None)
TestQueue = Queue.TestCase
