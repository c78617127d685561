"""What goes into the verifier and what comes out, as values.

One verdict type serves text and structured fields. A verdict and a report carry kinds, spans, references and hashes:
the removed words themselves stand apart in `removed`, because only the turn's audit record may hold them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Final, Literal, get_args

__all__ = [
    "MODES",
    "SOURCES",
    "Action",
    "Answer",
    "Injected",
    "Mode",
    "Verdict",
    "VerdictKind",
    "VerificationReport",
    "reason_words",
]

Mode = Literal["strict", "annotate", "report"]
"""`strict` repairs the text, `annotate` only adds markers, `report` leaves it untouched."""

MODES: Final[tuple[Mode, ...]] = get_args(Mode)

SOURCES: Final = ("user", "assistant", "external", "system")
"""The classes of provenance."""

Action = Literal["kept", "removed", "cut", "rewritten", "dropped", "marked"]
"""What happened to the words: `cut` took an adverbial, `dropped` a whole sentence."""


class VerdictKind(StrEnum):
    """What a claim about memory turned out to be."""

    valid = "valid"
    unknown_id = "unknown_id"
    stale_id = "stale_id"
    ambiguous_prefix = "ambiguous_prefix"
    wrong_speaker = "wrong_speaker"
    misquote = "misquote"
    unbacked_history = "unbacked_history"
    false_receipt = "false_receipt"
    self_evidence = "self_evidence"


Answer = Literal["confirmed", "denied", ""]
"""What the user said to an item of the assistant's; "" for nothing that was given."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Injected:
    """One item that was given to the model this turn."""

    handle: str
    source: str
    """Class of its source: user, assistant, external or system."""
    text: str
    id: str = ""
    author: str = ""
    date: str = ""
    locator: str = ""
    """Where an external item comes from: a file, a page, a tool; a reply may name it as well as the author."""
    confirms: tuple[str, ...] = ()
    """Of a user's item: handles or ids of the items that it says yes to. Nobody else's item confirms anything."""
    denies: tuple[str, ...] = ()
    """The same of a no."""

    def __post_init__(self) -> None:
        if self.source not in SOURCES:
            raise ValueError(
                f"the source of item {self.handle!r} is {self.source!r}; it must be one of {', '.join(SOURCES)}"
            )


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """One finding."""

    kind: VerdictKind
    span: tuple[int, int]
    """Half-open, in code points of the input text (of the string at `part`, for structured input)."""
    ref: str = ""
    """The reference as written, where there is one."""
    node: str = ""
    """Id (or handle) of the item that it points to, where there is one."""
    reason: str = ""
    action: Action = "kept"
    part: str = ""
    """Path of the string inside a structure, such as `tensions[0].text`; "" for plain text."""

    def to_dict(self) -> dict[str, Any]:
        """The verdict as JSON; holds no removed words, because a reference is an id and nothing else."""
        row: dict[str, Any] = {
            "kind": self.kind.value,
            "span": list(self.span),
            "ref": self.ref,
            "node": self.node,
            "reason": self.reason,
            "action": self.action,
        }
        return row | {"part": self.part} if self.part else row


_REASON_WORDS: Final[Mapping[str, Mapping[VerdictKind, str]]] = {
    "en": {
        VerdictKind.unknown_id: "unknown id",
        VerdictKind.stale_id: "id not given this turn",
        VerdictKind.ambiguous_prefix: "shortened id",
        VerdictKind.wrong_speaker: "wrong speaker",
        VerdictKind.misquote: "not a quotation",
        VerdictKind.unbacked_history: "nothing recalled says it",
        VerdictKind.false_receipt: "nothing was saved",
        VerdictKind.self_evidence: "own words as evidence",
    },
    "ja": {
        VerdictKind.unknown_id: "不明なID",
        VerdictKind.stale_id: "今回渡されていないID",
        VerdictKind.ambiguous_prefix: "短縮されたID",
        VerdictKind.wrong_speaker: "発言者の誤り",
        VerdictKind.misquote: "原文にない引用",
        VerdictKind.unbacked_history: "参照した記録になし",
        VerdictKind.false_receipt: "保存されていません",
        VerdictKind.self_evidence: "自分の発言を証拠に使用",
    },
    "zh": {
        VerdictKind.unknown_id: "未知ID",
        VerdictKind.stale_id: "本轮未提供的ID",
        VerdictKind.ambiguous_prefix: "缩写的ID",
        VerdictKind.wrong_speaker: "说话人有误",
        VerdictKind.misquote: "并非原文",
        VerdictKind.unbacked_history: "查到的记录中没有",
        VerdictKind.false_receipt: "未保存",
        VerdictKind.self_evidence: "以自己的话为证据",
    },
}


def reason_words(kind: VerdictKind, lang: str) -> str:
    """A kind in words, such as "unknown id"; "" for what is valid."""
    return _REASON_WORDS.get(lang, _REASON_WORDS["en"]).get(kind, "")


_LINES: Final[Mapping[str, tuple[str, str, str, str, str]]] = {
    "en": (
        "memory: {n} cited",
        ", {n} removed ({why})",
        ", {n} corrected ({why})",
        ", {n} found and left in place ({why})",
        ", ",
    ),
    "ja": ("記憶: 引用{n}件", "、削除{n}件({why})", "、修正{n}件({why})", "、検出のみ{n}件({why})", "、"),
    "zh": ("记忆：引用{n}条", "，删除{n}条（{why}）", "，更正{n}条（{why}）", "，仅检出{n}条（{why}）", "、"),
}
"""Cited, removed, corrected, found but left (mode `report`), and what stands between two reasons."""

_REMOVING: Final = frozenset({"removed", "cut", "dropped"})


@dataclass(frozen=True, slots=True, kw_only=True)
class VerificationReport:
    """What the check found and what it did to the text."""

    text: str
    """The text that may leave."""
    verdicts: tuple[Verdict, ...] = ()
    cited: tuple[str, ...] = ()
    """Handles of the items that the text cites, in order, each once."""
    injected_not_cited: tuple[str, ...] = ()
    counts: Mapping[str, int] = field(default_factory=dict)
    """How many verdicts of each kind; kinds that did not occur are absent."""
    before_hash: str = ""
    """SHA-256 of the input, in hex."""
    removed: tuple[Mapping[str, Any], ...] = ()
    """The words that were removed or replaced: `{part?, span, kind, text, at?}`. For the turn's audit record only.

    `at` is the stretch of `text` that stands in their place; words of one sentence have the same one.
    """

    @property
    def altered(self) -> bool:
        """True if anything was removed or rewritten."""
        return any(verdict.action != "kept" for verdict in self.verdicts)

    def to_dict(self) -> dict[str, Any]:
        """The report as JSON, without removed words: this is what state, streams and API may carry."""
        return {
            "text": self.text,
            "verdicts": [verdict.to_dict() for verdict in self.verdicts],
            "cited": list(self.cited),
            "injected_not_cited": list(self.injected_not_cited),
            "counts": dict(self.counts),
            "before_hash": self.before_hash,
        }

    def one_line(self, lang: str = "en") -> str:
        """The line that ends a reply on a terminal, such as "memory: 2 cited, 1 removed (unknown id)"."""
        cited, removed, corrected, left, comma = _LINES.get(lang, _LINES["en"])
        words = _REASON_WORDS.get(lang, _REASON_WORDS["en"])
        line = cited.format(n=len(self.cited))
        wrong = [verdict for verdict in self.verdicts if verdict.kind is not VerdictKind.valid]
        for template, group in (
            (removed, [verdict for verdict in wrong if verdict.action in _REMOVING]),
            (corrected, [verdict for verdict in wrong if verdict.action not in (*_REMOVING, "kept")]),
            (left, [verdict for verdict in wrong if verdict.action == "kept"]),
        ):
            if group:
                why = comma.join(dict.fromkeys(words[verdict.kind] for verdict in group))
                line += template.format(n=len(group), why=why)
        return line
