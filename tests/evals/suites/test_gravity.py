"""The suite of what use makes of a memory: its arms differ where they should, and its counts are what it says."""

from __future__ import annotations

from evals.kept_vectors import KeptVectors
from evals.runner.figures import Cells, summarise
from evals.runner.run import run_plan
from evals.suites.gravity import SUITE, plan
from evals.suites.retrieval import Collection, Question
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
    made = plan(HashEmbedder(), Collection(notes=_NOTES, questions=_QUESTIONS), interactions=30, passages=12)
    rows = run_plan("gravity", made)
    summary = summarise(made, rows)
    cells = Cells(summary)
    assert summary["facts"] == {"encoder": HashEmbedder().name, "notes": 4, "interactions": 30, "passages": 12}
    outputs = {(row.arm, row.case): row.output for row in rows if row.output is not None}
    for state in ("fresh", "honest user", "self-talk", "book", "30 idle days"):
        assert cells.value("ours", "echo index", state=state) == 0, state
    assert outputs["ours", "self-talk"]["mass_gained"] == 0
    assert outputs["ours", "self-talk"]["kept"] == outputs["ours", "self-talk"]["questions"]
    assert outputs["ours", "honest user"]["mass_gained"] > 0
    assert set(outputs["ours", "self-talk"]["guess_mass"]) == {1.0}
    assert outputs["reference", "self-talk"]["guess_mass"][-1] > 1.5
    assert outputs["reference", "self-talk"]["mass_gained"] > 0
    assert summary["failed"] == []
    assert SUITE.readme is not None
    assert "| ours, self-talk | " in SUITE.readme({"command": "c", "revision": "r", "result": summary}, {})


class _Counting(HashEmbedder):
    """Keeps the stored texts that it was asked for."""

    def __init__(self) -> None:
        super().__init__()
        self.documents: list[str] = []

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        self.documents += texts
        return super().embed_documents(texts)


def test_kept_vectors_are_those_of_the_encoder_and_made_once() -> None:
    plain, counted = HashEmbedder(), _Counting()
    kept = KeptVectors(counted)
    for texts in (["a b", "c", "a b"], ["c", "d"], ["a b"]):
        assert kept.embed_documents(texts) == plain.embed_documents(texts)
    assert kept.embed_query("a b") == plain.embed_query("a b")
    assert counted.documents == ["a b", "c", "d"]
