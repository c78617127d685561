"""What a model thinks is nowhere afterwards: not shown, not remembered, not in a checkpoint, not in a log."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from rqa_graph.bound_model import BoundChatModel
from rqa_nodes.models import endpoint_at, resolve_endpoint
from tests.support.cli import Cli
from tests.support.graphs import analysis, ticking_clock, with_memory_saver
from tests.support.model_servers import Fault, ModelServer, OllamaServer, OpenAIServer, Reply
from tests.support.opened import Opened
from tests.support.turns import FORMS as FORMS_OF_A_RUN
from tests.support.turns import Form, Told, config_of, tell

pytestmark = pytest.mark.thinned

SAID = {"en": "My bicycle is blue.", "ja": "私の自転車は青いです。"}
CLAIMS = {
    "en": "We must cache every answer, because users hate to wait, but stale answers cost trust.",
    "ja": "利用者は待つのを嫌うので、回答をすべてキャッシュすべきだ。しかし古い回答は信頼を損なう。",
}
ANSWER = {"en": "Blue suits a bicycle in the rain.", "ja": "雨の日の自転車には青が似合います。"}
PLANS = {
    "en": "The wombat protocol says that I should flatter her.",
    "ja": "ウォンバット手順によれば、ここは褒めるべきだ。",
    "zh": "按照袋熊规程，这里应该夸奖她。",
}
FORMS = {
    "think": "<think>\n{plan}\n</think>\n\n{answer}",
    "split over lines": "<think>{plan}\n\n{plan}</think>{answer}",
    "after a first word": "{answer}\n<think>\n{plan}\n</think>\n{answer}",
    "magistral": "[THINK]{plan}[/THINK]{answer}",
    "gemma": "<|channel>thought\n{plan}\n<channel|>{answer}",
    "harmony": "<|channel|>analysis<|message|>{plan}<|end|>"
    "<|start|>assistant<|channel|>final<|message|>{answer}<|return|>",
    "harmony, tool": "<|channel|>commentary to=functions.x<|message|>{plan}<|call|>"
    "<|start|>assistant<|channel|>final<|message|>{answer}",
    "harmony, bare": "analysisWe see. {plan}assistantfinal{answer}",
    "japanese tag": "<思考>{plan}</思考>{answer}",
    "never ends": "<think>{plan}",
}
BEFORE_JSON = (
    "<think>{plan}</think>",
    "{plan}\n</think>\n",
    "<|channel|>analysis<|message|>{plan}<|end|><|start|>assistant<|channel|>final<|message|>",
)


@pytest.fixture
def cli(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Cli:
    return Cli(tmp_path / "home", monkeypatch, capsys)


Asked = tuple[Told, str]
"""A turn, and everything that was kept or written of it anywhere."""


@pytest.fixture(params=["ollama", "openai", "groq"])
def server(request: pytest.FixtureRequest) -> Iterator[tuple[ModelServer, str]]:
    """A model behind each protocol."""
    with OllamaServer() if request.param == "ollama" else OpenAIServer() as running:
        yield running, {"ollama": "", "openai": "/v1", "groq": "/openai/v1"}[request.param]


@pytest.fixture
def ask(
    opened: Opened, server: tuple[ModelServer, str], tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> Callable[..., Asked]:
    """Say something to the graph over the real client libraries."""

    def run(text: str, reply: Reply, *, model: str = "m", form: Form = "sync", **context: Any) -> Asked:
        running, path = server
        running.default = reply
        endpoint = endpoint_at(running.root + path, model=model, context_tokens=16_384)
        services = opened(BoundChatModel(resolve_endpoint(endpoint), ticking_clock(), 20.0))
        graph = with_memory_saver(services)
        with caplog.at_level("DEBUG"):
            told = tell(graph, text, form=form, **context)
        kept = [told.events, told.state, [step.values for step in graph.get_state_history(config_of())]]
        return told, f"{kept!r}{caplog.text}{_files(tmp_path)}"

    return run


def _files(folder: Path) -> str:
    """All files below, as text; what JSON has escaped is unescaped."""
    found = "".join(path.read_bytes().decode("utf-8", "replace") for path in folder.rglob("*") if path.is_file())
    return found + re.sub(r"\\u([0-9a-f]{4})", lambda code: chr(int(code[1], 16)), found)


@pytest.mark.parametrize(("form", "lang"), list(zip(FORMS, itertools.cycle(["en", "ja"]), strict=False)))
def test_inline_thinking_is_nowhere(ask: Callable[..., Asked], form: str, lang: str) -> None:
    plan, answer = PLANS["zh" if form == "split over lines" else lang], ANSWER[lang]
    run: Form = "async" if lang == "ja" else "sync"
    told, kept = ask(SAID[lang], Reply(text=FORMS[form].format(plan=plan, answer=answer), thinking=plan), form=run)
    assert plan not in kept
    assert "<|" not in told.result.text
    if form == "never ends":
        assert (told.result.engine, told.result.degraded) == ("builtin", True)
        return
    whole = f"{answer}\n{answer}" if form == "after a first word" else answer
    assert (told.result.text.strip(), told.shown("answer").strip(), told.result.degraded) == (whole, whole, False)
    assert kept.count(answer) > 3, "the search finds what is kept"


@pytest.mark.parametrize(("before", "lang"), list(zip(BEFORE_JSON, ["en", "ja", "en"], strict=True)))
def test_thinking_before_an_analysis_is_nowhere(ask: Callable[..., Asked], before: str, lang: str) -> None:
    plan = PLANS[lang]
    question = {"en": "What if we cache nothing?", "ja": "何もキャッシュしないとどうなりますか？"}[lang]
    reply = Reply(text=before.format(plan=plan) + analysis([question]), thinking=plan)
    told, kept = ask(CLAIMS[lang], reply, instrument=True, candidates=1, depth=1)
    assert (told.result.question, told.result.engine.endswith(":m")) == (question, True)
    assert plan not in kept


@pytest.mark.parametrize("lang", ["en", "ja"])
@pytest.mark.parametrize("server", ["openai", "groq"], indirect=True)
def test_a_model_that_thinks_unmarked_is_not_shown_before_its_end(ask: Callable[..., Asked], lang: str) -> None:
    told, kept = ask(SAID[lang], Reply(text=f"{PLANS[lang]}\n</think>\n\n{ANSWER[lang]}"), model="DeepSeek-R1")
    assert (told.result.text, told.result.degraded) == (ANSWER[lang], False)
    assert PLANS[lang] not in kept


@pytest.mark.parametrize(("form", "lang"), list(zip(FORMS_OF_A_RUN, ["en", "ja"], strict=True)))
@pytest.mark.parametrize("server", ["ollama", "openai"], indirect=True)
def test_thinking_that_nobody_could_know_is_withdrawn(ask: Callable[..., Asked], lang: str, form: Form) -> None:
    plan = PLANS[lang]
    told, _ = ask(SAID[lang], Reply(text=f"{plan}\n\n{plan}\n</think>\n\n{ANSWER[lang]}"), form=form)
    assert (told.result.engine, told.result.degraded) == ("builtin", True)
    assert plan not in str(told.state)
    kinds = [event["type"] for event in told.events]
    assert kinds.count("withdrawn") == 1
    after = told.events[kinds.index("withdrawn") + 1 :]
    assert "".join(e["text"] for e in after if e["type"] == "text") == told.result.text


@pytest.mark.parametrize("lang", ["en", "ja"])
def test_an_answer_that_is_all_thinking_is_asked_for_again_and_then_the_engine_answers(
    ask: Callable[..., Asked], server: tuple[ModelServer, str], lang: str
) -> None:
    told, kept = ask(SAID[lang], Reply(fault=Fault.empty, thinking=f'{PLANS[lang]} {{"route": 2}}'))
    assert (told.result.engine, len(server[0].chats)) == ("builtin", 2)
    assert told.result.memory["written"], "what the person said is kept all the same"
    assert PLANS[lang] not in kept


@pytest.mark.parametrize(("lang", "words"), [("en", "was the model's thinking"), ("ja", "思考の過程でした")])
def test_a_person_is_told_what_was_withdrawn(cli: Cli, lang: str, words: str) -> None:
    plan = PLANS[lang]
    with OllamaServer(models=("m",), reply=Reply(text=f"{plan}\n\n{plan}\n</think>\n\n{ANSWER[lang]}")) as server:
        cli.set(RQA_MODELS__CHAT="ollama:m", RQA_MODELS__OLLAMA_URL=server.url, RQA_MEMORY__EMBEDDER="hash")
        shown = cli("ask", SAID[lang])
    assert (shown.code, shown.err.count(words)) == (0, 1)
    assert plan not in _files(cli.home)
