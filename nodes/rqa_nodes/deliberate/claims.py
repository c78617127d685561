"""What does an answer claim, and which words of a source carry each claim?

A claim is a sentence of the answer. It is carried by a span - one or two sentences of a source, word for word - that
holds at least 0.8 of its content words and differs from it in nothing that the guard reads (numbers, polarity,
quantifiers, order). No model decides this, and a claim that leans on the sentence before it is carried by nothing:
it could not be checked later.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from rqa_checkpoints.provenance import split_sentences
from rqa_nodes.deliberate.sentences import Sentence, sentences_of
from rqa_nodes.structure.lexicon import own_sentence
from rqa_nodes.structure.text import content_terms, coverage

__all__ = ["COVER", "Claim", "Document", "Guard", "Support", "claims_of", "same_claim", "span_in", "supports"]

COVER: Final = 0.8
"""Share of a claim's content words that the span must hold."""

Guard = Callable[[str, str, str], Sequence[str]]
"""Given two statements and their language: the facets in which they differ or may differ; empty if in none."""

_REFERENCE: Final = re.compile(r"\s*\[m:([\w-]{2,64})\]")
_BEHIND: Final = re.compile(r"([.!?。！？]+[\"”」』）)]*)((?:\s*\[m:[\w-]{2,64}\])+)")
"""References behind the mark that ends their sentence."""
_QUOTED: Final = re.compile(r"[“\"「『]([^“”\"「」『』]{2,})[”\"」』]")
_ATTRIBUTES: Final = content_terms(
    "according says said source sources document documents states stated reads writes text page file "
    "記述 記載 文書 出典 資料"
)
"""Words with which a quotation is introduced."""
_LONGEST_SPAN: Final = 2
"""Sentences."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """One thing that an answer says."""

    text: str
    refs: tuple[str, ...]
    """Handles that the answer gives for it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """A source as far as claims are checked against it."""

    handle: str
    text: str
    family: str
    """Whose voice it is."""
    authority: bool
    """Is it the one that decides, such as the law itself or the maker's own manual?"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Support:
    """Words of one source that carry a claim."""

    handle: str
    span: str
    family: str
    authority: bool


def claims_of(answer: str, sources: Sequence[Document] = (), names: Sequence[str] = ()) -> tuple[Claim, ...]:
    """The claims of an answer, in order; the fixed sentences of the built-in engine claim nothing.

    Args:
        answer: The text, with references such as `[m:abc123]`.
        sources: What it may cite.
        names: Locators and publishers: a sentence that only names one of them and quotes it claims what it quotes.
    """
    known = {source.handle for source in sources}
    named = content_terms(" ".join(names)) | _ATTRIBUTES
    found = []
    for sentence in split_sentences(_BEHIND.sub(r"\2\1 ", answer)):
        refs = tuple(ref for ref in _REFERENCE.findall(sentence) if not known or ref in known)
        bare = _REFERENCE.sub("", sentence).strip()
        found += [Claim(text=text, refs=refs) for text in _stated(bare, named, has_reference=bool(refs))]
    return tuple(found)


def _stated(sentence: str, named: frozenset[str], *, has_reference: bool) -> Iterator[str]:
    quotes = _QUOTED.findall(sentence)
    around = content_terms(_QUOTED.sub(" ", sentence))
    if quotes and around <= named:
        for quote in quotes:
            yield from split_sentences(quote)
    elif content_terms(sentence) and (has_reference or not own_sentence().fullmatch(sentence.strip("- \n"))):
        yield sentence


def supports(claim: Claim, sources: Sequence[Document], guard: Guard, lang: str) -> tuple[Support, ...]:
    """The sources that carry a claim, those that it cites first; empty if none that it cites does."""
    cited = [source for source in sources if source.handle in claim.refs]
    others = [source for source in sources if source.handle not in claim.refs]
    found = [support for source in cited if (support := _support(claim.text, source, guard, lang)) is not None]
    if not found:
        return ()
    return (*found, *(s for source in others if (s := _support(claim.text, source, guard, lang)) is not None))


def _support(claim: str, source: Document, guard: Guard, lang: str) -> Support | None:
    span = span_in(claim, source.text, guard, lang)
    if not span:
        return None
    return Support(handle=source.handle, span=span, family=source.family, authority=source.authority)


def span_in(claim: str, text: str, guard: Guard, lang: str) -> str:
    """The shortest words of a text that carry a claim, verbatim; "" if none do."""
    wanted = content_terms(claim)
    sentences = sentences_of(text)
    for length in range(1, _LONGEST_SPAN + 1):
        for start in range(len(sentences) - length + 1):
            chosen = sentences[start : start + length]
            if coverage(wanted, frozenset().union(*(one.terms for one in chosen))) < COVER:
                continue
            span = _verbatim(text, chosen)
            if span and not guard(claim, span, lang):
                return span
    return ""


def _verbatim(text: str, sentences: Sequence[Sentence]) -> str:
    """Neighbouring sentences with what stands between them, as the text has it."""
    first, last = sentences[0].text, sentences[-1].text
    start = text.find(first)
    end = text.find(last, start)
    return text[start : end + len(last)] if 0 <= start <= end else ""


def same_claim(one: str, other: str, guard: Guard, lang: str) -> bool:
    """Does the other statement say what the first one says?"""
    return coverage(content_terms(one), content_terms(other)) >= COVER and not guard(one, other, lang)
