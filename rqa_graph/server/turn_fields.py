"""How does a turn look as JSON: its pieces, what was removed, what the model was given?

Read from the log. Loaded with the first turn that is shown, since the wording of the block brings LangChain.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import product
from typing import Any, Final

from rqa_checkpoints.provenance import Answered, MemoryNode, Scope, Status
from rqa_checkpoints.spoken import PartRecord
from rqa_graph.memory_fields import item_fields
from rqa_graph.opened import OpenHome
from rqa_graph.turns import report_line
from rqa_graph.woven import weave
from rqa_nodes.companions import replaced, standing
from rqa_nodes.facts import Facts
from rqa_nodes.prompts import memory_block

__all__ = ["given_fields", "turn_fields", "written_items"]

_BLOCK_LANGUAGES: Final = ("en", "ja", "zh")
"""Who said an item is worded in the language of the turn, which the log does not name."""

_Between = tuple[Mapping[str, Answered], Mapping[str, str]]
"""The answers among the items, and what replaces what."""


def turn_fields(home: OpenHome, parts: Sequence[PartRecord], owner: Scope, lang: str) -> dict[str, Any]:
    """A turn as JSON: the message, each committed part in pieces, and the items that they cite, by id."""
    first = parts[0]
    cited = list(dict.fromkeys(item for part in parts for item in part.cited))
    return {
        "turn": first.turn_id,
        "thread": first.thread,
        "recorded_at": first.recorded_at,
        "forked_from": first.forked_from,
        "user_text": first.user_text,
        "parts": [_part_fields(part, lang) for part in parts],
        "items": {node.id: item_fields(node) for node in home.memory.get(cited, scope=owner)},
    }


def _part_fields(part: PartRecord, lang: str) -> dict[str, Any]:
    pieces = weave(part.reply_text, part.report, part.removed)
    elsewhere = [row for row in part.removed if "part" in row or not row.get("at")]
    return {
        "part": part.part,
        "text": part.reply_text,
        "pieces": [piece.to_dict() for piece in pieces],
        "removed_elsewhere": [{"verdict": row["kind"], "text": row["text"]} for row in elsewhere],
        "counts": dict(part.report.get("counts", {})),
        "line": report_line(part.report, lang) if part.report else "",
        "outcome": part.outcome,
    }


def given_fields(home: OpenHome, part: PartRecord, owner: Scope) -> dict[str, Any]:
    """The items that the model of a turn was given, and the block in which it read them."""
    ids = [str(item) for item in part.given.get("injected", ())]
    nodes = home.memory.get(ids, scope=owner)
    between = (standing(nodes, home.memory, owner), replaced(nodes, home.memory, owner))
    block, exact = _block(nodes, part.given, between)
    return {
        "items": [item_fields(node) for node in nodes],
        "gone": len(ids) - len(nodes),
        "block": block,
        "exact": exact,
        "cited": list(part.cited),
    }


def _block(nodes: Sequence[MemoryNode], given: Mapping[str, Any], between: _Between) -> tuple[str, bool]:
    """(The block, whether its hash is that of what the model read). What is between them may have changed since."""
    unchanged = [replace(node, status=Status.open) for node in nodes]
    blocks = [
        memory_block(Facts(lang=lang, user_text="", nodes=tuple(rows), answered=answers, newer=newer).lines(), lang)
        for rows, (answers, newer), lang in product((nodes, unchanged), (between, ({}, {})), _BLOCK_LANGUAGES)
    ]
    wanted = given.get("block_hash")
    for block in blocks:
        if hashlib.sha256(block.encode("utf-8", "surrogatepass")).hexdigest() == wanted:
            return block, True
    return blocks[0], False


def written_items(parts: Sequence[PartRecord]) -> list[str]:
    """Ids of the items that a turn has written, in their order."""
    return list(dict.fromkeys(item for part in parts for item in part.written))
