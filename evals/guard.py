"""How often is the verifier right, and how often is it wrong?

Runs the labelled corpora of `evals/datasets` through the verifier and through two baselines in the same run: a check of
structured reference fields alone, which never looks at prose, and a check that removes a bracketed marker that names
nothing. An item counts as right if every text that must go is gone and every text that must stay is there; a plain
sentence counts as stripped if a single character of it changed.

Rules are written with an eye on the development part. The held-out part, in `datasets/heldout`, was written by people
who had not seen the rules and is read by nobody who writes them: only its figures say how the rules do on new texts.

Run: python -m evals.guard [--write] [--missed]
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal

from evals.intervals import rounded, wilson
from evals.suite import DATASETS, read_rows, report
from rqa_graph import Injected, verify

__all__ = ["GROUPS", "PARTS", "Item", "Part", "grouped", "load", "main", "run"]

_LANGS: Final = ("en", "ja", "zh")
_MARKER: Final = re.compile(r" ?\[m:([0-9a-z]+)\]")

GROUPS: Final[Mapping[str, tuple[str, ...]]] = {
    "references that were never given, removed": (
        "ref_unknown",
        "ref_stale",
        "ref_prefix",
        "ref_round",
        "adversarial_ref",
    ),
    "ids in prose, removed": ("cued",),
    "shared history without a record, corrected": ("history", "unbacked", "adversarial_history", "document_history"),
    "the planted guess, restated": ("planted", "not_backed"),
    "wrong speaker, corrected": ("wrong_speaker", "document_user"),
    "misquotes, corrected": ("misquote", "document_misquote"),
    "false receipts, corrected": ("receipt_false",),
    "valid references and backed claims, kept": (
        "ref_valid",
        "backed",
        "right",
        "document_right",
        "receipt_true",
        "receipt_honest",
    ),
    "plain texts, untouched": ("plain",),
}
"""What a table shows, and with what the names of its forms begin; the first group that fits takes a form."""

Part = Literal["development", "heldout"]
PARTS: Final[tuple[Part, ...]] = ("development", "heldout")


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """One labelled item, claim or plain."""

    id: str
    lang: str
    form: str
    row: Mapping[str, Any]
    plain: bool

    @property
    def reply(self) -> str:
        """The reply of a claim item, or a plain text."""
        return str(self.row["text" if self.plain else "reply"])

    @property
    def facts(self) -> dict[str, Any]:
        """What it is held against: keyword arguments of `verify`."""
        row = self.row
        return {
            "injected": [Injected(**item) for item in row.get("memory", ())],
            "transcript": [(line["role"], line["text"]) for line in row.get("transcript", ())],
            "known": [(item["handle"], item["id"]) for item in row.get("known", ())],
            "written": row.get("written", ()),
            "user_text": row.get("user_text") or None,
            "documents": row.get("documents", ()),
            "lang": row["lang"],
        }

    def right(self, text: str) -> bool:
        """Did an arm do what the label says?"""
        if self.plain:
            return text == self.reply
        # A repair may give a sentence a capital, so case does not count; in a plain text every character does.
        shown, expect = text.casefold(), self.row["expect"]
        gone = all(part.casefold() not in shown for part in expect.get("gone", ()))
        return bool(gone and all(part.casefold() in shown for part in expect.get("kept", ())))


def load(folder: Path = DATASETS, part: Part = "development") -> list[Item]:
    """All items of a part, claims first."""
    return [*_items(folder / "heldout" if part == "heldout" else folder)]


def _items(folder: Path) -> Iterator[Item]:
    for kind in ("claims", "plain"):
        for lang in _LANGS:
            path = folder / f"{kind}.{lang}.jsonl"
            for row in read_rows(path) if path.exists() else ():
                yield Item(id=row["id"], lang=lang, form=row["form"], row=row, plain=kind == "plain")


Arm = Callable[[Item], str]


def _ours(item: Item) -> str:
    return verify(item.reply, **item.facts).text


def _fields_alone(item: Item) -> str:
    return item.reply


def _marker_check(item: Item) -> str:
    given = {one["handle"] for one in item.row.get("memory", ())}
    return _MARKER.sub(lambda match: match[0] if match[1] in given else "", item.reply)


_ARMS: Final[Mapping[str, Arm]] = {
    "verifier": _ours,
    "structured fields alone": _fields_alone,
    "bracketed marker check": _marker_check,
}


def run(items: Iterable[Item]) -> dict[str, Any]:
    """Score every arm on every item.

    Returns:
        By language and form: how many items, and for each arm how many were right, with a 95 % interval.
    """
    counts: dict[tuple[str, str], dict[str, list[int]]] = defaultdict(lambda: {name: [0, 0] for name in _ARMS})
    for item in items:
        cell = counts[item.lang, "plain" if item.plain else item.form]
        for name, arm in _ARMS.items():
            cell[name][0] += item.right(arm(item))
            cell[name][1] += 1
    rows: dict[str, Any] = {}
    for (lang, form), cell in sorted(counts.items()):
        rows.setdefault(lang, {})[form] = {name: _figure(*values) for name, values in cell.items()}
    return rows


def grouped(rows: Mapping[str, Any]) -> dict[str, dict[str, dict[str, tuple[int, int]]]]:
    """By group, language and arm, how many items were right, of how many."""
    table: dict[str, dict[str, dict[str, tuple[int, int]]]] = {}
    for lang, forms in rows.items():
        for form, arms in forms.items():
            group = next((name for name, starts in GROUPS.items() if form.startswith(starts)), "others")
            cell = table.setdefault(group, {}).setdefault(lang, {})
            for arm, found in arms.items():
                right, of = cell.get(arm, (0, 0))
                cell[arm] = (right + found["right"], of + found["of"])
    return table


def _figure(right: int, of: int) -> dict[str, Any]:
    return {"right": right, "of": of, "interval": rounded(wilson(right, of))}


def _missed(items: Iterable[Item]) -> Iterator[str]:
    for item in items:
        shown = _ours(item)
        if not item.right(shown):
            yield json.dumps({"id": item.id, "form": item.form, "shown": shown}, ensure_ascii=False)


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the result as JSON, or the development items that were not right."""
    parser = argparse.ArgumentParser(description="Measure the verifier on labelled corpora.")
    parser.add_argument("--missed", action="store_true", help="list what was wrong in the development part")
    parser.add_argument("--write", action="store_true", help="write evals/results/guard.json instead of printing")
    given = parser.parse_args(arguments)
    if given.missed:
        for line in _missed(load()):
            print(line)
        return 0
    parts = {part: load(part=part) for part in PARTS}
    result = {
        "suite": "guard",
        "parts": {part: {"items": len(items), "rows": run(items)} for part, items in parts.items()},
    }
    report(result, command="python -m evals.guard --write", write=given.write)
    return 0


if __name__ == "__main__":
    sys.exit(main())
