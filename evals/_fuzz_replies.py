"""What does a fuzzed reply look like? Labelled items, cut up, disguised and mixed, and soups of the grammar's marks.

Reply number n of a seed is always the same, whoever makes it and in whatever order. A mutation changes the words of a
reply or the facts that it is held against. Some of them keep a claim a claim: a reply that only they have touched
still carries its label.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from evals._fuzz_detector import undisguised
from evals.suites.guard import Item

__all__ = ["CHECKED_KINDS", "KINDS", "Reply", "draw_reply"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """One fuzzed reply."""

    text: str
    facts: Mapping[str, Any]
    """Keyword arguments of `verify`."""
    kinds: tuple[str, ...]
    """The mutations that made it."""
    gone: tuple[str, ...] = ()
    """What must not be left of it: the label of an item whose claim is still whole."""


_SENTENCE: Final = re.compile(r"[^.!?。！？\n]*[.!?。！？\n]+\s*|[^.!?。！？\n]+")
_ENCODED: Final = re.compile(r"&#?\w{1,12};|%[0-9A-Fa-f]{2}|\\")
"""What is no mark any more if something stands in it."""
_UNSEEN: Final = "\u200b\u200c\u200d\u2060\ufeff\u00ad\u034f\u180e"
_BIDI: Final = "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200e\u200f\u061c"
_LOOKALIKES: Final = dict(zip("aeopcyxijsm", "аеорсухіјѕм", strict=True))
_ENTITIES: Final[Mapping[str, tuple[str, ...]]] = {
    "[": ("&#91;", "&#x5b;", "&lbrack;", "&lsqb;", "%5B", "\\["),
    "]": ("&#93;", "&#x5D;", "&rbrack;", "&rsqb;", "%5d", "\\]"),
    ":": ("&#58;", "&colon;", "%3A", "\\:"),
    "_": ("&#95;", "&lowbar;", "%5F", "\\_"),
}
_MARKUP: Final = ("**", "*", "_", "~~", "> ", "- ", "1. ", "# ", "| ", "<b>", "</b>", "<!-- ", " -->", "\n\n", "\n")
_PIECES: Final = (
    *("[m:", "[[m:", "[^m:", "[m :", "m:", "[", "]", "]]", "(", ")", "「", "」", "『", "』", "【", "】", '"', "“", "”"),
    *("`", "``", "```\n", "~~~\n", "|", "\n", "\n\n", ". ", "! ", "? ", ", ", "。", "、", "！", "…", ": ", "; ", "—"),
    *("qq77rr", "zzzzz9", "n_QQ77RR1122AB33CD44EF", "node 54", "#146", "[185]", "(237, 238)", "ノード169", "165番"),
    *("7d1c6f0e-52aa-4c1e-9b1f-0a6b7c8d9e10", "memory ", "my notes ", "過去の記録", "以前の議論", "记忆"),
    *("As we established, ", "we agreed that ", "You said ", "I remember that ", "it was decided that ", "confirmed"),
    *("先ほど確認した通り、", "とおっしゃいました", "だと確認しました", "という結論で合意しました", "前回", "私たち"),
    *("正如我们之前讨论的，", "我们同意", "你说过", "I saved that. ", "記録しました。", "已保存。", "because ", "証拠"),
    *(
        "I suggested earlier (unverified): ",
        "I have no record of that.",
        "その記録はありません。",
        "Dear Ann, ",
        "KING: ",
    ),
    *("\u200b", "\u202e", "\u2028", "\x00", "\x1a", "\ud800", "\u0301", "\t", "word " * 20, "語" * 40, "a.b", "3.11"),
)


def _sentences(text: str) -> list[str]:
    return _SENTENCE.findall(text)


def _splice(reply: Reply, other: Item, draw: random.Random) -> Reply:
    """Words of another item in the middle of it."""
    at = draw.randint(0, len(reply.text))
    return replace(reply, text=reply.text[:at] + other.reply + reply.text[at:])


def _delete(reply: Reply, _other: Item, draw: random.Random) -> Reply:
    at = draw.randint(0, len(reply.text))
    return replace(reply, text=reply.text[:at] + reply.text[at + draw.randint(1, 12) :])


def _duplicate(reply: Reply, _other: Item, draw: random.Random) -> Reply:
    first = draw.randint(0, len(reply.text))
    last = min(len(reply.text), first + draw.randint(1, 80))
    return replace(reply, text=reply.text[:last] + reply.text[first:last] * draw.randint(1, 4) + reply.text[last:])


def _swap_sentences(reply: Reply, _other: Item, draw: random.Random) -> Reply:
    parts = _sentences(reply.text)
    draw.shuffle(parts)
    return replace(reply, text="".join(parts))


def _mix_languages(reply: Reply, other: Item, draw: random.Random) -> Reply:
    """Sentences of two items in turns."""
    parts = _sentences(reply.text) + _sentences(other.reply)
    draw.shuffle(parts)
    return replace(reply, text=draw.choice(("", " ", "\n")).join(parts))


def _swap_memory(reply: Reply, other: Item, draw: random.Random) -> Reply:
    """The facts of another item, all or some."""
    names = draw.sample(sorted(reply.facts), draw.randint(1, len(reply.facts)))
    theirs = other.facts
    return replace(reply, facts={**reply.facts, **{name: theirs[name] for name in names}})


def _markup(reply: Reply, _other: Item, draw: random.Random) -> Reply:
    for _ in range(draw.randint(1, 4)):
        at = draw.randint(0, len(reply.text))
        reply = replace(reply, text=reply.text[:at] + draw.choice(_MARKUP) + reply.text[at:])
    return reply


def _soup(reply: Reply, _other: Item, draw: random.Random) -> Reply:
    """Marks of the grammar and words of the lexicon, with pieces of the reply between them."""
    pieces = [draw.choice(_PIECES) for _ in range(draw.randint(1, draw.choice((4, 12, 30))))]
    parts = [*_sentences(reply.text), *pieces]
    draw.shuffle(parts)
    return replace(reply, text="".join(parts))


def _sprinkled(text: str, chars: str, draw: random.Random) -> str:
    """The text with characters that nobody sees between its own."""
    parts = list(text)
    for _ in range(draw.randint(1, 1 + len(text) // 8)):
        parts.insert(draw.randint(0, len(parts)), draw.choice(chars))
    return "".join(parts)


def _zero_width(reply: Reply, _other: Item, draw: random.Random) -> Reply:
    return replace(reply, text=_sprinkled(reply.text, _UNSEEN, draw))


def _bidi(reply: Reply, _other: Item, draw: random.Random) -> Reply:
    return replace(reply, text=_sprinkled(reply.text, _BIDI, draw))


def _some(text: str, change: Callable[[str], str], draw: random.Random) -> str:
    share = draw.choice((0.1, 0.5, 1.0))
    return "".join(change(char) if draw.random() < share else char for char in text)


def _homoglyph(reply: Reply, _other: Item, draw: random.Random) -> Reply:
    return replace(reply, text=_some(reply.text, lambda char: _LOOKALIKES.get(char, char), draw))


def _wide(char: str) -> str:
    return chr(ord(char) + 0xFEE0) if char.isalnum() and char.isascii() else char


def _full_width(reply: Reply, _other: Item, draw: random.Random) -> Reply:
    return replace(reply, text=_some(reply.text, _wide, draw))


def _entities(reply: Reply, _other: Item, draw: random.Random) -> Reply:
    """The marks of a reference as HTML, Markdown and addresses write them."""

    def encoded(char: str) -> str:
        return draw.choice(_ENTITIES[char]) if char in _ENTITIES else char

    return replace(reply, text=_some(reply.text, encoded, draw))


Mutation = Callable[[Reply, Item, random.Random], Reply]

CHECKED_KINDS: Final[Mapping[str, Mutation]] = {
    "zero_width": _zero_width,
    "bidi": _bidi,
    "homoglyph": _homoglyph,
    "full_width": _full_width,
}
"""Mutations that keep a claim a claim."""

KINDS: Final[Mapping[str, Mutation]] = {
    **CHECKED_KINDS,
    "entities": _entities,
    "splice": _splice,
    "delete": _delete,
    "duplicate": _duplicate,
    "swap_sentences": _swap_sentences,
    "mix_languages": _mix_languages,
    "swap_memory": _swap_memory,
    "markup": _markup,
    "soup": _soup,
}
"""All mutations by name."""


def draw_reply(bad: Sequence[Item], items: Sequence[Item], plain: Sequence[Item], draw: random.Random) -> Reply:
    """A reply: half of them hold a false claim, whole but disguised, the others are anything.

    Args:
        bad: Items whose false claim the verifier takes out as they stand.
        items: All items.
        plain: Plain texts that open no frame such as a letter or a list.
        draw: The reply's own source of chance.
    """
    if draw.random() < 1 / 2:
        return _labelled(draw.choice(bad), plain, draw)
    item = draw.choice(items)
    reply = Reply(text=item.reply, facts=item.facts, kinds=())
    for _ in range(draw.choice((1, 1, 2, 3, 4))):
        name = draw.choice(list(KINDS))
        reply = KINDS[name](reply, draw.choice(items), draw)
        reply = replace(reply, kinds=(*reply.kinds, name))
    return reply


def _labelled(item: Item, plain: Sequence[Item], draw: random.Random) -> Reply:
    before = [draw.choice(plain).reply for _ in range(draw.randint(0, 2))]
    after = [draw.choice(plain).reply for _ in range(draw.randint(0, 2))]
    whole = _ENCODED.search(item.reply) is None
    name = draw.choice(("as_it_is", *CHECKED_KINDS)) if whole else "as_it_is"
    claim = Reply(text=item.reply, facts=item.facts, kinds=("in_context", name))
    if name in CHECKED_KINDS:
        claim = CHECKED_KINDS[name](claim, item, draw)
    around = "\n\n".join((*before, *after))
    gone = tuple(part for part in item.row["expect"]["gone"] if undisguised(part) not in undisguised(around))
    return replace(claim, text="\n\n".join((*before, claim.text, *after)), gone=gone)
