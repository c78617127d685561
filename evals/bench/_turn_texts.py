"""What is said in the turns of a bench: user messages of 30 words, and replies that cite what they were given."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Literal

from rqa_nodes.echo import Injected

__all__ = ["draw_messages", "draw_reply"]

_PEOPLE = {
    "en": ("my sister", "the landlord", "the teacher", "the customer", "our neighbour"),
    "ja": ("妹", "大家さん", "先生", "取引先", "隣の人"),
}
_THINGS = {
    "en": ("the loom", "the boiler", "the piano", "the bicycle", "the budget"),
    "ja": ("織機", "洗濯機", "朝顔", "自転車", "予算の表"),
}
_ASKED_EN = (
    "Where did {0} leave {1} in October, and on which day did {2} say that {3} would be repaired when we met near "
    "the old station?"
)
_TOLD_EN = (
    "In October {0} moved {1} into the kitchen, because {2} wanted to repair {3} before the winter, and since then "
    "we have no room to read."
)
_MESSAGES = {
    "en": (_ASKED_EN, _TOLD_EN),
    "ja": (
        "{0}が秋に{1}を台所へ運んだのはいつで、{2}が駅前で会ったときに{3}を直すと約束したのは何曜日でしたか。",
        "{0}は秋に{1}を台所へ移しました。{2}が冬の前に{3}を直したいと言ったからで、静かに読める部屋がもうありません。",
    ),
}
_FILLER = {
    "en": "The next step could be to ask again before the winter, unless something else matters more now. ",
    "ja": "次は、ほかに急ぐことがなければ、冬の前にもう一度尋ねてみるとよいかもしれません。",
}


def draw_messages(count: int, *, source: random.Random) -> list[str]:
    """Draw user messages of 30 words: questions and statements, English and Japanese, in turns."""
    found = []
    for number in range(count):
        lang = "ja" if number % 2 else "en"
        people, things = source.sample(_PEOPLE[lang], 2), source.sample(_THINGS[lang], 2)
        found.append(_MESSAGES[lang][number // 2 % 2].format(people[0], things[0], people[1], things[1]))
    return found


def draw_reply(injected: Sequence[Injected], *, lang: Literal["en", "ja"], size: int) -> str:
    """A reply of `size` bytes that quotes and cites each item, and goes on with a sentence of its own."""
    reply = ""
    for item in injected:
        if lang == "en":
            reply += f'"{item.text}" is what you said [m:{item.handle}]. '
        else:
            reply += f"あなたは「{item.text}」と言いました [m:{item.handle}]。"
    while len(reply.encode()) < size:
        reply += _FILLER[lang]
    return reply.encode()[:size].decode(errors="ignore")
