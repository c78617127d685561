"""What a text wants is told from its form, in both languages alike."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rqa_nodes.structure.intent import Intent, classify, statement

PAIRS = [
    (Intent.fact, "What is the capital of Mexico?", "メキシコの首都はどこですか？"),
    (Intent.fact, "When does the ferry leave?", "フェリーはいつ出ますか"),
    (Intent.fact, "Remind me what my locker number is", "ロッカーの番号は何番でしたっけ"),
    (Intent.concept, "Should we rewrite it in Rust?", "Rustで書き直すべきでしょうか"),
    (Intent.concept, "Why do people leave early?", "なぜ来場者は早く帰るのですか"),
    (Intent.concept, "How can we keep visitors longer?", "どうすれば来場者を引き止められますか"),
    (Intent.about_user, "What do you know about me?", "私について何を知っていますか"),
    (Intent.about_user, "What have we been discussing so far?", "これまで何について話してきましたか"),
    (Intent.about_user, "What did I say before?", "これまでに私は何と言いましたか？"),
    (Intent.about_user, "What have I told you so far?", "私が前に言ったことを教えて"),
    (Intent.survey, "What do we know about the leak?", "漏水について何が分かっていますか"),
    (Intent.own, "What did you suggest?", "あなたは何を提案しましたか"),
    (Intent.own, "What else did you suggest about the move?", "引っ越しについて、以前何を提案しましたか？"),
    (Intent.own, "Which suggestions did you make on the roof?", "屋根についてどんな提案をしてくれましたか？"),
    (Intent.record, "What did I suggest about the move?", "引っ越しについて、私は以前何を提案しましたか？"),
    (Intent.record, "Did we agree on moving online?", "オンラインに移ることで合意しましたか？"),
    (Intent.record, "Have I ever told you about my kiln?", "窯のことを話したことがありますか？"),
    (Intent.record, "Do you remember what I said about the door?", "前に扉について話したことを覚えていますか？"),
    (Intent.record, "Didn't we decide that yesterday?", "昨日それを決めたんだっけ"),
    (Intent.record, "Did we talk about submarines?", "潜水艦の話をしましたっけ？"),
    (Intent.concept, "Should we tell the team?", "チームに話すべきでしょうか？"),
    (Intent.statement, "We decided to use oak.", "楢材を使うことに決めました。"),
    (Intent.fact, "When does she remember to call?", "彼女はいつ電話しますか？"),
    (Intent.thanks, "Thanks, that helps.", "ありがとう、助かりました。"),
    (Intent.request, "Write a poem about the sea.", "海についての詩を書いてください。"),
    (Intent.concept, "Should we wait? I think that it is too early.", "待つべきでしょうか。まだ早いと思います。"),
    (Intent.statement, "My locker is 41.", "ロッカーは41番です。"),
    (Intent.statement, "I think we should wait.", "待つべきだと思います。"),
    (Intent.empty, "...", "。。。"),
]


@pytest.mark.parametrize(("intent", "english", "japanese"), PAIRS)
def test_both_languages_want_the_same(intent: Intent, english: str, japanese: str) -> None:
    assert (classify(english), classify(japanese)) == (intent, intent)


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("Please remember that I swim on Fridays.", "I swim on Fridays."),
        ("Remember: my locker is 41.", "my locker is 41."),
        ("金曜に泳ぐことを覚えておいてください。", "金曜に泳ぐ"),
        ("I remember the sea.", "I remember the sea."),
    ],
)
def test_the_words_that_ask_to_remember_are_not_the_statement(text: str, kept: str) -> None:
    assert statement(text) == kept


@given(st.text(max_size=200))
def test_any_text_is_classified(text: str) -> None:
    assert classify(text) in Intent
    assert statement(text) or not text
