"""Whom does a sentence credit with what it cites, in words that claim no earlier talk by themselves?

"You were leaning towards X" is about the reader's mind, and nobody knows it better than he. Beside a reference to what
the assistant said, it gives him the assistant's words. So these rules are wide, and hold only where everything that the
sentence cites is of one class, to which its words do not fit. The rules are data (`lexicon/en_credit.yaml` and its
like); whoever owns up to a guess, asks, or puts a condition, credits nobody.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from rqa_nodes.echo.content import content_words
from rqa_nodes.echo.elsewhere import is_quoted
from rqa_nodes.echo.fold import fold
from rqa_nodes.echo.grammar import find_rules
from rqa_nodes.echo.lazily import lazily
from rqa_nodes.echo.sentence import Sentence

__all__ = ["Credit", "find_credit"]


class Credit(NamedTuple):
    """The words that credit somebody, in the folded sentence."""

    start: int
    end: int


_OWNED_UP: Final = lazily(
    r"unverified|not verified|unconfirmed|(?<![a-z])i (?:[a-z]+ )?(?:suggested|guessed|proposed|suspected|"
    r"assumed|wondered)"
    r"|(?<![a-z])my (?:own )?(?:earlier |previous |first )?(?:suggestion|guess|idea|proposal|hunch|assumption)(?![a-z])"
    r"|未確認|未検証|推測|私の(?:以前の)?提案|(?:私|僕|俺)が[^。]{0,12}(?:提案|言|勧め)|裏付けはな|確かめて"
    r"|未经|未經|我(?:之前|先前|曾)?(?:的)?(?:猜测|推测|建议|提议|猜測|推測|建議|提議)"
)
_CREDITED: Final = lazily(r" says: |^[\s>*_#•・-]*you said: |によると: |の発言: |说过：|说：|說：|说过:|说:")
"""The repair itself."""
_ASKED: Final = lazily(r"[?？]\W*$|(?:か|吗|嗎|呢)。?\s*$")
_OPEN: Final = lazily(
    r"(?<![a-z])(?:if|when|whenever|should|do|did|does|would|could|can|whether|unless|what|how|why|let|help|hope|may|might|must|"
    r"once|until|before|after|(?<!, )who|(?<!, )which|that|and|or|to|than|because|since|so)[ ,]+(?:[a-z]+ly )?$"
    r"|(?:如果|要是|假如|是否|让|讓|请|請|希望|给|給|帮|幫|对|對|跟|和)$"
)
"""What, directly before the words, makes them a condition, a question or part of another clause."""


def _is_named_there(credited: str, sentence: Sentence) -> bool:
    """Does what is cited itself name whom the words credit? The user may well have told what a letter says."""
    told = [f"{item.author} {item.text}" for item in sentence.cited]
    names = content_words(credited)
    return not names or any(names & content_words(fold(one).text) for one in told)


def find_credit(sentence: Sentence) -> Credit | None:
    """The first words that credit somebody to whom what is cited does not belong.

    Args:
        sentence: A sentence; all its references are valid.
    """
    text = sentence.plain
    sources = {item.source for item in sentence.cited}
    if len(sources) != 1 or _ASKED.search(text) or _CREDITED.search(text):
        return None
    source = next(iter(sources))
    if source == "assistant" and _OWNED_UP.search(text):
        return None
    for found in find_rules(f"{sentence.lang}_credit", text):
        start, end = found.inner or (found.start, found.end)
        if source not in found.rule["of"] or is_quoted(text, start, end):
            continue
        if "names" in found.rule and _is_named_there(text[start:end], sentence):
            continue
        if not _OPEN.search(text, max(0, start - 24), start):
            return Credit(start, end)
    return None
