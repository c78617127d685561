"""Which pages are made, and which are out of date?"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Final

from docsgen.api import api_page
from docsgen.commands import commands_page
from docsgen.configuration import configuration_page
from docsgen.errors import errors_page
from docsgen.measurements import measurements_page, readme_page
from docsgen.routes import routes_page

__all__ = ["BUILT", "PAGES", "stale", "write"]

_DOCS: Final = Path(__file__).parents[1] / "docs"

Pages = Mapping[str, Callable[[], str]]
PAGES: Final[Pages] = {
    "../README.md": readme_page,
    "measurements.md": measurements_page,
    "reference/configuration.md": configuration_page,
    "reference/errors.md": errors_page,
}
"""Path under `docs/`, and what makes the page. These are committed, for whoever reads the files and not the site."""
BUILT: Final[Pages] = {
    "reference/api.md": api_page,
    "reference/commands.md": commands_page,
    "reference/routes.md": routes_page,
}
"""Pages that change with nearly every change of the code: made before each build, and not committed."""


def stale(docs: Path = _DOCS, pages: Pages = PAGES) -> list[str]:
    """The pages that say something else than what would be made now."""
    return [name for name, _ in _changed(docs, pages)]


def write(docs: Path = _DOCS, pages: Pages = PAGES) -> list[str]:
    """Make the pages; returns those that changed."""
    names = []
    for name, text in _changed(docs, pages):
        (docs / name).parent.mkdir(parents=True, exist_ok=True)
        (docs / name).write_text(text, "utf-8")
        names.append(name)
    return names


def _changed(docs: Path, pages: Pages) -> Iterator[tuple[str, str]]:
    for name, make in pages.items():
        text, path = make(), docs / name
        if not path.is_file() or path.read_text("utf-8") != text:
            yield name, text
