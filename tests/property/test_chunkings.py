"""However a reply is cut into chunks, the same text leaves and the same is found: over the labelled corpora."""

from __future__ import annotations

from typing import Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evals.suites.guard import load
from rqa_nodes.echo import IncrementalVerifier, verify

_ITEMS: Final = load()
_NOISE: Final = st.sampled_from(["", "\u200b", "\n\n", "`", "```\n", "**", "[m:", "「", "…", " "])


def _check(data: st.DataObject) -> None:
    item = data.draw(st.sampled_from(_ITEMS))
    more = data.draw(st.lists(st.sampled_from(_ITEMS), max_size=2))
    text = item.reply
    for one in more:
        text += data.draw(_NOISE) + one.reply
    sizes = data.draw(st.lists(st.integers(1, 1 + len(text) // 3), min_size=1, max_size=12))
    facts = item.facts
    verifier, shown, at, turn = IncrementalVerifier(**facts), "", 0, 0
    while at < len(text):
        size = sizes[turn % len(sizes)]
        shown += verifier.feed(text[at : at + size])
        at, turn = at + size, turn + 1
    tail, report = verifier.finish()
    whole = verify(text, **facts)
    assert shown + tail == report.text == whole.text
    assert report == whole


@given(data=st.data())
@settings(max_examples=100, deadline=None, derandomize=True)
def test_chunks_do_not_matter(data: st.DataObject) -> None:
    _check(data)


@pytest.mark.full
@given(data=st.data())
@settings(max_examples=10_000, deadline=None, derandomize=True)
def test_ten_thousand_chunkings_do_not_matter(data: st.DataObject) -> None:
    _check(data)
