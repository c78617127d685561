"""How is that said to a person, in their language?

Sentences of the command line live in `texts/messages.yaml`, each in English and Japanese, so that no surface holds
words of its own. A language that has no words here is answered in English.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, Final

from rqa_graph.resources import load_yaml

__all__ = ["error_codes", "error_words", "keys", "language", "say"]

_FILE: Final = Path(__file__).parent / "texts" / "messages.yaml"
_ERRORS: Final = Path(__file__).parent / "texts" / "errors.yaml"
_LANGS: Final = ("en", "ja")
_LOCALE_VARIABLES: Final = ("LC_ALL", "LC_MESSAGES", "LANGUAGE", "LANG")
"""In the order in which POSIX and gettext look at them."""


def say(key: str, lang: str = "en", **values: Any) -> str:
    """The sentence `key` in `lang`, with `values` put in.

    Raises:
        KeyError: No such sentence, or a value that it needs is missing.
    """
    row = _table()[key]
    return row.get(lang, row["en"]).format(**values)


def keys() -> tuple[str, ...]:
    """Every sentence there is."""
    return tuple(_table())


def error_words(code: str, lang: str = "en") -> tuple[str, str]:
    """What a code of an error means and what to do, in `lang`. Raises KeyError for a code without words."""
    row = _error_table()[code]
    cause, fix = row.get(lang, row["en"])
    return cause, fix


def error_codes() -> tuple[str, ...]:
    """Every code with words."""
    return tuple(_error_table())


def language(wanted: str = "", environ: Mapping[str, str] | None = None, *, default: str = "en") -> str:
    """Language of messages: what was asked for, else the locale's.

    Args:
        wanted: "en", "ja", another tag, or "" for the locale.
        environ: Environment variables; None reads the process's.
        default: Where neither names a language that messages are written in, as in the locale "C".
    """
    variables = os.environ if environ is None else environ
    tags = [wanted] if wanted else [variables.get(name, "") for name in _LOCALE_VARIABLES]
    tag = next((tag for tag in tags if tag), "")
    return next((lang for lang in _LANGS if tag.lower().startswith(lang)), default if default in _LANGS else "en")


@cache
def _table() -> Mapping[str, Mapping[str, str]]:
    return load_yaml(_FILE)


@cache
def _error_table() -> Mapping[str, Mapping[str, list[str]]]:
    return load_yaml(_ERRORS)
