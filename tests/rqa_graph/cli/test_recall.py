"""`rqa memory recall`: scores as sums, what was held back, what use changed, and what was asked for."""

from __future__ import annotations

import re

import pytest

from tests.support.cli import Cli

pytestmark = pytest.mark.thinned

TEXTS = {
    "en": ("I keep bees near Lund.", "Bees sleep in winter.", "My locker is 41."),
    "ja": ("ルンドの近くで蜂を飼っています。", "蜂は冬に眠ります。", "ロッカーは41番です。"),
}
QUERIES = {"en": "where are my bees near Lund?", "ja": "ルンドの蜂はどこですか"}
LONG = "Bees:\nthey " + "dance and dance " * 12


def _filled(cli: Cli, lang: str) -> None:
    for text in TEXTS[lang]:
        assert cli("memory", "add", text).code == 0


@pytest.mark.parametrize(
    ("lang", "words"),
    [
        ("en", ["Scores, each as its sum:", "relevance", "% about the question", "too far from the question"]),
        ("ja", ["スコアの内訳:", "関連度", "質問との関連が", "質問から遠すぎる"]),
    ],
)
def test_a_score_is_shown_as_its_sum_and_what_was_held_back_is_named(cli: Cli, lang: str, words: list[str]) -> None:
    _filled(cli, lang)
    shown = cli("memory", "recall", QUERIES[lang], "--explain", "--lang", lang)
    assert all(word in shown.out for word in words)
    found = cli("memory", "recall", QUERIES[lang], "--explain", "--json").json
    first = found["items"][0]
    own = first["breakdown"]
    beside = own["mass_boost"] + own["certainty_term"] + own["persona_term"]
    assert own["expected_sum"] == pytest.approx((own["relevance"] * own["decay_factor"] + beside) * own["saturation"])
    assert own["expected_sum"] == first["score"]
    assert f"{first['score']:.4f} = " in shown.out
    assert {row["factor"] for row in found["held_back"]} <= {"floor", "relevance", "age", "mass"}
    assert all(row["text"] and row["breakdown"] for row in found["held_back"])
    bare = cli("memory", "recall", QUERIES[lang], "--no-breakdown", "--no-route", "--json").json
    assert {item["breakdown"] for item in bare["items"]} == {None}
    assert bare["routing_hint"] is None


@pytest.mark.parametrize(
    ("lang", "near", "last"),
    [("en", "near from {:.3f} on", "the last of the list has {:.3f}"), ("ja", "{:.3f} から", "一覧の最後は {:.3f}")],
)
def test_what_held_an_item_back_is_said_with_its_threshold(cli: Cli, lang: str, near: str, last: str) -> None:
    _filled(cli, lang)
    asked = ("memory", "recall", QUERIES[lang], "--top-k", "1", "--explain")
    shown, found = cli(*asked, "--lang", lang), cli(*asked, "--json").json
    assert found["held_back"]
    for row in found["held_back"]:
        form = {"floor": near, "share": "", "filter": ""}.get(row["factor"], last)
        assert (row["needed"] is None) is (form == "")
        if form:
            assert row["had"] is None or row["had"] <= row["needed"]
            assert form.format(row["needed"]) in shown.out


@pytest.mark.parametrize(("lang", "word"), [("en", "Gained by this use: "), ("ja", "この使用で重みが増えた項目")])
def test_recall_is_passive_unless_it_is_said_to_train(cli: Cli, lang: str, word: str) -> None:
    _filled(cli, lang)
    with cli.unchanged():
        found = cli("memory", "recall", QUERIES[lang], "--json").json
    assert found["training_delta"] == {
        "mass_changes": {},
        "applied": False,
        "passive": True,
        "cache_hit": False,
        "considered": 3,
    }
    shown = cli("memory", "recall", QUERIES[lang], "--train", "--top-k", "1", "--lang", lang)
    assert word in shown.out
    assert re.search(r"\+0\.\d{3}", shown.out)
    again = cli("memory", "recall", QUERIES[lang], "--train", "--top-k", "1", "--json").json["training_delta"]
    assert (again["applied"], again["mass_changes"]) == (True, {})
    assert cli("log", "verify").code == 0


@pytest.mark.parametrize(
    ("lang", "query", "words"),
    [("en", "show completed tasks", "This asks for: completed tasks."), ("ja", "未完了のタスク", "未完了のタスク。")],
)
def test_a_question_for_an_aspect_is_told_from_a_topic(cli: Cli, lang: str, query: str, words: str) -> None:
    assert words in cli("memory", "recall", query, "--lang", lang).out
    hint = cli("memory", "recall", query, "--json").json["routing_hint"]
    assert hint["pattern_matched"]
    assert cli("memory", "recall", QUERIES[lang], "--json").json["routing_hint"]["aspect"] is None


def test_a_list_is_one_line_an_item_in_the_same_order(cli: Cli) -> None:
    _filled(cli, "en")
    cli("memory", "add", LONG)
    whole = cli("memory", "recall", "bees", "--json")
    brief = cli("memory", "recall", "bees", "--mode", "list", "--json")
    assert [item["id"] for item in brief.json["items"]] == [item["id"] for item in whole.json["items"]]
    assert all(len(item["text"]) <= 80 and "\n" not in item["text"] for item in brief.json["items"])
    assert len(brief.out) < len(whole.out)


@pytest.mark.parametrize(("lang", "word"), [("en", "Drawn from 0 of 3 items"), ("ja", "3 件のうち")])
def test_a_sample_of_old_items_says_what_it_was_drawn_from(cli: Cli, lang: str, word: str) -> None:
    _filled(cli, lang)
    with cli.unchanged():
        assert word in cli("memory", "recall", "x", "--mode", "dormant", "--lang", lang).err
    found = cli("memory", "recall", "x", "--mode", "dormant", "--seed", "3", "--json").json
    assert (found["items"], found["dormant"]["population"], found["dormant"]["seed"]) == ([], 3, 3)
    assert found["training_delta"] is None


def test_what_a_restriction_kept_out_is_named_as_that(cli: Cli) -> None:
    _filled(cli, "en")
    cli("memory", "add", "Bees near Lund want heather.", "--external", "book.txt")
    found = cli("memory", "recall", QUERIES["en"], "--source", "external", "--explain", "--json").json
    assert {item["source"] for item in found["items"]} == {"external"}
    assert "filter" in {row["factor"] for row in found["held_back"]}
    old = cli("memory", "recall", QUERIES["en"], "--as-of", "2020-01-01", "--json").json
    assert old["items"] == []


@pytest.mark.parametrize("lang", ["en", "ja"])
@pytest.mark.parametrize(
    "option",
    [["--as-of", "soon"], ["--mode", "fast"], ["--source", "me"], ["--kind", "x"], ["--persona", "zzzzzz"]],
)
def test_what_cannot_be_meant_is_refused_in_words(cli: Cli, lang: str, option: list[str]) -> None:
    with cli.unchanged():
        ran = cli("memory", "recall", "bees", *option, "--lang", lang)
    assert ran.code == 2
    assert option[1] in ran.err
