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
from collections.abc import Iterator
from functools import cache, cached_property
from typing import Final, NamedTuple

from rqa_nodes.echo.content import (
    LEAST_SHARED,
    are_apart,
    best_share,
    content_words,
    figures,
    is_one_word,
    names_in,
    names_otherwise,
)
from rqa_nodes.echo.facts import TurnFacts
from rqa_nodes.echo.fold import fold
from rqa_nodes.echo.handed_back import own_part
from rqa_nodes.echo.lazily import lazily
from rqa_nodes.echo.mood import (
    Statement,
    affirms,
    asks_for_words,
    is_about_oneself,
    is_bare_affirmation,
    is_doubt,
    is_hedged,
    is_hunch,
    is_negated,
    sentences,
    statements,
    told_in,
    what_is_confirmed,
)
from rqa_nodes.echo.resolver import Resolver
from rqa_nodes.echo.types import Answer
from rqa_nodes.packaged import packaged

__all__ = ["Guess", "Support"]

_ENOUGH: Final = 0.5
"""Share of a claim's content words that a supporting text must hold."""

_TOUCHED: Final = 1 / 3
"""Of the words of an event, so many make it likely that somebody has told of it."""
_CARRIES: Final = 0.4
"""Share from which an assistant message is taken to be where the claim comes from: the credit must not be missed."""

_GUESSED: Final = 0.5
"""Share of a clause that one sentence of the assistant holds, if it is that sentence again in other words."""

_CLOSE: Final = 0.6
"""The same where only the fewest words are shared."""

_CLEAR: Final = 0.8
"""From here on a user's statement supports, even if an assistant message repeats it with more words."""

_POINT: Final = 0.3
"""Share of what a claim takes from a guess that makes its point."""

_FEW: Final = 64
"""So many words of guesses are looked for one by one."""

_TELLING: Final = 5
"""Letters; a Latin word with more of them can be all that a guess says."""

_HEDGING: Final = frozenset(
    {
        "思",
        "考",
        "可能",
        "能性",
        "多分",
        "恐",
        "推測",
        "仮説",
        "也许",
        "大概",
        "疑",
        "gues",
        "hunch",
        "seem",
        "appear",
        "presum",
        "appare",
        "perhap",
        "mayb",
        "possib",
        "concei",
        "plausi",
        "potent",
        "suspec",
        "imagin",
        "reckon",
        "impres",
        "chanc",
        "user",
    }
)
"""Words in which a guess is put, and not what it says."""


_CLAUSES: Final = lazily(
    r"[,;:、，]|(?<![a-z])(?:and|but|because|since|so|that|which|who|although|though|while)(?![a-z])"
)


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
        folded = [fold(own_part(text)).text for text in self.told_texts]
        return [content_words(part) for text in folded for part in (text, *sentences(text))]

    @cached_property
    def _external(self) -> list[frozenset[str]]:
        """Content of each sentence of an external text or a document."""
        return [content_words(part) for text in self.papers for part in sentences(fold(text).text)]

    @cached_property
    def _statements(self) -> list[Statement]:
        """What users and external texts state, and what a bare affirmation takes over from the assistant."""
        found: list[Statement] = []
        before = ("", "")
        for role, _, text in self._facts.rows:
            if role == "user":
                found += statements(own_part(text))
                if before[0] == "assistant" and is_bare_affirmation(text):
                    found += statements(what_is_confirmed(before[1]), confirmed=True)
            elif role == "tool":
                found += statements(text)
            before = (role, text)
        for text in self._facts.documents:
            found += statements(text)
        for item in self._facts.resolver.injected:
            if item.source in ("user", "external"):
                found += statements(own_part(item.text) if item.source == "user" else item.text)
        return found

    def affirmed(self, words: frozenset[str], *, negated: bool) -> bool:
        """Does a user or an external text state this? What only a guess of the assistant's holds, nobody states."""
        if self.only_guessed(words):
            return False
        enough = len(words) if is_one_word(words) else max(min(LEAST_SHARED, len(words)), _ENOUGH * len(words), 1)
        numbers = figures(words)
        near = [one for one in self._statements if len(words & one.words) >= enough and numbers <= one.words]
        stating = (one for one in near if (one.confirmed or affirms(one.text)) and is_negated(one.text) is negated)
        return self._stands(words, best_share(words, (one.words for one in stating)))

    def only_guessed(self, words: frozenset[str]) -> bool:
        """Does the point of this stand in a guess of the assistant's, and in no statement?"""
        for guess in self._guesses:
            shared = words & guess.words - _HEDGING
            if len(shared) < min(LEAST_SHARED, len(guess.words - _HEDGING)) or not is_hedged(guess.text):
                continue
            if len(shared - self._stated_words) >= max(1.0, _POINT * len(shared)):
                return True
        return False

    def unstated(self, words: frozenset[str]) -> frozenset[str]:
        """Which of these words does no user and no external text state? A question states nothing."""
        return words - self._affirmed_words

    @cached_property
    def _affirmed_words(self) -> frozenset[str]:
        return frozenset().union(*(one.words for one in self._statements if one.confirmed or affirms(one.text)))

    @cached_property
    def _stated_words(self) -> frozenset[str]:
        return frozenset().union(*(one.words for one in self._statements))

    def said_by_user(self, words: frozenset[str]) -> bool:
        """Does a visible message of the user share enough of this, and more than a text of somebody else?"""
        numbers = figures(words)
        best = best_share(words, (text for text in self._user_messages if numbers <= text))
        return self._stands(words, best) and (best >= _CLEAR or best >= best_share(words, self._external))

    def denied_by_user(self, words: frozenset[str], *, negated: bool) -> bool:
        """Does the user say the opposite of this, in nearly all of its words, and nowhere the same as well?"""
        same, opposite = [0.0], [0.0]
        for clause, denies in self._told_clauses:
            (same if denies is negated else opposite).append(len(words & clause) / max(1, len(words)))
        return len(words) >= LEAST_SHARED and max(opposite) >= _CLEAR and max(opposite) > max(same)

    @cached_property
    def _told_clauses(self) -> list[tuple[frozenset[str], bool]]:
        """The words of each clause of the user's that asks nothing, and whether it denies."""
        clauses = (clause for one in self.told_sentences for clause in _CLAUSES.split(one.folded))
        return [(content_words(clause), is_negated(clause)) for clause in clauses]

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
            for piece in sentences(text):
                folded = fold(piece).text
                if not folded.rstrip().endswith("?"):
                    found.append(Told(content_words(folded), folded, piece.replace("\x1a", ".").strip(), before))
                before += folded
        return found

    @cached_property
    def told(self) -> str:
        """Folded: all that the user and the documents say."""
        return "\n".join(fold(text).text for text in (*self.told_texts, *self._facts.documents))

    def touched_on(self, words: frozenset[str]) -> bool:
        """Does the user, or a text of somebody else, speak of any good part of this?"""
        told = self._stated_words.union(*self._user_messages, *self._external)
        return len(words & told) >= _TOUCHED * len(words)

    def only_asked(self, words: frozenset[str]) -> bool:
        """Did the user ask whether it is so, of something of his own, and did nobody state it?"""
        asked = (one.words for one in self._statements if is_about_oneself(one.text) and not affirms(one.text))
        return best_share(words, asked) >= _ENOUGH

    @cached_property
    def speakers(self) -> frozenset[str]:
        """Folded names under which messages of this turn stand."""
        return frozenset(fold(name).text for _, name, _ in self._facts.rows if len(name) > 1)

    def doubted(self, content: str) -> bool:
        """Does a folded text speak of a doubt, and the user of one, too?"""
        return is_doubt(content) and is_doubt(self.told)

    def said_by(self, speaker: str, words: frozenset[str]) -> bool:
        """Does a visible message or item under this folded name share enough of this?"""
        texts = [text for _, name, text in self._facts.rows if fold(name).text == speaker]
        texts += [item.text for item in self._facts.resolver.injected if fold(item.author).text == speaker]
        return best_share(words, (content_words(fold(text).text) for text in texts)) >= _ENOUGH

    def said_by_assistant(self, words: frozenset[str]) -> bool:
        """Does a visible message of the assistant share enough of this?"""
        return best_share(words, self._assistant) >= _ENOUGH

    def carried_by_assistant(self, words: frozenset[str]) -> bool:
        """Is an assistant message or item where this comes from?"""
        return any(len(words & text) >= _CARRIES * len(words) for text in self._assistant) if words else False

    @cached_property
    def _guesses_of_each(self) -> list[list[Guess]]:
        """What the assistant's messages and items say, sentence by sentence, as it is written there."""
        texts = [text for role, _, text in self._facts.rows if role == "assistant"]
        texts += [item.text for item in self._facts.resolver.injected if item.source == "assistant"]
        return [_guesses_in(text) for text in texts]

    @cached_property
    def _guesses(self) -> list[Guess]:
        return [guess for guesses in self._guesses_of_each for guess in guesses]

    @cached_property
    def _answers(self) -> dict[str, Answer]:
        """What the user said to each sentence of the items that were given with the user's yes or no."""
        return {guess.text: one.answer for one in self._facts.answered for guess in _guesses_in(one.item.text)}

    def answer_to(self, guess: str) -> Answer:
        """What the user said to a sentence of the assistant's; "" for nothing that was given."""
        return self._answers.get(guess, "")

    def answer_to_all(self, words: frozenset[str]) -> Answer:
        """What the user said to the one sentence of the assistant's that holds all of these words that it has said."""
        closest = self.closest_guess(words) if self._answers else None
        if closest is None or not words & self._guessed_words <= closest.words:
            return ""
        return self.answer_to(closest.text)

    @cached_property
    def _guessed_words(self) -> frozenset[str]:
        return frozenset().union(*(guess.words for guess in self._guesses))

    @cached_property
    def words_are_asked_for(self) -> bool:
        """Is the reply a text that the user ordered, such as a translation or a story?"""
        return asks_for_words(self._facts.user_text)

    @property
    def resolver(self) -> Resolver:
        """The ids of this turn."""
        return self._facts.resolver

    @property
    def has_guesses(self) -> bool:
        """Does the assistant say anything in this turn's messages and items?"""
        return bool(self._guessed_words)

    def may_hold_guess(self, folded: str) -> bool:
        """Could any part of a folded text come from the assistant? A look at the letters, before one at the words."""
        if len(self._guessed_words) > _FEW or names_otherwise(folded):
            return self.may_be_guess(content_words(folded))
        there = sum(word in folded for word in self._guessed_words)
        if there < LEAST_SHARED and not (there and self._short_guesses):
            return False
        return self.may_be_guess(content_words(folded))

    def may_be_guess(self, words: frozenset[str]) -> bool:
        """Could any part of this come from the assistant? A cheap look before a close one."""
        shared = words & self._guessed_words
        return len(shared) >= LEAST_SHARED or bool(shared and self._short_guess(shared))

    @cached_property
    def _short_guesses(self) -> list[tuple[frozenset[str], Guess]]:
        """Guesses that say one thing only, which a sentence holds or does not."""
        bare = ((guess.words - _HEDGING, guess) for guess in self._guesses)
        short = ((words, guess) for words, guess in bare if 0 < len(words) <= LEAST_SHARED)
        return [
            (words, guess)
            for words, guess in short
            if all(len(word) > (_TELLING if word.isascii() else 1) for word in words) and is_hedged(guess.text)
        ]

    def _short_guess(self, words: frozenset[str]) -> Guess | None:
        return next((guess for short, guess in self._short_guesses if short <= words), None)

    def guess_of(self, words: frozenset[str]) -> Guess | None:
        """The assistant's own sentence that this comes from; None: it comes from no message or item of the assistant.

        One common word, or two character pairs of one word, are chance.
        """
        if len(words & self._guessed_words) < max(LEAST_SHARED, _GUESSED * len(words)):
            return self._short_guess(words)
        best = max(self._guesses, key=lambda guess: len(guess.words & words), default=None)
        if best is None:
            return None
        shared = best.words & words
        least = LEAST_SHARED if all(word.isascii() for word in words) or are_apart(shared) else LEAST_SHARED + 1
        enough = _GUESSED if len(shared) > least else _CLOSE
        return best if len(shared) >= max(least, enough * len(words)) else self._short_guess(words)

    @cached_property
    def _introduced_words(self) -> frozenset[str]:
        """What the assistant speaks of, and nobody else does."""
        others = (*self.told_texts, *self.papers)
        told = frozenset().union(*(content_words(fold(text).text) for text in others))
        return self._guessed_words - told - _HEDGING

    def introduced(self, clause: str) -> Guess | None:
        """The sentence of the assistant that brought up what a folded clause names.

        Where a matter is called settled in few words ("the ear mites that we found"), its name, of two words side by
        side or of three characters, is all that is left of it.
        """
        for name in names_in(clause):
            if name & self._introduced_words and name <= self._guessed_words:
                return next((guess for guess in self._guesses if name <= guess.words), None)
        return None

    def hedged_guess_of(self, words: frozenset[str]) -> Guess | None:
        """The open guess of the assistant's that shares the most with this."""
        return max(self._hedged_guesses, key=lambda guess: len(guess.words & words), default=None)

    @cached_property
    def _hedged_guesses(self) -> list[Guess]:
        """What the assistant has guessed and nobody has told anything about since but that it is not so."""
        facts, told, found = self._facts, list[str](), list[Guess]()
        if facts.documents:
            return []
        for role, _, text in reversed(facts.rows):
            if role == "tool":
                break
            if role == "user":
                told += told_in(text)
            elif role == "assistant":
                found += _open_in(text, told)
        now = list(told_in(facts.user_text))
        for item in facts.resolver.injected:
            found += _open_in(item.text, now) if item.source == "assistant" else []
        return found

    def closest_guess(self, words: frozenset[str]) -> Guess | None:
        """The sentence of the assistant that holds the most of what one of its texts is known to carry."""
        best = max(self._guesses, key=lambda guess: len(guess.words & words), default=None)
        return best if best is not None and best.words & words else None

    def _stands(self, words: frozenset[str], best: float) -> bool:
        if best >= _CLEAR:
            return True
        return best >= _ENOUGH and best >= best_share(words, self._assistant)


_FRAMES: Final = (
    "nothing_anywhere", "no_record", "no_more_record", "nothing_own", "nothing_about_you", "tell", "no_model",
    "nearest", "touches", "differs", "turns", "turns_statement", "cannot", "list_assistant", "only_assistant",
    "concept", "current", "plain_fact", "plain_other", "other_language", "no_prose", "no_text",
)  # fmt: skip
"""Sentences of the built-in engine about what it has and has not: it says them again and again, and guesses nothing."""
_FRAME_CHARS: Final = 12
"""A sentence may be parted inside what it quotes, or stand in a list: so much of a frame tells it anywhere."""


_PANEL: Final = (
    "採点なし: 評価器が無効です",
    "生成側の順位のみによる縮退",
    "degraded to the generator's own ranking",
    "矛盾と飛躍",
    "矛盾・飛躍",
)
"""Of the lines and headings of a panel, what could be read as a matter that is settled."""


@cache
def _frames() -> tuple[str, ...]:
    """What they consist of besides what they quote, folded."""
    wordings = [words[name] for words in packaged("structure/phrases").values() for name in _FRAMES if name in words]
    parts = (fold(part).text.strip(_MARKS) for wording in wordings for part in re.split(r"\{\w+\}", wording))
    return (*_PANEL, *(part for part in parts if len(part) >= _FRAME_CHARS))


_MARKS: Final = ' \n「」“”()（）":。.;、,'


def _without_frames(folded: str) -> str:
    for part in _frames():
        folded = folded.replace(part, " ")
    return folded


_INSIDE: Final = lazily(r"\"([^\"]+)\"|“([^”]+)”|「([^」]+)」|^[^「“]*?[」”]")


def _said_words(folded: str) -> frozenset[str]:
    """The content of a sentence: of one that speaks about quoted words, what they say, and not how they are spoken of.

    An analysis says the same of many quotations ("X" takes for granted ...), and repeats no guess by that.
    """
    quoted = content_words(" ".join(match[0] for match in _INSIDE.finditer(folded)))
    return quoted if len(quoted) > LEAST_SHARED else content_words(folded)


def _guesses_in(text: str) -> list[Guess]:
    said = ((_said_words(_without_frames(fold(piece).text)), piece) for piece in sentences(text))
    return [Guess(words, piece.replace("\x1a", ".").strip()) for words, piece in said if words]


def _open_in(text: str, told: list[str]) -> Iterator[Guess]:
    """The guesses of a text that are as open as they were, without their hedging, if this was told since."""
    for guess in _guesses_in(text):
        if is_hunch(guess.text) and all(_denies(sentence, guess) for sentence in told):
            yield guess._replace(words=guess.words - _HEDGING)


def _denies(sentence: str, guess: Guess) -> bool:
    return is_negated(sentence) and len(content_words(sentence) & guess.words) >= _ENOUGH * len(guess.words)
