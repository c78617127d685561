"""Who does a text come from, how is that said, and by what name is it called?

Every stored item carries the class of its source, set by the code path that wrote it and never changed.
This module and what it gathers are pure (standard library only): the layer above imports this one and nothing else of
the layer, so everything that it may know about remembered items is named here.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Container, Iterable

from rqa_checkpoints.answers import affirms, denies, is_bare_answer, is_bare_denial, repeats
from rqa_checkpoints.breakdown import Factor, HeldBack, Reason, RoutingHint, ScoreBreakdown, TrainingDelta
from rqa_checkpoints.cache.records import CACHE_USER, Ask, CachedSource, Draft, Entry, Lookup
from rqa_checkpoints.cache.records import Outcome as CacheOutcome
from rqa_checkpoints.cache.records import Reason as CacheReason
from rqa_checkpoints.curation import effects_of as curation_effects
from rqa_checkpoints.errors import UnknownKindError
from rqa_checkpoints.likeness import contained, fingerprint, fold, has_block_markers, restates
from rqa_checkpoints.proposals import (
    HOME_SCOPE,
    Adopted,
    Attestation,
    Decided,
    Effect,
    Proposal,
    Queued,
    QueueItem,
    QueueStatus,
    adoption,
    proposal_id,
)
from rqa_checkpoints.records import (
    Answered,
    CommitResult,
    Kind,
    MemoryNode,
    Recall,
    RecalledItem,
    Scope,
    SourceClass,
    Stance,
    Status,
    TurnPart,
)
from rqa_checkpoints.sentences import MAX_ITEMS, clean, is_question, kind_of, settle_kind, split_sentences

__all__ = [
    "CACHE_USER",
    "HANDLE_LENGTH",
    "HOME_SCOPE",
    "MAX_ITEMS",
    "Adopted",
    "Answered",
    "Ask",
    "Attestation",
    "CacheOutcome",
    "CacheReason",
    "CachedSource",
    "CommitResult",
    "Decided",
    "Draft",
    "Effect",
    "Entry",
    "Factor",
    "HeldBack",
    "Kind",
    "Lookup",
    "MemoryNode",
    "Proposal",
    "QueueItem",
    "QueueStatus",
    "Queued",
    "Reason",
    "Recall",
    "RecalledItem",
    "RoutingHint",
    "Scope",
    "ScoreBreakdown",
    "SourceClass",
    "Stance",
    "Status",
    "TrainingDelta",
    "TurnPart",
    "adoption",
    "affirms",
    "answered_phrase",
    "canonical_kind",
    "clean",
    "confirmed_by",
    "contained",
    "curation_effects",
    "denied_by",
    "fingerprint",
    "fold",
    "handle_base",
    "has_block_markers",
    "is_bare_answer",
    "is_question",
    "kind_of",
    "merge_origin",
    "node_id",
    "normal_reference",
    "proposal_id",
    "repeats",
    "restates",
    "settle_kind",
    "slot_key",
    "source_handle",
    "speaker_phrase",
    "split_sentences",
    "statement_key",
    "text_mark",
    "unique_handle",
]

HANDLE_LENGTH = 6
"""30 bits: two of a person's 10,000 items share a handle with probability 5 %, hence the lengthening at write."""

_CROCKFORD = "0123456789abcdefghjkmnpqrstvwxyz"
"""Crockford's base 32 (crockford.com/base32.html) in lower case: no i, l, o, u."""

_MISREAD = str.maketrans({"i": "1", "l": "1", "o": "0"})

_KIND_NAMES = {
    "fact": Kind.statement,
    "memory": Kind.statement,
    "message": Kind.statement,
    "episode": Kind.statement,
    "observation": Kind.note,
    "insight": Kind.note,
    "summary": Kind.note,
    "reflection": Kind.note,
    "hypothesis": Kind.claim,
    "belief": Kind.claim,
    "assertion": Kind.claim,
    "contradiction": Kind.tension,
    "conflict": Kind.tension,
    "reply": Kind.answer,
    "response": Kind.answer,
    "preference": Kind.value,
    "style": Kind.value,
    "goal": Kind.intention,
    "plan": Kind.intention,
    "promise": Kind.commitment,
    "todo": Kind.task,
    "reminder": Kind.task,
    "file": Kind.document,
    "reference": Kind.document,
    "web": Kind.document,
    "chunk": Kind.document,
}

_PHRASES = {
    "en": {
        SourceClass.user: "you said",
        SourceClass.assistant: "I suggested earlier (unverified, not evidence)",
        SourceClass.external: "{locator} says",
        SourceClass.system: "set by the application",
    },
    "ja": {
        SourceClass.user: "あなたの発言",
        SourceClass.assistant: "以前の私の推測(未検証、根拠ではない)",
        SourceClass.external: "{locator} の記載",
        SourceClass.system: "アプリケーションの設定",
    },
    "zh": {
        SourceClass.user: "你说过",
        SourceClass.assistant: "我之前的推测(未经核实,不是依据)",
        SourceClass.external: "{locator} 中写道",
        SourceClass.system: "由应用程序设定",
    },
}
_ANSWERED_PHRASES = {
    "en": {
        Stance.confirmed: "I suggested earlier, and you confirmed it on {date}",
        Stance.denied: "I suggested earlier, and you denied it on {date}",
    },
    "ja": {
        Stance.confirmed: "以前の私の推測({date} にあなたが認めたもの)",
        Stance.denied: "以前の私の推測({date} にあなたが否定したもの)",
    },
    "zh": {
        Stance.confirmed: "我之前的推测(你已于 {date} 确认)",
        Stance.denied: "我之前的推测(你已于 {date} 否认)",
    },
}
_UNNAMED = {"en": "an unnamed source", "ja": "名前のない資料", "zh": "未具名的资料"}


def _base32(digest: bytes) -> str:
    bits = int.from_bytes(digest)
    count = -(-len(digest) * 8 // 5)
    bits <<= count * 5 - len(digest) * 8
    return "".join(_CROCKFORD[(bits >> shift) & 31] for shift in range((count - 1) * 5, -1, -5))


def _hash(*parts: object) -> str:
    """Crockford base 32 of the SHA-256 of the parts as a JSON list, so that no two lists run together."""
    return _base32(hashlib.sha256(json.dumps(parts, separators=(",", ":")).encode("ascii")).digest())


def node_id(scope: Scope, *, thread: str, turn_id: str, role: str, index: int, text: str) -> str:
    """Name an item after where it was said and what it is: the same in a plan and in the write that follows it."""
    return "n_" + _hash(scope.tenant, scope.user, thread, turn_id, role, index, text)


def handle_base(item_id: str) -> str:
    """The string of which a handle is a beginning: the hash in the id."""
    return item_id.removeprefix("n_")


def unique_handle(item_id: str, taken: Container[str]) -> str:
    """The shortest beginning of the hash, from 6 characters on, that is not taken."""
    base = handle_base(item_id)
    for length in range(HANDLE_LENGTH, len(base)):
        if base[:length] not in taken:
            return base[:length]
    return base


def source_handle(locator: str, content_hash: str) -> str:
    """The handle of a source that is no item (a cached answer, a passage, a page); never all digits."""
    base = _hash("src", locator, content_hash)
    for length in range(HANDLE_LENGTH, len(base)):
        if not base[:length].isdigit():
            return base[:length]
    return base


def normal_reference(reference: str) -> str:
    """A handle or id as typed by anybody, in the one form that is stored: no brackets, no `m:`, i, l and o folded."""
    bare = fold(reference).strip("[]() ").removeprefix("m:").strip()
    if bare.startswith("n_"):
        return "n_" + bare[2:].translate(_MISREAD)
    return bare.translate(_MISREAD)


def text_mark(text: str) -> str:
    """The digest by which a whole message is known again; empty for an empty one."""
    return hashlib.sha256(clean(text).encode()).hexdigest() if text else ""


def statement_key(node: MemoryNode, value_mark: str = "") -> str:
    """What makes two writes of one person the same statement (P6), as a digest.

    Source, author, kind and folded text; for items of a store also namespace, key and the mark of the value; for a
    confirmation also what it confirms, since "yes" says something else after each guess; so does a bare "no".
    """
    answers = confirmed_by(node) or ((node.echo_of,) if node.echo_of and is_bare_denial(node.text) else ())
    place = (node.namespace, node.key, value_mark, answers)
    return _hash(node.source, node.author, node.kind, fold(node.text), *place)


def slot_key(namespace: Iterable[str], key: str) -> str:
    """The place of a store's item, as a digest; empty for an item of no store."""
    return _hash("slot", list(namespace), key) if key else ""


def merge_origin(own: SourceClass, parents: Iterable[Iterable[SourceClass]]) -> tuple[SourceClass, ...]:
    """The classes in the lineage of an item: its own, since whoever wrote it chose the words, and its parents'."""
    return tuple(sorted({own, *(source for origin in parents for source in origin)}))


def confirmed_by(node: MemoryNode) -> tuple[str, ...]:
    """Ids of the assistant items that this user item confirms; empty for a mere repetition, quotation or question."""
    if node.source is not SourceClass.user or not node.echo_of or node.echo_of not in node.derived_from:
        return ()
    return node.derived_from


def denied_by(node: MemoryNode, guess: MemoryNode) -> bool:
    """Does this user item deny that assistant item, by a bare no to it or by its claim turned round?"""
    is_answer = node.source is SourceClass.user and node.echo_of == guess.id and not confirmed_by(node)
    return is_answer and node.kind is not Kind.question and denies(node.text, guess.text)


def canonical_kind(name: str) -> Kind:
    """The kind for a name used here or by another memory system; raises UnknownKindError for any other."""
    folded = fold(name)
    if folded in _KIND_NAMES:
        return _KIND_NAMES[folded]
    if folded in Kind.__members__:
        return Kind(folded)
    raise UnknownKindError(f"no kind is called {name!r}", hint=f"Use one of: {', '.join(Kind)}.")


def answered_phrase(stance: Stance, lang: str, *, date: str) -> str:
    """How a prompt words a guess of the assistant's that the person has confirmed or denied, and on which day."""
    return _ANSWERED_PHRASES.get(lang, _ANSWERED_PHRASES["en"])[stance].format(date=date)


def speaker_phrase(source: SourceClass, lang: str, *, author: str = "", locator: str = "") -> str:
    """How a prompt says who an item comes from: one fixed wording a class, in the language of the input.

    `author` only stands in for a missing `locator` of an external text (a tool's name); it never words another class.
    """
    lang = lang if lang in _PHRASES else "en"
    where = " ".join((locator or author).split()) or _UNNAMED[lang]
    return _PHRASES[lang][source].format(locator=where)
