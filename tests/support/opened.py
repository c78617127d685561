"""What the fixture `opened` gives: `tests.support.graphs.scripted_services` over a home that the test need not name."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rqa_graph.services import AppServices

__all__ = ["Opened", "answered_by_builtin"]

Opened = Callable[..., "AppServices"]


def answered_by_builtin(services: AppServices) -> AppServices:
    """The same services, with the built-in engine in place of a script."""
    from rqa_graph.bound_model import BoundChatModel
    from rqa_nodes import models

    services._resolve = lambda _name: BoundChatModel(models.builtin(), services.clock, 60.0)
    return services
