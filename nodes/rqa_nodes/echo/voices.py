"""Who speaks in a sentence of the reply: the assistant to the user, or somebody whom it only writes for?

A letter that the assistant drafts, and a line of a play or a transcript, speak of what was agreed between other people:
that is no claim about this talk. A frame opens with a salutation, a subject line or the announcement of a draft and
closes with the letter; a label such as "KING:" holds for its own line. Read from what left, so that a second look sees
the same frames.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Final, Literal

from rqa_nodes.echo.claim import any_of
from rqa_nodes.echo.fold import fold
from rqa_nodes.echo.lazily import lazily
from rqa_nodes.echo.lexicon import load
from rqa_nodes.echo.voices_cjk import Draft, Drafts

__all__ = ["Frame", "Voice", "Voices"]

Voice = Literal["", "other", "draft"]
"""The assistant's own; somebody else's, by its form; somebody else's, as the user asked for it."""

Frame = tuple[Voice, bool, bool, Draft]
"""Which frames are open: a letter, an announced text, a script, a draft in Japanese or Chinese."""

_LEAD: Final = r"^[\s>*_#\"“-]*"
_SUBJECT: Final = lazily(_LEAD + r"(?:subject|re)\s?[*_]{0,3}:", re.IGNORECASE)
_DEAR: Final = lazily(
    _LEAD + r"(?:dear(?P<who>(?: [\w.'’-]+){1,5}?)|"
    r"to whom it may concern)\s?[,:!]",
    re.IGNORECASE,
)
_HELLO: Final = lazily(
    _LEAD + r"(?:hi|hello|hey|good (?:morning|day|evening))"
    r"(?P<who>(?: [\w.'’-]+){0,4}?)\s?[,!]",
    re.IGNORECASE,
)
_CLOSING: Final = lazily(
    _LEAD + r"(?:(?:with )?(?:best|kind|kindest|warm|warmest|many)? ?(?:regards|wishes)|yours(?: \w+)?|"
    r"sincerely(?: yours)?|"
    r"cheers|many thanks|all the best|best)[*_]{0,3},?\s*$|^\s*(?:-{3,}|\*{3,}|_{3,})\s*$",
    re.IGNORECASE,
)
_ANNOUNCED: Final = lazily(
    r"(?<![a-z])(?:draft|letter|e-?mail|mail|message|wording|template|note to|reply to|speech|toast|script|scene|"
    r"dialogue|sketch|story|poem|say|write|send|text)(?![a-z])[^.!?]{0,80}:[*_]{0,3}\s*$",
    re.IGNORECASE,
)
_ASKED_FOR: Final = lazily(
    r"(?<![a-z])(?:mail|e-?mail|letter|message to|draft|reply to|text to|note to|speech|toast|script|scene|dialogue|"
    r"dialog|sketch|play|story|poem|song|translate|rephrase|rewrite|proofread)(?![a-z])",
    re.IGNORECASE,
)
_TALK_ASKED_FOR: Final = lazily(
    r"(?<![a-z])(?:dialogues?|dialogs?|scripts?|scenes?|sketch(?:es)?|role-?plays?|skits?|(?:mock|sample|example) "
    r"(?:interviews?|conversations?|chats?)|conversation between)(?![a-z])",
    re.IGNORECASE,
)
_PARTS: Final = frozenset({"a", "b", "c", "d", "me", "you", "him", "her", "user", "bot", "ai"})
"""Who speaks in a dialogue that was asked for; elsewhere these are labels of the assistant's own."""
_LABEL: Final = lazily(
    r"^[\s>*_-]*(?P<name>[A-Z][\w'’.-]{0,20}(?: [A-Z0-9][\w'’.-]{0,20}){0,2})"
    r"[*_]{0,3}(?: ?\([^()\n]{1,40}\))?:[*_]{0,3}\s"
)


_QUOTED: Final = lazily(r"\s*(?:>\s*)?[\"“]")
"""What stands behind "you could write:"."""

_ITEM: Final = lazily(
    _LEAD + r"(?:(?:agenda )?(?:item|motion|resolution|top) \d+[.:)]|minutes of [^:\n]{2,40}:)", re.IGNORECASE
)
"""Minutes of a meeting."""


class Voices:
    """The frames of one reply.

    Args:
        user_text: The message being answered: does it ask for a text to somebody else?
        names: Folded names of this turn's people: a letter to one of them is to the user.
    """

    def __init__(self, user_text: str, names: frozenset[str]) -> None:
        self._asked = bool(_ASKED_FOR.search(user_text[:2000]))
        self._talk = bool(_TALK_ASKED_FOR.search(user_text[:2000]))
        self._names = names
        self._letter: Voice = ""
        self._announced = False
        self._script = False
        self._drafts = Drafts(user_text)

    @property
    def frame(self) -> Frame:
        """All that a text's voice depends on, beside its words."""
        return self._letter, self._announced, self._script, self._drafts.open

    def of(self, text: str) -> Voice:
        """Whose words are these?"""
        if not text.isascii():
            voice: Voice = "draft" if self._drafts.holds(text) else "other" if self._drafts.narrates(text) else ""
            if voice and not fold(text).text.isascii():  # English in other scripts' letters is English
                return voice
        if self._announced and _QUOTED.match(text):
            return "draft"
        if ":" not in text and "," not in text and not self._letter and not _ITEM.match(text):
            return ""
        if _ITEM.match(text):
            return "other"
        letter = self._letter or self._opened(text)
        if letter:
            return letter
        return ("draft" if self._asked else "other") if self._labelled(text) else ""

    def keep(self, text: str) -> None:
        """This left: what opens or closes a frame does so for what follows."""
        self._drafts.keep(text)
        if not self._letter and ":" not in text and "," not in text:
            return
        for line in text.splitlines():
            if not line.strip():
                continue
            if self._letter and _CLOSING.match(line):
                self._letter = ""
            else:
                self._letter = self._letter or self._opened(line)
            colon = ":" in line
            self._announced = (_ends_in_colon(line) and bool(_ANNOUNCED.search(line))) or (
                self._announced and not self._letter
            )
            self._script = colon and self._labelled(line)

    def _opened(self, text: str) -> Voice:
        if _SUBJECT.match(text):
            return "draft"
        match = _DEAR.match(text) or (_HELLO.match(text) if self._asked or self._announced else None)
        if match is None or (match["who"] or "").strip().casefold() in self._names:
            return ""
        return "draft" if self._asked or self._announced else "other"

    def _labelled(self, text: str) -> bool:
        match = _LABEL.match(text)
        if match is None:
            return False
        name = match["name"]
        if self._talk and name.casefold() in _PARTS:
            return True
        word = name.casefold().rstrip("0123456789 .")
        if any(_rules()[0].fullmatch(part.strip(".")) for part in (word, *word.split())):
            return False
        capitals = name.isupper() and len(word) > 1
        return capitals or self._script or self._asked or bool(_rules()[1].fullmatch(word.split()[-1] if word else ""))


def _ends_in_colon(line: str) -> bool:
    return line.rstrip().rstrip("*_").endswith(":")


@cache
def _rules() -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Labels that are the assistant's own, such as "note", and the words for people that stand before their lines."""
    voices = load("en")["voices"]
    return lazily(rf"(?:{any_of(voices['own_labels'])})s?"), lazily(rf"(?:{any_of(voices['speakers'])})")
