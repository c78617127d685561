"""Does a sentence state, ask, deny or guess, and what does a "yes" affirm?"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Final, NamedTuple

from rqa_nodes.echo.content import content_words
from rqa_nodes.echo.fold import fold
from rqa_nodes.echo.lazily import lazily
from rqa_nodes.echo.lexicon import LANGUAGES, load

__all__ = [
    "Statement",
    "affirms",
    "asks_for_words",
    "has_finite_verb",
    "is_about_oneself",
    "is_bare_affirmation",
    "is_doubt",
    "is_hedged",
    "is_hunch",
    "is_negated",
    "sentences",
    "statements",
    "told_in",
    "what_is_confirmed",
    "without_certainty",
]

_MARKS: Final = lazily(
    r"\[\s*m\s*:[^\]]*\]?|\"[^\"\n]*\"|“[^”\n]*”|(?:「[^」\n]*」|『[^』\n]*』)(?:[とっ]|という|などと)|"
    r"「[^」\n]{13,}」|『[^』\n]{13,}』"
)
"""References and quotations; a short name in Japanese marks, with no "he says" behind it, is the writer's own word."""
_PIECE: Final = lazily(r"[^.!?。！？\n]*(?:[.!?。！？\n]+|$)")
_INNER_DOT: Final = lazily(r"(?<=\w)\.(?=\w)")


class Statement(NamedTuple):
    """One sentence of the transcript or a document."""

    words: frozenset[str]
    text: str
    confirmed: bool = False
    """A bare affirmation stands behind it."""


def _words(group: str) -> list[str]:
    """The words of a group in all languages that have it, the longest first."""
    return sorted({word for lang in LANGUAGES for word in load(lang).get(group, ())}, key=len, reverse=True)


@cache
def _pattern(group: str) -> re.Pattern[str]:
    """Any word of a group, in any language; Latin words as whole words."""
    words = _words(group)
    latin = "|".join(re.escape(word) for word in words if word[0].isascii() and word != "n't")
    other = "|".join(re.escape(word) for word in words if not word[0].isascii())
    return lazily(
        rf"(?<![a-z])(?:{latin})(?![a-z])|n['’]t\b|{other}"
        if group == "negation"
        else rf"(?<![a-z])(?:{latin})(?![a-z])|{other}"
    )


@cache
def _request() -> re.Pattern[str]:
    """A sentence that asks: an English one by its first word, a Japanese or Chinese one by a word inside it."""
    words = _words("requests")
    latin = "|".join(re.escape(word) for word in words if word[0].isascii())
    other = "|".join(re.escape(word) + "(?!ら)" * word.endswith("か") for word in words if not word[0].isascii())
    return lazily(
        rf"^\W*(?:(?:so|and|but|ok|okay|now|well|then|hi|hello|hey)\W+)*(?:{latin})(?![a-z])|{other}|か[。\s]*$"
    )


@cache
def _row_of(group: str) -> re.Pattern[str]:
    """Words of a group in a row, and nothing else."""
    one = "|".join(re.escape(word).replace("'", "['’]") for word in _words(group))
    return lazily(rf"(?:{one})[ねよ]*(?:[\s,、，!！.。~—…-]+(?:{one})[ねよ]*)*")


@cache
def _certain() -> re.Pattern[str]:
    words = {lang: "|".join(load(lang)["certain"]) for lang in LANGUAGES}
    return lazily(rf"(?<![a-z])(?:{words['en']})(?![a-z])|{words['ja']}|{words['zh']}")


def without_certainty(folded: str) -> str:
    """A folded text, length for length, without what calls it certain in words that deny or guess: "no doubt"."""
    return _certain().sub(lambda match: " " * len(match[0]), folded)


def is_negated(folded: str) -> bool:
    """Does a folded sentence deny what it is about?"""
    return bool(
        _pattern("negation").search(_RHETORICAL.sub("", folded) if "な" in folded or "かもしれ" in folded else folded)
    )


_RHETORICAL: Final = lazily(
    r"かもしれ(?:ません|ない)|"
    r"(?:では|じゃ|ん(?:じゃ)?)な(?:い|かった)(?:でしょうか|だろうか|かと|かな|か)(?![っくし])"
)
"""A Japanese guess that has the form of a denial: isn't it the valve?"""


def sentences(text: str) -> Iterator[str]:
    """The sentences of a text, folded or not, with their ends; a dot inside a word is written as U+001A."""
    for match in _PIECE.finditer(_INNER_DOT.sub("\x1a", text)):
        if match[0].strip():
            yield match[0]


def statements(text: str, *, confirmed: bool = False) -> Iterator[Statement]:
    """The sentences of a text that are about something, without what they quote, unless all was confirmed."""
    for sentence in sentences(fold(text).text):
        bare = sentence if confirmed else _MARKS.sub(" ", sentence)
        words = content_words(bare)
        if words:
            yield Statement(words, bare, confirmed)


def what_is_confirmed(text: str) -> str:
    """What a "yes" affirms of the message before it: the question that it ends with, else all of it."""
    pieces = [piece for piece in sentences(text) if piece.strip()]
    last = fold(pieces[-1]).text if pieces else ""
    asks = last.rstrip().endswith(("?", "？")) or bool(_request().search(last.strip()))
    return pieces[-1] if asks and not _ASKS_IF_RIGHT.search(last) else text


_ASKS_IF_RIGHT: Final = lazily(
    r"(?<![a-z])(?:right|correct|agree|sound|sounds|match|matches|true|fit|fits|make sense|is that|is this|"
    r"does that|does this|"
    r"am i)(?![a-z])|合って|正し|よろし|いかが|そうです|どうです|間違いな|对吗|是吗"
)


_OWN_MATTER: Final = lazily(
    r"うちの|うちは|我が家|わが家|自宅|実家|(?:私|僕|俺|わたし)(?:の|は|が|って)|祖[父母]|曽祖|先祖|[父母](?:は|の|が|って)|(?:夫|妻|兄|姉|弟|妹|息子|娘|孫|叔[父母]|伯[父母])(?:は|の|が|って)|愛犬|愛猫|"
    r"(?:猫|犬|子|赤ちゃん|上司|彼|彼女)(?:は|って|が)|我家|我的|我们家|我(?:爸|妈|父|母|妻|儿|女|哥|姐|弟|妹)"
)
"""What only the one who asks can know, or have found out."""


_ASKS: Final = lazily(r"(?:かな|かしら|っけ|のかね|なの|[だで]ろうか)[。!！\s]*$")


def affirms(sentence: str) -> bool:
    """Does a folded sentence state something, and neither ask nor guess it?"""
    asks = "?" in sentence or "？" in sentence or _request().search(sentence.strip()) or _ASKS.search(sentence)
    return not asks and not _pattern("hedges").search(sentence)


def is_bare_affirmation(text: str) -> bool:
    """Is a message of the user a "yes" to what was said before it?"""
    first = next(sentences(fold(text).text), "").strip()
    if "?" in first or not _row_of("affirmations").fullmatch(first.strip(" .!。！\n")):
        return _agrees_and_goes_on(first)
    return bool(_THANKS.sub("", first).strip(" ,、.!。！\n"))


def _agrees_and_goes_on(first: str) -> bool:
    """A Japanese or Chinese "yes, ..." with nothing behind it that takes it back."""
    head, comma, rest = first.partition("、" if "、" in first else ",")
    agrees = (
        comma
        and not head.isascii()
        and _row_of("affirmations").fullmatch(head.strip())
        and _THANKS.sub("", head).strip()
    )
    return bool(agrees) and affirms(rest) and not is_negated(rest) and not _BUT.search(rest)


_BUT: Final = lazily(r"でも|けど|しかし|ただ|ですが|だが|一方|ところで|次|但|不过|可是|然而")
_HEDGED: Final = lazily(
    r"(?<![a-z])(?:guess|probably|perhaps|maybe|may|might|could|likely|presumably|possibly|conceivably|apparently|seems?|"
    r"appears?|looks like|suspect|sounds as if|sounds like|i think|i believe|i suppose|i imagine|i['’]d say|"
    r"i would say|my hunch|i bet|i wonder|guessing|i reckon|possible that|chances are|a feeling|hypothesis|feels like|"
    r"not sure|potentially|plausibl[ey]|possible causes?|looks as (?:if|though)|sounds as though|"
    r"(?:good|fair|real|decent|strong|every) chance|as far as i can (?:tell|see|judge)|"
    r"(?:get|have|got) the (?:impression|sense|feeling)|something tells me|strikes me|comes across as|"
    r"my (?:sense|impression|feeling|reading) is)(?![a-z])|"
    r"おそらく|恐らく|たぶん|多分|かもしれ|かもね|かも(?=[。、!！?？\s]|$)|でしょう|だろう|可能性|と思(?:い|わ|う)|思われ|と考え|ではない(?:です)?か|"
    r"はず|そうです|いかが|はどう|推測|推察|仮説|よう(?:だ|です|に思|に見)|らし[いく]|気が(?:し|する)|考えられ|疑いがあ|とみられ|"
    r"模様|印象|感じ(?:ます|がし|がする)|十中八九|断定はでき|もしかし|のではありませんか|のでは(?=[。?？\s]|$|と)|"
    r"じゃない(?:です)?か|んじゃない|かな(?![いくけさっらりるれ])|かしら|っぽい|みたい|よさそう|てみては|てみたら|ちゃう(?:かな|か|やろ)|やろ|どうも|疑わ|怪し|"
    r"可能|也许|或许|大概|恐怕|应该是|估计|怀疑|说不定|似乎|好像|没准|看来|多半|我猜|我觉得|感觉|会不会|是不是|看起来"
)
_THANKS: Final = lazily(r"thank you|thanks|ありがとう(?:ございます)?|谢谢")
"""Politeness beside an affirmation, and no affirmation by itself."""


def is_hedged(text: str) -> bool:
    """Does a sentence of the assistant own up to being a guess?"""
    return bool(_HEDGED.search(fold(text).text))


@cache
def _order() -> re.Pattern[str]:
    """A sentence that orders something: an English one by its first words, another one by a word inside it."""
    words = [re.escape(word).replace("'", "['’]") for word in _words("orders")]
    latin = "|".join(word for word in words if word[0].isascii())
    other = "|".join(word for word in words if not word[0].isascii())
    return lazily(
        rf"^\W*(?:(?:so|and|but|ok|okay|now|well|then|please|just)\W+)*(?:{latin})(?![a-z])|{other}|"
        r"[\u3041-\u9fff](?:て|で|は|を)[\s。!！]*$"
    )


def told_in(text: str) -> Iterator[str]:
    """The folded sentences of a message that are no questions, orders or acknowledgements: they may settle a matter."""
    for sentence in sentences(fold(text).text):
        bare = sentence.strip(" .!。！…\n")
        asks = "?" in sentence or _request().search(sentence.strip()) or _order().search(bare)
        if bare and not asks and not _row_of("acknowledgements").fullmatch(bare):
            yield sentence


def is_hunch(text: str) -> bool:
    """Does a sentence of the assistant guess how something is, and neither advise nor allow it?"""
    return is_hedged(text) and not _ADVICE.search(fold(text).text)


_ADVICE: Final = lazily(
    r"(?<![a-z])(?:you (?:(?:could|can|may)(?! (?:[a-z]+ly |also |just |still |well |already |even )*(?:be(?! (?:able|"
    r"asked|entitled|eligible|required|allowed|charged|given))|have (?:been|lost|become|come|caught|had|got|grown|"
    r"developed|forgotten|mistaken)|feel|fear|hate|dread|love|resent|envy|miss|blame|avoid|believe|suffer|lack|worry|"
    r"regret|distrust|mistrust|overestimate|underestimate|crave|harbou?r|confuse|think|know)(?![a-z]))|"
    r"might (?:want|try|like)|should)|"
    r"(?:i|we)(?:['’]d| would)? (?:suggest|recommend)|"
    r"may (?:be used|take|raise|use|enter|apply|keep|claim)|let['’]?s|try|consider)(?![a-z])"
    r"|(?:と|ば|たら|のが|方が|ほうが)(?:よ|い|良)(?:い|さそう|ろし)|無難|ましょう|ては(?:いかが|どう)|てみて|おすすめ|お勧め|"
    r"建议|不妨|最好|可以(?:试|先)|不如"
)
"""What a person may do, and not what is."""


def asks_for_words(text: str) -> bool:
    """Does a message ask for a text, or for other words, so that what they say is asserted by nobody?"""
    return bool(_pattern("rewording").search(fold(text).text))


def is_doubt(folded: str) -> bool:
    """Does a folded text speak of a doubt?"""
    return bool(_pattern("doubts").search(folded))


def is_about_oneself(folded: str) -> bool:
    """Is it about what only the one who says it can know, or have found out?"""
    return bool(_OWN_MATTER.search(folded))


_FINITE: Final = lazily(
    r"(?<![a-z])(?:is|are|was|were|am|be|been|has|have|had|do|does|did|will|would|can|could|may|might|must|shall|should|"
    r"needs?|cannot|went|goes|[a-z]{2,}(?<!s)s|[a-z]{2,}ed|came|got|gave|made|took|left|fell|broke|began|ran|kept|"
    r"let|cut|put|set|ate|saw|grew)(?![a-z])|['’](?:re|ll|ve|d|m|t)(?![a-z])|(?<![a-z])(?:it|he|she|that|there|who)['’]s(?![a-z])"
    r"|(?<![a-z])(?:you|they|we|i)(?: (?:[a-z]+ly|also|just|still|always|never|only|both|all))* "
    r"(?!(?:and|or|but|in|at|on|to|for|of|off|up|with|by|from|as|if|when|who|whom|which|that|the|an?|not|than|so|more|"
    r"less|about|over)(?![a-z]))"
    r"[a-z]{2,}(?![a-z])",
    re.IGNORECASE,
)
"""What a sentence has and a noun phrase mostly has not."""


def has_finite_verb(text: str) -> bool:
    """Is an English text a clause, and no noun phrase?"""
    return bool(_FINITE.search(text))
