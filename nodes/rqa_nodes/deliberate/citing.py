"""Which source carries a sentence that a person wrote without naming one?

Nobody can be asked to type handles. A sentence that a source carries gets that source's reference; one that none
carries stays as it is, and is counted as a claim without support.
"""

from __future__ import annotations

from collections.abc import Sequence

from rqa_checkpoints.provenance import split_sentences
from rqa_nodes.deliberate.claims import Document, Guard, span_in

__all__ = ["with_references"]

_ENDS = ".!?。！？"


def with_references(text: str, sources: Sequence[Document], guard: Guard, lang: str) -> str:
    """The text with a reference in each sentence that has none and that a source carries."""
    for sentence in split_sentences(text):
        if "[m:" in sentence or sentence not in text:
            continue
        handle = next((source.handle for source in sources if span_in(sentence, source.text, guard, lang)), "")
        if handle:
            body = sentence.rstrip(_ENDS)
            text = text.replace(sentence, f"{body} [m:{handle}]{sentence[len(body) :]}", 1)
    return text
