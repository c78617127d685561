"""Models, listeners and traces for tests of agents that other people build."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Final

import langsmith
from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.language_models.chat_models import BaseChatModel
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from langsmith import utils
from pydantic import PrivateAttr

__all__ = ["BAD", "LANGS", "Recorder", "ScriptedAgentModel", "scripted", "traces"]


BAD: Final = "[m:zqzqz9"
"""A handle that was never given: where it stands in brackets, there is unverified text."""

LANGS: Final[Mapping[str, Mapping[str, str]]] = {
    "en": {
        "ask": "What do you know about the mill?",
        "bad": f"As we established, you are afraid of failing {BAD}]. The mill stands on the river.",
        "claim": "As we established",
        "kept": "The mill stands on the river.",
        "guess": "Maybe you are afraid of failing.",
        "shown": "I suggested earlier (unverified): you are afraid of failing. The mill stands on the river.",
    },
    "ja": {
        "ask": "水車について何を知っていますか？",
        "bad": f"先ほど確認した通り、上司の評価を恐れているのが理由です{BAD}]。水車は川のそばに立っています。",
        "claim": "先ほど確認した通り",
        "kept": "水車は川のそばに立っています。",
        "guess": "上司の評価を恐れているのかもしれません。",
        "shown": "以前私が提案しました(未確認): 上司の評価を恐れているのが理由です。水車は川のそばに立っています。",
    },
}
"""What is asked, what a model says, which of its words must never be seen and which must, and an earlier guess."""


class Recorder(BaseCallbackHandler):
    """Keeps everything that any callback is given."""

    def __init__(self) -> None:
        self.seen: list[str] = []

    def __getattribute__(self, name: str) -> Any:
        if name.startswith("on_"):
            return lambda *args, **kwargs: self.seen.append(f"{name} {args!r} {kwargs!r}")
        return super().__getattribute__(name)


class ScriptedAgentModel(BaseChatModel):
    """Says what it is told to, streams it word by word, and keeps the prompts; a function in the script is called."""

    breaks_after: int = 0
    """The connection breaks after so many pieces of a stream."""
    _script: list[str | AIMessage | Callable[[], AIMessage]] = PrivateAttr(default_factory=list)
    _prompts: list[list[BaseMessage]] = PrivateAttr(default_factory=list)

    @property
    def prompts(self) -> list[list[BaseMessage]]:
        """What it was given; shared with its copies."""
        return self._prompts

    @property
    def _llm_type(self) -> str:
        return "scripted-agent"

    def bind_tools(self, tools: Any, **_kwargs: Any) -> Any:
        return self

    def _next(self, messages: list[BaseMessage]) -> AIMessage:
        self._prompts.append(messages)
        reply = self._script.pop(0)
        if isinstance(reply, str | AIMessage):
            return AIMessage(reply) if isinstance(reply, str) else reply
        return reply()

    def _generate(self, messages: list[BaseMessage], *_args: Any, **_kwargs: Any) -> ChatResult:
        return ChatResult(generations=[ChatGeneration(message=self._next(messages))])

    def _stream(
        self, messages: list[BaseMessage], *_args: Any, run_manager: Any = None, **_kwargs: Any
    ) -> Iterator[ChatGenerationChunk]:
        message = self._next(messages)
        words = re.split(r"(?<=[ 、。])", message.content) if isinstance(message.content, str) else [message.content]
        for number, word in enumerate(words):
            if self.breaks_after and number == self.breaks_after:
                raise ConnectionError("reset by the peer")
            calls = message.tool_calls if number == len(words) - 1 else []
            chunk = AIMessageChunk(content=word, tool_calls=calls, id=message.id or "run-1")
            generation = ChatGenerationChunk(message=chunk)
            if run_manager:
                run_manager.on_llm_new_token(str(word), chunk=generation)
            yield generation


def scripted(*replies: str | AIMessage | Callable[[], AIMessage], **fields: Any) -> ScriptedAgentModel:
    """A model with a script."""
    model = ScriptedAgentModel(**fields)
    model._script.extend(replies)
    return model


@contextmanager
def traces(patch: Any) -> Iterator[list[bytes]]:
    """Switch a tracing variable on, and collect what arrives at the server that it names."""
    bodies: list[bytes] = []

    class Collector(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            bodies.append(self.rfile.read(int(self.headers.get("Content-Length") or 0)))
            self.do_GET()

        def do_PATCH(self) -> None:
            self.do_POST()

        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Length", "2")
            self.end_headers()
            self.wfile.write(b"{}")

        def log_message(self, *_args: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Collector)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{server.server_address[1]}"
    for name, value in (("TRACING", "true"), ("ENDPOINT", url), ("API_KEY", "test")):
        patch.setenv(f"LANGSMITH_{name}", value)
    forget: Any = utils.get_env_var
    forget.cache_clear()
    client = langsmith.Client(api_url=url, api_key="test", auto_batch_tracing=False)
    try:
        with langsmith.tracing_context(enabled=True, client=client):
            yield bodies
    finally:
        forget.cache_clear()
        client.session.close()
        server.shutdown()
        server.server_close()
