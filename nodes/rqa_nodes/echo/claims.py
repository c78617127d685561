"""Where does a sentence claim shared history, or that somebody said something?

A claim is a stretch of the folded sentence, with what it claims: an adverbial ("as we agreed, X"), a main clause
("we agreed that X") or a passive one ("X was agreed"). This module finds claims; whether they are true is decided in
`history`. Conditions, questions and denials claim nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from rqa_nodes.echo.claim import Claim
from rqa_nodes.echo.claims_en import english_claims
from rqa_nodes.echo.claims_ja import japanese_claims
from rqa_nodes.echo.claims_zh import chinese_claims
from rqa_nodes.echo.sentence import Sentence

__all__ = ["find_claims"]


def find_claims(sentence: Sentence) -> Iterator[Claim]:
    """Find the claims of a sentence, the most telling form first; each is looked for once, whoever asks."""
    if "claim" not in sentence.signals:
        return iter(())
    text = sentence.plain if sentence.lang == "en" or not sentence.references else _closed(sentence)
    return sentence.claims.of(_READERS[sentence.lang], text)


_MARKS: Final = frozenset("、。,，.!?！？;；")


def _closed(sentence: Sentence) -> str:
    """The sentence with the mark that follows a reference in its place, length for length.

    Japanese and Chinese claims are told by what ends them, and a reference stands between a verb and its full stop.
    """
    text = sentence.plain
    for reference, _ in reversed(sentence.references):
        after = text[reference.end :].lstrip(" \n")[:1]
        if not after or after in _MARKS:
            gap = " " * (reference.end - reference.start - 1)
            text = text[: reference.start] + (after or "。") + gap + text[reference.end :]
    return text


_READERS: Final = {"en": english_claims, "ja": japanese_claims, "zh": chinese_claims}
