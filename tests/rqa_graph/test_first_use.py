"""A person is told once, before it happens, that what they write goes to another machine to be scored."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from rqa_graph.bound_model import BoundChatModel
from rqa_graph.first_use import TOLD_FILE, first_use
from rqa_graph.resources import load_config
from rqa_nodes.reflect.binding import Binding
from tests.support.cli import Cli
from tests.support.graphs import evaluation
from tests.support.model_servers import OpenAIServer, Reply

ASKED = {
    "en": "Everyone says that the mill must move. Should we do it?",
    "ja": "製粉所は移すべきだと皆言っています。移すべきでしょうか？",
}
SAID = {"en": "To be scored, your input", "ja": "採点のため、入力と問いの案を"}


@pytest.fixture
def cli(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Cli:
    """A home whose embedder opens at once."""
    runs = Cli(tmp_path / "home", monkeypatch, capsys)
    runs.set(RQA_MEMORY__EMBEDDER="hash", RQA_MODELS__CHAT="builtin", GROQ_API_KEY="gsk-4f9c1b7e2d")
    return runs


@pytest.fixture
def judge(cli: Cli) -> Iterator[OpenAIServer]:
    """An approved evaluator."""
    poor = evaluation((5, 5, 5, 5), (4, 4, 4, 4), (3, 3, 3, 3))
    with OpenAIServer(reply=Reply(text=poor)) as running:
        binding: dict[str, Any] = {**load_config("evaluator_binding"), "endpoint": running.groq_url}
        approval = {"who": "a test", "when": "2026-11-30", "hash": Binding.from_mapping(binding).fingerprint}
        folder = cli.home / "config"
        folder.mkdir(parents=True)
        (folder / "evaluator_binding.yaml").write_text(yaml.safe_dump(binding), "utf-8")
        (folder / "approvals.yaml").write_text(yaml.safe_dump({"evaluator_binding": [approval]}), "utf-8")
        yield running


@pytest.mark.parametrize("lang", ["en", "ja"])
def test_it_is_said_once_where_the_evaluator_is_elsewhere(
    cli: Cli, judge: OpenAIServer, monkeypatch: pytest.MonkeyPatch, lang: str
) -> None:
    monkeypatch.setattr(BoundChatModel, "is_local", property(lambda _self: False))
    as_json = cli("ask", ASKED[lang], "--json")
    first, second = cli("ask", ASKED[lang]), cli("ask", ASKED[lang])
    assert len(judge.chats) == 3
    assert [ran.err.count(SAID[lang]) for ran in (as_json, first, second)] == [0, 1, 0]
    assert judge.groq_url in first.err
    assert "--no-evaluator" in first.err


def test_nothing_is_said_where_the_evaluator_is_on_this_machine(cli: Cli, judge: OpenAIServer) -> None:
    shown = cli("ask", ASKED["en"])
    assert len(judge.chats) == 1
    assert SAID["en"] not in shown.err
    assert not (cli.home / TOLD_FILE).exists()


def test_another_binding_is_told_of_again(tmp_path: Path) -> None:
    assert [first_use(tmp_path, name) for name in ("sha256:a", "sha256:a", "sha256:b", "sha256:b")] == [
        True,
        False,
        True,
        False,
    ]


@pytest.mark.parametrize("content", [b"", b"\xff\xfe", b"sha256:other\n"])
def test_a_file_that_says_something_else_is_no_reason_for_silence(content: bytes, tmp_path: Path) -> None:
    (tmp_path / TOLD_FILE).write_bytes(content)
    assert first_use(tmp_path, "sha256:a")
    assert not first_use(tmp_path, "sha256:a")


def test_where_nothing_can_be_written_it_is_told_again(tmp_path: Path) -> None:
    assert [first_use(tmp_path / "nowhere", "sha256:a") for _ in range(2)] == [True, True]
