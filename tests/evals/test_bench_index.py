"""Promises of the index's benchmark: it runs, it compares, and what it draws is the same each time."""

from __future__ import annotations

import json
import random

import pytest

from evals.bench.index import DrawnEncoder, draw_nodes, main


def test_it_measures_our_search_beside_the_bare_query(capsys: pytest.CaptureFixture[str]) -> None:
    main(["--nodes", "60", "--others", "10", "--searches", "4"])
    printed = json.loads(capsys.readouterr().out)
    assert (printed["unit"], printed["nodes"], printed["others"], printed["searches"]) == ("ms", 60, 10, 4)
    for name in ("trail_search", "bare_edge_dense_query"):
        assert 0 < printed["results"][name]["median"] <= printed["results"][name]["p99"]
    assert printed["results"]["once"]["open_ms"] > 0


def test_the_same_seed_draws_the_same_sentences_in_two_languages() -> None:
    first, second = (draw_nodes(10, user="me", source=random.Random(3)) for _ in range(2))
    assert first == second
    assert len({node.id for node in first}) == 10
    assert sum(node.text.isascii() for node in first) == 5


def test_a_drawn_vector_follows_from_its_text_and_has_length_one() -> None:
    vectors = [DrawnEncoder().embed_query(text) for text in ("loom", "loom", "織物")]
    assert vectors[0] == vectors[1] != vectors[2]
    assert sum(value * value for value in vectors[2]) == pytest.approx(1)
