"""When are two questions the same text, and under which key does an answer lie?

Folded are only differences of writing: Unicode composition, the widths of Latin letters, digits, katakana and
punctuation, case, blanks, invisible characters, and the mark at the end. Nothing inside a question goes, and blanket
NFKC is not applied, because it makes `x2` of `x²`, `1` of `①` and 平成 of `㍻`. The key covers everything that decides
whether an answer applies. Changed rules get a new version: old keys then simply miss, since what was attested stands.
"""

from __future__ import annotations

import hashlib
import hmac
import re
import unicodedata
from typing import Final

from rqa_checkpoints.cache.records import Ask

__all__ = ["CANON_VERSION", "mark", "normalise", "scope_key", "width_folded"]

CANON_VERSION: Final = "canon-1"

_INVISIBLE: Final = re.compile(
    "[\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff\ufe00-\ufe0f]"
)
"""Zero-width and bidirectional controls, soft hyphens, variation selectors."""
_BLANKS: Final = re.compile(r"\s+")
_TRAILING: Final = " ?？。．."
_WIDE: Final = re.compile("[\uff01-\uff5e\u3000\uff5f-\uff9f\uffe0-\uffe6]+")
"""Full-width ASCII, the ideographic space, half-width katakana and their marks, full-width signs."""


def width_folded(text: str) -> str:
    """Full-width Latin letters, digits and marks as ASCII, half-width katakana as katakana; nothing else changes."""
    return _WIDE.sub(lambda found: unicodedata.normalize("NFKC", found.group()), unicodedata.normalize("NFC", text))


def normalise(question: str) -> str:
    """The question with all that is only writing folded away; applying it twice changes nothing more.

    Args:
        question: Any text.

    Returns:
        The normalised text; empty where there was nothing but blanks and marks.
    """
    text = unicodedata.normalize("NFC", width_folded(_INVISIBLE.sub("", question)).casefold())
    while True:  # folding case and width can bring new compositions about; the second round settles all known ones
        folded = unicodedata.normalize("NFC", width_folded(text).casefold())
        if folded == text:
            break
        text = folded
    return _BLANKS.sub(" ", text).strip().rstrip(_TRAILING).strip()


def scope_key(ask: Ask) -> str:
    """SHA-256 over version and scope and normalised question, each with its length: no field can pose as another."""
    fields = (CANON_VERSION, ask.tenant, ask.domain, ask.locale, ask.jurisdiction, normalise(ask.question))
    digest = hashlib.sha256(b"rqa.cache.key/1")
    for field in fields:
        data = field.encode("utf-8", "surrogatepass")
        digest.update(len(data).to_bytes(8, "big") + data)
    return digest.hexdigest()


def mark(key: bytes, ask: Ask) -> str:
    """A keyed hash of the scope key, 16 hexadecimal digits, for logs: a short question is guessed from a bare hash."""
    return hmac.new(key, scope_key(ask).encode("ascii"), "sha256").hexdigest()[:16]
