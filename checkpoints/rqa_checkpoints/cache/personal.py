"""Is this text one person's, so that it must be neither logged nor kept?

Contact and identity data are found by form, with check digits where there are any; questions of one person by the first
person together with health, law, money, family or the self. A name alone is no evidence: public figures stay cacheable.
Whatever fails here makes the text uncacheable.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, Final

import re2

from rqa_checkpoints.cache.canonical import width_folded
from rqa_checkpoints.packaged import packaged

__all__ = ["DETECTOR_FAILED", "personal_kinds"]

DETECTOR_FAILED: Final = "detector_failed"
_MAX_CHARACTERS: Final = 80_000
"""Longer texts are not looked through, and so are uncacheable."""

_CARD_DIGITS: Final = range(13, 20)
_MY_NUMBER_DIGITS: Final = 12
_MY_NUMBER_WEIGHTS: Final = (6, 5, 4, 3, 2, 7, 6, 5, 4, 3, 2)
"""Weights of the check digit from the left (Japan, MIC ordinance 85 of 2014, article 5)."""


def personal_kinds(text: str, lang: str = "") -> tuple[str, ...]:
    """The kinds of personal data and personal questions in a text, sorted; empty for a text of nobody's.

    Args:
        text: A question or an answer.
        lang: "en" or "ja": in which the first person is looked for; "" for both.
    """
    try:
        if len(text) > _MAX_CHARACTERS:
            return (DETECTOR_FAILED,)
        folded = width_folded(text).replace("’", "'")
        return tuple(sorted(_data_kinds(folded) | _own_kinds(folded, lang)))
    except Exception:  # noqa: BLE001  # whatever it is: an undetected text must not pass as nobody's
        return (DETECTOR_FAILED,)


def _data_kinds(text: str) -> set[str]:
    rules = _rules()
    for pattern in rules["public"]:  # what is everybody's hides nothing that stands beside it
        text = pattern.sub(" ", text)
    patterns_of = rules["patterns"] if rules["any_pattern"].search(text) else {}
    kinds = {kind for kind, patterns in patterns_of.items() if any(p.search(text) for p in patterns)}
    if "iban" in kinds and not any(
        _is_iban(found.group()) for p in rules["patterns"]["iban"] for found in p.finditer(text)
    ):
        kinds.remove("iban")
    for found in rules["long_digits"].finditer(text):
        digits = re.sub(r"\D", "", found.group())
        if len(digits) in _CARD_DIGITS and _is_luhn(digits):
            kinds.add("card")
        if len(digits) == _MY_NUMBER_DIGITS and _is_my_number(digits):
            kinds.add("my_number")
    return kinds


def _own_kinds(text: str, lang: str) -> set[str]:
    rules, kinds = _rules(), set()
    for pattern in rules["harmless"]:
        text = pattern.sub(" ", text)
    for own in (lang,) if lang in ("en", "ja") else ("en", "ja"):
        if rules["any_statement"][own].search(text):
            kinds.add("statement")
        if not rules["any_cue"][own].search(text):
            continue
        cues = {kind for kind, by_lang in rules["cues"].items() if by_lang[own].search(text)}
        kinds |= cues & {"family", "self"}
        if cues and _speaks_for_oneself(text, own):
            kinds |= cues
    return {f"own_{kind}" for kind in kinds}


def _speaks_for_oneself(text: str, lang: str) -> bool:
    """Is it in the first person, and more than the "how do I" of everybody's question?"""
    rules = _rules()
    general = text
    for pattern in rules["own_needs_more"].get(lang, ()):
        general = pattern.sub(" ", general)
    return any(pattern.search(general) for pattern in rules["own"][lang])


def _is_luhn(digits: str) -> bool:
    """The check of card numbers (ISO/IEC 7812-1, annex B)."""
    doubled = (int(digit) * (1 + place % 2) for place, digit in enumerate(reversed(digits)))
    return len(set(digits)) > 1 and sum(value // 10 + value % 10 for value in doubled) % 10 == 0


def _is_my_number(digits: str) -> bool:
    total = sum(int(digit) * weight for digit, weight in zip(digits[:11], _MY_NUMBER_WEIGHTS, strict=True))
    rest = total % 11
    return len(set(digits)) > 1 and int(digits[11]) == (0 if rest <= 1 else 11 - rest)


def _is_iban(text: str) -> bool:
    """ISO 13616: the letters as numbers, the first four at the end, modulo 97 is 1."""
    compact = text.replace(" ", "")
    moved = compact[4:] + compact[:4]
    return int("".join(str(int(char, 36)) for char in moved)) % 97 == 1


@cache
def _rules() -> Mapping[str, Any]:
    def compiled(node: Any) -> Any:
        if isinstance(node, str):
            return re2.compile(node)
        if isinstance(node, Mapping):
            return {name: compiled(inner) for name, inner in node.items()}
        return [compiled(inner) for inner in node]

    written = packaged("personal")
    rules: dict[str, Any] = compiled(written)
    patterns = [pattern for patterns in written["patterns"].values() for pattern in patterns]
    cues = {own: [by_lang[own] for by_lang in written["cues"].values()] for own in ("en", "ja")}
    # Most questions hold none of them: one search says so, where each pattern by itself would take sixty.
    rules["any_pattern"] = _any_of(patterns)
    rules["any_statement"] = {own: _any_of(statements) for own, statements in written["statements"].items()}
    rules["any_cue"] = {own: _any_of(found) for own, found in cues.items()}
    return rules


def _any_of(patterns: Sequence[str]) -> Any:
    return re2.compile("|".join(f"(?:{pattern})" for pattern in patterns))
