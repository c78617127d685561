"""What a report calls cited is what a reader of the text sees cited, whatever went with a sentence."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from evals.suites.guard import Item, load
from rqa_graph import verify

ITEMS = [item for item in load() if item.row.get("memory") and not item.plain]


@st.composite
def with_more_marks(draw: st.DrawFn) -> tuple[Item, str]:
    """A reply of the corpus, with references to given items at random places between its words."""
    item = draw(st.sampled_from(ITEMS))
    pieces = list(item.reply) if item.lang != "en" else item.reply.split(" ")
    for _ in range(draw(st.integers(0, 2))):
        one = draw(st.sampled_from(item.row["memory"]))
        pieces.insert(draw(st.integers(0, len(pieces))), f"[m:{one['handle']}]")
    return item, ("" if item.lang != "en" else " ").join(pieces)


@given(with_more_marks())
def test_the_cited_items_are_those_that_the_text_cites(case: tuple[Item, str]) -> None:
    item, reply = case
    report = verify(reply, **item.facts)
    assert set(verify(report.text, **item.facts).cited) == set(report.cited)


def test_a_reference_that_goes_with_its_sentence_is_not_cited() -> None:
    item = next(item for item in ITEMS if _drops(item))
    report = verify(item.reply, **item.facts)
    assert not any(handle in report.text for handle in report.injected_not_cited)
    assert set(report.cited).isdisjoint(report.injected_not_cited)


def _drops(item: Item) -> bool:
    """Does the reply name a given item that the text shown does not?"""
    shown = verify(item.reply, **item.facts).text
    return any(f"[m:{one['handle']}]" in item.reply and one["handle"] not in shown for one in item.row["memory"])
