"""Does every claim about memory in these words point to something really given to the model this turn?

A deterministic check at output time; the assistant's own words never count as evidence. It imports no framework, so
that any agent can use it. The engine is loaded when it is first asked for: who needs the types alone does not wait.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from rqa_nodes.echo.engine import IncrementalVerifier, verify
    from rqa_nodes.echo.fields import verify_fields
    from rqa_nodes.echo.resolver import KnownItems
    from rqa_nodes.echo.types import Action, Injected, Mode, Verdict, VerdictKind, VerificationReport

__all__ = [
    "Action",
    "IncrementalVerifier",
    "Injected",
    "KnownItems",
    "Mode",
    "Verdict",
    "VerdictKind",
    "VerificationReport",
    "verify",
    "verify_fields",
]

_PLACES: Final = {
    "IncrementalVerifier": "engine",
    "KnownItems": "resolver",
    "verify": "engine",
    "verify_fields": "fields",
}


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = globals()[name] = getattr(import_module(f"{__name__}.{_PLACES.get(name, 'types')}"), name)
    return found
