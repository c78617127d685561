"""Which words are on a page?

Paragraphs, headings, lists and tables of what a reader sees, apart by blank lines; scripts, styles, forms, menus and
hidden elements are left out. Beautiful Soup comes with the extra `web` and is loaded where a page was fetched.
"""

from __future__ import annotations

import re
from typing import Final

from rqa_nodes.errors import ToolError

__all__ = ["page_text"]

_UNSEEN: Final = (
    *("script", "style", "noscript", "template", "iframe", "object", "svg", "canvas", "form", "button", "nav"),
    *("header", "footer", "aside", "dialog"),
)
_HIDDEN_STYLE: Final = re.compile(r"(?:display\s*:\s*none|visibility\s*:\s*hidden|font-size\s*:\s*0)", re.IGNORECASE)
_BLOCKS: Final = (
    *("p", "div", "section", "article", "main", "li", "dt", "dd", "tr", "blockquote", "pre", "figcaption", "br"),
    *("h1", "h2", "h3", "h4", "h5", "h6", "table", "ul", "ol", "title", "caption"),
)
_LINES: Final = re.compile(r"\n\s*\n+")


def page_text(data: bytes, charset: str) -> str:
    """The visible text of an HTML page. `charset` as the server says, "" to look at the page itself.

    Raises:
        ToolError: The extra `web` is not installed, or the page cannot be read.
    """
    try:
        from bs4 import BeautifulSoup
    except ImportError:
        raise ToolError(
            "reading a page needs the extra `web`: pip install 'rqa-graph[web]'",
            ja="ページを読むには追加機能 `web` が必要: pip install 'rqa-graph[web]'",
        ) from None
    try:
        soup = BeautifulSoup(data, "html.parser", from_encoding=charset or None)
    except RecursionError:
        raise ToolError("the page is nested too deeply to be read", ja="ページの入れ子が深すぎて読めない") from None
    for tag in soup(list(_UNSEEN)):
        tag.decompose()
    for tag in soup.select('[hidden], [aria-hidden="true"]'):
        tag.decompose()
    for tag in soup.find_all(style=_HIDDEN_STYLE):
        tag.decompose()
    for tag in soup.find_all(list(_BLOCKS)):
        tag.append("\n\n")
        tag.insert(0, "\n\n")
    text = soup.get_text()
    return _LINES.sub("\n\n", "\n".join(" ".join(line.split()) for line in text.split("\n"))).strip()
