"""Every reason that the verifier gives has words in Japanese."""

from __future__ import annotations

from evals.suites.guard import load
from rqa_graph import verify
from rqa_graph.verdict_reasons import reason_in


def test_every_reason_is_told_in_japanese() -> None:
    items = [item for item in load() if not item.plain][::5]
    found = {verdict.reason for item in items for verdict in verify(item.reply, **item.facts).verdicts} - {""}
    assert len(found) >= 10
    told = {reason_in(reason, "ja").replace("ID", "") for reason in found}
    assert [words for words in told if any(char.isascii() and char.isalpha() for char in words)] == []


def test_english_and_unknown_reasons_stay_as_they_are() -> None:
    assert reason_in("the item is of class user", "en") == "the item is of class user"
    assert reason_in("the item is of class user", "ja") == "その項目の出どころは「あなたの発言」です"
    assert reason_in("12 references, none of them given this turn", "ja").startswith("12件")
    assert reason_in("for no reason", "ja") == "for no reason"
