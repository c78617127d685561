"""Where in a model's words is the JSON object, and was it finished?

Linear in the text. Repair is tried only on an object whose end is there: a cut-off answer repaired would be half an
analysis that looks whole. `json` and `json_repair` recurse, so depth and size are bounded before either is called.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from rqa_nodes._thinking import AnswerOnly
from rqa_nodes.errors import ModelOutputError
from rqa_nodes.fault_words import worded

__all__ = ["find_object", "fold_key"]

_MAX_CHARS: Final = 262_144
"""An analysis is a few thousand characters; what is far beyond is not one."""
_MAX_REPAIR_CHARS: Final = 65_536
_MAX_DEPTH: Final = 32
_MAX_OBJECTS: Final = 16
"""How many objects of an answer are looked at."""

_STRUCTURE: Final = re.compile(r'[{}\[\]]|"(?:[^"\\]|\\.)*+"?', re.DOTALL)
_CLOSING_TAG: Final = re.compile(r"</think(?:ing)?>|</thought>")


@dataclass(frozen=True, slots=True)
class _Span:
    """An object from its opening brace; `end` is None where its closing brace never came."""

    start: int
    end: int | None
    in_string: bool


def fold_key(key: str) -> str:
    """Letters and digits in lower case: "questionCandidates" and "question_candidates" are one key."""
    return "".join(ch for ch in key.casefold() if ch.isalnum())


def find_object(text: str, *, wanted: Sequence[str]) -> dict[str, Any]:
    """The object of an answer: the first that has one of the wanted keys, else the first.

    Raises:
        ModelOutputError: `empty_content`, `not_an_object`, `cut_off` or `invalid`.
    """
    answer = _without_thinking(text)
    if not answer:
        raise _unusable("empty_content", "no_content")
    if len(answer) > _MAX_CHARS:
        raise _unusable("invalid", "too_long", size=len(answer), limit=_MAX_CHARS)
    spans = list(_spans(answer))
    if not spans or answer[: spans[0].start].rstrip().endswith("["):
        raise _unusable("not_an_object", "no_object", size=len(answer))
    objects = [value for value in (_load(answer, span) for span in spans) if value]
    keys = {fold_key(name) for name in wanted}
    for value in objects:
        if keys & {fold_key(str(key)) for key in value}:
            return value
    if spans[-1].end is None:
        raise _unusable("cut_off", "object_cut_off", size=len(answer))
    if not objects:
        raise _unusable("invalid", "object_unreadable", size=len(answer))
    return objects[0]


def _unusable(reason: str, key: str, **values: int) -> ModelOutputError:
    # The message may be shown: it counts what the model wrote and never repeats it.
    return ModelOutputError(**worded(key, "tried_once_more", **values), reason=reason)


def _without_thinking(text: str) -> str:
    only = AnswerOnly()
    answer = (only.feed(text) + only.finish()).strip().lstrip("\ufeff")
    if not answer.startswith(("{", "[", "`")) and (closing := list(_CLOSING_TAG.finditer(answer))):
        # Some chat templates open the thinking in the prompt: only its end is in the answer.
        answer = answer[closing[-1].end() :].strip()
    return answer


def _spans(answer: str) -> Iterator[_Span]:
    """Top-level objects; quotes in the prose between them mean nothing."""
    position = answer.find("{")
    for _ in range(_MAX_OBJECTS):
        if position < 0:
            return
        span = _span(answer, position)
        yield span
        if span.end is None:
            return
        position = answer.find("{", span.end)


def _span(answer: str, start: int) -> _Span:
    depth = 0
    for token in _STRUCTURE.finditer(answer, start):
        mark = token.group()
        if mark[0] == '"':
            if not _closed(mark):
                return _Span(start, None, True)
            continue
        depth += 1 if mark in "{[" else -1
        if depth > _MAX_DEPTH:
            raise _unusable("invalid", "nested_too_deep", limit=_MAX_DEPTH)
        if depth == 0:
            return _Span(start, token.end(), False)
    return _Span(start, None, False)


def _closed(mark: str) -> bool:
    """Does a string token end in a quote of its own, not in an escaped one?"""
    body = mark[:-1]
    return len(mark) > 1 and mark.endswith('"') and (len(body) - len(body.rstrip("\\"))) % 2 == 0


def _load(answer: str, span: _Span) -> dict[str, Any] | None:
    """The object as a dictionary; None if it cannot be read or was cut off."""
    if span.end is None and not (span.in_string and answer.rstrip("` \n\r\t").endswith("}")):
        return None
    # Without an end but with a brace at the very end, a stray quote has hidden the end from the scanner.
    source = answer[span.start : span.end] if span.end else answer[span.start : answer.rindex("}") + 1]
    value = _decode(source)
    return dict(value) if isinstance(value, Mapping) else None


def _decode(source: str) -> Any:
    try:
        return json.loads(source, strict=False)
    except (ValueError, RecursionError):
        pass
    if len(source) > _MAX_REPAIR_CHARS:
        return None
    import json_repair  # a tenth of a second to load, and most answers parse as they are

    try:
        return json_repair.loads(source)
    except Exception:  # noqa: BLE001  # it promises no closed set of errors, and whatever it raises means unreadable
        return None
