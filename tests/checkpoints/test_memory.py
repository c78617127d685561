"""The verbs of the memory, on a real log."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from rqa_checkpoints.errors import CheckpointError, RefusedTextError, RuleBrokenError, UnknownNodeError
from rqa_checkpoints.memory import ProvenanceMemory
from rqa_checkpoints.provenance import Kind, SourceClass, Status
from rqa_checkpoints.queries import NodeFilter
from tests.support.memories import ANN, BOB, open_memory, take_turn, texts

pytestmark = pytest.mark.log_contract

USER, ASSISTANT, EXTERNAL, SYSTEM = SourceClass.user, SourceClass.assistant, SourceClass.external, SourceClass.system


@pytest.fixture
def memory() -> Iterator[ProvenanceMemory]:
    with open_memory() as opened:
        yield opened


@pytest.mark.parametrize("text", ["I keep bees. They hum.", "蜂を飼っています。羽音がします。"])
def test_a_direct_write_is_one_item_with_its_whole_text(memory: ProvenanceMemory, text: str) -> None:
    node = memory.add(text, scope=ANN, source=EXTERNAL, author="reader", locator="notes.md", tags=["bees"])
    assert (node.text, node.source, node.author, node.locator, node.tags) == (
        text,
        EXTERNAL,
        "reader",
        "notes.md",
        ("bees",),
    )
    assert memory.get([node.id], scope=ANN) == [node]


def test_a_direct_write_without_a_source_is_no_call(memory: ProvenanceMemory) -> None:
    with pytest.raises(TypeError, match="source"):
        memory.add("x", scope=ANN, author="ann")  # type: ignore[call-arg]  # that is the point
    with pytest.raises(ValueError, match="owner"):
        memory.add("x", scope=ANN, author="ann", source="owner")  # type: ignore[arg-type]
    assert memory.log.events() == []


def test_a_direct_write_twice_is_one_item_seen_twice(memory: ProvenanceMemory) -> None:
    first = memory.add("I keep bees.", scope=ANN, source=USER, author="ann")
    second = memory.add("I keep  BEES.", scope=ANN, source=USER, author="ann")
    assert (second.id, second.seen, second.text) == (first.id, 2, "I keep bees.")
    assert memory.add("I keep bees.", scope=ANN, source=USER, author="bo").id != first.id
    assert memory.add("I keep bees.", scope=ANN, source=USER, author="ann", kind=Kind.value).id != first.id


def test_an_assistants_direct_write_in_like_words_is_the_item_that_is_there(memory: ProvenanceMemory) -> None:
    first = memory.add("The delay comes from the backup job.", scope=ANN, source=ASSISTANT, author="m")
    again = memory.add("The delay comes from the backup jobs.", scope=ANN, source=ASSISTANT, author="other")
    assert again == first


def test_the_application_may_write_what_it_sets(memory: ProvenanceMemory) -> None:
    node = memory.add("Answer in Japanese.", scope=ANN, source=SYSTEM, author="app")
    assert node.source is SYSTEM


@pytest.mark.parametrize("text", ["", "  ", "...", "[input] x", "see ［／document］"])
def test_a_refused_direct_write_says_what_was_found(memory: ProvenanceMemory, text: str) -> None:
    with pytest.raises(RefusedTextError) as caught:
        memory.add(text, scope=ANN, source=USER, author="ann")
    assert repr(text[:40]) in caught.value.message
    assert memory.log.events() == []


def test_what_was_injected_is_refused_from_all_but_the_user(memory: ProvenanceMemory) -> None:
    shown = ["I keep bees in Lund."]
    with pytest.raises(RefusedTextError, match="injected"):
        memory.add("I keep bees in Lund", scope=ANN, source=EXTERNAL, author="tool", injected=shown)
    assert memory.add("I keep bees in Lund", scope=ANN, source=USER, author="ann", injected=shown).source is USER


def test_a_handle_or_an_id_in_any_spelling_shows_the_item(memory: ProvenanceMemory) -> None:
    node = memory.add("I keep bees.", scope=ANN, source=USER, author="ann")
    for reference in (node.handle, node.id, f"[m:{node.handle}]", node.handle.upper(), f"m:{node.handle}"):
        assert memory.show(reference, scope=ANN).node == node
        assert memory.lookup(reference, scope=ANN) == "exact"


def test_a_beginning_of_four_characters_is_a_prefix_and_of_three_is_nothing(memory: ProvenanceMemory) -> None:
    node = memory.add("I keep bees.", scope=ANN, source=USER, author="ann")
    base = node.id.removeprefix("n_")
    for reference in (base[:4], base[:5], base[:9], node.id[:8], base):
        assert memory.lookup(reference, scope=ANN) == "prefix"
    for reference in (base[:3], "n_" + base[:3], "zzzz", "", "[m:]", "%", "日本語日本語", base[:5] + "u"):
        assert memory.lookup(reference, scope=ANN) is None
    assert memory.lookup(node.handle, scope=BOB) is None


def test_a_foreign_item_behaves_exactly_like_an_unknown_one(memory: ProvenanceMemory) -> None:
    node = memory.add("I keep bees.", scope=ANN, source=USER, author="ann")

    def outcomes(reference: str) -> list[str]:
        found = []
        for call in (
            lambda: memory.show(reference, scope=BOB),
            lambda: memory.forget(reference, scope=BOB),
            lambda: memory.restore(reference, scope=BOB),
            lambda: memory.set_status(reference, Status.archived, scope=BOB),
            lambda: memory.relate(reference, reference, "supports", scope=BOB),
            lambda: memory.add("x", scope=BOB, source=USER, author="bob", derived_from=[reference]),
        ):
            with pytest.raises(UnknownNodeError) as caught:
                call()
            found.append(f"{caught.value.message} {caught.value.hint}".replace(reference, "X"))
        return [*found, str(memory.get([reference], scope=BOB)), str(memory.lookup(reference, scope=BOB))]

    before = memory.state_hash()
    assert outcomes(node.id) == outcomes("n_" + "0" * 52)
    assert outcomes(node.handle) == outcomes("zzzzzz")
    assert memory.state_hash() == before


def test_forgetting_hides_and_restoring_brings_back(memory: ProvenanceMemory) -> None:
    node = memory.add("I keep bees.", scope=ANN, source=USER, author="ann")
    assert memory.forget(node.handle, scope=ANN).hidden
    assert memory.forget(node.handle, scope=ANN).hidden
    assert texts(memory) == []
    assert memory.recall("bees", scope=ANN).items == ()
    assert memory.list(scope=ANN, where=NodeFilter(hidden=True))[0].id == node.id
    assert memory.show(node.handle, scope=ANN).node.hidden
    assert memory.counts(scope=ANN)["total"] == {"visible": 0, "hidden": 1}
    assert memory.restore(node.handle, scope=ANN) == node
    assert texts(memory) == ["I keep bees."]
    assert [event.op for event in memory.log.events()] == ["node", "hide", "restore"]


def test_lists_are_filtered_and_paged_newest_first(memory: ProvenanceMemory) -> None:
    take_turn(memory, "One here. Two here. Why three?", "Four it is.", turn="t1", thread="a")
    take_turn(memory, "Five here.", turn="t2", thread="b")
    everything = memory.list(scope=ANN)
    assert [node.text for node in everything] == [
        "Five here.",
        "Four it is.",
        "Why three?",
        "Two here.",
        "One here.",
    ]
    page = memory.list(scope=ANN, limit=2)
    assert page + memory.list(scope=ANN, limit=9, before=page[-1].id) == everything
    chosen = NodeFilter(sources=frozenset({USER}), kinds=frozenset({Kind.question}))
    assert [node.text for node in memory.list(scope=ANN, where=chosen)] == ["Why three?"]
    assert [node.text for node in memory.list(scope=ANN, where=NodeFilter(thread="b"))] == ["Five here."]
    assert [node.text for node in memory.list(scope=ANN, where=NodeFilter(turn_id="t2"))] == ["Five here."]
    assert memory.list(scope=BOB) == []


def test_counts_are_of_visible_items(memory: ProvenanceMemory) -> None:
    take_turn(memory, "One here. Why two?", "Three it is.", turn="t1")
    assert memory.counts(scope=ANN) == {
        "source": {"assistant": 1, "user": 2},
        "kind": {"answer": 1, "question": 1, "statement": 1},
        "status": {"open": 3},
        "total": {"visible": 3, "hidden": 0},
    }


def test_a_status_moves_on_and_is_recorded(memory: ProvenanceMemory) -> None:
    question = take_turn(memory, "Are bees loud?", turn="t1").written[0]
    memory.set_status(question, Status.revisited, scope=ANN, reason="asked again")
    memory.set_status(question, Status.resolved, scope=ANN)
    assert memory.get([question], scope=ANN)[0].status is Status.resolved
    with pytest.raises(RuleBrokenError, match="'resolved' and cannot become 'open'"):
        memory.set_status(question, Status.open, scope=ANN)
    events = [event for event in memory.log.events() if event.op == "status"]
    assert [(event.public()["from"], event.public()["to"]) for event in events] == [
        ("open", "revisited"),
        ("revisited", "resolved"),
    ]
    assert events[0].secret() == {"reason": "asked again"}


def test_relations_are_drawn_once_and_only_known_ones(memory: ProvenanceMemory) -> None:
    one, two = (memory.add(text, scope=ANN, source=USER, author="ann") for text in ("I keep bees.", "I keep no bees."))
    assert memory.relate(one.handle, two.handle, "contradicts", scope=ANN)
    assert not memory.relate(one.id, two.id, "contradicts", scope=ANN)
    with pytest.raises(RuleBrokenError, match="cannot relate to itself"):
        memory.relate(one.id, one.id, "supports", scope=ANN)
    with pytest.raises(RuleBrokenError, match="'likes'"):
        memory.relate(one.id, two.id, "likes", scope=ANN)


def test_the_graph_is_built_again_when_something_changed(memory: ProvenanceMemory) -> None:
    question = take_turn(memory, "Are bees loud?", "They hum softly.", turn="t1").written[0]
    graph = memory.graph(scope=ANN)
    assert memory.graph(scope=ANN) is graph
    memory.set_status(question, Status.archived, scope=ANN)
    assert memory.graph(scope=ANN) is not graph
    assert memory.graph(scope=ANN).stats()["statuses"] == {"archived": 1, "open": 1}
    assert memory.graph(scope=BOB).stats()["nodes"] == 0


def test_a_long_text_is_stored_once_for_each_person(memory: ProvenanceMemory) -> None:
    digest = memory.put_blob("長い文章\x00\ud800" * 1000, scope=ANN)
    events = len(memory.log.events())
    assert memory.put_blob("長い文章\x00\ud800" * 1000, scope=ANN) == digest
    assert len(memory.log.events()) == events
    assert memory.get_blob(digest, scope=ANN) == "長い文章\x00\ufffd" * 1000
    with pytest.raises(UnknownNodeError):
        memory.get_blob(digest, scope=BOB)
    assert memory.get_blob(memory.put_blob("", scope=ANN), scope=ANN) == ""


@pytest.mark.parametrize(("said", "reply"), [("I keep bees.", "They hum."), ("蜂がいる。", "静かです。")])
def test_who_said_a_message_is_what_our_own_record_says(memory: ProvenanceMemory, said: str, reply: str) -> None:
    take_turn(memory, said, reply, turn="t1", thread="a")
    assert memory.speaker_of(said, scope=ANN) is USER
    assert memory.speaker_of(reply, scope=ANN, thread="a") is ASSISTANT
    for text, scope, thread in ((reply + " ", ANN, ""), (said, BOB, ""), (said, ANN, "b"), ("", ANN, "")):
        assert memory.speaker_of(text, scope=scope, thread=thread) is None
    take_turn(memory, reply, turn="t2", thread="a")
    assert memory.speaker_of(reply, scope=ANN) is ASSISTANT


def test_whole_messages_are_found_beyond_their_eighth_sentence(memory: ProvenanceMemory) -> None:
    take_turn(memory, " ".join(f"Line {n} here." for n in range(8)) + " My boat is called Pettifog.", turn="t1")
    take_turn(memory, "猫が好きです。", turn="t2")
    assert all("Pettifog" not in text for text in texts(memory))
    assert [record.turn_id for record in memory.search_turns("Pettifog", scope=ANN)] == ["t1"]
    assert memory.search_turns("Pettifog", scope=BOB) == []
    assert [record.turn_id for record in memory.turns(scope=ANN)] == ["t2", "t1"]


def test_lists_checks_and_the_graph_open_no_index(tmp_path: Path) -> None:
    with open_memory(tmp_path) as memory:
        take_turn(memory, "I keep bees.", "They hum.", turn="t1")
        memory.list(scope=ANN)
        memory.graph(scope=ANN)
        memory.audit(scope=ANN)
        assert memory.verify_chain() is None
    assert not (tmp_path / "index").exists()


def test_a_closed_memory_may_be_closed_again(tmp_path: Path) -> None:
    memory = open_memory(tmp_path)
    memory.close()
    memory.close()
    with open_memory(tmp_path):
        pass


def test_every_error_says_what_to_do(memory: ProvenanceMemory) -> None:
    for call in (
        lambda: memory.show("zzzzzz", scope=ANN),
        lambda: memory.get_blob("zz", scope=ANN),
        lambda: memory.add("", scope=ANN, source=USER, author="ann"),
    ):
        with pytest.raises(CheckpointError) as caught:
            call()
        assert caught.value.hint
        assert caught.value.code
