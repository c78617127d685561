"""Who may be named as the one who said something, beside the item that is cited."""

from __future__ import annotations

from rqa_nodes.echo import Injected, verify


def test_an_item_may_be_quoted_by_its_author_or_by_its_place_and_by_no_other() -> None:
    item = Injected(
        handle="x9x9x9", source="external", text="Ferries leave at 8:15.", author="Ines", locator="tide.pdf"
    )
    for reply in (
        "tide.pdf says: “Ferries leave at 8:15” [m:x9x9x9].",
        "Ines wrote that ferries leave at 8:15 [m:x9x9x9].",
    ):
        assert verify(reply, injected=[item], lang="en").text == reply
    other = verify("fares.pdf says: “Ferries leave at 8:15” [m:x9x9x9].", injected=[item], lang="en")
    assert other.counts["wrong_speaker"] == 1
    assert "fares.pdf" not in other.text
