"""`rqa chat`: a thread of turns and the commands between them, from a pipe."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.support.cli import ENVELOPE, TURN_FIELDS, Cli
from tests.support.model_servers import OllamaServer, Reply

CLAIMS = {
    "en": ("The alarm is at 5:40.", "As we established, you are afraid [m:zzzzzz]. Try tea.", "As we established"),
    "ja": ("目覚ましは朝5時です。", "先ほど確認した通り、あなたは怖がっています[m:zzzzzz]。", "先ほど確認した通り"),
}
"""What the person says, what the model answers, and the words of it that nothing backs."""


@pytest.fixture
def server(cli: Cli) -> Iterator[OllamaServer]:
    """A model that says what a test wants."""
    with OllamaServer(models=("m:1b",)) as running:
        cli.set(RQA_MODELS__CHAT="ollama:m:1b", RQA_MODELS__OLLAMA_URL=running.url)
        yield running


@pytest.mark.parametrize(
    ("said", "asked", "fact"),
    [
        ("My locker is number 41.", "What is the number of my locker?", "41"),
        ("ロッカーは41番です。", "ロッカーは何番ですか？", "41"),
    ],
)
def test_each_line_is_a_turn_of_one_thread(cli: Cli, said: str, asked: str, fact: str) -> None:
    chat = cli("chat", said, "--json", stdin=f"\n{asked}\n")
    first, second = chat.rows
    assert chat.code == 0
    for row in (first, second):
        assert set(row) >= ENVELOPE | TURN_FIELDS
        assert row["schema"] == "rqa.chat/1"
    assert first["thread"] == second["thread"]
    assert fact in second["text"]
    assert second["memory"]["cited"][0]["source"] == "user"


def test_a_thread_is_continued_by_another_process(cli: Cli, server: OllamaServer) -> None:
    server.then(Reply(text="Noted."), Reply(text="Yes."))
    thread = cli("chat", "The red key opens the shed.", "--json").rows[0]["thread"]
    shown = cli("chat", "Are you sure?", "--thread", thread)
    assert f"rqa chat --thread {thread}" in shown.err
    seen = [str(message["content"]) for message in server.chats[-1].body["messages"]]
    assert any("Noted." in text for text in seen), "the model sees what was said before in the thread"
    other = cli("chat", "Are you sure?", "--json").rows[0]
    assert other["thread"] != thread


@pytest.mark.parametrize("lang", ["en", "ja"])
def test_why_shows_the_words_before_and_after(cli: Cli, server: OllamaServer, lang: str) -> None:
    said, reply, unbacked = CLAIMS[lang]
    server.default = Reply(text=reply)
    shown = cli("chat", "--lang", lang, stdin=f"{said}\n/why\n")
    answer, *_ = shown.out.splitlines()
    assert unbacked not in answer
    assert "zzzzzz" not in answer
    table = shown.out.removeprefix(answer)
    assert unbacked in table, "the words before, which only the person's own audit record has"
    assert "[m:zzzzzz]" in table
    assert answer in table, "the words after"
    assert unbacked not in shown.err


def test_why_as_json_names_each_finding(cli: Cli, server: OllamaServer) -> None:
    said, reply, unbacked = CLAIMS["en"]
    server.default = Reply(text=reply)
    turn, why = cli("chat", "--json", stdin=f"{said}\n/why\n").rows
    assert unbacked not in str(turn)
    assert (why["schema"], why["after"], why["turn"]) == ("rqa.chat.why/1", turn["text"], turn["turn"])
    assert {row["kind"] for row in why["findings"]} == {"unbacked_history", "unknown_id"}
    assert any(unbacked in row["before"] for row in why["findings"])


def test_memory_lists_and_forget_hides(cli: Cli) -> None:
    cli("memory", "add", "My locker is number 41.")
    handle = cli("memory", "list", "--json").json["items"][0]["handle"]
    shown = cli("chat", stdin=f"/memory\n/forget [m:{handle}]\n/memory\n")
    assert shown.code == 0
    before, after = shown.out.split(f"{handle} is hidden")
    assert "My locker is number 41." in before
    assert "My locker is number 41." not in after
    assert cli("memory", "list", "--hidden", "--json").json["items"][0]["handle"] == handle
    rows = cli("chat", "--json", stdin=f"/memory\n/forget {handle}\n").rows
    assert [row["schema"] for row in rows] == ["rqa.chat.memory/1", "rqa.chat.forget/1"]


def test_full_shows_the_panel_of_the_last_turn(cli: Cli) -> None:
    text = "Analyse this: we must cache every answer, because users hate to wait, but stale answers cost trust."
    shown = cli("chat", stdin=f"{text}\n/full\n")
    assert shown.code == 0
    assert "### 1. Claims" in shown.out
    assert shown.out.index("### 1. Claims") > 200, "the turn itself showed the brief panel"


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("/why", "no turn yet"),
        ("/full", "no turn yet"),
        ("/forget", "Which item?"),
        ("/forget zzzzzz", "zzzzzz"),
        ("/bogus", "no command /bogus"),
        ("a\0b", "NUL"),
        (b"caf\xe9", "no valid UTF-8"),
        ("x" * 1_000_001, "at most 1000000"),
    ],
    ids=["why", "full", "forget", "unknown", "bogus", "nul", "latin-1", "long"],
)
def test_a_bad_line_is_said_and_the_conversation_goes_on(cli: Cli, line: str | bytes, words: str) -> None:
    data = line if isinstance(line, bytes) else line.encode()
    shown = cli("chat", stdin=data + b"\nMy bicycle is blue.\n")
    assert shown.code == 2, "a script hears of it"
    assert words in shown.err
    assert "blue" in shown.out


def test_quit_ends_it_and_no_line_after_it_is_read(cli: Cli) -> None:
    with cli.unchanged():
        shown = cli("chat", stdin="/quit\nMy bicycle is blue.\n")
    assert (shown.code, shown.out, shown.err) == (0, "", "")


def test_a_bad_line_as_json_is_an_error_object(cli: Cli) -> None:
    [row] = cli("chat", "--json", "--lang", "ja", stdin="/bogus\n").rows
    assert (row["ok"], row["error"]["code"]) == (False, "usage")
    assert "/bogus" in row["error"]["message"]
    assert "/why" in row["error"]["hint"]


def test_a_model_that_stands_in_is_named_once_a_conversation(cli: Cli) -> None:
    cli.set(RQA_MODELS__CHAT="auto", RQA_MODELS__OLLAMA_URL="http://127.0.0.1:9")
    shown = cli("chat", stdin="My bicycle is blue.\nMy hat is red.\n")
    assert shown.err.count("the built-in engine answers") == 1


@pytest.mark.parametrize(("text", "word"), [("My locker is 41.", "yes"), ("ロッカーは41番です。", "はい")])
def test_an_item_is_erased_only_when_it_is_said_twice(cli: Cli, text: str, word: str) -> None:
    handle = cli("memory", "add", text, "--json").json["handle"]
    plan, _unmeant, gone, listed = cli(
        "chat", "--json", stdin=f"/erase {handle}\n/erase {handle} maybe\n/erase {handle} {word}\n/memory\n"
    ).rows
    assert (plan["schema"], plan["dry_run"], plan["counts"]["items"]) == ("rqa.chat.erase/1", True, 1)
    assert (gone["dry_run"], gone["receipt"]["name"]) == (False, handle)
    assert listed["items"] == []


def test_the_conversation_goes_on_after_its_own_thread_was_erased(cli: Cli) -> None:
    said = "I keep nineteen hives at Lund."
    [turn] = cli("chat", said, "--json").rows
    [item] = cli("memory", "list", "--json").json["items"][-1:]
    rows = cli(
        "chat", "--thread", turn["thread"], "--json", stdin=f"/erase {item['handle']} yes\nMy locker is 41.\n"
    ).rows
    assert rows[0]["receipt"]["cleared"]["threads"] == 1
    assert rows[1]["stored"] is True


@pytest.mark.parametrize(
    ("lang", "told", "asked", "word"),
    [
        ("en", "My locker is number 41.", "What is the number of my locker?", "English from here on."),
        ("ja", "ロッカーは41番です。", "ロッカーは何番ですか？", "ここからは日本語です。"),
    ],
)
def test_a_conversation_is_asked_about_itself(cli: Cli, lang: str, told: str, asked: str, word: str) -> None:
    exported = cli.home.parent / "mine.jsonl"
    lines = f"{told}\n{asked}\n/sources\n/whynot\n/graph\n/export {exported}\n/lang {lang}\n/lang fr\n/help\n/quit\n"
    shown = cli("chat", "--lang", "ja" if lang == "en" else "en", stdin=lines)
    assert shown.code == 2, "a language that is not spoken is refused, and the conversation goes on"
    assert word in shown.out
    after_answer = shown.out.split("41")
    assert len(after_answer) > 3, "the reply, its source and what recall finds"
    assert any(told in line for line in exported.read_text("utf-8").splitlines())
    assert "/whynot" in shown.err
    assert {"en": "Thread ", "ja": "スレッド "}[lang] in shown.err.splitlines()[-1]
    again = cli("chat", "--json", stdin=f"/export {exported}\n/sources\n")
    assert [row["ok"] for row in again.rows] == [False, False], "no file is written over, and there was no turn"
    rows = cli("chat", "--json", stdin=f"{asked}\n/sources\n/whynot\n").rows
    assert [item["text"] for item in rows[1]["items"]] == [told]
    assert set(rows[2]) >= {"items", "held_back"}
