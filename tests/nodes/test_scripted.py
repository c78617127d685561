"""The scripted model says what it was told to say, and cites like a model that has read its prompt."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from langchain_core.messages import BaseMessage

from rqa_checkpoints.provenance import SourceClass
from rqa_nodes.errors import ModelUnavailableError
from rqa_nodes.prompt_parts import MemoryLine, PromptParts
from rqa_nodes.prompts import render
from rqa_nodes.scripted import ScriptedChatModel, ScriptedEvaluator

_LATER = datetime(2026, 6, 1, tzinfo=UTC)


def _prompt(*texts: str) -> list[BaseMessage]:
    lines = tuple(
        MemoryLine(handle=f"k3v9x{number}", source=SourceClass.user, text=text, id=f"n_{number}")
        for number, text in enumerate(texts)
    )
    return render(PromptParts(task="answer", lang="en", user_text="what?", memory=lines))


def test_replies_come_in_order_and_errors_are_raised() -> None:
    model = ScriptedChatModel(["one", ModelUnavailableError("down"), "three"])
    assert model.complete(_prompt(), deadline=_LATER, schema=None) == "one"
    with pytest.raises(ModelUnavailableError, match="down"):
        model.complete(_prompt(), deadline=_LATER, schema=None)
    assert "".join(model.stream(_prompt(), deadline=_LATER)) == "three"
    with pytest.raises(ModelUnavailableError, match="script"):
        model.complete(_prompt(), deadline=_LATER, schema=None)
    assert (len(model.prompts), model.written) == (4, ["one", "three"])


@pytest.mark.parametrize(
    ("reply", "written"),
    [
        ("You walk {m:canal}.", "You walk [m:k3v9x0]."),
        ("丘です{m:丘の道}。", "丘です[m:k3v9x1]。"),
        ("You fly {m:airship}.", "You fly ."),
        ("Both {m:canal}{m:丘}.", "Both [m:k3v9x0][m:k3v9x1]."),
    ],
)
def test_a_reference_is_that_of_the_item_which_holds_the_words(reply: str, written: str) -> None:
    model = ScriptedChatModel([reply])
    assert model.complete(_prompt("the canal path", "丘の道"), deadline=_LATER, schema=None) == written


async def test_the_async_forms_say_the_same() -> None:
    model = ScriptedChatModel(["one", "a longer reply in chunks"], chunk=5)
    assert await model.acomplete(_prompt(), deadline=_LATER, schema=None) == "one"
    chunks = [chunk async for chunk in model.astream(_prompt(), deadline=_LATER)]
    assert "".join(chunks) == "a longer reply in chunks"
    assert max(map(len, chunks)) == 5


async def test_an_evaluator_whose_script_is_over_cannot_be_asked() -> None:
    judge = ScriptedEvaluator(["a", ModelUnavailableError("429")])
    assert judge.unusable() == ""
    assert await judge.acomplete(_prompt(), deadline=_LATER, schema=None) == "a"
    with pytest.raises(ModelUnavailableError, match="429"):
        judge.complete(_prompt(), deadline=_LATER, schema=None)
    assert judge.unusable() == "script_over"
    judge.judged(usable=False)
    assert (judge.usable, len(judge.prompts)) == ([False], 2)
