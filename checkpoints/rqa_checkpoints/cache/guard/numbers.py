"""Which numbers does a text name, whatever they are written in?

Digits of any width, thousands in groups, words, kanji numerals, Roman numerals, and years of Japanese eras, which are
put as the year of the common calendar: 令和8年 is 2026.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from decimal import Decimal, InvalidOperation, localcontext
from functools import cache
from typing import Final

from rqa_checkpoints.cache.guard.forms import chars, words

__all__ = [
    "clock_times_resolved",
    "english_number",
    "era_years_resolved",
    "kanji_numbers_resolved",
    "ordinal",
    "plain",
    "roman",
    "scaled",
]

_POWERS: Final = {"hundred": 2, "thousand": 3, "million": 6, "billion": 9, "trillion": 12}
_SCALES: Final = {word: 10**power for word, power in _POWERS.items()}
_ROMAN: Final = re.compile(r"(?=[IVX])X{0,3}(?:IX|IV|V?I{0,3})")
_ROMAN_VALUES: Final = {"I": 1, "V": 5, "X": 10}

_ERAS: Final = {"令和": 2018, "平成": 1988, "昭和": 1925, "大正": 1911, "明治": 1867}
"""The year before the first one of each era."""
_ERA_YEAR: Final = re.compile(r"(令和|平成|昭和|大正|明治)(元|\d{1,3})年")
_CLOCK: Final = re.compile(r"(午前|朝|早朝|午後|夕方|夜|晩)の?(1[01]|(?<!\d)[1-9])時(?!間)")
_AFTER_NOON: Final = ("午後", "夕方", "夜", "晩")
_HALF_PAST: Final = re.compile(r"(?<=\d時)半")
_TENTHS: Final = re.compile(r"(?<![\d.])([1-9])割(?![りっれる])")
_PARTS: Final = re.compile(r"(\d+)分の(\d+)")
_KANJI_DIGITS: Final = {char: value for value, char in enumerate("〇一二三四五六七八九")} | {"零": 0, "両": 2}
_KANJI_UNITS: Final = {"十": 10, "百": 100, "千": 1000}
_KANJI_SCALES: Final = {"万": 10**4, "億": 10**8, "兆": 10**12}
_KANJI_RUN: Final = re.compile(
    r"[〇零一二三四五六七八九十百千万億兆\d.,]*[〇零一二三四五六七八九十百千\d][〇零一二三四五六七八九十百千万億兆]*"
)


def plain(text: str) -> str:
    """Digits without groups and needless zeros: `1,000.50` is `1000.5`; what is no number stays as it is."""
    try:
        digits = format(Decimal(text.replace(",", "")), "f")  # exact, where `normalize` rounds to 28 digits
    except InvalidOperation:
        return text
    return digits.rstrip("0").rstrip(".") if "." in digits else digits


def scaled(number: str, word: str) -> str:
    """Digits times the scale that follows them: `1.5` and "million" are `1500000`; "" where the word is no scale."""
    return plain(f"{number}e{_POWERS[word]}") if word in _POWERS else ""


def english_number(said: list[str]) -> tuple[int, int]:
    """The number that the words begin with, and how many words it takes; (0, 0) for none. "one" alone is none."""
    total = current = taken = 0
    for place, word in enumerate(said):
        if word in _small():
            current += _small()[word]
        elif word in _SCALES and (place or word != "hundred"):
            if not taken and place == 0:
                return 0, 0
            current = max(current, 1) * _SCALES[word]
            if _SCALES[word] >= 1000:
                total, current = total + current, 0
        elif not (word == "and" and taken and place + 1 < len(said) and said[place + 1] in _small()):
            break
        taken = place + 1
    if taken == 1 and said[0] == "one":
        return 0, 0
    return total + current, taken


@cache
def _small() -> Mapping[str, int]:
    ones = {word: value for value, word in enumerate(words("ones"))}
    return ones | {word: 10 * value for value, word in enumerate(words("tens"), start=2)}


def ordinal(word: str) -> int:
    """The value of an ordinal up to "tenth"; 0 for what is none."""
    return words("ordinals").index(word) + 1 if word in words("ordinals") else 0


def roman(word: str) -> int:
    """The value of a Roman numeral in capitals up to 39; 0 for what is none."""
    if not word or not _ROMAN.fullmatch(word):
        return 0
    values = [_ROMAN_VALUES[char] for char in word]
    signed = [-value if value < after else value for value, after in zip(values, [*values[1:], 0], strict=True)]
    return sum(signed)


def era_years_resolved(text: str) -> str:
    """Years of Japanese eras as years of the common calendar; digits must be half width."""
    return _ERA_YEAR.sub(lambda found: f"{_ERAS[found[1]] + (1 if found[2] == '元' else int(found[2]))}年", text)


def clock_times_resolved(text: str) -> str:
    """Times of day on 24 hours, tenths as per cent, and parts as fractions: 午後3時半 is 15時30分, 3割 is 30%."""
    text = _CLOCK.sub(lambda found: f"{int(found[2]) + 12 * (found[1] in _AFTER_NOON)}時", text)
    return _PARTS.sub(r"\2/\1", _TENTHS.sub(r"\g<1>0%", _HALF_PAST.sub("30分", text)))


def kanji_numbers_resolved(text: str) -> str:
    """Numerals in kanji, and digits before 万 and 億, as digits where a counter or the end of a word follows."""

    def put(found: re.Match[str]) -> str:
        run, after = found.group(), text[found.end() : found.end() + 1]
        if run == "一" and after in chars("no_one"):
            return run
        is_single_kanji = len(run) == 1 and not run.isdigit()
        if (is_single_kanji or not any(char.isdigit() for char in run)) and (
            not after or after not in chars("counters")
        ):
            return run
        with localcontext(prec=len(run) + max(_POWERS.values()) + 1):  # every digit counts
            value = _kanji_value(run)
        return run if value is None else value

    return _KANJI_RUN.sub(put, text)


def _kanji_value(run: str) -> str | None:
    total, current, digits = Decimal(0), Decimal(0), ""
    for char in run.replace(",", ""):
        if char.isdigit() or char == ".":
            digits += char
        elif char in _KANJI_DIGITS:
            digits += str(_KANJI_DIGITS[char])
        elif char in _KANJI_UNITS:
            current += _number(digits, 1) * _KANJI_UNITS[char]
            digits = ""
        else:
            total += (current + _number(digits, 0) or Decimal(1)) * _KANJI_SCALES[char]
            current, digits = Decimal(0), ""
    try:
        return plain(str(total + current + _number(digits, 0)))
    except InvalidOperation:
        return None


def _number(digits: str, default: int) -> Decimal:
    try:
        return Decimal(digits) if digits else Decimal(default)
    except InvalidOperation:
        return Decimal(default)
