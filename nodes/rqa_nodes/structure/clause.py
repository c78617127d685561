"""Which part of a sentence says it, short enough to be quoted inside a question?

Every result is a real, unbroken part of the sentence: only its ends are chosen. A question that quotes a whole
paragraph is not read, and one that quotes half a word is not understood.
"""

from __future__ import annotations

import re
from typing import Final

from rqa_nodes.structure.joints import REASONING, bounds, joints, spoken_at
from rqa_nodes.structure.lexicon import Language
from rqa_nodes.structure.marks import quotations, single
from rqa_nodes.structure.phrase import kind_of

__all__ = ["clause_at", "quotable", "trim"]

_LIMIT: Final = {"en": 110, "ja": 54}
"""Longest quote in characters: about one line of a terminal."""
_LONGEST: Final = {"en": 180, "ja": 90}
"""A sentence without a joint is quoted whole up to this length: a long question is still one, a broken one is none."""
_SHORT: Final = {"en": 50, "ja": 34}
"""A sentence up to this length is quoted whole."""

_LEAD: Final = {
    "en": re.compile(
        r"(?:[\s,;:–—-]+|(?:and|but|so|then|also|however|therefore|thus|hence|still|yet|moreover|besides|in addition|"
        r"as a result|for example|hi|hello|hey|dear [\w ]{2,24}(?=,)|of course)[\s,]+)+",
        re.IGNORECASE,
    ),
    "ja": re.compile(
        r"(?:[\s、，・：:]+|(?:しかし|だから|また|そして|なので|つまり|ただし|ただ|でも|それに|さらに|一方|なお|したがって|"
        r"よって|ゆえに|そのため|そこで|要するに|すみません|あの|えっと|じゃあ|とはいえ|それでも|それなのに|それと|ぶっちゃけ|ってことは|てことは|例えば|たとえば|まず|次に|もちろん|とにかく|実際に?|結局|ということは)(?:、|は、)|"
        r"(?:ただし|しかし|それなのに|ってことは|てことは|じゃあ|だから|したがって|なので|つまり|ゆえに|でも|だけど|けれども)(?=[^、]))+"
    ),
}
_LEAD_OF_CLAUSE: Final = re.compile(
    r"(?:(?:because|which|that|while|whereas|although|though|since|where|who)\s+)+", re.IGNORECASE
)
"""At the head of a whole sentence these belong to it; at the head of a clause cut out of one they lead nowhere."""
_BECAUSE: Final = re.compile(r"because\b", re.IGNORECASE)
_NO_END: Final = re.compile(
    r"(?:\s+(?:the|a|an|of|to|and|or|but|nor|for|with|from|by|at|in|on|into|than|that|which|who|because|if|when|as|my|our|"
    r"your|his|her|its|their|is|are|was|were|be|have|has|had|not|so|very|i|we|he|she|they|you|it))+$",
    re.IGNORECASE,
)
"""What a quotation that is broken off does not stop at."""
_LABEL: Final = re.compile(r"([A-Za-z][A-Za-z0-9'’., -]{0,40}): (?=\S)|([一-鿿ぁ-ヶーA-Za-z0-9 ]{1,14})：(?=.)")
"""Who speaks, or what a line is about: no part of what is said."""
_LINE_OF_DIALOGUE: Final = re.compile(r"[^「」、。はがを]{0,8}「([^「」]*)」")
_TAIL: Final = re.compile(r"[\s。．.!！、,;；:：…]+$")
_HANGING_JA: Final = re.compile(r"(?:ために?|ので|のうち|けれど|けど|(?<=[だいるたす])が)$")
"""What ties a Japanese clause to the next one; quoted alone it leaves the reader hanging."""
_LABEL_WORDS: Final = 2
"""A longer beginning is a label only where a whole statement follows."""
_MIN_WORDS: Final = 3
_MIN_CHARS_JA: Final = 12


def trim(text: str, lang: Language, *, whole: bool = False) -> str:
    """The text without leading connectives and closing punctuation, and with a bracket left open cut off.

    Args:
        text: A sentence or a part of one.
        lang: The language of the text.
        whole: Whether its first words are kept: "I think" is no mere connective where it is what is spoken of.
    """
    text = _TAIL.sub("", text.strip())
    if said := _LINE_OF_DIALOGUE.fullmatch(text):
        text = _TAIL.sub("", said[1]) or text
    text = _unlabelled(text)
    if (0, len(text)) in quotations(text):
        text = _TAIL.sub("", text[1:-1]) or text
    lead = None if whole else _LEAD[lang].match(text)
    rest = text[lead.end() :] if lead else text
    return _unbracket(rest or text)


def _unlabelled(text: str) -> str:
    """The text without who speaks or what a line is about, where that is a name and the rest a statement."""
    label = _LABEL.match(text)
    name = label[1] or label[2] if label else ""
    if not label or (" " in name and kind_of(name) not in ("noun", "verb")):
        return text
    rest = text[label.end() :]
    return rest if len(name.split()) <= _LABEL_WORDS or kind_of(rest) == "clause" else text


def _unbracket(text: str) -> str:
    for opened, closed in ("()", "（）", "「」", "『』"):
        if text.count(opened) != text.count(closed):
            cut = text.rfind(opened)
            text = text[:cut] if cut > len(text) // 2 else text.replace(opened, " ").replace(closed, " ")
    return " ".join(_TAIL.sub("", text).split())


def quotable(text: str, lang: Language) -> str:
    """The text as it goes between quotation marks: trimmed, cut to one line, inner marks made single."""
    return single(_fit(trim(text, lang), lang))


def _fit(text: str, lang: Language) -> str:
    """The text up to the last joint within one line, where that is a statement; else all of it, if it is bearable."""
    if len(text) <= _LIMIT[lang]:
        return text
    whole = (text[: joint.start()].rstrip(" 、,") for joint in reversed(list(joints(text, lang))))
    fitting = (part for part in whole if _LIMIT[lang] // 3 < len(part) <= _LIMIT[lang])
    shown = next((part for part in fitting if kind_of(part) == "clause"), text)
    if len(shown) <= _LONGEST[lang]:
        return shown
    shown = _broken_off(text, _LIMIT[lang] - 1)
    return _NO_END.sub("", shown.rsplit(" ", 1)[0] if " " in shown[_LIMIT[lang] // 2 :] else shown) + "…"


def _broken_off(text: str, limit: int) -> str:
    """The beginning of a text, in front of a quotation that would be broken off with it."""
    broken = next((start for start, end in quotations(text) if start < limit < end), limit)
    return text[:broken] if broken > limit // 3 else single(text)[:limit]


def clause_at(sentence: str, span: tuple[int, int], lang: Language, *, keep_lead: bool = False) -> str:
    """The clause around a span, as it goes between quotation marks; within a speech, what is spoken."""
    spoken = spoken_at(sentence, span)
    if spoken is not None:
        return quotable(sentence[spoken[0] : spoken[1]], lang)
    whole = trim(sentence, lang, whole=keep_lead)
    if len(whole) <= _SHORT[lang]:
        return single(whole)
    left, right = bounds(sentence, span, lang)
    part = trim(sentence[left:right], lang, whole=keep_lead)
    if lang == "en" and left:
        part = REASONING.sub("", part, count=1) if REASONING.match(part) else part
        part = _LEAD_OF_CLAUSE.sub("", part, count=1) if "," not in part or _BECAUSE.match(part) else part
    if lang == "ja" and right < len(sentence):
        part = _HANGING_JA.sub("", part)
    if _too_thin(part, lang):
        left, right = _widen(sentence, (left, right), lang)
        part = trim(sentence[left:right], lang, whole=keep_lead)
    return single(_fit(part, lang))


def _too_thin(part: str, lang: Language) -> bool:
    return len(part.split()) < _MIN_WORDS if lang == "en" else len(part) < _MIN_CHARS_JA


def _widen(sentence: str, span: tuple[int, int], lang: Language) -> tuple[int, int]:
    """Take in the neighbour that follows, else the one before: in both languages the predicate stands last or next."""
    left, right = span
    if right < len(sentence.rstrip("。.!?！？ ")):
        return left, bounds(sentence, (right + 1, right + 1), lang)[1]
    return bounds(sentence, (max(left - 2, 0), max(left - 2, 0)), lang)[0], right
