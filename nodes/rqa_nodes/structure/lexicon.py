"""What do the YAML files beside this module say: which patterns show a feature, and how is it spoken of?

Patterns belong to the language of the text, wording to the language of the reply, so that a Japanese document can be
discussed in English. All patterns are RE2: a hostile sentence costs linear time.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, Final, Literal

import re2

from rqa_nodes.packaged import packaged
from rqa_nodes.structure.template import Template

__all__ = [
    "Language",
    "Layer",
    "Pattern",
    "QuestionForm",
    "Stance",
    "Wording",
    "failures",
    "language",
    "noun",
    "opposites",
    "own_analysis",
    "own_sentence",
    "patterns",
    "phrases",
    "screen",
    "sentence",
    "sign",
    "wording",
]

Language = Literal["en", "ja"]
Layer = Literal["L3", "L4", "L5", "L7"]
Stance = Literal["claim_skeptic", "frame_skeptic", "steelman"]
Target = Literal["claim", "tension", "assumption", "frame"]

_SLOT: Final = re.compile(r"\{\w+\}")
_SHREDS: Final = frozenset(
    ("open", "close", "or", "a_document", "who_user", "who_assistant", "who_external", "who_system")
)
"""Phrases that are no sentence."""
_AUTOMATON_BYTES: Final = 64 << 20
"""What RE2 may keep of one pattern's automaton: the wordings of all features do not fit into its usual 8 MiB."""
_COUNTED: Final = re.compile(r"\{\d+,\d+\}\??")
_FLAGS: Final[Mapping[Language, str]] = {"en": "(?i)", "ja": ""}


@dataclass(frozen=True, slots=True, kw_only=True)
class Pattern:
    """One way in which a sentence shows a feature."""

    id: str
    feature: str
    pattern: Any
    unless: Any = None
    previous: Literal["", "a", "b"] = ""
    """Which part is the sentence before."""
    not_with: frozenset[str] = frozenset()
    """Features that say the same better; where one was found, this pattern is not tried."""


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionForm:
    """One question about a feature, with slots."""

    layer: Layer
    stance: Stance
    target: Target
    text: Template


@dataclass(frozen=True, slots=True, kw_only=True)
class Wording:
    """How one language speaks of one feature. Empty texts mean: nothing to say there."""

    weight: int
    tension: Template
    assumption: Template
    frame: Template
    turn: Template
    questions: tuple[QuestionForm, ...] = ()


def language(lang: str) -> Language:
    """The language of our own words; Chinese has no file of its own and is spoken of in English."""
    return "ja" if lang == "ja" else "en"


@cache
def _load(name: str) -> Any:
    return packaged(f"structure/{name}")


@cache
def patterns(lang: Language) -> tuple[Pattern, ...]:
    """The patterns of a language, in file order."""
    flags = _FLAGS[lang]
    return tuple(
        Pattern(
            id=row["id"],
            feature=row["feature"],
            pattern=re2.compile(flags + row["pattern"]),
            previous=row.get("previous", ""),
            not_with=frozenset(row.get("not_with", ())),
            unless=re2.compile(flags + row["unless"]) if "unless" in row else None,
        )
        for row in _load(f"patterns_{lang}")
    )


@cache
def screen(lang: Language) -> Any:
    """One automaton over all patterns of a language: which of them are worth running on a sentence.

    Counted repetitions are widened to `*`: exact counts multiply the automaton's states beyond its memory, and what it
    lets through too much is stopped by the pattern itself.
    """
    found = re2.Set.SearchSet()
    for row in _load(f"patterns_{lang}"):
        found.Add(_FLAGS[lang] + _COUNTED.sub("*", row["pattern"]))
    found.Compile()
    return found


@cache
def wording(lang: Language) -> Mapping[str, Wording]:
    """How a language speaks of each feature."""
    return {feature: _wording(row) for feature, row in _load(f"words_{lang}").items()}


def _wording(row: Mapping[str, Any]) -> Wording:
    forms = (
        QuestionForm(layer=layer, stance=stance, target=target, text=Template(text))
        for layer, stance, target, text in row.get("questions", ())
    )
    texts = {name: Template(row.get(name, "")) for name in ("tension", "assumption", "frame", "turn")}
    return Wording(weight=row["weight"], questions=tuple(forms), **texts)


@cache
def sentence(lang: Language, name: str) -> Template:
    """One of the fixed sentences that quote the input, with the kinds of its slots."""
    return Template(phrases(lang)[name])


@cache
def phrases(lang: str) -> Mapping[str, str]:
    """The engine's fixed sentences in "en", "ja" or "zh"; another language gets the English ones."""
    table: Mapping[str, Mapping[str, str]] = _load("phrases")
    return table.get(lang, table["en"])


@cache
def _nouns() -> tuple[tuple[str, str], ...]:
    return tuple(sorted(_load("nouns_ja").items(), key=lambda row: -len(row[0])))


def noun(word: str) -> str:
    """A Japanese telling word as a noun: 「速い」 is 「速さ」, 「安全」 is 「安全性」, 「合理的」 is 「合理性」."""
    word = word.partition("すぎ")[0]  # what is too late is judged by its lateness
    known = next((shown for stem, shown in _nouns() if word.startswith(stem)), "")
    if known:
        return known
    return f"{word.removesuffix('的')}性" if word.endswith("的") else f"{word.removesuffix('い').removesuffix('く')}さ"


@cache
def sign(name: str) -> Any:
    """One pattern for a sign that a single sentence can show (RE2, over folded text)."""
    row = _load("signs")[name]
    words = "|".join(row["words"])
    return re2.compile("|".join([*([rf"\b(?:{words})\b"] if words else []), *row["forms"]]))


@cache
def opposites() -> tuple[tuple[Any, Any], ...]:
    """Pairs of patterns that mean opposite things."""
    return tuple((re2.compile(left), re2.compile(right)) for left, right in _load("opposites"))


@cache
def failures() -> tuple[tuple[Any, Any], ...]:
    """What is said never to happen, and what would be a case of it."""
    return tuple((re2.compile(left), re2.compile(right)) for left, right in _load("failures"))


@cache
def own_sentence() -> Any:
    """One pattern for the engine's fixed sentences in all languages, whatever fills their slots."""
    return _any_of(text for table in _load("phrases").values() for name, text in table.items() if name not in _SHREDS)


@cache
def own_analysis() -> Any:
    """One pattern for what the engine says of a text in all languages: tensions, assumptions, frames and questions."""
    rows = (row for lang in _FLAGS for row in wording(lang).values())
    said = (
        template.text
        for row in rows
        for template in (row.tension, row.assumption, row.frame, *(form.text for form in row.questions))
        if template.text
    )
    return _any_of(said)


def _any_of(templates: Iterable[str]) -> Any:
    """A pattern for sentences with slots, whatever fills these."""
    bodies = (".*".join(re2.escape(part) for part in _SLOT.split(text.rstrip(".。"))) for text in templates)
    options = re2.Options()
    options.max_mem = _AUTOMATON_BYTES
    options.never_capture = True
    return re2.compile(f"(?s)(?:{'|'.join(bodies)})[.。]?", options)
