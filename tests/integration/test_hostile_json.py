"""What small models call JSON, over the wire and through a whole turn: read if it is whole, else one retry, no more."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from rqa_graph.bound_model import BoundChatModel
from rqa_nodes.models import endpoint_at, resolve_endpoint
from tests.support.graphs import analysis, ticking_clock, with_memory_saver
from tests.support.model_servers import Fault, ModelServer, OllamaServer, OpenAIServer, Reply
from tests.support.opened import Opened
from tests.support.turns import LEVELS, Told, tell

pytestmark = pytest.mark.thinned

QUESTION = {"en": "What would the mill lose upstream?", "ja": "上流に移すと製粉所は何を失いますか？"}
KEYS = {
    "feature_map": "特徴マップ",
    "question_candidates": "質問候補",
    "claims": "主張",
    "assumptions": "前提",
    "frames": "枠組み",
    "tensions_input_internal": "緊張",
    "target_layer": "対象層",
    "target_element": "対象要素",
    "stance": "姿勢",
}
both = pytest.mark.parametrize("lang", ["en", "ja"])

Ask = Callable[[str], Told]


def _good(lang: str) -> str:
    return analysis([QUESTION[lang]])


def _in_japanese_keys(text: str) -> str:
    """The same object as a model writes it that translates the keys."""
    for english, japanese in KEYS.items():
        text = text.replace(f'"{english}"', f'"{japanese}"')
    return text


READ: dict[str, Callable[[str], str]] = {
    "fenced": lambda text: f"```json\n{text}\n```",
    "prose around": lambda text: f"Sure! Here is the JSON you asked for:\n{text}\nLet me know if it helps.",
    "japanese prose around": lambda text: f"はい、JSONはこちらです。\n{text}\n以上です。",
    "trailing comma": lambda text: text[:-1] + ",}",
    "japanese keys": _in_japanese_keys,
    "thinking before": lambda text: f"<think>let me see {{</think>{text}",
}
REFUSED: dict[str, Callable[[str], str]] = {
    "a list": lambda text: f"[{text}]",
    "cut in the middle": lambda text: text[: len(text) // 2],
    "prose and then cut": lambda text: f"Sure! Here is the JSON: {text[:40]}",
    "prose alone": lambda _text: "I am afraid that I cannot answer in JSON.",
    "another object": lambda _text: '{"route": "L1"}',
    "a string": lambda text: json.dumps(text[:20]),
    "a number": lambda _text: "42",
}


@pytest.fixture(params=["ollama", "openai", "groq"])
def server(request: pytest.FixtureRequest) -> Iterator[tuple[ModelServer, str]]:
    with OllamaServer() if request.param == "ollama" else OpenAIServer() as running:
        yield running, {"ollama": "", "openai": "/v1", "groq": "/openai/v1"}[request.param]


@pytest.fixture
def ask(opened: Opened, server: tuple[ModelServer, str]) -> Ask:
    """Open the panel over a text with the model behind the server."""

    def run(lang: str) -> Told:
        endpoint = endpoint_at(server[0].root + server[1], model="m", context_tokens=16_384)
        services = opened(BoundChatModel(resolve_endpoint(endpoint), ticking_clock(), 20.0))
        context: dict[str, Any] = {"candidates": 1, "depth": 1, "evaluator": False}
        return tell(with_memory_saver(services), LEVELS[lang][3], **context)

    return run


@pytest.mark.parametrize("form", READ)
def test_a_whole_object_is_read_whatever_is_around_it(ask: Ask, server: tuple[ModelServer, str], form: str) -> None:
    lang = "ja" if "japanese" in form else "en"
    server[0].default = Reply(text=READ[form](_good(lang)))
    told = ask(lang)
    assert (told.result.question, told.result.engine.endswith(":m"), len(server[0].chats)) == (QUESTION[lang], True, 1)
    assert told.result.panel is not None
    assert told.result.panel["assumptions"] == ["an assumption under it"]


@pytest.mark.parametrize("form", REFUSED)
def test_anything_else_is_asked_for_once_more_and_then_the_engine_takes_over(
    ask: Ask, server: tuple[ModelServer, str], form: str
) -> None:
    server[0].default = Reply(text=REFUSED[form](_good("en")))
    told = ask("en")
    assert len(server[0].chats) == 2, "one retry"
    assert (told.result.engine, told.result.degraded) == ("builtin", True)
    assert told.result.panel is not None
    assert told.result.panel["claims"], "the turn ends with a panel all the same"
    assert "JSON" in told.result.degraded_reason or "analysis" in told.result.degraded_reason


@both
def test_the_retry_may_cure_it(ask: Ask, server: tuple[ModelServer, str], lang: str) -> None:
    server[0].then(Reply(text=_good(lang)[:50]), Reply(text=_good(lang)))
    assert ask(lang).result.question == QUESTION[lang]


@both
def test_the_reason_is_said_in_the_language_of_the_turn(ask: Ask, server: tuple[ModelServer, str], lang: str) -> None:
    server[0].default = Reply(text=_good(lang)[:50])
    words = {
        "en": "the JSON object is cut off after 50 characters",
        "ja": "JSON オブジェクトが 50 文字で途切れています",
    }
    assert ask(lang).result.degraded_reason == words[lang]


@both
@pytest.mark.parametrize(
    "fault", [Fault.rate_limited, Fault.unauthorized, Fault.not_found, Fault.reset, Fault.too_large]
)
def test_a_server_that_refuses_is_said_in_one_language_only(
    ask: Ask, server: tuple[ModelServer, str], fault: Fault, lang: str
) -> None:
    server[0].default = Reply(text=_good(lang), fault=fault)
    reason = ask(lang).result.degraded_reason
    japanese = any("\u3040" <= char <= "\u9fff" for char in reason)
    assert (japanese, " at http" in reason) == (lang == "ja", lang == "en")


def test_a_tool_call_instead_of_words_is_no_answer_and_runs_nothing(opened: Opened) -> None:
    with OllamaServer(reply=Reply(fault=Fault.tool_call)) as running:
        endpoint = endpoint_at(running.url, model="m", context_tokens=16_384)
        services = opened(BoundChatModel(resolve_endpoint(endpoint), ticking_clock(), 20.0))
        told = tell(with_memory_saver(services), LEVELS["en"][1])
        assert (told.result.engine, told.result.degraded, len(running.chats)) == ("builtin", True, 2)
        assert not any(chat.body.get("tools") for chat in running.chats), "no tool is ever offered"


def test_ollama_is_told_its_context_and_a_count_that_fills_it_is_a_prompt_that_was_cut(opened: Opened) -> None:
    with OllamaServer(reply=Reply(text="It rains.", prompt_tokens=16_384)) as running:
        endpoint = endpoint_at(running.url, model="m", context_tokens=16_384)
        services = opened(BoundChatModel(resolve_endpoint(endpoint), ticking_clock(), 20.0))
        told = tell(with_memory_saver(services), LEVELS["en"][1])
    assert running.chats[0].body["options"]["num_ctx"] == 16_384
    assert told.result.degraded
    assert "16384 tokens or more" in told.result.degraded_reason
