"""Does a user's sentence say yes to what the assistant said, no, or the same in other words?

Only whole wordings count, each with what may stand behind it: a yes that goes on ("yes, remind me at six") answers
something else, and a missed yes costs less than an invented one. To quote, doubt, condition or ask is neither.
The words are data; a new wording is one more entry and a row of the test.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from rqa_checkpoints.likeness import Profile, fold, profile, same_claim

__all__ = [
    "affirms",
    "asks_back",
    "denies",
    "is_bare_answer",
    "is_bare_denial",
    "is_plain",
    "repeats",
    "without_affirmation",
]

_YES: Final = (
    "yes",
    "yeah",
    "yep",
    "yup",
    "absolutely",
    "that(?:'s| is)(?: absolutely| totally| very)? (?:right|correct|true|it)",
    "you(?:'re| are)(?: absolutely| quite)? right(?: about (?:that|this|it)| there)?",
    "はい",
    "ええ",
    "うん",
    "そうそう",
    "そう(?:なん)?です(?:ね|よ|よね|とも)?",
    "(?:まさに|まったく|全く)?(?:その|言う|おっしゃる)(?:通り|とおり)(?:です|だ)?(?:ね)?(?:と思(?:う|います))?",
    "(?:まさに)?(?:それ|そう)です",
    "確かに(?:そう|その通り)(?:です|だ)?(?:ね)?",
    "合って(?:い)?(?:ます|る)",
    "当たって(?:い)?(?:ます|る)",
    "正しいです",
    "間違い(?:ありません|ない(?:です)?)",
    "(?:図星|同感|ご明察|正解|ごもっとも)(?:です|だ)?",
    "是的",
    "对的",
    "没错",
)
"""A yes wherever a space or mark follows."""

_YES_ALONE: Final = (
    "indeed",
    "(?:quite |exactly |precisely |absolutely |so |very )?(?:right|correct|true|so)",
    "exactly",
    "precisely",
    "sure",
    "of course",
    "agreed",
    "spot on",
    "bingo",
    "true enough",
    "right you are",
    "i(?: fully| completely)? agree(?: with (?:that|you|this))?",
    "you (?:nailed|got) it",
    "i (?:do|am|have)",
    "it (?:is|does)",
    "that(?:'s| is) (?:exactly (?:it|right|so|why)|why|me|so|the (?:reason|case)|how it is)",
    "確かに",
    "そう(?:だ(?:ね|よ)?)?",
    "对",
    "對",
)
"""A yes only before a mark or the end: "right now", "I do like" say something else."""

_NO: Final = (
    "いいえ",
    "いや",
    "いえ",
    "ううん",
    "まさか",
    "(?:全然|全く|まったく|絶対に|それは)?(?:違|ちが)(?:う|います)(?:よ|ね)?(?:と思(?:う|います))?",
    "全然",
    "全く",
    "まったく",
    "そう(?:いうわけ)?(?:では|でも|じゃ|は)(?:ない|ありません)(?:です)?",
    "そんな(?:こと|わけ|はず)(?:は)?(?:ない|ありません)(?:です)?",
    "そうは思(?:いません|わない)(?:です)?",
    "(?:それは)?事実(?:では|じゃ)(?:ない|ありません)(?:です)?",
    "(?:それは)?間違(?:い(?:です)?|って(?:い)?(?:ます|る))",
    "(?:それは)?(?:的外れ|誤り)(?:です)?",
    "否定します",
    "不是",
    "不对",
    "不對",
    "没有",
)

_NO_ALONE: Final = (
    "no",
    "nope",
    "nah",
    "no way",
    "never",
    "far from it",
    "on the contrary",
    "wrong",
    "incorrect",
    "untrue",
    "false",
    "i disagree",
    "i deny (?:that|it|this)",
    "not (?:at all|true|right|so|really|me)",
    "(?:definitely|absolutely|certainly|of course|surely) not",
    "(?:i(?:'m| am)|it(?:'s| is)) not(?: that| it| true)?",
    "i (?:do not|don't)(?: think so| agree)?",
    "it (?:does not|doesn't|(?:is not|isn't)(?: that| it)?)",
    "that(?:'s| is| was)(?: just| simply)? (?:wrong|incorrect|false|untrue|a mistake)",
    "that(?:(?:'s| is) not| isn't) (?:true|right|correct|so|it|me|why|the (?:case|reason)|how it is)",
    "you(?:'re| are) (?:wrong|mistaken)(?: about (?:that|this|it)| there)?",
)

_TURNING: Final = (
    r"\b(?:but|however|if|unless|whether|maybe|perhaps|might|although|supposedly)\b",
    r"\byou (?:said|claim)\b",
    r"\bnot (?:sure|quite|exactly)\b",
    "でも|しかし|だけど|けど|ただ(?:し)?、|もし|なら|れば|たら|かもしれ|と言った|と言い|但是|可是|如果|也许",
)
"""What makes a sentence neither a yes nor a no."""

_REFUSING: Final = (
    r"\b(?:wrong|incorrect|no)\b",
    r"\bnot (?:right|true|correct|so|really)\b",
    "(?<!間)違|間違(?!い(?:な|あり|ござ))|いいえ|いや、|不对",
)

_ASKING_BACK: Final = (
    "(?:is|was) (?:that|this|it) (?:right|correct|so|true|it)",
    "(?:am i|have i got (?:that|it)) right",
    "right",
    "correct",
    "do you agree",
    "does that (?:fit|sound right|ring true|match)",
    "(?:合って|間違いな|正し|そうでしょう|いかが|違いま)[^。]{0,8}",
)


def _any(words: tuple[str, ...]) -> str:
    return "|".join(words).replace("'", "['’]")


_END: Final = r"(?=$|[\s,.!。、;:~〜])"
_STOP: Final = r"(?=$|[,.!。、;:])"
_GAP: Final = r"[\s,.!。、;:~〜]*"
_AFFIRM: Final = re.compile(rf"(?:(?:{_any(_YES)}){_END}|(?:{_any(_YES_ALONE)}){_STOP}){_GAP}")
_DENY: Final = re.compile(rf"(?:(?:{_any(_NO)}){_END}|(?:{_any(_NO_ALONE)}){_STOP}){_GAP}")
_TURNS: Final = re.compile(_any(_TURNING))
_DOUBT: Final = re.compile(_any(_TURNING + _REFUSING))
_ASKS_BACK: Final = re.compile(rf"(?:{_any(_ASKING_BACK)})$")
_QUOTES: Final = re.compile(r"[\"“”「」『』«»]")

_DENYING: Final = re.compile(
    r"\b(?:do|does|did|is|am|are|was|were|will|have|has|can)?(?: not|n['’]t)\b|\b(?:not|never)\b"
    r"|(?:わけ)?(?:では|じゃ|は)?い?(?:ありません|ません(?:でした)?|ない(?:です)?|なかった(?:です)?)|不是|没有"
)
_PARTICLE: Final = re.compile(r"(?<=[\u30a0-\u30ff\u4e00-\u9fff])[はがをも]")
"""Changes with the denial: 失敗を恐れている, 失敗は恐れていない."""
_LEAST_DENIED: Final = 3
_SPREAD_DENIED: Final = 6
"""A denial leaves out more of the guess than a repetition does ("I am not afraid")."""


def without_affirmation(sentence: str) -> str:
    """The sentence without the yes that opens it; empty where it is nothing but a yes."""
    rest = fold(sentence)
    while match := _AFFIRM.match(rest):
        rest = rest[match.end() :]
    return rest


def is_plain(sentence: str) -> bool:
    """Does the sentence neither quote, doubt, condition nor turn round?"""
    folded = fold(sentence)
    return not _QUOTES.search(folded) and not _DOUBT.search(folded)


def affirms(sentence: str) -> bool:
    """Does the sentence open with a yes, and neither quote, doubt, condition nor deny? Asking is the caller's test."""
    return bool(_AFFIRM.match(fold(sentence))) and is_plain(sentence)


def repeats(said: str, guess: str) -> bool:
    """Does a user's sentence repeat an assistant's one, persons and hedges aside ("you may have" - "I have")?"""
    one, two = profile(without_affirmation(said)), profile(guess)
    return one.facts == two.facts and same_claim(one, two)


def denies(said: str, guess: str) -> bool:
    """Does a user's sentence deny an assistant's one: a bare no, or the same claim turned round ("I am not ...")?

    To quote, condition or wonder is not to deny. Asking is the caller's test.
    """
    folded = fold(said)
    if _QUOTES.search(folded) or _TURNS.search(folded):
        return False
    if is_bare_denial(said):
        return True
    opened = _DENY.match(folded)
    one, two = _turned_round(folded[opened.end() :] if opened else folded), _turned_round(guess)
    is_opposite = one.facts[0] == two.facts[0] and one.facts[1] is not two.facts[1]
    return is_opposite and same_claim(one, two, least=_LEAST_DENIED, spread=_SPREAD_DENIED)


@lru_cache(maxsize=512)
def _turned_round(text: str) -> Profile:
    """The profile of a text without the words that deny, which still knows that it had them."""
    bare = _PARTICLE.sub("", _DENYING.sub(" ", fold(text)))
    return profile(bare)._replace(facts=profile(text).facts)


def is_bare_denial(sentence: str) -> bool:
    """Is the sentence nothing but a no?"""
    folded = rest = fold(sentence)
    while match := _DENY.match(rest):
        rest = rest[match.end() :]
    return rest != folded and not any(map(str.isalnum, rest))


def is_bare_answer(sentence: str) -> bool:
    """Is the sentence nothing but a yes or a no, which says nothing without what it answers?"""
    return is_bare_denial(sentence) or not any(map(str.isalnum, without_affirmation(sentence)))


def asks_back(sentence: str) -> bool:
    """Does a question only ask whether what was said before it is right?"""
    return bool(_ASKS_BACK.search(fold(sentence).rstrip("?？。 ")))
