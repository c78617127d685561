"""What happens to the index between runs: closing, killing, another embedder, another log."""

from __future__ import annotations

import signal
import subprocess
import threading
from pathlib import Path

import pytest

from rqa_checkpoints import trail as trail_module
from rqa_checkpoints.errors import FormatMismatchError, StoreUnavailableError
from rqa_checkpoints.index import find_collections, open_index, quiet
from rqa_checkpoints.index.edge import EdgeIndex
from rqa_checkpoints.trail import Trail
from tests.support.trails import MINE, CountingEmbedder, ListLog, item

LOOM = item("The loom broke in October.")
WEAVING = item("去年の秋に京都で織物の展示会を開いた。")


@pytest.fixture
def encoder() -> CountingEmbedder:
    return CountingEmbedder()


def found(trail: Trail, query: str) -> list[str]:
    """Ids of the items that share words with the query."""
    return [hit.id for hit in trail.search(query, where=MINE, limit=10).hits if hit.lexical]


def test_it_closes_twice_and_from_several_threads(encoder: CountingEmbedder, tmp_path: Path) -> None:
    log = ListLog(*(item(f"loom {number}") for number in range(200)))
    trail = Trail.open(log, location=tmp_path, encoder=encoder)
    threads = [threading.Thread(target=trail.close) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    trail.close()
    trail.notify()
    with pytest.raises(StoreUnavailableError, match="is closed"):
        trail.search("loom", where=MINE, limit=5)
    with Trail.open(log, location=tmp_path, encoder=encoder, background=False) as again:
        assert again.catch_up() <= 200
        assert len(found(again, "loom")) == 10


def test_after_reopening_nothing_is_encoded_again(encoder: CountingEmbedder, tmp_path: Path) -> None:
    log = ListLog(LOOM, WEAVING)
    with Trail.open(log, location=tmp_path, encoder=encoder) as trail:
        trail.wait_for(2)
    with Trail.open(log, location=tmp_path, encoder=encoder) as trail:
        assert trail.watermark == 2
        assert found(trail, "織物") == [WEAVING.id]
    assert encoder.encoded == 2


class OtherEmbedder(CountingEmbedder):
    name = "hash-2"


def test_a_change_of_embedder_is_detected_and_healed_by_a_rebuild(encoder: CountingEmbedder, tmp_path: Path) -> None:
    log = ListLog(LOOM, WEAVING)
    with Trail.open(log, location=tmp_path, encoder=encoder, background=False) as trail:
        trail.catch_up()
    log.add(item("A second loom.", id="n_second"))
    other = OtherEmbedder()
    with pytest.raises(FormatMismatchError, match="'memory-hash-64', expected 'memory-hash_2-64'") as caught:
        Trail.open(log, location=tmp_path, encoder=other)
    assert "rqa reindex" in caught.value.hint
    with Trail.open_lexical(log, location=tmp_path, background=False) as lexical:
        result = lexical.search("loom", where=MINE, limit=5)
        assert ({hit.id for hit in result.hits}, result.mode) == ({LOOM.id, "n_second"}, "lexical")
        with pytest.raises(FormatMismatchError, match="without its encoder"):
            lexical.reindex()
        lexical.catch_up()
        assert found(lexical, "織物") == [WEAVING.id]
    with Trail.open(log, location=tmp_path, encoder=encoder, background=False) as back:
        assert back.watermark == 2, "a lexical visit must not claim that rows are encoded"
    with Trail.open(log, location=tmp_path, encoder=other, replacing=True, background=False) as rebuilt:
        assert find_collections(tmp_path, base="memory") == ["memory-hash-64", "memory-hash_2-64"]
        assert (rebuilt.reindex(), rebuilt.watermark, other.encoded) == (3, 3, 3)
        assert all(hit.cosine is not None for hit in rebuilt.search("loom", where=MINE, limit=5).hits)
    assert find_collections(tmp_path, base="memory") == ["memory-hash_2-64"]


def test_an_index_that_knows_more_than_the_log_is_not_trusted(encoder: CountingEmbedder, tmp_path: Path) -> None:
    with Trail.open(ListLog(LOOM, WEAVING), location=tmp_path, encoder=encoder, background=False) as trail:
        trail.catch_up()
    restored = ListLog(item("A kiln."))
    with pytest.raises(FormatMismatchError, match="knows entry 2 of a log that ends at 1") as caught:
        Trail.open(restored, location=tmp_path, encoder=encoder)
    assert "rqa reindex" in caught.value.hint
    with Trail.open_lexical(restored, location=tmp_path, background=False) as lexical:
        assert found(lexical, "kiln") == [item("A kiln.").id]
    with Trail.open(restored, location=tmp_path, encoder=encoder, replacing=True) as healed:
        assert (healed.reindex(), found(healed, "loom"), found(healed, "kiln")) == (1, [], [item("A kiln.").id])


def test_searching_by_words_where_nothing_is_stored_says_so(tmp_path: Path) -> None:
    with pytest.raises(StoreUnavailableError, match="no index is stored"):
        Trail.open_lexical(ListLog(), location=tmp_path)


_FOLLOW = """
import sys
from rqa_checkpoints.embedding import HashEmbedder
from rqa_checkpoints.trail import Trail
from tests.checkpoints.test_trail_opening import killed_log
trail = Trail.open(killed_log(), location=sys.argv[1], encoder=HashEmbedder(), background=False)
for seq in range(1, 401):
    trail.wait_for(seq)
    print(trail.watermark, flush=True)
"""


def killed_log() -> ListLog:
    log = ListLog(*(item(f"loom number {number}") for number in range(399)))
    log.add(item("loom number 5"), op="drop")
    return log


@pytest.mark.parametrize("after", [1, 300])
def test_a_kill_in_the_middle_of_indexing_heals_at_the_next_start(
    encoder: CountingEmbedder, tmp_path: Path, programs: Path, after: int
) -> None:
    root = Path(__file__).parents[2]
    command: list[str | Path] = [programs / "python", "-c", _FOLLOW, tmp_path]
    child = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=root)
    assert child.stdout is not None
    while int(child.stdout.readline()) < after:
        pass
    child.send_signal(signal.SIGKILL)
    child.stdout.read()
    child.wait()
    child.stdout.close()
    log = killed_log()
    with Trail.open(log, location=tmp_path, encoder=encoder, background=False) as healed:
        healed.catch_up()
        result = healed.search("loom number 7", where=MINE, limit=400)
    whole = Trail(log, index=open_index(":memory:", name="memory-hash-64", dimension=64), encoder=encoder)
    whole.catch_up()
    expected = whole.search("loom number 7", where=MINE, limit=400)
    whole.close()
    assert len(result.hits) == 398
    assert {hit.id for hit in result.hits} == {hit.id for hit in expected.hits}
    assert result.hits[0].id == expected.hits[0].id == item("loom number 7").id


_REBUILD = """
import sys
from rqa_checkpoints import trail
from rqa_checkpoints.embedding import HashEmbedder
from tests.checkpoints.test_trail_opening import OtherEmbedder, killed_log
trail._KEPT_ROWS = 64
rebuilt = trail.Trail.open(killed_log(), location=sys.argv[1], encoder=OtherEmbedder(), replacing=True)
rebuilt.reindex(lambda reached, last: print(reached, last, flush=True))
"""


def test_a_rebuild_that_is_killed_goes_on_where_it_was_and_until_then_words_are_found(
    encoder: CountingEmbedder, tmp_path: Path, programs: Path
) -> None:
    log, other = killed_log(), OtherEmbedder()
    with Trail.open(log, location=tmp_path, encoder=encoder, background=False) as trail:
        trail.catch_up()
    command: list[str | Path] = [programs / "python", "-c", _REBUILD, tmp_path]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=Path(__file__).parents[2]) as child:
        assert child.stdout is not None
        while int(child.stdout.readline().split()[0]) < 200:
            pass
        child.kill()
        child.communicate()  # it has ended when its words have
    with pytest.raises(FormatMismatchError):
        Trail.open(log, location=tmp_path, encoder=other)
    with Trail.open_lexical(log, location=tmp_path, background=False) as lexical:
        assert found(lexical, "loom number 7")[0] == item("loom number 7").id
    told: list[tuple[int, int]] = []
    with Trail.open(log, location=tmp_path, encoder=other, replacing=True) as rebuilt:
        rebuilt.reindex(lambda reached, last: told.append((reached, last)))
        result = rebuilt.search("loom number 7", where=MINE, limit=400)
    assert other.encoded < 280, "most was there"
    assert told[0][0] > 120
    assert told[-1] == (log.last_seq(), log.last_seq())
    assert len(result.hits) == 398
    assert all(hit.cosine is not None for hit in result.hits)
    assert item("loom number 5").id not in {hit.id for hit in result.hits}


def test_a_rebuild_of_another_log_is_not_gone_on_with(encoder: CountingEmbedder, tmp_path: Path) -> None:
    with Trail.open(ListLog(LOOM), location=tmp_path, encoder=encoder, replacing=True) as trail:
        twin = trail._index.fresh()
        twin.set_watermark(300)
        twin.close()
        assert (trail.reindex(), found(trail, "loom")) == (1, [LOOM.id])


class TestTheOptimizer:
    @pytest.fixture
    def quick(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(trail_module, "_IDLE_SECONDS", 0.05)
        monkeypatch.setattr(quiet, "_QUIET_SECONDS", 0.05)
        monkeypatch.setattr(quiet, "_ROWS", 3)

    @pytest.mark.usefixtures("quick")
    def test_comes_when_nothing_happens_and_nobody_waits_for_it(
        self, encoder: CountingEmbedder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        begun, leave = threading.Event(), threading.Event()

        def slow(_index: object) -> bool:
            begun.set()
            assert leave.wait(30)
            return True

        monkeypatch.setattr(EdgeIndex, "optimize", slow)
        log = ListLog(*(item(f"loom {number}") for number in range(5)))
        with Trail.open(log, location=tmp_path, encoder=encoder) as trail:
            assert begun.wait(10)
            log.add(item("a kiln"))
            trail.notify()
            trail.wait_for(6)
            assert found(trail, "kiln") == [item("a kiln").id]
        with Trail.open(log, location=tmp_path, encoder=encoder, background=False) as again:
            assert again.watermark == 6, "closing did not wait either"
        leave.set()

    def test_may_be_asked_and_is_harmless_while_all_else_goes_on(
        self, encoder: CountingEmbedder, tmp_path: Path
    ) -> None:
        log = ListLog(*(item(f"loom number {number}") for number in range(400)))
        with Trail.open(log, location=tmp_path, encoder=encoder, background=False) as trail:
            trail.catch_up()
            threads = [threading.Thread(target=trail.optimize) for _ in range(3)]
            for thread in threads:
                thread.start()
            assert found(trail, "loom number 7")[0] == item("loom number 7").id
            for thread in threads:
                thread.join()
