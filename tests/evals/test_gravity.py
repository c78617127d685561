"""The suite of what use makes of a memory: its arms differ where they should, and its counts are what it says."""

from __future__ import annotations

from pathlib import Path

import pytest

from evals.gravity import measure
from evals.gravity_table import gravity_table
from evals.kept_vectors import KeptVectors
from evals.retrieval import Collection, Question
from rqa_checkpoints.embedding import HashEmbedder

_NOTES = {
    f"n{n}": text
    for n, text in enumerate(("会議は第2会議室で10時から。", "佐藤さんは司会です。", "蜂は冬に眠ります。"))
}
_QUESTIONS = [
    Question(text, frozenset({"n0"}))
    for text in ("会議はどこですか", "会議は何時ですか", "会議室はどこ?", "何時に会議?")
]


def test_an_echo_grows_where_recall_trains_and_nowhere_in_ours() -> None:
    found = measure(HashEmbedder(), Collection(notes=_NOTES, questions=_QUESTIONS), interactions=30, passages=12)
    assert (found["notes"], found["interactions"], found["passages"]) == (4, 30, 12)
    ours, reference = found["arms"]["ours"], found["arms"]["reference"]
    for state, row in ours.items():
        assert row["echo_index"] == 0, state
    assert ours["self-talk"]["mass_gained"] == 0
    assert ours["self-talk"]["kept"] == ours["self-talk"]["questions"]
    assert ours["honest user"]["mass_gained"] > 0
    assert set(found["guess_mass"]["ours"]) == {1.0}
    assert found["guess_mass"]["reference"][-1] > 1.5
    assert reference["self-talk"]["mass_gained"] > 0
    table = gravity_table({"command": "c", "revision": "r", "result": found})
    assert "| ours, self-talk | " in table


def test_kept_vectors_are_those_of_the_encoder(tmp_path: Path) -> None:
    path, plain = tmp_path / "v.npz", HashEmbedder()
    first = KeptVectors(plain, path)
    wanted = (first.embed_documents(["a b", "c"]), first.embed_query("a b"))
    first.save()
    again = KeptVectors(plain, path)
    assert (again.embed_documents(["a b", "c"]), again.embed_query("a b")) == wanted
    assert wanted[0] == [pytest.approx(vector) for vector in plain.embed_documents(["a b", "c"])]
