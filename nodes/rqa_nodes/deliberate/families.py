"""To which family does a model belong?

Two models of one family share training and mistakes, so they are one voice. The first word of the bare name decides:
that may join what is not one (and costs a second opinion), and never parts what is.
"""

from __future__ import annotations

import re

__all__ = ["family_of"]

_WORD = re.compile(r"[a-z]+")


def family_of(engine: str) -> str:
    """The family of a model by the name that people see.

    "ollama:gemma4:12b" is of "gemma", "groq:openai/gpt-oss-120b" of "gpt"; a name without letters is its own family.
    """
    provider, colon, rest = engine.casefold().partition(":")
    bare = (rest if colon and rest else provider).rpartition("/")[2]
    found = _WORD.search(bare)
    return found.group() if found else bare
