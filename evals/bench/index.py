"""What does a search cost without the encoder, beside a bare Qdrant Edge query over the same vectors?

Both run in this process, in turns of one search each, so that the load of the machine falls on both. The bare query is
one dense side without a filter; ours is dense and sparse for one person among others, fused. Sentences are drawn from
word lists in English and Japanese, and vectors are random directions, so that no model is needed. Prints one JSON
object: milliseconds, median with its 95 % interval and 99th percentile.

Run: python -m evals.bench.index [--nodes 10000] [--others 1000] [--searches 300] [--seed 7] [--optimize]
"""

from __future__ import annotations

import argparse
import json
import random
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import qdrant_edge as qe

from evals.bench.saver import summary
from rqa_checkpoints.floors import Floors
from rqa_checkpoints.provenance import Kind, MemoryNode, Scope, SourceClass
from rqa_checkpoints.trail import Change, Filter, Trail

__all__ = ["DrawnEncoder", "FixedLog", "bare_shard", "draw_nodes", "main", "measure"]

_DIMENSION = 384
_HITS = 8


def _spaced(words: str) -> list[str]:
    return words.split()


_EN = (
    _spaced("I my-sister the-landlord our-team the-teacher the-customer somebody Ines"),
    _spaced("moved cancelled repaired forgot finished promised doubted painted measured borrowed"),
    _spaced("the-launch the-loom a-bicycle the-migration the-rent a-novel the-boiler the-export the-piano the-budget"),
    _spaced("in-October before-lunch without-asking for-the-third-time because-of-the-rain near-the-station"),
)
_JA = (
    _spaced("私は 妹が 大家さんが 先生は 取引先が 森田さんは 健太が 祖父は"),
    _spaced("織物を 自転車を 予算を 会議を 洗濯機を 朝顔を 原稿を 約束を 家賃を 看板を"),
    _spaced("秋に 駅前で 急いで 三度も 雨のために 誰にも言わずに"),
    _spaced("延期した。 直した。 忘れた。 仕上げた。 疑った。 測り直した。 借りた。 断った。"),
)


class DrawnEncoder:
    """Vectors drawn from a generator seeded by the text: the cost of a model is left out on purpose."""

    name = "drawn"
    dimension = _DIMENSION
    floors = Floors(en=0.0, ja=0.0)

    def __init__(self) -> None:
        self._known: dict[str, list[float]] = {}

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """Vectors of texts."""
        return [self.embed_query(text) for text in texts]

    def embed_query(self, text: str) -> list[float]:
        """Vector of a text, kept so that a search pays nothing for it the second time."""
        if text not in self._known:
            source = np.random.default_rng(list(text.encode()))
            vector = source.standard_normal(_DIMENSION)
            self._known[text] = (vector / np.linalg.norm(vector)).tolist()
        return self._known[text]


class FixedLog:
    """A log in a list."""

    def __init__(self, nodes: Sequence[MemoryNode]) -> None:
        self._changes = [Change(seq=i, op="put", node=node) for i, node in enumerate(nodes, start=1)]

    def changes_after(self, seq: int, *, limit: int, scope: Scope | None = None) -> Sequence[Change]:
        """Changes after a sequence number."""
        rest = self._changes[seq : seq + limit] if scope is None else self._changes[seq:]
        return [c for c in rest if scope is None or (c.node.tenant, c.node.user) == (scope.tenant, scope.user)][:limit]

    def last_seq(self) -> int:
        """The last sequence number."""
        return len(self._changes)


def draw_nodes(count: int, *, user: str, source: random.Random) -> list[MemoryNode]:
    """Draw sentences, English and Japanese in equal parts."""
    nodes = []
    for number in range(count):
        if number % 2:
            text = " ".join(source.choice(words) for words in _EN).replace("-", " ") + f" {source.randrange(1000)}."
        else:
            text = "".join(source.choice(words) for words in _JA[:3]) + f"{source.randrange(1000)}回" + _JA[3][0]
        nodes.append(
            MemoryNode(
                id=f"n_{user}_{number}",
                handle=f"{number}",
                tenant="local",
                user=user,
                thread="t",
                turn_id=f"{number}",
                source=SourceClass.user,
                author=user,
                kind=Kind.statement,
                text=text,
                recorded_at="2026-11-29T00:00:00+00:00",
            )
        )
    return nodes


def measure(
    folder: Path, *, nodes: int, others: int, searches: int, seed: int, optimize: bool
) -> dict[str, dict[str, float]]:
    """Fill an index and search it; see the module for what is compared.

    Raises:
        AssertionError: a search for the words of an item did not find an item with these words.
    """
    source = random.Random(seed)
    mine = draw_nodes(nodes, user="me", source=source)
    log = FixedLog(mine + draw_nodes(others, user="other", source=source))
    encoder = DrawnEncoder()
    start = time.perf_counter()
    with Trail.open(log, location=folder / "index", encoder=encoder, background=False) as trail:
        trail.catch_up()
        if optimize:
            trail.optimize()
    filled = time.perf_counter() - start
    bare = bare_shard(folder / "bare", [encoder.embed_query(node.text) for node in mine])
    start = time.perf_counter()
    with Trail.open(log, location=folder / "index", encoder=encoder, background=False) as trail:
        opened = time.perf_counter() - start
        spent: dict[str, list[float]] = {"trail_search": [], "bare_edge_dense_query": []}
        where = Filter(scope=Scope("local", "me"))
        for node in source.choices(mine, k=searches):
            vector = encoder.embed_query(node.text)
            start = time.perf_counter()
            found = trail.search(node.text, where=where, limit=_HITS)
            between = time.perf_counter()
            bare.query(qe.QueryRequest(limit=_HITS, query=qe.Query.Nearest(vector, using="dense"), with_payload=True))
            spent["bare_edge_dense_query"].append(time.perf_counter() - between)
            spent["trail_search"].append(between - start)
            assert found.hits
            assert (found.hits[0].cosine or 0) > 0.999
    bare.close()
    result = {name: summary(times) for name, times in spent.items()}
    result["once"] = {"fill_ms": round(1000 * filled, 1), "open_ms": round(1000 * opened, 1)}
    return result


def bare_shard(folder: Path, vectors: Sequence[list[float]]) -> qe.EdgeShard:
    """Make an Edge shard that holds nothing but these vectors."""
    folder.mkdir()
    config = qe.EdgeConfig(vectors={"dense": qe.EdgeVectorParams(size=_DIMENSION, distance=qe.Distance.Cosine)})
    shard = qe.EdgeShard.create(str(folder), config)
    points = [qe.Point(i, {"dense": vector}, {"id": str(i)}) for i, vector in enumerate(vectors)]
    shard.update(qe.UpdateOperation.upsert_points(points))
    return shard


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the benchmark and print its result."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--nodes", type=int, default=10_000)
    parser.add_argument("--others", type=int, default=1_000)
    parser.add_argument("--searches", type=int, default=300)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--optimize", action="store_true")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        result = measure(Path(folder), **vars(options))
    print(json.dumps({"bench": "index", "unit": "ms", "hits": _HITS, **vars(options), "results": result}, indent=1))


if __name__ == "__main__":
    main()
