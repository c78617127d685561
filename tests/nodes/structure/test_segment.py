"""Sentences are the author's words: markup goes, nothing else changes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rqa_nodes.structure.segment import segment

NOTE = """---
title: x
---
# Sync design

We sync e.g. notes. Local-first
is **better** (see 3.5). OK so far?

- [ ] `foo` is open
1. Ship it on 1 March.

```python
code.is_no("sentence")
```

## 決定事項
- 競合はサーバーが**必ず**勝つ。
祭りは
楽しい。「来る。帰る。」と言った。

| 項目 | 担当 |
|---|---|
| 屋台の配置を決めます | Ken |
"""


def test_markdown_becomes_sentences_under_their_headings() -> None:
    assert [(unit.heading, unit.text) for unit in segment(NOTE)] == [
        ("Sync design", "We sync e.g. notes."),
        ("Sync design", "Local-first is better (see 3.5)."),
        ("Sync design", "OK so far?"),
        ("Sync design", "foo is open"),
        ("Sync design", "Ship it on 1 March."),
        ("決定事項", "競合はサーバーが必ず勝つ。"),
        ("決定事項", "祭りは楽しい。"),
        ("決定事項", "「来る。帰る。」と言った。"),
        ("決定事項", "屋台の配置を決めます"),
    ]


def test_a_continuation_line_belongs_to_its_list_item() -> None:
    assert [unit.text for unit in segment("- one thing\n  that goes on\n- another")] == [
        "one thing that goes on",
        "another",
    ]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("He said “Are you sure? I am.” and left.", ["He said “Are you sure? I am.” and left."]),
        ('She asks "why now?" all the time. I wait.', ['She asks "why now?" all the time.', "I wait."]),
        ('A: "Why?" B: "You said so."', ['A: "Why?"', 'B: "You said so."']),
        ("It's ‘our rule.’ Nobody knows it.", ["It's ‘our rule.’", "Nobody knows it."]),
    ],
)
def test_a_sentence_ends_at_no_stop_within_a_quotation(text: str, found: list[str]) -> None:
    assert [unit.text for unit in segment(text)] == found


@pytest.mark.parametrize("text", ["", "   \n\n", "```\nonly code.\n", "~~~\nx\n~~~", "---\n***\n", "\ud800\x00"])
def test_a_text_without_sentences_gives_none(text: str) -> None:
    assert all(unit.text for unit in segment(text))
    assert not [unit for unit in segment(text) if any(char.isascii() and char.isalpha() for char in unit.text)]


@given(st.text(max_size=300))
def test_any_text_can_be_segmented_and_every_unit_has_words(text: str) -> None:
    for number, unit in enumerate(segment(text)):
        assert any(char.isalnum() for char in unit.text)
        assert unit.index == number
        assert "\n" not in unit.text
