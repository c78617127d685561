"""What a person says of an item on the command line, and what they undertake."""

from __future__ import annotations

import re
from typing import Any

import pytest

from rqa_checkpoints.provenance import Scope, SourceClass
from rqa_checkpoints.reflecting import Side
from rqa_checkpoints.relations import DRAWN_BY_VERBS, RELATIONS
from rqa_graph.cli import looking, persona, verbs
from tests.support.cli import Cli
from tests.support.memories import open_memory


def _ran(cli: Cli, *args: str) -> dict[str, Any]:
    ran = cli("memory", *args, "--json")
    assert ran.code == 0, ran.err
    assert ran.json["schema"] == f"rqa.memory.{args[0]}/1"
    return ran.json


@pytest.fixture
def guess(cli: Cli) -> str:
    """Handle of something that the assistant said."""
    with open_memory(cli.home) as memory:
        scope = Scope("local", "mara")
        text = "失敗を恐れているのかもしれません。"
        return memory.add(text, scope=scope, source=SourceClass.assistant, author="m").handle


@pytest.mark.parametrize(
    ("lang", "verb", "own", "words"),
    [
        ("en", "confirm", "はい。", "You said yes to"),
        ("ja", "deny", "いいえ。", "次の内容を否定しました"),
    ],
)
def test_an_answer_is_the_persons_own_and_says_so(
    cli: Cli, guess: str, lang: str, verb: str, own: str, words: str
) -> None:
    shown = cli("memory", verb, guess, "--words", "朝が苦手です。", "--user", "mara", "--lang", lang)
    assert shown.code == 0
    assert words in shown.out
    items = cli("memory", "list", "--user", "mara", "--json").json["items"]
    assert [(item["text"], item["source"]) for item in items[:2]] == [("朝が苦手です。", "user"), (own, "user")]
    assert items[-1]["source"] == "assistant"


def test_items_are_related_merged_and_brought_back(cli: Cli) -> None:
    one, two = (_ran(cli, "add", text)["handle"] for text in ("I keep bees.", "I am a beekeeper."))
    assert _ran(cli, "relate", one, "same_topic", f"[m:{two}]")["changed"]
    assert not _ran(cli, "relate", one, "same_topic", two)["changed"]
    assert _ran(cli, "unrelate", one, "same_topic", two)["changed"]
    assert _ran(cli, "merge", one, two)["merged"] == [two]
    assert [row["handle"] for row in _ran(cli, "list")["items"]] == [one]
    _ran(cli, "restore", two)
    told = cli("memory", "history", two, "--lang", "ja")
    assert "想起の対象外に" in told.out
    assert f"{two} -統合された (merged_into)-> {one}" in told.out
    assert [row["event"] for row in _ran(cli, "history", two)["events"]][-3:] == ["edge", "restore", "unrelate"]


def test_a_task_runs_from_commitment_to_record(cli: Cli) -> None:
    value = _ran(cli, "declare", "value", "Health comes first.")
    wish = _ran(cli, "declare", "intention", "I want to run.", "--serves", value["handle"])
    shoes = _ran(cli, "commit", "Buy shoes.", "--serves", wish["handle"], "--days", "3")
    run = _ran(cli, "commit", "Run ten kilometres.", "--days", "0")
    assert (bool(shoes["expires_at"]), run["expires_at"]) == (True, "")
    assert _ran(cli, "depend", run["handle"], shoes["handle"], "--blocking")["changed"]
    blocked = cli("memory", "start", run["handle"], "--json", "--lang", "ja")
    assert (blocked.code, blocked.json["error"]["code"]) == (2, "rule_broken")
    assert shoes["handle"] in blocked.json["error"]["message"]
    _ran(cli, "start", shoes["handle"])
    done = _ran(cli, "complete", shoes["handle"], "Blue ones.")
    assert (done["status"], done["expires_at"], done["said"]["text"]) == ("resolved", "", "Blue ones.")
    assert _ran(cli, "abandon", run["handle"], "Knee.")["status"] == "abandoned"
    assert _ran(cli, "revalidate", value["handle"], "--days", "9")["expires_at"]


@pytest.mark.parametrize("lang", ["en", "ja"])
def test_what_is_wrong_is_refused_and_changes_nothing(cli: Cli, lang: str) -> None:
    one = _ran(cli, "add", "I keep bees.", "--kind", "hypothesis", "--tag", "bees")
    assert (one["kind"], bool(one["expires_at"]), one["tags"]) == ("claim", True, ["bees"])
    wrong = {
        "rule_broken": [["confirm", one["handle"]], ["relate", one["handle"], "supports", one["handle"]]],
        "unknown_node": [["deny", "zzzzzz"], ["merge", one["handle"], "zzzzzz"], ["start", "zzzzzz"]],
        "usage": [["relate", one["handle"], "likes", one["handle"]], ["declare", "note", "x"]],
        "refused_text": [["declare", "value", "What matters?"]],
        "unknown_kind": [["add", "x", "--kind", "spoon"]],
    }
    for code, commands in wrong.items():
        for command in commands:
            with cli.unchanged():
                ran = cli("memory", *command, "--json", "--lang", lang)
            assert (ran.code, ran.json["error"]["code"]) == (2, code)
            assert ran.json["error"]["hint"]


def test_what_is_refused_is_refused_in_japanese(cli: Cli) -> None:
    own, value = _ran(cli, "add", "巣箱を数えます。"), _ran(cli, "declare", "value", "健康が第一です。")
    task = _ran(cli, "commit", "巣箱を塗る")
    refused = [
        ["deny", own["handle"]],
        ["confirm", own["handle"]],
        ["relate", own["handle"], "supports", own["handle"]],
        ["merge", own["handle"], own["handle"]],
        ["complete", own["handle"], "済み"],
        ["start", value["handle"]],
        ["depend", task["handle"], task["handle"]],
        ["declare", "value", "何が大切ですか？"],
        ["deny", "zzzzzz"],
    ]
    for command in refused:
        error = cli("memory", *command, "--json", "--lang", "ja").json["error"]
        words = error["message"] + re.sub("`[^`]*`", "", error["hint"])
        for handle in (own["handle"], value["handle"], task["handle"], "zzzzzz"):
            words = words.replace(handle, "")
        assert re.findall(r"[A-Za-z]{2,}", words) in ([], ["value"]), error


def test_a_history_is_told_in_the_language(cli: Cli) -> None:
    own = _ran(cli, "add", "巣箱を数えます。")
    _ran(cli, "revalidate", own["handle"])
    assert "user confirmed" in cli("memory", "history", own["handle"], "--lang", "en").out
    assert "ご本人 肯定" in cli("memory", "history", own["handle"], "--lang", "ja").out


@pytest.mark.parametrize(("lang", "words"), [("en", "tasks to do"), ("ja", "未着手の作業")])
def test_the_memory_is_looked_at_from_one_side_and_off_the_path(cli: Cli, lang: str, words: str) -> None:
    _ran(cli, "commit", "Order the frames.")
    _ran(cli, "add", "I keep bees.")
    assert _ran(cli, "reflect")["counts"]["tasks_todo"] == 1
    assert words in cli("memory", "reflect", "--lang", lang).out
    assert [row["text"] for row in _ran(cli, "reflect", "tasks_todo")["items"]] == ["Order the frames."]
    drawn = _ran(cli, "explore", "bees", "--seed", "3", "--diversity", "0")
    assert (drawn["items"][0]["text"], drawn["seed"]) == ("I keep bees.", 3)
    assert cli("memory", "reflect", "moods", "--lang", lang).code == 2


def test_every_command_has_an_example_and_the_relations_are_those_that_may_be_drawn() -> None:
    assert set(verbs._DRAWABLE) == RELATIONS - DRAWN_BY_VERBS
    assert tuple(Side) == looking._SIDES
    for name, command in {**verbs.COMMANDS, **persona.COMMANDS, **looking.COMMANDS}.items():
        assert f"Example: rqa memory {name} " in (command.__doc__ or "")


@pytest.mark.parametrize(("lang", "words"), [("en", "100 % of what use has added"), ("ja", "重みの 100%")])
def test_a_memory_that_uses_the_same_again_and_again_is_told_so(cli: Cli, lang: str, words: str) -> None:
    note = "\n\n".join(f"Hive {i} stands {i} metres from the {i}th lime tree." for i in range(1200))
    source = cli.home.parent / "notes.txt"
    source.write_text(note, encoding="utf-8")
    assert cli("import", str(source)).code == 0
    assert words not in cli("memory", "reflect", "--lang", lang).err
    _ran(cli, "confirm", _ran(cli, "list")["items"][0]["handle"])
    assert _ran(cli, "reflect")["heaviest_share"] == 1
    assert words in cli("memory", "reflect", "--lang", lang).err
