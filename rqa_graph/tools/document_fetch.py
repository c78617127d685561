"""What does one document say: a file under an allowed folder, or a public page?

A path is resolved before it is judged, so that neither `..` nor a link leads out of the roots; hidden files are never
read, because a root may be somebody's home. An address is fetched only where the settings allow the web. Of a long
document the passages are taken that share most words with what the turn is about.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

from rqa_checkpoints import sparse
from rqa_checkpoints.folders import digest_of
from rqa_checkpoints.passages import cut_passages
from rqa_graph.folders import readable_text
from rqa_graph.tool_settings import DocumentFetchSettings
from rqa_graph.tools.page_text import page_text
from rqa_graph.tools.web_get import Page, WebGet
from rqa_nodes.errors import ToolError
from rqa_nodes.tools.toolbox import Source, ToolCall

__all__ = ["DocumentFetch"]

_HTML: Final = frozenset({"text/html", "application/xhtml+xml"})
_PDF: Final = "application/pdf"


class DocumentFetch:
    """Files under roots, and pages."""

    name = "document_fetch"

    def __init__(
        self,
        settings: DocumentFetchSettings,
        *,
        open_web: Callable[[int], WebGet] = lambda most: WebGet(max_bytes=most),
    ) -> None:
        """`open_web` makes what fetches pages of at most so many bytes."""
        self.calls = settings.calls
        self.seconds = settings.seconds
        self.items = settings.items
        self._roots = settings.roots
        self._max_bytes = settings.max_bytes
        self._web = open_web(settings.max_bytes) if settings.web else None

    def leaves(self, query: str) -> bool:
        """A web address does."""
        return _is_address(query)

    def run(self, call: ToolCall) -> Sequence[Source]:
        """The passages of one document. Raises ToolError where it may not, or cannot, be read."""
        if _is_address(call.query):
            page = self._page(call.query)
            return self._sources(_words(page), page.data, lambda _line: page.url, call.about)
        path, shown = self._resolved(call.query)
        data = _read(path, shown, self._max_bytes)
        try:
            text = readable_text(data, shown, "en")
        except ValueError as error:
            raise ToolError(str(error)) from None
        return self._sources(text, data, lambda line: f"{shown}:{line}", call.about)

    def text_at(self, address: str) -> str:
        """The words of a page. Raises ToolError where it may not, or cannot, be read."""
        return _words(self._page(address))

    def close(self) -> None:
        """Nothing is held."""

    def _page(self, address: str) -> Page:
        if self._web is None:
            raise ToolError(
                "the settings allow no web addresses (`tools.document_fetch.web`)",
                ja="設定でウェブのアドレスが許可されていない (`tools.document_fetch.web`)",
            )
        return self._web.get(address, seconds=self.seconds)

    def _resolved(self, query: str) -> tuple[Path, str]:
        """The file that a path means, and how it is cited: root and path in it."""
        for root in self._roots:
            try:
                inside = root.resolve()
                path = (inside / Path(query).expanduser()).resolve(strict=True)
            except (OSError, ValueError, RuntimeError):
                continue
            if not path.is_relative_to(inside):
                continue
            parts = path.relative_to(inside).parts
            if not any(part.startswith(".") for part in parts) and path.is_file():
                return path, "/".join((inside.name, *parts))
        raise ToolError(
            f"no such file under the allowed folders: {query[:80]!r}",
            ja=f"許可されたフォルダーにそのファイルはない: {query[:80]!r}",
        )

    def _sources(self, text: str, data: bytes, place: Callable[[int], str], about: str) -> list[Source]:
        passages = cut_passages(text)
        ranked = sparse.rank(about, ((str(n), one.text) for n, one in enumerate(passages)), limit=self.items)
        chosen = [int(row.id) for row in ranked]
        chosen += [n for n in range(len(passages)) if n not in chosen][: self.items - len(chosen)]
        digest = digest_of(data)
        return [Source(text=passages[n].text, locator=place(passages[n].line), digest=digest) for n in sorted(chosen)]


def _is_address(query: str) -> bool:
    return "://" in query


def _words(page: Page) -> str:
    """The text of a page. Raises ToolError for what is no text."""
    if page.kind in _HTML:
        return page_text(page.data, page.charset)
    if page.kind != _PDF and not page.kind.startswith("text/"):
        raise ToolError(
            f"{page.url[:80]} is no text, but {page.kind[:40] or 'of no kind'!r}",
            ja=f"{page.url[:80]} はテキストではない: {page.kind[:40]!r}",
        )
    try:
        if page.charset and page.kind != _PDF:
            return page.data.decode(page.charset)
        return readable_text(page.data, page.url, "en")
    except (LookupError, ValueError) as error:
        raise ToolError(
            f"{page.url[:80]} cannot be read: {type(error).__name__}",
            ja=f"{page.url[:80]} は読み取れない: {type(error).__name__}",
        ) from None


def _read(path: Path, shown: str, limit: int) -> bytes:
    """The content of a resolved path; a link or a pipe that took its place meanwhile is not followed."""
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError as error:
        raise ToolError(f"{shown} cannot be opened: {error.strerror}", ja=f"{shown} を開けない") from None
    with os.fdopen(handle, "rb") as file:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            raise ToolError(f"{shown} is no regular file", ja=f"{shown} は通常のファイルではない")
        data = file.read(limit + 1)
    if len(data) > limit:
        raise ToolError(f"{shown} has more than {limit} bytes", ja=f"{shown} は {limit} バイトを超えている")
    return data
