"""An evaluator that is down costs three failures, and then nothing, until its minute is over."""

from __future__ import annotations

import statistics
import time
from typing import Any

import pytest
from langchain_core.messages import HumanMessage

from rqa_graph.bound_model import BoundChatModel
from rqa_graph.clock import utc_now
from rqa_nodes.models import endpoint_at, resolve_endpoint
from rqa_nodes.reflect.circuit import CircuitBreaker
from rqa_nodes.state import Context
from tests.support.graphs import analysis, evaluation, with_memory_saver
from tests.support.model_servers import Fault, OpenAIServer, Reply
from tests.support.opened import Opened
from tests.support.turns import LEVELS, ByTask, config_of

QUESTIONS = {
    "en": ["What would the mill lose upstream?", "Who pays for the mill?", "Is upstream the thing to choose?"],
    "ja": ["上流に移すと製粉所は何を失いますか？", "製粉所の費用は誰が払いますか？", "選ぶべきなのは上流でしょうか？"],
}
GOOD = evaluation((9, 9, 8, 9), (5, 5, 5, 5), (4, 4, 4, 4))


class _Judge:
    """An evaluator behind a circuit breaker whose clock a test moves."""

    is_local = True
    room = None

    def __init__(self, url: str, circuit: CircuitBreaker) -> None:
        endpoint = endpoint_at(url, model="j", context_tokens=16_384)
        self._model = BoundChatModel(resolve_endpoint(endpoint), utc_now, 5.0, repeats=False)
        self._circuit = circuit

    def unusable(self) -> str:
        return "circuit_open" if self._circuit.is_open() else ""

    def judged(self, *, usable: bool) -> None:
        (self._circuit.succeeded if usable else self._circuit.failed)()

    def complete(self, messages: Any, **options: Any) -> str:
        return self._model.complete(messages, **options)

    async def acomplete(self, messages: Any, **options: Any) -> str:
        return await self._model.acomplete(messages, **options)


def _steps(graph: Any, text: str, thread: str) -> list[tuple[str, float]]:
    """The nodes of a turn in their order, with the moment at which each ended."""
    given: Any = {"messages": [HumanMessage(text)]}
    parts = graph.stream(given, config_of(thread), context=Context(candidates=3, depth=1), stream_mode="updates")
    return [(node, time.monotonic()) for part in parts for node in part]


@pytest.mark.parametrize("level", [2, 3])
@pytest.mark.parametrize("lang", ["en", "ja"])
def test_an_open_circuit_costs_less_than_the_asking_and_nobody_is_asked(opened: Opened, lang: str, level: int) -> None:
    now = [1000.0]
    with OpenAIServer(reply=Reply(fault=Fault.server_error)) as server:
        judge = _Judge(server.groq_url, CircuitBreaker(lambda: now[0]))
        services = opened(ByTask("Upstream is dry.", analysis(QUESTIONS[lang])), judge)
        services.clock = utc_now
        graph = with_memory_saver(services)
        asked = [_cost(_steps(graph, LEVELS[lang][3], f"a{number}"), 3) for number in range(3)]
        assert len(server.chats) == 3, "one call a round while it was asked"
        costs = [_cost(_steps(graph, LEVELS[lang][level], f"b{number}"), level) for number in range(5)]
        assert len(server.chats) == 3, "nobody asks it while the circuit is open"
        assert min(costs) < statistics.median(asked)
        now[0] += 61.0
        server.default = Reply(text=GOOD)
        for number in range(4):
            _steps(graph, LEVELS[lang][3], f"c{number}")
        assert len(server.chats) == 7, "back up, it is asked once a round, whatever was before"


def _cost(steps: list[tuple[str, float]], level: int) -> float:
    """Seconds that the evaluator took: the nodes evaluate and degrade, or none where no reflection began."""
    ended = dict(steps)
    if level == 2:
        assert "analyse" not in ended, "a side reflection without a judge is not begun"
        return 0.0
    return ended["degrade"] - ended["rank"]
