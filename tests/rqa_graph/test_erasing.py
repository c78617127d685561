"""After an erasure no byte of the text is left under the home, and everything of others is as it was."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from rqa_checkpoints.errors import UnknownNodeError
from rqa_checkpoints.provenance import MemoryNode, Proposal, Scope, SourceClass, Status
from rqa_graph.cli.common import Common
from rqa_graph.cli.session import TurnSession, open_turns
from rqa_graph.erasing import CHAT_HISTORY, Eraser
from rqa_graph.services import open_eraser
from rqa_graph.settings import Settings
from tests.support.cli import clean_environment
from tests.support.residue import traces

ANN, BOB = Scope("local", "ann"), Scope("local", "bob")
SECRETS = {"en": "I keep nineteen hives behind the mill at Lund.", "ja": "私は大阪の北浜で織物の店を十九年しています。"}
QUESTIONS = {"en": "What do you know about my hives?", "ja": "私の織物の店について何を知っていますか？"}
OTHERS = {"en": "I restore wooden boats in Oban.", "ja": "私は小樽で木の船を直しています。"}
ABOUT_OTHERS = {"en": "wooden boats", "ja": "木の船"}
BY_HAND = {
    "en": "\n# 2026-03-01 09:00:00\n+{secret}\n\n# 2026-03-01 09:01:00\n+/memory\n",
    "ja": "\n# 2026-03-01 09:00:00\n+{secret}\n\n# 2026-03-01 09:01:00\n+/memory\n",
}
AT = "2026-03-01T09:00:00+00:00"


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    clean_environment(monkeypatch)
    monkeypatch.setenv("RQA_MODELS__CHAT", "builtin")
    monkeypatch.setenv("RQA_MEMORY__EMBEDDER", "hash")
    return tmp_path / "home"


@contextmanager
def opened(home: Path, user: str = "ann") -> Iterator[TurnSession]:
    with open_turns(Common(home=str(home), user=user)) as session:
        yield session


@contextmanager
def eraser_of(home: Path, session: TurnSession) -> Iterator[Eraser]:
    saver: Any = session.graph.checkpointer
    with open_eraser(session.services.memory, Settings.load(home=str(home)), saver=saver) as eraser:
        yield eraser


def say(session: TurnSession, text: str, thread: str, user: str) -> None:
    context: Any = {"tenant": "local", "user": user}
    session.graph.invoke(
        {"messages": [{"role": "user", "content": text}]}, {"configurable": {"thread_id": thread}}, context=context
    )


def live_in(home: Path, lang: str) -> MemoryNode:
    """Two persons talk; the secret of one is said, cited, quoted, proposed, noted, stored and typed."""
    secret = SECRETS[lang]
    with opened(home) as session:
        memory = session.services.memory
        say(session, secret, "a1", "ann")
        say(session, QUESTIONS[lang], "a2", "ann")
        say(session, OTHERS[lang], "b1", "bob")
        [node] = [node for node in memory.list(scope=ANN) if node.text == secret]
        memory.add(f"A guess: {secret}", scope=ANN, source=SourceClass.assistant, author="model")
        claim = memory.add("Mills are loud.", scope=ANN, source=SourceClass.assistant, author="model", kind=None)
        memory.relate(claim.id, node.id, "mentions", scope=ANN)
        memory.put_blob(f"{secret} " * 3, scope=ANN)
        if claim.kind.value in {"claim", "answer", "note"}:
            memory.set_status(claim.id, Status.archived, scope=ANN, reason=f"because {secret}")
        proposal = Proposal(kind="self_update", payload={"why": secret}, requester="model", key="k")
        memory.queue.put(proposal, scope=ANN, at=AT)
        memory.recall(secret, scope=ANN)
    (home / CHAT_HISTORY).write_text(BY_HAND[lang].format(secret=secret), "utf-8")
    return node


def of(home: Path, scope: Scope) -> list[MemoryNode]:
    with opened(home, scope.user) as session:
        return session.services.memory.list(scope=scope, limit=1000)


@pytest.mark.parametrize("lang", ["en", "ja"])
def test_no_byte_of_an_erased_item_is_left_and_others_are_as_they_were(home: Path, lang: str) -> None:
    node = live_in(home, lang)
    before = of(home, BOB)
    forms = {found.rsplit(": ", 1)[1] for found in traces(home, SECRETS[lang].strip(".。"))}
    assert "utf-8" in forms, "the search itself must be able to find something"
    with opened(home) as session, eraser_of(home, session) as eraser:
        plan = eraser.plan_item(node.handle, scope=ANN)
        assert {"a1", "a2"} == set(plan.threads)
        receipt = eraser.erase(plan)
        memory = session.services.memory
        assert memory.verify_chain() is None
        assert memory.state_hash() == memory.log.replayed_hash()
        assert [found.node.text for found in memory.recall(ABOUT_OTHERS[lang], scope=BOB).items] == [OTHERS[lang]]
        with pytest.raises(UnknownNodeError):
            memory.show(node.handle, scope=ANN)
    assert traces(home, SECRETS[lang].strip(".。")) == []
    assert of(home, BOB) == before
    cleared = receipt["cleared"]
    assert (cleared["items"], cleared["documents"], cleared["reviews"], cleared["typed"]) >= (2, 1, 1, 1)
    assert cleared["threads"] == 2
    assert cleared["messages"] >= 2
    assert "/memory" in (home / CHAT_HISTORY).read_text("utf-8")
    with opened(home, "bob") as session:
        say(session, QUESTIONS[lang], "b1", "bob")
        assert session.services.memory.is_intact()
