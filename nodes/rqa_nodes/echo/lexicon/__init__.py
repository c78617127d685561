"""Which words claim memory, and in which words does the verifier speak? One YAML file a language.

Read on first use and kept. All signal words of all languages are found in one pass over a sentence, so that a plain
sentence costs the same however long the lists grow.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any, Final

import ahocorasick
import yaml

from rqa_nodes.echo.fold import fold

__all__ = ["LANGUAGES", "load", "own_wordings", "signals"]

LANGUAGES: Final = ("en", "ja", "zh")


@cache
def load(lang: str) -> Mapping[str, Any]:
    """The lexicon of a language, as it stands in its file."""
    text = files(__name__).joinpath(f"{lang}.yaml").read_text(encoding="utf-8")
    content: Mapping[str, Any] = yaml.load(text, Loader=yaml.CSafeLoader)  # the safe loader, in C
    return content


_OWN: Final = (
    "nothing_left",
    "suggestion",
    "suggestion_of_it",
    "no_record",
    "not_saved",
    "not_deleted",
    "not_evidence",
    "you_said",
)


@cache
def own_wordings(lang: str) -> tuple[str, ...]:
    """The folded beginnings of what the verifier itself writes in a language."""
    return tuple(fold(load(lang)["wording"][name]).text.strip().rstrip(".。") for name in _OWN)


@cache
def _automaton() -> ahocorasick.Automaton:
    groups: dict[str, set[str]] = {}
    for lang in LANGUAGES:
        for group, words in load(lang)["signals"].items():
            for word in words:
                groups.setdefault(word, set()).add(group)
        for word in own_wordings(lang):
            groups.setdefault(word, set()).add("own")
        for word in (
            *load(lang).get("talk_time", ()),
            *load(lang).get("talks", ()),
            *load(lang).get("readers_things", ()),
        ):
            groups.setdefault(word, set()).add("claim")
        for kinds in load(lang).get("deeds", {}).values():
            for form, verbs in kinds.items():
                for verb in verbs:  # without what changes from form to form
                    groups.setdefault(verb if form == "suru" else verb[:-1], set()).add("claim")
    automaton = ahocorasick.Automaton()
    for word, names in groups.items():
        automaton.add_word(word, (len(word), word[0].isascii(), word[-1].isascii(), frozenset(names)))
    automaton.make_automaton()
    return automaton


def signals(folded: str) -> frozenset[str]:
    """The groups of signal words that a folded sentence holds; Latin words count only as whole words."""
    found: set[str] = set()
    for last, (length, latin_start, latin_end, names) in _automaton().iter(folded):
        if names <= found:
            continue
        first = last - length + 1
        if latin_start and first and _joins(folded[first - 1], folded[first]):
            continue
        if latin_end and last + 1 < len(folded) and _joins(folded[last], folded[last + 1]):
            continue
        found |= names
    return frozenset(found)


def _joins(left: str, right: str) -> bool:
    """Do these two belong to one Latin word or number?"""
    return left.isascii() and right.isascii() and left.isalnum() and right.isalnum()
