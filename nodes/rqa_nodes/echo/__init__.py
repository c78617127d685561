"""Does every claim about memory in these words point to something really given to the model this turn?

A deterministic check at output time; the assistant's own words never count as evidence. It imports no framework, so
that any agent can use it.
"""

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
