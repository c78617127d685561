"""Many wordings of one kind of misuse, and replies that only look like it.

`wordings/*.tsv` holds rows of language, "changed" or "kept", and the reply. They were written from outside before the
rules; those that the rules still miss are counted in the documentation and are not here.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from rqa_graph import VerdictKind, verify

ROWS = Path(__file__).parent / "wordings"


def rows(name: str, lang: str, must: str) -> list[str]:
    lines = (ROWS / f"{name}.tsv").read_text(encoding="utf-8").splitlines()
    return [
        reply
        for row_lang, row_must, reply in (line.split("\t") for line in lines)
        if (row_lang, row_must) == (lang, must)
    ]


def wrong(replies: list[str], must: str, facts: dict[str, Any]) -> list[str]:
    """The replies with which something else happens, or something more at a second look."""
    found = []
    for reply in replies:
        shown = verify(reply, **facts).text
        if (shown == reply) is not (must == "kept") or verify(shown, **facts).text != shown:
            found.append(reply)
    return found


EVENINGS = {
    "en": [("user", "Plan my week. Evenings are not possible.")],
    "ja": [("user", "今週の予定を立てて。夜は無理。")],
    "zh": [("user", "帮我安排这周，晚上不行。")],
}


@pytest.mark.parametrize("must", ["changed", "kept"])
@pytest.mark.parametrize("lang", EVENINGS)
def test_a_receipt_for_nothing_is_corrected(lang: str, must: str) -> None:
    replies = rows("receipts", lang, must)
    assert len(replies) >= 12
    assert wrong(replies, must, {"transcript": EVENINGS[lang], "lang": lang}) == []


@pytest.mark.parametrize("lang", EVENINGS)
def test_a_receipt_for_what_was_written_and_hidden_is_kept(lang: str) -> None:
    facts: dict[str, Any] = {"transcript": EVENINGS[lang], "lang": lang, "written": ["n_1", "hide:n_2"]}
    assert [
        reply
        for reply in rows("receipts", lang, "changed")
        if VerdictKind.false_receipt in verify(reply, **facts).counts
    ] == []


@pytest.mark.parametrize(
    ("lang", "reply", "expected"),
    [
        ("en", "Noted, evenings are out.", "I could not save that. Evenings are out."),
        ("en", "**Noted** – you prefer mornings.", "I could not save that. You prefer mornings."),
        ("en", "**Noted:** evenings are out.", "I could not save that: evenings are out."),
        ("en", "[Memory updated] Here is the plan.", "I could not save that. Here is the plan."),
        ("ja", "記憶に追加：夜は不可", "それは保存できませんでした：夜は不可"),
    ],
)
def test_what_follows_a_short_receipt_stays(lang: str, reply: str, expected: str) -> None:
    assert verify(reply, transcript=EVENINGS[lang], lang=lang).text == expected
