"""How soon does the server answer after its start, and how soon comes the first verified sentence in a crowd?

Real processes and sockets: `rqa serve` with the built-in engine, and beside it, at the same time and under the same
number of clients, a bare FastAPI application that streams a constant. Every client is a person with a token of their
own; each tells a code that nobody else has and asks for it again and again, so that a word of another person's memory
would be seen. Prints one JSON object: milliseconds to the first word, median with its 95 % interval, p95 and p99; how
many streams ended whole, failed, or held somebody else's code. Beside that, milliseconds from the start of the process
until `/healthz` answers and until the first reply is whole, and until the bare application answers.

Run: python -m evals.bench.serve [--streams 20] [--seconds 5] [--starts 5]
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import AsyncExitStack, ExitStack, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import httpx
import uvicorn
from fastapi import FastAPI
from fastapi.responses import StreamingResponse

from evals.bench.saver import summary
from rqa_checkpoints.provenance import Scope
from rqa_graph.server.tokens import TOKENS_FILE, TokenFile

__all__ = ["main", "measure", "measure_starts"]

_FIRST_CODE: Final = 100_000
_STARTING_SECONDS: Final = 120
_PATIENCE_SECONDS: Final = 300
"""How long a client waits for the next byte: what is slow is measured, not counted as failed."""
_PATH: Final = "/v1/chat/completions"
_ECHO: Final = "--bare-echo"
"""Makes this module the baseline's server, on a socket that it is given."""


@dataclass(slots=True)
class _Counted:
    """What the clients of one server saw."""

    first_words: list[float] = field(default_factory=list)
    whole: int = 0
    failed: int = 0
    crossed: int = 0

    def figures(self) -> dict[str, Any]:
        ranked = sorted(self.first_words)
        p95 = round(1000 * ranked[min(len(ranked) - 1, int(0.95 * len(ranked)))], 4) if ranked else 0.0
        times = {**summary(ranked), "p95": p95} if ranked else {}
        return {"first_words": times, "whole": self.whole, "failed": self.failed, "crossed": self.crossed}


async def _stream(client: httpx.AsyncClient, text: str) -> tuple[float, str]:
    """Seconds to the first word, and all of them. Raises on a stream that does not end as it should."""
    start, first = time.perf_counter(), 0.0
    words: list[str] = []
    body = {"messages": [{"role": "user", "content": text}], "stream": True}
    async with client.stream("POST", _PATH, json=body) as answer:
        answer.raise_for_status()
        async for line in answer.aiter_lines():
            if line == "data: [DONE]":
                return first, "".join(words)
            if line.startswith("data: "):
                words.append(_words(json.loads(line.removeprefix("data: "))))
                first = first or (time.perf_counter() - start if words[-1] else 0.0)
    raise ConnectionError("the stream ended early")


def _words(event: dict[str, Any]) -> str:
    if "error" in event:
        raise ConnectionError(event["error"]["message"])
    return "".join(choice["delta"].get("content") or "" for choice in event["choices"])


async def _person(client: httpx.AsyncClient, code: str, codes: frozenset[str], until: float, seen: _Counted) -> None:
    """One client: ask for its code, at least once, until the time is over."""
    while True:
        try:
            first, words = await _stream(client, "What is my locker code?")
        except (httpx.HTTPError, ConnectionError):
            seen.failed += 1
        else:
            seen.whole += 1
            seen.first_words.append(first)
            seen.crossed += any(other in words for other in codes - {code})
        if time.perf_counter() >= until:
            return


async def _load(url: str, tokens: Sequence[str], seconds: float) -> _Counted:
    codes = [str(_FIRST_CODE + number) for number in range(len(tokens))]
    seen = _Counted()
    async with AsyncExitStack() as stack:
        clients = [
            await stack.enter_async_context(
                httpx.AsyncClient(base_url=url, headers={"authorization": f"Bearer {token}"}, timeout=_PATIENCE_SECONDS)
            )
            for token in tokens
        ]
        told = (f"My locker code is {code} and I keep it to myself." for code in codes)
        await asyncio.gather(*(_stream(client, text) for client, text in zip(clients, told, strict=True)))
        until = time.perf_counter() + seconds
        asked = zip(clients, codes, strict=True)
        await asyncio.gather(*(_person(client, code, frozenset(codes), until, seen) for client, code in asked))
    return seen


@contextmanager
def _ours(home: Path) -> Iterator[str]:
    environment = {**os.environ, "RQA_SERVER__REQUESTS_PER_MINUTE": "1000000"}
    command = [sys.executable, "-m", "rqa_graph", "serve", "--home", str(home), "--port", "0", "--json"]
    with (home / "serve.log").open("w") as log:
        options: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": log, "text": True, "env": environment}
        with subprocess.Popen([*command, "--model", "builtin"], **options) as process:  # noqa: S603  # our own program
            try:
                assert process.stdout is not None
                yield json.loads(process.stdout.readline())["url"]
            finally:
                process.terminate()


@contextmanager
def _baseline() -> Iterator[str]:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        command = [sys.executable, "-m", "evals.bench.serve", _ECHO, str(taken.fileno())]
        with subprocess.Popen(command, pass_fds=(taken.fileno(),)) as process:  # noqa: S603  # our own program
            try:
                _wait_for(f"http://127.0.0.1:{port}")
                yield f"http://127.0.0.1:{port}"
            finally:
                process.terminate()


def _wait_for(url: str) -> None:
    until = time.perf_counter() + _STARTING_SECONDS
    while time.perf_counter() < until:
        try:
            httpx.get(url, timeout=1)
        except httpx.HTTPError:
            time.sleep(0.05)
        else:
            return
    raise TimeoutError(f"nothing answers at {url}")


def _echo(descriptor: int) -> None:
    """Serve a stream of one constant, as barely as FastAPI allows."""
    app = FastAPI()
    words = json.dumps({"choices": [{"delta": {"content": "Your locker code is what you said it is."}}]})

    async def events() -> AsyncIterator[str]:
        yield f"data: {words}\n\n"
        yield "data: [DONE]\n\n"

    @app.post(_PATH)
    async def complete(body: dict[str, Any]) -> StreamingResponse:
        del body
        return StreamingResponse(events(), media_type="text/event-stream")

    server = uvicorn.Server(uvicorn.Config(app, log_config=None, access_log=False))
    server.run(sockets=[socket.socket(fileno=descriptor)])


def measure(folder: Path, *, streams: int, seconds: float) -> dict[str, Any]:
    """Let so many persons talk for so long, first to ours and then to the baseline."""
    tokens = TokenFile(folder / TOKENS_FILE, clock=lambda: datetime.now(UTC))
    made = [tokens.add(f"person{number}", Scope("local", f"person{number}")) for number in range(streams)]
    results = {}
    with ExitStack() as stack:
        for name, opened in (("rqa_serve", _ours(folder)), ("bare_fastapi_stream", _baseline())):
            results[name] = asyncio.run(_load(stack.enter_context(opened), made, seconds)).figures()
    return results


def measure_starts(folder: Path, *, starts: int) -> dict[str, Any]:
    """Start both so often, by turns, so that what else the machine does meets both."""
    taken: dict[str, list[float]] = {"rqa_serve": [], "rqa_serve_first_reply": [], "bare_fastapi": []}
    for _ in range(starts):
        begun = time.perf_counter()
        with _ours(folder) as url, httpx.Client(base_url=url, timeout=_PATIENCE_SECONDS) as client:
            client.get("/healthz").raise_for_status()
            taken["rqa_serve"].append(time.perf_counter() - begun)
            body = {"messages": [{"role": "user", "content": "What is my locker code?"}]}
            client.post(_PATH, json=body).raise_for_status()
            taken["rqa_serve_first_reply"].append(time.perf_counter() - begun)
        begun = time.perf_counter()
        with _baseline() as url:
            httpx.get(url)
            taken["bare_fastapi"].append(time.perf_counter() - begun)
    return {name: summary(seconds) for name, seconds in taken.items()}


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the benchmark and print its result."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--streams", type=int, default=20, help="clients at once, each a person of their own")
    parser.add_argument("--seconds", type=float, default=5)
    parser.add_argument("--starts", type=int, default=5, help="how often each server is started")
    parser.add_argument(_ECHO, type=int, help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.bare_echo is not None:
        _echo(options.bare_echo)
        return
    with tempfile.TemporaryDirectory() as folder:
        started = measure_starts(Path(folder), starts=options.starts)
    with tempfile.TemporaryDirectory() as folder:
        result = measure(Path(folder), streams=options.streams, seconds=options.seconds)
    counts = {"streams": options.streams, "seconds": options.seconds, "starts": options.starts}
    made = {"bench": "serve", "unit": "ms", **counts, "ready": started, "servers": result}
    print(json.dumps(made, indent=1))


if __name__ == "__main__":
    main()
