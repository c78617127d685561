"""Does a sentence say nothing but that the one before it is certain, where that is a guess of the assistant's?

"That's settled." behind "I suggested earlier (unverified): ..." takes the mark off again. The patterns are data
(`seals` in the lexicon of each language); a sentence that says anything of its own is none.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Final

from rqa_nodes.echo.draft import Finding
from rqa_nodes.echo.lazily import lazily
from rqa_nodes.echo.lexicon import LANGUAGES, load
from rqa_nodes.echo.types import VerdictKind

__all__ = ["seal_on"]

_LONGEST_CHARS: Final = 80


def _is_marked_guess(before: str) -> bool:
    """Has the verifier put the sentence before under the assistant's own name, as unverified?"""
    return before.strip(" \t\n>*-・").startswith(_credits()) or before.rstrip(" \n.。").endswith(_remarks())


def seal_on(text: str, plain: str, before: str) -> Finding | None:
    """What becomes of a sentence that only calls the guess before it certain: it goes.

    Args:
        text: The sentence.
        plain: The same, folded.
        before: The sentence before it, as it was let out.
    """
    if len(plain) > _LONGEST_CHARS or not _is_marked_guess(before) or not _seals().fullmatch(plain.strip()):
        return None
    return Finding(
        kind=VerdictKind.unbacked_history,
        start=0,
        end=len(text.rstrip()),
        reason="nobody settled what only the assistant suggested",
        action="cut",
    )


@cache
def _credits() -> tuple[str, ...]:
    return tuple(
        load(lang)["wording"][name].strip() for lang in LANGUAGES for name in ("suggestion", "suggestion_of_it")
    )


@cache
def _remarks() -> tuple[str, ...]:
    return tuple(load(lang)["wording"]["not_evidence"].strip() for lang in LANGUAGES)


@cache
def _seals() -> re.Pattern[str]:
    return lazily(r"[^\w]*(?:" + "|".join(words for lang in LANGUAGES for words in load(lang)["seals"]) + r")[^\w]*")
