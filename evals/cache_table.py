"""How does the README show what the cache serves, and what it takes for one person's?"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from evals.markdown import table

__all__ = ["cache_table"]

_LANGS: Final = {"en": "English", "ja": "Japanese"}
_PARTS: Final = {
    "heldout": "kept aside from those who wrote the rules",
    "development": "seen while rules were written",
}


def cache_table(found: Mapping[str, Any], first: Mapping[str, Any] | None) -> str:
    """Markdown of one result of `evals.cache` and, where there is one, of the record of first contact."""
    result = found["result"]
    head = (
        f"`{found['command']}` at {found['revision']}, embedder {result['embedder']}: pairs of questions written by "
        "somebody who had not seen the guard. A paraphrase that is served saves a deliberation; a trap that is served "
        "is a wrong answer. The thresholds are the baseline: the cosine alone decides."
    )
    columns = ["pairs, language, arm", "paraphrases served", "traps served"]
    tables = [table(head, columns, [*_first(first), *_rows(result["parts"])])]
    tables.append(
        table(
            "The same run, on texts with and without personal data or a question of one person:",
            ["texts, language", "one person's, found", "others, taken for one"],
            [*_first_personal(first), *_personal(result["parts"])],
        )
    )
    return "\n\n".join(tables)


def _rows(parts: Mapping[str, Any]) -> list[list[Any]]:
    rows = []
    for part, label in _PARTS.items():
        for lang, name in _LANGS.items():
            one = parts[part][lang]
            arms = {"cache": one["cache"], **{f"threshold {key}": row for key, row in one["thresholds"].items()}}
            rows += [[f"{label}, {name}, {arm}", *_counts(one, row)] for arm, row in arms.items()]
    return rows


def _counts(one: Mapping[str, Any], row: Mapping[str, int]) -> list[str]:
    return [f"{row['served']}/{one['paraphrases']}", f"{row['wrong']}/{one['traps']}"]


def _personal(parts: Mapping[str, Any]) -> list[list[Any]]:
    return [
        [f"{label}, {name}", *_found(parts[part][lang]["personal"])]
        for part, label in _PARTS.items()
        for lang, name in _LANGS.items()
    ]


def _found(row: Mapping[str, int]) -> list[str]:
    return [f"{row['found']}/{row['personal']}", f"{row['taken_for_one']}/{row['other']}"]


def _first(first: Mapping[str, Any] | None) -> list[list[Any]]:
    rows = first["result"]["pairs"] if first else []
    return [
        [f"first contact, {_PARTS[row['part']]}, {_LANGS[row['lang']]}, guard alone", *_counts(row, row)]
        for row in rows
    ]


def _first_personal(first: Mapping[str, Any] | None) -> list[list[Any]]:
    rows = first["result"]["personal"] if first else []
    return [[f"first contact, {_PARTS[row['part']]}, {_LANGS[row['lang']]}", *_found(row)] for row in rows]
