"""`rqa demo`: every point that it is there to show is seen."""

from __future__ import annotations

from typing import Any

import pytest
import yaml

from rqa_graph.resources import example_path
from tests.support.cli import Cli, Ran


@pytest.fixture(scope="module")
def shown() -> dict[str, Ran]:
    """What the demo gave, once for all tests: as a story and as an object."""
    return {}


@pytest.fixture
def story(cli: Cli, shown: dict[str, Ran]) -> Ran:
    """The demo as a person sees it, in a pipe."""
    if "story" not in shown:
        shown["story"] = cli("demo")
    return shown["story"]


@pytest.fixture
def data(cli: Cli, shown: dict[str, Ran]) -> dict[str, Any]:
    """The demo as a program sees it."""
    if "json" not in shown:
        shown["json"] = cli("demo", "--json")
    return shown["json"].json


def script(lang: str) -> dict[str, Any]:
    loaded: dict[str, Any] = yaml.safe_load(example_path(f"conversation.{lang}.yaml").read_text("utf-8"))
    return loaded


@pytest.mark.parametrize("lang", ["en", "ja"])
def test_the_four_turns_and_the_guess_of_the_first_are_shown(story: Ran, lang: str) -> None:
    turns = script(lang)["turns"]
    assert (story.code, len(turns)) == (0, 4)
    for turn in turns:
        assert turn["user"] in story.out
    places = [story.out.index(turn["user"]) for turn in turns]
    assert places == sorted(places)


@pytest.mark.parametrize(
    ("lang", "label", "opening"),
    [
        ("en", "The model is scripted", "As we established"),
        ("ja", "モデルは台本どおりに話します", "先ほど確認した通り"),
    ],
)
def test_what_the_verifier_took_out_is_shown_and_labelled_as_scripted(
    story: Ran, lang: str, label: str, opening: str
) -> None:
    assert label in story.out
    lines = story.out.splitlines()
    removed = [
        line for line in lines if line.startswith({"en": "  verifier took out", "ja": "  検証で除いた箇所"}[lang])
    ]
    assert any(opening in line for line in removed), "the claim that nobody had backed"
    assert any("[m:" in line for line in removed), "the reference that was never given"
    words = {"en": "  shown: ", "ja": "  表示: "}[lang]
    assert not any(opening in line for line in lines if line.startswith(words))


@pytest.mark.parametrize("index", [0, 1], ids=["en", "ja"])
def test_each_citation_is_credited_to_who_said_it(story: Ran, data: dict[str, Any], index: int) -> None:
    conversation = data["conversations"][index]
    last = conversation["turns"][-1]
    assert {row["source"] for row in last["memory"]["cited"]} == {"user"}
    assert {row["kind"] for row in last["removed"]} >= {"unknown_id", "unbacked_history"}
    assert {"en": "you said: ", "ja": "あなたの発言: "}[conversation["lang"]] in story.out


@pytest.mark.parametrize("index", [0, 1], ids=["en", "ja"])
def test_a_side_question_comes_with_scores_that_are_labelled(story: Ran, data: dict[str, Any], index: int) -> None:
    conversation = data["conversations"][index]
    side = conversation["side_question"]
    assert side["question"]
    assert side["scores"]
    assert side["question"] in story.out
    assert {"en": "scripted scores", "ja": "台本による採点"}[conversation["lang"]] in story.out


@pytest.mark.parametrize("index", [0, 1], ids=["en", "ja"])
def test_the_same_question_is_answered_from_memory_without_the_guess_as_fact(data: dict[str, Any], index: int) -> None:
    same = data["conversations"][index]["same_question"]
    assert same["engine"] == "builtin"
    assert same["text"]
    assert not any(row["action"] != "kept" for row in same["report"]["verdicts"])


def test_the_review_ends_it_with_a_panel(story: Ran, data: dict[str, Any]) -> None:
    panel = data["review"]["panel"]
    assert panel["claims"]
    assert panel["tensions"]["input"]
    assert panel["assumptions"]
    assert panel["question"]["question"] in story.out
    assert "### 1. Claims" in story.out


def test_nothing_of_it_stays(cli: Cli, story: Ran) -> None:
    assert not cli.home.exists()


def test_a_model_that_stands_in_is_named_once(cli: Cli) -> None:
    cli.set(RQA_MODELS__CHAT="auto", RQA_MODELS__OLLAMA_URL="http://127.0.0.1:9")
    ran = cli("demo", "--brief")
    assert ran.code == 0
    assert ran.err.count("the built-in engine answers") == 1
