"""The echo test sees an echo where there is one, and none in ours, in both languages."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from rqa_graph.cli.main import run
from rqa_graph.echo_layers import GraphLayer, RawList, load_layer
from rqa_graph.echo_test import STORIES, Assistant, Found, Story, run_echo_test
from rqa_graph.errors import UsageFaultError
from tests.support.graphs import scripted_services

ROOT = Path(__file__).parents[2]
_EACH = pytest.mark.parametrize("story", STORIES, ids=lambda story: story.lang)


class _Believer:
    """Tells the assistant that the user said whatever it stored."""

    name = "believer"

    def __init__(self) -> None:
        self.messages: list[str] = []

    def turn(self, asked: str, assistant: Assistant) -> tuple[str, Sequence[Found]]:
        found = [Found(text, "user") for text in self.messages]
        shown = assistant(found)
        self.messages += [asked, shown]
        return shown, found


@_EACH
def test_our_graph_never_shows_the_guess_as_more_than_a_guess(story: Story, tmp_path: Path) -> None:
    layer = GraphLayer(scripted_services(tmp_path / "home"))
    try:
        result = run_echo_test(layer, story)
    finally:
        layer.close()
    assert not result["echoes"]
    assert result["copies_most"] == 1, "the guess must have been retrieved, or this test proves nothing"
    assert result["still_known_as_guess"]


@_EACH
def test_a_list_without_speakers_echoes_and_multiplies(story: Story) -> None:
    result = run_echo_test(RawList(), story)
    assert result["echoes"]
    assert result["copies_most"] > 1
    assert not result["still_known_as_guess"]


@_EACH
def test_a_layer_that_credits_the_user_is_caught(story: Story) -> None:
    result = run_echo_test(_Believer(), story)
    assert any(turn["credited_to_user"] for turn in result["turns"])


def test_the_command_takes_a_layer_of_ones_own(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT / "examples")
    assert run(["echo-test", "--layer", "echo_layer:LastFive", "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    by_layer = {(row["layer"], row["lang"]): row["echoes"] for row in shown["results"]}
    assert {layer for layer, _ in by_layer} == {"rqa", "LangGraph InMemoryStore", "raw list", "last five messages"}
    assert not by_layer["rqa", "en"]
    assert not by_layer["rqa", "ja"]
    assert by_layer["last five messages", "en"]


def test_a_layer_that_is_not_there_is_refused_in_words() -> None:
    with pytest.raises(UsageFaultError):
        load_layer("no_such_module:Layer")
