"""A web server on this machine that answers as a test tells it to."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

__all__ = ["WebServer", "serving"]

Answer = Callable[[BaseHTTPRequestHandler], None]


class WebServer:
    """Where it is, and what it was asked."""

    def __init__(self, port: int) -> None:
        self.url = f"http://127.0.0.1:{port}"
        self.port = port
        self.asked: list[tuple[str, dict[str, str]]] = []
        self.pages: dict[str, Answer] = {}

    def page(self, path: str, body: bytes, *, status: int = 200, **headers: str) -> None:
        """Answer a path with a body."""

        def answer(handler: BaseHTTPRequestHandler) -> None:
            handler.send_response(status)
            for name, value in {"Content-Type": "text/html; charset=utf-8", **headers}.items():
                handler.send_header(name.replace("_", "-"), value)
            handler.end_headers()
            handler.wfile.write(body)

        self.pages[path] = answer


@contextmanager
def serving() -> Iterator[WebServer]:
    """Serve until the block ends."""

    class _Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            server.asked.append((self.path, dict(self.headers)))
            answer = server.pages.get(self.path.split("?")[0])
            if answer is None:
                self.send_error(404)
                return
            try:
                answer(self)
            except (BrokenPipeError, ConnectionResetError):
                return

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002  # as the base class names it
            return

    listener = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    server = WebServer(listener.server_port)
    thread = threading.Thread(target=listener.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        listener.shutdown()
        listener.server_close()
        thread.join(5)
