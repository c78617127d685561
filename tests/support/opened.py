"""What the fixture `opened` gives: `tests.support.graphs.scripted_services` over a home that the test need not name."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rqa_graph.services import AppServices

__all__ = ["Opened"]

Opened = Callable[..., "AppServices"]
