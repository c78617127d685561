"""What a saver keeps when something happens to it: a kill, a second process, an event loop, a cipher, deltas."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import threading
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Annotated, Any, TypedDict

import pytest
from blockbuster import BlockBuster
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from langchain_core.runnables import RunnableConfig
from langgraph.channels.delta import DeltaChannel
from langgraph.checkpoint.serde.base import CipherProtocol
from langgraph.checkpoint.serde.encrypted import EncryptedSerializer
from langgraph.graph import END, START, StateGraph

from rqa_checkpoints.errors import CheckpointNeededError
from rqa_checkpoints.saver import QdrantSaver
from rqa_checkpoints.saver.core import CheckpointCore
from rqa_checkpoints.saver.engines import open_points
from rqa_checkpoints.saver.records import Payload, unpack
from tests.support.checkpoints import checkpoint, ids_of, place, put_line

_WRITER = """
import sys
from rqa_checkpoints.saver import QdrantSaver
from tests.support.checkpoints import checkpoint

with QdrantSaver.from_location(sys.argv[1]) as saver:
    config = {"configurable": {"thread_id": "t", "checkpoint_ns": ""}}
    for step in range(100000):
        cid, version = f"{step:08}", f"{step:032}"
        made = checkpoint(cid, {"text": "x" * 1000 + cid}, {"text": version})
        source = "input" if step % 50 == 0 else "loop"
        config = saver.put(config, made, {"source": source, "step": step, "parents": {}}, {"text": version})
        saver.put_writes(config, [("text", cid)], "task")
        print(cid, flush=True)
"""

_OPENER = """
import sys
from rqa_checkpoints.errors import HomeLockedError
from rqa_checkpoints.saver import QdrantSaver

try:
    with QdrantSaver.from_location(sys.argv[1]):
        print("opened")
except HomeLockedError as error:
    print(error.message, error.hint)
"""

_ROOT = Path(__file__).parents[2]


def test_nothing_acknowledged_is_lost_when_the_process_is_killed(tmp_path: Path, programs: Path) -> None:
    folder = str(tmp_path / "checkpoints")
    command: list[str | Path] = [programs / "python", "-c", _WRITER, folder]
    child = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=_ROOT)
    assert child.stdout is not None
    with child.stdout:
        acknowledged = [child.stdout.readline().strip() for _ in range(120)]
        os.kill(child.pid, signal.SIGKILL)
        rest = child.stdout.read().splitlines(keepends=True)
    child.wait()
    acknowledged += [line.strip() for line in rest if line.endswith("\n")]
    with QdrantSaver.from_location(folder) as saver:
        found = {item.checkpoint["id"]: item for item in saver.list(place("t"))}
        assert set(acknowledged) <= set(found)
        for cid in acknowledged:
            assert found[cid].checkpoint["channel_values"] == {"text": "x" * 1000 + cid}
            assert found[cid].pending_writes == [("task", "text", cid)]
        latest = saver.get_tuple(place("t"))
        assert latest is not None
        assert latest.checkpoint["id"] == max(found)


def test_a_second_process_is_told_the_path_and_the_way_out(tmp_path: Path, programs: Path) -> None:
    folder = str(tmp_path / "checkpoints")

    def opener() -> str:
        command: list[str | Path] = [programs / "python", "-c", _OPENER, folder]
        return subprocess.run(command, capture_output=True, text=True, cwd=_ROOT).stdout

    with QdrantSaver.from_location(folder):
        words = opener()
    assert folder in words
    assert "another process" in words
    assert "RQA_HOME" in words
    assert opener() == "opened\n"


class _HeldStore:
    """A store whose reads wait until the event loop has moved on."""

    def __init__(self) -> None:
        self.released = threading.Event()

    def retrieve(self, ids: Sequence[str], fields: Sequence[str] | None = None) -> dict[str, Payload]:
        assert self.released.wait(timeout=5), "the event loop stood still"
        return {}

    def scan(self, match: Mapping[str, Sequence[str]], fields: Sequence[str] | None = None) -> dict[str, Payload]:
        return self.retrieve([])

    def pages(self) -> Iterator[dict[str, Payload]]:
        yield self.retrieve([])

    def rebuild(self, keeps: Callable[[Payload], bool]) -> int:
        return 0

    def apply(self, points: Mapping[str, Payload], drop: Sequence[str] = ()) -> None:
        self.retrieve([])

    def settle(self) -> None:
        self.retrieve([])

    def close(self) -> None:
        self.retrieve([])


async def test_no_async_method_holds_up_the_event_loop() -> None:
    made = checkpoint("c1", {}, {})

    async def listed(saver: QdrantSaver) -> None:
        assert [item async for item in saver.alist(place("t"))] == []

    calls: list[Callable[[QdrantSaver], Awaitable[object]]] = [
        listed,
        lambda saver: saver.aget_tuple(place("t")),
        lambda saver: saver.aput(place("t"), made, {"source": "input", "step": -1, "parents": {}}, {}),
        lambda saver: saver.aput_writes(place("t", cid="c1"), [("x", 1)], "task"),
        lambda saver: saver.adelete_thread("t"),
        lambda saver: saver.adelete_for_runs(["run"]),
        lambda saver: saver.acopy_thread("t", "u"),
        lambda saver: saver.aprune(["t"]),
        lambda saver: saver.__aenter__(),
    ]
    for call in calls:
        store = _HeldStore()
        saver = QdrantSaver(CheckpointCore(partial(_same, store)))
        asyncio.get_running_loop().call_later(0.01, store.released.set)
        await call(saver)
        store.released.clear()
        asyncio.get_running_loop().call_later(0.01, store.released.set)
        await saver.__aexit__(None, None, None)


def _same(store: _HeldStore) -> _HeldStore:
    return store


@pytest.mark.parametrize("engine", ["edge", "client"])
async def test_async_methods_pass_the_development_servers_blocking_check(engine: str, tmp_path: Path) -> None:
    location = str(tmp_path / "checkpoints") if engine == "edge" else ":memory:"
    watch = BlockBuster()
    watch.activate()
    try:
        async with QdrantSaver.from_location(location) as saver:
            made = checkpoint("c1", {"text": "x"}, {"text": 1})
            config = await saver.aput(place("t"), made, {"source": "input", "step": -1, "parents": {}}, {"text": 1})
            await saver.aput_writes(config, [("text", "y")], "task")
            assert [item.checkpoint async for item in saver.alist(place("t"))] == [made]
            await saver.adelete_thread("t")
            assert await saver.aget_tuple(place("t")) is None
    finally:
        watch.deactivate()


class _AesGcm(CipherProtocol):
    def __init__(self, key: bytes) -> None:
        self._cipher = AESGCM(key)

    def encrypt(self, plaintext: bytes) -> tuple[str, bytes]:
        nonce = os.urandom(12)
        return "aes-gcm", nonce + self._cipher.encrypt(nonce, plaintext, None)

    def decrypt(self, ciphername: str, ciphertext: bytes) -> bytes:
        assert ciphername == "aes-gcm"
        return self._cipher.decrypt(ciphertext[:12], ciphertext[12:], None)


def test_an_encrypting_serializer_leaves_no_word_readable(tmp_path: Path) -> None:
    folder = tmp_path / "checkpoints"
    serde = EncryptedSerializer(_AesGcm(bytes(32)))
    secret = "the secret 秘密"
    made = checkpoint("c1", {"text": secret}, {"text": 1})
    metadata: Any = {"source": "input", "step": -1, "parents": {}, "note": secret}
    with QdrantSaver.from_location(str(folder), serde=serde) as saver:
        config = saver.put(place("t"), made, metadata, {"text": 1})
        saver.put_writes(config, [("text", secret)], "task")
    with QdrantSaver.from_location(str(folder), serde=serde) as saver:
        found = saver.get_tuple(place("t"))
        assert found is not None
        assert (found.checkpoint, found.metadata) == (made, metadata)
        assert found.pending_writes == [("task", "text", secret)]
        assert ids_of(saver, place("t"), filter={"note": secret}) == ["c1"]
    store = open_points(str(folder), collection="unused")
    rows = store.scan({"thread": ["t"]}).values()
    store.close()
    hidden = [part[-2:] for row in rows for name in ("body", "rows") if name in row for part in unpack(row[name])]
    assert [kind for kind, _ in hidden] == ["msgpack+aes-gcm"] * 4
    assert not any(secret.encode() in data for _, data in hidden)


def _gathered(state: list[str] | None, writes: Sequence[list[str]]) -> list[str]:
    return [*(state or []), *(word for write in writes for word in write)]


class Log(TypedDict, total=False):
    words: Annotated[list[str], DeltaChannel(_gathered, snapshot_frequency=4)]


def _delta_graph() -> StateGraph[Log]:
    builder = StateGraph(Log)
    builder.add_node("one", lambda state: {"words": ["one"]})
    builder.add_node("two", lambda state: {"words": ["two"]})
    builder.add_edge(START, "one")
    builder.add_edge("one", "two")
    builder.add_edge("two", END)
    return builder


def _turn(number: int) -> RunnableConfig:
    return {"configurable": {"thread_id": "t"}, "metadata": {"run_id": f"run-{number}"}}


@pytest.mark.parametrize("engine", ["edge", "client"])
def test_pruning_keeps_what_a_delta_channel_is_rebuilt_from(engine: str, tmp_path: Path) -> None:
    with QdrantSaver.from_location(str(tmp_path / "c") if engine == "edge" else ":memory:") as saver:
        graph = _delta_graph().compile(checkpointer=saver)
        expected: list[str] = []
        kept: list[int] = []
        for number in range(4):
            graph.invoke({"words": [f"turn {number}"]}, _turn(number))
            expected += [f"turn {number}", "one", "two"]
            saver.prune(["t"])
            assert graph.get_state(_turn(number)).values == {"words": expected}
            kept.append(len(ids_of(saver, _turn(number))))
        assert 1 in kept, "a checkpoint with its own snapshot needs no ancestor"
        assert max(kept) > 1, "the others need theirs"


def test_deleting_a_run_that_a_later_one_is_rebuilt_from_is_refused_whole() -> None:
    with QdrantSaver.from_location(":memory:") as saver:
        graph = _delta_graph().compile(checkpointer=saver)
        put_line(saver, "other", ["c1"], run="run-0")
        for number in range(2):
            graph.invoke({"words": [f"turn {number}"]}, _turn(number))
        before = ids_of(saver, None)
        with pytest.raises(CheckpointNeededError, match="'t'"):
            saver.delete_for_runs(["run-0"])
        assert ids_of(saver, None) == before
        saver.delete_for_runs(["run-1"])
        assert graph.get_state(_turn(0)).values == {"words": ["turn 0", "one", "two"]}
