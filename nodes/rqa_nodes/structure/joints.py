"""Where does one clause of a sentence end and another begin, and what must not be torn apart?

A comma separates clauses only where what follows has a subject of its own; a quotation is one word of the sentence it
stands in. Everything here works on places in the sentence and changes no word.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from rqa_nodes.structure.lexicon import Language
from rqa_nodes.structure.marks import quotations
from rqa_nodes.structure.phrase import has_own_subject, kind_of, opens_an_aside

__all__ = ["REASONING", "bounds", "in_a_word", "is_apart", "joints", "spoken_at", "up_to_joint", "widened"]

_CUT: Final = {
    "en": re.compile(
        r"[;:—–()]|, (?=(?:and|but|so|because|which|while|although|though|since|when|if|where|unless|then|or|yet|as|"
        r"who|therefore|whereas) )|, (?=(?:everyone|everybody|people|they all) (?:says?|knows?|agrees?) )|"
        r" (?=(?:because|although|whereas|unless) )|(?<!nothing) (?=but )"
    ),
    "ja": re.compile(r"[、（）()：:；;——]"),
}
REASONING: Final = re.compile(r"which (?:means|shows|proves|suggests)(?: that)?\s+", re.IGNORECASE)
"""What leads from one clause to the next, and is part of neither."""
_SPEECH_CHARS: Final = 8
"""Shorter, it is a word that is named, and no speech."""
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
_COORDINATES: Final = re.compile(r"(?:and|but|or|so|yet|then|therefore)\b", re.IGNORECASE)
_TOPIC_JA: Final = re.compile(r"[^でにとへ](?:は|が(?!、)|も)(?!、?$)")
_NO_TOPIC_JA: Final = re.compile(
    r"(?:今|今日|今回|最近|最後に?|次に?|昔|今年|来年|去年|先週|来週|今週|昨日|明日|実際に?|実|まず|ここ|そこ)は|"
    r"(?:[一二](?:度|回|人|件|つ|日)|誰|何|どれ|どこ)も"
)
"""What is no subject, although it is marked as one is."""
_JOINT_JA: Final = re.compile(
    r"(?:[うくぐすつぬぶむるたいだんす](?:が|から|し|と|けど|けれども?|なら|ものの|ために?|一方)|のに|ので|[ただ]ら|"
    r"[れせけえてめべねげ]ば|[てで]も)、$"
)
"""What joins two whole clauses; behind anything else a Japanese clause goes on."""


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


def spoken_at(sentence: str, span: tuple[int, int]) -> tuple[int, int] | None:
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
    is_noun = lang == "ja" and kind_of(sentence[left:right]) == "noun"
    while left and not is_noun and _is_cut_off(sentence, left, lang):
        left = _behind_comma_before(sentence, left)
    return left, right


def up_to_joint(sentence: str, span: tuple[int, int], lang: Language) -> int:
    """Where what somebody says ends: at the first joint behind its beginning, if there is one."""
    inside = (cut.start() for cut in joints(sentence, lang) if span[0] < cut.start() < span[1])
    return next(inside, span[1]) if lang == "en" else span[1]


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
    following = _NO_TOPIC_JA.sub("", rest.partition("、")[0])
    if not _JOINT_JA.search(head):
        return True  # behind a topic, or a verb that goes on, there is the rest of the same clause
    return not _TOPIC_JA.search(following) and bool(_TOPIC_JA.search(head))


def joints(sentence: str, lang: Language) -> Iterator[re.Match[str]]:
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
    if not behind and _SUBORDINATE.match(head) and kind_of(head.strip()) == "piece":
        return False
    if _RELATIVE.match(rest):
        return "," not in rest
    if _THAT_TOO.match(rest):
        return " that " not in head
    return not _COORDINATES.match(rest) or has_own_subject(rest)


def _hangs(rest: str) -> bool:
    return _RELATIVE.match(rest) is not None and REASONING.match(rest) is None


def bounds(sentence: str, span: tuple[int, int], lang: Language) -> tuple[int, int]:
    """The joints around a span, or the ends of the sentence."""
    left, right = 0, len(sentence)
    for cut in joints(sentence, lang):
        if cut.end() <= span[0]:
            # What a relative clause is about stands in front of it.
            left = left if _hangs(sentence[cut.end() :]) else cut.end()
        elif cut.start() >= span[1]:
            right = cut.start()
            break
    return left, right
