"""`rqa graph`: questions, claims and tensions of one person."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.support.cli import Cli

TEXTS = {
    "en": "We must cache every answer, because users hate to wait, but stale answers cost trust.",
    "ja": "利用者は待つのを嫌うので、回答をすべてキャッシュすべきだ。しかし古い回答は信頼を損なう。",
}


def question_of(cli: Cli, lang: str) -> dict[str, Any]:
    """The item of the question that a panel ended with."""
    asked = cli("ask", "--instrument", TEXTS[lang], "--json").json["question"]
    items = cli("graph", "search", "--json").json["items"]
    return next(item for item in items if item["text"] == asked)


@pytest.mark.parametrize("lang", ["en", "ja"])
def test_the_question_of_a_panel_can_be_found_shown_and_moved_on(cli: Cli, lang: str) -> None:
    item = question_of(cli, lang)
    assert (item["kind"], item["source"], item["status"]) == ("question", "assistant", "open")
    assert "inputs" not in item["text"]
    shown = cli("graph", "show", item["handle"], "--json").json
    assert shown["id"] == item["id"]
    assert {relation["kind"] for relation in shown["relations"]} >= set()
    moved = cli("graph", "status", item["handle"], "revisited", "--reason", "again", "--json", "--lang", lang)
    assert (moved.code, moved.json["status"]) == (0, "revisited")
    stats = cli("graph", "stats", "--json").json
    assert stats["statuses"]["revisited"] == 1
    assert item["text"] in cli("graph", "show", item["handle"], "--lang", lang).out


def test_a_move_that_the_rules_forbid_is_refused_and_says_what_is_allowed(cli: Cli) -> None:
    handle = question_of(cli, "en")["handle"]
    with cli.unchanged():
        ran = cli("graph", "status", handle, "resolved", "--json")
    assert (ran.code, ran.json["error"]["code"]) == (2, "rule_broken")
    assert "revisited" in ran.json["error"]["hint"]
    assert cli("graph", "status", handle, "lost", "--json").json["error"]["code"] == "usage"


def test_the_export_is_node_link_json_of_this_person_alone(cli: Cli) -> None:
    cli("memory", "add", "My locker is number 41.", "--user", "ines")
    question_of(cli, "en")
    printed = json.loads(cli("graph", "export").out)
    assert printed == cli("graph", "export", "--json").json["export"]
    assert {"directed", "multigraph", "nodes", "edges"} <= set(printed)
    assert printed["nodes"]
    assert "locker" not in json.dumps(printed)


@pytest.mark.parametrize(("lang", "words"), [("en", "open questions"), ("ja", "未解決の問い")])
def test_counts_are_named_in_the_language(cli: Cli, lang: str, words: str) -> None:
    assert words in cli("graph", "stats", "--lang", lang).out


def test_the_drawing_shows_that_only_the_verifier_leads_to_the_end(cli: Cli) -> None:
    drawing = cli("graph", "draw").out
    assert "verify" in drawing
    ends = [line for line in drawing.splitlines() if line.rstrip(" ;").endswith("__end__")]
    assert ends
    assert all(line.strip().startswith("verify") for line in ends)


@pytest.mark.parametrize(
    ("lang", "before", "after", "question", "words"),
    [
        (
            "en",
            "I live in Lund.",
            "I live in Malmö now.",
            "what is still open about the mill?",
            "still open about the mill",
        ),
        ("ja", "大阪に住んでいます。", "今は金沢に住んでいます。", "水車小屋についてまだ何が未解決ですか", "水車小屋"),
    ],
)
def test_the_graph_is_asked_analysed_curated_and_exported(
    cli: Cli, lang: str, before: str, after: str, question: str, words: str
) -> None:
    for text in (before, after, "Who pays for the mill?", "水車小屋は誰が直しますか？"):
        cli("memory", "add", text)
    assert words in cli("graph", "ask", question, "--lang", lang).out
    assert len(cli("graph", "ask", question, "--json").json["items"]) == 1
    assert len(cli("graph", "analyse", "--json").json["orphans"]) == 2
    assert cli("graph", "analyse", "--lang", lang).code == 0
    [found] = cli("graph", "contradictions", "--json").json["items"]
    assert (found["relation"], found["later"]["text"]) == ("update", after)
    assert after in cli("graph", "contradictions", "--lang", lang).out
    assert cli("graph", "curate", "--dry-run", "--json").json["changes"] == []  # it was marked when it was added
    later, earlier = found["later"]["handle"], found["earlier"]["handle"]
    assert cli("memory", "unrelate", later, "supersedes", earlier).code == 0
    with cli.unchanged():
        assert len(cli("graph", "curate", "--dry-run", "--json").json["changes"]) == 1
    queued = cli("graph", "curate", "--ask", "--json").json["queued"]
    assert after[:10] in cli("review-queue", "show", *queued, "--lang", lang).out
    assert cli("review-queue", "reject", *queued).code == 0
    batch = cli("graph", "curate", "--json").json["batch"]
    assert batch in cli("graph", "uncurate").out
    assert cli("graph", "uncurate", batch, "--json").json["undone"] == 1
    assert cli("graph", "uncurate", batch, "--lang", lang).code == 2
    assert cli("graph", "export", "--format", "graphml").out.startswith("<graphml")
    assert cli("graph", "export", "--format", "dot").out.startswith("digraph")
    assert cli("graph", "export", "--format", "png", "--lang", lang).code == 2
