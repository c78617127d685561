"""Does anybody but the assistant stand behind this content?

The rule: a text *shares enough* of a claim if it holds at least half of the claim's content words (Latin words without
endings, character pairs of Han and katakana runs), and every number and month of it: 640 backs no 460. A *statement* of
the user or of an external text supports a claim of the same polarity, if it is no question, request, quotation,
condition or guess, and unless an assistant message fits the claim better: what only the assistant's message carries is
never anybody else's word.
A bare affirmation affirms the assistant message directly before it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache, cached_property
from typing import Final, NamedTuple

from rqa_nodes.echo.facts import TurnFacts
from rqa_nodes.echo.fold import fold
from rqa_nodes.echo.lazily import lazily
from rqa_nodes.echo.lexicon import LANGUAGES, load
from rqa_nodes.echo.resolver import Resolver

__all__ = ["Guess", "Support", "content_words", "is_negated", "is_question"]

_ENOUGH: Final = 0.5
"""Share of a claim's content words that a supporting text must hold."""

_STEM_CHARS: Final = 6
"""Words are taken to be of one family by so many letters: allergy, allergic."""

_STEM_LEAST: Final = 4

_LEAST_SHARED: Final = 2
"""One common word is chance, unless the claim has no other."""

_CARRIES: Final = 0.4
"""Share from which an assistant message is taken to be where the claim comes from: the credit must not be missed."""

_GUESSED: Final = 0.5
"""Share of a clause that one sentence of the assistant holds, if it is that sentence again in other words."""

_CLOSE: Final = 0.6
"""The same where only the fewest words are shared."""

_CLEAR: Final = 0.8
"""From here on a user's statement supports, even if an assistant message repeats it with more words."""

_LONGEST_WORD: Final = 3
"""Pairs of characters in the longest word that is taken as one."""

_POINT: Final = 0.3
"""Share of what a claim takes from a guess that makes its point."""

_HEDGING: Final = frozenset({"思", "考", "可能", "能性", "多分", "恐", "推測", "仮説", "也许", "大概", "疑"})
"""Words in which a guess is put, and not what it says."""

_LATIN: Final = lazily(r"[a-z0-9][a-z0-9_]*")
_HAN_RUN: Final = lazily(r"[\u30a1-\u30fa\u30fc\u3400-\u9fff々]+")
_HIRAGANA_RUN: Final = lazily(r"[\u3041-\u3096]{5,}")
"""Only where a text has no other content: endings and particles are hiragana too."""
_DEMONSTRATIVE: Final = lazily(r"\W*(?:[こそあ](?:れ|の|ちら|う))")
_MARKS: Final = lazily(
    r"\[\s*m\s*:[^\]]*\]?|\"[^\"\n]*\"|“[^”\n]*”|(?:「[^」\n]*」|『[^』\n]*』)(?:[とっ]|という|などと)|"
    r"「[^」\n]{13,}」|『[^』\n]{13,}』"
)
"""References and quotations; a short name in Japanese marks, with no "he says" behind it, is the writer's own word."""
_REFERENCE: Final = lazily(r"\[\s*m\s*:[^\]]*\]?")
_PIECE: Final = lazily(r"[^.!?。！？\n]*(?:[.!?。！？\n]+|$)")
_INNER_DOT: Final = lazily(r"(?<=\w)\.(?=\w)")


class Statement(NamedTuple):
    """One sentence of the transcript or a document."""

    words: frozenset[str]
    text: str
    confirmed: bool = False
    """A bare affirmation stands behind it."""


class Told(NamedTuple):
    """One sentence of the user's that asks nothing."""

    words: frozenset[str]
    folded: str
    text: str
    before: str
    """Folded: what was said before it in the same message."""


class Guess(NamedTuple):
    """One sentence of the assistant."""

    words: frozenset[str]
    text: str


_MONTHS: Final = frozenset(
    {"januar", "februa", "april", "jun", "june", "jul", "july", "august", "septem", "octobe", "novemb", "decemb"}
)
"""As stems; March and May are words of their own."""
_HAN_FIGURE: Final = lazily(
    r"[二三四五六七八九十百千万億][月日年時时分秒円元回度人週周歳岁個个件十百千万億]|一[月日十百千万億]|十[一二三四五六七八九]"
)


def _figures(words: frozenset[str]) -> frozenset[str]:
    """The numbers and months among content words."""
    return frozenset(word for word in words if word.isdigit() or word in _MONTHS or _HAN_FIGURE.fullmatch(word))


@cache
def _stopwords() -> frozenset[str]:
    return frozenset(load("en")["stopwords"])


def content_words(folded: str) -> frozenset[str]:
    """What a folded text is about."""
    text = _REFERENCE.sub(" ", folded) if "[" in folded else folded
    if "様" in text or "奥" in text or "旦那" in text or "嬢" in text:
        text = _CALLED.sub(lambda match: _OWN_WORDS[match[0]], text)
    words = set(map(_stem, set(_LATIN.findall(text)) - _stopwords()))
    if folded.isascii():
        return frozenset(words)
    for run in _HAN_RUN.findall(text):
        words.update([run] if len(run) == 1 else (run[at : at + 2] for at in range(len(run) - 1)))
    if not words and not _DEMONSTRATIVE.match(text):
        for run in _HIRAGANA_RUN.findall(text):
            words.update(run[at : at + 2] for at in range(len(run) - 1))
    return frozenset(words)


_OWN_WORDS: Final = {
    "奥様": "妻", "奥さん": "妻", "奥さま": "妻", "旦那様": "夫", "旦那さん": "夫", "旦那": "夫", "主人様": "夫",
    "嬢様": "娘", "嬢さん": "娘", "嬢さま": "娘", "父様": "父", "母様": "母", "兄様": "兄", "姉様": "姉", "弟様": "弟",
    "妹様": "妹", "孫様": "孫", "子様": "子",
}  # fmt: skip
"""What the reader calls those whom others speak of with respect."""
_CALLED: Final = lazily("|".join(_OWN_WORDS))
_ENDINGS: Final = {
    "g": ("ing",),
    "s": ("ings", "ies", "es", "s"),
    "d": ("ied", "ed"),
    "y": ("edly", "ly", "y"),
    "e": ("e",),
}
"""What a word ends in, by its last letter, the longest first."""
_LEAST_BEFORE: Final = 3
"""Letters before the ending: a shorter stem would fit everything."""
_LONGEST_ENDING: Final = 4


def _stem(word: str) -> str:
    """The beginning of a folded Latin word, without its ending."""
    size = len(word)
    if size < _STEM_LEAST:
        return word
    if size < _STEM_CHARS + _LONGEST_ENDING:
        for ending in _ENDINGS.get(word[-1], ()):
            before = size - len(ending)
            if before >= _LEAST_BEFORE and word.endswith(ending) and word[before - _LEAST_BEFORE : before].isalpha():
                return word[:before][:_STEM_CHARS]
    return word[:_STEM_CHARS]


@cache
def _pattern(group: str) -> re.Pattern[str]:
    """Any word of a group, in any language; Latin words as whole words."""
    words = sorted({word for lang in LANGUAGES for word in load(lang)[group]}, key=len, reverse=True)
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
    words = sorted({word for lang in LANGUAGES for word in load(lang)["requests"]}, key=len, reverse=True)
    latin = "|".join(re.escape(word) for word in words if word[0].isascii())
    other = "|".join(re.escape(word) for word in words if not word[0].isascii())
    return lazily(
        rf"^\W*(?:(?:so|and|but|ok|okay|now|well|then|hi|hello|hey)\W+)*(?:{latin})(?![a-z])|{other}|か[。\s]*$"
    )


@cache
def _affirmation() -> re.Pattern[str]:
    words = sorted({word for lang in LANGUAGES for word in load(lang)["affirmations"]}, key=len, reverse=True)
    one = "|".join(re.escape(word).replace("'", "['’]") for word in words)
    return lazily(rf"(?:{one})[ねよ]*(?:[\s,、，!！.。~—-]+(?:{one})[ねよ]*)*")


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


def _sentences(folded: str) -> Iterator[str]:
    for match in _PIECE.finditer(_INNER_DOT.sub("\x1a", folded)):
        if match[0].strip():
            yield match[0]


def _statements(text: str, *, confirmed: bool = False) -> Iterator[Statement]:
    for sentence in _sentences(fold(text).text):
        bare = sentence if confirmed else _MARKS.sub(" ", sentence)
        words = content_words(bare)
        if words:
            yield Statement(words, bare, confirmed)


def _what_is_confirmed(text: str) -> str:
    """What a "yes" affirms of the message before it: the question that it ends with, else all of it."""
    pieces = [piece for piece in _sentences(text) if piece.strip()]
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


def is_question(folded: str) -> bool:
    """Does a folded sentence of the user ask?"""
    return not _affirms(folded)


_ASKS: Final = lazily(r"(?:かな|かしら|っけ|のかね|なの|[だで]ろうか)[。!！\s]*$")


def _affirms(sentence: str) -> bool:
    asks = "?" in sentence or "？" in sentence or _request().search(sentence.strip()) or _ASKS.search(sentence)
    return not asks and not _pattern("hedges").search(sentence)


def _is_bare_affirmation(text: str) -> bool:
    first = next(_sentences(fold(text).text), "").strip()
    if "?" in first or not _affirmation().fullmatch(first.strip(" .!。！\n")):
        return _agrees_and_goes_on(first)
    return bool(_THANKS.sub("", first).strip(" ,、.!。！\n"))


def _agrees_and_goes_on(first: str) -> bool:
    """A Japanese or Chinese "yes, ..." with nothing behind it that takes it back."""
    head, comma, rest = first.partition("、" if "、" in first else ",")
    agrees = comma and not head.isascii() and _affirmation().fullmatch(head.strip()) and _THANKS.sub("", head).strip()
    return bool(agrees) and _affirms(rest) and not is_negated(rest) and not _BUT.search(rest)


_BUT: Final = lazily(r"でも|けど|しかし|ただ|ですが|だが|一方|ところで|次|但|不过|可是|然而")
_HEDGED: Final = lazily(
    r"(?<![a-z])(?:guess|probably|perhaps|maybe|might|could|likely|suspect|sounds as if)(?![a-z])|"
    r"おそらく|恐らく|たぶん|多分|かもしれ|かもね|でしょう|だろう|可能性|と思(?:い|わ|う)|思われ|と考え|ではない(?:です)?か|はず|そうです|いかが|はどう|推測|仮説|"
    r"じゃない(?:です)?か|んじゃない|かな(?![いくけさっらりるれ])|かしら|っぽい|みたい|よさそう|てみては|てみたら|ちゃう(?:かな|か|やろ)|やろ|どうも|疑わ|怪し|"
    r"可能|也许|大概|恐怕|应该是|估计"
)
_THANKS: Final = lazily(r"thank you|thanks|ありがとう(?:ございます)?|谢谢")
"""Politeness beside an affirmation, and no affirmation by itself."""


class Support:
    """What the texts of this turn support; read when the first claim asks."""

    def __init__(self, facts: TurnFacts) -> None:
        self._facts = facts

    @cached_property
    def _assistant(self) -> list[frozenset[str]]:
        """Content of each message and item of the assistant."""
        return [frozenset().union(*(guess.words for guess in guesses)) for guesses in self._guesses_of_each]

    @cached_property
    def _user_messages(self) -> list[frozenset[str]]:
        """Content of each message and item of the user, and of each of their sentences."""
        texts = [text for role, _, text in self._facts.rows if role == "user"]
        texts += [item.text for item in self._facts.resolver.injected if item.source == "user"]
        folded = [fold(text).text for text in texts]
        return [content_words(part) for text in folded for part in (text, *_sentences(text))]

    @cached_property
    def _external(self) -> list[frozenset[str]]:
        """Content of each sentence of an external text or a document."""
        texts = [item.text for item in self._facts.resolver.injected if item.source == "external"]
        texts += [text for role, _, text in self._facts.rows if role == "tool"]
        texts += self._facts.documents
        return [content_words(part) for text in texts for part in _sentences(fold(text).text)]

    @cached_property
    def _statements(self) -> list[Statement]:
        """What users and external texts state, and what a bare affirmation takes over from the assistant."""
        found: list[Statement] = []
        before = ("", "")
        for role, _, text in self._facts.rows:
            if role == "user":
                found += _statements(text)
                if before[0] == "assistant" and _is_bare_affirmation(text):
                    found += _statements(_what_is_confirmed(before[1]), confirmed=True)
            elif role == "tool":
                found += _statements(text)
            before = (role, text)
        for text in self._facts.documents:
            found += _statements(text)
        for item in self._facts.resolver.injected:
            if item.source in ("user", "external"):
                found += _statements(item.text)
        return found

    def affirmed(self, words: frozenset[str], *, negated: bool) -> bool:
        """Does a user or an external text state this? What only a guess of the assistant's holds, nobody states."""
        if self._only_guessed(words):
            return False
        enough = len(words) if _is_one_word(words) else max(min(_LEAST_SHARED, len(words)), _ENOUGH * len(words), 1)
        figures = _figures(words)
        near = [one for one in self._statements if len(words & one.words) >= enough and figures <= one.words]
        stating = (one for one in near if (one.confirmed or _affirms(one.text)) and is_negated(one.text) is negated)
        return self._stands(words, _best(words, (one.words for one in stating)))

    def _only_guessed(self, words: frozenset[str]) -> bool:
        """Does the point of this stand in a guess of the assistant's, and in no statement?"""
        for guess in self._guesses:
            shared = words & guess.words - _HEDGING
            if len(shared) < min(_LEAST_SHARED, len(guess.words - _HEDGING)) or not self.is_hedged(guess.text):
                continue
            if len(shared - self._stated_words) >= max(1.0, _POINT * len(shared)):
                return True
        return False

    @cached_property
    def _stated_words(self) -> frozenset[str]:
        return frozenset().union(*(one.words for one in self._statements))

    def said_by_user(self, words: frozenset[str]) -> bool:
        """Does a visible message of the user share enough of this, and more than a text of somebody else?"""
        figures = _figures(words)
        best = _best(words, (text for text in self._user_messages if figures <= text))
        return self._stands(words, best) and (best >= _CLEAR or best >= _best(words, self._external))

    @cached_property
    def told_texts(self) -> tuple[str, ...]:
        """What the user says in messages and items, as it is written."""
        texts = [text for role, _, text in self._facts.rows if role == "user"]
        return (*texts, *(item.text for item in self._facts.resolver.injected if item.source == "user"))

    @cached_property
    def papers(self) -> tuple[str, ...]:
        """The documents, tool results and external items of this turn."""
        tools = [text for role, _, text in self._facts.rows if role == "tool"]
        items = [item.text for item in self._facts.resolver.injected if item.source == "external"]
        return (*self._facts.documents, *tools, *items)

    @cached_property
    def told_sentences(self) -> list[Told]:
        """What the user says, sentence by sentence."""
        found: list[Told] = []
        for text in self.told_texts:
            before = ""
            for piece in _sentences(text):
                folded = fold(piece).text
                if not folded.rstrip().endswith("?"):
                    found.append(Told(content_words(folded), folded, piece.replace("\x1a", ".").strip(), before))
                before += folded
        return found

    @cached_property
    def told(self) -> str:
        """Folded: all that the user and the documents say."""
        return "\n".join(fold(text).text for text in (*self.told_texts, *self._facts.documents))

    def only_asked(self, words: frozenset[str]) -> bool:
        """Did the user ask whether it is so, of something of his own, and did nobody state it?"""
        asked = (one.words for one in self._statements if _OWN_MATTER.search(one.text) and is_question(one.text))
        return _best(words, asked) >= _ENOUGH

    @cached_property
    def speakers(self) -> frozenset[str]:
        """Folded names under which messages of this turn stand."""
        return frozenset(fold(name).text for _, name, _ in self._facts.rows if len(name) > 1)

    def said_by(self, speaker: str, words: frozenset[str]) -> bool:
        """Does a visible message or item under this folded name share enough of this?"""
        texts = [text for _, name, text in self._facts.rows if fold(name).text == speaker]
        texts += [item.text for item in self._facts.resolver.injected if fold(item.author).text == speaker]
        return _best(words, (content_words(fold(text).text) for text in texts)) >= _ENOUGH

    def said_by_assistant(self, words: frozenset[str]) -> bool:
        """Does a visible message of the assistant share enough of this?"""
        return _best(words, self._assistant) >= _ENOUGH

    def carried_by_assistant(self, words: frozenset[str]) -> bool:
        """Is an assistant message or item where this comes from?"""
        return any(len(words & text) >= _CARRIES * len(words) for text in self._assistant) if words else False

    @cached_property
    def _guesses_of_each(self) -> list[list[Guess]]:
        """What the assistant's messages and items say, sentence by sentence, as it is written there."""
        texts = [text for role, _, text in self._facts.rows if role == "assistant"]
        texts += [item.text for item in self._facts.resolver.injected if item.source == "assistant"]
        return [
            [Guess(content_words(fold(piece).text), piece.replace("\x1a", ".").strip()) for piece in _sentences(text)]
            for text in texts
        ]

    @cached_property
    def _guesses(self) -> list[Guess]:
        return [guess for guesses in self._guesses_of_each for guess in guesses]

    @cached_property
    def _guessed_words(self) -> frozenset[str]:
        return frozenset().union(*(guess.words for guess in self._guesses))

    @property
    def resolver(self) -> Resolver:
        """The ids of this turn."""
        return self._facts.resolver

    @property
    def has_guesses(self) -> bool:
        """Does the assistant say anything in this turn's messages and items?"""
        return bool(self._guessed_words)

    def may_be_guess(self, words: frozenset[str]) -> bool:
        """Could any part of this come from the assistant? A cheap look before a close one."""
        shared = words & self._guessed_words
        return len(shared) >= _LEAST_SHARED or bool(shared and self._short_guess(shared))

    @cached_property
    def _short_guesses(self) -> list[tuple[frozenset[str], Guess]]:
        """Guesses that say one thing only, which a sentence holds or does not."""
        bare = ((guess.words - _HEDGING, guess) for guess in self._guesses)
        short = ((words, guess) for words, guess in bare if 0 < len(words) <= _LEAST_SHARED)
        return [
            (words, guess)
            for words, guess in short
            if all(not word.isascii() and len(word) > 1 for word in words) and self.is_hedged(guess.text)
        ]

    def _short_guess(self, words: frozenset[str]) -> Guess | None:
        return next((guess for short, guess in self._short_guesses if short <= words), None)

    def guess_of(self, words: frozenset[str]) -> Guess | None:
        """The assistant's own sentence that this comes from; None: it comes from no message or item of the assistant.

        One common word, or two character pairs of one word, are chance.
        """
        if len(words & self._guessed_words) < max(_LEAST_SHARED, _GUESSED * len(words)):
            return self._short_guess(words)
        best = max(self._guesses, key=lambda guess: len(guess.words & words), default=None)
        if best is None:
            return None
        shared = best.words & words
        least = _LEAST_SHARED if all(word.isascii() for word in words) or _are_apart(shared) else _LEAST_SHARED + 1
        enough = _GUESSED if len(shared) > least else _CLOSE
        return best if len(shared) >= max(least, enough * len(words)) else self._short_guess(words)

    def closest_guess(self, words: frozenset[str]) -> Guess | None:
        """The sentence of the assistant that holds the most of what one of its texts is known to carry."""
        best = max(self._guesses, key=lambda guess: len(guess.words & words), default=None)
        return best if best is not None and best.words & words else None

    @staticmethod
    def is_hedged(text: str) -> bool:
        """Does a sentence of the assistant own up to being a guess?"""
        return bool(_HEDGED.search(fold(text).text))

    def _stands(self, words: frozenset[str], best: float) -> bool:
        if best >= _CLEAR:
            return True
        return best >= _ENOUGH and best >= _best(words, self._assistant)


def _is_one_word(words: frozenset[str]) -> bool:
    """Are these the pairs of one word of three or four characters? A larger hall is not the smaller one."""
    if not 1 < len(words) <= _LONGEST_WORD or any(len(word) != len("大ホ") for word in words):
        return False
    return len({word[0] for word in words} - {word[1] for word in words}) == 1


def _are_apart(shared: frozenset[str]) -> bool:
    """Do two of these come from different words? Pairs that lap over may be one word of three characters."""
    return any(one[-1] != other[0] and other[-1] != one[0] for one in shared for other in shared if one != other)


def _best(words: frozenset[str], texts: Iterable[frozenset[str]]) -> float:
    """The largest share of the words that one of the texts holds; one word alone is a share only of one word."""
    if not words:
        return 0.0
    least = min(_LEAST_SHARED, len(words))
    shared = (len(words & text) for text in texts)
    return max((count / len(words) for count in shared if count >= least), default=0.0)
