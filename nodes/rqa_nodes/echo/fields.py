"""Are all strings of a structured analysis verified, and does every reference field name something real?

A structure has no code: every string is prose. In a reference field "none", "N/A", "-" and their like mean that nothing
is cited; a reference that points nowhere takes the item that it belongs to with it, because its claim rests on that.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from hashlib import sha256
from json import dumps
from typing import Any, Final

from rqa_nodes.echo.engine import verify
from rqa_nodes.echo.fold import fold
from rqa_nodes.echo.resolver import Resolver
from rqa_nodes.echo.types import Verdict, VerdictKind, VerificationReport

__all__ = ["verify_fields"]

_REFERENCE_FIELDS: Final = frozenset({"memory_ref", "memory_refs"})
_NO_CITATION: Final = frozenset(
    {"", "none", "n/a", "na", "null", "nil", "-", "--", "—", "–", "なし", "無し", "該当なし", "无", "無", "没有"}
)
_DEEPEST: Final = 64
"""A structure nested deeper than this came from no model of ours; what lies deeper is dropped."""

_DROP: Final = object()


def verify_fields(value: Any, **facts: Any) -> tuple[Any, VerificationReport]:
    """Verify every string of a JSON-like value.

    Args:
        value: Mappings, lists, strings, numbers, booleans, None.
        **facts: The keyword arguments of `verify`.

    Returns:
        The clean value (a mapping whose `memory_ref` points nowhere is gone from its list), and one report: its
        verdicts name the string by `part`, its `text` is empty.
    """
    walk = _Walk(facts)
    clean = walk.value(value, "", 0)
    return (None if clean is _DROP else clean), walk.report(value)


class _Walk:
    def __init__(self, facts: dict[str, Any]) -> None:
        self._facts = facts
        self._strict = facts.get("mode", "strict") == "strict"
        self._resolver = Resolver(tuple(facts.get("injected", ())), facts.get("known", ()))
        self._verdicts: list[Verdict] = []
        self._removed: list[dict[str, Any]] = []
        self._cited: dict[str, None] = {}

    def value(self, value: Any, path: str, depth: int) -> Any:
        """The clean form of a value, or `_DROP`."""
        if depth > _DEEPEST:
            return _DROP
        if isinstance(value, str):
            return self._text(value, path)
        if isinstance(value, dict):
            return self._mapping(value, path, depth)
        if isinstance(value, list | tuple):
            items = (self.value(item, f"{path}[{number}]", depth + 1) for number, item in enumerate(value))
            return [item for item in items if item is not _DROP]
        return value

    def _mapping(self, value: dict[Any, Any], path: str, depth: int) -> Any:
        clean: dict[Any, Any] = {}
        for key, content in value.items():
            inner = f"{path}.{key}" if path else str(key)
            if key in _REFERENCE_FIELDS:
                content, good = self._references(content, inner)
                if not good and self._strict:
                    self._removed.append(
                        {
                            "part": path,
                            "span": [0, 0],
                            "kind": "unknown_id",
                            "text": dumps(value, ensure_ascii=False, default=str),
                        }
                    )
                    return _DROP
                clean[key] = content
                continue
            inside = self.value(content, inner, depth + 1)
            if inside is not _DROP:
                # A name of a field says nothing; any other key is words like those under it.
                clean[self._text(key, path) if isinstance(key, str) and not key.isidentifier() else key] = inside
        return clean

    def _text(self, text: str, path: str) -> str:
        report = verify(text, code=False, **self._facts)
        self._verdicts += [replace(verdict, part=path) for verdict in report.verdicts]
        self._removed += [{"part": path, **row} for row in report.removed]
        self._cited.update(dict.fromkeys(report.cited))
        return report.text

    def _references(self, content: Any, path: str) -> tuple[Any, bool]:
        """(The field as it stays, whether all of it points to something given)."""
        if isinstance(content, list):
            checked = [self._reference(item, f"{path}[{number}]") for number, item in enumerate(content)]
            return [item for item, _ in checked if item], all(good for _, good in checked)
        return self._reference(content, path)

    def _reference(self, content: Any, path: str) -> tuple[str | None, bool]:
        if content is None or isinstance(content, bool) or fold(str(content)).text.strip(" 。.") in _NO_CITATION:
            return None, True
        written = str(content)
        names = fold(written).text.strip("[](){} \n\t").replace(";", ",").split(",")
        good = [self._name(name.strip().removeprefix("m:").strip(" []"), written, path) for name in names]
        return written, all(good)

    def _name(self, name: str, written: str, path: str) -> bool:
        kind, item = self._resolver.resolve(name)
        if item is not None:
            self._cited.setdefault(item.handle or item.id)
        self._verdicts.append(
            Verdict(
                kind=kind,
                span=(0, len(written)),
                ref=name,
                node=(item.id or item.handle) if item else "",
                reason="" if item else "not given this turn",
                action="kept" if item or not self._strict else "removed",
                part=path,
            )
        )
        return kind is VerdictKind.valid

    def report(self, value: Any) -> VerificationReport:
        """The findings of all strings as one report."""
        names = dict.fromkeys(item.handle or item.id for item in self._resolver.injected)
        raw = dumps(value, ensure_ascii=True, sort_keys=True, default=str)
        return VerificationReport(
            text="",
            verdicts=tuple(self._verdicts),
            cited=tuple(self._cited),
            injected_not_cited=tuple(name for name in names if name not in self._cited),
            counts=dict(Counter(verdict.kind.value for verdict in self._verdicts)),
            before_hash=sha256(raw.encode()).hexdigest(),
            removed=tuple(self._removed),
        )
