"""Laws of what is searchable: how much of a log is indexed never changes what its words find."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from rqa_checkpoints import sparse
from rqa_checkpoints.chunking import chunk_text, query_window
from rqa_checkpoints.embedding import HashEmbedder
from rqa_checkpoints.fusion import Scale, fuse
from rqa_checkpoints.index import Found, Scored, open_index
from rqa_checkpoints.provenance import MemoryNode, Scope
from rqa_checkpoints.trail import Trail
from tests.support.examples import share
from tests.support.trails import ME, MINE, ListLog, item

_WORDS = st.sampled_from(["loom", "kiln", "launch", "October", "織物", "展示会", "窯", "京都", "the", "です"])
_TEXTS = st.lists(_WORDS, min_size=1, max_size=5).map(" ".join)
_SCOPES = st.sampled_from([ME, Scope("local", "other"), Scope("else", "me")])
_ENTRIES = st.lists(st.tuples(_TEXTS, _SCOPES, st.booleans()), min_size=1, max_size=14)


def _log(entries: Sequence[tuple[str, Scope, bool]]) -> ListLog:
    """Puts, and drops of what was put before."""
    log = ListLog()
    put: list[MemoryNode] = []
    for text, scope, drops in entries:
        if drops and put:
            log.add(put[len(text) % len(put)], op="drop")
        else:
            node = item(text, scope=scope)
            put.append(node)
            log.add(node)
    return log


def _trail(log: ListLog, *, upto: int) -> Trail:
    """A trail that has indexed the first `upto` entries when the others arrive."""
    index = open_index(":memory:", name="memory-hash-64", dimension=64)
    encoder = HashEmbedder()
    first = ListLog()
    for change in log.changes_after(0, limit=upto):
        first.add(change.node, op=change.op)
    Trail(first, index=index, encoder=encoder, background=False).catch_up()
    return Trail(log, index=index, encoder=encoder, background=False)


def _words(trail: Trail, query: str) -> dict[str, float]:
    hits = trail.search(query, where=MINE, limit=100).hits
    return {hit.id: round(hit.lexical, 3) for hit in hits if hit.lexical}


def _both(trail: Trail, query: str) -> dict[str, tuple[float | None, float]]:
    hits = trail.search(query, where=MINE, limit=100).hits
    return {hit.id: (hit.cosine and round(hit.cosine, 3), round(hit.lexical, 3)) for hit in hits}


@given(entries=_ENTRIES, query=_TEXTS, share=st.floats(0, 1))
@share(25)
def test_words_find_the_same_however_much_is_indexed(
    entries: list[tuple[str, Scope, bool]], query: str, share: float
) -> None:
    log = _log(entries)
    whole, part = _trail(log, upto=len(entries)), _trail(log, upto=round(share * len(entries)))
    assert _words(part, query) == _words(whole, query)
    part.catch_up()
    assert _both(part, query) == _both(whole, query)
    for trail in (whole, part):
        trail.close()


@given(entries=_ENTRIES, query=_TEXTS)
@share(20)
def test_the_index_and_the_log_itself_rank_by_words_alike(entries: list[tuple[str, Scope, bool]], query: str) -> None:
    log = _log(entries)
    last = {change.node.id: change for change in log.changes_after(0, limit=100, scope=ME)}
    alive = [(id_, change.node.text) for id_, change in last.items() if change.op == "put"]
    with _trail(log, upto=0) as trail:
        found = _words(trail, query)
    assert found == {row.id: round(row.score, 3) for row in sparse.rank(query, alive, limit=100)}


@given(entries=_ENTRIES)
@share(15)
def test_indexing_twice_and_rebuilding_change_nothing(entries: list[tuple[str, Scope, bool]]) -> None:
    log = _log(entries)
    with _trail(log, upto=len(entries)) as trail:
        before = _both(trail, "loom 織物")
        assert trail.catch_up() == 0
        trail.reindex()
        assert _both(trail, "loom 織物") == before


_RANKING = st.lists(st.sampled_from("abcdefgh"), unique=True, max_size=8).map(
    lambda ids: tuple(Scored(id_, 1.0 - place / 10) for place, id_ in enumerate(ids))
)


@given(dense=_RANKING, sparse_=_RANKING)
def test_fusion_is_the_mean_of_both_sides_on_their_scales_and_orders_by_it(
    dense: tuple[Scored, ...], sparse_: tuple[Scored, ...]
) -> None:
    found = Found(dense=dense, sparse=sparse_)
    hits = fuse(found, limit=100)
    assert {hit.id for hit in hits} == {s.id for s in (*dense, *sparse_)}
    assert [(hit.score, hit.id) for hit in hits] == sorted(((h.score, h.id) for h in hits), key=lambda p: (-p[0], p[1]))
    assert all(0 <= hit.score <= 1 for hit in hits)
    for hit in hits:
        assert hit.cosine == dict(dense).get(hit.id)
        assert hit.lexical == dict(sparse_).get(hit.id, 0.0)
    assert [hit.id for hit in fuse(Found(dense=dense), limit=100)] == [s.id for s in dense]
    assert [hit.id for hit in fuse(Found(sparse=sparse_), limit=100)] == [s.id for s in sparse_]
    if dense and sparse_ and dense[0].id == sparse_[0].id:
        assert (hits[0].id, hits[0].score) == (dense[0].id, 1.0)
    assert fuse(found, limit=2) == hits[:2]


def test_a_poor_best_match_by_words_does_not_stand_beside_the_nearest_by_meaning() -> None:
    dense = (Scored("near", 0.90), Scored("next", 0.89), *(Scored(f"n{n}", 0.85 - n / 1000) for n in range(70)))
    sparse_ = (Scored("n60", 3.0), Scored("n61", 2.9), Scored("near", 1.5))
    hits = fuse(Found(dense=dense, sparse=sparse_), limit=4)
    # The 64th cosine is 0.85 - 0.061. near: (1 + 0.5) / 2; n60: (0.001 / 0.111 + 1) / 2; n61: (0 + 2.9 / 3) / 2.
    assert [(hit.id, round(hit.score, 4)) for hit in hits[:3]] == [("near", 0.75), ("n60", 0.5045), ("n61", 0.4833)]


def test_an_item_without_a_vector_is_judged_by_its_words() -> None:
    scale = Scale.of(Found(dense=(Scored("a", 0.9),), sparse=(Scored("b", 4.0),)))
    assert scale.nearness(None, 4.0) == 1.0
    assert scale.nearness(0.9, 4.0) == 1.0
    assert scale.nearness(0.9, 0.0) == 0.5
    assert Scale.of(Found()).nearness(0.9, 1.0) == 0.0


@given(text=st.text(max_size=3000))
def test_chunks_hold_everything_but_the_white_space_between_them(text: str) -> None:
    chunks = chunk_text(text)
    assert "".join("".join(chunks).split()) == "".join(unicodedata.normalize("NFKC", text).split())
    assert all(0 < len(chunk) <= 480 for chunk in chunks)
    assert len(query_window(text)) <= 480


@given(text=st.text(max_size=300))
def test_any_text_has_sorted_distinct_grams_of_32_bits(text: str) -> None:
    for vector in (sparse.encode_document(text), sparse.encode_query(text)):
        assert list(vector.indices) == sorted(set(vector.indices))
        assert all(0 <= index < 2**32 for index in vector.indices)
        assert all(value > 0 for value in vector.values)
    assert 0 <= sparse.coverage(text, text) <= 1.0000001
