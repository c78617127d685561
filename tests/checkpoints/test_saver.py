"""Promises of `QdrantSaver` beyond the conformance suite: the sync twins, branches, pruning, closing, failing."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, TypedDict

import pytest
from langgraph.checkpoint.base import CheckpointTuple
from langgraph.checkpoint.serde.types import ERROR
from langgraph.graph import END, START, StateGraph
from langgraph.types import Command, interrupt

from rqa_checkpoints.errors import (
    CheckpointError,
    FormatMismatchError,
    HomeLockedError,
    HomeNotWritableError,
    StoreUnavailableError,
)
from rqa_checkpoints.saver import QdrantSaver
from rqa_checkpoints.saver.engines import open_points
from rqa_checkpoints.saver.records import LAYOUT_ID
from tests.support.checkpoints import checkpoint, ids_of, place, put_line


@pytest.fixture(params=["edge", "client"])
def location(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    return str(tmp_path / "checkpoints") if request.param == "edge" else ":memory:"


@pytest.fixture
def saver(location: str) -> Iterator[QdrantSaver]:
    with QdrantSaver.from_location(location) as opened:
        yield opened


def got(saver: QdrantSaver, thread: str, cid: str | None = None) -> CheckpointTuple:
    found = saver.get_tuple(place(thread, cid=cid))
    assert found is not None
    return found


class TestSyncTwins:
    def test_what_is_put_comes_back_whole(self, saver: QdrantSaver) -> None:
        made = checkpoint("c1", {"text": "hello", "文": "こんにちは", "none": None}, {"text": 1, "文": 1, "none": 1})
        config = saver.put(place("t"), made, {"source": "input", "step": -1, "parents": {}}, made["channel_versions"])
        found = saver.get_tuple(config)
        assert found is not None
        assert found.checkpoint == made
        assert found.config == place("t", cid="c1")
        assert found.parent_config is None
        assert found.metadata == {"source": "input", "step": -1, "parents": {}}

    def test_latest_is_the_greatest_id_even_if_an_older_one_is_put_last(self, saver: QdrantSaver) -> None:
        put_line(saver, "t", ["c2"])
        put_line(saver, "t", ["c1"])
        assert got(saver, "t").checkpoint["id"] == "c2"

    def test_unknown_thread_namespace_and_checkpoint_are_none(self, saver: QdrantSaver) -> None:
        put_line(saver, "t", ["c1"])
        assert saver.get_tuple(place("other")) is None
        assert saver.get_tuple(place("t", ns="child")) is None
        assert saver.get_tuple(place("t", cid="c9")) is None

    def test_list_is_newest_first_and_obeys_filter_before_and_limit(self, saver: QdrantSaver) -> None:
        put_line(saver, "t", ["c1", "c2", "c3", "c4"])
        assert ids_of(saver, place("t")) == ["c4", "c3", "c2", "c1"]
        assert ids_of(saver, place("t"), before=place("t", cid="c3")) == ["c2", "c1"]
        assert ids_of(saver, place("t"), limit=2) == ["c4", "c3"]
        assert ids_of(saver, place("t"), limit=0) == []
        assert ids_of(saver, place("t"), filter={"step": 1, "run_id": "run"}) == ["c2"]
        assert ids_of(saver, place("t"), filter={"step": 1, "absent": "x"}) == []
        assert ids_of(saver, place("t", cid="c2")) == ["c2"]

    def test_list_without_namespace_shows_all_and_without_config_all_threads(self, saver: QdrantSaver) -> None:
        put_line(saver, "t", ["c1"])
        put_line(saver, "t", ["c2"], ns="child:1")
        put_line(saver, "u", ["c3"])
        assert ids_of(saver, {"configurable": {"thread_id": "t"}}) == ["c2", "c1"]
        assert ids_of(saver, place("t")) == ["c1"]
        assert ids_of(saver, None) == ["c3", "c2", "c1"]

    def test_a_long_list_crosses_pages_in_order(self, saver: QdrantSaver) -> None:
        names = [f"c{number:04}" for number in range(300)]
        put_line(saver, "t", names)
        assert ids_of(saver, place("t")) == names[::-1]
        assert ids_of(saver, place("t"), filter={"step": 250}, limit=1) == ["c0250"]

    def test_delete_thread_leaves_other_threads(self, saver: QdrantSaver) -> None:
        put_line(saver, "t", ["c1"])
        put_line(saver, "u", ["c2"])
        saver.delete_thread("t")
        assert ids_of(saver, None) == ["c2"]

    def test_delete_for_runs_makes_the_newest_survivor_the_latest(self, saver: QdrantSaver) -> None:
        first = put_line(saver, "t", ["c1"], run="kept")[0]
        made = checkpoint("c2", {"text": "gone"}, {"text": "2"})
        saver.put(first, made, {"source": "loop", "step": 1, "parents": {}, "run_id": "gone"}, {"text": "2"})
        saver.delete_for_runs(["gone", "unknown"])
        assert got(saver, "t").checkpoint["id"] == "c1"
        saver.delete_for_runs(["kept"])
        assert saver.get_tuple(place("t")) is None

    def test_copy_is_whole_and_independent(self, saver: QdrantSaver) -> None:
        configs = put_line(saver, "t", ["c1", "c2"])
        saver.put_writes(configs[1], [("text", "pending")], "task")
        saver.copy_thread("t", "u")
        saver.delete_thread("t")
        copied = got(saver, "u")
        assert copied.checkpoint["channel_values"] == {"text": "text of c2"}
        assert copied.parent_config == place("u", cid="c1")
        assert copied.pending_writes == [("task", "text", "pending")]

    def test_copied_metadata_names_the_new_thread_where_it_named_the_old(self, saver: QdrantSaver) -> None:
        metadata: Any = {"source": "loop", "step": 0, "parents": {}, "thread_id": "t"}
        saver.put(place("t"), checkpoint("c1", {}, {}), metadata, {})
        saver.copy_thread("t", "u")
        assert got(saver, "u").metadata == {**metadata, "thread_id": "u"}

    def test_copy_onto_a_longer_thread_keeps_its_latest(self, saver: QdrantSaver) -> None:
        put_line(saver, "t", ["c1"])
        put_line(saver, "u", ["c2"])
        saver.copy_thread("t", "u")
        assert got(saver, "u").checkpoint["id"] == "c2"
        assert ids_of(saver, place("u")) == ["c2", "c1"]

    def test_prune_strategies(self, saver: QdrantSaver) -> None:
        for thread in ("kept", "a", "b"):
            put_line(saver, thread, [f"{thread}1", f"{thread}2"])
        with pytest.raises(ValueError, match="'newest'"):
            saver.prune(["kept", "a", "b"], strategy="newest")
        saver.prune(["kept"])
        saver.prune(["a"], strategy="delete")
        saver.prune(["b"], strategy="delete_all")
        assert ids_of(saver, None) == ["kept2"]
        assert got(saver, "kept").checkpoint["channel_values"] == {"text": "text of kept2"}


class TestWrites:
    def test_pending_writes_come_in_the_order_in_which_a_run_applies_them(self, saver: QdrantSaver) -> None:
        config = put_line(saver, "t", ["c1"])[0]
        saver.put_writes(config, [("x", 1), ("x", 2)], "task-a", "path/2")
        saver.put_writes(config, [("x", 3)], "task-b", "path/1")
        saver.put_writes(config, [("x", 4)], "task-c")
        writes = got(saver, "t").pending_writes
        assert writes == [("task-c", "x", 4), ("task-b", "x", 3), ("task-a", "x", 1), ("task-a", "x", 2)]

    def test_ordinary_writes_stay_as_first_written_and_special_ones_are_replaced(self, saver: QdrantSaver) -> None:
        config = put_line(saver, "t", ["c1"])[0]
        saver.put_writes(config, [("x", "first"), (ERROR, "first")], "task")
        saver.put_writes(config, [("x", "second"), (ERROR, "second"), ("y", "added")], "task")
        writes = got(saver, "t").pending_writes
        assert writes == [("task", ERROR, "second"), ("task", "x", "first"), ("task", "y", "added")]

    def test_writes_may_come_before_their_checkpoint_and_survive_a_prune_meanwhile(self, saver: QdrantSaver) -> None:
        put_line(saver, "t", ["c1"])
        saver.put_writes(place("t", cid="c2"), [("x", 1)], "task")
        saver.prune(["t"])
        put_line(saver, "t", ["c2"])
        assert got(saver, "t").pending_writes == [("task", "x", 1)]

    def test_writes_without_a_checkpoint_id_are_refused(self, saver: QdrantSaver) -> None:
        with pytest.raises(CheckpointError, match="checkpoint_id"):
            saver.put_writes(place("t"), [("x", 1)], "task")


class TestBranches:
    def test_two_branches_with_the_same_version_numbers_keep_their_values(self, saver: QdrantSaver) -> None:
        root = put_line(saver, "t", ["c1"])[0]
        for cid, value in (("c2", "left"), ("c3", "right")):
            made = checkpoint(cid, {"text": value}, {"text": "2"})
            saver.put(root, made, {"source": "fork", "step": 1, "parents": {}}, {"text": "2"})
        assert got(saver, "t", "c2").checkpoint["channel_values"] == {"text": "left"}
        assert got(saver, "t", "c3").checkpoint["channel_values"] == {"text": "right"}

    def test_a_checkpoint_whose_parent_is_gone_still_holds_its_unchanged_values(self, saver: QdrantSaver) -> None:
        made = checkpoint("c2", {"old": "kept", "new": "x"}, {"old": "1", "new": "2"})
        saver.put(place("t", cid="c1"), made, {"source": "loop", "step": 1, "parents": {}}, {"new": "2"})
        assert got(saver, "t").checkpoint["channel_values"] == {"old": "kept", "new": "x"}

    def test_versions_rise_and_continue_those_of_the_server(self, saver: QdrantSaver) -> None:
        versions = [saver.get_next_version(None, None)]
        for _ in range(11):
            versions.append(saver.get_next_version(versions[-1], None))
        assert versions == sorted(set(versions))
        server = f"{12:032}.{0.73:.16f}"
        assert versions[-1] < saver.get_next_version(server, None)
        assert saver.get_next_version(server, None) > server

    def test_values_that_no_checkpoint_names_are_swept(self, tmp_path: Path) -> None:
        folder = str(tmp_path / "checkpoints")
        with QdrantSaver.from_location(folder) as saver:
            configs = put_line(saver, "t", ["c1", "c2", "c3"])
            for number, config in enumerate(configs):
                saver.put_writes(config, [("text", number)], "task")
            saver.prune(["t"])
        store = open_points(folder, collection="unused")
        kinds = sorted(row["kind"] for row in store.scan({"thread": ["t"]}, ("kind",)).values())
        store.close()
        assert kinds == ["checkpoint", "head", "tasks", "values", "writes"]


class Talk(TypedDict, total=False):
    said: str
    answer: str


def asking_graph() -> StateGraph[Talk]:
    def ask(state: Talk) -> Talk:
        return {"answer": f"{state['said']}: {interrupt('はい?')}"}

    builder = StateGraph(Talk)
    builder.add_node("ask", ask)
    builder.add_edge(START, "ask")
    builder.add_edge("ask", END)
    return builder


class TestOpeningAndClosing:
    def test_an_interrupted_graph_resumes_after_reopening(self, tmp_path: Path) -> None:
        folder = str(tmp_path / "checkpoints")
        with QdrantSaver.from_location(folder) as saver:
            asking_graph().compile(checkpointer=saver).invoke({"said": "本当に"}, place("t"))
        with QdrantSaver.from_location(folder) as saver:
            result = asking_graph().compile(checkpointer=saver).invoke(Command(resume="はい"), place("t"))
        assert result == {"said": "本当に", "answer": "本当に: はい"}

    def test_making_a_saver_touches_no_disk(self, tmp_path: Path) -> None:
        QdrantSaver.from_location(str(tmp_path / "checkpoints"))
        assert list(tmp_path.iterdir()) == []

    def test_it_works_without_a_with_block_until_closed(self, tmp_path: Path) -> None:
        saver = QdrantSaver.from_location(str(tmp_path / "checkpoints"))
        put_line(saver, "t", ["c1"])
        saver.close()
        saver.close()
        with pytest.raises(CheckpointError, match="closed"):
            saver.get_tuple(place("t"))

    def test_the_last_of_several_owners_closes(self, saver: QdrantSaver) -> None:
        with saver:
            put_line(saver, "t", ["c1"])
        assert got(saver, "t").checkpoint["id"] == "c1"

    def test_another_layout_is_refused(self, tmp_path: Path) -> None:
        folder = str(tmp_path / "checkpoints")
        store = open_points(folder, collection="unused")
        store.apply({LAYOUT_ID: {"kind": "layout", "version": 99}})
        store.close()
        with pytest.raises(FormatMismatchError, match="99"), QdrantSaver.from_location(folder):
            pass

    def test_a_folder_in_use_is_refused_with_its_path(self, tmp_path: Path) -> None:
        folder = str(tmp_path / "checkpoints")
        with QdrantSaver.from_location(folder):
            with pytest.raises(HomeLockedError, match="checkpoints") as caught, QdrantSaver.from_location(folder):
                pass
            assert folder in caught.value.message
            assert "RQA_HOME" in caught.value.hint

    def test_a_file_in_the_way_is_named(self, tmp_path: Path) -> None:
        (tmp_path / "file").write_text("")
        for name in ("file", "file/checkpoints"):
            with pytest.raises(HomeNotWritableError, match="file"), QdrantSaver.from_location(str(tmp_path / name)):
                pass

    def test_a_server_that_does_not_answer_is_named(self) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            url = f"http://127.0.0.1:{free.getsockname()[1]}"
        with pytest.raises(StoreUnavailableError, match=url), QdrantSaver.from_location(url):
            pass

    @pytest.mark.parametrize(
        ("config", "word"),
        [({"configurable": {}}, "thread_id"), ({"configurable": {"thread_id": "\ud800"}}, "Unicode")],
    )
    def test_a_config_without_a_usable_thread_is_refused(self, saver: QdrantSaver, config: Any, word: str) -> None:
        with pytest.raises(CheckpointError, match=word):
            saver.get_tuple(config)

    def test_a_value_deleted_from_outside_is_an_error_and_no_empty_channel(self, tmp_path: Path) -> None:
        folder = str(tmp_path / "checkpoints")
        with QdrantSaver.from_location(folder) as saver:
            put_line(saver, "t", ["c1"])
        store = open_points(folder, collection="unused")
        store.apply({}, [*store.scan({"kind": ["values"]})])
        store.close()
        with QdrantSaver.from_location(folder) as saver, pytest.raises(CheckpointError, match="'text'"):
            saver.get_tuple(place("t"))


def test_threads_writing_at_once_lose_nothing(saver: QdrantSaver) -> None:
    barrier = threading.Barrier(4)

    def talk(name: str) -> None:
        barrier.wait()
        for config in put_line(saver, name, [f"{name}{step:02}" for step in range(20)]):
            saver.put_writes(config, [("text", name)], f"task-{name}")

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(talk, "abcd"))
    for name in "abcd":
        assert len(ids_of(saver, place(name))) == 20
        assert got(saver, name).pending_writes == [(f"task-{name}", "text", name)]
