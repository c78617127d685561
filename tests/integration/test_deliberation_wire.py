"""The whole way over real sockets: two engines and a reviewer, scripted, behind Ollama's protocol; kept, then served.

Scripted: what is shown here is the program's path, not what any model would answer.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest

from rqa_checkpoints.provenance import source_handle
from rqa_graph.integrity import Question, answer_with_integrity
from rqa_graph.services import open_services
from rqa_graph.settings import Settings
from tests.support.cli import clean_environment
from tests.support.model_servers import Fault, OllamaServer, Reply

DOCUMENT = "The server listens on port 8765 by default.\n"
REVIEW = {
    "reviews": [{"answer": n, "faithful": 10, "complete": 10, "veto": False} for n in (1, 2)],
    "contradiction": False,
}
ENGINES = ("alpha:1", "beta:1", "gamma:1")


def _settings(home: Path, url: str) -> Settings:
    (home / "config").mkdir(parents=True)
    (home / "manual").mkdir()
    (home / "manual" / "server.md").write_text(DOCUMENT, "utf-8")
    (home / "config" / "deliberation.yaml").write_text(
        "deliberation:\n  engines: ['ollama:alpha:1', 'ollama:beta:1']\n  reviewer: 'ollama:gamma:1'\n"
        "  sources:\n    - {folder: manual, publisher: Us, authority: true}\n",
        "utf-8",
    )
    (home / "config" / "cache_policies.yaml").write_text(
        "version: 1\ndomains:\n  docs: {tag: static}\nrollout:\n  - {phase: 2}\n", "utf-8"
    )
    return Settings.load(home=home, folder=home, overrides={"models": {"ollama_url": url}})


@pytest.mark.parametrize("fault", [None, Fault.server_error])
def test_two_engines_and_a_reviewer_over_the_wire(
    fault: Fault | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clean_environment(monkeypatch)
    handle = source_handle("manual/server.md", hashlib.sha256(DOCUMENT.encode()).hexdigest())
    answer = f"The server listens on port 8765 by default [m:{handle}]."
    review = Reply(text=json.dumps(REVIEW)) if fault is None else Reply(text="", fault=fault)
    with OllamaServer(models=ENGINES) as server:
        server.then(Reply(text=answer), Reply(text=answer), review)
        services = open_services(_settings(tmp_path / "home", server.url))
        question = Question(text="Which port does the server listen on?", domain="docs")
        first = answer_with_integrity(question, services=services)
        asked = len(server.chats)
        second = answer_with_integrity(question, services=services)
        services.close()
    if fault is not None:
        assert (first["status"], first["gi"]["caps"]) == ("pending_review", ["no_reviewer"])
        assert first["ledgerTx"] is None
        return
    assert (first["status"], first["source"], first["giScore"]) == ("ok", "deliberation", 0.97)
    assert (second["source"], second["answer"]) == ("integrity_cache_exact", answer)
    assert (asked, len(server.chats)) == (3, 3)
    told = [json.dumps(chat.body) for chat in server.chats]
    assert sum("ollama" in text or "alpha" in text for text in told[2:]) == 0, "the reviewer sees no names"
