"""Which replies does the verifier's bench check: ordinary ones that grow, and ones that are made to cost?

No sentence of an ordinary reply stands in it twice, because what repeats itself is checked once.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping
from typing import Final, Literal

from evals.bench.index import draw_nodes
from rqa_nodes.echo import Injected

__all__ = ["PATHOLOGICAL", "Shape", "draw_claims", "draw_items", "draw_plain", "fill", "write_reply"]

Shape = Literal["en", "ja"]

PATHOLOGICAL: Final[Mapping[str, str]] = {
    "references to nothing": "[m:a]",
    "references to items": "[m:k3v9x1]",
    "references in markup": "&#91;m:a&#93;",
    "one English sentence": "word and more words ",
    "one Japanese sentence": "港のポンプ",
    "one word": "a",
    "the same claim": "As we established, the gasket is worn. ",
    "the same Japanese claim": "先ほど確認した通り、ガスケットの摩耗が原因です。",
    "a claim that never ends": "as we established ",
    "receipts": "I saved that. ",
    "ids in prose": "memory node 54 and ",
    "open square brackets": "[",
    "open brackets and quotes": '([「"',
    "open references": "[m:",
    "straight quotes": '"',
    "pairs": "()",
    "line breaks": "\n",
    "code fences": "```\n",
    "backticks": "`",
    "full stops": ".",
    "spaces": " ",
    "unseen characters": "\u200b",
    "combining marks": "e\u0301",
}
"""What is repeated until the reply is long enough."""

_CLAIMS: Final[Mapping[Shape, tuple[str, ...]]] = {
    "en": (
        "As we established, {0} ",
        "You said that {0} ",
        "We agreed that {0} ",
        "In our last session {0} ",
        "{0} That was settled between us. ",
        "See node {1}: {0} ",
        "{0} [m:{1}zz9q] ",
    ),
    "ja": (
        "先ほど確認した通り、{0}",
        "前回お話ししたように、{0}",
        "あなたは{0}とおっしゃいました。",
        "{0}という結論で合意しました。",
        "過去の記録{1}によると、{0}",
        "{0}[m:{1}zz9q]",
    ),
}


def _draw_texts(count: int, *, source: random.Random) -> Iterator[str]:
    """Sentences, English and Japanese in equal parts; none ends in a number, which could be that of a list."""
    for node in draw_nodes(count, user="me", source=source):
        words, _, number = node.text.rpartition(" ")
        yield f"{words} on day {number[:-1]} of the year." if node.text.isascii() else node.text


def draw_plain(lang: Shape, *, source: random.Random) -> Iterator[str]:
    """Sentences without end, in one language."""
    while True:
        for text in _draw_texts(64, source=source):
            if text.isascii() == (lang == "en"):
                yield text + (" " if lang == "en" else "")


def draw_claims(lang: Shape, *, source: random.Random) -> Iterator[str]:
    """Sentences without end that each claim what nobody said."""
    for text in draw_plain(lang, source=source):
        yield source.choice(_CLAIMS[lang]).format(text.strip(), source.randrange(1000, 10000))


def draw_items(count: int, *, source: random.Random) -> list[Injected]:
    """Items of the user, with handles as they are written."""
    return [
        Injected(handle=f"k3v9x{number}", source="user", text=text, id=f"n_K3V9X{number}77AB12CD34EF56")
        for number, text in enumerate(_draw_texts(count, source=source))
    ]


def fill(sentences: Callable[[], str], *, size: int) -> str:
    """As many of the sentences as go into so many bytes."""
    parts, length = [], 0
    while length < size:
        parts.append(sentences())
        length += len(parts[-1].encode())
    return "".join(parts).encode()[:size].decode(errors="ignore")


def write_reply(items: list[Injected], *, lang: Shape, size: int, source: random.Random) -> str:
    """A reply of so many bytes that quotes and cites each item, between sentences of its own."""
    plain = draw_plain(lang, source=source)
    cited = iter(items)

    def sentence() -> str:
        item = next(cited, None)
        if item is None:
            return next(plain)
        if lang == "en":
            return f'"{item.text}" is what you said [m:{item.handle}]. ' + next(plain)
        return f"あなたは「{item.text}」と言いました [m:{item.handle}]。" + next(plain)

    return fill(sentence, size=size)
