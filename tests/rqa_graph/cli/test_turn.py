"""`rqa ask`: one turn as a person sees it, and as a program reads it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.cli import ENVELOPE, TURN_FIELDS, Cli

pytestmark = pytest.mark.thinned

NOWHERE = "http://127.0.0.1:9"
PAIRS = (
    ("en", "My bicycle stands in cellar 14.", "Where does my bicycle stand?", "cellar 14"),
    ("ja", "私の自転車は地下室14にあります。", "私の自転車はどこにありますか？", "地下室14"),
)


@pytest.mark.parametrize(("lang", "said", "asked", "fact"), PAIRS)
def test_what_was_said_comes_back_as_the_users(cli: Cli, lang: str, said: str, asked: str, fact: str) -> None:
    first = cli("ask", said, "--json").json
    assert set(first) >= ENVELOPE | TURN_FIELDS
    assert (first["schema"], first["ok"], first["lang"]) == ("rqa.ask/1", True, lang)
    assert set(first["memory"]) == {"injected", "cited", "written"}
    assert first["memory"]["written"][0]["source"] == "user"
    second = cli("ask", asked, "--json").json
    assert fact in second["text"]
    assert second["thread"] != first["thread"], "memory alone carried it"
    [cited] = second["memory"]["cited"]
    assert cited in first["memory"]["written"]
    assert f"[m:{cited['handle']}]" in second["text"]


@pytest.mark.parametrize(("lang", "said", "asked", "fact"), PAIRS)
def test_the_answer_goes_to_one_stream_and_notes_to_the_other(
    cli: Cli, lang: str, said: str, asked: str, fact: str
) -> None:
    cli("ask", said)
    shown = cli("ask", asked)
    assert shown.code == 0
    assert fact in shown.out
    assert shown.out.endswith("\n")
    assert shown.out.count("\n") == 1
    words = {"en": "memory: 1 cited", "ja": "記憶: 引用1件"}
    assert shown.err.splitlines() == [words[lang]], "no notice where nothing had to stand in"


@pytest.mark.parametrize(("lang", "words"), [("en", "the built-in engine answers"), ("ja", "内蔵エンジンが答えます")])
def test_a_model_that_stands_in_is_named_once_and_last(cli: Cli, lang: str, words: str) -> None:
    cli.set(RQA_MODELS__CHAT="auto", RQA_MODELS__OLLAMA_URL=NOWHERE)
    shown = cli("ask", "My bicycle is blue.", "--lang", lang)
    assert shown.code == 0
    assert words not in shown.out
    assert words in shown.err.splitlines()[-1]
    assert shown.err.count(words) == 1


@pytest.mark.parametrize(
    ("locale", "text", "words"),
    [
        ("C.UTF-8", "My bicycle is blue.", "memory: 0 cited"),
        ("C.UTF-8", "私の自転車は青いです。", "記憶: 引用0件"),
        ("ja_JP.UTF-8", "My bicycle is blue.", "記憶: 引用0件"),
        ("en_US.UTF-8", "私の自転車は青いです。", "memory: 0 cited"),
    ],
)
def test_notes_follow_the_locale_and_without_one_the_input(cli: Cli, locale: str, text: str, words: str) -> None:
    cli.set(LC_ALL=locale)
    assert words in cli("ask", text).err


@pytest.mark.parametrize(
    ("text", "headings"),
    [
        (
            "We must cache every answer, because users hate to wait, but stale answers cost trust.",
            ("### 1. Claims", "### 2. Tensions"),
        ),
        (
            "利用者は待つのを嫌うので、回答をすべてキャッシュすべきだ。しかし古い回答は信頼を損なう。",
            ("### 1. 主張", "### 2. 矛盾と飛躍"),
        ),
    ],
)
def test_the_panel_is_markdown_in_a_pipe_and_brief_is_shorter(cli: Cli, text: str, headings: tuple[str, ...]) -> None:
    whole = cli("ask", "--instrument", text)
    brief = cli("ask", "--instrument", "--brief", text)
    assert (whole.code, brief.code) == (0, 0)
    for heading in headings:
        assert heading in whole.out
        assert heading not in brief.out
    assert "### 1." in whole.out
    assert "\x1b" not in whole.out
    assert len(brief.out) < len(whole.out)


def test_candidates_and_rounds_are_what_was_asked_for(cli: Cli) -> None:
    text = "We must cache every answer, because users hate to wait, but stale answers cost trust."
    found = cli("ask", "--instrument", "--k", "2", "--depth", "1", "--json", text).json
    assert (found["level"], found["mode"]) == (3, "instrument")
    boundary = found["panel"]["boundary"]
    assert (boundary["budget"]["candidates"], boundary["budget"]["rounds"], boundary["rounds"]) == (2, 1, 1)


def test_a_missing_judge_is_said_once_in_the_panel(cli: Cli) -> None:
    text = "We must cache every answer, because users hate to wait, but stale answers cost trust."
    shown = cli("ask", "--instrument", text)
    assert "no key for the evaluator" in shown.out
    assert "no key for the evaluator" not in shown.err
    found = cli("ask", "--instrument", "--no-evaluator", "--json", text).json
    assert (found["degraded"], found["degraded_reason"]) == (True, "evaluator_off")


@pytest.mark.parametrize("name", ["foo", "ollama:foo", "groq:foo", "openai:foo"])
@pytest.mark.parametrize("lang", ["en", "ja"])
def test_a_model_that_is_not_there_ends_with_5_and_leaves_nothing(cli: Cli, name: str, lang: str) -> None:
    cli.set(RQA_MODELS__OLLAMA_URL=NOWHERE)
    with cli.unchanged():
        shown = cli("ask", "My bicycle is blue.", "--model", name, "--json", "--lang", lang)
    assert shown.code == 5
    assert shown.json["error"]["code"] == "model_unavailable"
    assert "foo" in shown.json["error"]["message"]
    assert shown.json["error"]["hint"]
    assert ("モデルを使えません" in shown.json["error"]["message"]) is (lang == "ja")


def test_a_person_sees_only_what_is_theirs(cli: Cli) -> None:
    cli("ask", "My bicycle stands in cellar 14.", "--user", "mara")
    other = cli("ask", "Where does my bicycle stand?", "--user", "ines", "--json").json
    assert other["memory"]["injected"] == []
    assert "14" not in other["text"]
    own = cli("--user", "mara", "ask", "Where does my bicycle stand?", "--json").json
    assert "cellar 14" in own["text"]


def test_a_process_of_its_own_reads_standard_input(tmp_path: Path) -> None:
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("RQA_", "GROQ_"))}
    environment |= {"RQA_HOME": str(tmp_path / "home"), "RQA_MODELS__CHAT": "builtin", "LC_ALL": "C"}
    done = subprocess.run(
        [sys.executable, "-m", "rqa_graph", "ask", "-", "--json"],
        input="私の自転車は青いです。".encode(),
        capture_output=True,
        check=True,
        cwd=tmp_path,
        env=environment,
        timeout=60,
    )
    answer = json.loads(done.stdout)
    assert (answer["lang"], answer["engine"]) == ("ja", "builtin")
    assert done.stderr == b"", "with --json nothing is said beside the object"
