"""Which words of a Japanese sentence speak of an earlier talk beside its statement?

What was told before stands in front of a noun ("the roof you mentioned"), in a clause that leads up to the statement
("I said it before, but"), or is asked about ("weren't you against it?"). A word of time and a verb of talking stand
together in all of them.
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
    has_other_agent,
    is_general,
    is_narrative,
)
from rqa_nodes.echo.claim import Claim, Speaker, any_of
from rqa_nodes.echo.lazily import lazily
from rqa_nodes.echo.lexicon import load
from rqa_nodes.echo.screen import Screen, Screened

__all__ = ["screen_of_telling", "told_before"]

_YOURS: Final = (
    r"おっしゃ(?:って|った|られ)|仰(?:って|った|られ)|伺[いっ](?!た(?:店|工場|国|町|村|会社|場所|寺|神社|街|島|"
    r"農家))|うかが[いっ]|お聞き(?:し|いただ|くださ)|"
    r"お?聞かせ(?:いただ|くださ)|話して(?:くださ|くれ|いただ)|"
    r"教えて(?:いただ|くださ|くれ)|挙げて(?:いただ|くださ|くれ)|見せて(?:いただ|くださ|くれ)|"
    r"ご?(?:相談|提案|指摘|説明|報告|紹介|要望|質問|連絡|依頼|共有|希望|提示)(?:いただ|くださ|になっ|頂)|"
    r"お話し?(?:いただ|くださ|になっ|頂)|"
    r"(?:お決め|お選び|お書き|お考え|お送り)(?:になっ|いただ|くださ)|(?:教えて|聞かせて|話して)もら(?!った(?:先|"
    r"人|方|相手))|希望されてい|"
    r"ご(?:希望|要望|相談|指摘|質問)の(?=あった)|認めた|認めてい"
)
_MINE: Final = (
    r"申し上げ|お伝えし|お話しし|お話した|ご紹介した|ご?(?:案内|説明|提案|回答)(?:した|しまし|して|いたし|差し上げ)|"
    r"お(?:勧め|すすめ|渡し|約束|見せ|答え|出し|貸し|送り|作り|教え|知らせ)し"
)
_OURS: Final = (
    r"話(?:し合っ|していた|してた|した|題にし|題に(?:のぼ|上))|言って(?:い|)た|言ってまし|言った|言いまし|"
    r"話し合[っい]|議論し|語り合[っい]|相談し|検討し|"
    r"約束し|決めた|決めまし|取り決め|触れ(?:た|まし)|述べ(?:た|まし)|書い(?:た|てい)|書きまし|"
    r"一緒に[^、。「」]{1,5}(?:た|てきた)|"
    r"二人で[^、。「」]{1,5}(?:た|てきた)|"
    r"(?:合意|確認|共有|整理)し"
)
_PAST: Final = r"(?:[^、。!！?？「」\s]{0,9}?(?:た|いる|てる|ております)|(?<=た))"
_AT: Final = r"の(?:うち|時点|段階|面談|会話|チャット|回)(?:で|に)?"
_THEN: Final = rf"(?:も|に|は|から|{_AT}|折に触れて|何度か|たびたび|少し|、)*"
"""What may stand between a word of time and the verb."""
_LIGHT: Final = (
    r"(?:件|こと|事|お?話|内容|とおり|通り|とき|時|際|の|ん|ので|から|が|けど|よ|ね|し|そう|ら|り|"
    r"後|あと|ため|わけ|もの|上|うえ|場合)"
)


class _Rules(NamedTuple):
    time: re.Pattern[str]
    before_noun: re.Pattern[str]
    light: re.Pattern[str]
    leading: re.Pattern[str]
    asked: re.Pattern[str]
    matter: re.Pattern[str]
    politely: re.Pattern[str]


@cache
def _rules() -> Screened[_Rules]:
    words = sorted(load("ja")["talk_time"], key=len, reverse=True)
    time = (
        rf"(?:(?<![\u3400-\u9fffうくぐすつぬぶむる\d])(?:{any_of(words)})|(?:去年|昨年|一昨年|先月|今年|"
        rf"[^\s、。]年前)の[^、。\s]{{1,3}}|(?:令和|平成|昭和)?[一二三四五六七八九十\d]{{1,4}}年の[春夏秋冬])"
    )
    when = rf"{time}{_THEN}"
    who = r"(?:(?:あなた|私|私たち|二人|ご自身|こちら|私のほう|私の方)(?:が|は|も|から|で|と))?"
    verb = rf"(?:{_YOURS}|{_MINE}|{_OURS})"
    rules = _Rules(
        time=lazily(time),
        before_noun=lazily(
            rf"{when}{who}(?:、)?(?P<verb>{verb}){_PAST}(?!{_LIGHT}(?![\u3400-\u9fff\u30a1-\u30fc]))"
            r"(?=[\u3400-\u9fff\u30a1-\u30fcごお「『])"
        ),
        light=lazily(
            rf"{when}{who}(?P<verb>{verb}){_PAST}(?:件|こと|事|お?話|内容|もの)"
            r"(?P<cut>(?:なの|について|の続き|に関して)?(?:ですが|だけど|ですけど|だが|については|は|"
            r"を踏まえ(?:ると|て)?)、)?"
        ),
        leading=lazily(
            rf"{when}[^、。!！?？「」]{{0,18}}?(?P<verb>{verb})[^、。!！?？「」]{{0,12}}?"
            r"(?P<end>(?<=[たすだ])(?:が|けど|けれど|けれども|じゃん|でしょ|よね)|限り(?:では|で)?|"
            r"ところ(?:では|によると)?|"
            r"みたいに|ように|とおり|通り|(?<=た)(?:際にも?|とき(?:は|に|も)|際は)|"
            r"内容(?:で|に)は)、 *"
            r"|(?:(?:私|こちら|手元)の(?:記憶|記録|メモ)(?:では|によると|によれば|が正しければ|"
            r"している限り(?:では)?)|記憶(?:している限り(?:では)?)|"
            rf"(?:{when})[^、。「」]{{1,10}}た(?:結論|合意|決定|方針)(?:だけど|"
            rf"ですが|によれば|では|として(?:は)?|から|どおり|通り)、 *|"
            r"(?:二人|私たち|一緒)[でがに][^、。「」]{1,10}た(?:結論|合意|決定|方針)(?:だけど|ですが|どおり|"
            r"通り)、 *|"
            rf"再三(?P<again>{_MINE})[^、。]{{0,10}}?が)、? *"
        ),
        asked=lazily(
            rf"{when}[^。、!！?？]{{0,30}}?(?:、)?[^。、!！?？]{{0,30}}?(?:おっしゃって|仰って|言って|話して)い?"
            r"(?:ません(?:でした)?|なかった|ましたよね|ましたっけ|ましたね)(?:か|っけ)?(?=[?？。!！]|$)"
        ),
        matter=lazily(
            r"(?:先日|この間|この前|前回|こないだ|例)の(?:件|お?話|ご相談|続き)(?:の続き)?(?:なの)?(?:ですが|だけど|"
            r"ですけど|については)?、 *"
            r"|(?:先日|この間|この前|前回|こないだ|昨日)の(?:お?話の)?続き(?:から|で)(?=[^、。]{0,8}(?:始め|"
            r"進め|やり|行き|いき|話し))"
        ),
        politely=lazily(
            rf"(?:{when}|(?:これで)?[二三四五六七八九十\d]+度目の)[^。!！?？「」]{{0,40}}?(?P<verb>伺[いっ]|"
            rf"うかが[いっ]|お聞きし|お?聞かれ|質問(?:され|をいただ|を受け)|お受けし|"
            r"ご(?:質問|相談|要望|報告|連絡)(?:を)?(?:いただ|頂|になり|くださ)|いただいて|教えていただ|"
            r"教えてくださ|表明され|話されて|語り合|"
            r"(?:言|話し|聞い|触れ|約束し|まとま)(?:って|て)?(?:い)?(?:た|まし)(?=[^。]{0,4}(?:よね|じゃん|だろ|"
            r"っけ|から)))"
            r"[^、。!！?？「」るこ]{0,10}?(?P<past>た|(?:て|で)(?:い|おり|あり)ます|になります(?=ね)|(?<=た)|"
            r"て(?:い|)た(?:よね|じゃん|よ)?|じゃん)(?:よ|"
            r"ね|から|"
            r"し|じゃん|っけ)*(?=[、。!！\s]|$)"
            r"|という(?:お話|ご相談|ご要望|ご希望)でした(?:よ?ね)?(?:、前回|、先日)?(?=[。!！?？]|$)"
            r"|(?:ご?質問|ご?相談)(?:は|を(?:いただく|"
            r"受ける)のは)、?(?:これで)?[二三四五六七八九\d]+[回度]目(?:です|になります)(?:よ|ね)*(?=[。!！]|$)"
            r"|(?:確か|たしか)、?(?:お|ご|あなた|[^。、]{1,6}さん)[^。、!！?？「」]{1,40}?(?:でした|"
            r"ました)(?:よね|っけ)(?=[。!！?？]|$)"
            r"|(?:最近|ここ数日|この数日|数週間)の(?:お話|ご相談|ご質問)は[^。!！?？]{0,40}?(?:でした|です|ます|"
            r"ました)(?:よ?ね)?(?=[。!！]|$)"
            rf"|というのが(?:{time})(?:まで)?の(?:議論|会話|お?話|やり取り|相談)[^、。]{{0,8}}(?:でした|"
            rf"です)(?:よ?ね)?(?=[。!！]|$)"
            rf"|{when}(?:まとまっ|約束し|約束され|話されて|取り決め|"
            rf"話がつい)[^、。!！?？「」\u3400-\u9fff]{{0,9}}?(?:ます|"
            rf"ました|です)(?:から|ので|よ|ね)*(?=[、。!！]|$)"
            r"|私たちは[^。、]{0,30}[二三四五六七八九十何\d][回度](?:ほど|も)?[^、。]{0,4}(?:話し合|議論|語り合|"
            r"相談)[^、。]{0,5}ま(?:す|した)(?=[、。!！]|$)"
            r"|あなた(?:は|が)[^。「」、]{0,40}?(?:繰り返し|何度も|何回も)[^。!！?？]{0,40}?(?:(?:て|"
            r"で)い(?:ます|ました)|まし(?:た))(?=[。!！\s]|$)"
        ),
    )
    return Screened(rules)


def screen_of_telling() -> tuple[Screen, frozenset[int]]:
    """Which of these patterns could match, and the numbers of those that make no claim by themselves."""
    return _rules().screen, _rules().numbers("time")


def told_before(text: str) -> Iterator[Claim]:
    """The claims in a folded sentence that speak of an earlier talk beside its statement."""
    rules = _rules().on(text)
    for match in rules.leading.finditer(text):
        told = match["verb"] or match["again"] or ""
        found = "ところ" in (match["end"] or "") and re.match(_OURS, told)
        if "とのこと" not in match[0] and not found:
            yield from _beside(text, match, told)
    yield from _matters(text, rules)
    for match in rules.before_noun.finditer(text):
        if re.match(_OURS, match["verb"]) and is_general(text, match.end()):
            continue
        yield from _beside(text, match, match["verb"])
    for match in rules.matter.finditer(text):
        yield Claim(*match.span(), match.span(), (0, 0), "we", False, True, True)
    for pattern in (rules.asked, rules.politely):
        for match in pattern.finditer(text):
            if not _by_others(text, match):
                told = match[0].startswith("という")
                before = match.start() > 1 and text[match.start() - 2 : match.start()] in ("と、", "て、")
                content = (0, match.start() - before) if told or before else match.span()
                yield _whole(text, match, match.end(), content=content)


def _matters(text: str, rules: _Rules) -> Iterator[Claim]:
    """The matter that was talked about: where it is not set off, the whole clause speaks of it."""
    for match in rules.light.finditer(text):
        if _IF_THERE_IS.match(text, match.end()):
            continue
        if text.startswith("、と", match.end()) or "、と" in text[match.end() : match.end() + 16]:
            continue  # an example of how to put it
        if match["cut"]:
            yield from _beside(text, match, match["verb"])
        elif _is_ours(text, match):
            stop = _CLAUSE_END.search(text, match.end())
            end = stop.start() if stop else match.end()
            yield _whole(text, match, end, content=(match.end(), end))


_IF_THERE_IS: Final = lazily(r"(?:が|も)?、?(?:あれば|ありましたら|あるなら|ある場合|あるかどうか|あったか)")
_CLAUSE_END: Final = lazily(r"[、。!！?？」』]|$")


_BY: Final = lazily(r"(?:に(?!ついて|関して|つき)|から|で|と)(?![、も])[^、。を]{0,6}$")
_PASSIVE: Final = lazily(r"聞かれ|質問され|話され")


def _by_others(text: str, match: re.Match[str]) -> bool:
    """Is the verb of a whole clause somebody else's?"""
    start = match.start()
    verb = match.start("verb") if "verb" in match.re.groupindex and match["verb"] else start
    if is_narrative(text, start, start, match.end()) or _elsewhere(text, match):
        return True
    if acts_for_others(text, clause_start(text, start), verb):
        return True
    before = text[clause_start(text, start) : start]
    if before.endswith(("が", "から")) and has_other_agent(text, start, start, marked=True):
        return True
    when = _rules().on(text).time.match(text, start)
    return bool(when and _PASSIVE.match(text, verb) and _BY.search(text, when.end(), verb))


def _elsewhere(text: str, match: re.Match[str]) -> bool:
    return bool(THIRD_PARTY.search(text, clause_start(text, match.start()), match.end()))


def _is_ours(text: str, match: re.Match[str]) -> bool:
    verb = match.start("verb")
    return not has_other_agent(text, match.start(), verb, marked=True) and not _elsewhere(text, match)


def _beside(text: str, match: re.Match[str], verb: str) -> Iterator[Claim]:
    """A claim that can be cut out, unless somebody else is its agent."""
    place = match.start("verb") if "verb" in match.re.groupindex and match["verb"] else match.start()
    if has_other_agent(text, match.start(), place, marked=True) or _elsewhere(text, match):
        return
    if re.search(r"[\u3400-\u9fff\u30a1-\u30fc]$", text[: match.start()]):
        return  # the cut would tear a word
    plain = bool(re.match(_OURS, verb))
    told = is_narrative(text, clause_start(text, match.start()), match.start(), match.end())
    if plain and (told or _OF_SOMEBODY.search(text, match.end())):
        return
    led = match.groupdict().get("end") or ""
    mine = bool(re.match(_MINE, verb)) or bool(led and _I_SAID.match(verb) and "て" not in match[0][-len(led) - 3 :])
    plain = plain and not mine
    speaker: Speaker = "i" if mine else "we" if plain else "you"
    quoted = _QUOTES.search(text, match.start(), place)
    inside = (match.start(), place) if quoted else (place + len(verb), match.end())
    names = len(_NAMES.findall(text[slice(*inside)])) > 0
    yield Claim(*match.span(), match.span(), inside if names else (0, 0), speaker, not plain, True, True)


_I_SAID: Final = lazily(r"言った|言いまし|話した|書いた|触れ|述べ")
_QUOTES: Final = lazily(r"(?:と|って)$")
_OF_SOMEBODY: Final = lazily(r"[、をがに](?:彼|彼女|彼ら|少年|少女|老人|男|女|主人公)(?:は|が)")
_NAMES: Final = lazily(r"(?!内容|場合|以上|通り)[\u3400-\u9fff\u30a1-\u30fc]{2}")
"""What a claim names between its verb and its end."""


def _whole(text: str, match: re.Match[str], end: int, *, content: tuple[int, int]) -> Claim:
    """A claim that is the clause itself."""
    head = re.match(r"[\s>*_#・•-]*(?:\d{1,3}[.)]\s+)?", text)
    return Claim(match.start(), end, (head.end() if head else 0, end), content, "you", True, False, True)
