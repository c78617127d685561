"""After an erasure no byte of the text is left under the home, and everything of others is as it was."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from langgraph.graph import START, MessagesState, StateGraph

from rqa_checkpoints.errors import HomeLockedError, UnknownNodeError
from rqa_checkpoints.provenance import MemoryNode, Proposal, Scope, SourceClass, Status
from rqa_graph.cli.common import Common
from rqa_graph.cli.session import TurnSession, open_turns
from rqa_graph.erasing import CHAT_HISTORY, Eraser
from rqa_graph.memory_opening import open_eraser
from rqa_graph.settings import Settings
from tests.support.cli import clean_environment
from tests.support.memories import Clock, open_memory
from tests.support.residue import traces

pytestmark = pytest.mark.thinned

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
    assert {"utf-8", "zlib"} <= forms, "the search itself must be able to find something, in checkpoints too"
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


@pytest.mark.parametrize("lang", ["en", "ja"])
@pytest.mark.parametrize("mark", ["\u2028", "\x0c", "\x85", "\r"])
def test_a_typed_line_ends_at_a_line_feed_and_at_no_other_mark(home: Path, lang: str, mark: str) -> None:
    kept = f"\n# 2026-03-01 09:01:00\n+{OTHERS[lang]}{mark}{OTHERS[lang]}\n"
    gone = f"\n# 2026-03-01 09:00:00\n+/memory{mark}{SECRETS[lang]}\n"
    with opened(home) as session, eraser_of(home, session) as eraser:
        node = session.services.memory.add(SECRETS[lang], scope=ANN, source=SourceClass.user, author="ann")
        (home / CHAT_HISTORY).write_bytes(f"{gone}{kept}".encode())
        assert eraser.erase(eraser.plan_item(node.handle, scope=ANN))["cleared"]["typed"] == 1
    assert (home / CHAT_HISTORY).read_bytes().decode() == kept


@pytest.mark.parametrize("lang", ["en", "ja"])
def test_everything_of_a_person_goes_and_nothing_of_another(home: Path, lang: str) -> None:
    live_in(home, lang)
    before = of(home, BOB)
    with opened(home) as session, eraser_of(home, session) as eraser:
        receipt = eraser.erase(eraser.plan_person(ANN))
        memory = session.services.memory
        assert memory.list(scope=ANN) == []
        assert memory.state_hash() == memory.log.replayed_hash()
        assert eraser.finish() == [], "it is done"
    assert receipt["cleared"]["figures"] == 2
    assert set(receipt["persons"]) == {"ann"}
    for text in (SECRETS[lang], QUESTIONS[lang], "Mills are loud."):
        assert traces(home, text.strip(".。?？")) == []
    assert of(home, BOB) == before
    assert any(OTHERS[lang] in node.text for node in before)
    assert len((home / "telemetry.jsonl").read_text("utf-8").splitlines()) == 1


def test_a_whole_tenant_goes_under_one_receipt(home: Path) -> None:
    live_in(home, "en")
    with opened(home) as session, eraser_of(home, session) as eraser:
        receipt = eraser.erase(eraser.plan_tenant("local"))
        memory = session.services.memory
        assert (memory.list(scope=ANN), memory.list(scope=BOB)) == ([], [])
        assert memory.verify_chain() is None
    assert receipt["persons"] == ["ann", "bob"]
    assert len(receipt["erased_in"]) == 2
    assert traces(home, SECRETS["en"].strip(".")) + traces(home, OTHERS["en"].strip(".")) == []


def test_a_thread_of_another_graph_goes_only_if_it_holds_the_words(home: Path) -> None:
    live_in(home, "en")
    with opened(home) as session, eraser_of(home, session) as eraser:
        builder = StateGraph(MessagesState)
        builder.add_node("echo", lambda state: {"messages": [("ai", state["messages"][-1].text)]})
        builder.add_edge(START, "echo")
        graph = builder.compile(checkpointer=session.graph.checkpointer)
        for thread, text in (("x1", f"He said: {SECRETS['en']}"), ("x2", "Something else entirely.")):
            said: Any = {"messages": [("user", text)]}
            graph.invoke(said, {"configurable": {"thread_id": thread}})
        assert set(eraser.plan_person(ANN).threads) == {"a1", "a2", "x1"}


def test_a_reader_of_the_old_state_delays_the_receipt_and_the_next_start_brings_it(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    node = live_in(home, "en")
    monkeypatch.setattr("rqa_checkpoints.sqlite._BUSY_MILLISECONDS", 50)
    reader = sqlite3.connect(home / "log.sqlite")
    reader.execute("BEGIN")
    reader.execute("SELECT count(*) FROM event").fetchone()
    with opened(home) as session, eraser_of(home, session) as eraser, pytest.raises(HomeLockedError):
        eraser.erase(eraser.plan_item(node.handle, scope=ANN))
    reader.close()
    with opened(home) as session:
        assert session.services.memory.pending_erasures() == []
    assert traces(home, SECRETS["en"].strip(".")) == []


def test_short_words_take_only_what_says_nothing_else(home: Path) -> None:
    with opened(home) as session, eraser_of(home, session) as eraser:
        memory = session.services.memory
        for text in ("Ann", "Ann sails.", "Anna"):
            memory.add(text, scope=ANN, source=SourceClass.user, author="ann")
        [short] = [node for node in memory.list(scope=ANN) if node.text == "Ann"]
        assert [node.text for node in eraser.plan_item(short.handle, scope=ANN).erasures[0].nodes] == ["Ann"]


def test_another_persons_item_is_an_unknown_one(home: Path) -> None:
    node = live_in(home, "en")
    with opened(home) as session, eraser_of(home, session) as eraser, pytest.raises(UnknownNodeError):
        eraser.plan_item(node.handle, scope=BOB)


def test_what_the_assistant_made_of_it_goes_and_what_a_person_said_stays(home: Path) -> None:
    with opened(home) as session, eraser_of(home, session) as eraser:
        memory = session.services.memory
        first = memory.add("The vault code is 7731.", scope=ANN, source=SourceClass.user, author="ann")
        made = memory.add(
            "They guard valuables.", scope=ANN, source=SourceClass.assistant, author="m", derived_from=[first.id]
        )
        said = memory.add("I own a painting.", scope=ANN, source=SourceClass.user, author="ann", derived_from=[made.id])
        eraser.erase(eraser.plan_item(first.handle, scope=ANN))
        assert [node.id for node in memory.list(scope=ANN)] == [said.id]
        assert memory.show(said.handle, scope=ANN).node.derived_from == (made.id,)
    assert traces(home, "They guard valuables") == []


@pytest.mark.parametrize(
    "step",
    [
        *("decided", "swapped"),
        *(
            pytest.param(step, marks=pytest.mark.full)
            for step in ("history", "copied", "checkpoints", "index", "log", "told")
        ),
    ],
)
def test_an_erasure_that_is_killed_is_finished_by_the_next_start(home: Path, step: str, programs: Path) -> None:
    node = live_in(home, "en")
    before = of(home, BOB)
    done = subprocess.run(
        [programs / "python", "-m", "tests.support.erase_and_die", home, node.handle, step],
        cwd=Path(__file__).parents[2],
        env=dict(os.environ),
        capture_output=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == -signal.SIGKILL, done.stderr.decode()
    with opened(home) as session:
        memory = session.services.memory
        assert memory.pending_erasures() == []
        assert memory.verify_chain() is None
        kept = [one.text for one in memory.list(scope=ANN, limit=100)]
        say(session, "And one more thing: I swim.", "a9", "ann")
    if step == "history":  # nothing was decided yet, and all of it is there
        assert SECRETS["en"] in kept
    else:
        assert traces(home, SECRETS["en"].strip(".")) == []
    assert not [path for path in home.rglob("*") if path.name.endswith((".old", ".fresh", ".new"))]
    assert of(home, BOB) == before


@pytest.mark.parametrize(("verb", "stance"), [("confirm", "confirmed"), ("deny", "denied")])
def test_an_answer_that_is_erased_answers_nothing(verb: str, stance: str, tmp_path: Path) -> None:
    with open_memory() as memory:
        guess = memory.add("You fear failing.", scope=ANN, source=SourceClass.assistant, author="m")
        answer = getattr(memory, verb)(guess.handle, scope=ANN)
        assert memory.answered([guess.id], scope=ANN)[guess.id].stance == stance
        eraser = Eraser(memory, home=tmp_path, threads=None, clock=Clock())
        eraser.erase(eraser.plan_item(answer.handle, scope=ANN))
        assert memory.answered([guess.id], scope=ANN) == {}
        assert memory.show(guess.handle, scope=ANN).node.text == "You fear failing."
