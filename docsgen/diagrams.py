"""How does a Mermaid diagram come to stand in the site? As a picture that is drawn when the site is built.

The theme would load Mermaid from a server of somebody else's into the reader's browser; the site shows all that it has
without a network.
"""

from __future__ import annotations

import hashlib
from typing import Any

import mmdr

__all__ = ["fence"]

_BY_THE_LIBRARY = "merman"
"""The id that every drawing has; styles and markers of two on one page must not meet."""


def fence(source: str, *_more: Any, **_options: Any) -> str:
    """A block of Mermaid as SVG, in the form in which superfences asks for it."""
    drawn: str = mmdr.render(source).svg()
    name = f"diagram-{hashlib.sha256(source.encode()).hexdigest()[:12]}"
    # The drawing is dark on light, whatever the scheme of the page.
    style = "background:#fff;border-radius:.2rem;overflow:auto;padding:.6rem"
    return f'<div class="diagram" style="{style}">{drawn.replace(_BY_THE_LIBRARY, name)}</div>'
