"""What does the verifier see in one sentence: its language, its references, its signal words, what is off limits?

Off limits are code spans, links and quotations of what the user or a document said this turn: they are blanked out,
length for length, before any rule reads the sentence.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Final, NamedTuple

from rqa_nodes.echo.claim import Claims
from rqa_nodes.echo.fold import Folded, fold
from rqa_nodes.echo.lexicon import LANGUAGES, signals, unread_wordings
from rqa_nodes.echo.references import Reference, find_references
from rqa_nodes.echo.resolver import Resolver
from rqa_nodes.echo.types import Answer, Injected, VerdictKind
from rqa_nodes.echo.voices import Voice
from rqa_nodes.language import detect

__all__ = ["Look", "Pointer", "Sentence", "look", "read_sentence", "sentence_language"]

_KANA: Final = re.compile(r"[\u3041-\u30ff]")
_HAN: Final = re.compile(r"[\u3400-\u9fff]")
_CODE: Final = re.compile(r"(?<!`)(`+)(?!`)([^\n]*?[^`\n])\1(?!`)")
_LINK: Final = re.compile(
    r"(?:https?://|ftp://|www\.)[^\s<>\"'）」』】。、]+|(?<=\])\((?=[^()\s]{0,300}[/.#])[^()\s]{1,300}\)|[\w.+-]{1,64}@[\w-]+\.[\w.]+"
)
_QUOTE: Final = re.compile(r"\"([^\"\n]{2,})\"|“([^”\n]{2,})”|「([^「」\n]{2,})」|『([^『』\n]{2,})』")
_BLANK: Final = "\x1a"


class Look(NamedTuple):
    """A unit at first sight."""

    folded: Folded
    plain: str
    """The folded text with everything off limits blanked out."""
    signals: frozenset[str]


@dataclass(frozen=True, slots=True)
class Pointer:
    """One id of a reference, with what it points to; places are in the current text."""

    start: int
    end: int
    ref: str
    kind: VerdictKind
    item: Injected | None
    reference: Reference


@dataclass(frozen=True, slots=True)
class Sentence:
    """A unit, read."""

    text: str
    folded: Folded
    plain: str
    """The folded text with everything off limits blanked out."""
    lang: str
    signals: frozenset[str]
    references: tuple[tuple[Reference, tuple[Pointer, ...]], ...] = ()
    voice: Voice = ""
    """Whose words they are, where the assistant only writes them for somebody else."""
    own_words: str = ""
    """Folded words of the user and the documents of this turn."""
    answers: Mapping[Injected, Answer] = field(default_factory=dict, compare=False)
    """What the user said to the assistant's items that it refers to, where that was given."""
    says_answer: bool = field(default=False, compare=False)
    """Does it say what the user answered to them?"""
    claims: Claims = field(default_factory=Claims, init=False, compare=False, repr=False)
    """What `find_claims` has found so far."""

    @property
    def pointers(self) -> list[Pointer]:
        """Every id in the sentence, in order."""
        return [pointer for _, pointers in self.references for pointer in pointers] if self.references else []

    @property
    def prose(self) -> str:
        """The folded text without its references, blanked out length for length so that places stay."""
        plain = self.plain
        for reference, _ in self.references:
            plain = plain[: reference.start] + " " * (reference.end - reference.start) + plain[reference.end :]
        return plain

    @property
    def cited(self) -> list[Injected]:
        """The injected items that the sentence refers to."""
        if not self.references:
            return []
        return [pointer.item for pointer in self.pointers if pointer.item is not None]


def sentence_language(text: str, base: str) -> str:
    """Language of one sentence; Han characters alone take the language of the whole."""
    if text.isascii():
        return "en"
    if _KANA.search(text):
        return "ja"
    if _HAN.search(text):
        return base if base in ("ja", "zh") else detect(text)
    return "en"


def look(text: str, *, own_words: str, code: bool) -> Look:
    """Fold a unit, blank out what is off limits, and find the signal words.

    Args:
        text: The unit as it stands now.
        own_words: Folded words of the user and the documents of this turn: quotations of them are off limits.
        code: True if backtick pairs are code.
    """
    folded = fold(text)
    found = signals(folded.text)
    plain = _without_zones(folded.text, own_words, code=code, own_forms="own" in found)
    return Look(folded, plain, found if plain == folded.text else signals(plain))


def read_sentence(
    text: str,
    *,
    base: str,
    resolver: Resolver,
    own_words: str,
    code: bool,
    carried_cue: bool,
    voice: Voice = "",
    seen: Look | None = None,
) -> Sentence:
    """Read a unit.

    Args:
        text: The unit as it stands now.
        base: Language of the whole reply; "" where nobody knows yet.
        resolver: The ids of this turn.
        own_words: Folded words of the user and the documents of this turn: quotations of them are off limits.
        code: True if backtick pairs are code.
        carried_cue: True if the unit goes on with a sentence that held a memory cue.
        voice: Whose words they are.
        seen: What a first look saw, if there was one.
    """
    folded, plain, found = seen or look(text, own_words=own_words, code=code)
    references = tuple(
        (reference, tuple(_pointer(token, reference, folded, resolver) for token in reference.tokens))
        for reference in find_references(plain, cue=carried_cue or "cue" in found, resolver=resolver)
    )
    lang = sentence_language(text, base)
    return Sentence(text, folded, plain, lang, found, references, voice, own_words)


def _pointer(token: tuple[int, int, str], reference: Reference, folded: Folded, resolver: Resolver) -> Pointer:
    start, end, ref = token
    kind, item = resolver.resolve(ref)
    return Pointer(*folded.span(start, end), ref, kind, item, reference)


def _without_zones(text: str, own_words: str, *, code: bool, own_forms: bool) -> str:
    if own_forms:
        text = _own_forms().sub(_blank, text)
    if code and "`" in text:
        text = _CODE.sub(_blank, text)
    if "://" in text or "](" in text or "www." in text or "@" in text:
        text = _LINK.sub(_blank, text)
    if own_words and ('"' in text or "“" in text or "「" in text or "『" in text):
        text = _QUOTE.sub(lambda match: _blank(match) if _inside(match) in own_words else match[0], text)
    return text


@cache
def _own_forms() -> re.Pattern[str]:
    """The verifier's own wordings: what it wrote is never read as a claim."""
    return re.compile("|".join(re.escape(word) for lang in LANGUAGES for word in unread_wordings(lang)))


def _inside(match: re.Match[str]) -> str:
    words = match[1] or match[2] or match[3] or match[4] or ""
    return " ".join(words.strip(" .,!?…。、！？").split())


def _blank(match: re.Match[str]) -> str:
    return _BLANK * (match.end() - match.start())
