"""What the graph says that no single item does, by hand-made graphs."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Iterator

import networkx as nx
import pytest

from rqa_checkpoints.graph_questions import Wanted, parse
from rqa_checkpoints.memory import ProvenanceMemory
from rqa_checkpoints.provenance import Kind, SourceClass, Status
from tests.support.memories import ANN, open_memory

USER = SourceClass.user


@pytest.fixture
def memory() -> Iterator[ProvenanceMemory]:
    with open_memory() as opened:
        yield opened


def said(memory: ProvenanceMemory, text: str, kind: Kind | None = None) -> str:
    return memory.add(text, scope=ANN, source=USER, author="ann", kind=kind).id


def joined(memory: ProvenanceMemory, *rows: tuple[str, str, str]) -> None:
    for src, relation, dst in rows:
        memory.relate(src, dst, relation, scope=ANN)


def test_what_falls_with_an_item_is_what_it_bears(memory: ProvenanceMemory) -> None:
    """`ground` bears `a`, `b` and `top` (3); `a` bears nothing, since `top` stands on `b` too."""
    ground, a, b, top, beside = (said(memory, f"Statement {name}.") for name in ("ground", "a", "b", "top", "beside"))
    joined(memory, (a, "derived_from", ground), (ground, "supports", b), (top, "derived_from", a))
    joined(memory, (top, "derived_from", b), (beside, "contradicts", ground))
    found = memory.graph(scope=ANN).load_bearing()
    assert [(row.node.id, row.bears, row.reach) for row in found] == [
        (ground, 3, 3),
        *sorted([(a, 0, 1), (b, 0, 1)]),
    ]
    assert memory.graph(scope=ANN).load_bearing(limit=1) == found[:1]


def test_a_confirmed_guess_stands_on_the_persons_yes(memory: ProvenanceMemory) -> None:
    guess = memory.add("Maybe you dread it.", scope=ANN, source=SourceClass.assistant, author="m")
    yes = memory.confirm(guess.id, scope=ANN)
    assert [(row.node.id, row.bears) for row in memory.graph(scope=ANN).load_bearing()] == [(yes.id, 1)]


def test_a_circle_has_no_ground_and_still_ends(memory: ProvenanceMemory) -> None:
    one, two, three = (said(memory, f"Statement {n}.") for n in "abc")
    joined(memory, (one, "derived_from", two), (two, "derived_from", one), (three, "derived_from", one))
    assert next((row.node.id, row.bears) for row in memory.graph(scope=ANN).load_bearing()) == (one, 1)


def test_nothing_rests_on_nothing(memory: ProvenanceMemory) -> None:
    graph = memory.graph(scope=ANN)
    assert (graph.load_bearing(), graph.open_clusters(), graph.orphans()) == ([], [], [])
    said(memory, "Statement.")
    assert memory.graph(scope=ANN).load_bearing() == []


def test_open_questions_that_share_an_item_are_a_group_and_the_untied_are_orphans(memory: ProvenanceMemory) -> None:
    first, second, third, closed, alone = (said(memory, f"Why {n}?") for n in ("one", "two", "three", "four", "five"))
    mill, boat, far = said(memory, "The mill is old."), said(memory, "The boat is red."), said(memory, "Rain.")
    joined(memory, (mill, "supports", first), (mill, "supports", second), (boat, "supports", third))
    joined(memory, (mill, "same_topic", far), (far, "same_topic", boat), (mill, "supports", closed))
    for status in (Status.revisited, Status.resolved):
        memory.set_status(closed, status, scope=ANN)
    graph = memory.graph(scope=ANN)
    assert [{node.id for node in group} for group in graph.open_clusters()] == [{first, second}]
    assert [node.id for node in graph.orphans()] == [alone]


@pytest.mark.parametrize(
    ("question", "wanted", "topic"),
    [
        ("What is still open about the mill?", Wanted.open, "the mill"),
        ("open questions on mass", Wanted.open, "mass"),
        ("Which questions are unanswered?", Wanted.open, ""),
        ("what do we not know about bees", Wanted.open, "bees"),
        ("What contradicts the old plan?", Wanted.contradicts, "the old plan"),
        ("what rests on the delay?", Wanted.rests, "the delay"),
        ("水車小屋についてまだ何が未解決ですか？", Wanted.open, "水車小屋"),
        ("移転の未解決の問い", Wanted.open, "移転"),
        ("納期と矛盾するものは？", Wanted.contradicts, "納期"),
        ("予算に依存しているものは何ですか", Wanted.rests, "予算"),
        ("bees", Wanted.open, "bees"),
        ("蜂", Wanted.open, "蜂"),
    ],
)
def test_a_question_is_understood_by_its_form(question: str, wanted: Wanted, topic: str) -> None:
    asked = parse(question)
    assert (asked.wanted, asked.topic) == (wanted, topic)


def test_what_is_open_about_a_topic_is_found_by_name_and_by_relation(memory: ProvenanceMemory) -> None:
    named, unnamed = said(memory, "Who pays for the mill?"), said(memory, "Who signs?")
    mill, task = said(memory, "The mill costs money."), memory.tasks.commit("Measure the mill.", scope=ANN).id
    joined(memory, (mill, "supports", unnamed))
    done = said(memory, "Is the mill wet?")
    for status in (Status.revisited, Status.resolved):
        memory.set_status(done, status, scope=ANN)
    graph = memory.graph(scope=ANN)
    _asked, found = graph.ask("what is still open about mill")
    assert [row.node.id for row in found] == [task, named, unnamed]
    assert (found[2].relation, found[2].through and found[2].through.id) == ("supports", mill)
    assert [row.node.id for row in graph.ask("what rests on the mill costs money")[1]] == [unnamed]
    assert graph.ask("what is open about zeppelins")[1] == []
    assert len(graph.ask("what is open?", limit=1)[1]) == 1


def test_japanese_topics_are_found_without_spaces(memory: ProvenanceMemory) -> None:
    question = said(memory, "水車小屋の修理費は誰が払いますか。")
    _asked, found = memory.graph(scope=ANN).ask("水車小屋についてまだ何が未解決ですか")
    assert [row.node.id for row in found] == [question]


HOSTILE = 'say "hi"\\ \x00\x1b[31m <b>&amp;</b>\n]]>「」'


def test_every_export_carries_all_items_and_who_said_them_whatever_they_say(memory: ProvenanceMemory) -> None:
    one, two = said(memory, HOSTILE), said(memory, "The mill is old.")
    joined(memory, (one, "supports", two), (one, "same_topic", two))
    graph = memory.graph(scope=ANN)
    back = nx.parse_graphml(graph.graphml())
    assert set(back.nodes) == {one, two}
    assert back.nodes[one]["source"] == "user"
    assert "<b>" in back.nodes[one]["text"]
    relations = {row.text for row in ET.fromstring(graph.graphml()).iter() if row.tag.endswith("}data")}
    assert {"supports", "same_topic"} <= relations
    dot = graph.dot()
    assert dot.count(" -> ") == 2
    assert dot.count("shape=box") == 2
    assert "\x00" not in dot
    assert all(line.endswith(";") for line in dot.splitlines()[1:-1])
