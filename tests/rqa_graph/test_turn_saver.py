"""The metadata of a turn's checkpoints says what it was given, what it cited and what it left, and as whose words."""

from __future__ import annotations

from typing import Any

import pytest

from rqa_graph.graph import build_graph
from rqa_graph.turn_saver import TurnSaver
from tests.support.opened import Opened
from tests.support.turns import FORMS, Form, config_of, tell

pytestmark = pytest.mark.thinned

PAIRS = (
    ("en", "My bicycle stands in cellar 14.", "Where does my bicycle stand?"),
    ("ja", "私の自転車は地下室14にあります。", "私の自転車はどこにありますか？"),
)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(("lang", "said", "asked"), PAIRS)
def test_a_finished_turn_tells_its_provenance(form: Form, lang: str, said: str, asked: str, opened: Opened) -> None:
    with TurnSaver.from_location(":memory:") as saver:
        graph = build_graph(services=opened([]), checkpointer=saver)
        first = tell(graph, said, form=form, model="builtin")
        second = tell(graph, asked, form=form, model="builtin")
        assert (first.result.lang, second.result.lang) == (lang, lang)
        newest, *older = graph.get_state_history(config_of())
        kept: Any = newest.metadata
        told = {name: kept[name] for name in ("injected", "cited", "written")}
    assert told == second.result.memory
    assert [ref["source"] for ref in told["cited"]] == ["user"]
    assert {ref["source"] for ref in told["written"]} <= {"user", "assistant"}
    # The first two checkpoints of the second turn still hold the state of the first, and must not pass it off.
    began: list[Any] = [one.metadata for one in older if one.next in {("__start__",), ("route",)}]
    assert len(began) == 4
    assert all("injected" not in metadata for metadata in began)
