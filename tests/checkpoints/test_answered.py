"""Which answer of the person's stands to a guess: the last one, as long as it is there and nothing says otherwise."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from rqa_checkpoints.memory import ProvenanceMemory
from rqa_checkpoints.provenance import Kind, MemoryNode, SourceClass, Stance
from tests.support.memories import ANN, BOB, open_memory, take_turn

GUESS = {"en": "You fear failing.", "ja": "失敗を恐れているのでしょう。"}


@pytest.fixture
def memory() -> Iterator[ProvenanceMemory]:
    with open_memory() as opened:
        yield opened


def _guess(memory: ProvenanceMemory, text: str = GUESS["en"]) -> MemoryNode:
    return memory.add(text, scope=ANN, source=SourceClass.assistant, author="m")


def _stance(memory: ProvenanceMemory, guess: MemoryNode) -> str:
    answer = memory.answered([guess.id], scope=ANN).get(guess.id)
    return answer.stance.value if answer else ""


@pytest.mark.parametrize("lang", ["en", "ja"])
def test_the_last_answer_stands(memory: ProvenanceMemory, lang: str) -> None:
    guess, other = _guess(memory, GUESS[lang]), _guess(memory, "You keep bees.")
    said: dict[str, object] = {"scope": ANN, "lang": lang}
    assert _stance(memory, guess) == ""
    yes = memory.confirm(guess.handle, **said)  # type: ignore[arg-type]
    assert memory.answered([guess.id, other.id], scope=ANN)[guess.id].by.id == yes.id
    for verb, stance in ((memory.deny, "denied"), (memory.confirm, "confirmed"), (memory.confirm, "confirmed")):
        verb(guess.handle, **said)  # type: ignore[arg-type]
        assert (_stance(memory, guess), _stance(memory, other)) == (stance, "")
    memory.deny(guess.handle, words="Races bore me.", **said)  # type: ignore[arg-type]
    assert _stance(memory, guess) == "denied"


@pytest.mark.parametrize(
    ("said", "stance"),
    [
        ("Yes, that's right.", "confirmed"),
        ("Yes.", "confirmed"),
        ("Yes. I fear failing.", "confirmed"),
        ("No.", "denied"),
        ("I do not fear failing.", "denied"),
        ("I fear failing.", ""),
        ("Is it so that I fear failing?", ""),
        ('"Yes, you fear failing", says my sister.', ""),
        ("Yes. But not always.", ""),
        ("Yes, remind me at six.", ""),
    ],
)
def test_what_a_person_says_in_a_turn_counts_if_it_affirms(memory: ProvenanceMemory, said: str, stance: str) -> None:
    take_turn(memory, "I missed my run.", GUESS["en"], turn="t1")
    take_turn(memory, said, turn="t2")
    [guess] = [node for node in memory.list(scope=ANN) if node.text == GUESS["en"]]
    assert _stance(memory, guess) == stance


def test_a_yes_that_is_forgotten_confirms_nothing_until_it_is_back(memory: ProvenanceMemory) -> None:
    guess = _guess(memory)
    yes = memory.confirm(guess.handle, scope=ANN)
    memory.forget(yes.handle, scope=ANN)
    assert _stance(memory, guess) == ""
    memory.restore(yes.handle, scope=ANN)
    assert _stance(memory, guess) == "confirmed"
    memory.unrelate(yes.handle, guess.handle, "supports", scope=ANN)
    assert _stance(memory, guess) == ""


def test_a_relation_that_somebody_drew_is_no_answer_and_a_contradiction_takes_one_back(
    memory: ProvenanceMemory,
) -> None:
    guess = _guess(memory)
    yes_to_other = memory.confirm(_guess(memory, "You keep bees.").handle, scope=ANN)
    said = memory.add("Races are my joy.", scope=ANN, source=SourceClass.user, author="ann")
    page = memory.add("Yes.", scope=ANN, source=SourceClass.external, author="w", locator="page.html")
    for node in (yes_to_other, said, page):
        memory.relate(node.handle, guess.handle, "supports", scope=ANN)
        assert _stance(memory, guess) == ""
    memory.confirm(guess.handle, scope=ANN)
    assert _stance(memory, guess) == "confirmed"
    memory.relate(said.handle, guess.handle, "contradicts", scope=ANN)
    assert _stance(memory, guess) == ""


@pytest.mark.parametrize(
    "text",
    ["Ignore the guess.", "Is that so? Yes.", '"Yes"', "If you say so, yes.", "Yes, but no.", "はい、でも違います。"],
)
def test_an_imported_item_that_claims_to_confirm_has_to_say_so(memory: ProvenanceMemory, text: str) -> None:
    guess = _guess(memory)
    yes = memory.confirm(guess.handle, scope=ANN)
    rows = [
        {**row, "text": text, "kind": Kind.statement.value} if row.get("id") == yes.id else row
        for row in memory.export(scope=ANN)
    ]
    with open_memory() as elsewhere:
        elsewhere.import_export(rows, scope=BOB)
        [moved] = [node for node in elsewhere.list(scope=BOB) if node.source is SourceClass.assistant]
        assert elsewhere.answered([moved.id], scope=BOB) == {}
        elsewhere.import_export(memory.export(scope=ANN), scope=ANN)
        [moved] = [node for node in elsewhere.list(scope=ANN) if node.source is SourceClass.assistant]
        assert elsewhere.answered([moved.id], scope=ANN)[moved.id].stance is Stance.confirmed


def test_nobody_answers_for_another(memory: ProvenanceMemory) -> None:
    guess = _guess(memory)
    memory.confirm(guess.handle, scope=ANN)
    assert memory.answered([guess.id], scope=BOB) == {}
    assert memory.answered(["n_unknown"], scope=ANN) == {}
    assert memory.answered([], scope=ANN) == {}
