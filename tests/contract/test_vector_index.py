"""What every index promises, whatever engine is below. A server joins when `RQA_TEST_QDRANT_URL` is set."""

from __future__ import annotations

import os
import threading
import uuid
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from rqa_checkpoints import sparse
from rqa_checkpoints.embedding import HashEmbedder
from rqa_checkpoints.errors import FormatMismatchError, StoreUnavailableError
from rqa_checkpoints.floors import Floors
from rqa_checkpoints.index import Filter, Found, IndexPoint, VectorIndex, open_index, remove_collection
from rqa_checkpoints.provenance import Kind, MemoryNode, Scope, SourceClass
from tests.support.trails import ME, MINE, item

URL = os.environ.get("RQA_TEST_QDRANT_URL", "")
ENCODER = HashEmbedder()
BACKENDS = ["edge", "client", *(["server"] if URL else [])]


@pytest.fixture(params=BACKENDS)
def index(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[VectorIndex]:
    location = {"edge": str(tmp_path / "index"), "client": ":memory:", "server": URL}[request.param]
    name = f"test{uuid.uuid4().hex}-hash-{ENCODER.dimension}"
    opened = open_index(location, name=name, dimension=ENCODER.dimension)
    yield opened
    opened.close()
    if location == URL:
        remove_collection(URL, name=name)


def points(node: MemoryNode, *, dense: bool = True, texts: Sequence[str] | None = None) -> list[IndexPoint]:
    return [
        IndexPoint(
            node=node,
            chunk=number,
            sparse=sparse.encode_document(text),
            dense=ENCODER.embed_query(text) if dense else None,
        )
        for number, text in enumerate(texts or [node.text])
    ]


def search(
    index: VectorIndex, query: str, *, where: Filter = MINE, limit: int = 20, ids: list[str] | None = None
) -> Found:
    return index.search(
        where=where, limit=limit, dense=ENCODER.embed_query(query), sparse=sparse.encode_query(query), ids=ids
    )


def ids_of(found: Found) -> set[str]:
    return {scored.id for scored in (*found.dense, *found.sparse)}


def test_the_suite_ran_against_a_server() -> None:
    if not URL:
        pytest.skip("RQA_TEST_QDRANT_URL is not set: the contract was not run against a server")
    assert "server" in BACKENDS


def test_a_new_index_is_empty_and_stands_at_zero(index: VectorIndex) -> None:
    assert (index.count(), index.watermark()) == (0, 0)
    assert search(index, "anything") == Found()


@pytest.mark.parametrize(
    ("text", "query"), [("The loom broke in October.", "loom"), ("京都で織物展を開いた。", "織物")]
)
def test_an_item_is_found_by_both_sides(index: VectorIndex, text: str, query: str) -> None:
    node = item(text)
    index.upsert(points(node))
    found = search(index, query)
    assert [scored.id for scored in found.dense] == [node.id]
    assert [scored.id for scored in found.sparse] == [node.id]
    assert found.sparse[0].score > 0


def test_the_dense_score_is_the_raw_cosine(index: VectorIndex) -> None:
    node = item("The loom broke in October.")
    index.upsert(points(node))
    (scored,) = search(index, "The loom was sold.").dense
    vectors = [ENCODER.embed_query(text) for text in ("The loom was sold.", node.text)]
    assert scored.score == pytest.approx(sum(a * b for a, b in zip(*vectors, strict=True)), abs=1e-5)


def test_the_sparse_score_is_bm25_over_the_owners_points(index: VectorIndex) -> None:
    texts = [("n_a", "loom loom"), ("n_b", "loom and kiln"), ("n_c", "kiln")]
    for id_, text in texts:
        index.upsert(points(item(text, id=id_)))
    for number in range(5):
        index.upsert(points(item("loom", id=f"n_other{number}", scope=Scope("local", "other"))))
    found, expected = search(index, "loom").sparse, sparse.rank("loom", texts, limit=9)
    assert [scored.id for scored in found] == [row.id for row in expected]
    assert [scored.score for scored in found] == pytest.approx([row.score for row in expected], rel=1e-5)


def test_writing_twice_is_writing_once(index: VectorIndex) -> None:
    node = item("The loom broke.")
    index.upsert(points(node))
    index.upsert(points(node))
    assert index.count() == 1


def test_only_new_leaves_what_is_there(index: VectorIndex) -> None:
    node = item("The loom broke.")
    index.upsert(points(node))
    index.upsert(points(node, dense=False), only_new=True)
    assert len(search(index, "loom").dense) == 1


def test_an_item_without_a_vector_is_found_by_its_grams_alone(index: VectorIndex) -> None:
    node = item("窯に火を入れた。")
    index.upsert(points(node, dense=False), only_new=True)
    found = search(index, "窯")
    assert (found.dense, [scored.id for scored in found.sparse]) == ((), [node.id])
    index.upsert(points(node))
    assert len(search(index, "窯").dense) == 1


def test_an_item_without_grams_is_found_by_its_vector(index: VectorIndex) -> None:
    node = item("!!! ???")
    index.upsert(points(node))
    found = search(index, "loom")
    assert ([scored.id for scored in found.dense], found.sparse) == ([node.id], ())


def test_dropping_removes_every_chunk(index: VectorIndex) -> None:
    node, other = item("A long one."), item("Another one.")
    index.upsert([*points(node, texts=["loom one", "loom two", "loom three"]), *points(other)])
    index.drop([node.id, "n_unknown"])
    assert index.count() == 1
    assert ids_of(search(index, "loom")) == {other.id}


def test_of_several_chunks_the_best_counts(index: VectorIndex) -> None:
    node = item("A long one.")
    index.upsert(points(node, texts=["the weather was mild", "the loom broke in October", "nobody came"]))
    found = search(index, "the loom broke in October")
    assert [scored.id for scored in found.dense] == [node.id]
    assert found.dense[0].score == pytest.approx(1, abs=1e-5)
    assert [scored.id for scored in found.sparse] == [node.id]


@pytest.mark.parametrize("other", [Scope("local", "you"), Scope("elsewhere", "me"), Scope("elsewhere", "you")])
def test_nobody_finds_what_belongs_to_another(index: VectorIndex, other: Scope) -> None:
    mine, theirs = item("My loom is old.", scope=ME), item("My loom is old.", scope=other)
    index.upsert([*points(mine), *points(theirs)])
    assert ids_of(search(index, "loom")) == {mine.id}
    assert ids_of(search(index, "loom", where=Filter(scope=other))) == {theirs.id}
    assert ids_of(search(index, "loom", where=Filter(scope=other), ids=[mine.id])) == set()
    assert (index.count(ME), index.count(other), index.count()) == (1, 1, 2)


def test_nobodys_scores_depend_on_anothers_items(index: VectorIndex) -> None:
    index.upsert(points(item("The loom is old.", id="n_1")) + points(item("The kiln is new.", id="n_2")))
    before = search(index, "loom")
    for number in range(20):
        index.upsert(points(item(f"Loom number {number}.", scope=Scope("local", "other"))))
    after = search(index, "loom")
    assert [s.id for s in after.sparse] == [s.id for s in before.sparse]
    assert [s.score for s in after.sparse] == pytest.approx([s.score for s in before.sparse])


def test_filters_narrow_by_source_kind_namespace_and_id(index: VectorIndex) -> None:
    said = item("loom said", source=SourceClass.user, kind=Kind.statement)
    guessed = item("loom guessed", source=SourceClass.assistant, kind=Kind.claim)
    filed = item("loom filed", namespace=("notes", "weaving", "2026"))
    similar = item("loom similar", namespace=("notes", "weaving2"))
    for node in (said, guessed, filed, similar):
        index.upsert(points(node))

    def found(**wanted: object) -> set[str]:
        return ids_of(search(index, "loom", where=Filter(scope=ME, **wanted)))  # type: ignore[arg-type]

    assert found() == {said.id, guessed.id, filed.id, similar.id}
    assert found(sources=frozenset({SourceClass.assistant})) == {guessed.id}
    assert found(kinds=frozenset({Kind.claim, Kind.question})) == {guessed.id}
    assert found(namespace=("notes",)) == {filed.id, similar.id}
    assert found(namespace=("notes", "weaving")) == {filed.id}
    assert found(namespace=("weaving",)) == set()
    assert found(namespace=()) == found()
    assert found(sources=frozenset()) == set()
    assert ids_of(search(index, "loom", ids=[filed.id, said.id])) == {filed.id, said.id}


def test_a_filter_does_not_change_scores(index: VectorIndex) -> None:
    for number in range(6):
        index.upsert(points(item(f"loom number {number}", id=f"n_{number}", kind=list(Kind)[number])))
    everything = dict(search(index, "loom number").sparse)
    (one,) = search(index, "loom number", where=Filter(scope=ME, kinds=frozenset({list(Kind)[2]}))).sparse
    assert one.score == pytest.approx(everything[one.id])


def test_order_is_by_score_then_id(index: VectorIndex) -> None:
    for id_ in ("n_c", "n_a", "n_b"):
        index.upsert(points(item("The same words.", id=id_)))
    found = search(index, "words")
    assert [s.id for s in found.dense] == ["n_a", "n_b", "n_c"]
    assert [s.id for s in found.sparse] == ["n_a", "n_b", "n_c"]


def test_a_query_of_nothing_finds_nothing(index: VectorIndex) -> None:
    index.upsert(points(item("The loom broke.")))
    assert index.search(where=MINE, limit=5, dense=None, sparse=sparse.SparseVector()) == Found()


def test_the_limit_counts_for_each_side(index: VectorIndex) -> None:
    for number in range(9):
        index.upsert(points(item(f"loom number {number}")))
    found = search(index, "loom", limit=4)
    assert (len(found.dense), len(found.sparse)) == (4, 4)


def test_the_watermark_stays_what_was_set(index: VectorIndex) -> None:
    index.set_watermark(7)
    index.upsert(points(item("The loom broke.")))
    assert (index.watermark(), index.count()) == (7, 1)


def test_the_floors_stay_what_was_measured(index: VectorIndex) -> None:
    assert index.floors() is None
    index.set_floors(Floors(en=0.25, ja=0.5))
    index.set_watermark(7)
    assert (index.floors(), index.watermark(), index.count()) == (Floors(en=0.25, ja=0.5), 7, 0)
    index.replace_with(index.fresh())
    assert index.floors() is None, "another model may lie behind the same name: they are measured anew"


def test_a_rebuilt_index_takes_the_place_of_the_old_one(index: VectorIndex) -> None:
    index.upsert(points(item("An old loom.")))
    index.set_watermark(3)
    fresh = index.fresh()
    new = item("A new loom.")
    fresh.upsert(points(new))
    fresh.set_watermark(9)
    assert ids_of(search(index, "loom")) != {new.id}
    index.replace_with(fresh)
    assert ids_of(search(index, "loom")) == {new.id}
    assert index.watermark() == 9
    again = index.fresh()
    index.replace_with(again)
    assert (index.count(), index.watermark()) == (0, 0)


def test_an_unfinished_rebuild_is_begun_anew(index: VectorIndex) -> None:
    unfinished = index.fresh()
    unfinished.upsert(points(item("half")))
    unfinished.close()
    assert index.fresh().count() == 0


def test_optimizing_loses_nothing(index: VectorIndex) -> None:
    nodes = [item(f"loom number {number}") for number in range(30)]
    for node in nodes:
        index.upsert(points(node))
    index.drop([nodes[0].id])
    index.optimize()
    assert ids_of(search(index, "loom", limit=50)) == {node.id for node in nodes[1:]}


def test_searches_writes_and_swaps_run_together(index: VectorIndex) -> None:
    fixed = [item(f"fixed loom {number}") for number in range(20)]
    for node in fixed:
        index.upsert(points(node))
    faults: list[BaseException] = []
    done = threading.Event()

    def guarded(work: object) -> None:
        try:
            while not done.is_set():
                work()  # type: ignore[operator]
        except BaseException as error:
            faults.append(error)
            done.set()

    def read() -> None:
        assert ids_of(search(index, "fixed loom", limit=200)) >= {node.id for node in fixed}

    def write() -> None:
        index.upsert([point for number in range(5) for point in points(item(f"moving loom {number}"))])

    def swap() -> None:
        fresh = index.fresh()
        fresh.upsert([point for node in fixed for point in points(node)])
        index.replace_with(fresh)
        done.wait(0.05)

    threads = [threading.Thread(target=guarded, args=(work,)) for work in (read, read, write, swap)]
    for thread in threads:
        thread.start()
    done.wait(0.7)
    done.set()
    for thread in threads:
        thread.join()
    assert faults == []


def test_a_closed_index_says_so_and_closes_twice(index: VectorIndex) -> None:
    index.close()
    index.close()
    with pytest.raises(StoreUnavailableError, match="is closed"):
        search(index, "loom")
    with pytest.raises(StoreUnavailableError, match="is closed"):
        index.upsert(points(item("The loom broke.")))


@pytest.mark.parametrize("backend", ["edge", "local"])
def test_what_was_stored_is_there_after_reopening(backend: str, tmp_path: Path) -> None:
    from rqa_checkpoints.index import ClientIndex, EdgeIndex

    kind = EdgeIndex if backend == "edge" else ClientIndex
    node = item("The loom broke.")
    first = kind.open(tmp_path / "index", name="memory-hash-64", dimension=64)
    first.upsert(points(node))
    first.set_watermark(5)
    first.set_floors(Floors(en=0.25, ja=0.5))
    first.close()
    again = kind.open(tmp_path / "index", name="memory-hash-64", dimension=64)
    assert (again.count(), again.watermark(), ids_of(search(again, "loom"))) == (1, 5, {node.id})
    assert again.floors() == Floors(en=0.25, ja=0.5)
    again.close()
    with pytest.raises(FormatMismatchError, match="expected format 3 with 32") as caught:
        kind.open(tmp_path / "index", name="memory-hash-64", dimension=32)
    assert "rqa reindex" in caught.value.hint
    kind.open(tmp_path / "index", name="memory-hash-64", dimension=64).close()
