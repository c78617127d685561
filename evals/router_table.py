"""How does the README show what the router gets right?

Two kinds of rows: what it got right at first contact, before anybody had looked at the items with the rules, and what
it gets right now. The first says how it does on new input; the second is what later rules must not lose.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from evals.markdown import table

__all__ = ["router_table"]

_LANGS: Final = ("en", "ja")
_CAPTION: Final = (
    "labelled pairs in English and Japanese, written by us. By now all of them have been looked at while rules were "
    "written: the rows of first contact say how the router does on new input, the others what it must not lose."
)
_COLUMNS: Final = (
    "",
    "exact, English",
    "exact, Japanese",
    "within one level, both",
    "light input at level 3, both",
    "one decision in both languages",
)
_HALVES: Final = {"tune": "tuning half, now", "report": "report half, now"}
_BASELINES: Final = ("length only", "always level 1")


def router_table(found: Mapping[str, Any], blind: Mapping[str, Any] | None) -> str:
    """Markdown of one result of `evals.router` and, where there is one, of the record of first contacts."""
    result = found["result"]
    cost = result["microseconds"]
    rows = list(_first_contacts(blind["result"])) if blind else []
    for half, label in _HALVES.items():
        rows.append(_row(label, [result["rows"][half]["router"]]))
    for name in _BASELINES:
        rows.append(_row(f"baseline: {name}", [result["rows"][half][name] for half in _HALVES]))
    head = (
        f"`{found['command']}` at {found['revision']}: {result['pairs']} {_CAPTION} One decision takes "
        f"{cost['median']:.0f} microseconds (median; p99 {cost['p99']:.0f})."
    )
    return table(head, _COLUMNS, rows)


def _first_contacts(result: Mapping[str, Any]) -> Iterator[list[Any]]:
    for row in result["rows"]:
        scores = {lang: {**row[lang], "of": row["of"]} for lang in _LANGS}
        yield _row(f"first contact: {row['what']}", [{**scores, "same": row["same"], "pairs": row["of"]}])


def _row(label: str, scores: Sequence[Mapping[str, Any]]) -> list[Any]:
    """One line over the halves given: counts are added up."""

    def total(name: str, *langs: str) -> int:
        return sum(half[lang][name] for half in scores for lang in langs)

    exact = [f"{total('exact', lang)}/{total('of', lang)}" for lang in _LANGS]
    same = f"{sum(half['same'] for half in scores)}/{sum(half['pairs'] for half in scores)}"
    within = f"{total('within_one', *_LANGS)}/{total('of', *_LANGS)}"
    return [label, *exact, within, total("light_at_3", *_LANGS), same]
