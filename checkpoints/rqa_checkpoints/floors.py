"""From which cosine on are a question and a text related?

Scales differ by embedder and by language: with multilingual-e5-small unrelated Japanese sentences lie nearer to each
other than unrelated English ones.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from rqa_checkpoints.embedding import Encoder
    from rqa_checkpoints.index import VectorIndex

__all__ = ["Floors", "kept_floors"]

_CJK: Final = re.compile(r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff66-\uff9f]")


class Floors(NamedTuple):
    """A cosine for each language that was measured."""

    en: float
    """For questions in any language without kana and Chinese characters."""
    ja: float

    def of(self, question: str) -> float:
        """The cosine below which a text is not related to this question."""
        return self.ja if _CJK.search(question) else self.en


def kept_floors(index: VectorIndex, encoder: Encoder) -> Floors:
    """What an encoder calls related: kept with its vectors, measured where that was never done.

    Raises what the encoder raises.
    """
    kept = index.floors()
    if kept is None:
        kept = encoder.floors
        index.set_floors(kept)
    return kept
