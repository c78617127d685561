"""To whom does a Japanese sentence attribute the item that it refers to?

Named people, the two who talk here, and sources: each is held against the item's own class and author. The words that
attribute stand before the statement ("according to the manual, ..."), or around it ("the manual says that ...").
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Final, Literal, NamedTuple

from rqa_nodes.echo.claim import any_of
from rqa_nodes.echo.fold import fold
from rqa_nodes.echo.lexicon import load
from rqa_nodes.echo.screen import Screened
from rqa_nodes.echo.types import Injected
from rqa_nodes.echo.verbs_ja import Verbs

__all__ = ["Attribution", "Form", "Who", "fits", "read_attributions"]

Who = Literal["you", "i", "name", "source"]

_SAID: Final = (
    r"(?:言[うっわ]|述べ|話[しさす]|語[りっる]|おっしゃ|仰|挙げ|明言|主張|指摘|提案|希望|決め|選[びん]|説明|"
    r"報告|書[いか]|教え|勧め|考え|求め|望[みん]|発言|断言|強調|伺[いっ]|うかが|聞[いき]|こぼ[しす]|漏ら[しす]|打ち明け|"
    r"訴え|認め|助言|相談|連絡)"
)
_TAIL: Final = (
    r"[^、。\[\]]{0,8}?(?:た(?:ように|とおり|通り|のは)?|ている|ておられる|ていらっしゃる|には|では|"
    r"によれば|によると)、?"
)
_DONE: Final = r"[^、。\[\]]{0,8}?(?:た|ている|ています|ていました|ました|ておられます|ていらっしゃいます)(?=[。\[]|$)"
_ONCE: Final = r"(?:以前|先日|前回|前に|先ほど|この前|この間|かつて|昨日|先週)?(?:は|も|に|から|の)?、?"
_BY: Final = (
    r"(?:では|によると|によれば|によりますと|として(?:は)?|を(?:お借りすれば|借りれば|借りると|そのまま引けば|引けば)|"
    r"に(?:従えば|よる(?:と)?)|どおり|の?(?:通り|とおり)|は|に(?:ある|あった)(?:通り|とおり|ように)|: *)、?"
)


class Form(NamedTuple):
    """One way to attribute, and to whom."""

    pattern: re.Pattern[str]
    who: Who


class _Rules(NamedTuple):
    around: tuple[Form, ...]
    before: tuple[Form, ...]


class _Words(NamedTuple):
    you: str
    me: str
    person: str
    paper: str
    said: str
    writes: str


@cache
def _screened() -> Screened[_Rules]:
    speakers = load("ja")["speakers"]
    not_kin = r"(?!(?:お|奥|客|皆|旦那|母|父|娘|息子|兄|姉|弟|妹|医者|看護師|業者|店員|本人)(?:さん|様|氏))"
    title = rf"(?:{any_of(speakers['titles'])})"
    name = rf"(?<![お御\u3400-\u9fff])(?P<name>{not_kin}[\u3400-\u9fff々ァ-ヺー]{{1,8}}?){title}"
    kinds = any_of(speakers["papers"])
    paper = (
        rf"(?P<source>[^\s、。「」\[\]・:はがをの]{{0,10}}(?:{kinds})|[^\s、。「」\[\]・:はがを]{{1,8}}の(?:{kinds}))"
    )
    words = _Words(
        you=rf"(?:{any_of(speakers['you'])})",
        me=rf"(?:{any_of(speakers['me'])})",
        person=rf"(?:{name}|(?P<kin>{any_of(speakers['kin'])}))",
        paper=paper,
        said=rf"(?:{any_of(speakers['words'])})",
        writes=rf"(?:{any_of(speakers['writes'])})",
    )
    return Screened(_Rules(around=_around(words), before=_before(words)))


def _form(pattern: str, who: Who) -> Form:
    return Form(re.compile(pattern), who)


def _around(words: _Words) -> tuple[Form, ...]:
    """Forms that stand around what is said."""
    body = r"(?P<body>[^。\[\]]{2,60}?)"
    heard = rf"(?:ということを|と|とのお話を|とのことを){_ONCE}(?:伺[いっ]|うかが[いっ]|聞[いき]|お聞きし|承[りっ])"
    there = rf"(?:{words.writes}{_DONE}|(?:あり(?:ます|ました)|ある)(?=[。\[]|$))"
    said = rf"(?P<body>[^、。\[\]]{{2,40}}?)(?:ということを|と){_ONCE}{_SAID}{_DONE}"
    return (
        _form(rf"{words.person}[がはも]{_ONCE}{said}", "name"),
        _form(rf"{words.you}から(?:は|も)?、?{_ONCE}{body}{heard}{_DONE}", "you"),
        _form(rf"{words.paper}に(?:は|も)?、?{body}(?:と|ことが|旨が){there}", "source"),
        _form(rf"{words.paper}では、?{body}(?:と|ことが)(?:{words.writes}|されて){_DONE}", "source"),
    )


def _before(words: _Words) -> tuple[Form, ...]:
    """Forms that stand before what is said."""
    you, me, person, paper, said = words.you, words.me, words.person, words.paper, words.said
    deeds = load("ja")["speakers"]["gives"]
    made = Verbs.of(deeds).past()
    did = r"(?:した|しました|いたしました|していた|差し上げた|申し上げた)"
    humbly = rf"[おご][^、。\[\]]{{1,6}}?{did}|申し上げ[^、。\[\]]{{0,4}}?た"
    advice = r"(?:ご?提案|お?勧め|おすすめ|ご?案内|ご?助言|アドバイス|ご?回答|ご?説明)"
    content = r"(?:の(?:記述|記載|説明|内容|表現|見解|数字))?"
    as_in = r"(?:とおり|通り|ように)"
    cites = rf"(?:によりますと|によると|によれば|に従えば|を見ると|に(?:ある|あった|記された|示された|書かれた){as_in})"
    tells = rf"[がも](?:述べ|示|指摘|報告|説明|主張|伝え|言)[^、。\[\]]{{1,6}}?(?:{as_in}|には)"
    return (
        _form(rf"{you}(?:で|が|から|の|も|は){_ONCE}[^、。\[\]]{{0,6}}?{_SAID}{_TAIL}", "you"),
        _form(rf"{you}(?:から)?の{said}{_BY}|{you}(?:いわく|曰く)、?", "you"),
        _form(rf"{you}(?:談|の弁)(?: *: *|では、?|によると、?|によれば、?)", "you"),
        _form(rf"{me}(?:が|の|から|より){_ONCE}[^、。\[\]]{{0,4}}?(?:{made}|{humbly})(?:{as_in}|のは)?、?", "i"),
        _form(rf"{me}(?:が|の|から)の?{_ONCE}{advice}(?:は|では|によれば|どおり|の?通り|のとおり)、?", "i"),
        _form(rf"{person}[がはもの]{_ONCE}{_SAID}{_TAIL}", "name"),
        _form(rf"{person}(?:(?:から)?の{said}{_BY}|(?:によると|によれば|では|いわく|曰く)、?)", "name"),
        _form(rf"{paper}{content}(?:{cites}|{tells}|いわく)、?", "source"),
        _form(rf"{paper}(?:に{words.writes}[^、。\[\]]{{0,4}}?(?:のは|{as_in})|の(?:記述|記載|説明)では)、?", "source"),
        _form(
            r"(?P<source>[^\s、。「」\[\]・:]{1,14}?)(?:によると|によれば|に書かれている(?:通り|とおり|ように)|"
            r"に(?:ある|記された)(?:通り|とおり|ように))、?",
            "source",
        ),
    )


_OF_THE_USER: Final = re.compile(
    r"あなた|本人|自身|ユーザー|お客様|話|言葉|発言|相談|説明(?!書)|さん|氏|様|記憶|記録|メモ|これ|それ|私"
)


class Attribution(NamedTuple):
    """The words that attribute, in the folded sentence."""

    start: int
    end: int
    who: Who
    name: str = ""
    body: tuple[int, int] | None = None
    """What is said, where the words stand around it."""


def read_attributions(text: str) -> Iterator[Attribution]:
    """Every attribution of a folded sentence."""
    rules = _screened().on(text)
    for forms, framed in ((rules.around, True), (rules.before, False)):
        for pattern, who in forms:
            for match in pattern.finditer(text):
                groups = match.groupdict()
                if who == "source" and _OF_THE_USER.search(groups["source"]):
                    continue
                name = (groups["name"] or groups["kin"]) if who == "name" else ""
                yield Attribution(*match.span(), who, name, match.span("body") if framed else None)


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
