"""In which order are a person's own words quoted?

How things stand now comes first, and what it has taken the place of comes behind it; whoever asks how it was gets it
the other way round. Between words that answer equally well, the later ones stand first.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from rqa_checkpoints.provenance import SourceClass
from rqa_nodes.contradiction import ASKED_FROM, Claim, judge
from rqa_nodes.prompt_parts import MemoryLine
from rqa_nodes.structure.changing import asks_past, is_foreign, tells_past
from rqa_nodes.structure.lexicon import sign
from rqa_nodes.structure.passages import Passage, speaks_of_now
from rqa_nodes.structure.text import fold

__all__ = ["in_order", "newer_lines"]

_AS_GOOD: Final = 0.9
"""Share of the best score from which a passage answers as well as the best."""
_OWNED: Final = re.compile(r"(?:私|僕|俺)の[^はがをにの、。?]{1,8}")
"""What a question calls the speaker's own."""
_READ_CHARS: Final = 2000
"""Characters of a statement that decide what it is about."""


def in_order(kept: Sequence[Passage], memory: Sequence[MemoryLine], question: str) -> list[Passage]:
    """The person's passages, given best first, each behind what they have said since in its place, found or not."""
    whole = _with_newer(kept, memory)
    if asks_past(question):
        # What a person says of the past goes back beyond what they said before it.
        ordered = sorted(whole, key=lambda one: (not tells_past(one.text), _time(one)))
        return [replace(one, line=replace(one.line, superseded_by="")) if one.line else one for one in ordered]
    if not kept:
        return []
    best = kept[0]

    standing = {one.line.superseded_by for one in whole if one.line is not None}

    def is_first(one: Passage) -> bool:
        is_later = _time(one) > _time(best) and speaks_of_now(one)
        is_new = one.line is not None and one.line.handle in standing
        return one.score >= _AS_GOOD * best.score or is_later or is_new

    latest_first = sorted(whole, key=lambda one: (*_time(one), one.score), reverse=True)
    first = [one for one in latest_first if is_first(one)]
    first.sort(key=lambda one: _misses(question, one, whole))
    return sorted([*first, *(one for one in whole if one not in first)], key=lambda one: tells_past(one.text))


def _misses(question: str, passage: Passage, whole: Sequence[Passage]) -> int:
    """How far a passage that answers is from what is asked: of somebody else, told by somebody else, of a namesake."""
    handle = passage.line.handle if passage.line else ""
    replaced = [one for one in whole if handle and one.line is not None and one.line.superseded_by == handle]
    # What replaces an answer is one, whatever it names.
    is_foreign_to = all(is_foreign(question, one.text) for one in (passage, *replaced))
    owned = _OWNED.search(fold(question))
    is_namesake = owned is not None and all(owned[0] not in fold(one.text) for one in (passage, *replaced))
    return 4 * is_foreign_to + 2 * bool(sign("report").search(fold(passage.text))) + is_namesake


def _time(passage: Passage) -> tuple[str, str]:
    line = passage.line
    return ("", "") if line is None else (line.date, line.time)


def _with_newer(kept: Sequence[Passage], memory: Sequence[MemoryLine]) -> list[Passage]:
    ordered: dict[str, Passage] = {}
    for passage in kept:
        newer = newer_lines(passage.line, memory) if passage.line is not None else []
        for line in newer:
            score = _AS_GOOD * passage.score  # what was found itself stands before it
            said = replace(passage, text=line.text, line=line, origin="memory", speaker="user", score=score)
            ordered.setdefault(fold(line.text), said)
        if newer and passage.line is not None:
            passage = replace(passage, line=replace(passage.line, superseded_by=newer[0].handle))
        ordered[fold(passage.text)] = passage
    return list(ordered.values())


def newer_lines(line: MemoryLine, memory: Sequence[MemoryLine]) -> list[MemoryLine]:
    """What the user has said in place of a line since, the newest first.

    As the memory knows it, and as the two sentences show it.
    """
    if line.source is not SourceClass.user or not line.date:
        return []
    own = (one for one in memory if one.source is SourceClass.user and one.kind != "question" and one is not line)
    later = [one for one in own if (one.date, one.time) > (line.date, line.time)]
    newer = [one for one in later if one.handle == line.superseded_by or _replaces(_claim(line), _claim(one))]
    return sorted(newer, key=lambda one: (one.date, one.time), reverse=True)


def _claim(line: MemoryLine) -> Claim:
    at = f"{line.date}T{line.time}" if line.time else line.date
    return Claim(id=line.handle, handle=line.handle, text=line.text[:_READ_CHARS], at=at)


def _replaces(earlier: Claim, later: Claim) -> bool:
    found = judge(earlier, later)
    return found is not None and found.relation == "update" and found.confidence >= ASKED_FROM
