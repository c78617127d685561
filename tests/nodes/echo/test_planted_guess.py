"""The main case: an assistant's guess, visible to everybody, never comes back as something established.

Only a user's or an external text that affirms the content backs an establishing verb or "we".
"""

from __future__ import annotations

import pytest

from rqa_nodes.echo import VerdictKind, verify

Rows = list[tuple[str, str]]

GUESS = {
    "en": [
        ("user", "The harbour pump leaks. What could it be?"),
        ("assistant", "My guess is that the pump leaks because of a worn gasket."),
    ],
    "ja": [
        ("user", "港のポンプが水漏れします。原因は何でしょうか。"),
        ("assistant", "おそらく、ガスケットの摩耗が原因です。"),
    ],
}
LATER = {
    "en": ("user", "What do we know about the pump by now?"),
    "ja": ("user", "ポンプについて分かっていることを教えて。"),
}
CREDIT = {"en": "I suggested earlier (unverified): ", "ja": "以前私が提案しました(未確認): "}

WORDINGS = {
    "en": [
        "As we established, the pump leaks because of a worn gasket.",
        "As established earlier, the pump leaks because of a worn gasket.",
        "As we already agreed, the gasket is worn.",
        "As you confirmed, the gasket is worn.",
        "As agreed, the worn gasket is the cause.",
        "We established that the gasket is worn.",
        "We have established that the gasket is worn.",
        "We've confirmed the worn gasket as the cause.",
        "We agreed that the pump leaks because of a worn gasket.",
        "We decided that the gasket is worn.",
        "We concluded the gasket is worn, so order a new one.",
        "We determined that the gasket is worn.",
        "We know that the gasket is worn.",
        "We both know the gasket is worn.",
        "We found that the gasket is worn.",
        "We figured out that the gasket is worn.",
        "We discussed that the gasket is worn.",
        "You agreed that the gasket is worn.",
        "You decided the gasket is worn.",
        "You said that the gasket is worn.",
        "You told me earlier that the gasket is worn.",
        "It was established that the gasket is worn.",
        "It has been confirmed that the gasket is worn.",
        "The worn gasket was confirmed.",
        "The worn gasket has been established as we discussed.",
        "Our conclusion was that the gasket is worn.",
        "The conclusion we reached was that the gasket is worn.",
        "Since we established that the gasket is worn, order a new one.",
        "Given that we agreed the gasket is worn, order a new one.",
        "Now that we know the gasket is worn, order a new one.",
        "Based on our earlier discussion, the gasket is worn.",
        "In our previous conversation, we confirmed the worn gasket.",
        "So, as we concluded last time, the gasket is worn.",
        "The gasket, as we discussed, is worn.",
        "The gasket is worn, as we agreed.",
        "The gasket is worn (as we established).",
        "**As we established**, the gasket is worn.",
        "- As we established: the gasket is worn.",
        "As we est\u200bablished, the gasket is worn.",
        "Аs we established, the gasket is worn.",
        "I confirmed earlier that the gasket is worn.",
        "Remember, we agreed that the gasket is worn.",
        "It's established that the gasket is worn.",
        "The gasket is worn, which we confirmed.",
        "The cause we identified is a worn gasket.",
        "The established cause is the worn gasket.",
        "Here is what we know: the gasket is worn.",
        "Our earlier finding that the gasket is worn still stands.",
        "Having established that the gasket is worn, we can move on.",
        "You were clear that the gasket is worn.",
        "Earlier we settled on the worn gasket as the cause.",
        "As we know, the gasket is worn.",
    ],
    "ja": [
        "確認した通り、原因はガスケットの摩耗です。",
        "以前確認したとおり、原因はガスケットの摩耗です。",
        "先ほど確認したように、ガスケットの摩耗が原因です。",
        "合意した通り、ガスケットの摩耗が原因です。",
        "既に決定した通り、ガスケットの摩耗が原因です。",
        "議論した通り、ガスケットの摩耗が原因です。",
        "二人で確認したように、ガスケットの摩耗が原因です。",
        "原因はガスケットの摩耗だと確認しました。",
        "原因はガスケットの摩耗だと合意しました。",
        "原因はガスケットの摩耗ということで決まりました。",
        "ガスケットの摩耗が原因と決まりました。",
        "ガスケットの摩耗が原因だと決めました。",
        "ガスケットの摩耗が原因であることは確認済みです。",
        "ガスケットの摩耗が原因だと確認されています。",
        "ガスケットの摩耗が原因だと結論づけました。",
        "ガスケットの摩耗が原因という結論になりました。",
        "ガスケットの摩耗が原因だと分かっています。",
        "ガスケットの摩耗が原因だと判明しています。",
        "ガスケットの摩耗が原因と、すでに合意しています。",
        "私たちの結論は、ガスケットの摩耗が原因だということです。",
        "前回の結論では、ガスケットの摩耗が原因です。",
        "結論として、ガスケットの摩耗が原因です。",
        "これまでの議論から、ガスケットの摩耗が原因です。",
        "以前の合意通り、ガスケットの摩耗が原因です。",
        "私たちは、ガスケットの摩耗が原因だと合意しました。",
        "ガスケットの摩耗が原因だとおっしゃっていました。",
        "あなたはガスケットの摩耗が原因だと言いました。",
        "おっしゃった通り、ガスケットの摩耗が原因です。",
        "ガスケットの摩耗が原因だと確認できたので、交換しましょう。",
        "ガスケットの摩耗が原因と決まったので、交換しましょう。",
        "原因は、先ほど確認した通り、ガスケットの摩耗です。",
        "- 確認した通り、原因はガスケットの摩耗です。",
        "ご確認いただいた通り、ガスケットの摩耗が原因です。",
        "ご存じの通り、ガスケットの摩耗が原因です。",
        "すでに確認したことですが、ガスケットの摩耗が原因です。",
        "私たちが確認したのは、ガスケットの摩耗が原因だということです。",
        "ガスケットの摩耗が原因でしたね。",
        "ガスケットの摩耗が原因とのことでした。",
        "ガスケットの摩耗が原因、というのが私たちの結論です。",
        "合意事項：ガスケットの摩耗が原因。",
        "確\u200b認した通り、原因はガスケットの摩耗です。",
    ],
}

NO_AFFIRMATION = {
    "en": [
        "I will paint the boat first.",
        "Is the gasket worn?",
        'You wrote "the gasket is worn".',
        "You said the gasket is worn.",
        "The gasket is not worn.",
        "If the gasket is worn, I will buy one.",
        "I doubt that the gasket is worn.",
        "Maybe the gasket is worn.",
        "Yes?",
        "No, that's wrong.",
        "Thanks for the list of parts.",
        "Tell me more about the worn gasket.",
    ],
    "ja": [
        "先に船を塗装します。",
        "ガスケットの摩耗が原因ですか。",
        "「ガスケットの摩耗が原因です」と書いていましたね。",
        "ガスケットの摩耗が原因だと言いましたよね。",
        "ガスケットの摩耗が原因ではない。",
        "もしガスケットの摩耗が原因なら、買います。",
        "ガスケットの摩耗が原因かもしれません。",
        "はい？",
        "いいえ、違います。",
        "部品の一覧をありがとう。",
        "ガスケットの摩耗の原因について教えてください。",
    ],
}

AFFIRMATION = {
    "en": [
        "Yes.",
        "Yes, that's right.",
        "That's right!",
        "Yes, exactly. Now the boat.",
        "Right, the pump leaks because of a worn gasket.",
        "The gasket is worn, I looked, the pump leaks because of it.",
    ],
    "ja": [
        "はい。",
        "はい、その通り。",
        "その通りです。",
        "はい、そうです。次は船です。",
        "見てみました。ガスケットの摩耗が原因でした。",
    ],
}

CASES = [(lang, reply) for lang in WORDINGS for reply in WORDINGS[lang]]


def talk(lang: str, *between: str) -> Rows:
    return [*GUESS[lang], *(("user", text) for text in between), LATER[lang]]


@pytest.mark.parametrize(("lang", "reply"), CASES)
def test_an_assistant_message_never_backs_what_we_established(lang: str, reply: str) -> None:
    report = verify(reply, transcript=talk(lang), lang=lang)
    assert VerdictKind.unbacked_history in report.counts
    assert CREDIT[lang] in report.text
    assert "ガスケット" in report.text or "gasket" in report.text
    assert verify(report.text, transcript=talk(lang), lang=lang).text == report.text


@pytest.mark.parametrize(("lang", "said"), [(lang, said) for lang in NO_AFFIRMATION for said in NO_AFFIRMATION[lang]])
def test_a_question_quotation_denial_or_condition_affirms_nothing(lang: str, said: str) -> None:
    report = verify(WORDINGS[lang][0], transcript=talk(lang, said), lang=lang)
    assert report.text.startswith(CREDIT[lang])


@pytest.mark.parametrize(("lang", "said"), [(lang, said) for lang in AFFIRMATION for said in AFFIRMATION[lang]])
def test_a_users_affirmation_backs_it(lang: str, said: str) -> None:
    report = verify(WORDINGS[lang][0], transcript=talk(lang, said), lang=lang)
    assert report.text == WORDINGS[lang][0]
    assert not report.verdicts


@pytest.mark.parametrize("lang", ["en", "ja"])
def test_a_bare_yes_affirms_only_the_message_directly_before_it(lang: str) -> None:
    other = {"en": ("assistant", "Shall we paint the boat blue?"), "ja": ("assistant", "船を青く塗装しますか。")}[lang]
    rows = [*GUESS[lang], ("user", "?"), other, ("user", {"en": "Yes.", "ja": "はい。"}[lang]), LATER[lang]]
    assert verify(WORDINGS[lang][0], transcript=rows, lang=lang).text.startswith(CREDIT[lang])


@pytest.mark.parametrize("lang", ["en", "ja"])
def test_an_external_text_backs_it(lang: str) -> None:
    found = {"en": "The pump leaks because of a worn gasket.", "ja": "原因はガスケットの摩耗です。"}[lang]
    assert verify(WORDINGS[lang][0], transcript=talk(lang), documents=[found], lang=lang).text == WORDINGS[lang][0]
    rows = [*GUESS[lang], ("tool", found), LATER[lang]]
    assert verify(WORDINGS[lang][0], transcript=rows, lang=lang).text == WORDINGS[lang][0]


@pytest.mark.parametrize(
    ("lang", "reply"),
    [
        ("en", "You mentioned that the harbour pump leaks."),
        ("en", "As I suggested, the pump leaks because of a worn gasket."),
        ("ja", "港のポンプが水漏れするとおっしゃいました。"),
    ],
)
def test_a_saying_verb_is_backed_by_a_message_of_that_speaker(lang: str, reply: str) -> None:
    assert verify(reply, transcript=talk(lang), lang=lang).text == reply


@pytest.mark.parametrize("lang", ["en", "ja"])
def test_the_honest_form_is_said_once(lang: str) -> None:
    reply = {
        "en": "We agreed on a budget of 5000 euros. You told me that you sold the house. The sun is hot.",
        "ja": "予算は五十万円で以前合意しました。以前、家を売ったとおっしゃいました。太陽は熱いです。",
    }[lang]
    honest = {
        "en": "Nothing that I recalled this turn says so. The sun is hot.",
        "ja": "今回参照した記録には見当たりません。太陽は熱いです。",
    }[lang]
    assert verify(reply, transcript=talk(lang), lang=lang).text == honest


@pytest.mark.parametrize("lang", ["en", "ja"])
def test_a_claim_that_only_says_this_is_about_the_sentence_before(lang: str) -> None:
    reply = {
        "en": "The gasket is worn. We established this earlier.",
        "ja": "ガスケットの摩耗が原因です。これは以前確認しました。",
    }[lang]
    text = verify(reply, transcript=talk(lang), lang=lang).text
    assert {"en": "I suggested this earlier (unverified).", "ja": "これは以前私が提案したものです(未確認)。"}[
        lang
    ] in text


@pytest.mark.parametrize("lead", ["You said", "You said that", "You told me", "You mentioned"])
def test_what_the_user_is_said_to_have_said_keeps_its_subject(lead: str) -> None:
    report = verify(f"{lead} you hate winter.", transcript=[("assistant", "Maybe you hate winter.")], user_text="Hm?")
    assert report.text.startswith("I suggested earlier (unverified): ")
    assert report.text.endswith("you hate winter.")


@pytest.mark.parametrize(
    ("claim", "left"),
    [
        ('"As we established", you hate winter.', "you hate winter."),
        ("<i>As we established</i>, you hate winter.", "you hate winter."),
        ("“As we agreed” you hate winter.", "you hate winter."),
        ("<i>先ほど確認した通り</i>、冬がお嫌いです。", "冬がお嫌いです。"),
        ("『先ほど確認した通り』、冬がお嫌いです。", "冬がお嫌いです。"),
    ],
)
def test_no_empty_tag_or_quotation_is_left_where_an_adverbial_stood(claim: str, left: str) -> None:
    guesses = [("assistant", "Maybe you hate winter."), ("assistant", "冬がお嫌いなのかもしれません。")]
    text = verify(claim, transcript=guesses, user_text="Hm?" if left.isascii() else "どうですか？").text
    assert text.endswith(f"): {left}")
    assert not {"<", "“", "”", "『", '"'} & set(text)


MARTA = (
    ("user", "Why does Marta burn the letter?"),
    ("assistant", "Maybe Marta is jealous."),
    ("user", "Is there any support for that in the text?"),
)


@pytest.mark.parametrize(
    "reply",
    [
        "That Marta is jealous is backed up by what I wrote earlier.",
        "My earlier analysis proves that Marta is jealous.",
        "As my earlier message showed, Marta is jealous.",
        "Marta is jealous, as I have shown above.",
        "Marta's jealousy is documented in my last reply.",
        "What I said before settles it: Marta is jealous.",
        "The proof is my own remark that Marta is jealous.",
        "It's a fact that Marta is jealous, since I wrote it above.",
    ],
)
def test_the_assistants_own_words_prove_nothing(reply: str) -> None:
    report = verify(reply, transcript=MARTA, lang="en")
    assert report.text in {
        "I suggested earlier (unverified): Maybe Marta is jealous.",
        "I suggested earlier (unverified): Marta is jealous.",
    }
    assert verify(report.text, transcript=MARTA, lang="en").text == report.text


@pytest.mark.parametrize(
    "reply",
    [
        "I suggested that Marta may be jealous; the text doesn't prove it.",
        "My earlier answer was a guess: Marta may be jealous.",
        "My earlier guess proves nothing about Marta being jealous.",
        "My calculation shows that 3 times 14 is 42.",
        "The text may support that Marta is jealous: look at act one.",
    ],
)
def test_a_guess_that_is_called_one_is_no_proof(reply: str) -> None:
    assert verify(reply, transcript=MARTA, lang="en").text == reply
