"""What do the rules of a lexicon file match?

A file holds `kinds` (lists of words; those of another file under `uses`), `forms` (patterns, in which {name} stands for
any word of a kind or for another form) and `rules` (one pattern for each kind of wording, with an id and what else its
reader needs). One pass over a sentence tells by its words which patterns could be there; these are then looked for one
by one, in linear time (re2).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache, cached_property
from typing import Any, Final, NamedTuple

import re2

from rqa_nodes.echo.claim import any_of, any_verb
from rqa_nodes.echo.lexicon import load
from rqa_nodes.echo.needed import needs_of
from rqa_nodes.echo.screen import Screen

__all__ = ["Found", "find_rules", "may_hold", "screen_of"]

_NAME: Final = re.compile(r"\{([a-z_]+)\}")
_MAX_BYTES: Final = 256 << 20
"""A bound, not what is taken: some 30 MB after a day of replies."""

_AHEAD_CHARS: Final = 24
"""How far behind the words a rule looks for what makes them something else."""


_VERBS: Final = frozenset({"telling", "joint", "confiding"})
"""Kinds whose words are verbs."""


class Found(NamedTuple):
    """A rule, and a place where it holds in a folded sentence."""

    rule: Mapping[str, Any]
    start: int
    end: int
    inner: tuple[int, int] | None
    """The group of the pattern, if it has one."""


def may_hold(lexicon: str, text: str) -> bool:
    """Does the pattern of any rule of a file stand in a folded sentence?"""
    return any(row.compiled.search(text) for row in _grammar(lexicon).worth(text))


def screen_of(lexicon: str) -> Screen:
    """Which rules of a file could hold."""
    return _grammar(lexicon).screen


def find_rules(lexicon: str, text: str) -> Iterator[Found]:
    """What the rules of a file find in a folded sentence, in the order of the rules.

    Args:
        lexicon: Name of the file, such as "en_talk".
        text: The sentence.
    """
    for row in _grammar(lexicon).worth(text):
        for match in row.compiled.finditer(text):
            start, end = match.span()
            if not row.unless or not _compiled(row.unless).match(text[start : end + _AHEAD_CHARS]):
                yield Found(row.rule, start, end, match.span(1) if match.re.groups else None)


class _Row:
    """A rule with its patterns spelled out when they are first needed."""

    def __init__(self, rule: Mapping[str, Any], parts: Mapping[str, str]) -> None:
        self.rule = rule
        self._parts = parts

    @cached_property
    def compiled(self) -> Any:
        """The pattern."""
        return _compiled(_spelled(self.rule["pattern"], self._parts))

    @cached_property
    def unless(self) -> str:
        """What makes the words something else; "" for nothing."""
        return _spelled(self.rule.get("unless", ""), self._parts)


class _Grammar:
    """The rules of a file behind their screen."""

    def __init__(self, lexicon: str) -> None:
        words = load(lexicon)
        parts = {name: f"(?:{(any_verb if name in _VERBS else any_of)(kind)})" for name, kind in words["kinds"].items()}
        for name, (other, group) in words.get("uses", {}).items():
            parts[name] = f"(?:{any_of(load(other)[group])})"
        parts |= {f"en_{name}": f"(?:{any_verb(load('en')[name])})" for name in ("establishing", "saying")}
        needs = {name: needs_of(pattern) for name, pattern in parts.items()}
        for name, form in words.get("forms", {}).items():
            parts[name] = f"(?:{_spelled(form, parts)})"
            needs[name] = needs_of(form.replace("\n", ""), needs)
        self.rows = [_Row(rule, parts) for rule in words["rules"]]
        self.screen = Screen(needs_of(row.rule["pattern"].replace("\n", ""), needs) for row in self.rows)

    def worth(self, text: str) -> Iterator[_Row]:
        """The rules that could hold in a text, in their order."""
        return (self.rows[number] for number in self.screen.worth(text))


@cache
def _grammar(lexicon: str) -> _Grammar:
    return _Grammar(lexicon)


def _spelled(pattern: str, parts: Mapping[str, str]) -> str:
    """A pattern with its kinds and forms written out."""
    return _NAME.sub(lambda match: parts[match[1]], pattern.replace("\n", ""))


@cache
def _compiled(pattern: str) -> Any:
    return re2.compile(pattern, _roomy())


def _roomy() -> Any:
    options = re2.Options()
    options.max_mem = _MAX_BYTES
    return options
