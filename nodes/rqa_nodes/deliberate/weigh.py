"""What is counted about an answer: its claims, what carries them, who agrees, and what the reviewer gave it?

One function from plain values to the counts that `score` turns into a number. It is used on the answers of engines and,
the same way, on what a person wrote in their place: an edited answer has no reviewer, whatever the first one said.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rqa_nodes.deliberate.agreement import agreement, contradictions
from rqa_nodes.deliberate.claims import Claim, Document, Guard, Support, claims_of, supports
from rqa_nodes.deliberate.ports import Found
from rqa_nodes.deliberate.score import Counted
from rqa_nodes.deliberate.sentences import sentences_of
from rqa_nodes.deliberate.state import Candidate, Verdict
from rqa_nodes.structure.text import content_terms, coverage

__all__ = ["Weighed", "documents_of", "weigh_answer"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Weighed:
    """An answer, what was counted about it, and the words that carry it."""

    text: str
    engine: str
    counted: Counted
    spans: Mapping[str, str]
    """By handle of the source: the words that carry claims, each on its own line, in the order of the source."""


def documents_of(sources: Sequence[Found]) -> list[Document]:
    """The sources as claims are checked against them."""
    return [
        Document(handle=row.handle, text=row.text, family=row.family or row.publisher, authority=row.authority)
        for row in sources
    ]


def weigh_answer(
    text: str,
    *,
    engine: str,
    sources: Sequence[Found],
    candidates: Sequence[Candidate],
    verdict: Verdict | None,
    guard: Guard,
    lang: str,
) -> Weighed:
    """Count everything about one answer.

    Args:
        text: The answer, with references.
        engine: Who wrote it; "" for a person.
        sources: What it may cite.
        candidates: The answers of all engines, this one among them if an engine wrote it. Agreement is with those of
            its round: the first ones came to nothing. A contradiction counts wherever it comes from.
        verdict: The reviewer's; None for none.
        guard: Facets in which two statements differ.
        lang: Language of question and answer.
    """
    documents = documents_of(sources)
    names = [name for row in sources for name in (row.locator, row.publisher)]
    claims = claims_of(text, documents, names)
    carried = [supports(claim, documents, guard, lang) for claim in claims]
    texts = [claim.text for claim in claims]
    own = next((row for row in candidates if row["engine"] == engine), None)
    family, live = own["family"] if own else "", [row for row in candidates if row["text"]]
    others = [row for row in live if row["engine"] != engine]
    beside = [row for row in live if own is None or row["round"] == own["round"]]
    said = [[claim.text for claim in claims_of(row["text"], documents, names)] for row in others]
    unlike = [words for row, words in zip(others, said, strict=True) if row in beside and row["family"] != family]
    clashes = contradictions(texts, [claim for words in said for claim in words], guard, lang)
    clashes += _in_sources(claims, carried, documents, guard, lang)
    counted = Counted(
        claims=len(claims),
        supported=sum(map(bool, carried)),
        two_voices=sum(_voices(found) > 1 for found in carried),
        authority=sum(_voices(found) == 1 and any(one.authority for one in found) for found in carried),
        contradictions=clashes + bool(verdict and verdict["contradiction"]),
        agreement=agreement(texts, unlike, guard, lang),
        families=len({row["family"] for row in beside}),
        reviewers=int(bool(verdict and engine in verdict["scores"])),
        vetoes=int(bool(verdict and engine in verdict["vetoes"])),
        reviewer=verdict["scores"].get(engine, 0) if verdict else 0,
    )
    return Weighed(text=text, engine=engine, counted=counted, spans=_spans(claims, carried, documents))


def _voices(found: Sequence[Support]) -> int:
    return len({one.family for one in found})


def _in_sources(
    claims: Sequence[Claim],
    carried: Sequence[Sequence[Support]],
    documents: Sequence[Document],
    guard: Guard,
    lang: str,
) -> int:
    """Sentences of sources of other families that say something else about the same."""
    clashes = 0
    for claim, found in zip(claims, carried, strict=True):
        families = {one.family for one in found}
        foreign = [
            sentence.text
            for document in documents
            if families and document.family not in families
            for sentence in sentences_of(document.text)
        ]
        clashes += contradictions([claim.text], foreign, guard, lang)
    return clashes


def _spans(
    claims: Sequence[Claim], carried: Sequence[Sequence[Support]], documents: Sequence[Document]
) -> dict[str, str]:
    spans: dict[str, list[str]] = {}
    for claim, found in zip(claims, carried, strict=True):
        for one in found:
            spans.setdefault(one.handle, []).append(one.span)
        for document in documents:
            if document.handle in claim.refs and document.handle not in {one.handle for one in found}:
                spans.setdefault(document.handle, []).extend(_nearest(claim.text, document.text))
    texts = {document.handle: document.text for document in documents}
    return {
        handle: "\n".join(sorted(dict.fromkeys(found), key=texts[handle].find))
        for handle, found in spans.items()
        if found
    }


def _nearest(claim: str, text: str) -> list[str]:
    """The sentence that a person is shown beside a claim that no words carry."""
    wanted = content_terms(claim)
    ranked = sorted(sentences_of(text), key=lambda sentence: -coverage(wanted, sentence.terms))
    return [sentence.text for sentence in ranked[:1]]
