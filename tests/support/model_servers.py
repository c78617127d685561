"""Model servers on 127.0.0.1 that say what a test told them, faults included, and record what they were asked.

They speak the real protocols over real sockets, so that the client libraries run as they do against Ollama, Groq or
llama.cpp. One `Reply` is used up by each chat request; when the script is over, the default answers.
"""

from __future__ import annotations

import json
import socket
import struct
import threading
import time
from collections import deque
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, ClassVar, Self

from tests.support.model_replies import Fault, Reply, Request

__all__ = ["SILENT_SECONDS", "Fault", "ModelServer", "OllamaServer", "OpenAIServer", "Reply", "Request"]

SILENT_SECONDS = 30
"""How long a silent server keeps its client waiting; what is over in half of that did not wait for it."""
_IN_THE_MIDDLE = frozenset({Fault.reset, Fault.early_end, Fault.stalls, Fault.drips})
_LIMITS = {
    "x-ratelimit-limit-requests": "14400",
    "x-ratelimit-remaining-requests": "13",
    "x-ratelimit-limit-tokens": "18000",
    "x-ratelimit-remaining-tokens": "0",
    "x-ratelimit-reset-tokens": "7.66s",
}
HTML_PAGE = "<!doctype html><html><head><title>It works</title></head><body>It works</body></html>"


class ModelServer:
    """Base of both servers: starts in a thread, stops at the end of the `with` block."""

    handler: ClassVar[type[_Handler]]

    def __init__(self, *, models: tuple[str, ...] = (), reply: Reply | None = None) -> None:
        self.models = models
        self.default = reply or Reply()
        self.script: deque[Reply] = deque()
        self.requests: list[Request] = []
        self.probe_delay_s = 0.0
        self.context_length = 0
        """What Ollama says of a model's longest context; 0: it does not say."""
        self.gate: threading.Barrier | None = None
        """Lists are given only when as many as it wants have been asked for."""
        self.closing = threading.Event()
        self._http = _HttpServer(("127.0.0.1", 0), self.handler)
        self._http.model_server = self
        self._thread = threading.Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)

    @property
    def root(self) -> str:
        """Scheme, host and port."""
        return f"http://127.0.0.1:{self._http.server_address[1]}"

    @property
    def chats(self) -> list[Request]:
        """The chat requests only, in order."""
        return [request for request in self.requests if request.method == "POST"]

    def then(self, *replies: Reply) -> Self:
        """Add replies to the script."""
        self.script.extend(replies)
        return self

    def next_reply(self) -> Reply:
        """The reply for a chat request that has just come."""
        return self.script.popleft() if self.script else self.default

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.closing.set()
        self._http.shutdown()
        self._http.server_close()
        self._thread.join(timeout=5)


class _HttpServer(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = True
    model_server: ModelServer

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that hangs up is what these tests are about; nothing to report."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _HttpServer

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002  # the signature of the base class
        """Tests read `requests`, not a log."""

    @property
    def model_server(self) -> ModelServer:
        return self.server.model_server

    def do_GET(self) -> None:
        self._record({})
        self.model_server.closing.wait(self.model_server.probe_delay_s)
        if self.model_server.gate is not None:
            self.model_server.gate.wait(10)
        listing = self.listing()
        if listing is None:
            self.send_body(404, HTML_PAGE, kind="text/html")
        else:
            self.send_json(200, listing)

    def do_POST(self) -> None:
        raw = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        body: dict[str, Any] = json.loads(raw)
        self._record(body)
        if self.path == "/api/show" and (longest := self.model_server.context_length):
            self.send_json(200, {"model_info": {"general.architecture": "gemma3", "gemma3.context_length": longest}})
            return
        if not self.is_chat():
            self.send_json(404, {"error": "no such path"})
            return
        reply = self.model_server.next_reply()
        self.model_server.closing.wait(reply.delay_s)
        if not self._fail_at_once(reply, body):
            self.answer(reply, body)

    def listing(self) -> dict[str, Any] | None:
        raise NotImplementedError

    def is_chat(self) -> bool:
        raise NotImplementedError

    def has_schema(self, body: dict[str, Any]) -> bool:
        raise NotImplementedError

    def answer(self, reply: Reply, body: dict[str, Any]) -> None:
        raise NotImplementedError

    def error_body(self, reply: Reply, code: str) -> dict[str, Any]:
        raise NotImplementedError

    def _record(self, body: dict[str, Any]) -> None:
        headers = {key.lower(): value for key, value in self.headers.items()}
        request = Request(method=self.command, path=self.path, headers=headers, body=body)
        self.model_server.requests.append(request)

    def _fail_at_once(self, reply: Reply, body: dict[str, Any]) -> bool:
        """Answer with the fault if it is one that replaces the answer."""
        statuses = {
            Fault.not_found: (404, "model_not_found"),
            Fault.bad_request: (400, "bad_request"),
            Fault.unauthorized: (401, "invalid_api_key"),
            Fault.too_large: (413, "request_too_large"),
            Fault.rate_limited: (429, "rate_limit_exceeded"),
            Fault.server_error: (500, "internal_server_error"),
        }
        fault = reply.fault
        if fault in statuses:
            status, code = statuses[fault]
            headers = {"Retry-After": "7", **_LIMITS} if status == 429 else {}
            self.send_json(status, self.error_body(reply, code), headers)
        elif fault is Fault.schema_refused and self.has_schema(body):
            self.send_json(400, self.error_body(reply, "unsupported_response_format"))
        elif fault in {Fault.html, Fault.html_404}:
            self.send_body(404 if fault is Fault.html_404 else 200, HTML_PAGE, kind="text/html")
        elif fault is Fault.garbage:
            self.send_body(200, "\x00\x01 {{{ not json at all", kind="application/json")
        elif fault is Fault.silent:
            self.close_connection = True
            self.model_server.closing.wait(SILENT_SECONDS)
        else:
            return False
        return True

    def send_json(self, status: int, body: Any, headers: dict[str, str] | None = None) -> None:
        self.send_body(status, json.dumps(body), kind="application/json", headers=headers)

    def send_body(self, status: int, text: str, *, kind: str, headers: dict[str, str] | None = None) -> None:
        data = text.encode()
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)

    def send_whole(self, body: Any, reply: Reply) -> None:
        """Send one JSON object, with the faults that come in the middle of it."""
        data = json.dumps(body).encode()
        if reply.fault not in _IN_THE_MIDDLE:
            self.send_json(200, body, _LIMITS)
            return
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data) + 1_000_000))
        self.end_headers()
        self.wfile.write(data[: len(data) // 2])
        self.close_connection = True
        self._stop_in_the_middle(reply, " ", framed=False)

    def send_stream(self, pieces: Iterator[str], reply: Reply, *, kind: str) -> None:
        """Send pieces as HTTP chunks, with the faults that come in the middle."""
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        for number, piece in enumerate(pieces):
            self._send_chunk(piece)
            if number == 0 and self._stop_in_the_middle(reply, piece):
                return
        self.wfile.write(b"0\r\n\r\n")

    def _send_chunk(self, piece: str) -> None:
        data = piece.encode()
        self.wfile.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")

    def _stop_in_the_middle(self, reply: Reply, piece: str, *, framed: bool = True) -> bool:
        match reply.fault:
            case Fault.reset:
                time.sleep(0.05)
                self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                self.close_connection = True
                self.rfile.close()
                self.wfile.close()
                self.connection.close()
            case Fault.early_end:
                self.wfile.write(b"0\r\n\r\n" if framed else b"")
            case Fault.stalls:
                self.close_connection = True
                self.model_server.closing.wait(SILENT_SECONDS)
            case Fault.drips:
                while not self.model_server.closing.wait(0.05):
                    self._send_chunk(piece) if framed else self.wfile.write(piece.encode())
            case _:
                return False
        return True


class _OllamaHandler(_Handler):
    def listing(self) -> dict[str, Any] | None:
        if self.path == "/api/version":
            return {"version": "0.13.0"}
        if self.path == "/api/tags":
            return {"models": [_ollama_row(name) for name in self.model_server.models]}
        return None

    def is_chat(self) -> bool:
        return self.path == "/api/chat"

    def has_schema(self, body: dict[str, Any]) -> bool:
        return bool(body.get("format"))

    def error_body(self, reply: Reply, code: str) -> dict[str, Any]:
        return {"error": reply.message}

    def answer(self, reply: Reply, body: dict[str, Any]) -> None:
        rows = self._rows(reply, str(body["model"]))
        if body.get("stream", True):
            self.send_stream((json.dumps(row) + "\n" for row in rows), reply, kind="application/x-ndjson")
        else:
            merged = list(rows)
            merged[-1]["message"]["content"] = "".join(row["message"]["content"] for row in merged)
            self.send_json(200, merged[-1])

    def _rows(self, reply: Reply, model: str) -> Iterator[dict[str, Any]]:
        text = "" if reply.fault in {Fault.empty, Fault.tool_call} else reply.text
        if reply.fault is Fault.tool_call:
            row = _ollama_message(model, "")
            row["message"]["tool_calls"] = [{"function": {"name": "shell", "arguments": {"command": "rm -rf /"}}}]
            yield row
        if reply.thinking:
            yield _ollama_message(model, "", thinking=reply.thinking)
        for piece in _pieces(text):
            yield _ollama_message(model, piece)
        if reply.fault is Fault.error_in_stream:
            yield {"error": reply.message}
        done = "length" if reply.fault is Fault.length else "stop"
        counts = {"prompt_eval_count": reply.prompt_tokens, "eval_count": len(text) // 4 + 1}
        yield {**_ollama_message(model, ""), "done": True, "done_reason": done, **counts}


class OllamaServer(ModelServer):
    """Speaks Ollama's protocol."""

    handler = _OllamaHandler

    @property
    def url(self) -> str:
        """What `models.ollama_url` takes."""
        return self.root


class _OpenAIHandler(_Handler):
    _prefixes = ("/v1", "/openai/v1")

    def listing(self) -> dict[str, Any] | None:
        if self.path in {f"{prefix}/models" for prefix in self._prefixes}:
            return {"object": "list", "data": [{"id": name, "object": "model"} for name in self.model_server.models]}
        return None

    def is_chat(self) -> bool:
        return self.path in {f"{prefix}/chat/completions" for prefix in self._prefixes}

    def has_schema(self, body: dict[str, Any]) -> bool:
        return bool(body.get("response_format"))

    def error_body(self, reply: Reply, code: str) -> dict[str, Any]:
        return {"error": {"message": reply.message, "type": "scripted", "code": code}}

    def answer(self, reply: Reply, body: dict[str, Any]) -> None:
        text = "" if reply.fault is Fault.empty else reply.text
        finish = "length" if reply.fault is Fault.length else "stop"
        if body.get("stream"):
            self.send_stream(self._events(reply, text, finish, str(body["model"])), reply, kind="text/event-stream")
            return
        message = {"role": "assistant", "content": text}
        if reply.thinking:
            message |= {"reasoning": reply.thinking, "reasoning_content": reply.thinking}
        usage = {"prompt_tokens": reply.prompt_tokens, "completion_tokens": 5, "total_tokens": reply.prompt_tokens + 5}
        choice = {"index": 0, "message": message, "finish_reason": finish}
        body = {"id": "c1", "object": "chat.completion", "created": 1, "model": body["model"], "choices": [choice]}
        self.send_whole({**body, "usage": usage}, reply)

    def _events(self, reply: Reply, text: str, finish: str, model: str) -> Iterator[str]:
        if reply.thinking:
            fields = {"reasoning": reply.thinking, "reasoning_content": reply.thinking}
            yield _event(model, {"role": "assistant", "content": "", **fields}, None)
        for piece in _pieces(text):
            yield _event(model, {"role": "assistant", "content": piece}, None)
        if reply.fault is Fault.error_in_stream:
            yield f"data: {json.dumps(self.error_body(reply, 'overloaded'))}\n\n"
            return
        yield _event(model, {}, finish)
        yield "data: [DONE]\n\n"


class OpenAIServer(ModelServer):
    """Speaks the OpenAI protocol, at Groq's path too."""

    handler = _OpenAIHandler

    @property
    def url(self) -> str:
        """What `models.base_url` takes."""
        return f"{self.root}/v1"

    @property
    def groq_url(self) -> str:
        """What the evaluator's binding takes."""
        return f"{self.root}/openai/v1"


def _pieces(text: str) -> Iterator[str]:
    size = max(1, len(text) // 4)
    for start in range(0, len(text), size):
        yield text[start : start + size]


def _ollama_row(name: str) -> dict[str, Any]:
    row: dict[str, Any] = {"name": name, "model": name, "size": 1, "digest": "0" * 64, "details": {}}
    if name.startswith("away/"):
        row["remote_host"] = "https://ollama.com:443"
    return row


def _ollama_message(model: str, content: str, *, thinking: str = "") -> dict[str, Any]:
    message = {"role": "assistant", "content": content}
    if thinking:
        message["thinking"] = thinking
    return {"model": model, "created_at": "2026-01-01T00:00:00Z", "message": message, "done": False}


def _event(model: str, delta: dict[str, Any], finish: str | None) -> str:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    body = {"id": "c1", "object": "chat.completion.chunk", "created": 1, "model": model, "choices": [choice]}
    return f"data: {json.dumps(body)}\n\n"
