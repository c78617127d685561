from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from itertools import product

import networkx as nx
import pytest

from rqa_checkpoints.errors import RuleBrokenError
from rqa_checkpoints.memory import ProvenanceMemory
from rqa_checkpoints.provenance import Kind, Status
from rqa_checkpoints.relations import RELATIONS, check_relation, check_transition
from tests.support.memories import ANN, open_memory, plan, take_turn

ALLOWED = {
    ("open", "revisited"),
    ("open", "archived"),
    ("revisited", "resolved"),
    ("revisited", "abandoned"),
    ("resolved", "archived"),
    ("abandoned", "archived"),
}


@pytest.fixture
def memory() -> Iterator[ProvenanceMemory]:
    with open_memory() as opened:
        take_turn(opened, "I keep bees. Are bees loud?", "They hum softly.", turn="t1")
        take_turn(opened, "蜂は静かですか。", "羽音は小さいです。", turn="t2")
        yield opened


@pytest.mark.parametrize(("old", "new"), list(product(Status, Status)))
def test_a_status_only_moves_forward(memory: ProvenanceMemory, old: Status, new: Status) -> None:
    node = replace(plan(memory, "Why?")[0], status=old)
    if (old.value, new.value) in ALLOWED:
        check_transition(node, new)
    else:
        with pytest.raises(RuleBrokenError) as caught:
            check_transition(node, new)
        following = [to for was, to in ALLOWED if was == old.value]
        assert all(name in caught.value.hint for name in following or ["nothing"])


def test_a_statement_has_no_status_to_change(memory: ProvenanceMemory) -> None:
    with pytest.raises(RuleBrokenError, match="is a statement"):
        check_transition(plan(memory, "I keep cats.")[0], Status.archived)


def test_relations_are_a_closed_set() -> None:
    assert sorted(RELATIONS) == [
        "abandoned",
        "answers",
        "asks",
        "blocked_by",
        "completed",
        "contradicts",
        "depends_on",
        "derived_from",
        "fulfills",
        "mentions",
        "merged_into",
        "same_topic",
        "supersedes",
        "supports",
    ]
    with pytest.raises(RuleBrokenError, match="'knows'"):
        check_relation("knows")


@pytest.mark.parametrize(
    ("words", "kinds", "found"),
    [
        ("bees LOUD", frozenset({Kind.question}), ["Are bees loud?"]),
        ("蜂", frozenset({Kind.question}), ["蜂は静かですか。"]),
        ("bees", frozenset(), ["Are bees loud?", "I keep bees."]),
        ("", frozenset({Kind.answer}), ["羽音は小さいです。", "They hum softly."]),
        ("wasps", frozenset(), []),
    ],
)
def test_the_graph_is_searched_by_words_and_kinds(
    memory: ProvenanceMemory, words: str, kinds: frozenset[Kind], found: list[str]
) -> None:
    assert [node.text for node in memory.graph(scope=ANN).search(words, kinds=kinds)] == found
    assert len(memory.graph(scope=ANN).search("", kinds=frozenset(), limit=2)) == 2


def test_neighbours_name_the_relation_and_its_direction(memory: ProvenanceMemory) -> None:
    graph = memory.graph(scope=ANN)
    question = graph.search("loud")[0]
    answer = graph.search("hum")[0]
    assert [(kind, node.id, away) for kind, node, away in graph.neighbours(question.id)] == [
        ("answers", answer.id, False)
    ]
    assert [(kind, node.id, away) for kind, node, away in graph.neighbours(answer.id)] == [
        ("answers", question.id, True)
    ]
    assert graph.neighbours("n_unknown") == []


def test_a_forgotten_item_is_out_of_the_graph_with_its_relations(memory: ProvenanceMemory) -> None:
    answer = memory.graph(scope=ANN).search("hum")[0]
    memory.forget(answer.handle, scope=ANN)
    graph = memory.graph(scope=ANN)
    assert graph.search("hum") == []
    assert graph.stats()["relations"] == {"answers": 1}


def test_the_counts_add_up(memory: ProvenanceMemory) -> None:
    assert memory.graph(scope=ANN).stats() == {
        "nodes": 5,
        "edges": 2,
        "kinds": {"answer": 2, "question": 2, "statement": 1},
        "statuses": {"open": 4},
        "sources": {"assistant": 2, "user": 3},
        "relations": {"answers": 2},
        "open_questions": 2,
        "groups": 2,
        "unrelated": 1,
    }
    with open_memory() as empty:
        assert empty.graph(scope=ANN).stats()["groups"] == 0


def test_the_export_is_json_that_networkx_reads_back(memory: ProvenanceMemory) -> None:
    graph = memory.graph(scope=ANN)
    data = json.loads(json.dumps(graph.export()))
    back = nx.node_link_graph(data, edges="edges")
    assert set(back.nodes) == {node["id"] for node in data["nodes"]}
    assert sorted(back.edges) == sorted(graph.view().edges)
    assert {node["source"] for node in data["nodes"]} == {"user", "assistant"}


def test_the_graph_that_is_handed_out_refuses_changes(memory: ProvenanceMemory) -> None:
    with pytest.raises(nx.NetworkXError, match="rozen"):
        memory.graph(scope=ANN).view().add_node("n_x")
