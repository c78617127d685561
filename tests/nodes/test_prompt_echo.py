"""Marks of our own prompt do not come out of a model; everything else does, however the chunks fall."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rqa_checkpoints.provenance import SourceClass
from rqa_nodes.prompt_echo import WithoutPromptEcho
from rqa_nodes.prompt_parts import DocumentPart, MemoryLine, PromptParts, TranscriptLine
from rqa_nodes.prompts import render


def _through(chunks: list[str]) -> str:
    echo = WithoutPromptEcho()
    return "".join([*(echo.feed(chunk) for chunk in chunks), echo.finish()])


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("It rains.\n[/input]", "It rains.\n"),
        ("[rqa task=answer lang=en k=0]\nIt rains.", "\nIt rains."),
        ("[m:k3v9xq] (source=user kind=statement date=2026-06-01 status=open) It rains.", "[m:k3v9xq] It rains."),
        ("雨です。\n[/input]\n", "雨です。\n\n"),
        ("[memory_context]\n- none\n[/memory_context]\n雨です。", "\n- none\n\n雨です。"),
    ],
)
def test_a_repeated_mark_is_taken_out(written: str, shown: str) -> None:
    assert _through([written]) == shown


@pytest.mark.parametrize(
    "text",
    [
        "Use [input] in the template, then [link](https://example.org).",
        "The list is a[0], b[1] (see page 3).",
        "配列は a[0] です（3ページ）。",
        "An open bracket [ stays, and (this too",
        "You said so [m:k3v9xq].",
    ],
)
def test_other_brackets_stay(text: str) -> None:
    assert _through([text]) == text


def test_a_whole_prompt_said_back_leaves_no_mark() -> None:
    line = MemoryLine(handle="k3v9xq", source=SourceClass.user, text="I keep bees.", date="2026-06-01")
    parts = PromptParts(
        task="answer",
        lang="en",
        user_text="Where?",
        memory=(line,),
        documents=(DocumentPart(locator="note.md", text="A note."),),
        transcript=(TranscriptLine(role="user", text="Hello"),),
    )
    shown = _through([str(render(parts)[-1].content)])
    assert "Where?" in shown
    for mark in ("[/", "[rqa", "[memory_context]", "[transcript]", "source="):
        assert mark not in shown


_PIECES = st.lists(
    st.sampled_from(
        ["[/input]", "[input]\n", "(source=user kind=note date=x)", " ", "\n", "a", "[", "]", "(", ")", "雨"]
    )
)


@given(_PIECES, st.integers(min_value=1, max_value=9))
def test_chunks_make_no_difference(pieces: list[str], size: int) -> None:
    text = "".join(pieces)
    assert _through([text[i : i + size] for i in range(0, len(text), size)]) == _through([text])
