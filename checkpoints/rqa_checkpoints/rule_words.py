"""In which words is a change of the memory refused? A person meets these, in the language of their command line."""

from __future__ import annotations

from functools import cache
from typing import Any

from rqa_checkpoints.errors import RuleBrokenError
from rqa_checkpoints.packaged import packaged

__all__ = ["broken"]


@cache
def _table() -> Any:
    return packaged("rule_words")


def broken(key: str, /, **values: object) -> RuleBrokenError:
    """The refusal with this key, with message and hint in both languages; `values`: what they name."""
    row = _table()[key]
    (message, hint), ja = ([text.format(**values) for text in row[lang]] for lang in ("en", "ja"))
    return RuleBrokenError(message, hint=hint, ja=(ja[0], ja[1]))
