"""Which Japanese and Chinese words point to an item of memory by an id: メモリ項目 n42, 编号为 7731 的记忆?

A word for what is kept stands beside the id, with a word such as "item" or "key" between them, or the id holds letters
and digits. Counts, dates and machines' memory are no ids. Read only beside a memory cue.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Final, NamedTuple

from rqa_nodes.echo.claim import any_of
from rqa_nodes.echo.lazily import lazily
from rqa_nodes.echo.lexicon import load
from rqa_nodes.echo.screen import Screened

__all__ = ["Named", "named_in_cjk"]


class Named(NamedTuple):
    """A stretch of the folded sentence that points to items, and the places of the ids in it."""

    start: int
    end: int
    ids: tuple[tuple[int, int], ...]
    label: str
    """As in `Reference`: "label", "noun", or "" where only the stretch itself goes."""


_UUID: Final = r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"
_MIXED: Final = (
    rf"(?:{_UUID}|n_[0-9a-z]{{2,60}}|[a-z]{{1,12}}(?:[_-][a-z]{{1,12}}){{0,3}}[_-]?\d{{1,7}}|"
    r"(?=[a-z]{0,8}\d)(?=\d{0,8}[a-z])[0-9a-z]{5,52})"
)
_PLAIN: Final = r"#?\d{1,7}(?:-\d{1,4})?(?:番|号)?"
_JOIN: Final = r"\s*(?:,|/|、|・|と|や|及び|および|和|与|與|及|&)\s*"
_NOT_COUNTED: Final = (
    r"(?![0-9a-z_.:]|-\d|\s*(?:%|年|月|日|時|分|秒|回|件|個|个|人|つ|円|章|節|项|項|頁|ページ|行|メートル|キロ|センチ|ミリ|グラム|"
    r"歳|岁|名|枚|冊|本|台|倍|点|度|種|位|次|天|元|张|条|gb|mb|kb|tb|目|地|線))"
)
_DIGIT: Final = lazily(r"#?(?:[0-9a-z]+[_-])*[0-9a-z]*\d[0-9a-z]*(?:-[0-9a-z]+)*")
_YEAR: Final = lazily(r"#?(?:19|20)\d\d")


@cache
def _patterns() -> Screened[tuple[tuple[tuple[re.Pattern[str], str], ...]]]:
    """Patterns with the group `ids`, and what kind of reference each makes."""
    ja, zh = load("ja")["ids"], load("zh")["ids"]
    items, labels, acts = any_of(ja["items"]), any_of(ja["labels"]), any_of(ja["compared"])
    items_zh, labels_zh, says_zh = any_of(zh["items"]), any_of(zh["labels"]), any_of(zh["says"])
    mixed, plain = rf"{_MIXED}(?:{_JOIN}{_MIXED}){{0,20}}", rf"{_PLAIN}(?:{_JOIN}{_PLAIN}){{0,20}}"
    either = rf"(?P<ids>{mixed}|{plain}){_NOT_COUNTED}"
    says, within = rf"(?:\s*(?:{says_zh}))?", r"(?:里|裡|中|内|內)?"
    numbers = rf"(?P<ids>{_PLAIN}(?:{_JOIN}{_PLAIN}){{1,20}}){_NOT_COUNTED}"
    shared = rf"(?=(?:[をはがもと]|では|によ)[^。]{{0,6}}(?:{acts}))"
    noted = r"(?=記憶|記録|メモ(?!リ)|记忆|記憶|记录|記錄|笔记|内容|议论|議論)"
    forms = tuple(
        (lazily(pattern), label)
        for pattern, label in (
            (rf"(?:{items})の?(?:{labels})\s*[:#=]?\s*[「(\"'\[]?{either}[」)\"'\]]?", "label"),
            (
                rf"(?:記憶|記録|メモ|備忘録|エントリー?)\s*[:#=]?\s*(?=[0-9a-z_-]{{3}})(?P<ids>{mixed}){_NOT_COUNTED}",
                "label",
            ),
            (rf"(?:{items})の?{numbers}{shared}", "label"),
            (rf"(?<![0-9a-z_])(?P<ids>n_[0-9a-z]{{5,60}}){_NOT_COUNTED}", "label"),
            (rf"(?:{items_zh}){within}的?(?:{labels_zh})\s*[:#=]?\s*[“\"(]?{either}[”\")]?{within}{says}", ""),
            (rf"(?<=[庫库]){within}的?\s*(?P<ids>{mixed}){_NOT_COUNTED}", ""),
            (rf"(?:{items_zh})\s*[:#]?\s*(?P<ids>{mixed}){_NOT_COUNTED}{within}{says}", ""),
            (rf"(?:{labels_zh})\s*(?:为|為|是|:)?\s*{either}\s*的(?:{items_zh}){within}{says}", ""),
            (rf"(?<=讨论|討論|对话|對話|記録|议论|議論|会話|记录|記錄)\s*\(\s*(?P<ids>{plain})\s*\)", ""),
            (rf"(?:node|note|memory|record)s?\s*#?(?P<ids>\d{{1,7}})[的の]{noted}", ""),
        )
    )
    return Screened((forms,))


def named_in_cjk(text: str) -> Iterator[Named]:
    """What points to memory by an id with a name in a folded sentence that holds a memory cue."""
    (forms,) = _patterns().on(text)
    for pattern, label in forms:
        for match in pattern.finditer(text):
            first, last = match.span("ids")
            found = [one.span() for one in _DIGIT.finditer(text, first, last)]
            if found and not all(_YEAR.fullmatch(text, *place) for place in found):
                yield Named(match.start(), match.end(), tuple(found), label)
