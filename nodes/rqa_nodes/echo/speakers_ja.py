"""To whom does a Japanese sentence attribute the item that it refers to?

Named people, the two who talk here, and sources: each is held against the item's own class and author. The words that
attribute stand before the statement ("according to the manual, ..."), or around it ("the manual says that ...").
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Final, Literal, NamedTuple

from rqa_nodes.echo.claim import any_of
from rqa_nodes.echo.fold import fold
from rqa_nodes.echo.lazily import lazily
from rqa_nodes.echo.lexicon import load
from rqa_nodes.echo.screen import Screen, Screened
from rqa_nodes.echo.types import Injected
from rqa_nodes.echo.verbs_ja import Verbs

__all__ = [
    "Attribution",
    "Form",
    "Who",
    "fits",
    "is_kin",
    "names_person",
    "read_attributions",
    "screen_of_attributions",
]

Who = Literal["you", "i", "name", "source"]

_SAID: Final = (
    r"(?:[おご]?(?:言[うっわ]|述べ|話[しさす]|語[らりっる]|おっしゃ|仰|挙げ|明言|主張|指摘|提案|希望|決め|選[ばびん]|説明|"
    r"報告|書[いか]|教え|勧め|考え|求め|望[まみん])|発言|断言|強調|伺[いっ]|うかが|聞[いき]|こぼ[しす]|漏ら[しす]|打ち明け|"
    r"訴え|認め|助言|相談|連絡)"
)
_TAIL: Final = (
    r"[^、。\[\]]{0,8}?(?:(?:た|て(?:い)?る|ておられる|ていらっしゃる)(?:ように|とおり|通り|の[はがを])?|には|では|"
    r"によれば|によると)、?"
)
_ENDS: Final = (
    r"(?:(?:そう|よう|の|ん)(?:です|だ|でした)?|とか|らしい(?:です)?|わけです|はずです)?"
    r"(?:よ|ね|な|わ|が|けれど|けど|ので|から|し|、)*(?= *[。\[!！]|$)"
)
_DONE: Final = (
    r"[^、。\[\]]{0,8}?(?:た|て(?:い)?る|てある|ています|てあります|ていました|ました|ておられます|"
    rf"ていらっしゃいます|(?<=て)(?:いる|ある|います|あります)){_ENDS}"
)
_ONCE: Final = r"(?:以前|先日|前回|前に|先ほど|この前|この間|かつて|昨日|先週)?(?:は|も|に|から|の)?、?"
_BY: Final = (
    r"(?:では|によると|によれば|によりますと|として(?:は)?|を(?:お借りすれば|借りれば|借りると|そのまま引けば|引けば)|"
    r"だと|ですと|を聞く(?:限り(?:では)?|と)|からすると|"
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
    kinds: str
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
        person=rf"(?:{name}|(?P<kin>{any_of([called for names in speakers['kin'].values() for called in names])}))",
        kinds=f"(?:{kinds})",
        paper=paper,
        said=rf"(?:{any_of(speakers['words'])})",
        writes=rf"(?:{any_of(speakers['writes'])})",
    )
    return Screened(_Rules(around=_around(words), before=_before(words)))


def _form(pattern: str, who: Who) -> Form:
    return Form(lazily(pattern), who)


def _around(words: _Words) -> tuple[Form, ...]:
    """Forms that stand around what is said."""
    body = r"(?P<body>[^。\[\]]{2,60}?)"
    heard = rf"(?:ということを|と|とのお話を|とのことを){_ONCE}(?:伺[いっ]|うかが[いっ]|聞[いき]|お聞きし|承[りっ])"
    there = (
        rf"(?:{words.writes}{_DONE}|(?:あり(?:ます|ました)|ある|あった|ございます|の(?:こと)?(?:です|でした)){_ENDS})"
    )
    order = (
        r"(?:との|という)(?:ご)?(?:指示|話|お話|意見|要望|希望|連絡|報告|依頼|意向|返事|伝言|こと)"
        rf"(?:です|でした|だった|が(?:あり|ござい)ま(?:す|した)){_ENDS}"
    )
    said = rf"(?P<body>[^、。\[\]]{{2,40}}?)(?:ということを|と){_ONCE}{_SAID}{_DONE}"
    return (
        _form(rf"{words.person}[がはも]{_ONCE}{said}", "name"),
        _form(rf"{words.person}(?:から|より)(?:は|も|の)?、?{_ONCE}{body}(?:{heard}{_DONE}|{order})", "name"),
        _form(
            rf"{words.person}(?:から)?の{words.kinds}(?:に|で)(?:は|も)?、?{body}(?:と|ことが|旨が|って)、?{there}",
            "name",
        ),
        _form(rf"{words.you}から(?:は|も)?、?{_ONCE}{body}{heard}{_DONE}", "you"),
        _form(rf"{words.paper}に(?:は|も)?、?{body}(?:と|ことが|旨が|って)、?{there}", "source"),
        _form(rf"{words.paper}で(?:は|も)?、?{body}(?:と|って|ことが)(?:{words.writes}|されて){_DONE}", "source"),
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
        _form(rf"{person}[がはもの]{_ONCE}{_SAID}(?![はのが]){_TAIL}", "name"),
        _form(rf"{person}(?:(?:から)?の{said}{_BY}|(?:によると|によれば|では|いわく|曰く)、?)", "name"),
        _form(rf"{person}(?:から)?の{words.kinds}{content}(?:{cites}|では、|だと、)", "name"),
        _form(
            rf"{person}(?:に|から){_ONCE}(?:お?聞[いき]|伺[いっ]|うかが[いっ]|教わ[りっ]|教えてもら[いっ])[^、。\[\]]{{0,6}}?"
            r"(?:話|お話|こと|ところ|限り)(?:では|だと|によると|によれば|、)、?",
            "name",
        ),
        _form(rf"{paper}{content}(?:{cites}|{tells}|いわく)、?", "source"),
        _form(rf"{paper}(?:に{words.writes}[^、。\[\]]{{0,4}}?(?:のは|{as_in})|の(?:記述|記載|説明)では)、?", "source"),
        _form(
            r"(?P<source>[^\s、。「」\[\]・:]{1,14}?)(?:によると|によれば|に書かれている(?:通り|とおり|ように)|"
            r"に(?:ある|記された)(?:通り|とおり|ように))、?",
            "source",
        ),
    )


_OF_THE_USER: Final = lazily(
    r"あなた|本人|自身|ユーザー|お客様|話|言葉|発言|相談|説明(?!書)|さん|氏|様|記憶|記録|メモ|これ|それ|私"
)


_DENIED: Final = lazily(r"(?:わけ|の|もの|こと)(?:では|じゃ)(?:な[いくか]|あり)")
"""It was not they who said it."""


class Attribution(NamedTuple):
    """The words that attribute, in the folded sentence."""

    start: int
    end: int
    who: Who
    name: str = ""
    body: tuple[int, int] | None = None
    """What is said, where the words stand around it."""


def screen_of_attributions() -> Screen:
    """Which of these patterns could match."""
    return _screened().screen


def read_attributions(text: str) -> Iterator[Attribution]:
    """Every attribution of a folded sentence."""
    rules = _screened().on(text)
    for forms, framed in ((rules.around, True), (rules.before, False)):
        for pattern, who in forms:
            for match in pattern.finditer(text):
                groups = match.groupdict()
                if _DENIED.match(text, match.end()):
                    continue
                if who == "source" and _OF_THE_USER.search(groups["source"]):
                    continue
                name = groups["name"] or groups["kin"] if who == "name" else groups.get("source") or ""
                yield Attribution(*match.span(), who, name, match.span("body") if framed else None)


def fits(attribution: Attribution, item: Injected) -> bool:
    """Can the item come from whom the sentence names?"""
    if attribution.who == "you":
        return item.source == "user"
    if attribution.who == "i":
        return item.source == "assistant"
    if attribution.who == "source":
        return _is_from(attribution.name, item)
    author = fold(item.author).text
    if attribution.name in author or (author and author in attribution.name):
        return True
    if item.source == "user" and not is_kin(attribution.name):
        return not author  # the reader may bear this name
    return item.source != "assistant" and names_person(attribution.name, fold(item.text).text)


def names_person(name: str, text: str) -> bool:
    """Is this person named in a folded text, by any word for him?"""
    return name in text or any(word in text for word in _called().get(name, ()))


def is_kin(name: str) -> bool:
    """Is this a word for somebody of the reader's?"""
    return name in _called()


@cache
def _called() -> Mapping[str, frozenset[str]]:
    """The words for a person of the reader's, under each of them."""
    table: dict[str, set[str]] = {}
    for speakers in (load("ja")["speakers"], load("zh")["speakers"]):
        for own, names in speakers["kin"].items():
            words = {own, *names, *speakers["kin_also"].get(own, ())}
            for name in names:
                table.setdefault(name, set()).update(words)
    return {name: frozenset(words) for name, words in table.items()}


def _is_from(paper: str, item: Injected) -> bool:
    """Can the item come from a paper of this name? What the reader tells of a paper can."""
    kinds, whatever = _papers()
    named = {kind for kind in kinds if kind in paper}
    text = fold(item.text).text
    if item.source == "user":
        return any(kind in text for kind in named)
    if item.source == "assistant":
        return False
    where = fold(f"{item.author} {item.locator}").text
    known = {kind for kind in kinds - whatever if kind in where}
    named -= whatever
    return not known or not named or not known.isdisjoint(named) or any(kind in text for kind in named)


@cache
def _papers() -> tuple[frozenset[str], frozenset[str]]:
    """Words for papers, and those of them that any paper may be called."""
    both = (load("ja")["speakers"], load("zh")["speakers"])
    kinds, whatever = (frozenset(word for words in both for word in words[name]) for name in ("papers", "papers_any"))
    return kinds, whatever
