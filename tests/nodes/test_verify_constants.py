"""Fixed sentences of the verifier and the built-in engine are shown, and leave no item."""

from __future__ import annotations

from pathlib import Path

import pytest

from rqa_graph.turns import run_turn
from rqa_nodes.state import Context
from tests.support.graphs import scripted_services, with_memory_saver


@pytest.mark.parametrize(
    ("told", "asked", "reply", "shown"),
    [
        (
            "The alarm goes off early.",
            "What do you know about my mornings?",
            "As we established, you fear the race. You also told me last week that you hate rain.",
            "Nothing that I recalled this turn says so",
        ),
        (
            "目覚ましが早く鳴ります。",
            "私の朝について何を知っていますか？",
            "先ほど確認した通り、あなたは大会を恐れています。先週は雨が嫌いだとおっしゃいました。",
            "記録",
        ),
    ],
)
def test_what_the_verifier_wrote_is_no_memory_of_the_assistant(
    tmp_path: Path, told: str, asked: str, reply: str, shown: str
) -> None:
    services = scripted_services(tmp_path / "home", ["It is early then.", reply])
    graph = with_memory_saver(services)
    try:
        run_turn(graph, told, thread="t", context=Context(evaluator=False))
        result = run_turn(graph, asked, thread="t", context=Context(evaluator=False))
        assert shown in result.text
        kept = [n.text for n in services.memory.list(scope=services.scope("", "")) if n.source.value == "assistant"]
        assert not [text for text in kept if shown in text]
    finally:
        services.close()
