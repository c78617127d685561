"""Which words of a Japanese sentence claim shared history, or that somebody said something?

Japanese leaves out who; the verb at the end and its honorific say it. A third person as subject, a denial, a question
or a plan makes no claim; without a word of time or of "we", the claim is weak.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Final, NamedTuple

from rqa_nodes.echo.claim import Claim, Speaker, any_of
from rqa_nodes.echo.lexicon import load

__all__ = ["THIRD_PARTY", "japanese_claims"]


class _Japanese(NamedTuple):
    adverbial: re.Pattern[str]
    noun: re.Pattern[str]
    main: re.Pattern[str]
    said: re.Pattern[str]
    marked: re.Pattern[str]
    loose: re.Pattern[str]
    reminder: re.Pattern[str]
    shared: re.Pattern[str]
    you: re.Pattern[str]
    me: re.Pattern[str]


_NOTICE: Final = (
    r"(?:上|上記|下記|前述|図|表|次|以下|章|節|項|条|頁|ページ|脚注|付録|別紙|電話|メール|会議|面談|書面|手紙)"
)
"""Words that stand elsewhere: in this text, in a document, in another talk."""


@cache
def _ja() -> _Japanese:
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
    return _Japanese(
        adverbial=re.compile(
            rf"{lead}(?:ご?一緒に|ともに|すでに|既に)?ご?(?P<verb>{establish}|{you}|{me})(?:を|が|"
            rf"に)?[^、。!?！？ 「」]{{0,8}}?(?:た|の|ている|"
            rf"ました)(?P<end>通り|とおり|ように|よう|ことですが|ことだが|"
            rf"のは)(?:に|で|、|,)? *、?"
        ),
        noun=re.compile(
            rf"(?:(?:あなた|お客様|私)との)?(?:(?:{time}|{we}|双方|お二人)(?:の|にした|に行った|で行った|"
            rf"における))+(?:(?:{we})の|最終)?(?:議論|会話|やり取り|やりとり|"
            rf"話し合い|対話|お話|話|相談|検討|打ち合わせ|結論|合意|決定|確認|合意事項|決定事項)(?:内容)?"
            r"(?:では|によれば|によると|の通り|のとおり|通り|どおり|とおり|から|に従い|"
            r"に基づ(?:き|いて|くと)|を踏まえ(?:ると|て)?|を受けて|の結果|として|"
            r"でも|"
            r"からも|にも|で|は)(?:、|,)? *"
            r"|^\s*(?P<bare>結論|合意|決定|合意事項|決定事項|確認事項)(?:として|は|では)、 *"
        ),
        main=re.compile(
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
        said=re.compile(
            rf"(?P<link>という(?:こと|点)?(?:を|は|と)?|"
            rf"との(?:こと)?(?:を|は|と)?|こと(?:を|は|が)?|と|のを|を|"
            rf"について(?:は|"
            rf"も)?)(?P<adv>(?:(?:{time})(?:は|も|に|"
            rf"、)?)*)(?P<verb>おっしゃ|仰|言って|言い|言った|言われ|述べ|話され|"
            rf"話して|話し|"
            rf"教えて(?:いただ|くださ)|表明|お聞きし|伺|のこと(?=で)|申し上げ|お伝えし|説明し|"
            rf"指摘し|提案し)[^、。!?！？ 「」]{{0,8}}?(?:{past}|"
            rf"とのことでした){close}"
        ),
        loose=re.compile(
            r"(?:先ほど|以前|前回|ご存じ|ご存知|ご承知)の(?:通り|とおり)、?"
            rf"|、?というのが(?:{we}|双方)の(?:結論|合意|決定|認識)(?:です|でした|だ)"
            r"|(?:合意事項|決定事項|確認事項): *"
        ),
        reminder=re.compile(r"でした(?:よね|ね)(?=[。!！]|$)"),
        marked=re.compile(rf"(?:{time}|{we})"),
        shared=re.compile(
            rf"(?:{time}|\d{{4}}年にも)(?:も|は|に|の|から|"
            rf"、)?[^。!?！？]{{0,60}}?(?:議論|相談|話し合|意見を?交|意見交換|"
            rf"やり取り|"
            rf"やりとり|同意|断定|確認)(?:を|が|も)?(?:し|され|わ|換|い|重ね|進め|"
            rf"行|続け|紛れ|紛糾|あ)[^、。!?！？]{{0,8}}?{past}{close}"
        ),
        you=re.compile(
            r"あなた|ユーザー|お客様|ご本人|おっしゃ|仰|伺|お聞きし|教えて(?:いただ|"
            r"くださ)|[^\s、。]{1,12}さん(?:は|が|も)"
        ),
        me=re.compile(r"私(?:が|は|から|も)|申し上げ|お伝えし"),
    )


THIRD_PARTY: Final = re.compile(
    r"(?:会社|委員会|裁判所|報告書|著者|彼|彼女|両国|両社|各国|各社|政府|研究|説明書|論文|科学的|町|同社|当局|消防|警察|"
    r"[^\s、。]{0,10}(?:者|氏|(?<!私)(?<!わたし)たち|官|庁|省|署|局|社|会|院|党|隊|側|市長|知事|大臣|首相|協会))(?:は|が|に|の|ら)"
    r"|(?:議会|国会|総会|理事会|会談|法廷|両院)(?:で|は|が)|(?:誰も|だれも|皆|みな|みんな|世間|一般)(?:が|は|に)"
)
_DATED: Final = re.compile(r"(?:1\d|20)\d\d年")
"""What is told of a year is history."""
_NEGATED_JA: Final = re.compile(r"ない|ません|なかっ|いず|せず|か[。?？]?\s*$")


def japanese_claims(text: str) -> Iterator[Claim]:
    """The claims of a folded Japanese sentence, the most telling form first."""
    rules = _ja()
    for match in rules.adverbial.finditer(text):
        before = text[max(0, match.start() - 4) : match.start()]
        if (
            not re.search(rf"{_NOTICE}(?:で|に|の|記で)?$", before)
            and not _NEGATED_JA.search(match[0])
            and not THIRD_PARTY.search(text[: match.start()][-14:])
        ):
            yield _ja_claim(
                rules, match, text, clause=match.span(), content=(0, 0), adverbial=True, strong=match["end"] != "のは"
            )
    yield from _loose(text, rules)
    for pattern in (rules.said, rules.main):
        for match in pattern.finditer(text):
            begin = _ja_begin(text, match.start(), rules)
            if _NEGATED_JA.search(match[0]) or THIRD_PARTY.search(text[begin : match.start("verb")]):
                continue
            strong = bool(rules.marked.search(text[: match.end()])) or "ね" in match[0][-3:]
            if not strong and _DATED.search(text[begin : match.start()]):
                continue
            yield _ja_claim(
                rules,
                match,
                text,
                clause=(_ja_head(text), match.end()),
                content=(begin, match.start()),
                adverbial=False,
                strong=strong,
            )
    for match in rules.shared.finditer(text):
        if not _NEGATED_JA.search(match[0]) and not THIRD_PARTY.search(text[: match.end()]):
            yield Claim(
                *match.span(), (_ja_head(text), match.end()), (_ja_head(text), match.end()), "we", False, False, True
            )
    for match in rules.noun.finditer(text):
        strong = match["bare"] is None
        yield Claim(*match.span(), match.span(), (0, 0), "we", False, True, strong)


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
    lead = re.compile(
        rf"(?:(?:{rules.marked.pattern}|あなた|ユーザー|お客様|"
        rf"[^\s、。]{{1,8}}さん)(?:は|が|も|に|で|から|の間で)?、?)+"
    )
    match = lead.match(text, at, stop)
    return match.end() if match else at


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
    saying = bool(re.match(any_of(load("ja")["saying_you"]) + "|" + any_of(load("ja")["saying_i"]), match["verb"]))
    speaker: Speaker = (
        "you" if rules.you.search(words) else "i" if saying and (rules.me.search(words) or adverbial) else "we"
    )
    return Claim(
        match.start(), match.end(), clause, content, speaker, saying, adverbial, strong or (saying and speaker == "you")
    )
