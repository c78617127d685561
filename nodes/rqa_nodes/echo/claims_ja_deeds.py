"""Which words of a Japanese sentence say that one of the two did something in an earlier talk?

One rule for every verb of talking and settling, in every form: the verb is past, and a word of time, of the two who
talk here, of respect or of modesty stands beside it. What follows the verb tells whether it leads up to the statement
("as you said"), describes a noun ("the roof you mentioned") or is the statement itself. Somebody else as agent, and a
sentence about wording, make no claim.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Final, NamedTuple

from rqa_nodes.echo.agents_ja import (
    THIRD_PARTY,
    acts_for_others,
    clause_start,
    earlier,
    is_general,
    names_living,
    settles_for_others,
)
from rqa_nodes.echo.claim import Claim, Speaker, any_of
from rqa_nodes.echo.lazily import lazily
from rqa_nodes.echo.lexicon import load
from rqa_nodes.echo.screen import Screen, Screened
from rqa_nodes.echo.verbs_ja import Verbs, deed

__all__ = ["earlier_deeds", "screen_of_deeds"]

_PARTY: Final = (
    r"(?:あなた|貴方|あなた様|あんた|君|ご本人|ご自身|私たち|私達|わたしたち|我々|われわれ|うちら|ウチら|俺ら|俺たち|僕ら|僕たち|わしら|お互い|二人|ふたり|双方|一緒に|いっしょに|共に|ともに|"
    r"私|わたし|僕|俺|こちら|当方)(?:自身|の方|のほう|の間)?"
)
_PARTICLE: Final = r"(?:に|から|が|は|も|で|と|の|へ|まで)*、?"
_LIKE: Final = (
    r"(?:(?:件|こと|事|お?話|内容|の)?(?:と同じ)?(?:とおり|通り|どおり|ように|みたいに|限り(?:では|で)?|ところ(?:では|によると)?)"
    r"(?:に|で)?|お?話(?:では|だと|によると|によれば)|(?:際|とき|時|折)(?:に|も|にも|は|には)*|のは)、 *"
)
_BUT: Final = r"(?:の|ん)?(?:です|だ)?(?:が|けれども|けれど|けど|ので|から|し|のに|上で|うえで)、 *"
_END: Final = (
    r"(?:(?:という|との)?(?:の|ん)(?:です|でした|だ|だった|や|やった|じゃ)|わけです|わけだ|はず(?:です|だ)|"
    r"(?:こと|記憶|覚え|経緯)が(?:あり(?:ます|ました)|ございます|ある)|"
    r"もの(?:です|でした)|じゃない(?:です)?(?:か)?|でしょう?|よう(?:です|でした)|やろ|やん|とこ(?:です|だ))?"
    r"(?P<ask>(?:よ|ね|な|わ|さ|し|で|じゃん|やん|っけ|から|もん|ので)*)(?=[。!！?？」』)\s\x1a]|$|、(?:前|先|以前|昨日)|"
    r"(?<=やで)、|(?<=じゃん)、|(?<=やん)、|(?<=やろ)、|(?<=よね)、|(?<=でしょ)、|(?<=じゃない)、)"
)
_APPEALS: Final = lazily(r"じゃない|でしょ|はず|わけ|やろ|やん|だった|やった|でした")
"""Ends that call on the reader to remember."""


class _Rules(NamedTuple):
    deed: re.Pattern[str]
    lead: re.Pattern[str]
    time: re.Pattern[str]
    any_time: re.Pattern[str]
    calendar: re.Pattern[str]
    often: re.Pattern[str]
    party: re.Pattern[str]
    settle: re.Pattern[str]
    say: re.Pattern[str]
    like: re.Pattern[str]
    but: re.Pattern[str]
    end: re.Pattern[str]
    grounds: re.Pattern[str]
    about_words: re.Pattern[str]


@cache
def _rules() -> _Rules:
    words = load("ja")
    deeds = words["deeds"]
    time = earlier()
    often = any_of(words["frequency"]) + r"|[二三四五六七八九十何\d][度回](?:ほど|も|くらい|ぐらい)"
    return _Rules(
        deed=lazily(deed(Verbs.of(deeds["say"], deeds["talk"], deeds["settle"]))),
        lead=lazily(rf"(?:{time}|{any_of(words['time'])}|{often}|{_PARTY}){_PARTICLE}"),
        time=lazily(time),
        any_time=lazily(rf"{time}|{any_of(words['time'])}"),
        calendar=lazily(any_of(words["calendar"]) + r"|年"),
        often=lazily(often),
        party=lazily(_PARTY),
        settle=lazily(any_of(Verbs.of(deeds["settle"]).roots())),
        say=lazily(any_of(Verbs.of(deeds["say"]).roots())),
        like=lazily(_LIKE),
        but=lazily(_BUT),
        end=lazily(_END),
        grounds=lazily(
            rf"[^、。「」\sはがを]{{0,12}}?(?<![一二三四五六七八九十\d])(?:{any_of(words['grounds'])})、? *"
        ),
        about_words=lazily(any_of(words["metalinguistic"])),
    )


class _Deed(NamedTuple):
    """A past verb of talking, and what stands around it."""

    kind: str
    start: int
    verb: int
    end: int
    timed: bool
    often: bool
    quoting: bool
    speaker: Speaker
    party: bool
    passive: bool
    settled: bool
    """A verb of settling: what somebody affirmed, not only said."""
    said: bool
    """A verb of saying, which one alone can do."""

    @property
    def polite(self) -> bool:
        """A form of respect or modesty tells who is meant."""
        return self.kind in ("yours", "heard", "mine")

    @property
    def known(self) -> bool:
        """A word of time or of the two stands there, and the verb is no passive that anybody could be behind."""
        return self.party or (self.timed and not self.passive)


@cache
def _screened() -> Screened[tuple[re.Pattern[str], re.Pattern[str]]]:
    """What every sentence is searched for; the other patterns also read words that have been put together."""
    return Screened((_rules().about_words, _rules().deed))


def screen_of_deeds() -> tuple[Screen, frozenset[int]]:
    """Which of these patterns could match, and the numbers of those that make no claim by themselves."""
    return _screened().screen, frozenset({0})


def earlier_deeds(text: str) -> Iterator[Claim]:
    """The claims of a folded sentence that rest on a past verb of talking or settling."""
    rules = _rules()
    about_words, deed = _screened().on(text)
    for number, match in enumerate(deed.finditer(text)):
        if not number and about_words.search(text):
            return
        told = _read(text, match, rules)
        if told is not None:
            yield from _claims(text, told, rules)


def _read(text: str, match: re.Match[str], rules: _Rules) -> _Deed | None:
    kind, verb = match.lastgroup or "plain", match.start()
    begin = _beginning(text, verb)
    others = settles_for_others if rules.settle.match(match[0]) else acts_for_others
    if text.startswith(("と", "って"), begin):  # what stands before is what was said
        told_by_others = others(text[begin:verb], 0, verb - begin)
    else:
        told_by_others = others(text, begin, verb)
    if told_by_others or THIRD_PARTY.search(text, begin, verb):
        return None
    kind = "yours" if kind == "plain" and (_RESPECT.search(match[0]) or _CARED.match(match[0])) else kind
    if kind in ("yours", "heard") and _FAVOUR.search(match[0]) and names_living(text, match.end(), or_place=True):
        return None
    leads = list(rules.lead.finditer(text, begin, verb))
    inside = verb > 0 and _HAN.match(text, verb - 1) and (kind == "plain" or _HAN.match(text, verb))
    if inside and not (leads and leads[-1].end() == verb):
        return None  # the end of another word
    zone = text[begin:verb]
    return _Deed(
        kind=kind,
        start=leads[0].start() if leads else verb,
        verb=verb,
        end=match.end(),
        timed=bool((rules.time if kind == "plain" else rules.any_time).search(rules.often.sub("", zone))),
        often=bool(rules.often.search(zone)),
        quoting=bool(_QUOTING.search(zone)),
        speaker=_speaker(kind, zone),
        party=bool(rules.party.search(zone)),
        passive=kind == "plain" and bool(_PASSIVE.search(match[0])) and not _INNER.search(match[0]),
        settled=bool(rules.settle.search(match[0])),
        said=bool(rules.say.match(match[0])),
    )


def _beginning(text: str, verb: int) -> int:
    """Where the clause of the verb begins; a word of time may be a clause of its own ("yesterday, ...")."""
    begin = clause_start(text, verb)
    if begin > 1 and text[begin - 1] == "、":
        before = clause_start(text, begin - 1)
        if _past_leads(text, before, begin) == begin:
            begin = before
    return begin + len(text[begin:verb]) - len(text[begin:verb].lstrip(" >*_#・•-"))


_QUOTING: Final = lazily(r"(?:と|って|ことに|ように|」|』|\x1a)(?:は|も)?(?:(?:私|僕|俺|こちら)に(?:は)?)?$")
_HAN: Final = lazily(r"[\u3400-\u9fff]")
_FAVOUR: Final = lazily(r"くれ|もら|伺|うかが|お聞き")
_RESPECT: Final = lazily(r"いただ|頂|くださ|下さ|いらっしゃ|おられ|いらし|くれ|もら|もろ|は[りっ]")
_CARED: Final = lazily(r"気にされてい|悩まれてい|迷われてい|望まれてい|こだわられてい")
_INNER: Final = lazily(r"(?:気に|心配|希望|要望|迷わ|悩ま|望ま|こだわら|懸念)(?:され|れ)て")
"""What only the person himself can say: such a passive is one of respect."""
_PASSIVE: Final = lazily(r"[わたらさかがまばなせ]れ(?!ば)")


def _speaker(kind: str, zone: str) -> Speaker:
    if kind in ("yours", "heard", "asked"):
        return "you"
    if kind == "mine":
        return "i"
    if re.search(r"あなた(?!と)|貴方|あんた|君(?:が|は|も)|お客様|ユーザー|ご本人|ご自身", zone):
        return "you"
    return "i" if re.search(r"(?:私|僕|俺)(?:が|は|も|から)", zone) else "we"


def _claims(text: str, told: _Deed, rules: _Rules) -> Iterator[Claim]:
    """What follows the verb tells which kind of claim it is, if it is any."""
    if told.kind == "asked":
        if told.known or told.often or _ONCE.search(text, 0, told.verb):
            yield _main(text, told, told.end)
        return
    if text[told.end - 1] == "の" and not told.timed:
        return
    aside = _leads_up(text, told, rules)
    if aside is not None:
        yield _aside(told, aside)._replace(content=_told_content(text, told) if told.quoting else (0, 0))
        return
    end = rules.end.match(text, told.end)
    if end is not None:
        if _is_stated(text, told, end):
            yours = told.kind == "plain" and told.speaker == "we" and told.said and (told.quoting or end["ask"])
            yield _main(text, told._replace(speaker="you") if yours else told, end.end())
    elif _describes(text, told, rules):
        yield _aside(told, told.end)


def _leads_up(text: str, told: _Deed, rules: _Rules) -> int | None:
    """Where a claim ends that leads up to the statement ("as you said, ...", "by what you said, ...")."""
    like, but, ground = (rule.match(text, told.end) for rule in (rules.like, rules.but, rules.grounds))
    if like is not None and told.kind == "plain" and "ところ" in like[0]:
        return None
    for match, enough in (
        (like, told.known or told.polite),
        (but, told.known or (told.polite and told.often)),
        (ground, told.known or (told.polite and _opens(text, told.verb))),
    ):
        if match is not None and enough and not text.startswith("と", match.end()):
            return match.end()
    return None


def _describes(text: str, told: _Deed, rules: _Rules) -> bool:
    """Does the claim describe the noun that follows, and can it be cut out before it?"""
    if not _NOUN.match(text, told.end) or _NOUN_END.search(text, max(0, told.start - 1), told.start):
        return False
    if told.polite and (told.often or (_opens(text, told.verb) and _LASTED.search(text, told.verb, told.end))):
        return True
    if told.party and told.speaker == "you":
        return told.timed or not text.startswith("書", told.verb)  # "the text you wrote" may lie before both
    if told.kind == "plain" and not told.party and _SENT.match(text, told.verb) and _ASKS.search(text, told.end):
        return False  # what the reader sent to anybody
    anybodys = told.kind == "plain" and not told.party and _is_anybodys(text, told, rules)
    return told.timed and told.known and not anybodys


def _is_anybodys(text: str, told: _Deed, rules: _Rules) -> bool:
    """Could anybody have done it: on a day of the calendar, in an article, or is it advice on what was settled?"""
    if _ARTICLE.match(text, told.verb):
        return True
    calendar = rules.calendar.search(text, told.start, told.verb)
    return calendar is not None or is_general(text, told.end)


def _is_stated(text: str, told: _Deed, end: re.Match[str]) -> bool:
    """Is the clause that ends here a claim: said to the reader, and of the two?"""
    asks = bool(end["ask"] or _APPEALS.search(end[0])) and (
        told.polite or told.quoting or told.party or told.timed or told.often
    )
    told_to = _TO_READER.search(text, told.verb, told.end) or end[0]
    if not told_to:
        return told.speaker == "you" and told.party and (told.timed or bool(_TO_ME.search(text, 0, told.verb)))
    if told.polite:
        return told.timed or told.party or told.often or asks or told.kind == "yours"
    if told.passive and not told.party:
        return asks
    return asks or told.speaker == "you" or (told.timed and told.party) or (told.timed and not told.passive)


_TO_ME: Final = lazily(r"(?:私|僕|俺|こちら)に")
_ONCE: Final = lazily(r"前は|当時|最初は|はじめは|初めは|この間は")
_SENT: Final = lazily(r"送|渡|書|届|出|挙")
_ASKS: Final = lazily(r"か[?？]?\s*$")
_ARTICLE: Final = lazily(r"紹介|解説|報告|案内|掲載|記し|説明")
_TO_READER: Final = lazily(r"ま(?:す|した)$|でした$")
_NOUN: Final = lazily(r"[\u3400-\u9fff\u30a1-\u30fcごお「『]")
_NOUN_END: Final = lazily(r"[\u3400-\u9fff\u30a1-\u30fc]$")
_LASTED: Final = lazily(r"[てで](?:い|おり|いらし|いらっしゃっ|おられ)(?:まし)?た$")


def _opens(text: str, verb: int) -> bool:
    """Does the verb open its clause?"""
    return not text[clause_start(text, verb) : verb].strip(" >*_#・•-")


def _aside(told: _Deed, end: int) -> Claim:
    """A claim that can be cut out."""
    place = (told.start, end)
    return Claim(*place, place, (0, 0), told.speaker, _is_saying(told), True, True)


def _is_saying(told: _Deed) -> bool:
    return told.speaker != "we" and not told.settled


def _past_leads(text: str, at: int, stop: int) -> int:
    """The place behind the words of time and of the two that follow each other from here."""
    while found := _rules().lead.match(text, at, stop):
        at = found.end()
    return at


def _main(text: str, told: _Deed, end: int) -> Claim:
    first = _first(text, told)
    return Claim(told.start, end, (first, end), _told_content(text, told), told.speaker, _is_saying(told), False, True)


def _first(text: str, told: _Deed) -> int:
    """Where the sentence of the verb begins, or its bracket."""
    opened = text.rfind("(", 0, told.verb) + 1
    if opened and ")" in text[opened : told.verb]:
        opened = 0
    head = _HEAD.match(text, opened)
    return head.end() if head else opened


def _told_content(text: str, told: _Deed) -> tuple[int, int]:
    """What was said or settled, before the verb."""
    begin = _past_leads(text, _first(text, told), told.verb)
    only_leads = told.start > begin and _past_leads(text, told.start, told.verb) == told.verb
    stop = told.start if only_leads else told.verb
    return begin, begin + len(_QUOTED.sub("", text[begin:stop], count=1))


_QUOTED: Final = lazily(r"、?(?:という|との|って)?(?:こと|話|お話|点|旨)?(?:と|を|は|が|も)?、?$")
_HEAD: Final = lazily(r"[\s>*_#・•-]*(?:\d{1,3}[.)]\s+)?")
