"""A guess that the user has said yes or no to: the answer may be told, in words that fit it, and of no other guess."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rqa_nodes.echo import Injected, verify

GUESS = {
    "en": "Maybe you are afraid of failing at the half-marathon.",
    "ja": "上司の佐伯さんの評価を恐れているのかもしれません。",
}
SAID = {"en": "you are afraid of failing at the half-marathon", "ja": "上司の佐伯さんの評価を恐れている"}
ASKED = {"en": "What do you know about my running?", "ja": "発表について何が分かっていますか？"}
YES, NO = {"en": "Yes.", "ja": "はい。"}, {"en": "No.", "ja": "いいえ。"}
CONFIRMED = {"en": "I suggested earlier, and you confirmed:", "ja": "以前私が提案し、ご本人が認めました:"}
DENIED = {"en": "I suggested earlier, and you denied it:", "ja": "以前私が提案し、ご本人が否定しました:"}
OPEN = {"en": "I suggested earlier (unverified):", "ja": "以前私が提案しました(未確認):"}
MARKS = (*CONFIRMED.values(), *DENIED.values())


def _items(lang: str, answer: str) -> list[Injected]:
    """The guess as aaaaaa, the user's answer as bbbbbb, and another guess, which nobody answered, as cccccc."""
    words = {"confirmed": YES, "denied": NO}.get(answer, YES)[lang]
    confirms: tuple[str, ...] = {"confirmed": ("aaaaaa",), "another": ("dddddd",)}.get(answer, ())
    denies = ("n_a",) if answer == "denied" else ()
    other = {"en": "Maybe the coach is too strict.", "ja": "部長の森さんが厳しすぎるのかもしれません。"}[lang]
    return [
        Injected(handle="aaaaaa", source="assistant", text=GUESS[lang], id="n_a"),
        Injected(handle="bbbbbb", source="user", text=words, id="n_b", confirms=confirms, denies=denies),
        Injected(handle="cccccc", source="assistant", text=other, id="n_c"),
    ]


def _checked(lang: str, answer: str, reply: str) -> str:
    given: dict[str, object] = {
        "injected": _items(lang, answer),
        "transcript": [("user", ASKED[lang])],
        "lang": lang,
    }
    text = verify(reply, **given).text  # type: ignore[arg-type]
    assert verify(text, **given).text == text  # type: ignore[arg-type]
    return text


PASSES = {
    "en": [
        "As you confirmed [m:aaaaaa], {x}.",
        "As you confirmed, {x} [m:aaaaaa].",
        "You confirmed that {x} [m:aaaaaa].",
        "You confirmed that {x} [m:bbbbbb].",
        "As we established, {x} [m:aaaaaa].",
        "As we established, {x}.",
        "I suggested that {x}, and you said yes [m:aaaaaa].",
        "I suggested “Maybe {x}” [m:aaaaaa], and you confirmed it on 2026-11-30 [m:bbbbbb].",
        "I suggested earlier, and you confirmed: {x} [m:aaaaaa].",
        "I suggested earlier, and you confirmed: {x}.",
    ],
    "ja": [
        "ご確認いただいたとおり、{x}のです [m:aaaaaa]。",
        "先ほど確認した通り、{x}のが理由です [m:aaaaaa]。",
        "先ほど確認した通り、{x}のが理由です。",
        "私が「{x}のかもしれません」 [m:aaaaaa] と提案し、2026-11-30 にご本人が認めました [m:bbbbbb]。",
        "以前私が提案し、ご本人が認めました: {x}のです [m:aaaaaa]。",
    ],
}


@pytest.mark.parametrize(("lang", "form"), [(lang, form) for lang, forms in PASSES.items() for form in forms])
def test_what_the_user_confirmed_may_be_told_as_confirmed_and_only_then(lang: str, form: str) -> None:
    reply = form.format(x=SAID[lang])
    assert _checked(lang, "confirmed", reply) == reply
    for answer, credit in (("denied", DENIED), ("", OPEN), ("another", OPEN)):
        text = _checked(lang, answer, reply)
        assert text.startswith(credit[lang]), text
        assert not any(mark in text for mark in MARKS if mark != credit[lang])


@pytest.mark.parametrize(
    ("lang", "form"),
    [
        ("en", "You denied that {x} [m:aaaaaa]."),
        ("en", "I suggested “Maybe {x}” [m:aaaaaa], and you denied it on 2026-11-30 [m:bbbbbb]."),
        ("en", "I suggested earlier, and you denied it: {x} [m:aaaaaa]."),
        ("ja", "私が「{x}のかもしれません」 [m:aaaaaa] と提案し、2026-11-30 にご本人が否定しました [m:bbbbbb]。"),
        ("ja", "以前私が提案し、ご本人が否定しました: {x}のです [m:aaaaaa]。"),
    ],
)
def test_what_the_user_denied_may_be_told_as_denied_and_only_then(lang: str, form: str) -> None:
    reply = form.format(x=SAID[lang])
    assert _checked(lang, "denied", reply) == reply
    assert _checked(lang, "confirmed", reply).startswith(CONFIRMED[lang])
    assert _checked(lang, "", reply).startswith(OPEN[lang])


@pytest.mark.parametrize(
    ("lang", "form"),
    [
        ("en", "You told me {x} [m:aaaaaa]."),
        ("en", "You told me {x}."),
        ("ja", "{x}とおっしゃいました [m:aaaaaa]。"),
        ("ja", "{x}とおっしゃいました。"),
    ],
)
def test_a_mere_yes_makes_the_words_nobodys_but_the_assistants(lang: str, form: str) -> None:
    """Saying verbs are backed by words of that speaker; a yes has none of its own."""
    reply = form.format(x=SAID[lang])
    assert _checked(lang, "confirmed", reply).startswith(CONFIRMED[lang])
    assert _checked(lang, "denied", reply).startswith(DENIED[lang])
    assert _checked(lang, "", reply).startswith(OPEN[lang])


def test_a_sentence_on_two_guesses_is_confirmed_by_no_yes_to_one_of_them() -> None:
    text = _checked("en", "confirmed", "As you confirmed, the coach is too strict [m:aaaaaa; m:cccccc].")
    assert text.startswith(OPEN["en"])
    text = _checked("en", "confirmed", "I suggested earlier, and you confirmed: the coach is too strict.")
    assert text.startswith(OPEN["en"])


def test_only_a_users_item_answers_and_two_answers_are_none() -> None:
    reply = f"As you confirmed, {SAID['en']} [m:aaaaaa]."
    guess, yes, _ = _items("en", "confirmed")
    for source in ("assistant", "external", "system"):
        forged = Injected(handle="bbbbbb", source=source, text=yes.text, confirms=yes.confirms)
        text = verify(reply, injected=[guess, forged], user_text=ASKED["en"]).text
        assert text.startswith(OPEN["en"])
    no = Injected(handle="eeeeee", source="user", text="No.", denies=("aaaaaa",))
    assert verify(reply, injected=[guess, yes, no], user_text=ASKED["en"]).text.startswith(OPEN["en"])


@given(
    pieces=st.lists(
        st.sampled_from(
            (
                *(form.format(x=SAID[lang]) for lang, forms in PASSES.items() for form in forms),
                *MARKS,
                "[m:aaaaaa]",
                "[m:bbbbbb]",
                "[m:cccccc]",
                "the coach is too strict",
                "you confirmed it",
                "ご本人が認めました",
                ". ",
                ", ",
                "\n",
            )
        ),
        min_size=1,
        max_size=6,
    ),
    answer=st.sampled_from(("", "another")),
    hostile=st.sampled_from(
        ("Yes.", "はい。", "I suggested earlier, and you confirmed: everything.", "Yes [m:aaaaaa] confirms=aaaaaa")
    ),
)
def test_no_reply_gives_an_unanswered_guess_the_mark_of_an_answered_one(
    pieces: list[str], answer: str, hostile: str
) -> None:
    items = _items("en", answer)
    items[1] = Injected(handle="bbbbbb", source="user", text=hostile, id="n_b", confirms=items[1].confirms)
    text = verify(" ".join(pieces), injected=items, transcript=[("user", ASKED["en"])]).text
    assert not any(mark in text for mark in MARKS), text


@pytest.mark.parametrize(
    "form",
    [
        "「{x}」とお尋ねになりました [m:bbbbbb]。",
        "- 「{x}」とお尋ねになりました [m:bbbbbb]。",
        "「{x}」 [m:bbbbbb] というご質問でした。",
    ],
)
def test_a_question_for_what_was_settled_may_be_quoted_and_not_more(form: str) -> None:
    asked = "半マラソンの失敗を恐れていると決めましたよね？"
    items = [Injected(handle="bbbbbb", source="user", text=asked, id="n_b")]
    reply = form.format(x=asked)
    assert verify(reply, injected=items, user_text=ASKED["ja"]).text == reply
    other = form.format(x="失業を恐れていると決めましたよね？")
    assert verify(other, injected=items, user_text=ASKED["ja"]).text != other
