"""Where do shipped configuration and examples come from?

One answer for a wheel (package data) and for the source tree (the folders beside the package), and for what a person
has put in their home instead: `RQA_HOME/config/NAME.yaml` replaces the shipped file as a whole.
Data is read through paths, so the package must lie unpacked on a disk, as pip installs it.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

from rqa_graph.errors import ConfigError, UnknownResourceError

__all__ = ["config_text", "example_path", "home_path", "load_config", "load_yaml"]

_PACKAGE: Final = Path(__file__).parent
_NAME: Final = re.compile(r"[a-z][a-z0-9_]*")


def home_path(home: str | Path | None = None) -> Path:
    """The home directory: the argument, else `RQA_HOME`, else `~/.rqa`. It need not exist."""
    return Path(home or os.environ.get("RQA_HOME") or "~/.rqa").expanduser()


def config_text(name: str, home: str | Path | None = None) -> str:
    """Text of `NAME.yaml`: from the home's `config` folder if it is there, else as shipped.

    Args:
        name: File name without folder and ending, such as "router".
        home: The home directory; None looks at the shipped file only.

    Raises:
        UnknownResourceError: Nothing of that name is shipped.
        ConfigError: The file of the home cannot be read as UTF-8.
    """
    return _read(_config_path(name, home))


def _read(path: Path) -> str:
    try:
        return path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{str(path)!r} cannot be read: {error}", hint="Make it a readable UTF-8 file.") from error


def load_config(name: str, home: str | Path | None = None) -> Mapping[str, Any]:
    """Parse `NAME.yaml`; the top level must be a mapping.

    Raises:
        UnknownResourceError: Nothing of that name is shipped.
        ConfigError: The file is unreadable, is no YAML, or holds no mapping.
    """
    return load_yaml(_config_path(name, home))


def load_yaml(path: Path) -> Mapping[str, Any]:
    """Parse a YAML file; the top level must be a mapping.

    Raises:
        ConfigError: The file is unreadable, is no YAML, or holds no mapping.
    """
    import yaml  # costs more than the rest of a level-0 answer; many callers never need it

    try:
        value = _parsed(_read(path))
    except yaml.YAMLError as error:
        raise ConfigError(f"{str(path)!r} is no valid YAML: {error}", hint="Correct it, or remove it.") from error
    if not isinstance(value, dict):
        raise ConfigError(f"{str(path)!r} holds {type(value).__name__}; a mapping was expected.", hint="Correct it.")
    return value


@lru_cache(maxsize=32)
def _parsed(text: str) -> Any:
    """One command reads the same tables several times: for a light answer, for its settings, and for the graph."""
    import yaml

    return yaml.load(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))  # noqa: S506  # both are safe


def example_path(name: str) -> Path:
    """Path of a shipped example, such as "design_note.md".

    Raises:
        UnknownResourceError: No such example.
    """
    path = _folder("examples") / name
    if Path(name).name != name or not path.is_file():
        raise UnknownResourceError(f"There is no example {name!r}.", hint="`rqa demo` lists those that are there.")
    return path


def _config_path(name: str, home: str | Path | None) -> Path:
    shipped = _folder("config") / f"{name}.yaml"
    if not _NAME.fullmatch(name) or not shipped.is_file():
        raise UnknownResourceError(f"There is no configuration {name!r}.", hint="Use the name of a shipped file.")
    own = home_path(home) / "config" / shipped.name if home else shipped
    return own if own.exists() else shipped


def _folder(kind: str) -> Path:
    """In a wheel the data lies inside the package; in the source tree, beside it."""
    inside = _PACKAGE / kind
    return inside if inside.is_dir() else _PACKAGE.parent / kind
