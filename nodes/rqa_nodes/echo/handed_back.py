"""Which words of a person are the assistant's own, handed back: "You said: ...", 「…」と言いましたよね?

Who repeats a guess to ask what was meant has not said it himself. What is handed back is no word of the user's: it
backs no claim, and a reference to such an item points to the assistant's own words as far as those go.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import Final, NamedTuple

from rqa_nodes.echo.content import best_share, content_words
from rqa_nodes.echo.fold import fold
from rqa_nodes.echo.lazily import lazily
from rqa_nodes.echo.sentence import Sentence
from rqa_nodes.echo.types import Injected

__all__ = ["own_part", "with_true_speakers"]

_ENOUGH: Final = 0.5
"""Share of a sentence's content from which it is what was handed back."""
_KEPT: Final = 1024
"""Texts whose reading is kept: each sentence of a reply asks about the same few."""
_SAID: Final = (
    r"(?:said|told me|wrote|claimed|suggested|mentioned|stated|guessed|concluded|assumed|"
    r"(?:did )?(?:say|tell me|write|claim|suggest|mention))"
)
_ENGLISH: Final = lazily(
    r"(?<![a-z])(?<!as )(?<!like )you "
    r"(?:(?:just|once|also|already|earlier|yourself|had|have|first|only|actually) ){0,3}"
    + _SAID
    + r"(?: (?:earlier|before|once|yesterday|last time|then|to me|just now)){0,2}(?: that)?[:,]? ?"
    r"(?:\"[^\"\n]*\"?|“[^”\n]*”?|(?:(?! but | and (?:i|you|it|that|we) )[^.!?;\n]){1,400})"
)
_YOU_JA: Final = r"(?:あなた|君|きみ|そちら|そっち|お前|おまえ|貴方)"
_SAID_JA: Final = r"(?:言|おっしゃ|仰|書[いき]|提案|指摘|推測|述べ|答え)"
_JAPANESE: Final = lazily(
    rf"{_YOU_JA}(?:は|が)[^。!！?？\n]{{0,80}}?(?:と|って){_SAID_JA}[^。!！?？\n]{{0,12}}"
    rf"|(?<![私僕俺]は)(?<![私僕俺]が)(?:「[^」\n]{{1,200}}」|『[^』\n]{{1,200}}』)(?:と|って){_SAID_JA}[^。、!！?？\n]{{0,8}}?"
    r"(?:よね|よな|じゃん|じゃない|っけ|でしょ|んだけど|けど|(?:の|こと)(?:は|って))"
)
_CHINESE: Final = lazily(r"你(?:刚才|之前|上次)?(?:说过?|写|提到)[：:，,]?(?:“[^”\n]*”?|[^。！？!?\n]{1,200})")

_BY_WORDS: Final = ((_ENGLISH, ("you ",)), (_JAPANESE, ("と", "って")), (_CHINESE, ("你",)))
"""Each with words of which every match holds one: a text without them is not tried."""


class _Read(NamedTuple):
    own: str
    """What is left, with a gap where something was handed back."""
    back: str
    """What was handed back."""


@lru_cache(maxsize=_KEPT)
def _read(text: str) -> _Read:
    folded = fold(text).text
    own, back = folded, []
    for pattern, words in _BY_WORDS:
        if any(word in own for word in words):
            back += [match[0] for match in pattern.finditer(own)]
            own = pattern.sub(" . ", own)
    return _Read(own, " ".join(back))


def own_part(text: str) -> str:
    """What a person says in his own words; the text itself where he hands nothing back."""
    read = _read(text)
    return read.own if read.back else text


def _is_handed_back(item: Injected, words: frozenset[str]) -> bool:
    """Do these words come from what the person handed back, and not from what he says himself?"""
    read = _read(item.text)
    if not read.back:
        return False
    back = best_share(words, [content_words(read.back)])
    return back >= _ENOUGH and back > best_share(words, [content_words(read.own)])


def with_true_speakers(sentence: Sentence) -> Sentence:
    """The sentence, where an item of the user's that only hands this back stands as the assistant's."""
    if not any(item.source == "user" and _read(item.text).back for item in sentence.cited):
        return sentence
    words = content_words(sentence.plain)
    references = tuple(
        (
            reference,
            tuple(
                replace(pointer, item=replace(pointer.item, source="assistant"))
                if pointer.item is not None and pointer.item.source == "user" and _is_handed_back(pointer.item, words)
                else pointer
                for pointer in pointers
            ),
        )
        for reference, pointers in sentence.references
    )
    return replace(sentence, references=references)
