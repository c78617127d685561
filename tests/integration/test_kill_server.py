"""`rqa serve` is killed in mid-stream: the client hears of it, and after a restart each turn is whole or absent."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import openai
import pytest

from tests.support.model_servers import Fault, OpenAIServer, Reply

_SENTENCES = {
    "en": ("I keep bees near Lund.", "Tell me about wax moths in hives.", "Wax moths prefer dark combs. "),
    "ja": ("私は大阪で織物の店をしています。", "織物の虫について教えてください。", "虫は暗い場所を好みます。"),
}
"""What a person tells, what they ask, and a sentence of the reply that is being streamed at the kill."""


@contextmanager
def _serving(rqa: Path, home: Path, model: OpenAIServer) -> Iterator[tuple[subprocess.Popen[str], str]]:
    command: list[str | Path] = [rqa, "serve", "--home", home, "--port", "0", "--json"]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("RQA_")}
    environment |= {"RQA_MODELS__BASE_URL": model.url, "RQA_MODELS__CHAT": "openai:m", "RQA_MEMORY__USER": "ann"}
    with (home.parent / "serve.log").open("a") as log:
        options: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": log, "text": True, "env": environment}
        with subprocess.Popen(command, **options) as process:
            try:
                yield process, json.loads(process.stdout.readline())["url"]  # type: ignore[union-attr]  # a pipe
            finally:
                process.kill()
                process.communicate()  # the end of its words is the end of the server


@pytest.mark.parametrize("lang", _SENTENCES)
def test_a_client_hears_of_it_and_no_turn_is_there_by_half(tmp_path: Path, programs: Path, lang: str) -> None:
    told, asked, sentence = _SENTENCES[lang]
    home = tmp_path / "home"
    with OpenAIServer(models=("m",), reply=Reply(text=sentence * 4)) as model:
        with (
            _serving(programs / "rqa", home, model) as (process, url),
            openai.OpenAI(base_url=f"{url}/v1", api_key="none", max_retries=0, timeout=60) as client,
        ):
            first = client.chat.completions.create(model="rqa", messages=[{"role": "user", "content": told}])
            model.then(Reply(text=sentence * 4, fault=Fault.drips))
            body: Any = {"model": "rqa", "messages": [{"role": "user", "content": asked}]}
            pieces = (chunk.choices[0].delta.content for chunk in client.chat.completions.create(**body, stream=True))
            heard = next(piece for piece in pieces if piece)
            process.send_signal(signal.SIGKILL)
            with pytest.raises((openai.APIError, httpx.HTTPError)):
                list(pieces)
        assert heard.startswith(sentence.strip())
        with _serving(programs / "rqa", home, model) as (_, url), httpx.Client(base_url=url, timeout=60) as plain:
            texts = {row["text"]: row["source"] for row in plain.get("/memory").json()["items"]}
            again = plain.post("/v1/chat/completions", json={"messages": [{"role": "user", "content": asked}]})
            assert again.json()["rqa"]["stored"] is True
    assert first.rqa["stored"] is True  # type: ignore[attr-defined]  # ours
    assert texts[told] == "user", "the turn that was acknowledged is whole"
    assert asked not in texts, "of the turn that was not, nothing is there"
