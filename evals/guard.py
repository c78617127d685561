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

from evals.bench.__main__ import revision
from evals.intervals import wilson
from rqa_graph import Injected, verify

__all__ = ["GROUPS", "PARTS", "Item", "Part", "grouped", "load", "main", "run"]

_DATASETS: Final = Path(__file__).parent / "datasets"
_RESULTS: Final = Path(__file__).parent / "results"
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
Arm = Callable[[Mapping[str, Any]], str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """One labelled item, claim or plain."""

    id: str
    lang: str
    form: str
    row: Mapping[str, Any]
    plain: bool

    def right(self, text: str) -> bool:
        """Did an arm do what the label says?"""
        if self.plain:
            return bool(text == self.row["text"])
        # A repair may give a sentence a capital, so case does not count; in a plain text every character does.
        shown, expect = text.casefold(), self.row["expect"]
        gone = all(part.casefold() not in shown for part in expect.get("gone", ()))
        return bool(gone and all(part.casefold() in shown for part in expect.get("kept", ())))


def load(folder: Path = _DATASETS, part: Part = "development") -> list[Item]:
    """All items of a part, claims first."""
    return [*_items(folder / "heldout" if part == "heldout" else folder)]


def _items(folder: Path) -> Iterator[Item]:
    for kind in ("claims", "plain"):
        for lang in _LANGS:
            path = folder / f"{kind}.{lang}.jsonl"
            lines = path.read_text("utf-8").splitlines() if path.exists() else []
            for row in map(json.loads, filter(None, lines)):
                yield Item(id=row["id"], lang=lang, form=row["form"], row=row, plain=kind == "plain")


def _ours(row: Mapping[str, Any]) -> str:
    report = verify(
        row.get("reply", row.get("text", "")),
        injected=[Injected(**item) for item in row.get("memory", ())],
        transcript=[(line["role"], line["text"]) for line in row.get("transcript", ())],
        known=[(item["handle"], item["id"]) for item in row.get("known", ())],
        written=row.get("written", ()),
        user_text=row.get("user_text") or None,
        documents=row.get("documents", ()),
        lang=row["lang"],
    )
    return report.text


def _fields_alone(row: Mapping[str, Any]) -> str:
    return str(row.get("reply", row.get("text", "")))


def _marker_check(row: Mapping[str, Any]) -> str:
    given = {item["handle"] for item in row.get("memory", ())}
    return _MARKER.sub(lambda match: match[0] if match[1] in given else "", _fields_alone(row))


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
            cell[name][0] += item.right(arm(item.row))
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
    low, high = wilson(right, of)
    return {"right": right, "of": of, "interval": [round(low, 4), round(high, 4)]}


def _missed(items: Iterable[Item]) -> Iterator[str]:
    for item in items:
        shown = _ours(item.row)
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
    if given.write:
        found = {"command": "python -m evals.guard --write", "revision": revision(), "result": result}
        (_RESULTS / "guard.json").write_text(f"{json.dumps(found, indent=1, ensure_ascii=False)}\n", "utf-8")
    else:
        print(json.dumps(result, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
