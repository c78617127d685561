"""Thirteen kinds of thing that a careful reader notices: found where they are, and not where they are not.

`data/kinds.jsonl` has eight sentences a kind and language that show it and four that do not, written before the rules
were. The rules were then written with the half `tuned` in view; the half `fresh` was counted first and looked at last.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import pytest

from rqa_checkpoints.provenance import SourceClass
from rqa_nodes.prompt_parts import MemoryLine, PromptParts
from rqa_nodes.structure.analyse import analyse
from rqa_nodes.structure.features import find
from rqa_nodes.structure.lexicon import language
from rqa_nodes.structure.segment import segment

ROWS: Final = [
    json.loads(line) for line in (Path(__file__).parent / "data/kinds.jsonl").read_text("utf-8").splitlines()
]
FEATURES: Final[Mapping[str, frozenset[str]]] = {
    "hedge": frozenset({"hedge", "hope"}),
    "quantifier": frozenset({"universal", "exclusive"}),
    "condition": frozenset({"sufficiency", "necessity", "rule", "enough", "requirement"}),
    "causal": frozenset({"causal", "inference", "posthoc", "reason", "effect"}),
    "value": frozenset({"value"}),
    "actor": frozenset({"actor"}),
    "comparison": frozenset({"comparison"}),
    "authority": frozenset({"authority", "majority", "received", "assent"}),
    "time": frozenset({"time"}),
    "double": frozenset({"double_standard"}),
}
LISTS: Final = {"claim": "claims", "evidence": "evidence", "memory": "tensions_memory_cross"}
KINDS: Final = (*FEATURES, *LISTS)
OF_EIGHT: Final = 6
"""Fewest of the eight sentences of a kind and language that must be found."""


def is_found(row: Mapping[str, Any]) -> bool:
    if row["kind"] in FEATURES:
        shown = {finding.feature for finding in find(segment(row["text"]), language(row["lang"]))}
        return bool(shown & FEATURES[row["kind"]])
    memory = (MemoryLine(handle="k3v9xq", source=SourceClass.user, text=row["known"]),) if "known" in row else ()
    parts = PromptParts(task="analyse", lang=row["lang"], user_text=row["text"], candidates=6, memory=memory)
    return bool(analyse(parts)["feature_map"][LISTS[row["kind"]]])


@pytest.mark.parametrize("lang", ["en", "ja"])
@pytest.mark.parametrize("kind", KINDS)
def test_what_is_there_is_found(kind: str, lang: str) -> None:
    rows = [row for row in ROWS if row["kind"] == kind and row["lang"] == lang and row["shows"]]
    missed = [row["text"] for row in rows if not is_found(row)]
    assert len(rows) == 8
    assert len(rows) - len(missed) >= OF_EIGHT, missed


@pytest.mark.parametrize("row", [row for row in ROWS if not row["shows"]], ids=lambda row: str(row["text"]))
def test_what_is_not_there_is_not_found(row: Mapping[str, Any]) -> None:
    assert not is_found(row)


@pytest.mark.parametrize(
    ("known", "text", "lang"),
    [
        ("I never lend my tools.", "I lend my tools.", "en"),
        ("私は工具を人に貸さない。", "私は工具を人に貸す。", "ja"),
    ],
)
def test_a_guess_of_the_assistant_is_never_evidence_against_its_user(known: str, text: str, lang: str) -> None:
    line = MemoryLine(handle="k3v9xq", source=SourceClass.assistant, text=known)
    parts = PromptParts(task="analyse", lang=lang, user_text=text, candidates=6, memory=(line,))
    features = analyse(parts)["feature_map"]
    assert [tension["confidence"] for tension in features["tensions_memory_cross"]] in ([], ["low"])
    assert known not in features["evidence"] + features["claims"]
