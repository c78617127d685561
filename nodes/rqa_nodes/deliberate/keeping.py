"""How does an answer get into the library, and what if it does not?

Two steps with one side effect each, both of which may run twice: attest, commit. Before signing, each source is
fetched again: it must be the same to the byte and hold the quoted words, and the answer must pass the verifier as it
is, with its sources and no conversation around it. An answer that cannot be kept may still be given; a ledger that
cannot be written keeps nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any, Literal

from langgraph.types import Command

from rqa_checkpoints.errors import CheckpointError, EntryRefusedError
from rqa_checkpoints.provenance import Ask, Draft
from rqa_nodes.deliberate.engines import injected
from rqa_nodes.deliberate.ports import Corpus, Found, Inquiry, cached
from rqa_nodes.deliberate.score import GI_VERSION
from rqa_nodes.deliberate.state import DeliberationState, ask_of, found_of
from rqa_nodes.echo import Injected
from rqa_nodes.echo import verify as verify_text

__all__ = ["attest", "changed_source", "commit", "draft_of", "is_as_verified", "noted", "used_sources"]


def used_sources(state: DeliberationState) -> list[tuple[Found, str]]:
    """The sources that the answer rests on, each with the words that carry it."""
    spans = state.get("chosen", {}).get("spans", {})
    return [(found, spans[found.handle]) for found in map(found_of, state["sources"]) if spans.get(found.handle)]


def changed_source(used: Sequence[tuple[str, str, str]], corpus: Corpus, *, domain: str) -> str:
    """The first source that is no longer what was quoted; "" if all are.

    Args:
        used: Locator, SHA-256 and span of each.
        corpus: Where they lie.
        domain: For which they are on the list.
    """
    for locator, sha256, span in used:
        whole = corpus.fetch(locator, domain=domain)
        if whole is None or whole.sha256 != sha256:
            return locator
        if not all(line in whole.text for line in span.splitlines()):
            return locator
    return ""


def is_as_verified(text: str, sources: Sequence[Injected], lang: str) -> bool:
    """Does the verifier leave the text as it is, with its sources and nothing else?"""
    return verify_text(text, injected=sources, transcript=(), written=False, lang=lang).text == text


def draft_of(state: DeliberationState, ask: Ask, used: Sequence[tuple[Found, str]]) -> Draft:
    """The answer as the library takes it."""
    verdict = state["verdict"]
    engines = [
        {
            "who": row["engine"],
            "role": "engine",
            "family": row["family"],
            "round": row["round"],
            "failed": row["failure"],
        }
        for row in state["candidates"]
    ]
    reviewer = {
        "who": verdict["reviewer"],
        "role": "reviewer",
        "family": verdict["family"],
        "scores": verdict["scores"],
        "vetoes": verdict["vetoes"],
    }
    return Draft(
        run_id=state["run"]["id"],
        ask=ask,
        answer=state["chosen"]["text"],
        sources=[cached(found, span) for found, span in used],
        gi=state["gi"],
        gi_components=state["counted"],
        gi_version=GI_VERSION,
        votes=[*engines, *([reviewer] if verdict["reviewer"] else [])],
        importance=state["importance"],
    )


def attest(state: DeliberationState, inquiry: Inquiry) -> Command[Literal["commit", "enqueue"]]:
    """Check the answer against its sources once more, and sign it."""
    ask, used = ask_of(state, inquiry.scope, lang=state["run"]["lang"]), used_sources(state)
    quoted = [(found.locator, found.sha256, span) for found, span in used]
    if changed_source(quoted, inquiry.corpus, domain=ask.domain):
        return Command(update={"outcome": "abstain", "reason": "source_changed"}, goto="enqueue")
    if not is_as_verified(state["chosen"]["text"], injected([found for found, _ in used]), state["run"]["lang"]):
        return Command(update={"outcome": "abstain", "reason": "not_verified"}, goto="enqueue")
    try:
        entry = inquiry.answer_library.attest(draft_of(state, ask, used))
    except EntryRefusedError as error:
        return Command(update={"refused": error.reason}, goto="enqueue")
    except CheckpointError as error:
        return Command(update={"refused": error.code}, goto="enqueue")
    return Command(update={"entry": entry}, goto="commit")


def commit(state: DeliberationState, inquiry: Inquiry) -> dict[str, Any]:
    """Make it an entry, or adopt the one of somebody who was faster."""
    try:
        kept = inquiry.answer_library.commit(state["entry"], tenant=inquiry.scope.tenant)
    except CheckpointError as error:
        return {"refused": error.code}
    noted(state, inquiry, entry=kept.entry)
    return {"kept": asdict(kept), "entry": kept.entry}


def noted(state: DeliberationState, inquiry: Inquiry, **more: Any) -> None:
    """Write down what a run came to. A ledger that cannot be written does not keep the asker from an answer."""
    outcome = {
        "outcome": state["outcome"],
        "reason": state["reason"],
        "gi": state.get("gi", 0),
        "caps": list(state.get("caps", [])),
        "refused": state.get("refused", ""),
        "engines": sorted({row["family"] for row in state.get("candidates", []) if row["text"]}),
        **more,
    }
    ask = ask_of(state, inquiry.scope, lang=state["run"]["lang"])
    try:
        inquiry.answer_library.note(state["run"]["id"], ask, outcome)
    except CheckpointError:
        return
