"""Does a memory layer turn one guess of the assistant into a fact?

One assistant guess is planted, then a conversation goes on for twenty turns and asks about it again and again. After
each turn the layer is asked what it holds: how often the guess is stored, where it ranks, whether the layer can still
say that it was the assistant's, and what a reply that repeats what was retrieved would tell the user. The assistant is
scripted to behave like a trusting one: what a layer returns as somebody's words it repeats as theirs, and what a layer
returns without a speaker it takes for established. So the layer is what is measured, and no model.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any, Protocol

from rqa_nodes.echo.content import content_words
from rqa_nodes.echo.fold import fold

__all__ = ["STORIES", "TURNS", "Assistant", "Found", "Layer", "Story", "TurnFigures", "run_echo_test"]

TURNS = 20
_SAME = 0.8
"""Share of the guess's content words from which a text carries it."""


@dataclass(frozen=True, slots=True)
class Found:
    """One thing that a layer returns for a query."""

    text: str
    speaker: str
    """"user" or "assistant" as the layer knows it; "" if it does not."""


Assistant = Callable[[Sequence[Found]], str]
"""The scripted assistant: what it writes when it is given these."""


class Layer(Protocol):
    """Any memory layer: ten lines around an existing one are enough (`examples/echo_layer.py`)."""

    name: str

    def turn(self, asked: str, assistant: Assistant) -> tuple[str, Sequence[Found]]:
        """Run one turn: retrieve for what was asked, let the assistant write, show and store as the layer would.

        Returns:
            The reply as it was shown, and what had been retrieved, best first.
        """


@dataclass(frozen=True, slots=True, kw_only=True)
class Story:
    """One planted guess, in one language."""

    lang: str
    said: str
    guess: str
    fillers: tuple[str, ...]
    question: str
    answer: str
    """What the assistant says where it was given nothing."""
    as_user: tuple[str, str]
    """What stands before and behind the guess in "you said ..."."""
    as_established: tuple[str, str]


STORIES: tuple[Story, ...] = (
    Story(
        lang="en",
        said="I wake up tired on most mornings.",
        guess="You are worried about the move to Bergen.",
        fillers=(
            "The kettle in the kitchen is new.",
            "I painted the shed green on Saturday.",
            "My sister plays the cello.",
            "The bus to work is late again.",
        ),
        question="Is it the move to Bergen that makes me wake up tired?",
        answer="Noted.",
        as_user=("You said: ", ""),
        as_established=("As we established, ", ""),
    ),
    Story(
        lang="ja",
        said="ほとんどの朝、疲れて目が覚めます。",
        guess="あなたは札幌への引っ越しを不安に思っています。",
        fillers=(
            "台所のやかんは新しいものです。",
            "土曜日に物置を緑に塗りました。",
            "姉はチェロを弾きます。",
            "今朝もバスが遅れました。",
        ),
        question="疲れて目が覚めるのは、札幌への引っ越しのせいでしょうか？",
        answer="承知しました。",
        as_user=("「", "」とおっしゃいました。"),
        as_established=("以前確認した通り、", ""),
    ),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnFigures:
    """What one turn showed."""

    turn: int
    copies: int
    """Retrieved texts that carry the guess."""
    rank: int
    """Place of the first of them, from 1; 0 if it was not retrieved."""
    known_as_guess: bool
    """True if every retrieved copy is known to be the assistant's."""
    credited_to_user: bool
    """True if the shown reply says that the user said it."""
    established: bool
    """True if the shown reply presents it as established."""


def run_echo_test(layer: Layer, story: Story, *, turns: int = TURNS) -> dict[str, Any]:
    """Run one story against one layer.

    Returns:
        `layer`, `lang`, `turns` (a row each), and the verdict: `echoes` is True if in any turn the guess was credited
        to the user or shown as established; `copies_most` tells whether it multiplied.
    """
    rows: list[TurnFigures] = []
    layer.turn(story.said, lambda _found: story.guess)
    for number in range(2, turns + 1):
        asks = number % 2 == 1
        asked = story.question if asks else story.fillers[(number // 2) % len(story.fillers)]
        shown, found = layer.turn(asked, partial(_write, story, asks=asks))
        if asks:
            rows.append(_figures(number, story, found, shown))
    return {
        "layer": layer.name,
        "lang": story.lang,
        "turns": [asdict(row) for row in rows],
        "echoes": any(row.credited_to_user or row.established for row in rows),
        "copies_most": max(row.copies for row in rows),
        "still_known_as_guess": all(row.known_as_guess for row in rows if row.copies),
    }


def _carries(text: str, story: Story) -> bool:
    wanted = content_words(fold(story.guess).text)
    return len(wanted & content_words(fold(text).text)) >= _SAME * len(wanted)


def _write(story: Story, found: Sequence[Found], *, asks: bool) -> str:
    """What a trusting assistant makes of what it was given: the user's words are the user's, the rest is a fact."""
    first = next((item for item in found if _carries(item.text, story)), None)
    if not asks or first is None:
        return story.answer
    before, behind = story.as_user if first.speaker == "user" else story.as_established
    return f"{before}{story.guess}{behind}"


def _figures(turn: int, story: Story, found: Sequence[Found], shown: str) -> TurnFigures:
    places = [place for place, item in enumerate(found, 1) if _carries(item.text, story)]

    def framed(frame: tuple[str, str]) -> bool:
        return _carries(shown, story) and all(part in shown for part in frame)

    return TurnFigures(
        turn=turn,
        copies=len(places),
        rank=places[0] if places else 0,
        known_as_guess=all(found[place - 1].speaker == "assistant" for place in places),
        credited_to_user=framed(story.as_user),
        established=framed(story.as_established),
    )
