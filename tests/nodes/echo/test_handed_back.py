"""Who hands the assistant's words back has not said them: neither by a reference nor in the talk itself."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rqa_nodes.echo import Injected, verify
from rqa_nodes.echo.handed_back import own_part

GUESS = {
    "en": "Maybe you are afraid of failing.",
    "ja": "失敗を恐れているのかもしれません。",
    "zh": "也许你害怕失败。",
}
ITEMS = [
    ("en", 'You said: "you are afraid of failing". What do you mean by that?'),
    ("en", "You told me that I am afraid of failing."),
    ("en", "Earlier you wrote “Maybe you are afraid of failing.” I wonder."),
    ("en", "Hm. You just suggested I am afraid of failing; I keep bees near Lund."),
    ("ja", "さっき「失敗を恐れている」と言いましたよね。どういう意味ですか。"),
    ("ja", "あなたは「失敗を恐れている」と言いました。"),
    ("ja", "あなたは失敗を恐れていると言いました。"),
]
CLAIMS = {
    "en": [
        "You said you are afraid of failing",
        "You said: you are afraid of failing",
        "As you said, you are afraid of failing",
    ],
    "ja": ["失敗を恐れているとおっしゃいました", "失敗を恐れているとおっしゃっていましたね"],
}
CREDITED = {"en": "I suggested earlier (unverified): ", "ja": "以前私が提案しました(未確認): "}


@pytest.mark.parametrize(("lang", "text"), ITEMS)
def test_an_item_that_hands_a_guess_back_is_no_word_of_the_users(lang: str, text: str) -> None:
    item = Injected(handle="k3v9xq", source="user", text=text, id="n_k3v9xq")
    for claim in CLAIMS[lang]:
        end = "。" if lang == "ja" else "."
        report = verify(f"{claim} [m:k3v9xq]{end}", injected=[item], lang=lang)
        assert report.text.startswith(CREDITED[lang]), claim
        assert report.counts == {"valid": 1, "wrong_speaker": 1}
        assert verify(report.text, injected=[item], lang=lang).text == report.text


@pytest.mark.parametrize(("lang", "text"), ITEMS)
def test_a_message_that_hands_a_guess_back_affirms_nothing(lang: str, text: str) -> None:
    talk = [("assistant", GUESS[lang]), ("user", text), ("assistant", "Hm."), ("user", "What do you know?")]
    for claim in CLAIMS[lang]:
        report = verify(claim + ("。" if lang == "ja" else "."), injected=(), transcript=talk, lang=lang)
        assert report.text.startswith(CREDITED[lang]), claim


@pytest.mark.parametrize(
    ("lang", "text", "claim"),
    [
        ("en", "You said rest helps, and I keep bees near Lund.", "You said you keep bees near Lund [m:k3v9xq]."),
        ("en", "As you said, I am afraid of failing.", "You said you are afraid of failing [m:k3v9xq]."),
        ("en", "I told you: I am afraid of failing.", "You said you are afraid of failing [m:k3v9xq]."),
        ("en", "I am afraid of failing, thank you for asking.", "You told me you are afraid of failing [m:k3v9xq]."),
        ("ja", "私は「失敗を恐れている」と言いました。", "失敗を恐れているとおっしゃいました [m:k3v9xq]。"),
        (
            "ja",
            "あなたは優しいと言いました。私は失敗を恐れています。",
            "失敗を恐れているとおっしゃいました [m:k3v9xq]。",
        ),
    ],
)
def test_what_a_person_says_himself_stays_his(lang: str, text: str, claim: str) -> None:
    item = Injected(handle="k3v9xq", source="user", text=text, id="n_k3v9xq")
    report = verify(claim, injected=[item], lang=lang)
    assert (report.text, report.counts) == (claim, {"valid": 1})


@pytest.mark.parametrize(
    ("lang", "claim"),
    [
        ("en", "You said: you are afraid of failing{}."),
        ("en", "- You said: you are afraid of failing{}."),
        ("ja", "ご本人の発言: 失敗を恐れている{}。"),
        ("zh", "你说过：你害怕失败{}。"),
    ],
)
def test_our_own_words_of_credit_are_read_like_anybodys(lang: str, claim: str) -> None:
    guess = GUESS[lang]
    item = Injected(handle="k3v9xq", source="assistant", text=guess, id="n_k3v9xq")
    cited = verify(claim.format(" [m:k3v9xq]"), injected=[item], lang=lang)
    assert cited.counts == {"valid": 1, "wrong_speaker": 1}
    bare = verify(claim.format(""), injected=(), transcript=[("assistant", guess), ("user", "?")], lang=lang)
    assert bare.counts == {"unbacked_history": 1}


@given(st.text(st.characters(exclude_characters="yYｙＹ你君あきそお貴「『")))
def test_who_does_not_speak_to_the_assistant_hands_nothing_back(text: str) -> None:
    assert own_part(text) == text
