"""To whom does a Chinese sentence attribute the item that it refers to?

Named people, the reader's family, the reader's own words, and papers; the words stand before the statement.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Final

from rqa_nodes.echo.claim import any_of
from rqa_nodes.echo.lazily import lazily
from rqa_nodes.echo.lexicon import load
from rqa_nodes.echo.screen import Screened
from rqa_nodes.echo.speakers_ja import Attribution, Form, Who

__all__ = ["read_chinese_attributions"]

_COMMA: Final = r"(?:是)?[，,:：]? *"
_ONCE: Final = r"(?:之前|上次|曾经?|也|都|昨天|先前|此前|一直|刚才|明确|清楚地)*"
_BEGINS: Final = r"(?:^|(?<=[，,。:：\n]))[\s>*_•-]*"


@cache
def _screened() -> Screened[tuple[tuple[Form, ...]]]:
    speakers = load("zh")["speakers"]
    titles, papers = (any_of(speakers[name]) for name in ("titles", "papers"))
    kin = any_of([called for names in speakers["kin"].values() for called in names])
    says, words, writes = (any_of(speakers[name]) for name in ("says", "words", "writes"))
    by = r"(?:正如|如|就像|像|根据|根據|据|據|按照|依据|按|照|用)"
    name = rf"(?P<name>[\u4e00-\u9fff]{{1,3}}?)(?:{titles})"
    person = rf"(?:(?:您|你)(?:的)?(?P<kin>{kin})|{name})"
    paper = rf"(?P<source>(?:[\u4e00-\u9fff]{{0,6}}?)(?:{papers}))(?:里|裡|上|中)?(?:面)?"
    where, told = r"(?:在[^，,。]{1,6}(?:里|裡|中|上))", rf"{_ONCE}所?(?:{says}|讲|講)(?:了|过|過)?(?:的)?(?:那样)?"
    forms: tuple[tuple[str, Who], ...] = (
        (rf"{_BEGINS}(?:{by}|听|聽)?{person}{where}?(?:{told}|的(?:{words})){_COMMA}", "name"),
        (rf"{_BEGINS}{by}(?:您|你)(?:自己|本人)?(?:的|所)(?:{words}|述)(?:来说|来看|说)?{_COMMA}", "you"),
        (rf"{_BEGINS}(?:您|你)(?:自己|本人)?的(?:{words})(?:是){_COMMA}", "you"),
        (rf"{_BEGINS}{by}?{paper}(?:都|也|明确|清楚地)*(?:{writes})(?:了|过|的)?(?:那样)?{_COMMA}", "source"),
        (rf"{_BEGINS}{by}{paper}(?:的)?(?:记载|規定|规定|说明|内容|要求|说法)?[，,] *", "source"),
    )
    return Screened((tuple(Form(lazily(pattern), who) for pattern, who in forms),))


def read_chinese_attributions(text: str) -> Iterator[Attribution]:
    """Every attribution of a folded Chinese sentence."""
    for pattern, who in _screened().on(text)[0]:
        for match in pattern.finditer(text):
            groups = match.groupdict()
            name = (groups["name"] or groups["kin"]) if who == "name" else groups.get("source") or ""
            yield Attribution(*match.span(), who, name)
