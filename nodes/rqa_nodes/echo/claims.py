"""Where does a sentence claim shared history, or that somebody said something?

A claim is a stretch of the folded sentence, with what it claims: an adverbial ("as we agreed, X"), a main clause
("we agreed that X") or a passive one ("X was agreed"). This module finds claims; whether they are true is decided in
`history`. Conditions, questions and denials claim nothing.
"""

from __future__ import annotations

from collections.abc import Iterator

from rqa_nodes.echo.claim import Claim
from rqa_nodes.echo.claims_en import english_claims
from rqa_nodes.echo.claims_ja import japanese_claims
from rqa_nodes.echo.claims_zh import chinese_claims
from rqa_nodes.echo.sentence import Sentence

__all__ = ["find_claims"]


def find_claims(sentence: Sentence) -> Iterator[Claim]:
    """Find the claims of a sentence, the most telling form first."""
    if "claim" not in sentence.signals:
        return
    if sentence.lang == "en":
        yield from english_claims(sentence.plain)
    elif sentence.lang == "ja":
        yield from japanese_claims(sentence.plain)
    else:
        yield from chinese_claims(sentence.plain)
