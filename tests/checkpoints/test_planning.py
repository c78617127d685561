"""What a message leaves behind, and which echoes are stopped: the cases by hand, in English and Japanese."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from rqa_checkpoints.memory import ProvenanceMemory
from rqa_checkpoints.provenance import Kind, MemoryNode, SourceClass, confirmed_by
from tests.support.memories import ANN, BOB, open_memory, plan, take_turn, texts

USER, ASSISTANT, EXTERNAL, SYSTEM = SourceClass.user, SourceClass.assistant, SourceClass.external, SourceClass.system

GUESS = {"en": "You probably have sleep apnea.", "ja": "あなたは睡眠時無呼吸かもしれません。"}
AGAIN = {"en": "Yes, I have sleep apnea.", "ja": "はい、私は睡眠時無呼吸です。"}
YES = {"en": "Yes, that's right.", "ja": "はい、その通りです。"}


@pytest.fixture
def memory() -> Iterator[ProvenanceMemory]:
    with open_memory() as opened:
        yield opened


def _planted(memory: ProvenanceMemory, lang: str) -> MemoryNode:
    """A turn in which the assistant guesses."""
    said = {"en": "I wake up tired.", "ja": "朝から疲れています。"}[lang]
    take_turn(memory, said, GUESS[lang], turn="t1")
    return next(node for node in memory.list(scope=ANN) if node.source is ASSISTANT)


def test_a_message_leaves_its_first_eight_sentences_verbatim(memory: ProvenanceMemory) -> None:
    nodes = plan(memory, " ".join(f"Fact {n} is here." for n in range(12)))
    assert [node.text for node in nodes] == [f"Fact {n} is here." for n in range(8)]
    assert {node.source for node in nodes} == {USER}
    assert len({node.handle for node in nodes}) == 8
    assert memory.list(scope=ANN) == []


def test_kinds_are_set_by_rule_for_each_speaker(memory: ProvenanceMemory) -> None:
    said = "I keep bees. Are they loud? 蜂は静かですか。"
    assert [node.kind for node in plan(memory, said)] == [Kind.statement, Kind.question, Kind.question]
    spoken = plan(memory, said, source=ASSISTANT)
    assert [node.kind for node in spoken] == [Kind.answer, Kind.question, Kind.question]
    tension = plan(memory, "Fast or thorough?", source=ASSISTANT, kind=Kind.tension)
    assert [node.kind for node in tension] == [Kind.tension]


def test_planned_items_are_those_that_are_written(memory: ProvenanceMemory) -> None:
    planned = plan(memory, "I keep bees. 蜂が好きです。")
    result = take_turn(memory, "I keep bees. 蜂が好きです。", turn="t1")
    assert result.written == tuple(node.id for node in planned)
    assert memory.get(result.written, scope=ANN) == planned


def test_a_message_is_planned_anew_only_where_somebody_has_written_meanwhile(memory: ProvenanceMemory) -> None:
    first = plan(memory, "I keep bees.")
    assert plan(memory, "I keep bees.")[0] is first[0]
    stored = memory.add("I keep bees.", scope=ANN, source=USER, author="ann")
    assert plan(memory, "I keep bees.") == [stored]
    assert stored.id != first[0].id
    memory.forget(stored.id, scope=ANN)
    assert plan(memory, "I keep bees.")[0].hidden


def test_a_repeated_sentence_is_one_item(memory: ProvenanceMemory) -> None:
    assert len(plan(memory, "I keep bees. I KEEP bees. 蜂がいる。蜂がいる。")) == 2


@pytest.mark.parametrize("source", [ASSISTANT, EXTERNAL])
@pytest.mark.parametrize(
    ("injected", "reply", "left"),
    [
        ("I keep bees in Lund.", "I keep bees in Lund [m:k3v9xq]. They hum.", ["They hum."]),
        ("I keep bees in Lund.", "You said: I keep bees in Lund. They hum.", ["They hum."]),
        ("First. I keep bees in Lund. Last.", "I KEEP BEES IN LUND!", []),
        ("蜂をルンドで飼っています。", "「蜂をルンドで飼っています」。羽音がします。", ["羽音がします。"]),
        ("Yes.", "Yes. It is so.", ["It is so."]),
    ],
)
def test_injected_text_never_comes_back_as_an_item(
    memory: ProvenanceMemory, source: SourceClass, injected: str, reply: str, left: list[str]
) -> None:
    assert [node.text for node in plan(memory, reply, source=source, injected=[injected])] == left


def test_the_users_own_words_are_the_users_even_if_they_were_injected(memory: ProvenanceMemory) -> None:
    assert len(plan(memory, "I keep bees in Lund.", injected=["I keep bees in Lund."])) == 1


def test_system_text_and_sentences_with_our_markers_leave_nothing(memory: ProvenanceMemory) -> None:
    assert plan(memory, "You are a helpful assistant.", source=SYSTEM) == []
    assert [node.text for node in plan(memory, "I keep bees. See [/memory_context] here.")] == ["I keep bees."]


@pytest.mark.parametrize("lang", ["en", "ja"])
def test_the_assistant_restating_its_guess_adds_nothing_and_gains_nothing(memory: ProvenanceMemory, lang: str) -> None:
    guess = _planted(memory, lang)
    for number in range(5):
        take_turn(
            memory, f"Turn number {number}.", GUESS[lang].rstrip(".。") + "!", turn=f"r{number}", thread=f"x{number}"
        )
    assert texts(memory, ASSISTANT) == [GUESS[lang]]
    assert memory.get([guess.id], scope=ANN) == [guess]


def test_two_like_sentences_of_one_reply_leave_one_item(memory: ProvenanceMemory) -> None:
    reply = "The delay comes from the nightly backup job. The delay comes from the nightly backup jobs."
    assert len(plan(memory, reply, source=ASSISTANT)) == 1


@pytest.mark.parametrize("lang", ["en", "ja"])
@pytest.mark.parametrize("words", [YES, AGAIN])
def test_a_yes_makes_a_new_item_of_the_user_and_leaves_the_guess_as_it_was(
    memory: ProvenanceMemory, lang: str, words: dict[str, str]
) -> None:
    guess = _planted(memory, lang)
    result = take_turn(memory, words[lang], turn="t2")
    confirmation = memory.get(result.written, scope=ANN)[0]
    assert confirmation.id != guess.id
    assert (confirmation.source, confirmation.text) == (USER, words[lang])
    assert (confirmation.echo_of, confirmed_by(confirmation)) == (guess.id, (guess.id,))
    assert confirmation.origin == (ASSISTANT, USER)
    assert memory.get([guess.id], scope=ANN) == [guess]
    assert {(edge.src, edge.kind, edge.dst) for edge in memory.show(guess.id, scope=ANN).edges} == {
        (confirmation.id, "supports", guess.id)
    }


@pytest.mark.parametrize(
    ("lang", "said"),
    [
        ("en", "I have sleep apnea."),
        ("en", "Do I have sleep apnea?"),
        ("en", 'You wrote "You probably have sleep apnea".'),
        ("en", "Yes, I may have sleep apnea, but I doubt it."),
        ("ja", "私は睡眠時無呼吸です。"),
        ("ja", "私は睡眠時無呼吸ですか。"),
        ("ja", "「あなたは睡眠時無呼吸かもしれません」"),
    ],
)
def test_repeating_asking_or_quoting_a_guess_confirms_nothing(memory: ProvenanceMemory, lang: str, said: str) -> None:
    guess = _planted(memory, lang)
    node = plan(memory, said, turn="t2")[0]
    assert node.source is USER
    assert confirmed_by(node) == ()
    assert node.origin == (USER,)
    assert node.echo_of in {guess.id, ""}


@pytest.mark.parametrize(("lang", "said"), [("en", "I have sleep apnea."), ("ja", "私は睡眠時無呼吸です。")])
def test_a_repetition_without_a_yes_is_marked_as_an_echo(memory: ProvenanceMemory, lang: str, said: str) -> None:
    guess = _planted(memory, lang)
    assert plan(memory, said, turn="t2")[0].echo_of == guess.id
    assert plan(memory, said, turn="t2", thread="another")[0].echo_of == guess.id


@pytest.mark.parametrize(
    "said", ["No.", "Yes. But not always.", "I see. Yes.", "いいえ。", "はい。でも違うと思います。", "Yes?", "はい？"]
)
def test_no_and_a_yes_that_is_taken_back_confirm_nothing(memory: ProvenanceMemory, said: str) -> None:
    _planted(memory, "en")
    assert [confirmed_by(node) for node in plan(memory, said, turn="t2")] == [()] * len(plan(memory, said, turn="t2"))


def test_a_yes_means_the_message_directly_before_it(memory: ProvenanceMemory) -> None:
    guess = _planted(memory, "en")
    take_turn(memory, "What about tea?", "Green tea has caffeine.", turn="t2")
    confirmation = plan(memory, YES["en"], turn="t3")[0]
    assert [node.text for node in memory.get(confirmed_by(confirmation), scope=ANN)] == ["Green tea has caffeine."]
    assert guess.id not in confirmed_by(confirmation)
    assert plan(memory, YES["en"], turn="t3", thread="another")[0].echo_of == ""


def test_a_yes_to_a_guess_that_was_only_restated_confirms_the_first_one(memory: ProvenanceMemory) -> None:
    guess = _planted(memory, "en")
    take_turn(memory, "I see it so.", GUESS["en"], turn="t2")
    assert confirmed_by(plan(memory, YES["ja"], turn="t3")[0]) == (guess.id,)


def test_two_confirmations_in_the_same_words_are_two_items(memory: ProvenanceMemory) -> None:
    _planted(memory, "en")
    first = take_turn(memory, YES["en"], "Green tea has caffeine.", turn="t2").written[0]
    second = take_turn(memory, YES["en"], "Good.", turn="t3").written[0]
    assert first != second
    assert take_turn(memory, "Well.", "Green tea has caffeine.", turn="t4").state == "written"
    assert take_turn(memory, YES["en"], turn="t5").written == (second,)


def test_nobody_elses_guess_is_repeated_or_confirmed(memory: ProvenanceMemory) -> None:
    _planted(memory, "en")
    for said in (YES["en"], AGAIN["en"]):
        assert plan(memory, said, turn="t2", scope=BOB)[0].echo_of == ""
    assert len(plan(memory, GUESS["en"], source=ASSISTANT, turn="t2", scope=BOB)) == 1


def test_lineage_names_only_items_of_this_person(memory: ProvenanceMemory) -> None:
    guess = _planted(memory, "en")
    node = plan(memory, "A note.", source=ASSISTANT, derived_from=[guess.id, "n_unknown"])[0]
    assert node.derived_from == (guess.id,)
    assert plan(memory, "A note.", source=ASSISTANT, derived_from=[guess.id], scope=BOB)[0].derived_from == ()


@pytest.mark.parametrize(
    ("said", "reply", "items"),
    [
        ("Remember: my locker is 41.", "Understood: “my locker is 41”.", 0),
        ("覚えておいて：私のロッカーは41番です。", "承知しました：「私のロッカーは41番です」。", 0),
        ("Our cache is slow.", "The word “cache” hides two different things here.", 1),
        ("前提を見直します。", "「前提」という言葉が二つの意味で使われています。", 1),
    ],
)
def test_a_reply_that_hardly_does_more_than_quote_leaves_no_item(
    memory: ProvenanceMemory, said: str, reply: str, items: int
) -> None:
    planned = memory.plan(
        reply,
        scope=ANN,
        thread="t",
        turn_id="turn1",
        role="assistant",
        author="m",
        recorded_at="2026-06-01T09:00:00+00:00",
        source=ASSISTANT,
        injected=[said],
    )
    assert len(planned) == items
