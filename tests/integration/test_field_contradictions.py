"""What a person says against what they said before: both are kept, the change is marked, or one question asks.

The stories are ours; the letters are those under which the kinds of fault are collected.
"""

from __future__ import annotations

import pytest

from rqa_checkpoints.provenance import Kind, SourceClass
from rqa_graph.services import AppServices
from rqa_graph.turns import Graph
from tests.support.field_cases import MARA
from tests.support.graphs import with_memory_saver
from tests.support.opened import Opened
from tests.support.turns import tell


def _edges(services: AppServices) -> set[tuple[str, str, str]]:
    memory = services.memory
    texts = {node.id: node.text for node in memory.list(scope=MARA, limit=100)}
    view = memory.graph(scope=MARA).view()
    return {(texts[a], kind, texts[b]) for a, b, kind in view.edges(keys=True) if kind in {"supersedes", "contradicts"}}


def _asked(services: AppServices) -> list[str]:
    nodes = services.memory.list(scope=MARA, limit=100)
    return [node.text for node in nodes if node.kind is Kind.question and node.source is SourceClass.assistant]


@pytest.fixture
def graph(opened: Opened) -> tuple[Graph, AppServices]:
    services = opened(["Noted."] * 8)
    return with_memory_saver(services), services


class TestF24BothSidesOfAChangeAreKeptAndTheNewerIsMarked:
    @pytest.mark.parametrize(
        ("before", "after"),
        [
            ("I live in Lund.", "I live in Malmö now."),
            ("大阪に住んでいます。", "先月、金沢に引っ越しました。"),
            ("I gave up coffee.", "Back on espresso since Monday."),
        ],
    )
    def test_a_change_is_marked_and_nobody_is_asked(
        self, before: str, after: str, graph: tuple[Graph, AppServices]
    ) -> None:
        run, services = graph
        tell(run, before)
        result = tell(run, after).result
        assert _edges(services) == {(after, "supersedes", before)}
        assert (result.question, _asked(services)) == (None, [])
        assert {before, after} <= {node.text for node in services.memory.list(scope=MARA)}

    @pytest.mark.parametrize(
        ("before", "after", "words"),
        [
            ("I live in Lund.", "I live in Malmö.", "Which of the two holds now"),
            ("大阪に住んでいます。", "金沢に住んでいます。", "どちらが正しいですか"),
        ],
    )
    def test_where_neither_is_clearly_newer_exactly_one_question_asks_and_only_once(
        self, before: str, after: str, words: str, graph: tuple[Graph, AppServices]
    ) -> None:
        run, services = graph
        tell(run, before)
        result = tell(run, after).result
        assert result.question is not None
        assert words in result.question
        assert before.rstrip("。.") in result.question
        assert _edges(services) == {(after, "contradicts", before)}
        assert _asked(services) == [result.question]
        for again in (after, before):
            tell(run, again)
        assert len(_asked(services)) == 1

    def test_going_back_turns_the_mark_round(self, graph: tuple[Graph, AppServices]) -> None:
        run, services = graph
        for text in ("I live in Lund.", "I moved to Malmö.", "I live in Lund again."):
            tell(run, text)
        assert ("I live in Lund again.", "supersedes", "I moved to Malmö.") in _edges(services)

    def test_who_wants_no_questions_is_asked_none(self, graph: tuple[Graph, AppServices]) -> None:
        run, services = graph
        tell(run, "Please stop asking me questions.")
        tell(run, "I live in Lund.")
        assert tell(run, "I live in Malmö.").result.question is None
        assert _edges(services) == {("I live in Malmö.", "contradicts", "I live in Lund.")}

    def test_an_assistants_guess_is_no_side_of_a_contradiction(self, opened: Opened) -> None:
        services = opened(["You live in Lund.", "Noted."])
        run = with_memory_saver(services)
        tell(run, "Where do I live?")
        assert tell(run, "I live in Malmö.").result.question is None
        assert _edges(services) == set()
