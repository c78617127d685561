"""A yes, a no, and what is neither: each wording, said to a guess in a thread, and what it leaves behind."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from rqa_checkpoints.answers import affirms, asks_back, denies, is_bare_denial, is_plain, repeats, without_affirmation
from rqa_checkpoints.memory import ProvenanceMemory
from rqa_checkpoints.planning import cut, find_repetition
from rqa_checkpoints.provenance import MemoryNode, SourceClass, confirmed_by
from tests.support.memories import ANN, open_memory, plan, take_turn

GUESS = {
    "en": "You skip the runs because you are afraid of failing.",
    "ja": "走るのを休むのは、失敗を恐れているからです。",
}
_ROWS = [line.split("\t") for line in (Path(__file__).parent / "answers.tsv").read_text("utf-8").splitlines()]


@pytest.fixture
def memory() -> Iterator[ProvenanceMemory]:
    with open_memory() as opened:
        yield opened


@pytest.fixture(scope="module")
def guesses() -> dict[str, MemoryNode]:
    with open_memory() as memory:
        return {lang: plan(memory, text, source=SourceClass.assistant)[0] for lang, text in GUESS.items()}


def _answered(memory: ProvenanceMemory, said: str, *guesses: str) -> list[tuple[MemoryNode, set[str]]]:
    """The assistant's items of a turn, each with the relations that the user's answer draws to it."""
    take_turn(memory, "...", " ".join(guesses), turn="t1")
    take_turn(memory, said, turn="t2")
    items = [node for node in memory.list(scope=ANN)[::-1] if node.source is SourceClass.assistant]
    return [
        (node, {edge.kind for edge in memory.show(node.id, scope=ANN).edges if edge.dst == node.id} - {"answers"})
        for node in items
    ]


@pytest.mark.parametrize(("lang", "answer", "said"), _ROWS)
def test_an_answer_is_a_yes_a_no_or_neither(guesses: dict[str, MemoryNode], lang: str, answer: str, said: str) -> None:
    guess, sentences = guesses[lang], cut(said)
    found = [find_repetition(sentences, at, last=[guess], known=[guess]) for at in range(len(sentences))]
    confirms = any(one.confirmed for one in found)
    is_denied = any(
        one.of and not one.confirmed and denies(sentence, guess.text)
        for one, sentence in zip(found, sentences, strict=True)
    )
    assert (confirms, is_denied) == (answer == "confirms", answer == "denies")


@pytest.mark.parametrize("lang", GUESS)
@pytest.mark.parametrize("answer", ["confirms", "denies", "neither"])
def test_there_are_twenty_wordings_of_each(lang: str, answer: str) -> None:
    assert len({said for *of, said in _ROWS if of == [lang, answer]}) >= 20


@pytest.mark.parametrize(
    ("said", "guesses", "drawn"),
    [
        # A yes to the question that a message ends with is no yes to what stood before it.
        ("Yes.", ["You fear failing.", "Shall I make a plan?"], [set(), {"supports"}]),
        ("No.", ["You fear failing.", "Shall I make a plan?"], [set(), {"contradicts"}]),
        ("はい。", ["失敗を恐れています。", "計画を作りましょうか？"], [set(), {"supports"}]),
        ("いいえ。", ["失敗を恐れています。", "計画を作りましょうか？"], [set(), {"contradicts"}]),
        # A question that asks whether it is right leaves it to be answered.
        ("Yes.", ["You fear failing.", "Is that right?"], [{"supports"}, set()]),
        ("はい。", ["失敗を恐れています。", "合っていますか？"], [{"supports"}, set()]),
        # No question: a yes takes all of it, a no the last of it.
        ("Yes.", ["You fear failing.", "Running is not the issue."], [{"supports"}, {"supports"}]),
        ("No.", ["You fear failing.", "Running is not the issue."], [set(), {"contradicts"}]),
        ("はい。", ["失敗を恐れています。", "走ることは問題ではありません。"], [{"supports"}, {"supports"}]),
    ],
)
def test_what_a_bare_answer_answers(
    memory: ProvenanceMemory, said: str, guesses: list[str], drawn: list[set[str]]
) -> None:
    assert [found for _, found in _answered(memory, said, *guesses)] == drawn


def test_a_yes_to_the_last_question_of_a_long_message_confirms_nothing_before_it(memory: ProvenanceMemory) -> None:
    long = [f"Reason {number} is that you fear failing." for number in range(12)]
    assert not any(found for _, found in _answered(memory, "Yes.", *long, "Shall I make a plan?"))


@pytest.mark.parametrize(("said", "other"), [("No.", "You like rain."), ("いいえ。", "雨が好きです。")])
def test_two_noes_deny_two_guesses_and_stay_two_items(memory: ProvenanceMemory, said: str, other: str) -> None:
    take_turn(memory, "...", GUESS["en"], turn="t1")
    first = take_turn(memory, said, other, turn="t2").written[0]
    second = take_turn(memory, said, "I see.", turn="t3").written[0]
    assert first != second
    told = {node.text: memory.show(node.id, scope=ANN) for node in memory.list(scope=ANN)}
    denied = {text: {edge.src for edge in detail.edges if edge.kind == "contradicts"} for text, detail in told.items()}
    assert (denied[GUESS["en"]], denied[other]) == ({first}, {second})


@pytest.mark.parametrize(("lang", "said"), [("en", "I am not afraid of failing."), ("ja", "失敗を恐れてはいません。")])
def test_a_denial_is_the_users_own_word(memory: ProvenanceMemory, lang: str, said: str) -> None:
    [(guess, drawn)] = _answered(memory, said, GUESS[lang])
    assert drawn == {"contradicts"}
    assert (guess.source, guess.origin, guess.seen) == (SourceClass.assistant, (SourceClass.assistant,), 1)
    own = next(node for node in memory.list(scope=ANN) if node.text == said)
    assert (own.source, own.origin, confirmed_by(own)) == (SourceClass.user, (SourceClass.user,), ())


@pytest.mark.parametrize(
    ("said", "guess"),
    [
        ("Yes, I have sleep apnea.", "You probably have sleep apnea."),
        ("I may have sleep apnea", "You have sleep apnea."),
        ("はい、私は睡眠時無呼吸です。", "あなたは睡眠時無呼吸かもしれません。"),
        ("睡眠時無呼吸です。", "おそらく睡眠時無呼吸だと思います。"),
    ],
)
def test_a_user_who_turns_the_person_round_repeats_the_guess(said: str, guess: str) -> None:
    assert repeats(said, guess)


@pytest.mark.parametrize("said", ["I like tea.", "Yes.", "お茶が好きです。", "はい。"])
def test_other_words_neither_repeat_nor_deny(said: str) -> None:
    for guess in ("You probably have sleep apnea.", "あなたは睡眠時無呼吸かもしれません。"):
        assert not repeats(said, guess)
        assert not denies(said, guess)


@pytest.mark.parametrize(
    ("said", "guess"),
    [
        ("You weigh 60 kg.", "You weigh 80 kg."),
        ("The backup job is not the cause.", "The backup job is the cause."),
        ("バックアップは原因ではありません。", "バックアップが原因です。"),
        ("会議は3時です。", "会議は4時です。"),
    ],
)
def test_other_numbers_or_polarity_repeat_nothing(said: str, guess: str) -> None:
    assert not repeats(said, guess)


def test_no_other_number_is_denied() -> None:
    assert not denies("I do not weigh 60 kg.", "You weigh 80 kg.")
    assert denies("I do not weigh 80 kg.", "You weigh 80 kg.")
    assert not denies("体重は60キロではありません。", "体重は80キロです。")
    assert denies("体重は80キロではありません。", "体重は80キロです。")


@pytest.mark.parametrize("said", ["Yes.", "yes, that's right", "That’s correct!", "はい、その通りです。", "对,没错。"])
def test_a_yes_affirms_and_leaves_no_other_words(said: str) -> None:
    assert affirms(said)
    assert without_affirmation(said).strip(".!。") == ""
    assert not is_bare_denial(said)


@pytest.mark.parametrize(
    "said",
    [
        "No.",
        "Yes, but that is not the cause.",
        "Yes, if it rains.",
        'Yes, "sleep apnea" was your word.',
        "Yes, you said so.",
        "Right now I am tired.",
        "Yesterday I slept.",
        "いいえ、違います。",
        "はい、でも違うと思います。",
        "はい、「無呼吸」と言いましたね。",
        "はい、もしそうなら困ります。",
        "はいきょを見た。",
    ],
)
def test_doubt_quotation_condition_and_other_words_affirm_nothing(said: str) -> None:
    assert not affirms(said)


def test_plain_speech_neither_quotes_nor_doubts() -> None:
    assert is_plain("I have sleep apnea.")
    assert not is_plain("But I slept well.")
    assert not is_plain("「無呼吸」という言葉")


@pytest.mark.parametrize(
    "asked", ["Is that right?", "Right?", "Do you agree?", "合っていますか？", "間違いないですか？", "違いますか？"]
)
def test_a_question_that_asks_back(asked: str) -> None:
    assert asks_back(asked)


@pytest.mark.parametrize("asked", ["Shall I make a plan?", "Is the right valve open?", "計画を作りましょうか？"])
def test_a_question_of_its_own(asked: str) -> None:
    assert not asks_back(asked)
