"""A receipt stands only if something of the user's was written; what only looks like one is left alone."""

from __future__ import annotations

import pytest

from rqa_nodes.echo import Injected, VerdictKind, verify

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


TOLD = {
    "en": Injected(handle="u3aaaa", source="user", text="I live in Cork and I work nights.", id="n_u3aaaa"),
    "ja": Injected(handle="u3aaaa", source="user", text="コークに住んでいて、夜勤です。", id="n_u3aaaa"),
}


@pytest.mark.parametrize(
    ("lang", "reply"),
    [
        ("en", "I have noted that you live in Cork [m:u3aaaa]."),
        ("en", "I had recorded that you work nights [m:u3aaaa]."),
        ("en", "Noted: you live in Cork [m:u3aaaa]."),
        ("ja", "コークに住んでいると記録しています [m:u3aaaa]。"),
        ("ja", "コークに住んでいると記録しました [m:u3aaaa]。"),
    ],
)
def test_what_was_kept_before_may_be_said_beside_it(lang: str, reply: str) -> None:
    report = verify(reply, injected=[TOLD[lang]], lang=lang)
    assert (report.text, report.counts) == (reply, {"valid": 1})


@pytest.mark.parametrize(
    ("lang", "reply"),
    [
        ("en", "I have just noted that you live in Cork [m:u3aaaa]."),
        ("en", "I'll remember that you live in Cork [m:u3aaaa]."),
        ("en", "I have noted that you live in Galway [m:u3aaaa]."),
        ("en", "I have noted that your sister lives in Cork [m:u3aaaa]."),
        ("en", "I have noted that you live in Cork."),
        ("ja", "コークに住んでいると記録しておきます [m:u3aaaa]。"),
        ("ja", "コークに住んでいると記録しました。"),
    ],
)
def test_a_receipt_of_this_turn_is_none_for_what_was_kept_before(lang: str, reply: str) -> None:
    assert VerdictKind.false_receipt in verify(reply, injected=[TOLD[lang]], lang=lang).counts
