"""An example is read strictly, rendered as production renders, and known by its input."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.messages import HumanMessage, SystemMessage

from evals.suite import write_rows
from rqa_nodes.prompts import read
from tests.training.support import SEED, seed
from training.corpus import Example, content_hash, held_out, input_hash, read_examples
from training.errors import CorpusError


def test_the_prompt_is_what_production_reads_back() -> None:
    for example in seed():
        system, user = example.prompt()
        parts = read([SystemMessage(system["content"]), HumanMessage(user["content"])])
        assert (parts.task, parts.lang, parts.candidates) == ("analyse", example.lang, example.candidates)
        assert parts.user_text == example.user_text
        assert [line.handle for line in parts.memory] == [item.handle for item in example.memory]
        assert all(item.text not in system["content"] for item in example.memory)


def test_examples_survive_being_written(tmp_path: Path) -> None:
    write_rows(tmp_path / "again.jsonl", (example.to_row() for example in seed()))
    assert read_examples(tmp_path / "again.jsonl") == seed()


@given(st.text(), st.text(alphabet=" \n\t", max_size=3))
def test_white_space_around_an_input_does_not_move_it(text: str, blank: str) -> None:
    assert input_hash(blank + text + blank) == input_hash(text)
    assert held_out(blank + text) == held_out(text)


def test_about_one_input_in_ten_is_held_out() -> None:
    assert 800 < sum(held_out(f"input {number}") for number in range(10_000)) < 1200


def test_the_content_is_the_memory_and_the_answer_too() -> None:
    one = next(example for example in seed() if example.memory)
    row = one.to_row()
    assert content_hash(Example.from_row({**row, "memory": []})) != content_hash(one)
    assert content_hash(Example.from_row({**row, "assistant": "{}"})) != content_hash(one)
    assert content_hash(Example.from_row({**row, "id": "other"})) == content_hash(one)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"{}\n", "lacks id, lang"),
        (b"[1]\n", "expected an object"),
        (b"not json\n", "no file of JSON lines"),
        (b"\xff\xfe\x00", "no file of JSON lines"),
        (b"[" * 100_000, "no file of JSON lines"),
    ],
)
def test_a_file_that_is_no_corpus_is_refused_in_words(tmp_path: Path, content: bytes, words: str) -> None:
    (tmp_path / "bad.jsonl").write_bytes(content)
    with pytest.raises(CorpusError, match=words):
        read_examples(tmp_path / "bad.jsonl")


@pytest.mark.parametrize(
    ("field", "value"),
    [("candidates", True), ("memory", {}), ("memory", [{"handle": "a"}]), ("memory", [{"x": 1}]), ("user_text", 3)],
)
def test_a_field_of_the_wrong_kind_names_the_line(tmp_path: Path, field: str, value: Any) -> None:
    import json

    row = {**seed()[0].to_row(), field: value}
    (tmp_path / "bad.jsonl").write_text(SEED.read_text("utf-8").split("\n")[0] + "\n" + json.dumps(row), "utf-8")
    with pytest.raises(CorpusError, match="line 2"):
        read_examples(tmp_path / "bad.jsonl")


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match=r"gone\.jsonl"):
        read_examples(tmp_path / "gone.jsonl")
