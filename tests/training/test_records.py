"""What a person's turns left becomes examples that wait for a review, and what was erased becomes nothing."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from rqa_graph.opened import OpenHome
from rqa_graph.settings import Settings
from rqa_graph.telemetry import TELEMETRY_FILE, TelemetryFile
from rqa_graph.turn_saver import TurnSaver
from tests.support.graphs import analysis, evaluation, scripted_services
from tests.support.turns import LEVELS, tell
from training.errors import CorpusError
from training.pairs import lint_pairs
from training.prepare import assemble, write_corpus
from training.records import Records, collect, read_records

_QUESTIONS = {
    "en": ["What would the mill lose upstream?", "Who says that the mill must move?", "What is a mill that pays for?"],
    "ja": ["製粉所は上流で何を失いますか？", "上流に移すと誰が困りますか？", "製粉所の元とは何のことですか？"],
}


def _turns(home: Path, langs: list[str], *, user: str = "mara") -> Records:
    """One panel a language, each with three scored questions, in a home on disk."""
    settings = Settings.load(home=home, overrides={"memory": {"user": "mara"}, "models": {"chat": "builtin"}})
    analyses = [
        analysis(_QUESTIONS[lang], feature_map={"assumptions": [LEVELS[lang][3]], "frames": ["the mill 製粉所"]})
        for lang in langs
    ]
    judged = [evaluation((8, 8, 7, 7), (9, 9, 8, 9), (4, 4, 4, 4), best=1) for _ in langs]
    services = scripted_services(home, analyses, judged, user=user, embedder="hash")
    services.telemetry = TelemetryFile(home / TELEMETRY_FILE)
    try:
        with TurnSaver.from_location(str(home / "checkpoints")) as saver:
            opened = OpenHome.over(settings, services, saver)
            for lang in langs:
                tell(opened.graph, LEVELS[lang][3], thread=lang, depth=1, candidates=3)
            return collect(opened)
    finally:
        services.close()


def test_scored_turns_become_pending_examples_and_pairs(tmp_path: Path) -> None:
    records = _turns(tmp_path, ["en", "ja"])
    assert records.left_out == {}
    by_lang = {one.example.lang: one for one in records.rounds}
    assert set(by_lang) == {"en", "ja"}
    for lang, one in by_lang.items():
        assert one.example.user_text == LEVELS[lang][3]
        assert one.scores == {0: 30, 1: 35, 2: 16}
        drafts = json.loads(one.example.assistant)["question_candidates"]
        assert [draft["question"] for draft in drafts] == _QUESTIONS[lang]
        assert (one.example.review, one.example.candidates) == ("pending", 3)
        assert one.example.source.startswith("turn: ")

    corpus = assemble([], rounds=records.rounds)
    assert {example.lang for example in corpus.pending} == {"en", "ja"}
    assert corpus.train == ()
    assert corpus.pairs == ()


def test_the_selectors_pairs_wait_for_a_review_and_never_outnumber_the_others(tmp_path: Path) -> None:
    from tests.training.support import seed

    corpus = assemble(seed(), rounds=_turns(tmp_path, ["en"]).rounds)
    assert [(pair.kind, pair.gap) for pair in corpus.pending_pairs] == [("selector", 5), ("selector", 19)]
    assert lint_pairs([*corpus.pairs]).faults == ()


def test_a_turn_without_a_line_of_telemetry_or_of_somebody_else_is_not_read(tmp_path: Path) -> None:
    assert _turns(tmp_path / "theirs", ["en"], user="otto").rounds != ()
    settings = Settings.load(home=tmp_path / "theirs", overrides={"memory": {"user": "mara"}})
    services = scripted_services(tmp_path / "theirs", user="mara", embedder="hash")
    try:
        with TurnSaver.from_location(str(tmp_path / "theirs" / "checkpoints")) as saver:
            opened = OpenHome.over(settings, services, saver)
            assert collect(opened) == Records(rounds=(), left_out={"no_words": 1})
            (tmp_path / "theirs" / TELEMETRY_FILE).unlink()
            assert collect(opened) == Records(rounds=())
    finally:
        services.close()


def test_a_folder_that_is_no_home_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match=TELEMETRY_FILE):
        read_records(tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_the_files_of_a_corpus_say_what_they_are(tmp_path: Path) -> None:
    from tests.training.support import seed

    report = write_corpus(assemble(seed()), tmp_path / "corpus")
    assert report == json.loads((tmp_path / "corpus" / "report.json").read_text("utf-8"))
    assert report["faults"] == []
    assert report["train"]["examples"] + report["holdout"]["examples"] == len(seed())
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(CorpusError, match="cannot be written"):
        write_corpus(assemble([]), tmp_path / "file")
