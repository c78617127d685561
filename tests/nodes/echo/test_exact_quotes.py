"""Words that stand in a given item are the item's: numbers in them are no references of the reply."""

from __future__ import annotations

import pytest

from rqa_nodes.echo import Injected, verify

_ITEMS = [
    ("ja", "私のロッカーは41番です。", "「私のロッカーは41番です」とおっしゃいました [m:h4hjmd]。"),
    ("en", "私のロッカーは41番です。", "- On 2026-11-30 you said “私のロッカーは41番です” [m:h4hjmd]."),
    ("en", "My note #31 says node 54 is down.", "You said “My note #31 says node 54 is down” [m:h4hjmd]."),
    ("ja", "過去の記録 195/198 を棚に戻した。", "「過去の記録 195/198 を棚に戻した」とおっしゃいました [m:h4hjmd]。"),
    ("en", "The record [185] is on my shelf.", "You said the record [185] is on your shelf [m:h4hjmd]."),
    ("en", "We were on 2026-05-02 in Lund.", "You said “We were on 2026-05-02 in Lund” [m:h4hjmd] (2026-05-02)."),
]


@pytest.mark.parametrize(("lang", "item", "reply"), _ITEMS)
def test_numbers_inside_an_items_own_words_are_kept(lang: str, item: str, reply: str) -> None:
    given = Injected(handle="h4hjmd", source="user", text=item)
    report = verify(reply, injected=[given], lang=lang)
    assert report.text == reply
    assert report.counts == {"valid": 1}


@pytest.mark.parametrize(
    ("lang", "said", "reply"),
    [
        ("ja", "私のロッカーは41番です。", "ロッカーは41番だとおっしゃいましたね。"),
        ("en", "My locker is node 41.", "You said your locker is node 41."),
    ],
)
def test_numbers_that_the_user_said_in_this_thread_are_kept(lang: str, said: str, reply: str) -> None:
    transcript = [("user", said), ("assistant", "ok"), ("user", "?")]
    assert verify(reply, injected=[], transcript=transcript, lang=lang).text == reply


@pytest.mark.parametrize(
    ("lang", "reply"),
    [
        ("ja", "「私のロッカーは41番です」とおっしゃいました [m:h4hjmd]。過去の記録 195 も同じです。"),
        ("en", "You said “My locker is 41” [m:h4hjmd]. Note #31 says the same."),
    ],
)
def test_a_number_that_no_item_holds_is_still_a_reference(lang: str, reply: str) -> None:
    text = "私のロッカーは41番です。" if lang == "ja" else "My locker is 41."
    report = verify(reply, injected=[Injected(handle="h4hjmd", source="user", text=text)], lang=lang)
    assert report.counts["unknown_id"] == 1
