"""How often is the verifier right, and how often is it wrong?

Runs the labelled corpora of `evals/datasets` through the verifier and through two baselines in the same run: a check of
structured reference fields alone, which never looks at prose, and a check that removes a bracketed marker that names
nothing. An item counts as right if every text that must go is gone and every text that must stay is there; a plain
sentence counts as stripped if a single character of it changed.

Rules are written with an eye on the development part. The held-out part, in `datasets/heldout`, was written by people
who had not seen the rules and is read by nobody who writes them: only its figures say how the rules do on new texts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal

from evals.markdown import table
from evals.runner.declare import Arm, Case, Output, Plan, Scorer, Suite
from evals.runner.figures import Cells, shown
from evals.runner.setup import Setup
from evals.suite import DATASETS, head, read_rows
from rqa_graph import Injected, verify

__all__ = ["GROUPS", "PARTS", "SUITE", "Item", "Part", "cases", "load"]

_LANGS: Final = {"en": "English", "ja": "Japanese", "zh": "Chinese"}
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
    "a guess said again as a fact, corrected": ("flat_guess",),
    "what only looks like one, kept": ("flat_right",),
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
_CAPTIONS: Final[Mapping[Part, str]] = {
    "heldout": "held-out items, written by authors who had not seen the rules, and read by nobody who wrote rules, who "
    "saw how many of which form were missed "
    "(first contact of all such items, half of which then became development items: "
    "`evals/results/guard_first_contact.json`)",
    "development": "development items, which the rules were written with: an upper bound",
}


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


def cases(part: Part, folder: Path = DATASETS) -> list[Case]:
    """The items of a part, as the runner takes them."""
    return [
        Case(
            id=f"{part}/{item.id}",
            data=item,
            tags={"part": part, "group": _group(item), "lang": item.lang, "form": item.form},
            private=part == "heldout",
        )
        for item in load(folder, part)
    ]


def _group(item: Item) -> str:
    form = "plain" if item.plain else item.form
    return next((name for name, starts in GROUPS.items() if form.startswith(starts)), "others")


def _ours(case: Case, _seed: int) -> Output:
    item: Item = case.data
    return {"text": verify(item.reply, **item.facts).text}


def _as_it_is(case: Case, _seed: int) -> Output:
    return {"text": case.data.reply}


def _marker_check(case: Case, _seed: int) -> Output:
    given = {one["handle"] for one in case.data.row.get("memory", ())}
    return {"text": _MARKER.sub(lambda match: match[0] if match[1] in given else "", case.data.reply)}


def _right(case: Case, output: Output) -> bool:
    item: Item = case.data
    return item.right(output["text"])


def plan(found: Sequence[Case]) -> Plan:
    """All arms on these items."""
    return Plan(
        cases=found,
        arms=[
            Arm(name="verifier", run=_ours),
            Arm(name="structured fields alone", run=_as_it_is, baseline=True),
            Arm(name="bracketed marker check", run=_marker_check, baseline=True),
        ],
        scorers=[Scorer(name="right", score=_right)],
        by=[("part", "group", "lang"), ("part", "group"), ("part", "lang", "form")],
    )


def _open(_setup: Setup) -> Plan:
    return plan([case for part in PARTS for case in cases(part)])


def _readme(found: Mapping[str, Any], _others: Mapping[str, Any]) -> str:
    """One table a part, the held-out one first."""
    cells = Cells(found["result"])
    parts = [f"{head(found)}; right, of how many, with the 95 % interval (Wilson)."]
    columns = ["", *(f"{lang}: verifier" for lang in _LANGS.values()), "bracketed marker check, all"]
    for part, caption in _CAPTIONS.items():
        rows = [
            [
                group,
                *(shown(cells.figure("verifier", "right", part=part, group=group, lang=lang)) for lang in _LANGS),
                cells.counts("bracketed marker check", "right", part=part, group=group),
            ]
            for group in GROUPS
        ]
        items = sum(cells.figure("verifier", "right", part=part, group=g).get("of", 0) for g in [*GROUPS, "others"])
        parts.append(table(f"{items} {caption}:", columns, rows))
    return "\n\n".join(parts)


SUITE: Final = Suite(
    name="guard",
    about="How often the verifier is right on labelled replies and plain texts, beside two simple checks.",
    open=_open,
    readme=_readme,
)
