"""`--help` and what the parser finds wrong, in Japanese: every text is translated, and lines fit a terminal."""

from __future__ import annotations

import inspect
import re
import unicodedata
from collections.abc import Iterator
from typing import Any

import pytest
from typer.main import get_command

from docsgen.commands import options_of
from rqa_graph.cli.help_text import say_in_japanese, translated, usage_in_japanese
from rqa_graph.cli.main import build_app
from tests.support.cli import Cli

_JAPANESE = re.compile(r"[\u3041-\u30ff\u4e00-\u9fff]")
_COMMANDS = sorted({name.split()[0] for name in options_of() if name})


def _texts(command: Any) -> Iterator[str]:
    yield from inspect.cleandoc(command.help or "").split("\n\n")
    yield from (one.help for one in command.params if getattr(one, "help", None))
    for member in getattr(command, "commands", {}).values():
        yield from _texts(member)


@pytest.mark.parametrize("name", ["", *_COMMANDS])
def test_every_text_has_its_japanese_words(name: str) -> None:
    root: Any = get_command(build_app(name))
    missing = [text for text in _texts(root) if text and not _JAPANESE.search(translated(text))]
    assert [text for text in missing if not text.startswith("Example: ")] == []


def _columns(line: str) -> int:
    return sum(2 if unicodedata.east_asian_width(letter) in "WF" else 1 for letter in line)


@pytest.mark.parametrize("name", ["", "memory", "cache", "verify", "review-queue"])
def test_help_is_japanese_and_fits_the_terminal(name: str, cli: Cli) -> None:
    shown = cli(*([name] if name else []), "--help", "--lang", "ja")
    assert shown.code == 0
    assert shown.out.startswith("使い方: rqa")
    assert "オプション:" in shown.out
    assert not any(word in shown.out for word in ("Options:", "Commands:", "Show ", "[required]", "default:"))
    for line in shown.out.splitlines():
        assert _columns(line) <= 82 or "|" in line  # a choice of values is one word
        assert not line.strip().startswith(("、", "。", "）", "」"))


def test_english_help_stays_as_it_is(cli: Cli) -> None:
    shown = cli("memory", "add", "--help", "--lang", "en")
    assert shown.out.startswith("Usage: rqa memory add")
    assert not _JAPANESE.search(shown.out)


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (["memory", "add"], "引数 TEXT|- がありません"),
        (["memory", "bogus"], "bogus というコマンドはありません"),
        (["memory", "recall", "x", "--zzz"], "--zzz というオプションはありません"),
        (["memory", "recall", "x", "--top"], "近いもの: --tag, --top-k"),
        (["memory", "recall", "x", "--top-k", "0"], "--top-k の値は 1 以上にしてください"),
        (["memory", "recall", "x", "--top-k", "999"], "--top-k の値は 100 以下にしてください"),
        (["memory", "recall", "x", "--top-k", "many"], "--top-k の値は整数にしてください"),
        (["memory", "list", "extra"], "余分な引数があります: extra"),
    ],
)
def test_what_the_parser_finds_wrong_is_said_in_japanese(args: list[str], words: str, cli: Cli) -> None:
    ran = cli(*args, "--lang", "ja")
    assert (ran.code, words in ran.err) == (2, True), ran.err
    assert usage_in_japanese("Something new.") == "Something new."


def test_a_tree_is_said_in_japanese_to_its_leaves() -> None:
    root: Any = get_command(build_app("memory"))
    say_in_japanese(root)
    add = root.commands["memory"].commands["add"]
    assert _JAPANESE.search(add.short_help)
    assert all(_JAPANESE.search(one.help) for one in add.params if one.help and one.name != "help")
