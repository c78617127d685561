"""Why did the verifier change this, in the reader's language?

A report gives the reason of each verdict in English, as part of its format. The messages hold the same sentences, by
which they are found again, beside those of the other language.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Final

from rqa_graph.messages import keys, say

__all__ = ["reason_in"]

_PREFIX: Final = "verdict."
_VALUES: Final = ("source", "count")
"""What a reason may name; in a pattern, any word."""


def reason_in(reason: str, lang: str) -> str:
    """A reason of a verdict in another language; as it is where that has no words for it.

    Args:
        reason: As a report gives it.
        lang: Language of the answer.
    """
    for key, pattern in _reasons() if lang != "en" else ():
        match = pattern.fullmatch(reason)
        if match is not None:
            values: dict[str, str] = match.groupdict()
            if "source" in values:
                values["source"] = say(f"source.{values['source']}", lang)
            return say(key, lang, **values)
    return reason


@cache
def _reasons() -> tuple[tuple[str, re.Pattern[str]], ...]:
    """Each message with the pattern of its English sentence, whose values may be any word."""
    marks = {name: f"\0{name}\0" for name in _VALUES}
    found = []
    for key in keys():
        if key.startswith(_PREFIX):
            pattern = re.escape(say(key, "en", **marks))
            for name, mark in marks.items():
                pattern = pattern.replace(re.escape(mark), rf"(?P<{name}>\w+)")
            found.append((key, re.compile(pattern)))
    return tuple(found)
