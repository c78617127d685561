"""What does a person decide about kept answers?

An answer that is not certain enough, that is about to expire, or that a later deliberation contradicts; and a flag on
an answer that was given. Whoever wrote an answer or chose its sources does not approve it; sources that changed or aged
meanwhile refuse an approval; a score is never typed in.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from rqa_checkpoints.provenance import Attestation, Effect, QueueItem
from rqa_nodes.deliberate.enqueue import ANSWER_KIND, CONTESTED_KIND, EXPIRING_KIND
from rqa_nodes.deliberate.review_words import WORDS
from rqa_nodes.deliberate.score import WEIGHTS
from rqa_nodes.errors import ProposalRefusedError
from rqa_nodes.review_kinds import Payload, Reader, ReviewKind
from rqa_nodes.shelf import Shelf
from rqa_nodes.structure.text import clean

__all__ = ["CACHE_KINDS", "FLAG_KIND"]

FLAG_KIND: Final = "cache_flag"

_MAX_ANSWER: Final = 8_000
_MAX_SOURCES: Final = 12
_FIXED: Final = (
    *("ask", "gi", "gi_version", "gi_components", "reason", "caps", "importance", "candidates", "run", "authors"),
)
"""What no edit changes."""
_FLAG_FIELDS: Final = ("entry", "question", "answer", "by", "note")
_TEXT: Final = {"type": "string", "maxLength": _MAX_ANSWER}
_ANSWER_SCHEMA: Final[Mapping[str, Any]] = {
    "type": "object",
    "properties": {
        "answer": _TEXT,
        "sources": {"type": "array", "maxItems": _MAX_SOURCES, "items": {"type": "object", "required": ["locator"]}},
        **{name: {} for name in _FIXED},
    },
    "required": ["answer", "sources", *_FIXED],
    "additionalProperties": False,
}
_FLAG_SCHEMA: Final[Mapping[str, Any]] = {
    "type": "object",
    "properties": dict.fromkeys(_FLAG_FIELDS, _TEXT),
    "required": list(_FLAG_FIELDS),
    "additionalProperties": False,
}


def _check_answer(payload: Payload) -> Mapping[str, Any]:
    wrong = sorted(set(map(str, payload)) ^ {*_FIXED, "answer", "sources"})
    if wrong:
        raise ProposalRefusedError(f"the field {wrong[0]!r} is missing or unknown", problem="fields")
    answer, sources = payload["answer"], payload["sources"]
    if not isinstance(answer, str) or not answer.strip() or len(answer) > _MAX_ANSWER:
        raise ProposalRefusedError(f"`answer` must be a text of 1 to {_MAX_ANSWER} characters", problem="limits")
    if not isinstance(sources, list) or len(sources) > _MAX_SOURCES or not all(map(_is_source, sources)):
        raise ProposalRefusedError(
            f"`sources` must be at most {_MAX_SOURCES} sources, each with a `locator`", problem="limits"
        )
    return {**payload, "answer": clean(answer).strip()}


def _is_source(row: object) -> bool:
    return isinstance(row, Mapping) and isinstance(row.get("locator"), str) and bool(row["locator"].strip())


def _edited(payload: Payload, item: QueueItem, by: str, shelf: Shelf) -> Mapping[str, Any]:
    """Answer and sources as edited, all else as it was; weighed anew, with the name of who wrote it."""
    kept = {name: item.payload[name] for name in _FIXED}
    authors = [*dict.fromkeys([*item.payload["authors"], by])]
    return shelf.reweighed({**kept, "answer": payload["answer"], "sources": payload["sources"], "authors": authors})


def _permit(item: QueueItem, by: str, shelf: Shelf) -> None:
    if by in item.payload["authors"]:
        raise ProposalRefusedError(
            f"{by!r} wrote this version, so somebody else must approve it",
            problem="author",
            hint="It stays in the queue; another person approves it with their own name.",
        )
    obstacle = shelf.obstacle(item.payload, by=by)
    if obstacle:
        raise ProposalRefusedError(obstacle, problem="obstacle", hint="Ask the question again: `rqa deliberate`.")


def _nothing(_payload: Payload, _read: Reader, _attestation: Attestation) -> Sequence[Effect]:
    return ()


def _keep(item: QueueItem, attestation: Attestation, shelf: Shelf) -> None:
    if attestation.verdict == "approve":
        shelf.keep(item, attestation)


def _render_answer(payload: Payload, _read: Reader, lang: str) -> str:
    words = WORDS["ja" if lang == "ja" else "en"]
    ask, counted = payload["ask"], payload["gi_components"]
    scope = " / ".join(part for part in (ask["domain"], ask["locale"], ask["jurisdiction"]) if part)
    parts = ", ".join(f"{words[name]} {counted[f'part_{name}']}" for name in WEIGHTS)
    rows = [
        f"{words['question']}: {ask['question']}",
        f"{words['scope']}: {scope}",
        f"{words['why']}: {words.get(payload['reason'], payload['reason'])}",
        f"{words['gi']}: {payload['gi'] / 1000:.3f} ({parts})",
    ]
    if payload["caps"]:
        rows.append(f"{words['caps']}: {', '.join(words.get(cap, cap) for cap in payload['caps'])}")
    if payload["authors"]:
        rows.append(words["edited"].format(by=", ".join(payload["authors"])))
    rows += [f"{words['answer']}:", payload["answer"], f"{words['sources']}:"]
    rows += [f"- {row['locator']} ({row.get('publisher', '?')}): {row.get('span', '?')}" for row in payload["sources"]]
    others = [row for row in payload["candidates"] if row["text"] != payload["answer"]]
    rows += [f"{words['other']} ({row['engine']}): {row['text']}" for row in others]
    return "\n".join(rows)


def _check_flag(payload: Payload) -> Mapping[str, Any]:
    wrong = sorted(set(map(str, payload)) ^ set(_FLAG_FIELDS))
    if wrong or not all(isinstance(value, str) and len(value) <= _MAX_ANSWER for value in payload.values()):
        raise ProposalRefusedError(f"a flag has the texts {', '.join(_FLAG_FIELDS)}", problem="fields")
    return dict(payload)


def _render_flag(payload: Payload, _read: Reader, lang: str) -> str:
    words = WORDS["ja" if lang == "ja" else "en"]
    rows = [
        f"{words['entry']}: {payload['entry']}",
        f"{words['question']}: {payload['question']}",
        f"{words['answer']}:",
        payload["answer"],
        f"{words['flagged'].format(by=payload['by'])}: {payload['note']}",
        words["flag_choice"],
    ]
    return "\n".join(rows)


def _settle(item: QueueItem, attestation: Attestation, shelf: Shelf) -> None:
    shelf.settle(item, attestation)


def _answer_kind(name: str) -> ReviewKind:
    return ReviewKind(
        name=name,
        reach="tenant",
        schema=_ANSWER_SCHEMA,
        check=_check_answer,
        render=_render_answer,
        apply=_nothing,
        edited=_edited,
        permit=_permit,
        follow=_keep,
    )


CACHE_KINDS: Final = (
    _answer_kind(ANSWER_KIND),
    _answer_kind(EXPIRING_KIND),
    _answer_kind(CONTESTED_KIND),
    ReviewKind(
        name=FLAG_KIND,
        reach="tenant",
        schema=_FLAG_SCHEMA,
        check=_check_flag,
        render=_render_flag,
        apply=_nothing,
        follow=_settle,
    ),
)
"""An answer whose score or domain wants a person; one that expires; one that was contradicted; and a flag."""
