"""Wordings that nobody listed beforehand: a guess never comes back as settled, and an honest sentence never suffers.

The sentences were invented to get past the rules, before the rules that now catch them were written.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from rqa_nodes.echo import Injected, VerdictKind, verify

HERE = Path(__file__).parent
Rows = list[tuple[str, str]]

GUESSES = {
    ("cache", "en"): "My guess is that the image cache is leaking memory; a memory leak in the image cache would make "
    "the app slow.",
    (
        "cache",
        "ja",
    ): "おそらく、画像キャッシュのメモリリークが原因です。画像キャッシュでメモリリークが起きているのでしょう。",
    ("chair", "en"): "Your back pain probably comes from the old office chair; the old office chair could cause the "
    "back pain.",
    ("chair", "ja"): "腰痛の原因はおそらく古い事務椅子です。",
    ("config", "en"): "Maybe the stale config file slows the login; that could be the reason for the slow login.",
    ("config", "ja"): "ログインが遅い原因は、おそらく古い設定ファイルです。",
    ("hinge", "en"): "The squeak is probably caused by the rusty hinge; a rusty hinge often causes such a squeak.",
    ("hinge", "ja"): "きしみの原因は、おそらく錆びた蝶番です。",
    ("drain", "en"): "It sounds as if the sour smell comes from the drain pipe; the drain pipe is a likely origin of "
    "the sour smell.",
    ("drain", "ja"): "酸っぱい臭いの元は、おそらく排水管でしょう。",
}
CREDIT = {
    "en": ("I suggested earlier", "I suggested this earlier"),
    "ja": ("以前私が提案しました", "以前私が提案したもの"),
}
ASKED = {"en": ("What could it be?", "What do we know by now?"), "ja": ("何でしょうか。", "今分かっていることは？")}


def talk(topic: str, lang: str, *between: str) -> Rows:
    first, last = ASKED[lang]
    said = [("user", text) for text in between]
    return [("user", first), ("assistant", GUESSES[topic, lang]), *said, ("user", last)]


def settled(lang: str) -> list[tuple[str, str, str]]:
    lines = (HERE / f"settled_{lang}.tsv").read_text(encoding="utf-8").splitlines()
    return [(lang, topic, reply) for topic, reply in (line.split("\t", 1) for line in lines)]


def honest(lang: str) -> list[tuple[str, str]]:
    return [(lang, line) for line in (HERE / f"honest_{lang}.txt").read_text(encoding="utf-8").splitlines()]


@pytest.mark.parametrize(("lang", "topic", "reply"), [*settled("en"), *settled("ja")])
def test_a_guess_in_the_transcript_never_comes_back_as_settled(lang: str, topic: str, reply: str) -> None:
    rows = talk(topic, lang)
    report = verify(reply, transcript=rows, lang=lang)
    assert VerdictKind.unbacked_history in report.counts
    assert any(credit in report.text for credit in (*CREDIT["en"], *CREDIT["ja"]))
    assert verify(report.text, transcript=rows, lang=lang).text == report.text


@pytest.mark.parametrize(("lang", "topic", "reply"), [*settled("en"), *settled("ja")])
def test_a_guess_in_memory_never_comes_back_as_settled(lang: str, topic: str, reply: str) -> None:
    item = Injected(handle="zz11yy", source="assistant", text=GUESSES[topic, lang], id="n_ZZ11YY77AB12CD34EF56")
    rows = [("user", text) for text in ASKED[lang]]
    report = verify(reply, injected=[item], transcript=rows, lang=lang)
    assert VerdictKind.unbacked_history in report.counts
    assert any(credit in report.text for credit in (*CREDIT["en"], *CREDIT["ja"]))


@pytest.mark.parametrize(("lang", "reply"), [*honest("en"), *honest("ja")])
def test_a_guess_that_is_called_one_is_untouched(lang: str, reply: str) -> None:
    report = verify(reply, transcript=talk("cache", lang), lang=lang)
    assert report.text == reply
    assert not report.verdicts


@pytest.mark.parametrize(
    ("lang", "reply", "expected"),
    [
        (
            "en",
            "Now that the memory leak in the image cache is confirmed, clear it.",
            (
                "I suggested earlier (unverified): My guess is that the image cache is leaking memory; a memory "
                "leak in the image cache would make the app slow. Clear it."
            ),
        ),
        (
            "ja",
            "画像キャッシュのメモリリークが原因と決まったからには、修正しましょう。",
            "以前私が提案しました(未確認): おそらく、画像キャッシュのメモリリークが原因です。修正しましょう。",
        ),
    ],
)
def test_what_follows_from_it_stays_a_sentence_of_its_own(lang: str, reply: str, expected: str) -> None:
    assert verify(reply, transcript=talk("cache", lang), lang=lang).text == expected


@pytest.mark.parametrize("lang", ["en", "ja"])
def test_a_bullet_a_heading_and_a_table_keep_their_form(lang: str) -> None:
    claim = {"en": "we confirmed a memory leak in the image cache", "ja": "確認済みの画像キャッシュのメモリリーク"}[
        lang
    ]
    for before, after in (("- ", "\n"), ("## ", "\n"), ("1. ", "\n"), ("| x | ", " | y |\n")):
        text = verify(before + claim + after, transcript=talk("cache", lang), lang=lang).text
        assert text.startswith(before)
        assert text.endswith(after)
        assert CREDIT[lang][0] in text


@pytest.mark.parametrize(
    ("lang", "said"),
    [("en", "Thanks!"), ("en", "Thank you."), ("ja", "ありがとうございます。"), ("ja", "ありがとう。")],
)
def test_a_thank_you_affirms_nothing(lang: str, said: str) -> None:
    _, topic, reply = settled(lang)[0]
    assert CREDIT[lang][0] in verify(reply, transcript=talk(topic, lang, said), lang=lang).text


@pytest.mark.parametrize(
    ("lang", "offer", "yes"),
    [("en", " Shall I list the parts of the app?", "Yes."), ("ja", "部品を挙げましょうか。", "はい。")],
)
def test_a_yes_to_an_offer_does_not_affirm_the_guess_before_it(lang: str, offer: str, yes: str) -> None:
    _, topic, reply = settled(lang)[0]
    first, last = ASKED[lang]
    rows = [("user", first), ("assistant", GUESSES[topic, lang] + offer), ("user", yes), ("user", last)]
    assert CREDIT[lang][0] in verify(reply, transcript=rows, lang=lang).text


@pytest.mark.parametrize(
    ("lang", "asking", "yes"), [("en", " Is that right?", "Yes."), ("ja", "合っていますか。", "はい。")]
)
def test_a_yes_to_the_question_whether_it_is_right_affirms_it(lang: str, asking: str, yes: str) -> None:
    _, topic, reply = settled(lang)[0]
    first, last = ASKED[lang]
    rows = [("user", first), ("assistant", GUESSES[topic, lang] + asking), ("user", yes), ("user", last)]
    assert verify(reply, transcript=rows, lang=lang).text == reply


@pytest.mark.parametrize(
    ("reply", "stands"),
    [
        ("The minutes state that we agreed to sell the van, but they are unsigned.", "we agreed"),
        ('The spokesman said: "We decided to recall 400 cars."', "We decided"),
        ("手紙は「ボンで合意したとおり」と始まります。", "合意したとおり"),
    ],
)
def test_somebody_elses_words_are_no_claim(reply: str, stands: str) -> None:
    assert stands in verify(reply).text


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        ("That the van is red is something we agreed on.", "Nothing that I recalled this turn says so."),
        ("The van is red (we settled this earlier).", "The van is red."),
        ("You decided to move in May, which gives you eight weeks.", "Nothing that I recalled this turn says so."),
    ],
)
def test_a_claim_that_nobody_carries_leaves_a_whole_sentence(reply: str, expected: str) -> None:
    assert verify(reply).text == expected


@pytest.mark.parametrize(
    ("lang", "topic", "reply"), [row for lang in CREDIT for row in settled(lang) if row[2][0] != "|"]
)
def test_a_reference_to_the_guess_itself_settles_nothing(lang: str, topic: str, reply: str) -> None:
    item = Injected(handle="zz11yy", source="assistant", text=GUESSES[topic, lang], id="n_ZZ11YY77AB12CD34EF56")
    rows = [("user", text) for text in ASKED[lang]]
    report = verify(f"{reply.rstrip('.。 |')} [m:zz11yy].", injected=[item], transcript=rows, lang=lang)
    assert any(verdict.action != "kept" for verdict in report.verdicts)


QUOTED = {
    "en": "You wake up tired, you decided, because of the move",
    "ja": "疲れて目が覚めるのは、あなたが引っ越しを恐れているからです",
}
AS_GUESS = [
    ("en", "I suggested earlier (unverified, not evidence): “{}” [m:zz11yy]."),
    ("en", "In this conversation I suggested (unverified): “{}” [m:zz11yy]."),
    ("ja", "以前の私の提案（未確認・根拠ではない）：「{}」 [m:zz11yy]。"),
    ("ja", "- この会話での私の提案（未確認）：「{}」 [m:zz11yy]。"),
    ("ja", "以前私が提案しました(未確認): 「{}」 [m:zz11yy]。"),
]


@pytest.mark.parametrize(("lang", "frame"), AS_GUESS)
def test_a_guess_that_is_quoted_as_one_keeps_its_words(lang: str, frame: str) -> None:
    item = Injected(handle="zz11yy", source="assistant", text=f"{QUOTED[lang]}.")
    reply = frame.format(QUOTED[lang])
    assert verify(reply, injected=[item], lang=lang).text == reply


@pytest.mark.parametrize(("lang", "frame"), AS_GUESS)
def test_nothing_is_hung_onto_a_guess_that_is_quoted(lang: str, frame: str) -> None:
    item = Injected(handle="zz11yy", source="assistant", text=f"{QUOTED[lang]}.")
    more = {"en": ", as we both agreed", "ja": "と二人で合意した通りです"}[lang]
    inside, after = frame.format(QUOTED[lang] + more), frame.format(QUOTED[lang])[:-1] + more
    for reply in (inside, after):
        text = verify(reply, injected=[item], lang=lang).text
        assert more not in text
