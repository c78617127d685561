"""Which part of a sentence says it, short enough to be quoted inside a question?

Every result is a real, unbroken part of the sentence: only its ends are chosen. A question that quotes a whole
paragraph is not read, and one that quotes half a word is not understood.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from rqa_nodes.structure.lexicon import Language
from rqa_nodes.structure.marks import quotations, single
from rqa_nodes.structure.phrase import has_own_subject, kind_of, opens_an_aside

__all__ = ["clause_at", "in_a_word", "is_apart", "quotable", "trim", "widened"]

_LIMIT: Final = {"en": 110, "ja": 54}
"""Longest quote in characters: about one line of a terminal."""
_LONGEST: Final = {"en": 180, "ja": 90}
"""A sentence without a joint is quoted whole up to this length: a long question is still one, a broken one is none."""
_SHORT: Final = {"en": 50, "ja": 34}
"""A sentence up to this length is quoted whole."""

_CUT: Final = {
    "en": re.compile(
        r"[;:—–()]|, (?=(?:and|but|so|because|which|while|although|though|since|when|if|where|unless|then|or|yet|as|"
        r"who|therefore|whereas) )|, (?=(?:everyone|everybody|people|they all) (?:says?|knows?|agrees?) )|"
        r" (?=(?:because|although|whereas|unless) )|(?<!nothing) (?=but )"
    ),
    "ja": re.compile(r"[、（）()：:；;——]"),
}
_LEAD: Final = {
    "en": re.compile(
        r"(?:[\s,;:–—-]+|(?:and|but|so|then|also|however|therefore|thus|hence|still|yet|moreover|besides|in addition|"
        r"as a result|for example|hi|hello|hey|dear [\\w ]{2,24}(?=,)|of course)[\s,]+)+",
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
_LEAD_OF_REASONING: Final = re.compile(r"which (?:means|shows|proves|suggests)(?: that)?\s+", re.IGNORECASE)
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
_SPEECH_CHARS: Final = 8
"""Shorter, it is a word that is named, and no speech."""
_LABEL_WORDS: Final = 2
"""A longer beginning is a label only where a whole statement follows."""
_COMMAS: Final = (",", "、")
_STOPS: Final = frozenset(",、;；:：—()（）")
_RELATIVE: Final = re.compile(r"(?:who|which|where)\b", re.IGNORECASE)
_MARKS: Final = frozenset(";:—–()")
_SUBORDINATE: Final = re.compile(
    r"(?:and |but )?(?:if|when|whenever|although|though|while|whereas|unless|since|once|until|because|before|after)\b",
    re.IGNORECASE,
)
_ASIDE: Final = re.compile(
    r", (?:and |but )?(?:who|whose|which|where)\b[^,]*(?=,)| that [^;]*, (?:and |or )?that [^;]*", re.IGNORECASE
)
_THAT_TOO: Final = re.compile(r"(?:and|or|but) that\b", re.IGNORECASE)
_OPEN_JA: Final = re.compile(r"[うくぐすつぬぶむるいただはをにへが]、$")
"""The end of a topic or an object, or of a predicate without a conjunction, the first of several that are said."""
_COORDINATES: Final = re.compile(r"(?:and|but|or|so|yet|then|therefore)\b", re.IGNORECASE)
_TOPIC_JA: Final = re.compile(r"[^でにとへ](?:は|が(?!、)|も)(?!、?$)")
_JOINT_JA: Final = re.compile(
    r"(?:[うくぐすつぬぶむるたいだんす](?:が|から|し|と|けど|けれども?|なら|ものの|ために?|一方)|のに|ので|[ただ]ら|"
    r"[れせけえてめべねげ]ば|[てで]も)、$"
)
"""What joins two whole clauses; behind anything else a Japanese clause goes on."""
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
    whole = (text[: joint.start()].rstrip(" 、,") for joint in reversed(list(_joints(text, lang))))
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
    spoken = _spoken_at(sentence, span)
    if spoken is not None:
        return quotable(sentence[spoken[0] : spoken[1]], lang)
    whole = trim(sentence, lang, whole=keep_lead)
    if len(whole) <= _SHORT[lang]:
        return single(whole)
    left, right = _bounds(sentence, span, lang)
    part = trim(sentence[left:right], lang, whole=keep_lead)
    if lang == "en" and left:
        part = _LEAD_OF_REASONING.sub("", part, count=1) if _LEAD_OF_REASONING.match(part) else part
        part = _LEAD_OF_CLAUSE.sub("", part, count=1) if "," not in part else part
    if lang == "ja" and right < len(sentence):
        part = _HANGING_JA.sub("", part)
    if _too_thin(part, lang):
        left, right = _widen(sentence, (left, right), lang)
        part = trim(sentence[left:right], lang, whole=keep_lead)
    return single(_fit(part, lang))


def in_a_word(sentence: str, span: tuple[int, int]) -> bool:
    """Whether a span lies within a few words that somebody else is quoted with."""
    return any(
        start < span[0] and span[1] < end and not _is_speech(sentence[start:end]) for start, end in quotations(sentence)
    )


def is_apart(sentence: str, spans: Sequence[tuple[int, int]], lang: Language) -> bool:
    """Whether the words of a pattern do not belong together, or not to what the sentence says.

    One of them is spoken within a quotation and another is not; or they stand in an aside (", which never met,"), or in
    one of several things that somebody is said to say.
    """
    asides = [found.span() for found in _ASIDE.finditer(sentence)] if lang == "en" else []
    return _across_speech(sentence, spans) or any(
        start < left and right <= end for start, end in asides for left, right in spans
    )


def _across_speech(sentence: str, spans: Sequence[tuple[int, int]]) -> bool:
    for start, end in quotations(sentence):
        inside = [start < left and right < end for left, right in spans]
        cut = any((start < left < end) != (start < right < end) for left, right in spans)
        apart = any(inside) and not all(inside) and any(right <= start or left >= end for left, right in spans)
        if _is_speech(sentence[start:end]) and (cut or apart):
            return True
    return False


def _is_speech(said: str) -> bool:
    return len(said) > _SPEECH_CHARS and kind_of(said[1:-1].strip()) in ("clause", "question")


def _spoken_at(sentence: str, span: tuple[int, int]) -> tuple[int, int] | None:
    """The bounds of the speech within the sentence that a span lies in, where it is more than a word."""
    for start, end in quotations(sentence):
        if start < span[0] and span[1] < end and _is_speech(sentence[start:end]):
            return start + 1, end - 1
    return None


def widened(sentence: str, span: tuple[int, int], lang: Language) -> tuple[int, int]:
    """A span that begins and ends where a clause does, taking in what it was cut from at a comma."""
    left, right = span
    while right < len(sentence) and sentence[right] in _COMMAS and not _is_joint_at(sentence, right, lang):
        right = _next_comma(sentence, right + 1)
    while left and _is_cut_off(sentence, left, lang):
        left = _behind_comma_before(sentence, left)
    return left, right


def _is_joint_at(sentence: str, comma: int, lang: Language) -> bool:
    if lang == "ja":
        return True  # what ends in front of a comma is told by its own last character
    return has_own_subject(sentence[comma + 1 :])


def _is_cut_off(sentence: str, left: int, lang: Language) -> bool:
    """Whether a stretch that begins behind a comma goes on with what stands in front of it."""
    head = sentence[:left].rstrip()
    if not head.endswith(_COMMAS):
        return False
    return _shares_subject(head, sentence[left:]) if lang == "ja" else not opens_an_aside(head[:-1])


def _next_comma(sentence: str, start: int) -> int:
    return next((at for at in range(start, len(sentence)) if sentence[at] in _STOPS), len(sentence))


def _behind_comma_before(sentence: str, left: int) -> int:
    head = sentence[:left].rstrip()[:-1]
    return max((head.rfind(mark) + 1 for mark in _STOPS), default=0)


def _shares_subject(head: str, rest: str) -> bool:
    """Whether a Japanese clause in front of a comma has the topic, and the one behind it has none of its own."""
    following = rest.partition("、")[0]
    if not _JOINT_JA.search(head) and _OPEN_JA.search(head):
        return True
    if _TOPIC_JA.search(following):
        return False
    return not _JOINT_JA.search(head) or bool(_TOPIC_JA.search(head))


def _joints(sentence: str, lang: Language) -> Iterator[re.Match[str]]:
    """The places where one clause ends and another begins; a comma within a clause is none."""
    speech = list(quotations(sentence))
    behind = 0
    for cut in _CUT[lang].finditer(sentence):
        within = any(start < cut.start() < end for start, end in speech)
        if not within and _separates(sentence, behind, cut, lang):
            behind = cut.end()
            yield cut


def _separates(sentence: str, behind: int, cut: re.Match[str], lang: Language) -> bool:
    """Whether a mark ends what began behind the joint before it, and something whole begins."""
    head, rest = sentence[behind : cut.start()], sentence[cut.end() :]
    if lang == "ja":
        return cut.group() != "、" or not _shares_subject(sentence[: cut.end()], rest)
    if cut.group() in _MARKS:
        return True
    if _SUBORDINATE.match(head) and kind_of(trim(head, lang)) == "piece":
        return False
    if _RELATIVE.match(rest):
        return "," not in rest
    if _THAT_TOO.match(rest):
        return " that " not in head
    return not _COORDINATES.match(rest) or has_own_subject(rest)


def _bounds(sentence: str, span: tuple[int, int], lang: Language) -> tuple[int, int]:
    left, right = 0, len(sentence)
    for cut in _joints(sentence, lang):
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
