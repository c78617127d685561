"""No word that the verifier removes is ever seen: not in a stream, an event, a checkpoint, a state or a trace."""

from __future__ import annotations

import threading
from collections.abc import AsyncIterator, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, ClassVar

import langsmith
import pytest
from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, HumanMessage
from langsmith.utils import get_env_var

from rqa_graph.bound_model import BoundChatModel
from rqa_graph.services import AppServices
from rqa_graph.turns import Graph
from rqa_nodes.models import ResolvedModel
from rqa_nodes.state import Context
from tests.support.graphs import analysis, evaluation, scripted_services, ticking_clock, with_memory_saver

_BAD = "zqzqz9"
"""A handle that was never given: whoever sees it sees unverified text."""

_ANSWER = f"The mill stands on the river [m:{_BAD}]. Both plans can work, each at its price."
_QUESTION = "Would the plan still stand if the river were dry in June?"
_LEVEL_2 = "Should we move the mill upstream, or is that the wrong question?"
_LEVEL_3 = "Analyse this plan critically: the mill always pays for itself, therefore we must move it upstream."
_MODES: Any = ["values", "updates", "messages", "custom", "tasks", "checkpoints", "debug"]


class _Recorder(BaseCallbackHandler):
    """Keeps everything that any callback is given."""

    def __init__(self) -> None:
        self.seen: list[str] = []

    def __getattribute__(self, name: str) -> Any:
        if name.startswith("on_"):
            return lambda *args, **kwargs: self.seen.append(f"{name} {args!r} {kwargs!r}")
        return super().__getattribute__(name)


def _replies() -> list[str]:
    drafts = [f"{_QUESTION} [m:{_BAD}]", "What would count against it?", "Who decides that the mill pays?"]
    return [_ANSWER, analysis(drafts)]


def _model(replies: list[str]) -> BoundChatModel:
    """A LangChain model, so that its own callbacks and streams are in play."""
    fake = GenericFakeChatModel(messages=iter([AIMessage(reply) for reply in replies]))
    return BoundChatModel(ResolvedModel(model=fake, engine="fake", is_local=True), ticking_clock(), 60.0)


@pytest.fixture
def services(tmp_path: Path) -> Iterator[AppServices]:
    judged = evaluation((9, 9, 9, 9), (5, 5, 5, 5), (5, 5, 5, 5), rationale=f"sharp, as [m:{_BAD}] shows")
    opened = scripted_services(tmp_path / "home", _model(_replies()), [judged])
    yield opened
    opened.close()


@pytest.fixture
def level_3(tmp_path: Path) -> Iterator[AppServices]:
    judged = evaluation((9, 9, 9, 9), (5, 5, 5, 5), (5, 5, 5, 5), rationale=f"sharp, as [m:{_BAD}] shows")
    opened = scripted_services(tmp_path / "home", _model(_replies()[1:]), [judged])
    yield opened
    opened.close()


def _input(text: str) -> dict[str, Any]:
    return {"messages": [HumanMessage(text, id="m1")]}


def _config(recorder: _Recorder) -> Any:
    return {"configurable": {"thread_id": "t"}, "callbacks": [recorder]}


def _assert_clean(graph: Graph, seen: list[Any], recorder: _Recorder, *, shown: str) -> None:
    text = "\n".join(map(repr, seen))
    assert shown in text, "the stream must carry the verified text, or this test proves nothing"
    history = list(graph.get_state_history({"configurable": {"thread_id": "t"}}))
    assert history
    saver: Any = graph.checkpointer
    stored = repr(saver.storage) + repr(saver.blobs) + repr(saver.writes)
    for place in (text, repr(history), stored, "\n".join(recorder.seen)):
        # The reference itself may be named in a verdict; the brackets stand only in unverified text.
        assert f"[m:{_BAD}" not in place


@pytest.mark.parametrize("text", [_LEVEL_2, _LEVEL_3])
def test_no_stream_mode_shows_one_in_process(text: str, services: AppServices, level_3: AppServices) -> None:
    graph = with_memory_saver(services if text == _LEVEL_2 else level_3)
    recorder = _Recorder()
    seen = list(graph.stream(_input(text), _config(recorder), context=Context(depth=1), stream_mode=_MODES))
    _assert_clean(graph, seen, recorder, shown="the river were dry")


@pytest.mark.parametrize("text", [_LEVEL_2, _LEVEL_3])
async def test_no_stream_mode_shows_one_async(text: str, services: AppServices, level_3: AppServices) -> None:
    graph = with_memory_saver(services if text == _LEVEL_2 else level_3)
    recorder = _Recorder()
    stream: AsyncIterator[Any] = graph.astream(
        _input(text), _config(recorder), context=Context(depth=1), stream_mode=_MODES
    )
    seen = [part async for part in stream]
    _assert_clean(graph, seen, recorder, shown="the river were dry")


async def test_no_event_shows_one(services: AppServices) -> None:
    graph = with_memory_saver(services)
    recorder = _Recorder()
    seen = [event async for event in graph.astream_events(_input(_LEVEL_2), _config(recorder), version="v2")]
    _assert_clean(graph, seen, recorder, shown="the river were dry")


def test_whole_messages_come_from_the_verifier_alone(services: AppServices) -> None:
    graph = with_memory_saver(services)
    config = _config(_Recorder())
    parts: list[Any] = list(graph.stream(_input(_LEVEL_2), config, context=Context(), stream_mode="messages"))
    assert {meta["langgraph_node"] for _, meta in parts} == {"verify"}
    assert next(message.text for message, _ in parts).startswith("The mill stands on the river")


class _Collector(BaseHTTPRequestHandler):
    bodies: ClassVar[list[bytes]] = []

    def do_POST(self) -> None:
        self.bodies.append(self.rfile.read(int(self.headers.get("Content-Length") or 0)))
        self._reply()

    def do_PATCH(self) -> None:
        self.do_POST()

    def do_GET(self) -> None:
        self._reply()

    def _reply(self) -> None:
        self.send_response(200)
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"{}")

    def log_message(self, *_args: Any) -> None:
        pass


@pytest.fixture
def collector() -> Iterator[str]:
    """The URL of a server that takes traces."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Collector)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    _Collector.bodies.clear()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    server.server_close()


def test_a_tracing_variable_publishes_none(
    services: AppServices, collector: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in (("TRACING", "true"), ("ENDPOINT", collector), ("API_KEY", "test")):
        monkeypatch.setenv(f"LANGSMITH_{name}", value)
    clear: Any = get_env_var
    clear.cache_clear()
    client = langsmith.Client(api_url=collector, api_key="test", auto_batch_tracing=False)
    graph = with_memory_saver(services)
    try:
        with langsmith.tracing_context(enabled=True, client=client):
            graph.invoke(_input(_LEVEL_2), {"configurable": {"thread_id": "t"}}, context=Context())
    finally:
        clear.cache_clear()
        client.session.close()
    sent = b"\n".join(_Collector.bodies)
    assert b"The mill stands on the river" in sent, "the trace must have arrived, or this test proves nothing"
    assert f"[m:{_BAD}".encode() not in sent
