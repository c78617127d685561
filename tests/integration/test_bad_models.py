"""Model servers that fail, seen from the command line: a clear degradation, exit code 0, and the turn fully written."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from rqa_graph.resources import load_config
from rqa_nodes.reflect.binding import Binding
from tests.support.cli import Cli
from tests.support.graphs import evaluation
from tests.support.model_servers import Fault, OllamaServer, OpenAIServer, Reply

KEY = "gsk-4f9c1b7e2d"
SAID = {"en": "My bicycle is blue.", "ja": "私の自転車は青いです。"}
CLAIMS = "We must cache every answer, because users hate to wait, but stale answers cost trust."
FAULTS = {
    Fault.not_found: "404",
    Fault.html: "something other than",
    Fault.html_404: "404",
    Fault.silent: "no whole answer within",
    Fault.stalls: "no whole answer within",
    Fault.empty: "no words",
    Fault.garbage: "something other than",
    Fault.unauthorized: "refused the key",
    Fault.rate_limited: "rate limit",
    Fault.server_error: "500",
}
"""What the server does, and what the person reads of it."""


@pytest.fixture
def cli(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Cli:
    """A home in which something is remembered."""
    runs = Cli(tmp_path / "home", monkeypatch, capsys)
    runs("memory", "add", "My locker is number 41.")
    return runs


@pytest.fixture
def ollama(cli: Cli) -> Iterator[OllamaServer]:
    """An Ollama that has the model which is set."""
    with OllamaServer(models=("m:1b",)) as running:
        cli.set(
            RQA_MODELS__CHAT="ollama:m:1b", RQA_MODELS__OLLAMA_URL=running.url, RQA_MODELS__TIMEOUTS__ANSWER_S="0.5"
        )
        yield running


@pytest.mark.parametrize(("fault", "words"), FAULTS.items(), ids=[fault.value for fault in FAULTS])
def test_the_built_in_engine_answers_and_the_turn_says_why(
    cli: Cli, ollama: OllamaServer, fault: Fault, words: str
) -> None:
    ollama.default = Reply(fault=fault)
    events, _ = cli.state()
    ran = cli("ask", SAID["en"], "--json")
    turn = ran.json
    assert (ran.code, turn["ok"], turn["engine"], turn["degraded"]) == (0, True, "builtin", True)
    assert words in turn["degraded_reason"]
    assert turn["text"]
    assert turn["memory"]["written"], "the turn is remembered"
    assert cli.state()[0] > events


@pytest.mark.parametrize(("lang", "words"), [("en", "Degraded: "), ("ja", "縮退運転: ")])
def test_a_person_reads_it_beside_the_answer(cli: Cli, ollama: OllamaServer, lang: str, words: str) -> None:
    ollama.default = Reply(fault=Fault.server_error)
    shown = cli("ask", SAID[lang])
    assert shown.code == 0
    assert words in shown.err
    assert words not in shown.out
    assert shown.err.count(words) == 1


@pytest.mark.parametrize("fault", [Fault.not_found, Fault.html, Fault.silent, Fault.empty, Fault.garbage])
def test_a_panel_comes_from_the_built_in_engine(cli: Cli, ollama: OllamaServer, fault: Fault) -> None:
    ollama.default = Reply(fault=fault)
    ran = cli("ask", "--instrument", CLAIMS, "--json")
    assert (ran.code, ran.json["engine"], ran.json["degraded"]) == (0, "builtin", True)
    assert ran.json["panel"]["claims"]
    assert ran.json["question"]
    cli.state()


@pytest.mark.parametrize("fault", [Fault.reset, Fault.early_end])
def test_an_answer_that_breaks_off_ends_with_a_word_on_why(cli: Cli, ollama: OllamaServer, fault: Fault) -> None:
    ollama.default = Reply(text="It rains in the hills. " * 20, fault=fault)
    ran = cli("ask", SAID["en"], "--json")
    assert (ran.code, ran.json["degraded"]) == (0, True)
    assert ran.json["text"]
    cli.state()


def test_a_model_that_is_not_pulled_is_named_with_those_that_are(cli: Cli, ollama: OllamaServer) -> None:
    with cli.unchanged():
        ran = cli("ask", SAID["en"], "--model", "ollama:gemma4:12b", "--json")
    assert (ran.code, ran.json["error"]["code"]) == (5, "model_unavailable")
    assert "m:1b" in ran.json["error"]["message"]
    assert ollama.chats == []


def test_where_nothing_was_named_another_model_stands_in(cli: Cli, ollama: OllamaServer) -> None:
    cli.set(RQA_MODELS__CHAT="auto")
    ran = cli("ask", SAID["en"], "--json")
    assert (ran.code, ran.json["engine"], ran.json["degraded"]) == (0, "builtin", False)
    assert "gemma4:12b is not pulled" in ran.json["notice"]
    assert "m:1b" in ran.json["notice"]


@pytest.mark.parametrize(
    "fault", [Fault.unauthorized, Fault.rate_limited, Fault.server_error, Fault.garbage, Fault.html]
)
def test_any_server_at_a_url_is_held_to_the_same(cli: Cli, fault: Fault) -> None:
    with OpenAIServer(models=("m",), reply=Reply(fault=fault)) as server:
        cli.set(RQA_MODELS__CHAT="openai:m", RQA_MODELS__BASE_URL=server.url, RQA_MODELS__API_KEY=KEY)
        ran = cli("ask", SAID["en"], "--json")
    assert (ran.code, ran.json["engine"], ran.json["degraded"]) == (0, "builtin", True)
    assert ran.json["memory"]["written"]
    assert KEY not in ran.out + ran.err


@pytest.fixture
def groq(cli: Cli) -> Iterator[OpenAIServer]:
    """The evaluator behind Groq's path, approved by a person."""
    with OpenAIServer() as running:
        binding: dict[str, Any] = {**load_config("evaluator_binding"), "endpoint": running.groq_url}
        approval = {"who": "a test", "when": "2026-11-30", "hash": Binding.from_mapping(binding).fingerprint}
        folder = cli.home / "config"
        folder.mkdir()
        (folder / "evaluator_binding.yaml").write_text(yaml.safe_dump(binding), "utf-8")
        (folder / "approvals.yaml").write_text(yaml.safe_dump({"evaluator_binding": [approval]}), "utf-8")
        cli.set(GROQ_API_KEY=KEY, RQA_MODELS__TIMEOUTS__EVALUATOR_S="0.5")
        yield running


def test_an_evaluator_that_answers_scores_the_question(cli: Cli, groq: OpenAIServer) -> None:
    groq.default = Reply(text=evaluation(*[(9, 9, 8, 9)] * 3))
    ran = cli("ask", "--instrument", "--k", "3", "--depth", "1", CLAIMS, "--json")
    assert (ran.code, ran.json["degraded"]) == (0, False)
    assert sum(ran.json["panel"]["question"]["scores"].values()) == 35
    assert KEY not in ran.out + ran.err


@pytest.mark.parametrize(
    ("fault", "reason"),
    [
        (Fault.unauthorized, "unavailable"),
        (Fault.rate_limited, "unavailable"),
        (Fault.server_error, "unavailable"),
        (Fault.silent, "unavailable"),
        (Fault.garbage, "bad_answer"),
        (Fault.empty, "bad_answer"),
    ],
)
def test_an_evaluator_that_fails_leaves_the_question_unscored(
    cli: Cli, groq: OpenAIServer, fault: Fault, reason: str
) -> None:
    groq.default = Reply(fault=fault, message=f"bad key {KEY}")
    ran = cli("ask", "--instrument", "--depth", "1", CLAIMS, "--json")
    assert (ran.code, ran.json["degraded"], ran.json["degraded_reason"]) == (0, True, reason)
    assert ran.json["question"], "the generator's own ranking decides"
    assert not ran.json["panel"]["question"].get("scores")
    assert groq.chats
    assert KEY not in ran.out + ran.err
    cli.state()


def test_an_evaluator_that_nobody_approved_is_not_asked(cli: Cli, groq: OpenAIServer) -> None:
    (cli.home / "config" / "approvals.yaml").unlink()
    ran = cli("ask", "--instrument", CLAIMS, "--json")
    assert (ran.code, ran.json["degraded_reason"]) == (0, "binding_refused")
    assert groq.requests == []
    shown = cli("check")
    assert "not the approved one" in shown.out
