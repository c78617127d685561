"""From which cosine on are a question and a text related?

Scales differ by embedder and by language: with multilingual-e5-small unrelated Japanese sentences lie nearer to each
other than unrelated English ones.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

__all__ = ["Floors"]

_CJK: Final = re.compile(r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff66-\uff9f]")


class Floors(NamedTuple):
    """A cosine for each language that was measured."""

    en: float
    """For questions in any language without kana and Chinese characters."""
    ja: float

    def of(self, question: str) -> float:
        """The cosine below which a text is not related to this question."""
        return self.ja if _CJK.search(question) else self.en
