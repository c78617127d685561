"""What may be set, to what, and what does it mean?

Names, kinds and bounds are read from the settings class, defaults from the shipped files, meanings from the docstrings
below the fields; nothing is written here that could differ from them.
"""

from __future__ import annotations

import inspect
import types
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final, Union, get_args, get_origin

import griffe
from annotated_types import Ge, Gt, Le, Lt, MaxLen, MinLen
from pydantic import BaseModel, SecretStr
from pydantic.fields import FieldInfo

from docsgen.markdown import code, page, table
from rqa_graph.resources import load_config
from rqa_graph.settings import Settings

__all__ = ["configuration_page", "undescribed"]

_ROOT: Final = Path(__file__).parents[1]
_FILES: Final[Mapping[str, str]] = {
    "models": "which model answers",
    "memory": "where memory lies and whose it is",
    "server": "what `rqa serve` allows",
    "tools": "what may be looked up",
    "deliberation": "who deliberates, and on which sources",
    "budgets": "how much reflection an input may cost",
    "cache_policies": "which domains the answer library may answer",
    "canonical_questions": "what `rqa cache drift` asks",
    "evaluator_binding": "who scores the questions",
    "approvals": "which evaluator is shipped as approved",
    "router": "how deep an input goes",
}
"""Shipped file, and what it is about."""
_YAML_ONLY: Final = frozenset(
    {"tools", "deliberation", "cache_policies", "evaluator_binding", "approvals", "router", "canonical_questions"}
)
_WHOLE: Final = frozenset(_FILES) - {"router", "canonical_questions"}
"""Files that are short enough to be shown."""
_BOUNDS: Final = {Ge: ("ge", "from"), Gt: ("gt", "above"), Le: ("le", "to"), Lt: ("lt", "below")}

_HEAD: Final = """\
Settings come in layers; a later one wins, line by line:

1. the files that ship with the package, shown below;
2. files of the same names in `RQA_HOME/config/`;
3. `./.env`, the file of that name in the folder where the program starts;
4. the environment;
5. the command line.

`cache_policies.yaml`, `canonical_questions.yaml` and `router.yaml` of a home take the place of the shipped file as a
whole. `rqa check` shows every value and where it comes from, never a key. An unknown name or a value of the wrong kind
is refused by name, with exit code 2."""

_VARIABLES: Final = [
    ["`RQA_HOME`", "The home; by default `~/.rqa`. Not in `.env`: only the environment and `--home` can name it."],
    ["`RQA_SECTION__KEY`", "One setting of a section that may be set from outside: `RQA_MODELS__CHAT=builtin`."],
    ["`RQA_LOG_URL`, `RQA_CHECKPOINTER`", "Other names of `memory.log` and `memory.checkpointer`."],
    ["`GROQ_API_KEY`", "The key for Groq, as a model and as the default evaluator."],
    ["`RQA_MODELS__API_KEY`", "The key for the server at `models.base_url`."],
    ["`LC_ALL`, `LC_MESSAGES`, `LANG`", "The language of messages, where no `--lang` names it."],
]


def configuration_page() -> str:
    """The page of all settings."""
    parts = [_HEAD, "## Environment variables", table(["variable", "what"], _VARIABLES)]
    return page("Configuration", "the settings class and the shipped `config/*.yaml`", [*parts, *_files()])


def undescribed() -> list[str]:
    """Fields of the settings that say nothing about themselves."""
    return [row[0] for name in _FILES for row in _rows(name) if not row[-1]]


def _files() -> Iterator[str]:
    for name, about in _FILES.items():
        yield f"## {name}.yaml: {about}"
        if name in _YAML_ONLY:
            yield f"Only `RQA_HOME/config/{name}.yaml` can change it, neither `.env` nor the environment."
        if rows := list(_rows(name)):
            yield table(["setting", "values", "default", "what"], rows)
        shipped = (_ROOT / "config" / f"{name}.yaml").read_text("utf-8").strip()
        told, shown = ("As shipped", shipped) if name in _WHOLE else ("How it begins", shipped.split("\n\n")[0])
        yield f"{told}:\n\n```yaml\n{shown}\n```"


def _rows(name: str) -> Iterator[list[str]]:
    field = Settings.model_fields.get(name)
    model = _model(field.annotation) if field else None
    if model is not None:
        yield from _model_rows(model, (name,), load_config(name).get(name))


def _model_rows(model: type[BaseModel], path: tuple[str, ...], shipped: Any) -> Iterator[list[str]]:
    told = _docstrings(model)
    for key, field in model.model_fields.items():
        below, here = _model(field.annotation), (*path, key)
        value = shipped.get(key) if isinstance(shipped, Mapping) else None
        if below is not None and not _is_many(field.annotation):
            yield from _model_rows(below, here, value)
            continue
        yield [code(".".join(here)), _values(field), _default(field, value), told.get(key, "")]
        if below is not None:
            yield from _model_rows(below, (*path, f"{key}[]"), None)


def _model(annotation: Any) -> type[BaseModel] | None:
    found = [annotation, *get_args(annotation)]
    return next((one for one in found if inspect.isclass(one) and issubclass(one, BaseModel)), None)


def _is_many(annotation: Any) -> bool:
    return get_origin(annotation) is tuple


def _values(field: FieldInfo) -> str:
    kind = _kind(field.annotation)
    bounds = [
        f"{word} {getattr(mark, name):,}".replace(",", " ")
        for mark in field.metadata
        for of, (name, word) in _BOUNDS.items()
        if isinstance(mark, of)
    ]
    lengths = [f"at least {mark.min_length}" for mark in field.metadata if isinstance(mark, MinLen)]
    lengths += [f"at most {mark.max_length}" for mark in field.metadata if isinstance(mark, MaxLen)]
    return ", ".join([kind, *bounds, *(f"{one} {'characters' if kind == 'text' else 'entries'}" for one in lengths)])


def _kind(annotation: Any) -> str:
    origin, args = get_origin(annotation), get_args(annotation)
    if origin in (Union, types.UnionType):
        return _kind(next(one for one in args if one is not type(None)))
    if origin is tuple:
        return "list"
    if origin is dict:
        return "names and values"
    if origin is not None and args:  # Annotated
        return _kind(args[0])
    names = {bool: "true or false", int: "whole number", float: "number", SecretStr: "secret", Path: "path"}
    return names.get(annotation, "text")


def _default(field: FieldInfo, shipped: Any) -> str:
    value = shipped if shipped is not None else None if field.is_required() else field.default
    if value is None:
        return "not set"
    if isinstance(value, bool):
        return code(str(value).lower())
    if isinstance(value, list | tuple):
        return code(f"[{', '.join(map(str, value))}]")
    return code("{}" if value == {} else str(value) or '""')


def _docstrings(model: type[BaseModel]) -> dict[str, str]:
    """What stands below each field, of the bases too."""
    told: dict[str, str] = {}
    for kind in reversed([one for one in model.__mro__ if one.__module__.startswith("rqa_graph.")]):
        module = griffe.visit(kind.__module__, _file_of(kind), _file_of(kind).read_text("utf-8"))
        members = module[kind.__name__].members
        told |= {name: one.docstring.value for name, one in members.items() if not one.is_alias and one.docstring}
    return {name: " ".join(text.split()) for name, text in told.items()}


def _file_of(kind: type) -> Path:
    return Path(inspect.getfile(kind))
