"""How soon is the inspector's first view there, beside a page of the same size that does nothing?

A real `rqa serve` over a home with a conversation in it, and Debian's Chromium, which opens the page with an empty
cache each time; a plain HTTP server gives the bare page: one file with the text that the inspector ends up showing.
Prints one JSON object: milliseconds from the start of the navigation until the conversation is drawn and can be used,
median with its 95 % interval and p99.

Run: python -m evals.bench.inspector [--turns 20] [--loads 30]
"""

from __future__ import annotations

import argparse
import html
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Final

import httpx
from playwright.sync_api import Browser, sync_playwright

from evals.bench.saver import summary

__all__ = ["main", "measure"]

_DRAWN: Final = """() => new Promise(done => {
    const drawn = () => !document.querySelector("main[aria-busy]") && done(performance.now());
    new MutationObserver(drawn).observe(document.body, {subtree: true, childList: true, attributes: true});
    drawn();
})"""
"""Milliseconds since the navigation began, as soon as the main part is not busy; a page without one never is."""
_PATIENCE_MS: Final = 120_000


class _Quiet(SimpleHTTPRequestHandler):
    """Serves a folder without a line for each request."""

    def log_message(self, *_arguments: Any) -> None:
        """Say nothing."""


@contextmanager
def _ours(home: Path, turns: int) -> Iterator[str]:
    command = [sys.executable, "-m", "rqa_graph", "serve", "--home", str(home), "--port", "0", "--json"]
    environment = {**os.environ, "RQA_SERVER__REQUESTS_PER_MINUTE": "1000000"}
    with (home / "serve.log").open("w") as log:
        options: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": log, "text": True, "env": environment}
        with subprocess.Popen([*command, "--model", "builtin"], **options) as process:  # noqa: S603  # our own program
            try:
                assert process.stdout is not None
                url = json.loads(process.stdout.readline())["url"]
                with httpx.Client(base_url=url, headers={"x-rqa-thread": "bench"}, timeout=120) as client:
                    for number in range(turns):
                        text = f"Hive {number} of mine stands near mill {number}. What do you know about my hives?"
                        body = {"messages": [{"role": "user", "content": text}]}
                        client.post("/v1/chat/completions", json=body).raise_for_status()
                yield url
            finally:
                process.terminate()


@contextmanager
def _bare(folder: Path, text: str) -> Iterator[str]:
    (folder / "page.html").write_text(f"<!doctype html><title>bare</title><main><pre>{html.escape(text)}</pre></main>")
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=str(folder)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()


def _load(browser: Browser, address: str) -> tuple[float, str]:
    """Seconds until a page is drawn, and the text on it."""
    with browser.new_context() as context:
        page = context.new_page()
        page.set_default_timeout(_PATIENCE_MS)
        page.goto(address, wait_until="commit")
        page.wait_for_selector("main")
        taken = float(page.evaluate(_DRAWN))
        return taken / 1000, page.inner_text("main")


def measure(folder: Path, *, turns: int, loads: int) -> dict[str, Any]:
    """Open both pages so often, by turns, so that what else the machine does meets both."""
    path = shutil.which("chromium")
    if path is None:
        raise SystemExit("chromium is not installed here: `apt-get install chromium` brings it")
    taken: dict[str, list[float]] = {"inspector_first_view": [], "bare_static_page": []}
    options: list[str] = ["--no-sandbox"] if os.getuid() == 0 else []
    with sync_playwright() as playwright, _ours(folder, turns) as ours:
        browser = playwright.chromium.launch(executable_path=path, args=options)
        _, text = _load(browser, f"{ours}/inspect")
        with _bare(folder, text) as bare:
            for _ in range(loads):
                taken["inspector_first_view"].append(_load(browser, f"{ours}/inspect")[0])
                taken["bare_static_page"].append(_load(browser, f"{bare}/page.html")[0])
        browser.close()
    return {name: summary(seconds) for name, seconds in taken.items()}


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the benchmark and print its result."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--turns", type=int, default=20, help="turns of the conversation that is shown")
    parser.add_argument("--loads", type=int, default=30, help="how often each page is opened")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        result = measure(Path(folder), turns=options.turns, loads=options.loads)
    made = {"bench": "inspector", "unit": "ms", "turns": options.turns, "loads": options.loads, "pages": result}
    print(json.dumps(made, indent=1))


if __name__ == "__main__":
    main()
