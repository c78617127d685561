"""By which yardstick is a question judged, and is it still the approved one?

The rubric is package data, and its hash is part of the approved binding: whoever edits the text has changed the
evaluator, and needs a person's approval before it judges again.
"""

from __future__ import annotations

import hashlib
from functools import cache
from importlib import resources

__all__ = ["rubric_hash", "rubric_text"]


@cache
def rubric_text() -> str:
    """The evaluator's instructions, the same for every language and binding."""
    return resources.files("rqa_nodes.reflect").joinpath("rubric.md").read_text(encoding="utf-8")


def rubric_hash(text: str | None = None) -> str:
    """`sha256:` and the hex digest of a rubric (default: ours).

    Line ends are folded, so that a checkout on another system cannot change it.
    """
    folded = (rubric_text() if text is None else text).replace("\r\n", "\n")
    return "sha256:" + hashlib.sha256(folded.encode("utf-8", "surrogatepass")).hexdigest()
