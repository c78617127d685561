"""What does `from rqa_graph import ...` give, as its docstrings say it?

Read without importing anything, so the page costs no framework and shows what is written.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Final

import griffe

import rqa_graph
from docsgen.markdown import code, page

__all__ = ["GROUPS", "api_page"]

_ROOT: Final = Path(__file__).parents[1]
_PATHS: Final = [_ROOT, _ROOT / "nodes", _ROOT / "checkpoints"]

GROUPS: Final[Mapping[str, Sequence[str]]] = {
    "Verifier": [
        *("verify", "IncrementalVerifier", "Injected", "Verdict", "VerdictKind", "VerificationReport"),
        "lint_analysis",
    ],
    "Agents and graphs of others": ["EchoGuardMiddleware", "guard"],
    "Graphs": ["build_graph", "build_deliberation", "build_review", "assert_verified"],
    "Answer library": ["answer_with_integrity", "aanswer_with_integrity", "Question"],
    "Memory, store and checkpoints": ["ProvenanceMemory", "SourceClass", "MemoryStore", "QdrantSaver"],
}
"""Heading, and the public names below it; together they are all of them."""

_CODE: Final = re.compile(r"(`[^`]*`)")
_LISTS: Final = {"attributes", "other parameters", "parameters", "raises", "returns", "yields"}


_HEAD: Final = """\
Everything here is imported from `rqa_graph`, and loaded when it is first used: `from rqa_graph import verify` costs no
framework, no database and no model. What is not on this page may change without notice."""


def api_page() -> str:
    """The page of the public names."""
    named = [name for names in GROUPS.values() for name in names]
    assert sorted(named) == sorted(rqa_graph.__all__), set(named) ^ set(rqa_graph.__all__)
    parts = [_HEAD]
    for heading, names in GROUPS.items():
        parts += [f"## {heading}", *(part for name in names for part in _entry(name, rqa_graph._HOMES[name]))]
    return page("Python API", "the docstrings", parts)


def _entry(name: str, module: str) -> Iterator[str]:
    package, _, path = module.partition(".")
    found = _package(package)[f"{path}.{name}"]
    found = found.final_target if found.is_alias else found
    yield f"### {name}"
    if found.is_function:
        yield _signature(found)
    yield from _told(found)
    if found.is_class:
        yield from _members(found)


@cache
def _package(name: str) -> Any:
    return griffe.load(name, search_paths=_PATHS, try_relative_path=False)


def _members(found: Any) -> Iterator[str]:
    made = found.members.get("__init__")
    if made is not None:
        yield _signature(made, name=found.name)
        yield from _told(made)
    fields = [one for one in found.members.values() if _is_shown(one) and one.is_attribute]
    if fields:
        yield "\n".join(_field(one) for one in fields)
    for one in found.members.values():
        if _is_shown(one) and one.is_function and one.docstring:
            yield f"#### {found.name}.{one.name}"
            yield _signature(one)
            yield from _told(one)


def _is_shown(one: Any) -> bool:
    return not one.is_alias and not one.name.startswith("_")


def _field(one: Any) -> str:
    kind = f": {code(str(one.annotation))}" if one.annotation else ""
    told = f". {_flat(one.docstring.value)}" if one.docstring else ""
    return f"* {code(one.name)}{kind}{told}"


def _signature(found: Any, *, name: str = "") -> str:
    parameters = [one for one in found.parameters if one.name not in ("self", "cls")]
    words, starred = [], False
    for one in parameters:
        if one.kind is griffe.ParameterKind.keyword_only and not starred:
            words.append("*")
        starred = starred or one.kind in (griffe.ParameterKind.keyword_only, griffe.ParameterKind.var_positional)
        words.append(_parameter(one))
    head = "async def" if "async" in found.labels else "def"
    returned = f" -> {found.returns}" if found.returns and not name else ""
    start = name or f"{head} {found.name}"
    line = f"{start}({', '.join(words)}){returned}"
    if len(line) > 100:
        line = "\n".join([f"{start}(", *(f"    {word}," for word in words), f"){returned}"])
    return f"```python\n{line}\n```"


def _parameter(one: Any) -> str:
    stars = {griffe.ParameterKind.var_positional: "*", griffe.ParameterKind.var_keyword: "**"}.get(one.kind, "")
    kind = f": {one.annotation}" if one.annotation else ""
    default = f"{' = ' if kind else '='}{one.default}" if one.default is not None and not stars else ""
    return f"{stars}{one.name}{kind}{default}"


def _told(found: Any) -> Iterator[str]:
    if not found.docstring:
        return
    for section in found.docstring.parse("google", warnings=False):
        if section.kind.value == "text":
            yield _plain(section.value)
        elif section.kind.value in _LISTS:
            rows = [f"* {_label(row)}: {_flat(row.description)}" for row in section.value]
            yield f"*{section.kind.value.capitalize()}*\n\n" + "\n".join(rows)


def _label(row: Any) -> str:
    return code(getattr(row, "name", "") or str(row.annotation))


def _flat(text: str) -> str:
    return " ".join(_plain(text).split())


def _plain(text: str) -> str:
    """Text in which nothing but code may look like a tag."""
    return "".join(part if part.startswith("`") else part.replace("<", "&lt;") for part in _CODE.split(text))
