"""When is a pattern compiled? When the first sentence comes that it is tried on.

To compile every pattern of the verifier takes longer than to check many replies, and a program that checks one in one
language needs few of them.
"""

from __future__ import annotations

import re
from typing import Any, Final, cast

__all__ = ["Lazy", "lazily"]

_METHODS: Final = ("search", "match", "fullmatch", "finditer", "findall", "sub", "split")


class Lazy:
    """Behaves like the pattern that it holds.

    Args:
        pattern: As `re` takes it.
        flags: The same.
    """

    def __init__(self, pattern: str, flags: int = 0) -> None:
        self.pattern = pattern
        self.flags = flags

    def compiled(self) -> re.Pattern[str]:
        """The pattern itself."""
        return re.compile(self.pattern, self.flags)


class _Unused(Lazy):
    """Compiles its pattern for the first call; from then on calls go straight to it.

    It then is a `Lazy`, because Python reads every attribute of a class with `__getattr__` the slow way.
    """

    def __getattr__(self, name: str) -> Any:
        if name not in _METHODS:
            raise AttributeError(f"a pattern has no {name!r}")
        compiled = self.compiled()
        self.__dict__.update({method: getattr(compiled, method) for method in _METHODS})
        self.__class__ = Lazy  # type: ignore[assignment]  # the same layout
        return self.__dict__[name]


def lazily(pattern: str, flags: int = 0) -> re.Pattern[str]:
    """A pattern that is compiled when it is first used.

    Args:
        pattern: As `re` takes it.
        flags: The same.
    """
    return cast("re.Pattern[str]", _Unused(pattern, flags))
