"""Which part of a sentence says it, short enough to be quoted inside a question?

Every result is a real, unbroken part of the sentence: only its ends are chosen. A question that quotes a whole
paragraph is not read, and one that quotes half a word is not understood.
"""

from __future__ import annotations

import re
from typing import Final

from rqa_nodes.structure.lexicon import Language

__all__ = ["clause_at", "quotable", "trim"]

_LIMIT: Final = {"en": 110, "ja": 54}
"""Longest quote in characters: about one line of a terminal."""
_SHORT: Final = {"en": 50, "ja": 34}
"""A sentence up to this length is quoted whole."""

_CUT: Final = {
    "en": re.compile(
        r"[;:—–()]|, (?=(?:and|but|so|because|which|while|although|though|since|when|if|where|unless|then|or|yet|as|"
        r"who|therefore|whereas) )| (?=(?:because|although|whereas|unless) )|(?<!nothing) (?=but )"
    ),
    "ja": re.compile(r"[、（）()：:；;——]"),
}
_LEAD: Final = {
    "en": re.compile(
        r"(?:[\s,;:–—-]+|(?:and|but|so|then|also|however|therefore|thus|hence|still|yet|moreover|besides|in addition|"
        r"as a result|for example|i think(?: that)?|we (?:think|believe)(?: that)?|of course)[\s,]+)+",
        re.IGNORECASE,
    ),
    "ja": re.compile(
        r"(?:[\s、，・：:]+|(?:しかし|だから|また|そして|なので|つまり|ただし|ただ|でも|それに|さらに|一方|なお|したがって|"
        r"よって|ゆえに|そのため|そこで|例えば|たとえば|まず|次に|もちろん|とにかく|実際に?|結局|ということは)(?:、|は、)|"
        r"(?:ただし|しかし|だから|したがって|なので|つまり|ゆえに|でも|だけど|けれども)(?=[^、]))+"
    ),
}
_LEAD_OF_CLAUSE: Final = re.compile(
    r"(?:(?:because|which|that|while|whereas|although|though|since|where|who)\s+)+", re.IGNORECASE
)
"""At the head of a whole sentence these belong to it; at the head of a clause cut out of one they lead nowhere."""
_TAIL: Final = re.compile(r"[\s。．.!！、,;；:：…]+$")
_QUOTES: Final = str.maketrans({"「": "『", "」": "』", "“": "‘", "”": "’", '"': "’"})
_HANGING_JA: Final = re.compile(r"(?:ために?|ので|のうち|けれど|けど|(?<=[だいるたす])が)$")
"""What ties a Japanese clause to the next one; quoted alone it leaves the reader hanging."""
_MIN_WORDS: Final = 3
_MIN_CHARS_JA: Final = 12


def trim(text: str, lang: Language) -> str:
    """The text without leading connectives and closing punctuation, and with a bracket left open cut off."""
    text = _TAIL.sub("", text.strip())
    lead = _LEAD[lang].match(text)
    rest = text[lead.end() :] if lead else text
    return _unbracket(rest or text)


def _unbracket(text: str) -> str:
    for opened, closed in ("()", "（）", "「」", "『』"):
        if text.count(opened) != text.count(closed):
            cut = text.rfind(opened)
            text = text[:cut] if cut > len(text) // 2 else text.replace(opened, " ").replace(closed, " ")
    return " ".join(_TAIL.sub("", text).split())


def quotable(text: str, lang: Language) -> str:
    """The text as it goes between quotation marks: trimmed, cut to one line, inner marks made single."""
    return _fit(trim(text, lang), lang).translate(_QUOTES)


def _fit(text: str, lang: Language) -> str:
    limit = _LIMIT[lang]
    if len(text) <= limit:
        return text
    ends = [cut.start() for cut in _CUT[lang].finditer(text[:limit]) if cut.start() > limit // 3]
    if ends:
        return text[: ends[-1]].rstrip(" 、,")
    shown = text[: limit - 1]
    return (shown.rsplit(" ", 1)[0] if " " in shown[limit // 2 :] else shown) + "…"


def clause_at(sentence: str, span: tuple[int, int], lang: Language) -> str:
    """The clause around a span, as it goes between quotation marks."""
    whole = trim(sentence, lang)
    if len(whole) <= _SHORT[lang]:
        return whole.translate(_QUOTES)
    left, right = _bounds(sentence, span, lang)
    part = trim(sentence[left:right], lang)
    if lang == "en" and left:
        part = _LEAD_OF_CLAUSE.sub("", part, count=1) if _LEAD_OF_CLAUSE.match(part) else part
    if lang == "ja" and right < len(sentence):
        part = _HANGING_JA.sub("", part)
    if _too_thin(part, lang):
        left, right = _widen(sentence, (left, right), lang)
        part = trim(sentence[left:right], lang)
    if len(part) > _LIMIT[lang] and span[0] - left > _LIMIT[lang] // 2:
        part = sentence[_word_start(sentence, span[0] - _LIMIT[lang] // 2) : right]
    return quotable(part, lang)


def _word_start(sentence: str, position: int) -> int:
    blank = sentence.find(" ", max(position, 0), max(position, 0) + 30)
    return blank + 1 if blank >= 0 else max(position, 0)


def _bounds(sentence: str, span: tuple[int, int], lang: Language) -> tuple[int, int]:
    left, right = 0, len(sentence)
    for cut in _CUT[lang].finditer(sentence):
        if cut.end() <= span[0]:
            left = cut.end()
        elif cut.start() >= span[1]:
            right = cut.start()
            break
    return left, right


def _too_thin(part: str, lang: Language) -> bool:
    return len(part.split()) < _MIN_WORDS if lang == "en" else len(part) < _MIN_CHARS_JA


def _widen(sentence: str, bounds: tuple[int, int], lang: Language) -> tuple[int, int]:
    """Take in the neighbour that follows, else the one before: in both languages the predicate stands last or next."""
    left, right = bounds
    if right < len(sentence.rstrip("。.!?！？ ")):
        return left, _bounds(sentence, (right + 1, right + 1), lang)[1]
    return _bounds(sentence, (max(left - 2, 0), max(left - 2, 0)), lang)[0], right
