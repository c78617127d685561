"""The nearest questions of a scope are found, with search graphs and without, and nobody waits for the graphs."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest
import qdrant_edge

from rqa_checkpoints.cache.records import Ask
from rqa_checkpoints.cache.store import CacheStore
from rqa_checkpoints.cache.vectors import QuestionIndex
from rqa_checkpoints.embedding import Encoder
from rqa_checkpoints.floors import Floors
from rqa_checkpoints.index import quiet
from rqa_checkpoints.index.edge import EdgeIndex
from tests.support.caches import ScriptedEncoder, ask

_DIMENSION = 1024
"""The engine builds graphs from so many kilobytes of vectors on: of this length, 2,500 are enough."""
_ROWS = 3_000
_RARE = 20
_CENTRES = 60
_ASKED = 100
_NEAR = 20

Vectors = np.ndarray[Any, np.dtype[np.float32]]


class _Drawn:
    """Vectors near one of a few centres; a question is the number of one."""

    name = "drawn"
    dimension = _DIMENSION
    floors = Floors(en=0.5, ja=0.5)

    def __init__(self) -> None:
        source = np.random.default_rng(7)
        centres = _unit(source.standard_normal((_CENTRES, _DIMENSION)))
        noise = _unit(source.standard_normal((_ROWS, _DIMENSION)))
        self.vectors = _unit(centres[source.integers(_CENTRES, size=_ROWS)] + 0.9 * noise)

    def embed_query(self, text: str) -> list[float]:
        found: list[float] = self.vectors[int(text)].tolist()
        return found

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        return [self.embed_query(text) for text in texts]


class _Rows:
    """What the index reads of a store: every row is active, each has its number as its question."""

    def __init__(self, domains: Sequence[str]) -> None:
        self._domains = domains

    @contextmanager
    def reading(self) -> Iterator[None]:
        yield

    def changed_after(self, _view: object, seq: int, *, limit: int) -> list[dict[str, Any]]:
        fixed = {"status": "active", "quarantined": False, "tenant": "local", "locale": "en", "jurisdiction": ""}
        numbers = range(seq, min(seq + limit, len(self._domains)))
        return [{**fixed, "id": f"e{n}", "changed": n + 1, "domain": self._domains[n]} for n in numbers]

    def payload(self, _view: object, row: dict[str, Any]) -> dict[str, str]:
        return {"question_norm": row["id"][1:], "locale": "en"}


def _unit(rows: np.ndarray[Any, Any]) -> Vectors:
    scaled: Vectors = (rows / np.linalg.norm(rows, axis=-1, keepdims=True)).astype(np.float32)
    return scaled


def _open(folder: Path, encoder: Any, rows: _Rows) -> QuestionIndex:
    return QuestionIndex.open(cast("CacheStore", rows), cast("Encoder", encoder), folder)


def _asked(vectors: Vectors, numbers: Sequence[int]) -> list[tuple[int, Vectors]]:
    """Another wording of each question: a vector beside its own."""
    source = np.random.default_rng(11)
    return [(n, _unit(vectors[n] + 0.4 * _unit(source.standard_normal(_DIMENSION)))) for n in numbers]


def _counted(
    index: QuestionIndex, asked: Sequence[tuple[int, Vectors]], scope: Ask, among: Sequence[int], of: Vectors
) -> tuple[int, int]:
    """How many find their own question, and how many of the nearest by an exact scan are found."""
    own = shared = 0
    for number, vector in asked:
        found = {scored.id for scored in index.nearest(vector.tolist(), scope, limit=_NEAR)}
        scanned = sorted(among, key=lambda n: -float(of[n] @ vector))[:_NEAR]
        own += f"e{number}" in found
        shared += len(found & {f"e{n}" for n in scanned})
    return own, shared


def test_a_search_graph_finds_what_a_scan_finds_and_a_rare_scope_is_scanned(tmp_path: Path) -> None:
    encoder = _Drawn()
    rare = set(range(0, _ROWS, _ROWS // _RARE))
    rows = _Rows(["rare" if n in rare else "facts" for n in range(_ROWS)])
    common = [n for n in range(_ROWS) if n not in rare]
    index = _open(tmp_path, encoder, rows)
    assert index.catch_up() == _ROWS
    asked = _asked(encoder.vectors, common[:: len(common) // _ASKED][:_ASKED])
    of_rare = _asked(encoder.vectors, sorted(rare))
    before = _counted(index, asked, ask(), common, encoder.vectors)
    assert before == (_ASKED, _ASKED * _NEAR), "without a graph every vector is compared"
    assert index.optimize()
    index.close()
    again = _open(tmp_path, encoder, rows)
    assert (again.catch_up(), again.optimize()) == (0, False), "the graph is on the disk"
    own, shared = _counted(again, asked, ask(), common, encoder.vectors)
    assert own == _ASKED
    assert shared >= 0.98 * _ASKED * _NEAR
    scope = ask(domain="rare")
    assert _counted(again, of_rare, scope, sorted(rare), encoder.vectors) == (_RARE, _RARE * _NEAR)
    assert again.nearest(encoder.vectors[0].tolist(), ask(tenant="other"), limit=_NEAR) == ()
    again.close()


def test_a_scope_that_is_a_part_of_the_index_is_scanned(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[bool] = []

    real = qdrant_edge.SearchParams

    def noted(*, exact: bool) -> object:
        asked.append(exact)
        return real(exact=exact)

    rows = _Rows(["facts"] * 18 + ["other"] * 2)
    index = _open(tmp_path, ScriptedEncoder({str(n): 0.1 for n in range(20)}), rows)
    index.catch_up()
    monkeypatch.setattr("qdrant_edge.SearchParams", noted)
    for domain, found in (("facts", 18), ("other", 2), ("none", 0)):
        assert len(index.nearest([1.0, 0.0, 0.0, 0.0], ask(domain=domain), limit=_NEAR)) == found
    assert asked == [False, True, True]
    index.close()


def test_no_look_up_and_no_new_entry_waits_for_the_graphs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(quiet, "_ROWS", 3)
    monkeypatch.setattr(quiet, "_QUIET_SECONDS", 0.05)
    begun, leave = threading.Event(), threading.Event()

    def slow(_index: object) -> bool:
        begun.set()
        assert leave.wait(30)
        return True

    monkeypatch.setattr(EdgeIndex, "optimize", slow)
    domains = ["facts"] * 3
    index = _open(tmp_path, ScriptedEncoder({str(n): 0.1 + n / 10 for n in range(4)}), _Rows(domains))
    index.catch_up()
    assert begun.wait(30)
    domains.append("facts")
    assert index.catch_up() == 1
    assert len(index.nearest([1.0, 0.0, 0.0, 0.0], ask(), limit=_NEAR)) == len(domains)
    index.close()
    leave.set()
