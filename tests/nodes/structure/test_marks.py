"""Quotation marks as people type them: which ones belong together, and how they stand within a quotation."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rqa_nodes.structure.marks import quotations, single
from tests.support.examples import share


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("He says 'I'll pay you back when it comes', and left", "He says ‘I'll pay you back when it comes’, and left"),
        ("He says ’I'll pay for the move’, but I don't", "He says ‘I'll pay for the move’, but I don't"),
        ("He says ’I’ll pay’.", "He says ‘I’ll pay’."),
        ("she said “I can’t” and left", "she said ‘I can’t’ and left"),
        ('He says "I\'ll pay", ok', "He says ‘I'll pay’, ok"),
        ("the neighbours' dog isn't ours", "the neighbours' dog isn't ours"),
        ("‘the neighbours' dog barks’, he says", "‘the neighbours' dog barks’, he says"),
        ("'cause I can't", "'cause I can't"),
        ("dogs’ food and cats’ food", "dogs’ food and cats’ food"),
        ('He said "go', "He said go"),
        ('a 5" pipe', 'a 5" pipe'),
        ("母は「来い」と言う", "母は『来い』と言う"),
        ("母は「父が「来い」と言った」と言う", "母は『父が『来い』と言った』と言う"),
    ],
)
def test_marks_are_paired(text: str, shown: str) -> None:
    assert single(text) == shown


@given(st.text(alphabet="ab '’‘\"“”「」『』.,", max_size=60))
@share(50)
def test_a_quotation_is_closed_and_none_overlaps_another(text: str) -> None:
    seen = 0
    for start, end in quotations(text):
        assert seen <= start < end - 1 < len(text)
        seen = end
    assert not set("“”「」") & set(single(text))
