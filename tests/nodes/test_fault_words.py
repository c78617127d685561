"""The words for failed models: the same keys and values in both languages, and each key is used."""

from __future__ import annotations

import re
from importlib.resources import files
from pathlib import Path
from string import Formatter
from typing import Any

import pytest
import yaml

from rqa_nodes.errors import ModelUnavailableError
from rqa_nodes.fault_words import worded

TABLE: dict[str, dict[str, dict[str, str]]] = yaml.safe_load(
    (files("rqa_nodes") / "fault_words.yaml").read_text("utf-8")
)
ROWS = [(part, key) for part, rows in TABLE.items() for key in rows]
JAPANESE = re.compile("[ぁ-んァ-ヶ一-龠]")


def _values(text: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(text) if name}


@pytest.mark.parametrize(("part", "key"), ROWS, ids=[f"{part}.{key}" for part, key in ROWS])
def test_both_languages_say_the_same_and_one_is_japanese(part: str, key: str) -> None:
    row = TABLE[part][key]
    assert set(row) == {"en", "ja"}
    assert _values(row["en"]) == _values(row["ja"])
    assert bool(JAPANESE.search(row["ja"])) is bool(row["ja"])
    assert not JAPANESE.search(row["en"])


def test_no_key_is_left_over() -> None:
    source = "".join(path.read_text("utf-8") for path in Path("nodes", "rqa_nodes").rglob("*.py"))
    source += Path("rqa_graph", "bound_model.py").read_text("utf-8")
    left = [key for part, key in ROWS if f'"{key}"' not in source and not key.startswith("key_")]
    assert left == []


@pytest.mark.parametrize(
    ("lang", "message", "hint"),
    [
        ("en", "`ollama:m` at http://x gave no whole answer within 0.5 s", "a model that is loading"),
        ("ja", "http://x の `ollama:m` は 0.5 秒以内に応答を終えませんでした", "読み込み中のモデル"),
        ("zh", "`ollama:m` at http://x gave no whole answer within 0.5 s", "a model that is loading"),
    ],
)
def test_an_error_speaks_the_language_that_is_asked_for(lang: str, message: str, hint: str) -> None:
    values: dict[str, Any] = {"engine": "ollama:m", "place": "http://x", "limit": 0.5}
    said = ModelUnavailableError(**worded("timed_out", "loading", **values)).said(lang)
    assert said[0] == message
    assert said[1].startswith(hint)
