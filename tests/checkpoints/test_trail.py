"""What recall finds while the index is behind, after crashes, and when the encoder or the index fails."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest

from rqa_checkpoints import trail as trail_module
from rqa_checkpoints.errors import EmbedderUnavailableError, StoreUnavailableError
from rqa_checkpoints.index import open_index
from rqa_checkpoints.provenance import Kind, Scope, SourceClass
from rqa_checkpoints.trail import TAIL_ROWS, Filter, Trail
from tests.support.trails import ME, MINE, CountingEmbedder, ListLog, item

LOOM = item("The loom broke in October.")
WEAVING = item("去年の秋に京都で織物の展示会を開いた。")
OTHERS = Scope("local", "other")

Open = Callable[..., Trail]


@pytest.fixture
def encoder() -> CountingEmbedder:
    return CountingEmbedder()


@pytest.fixture
def open_trail(encoder: CountingEmbedder) -> Iterator[Open]:
    opened: list[Trail] = []

    def make(log: ListLog, *, background: bool = False) -> Trail:
        index = open_index(":memory:", name="memory-hash-64", dimension=64)
        opened.append(Trail(log, index=index, encoder=encoder, background=background))
        return opened[-1]

    yield make
    for trail in opened:
        trail.close()


def found(trail: Trail, query: str, where: Filter = MINE) -> list[str]:
    """Ids of the items that share words with the query."""
    return [hit.id for hit in trail.search(query, where=where, limit=10).hits if hit.lexical]


def until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 20
    while not condition():
        assert time.monotonic() < deadline, "it did not happen in 20 s"
        time.sleep(0.01)


@pytest.mark.parametrize(("node", "query"), [(LOOM, "loom"), (WEAVING, "織物")])
def test_what_was_just_said_is_found_before_it_is_encoded(
    open_trail: Open, encoder: CountingEmbedder, node: object, query: str
) -> None:
    trail = open_trail(ListLog(LOOM, WEAVING))
    (hit,) = trail.search(query, where=MINE, limit=5).hits
    assert (hit.id, hit.cosine, hit.lexical > 0) == (node.id, None, True)  # type: ignore[attr-defined]
    assert (encoder.encoded, trail.watermark) == (0, 0)


def test_once_encoded_a_hit_carries_both_scores(open_trail: Open) -> None:
    trail = open_trail(ListLog(LOOM, WEAVING))
    assert trail.catch_up() == 2
    result = trail.search("loom", where=MINE, limit=5)
    first, second = result.hits
    assert (first.id, second.id, result.mode) == (LOOM.id, WEAVING.id, "hybrid")
    assert first.cosine is not None
    assert second.cosine is not None
    assert first.cosine > second.cosine
    assert first.lexical > second.lexical == 0
    # Of two chunks the nearest is 1, and what lies 0.05 below the last is 0; by words the second has 0.
    assert first.score == 1.0
    assert second.score == pytest.approx(0.05 / (first.cosine - second.cosine + 0.05) / 2)


def test_a_hit_of_one_side_is_given_the_score_of_the_other(open_trail: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trail_module, "_LEAST_CANDIDATES", 1)
    monkeypatch.setattr(trail_module, "_CANDIDATES_PER_HIT", 1)
    # One candidate a side: by vector the short one, which is like the query throughout; by rarity of words the other.
    near = item("kiln kiln kiln", id="n_near")
    rare = item("kiln and a very rare zither somewhere in a much longer remark about rain and wind", id="n_rare")
    trail = open_trail(ListLog(near, rare, item("kiln two", id="n_2"), item("kiln three", id="n_3")))
    trail.catch_up()
    hits = {hit.id: hit for hit in trail.search("kiln kiln zither", where=MINE, limit=2).hits}
    assert all(hit.cosine is not None and hit.lexical > 0 for hit in hits.values())


def test_what_is_dropped_is_gone_at_once(open_trail: Open, encoder: CountingEmbedder) -> None:
    log = ListLog(LOOM, WEAVING)
    trail = open_trail(log)
    trail.catch_up()
    log.add(LOOM, op="drop")
    assert LOOM.id not in [hit.id for hit in trail.search("loom", where=MINE, limit=5).hits]
    log.add(LOOM)
    assert found(trail, "loom") == [LOOM.id]
    log.add(LOOM, op="drop")
    trail.catch_up()
    assert LOOM.id not in [hit.id for hit in trail.search("loom", where=MINE, limit=5).hits]
    assert encoder.encoded == 2


def test_a_change_of_an_encoded_item_keeps_its_vector_meanwhile(open_trail: Open) -> None:
    log = ListLog(LOOM)
    trail = open_trail(log)
    trail.catch_up()
    log.add(replace(LOOM, seen=2))
    (hit,) = trail.search("loom", where=MINE, limit=5).hits
    assert hit.cosine is not None


def test_an_older_change_never_undoes_a_newer_one(open_trail: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trail_module, "_STEP_ROWS", 1)
    log = ListLog(LOOM, WEAVING)
    log.add(LOOM, op="drop")
    trail = open_trail(log)
    assert found(trail, "loom") == []
    trail.wait_for(1)
    assert found(trail, "loom") == []


def test_the_background_thread_encodes_without_being_asked(open_trail: Open, encoder: CountingEmbedder) -> None:
    log = ListLog(LOOM)
    trail = open_trail(log, background=True)
    until(lambda: trail.watermark == 1)
    log.add(WEAVING)
    trail.notify()
    until(lambda: trail.watermark == 2)
    assert encoder.encoded == 2


def test_waiting_for_an_entry_returns_when_it_is_encoded(open_trail: Open, encoder: CountingEmbedder) -> None:
    trail = open_trail(ListLog(*(item(f"loom {number}") for number in range(70))))
    trail.wait_for(40)
    assert 40 <= trail.watermark < 70
    trail.wait_for(999)
    assert (trail.watermark, encoder.encoded) == (70, 70)


def test_a_tail_of_256_rows_is_searched_as_it_is(open_trail: Open, encoder: CountingEmbedder) -> None:
    log = ListLog(*(item(f"loom {number}") for number in range(TAIL_ROWS)))
    trail = open_trail(log)
    assert len(trail.search("loom", where=MINE, limit=300).hits) == TAIL_ROWS
    assert encoder.encoded == 0
    log.add(WEAVING)
    assert found(trail, "織物") == [WEAVING.id]
    assert encoder.encoded > 0
    assert log.last_seq() - trail.watermark <= TAIL_ROWS


def test_nobody_waits_for_what_another_wrote(open_trail: Open, encoder: CountingEmbedder) -> None:
    log = ListLog(*(item(f"loom {number}", scope=OTHERS) for number in range(TAIL_ROWS + 50)))
    log.add(LOOM)
    trail = open_trail(log)
    assert found(trail, "loom") == [LOOM.id]
    assert encoder.encoded == 0


def test_a_floor_that_is_known_waits_for_nobody_who_writes(open_trail: Open) -> None:
    trail = open_trail(ListLog(LOOM))
    measured = trail.floor("loom")
    with ThreadPoolExecutor(1) as pool, trail._write_lock:
        assert pool.submit(trail.floor, "loom").result(timeout=60) == measured


def test_entries_that_mean_nothing_to_the_index_move_the_watermark(open_trail: Open) -> None:
    log = ListLog(LOOM)
    log.add_other()
    log.add_other()
    trail = open_trail(log)
    assert trail.catch_up() == 1
    assert trail.watermark == 3
    assert trail.catch_up() == 0


def test_filters_reach_the_tail_and_the_index(open_trail: Open) -> None:
    guess = item("The loom is cursed.", source=SourceClass.assistant, kind=Kind.claim, namespace=("notes", "a"))
    trail = open_trail(ListLog(LOOM, guess))
    for _ in range(2):
        assert found(trail, "loom", Filter(scope=ME, sources=frozenset({SourceClass.user}))) == [LOOM.id]
        assert found(trail, "loom", Filter(scope=ME, kinds=frozenset({Kind.claim}))) == [guess.id]
        assert found(trail, "loom", Filter(scope=ME, namespace=("notes",))) == [guess.id]
        assert found(trail, "loom", Filter(scope=OTHERS)) == []
        trail.catch_up()


def test_a_long_item_is_found_by_any_of_its_parts(open_trail: Open, encoder: CountingEmbedder) -> None:
    text = "Nothing happened. " * 200 + "Then the loom broke. " + "雨が降った。" * 300 + "織物は燃えた。"
    node = item(text)
    trail = open_trail(ListLog(node, LOOM))
    trail.catch_up()
    assert encoder.encoded > 5
    assert node.id in found(trail, "loom broke")
    assert found(trail, "織物") == [node.id]


def test_only_the_first_64_chunks_of_an_item_are_encoded(open_trail: Open, encoder: CountingEmbedder) -> None:
    node = item("Nothing happened at all today. " * 2000 + "The zither fell.")
    trail = open_trail(ListLog(node))
    trail.catch_up()
    assert encoder.encoded == 64
    assert found(trail, "zither") == [node.id]


@pytest.mark.parametrize("limit", [0, -1])
def test_a_limit_below_one_finds_nothing(open_trail: Open, limit: int) -> None:
    assert open_trail(ListLog(LOOM)).search("loom", where=MINE, limit=limit).hits == ()


@pytest.mark.parametrize("query", ["", "  ", "\0", "\ud800", "…" * 1000, "loom " * 100_000])
def test_odd_queries_are_answered(open_trail: Open, query: str) -> None:
    trail = open_trail(ListLog(LOOM))
    trail.catch_up()
    hits = trail.search(query, where=MINE, limit=5).hits
    assert {hit.id for hit in hits} <= {LOOM.id}
    assert bool(hits) == ("loom" in query or bool(query.strip()))


@pytest.mark.parametrize("query", ["loom", "織物"])
def test_an_expected_query_is_encoded_once_and_finds_the_same(
    open_trail: Open, encoder: CountingEmbedder, query: str
) -> None:
    trail = open_trail(ListLog(LOOM, WEAVING))
    trail.catch_up()
    unexpected = trail.search(query, where=MINE, limit=5)
    before = encoder.queries
    trail.expect(query)
    assert trail.search(query, where=MINE, limit=5) == unexpected
    assert encoder.queries == before + 1


def test_a_query_that_was_not_the_expected_one_gets_its_own_vector(open_trail: Open) -> None:
    trail = open_trail(ListLog(LOOM, WEAVING))
    trail.catch_up()
    alone = trail.search("loom", where=MINE, limit=5)
    trail.expect("織物")
    assert trail.search("loom", where=MINE, limit=5) == alone


def test_an_encoder_that_fails_for_an_expected_query_makes_the_search_lexical(
    open_trail: Open, encoder: CountingEmbedder
) -> None:
    trail = open_trail(ListLog(LOOM))
    trail.catch_up()
    encoder.down = True
    trail.expect("loom")
    assert trail.search("loom", where=MINE, limit=5).mode == "lexical"


def test_without_its_encoder_a_search_is_lexical_and_says_so(open_trail: Open, encoder: CountingEmbedder) -> None:
    trail = open_trail(ListLog(LOOM, WEAVING))
    trail.catch_up()
    encoder.down = True
    result = trail.search("loom", where=MINE, limit=5)
    assert ([hit.id for hit in result.hits], result.mode) == ([LOOM.id], "lexical")
    encoder.down = False
    assert trail.search("loom", where=MINE, limit=5).mode == "hybrid"


def test_without_its_encoder_even_a_long_backlog_is_searched_by_words(
    open_trail: Open, encoder: CountingEmbedder
) -> None:
    encoder.down = True
    trail = open_trail(ListLog(*(item(f"loom {number}") for number in range(TAIL_ROWS + 20)), WEAVING), background=True)
    result = trail.search("織物", where=MINE, limit=5)
    assert ([hit.id for hit in result.hits], result.mode) == ([WEAVING.id], "lexical")
    with pytest.raises((EmbedderUnavailableError, StoreUnavailableError), match="switched off by the test"):
        trail.catch_up()


def test_a_fault_in_the_background_is_told_to_the_next_caller_once(open_trail: Open) -> None:
    log = ListLog(LOOM)
    trail = open_trail(log, background=True)
    until(lambda: trail.watermark == 1)
    log.fault = OSError("the disk is gone")
    log.add(WEAVING)
    trail.notify()
    until(lambda: trail._failure is not None)
    with pytest.raises(StoreUnavailableError, match="the disk is gone") as caught:
        trail.search("loom", where=MINE, limit=5)
    assert isinstance(caught.value.__cause__, OSError)
    until(lambda: trail.watermark == 2)
    assert found(trail, "織物") == [WEAVING.id]


def test_notify_and_close_raise_nothing_after_a_fault(open_trail: Open) -> None:
    log = ListLog(LOOM)
    log.fault = OSError("the disk is gone")
    trail = open_trail(log, background=True)
    until(lambda: trail._failure is not None)
    trail.notify()
    trail.close()


def test_the_watermark_becomes_durable_when_nothing_new_comes(
    encoder: CountingEmbedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(trail_module, "_IDLE_SECONDS", 0.05)
    index = open_index(":memory:", name="memory-hash-64", dimension=64)
    with Trail(ListLog(LOOM), index=index, encoder=encoder):
        until(lambda: index.watermark() == 1)


def test_rebuilding_reads_the_whole_log_and_tells_how_far_it_is(
    open_trail: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(trail_module, "_STEP_ROWS", 2)
    log = ListLog(LOOM, WEAVING, item("A kiln."))
    log.add(LOOM, op="drop")
    told: list[tuple[int, int]] = []
    trail = open_trail(log)
    trail.catch_up()
    assert trail.reindex(lambda done, of: told.append((done, of))) == 4
    assert told == [(2, 4), (4, 4)]
    assert (found(trail, "loom"), found(trail, "織物"), trail.watermark) == ([], [WEAVING.id], 4)
    trail.optimize()
    assert found(trail, "織物") == [WEAVING.id]
