"""Which part of a model's words is its answer, and which is thinking that leaked into it?

Invariant: text between a thinking tag at the very start and its end never comes out, however the chunks fall; all
other text comes out unchanged, so that a reply may speak about such tags.
The outside fact: thinking is switched off at the server, but OpenAI-compatible servers without a reasoning parser
still send it inline, before the answer.
"""

from __future__ import annotations

__all__ = ["AnswerOnly"]

_TAGS = (("<think>", "</think>"), ("<thinking>", "</thinking>"), ("<thought>", "</thought>"))


class AnswerOnly:
    """Feed it chunks; it returns the words of the answer. Linear in the text."""

    def __init__(self) -> None:
        self._held = ""
        self._closing = ""
        self._decided = False

    def feed(self, chunk: str) -> str:
        """The part of the answer that is certain by now; white space before it is dropped."""
        if self._decided:
            return chunk
        self._held = (self._held + chunk) if self._closing else (self._held + chunk).lstrip()
        if not self._closing and not self._opens():
            return ""
        return self._after_thinking() if self._closing else self._release(self._held)

    def finish(self) -> str:
        """What is left at the end: nothing if the thinking never ended."""
        held, self._held = self._held, ""
        return "" if self._closing else held

    def _opens(self) -> bool:
        """Is it decided whether the text begins with a tag? If it does, the tag is taken off."""
        for opening, closing in _TAGS:
            if self._held.startswith(opening):
                self._held, self._closing = self._held[len(opening) :], closing
                return True
        return not any(opening.startswith(self._held) for opening, _ in _TAGS)

    def _after_thinking(self) -> str:
        before, found, after = self._held.partition(self._closing)
        if not found:
            self._held = before[-len(self._closing) :]
            return ""
        self._closing = ""
        return self._release(after.lstrip())

    def _release(self, text: str) -> str:
        self._decided, self._held = True, ""
        return text
