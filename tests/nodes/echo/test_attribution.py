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


def test_a_credit_always_says_what_was_suggested() -> None:
    guess = Injected(handle="a1b2c3", source="assistant", text="会社での人間関係に悩んでいます。", id="n_a1b2c3")
    once = verify("あなたは何度も悩んでいます。", injected=[guess], lang="ja").text
    assert once.startswith("以前私が提案しました(未確認):")
    assert "悩んで" in once
    assert verify(once, injected=[guess], lang="ja").text == once
