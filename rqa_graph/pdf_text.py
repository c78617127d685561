"""Which words are in a PDF?

The text layer, page by page, through pypdf, which is loaded only where a PDF was named and comes with the extra `pdf`.
A file without a text layer (a scan), a locked one and a damaged one are refused in words, and a small file that unpacks
into more text than is read at once is refused like a large one.
"""

from __future__ import annotations

import io
import logging
from typing import Final

from rqa_graph.errors import EmptyInputError, MissingExtraError, NotTextError, TooLargeError

__all__ = ["pdf_text"]

_PAGES: Final = 1000
"""More is no document of 1 MB any more; each page costs a few milliseconds."""


def pdf_text(data: bytes, path: str, *, limit: int) -> str:
    """The text of a PDF, pages apart by a blank line.

    Args:
        data: The file.
        path: Its name, for messages.
        limit: The most bytes of text that are read.

    Raises:
        MissingExtraError: pypdf is not installed.
        NotTextError: Locked with a password, or no PDF that can be read.
        EmptyInputError: No text layer.
        TooLargeError: More text, or more pages, than is read at once.
    """
    try:
        from pypdf import PdfReader
    except ImportError:
        raise MissingExtraError("reading a PDF needs the extra `pdf`: pip install 'rqa-graph[pdf]'") from None
    logging.getLogger("pypdf").setLevel(logging.CRITICAL)  # what it thinks of a file is no news for a person
    pages: list[str] = []
    size = 0
    try:
        reader = PdfReader(io.BytesIO(data))
        if reader.is_encrypted and not reader.decrypt(""):
            raise NotTextError("file.locked", path=path)
        if len(reader.pages) > _PAGES:
            raise TooLargeError("file.too_many_pages", path=path, pages=len(reader.pages), limit=_PAGES)
        for page in reader.pages:
            pages.append(page.extract_text().strip())
            size += len(pages[-1].encode("utf-8", "replace"))
            if size > limit:
                raise TooLargeError("file.too_large", path=path, limit=limit)
    except (NotTextError, TooLargeError):
        raise
    except Exception as error:  # whatever a damaged file makes of the parser: it promises no closed set
        raise NotTextError("file.bad_pdf", path=path, reason=type(error).__name__) from error
    text = "\n\n".join(page for page in pages if page)
    if not text.strip():
        raise EmptyInputError("file.no_text_layer", path=path, pages=len(pages))
    return text
