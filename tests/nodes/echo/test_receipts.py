"""A receipt stands only if something of the user's was written; what only looks like one is left alone."""

from __future__ import annotations

import pytest

from rqa_nodes.echo import VerdictKind, verify

RECEIPTS = [
    "I've noted that.",
    "I have saved this to memory.",
    "I'll remember that you like tea.",
    "Consider it remembered.",
    "That's now in my memory.",
    "I will keep that in mind for next time.",
    "I've committed that to memory.",
    "I've written it down.",
    "I've got that stored.",
    "I have jotted that down.",
    "I've put that in my notes.",
    "I've wiped that from memory.",
    "That memory is gone now.",
    "Saved!",
    "記録しました。",
    "覚えておきますね。",
    "記憶に留めました。",
    "プロフィールに追加しました。",
    "心に刻みました。",
    "控えさせていただきます。",
    "頭に入れておきます。",
    "次回のために記録いたしました。",
    "記憶から消しました。",
]
NO_RECEIPTS = [
    "I will keep this short.",
    "I've written the steps down below.",
    "I have written it down below.",
    "I put the numbers in the table.",
    "I wrote a function that stores it in memory.",
    "I have committed the change to the branch.",
    "The memory is gone after a restart.",
    "It is recorded in the log.",
    "It is gone.",
    "映画の題名を覚えていますか。",
    "関数は値をメモリに保存します。",
    "心に残る映画です。",
    "頭に入れておくとよいでしょう。",
    "記録に残すことをお勧めします。",
    "表に追加しました。",
]


@pytest.mark.parametrize("reply", RECEIPTS)
def test_a_receipt_needs_something_written(reply: str) -> None:
    report = verify(reply)
    assert VerdictKind.false_receipt in report.counts
    assert "could not" in report.text or "できませんでした" in report.text
    assert verify(report.text).text == report.text


@pytest.mark.parametrize("reply", RECEIPTS)
def test_a_true_receipt_is_kept(reply: str) -> None:
    assert verify(reply, written=["n_1", "hide:n_2"]).text == reply


@pytest.mark.parametrize("reply", NO_RECEIPTS)
def test_what_only_looks_like_one_is_untouched(reply: str) -> None:
    assert verify(reply).text == reply
