"""To whom does a Japanese sentence attribute the item that it refers to?

Named people, the two who talk here, and sources: each is held against the item's own class and author.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, Literal, NamedTuple

from rqa_nodes.echo.fold import fold
from rqa_nodes.echo.screen import Screened
from rqa_nodes.echo.types import Injected

__all__ = ["Attribution", "fits", "read_attributions"]

_SAID: Final = (
    r"(?:言[うっわ]|述べ|話[しさす]|語[りっる]|おっしゃ|仰|挙げ|明言|主張|指摘|提案|希望|決め|選[びん]|説明|"
    r"報告|書[いか]|教え|勧め|考え|求め|望[みん]|発言|断言|強調|伺[いっ]|うかが|聞[いき])"
)
_TAIL: Final = (
    r"[^、。\[\]]{0,8}?(?:た(?:ように|とおり|通り|のは)?|ている|ておられる|ていらっしゃる|には|では|"
    r"によれば|によると)、?"
)
_YOU: Final = re.compile(
    rf"(?:ご自身|ご本人|あなた(?:様|ご自身)?|ユーザー|お客様)(?:で|が|から|の|も|は)[^、。\[\]]{{0,6}}?{_SAID}{_TAIL}"
    r"|(?:ご本人|あなた|ユーザー|お客様)のご?(?:希望|要望|意見|意向|主張|提案|結論|願い)(?:は|では|として)、?"
    r"|(?:ご本人|あなた|ユーザー|お客様)いわく、?"
    r"|(?:ご本人|ユーザー|お客様)(?:談|の弁|の発言|の言葉)(?: *: *|では、?|によると、?|によれば、?)"
)
_ME: Final = re.compile(
    r"私(?:が|の|から)(?:以前|前回|前に|先日|先ほど|の)*[^、。\[\]]{0,4}?(?:ご?提案|お?勧め|おすすめ|ご?案内|お伝え|申し上げ|ご?助言|"
    r"アドバイス|ご?回答|ご?説明)(?:は、?|[^、。\[\]]{0,6}?(?:た(?:ように|とおり|通り|のは)?|では|によれば|どおり|通り)、?)"
)
_PERSON: Final = (
    r"(?<![お御\u3400-\u9fff])(?P<name>(?!(?:お|奥|客|皆|旦那|母|父|娘|息子|兄|姉|弟|妹|医者|看護師|業者|店員|本人)(?:さん|様|氏))"
    r"[\u3400-\u9fff々ァ-ヺー]{1,8})(?P<title>さん|氏|様|先生|教授|博士)"
)
_NAME: Final = re.compile(
    rf"{_PERSON}(?:(?:が|は|も|の)(?:以前|先日|前回)?{_SAID}{_TAIL}|"
    r"(?:の(?:話|お話|説明|意見|発言))?(?:によると|によれば|では)、?|いわく、?)"
)
_NAME_SAYS: Final = re.compile(
    rf"{_PERSON}(?:が|は|も)(?:以前|先日|前回)?、?(?P<body>[^、。\[\]]{{2,40}}?)(?:ということを|と)(?:以前|先日|前に)?{_SAID}"
    r"[^、。\[\]]{0,8}?(?:た|ている|ています|ていました|ました)(?=[。\[]|$)"
)
_SOURCE: Final = re.compile(
    r"(?P<source>[^\s、。「」\[\]・:]{1,14}?)(?:によると|によれば|に書かれている(?:通り|とおり|ように)|"
    r"に(?:ある|記された)(?:通り|とおり|ように))、?"
)
_OF_THE_USER: Final = re.compile(
    r"あなた|本人|自身|ユーザー|お客様|話|言葉|発言|相談|説明|さん|氏|様|記憶|記録|"
    r"メモ|これ|それ|私"
)

Who = Literal["you", "i", "name", "source"]


class Attribution(NamedTuple):
    """The words that attribute, in the folded sentence."""

    start: int
    end: int
    who: Who
    name: str = ""
    body: tuple[int, int] | None = None
    """What is said, where the words stand around it."""


_BY_WHO: Final[tuple[tuple[re.Pattern[str], Who], ...]] = (
    (_YOU, "you"),
    (_ME, "i"),
    (_NAME, "name"),
    (_SOURCE, "source"),
)
_RULES: Final = Screened((_NAME_SAYS, _BY_WHO))


def read_attributions(text: str) -> Iterator[Attribution]:
    """Every attribution of a folded sentence."""
    named, rest = _RULES.on(text)
    for match in named.finditer(text):
        yield Attribution(*match.span(), "name", match["name"], match.span("body"))
    for pattern, who in rest:
        for match in pattern.finditer(text):
            if who == "source" and _OF_THE_USER.search(match["source"]):
                continue
            name = match["name"] if who == "name" else ""
            yield Attribution(*match.span(), who, name)


def fits(attribution: Attribution, item: Injected) -> bool:
    """Can the item come from whom the sentence names?"""
    if attribution.who == "you":
        return item.source == "user"
    if attribution.who == "i":
        return item.source == "assistant"
    if attribution.who == "source":
        return item.source not in ("user", "assistant")
    author = fold(item.author).text
    if attribution.name in author or (author and author in attribution.name):
        return True
    if item.source == "user":
        return not author
    return item.source != "assistant" and attribution.name in fold(item.text).text
