"""Which given sentences answer a question, judged by shared words alone?

Memory lines, documents and the visible transcript are cut into passages that keep whose words they are. A passage
scores by the share of the question's terms that it holds; nothing is rewritten.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Final, Literal

from rqa_checkpoints.provenance import SourceClass
from rqa_nodes.echo.lexicon import LANGUAGES, own_wordings
from rqa_nodes.prompt_parts import DocumentPart, MemoryLine, TranscriptLine
from rqa_nodes.structure.changing import is_of_now, shared_matters
from rqa_nodes.structure.intent import is_question
from rqa_nodes.structure.lexicon import own_sentence, sign
from rqa_nodes.structure.segment import segment
from rqa_nodes.structure.text import base_terms, clean, coverage, fold

__all__ = ["Passage", "best_passages", "passages", "speaks_of_now", "without_own_sentences"]

_FLOOR: Final = 0.3
"""Below this share of the question's terms a passage is on another topic."""
_NEAR_BEST: Final = 0.6
_NEAR_BEST_NOW: Final = 0.45
"""Passages that reach this share of the best score are answers too; less is enough for how things stand by now."""


_QUOTED_WHOLE_CHARS: Final = 200
"""A longer item is quoted by the sentence, and so is a passage of several lines: its heading is no statement."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """A sentence that could answer, and whose words it is."""

    origin: Literal["memory", "document", "transcript"]
    text: str
    speaker: str
    """user, assistant, external or system."""
    line: MemoryLine | None = None
    locator: str = ""
    order: int = 0
    score: float = 0.0


def without_own_sentences(memory: Sequence[MemoryLine]) -> tuple[MemoryLine, ...]:
    """The lines that say something, without our fixed sentences.

    Such a sentence, stored with a reply, is no guess about anything; and what it quotes is a line of its own, so that
    quoting it again would nest one credit in the other.
    """
    cut = (replace(line, text=_own_words(line)) for line in memory)
    return tuple(line for line in cut if line.text)


def _own_words(line: MemoryLine) -> str:
    """The words of a line up to the next fixed sentence; of everybody but the assistant, all of them."""
    if line.source is not SourceClass.assistant:
        return line.text
    if _is_own(line.text):
        return ""
    found = [unit.text for unit in segment(line.text)] or [line.text]
    runs = [list(run) for own, run in itertools.groupby(found, _is_own) if not own]
    if not runs or len(runs[0]) == len(found):
        return line.text if runs else ""
    first, last = line.text.find(runs[0][0]), line.text.find(runs[0][-1])
    return line.text[first : last + len(runs[0][-1])] if 0 <= first <= last else runs[0][0]


def _is_own(text: str) -> bool:
    bare = clean(text).strip("- \n")
    return own_sentence().fullmatch(bare) is not None or fold(bare).startswith(_credits())


@cache
def _credits() -> tuple[str, ...]:
    """How the verifier begins a sentence that it has put right."""
    return tuple(fold(words) for lang in LANGUAGES for words in own_wordings(lang))


def passages(
    memory: Sequence[MemoryLine], documents: Sequence[DocumentPart], transcript: Sequence[TranscriptLine] = ()
) -> Iterator[Passage]:
    """Every sentence that was given this turn, in order: memory, documents, transcript."""
    order = 0
    for line in memory:
        for text in _sentences(line):
            yield Passage(
                origin="memory", text=text, speaker=line.source.value, line=line, locator=line.locator, order=order
            )
            order += 1
    for document in documents:
        for unit in segment(document.text):
            yield Passage(origin="document", text=unit.text, speaker="external", locator=document.locator, order=order)
            order += 1
    for spoken in transcript:
        role = spoken.role.split(":", 1)[0]
        if role in ("user", "assistant"):
            for unit in segment(spoken.text):
                if role == "user" or not _is_own(unit.text):
                    yield Passage(origin="transcript", text=unit.text, speaker=role, order=order)
                order += 1


def _sentences(line: MemoryLine) -> list[str]:
    is_passage = line.source is SourceClass.external and "\n" in line.text
    if len(line.text) <= _QUOTED_WHOLE_CHARS and not is_passage:
        return [line.text]
    return [unit.text for unit in segment(line.text)]


def best_passages(
    question: str,
    memory: Sequence[MemoryLine],
    documents: Sequence[DocumentPart],
    transcript: Sequence[TranscriptLine] = (),
) -> list[Passage]:
    """The passages that answer a question, best first, each wording once; what only asks is left out.

    What is on another topic by the words may still be the answer where the person says in it how things stand by now,
    or that something is not so: that takes fewer words than the thing itself.
    """
    wanted = base_terms(question)
    scored: list[Passage] = []
    seen = {fold(question)}
    for passage in passages(memory, documents, transcript):
        key = fold(passage.text)
        if key in seen or _asks(passage):
            continue
        seen.add(key)
        score = coverage(wanted, base_terms(passage.text) | shared_matters(question, passage.text))
        if score >= _FLOOR:
            scored.append(replace(passage, score=score))
    scored.sort(key=lambda passage: (-passage.score, passage.order))
    best = max((one.score for one in scored), default=0.0)
    # A guess that repeats the question is no measure of what the person says against it.
    given = max((one.score for one in scored if one.speaker != "assistant"), default=0.0)
    return [one for one in scored if one.score >= (given * _NEAR_BEST_NOW if speaks_of_now(one) else best * _NEAR_BEST)]


def speaks_of_now(passage: Passage) -> bool:
    """Whether a person's own remembered words say how something stands by now, or that it is not so."""
    if passage.line is None or passage.line.source is not SourceClass.user:
        return False
    return is_of_now(passage.text) or bool(sign("negation").search(fold(passage.text)))


def _asks(passage: Passage) -> bool:
    return passage.line.kind == "question" if passage.line is not None else is_question(passage.text)
