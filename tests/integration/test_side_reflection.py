"""Level 2 as a person meets it: a word at once, the answer committed, and then, perhaps, one question."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

import pytest
import yaml
from langchain_core.messages import HumanMessage

from rqa_graph.bound_model import BoundChatModel
from rqa_graph.clock import utc_now
from rqa_graph.resources import load_config
from rqa_nodes.models import endpoint_at, resolve_endpoint
from rqa_nodes.reflect.binding import Binding
from rqa_nodes.state import Context
from tests.support.cli import Cli
from tests.support.graphs import analysis, evaluation, with_memory_saver
from tests.support.model_servers import SILENT_SECONDS, Fault, OllamaServer, OpenAIServer, Reply
from tests.support.opened import Opened
from tests.support.turns import LEVELS, config_of

ANSWER = {"en": "The mill stays dry upstream.", "ja": "上流なら製粉所は濡れません。"}
QUESTIONS = {
    "en": ["What would the mill lose upstream?", "Who pays for the mill?", "Is upstream the thing to choose?"],
    "ja": ["上流に移すと製粉所は何を失いますか？", "製粉所の費用は誰が払いますか？", "選ぶべきなのは上流でしょうか？"],
}
GOOD = evaluation((9, 9, 8, 9), (5, 5, 5, 5), (4, 4, 4, 4))
POOR = evaluation((5, 5, 5, 5), (4, 4, 4, 4), (3, 3, 3, 3))
PRELUDE = {"en": "Let me look at that.", "ja": "少し考えてみます。"}
_PATIENCE_SECONDS = 60
RQA = Path(sys.executable).with_name("rqa")
"""The program itself."""
langs = pytest.mark.parametrize("lang", ["en", "ja"])


@pytest.fixture
def cli(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Cli:
    """A home whose embedder opens at once."""
    runs = Cli(tmp_path / "home", monkeypatch, capsys)
    runs.set(RQA_MEMORY__EMBEDDER="hash")
    return runs


@pytest.fixture
def judge(cli: Cli) -> Iterator[OpenAIServer]:
    """The evaluator behind Groq's path, approved by a person."""
    with OpenAIServer() as running:
        binding: dict[str, Any] = {**load_config("evaluator_binding"), "endpoint": running.groq_url}
        approval = {"who": "a test", "when": "2026-11-30", "hash": Binding.from_mapping(binding).fingerprint}
        folder = cli.home / "config"
        folder.mkdir(parents=True)
        (folder / "evaluator_binding.yaml").write_text(yaml.safe_dump(binding), "utf-8")
        (folder / "approvals.yaml").write_text(yaml.safe_dump({"evaluator_binding": [approval]}), "utf-8")
        cli.set(GROQ_API_KEY="gsk-4f9c1b7e2d")
        yield running


@pytest.fixture
def chat(cli: Cli) -> Iterator[OpenAIServer]:
    """The chat model."""
    with OpenAIServer(models=("m",)) as running:
        cli.set(RQA_MODELS__CHAT="openai:m", RQA_MODELS__BASE_URL=running.url)
        yield running


def _says(chat: OpenAIServer, lang: str) -> None:
    chat.then(Reply(text=ANSWER[lang]), Reply(text=analysis(QUESTIONS[lang])))


@langs
def test_an_earned_question_follows_the_answer(cli: Cli, chat: OpenAIServer, judge: OpenAIServer, lang: str) -> None:
    _says(chat, lang)
    judge.default = Reply(text=GOOD)
    shown = cli("ask", LEVELS[lang][2])
    answer, _, question = shown.out.strip().split("\n")
    assert answer == ANSWER[lang]
    assert QUESTIONS[lang][0] in question
    assert shown.err.splitlines()[0] == PRELUDE[lang]
    assert len(judge.chats) == 1


@langs
def test_silence_is_shown_as_nothing_at_all(cli: Cli, chat: OpenAIServer, judge: OpenAIServer, lang: str) -> None:
    _says(chat, lang)
    judge.default = Reply(text=POOR)
    shown = cli("ask", LEVELS[lang][2])
    words = {"en": "memory: 0 cited", "ja": "記憶: 引用0件"}[lang]
    assert shown.out == f"{ANSWER[lang]}\n"
    assert shown.err.splitlines() == [PRELUDE[lang], words]
    assert len(judge.chats) == 1, "it was looked for"


def _started(rqa: Path | str, *options: str) -> subprocess.Popen[str]:
    return subprocess.Popen([rqa, "ask", *options], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def _until_judged(judge: OpenAIServer) -> None:
    end = time.monotonic() + _PATIENCE_SECONDS
    while not judge.chats:
        assert time.monotonic() < end, "the evaluator was never asked"
        time.sleep(0.05)


@pytest.mark.parametrize(("lang", "as_json"), [("en", False), ("ja", True)])
def test_ctrl_c_while_a_question_is_looked_for_keeps_the_answer(
    cli: Cli, chat: OpenAIServer, judge: OpenAIServer, programs: Path, lang: str, as_json: bool
) -> None:
    _says(chat, lang)
    judge.default = Reply(fault=Fault.silent)
    with _started(programs / "rqa", LEVELS[lang][2], *(["--json"] if as_json else [])) as process:
        _until_judged(judge)
        process.send_signal(signal.SIGINT)
        begun = time.monotonic()
        out, err = process.communicate(timeout=_PATIENCE_SECONDS)
    assert process.returncode == 130
    assert time.monotonic() - begun < SILENT_SECONDS / 2, "a silent evaluator is left at once"
    assert "Traceback" not in err
    if as_json:
        told = json.loads(out)
        assert (told["text"], told["question"], told["question_reason"]) == (ANSWER[lang], None, "interrupted")
        assert told["memory"]["written"]
    else:
        assert out == f"{ANSWER[lang]}\n"
    assert any(item["source"] == "user" for item in cli("memory", "list", "--json").json["items"])
    cli.state()


@langs
def test_a_kill_while_a_question_is_looked_for_loses_nothing_of_the_answer(
    cli: Cli, chat: OpenAIServer, judge: OpenAIServer, programs: Path, lang: str
) -> None:
    _says(chat, lang)
    judge.default = Reply(fault=Fault.silent)
    with _started(programs / "rqa", LEVELS[lang][2]) as process:
        _until_judged(judge)
        process.kill()
        out, _ = process.communicate(timeout=_PATIENCE_SECONDS)
    assert process.returncode == -signal.SIGKILL
    assert out == f"{ANSWER[lang]}\n", "it was on the screen before"
    items = cli("memory", "list", "--json").json["items"]
    assert {item["source"] for item in items} == {"user", "assistant"}
    assert any(item["text"] in ANSWER[lang] for item in items)
    cli.state()


class _HeldServer(OllamaServer):
    """A model that does not begin to answer before it is let."""

    def __init__(self, reply: Reply) -> None:
        super().__init__(reply=reply)
        self.go_on = threading.Event()
        self.was_let = False

    def next_reply(self) -> Reply:
        self.was_let = self.go_on.wait(_PATIENCE_SECONDS)
        return super().next_reply()


@langs
def test_the_prelude_does_not_wait_for_a_slow_model(opened: Opened, lang: str) -> None:
    with _HeldServer(Reply(text=ANSWER[lang])) as server:
        endpoint = endpoint_at(server.url, model="m", context_tokens=16_384)
        services = opened(BoundChatModel(resolve_endpoint(endpoint), utc_now, 120.0))
        services.clock = utc_now
        _ = services.memory
        graph, seen = with_memory_saver(services), list[str]()
        given: Any = {"messages": [HumanMessage(LEVELS[lang][2])]}
        context = Context(evaluator=False)
        for event in graph.stream(given, config_of(), context=context, stream_mode="custom"):
            seen.append(event["type"])
            if event["type"] == "prelude":
                server.go_on.set()
    assert server.was_let, "the prelude was there before the model said a word"
    assert seen.index("prelude") < seen.index("text")


@pytest.mark.full
@langs
def test_a_process_of_its_own_says_the_prelude_sooner_than_another_ends(
    cli: Cli, chat: OpenAIServer, lang: str
) -> None:
    chat.default = Reply(text=ANSWER[lang], delay_s=SILENT_SECONDS)
    begun = time.monotonic()
    with _started(RQA, LEVELS[lang][1], "--model", "builtin") as whole:
        whole.communicate(timeout=_PATIENCE_SECONDS)
    turn, begun = time.monotonic() - begun, time.monotonic()
    with _started(RQA, LEVELS[lang][2], "--no-evaluator") as process:
        stream: IO[str] | None = process.stderr
        assert stream is not None
        first, after = stream.readline().strip(), time.monotonic() - begun
        out, _ = process.communicate(timeout=_PATIENCE_SECONDS)
    assert (first, out) == (PRELUDE[lang], f"{ANSWER[lang]}\n")
    assert after < 2 * turn, f"{after:.2f} s on {os.cpu_count()} cores, where a whole turn takes {turn:.2f} s"
