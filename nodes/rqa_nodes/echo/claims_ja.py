"""Which words of a Japanese sentence claim shared history, or that somebody said something?

Japanese leaves out who; the verb at the end and its honorific say it. A third person as subject, a denial, a question
or a plan makes no claim; without a word of time or of "we", the claim is weak.
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
    follows_person,
    has_other_agent,
    is_narrative,
    settles_for_others,
    tells_of_others,
)
from rqa_nodes.echo.claim import Claim, Speaker, any_of
from rqa_nodes.echo.claims_cjk import ruled_claims
from rqa_nodes.echo.claims_ja_deeds import earlier_deeds, screen_of_deeds
from rqa_nodes.echo.claims_ja_nouns import earlier_talks, screen_of_talks
from rqa_nodes.echo.claims_ja_talk import screen_of_telling, told_before
from rqa_nodes.echo.grammar import screen_of
from rqa_nodes.echo.lazily import lazily
from rqa_nodes.echo.lexicon import load
from rqa_nodes.echo.screen import Screen, Screened

__all__ = ["japanese_claims", "screens_of_claims"]


class _Japanese(NamedTuple):
    adverbial: re.Pattern[str]
    noun: re.Pattern[str]
    main: re.Pattern[str]
    said: re.Pattern[str]
    marked: re.Pattern[str]
    loose: re.Pattern[str]
    reminder: re.Pattern[str]
    shared: re.Pattern[str]
    lead: re.Pattern[str]
    """Words that only say when and who."""
    saying: re.Pattern[str]
    you: re.Pattern[str]
    me: re.Pattern[str]


_NOTICE: Final = (
    r"(?:上|上記|下記|前述|図|表|次|以下|章|節|項|条|頁|ページ|脚注|付録|別紙|電話|メール|会議|面談|書面|手紙)"
)
"""Words that stand elsewhere: in this text, in a document, in another talk."""


@cache
def _ja() -> Screened[_Japanese]:
    words = load("ja")
    time, we = any_of(words["time"]), any_of(words["we"])
    establish, you, me = any_of(words["establishing"]), any_of(words["saying_you"]), any_of(words["saying_i"])
    lead = rf"(?:(?:{time}|{we}|前の|あなた(?:が|は|も)?|私(?:が|は|も)?|ご自身で)(?:から|は|が|も|に|の|で|、)?)*"
    past = (
        r"(?:た|ました|済み(?:です|だ|である|でした)?|ずみ(?:です)?|ています|ている|"
        r"ておりま(?:す|した)|てあります|ていました|ていた|てきました)"
    )
    close = (
        r"(?:(?:の|ん)(?:です|だ)|わけです|はずです|ことがあり(?:ます|ました)?|"
        r"経緯があ(?:ります|る|り)|ことになっています)?(?:よ|"
        r"ね)*(?P<why>(?:ので|ため|から|以上|"
        r"わけですから|し|が|けれど(?:も)?|上で|うえで))?(?=[、。!！\s\[(]|$)"
    )
    rules = _Japanese(
        adverbial=lazily(
            rf"{lead}(?:ご?一緒に|ともに|すでに|既に)?(?P<polite>[ごお]?)(?P<verb>{establish}|{you}|{me}|"
            rf"確かめ)(?!書|会|文|図|員|者|資料)(?:を|が|"
            rf"に)?[^、。!?！？ 「」]{{0,8}}?(?:た|の|ている|"
            rf"ました)(?P<end>通り|とおり|ように|よう|ことですが|ことだが|"
            rf"のは)(?!で(?:す|し|ある|ござ)|だ[。ろ])(?:に|で|、|,)? *、?"
        ),
        noun=lazily(
            rf"(?:(?:あなた|お客様|私)との)?(?:(?:{time}|{we}|双方|お二人)(?:の|にした|に行った|で行った|"
            rf"における|からの|来の))+(?:(?:{we})の|最終)?(?:ご(?:発言|要望|指摘|意見|提案|質問|相談|依頼|希望)|"
            rf"議論|会話|やり取り|やりとり|"
            rf"話し合い|対話|お話|話|相談履歴|履歴|相談|検討|打ち合わせ|結論|合意|決定|確認|合意事項|"
            rf"決定事項)(?:内容)?"
            r"(?:では|によれば|によると|の通り|のとおり|通り|どおり|とおり|から|に従い|"
            r"に基づ(?:き|いて|くと)|を(?:踏まえ|ふまえ)(?:ると|て)?|を(?:整理|総合|要約)すると|を(?:振り返|"
            r"まとめ|思い返)(?:ると|すと)|"
            r"を受けて|の結果|として|に沿って|"
            r"でも|を見る(?:限り(?:では|で)?|と)|: |からも|にも(?:触れつつ|ある(?:通り|とおり|ように)|"
            r"出た(?:通り|とおり|ように))?(?=、)|で|"
            r"は)(?:、|,)? *"
            r"|^\s*(?P<bare>結論|合意|決定|合意事項|決定事項|確認事項)(?:として|は|では)、 *"
        ),
        main=lazily(
            rf"(?P<link>(?:という|との)(?=結論|合意|決定|認識|確認)|"
            rf"(?:という(?:こと|点|方針|話|見解)?|との(?:こと)?|こと|点|"
            rf"の)?(?:で|と|"
            rf"を|が|は|(?<!すで)(?<!既)に|も|について(?:は|も)?|"
            rf"に関して(?:は|も)?)、?)(?P<adv>(?:(?:{time}|{we}|"
            rf"お互いに|明確に|"
            rf"正式に|最終的に|双方で)(?:は|が|も|に|で|"
            rf"、)?)*)(?P<verb>{establish})[^、。!?！？ 「」]{{0,8"
            rf"}}?{past}{close}"
        ),
        said=lazily(
            rf"(?P<link>という(?:こと|点)?(?:を|は|と)?|"
            rf"との(?:こと)?(?:を|は|と)?|こと(?:を|は|が)?|と|のを|を|"
            rf"について(?:は|"
            rf"も)?)(?P<adv>(?:(?:{time})(?:は|も|に|"
            rf"、)?)*)(?P<verb>おっしゃ|仰|言って|言い|言った|言われ(?!て(?:い|お)(?:ま|る|り))|述べ|話され|"
            rf"話して|話し|"
            rf"教えて(?:いただ|くださ|くれ|もら)|表明|お聞きし|伺|のこと(?=で)|申し上げ|お伝えし|説明し|"
            rf"指摘し|提案し)[^、。!?！？ 「」]{{0,8}}?(?:{past}|"
            rf"とのことでした){close}"
        ),
        loose=lazily(
            r"(?:先ほど|以前|前回|ご存じ|ご存知|ご承知)の(?:通り|とおり)、?"
            rf"|、?というのが(?:{we}|双方)の(?:結論|合意|決定|認識)(?:です|でした|だ)"
            r"|(?:合意事項|決定事項|確認事項): *"
        ),
        reminder=lazily(r"でした(?:よね|ね)(?=[。!！]|$)"),
        marked=lazily(rf"(?:{time}|{we})"),
        shared=lazily(
            rf"(?:{time}|\d{{4}}年にも)(?:も|は|に|の|から|"
            rf"、)?[^。!?！？]{{0,60}}?(?:議論|相談|話し合|意見を?交|意見交換|"
            rf"やり取り|"
            rf"やりとり|同意|断定|確認)(?:を|が|も)?(?:し|され|わ|換|い|重ね|進め|"
            rf"行|続け|紛れ|紛糾|あ)[^、。!?！？]{{0,8}}?{past}{close}"
        ),
        lead=lazily(
            rf"(?:(?:(?:{time}|{we})|あなた|貴方|君|ご本人|ご自身|ユーザー|お客様|"
            rf"[^\s、。]{{1,8}}さん)(?:は|が|も|に|で|からは|からも|から|の間で)?、?)+"
        ),
        saying=lazily(rf"{you}|{me}"),
        you=lazily(
            r"あなた|ユーザー|お客様|ご本人|おっしゃ|仰|伺|お聞きし|教えて(?:いただ|"
            r"くださ|もら|くれ)|いただ[いき]|頂[いき]|くださ[いっ]|[^\s、。]{1,12}さん(?:は|が|も)"
        ),
        me=lazily(r"私(?:が|は|から|も)|申し上げ|お伝えし"),
    )
    return Screened(rules)


_DATED: Final = lazily(r"(?:1\d|20)\d\d年")
"""What is told of a year is history."""
_NEGATED_JA: Final = lazily(r"ない|ません|なかっ|いず|せず|か[。?？]?\s*$")


_BESIDE: Final = ("marked", "lead", "saying", "you", "me")
"""Patterns that only tell more of a claim that another one has found."""


def screens_of_claims() -> Iterator[tuple[Screen, frozenset[int]]]:
    """Of all patterns of Japanese claims, each with the numbers of those that make no claim by themselves."""
    yield _ja().screen, _ja().numbers(*_BESIDE)
    yield screen_of_telling()
    yield screen_of_deeds()
    yield screen_of_talks()
    yield screen_of("ja_talk"), frozenset()


def japanese_claims(text: str) -> Iterator[Claim]:
    """The claims of a folded Japanese sentence, the most telling form first."""
    if tells_of_others(text):
        return
    for claim in _all_claims(text):
        if claim.adverbial and claim.saying and claim.speaker == "you" and claim.content == (0, 0):
            end = _CLAUSE_END.search(text, claim.end)
            claim = claim._replace(content=(claim.end, end.start() if end else len(text)))
        yield claim


_CLAUSE_END: Final = lazily(r"[、。;]|$")
"""What the reader is told to have said is at least what follows directly."""


def _all_claims(text: str) -> Iterator[Claim]:
    rules = _ja().on(text)
    yield from _adverbials(text, rules)
    yield from told_before(text)
    yield from earlier_deeds(text)
    yield from earlier_talks(text)
    yield from _loose(text, rules)
    yield from _statements(text, rules)
    yield from _shared(text, rules)
    yield from _nouns(text, rules)
    yield from ruled_claims("ja", text)


def _statements(text: str, rules: _Japanese) -> Iterator[Claim]:
    """Main clauses with a verb of saying or settling at their end."""
    for pattern in (rules.said, rules.main):
        for match in pattern.finditer(text):
            begin = _ja_begin(text, match.start(), rules)
            verb = match.start("verb")
            if _NEGATED_JA.search(match[0]) or THIRD_PARTY.search(text[begin:verb]):
                continue
            others = acts_for_others if pattern is rules.said else settles_for_others
            if others(text, begin, verb):
                continue
            if match["link"][0] in "とに" and follows_person(text, match.start()):
                continue
            told = is_narrative(text, begin, verb, match.end())
            strong = not told and (bool(rules.marked.search(text[: match.end()])) or "ね" in match[0][-3:])
            if not strong and _DATED.search(text[begin : match.start()]):
                continue
            claim = _ja_claim(
                rules,
                match,
                text,
                clause=(_ja_head(text), match.end()),
                content=(begin, match.start()),
                adverbial=False,
                strong=strong,
            )
            yield claim._replace(strong=False) if told else claim


def _shared(text: str, rules: _Japanese) -> Iterator[Claim]:
    """Main clauses about a talk that the two have had."""
    for match in rules.shared.finditer(text):
        other = THIRD_PARTY.search(text[: match.end()]) or _is_told(text, match)
        other = other or acts_for_others(text, _ja_head(text), match.end())
        if not _NEGATED_JA.search(match[0]) and not other:
            yield Claim(
                *match.span(), (_ja_head(text), match.end()), (_ja_head(text), match.end()), "we", False, False, True
            )


def _nouns(text: str, rules: _Japanese) -> Iterator[Claim]:
    """Nouns of talking and settling that ground the statement."""
    for match in rules.noun.finditer(text):
        start = match.start()
        if _MISSING.match(text, match.end()) or (
            text[:start].endswith("の") and has_other_agent(text, start, start, marked=True)
        ):
            continue
        strong = match["bare"] is None
        yield Claim(*match.span(), match.span(), (0, 0), "we", False, True, strong)


_WITH: Final = lazily(
    r"(?<!あなた)(?<!私)(?<!お客様)(?<!皆さん)(?<![だるたいこりも])と[^、。をでい]{0,6}(?:議論|相談|話し合|意見|"
    r"やり取り|やりとり)"
)
"""Talk with somebody else."""


def _is_told(text: str, match: re.Match[str]) -> bool:
    """Is it the plain passive of minutes and news ("was confirmed"), or told of somebody else?"""
    passive = re.search(r"された$|されている$", match[0]) and not re.match(r"これまで|以前", match[0])
    return bool(passive or _WITH.search(match[0])) or is_narrative(text, match.start(), match.start(), match.end())


def _adverbials(text: str, rules: _Japanese) -> Iterator[Claim]:
    for match in rules.adverbial.finditer(text):
        start, verb = match.start(), match.start("verb")
        marked = verb > start or bool(re.match(r"おっしゃ|仰|伺|お聞き|申し上げ|お伝え|お話", match["verb"]))
        if (
            re.search(rf"{_NOTICE}(?:で|に|の|記で)?$", text[max(0, start - 4) : start])
            or _NEGATED_JA.search(match[0])
            or THIRD_PARTY.search(text[:start][-14:])
            or has_other_agent(text, start, verb, marked=marked)
            or (match[0].endswith("、") and text.startswith("と", match.end()))
            or (not marked and _HABIT.search(text[:start] + match[0]))
            or re.match(r"(?:以前|かねて)から[^、。]*されて(?:いる|きた)", match[0])
        ):
            continue
        manner = match[0].endswith("に") and not marked
        lead = _led_up(text, start)
        if lead is None:
            continue
        if "とのこと" in match[0]:
            clause = (_ja_head(text), match.end())
            yield Claim(*match.span(), clause, (_ja_head(text), match.end()), "you", True, False, True)
            continue
        claim = _ja_claim(
            rules,
            match,
            text,
            clause=match.span(),
            content=(0, 0),
            adverbial=True,
            strong=match["end"] != "のは" and not manner,
        )
        yield claim._replace(start=lead, clause=(lead, claim.end))


_HABIT: Final = lazily(
    r"(?:言って|述べて|話して)いる(?:よう|通り|とおり)|(?:説明|提案|指摘|"
    r"お?伝え)の(?:よう|通り|とおり)|[^、。]*(?:議論|指摘|検討|確認)されて(?:い|き)[^、。]{0,2}(?:よう|通り|とおり)"
)
"""Without a word of time or of politeness, nobody is known to have said it here."""
_MISSING: Final = lazily(
    r"[^。]*(?:残って|あり|見え|見当た|分か|わか|覚えて|参照|確認でき|引き継|持ち越|保存され|"
    r"アクセス)[^。、]{0,6}(?:ません|ない)"
)


_ONLY_WHEN: Final = lazily(r"(?:これまで|今まで|以前|前に?|何度か|たびたび|時々|少し|も|に|は|から)+")


def _led_up(text: str, start: int) -> int | None:
    """Where an adverbial begins with what only leads up to it; None: cutting it would leave a torso."""
    begin = max(clause_start(text, start), _ja_head(text))
    before = text[begin:start]
    if _ONLY_WHEN.fullmatch(before):
        return begin
    if not before.strip() or re.search(r"は$|[\])」』*_>\s]$", before):
        return start
    if re.search(r"(?:だ|です|た|る|い)と$|[\u3400-\u9fff\u30a1-\u30fc]$", before):
        return None
    return begin if re.search(r"[がをにでのてともら]$", before) else start


def _loose(text: str, rules: _Japanese) -> Iterator[Claim]:
    """Forms that claim only what an assistant message carries."""
    for match in rules.loose.finditer(text):
        yield Claim(*match.span(), match.span(), (0, 0), "we", False, True, False)
    for match in rules.reminder.finditer(text):
        begin = _ja_begin(text, match.start(), rules)
        yield Claim(*match.span(), (_ja_head(text), match.end()), (begin, match.start()), "we", False, False, False)


def _ja_head(text: str) -> int:
    match = re.match(
        r"[\s>*_#・•-]*(?:\d{1,3}[.)]\s+)?(?:(?:はい|では|"
        r"それでは|また|なお|そして|さて|つまり|したがって|ですので|ちなみに|ただ|"
        r"ええ)、?)*",
        text,
    )
    return match.end() if match else 0


def _ja_begin(text: str, stop: int, rules: _Japanese) -> int:
    """Where the content begins: behind connecting words and the words that only say when and who."""
    at = _ja_head(text)
    match = rules.lead.match(text, at, stop)
    return match.end() if match else at


_TALKING: Final = lazily(r"お?話|相談")
"""Of the reader alone, talking is only saying."""


def _ja_claim(
    rules: _Japanese,
    match: re.Match[str],
    text: str,
    *,
    clause: tuple[int, int],
    content: tuple[int, int],
    adverbial: bool,
    strong: bool,
) -> Claim:
    words = text[: match.end()]
    yours = match.groupdict().get("polite") == "ご" and not re.search(r"いたし|しまし|した", match[0])
    saying = bool(rules.saying.match(match["verb"]))
    saying = saying or bool(rules.you.search(words) and _TALKING.match(match["verb"]))
    speaker: Speaker = (
        "you" if yours or rules.you.search(words) else "i" if saying and (rules.me.search(words) or adverbial) else "we"
    )
    return Claim(
        match.start(), match.end(), clause, content, speaker, saying, adverbial, strong or (saying and speaker == "you")
    )
