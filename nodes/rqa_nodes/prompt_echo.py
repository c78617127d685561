"""Which part of a reply is only our own prompt, said back?

Small models repeat the marks of the blocks they were given ("[/input]", a line's "(source=user kind=...)"). These are
no words of an answer, they would be refused as memory, and a person must not see them. Only whole marks in the exact
form in which `prompts.py` writes them are taken out; everything else, brackets included, comes out unchanged.
"""

from __future__ import annotations

import re
from typing import Final

__all__ = ["WithoutPromptEcho"]

_LONGEST_CHARS: Final = 240
"""A bracket that has not closed by then is no mark of ours."""

_MARK: Final = re.compile(
    r"\[/(?:memory_context|document|transcript|feedback|input)\]"
    r"|\[(?:memory_context|transcript|feedback)\]"
    r"|\[rqa task=[^\[\]()\n]{0,200}\]"
    r"| ?\((?:source|kind)=\w+ (?:kind|date)=[^\[\]()\n]{0,200}\)"
)
_UNDECIDED: Final = re.compile(r" ?\([^\[\]()\n]*\Z|\[[^\[\]()\n]*\Z| \Z")
"""What may still become a mark. No mark holds another bracket or a line end, so that either decides."""


class WithoutPromptEcho:
    """Feed it chunks; it returns them without our marks. Linear in the text, whatever the chunks."""

    def __init__(self) -> None:
        self._held = ""

    def feed(self, chunk: str) -> str:
        """What is certain by now."""
        text = self._held + chunk
        undecided = _UNDECIDED.search(text, max(0, len(text) - _LONGEST_CHARS))
        keep = undecided.start() if undecided else len(text)
        self._held = text[keep:]
        return _MARK.sub("", text[:keep])

    def finish(self) -> str:
        """What is left at the end."""
        held, self._held = self._held, ""
        return _MARK.sub("", held)
