"""What goes to LangSmith: a run a row and feedback a scorer, and nothing without a key."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest

from evals.runner.declare import Arm, Case, Count, Plan, Scorer, Suite
from evals.runner.errors import EvalError
from evals.runner.langsmith import send
from evals.runner.run import Options, run_suites

SUITE = Suite(
    name="tea",
    about="Tea.",
    open=lambda _setup: Plan(
        cases=[Case(id="a"), Case(id="secret", private=True)],
        arms=[Arm(name="kettle", run=lambda case, seed: {"text": f"of {case.id}"})],
        scorers=[
            Scorer(name="hot", score=lambda case, output: True),
            Scorer(name="cups", score=lambda case, output: Count(1, 4)),
            Scorer(name="kind", score=lambda case, output: "green"),
        ],
    ),
)


@pytest.fixture
def posts(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[tuple[str, dict[str, Any]]]]:
    found: list[tuple[str, dict[str, Any]]] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            found.append((self.path, json.loads(self.rfile.read(int(self.headers["content-length"])))))
            self._reply()

        def do_GET(self) -> None:
            self._reply()

        def _reply(self) -> None:
            project = {
                "id": str(UUID(int=1)),
                "tenant_id": str(UUID(int=2)),
                "name": "rqa-eval-r1",
                "reference_dataset_id": None,
            }
            body = json.dumps({**project, "start_time": "2026-01-01T00:00:00"} if "/sessions" in self.path else {})
            self.send_response(200)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body.encode())

        def log_message(self, *_args: Any) -> None:
            pass

    server = HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    monkeypatch.setenv("LANGSMITH_ENDPOINT", f"http://127.0.0.1:{server.server_port}")
    yield found
    server.shutdown()
    thread.join()
    server.server_close()


def test_every_row_is_a_run_with_its_scores_and_private_outputs_stay_here(
    tmp_path: Path, posts: list[tuple[str, dict[str, Any]]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LANGSMITH_API_KEY", "k")
    finished = run_suites([SUITE], tmp_path / "r1", Options(), quiet=True)
    assert send(finished, tmp_path / "r1") == 2
    runs = [body for path, body in posts if path.endswith("/runs")]
    assert [(run["name"], run["session_name"], run["outputs"]) for run in runs] == [
        ("tea: kettle", "rqa-eval-r1", {"text": "of a"}),
        ("tea: kettle", "rqa-eval-r1", {}),
    ]
    feedback = [body for path, body in posts if path.endswith("/feedback")]
    assert [(row["key"], row.get("score"), row.get("value")) for row in feedback[:3]] == [
        ("hot", 1.0, None),
        ("cups", 0.25, None),
        ("kind", None, "green"),
    ]
    assert "of secret" not in json.dumps(posts)


def test_without_a_key_nothing_is_sent(
    tmp_path: Path, posts: list[tuple[str, dict[str, Any]]], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("LANGSMITH_API_KEY", "LANGCHAIN_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(EvalError, match="LANGSMITH_API_KEY"):
        send([], tmp_path)
    assert posts == []
