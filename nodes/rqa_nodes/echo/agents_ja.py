"""Who acts in a Japanese clause: one of the two who talk here, or somebody else?

What a teacher said, a study confirmed or a manual explains is no claim about earlier talk. The agent stands before the
verb with a particle; the topic of a plain narrative past is an agent too.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Final

from rqa_nodes.echo.claim import any_of
from rqa_nodes.echo.lazily import lazily
from rqa_nodes.echo.lexicon import load

__all__ = [
    "THIRD_PARTY",
    "acts_for_others",
    "clause_start",
    "earlier",
    "follows_person",
    "has_other_agent",
    "is_general",
    "is_narrative",
    "names_living",
    "settles_for_others",
    "tells_of_others",
]

THIRD_PARTY: Final = lazily(
    r"(?:会社|委員会|裁判所|報告書|著者|彼|彼女|両国|両社|各国|各社|政府|研究|説明書|論文|科学的|町|同社|当局|"
    r"消防|警察|"
    r"(?:者|氏|(?<!私)(?<!わたし)たち|(?<!器)官|庁|省|(?<!部)署|(?<![結薬])局|(?<!神)社|"
    r"(?<![機都宴再面茶])(?<!展示)(?<!飲み)(?<!歓迎)(?<!送別)(?<!忘年)(?<!新年)(?<!同窓)(?<!運動)(?<!発表)(?<!食事)(?<!誕生)"
    r"(?<!誕生日)(?<!女子)(?<!懇親)(?<!音楽)会|院|党|隊|(?<![内外両左右東西南北裏表片])側|市長|知事|大臣|首相|"
    r"協会))(?:は|が|に|の|ら)"
    r"|(?:議会|国会|総会|理事会|会談|法廷|両院)(?:で|は|が)|(?:誰も|だれも|皆|みな|みんな|世間|一般)(?:が|は|に)"
)


class _Words:
    """The patterns of this module."""

    def __init__(self) -> None:
        words = load("ja")
        agents = words["agents"]
        persons, ours, often = any_of(agents["persons"]), any_of(agents["ours"]), any_of(agents["often"])
        time, we = any_of([*words["time"], *words["talk_time"]]), any_of(words["we"])
        self.before = lazily(
            rf"(?P<who>[^\s、。:「」()\[\]]{{1,24}}?)(?P<by>が|は|から|によって|により|によると|に|で|の|も|"
            rf"と)(?:{often}|{time}|"
            r"は|も|から|に)*$"
        )
        self.ours = lazily(rf"(?:{ours}|{we}|{time})(?:の間|同士|側)?$")
        self.topic = lazily(rf"(?:{persons})(?:さん|様|さま|方|たち|ら)?(?:は|も)|(?:の|その)方(?:は|が)")
        self.person = lazily(rf"(?:{persons}|の方)(?:さん|様|さま|方|たち|ら)?$")
        self.near = lazily(
            rf"(?:{persons})(?:さん|様|さま|方|たち|ら)?(?:が|から|に)(?:{often}|{time}|は|も|から|に|、)*$"
        )
        living = any_of([*words["animate"], *agents["persons"]])
        living = rf"[^\s、。「」()はがを]{{0,8}}(?:{living})|[^\s、。「」()はがを]{{2,8}}(?:{any_of(words['bodies'])})"
        between = rf"(?:{often}|{time}|{any_of(words['frequency'])}|は|も|から|に|、)*$"
        self.living = lazily(rf"(?P<who>{living})(?:が|から|に|によって|と|で|は)(?:は|も)?、?{between}")
        self.living_topic = lazily(rf"[\s>*_#・•-]*(?P<who>{living})(?:は|が|も|では|には)")
        self.living_next = lazily(living)
        self.place_next = lazily(rf"(?:{any_of(words['places'])})$")
        self.inanimate = lazily(rf"(?:{any_of(words['inanimate'])})$")
        self.party = lazily(
            any_of(
                [
                    one
                    for one in agents["ours"]
                    if one not in ("さん", "様", "お客様", "ユーザー", "中", "時", "際", "後", "間", "点", "件", "話")
                ]
            )
            + f"|{we}"
        )
        self.venue = lazily(rf"(?:{any_of(words['venues'])})(?:で|の|に|から|後|中|前)")
        self.subject = lazily(
            rf"^[\s>*_・#-]*(?:(?:{time})(?:は|も|に|から|、)*)?(?P<who>[^\s、。「」]{{1,14}}?)(?:は|が|も)"
        )


@cache
def _words() -> _Words:
    return _Words()


@cache
def earlier() -> str:
    """The pattern of a word for an earlier time of talking, with the talk where it is named ("last week's call")."""
    words = load("ja")
    talk = rf"(?:の(?:{any_of(words['talks'])}|段階|時点|うち|回|とき|時))?"
    year = r"(?:令和|平成|昭和)?[一二三四五六七八九十\d]{1,4}年(?:の[春夏秋冬]|にも)"
    return rf"(?:(?<![\u3400-\u9fffうくぐすつぬぶむる\d])(?:{any_of(words['talk_time'])}){talk}|{year})"


def clause_start(text: str, at: int) -> int:
    """Where the clause begins that holds this place."""
    return max(text.rfind(mark, 0, at) for mark in "、。:\n(「") + 1


def has_other_agent(text: str, start: int, verb: int, *, marked: bool) -> bool:
    """Is somebody else the agent of the verb of an adverbial that begins at `start`?

    Args:
        text: The folded sentence.
        start: Where the adverbial begins.
        verb: Where its verb begins.
        marked: True if a word of time, of "we" or of politeness stands in it: then a topic before it is only that.
    """
    words = _words()
    begin = clause_start(text, start)
    if words.near.search(text, begin, verb) or words.topic.search(text, begin, verb):
        return True
    match = words.before.search(text, begin, start)
    if match is None or words.ours.search(match["who"]):
        return False
    return not marked or match["by"] != "は"


def follows_person(text: str, at: int) -> bool:
    """Does the name of somebody else stand directly before this place?"""
    return _words().person.search(text, max(0, at - 16), at) is not None


def is_narrative(text: str, begin: int, verb: int, end: int) -> bool:
    """Is this told of somebody else: a person as topic or at the verb, or any subject of a plain past?"""
    words = _words()
    if words.topic.search(text, begin, verb) or words.near.search(text, begin, verb):
        return True
    subject = words.subject.match(text)
    told = not re.search(r"ま[しす]|です|でし|[ねよ](?:\W|$)|じゃ|おっしゃ|仰", text[verb:end])
    return bool(told and subject and subject.start("who") < verb and not words.ours.search(subject["who"]))


def acts_for_others(text: str, begin: int, verb: int) -> bool:
    """Does a living being beside the two stand as agent at the verb or as topic before it, or another venue?

    Args:
        text: The folded sentence.
        begin: Where the clause of the verb begins.
        verb: Where the verb begins.
    """
    words = _words()
    if words.venue.search(text, begin, verb):
        return True
    near = words.living.search(text, max(begin, verb - 40), verb)
    topics = (words.living_topic.match(text, at) for at in {0, begin})
    return any(match and _is_other(match["who"]) for match in (near, *topics))


_THAT: Final = lazily(
    r"(?:(?:と|って)(?:いう(?:こと|話|線|結論)?)?[はがでに]?|こと[はがをも]|の[はがも])、?"
    r"(?:(?:私たち|我々|二人|うちら|俺たち|僕たち|一緒)(?:で|が|は|に|と)?|もう|既に|すでに|やっと|ようやく|先ほど|前に|前回)*$"
)
"""What stands before a verb of settling names what was settled."""
_NOBODYS: Final = lazily(
    r"決ま|まとま|固ま|定ま|落ち着|判明|確定|分か|わか|明らか|(?:結論|答え|結果|話|決着|片|けり|意見)が"
)
"""Verbs of settling without an agent."""


def settles_for_others(text: str, begin: int, verb: int) -> bool:
    """The same for a verb of settling: whom the thing settled is about is no agent ("that he painted is known")."""
    that = _THAT.search(text, begin, verb)
    if that is None:
        return acts_for_others(text, begin, verb)
    words = _words()
    if words.venue.search(text, begin, verb):
        return True
    topic = words.living_topic.match(text, begin)
    if topic and topic[0][-1] != "が" and not _NOBODYS.match(text, verb) and _is_other(topic["who"]):
        return True
    near = words.living.search(text, that.start(), verb)
    return near is not None and _is_other(near["who"])


def _is_other(who: str) -> bool:
    words = _words()
    return not words.party.search(who) and not words.inanimate.search(who)


_NOUN: Final = lazily(r"[^\s、。はがをにでとも]{1,12}")
_ADVICE: Final = lazily(r"[^、。]{0,20}(?:[るた](?:とき|時|場合|際)|(?<=[\u3041-\u3096])たら、|(?<=れ)ば、)")
"""What to do when something comes about."""


def is_general(text: str, at: int) -> bool:
    """Does what follows here make a past verb before it nobody's in particular: advice, or a living being's name?"""
    return _ADVICE.match(text, at) is not None or names_living(text, at)


_SAID_BY: Final = lazily(
    r"と、?(?P<who>[^\s、。「」]{1,12}?)(?:は|が)[^、。「」]{0,6}?"
    r"(?:言[うっ]|語[るっ]|述べ|話[すし]|尋ね|叫[ぶん]|つぶや|呟|答え|告げ|笑[うっ])[^、。「」]{0,6}。?\s*$"
)
_OWN_TEXT: Final = lazily(
    r"本書|本稿|本章|本論|本節|本記事|本連載|拙著|拙稿|冒頭で(?:も)?(?:触れ|述べ|挙げ|説明|紹介|書)"
)
_NOTHING_KEPT: Final = lazily(
    r"(?:手元に|記録(?:に|が)|記憶(?:に|が)|私には|こちらでは|私からは)(?:は|も)?[^。、]{0,16}?"
    r"(?:あり|ござい|残って(?:い|おり)|覚えて(?:い|おり)|分かり|わかり|確認でき|見当たり|見つかり|参照でき|思い出せ)ませ[んぬ]"
    r"|(?:言葉|文書|記録|発言|中|ほか|以上)に?(?:は|も)?、?[^。]{0,160}?(?:見当たり|見つかり)ませ[んぬ]"
)
_QUESTION: Final = lazily(r"[\s>*_#・•-]*(?:q|質問)\d{0,2}[.:]")
_ANYBODY: Final = lazily(
    r"^[\s>*_#・•-]*(?:人は|人間は|人というものは|誰でも|誰しも|多くの人は)"
    r"|(?:私たち|我々|われわれ|僕たち|私達)(?:人間|人類|日本人|現代人|大人|親|消費者|動物|生き物)"
)


def tells_of_others(text: str) -> bool:
    """Is a folded sentence somebody else's speech to its end, about its own text, a listed question, or of anybody?"""
    if _QUESTION.match(text) or _ANYBODY.search(text) or _OWN_TEXT.search(text) or _NOTHING_KEPT.search(text):
        return True
    said = _SAID_BY.search(text)
    return said is not None and not _words().party.search(said["who"])


def names_living(text: str, at: int, *, or_place: bool = False) -> bool:
    """Does the noun that begins here name a living being (or a place to call at)?"""
    match = _NOUN.match(text, at)
    words = _words()
    if match and or_place and words.place_next.search(match[0]):
        return True
    return bool(match and words.living_next.fullmatch(match[0]) and not words.inanimate.search(match[0]))
