"""Who may be named as the one who said something, beside the item that is cited."""

from __future__ import annotations

import pytest

from rqa_nodes.echo import Injected, verify

TOLD = Injected(handle="u3aaaa", source="user", text="I live in Cork and I work nights.", id="n_u3aaaa")
GUESS = {
    "en": Injected(handle="g3bbbb", source="assistant", text="Perhaps you are avoiding your brother.", id="n_g3bbbb"),
    "ja": Injected(handle="g3bbbb", source="assistant", text="お兄さんを避けているのかもしれません。", id="n_g3bbbb"),
}


def test_an_item_may_be_quoted_by_its_author_or_by_its_place_and_by_no_other() -> None:
    item = Injected(
        handle="x9x9x9", source="external", text="Ferries leave at 8:15.", author="Ines", locator="tide.pdf"
    )
    for reply in (
        "tide.pdf says: “Ferries leave at 8:15” [m:x9x9x9].",
        "Ines wrote that ferries leave at 8:15 [m:x9x9x9].",
    ):
        assert verify(reply, injected=[item], lang="en").text == reply
    other = verify("fares.pdf says: “Ferries leave at 8:15” [m:x9x9x9].", injected=[item], lang="en")
    assert other.counts["wrong_speaker"] == 1
    assert "fares.pdf" not in other.text


def test_a_credit_always_says_what_was_suggested() -> None:
    guess = Injected(handle="a1b2c3", source="assistant", text="会社での人間関係に悩んでいます。", id="n_a1b2c3")
    once = verify("あなたは何度も悩んでいます。", injected=[guess], lang="ja").text
    assert once.startswith("以前私が提案しました(未確認):")
    assert "悩んで" in once
    assert verify(once, injected=[guess], lang="ja").text == once


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        ("You said “I hate Cork” [m:u3aaaa].", "You said: I live in Cork and I work nights [m:u3aaaa]."),
        ("You said “I live in dear Cork” [m:u3aaaa].", "You said roughly I live in dear Cork [m:u3aaaa]."),
    ],
)
def test_only_what_is_roughly_said_is_called_so(reply: str, expected: str) -> None:
    report = verify(reply, injected=[TOLD], lang="en")
    assert report.text == expected
    assert report.counts == {"valid": 1, "misquote": 1}
    assert verify(expected, injected=[TOLD], lang="en").text == expected


@pytest.mark.parametrize(
    ("lang", "reply"),
    [
        ("en", "My guess was that you are avoiding your brother [m:g3bbbb]."),
        ("en", "My guess was that you are avoiding your brother [m:g3bbbb], and you haven't confirmed it."),
        ("en", "I guessed that you are avoiding your brother [m:g3bbbb], but you have not confirmed that."),
        ("en", "I suggested that you are avoiding your brother [m:g3bbbb]; you did not say so."),
        ("en", "You haven't confirmed my guess that you are avoiding your brother [m:g3bbbb]."),
        ("ja", "お兄さんを避けているというのは私の推測で [m:g3bbbb]、あなたはまだ確認していません。"),
        ("ja", "お兄さんを避けているのではと推測しましたが [m:g3bbbb]、あなたは肯定していません。"),
        ("ja", "私の推測 [m:g3bbbb] は、まだあなたに確認していただいていません。"),
        ("ja", "お兄さんを避けているのかもと申し上げましたが [m:g3bbbb]、あなたからそうは伺っていません。"),
        ("ja", "お兄さんを避けているとあなたが言ったわけではなく、私の推測です [m:g3bbbb]。"),
    ],
)
def test_who_owns_up_to_a_guess_that_nobody_confirmed_is_left_alone(lang: str, reply: str) -> None:
    report = verify(reply, injected=[GUESS[lang]], lang=lang)
    assert report.text == reply
    assert report.counts == {"valid": 1}


@pytest.mark.parametrize(
    ("lang", "reply"),
    [
        ("en", "You confirmed my guess that you are avoiding your brother [m:g3bbbb]."),
        ("en", "Your brother is the one you are avoiding, that was you, right [m:g3bbbb]."),
        ("ja", "お兄さんを避けていると、あなたも確認しています [m:g3bbbb]。"),
        ("ja", "お兄さんを避けていると、あなたは肯定しています [m:g3bbbb]。"),
    ],
)
def test_a_guess_that_nobody_confirmed_is_nobody_elses(lang: str, reply: str) -> None:
    shown = verify(reply, injected=[GUESS[lang]], lang=lang).text
    assert shown.startswith({"en": "I suggested earlier (unverified)", "ja": "以前私が提案しました(未確認)"}[lang])
