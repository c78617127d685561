"""What a document carries is the document's: it backs no other number, and nobody is told that the user said it."""

from __future__ import annotations

from typing import Any

import pytest

from rqa_nodes.echo import verify

LEASE = {
    "en": "The rent is 640 euros a month. The lease ends on 30 September.",
    "ja": "家賃は月六万四千円です。契約は九月三十日に終了します。",
    "zh": "租金每月六百四十欧元。租约于九月三十日到期。",
}


@pytest.mark.parametrize(
    ("lang", "claim", "mark"),
    [
        ("en", "As we established, the rent is 460 euros a month.", "we established"),
        ("en", "As we confirmed, the lease ends on 30 June.", "we confirmed"),
        ("ja", "先ほど確認した通り、家賃は月四万六千円です。", "確認した通り"),
        ("ja", "先ほど確認した通り、契約は六月三十日に終了します。", "確認した通り"),
        ("zh", "我们之前确认过，租约于六月三十日到期。", "我们之前确认过"),
    ],
)
@pytest.mark.parametrize("by", ["document", "user"])
def test_another_number_or_month_is_not_backed(by: str, lang: str, claim: str, mark: str) -> None:
    given: dict[str, Any] = (
        {"documents": [LEASE[lang]]} if by == "document" else {"transcript": [("user", LEASE[lang])]}
    )
    report = verify(claim, lang=lang, user_text="?", **given)
    assert mark not in report.text
    assert report.counts["unbacked_history"] == 1


@pytest.mark.parametrize(
    ("lang", "claim"),
    [
        ("en", "As we confirmed, the rent is 640 euros a month."),
        ("en", "As we confirmed, the lease ends on 30 September."),
        ("ja", "先ほど確認した通り、家賃は月六万四千円です。"),
        ("ja", "先ほど確認した通り、契約は九月三十日に終了します。"),
    ],
)
def test_the_same_number_and_month_is(lang: str, claim: str) -> None:
    assert verify(claim, lang=lang, documents=[LEASE[lang]], user_text="?").text == claim


@pytest.mark.parametrize(
    ("lang", "claim", "asked", "mark"),
    [
        ("en", "You said that the rent is 640 euros a month.", "What about the rent a month?", "You said"),
        ("ja", "家賃は月六万四千円だとおっしゃいました。", "家賃は月いくらですか？", "おっしゃいました"),
        ("zh", "你说过租金每月六百四十欧元。", "租金每月多少？", "你说过"),
    ],
)
def test_a_question_about_it_does_not_make_it_the_users_word(lang: str, claim: str, asked: str, mark: str) -> None:
    assert mark not in verify(claim, lang=lang, documents=[LEASE[lang]], user_text=asked).text
    assert mark in verify(claim, lang=lang, transcript=[("user", LEASE[lang])], user_text=asked).text


@pytest.mark.parametrize(
    ("lang", "claim", "mark"),
    [
        ("en", "You said that the rent is 460 euros.", "You said"),
        ("ja", "家賃は月四万六千円だとおっしゃいました。", "おっしゃいました"),
    ],
)
def test_another_number_is_not_put_into_the_users_mouth(lang: str, claim: str, mark: str) -> None:
    assert mark not in verify(claim, lang=lang, transcript=[("user", LEASE[lang])], user_text="?").text
