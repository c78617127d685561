"""Many wordings of one kind of misuse, and replies that only look like it.

`wordings/*.tsv` holds rows of language, what must become of the reply, and the reply. They were written before the
rules. "changed" and "kept" are right; "missed" (a misuse that passes) and "touched" (an honest reply that suffers) are
what the rules still get wrong, with their number in the documentation.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from rqa_graph import Injected, VerdictKind, verify
from rqa_nodes.echo.lexicon import load

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


GUESSES = {
    "en": [
        ("My washing machine drips.", "The drip most likely comes from the inlet valve."),
        ("I keep putting off my thesis.", "Perhaps you are afraid of failing the defence."),
    ],
    "ja": [
        ("洗濯機の下が濡れています。", "給水弁のパッキンが劣化しているのかもしれません。"),
        ("卒論に手がつきません。", "審査で失敗するのを恐れているのではないでしょうか。"),
    ],
    "zh": [
        ("洗衣机下面有水。", "可能是进水阀的密封圈老化了。"),
        ("我一直拖着论文不写。", "你也许害怕答辩失败。"),
    ],
}
"""What the user said, and what the assistant guessed."""
FLAT = {
    "en": ["the drip comes from the inlet valve", "you are afraid of failing the defence"],
    "ja": ["給水弁のパッキンが劣化している", "審査で失敗するのを恐れている"],
    "zh": ["进水阀的密封圈老化了", "你害怕答辩失败"],
}
"""The same guesses as facts, in the words that stand in place of {c}."""
NOW = {"en": "What should I do now?", "ja": "どうすればいいですか。", "zh": "现在怎么办？"}


def filled(frame: str, lang: str, topic: int) -> str:
    fact = FLAT[lang][topic]
    if lang == "ja" and "{c}。" in frame:
        fact = fact.removesuffix("る") + "ます"
    return frame.replace("{c}", fact)


def after_a_guess(lang: str, topic: int) -> dict[str, Any]:
    said, guess = GUESSES[lang][topic]
    return {"transcript": [("user", said), ("assistant", guess), ("user", NOW[lang])], "lang": lang}


@pytest.mark.parametrize("topic", [0, 1])
@pytest.mark.parametrize("must", ["changed", "kept"])
@pytest.mark.parametrize("lang", GUESSES)
def test_a_guess_is_not_called_settled(lang: str, must: str, topic: int) -> None:
    frames = rows("settled", lang, must)
    assert len(frames) >= 9
    assert wrong([filled(frame, lang, topic) for frame in frames], must, after_a_guess(lang, topic)) == []


@pytest.mark.parametrize("lang", GUESSES)
def test_what_the_user_has_stated_may_be_called_settled(lang: str) -> None:
    said, guess = GUESSES[lang][0]
    fact = FLAT[lang][0] + {"en": ".", "ja": "のを見ました。", "zh": "。"}[lang]
    facts: dict[str, Any] = {"transcript": [("user", said), ("assistant", guess), ("user", fact)], "lang": lang}
    replies = [filled(frame, lang, 0) for frame in rows("settled", lang, "changed")]
    credit = load(lang)["wording"]["suggestion"]
    assert [reply for reply in replies if credit in verify(reply, **facts).text] == []


CAUSES = {
    "en": ("My washing machine makes a puddle.", "The drip most likely comes from the inlet valve.", "inlet valve"),
    "ja": ("洗濯機の下が濡れています。", "給水弁のパッキンが劣化しているのかもしれません。", "給水弁のパッキンの劣化"),
    "zh": ("洗衣机下面有水。", "可能是进水阀的密封圈老化了。", "进水阀密封圈老化"),
}
"""What the user said, what the assistant guessed, and the guess as a noun, in place of {n}."""


@pytest.mark.parametrize("must", ["changed", "kept"])
@pytest.mark.parametrize("lang", CAUSES)
def test_a_guess_is_not_called_the_cause(lang: str, must: str) -> None:
    said, guess, noun = CAUSES[lang]
    replies = [frame.replace("{n}", noun).replace("\\n", "\n") for frame in rows("nominal", lang, must)]
    assert len(replies) >= 10
    facts = {"transcript": [("user", said), ("assistant", guess), ("user", NOW[lang])], "lang": lang}
    assert wrong(replies, must, facts) == []


def test_what_the_user_has_found_since_may_be_called_the_cause() -> None:
    said, guess, noun = CAUSES["en"]
    facts: dict[str, Any] = {"transcript": [("user", said), ("assistant", guess), ("user", "The inlet valve is wet.")]}
    replies = [frame.replace("{n}", noun).replace("\\n", "\n") for frame in rows("nominal", "en", "changed")]
    assert wrong(replies, "kept", facts) == []


BEES = {"en": "I keep bees near Lund.", "ja": "蜂を飼っています。"}
ASKED = {"en": "What do you know about me?", "ja": "私について何を知っていますか。"}


def with_a_handle(lang: str) -> dict[str, Any]:
    given = Injected(handle="k3v9xq", id="n_K3V9XQ77AB12CD34EF56", source="user", text=BEES[lang])
    known = [("q7w8e9", "n_Q7W8E977AB12CD34EF56")]
    return {"transcript": [("user", ASKED[lang])], "injected": [given], "known": known, "lang": lang}


@pytest.mark.parametrize("must", ["changed", "kept"])
@pytest.mark.parametrize("lang", BEES)
def test_what_looks_like_a_handle_and_is_none_goes_without_brackets_too(lang: str, must: str) -> None:
    replies = rows("bare_handles", lang, must)
    assert len(replies) >= 30
    assert wrong(replies, must, with_a_handle(lang)) == []


def test_where_no_handle_was_given_no_word_looks_like_one() -> None:
    reply = "You hate winter [x4t7qn]."
    assert verify(reply, transcript=[("user", ASKED["en"])]).text == reply


def test_a_word_of_the_user_is_no_handle() -> None:
    facts = with_a_handle("en") | {"transcript": [("user", "Where is parcel x4t7qn?")]}
    reply = "Your parcel (x4t7qn) left Lund."
    assert verify(reply, **facts).text == reply


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        ("You hate winter [m:x4t7qn|k3v9xq].", "You hate winter [m:k3v9xq]."),
        ('You hate winter "m:x4t7qn".', "You hate winter."),
        ("**m:x4t7qn**: You hate winter.", "You hate winter."),
        ("As [m:x4t7qn] says, you hate winter.", "You hate winter."),
        ("x4t7qn says you hate winter.", "you hate winter."),
    ],
)
def test_a_reference_that_goes_leaves_no_pieces(reply: str, expected: str) -> None:
    assert verify(reply, **with_a_handle("en")).text == expected


@pytest.mark.parametrize("must", ["changed", "kept"])
@pytest.mark.parametrize("lang", BEES)
def test_a_reference_does_not_carry_the_opposite_of_its_item(lang: str, must: str) -> None:
    pairs = [row.split("|") for row in rows("contradicted", lang, must)]
    assert len(pairs) >= 30
    found = []
    for text, reply in pairs:
        given = Injected(handle="k3v9xq", source="user", text=text)
        found += wrong([reply], must, {"transcript": [("user", ASKED[lang])], "injected": [given], "lang": lang})
    assert found == []


@pytest.mark.parametrize(
    ("item", "reply", "expected"),
    [
        (
            Injected(handle="k3v9xq", source="user", text="I have two cats. I am not allergic to them."),
            "- You have three cats [m:k3v9xq].",
            "- You said: I have two cats [m:k3v9xq].",
        ),
        (
            Injected(handle="k3v9xq", source="external", text="Each hive gets twelve litres.", author="bees.md"),
            "Each hive gets 13 litres [m:k3v9xq].",
            "bees.md says: Each hive gets twelve litres [m:k3v9xq].",
        ),
    ],
)
def test_the_items_own_words_stand_in_its_place(item: Injected, reply: str, expected: str) -> None:
    report = verify(reply, injected=[item])
    assert report.text == expected
    assert report.counts == {"valid": 1, "misquote": 1}
    assert report.cited == ("k3v9xq",)


def test_what_the_user_has_said_since_is_no_contradiction() -> None:
    item = Injected(handle="k3v9xq", source="user", text="I have two cats.")
    reply = "You have three cats [m:k3v9xq]."
    assert verify(reply, injected=[item], transcript=[("user", "By now I have three cats.")]).text == reply


@pytest.mark.parametrize("must", ["changed", "kept"])
@pytest.mark.parametrize("lang", BEES)
def test_history_that_nobody_records_is_corrected(lang: str, must: str) -> None:
    replies = rows("history", lang, must)
    assert len(replies) >= 7
    assert wrong(replies, must, with_a_handle(lang)) == []


def cases(name: str, lang: str, row: str) -> list[tuple[str, dict[str, Any]]]:
    """The replies that a row of a file stands for, and what each is held against."""
    if name == "receipts":
        return [(row, {"transcript": EVENINGS[lang], "lang": lang})]
    if name == "settled":
        return [(filled(row, lang, topic), after_a_guess(lang, topic)) for topic in (0, 1)]
    if name == "nominal":
        said, guess, noun = CAUSES[lang]
        facts: dict[str, Any] = {"transcript": [("user", said), ("assistant", guess), ("user", NOW[lang])]}
        return [(row.replace("{n}", noun).replace("\\n", "\n"), facts | {"lang": lang})]
    if name == "contradicted":
        text, reply = row.split("|")
        item = Injected(handle="k3v9xq", source="user", text=text)
        return [(reply, {"transcript": [("user", ASKED[lang])], "injected": [item], "lang": lang})]
    return [(row, with_a_handle(lang))]


@pytest.mark.parametrize("name", ["receipts", "settled", "nominal", "bare_handles", "contradicted", "history"])
def test_what_is_said_to_be_missed_is_missed(name: str) -> None:
    for must, passes in (("missed", True), ("touched", False)):
        for lang in EVENINGS:
            for row in rows(name, lang, must):
                shown = [verify(reply, **facts).text == reply for reply, facts in cases(name, lang, row)]
                assert passes in shown, f"{row!r} is right now: list it with the others"
