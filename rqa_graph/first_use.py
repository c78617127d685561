"""Was the person told that what they write goes to another machine to be scored?

Once a home and evaluator, before the first text goes. `RQA_HOME/evaluator_told` holds the fingerprint of the binding
that was spoken of; it may be deleted at any time, and where it cannot be written it is told again.
"""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Final

__all__ = ["TOLD_FILE", "first_use"]

TOLD_FILE: Final = "evaluator_told"


def first_use(home: Path, fingerprint: str) -> bool:
    """True the first time that a binding is asked about in a home; from then on False, until there is another one."""
    path = home / TOLD_FILE
    with suppress(OSError, ValueError):
        if path.read_text("ascii").strip() == fingerprint:
            return False
    with suppress(OSError):
        path.write_text(f"{fingerprint}\n", "ascii")
    return True
