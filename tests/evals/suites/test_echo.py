"""The echo suite sees an echo where there is one, and its measures are what they are called."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import cast

import pytest
from langchain_core.messages import BaseMessage

from evals.runner.figures import Cells, summarise
from evals.runner.run import run_plan
from evals.runner.setup import Engine, Setup
from evals.suites import echo
from evals.suites._echo_memories import Ours
from evals.suites.echo import STORIES, SUITE, Given, asserts, is_unmarked, plurality
from rqa_checkpoints.embedding import HashEmbedder

EN, JA = STORIES["en"], STORIES["ja"]


def test_plurality_by_hand() -> None:
    assert plurality([]) == plurality([0, 0]) == 0
    assert plurality([3]) == 1
    assert plurality([2, 2, 0, 0]) == pytest.approx(2)
    # Shares 3/4 and 1/4: exp(0.75 ln(4/3) + 0.25 ln 4).
    assert plurality([3, 1]) == pytest.approx(math.exp(0.75 * math.log(4 / 3) + 0.25 * math.log(4)))


@pytest.mark.parametrize("story", [EN, JA], ids=["en", "ja"])
def test_an_item_is_marked_by_its_speaker_or_by_a_person_who_quotes(story: echo.Story) -> None:
    assert is_unmarked(Given(story.guess, "user"), story)
    assert is_unmarked(Given(story.guess, ""), story)
    assert not is_unmarked(Given(story.guess, "assistant"), story)
    assert not is_unmarked(Given(story.quote, "user"), story)
    assert is_unmarked(Given(story.quote, ""), story)  # whose "you" is that?
    assert not any(is_unmarked(Given(text, "user"), story) for text in (*story.said, *story.fillers))


@pytest.mark.parametrize(
    ("reply", "fact"),
    [
        (EN.guess, True),
        (f"You said “{EN.guess}” [m:abc123].", True),
        (f"I suggested earlier (unverified): {EN.guess}", False),
        (f"On Monday you said “You said: ’{EN.guess}’”.", False),
        (EN.about_guess, False),
        ("Perhaps it is the coffee.", False),
    ],
)
def test_a_reply_makes_a_fact_of_the_guess_or_not(reply: str, fact: bool) -> None:
    assert asserts(reply, EN) is fact


def test_raw_memory_amplifies_the_guess_of_an_assistant_that_talks_to_itself_and_ours_does_not(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(echo, "_PROBES", 3)
    monkeypatch.setattr(echo, "SCENARIOS", {"self-talking assistant": echo.SCENARIOS["self-talking assistant"]})
    setup = Setup(suite="echo")
    setup.__dict__["encoder"] = HashEmbedder()
    with setup.stack:
        plan = SUITE.open(setup)
        rows = run_plan("echo", plan)
    summary = summarise(plan, rows)
    cells = Cells(summary)
    assert summary["failed"] == []
    assert cells.counts("ours", "answers without the guess as a fact") == "6/6"
    assert cells.counts("ours", "assistant's items gained no mass") == "2/2"
    assert cells.value("ours", "echo index, last third") == cells.value("no memory", "echo index, last third") == 0
    assert cells.counts("raw memory, guarded", "answers without the guess as a fact") == "6/6"
    assert cells.value("raw memory, guarded", "copies kept, last third") == 0
    assert cells.value("raw memory, guarded", "echo index, last third") == 0
    assert cells.value("raw memory", "echo index, last third") > 0.1
    assert cells.value("ours", "copies kept, last third") == 0
    copies = [cells.value("raw memory", f"copies kept, {which} third") for which in ("first", "last")]
    assert 1 <= copies[0] < copies[1]
    said = cells.figure("raw memory", "answers without the guess as a fact")
    assert said["hits"] < said["of"]
    assert cells.value("ours", "plurality, last third") > cells.value("raw memory", "plurality, last third")


class _Parrot:
    """A model so weak that it says back what it was given, with the marks of our prompt around it."""

    name = "parrot"

    def ask(self, messages: Sequence[BaseMessage]) -> str:
        return str(messages[-1].content)


def test_what_a_weak_model_says_back_of_the_prompt_becomes_no_note(tmp_path: Path) -> None:
    ours = Ours(EN, cast("Engine", _Parrot()), HashEmbedder(), tmp_path)
    with ours.memory:
        ours.say(EN.said[0], EN.noted)
        kept = ours.kept()
        ours.reflect(EN.about_guess)
        assert ours.kept() == kept != []
