"""Where do the markers stand in a text that is marked and otherwise left as it is?

Behind each claim that is wrong and behind the brackets that close there; a marker that stands there already is enough.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from rqa_nodes.echo.lexicon import load
from rqa_nodes.echo.types import Verdict, VerdictKind, reason_words

__all__ = ["annotated"]

_CLOSING: Final = tuple("])}>］】〕）")


def annotated(text: str, verdicts: Sequence[Verdict], lang: str) -> str:
    """Mark the wrong claims of a text.

    Args:
        text: The text that the verdicts' places are in.
        verdicts: What was found in it.
        lang: Language of the markers.
    """
    wording = load(lang)["wording"]["marker"]
    for verdict in sorted(verdicts, key=lambda one: one.span[1], reverse=True):
        at = verdict.span[1]
        while text[at : at + 1] in _CLOSING:
            at += 1
        marker = wording.format(reason=reason_words(verdict.kind, lang))
        if verdict.kind is not VerdictKind.valid and not text.startswith(marker, at):
            text = text[:at] + marker + text[at:]
    return text
