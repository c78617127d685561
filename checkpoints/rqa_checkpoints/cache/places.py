"""Does a question name another place than its request?

What is law in one place is none in another, and a request may say one place while its text says another: then nothing
that is stored can answer it.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import re2

from rqa_checkpoints.cache.canonical import width_folded
from rqa_checkpoints.packaged import packaged

__all__ = ["contradicts", "named_in"]


def named_in(question: str) -> frozenset[str]:
    """Codes of the places that a question names."""
    text = width_folded(question)
    return frozenset(code for code, pattern in _places() if pattern.search(text))


def contradicts(question: str, jurisdiction: str) -> bool:
    """Does the text name places, and none of them is the jurisdiction, a part of it, or what it is a part of?"""
    named = named_in(question) if jurisdiction else frozenset()
    return bool(named) and not any(_related(code, jurisdiction) for code in named)


def _related(one: str, two: str) -> bool:
    return one == two or one.startswith(f"{two}-") or two.startswith(f"{one}-")


@cache
def _places() -> list[tuple[str, Any]]:
    rows = packaged("jurisdictions")
    return [(str(code), re2.compile("|".join(map(_pattern, names)))) for code, names in rows.items()]


def _pattern(name: str) -> str:
    return rf"\b{re2.escape(name)}\b" if name.isascii() else re2.escape(name)
