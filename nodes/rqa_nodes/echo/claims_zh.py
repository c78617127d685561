"""Which words of a Chinese sentence claim shared history, or that somebody said something?

Chinese marks neither tense nor respect: a word of time, of the two who talk here, or of a habit stands beside a verb
of saying or settling. Set off by a comma it is an adverbial, before "的" it belongs to a noun, elsewhere it is the
sentence itself. A condition, a question, and somebody else as subject make no claim.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Final, NamedTuple

from rqa_nodes.echo.claim import Claim, Speaker, any_of
from rqa_nodes.echo.claims_cjk import ruled_claims
from rqa_nodes.echo.lazily import lazily
from rqa_nodes.echo.lexicon import load
from rqa_nodes.echo.screen import Screened

__all__ = ["chinese_claims"]

_COMMA: Final = r"[，,:：] *"
_YOU: Final = r"(?:您自己|你自己|您|你|妳)"
_WE: Final = r"(?:我们俩|我们|我們|咱们俩|咱们|咱們|咱俩|你我|我们双方|我跟您|我和您|我跟你|我和你)"
_NOT_OURS: Final = (
    r"(?!公司|国家|國家|学校|學校|家|班|村|队|隊|店|院|所|厂|厰|市|县|人类|人類|的?(?:太阳|祖先|地球|身体|大脑))"
)
_TO: Final = r"(?:(?:跟|和|对|對|向|给|給)(?:我|您|你|妳))"
_DONE: Final = r"(?:过|過|了|好了|好|到过|到過|到|清楚了|清楚|完了|完)*"
_OPEN: Final = lazily(
    r"(?:如果|要是|是否|当|等|若|假如|倘若|就算|即使|即便|哪怕|无论|無論|不管|只要|万一|萬一|除非|没有?|沒有?|请|請|可以|能否|有没有|有沒有|想|要|让|讓|别|不必)[^，,。:：]{0,6}$"
)
_ASKED: Final = lazily(r"[?？]\s*$")
_ASKED_BACK: Final = lazily(r"不是.*[吗嗎么]|来着|來著|对吧|對吧|对吗|是吧|没错吧")
_THIS_TEXT: Final = lazily(
    r"本文|上文|前文|本章|本节|本節|本书|本書|这篇|這篇|上一[节章段]|前一[节章段]|(?:开头|開頭|前面|上面)(?!.*(?:[您你]|我们|我們|咱|聊|对话|對話))"
)
"""What stands elsewhere in the same text is no earlier talk."""
_IF_AFTER: Final = lazily(r"[^，,。]{0,8}(?:若|如果|的话|的話)")
_ABOUT_WORDS: Final = lazily(
    r"这句话|這句話|一词|一詞|语病|語病|句式|写信时|寫信時|可以说[“「]|的意思是|例句|用语|敬语|成语|俗语|台词"
)
_END: Final = lazily(r"[。！!；;?？]|$")


class _Rules(NamedTuple):
    grounds: re.Pattern[str]
    remembered: re.Pattern[str]
    noun: re.Pattern[str]
    told: re.Pattern[str]
    counted: re.Pattern[str]
    settled: re.Pattern[str]
    habit: re.Pattern[str]
    shared: re.Pattern[str]
    loose: re.Pattern[str]
    """An adverbial that claims only where somebody spoke of the matter."""
    decided: re.Pattern[str]
    """The same as a main clause."""


class _Words(NamedTuple):
    time: str
    say: str
    settle: str
    talk: str
    verb: str
    lead: str
    """Words of time and of the two, in any order, at least one."""


def _words() -> _Words:
    words = load("zh")
    count = r"(?:第[一二三四五六七八九十\d]+次(?:聊天|对话|對話|见面|見面|交谈|通话)(?:时|時|的时候)?|(?:19|20)\d\d年)"
    time = rf"(?:{any_of(words['time'])}|{count})(?:的时候|的時候|时|時)?"
    say, settle, talk = (f"(?:{any_of(words[name])})" for name in ("say", "settle", "talk"))
    filler = any_of(words["filler"])
    lead = rf"(?:(?:{time}|{_WE}|{_YOU}|我)(?:{filler}|{_TO}|[，,]){{0,4}}){{1,4}}"
    return _Words(time, say, settle, talk, rf"(?:{say}|{settle}|{talk})", lead)


@cache
def _screened() -> Screened[_Rules]:
    words, given = load("zh"), _words()
    time, verb, lead = given.time, given.verb, given.lead
    often, filler = any_of(words["frequency"]), any_of(words["filler"])
    by, nouns = rf"(?!如[果何今此])(?<![假比例不譬])(?:{any_of(words['by'])})", any_of(words["talks"])
    kept = r"(?:记忆|記憶|记录|記錄|笔记|筆記|印象|备忘|備忘|档案|檔案)"
    rest = r"[^，,。]{0,8}"
    back = rf"(?:{filler}|{often}|{_TO}|不是|再三|几次|多次|{time}){{0,6}}"
    return Screened(
        _Rules(
            grounds=lazily(
                rf"(?:{by})(?:在)?(?=[^，,。]{{0,14}}?(?:{time}|{_WE}|{_YOU}|我|达成|達成|先前|此前))[^，,。:：]{{0,10}}?"
                rf"(?:(?:所)?{verb}{_DONE}的?{rest}|(?:{nouns})(?:内容|記錄|记录|中|里|裡|来看|來看|所述)*){_COMMA}"
                rf"|(?:{by})(?:{time})(?:的)?(?:我们|我們|咱们)?(?:的)?(?:几次|那次|數次)?(?:的)?(?:{nouns}){_COMMA}"
            ),
            remembered=lazily(
                rf"我(?:还|還|都|一直|清楚地)?(?:记得|記得)(?=您|你|我们|我們|咱)(?:{lead}{back}{verb}{_DONE}{_COMMA})?"
                r"|(?:据|據|根据|根據|按|从|從|照|翻看|查看)?(?:我|这边|這邊|我这里|手头)的?"
                rf"{kept}(?:里|裡|中|来看|來看|显示|顯示|所示|所及)*{_COMMA}"
                rf"|(?:^|(?<=[，,。\n]))(?:据|據|根据|根據|按照|按|从|從|照|翻看|查看)?(?:系统|系統|后台|現有|现有|已有|保存|存储|过去|以往|历史|之前|的)*"
                rf"(?:{kept}|资料|資料|信息)(?:库|庫)?(?:里|裡|中|上|来看|來看|显示|顯示|所示|表明)*{_COMMA}(?=[^。！？]{{0,6}}[您你](?!们|們|可以|能|会|會|看到))"
            ),
            noun=lazily(
                rf"(?:{time}[，,]?(?:{_YOU}|{_WE}|我)|(?:^|(?<=[，,。:：\n]))[\s*•-]*(?!前面|刚才){time}|"
                rf"(?:{_YOU}|{_WE}|我){back}(?:{time}|曾经?|曾經)){back}{verb}{_DONE}"
                r"(?:给|給)?(?:我|您|你)?(?:过|過)?的(?=[\u4e00-\u9fff“「])(?!时候|時候|话|話|人|那样|那樣)"
                rf"|{_YOU}{back}{time}[^，,。的]{{0,4}}?(?:给|給|跟|和|对|對|向|托|让|讓|请|請|问|問|发|發)我[^，,。的]{{0,6}}(?:过|過)?的"
                r"(?=[\u4e00-\u9fff“「])(?!时候|時候|话|話|人|那样|那樣)"
            ),
            told=lazily(
                rf"(?:{time}[，,]? ?)?(?P<who>{_WE}{_NOT_OURS}|{_YOU}|我)(?P<when>{back}){verb}{_DONE}(?:我|您|你)?"
                rf"(?:过|過|了)?(?P<end>{_COMMA})?"
                rf"|(?P<bare>{time}(?:{filler})*(?:跟|和|对|對|向|给|給|告诉|告訴)(?:过|過)?(?:您|你)(?:{verb})?{_DONE})"
                rf"(?P<end2>{_COMMA})?"
            ),
            counted=lazily(rf"{_WE}(?:{filler})*{given.talk}{_DONE}[一二两三四五六七八九十几幾\d]+[次遍回]"),
            settled=lazily(
                rf"(?P<who>{_WE}{_NOT_OURS})(?:{filler})*(?P<verb>{given.settle}|{given.talk}|知道){_DONE}(?:是)?(?:{_COMMA})?"
            ),
            habit=lazily(
                rf"{_YOU}(?:也|自己|都)*(?:{often}){back}(?:{verb}|[^，,。]{{1,4}}(?:说|說|抱怨|提|問|问|讲|講|选择|選擇|纠结|糾結)){_DONE}"
            ),
            shared=lazily(
                rf"(?:{time}[，,]?(?:{_WE}){_NOT_OURS}|(?:{_WE}){_NOT_OURS}{back}(?:{time})){back}[^，,。的]{{1,8}}?(?:了|过|過|完|到)(?!吗|嗎|么)"
            ),
            loose=lazily(
                rf"(?:^|(?<=[，,。]))[\s*•-]*(?:{by})(?:已经?|已經)?(?:{given.settle}|(?:{nouns}))(?:的)?(?:那样|那樣|一样|一樣|内容|內容)?{_COMMA}"
            ),
            decided=lazily(rf"(?:已经?|已經|早就|早已|现已){given.settle}(?:了|好了)?(?:是)?"),
        )
    )


def chinese_claims(text: str) -> Iterator[Claim]:
    """The claims of a folded Chinese sentence, the most telling form first."""
    if _ABOUT_WORDS.search(text):
        return
    rules = _screened().on(text)
    for pattern in (rules.grounds, rules.remembered, rules.noun):
        for match in pattern.finditer(text):
            if _OPEN.search(text[: match.start()]) or _IF_AFTER.match(text, match.end()):
                continue
            if not _THIS_TEXT.search(match[0]):
                yield _aside(text, match)
    for match in rules.loose.finditer(text):
        yield _aside(text, match)._replace(speaker="we", saying=False, strong=False)
    if not _ASKED.search(text) or _ASKED_BACK.search(text):
        yield from _told(text, rules)
        yield from _stated(text, rules)
    yield from ruled_claims("zh", text)


def _stated(text: str, rules: _Rules) -> Iterator[Claim]:
    """Main clauses, with what they say behind them or, where the verb says all, in them."""
    for pattern, from_start in (
        (rules.counted, True),
        (rules.habit, True),
        (rules.shared, True),
        (rules.settled, False),
        (rules.decided, False),
    ):
        for match in pattern.finditer(text):
            if _is_others(text, match.start()):
                continue
            known = pattern is rules.settled and (match["verb"] == "知道" or _GENERAL.search(text[: match.end()]))
            strong = not known and pattern is not rules.decided
            yield _main(text, match, match.start() if from_start else match.end(), strong=strong)


_GENERAL: Final = lazily(r"都(?:同意|知道|认为)|常说|常常|往往")
"""What "we" in general do."""
_BEFORE_OTHERS: Final = lazily(
    r"(?:老师|老師|医生|醫生|专家|專家|公司|他们|他們|她们|他|她|妈妈|爸爸|代表|政府|国|國|会上|會上|[\u4e00-\u9fff]先生|女士)[^，,。]{0,4}$"
)


def _is_others(text: str, start: int) -> bool:
    """Is it open, or somebody else's, what stands here?"""
    before = text[:start]
    return bool(_OPEN.search(before) or _BEFORE_OTHERS.search(before))


def _told(text: str, rules: _Rules) -> Iterator[Claim]:
    """What one of the two said: an adverbial before a comma, else the sentence."""
    for match in rules.told.finditer(text):
        if _is_others(text, match.start()) or _BY_AS.search(text[: match.start()]):
            continue
        marked = bool(match["bare"] or _MARK.search(match[0]))
        if not marked and (match["who"] is None or match["who"][0] not in "您你妳"):
            continue
        ends = match["end"] or match["end2"]
        if ends and text[match.end() :].strip(" 。!！?？") and not _ASKED_BACK.search(text):
            yield _aside(text, match)
        elif marked or _FORMAL.search(match[0]):
            yield _main(text, match, match.end(), strong=marked)


_MARK: Final = lazily(
    r"之前|以前|上|先前|早|此前|刚|剛|昨|前|去年|曾|多次|反复|反覆|好几|再三|次|年|[过過](?:我|您|你|妳)?$|过[，,]|過[，,]|已"
)
_FORMAL: Final = lazily(r"您")
_BY_AS: Final = lazily(r"(?:正如|如|像|按照|根据|根據|基于|就像|照|依照)$")


def _speaker(words: str) -> Speaker:
    if re.search(_WE, words):
        return "we"
    if words.startswith("我"):  # "I told you": whom it was told does not speak
        words = re.sub(r"[您你妳]$", "", words)
    if re.search(r"我(?:的记|的記|记得|記得)", words) or re.search(r"[您你妳](?!的)", re.sub(_TO, "", words)):
        return "you"
    return "i" if "我" in words or re.search(_TO, words) else "we"


def _aside(text: str, match: re.Match[str]) -> Claim:
    """A claim that can be cut out; what the reader is told to have said is at least what follows directly."""
    who = _speaker(match[0])
    end = _CLAUSE_END.search(text, match.end())
    content = (match.end(), end.start()) if who == "you" and end else (0, 0)
    return Claim(*match.span(), match.span(), content, who, who != "we", True, True)


_CLAUSE_END: Final = lazily(r"[，,。！!；;?？]|$")


_COMMA_AFTER: Final = lazily(r"(?<=[^，,]{3})[，,]")
"""Ends what the reader is told to have said; what follows is drawn from it."""


def _main(text: str, match: re.Match[str], content: int, *, strong: bool) -> Claim:
    end = _END.search(text, match.end())
    stop = end.start() if end else len(text)
    who = _speaker(match[0])
    said = _COMMA_AFTER.search(text, content, stop) if who == "you" else None
    told = said.start() if said else stop
    return Claim(*match.span(), (match.start(), stop), (content, told), who, who != "we", False, strong)
