"""The built-in engine as LangChain sees it: a chat model that needs no model."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys

import pytest

from rqa_checkpoints.provenance import SourceClass
from rqa_nodes.errors import ModelUnavailableError, PromptFormatError
from rqa_nodes.prompt_parts import MemoryLine, PromptParts, Task
from rqa_nodes.prompts import render
from rqa_nodes.structural import StructuralChatModel
from tests.support.engine_inputs import INPUTS
from tests.support.growth import assert_linear

LOCKER = MemoryLine(handle="k3v9xq", source=SourceClass.user, text="My locker is 41.", date="2026-05-02")
LOCKER_JA = MemoryLine(handle="k3v9xq", source=SourceClass.user, text="ロッカーは41番です。", date="2026-05-02")


def parts(text: str, *, task: Task = "answer", lang: str = "en", memory: tuple[MemoryLine, ...] = ()) -> PromptParts:
    return PromptParts(task=task, lang=lang, user_text=text, memory=memory, candidates=4)


def text_of(given: PromptParts) -> str:
    return StructuralChatModel().invoke(render(given)).text


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (parts("What is my locker number?", memory=(LOCKER,)), "You said “My locker is 41” [m:k3v9xq]."),
        (
            parts("ロッカーの番号は何番ですか？", lang="ja", memory=(LOCKER_JA,)),
            "「ロッカーは41番です」とおっしゃいました [m:k3v9xq]。",
        ),
    ],
)
def test_an_answer_is_a_quotation_with_its_handle(given: PromptParts, expected: str) -> None:
    assert text_of(given) == expected


@pytest.mark.parametrize(
    ("text", "lang"),
    [("If we add a cache, the site is always fast.", "en"), ("キャッシュを入れれば、サイトは必ず速くなる。", "ja")],
)
def test_an_analysis_is_one_json_object(text: str, lang: str) -> None:
    analysis = json.loads(text_of(parts(text, task="analyse", lang=lang)))
    assert set(analysis) == {
        "feature_map",
        "search_decision",
        "question_candidates",
        "self_ranking",
        "self_update_proposal",
        "tool_request",
    }
    assert len(analysis["question_candidates"]) == 4


@pytest.mark.parametrize("task", ["answer", "analyse"])
def test_streams_sync_and_async_join_to_the_whole(task: Task) -> None:
    given = render(parts("What is my locker, and should we always lock it?", task=task, memory=(LOCKER,)))
    model = StructuralChatModel()
    whole = model.invoke(given).text
    assert "".join(chunk.text for chunk in model.stream(given)) == whole

    async def collect() -> str:
        return "".join([chunk.text async for chunk in model.astream(given)])

    assert asyncio.run(collect()) == whole
    assert asyncio.run(model.ainvoke(given)).text == whole


def test_an_answer_streams_by_the_sentence() -> None:
    given = render(parts("What is the capital of Mexico?"))
    pieces = [chunk.text for chunk in StructuralChatModel().stream(given) if chunk.text.strip()]
    assert len(pieces) > 1
    assert all(piece.endswith(".") for piece in pieces)


def test_it_refuses_to_evaluate() -> None:
    with pytest.raises(ModelUnavailableError, match="cannot score"):
        StructuralChatModel().invoke(render(parts("x", task="evaluate")))


def test_messages_that_were_not_rendered_are_refused() -> None:
    with pytest.raises(PromptFormatError):
        StructuralChatModel().invoke("hello")


@pytest.mark.parametrize("task", ["answer", "analyse"])
@pytest.mark.parametrize(
    "unit",
    [
        "We must always sync, because the server wins if users edit. ",
        "サーバーが勝つので、必ず同期すれば問題ないはずだ。",
        "a",
        "「（",
        "# \n- ",
    ],
    ids=["en", "ja", "one word", "open brackets", "markup"],
)
def test_a_long_text_costs_what_its_length_explains(task: Task, unit: str) -> None:
    def answered(text: str) -> None:
        assert StructuralChatModel().invoke(render(parts(text, task=task, lang="ja" if unit[0] > "z" else "en"))).text

    assert_linear(answered, lambda times: unit * times, largest=400_000 // len(unit))


ONE_BY_ONE = """
import json
from rqa_nodes.prompt_parts import PromptParts
from rqa_nodes.structure.analyse import analyse
from tests.support.engine_inputs import INPUTS
for row in INPUTS:
    print(json.dumps(analyse(PromptParts(task="analyse", lang=row.lang, user_text=row.text, candidates=6))))
"""


def test_two_processes_with_other_hash_seeds_write_the_same_bytes() -> None:
    written = [
        subprocess.run(
            [sys.executable, "-c", ONE_BY_ONE],
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": os.pathsep.join(sys.path)},
            check=True,
            capture_output=True,
        ).stdout
        for seed in ("1", "4242")
    ]
    assert written[0] == written[1]
    assert written[0].count(b"\n") == len(INPUTS)
