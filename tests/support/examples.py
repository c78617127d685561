"""How many examples does a property get whose every example opens a database or reads a long text?

The usual number is for properties of words and numbers. A share of it keeps the usual run quick, and the same share of
the large number keeps `make test-full` within hours.
"""

from __future__ import annotations

from hypothesis import settings

__all__ = ["share"]


def share(percent: int) -> settings:
    """So many of every hundred examples of the profile that is loaded."""
    return settings(max_examples=settings.default.max_examples * percent // 100)  # type: ignore[union-attr]  # loaded
