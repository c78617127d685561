"""What does it cost to put and get a checkpoint, beside LangGraph's own SqliteSaver on a file?

Both run in the same process, in turns of one put and one get each, so that the load of the machine falls on both. The
value is random text, because text that compresses well would flatter a store that compresses. Prints one JSON object:
milliseconds, median with its 95 % interval (by order statistics) and 99th percentile.

Run: python -m evals.bench.saver [--count 1000] [--value-bytes 4096] [--seed 7]
"""

from __future__ import annotations

import argparse
import json
import math
import random
import string
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import BaseCheckpointSaver, Checkpoint, CheckpointMetadata
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.checkpoint.sqlite import SqliteSaver

from rqa_checkpoints.saver import QdrantSaver

__all__ = ["main", "measure", "summary"]

_TURN = 5
"""Checkpoints in one turn: the first is an input, after which `QdrantSaver` flushes in the background."""


def summary(seconds: Sequence[float]) -> dict[str, float]:
    """Summarize at least one duration, in milliseconds.

    The interval of the median are the order statistics at n/2 -+ 1.96 sqrt(n)/2 (binomial, normal approximation).
    """
    ranked = sorted(1000 * second for second in seconds)
    count = len(ranked)
    half = 1.96 * math.sqrt(count) / 2
    low, high = max(0, math.floor(count / 2 - half)), min(count - 1, math.ceil(count / 2 + half))
    at = {
        "median": count // 2,
        "median_low": low,
        "median_high": high,
        "p99": min(count - 1, math.ceil(0.99 * count) - 1),
    }
    return {name: round(ranked[index], 4) for name, index in at.items()}


def _checkpoint(step: int, value: str) -> Checkpoint:
    version = f"{step + 1:032}.0"
    return {
        "v": 1,
        "id": f"{step:032}",
        "ts": "2026-11-29T00:00:00+00:00",
        "channel_values": {"text": value},
        "channel_versions": {"text": version},
        "versions_seen": {},
        "updated_channels": None,
    }


def measure(
    savers: dict[str, BaseCheckpointSaver[str]], *, count: int, value_bytes: int, seed: int
) -> dict[str, dict[str, dict[str, float]]]:
    """Put and get `count` checkpoints of one thread with each saver, in turns.

    Raises:
        AssertionError: a saver did not give back what was put.
    """
    source = random.Random(seed)
    spent: dict[str, dict[str, list[float]]] = {name: {"put": [], "get": []} for name in savers}
    configs: dict[str, RunnableConfig] = {
        name: {"configurable": {"thread_id": "t", "checkpoint_ns": ""}} for name in savers
    }
    for step in range(count):
        made = _checkpoint(step, "".join(source.choices(string.ascii_letters, k=value_bytes)))
        metadata: CheckpointMetadata = {"source": "input" if step % _TURN == 0 else "loop", "step": step, "parents": {}}
        for name, saver in savers.items():
            start = time.perf_counter()
            configs[name] = saver.put(configs[name], made, metadata, made["channel_versions"])
            between = time.perf_counter()
            found = saver.get_tuple(configs[name])
            spent[name]["get"].append(time.perf_counter() - between)
            spent[name]["put"].append(between - start)
            assert found is not None
            assert found.checkpoint["channel_values"] == made["channel_values"]
    return {name: {call: summary(times) for call, times in calls.items()} for name, calls in spent.items()}


@contextmanager
def _savers(folder: Path) -> Iterator[dict[str, BaseCheckpointSaver[str]]]:
    with ExitStack() as stack:
        yield {
            "sqlite_file": stack.enter_context(SqliteSaver.from_conn_string(str(folder / "checkpoints.sqlite"))),
            "qdrant_edge": stack.enter_context(QdrantSaver.from_location(str(folder / "checkpoints"))),
            "qdrant_client_memory": stack.enter_context(QdrantSaver.from_location(":memory:")),
            "langgraph_memory": stack.enter_context(InMemorySaver()),
        }


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the benchmark and print its result."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--value-bytes", type=int, default=4096)
    parser.add_argument("--seed", type=int, default=7)
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder, _savers(Path(folder)) as savers:
        result = measure(savers, count=options.count, value_bytes=options.value_bytes, seed=options.seed)
    print(json.dumps({"bench": "saver", "unit": "ms", **vars(options), "savers": result}, indent=1))


if __name__ == "__main__":
    main()
