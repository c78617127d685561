"""What do the rules of a lexicon file match?

A file holds `kinds` (lists of words), `forms` (patterns, in which {name} stands for any word of a kind or for another
form) and `rules` (one pattern for each kind of wording, with an id and what else its reader needs). All patterns of a
file are tried in one pass over a sentence, in linear time (re2); those that are there are then looked for one by one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, Final, NamedTuple

import re2

from rqa_nodes.echo.claim import any_of, any_verb
from rqa_nodes.echo.lexicon import load

__all__ = ["Found", "find_rules", "may_hold"]

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
    return bool(_grammar(lexicon)[0].Match(text))


def find_rules(lexicon: str, text: str) -> Iterator[Found]:
    """What the rules of a file find in a folded sentence, in the order of the rules.

    Args:
        lexicon: Name of the file, such as "en_talk".
        text: The sentence.
    """
    gate, rows = _grammar(lexicon)
    for number in sorted(gate.Match(text) or ()):
        row = rows[number]
        for match in _compiled(row["pattern"]).finditer(text):
            start, end = match.span()
            if not row["unless"] or not _compiled(row["unless"]).match(text[start : end + _AHEAD_CHARS]):
                yield Found(row, start, end, match.span(1) if match.re.groups else None)


@cache
def _grammar(lexicon: str) -> tuple[Any, tuple[Mapping[str, Any], ...]]:
    """All patterns at once, which says what rules to try, and the rules in the order of their numbers there."""
    words = load(lexicon)
    parts = {name: f"(?:{(any_verb if name in _VERBS else any_of)(kind)})" for name, kind in words["kinds"].items()}
    parts |= {f"en_{name}": f"(?:{any_verb(load('en')[name])})" for name in ("establishing", "saying")}
    for name, form in words["forms"].items():
        parts[name] = f"(?:{_spelled(form, parts)})"
    gate, rows = re2.Set.SearchSet(_roomy()), []
    for row in words["rules"]:
        pattern, unless = _spelled(row["pattern"], parts), _spelled(row.get("unless", ""), parts)
        rows.append({**row, "pattern": pattern, "unless": unless})
        gate.Add(pattern)
    gate.Compile()
    return gate, tuple(rows)


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
