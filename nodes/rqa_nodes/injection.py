"""Does a remembered text imitate the rules that govern the assistant?

Memory, sources and cached answers that use governance vocabulary, or that read like orders to an assistant, are
withheld from the prompt, counted and shown. The user's message never comes here: people may discuss those words.
The patterns are data (`injection.yaml`), matched with re2 in linear time on text whose width, case tricks and
invisible characters are folded away first.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, NamedTuple

import re2

from rqa_checkpoints.provenance import SourceClass
from rqa_nodes.packaged import packaged
from rqa_nodes.prompt_parts import MemoryLine
from rqa_nodes.structure.text import clean

__all__ = ["InjectionRule", "Withheld", "filter_injection", "injection_reason", "injection_rules"]


@dataclass(frozen=True, slots=True, kw_only=True)
class InjectionRule:
    """One row of `injection.yaml`."""

    id: str
    reason: str
    """governance_vocabulary or looks_like_instruction."""
    pattern: Any
    """Compiled by re2, which publishes no types."""
    spares: frozenset[SourceClass]
    """Classes that may say this: a user's standing wish is no attack on the user."""


class Withheld(NamedTuple):
    """A line that no model gets, and why."""

    line: MemoryLine
    reason: str


@cache
def injection_rules() -> tuple[InjectionRule, ...]:
    """The rules in order; the first that matches names the reason."""
    return tuple(
        InjectionRule(
            id=row["id"],
            reason=row["reason"],
            pattern=re2.compile(row["pattern"]),
            spares=frozenset(SourceClass(name) for name in row.get("spares", ())),
        )
        for row in packaged("injection")["rules"]
    )


def injection_reason(text: str, source: SourceClass) -> str:
    """Why a text of this class must not be injected; empty if it may."""
    folded = _visible(text)
    for rule in injection_rules():
        if source not in rule.spares and rule.pattern.search(folded):
            return rule.reason
    return ""


def _visible(text: str) -> str:
    """The text as a model reads it: one width, no invisible characters. Case stays: "TVs" is no "TVS"."""
    if not text.isascii():
        text = unicodedata.normalize("NFKC", "".join(ch for ch in text if unicodedata.category(ch) != "Cf"))
    return " ".join(clean(text).split())


def filter_injection(lines: Sequence[MemoryLine]) -> tuple[list[MemoryLine], list[Withheld]]:
    """Split memory lines into those that may be injected and those that may not, each with its reason.

    Author and locator are read too: they stand in the prompt beside the text. A guess whose answer is withheld is
    unanswered, an answer without its guess answers nothing, and nothing is replaced by what is withheld.
    """
    kept: list[MemoryLine] = []
    withheld: list[Withheld] = []
    for line in lines:
        reason = injection_reason("\n".join((line.text, line.author, line.locator)), line.source)
        if reason:
            withheld.append(Withheld(line, reason))
        else:
            kept.append(line)
    return _paired(kept) if withheld else kept, withheld


def _paired(lines: Sequence[MemoryLine]) -> list[MemoryLine]:
    """The lines, with those marks of an answer alone whose other half is there."""
    there = {line.handle for line in lines}
    confirmed = {handle for line in lines for handle in line.confirms}
    denied = {handle for line in lines for handle in line.denies}
    return [
        replace(
            line,
            confirmed=line.confirmed if line.handle in confirmed else "",
            denied=line.denied if line.handle in denied else "",
            confirms=tuple(handle for handle in line.confirms if handle in there),
            denies=tuple(handle for handle in line.denies if handle in there),
            superseded_by=line.superseded_by if line.superseded_by in there else "",
        )
        for line in lines
    ]
