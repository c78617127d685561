"""What the built-in engine answers, whose words it quotes, and what it never says."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rqa_checkpoints.provenance import SourceClass
from rqa_nodes.prompt_parts import DocumentPart, MemoryLine, PromptParts, TranscriptLine
from rqa_nodes.structure.answer import reply
from tests.support.engine_inputs import INPUTS
from tests.support.examples import share


def line(
    handle: str, source: str, text: str, date: str = "2026-05-02", kind: str = "statement", locator: str = ""
) -> MemoryLine:
    return MemoryLine(handle=handle, source=SourceClass(source), text=text, date=date, kind=kind, locator=locator)


MEMORY = {
    "en": (
        line("k3v9xq", "user", "My locker is 41."),
        line("a1b2c3", "assistant", "You probably sleep badly because of coffee."),
        line("d4e5f6", "user", "I moved from Lund to Tromso in spring.", date="2026-06-01"),
        line("q1w2e3", "user", "When does the ferry for Tomaso leave?", kind="question"),
        line("x9x9x9", "external", "Ferries leave at 8:15 and 17:40.", locator="timetable.pdf"),
    ),
    "ja": (
        line("k3v9xq", "user", "ロッカーは41番です。"),
        line("a1b2c3", "assistant", "コーヒーのせいで眠りが浅いのかもしれません。"),
        line("d4e5f6", "user", "春に大阪から仙台へ引っ越しました。", date="2026-06-01"),
        line("q1w2e3", "user", "フェリーは誰が運航していますか？", kind="question"),
        line("x9x9x9", "external", "フェリーは8時15分と17時40分に出航する。", locator="時刻表.pdf"),
    ),
}


def say(
    text: str,
    lang: str,
    *,
    memory: tuple[MemoryLine, ...] = (),
    documents: tuple[DocumentPart, ...] = (),
    transcript: tuple[TranscriptLine, ...] = (),
) -> str:
    parts = PromptParts(
        task="answer", lang=lang, user_text=text, memory=memory, documents=documents, transcript=transcript
    )
    return "".join(reply(parts))


@pytest.mark.parametrize(
    ("question", "lang", "told", "guess", "denial"),
    [
        ("Do I envy Tom?", "en", "I saw Tom.", "Perhaps you envy Tom.", "I don't envy him."),
        (
            "私は田中さんを妬んでいますか？",
            "ja",
            "田中さんが昇進して落ち着きません。",
            "田中さんを妬んでいるのかもしれません。",
            "妬んでいません。",
        ),
    ],
)
def test_what_denies_a_guess_is_said_before_the_guess(
    question: str, lang: str, told: str, guess: str, denial: str
) -> None:
    memory = (line("a1b2c3", "assistant", guess), line("k3v9xq", "user", told), line("d4e5f6", "user", denial))
    said = say(question, lang, memory=memory)
    assert 0 <= said.index("[m:d4e5f6]") < said.index("[m:a1b2c3]")


@pytest.mark.parametrize(
    ("question", "lang", "expected"),
    [
        ("What is my locker number?", "en", "You said “My locker is 41” [m:k3v9xq]."),
        ("ロッカーは何番ですか？", "ja", "「ロッカーは41番です」とおっしゃいました [m:k3v9xq]。"),
        ("When do the ferries leave?", "en", "timetable.pdf says: “Ferries leave at 8:15 and 17:40” [m:x9x9x9]."),
        (
            "フェリーは何時に出ますか？",
            "ja",
            "時刻表.pdf の記述：「フェリーは8時15分と17時40分に出航する」 [m:x9x9x9]。",
        ),
        ("Which town did I move to?", "en", "You said “I moved from Lund to Tromso in spring” [m:d4e5f6]."),
        ("春にどこへ引っ越しましたか？", "ja", "「春に大阪から仙台へ引っ越しました」とおっしゃいました [m:d4e5f6]。"),
    ],
)
def test_the_relevant_item_is_quoted_word_for_word_and_credited(question: str, lang: str, expected: str) -> None:
    assert say(question, lang, memory=MEMORY[lang]) == expected


@pytest.mark.parametrize(
    ("question", "lang", "marked"),
    [("Why do I sleep badly?", "en", "unverified"), ("なぜ私は眠りが浅いのですか？", "ja", "未確認")],
)
def test_an_own_guess_is_never_the_users_word(question: str, lang: str, marked: str) -> None:
    answer = say(question, lang, memory=MEMORY[lang])
    assert marked in answer
    assert "[m:a1b2c3]" in answer
    assert "You said" not in answer
    assert "おっしゃいました" not in answer


@pytest.mark.parametrize(
    ("question", "lang", "apart"),
    [
        ("What do you know about me?", "en", "Apart from that there are only guesses of my own"),
        ("私について何を知っていますか？", "ja", "ほかにあるのは私自身の推測だけ"),
    ],
)
def test_what_is_known_lists_the_users_words_first_and_guesses_apart(question: str, lang: str, apart: str) -> None:
    answer = say(question, lang, memory=MEMORY[lang])
    before, after = answer.split(apart)
    assert re.findall(r"\[m:(\w+)\]", before) == ["k3v9xq", "d4e5f6", "q1w2e3", "x9x9x9"]
    assert re.findall(r"\[m:(\w+)\]", after) == ["a1b2c3"]


@pytest.mark.parametrize(
    ("question", "lang", "missing"),
    [
        (
            "What is the capital of Mexico?",
            "en",
            "Nothing that I recalled this turn answers “What is the capital of Mexico?”",
        ),
        ("メキシコの首都はどこですか？", "ja", "「メキシコの首都はどこですか？」に答えるものは"),
        ("墨西哥的首都是哪里？", "zh", "没有“墨西哥的首都是哪里？”的答案"),
    ],
)
def test_what_is_missing_is_said(question: str, lang: str, missing: str) -> None:
    assert missing in say(question, lang)


@pytest.mark.parametrize(
    ("statement", "lang", "expected"),
    [
        ("Please remember that I swim on Fridays.", "en", "Understood: “I swim on Fridays”."),
        ("金曜に泳ぐことを覚えておいてください。", "ja", "承知しました：「金曜に泳ぐ」。"),
        (
            "My locker is now 52.",
            "en",
            (
                "Understood: “My locker is now 52”. This differs from something older. "
                "On 2026-05-02 you said “My locker is 41” [m:k3v9xq]."
            ),
        ),
        (
            "ロッカーは52番に変わりました。",
            "ja",
            (
                "承知しました：「ロッカーは52番に変わりました」。より古い言葉と食い違っています。"
                "2026-05-02 に「ロッカーは41番です」とおっしゃいました [m:k3v9xq]。"
            ),
        ),
    ],
)
def test_a_statement_is_acknowledged_and_set_beside_what_was_said_before(
    statement: str, lang: str, expected: str
) -> None:
    assert say(statement, lang, memory=MEMORY[lang]) == expected


@pytest.mark.parametrize(
    ("question", "lang", "words"),
    [
        ("Is it better to use microservices or a monolith for a small team?", "en", ("microservices", "a monolith")),
        ("小さなチームにはマイクロサービスとモノリスのどちらが良いですか？", "ja", ("マイクロサービス", "モノリス")),
    ],
)
def test_a_question_of_judgement_gets_what_it_turns_on_in_its_own_words(
    question: str, lang: str, words: tuple[str, ...]
) -> None:
    answer = say(question, lang)
    assert all(word in answer for word in words)
    assert len(answer) < 300


@pytest.mark.parametrize(
    ("question", "lang", "locator", "text", "expected"),
    [
        (
            "How long are files kept?",
            "en",
            "a.md",
            "# A\n\nFiles are kept for 30 days. Ask Ken.",
            "a.md says: “Files are kept for 30 days”.",
        ),
        (
            "ファイルの保存期間は？",
            "ja",
            "a.md",
            "# A\n\nファイルの保存期間は30日。係は健。",
            "a.md の記述：「ファイルの保存期間は30日」。",
        ),
    ],
)
def test_a_document_answers_by_its_own_sentence(
    question: str, lang: str, locator: str, text: str, expected: str
) -> None:
    assert say(question, lang, documents=(DocumentPart(locator=locator, text=text),)) == expected


@pytest.mark.parametrize(
    ("question", "lang", "spoken", "expected"),
    [
        (
            "Where do I keep the skiff?",
            "en",
            "I keep the skiff in Bodo.",
            "In this conversation you said: “I keep the skiff in Bodo”.",
        ),
        (
            "小舟はどこに置いていますか？",
            "ja",
            "小舟は港に置いています。",
            "この会話で「小舟は港に置いています」とおっしゃいました。",
        ),
    ],
)
def test_the_visible_conversation_answers_too(question: str, lang: str, spoken: str, expected: str) -> None:
    assert say(question, lang, transcript=(TranscriptLine(role="user", text=spoken),)) == expected


@pytest.mark.parametrize(
    ("request_text", "lang"), [("Translate this into French: good day", "en"), ("これを英語に訳してください", "ja")]
)
def test_a_task_that_needs_a_model_is_declined(request_text: str, lang: str) -> None:
    assert ("without a language model" in say(request_text, lang)) or ("言語モデルなしでは" in say(request_text, lang))


RECEIPTS = re.compile(
    r"\b(?:saved|stored|will remember|noted|deleted)\b|記録しました|保存しました|覚えておきます|削除しました"
)


@given(
    st.one_of(st.text(max_size=200), st.sampled_from([row.text for row in INPUTS])),
    st.sampled_from(["en", "ja", "zh"]),
    st.booleans(),
)
@share(60)
def test_any_text_gets_an_answer_with_no_foreign_handle_and_no_receipt(text: str, lang: str, remembers: bool) -> None:
    memory = MEMORY.get(lang, ()) if remembers else ()
    answer = say(text, lang, memory=memory)
    assert answer.strip()
    assert answer == say(text, lang, memory=memory)
    ours = answer.replace(text.strip(), "")
    assert set(re.findall(r"\[m:(\w+)\]", ours)) <= {item.handle for item in memory}
    assert not RECEIPTS.search(ours) or RECEIPTS.search(text)


STORY = {
    "en": (
        line("aaaaa1", "user", "Our sync job fails every Monday at 6."),
        line("aaaaa2", "assistant", "The Monday failure is probably caused by the log rotation."),
        line("aaaaa3", "user", "We moved the job to a new host on Friday."),
        line("aaaaa4", "user", "The choir rehearses on Fridays."),
    ),
    "ja": (
        line("aaaaa1", "user", "同期ジョブは毎週月曜の6時に失敗します。"),
        line("aaaaa2", "assistant", "月曜の失敗はログのローテーションが原因かもしれません。"),
        line("aaaaa3", "user", "金曜にジョブを新しいホストへ移しました。"),
        line("aaaaa4", "user", "合唱団は日曜に練習します。"),
    ),
}


@pytest.mark.parametrize(
    ("question", "lang", "quoted", "closing"),
    [
        (
            "Did we agree that I move to Tromso?",
            "en",
            "“I moved from Lund to Tromso in spring”",
            "recalled nothing on it this turn.",
        ),
        ("Did we ever talk about submarines?", "en", "", "Nothing that I recalled this turn says so."),
        (
            "仙台へ引っ越すと決めたんでしたっけ？",
            "ja",
            "「春に大阪から仙台へ引っ越しました」",
            "それ以上は、今回参照した記録に見当たりません。",
        ),
        ("潜水艦について話したことを覚えていますか？", "ja", "", "今回参照した記録には見当たりません。"),
    ],
)
def test_a_question_for_the_record_gets_the_words_and_no_agreement(
    question: str, lang: str, quoted: str, closing: str
) -> None:
    said = say(question, lang, memory=MEMORY[lang])
    assert quoted in said
    assert said.endswith(closing)
    assert bool(quoted) == ("[m:" in said)


@pytest.mark.parametrize(
    ("question", "lang"),
    [("What do we know about the sync job failure?", "en"), ("同期ジョブの失敗について何が分かっていますか？", "ja")],
)
def test_a_survey_lists_what_touches_the_topic_with_guesses_last(question: str, lang: str) -> None:
    answer = say(question, lang, memory=STORY[lang])
    assert re.findall(r"\[m:(\w+)\]", answer) == ["aaaaa1", "aaaaa3", "aaaaa2"]
    assert answer.index("unverified" if lang == "en" else "未確認") > answer.index("[m:aaaaa3]")


@pytest.mark.parametrize(
    ("question", "lang", "nothing"),
    [
        ("What do you know about my violin?", "en", "Nothing that I recalled"),
        ("バイオリンについて何を知っていますか？", "ja", "見当たりません"),
    ],
)
def test_what_is_only_near_the_topic_is_not_listed_as_known_of_it(question: str, lang: str, nothing: str) -> None:
    asked = MemoryLine(handle="bbbbb1", source=SourceClass.user, text=question, kind="question")
    answer = say(question, lang, memory=(*STORY[lang], asked))
    assert nothing in answer
    assert "bbbbb1" not in answer
    assert not answer.startswith("- ")


@pytest.mark.parametrize(
    ("question", "lang"),
    [("What is known so far?", "en"), ("これまでに分かっていることを教えてください。", "ja")],
)
def test_a_survey_without_a_topic_lists_everything(question: str, lang: str) -> None:
    handles = re.findall(r"\[m:(\w+)\]", say(question, lang, memory=STORY[lang]))
    assert handles == ["aaaaa1", "aaaaa3", "aaaaa4", "aaaaa2"]


@pytest.mark.parametrize(
    ("question", "lang", "none"),
    [
        ("What did you suggest?", "en", "There is no earlier suggestion of mine"),
        ("あなたは何を提案しましたか？", "ja", "以前の私の提案は手元にありません"),
    ],
)
def test_its_own_earlier_words_are_marked_as_unverified(question: str, lang: str, none: str) -> None:
    answer = say(question, lang, memory=STORY[lang])
    assert re.findall(r"\[m:(\w+)\]", answer) == ["aaaaa2"]
    assert ("unverified" if lang == "en" else "未確認") in answer
    assert none in say(question, lang)


@pytest.mark.parametrize(
    ("question", "lang"),
    [("Did we establish that log rotation is the cause?", "en"), ("ログが原因だと確認しましたよね？", "ja")],
)
def test_a_guess_is_not_confirmed_because_it_is_asked_about(question: str, lang: str) -> None:
    answer = say(question, lang, memory=STORY[lang])
    assert ("which nobody has confirmed" if lang == "en" else "どなたも確認していません") in answer
    assert "[m:aaaaa2]" in answer


@pytest.mark.parametrize("lang", ["en", "ja", "zh"])
def test_a_stored_fixed_sentence_of_ours_is_never_a_guess(lang: str) -> None:
    ours = tuple(
        line(f"own{number}", "assistant", text)
        for number, text in enumerate(
            (
                "Without a language model I do not answer from general knowledge.",
                "Apart from that there are only guesses of my own, which nobody has confirmed.",
                "Nothing that I recalled this turn answers “Where do I live?”: neither words of yours nor a document.",
                "言語モデルが答えられないため、一般知識からのお答えは控えます。",
                "この問いの分かれ目は次の点です：「正義」を何のために知りたいか。",
            )
        )
    )
    question = {"en": "What do you know about me?", "ja": "私について何を知っていますか？", "zh": "你了解我吗"}[lang]
    assert "[m:own" not in say(question, lang, memory=ours)
    assert "[m:own" in say(question, lang, memory=(line("own9", "assistant", "コーヒー is to blame."),))


@pytest.mark.parametrize(
    ("lang", "guess", "credit"),
    [
        ("en", "You secretly dread the move to Bergen.", "I suggested earlier"),
        ("ja", "疲れて目が覚めるのは、あなたが札幌への引っ越しを内心恐れているからです。", "以前の私の提案"),
    ],
)
def test_a_note_in_which_it_quoted_itself_is_not_quoted_again(lang: str, guess: str, credit: str) -> None:
    question = {"en": "What did you suggest about the move?", "ja": "引っ越しについて以前何を提案しましたか？"}[lang]
    told = line("a1b2c3", "assistant", guess)
    note = say(question, lang, memory=(told,))
    corrected = {
        "en": "I suggested earlier (unverified): you dread the move.",
        "ja": "以前私が提案しました(未確認): 恐れています。",
    }
    own = (line("own1", "assistant", f"- {note}"), line("own2", "assistant", corrected[lang]))
    again = say(question, lang, memory=(told, *own))
    assert again == note
    assert note.count(credit) == 1


@pytest.mark.parametrize(
    ("lang", "said", "note"),
    [
        ("en", "The pier is too low.", "You said “The pier is low” [m:k3v9xq]. {} Understood: “The pier is low”."),
        (
            "ja",
            "桟橋が低すぎるのかもしれません。",
            "「桟橋は低い」とおっしゃいました [m:k3v9xq]。{}承知しました：「桟橋は低い」。",
        ),
    ],
)
def test_of_a_note_only_the_words_that_say_something_are_quoted(lang: str, said: str, note: str) -> None:
    question = {"en": "What did you suggest about the pier?", "ja": "桟橋について以前何を提案しましたか？"}[lang]
    answer = say(question, lang, memory=(line("own1", "assistant", note.format(said)),))
    assert answer == say(question, lang, memory=(line("own1", "assistant", said),))
