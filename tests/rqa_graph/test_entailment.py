"""A model beside the rules: what it must be, what it adds, and that a turn goes on without it."""

from __future__ import annotations

import logging
import math
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pytest

from rqa_checkpoints.provenance import Kind, SourceClass
from rqa_graph.entailment import entailment_for_turns, open_entailment
from rqa_graph.errors import ConfigError, MissingExtraError
from tests.support.cli import Cli
from tests.support.graphs import with_memory_saver
from tests.support.opened import Opened
from tests.support.turns import tell

LABELS = {0: "entailment", 1: "neutral", 2: "CONTRADICTION"}


class _Encoder:
    """Sees a contradiction where a premise speaks of vegans and the hypothesis of meat, and not the other way round."""

    labels = LABELS

    def __init__(self, name: str) -> None:
        if name == "gone":
            raise OSError("no such folder")
        self.model = SimpleNamespace(config=SimpleNamespace(id2label=self.labels))
        self.name = name

    def predict(self, pairs: list[tuple[str, str]], *, apply_softmax: bool, show_progress_bar: bool) -> Any:
        assert (apply_softmax, show_progress_bar) == (True, False)
        both = ["vegan" in premise and "steak" in hypothesis for premise, hypothesis in pairs]
        sure = math.nan if self.name == "broken" else 0.998
        return np.array([[0.001, 0.001, sure] if found else [0.3, 0.698, 0.002] for found in both])


@pytest.fixture
def library(monkeypatch: pytest.MonkeyPatch) -> type[_Encoder]:
    fake: Any = ModuleType("sentence_transformers")
    fake.CrossEncoder = _Encoder
    monkeypatch.setitem(sys.modules, "sentence_transformers", fake)
    return _Encoder


def test_none_is_named_by_default() -> None:
    assert open_entailment("") is None


@pytest.mark.usefixtures("library")
def test_both_directions_are_asked_and_the_surer_one_counts() -> None:
    model = open_entailment("sentence-transformers:tiny")
    assert model is not None
    assert model.contradiction("Ann is vegan.", "Ann loves steak") > 0.99
    assert model.contradiction("Ann loves steak", "Ann is vegan.") > 0.99
    assert model.contradiction("Ann is tall.", "Ann loves steak") < 0.01


@pytest.mark.usefixtures("library")
def test_a_model_whose_numbers_are_broken_finds_nothing() -> None:
    model = open_entailment("sentence-transformers:broken")
    assert model is not None
    assert model.contradiction("Ann is vegan.", "Ann loves steak") == 0


@pytest.mark.usefixtures("library")
@pytest.mark.parametrize("spec", ["tiny", "ollama:tiny", "sentence-transformers:", "sentence-transformers:gone"])
def test_what_cannot_be_loaded_is_named_and_a_turn_goes_on(spec: str, caplog: pytest.LogCaptureFixture) -> None:
    with pytest.raises(ConfigError, match=r"memory\.nli"):
        open_entailment(spec)
    with caplog.at_level(logging.WARNING):
        assert entailment_for_turns(spec) is None
    assert "rules alone" in caplog.text


def test_a_model_for_something_else_is_refused(library: type[_Encoder], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(library, "labels", {0: "LABEL_0"})
    with pytest.raises(ConfigError, match="classes are label_0"):
        open_entailment("sentence-transformers:tiny")


def test_without_the_extra_it_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    with pytest.raises(MissingExtraError, match="extra") as caught:
        open_entailment("sentence-transformers:tiny")
    assert "rqa-graph[sentence-transformers]" in caught.value.hint


@pytest.mark.usefixtures("library")
@pytest.mark.parametrize(("lang", "words"), [("en", "a model"), ("ja", "モデル")])
def test_the_command_finds_what_only_the_sense_tells(
    lang: str, words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    cli = Cli(tmp_path / "home", monkeypatch, capsys)
    cli("memory", "add", "My sister Ann is vegan.")
    cli("memory", "add", "My sister Ann ordered the steak.")
    assert cli("graph", "contradictions", "--json").json["total"] == 0
    cli.set(RQA_MEMORY__NLI="sentence-transformers:tiny")
    shown = cli("graph", "contradictions", "--lang", lang)
    assert "vegan" in shown.out
    assert words in shown.out
    assert cli("graph", "curate", "--dry-run", "--json").json["changes"][0]["name"] in {"supersedes", "contradicts"}
    cli.set(RQA_MEMORY__NLI="sentence-transformers:gone")
    refused = cli("graph", "contradictions", "--lang", lang)
    assert refused.code == 2
    assert "memory.nli" in refused.err


@pytest.mark.usefixtures("library")
def test_a_turn_marks_what_the_model_finds(opened: Opened) -> None:
    services = opened(["Noted."])
    services._nli = "sentence-transformers:tiny"
    scope = services.scope("", "")
    services.memory.add(
        "My sister Ann is vegan.", scope=scope, source=SourceClass.user, author=scope.user, kind=Kind.statement
    )
    tell(with_memory_saver(services), "My sister Ann ordered the steak.")
    with_edges = services.memory.graph(scope=scope).view().edges(keys=True)
    assert {kind for _, _, kind in with_edges} & {"supersedes", "contradicts"}
