"""What will a message leave behind, and is any of it an echo?

A plan reads the log and writes nothing. The write that follows finds the same ids, because they are made of where the
message stands and what it says. Three echoes are stopped here, by code and before anything is stored: text that was
injected and comes back (P2), the assistant restating its own guess (P4), and the user's repetition of a guess, which
is stored as the user's but never as a fact of its own right (P5).
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import islice

from sqlalchemy import Connection

from rqa_checkpoints import queries, spoken
from rqa_checkpoints.answers import (
    affirms,
    asks_back,
    denies,
    is_bare_denial,
    is_plain,
    repeats,
    without_affirmation,
)
from rqa_checkpoints.likeness import fingerprint, has_block_markers, restates, sketch
from rqa_checkpoints.provenance import (
    Kind,
    MemoryNode,
    Scope,
    SourceClass,
    merge_origin,
    node_id,
    settle_kind,
    statement_key,
)
from rqa_checkpoints.sentences import MAX_ITEMS, clean, is_question, iter_sentences

__all__ = [
    "Message",
    "Repetition",
    "cut",
    "find_repetition",
    "injected_marks",
    "is_injected",
    "plan_sentences",
    "restated",
]

_SHORT = 8 * 1024
"""Characters up to which the sentences of a message are kept."""

_MOSTLY = 0.5
"""Share of a sentence from which an injected text in it leaves nothing of its own."""

_SHORTEST_MARK = 8
"""Letters and digits from which one text is looked for inside another: "yes" stands in many."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """What every item of a message has in common."""

    scope: Scope
    thread: str
    turn_id: str
    role: str
    author: str
    recorded_at: str
    source: SourceClass
    kind: Kind | None = None
    derived_from: tuple[str, ...] = ()
    injected: tuple[str, ...] = ()
    locator: str = ""
    tags: tuple[str, ...] = ()


_QUOTATION = re.compile(r'"[^"\n]{4,}"|“[^”\n]{4,}”|「[^」\n]{2,}」|『[^』\n]{2,}』|‘[^’\n]{4,}’')
_FRAME_LETTERS = 16
"""What may stand around a quotation without saying anything: "Understood", 「承知しました」 (a kana counts as two)."""
_LATIN_END = 0x2E7F


@dataclass(frozen=True, slots=True)
class Repetition:
    """The assistant's items whose words a user's sentence repeats."""

    of: str
    """Id of the item repeated or denied; empty for none."""
    confirmed: tuple[str, ...] = ()
    """Ids confirmed by it; empty when it only repeats, quotes or asks."""


def cut(text: str) -> list[str]:
    """The sentences of a message that may become items."""
    return list(_cut_short(text) if len(text) <= _SHORT else _cut(text))


def _cut(text: str) -> tuple[str, ...]:
    return tuple(islice(iter_sentences(clean(text)), MAX_ITEMS))


@lru_cache(maxsize=128)
def _cut_short(text: str) -> tuple[str, ...]:
    """Kept: a message is planned when its turn begins and again when it is written, and its reply is read once more."""
    return _cut(text)


def plan_sentences(view: Connection, sentences: Sequence[str], message: Message) -> list[MemoryNode]:
    """The items that these sentences will leave, in their order: new ones, and stored ones that are said again."""
    drafts = _drafts(view, sentences, message)
    stored = _stored(view, drafts, message.scope)
    if message.source is SourceClass.assistant:
        drafts = _without_restatements(view, drafts, stored, message.scope)
    handles = queries.free_handles(view, [draft.id for draft in drafts], message.scope)
    plan: dict[str, MemoryNode] = {}
    for draft in drafts:
        node = stored.get(draft.id) or stored.get(statement_key(draft)) or replace(draft, handle=handles[draft.id])
        plan.setdefault(node.id, node)
    return list(plan.values())


def _drafts(view: Connection, sentences: Sequence[str], message: Message) -> list[MemoryNode]:
    marks = injected_marks(message)
    before = _Before(view, sentences, message) if message.source is SourceClass.user else None
    parents = queries.nodes_by_id(view, message.derived_from, message.scope)
    drafts: dict[str, MemoryNode] = {}
    for index, sentence in enumerate(sentences):
        if has_block_markers(sentence) or is_injected(sentence, marks) or _only_quotes(sentence, message.source):
            continue
        echo = before.repetition(index) if before else Repetition("")
        confirmed = before.nodes(echo.confirmed) if before else {}
        draft = _draft(sentence, index, message, lineage={**parents, **confirmed}, echo=echo.of)
        drafts.setdefault(statement_key(draft), draft)
    return list(drafts.values())


def _only_quotes(sentence: str, source: SourceClass) -> bool:
    """Is an assistant's sentence hardly more than a quotation ("Understood: ...")? It says nothing of its own (P2)."""
    if source is not SourceClass.assistant:
        return False
    outside, quotations = _QUOTATION.subn("", sentence)
    return quotations > 0 and sum(2 if ord(c) > _LATIN_END else 1 for c in outside if c.isalnum()) <= _FRAME_LETTERS


def _draft(sentence: str, index: int, message: Message, *, lineage: dict[str, MemoryNode], echo: str) -> MemoryNode:
    kind = settle_kind(sentence, message.kind)
    if message.source is SourceClass.assistant and kind is Kind.statement:
        kind = Kind.answer
    thread, turn_id = message.thread, message.turn_id
    return MemoryNode(
        id=node_id(message.scope, thread=thread, turn_id=turn_id, role=message.role, index=index, text=sentence),
        handle="",
        tenant=message.scope.tenant,
        user=message.scope.user,
        thread=thread,
        turn_id=turn_id,
        source=message.source,
        author=message.author,
        kind=kind,
        text=sentence,
        recorded_at=message.recorded_at,
        derived_from=tuple(lineage),
        origin=merge_origin(message.source, (parent.origin for parent in lineage.values())),
        echo_of=echo,
        locator=message.locator,
        tags=message.tags,
    )


def _stored(view: Connection, drafts: Sequence[MemoryNode], scope: Scope) -> dict[str, MemoryNode]:
    """What is there already, by id and by statement."""
    by_id = queries.nodes_by_id(view, [draft.id for draft in drafts], scope)
    return {**queries.by_statement(view, [statement_key(draft) for draft in drafts], scope), **by_id}


def _without_restatements(
    view: Connection, drafts: Sequence[MemoryNode], stored: dict[str, MemoryNode], scope: Scope
) -> list[MemoryNode]:
    """Leave out what the assistant said before, in nearly the same words (P4); this turn's own items stay."""
    bands = [band for draft in drafts for band in sketch(draft.text)]
    family = queries.near_nodes(view, bands, scope) if bands else []
    kept: list[MemoryNode] = []
    for draft in drafts:
        older = (node for node in family if node.turn_id != draft.turn_id)
        if draft.id in stored or not any(restates(draft.text, node.text) for node in (*older, *kept)):
            kept.append(draft)
    return kept


def restated(view: Connection, text: str, scope: Scope) -> list[MemoryNode]:
    """The assistant's item that says this already, in nearly the same words; none or one."""
    return [node for node in queries.near_nodes(view, sketch(text), scope) if restates(text, node.text)][:1]


def injected_marks(message: Message) -> tuple[str, ...]:
    """Fingerprints of what was injected, whole and by sentence; none for the user, whose words are the user's."""
    texts = () if message.source is SourceClass.user else message.injected
    marks = (_marks_short(text) if len(text) <= _SHORT else _marks(text) for text in texts)
    return tuple(dict.fromkeys(mark for found in marks for mark in found if mark))


def _marks(text: str) -> tuple[str, ...]:
    return tuple(map(fingerprint, (text, *islice(iter_sentences(text), MAX_ITEMS * MAX_ITEMS))))


@lru_cache(maxsize=1024)
def _marks_short(text: str) -> tuple[str, ...]:
    """Kept: the same items are injected in many turns."""
    return _marks(text)


def is_injected(sentence: str, marks: Sequence[str]) -> bool:
    """Does the sentence lie in an injected text, or is most of it an injected text?

    A question about a sentence quotes it, and is more than that sentence.
    """
    mark = fingerprint(sentence)
    for other in marks:
        shorter = min(len(mark), len(other))
        repeats = mark in other or (other in mark and len(other) >= _MOSTLY * len(mark))
        if mark == other or (shorter >= _SHORTEST_MARK and repeats):
            return bool(mark)
    return False


class _Before:
    """What the assistant said before a user's message, and which of it the message repeats."""

    def __init__(self, view: Connection, sentences: Sequence[str], message: Message) -> None:
        scope = message.scope
        reply = spoken.reply_before(view, message.thread, scope, message.turn_id) if message.thread else ""
        replied = _answered(reply)
        cores = [without_affirmation(sentence) for sentence in sentences]
        bands = [band for text in (*replied, *cores) if text for band in sketch(text)]
        near = queries.near_nodes(view, bands, scope) if bands else []
        self._sentences = sentences
        # By what they say, not by where they were written: the reply may have restated an older guess (P4).
        self._last = [node for text in replied for node in near if restates(text, node.text)]
        self._known = {node.id: node for node in (*self._last, *near)}

    def nodes(self, ids: Sequence[str]) -> dict[str, MemoryNode]:
        return {item: self._known[item] for item in ids}

    def repetition(self, index: int) -> Repetition:
        return find_repetition(self._sentences, index, last=self._last, known=list(self._known.values()))


def _answered(reply: str) -> list[str]:
    """What of the assistant's message a bare yes or no answers: the question that it ends with, else all of it.

    A question that only asks whether the rest is right ("Is that so?") leaves the rest to be answered.
    """
    last = next(iter(deque(iter_sentences(clean(reply)), maxlen=1)), "")
    if not is_question(last):
        return cut(reply)
    return [text for text in cut(reply) if text != last] if asks_back(last) else [last]


def find_repetition(
    sentences: Sequence[str], index: int, *, last: Sequence[MemoryNode], known: Sequence[MemoryNode]
) -> Repetition:
    """Which of the assistant's items a user's sentence repeats, and whether it confirms them.

    A bare yes repeats, and confirms, the assistant's message directly before (`last`), unless the next sentence takes
    it back. Other words repeat the item (`known`) that says the same; they confirm it only with a yes, in the sentence
    or just before it, and never when they ask, quote, doubt or deny. A bare no, and the same claim turned round, name
    the item that they deny.
    """
    sentence = sentences[index]
    affirmed = affirms(sentence) and not _taken_back(sentences, index)
    if _bare(sentence):
        guesses = [node.id for node in last]
        counts = affirmed and guesses and all(map(_bare, sentences[:index]))
        return Repetition(guesses[-1], tuple(guesses)) if counts else Repetition("")
    if is_bare_denial(sentence):
        return Repetition(last[-1].id if last and not index and not is_question(sentence) else "")
    found: MemoryNode | None = next((node for node in known if repeats(sentence, node.text)), None)
    if found is None and not is_question(sentence):
        found = next((node for node in known if denies(sentence, node.text)), None)
    if found is None:
        return Repetition("")
    previous = sentences[index - 1] if index else ""
    yes_before = affirms(previous) and _bare(previous) and is_plain(sentence)
    confirms = (affirmed or yes_before) and not is_question(sentence)
    return Repetition(found.id, (found.id,) if confirms else ())


def _bare(sentence: str) -> bool:
    """Is the sentence nothing but a yes?"""
    return not any(ch.isalnum() for ch in without_affirmation(sentence))


def _taken_back(sentences: Sequence[str], index: int) -> bool:
    """Does the next sentence turn round ("Yes. But not always.")?"""
    return index + 1 < len(sentences) and not is_plain(sentences[index + 1])
