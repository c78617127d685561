"""Which words does each sentence of a document carry?

Every answer of a deliberation is held against every sentence of its sources, and the corpus is searched by the same
measure. What a document carries follows from its words alone, so it is read once.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final, NamedTuple

from rqa_checkpoints.provenance import split_sentences
from rqa_nodes.structure.text import content_terms

__all__ = ["Sentence", "sentences_of"]

_DOCUMENTS_KEPT: Final = 128
"""Those of one deliberation and of the questions just before it."""


class Sentence(NamedTuple):
    """One sentence."""

    text: str
    terms: frozenset[str]


@lru_cache(maxsize=_DOCUMENTS_KEPT)
def sentences_of(text: str) -> tuple[Sentence, ...]:
    """The sentences of a text in their order, each with its topic terms."""
    return tuple(Sentence(sentence, content_terms(sentence)) for sentence in split_sentences(text))
