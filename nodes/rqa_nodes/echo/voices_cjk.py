"""Which sentences of a Japanese or Chinese reply are a draft that the user asked for?

A draft stands in quotation marks of its own, opens as a letter does, or follows the line that announces it. It closes
with the letter, or where the reply speaks of the draft again. Lines of a play bear the name of who speaks. Without a
request, only a letter's own marks (a subject line, "拝啓") open one.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Final, NamedTuple

from rqa_nodes.echo.claim import any_of
from rqa_nodes.echo.lazily import lazily
from rqa_nodes.echo.lexicon import load

__all__ = ["Draft", "Drafts"]

_MOST_CHARS: Final = 2000
"""How much of a message tells what it asks for."""

_LINE: Final = r"^[\s>*_#・•-]*(?:\d{1,3}[.)]\s+)?"
_QUOTE: Final = lazily(_LINE + r"(?:[^「『“\n。]{0,16}[:：]\s*)?[「『“]")
_OPENED: Final = lazily(r"[「『“]")
_CLOSED: Final = lazily(r"[」』”]")
_NAMED: Final = lazily(
    _LINE + r"(?P<name>[^\s:：「」『』“”、。，,!！?？()（）]{1,8})(?:さん)?[*_]{0,2}(?:[:：]|(?=[「『]))"
)
_SPOKE_CHARS: Final = 16
_SPOKE: Final = lazily(
    r"(?:言[うっ]|語[るっ]|尋ね|聞[いく]|訊[いく]|叫[ぶん]|呟[いく]|つぶや[いく]|答え|笑[うっ]|囁[いく]|ささや[いく]|続け|告げ|話し)"
    r"(?:た|だ|て|る|)。\s*$|(?:说|說|道|问|問|喊|答|笑)。\s*$"
)
_KINDS: Final = frozenset({"例", "案"})
"""They announce only as words of their own: a notice (案内) and a rule (条例) do not."""
_EXAMPLE: Final = r"(?:の?(?:例|案|文|文面|一例|たたき台|初稿|草稿|范文|示例|内容|模板))?"
_PRESENTED: Final = (
    r"(?:です|でした|になります|で|と|でどう[^。]{0,8}|はいかが[^。]{0,8}|をどうぞ|を[^。を]{0,4}(?:作|書|考え|用意|まとめ|仕上げ|整え)[^。]{0,10}|"
    r"如下|在下面|供参考|写好了|拟好了|寫好了|擬好了)"
)
"""What may stand behind a kind of text that follows now."""
_COLON: Final = lazily(r"[:：][*_]{0,3}\s*$")


class Draft(NamedTuple):
    """What is open: the letter, the line that announced something, a quotation over more than one sentence."""

    letter: bool = False
    announced: bool = False
    quoted: bool = False
    narrated: bool = False
    """The sentence before says that somebody spoke."""


_NOTHING: Final = Draft()


class _Words(NamedTuple):
    asked: re.Pattern[str]
    script: re.Pattern[str]
    opens: re.Pattern[str]
    """A letter's own marks."""
    greets: re.Pattern[str]
    """Whom a letter is to, on a line of its own."""
    announces: re.Pattern[str]
    presents: re.Pattern[str]
    """The same for a line without a colon, which may as well speak of letters in general."""
    closes: re.Pattern[str]
    own_labels: frozenset[str]


@cache
def _words() -> _Words:
    groups = [load(lang)["drafts"] for lang in ("ja", "zh")]

    def pattern(name: str) -> str:
        return any_of([word for group in groups for word in group[name]])

    shown = [word for group in groups for word in group["announces"] if word not in _KINDS]
    kinds = rf"(?:{pattern('texts')}|{any_of(sorted(_KINDS))})"
    return _Words(
        asked=lazily(rf"{pattern('texts')}|{pattern('scripts')}"),
        script=lazily(pattern("scripts")),
        opens=lazily(_LINE + rf"(?:{pattern('opens')})"),
        greets=lazily(_LINE + rf"(?:[^\s、。，,「」:：]{{0,12}}(?:{pattern('greets')}))[,，、:：!！]?\s*$"),
        announces=lazily(rf"(?:{pattern('texts')}|{pattern('announces')})[^「『“\n]{{0,24}}$"),
        presents=lazily(
            rf"(?:{any_of(shown)})[^「『“\n]{{0,24}}$|{kinds}{_EXAMPLE}{_PRESENTED}$|^[\s>*_#]*.{{0,4}}{kinds}{_EXAMPLE}$"
        ),
        closes=lazily(_LINE + rf"(?:{pattern('closes')})|^\s*(?:-{{3,}}|\*{{3,}}|_{{3,}})\s*$|{pattern('about')}"),
        own_labels=frozenset(word for group in groups for word in group["own_labels"]),
    )


class Drafts:
    """The drafts of one reply.

    Args:
        user_text: The message being answered.
    """

    def __init__(self, user_text: str) -> None:
        head = user_text[:_MOST_CHARS]
        foreign = not head.isascii()
        self._asked = foreign and bool(_words().asked.search(head))
        self._script = foreign and bool(_words().script.search(head))
        self.open = Draft()

    def narrates(self, text: str) -> bool:
        """Are these words the speech of somebody in a story?"""
        return self.open.narrated and _QUOTE.match(text) is not None

    def holds(self, text: str) -> bool:
        """Are these words part of a draft?"""
        if self.open.quoted:
            return True
        if self._asked:
            if _QUOTE.match(text) or (self._script and self._has_name(text)):
                return True
            if self.open.letter:
                return not _words().closes.search(text)
            if self.open.announced and not _words().closes.search(text):
                return True
        return self.open.letter or bool(_words().opens.match(text))

    def keep(self, text: str) -> None:
        """This left: what it opens or closes holds for what follows."""
        if not self._asked and not self.open.letter:
            if text.isascii():
                self.open = _NOTHING
                return
            letter = bool(_words().opens.match(text))
            self.open = Draft(letter=letter, narrated=bool(_SPOKE.search(text[-_SPOKE_CHARS:])))
            return
        for line in text.splitlines():
            if line.strip():
                self.open = self._after(line, breaks="\n" in text)

    def _after(self, line: str, *, breaks: bool) -> Draft:
        words = _words()
        letter, announced, quoted = self.open[:3]
        quotes = len(_OPENED.findall(line)) - len(_CLOSED.findall(line))
        if quoted:
            return Draft(letter, quoted=quotes >= 0)
        if self._asked and _QUOTE.match(line):
            return Draft(letter, quoted=quotes > 0)
        if letter or announced:
            closed = bool(words.closes.search(line))
            if not closed or not words.announces.search(line):
                return Draft(letter=not closed)
        letter = bool(words.opens.match(line)) or (self._asked and bool(words.greets.match(line)))
        announced = self._asked and not letter and (breaks or bool(_COLON.search(line)))
        pattern = words.announces if _COLON.search(line) else words.presents
        return Draft(letter, announced and bool(pattern.search(line.rstrip(" \t。.!！?？:：*_"))))

    def _has_name(self, text: str) -> bool:
        match = _NAMED.match(text)
        return match is not None and match["name"] not in _words().own_labels
