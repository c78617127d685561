"""Which references are left in a text? A detector that was written apart from the verifier's.

It undoes disguises by Unicode's own data and takes everything for a reference that has the form of one. It is
generous; what stands in code, or in the words of this turn already, is left out by those who ask.
"""

from __future__ import annotations

import html
import re
import unicodedata
from typing import Final
from urllib.parse import unquote

__all__ = ["folded_id", "ids_in", "undisguised"]

_SPACE: Final = r"[^\S\n]*\n?[^\S\n]*"
"""No blank line: what stands on both sides of one is not read as one."""
_BRACKETED: Final = re.compile(
    rf"\[{_SPACE}\^?{_SPACE}m{_SPACE}:{_SPACE}[*_]{{0,3}}([0-9a-z-]{{4,60}})[*_]{{0,3}}{_SPACE}\]"
)
_NODE: Final = re.compile(r"(?<![0-9a-z_/])n_(?=[a-z]*\d)[0-9a-z]{8,60}(?![0-9a-z_])")
_SCRIPTS: Final = str.maketrans("аеорсухіјѕмԁһ【〔［】〕］：", "aeopcyxijsmdh[[[]]]:")
_CROCKFORD: Final = str.maketrans("oil", "011")


def undisguised(text: str) -> str:
    """What a reader takes a text for: without unseen characters, width, case, look-alikes and markup."""
    text = unquote(html.unescape(text), errors="ignore").replace("\\", "")
    text = "".join(char for char in text if unicodedata.category(char)[0] != "C" or char in "\n\t ")
    text = unicodedata.normalize("NFKC", text).casefold().translate(_SCRIPTS)
    text = "".join(char for char in unicodedata.normalize("NFKD", text) if unicodedata.category(char) != "Mn")
    return unicodedata.normalize("NFC", text)


def folded_id(name: str) -> str:
    """An id as it is compared: Crockford's alphabet has no o, i and l."""
    return undisguised(name).translate(_CROCKFORD)


def ids_in(plain: str) -> list[str]:
    """Ids in our forms in an undisguised text, as they stand there."""
    return [match[1] for match in _BRACKETED.finditer(plain)] + [match[0] for match in _NODE.finditer(plain)]
