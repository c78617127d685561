"""Where does a sentence claim shared history, or that somebody said something?

A claim is a stretch of the folded sentence, with what it claims: an adverbial ("as we agreed, X"), a main clause
("we agreed that X") or a passive one ("X was agreed"). This module finds claims; whether they are true is decided in
`history`. Conditions, questions and denials claim nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Final, Literal, NamedTuple

from rqa_nodes.echo.lexicon import load
from rqa_nodes.echo.sentence import Sentence

__all__ = ["Claim", "find_claims"]

Speaker = Literal["we", "you", "i", ""]


class Claim(NamedTuple):
    """A claim about earlier talk, in the folded sentence."""

    start: int
    end: int
    """The words that make the claim, without the content."""
    clause: tuple[int, int]
    """The whole clause, content included."""
    content: tuple[int, int]
    """The content where the claim names it; empty where it is the rest of the sentence."""
    speaker: Speaker
    saying: bool
    """A saying verb; otherwise an establishing one."""
    adverbial: bool
    strong: bool
    """Claims shared history by itself; a weak one only where an assistant message carries the content."""


def find_claims(sentence: Sentence) -> Iterator[Claim]:
    """Find the claims of a sentence, the most telling form first."""
    if "claim" not in sentence.signals:
        return
    if sentence.lang == "en":
        yield from _english(sentence.plain)
    elif sentence.lang == "ja":
        yield from _japanese(sentence.plain)
    else:
        yield from _chinese(sentence.plain)


def _any(words: Sequence[str]) -> str:
    return "|".join(re.escape(word) for word in sorted(words, key=len, reverse=True))


class _English(NamedTuple):
    adverbial: re.Pattern[str]
    bare: re.Pattern[str]
    noun: re.Pattern[str]
    clause: re.Pattern[str]
    main: re.Pattern[str]
    passive: re.Pattern[str]
    dummy: re.Pattern[str]
    result: re.Pattern[str]
    recall: re.Pattern[str]
    condition: re.Pattern[str]
    saying: frozenset[str]
    weak: frozenset[str]


@cache
def _en() -> _English:
    words = load("en")
    time = rf"(?:{_any(words['time'])})"
    establish, weak, say = _any(words["establishing"]), _any(words["establishing_weak"]), _any(words["saying"])
    aux = (
        r"(?:(?:[ ](?:have|had|both|all|did|also|just|now|clearly|firmly|explicitly|jointly|finally|then|first|originally|kept|two|repeatedly|often|always|once|actually|basically|collectively)|['’](?:ve|d)|[ ]"
        + time
        + r"))*"
    )
    subject = r"(?P<who>we|you|i|you and i|the two of us|both of us)"
    verb = rf"(?P<verb>{establish}|{weak}|{say})"
    after = rf"(?:[ ](?:on|about|upon|to|with|me|you|us|each other|over|through|for|into|this|that|it)(?![\w]))*(?:[ ]{time})*"
    participle = r"(?P<verb>established|confirmed|agreed|decided|concluded|determined|settled|resolved|discussed|mentioned|noted|stated|said|described|explained|covered|verified|suggested|promised|pointed out)"
    nouns = _any(words["shared_nouns"])
    adjective = r"(?:[ ](?:earlier|previous|last|prior|past|recent|shared|joint|mutual|first|initial|other|agreed|own|long|latest|final))*"
    return _English(
        adverbial=re.compile(
            rf"(?<![a-z])(?:just |exactly |much )?(?:as|like){_SP}{subject}{aux} {verb}{after}(?![\w'’])"
        ),
        bare=re.compile(
            rf"(?<![a-z])(?:just )?as (?P<t1>(?:{time} |was |were |has been |had been |we |)*){participle}(?![\w])(?:[ ](?:on|upon|by us|between us|together))*(?P<t2>(?:[ ]{time})*)(?! (?:above|below|in (?:section|chapter|the|this|a|step|paragraph)|by (?!us)|on page))"
        ),
        noun=re.compile(
            rf"(?<![a-z])(?:per|following|based on|according to|given|in line with|from|in|during|under|consistent with|building on|going by|after|as per|in keeping with|by)"
            rf" (?:(?:our|my|your){adjective}|the (?:earlier|previous|last|prior|past)) (?:{nouns})(?: with (?:you|me))?(?:[ ]{time})*(?![\w])(?! of )"
            rf"|(?<![a-z])(?:when|since|the last time|last time) (?P<who>we) (?:last )?(?:spoke|talked|met|chatted|discussed (?:this|it|that))(?:[ ]{time})*(?![\w])"
        ),
        clause=re.compile(
            rf"(?<![a-z])(?:since|because|given that|given|now that|from what|based on what|given what|considering that|seeing that|considering what) {subject}{aux} {verb}{after}(?: that)?(?![\w'’])"
        ),
        main=re.compile(rf"(?<![a-z'’]){subject}{aux} {verb}{after}(?: that)?(?![\w'’])(?!-)"),
        passive=re.compile(
            rf"(?<![a-z])(?:was|were|is|are|has been|have been|had been)(?P<t1>(?: (?:now|also|firmly|clearly|both|jointly|mutually|{time}))*) (?P<verb>established|confirmed|agreed|decided|concluded|settled|verified|determined|resolved|discussed)(?: (?:on|upon))?(?P<t2>(?: (?:by us|by both of us|between us|{time}))*)(?=\s*(?:[.,;!]|$|\band\b|\bso\b))"
        ),
        dummy=re.compile(
            rf"(?<![a-z])it (?:was|is|has been|had been|['’]s)(?P<t1>(?: (?:now|also|{time}))*) (?P<verb>established|confirmed|agreed|decided|concluded|settled|verified|determined|known)(?P<t2>(?: (?:by us|between us|{time}))*),? (?:that|to) "
        ),
        result=re.compile(
            rf"(?<![a-z])(?:(?P<who>our){adjective}|the{adjective}) (?:conclusion|decision|agreement|finding|consensus|verdict|diagnosis)(?P<t1>(?: (?:(?:that )?we (?:reached|made|came to|had|drew)|{time}))*) (?:was|is|has been|remains|stands)(?: that| to|:)? ?"
        ),
        recall=re.compile(
            rf"(?<![a-z])(?:i (?:still |also |clearly |do )*(?:remember|recall)|remember|recall|you(?:['’]ll| will| may| might)? (?:remember|recall))(?: that| when| how|,)* (?P<who>you|we)(?: (?:saying|telling me|mentioning|deciding|agreeing)(?: that)?)?(?:{aux} {verb}{after}(?: that)?)?(?![\w])"
        ),
        condition=re.compile(rf"(?<![a-z])(?:{_any(words['conditional'])}|n['’]t)$"),
        saying=frozenset(words["saying"]),
        weak=frozenset(words["establishing_weak"]),
    )


_NO_SUBJECT: Final = re.compile(r"(?:nothing|no|none|neither|nobody|what|which|who|that|whatever|hardly|not)(?![a-z])")
_SP: Final = r"[ \n]"
_CLAUSE_END: Final = re.compile(
    r";|,? (?:so|but|which|and (?:i|you|we|it|that|this|the|so|now|then)|therefore)\b|[ ]?[—–]|, (?=(?:then|therefore|thus|hence|and)\b)|[.!?]*\s*$"
)
_SINCE_END: Final = re.compile(r",|;|[.!?]*\s*$")
_CONNECTOR: Final = re.compile(
    r"^[\s\x1a>*_#\"“(\[•・-]*(?:\d{1,3}[.)]\s+)?(?:(?:so|and|but|well|okay|ok|now|also|therefore|thus|however|then|indeed|right|great|yes|sure|again|first|second|finally|additionally|moreover|still|anyway|of course|certainly|absolutely|thanks|thank you|good question|in fact|basically|remember|again)\b[\s,:!.]*)*"
)


def _head(text: str) -> int:
    """Where the sentence proper begins, behind bullets and connecting words."""
    match = _CONNECTOR.match(text)
    return match.end() if match else 0


def _body_end(text: str) -> int:
    return len(text.rstrip(" \n\t.!?…"))


def _who(match: re.Match[str]) -> Speaker:
    who = match.groupdict().get("who") or ""
    if who in ("you", "i"):
        return "you" if who == "you" else "i"
    return "we" if who else ""


def _english(text: str) -> Iterator[Claim]:
    rules = _en()
    yield from _en_adverbials(text, rules)
    for match in rules.clause.finditer(text):
        end = _SINCE_END.search(text, match.end())
        stop = end.start() if end else len(text)
        yield _verb_claim(
            match, rules, clause=(match.start(), min(len(text), stop + 1)), content=(match.end(), stop), adverbial=False
        )
    yield from _en_recall(text, rules)
    yield from _en_main(text, rules)
    yield from _en_passive(text, rules)


def _en_adverbials(text: str, rules: _English) -> Iterator[Claim]:
    for match in rules.adverbial.finditer(text):
        yield _verb_claim(match, rules, clause=match.span(), content=(0, 0), adverbial=True)
    for match in rules.bare.finditer(text):
        timed = bool(match["t1"].strip() or match["t2"].strip())
        saying = match["verb"] in (
            "mentioned",
            "noted",
            "stated",
            "said",
            "described",
            "explained",
            "covered",
            "suggested",
            "pointed out",
        )
        if timed or not saying:
            yield Claim(*match.span(), match.span(), (0, 0), "we", False, True, timed or not saying)
    for match in rules.noun.finditer(text):
        yield Claim(*match.span(), match.span(), (0, 0), "we", False, True, True)


def _verb_claim(
    match: re.Match[str], rules: _English, *, clause: tuple[int, int], content: tuple[int, int], adverbial: bool
) -> Claim:
    verb = match["verb"] or "said"
    return Claim(
        start=match.start(),
        end=match.end(),
        clause=clause,
        content=content,
        speaker=_who(match),
        saying=verb in rules.saying,
        adverbial=adverbial,
        strong=verb not in rules.weak,
    )


def _en_recall(text: str, rules: _English) -> Iterator[Claim]:
    for match in rules.recall.finditer(text):
        if _conditional(text, match.start(), rules):
            continue
        stop = _clause_stop(text, match.end())
        claim = _verb_claim(match, rules, clause=(match.start(), stop), content=(match.end(), stop), adverbial=False)
        yield claim._replace(strong=True)


def _clause_stop(text: str, at: int) -> int:
    end = _CLAUSE_END.search(text, at)
    return end.start() if end else len(text)


def _conditional(text: str, at: int, rules: _English) -> bool:
    """Does the word before make it a condition, a question or a plan?"""
    before = text[max(0, at - 24) : at].rstrip(" ,")
    return bool(rules.condition.search(before))


def _en_main(text: str, rules: _English) -> Iterator[Claim]:
    for match in rules.main.finditer(text):
        if _conditional(text, match.start(), rules) or (match["who"] == "i" and _is_own_form(text, match)):
            continue
        stop = _clause_stop(text, match.end())
        yield _verb_claim(match, rules, clause=(match.start(), stop), content=(match.end(), stop), adverbial=False)


def _is_own_form(text: str, match: re.Match[str]) -> bool:
    """Our own wording of an unverified suggestion."""
    return text.startswith("(unverified)", match.end()) or text.startswith(" (unverified)", match.end())


def _en_passive(text: str, rules: _English) -> Iterator[Claim]:
    for match in rules.dummy.finditer(text):
        stop = _clause_stop(text, match.end())
        timed = bool(match["t1"].strip() or match["t2"].strip())
        yield Claim(*match.span(), (match.start(), stop), (match.end(), stop), "we", False, False, timed)
    for match in rules.result.finditer(text):
        stop = _clause_stop(text, match.end())
        strong = bool(match["who"] or match["t1"].strip())
        yield Claim(*match.span(), (match.start(), stop), (match.end(), stop), "we", False, False, strong)
    for match in rules.passive.finditer(text):
        begin = max(text.rfind(",", 0, match.start()) + 1, text.rfind(";", 0, match.start()) + 1, _head(text))
        subject = text[begin : match.start()].strip()
        if subject and not _NO_SUBJECT.match(subject):
            timed = bool(match["t1"].strip() or match["t2"].strip())
            yield Claim(*match.span(), (begin, match.end()), (begin, match.start()), "we", False, False, timed)


class _Japanese(NamedTuple):
    adverbial: re.Pattern[str]
    noun: re.Pattern[str]
    main: re.Pattern[str]
    said: re.Pattern[str]
    marked: re.Pattern[str]
    shared: re.Pattern[str]
    you: re.Pattern[str]
    me: re.Pattern[str]


_NOTICE: Final = r"(?:上|上記|下記|前述|図|表|次|以下)"


@cache
def _ja() -> _Japanese:
    words = load("ja")
    time, we = _any(words["time"]), _any(words["we"])
    establish, you, me = _any(words["establishing"]), _any(words["saying_you"]), _any(words["saying_i"])
    lead = rf"(?:(?:{time}|{we}|前の|あなた(?:が|は|も)?|私(?:が|は|も)?|ご自身で)(?:から|は|が|も|に|の|で|、)?)*"
    past = r"(?:た|ました|済み(?:です|だ|である|でした)?|ずみ(?:です)?|ています|ている|ておりま(?:す|した)|てあります|ていました|ていた|てきました)"
    close = r"(?:(?:の|ん)(?:です|だ)|わけです|はずです|ことがあり(?:ます|ました)?|経緯があ(?:ります|る|り)|ことになっています)?(?:よ|ね)*(?P<why>(?:ので|ため|から|以上|わけですから|し|が|けれど(?:も)?|上で|うえで))?(?=[、。!！\s\[(]|$)"
    return _Japanese(
        adverbial=re.compile(
            rf"{lead}(?:ご?一緒に|ともに|すでに|既に)?(?P<verb>{establish}|{you}|{me})(?:を|が|に)?[^、。!?！？ 「」]{{0,8}}?(?:た|の|ている|ました)(?:通り|とおり|ように|よう)(?:に|で|、|,)?\s*、?"
        ),
        noun=re.compile(
            rf"(?:(?:{time}|{we}|双方|お二人)(?:の|にした|に行った|で行った|における))+(?:(?:{we})の|最終)?(?:議論|会話|やり取り|やりとり|話し合い|対話|お話|話|相談|検討|打ち合わせ|結論|合意|決定|確認|合意事項|決定事項)(?:内容)?"
            r"(?:では|によれば|によると|の通り|のとおり|通り|どおり|とおり|から|に従い|に基づ(?:き|いて|くと)|を踏まえ(?:ると|て)?|を受けて|の結果|として|でも|からも|にも|で|は)(?:、|,)?\s*"
            r"|^\s*(?P<bare>結論|合意|決定|合意事項|決定事項|確認事項)(?:として|は|では)、\s*"
        ),
        main=re.compile(
            rf"(?P<link>(?:という|との)(?=結論|合意|決定|認識|確認)|(?:という(?:こと|点|方針|話|見解)?|との(?:こと)?|こと|点|の)?(?:で|と|を|が|は|(?<!すで)(?<!既)に|も|について(?:は|も)?|に関して(?:は|も)?)、?)(?P<adv>(?:(?:{time}|{we}|お互いに|明確に|正式に|最終的に|双方で)(?:は|が|も|に|で|、)?)*)(?P<verb>{establish})[^、。!?！？ 「」]{{0,8}}?{past}{close}"
        ),
        said=re.compile(
            rf"(?P<link>という(?:こと|点)?(?:を|は|と)?|との(?:こと)?(?:を|は|と)?|こと(?:を|は|が)?|と|のを|を|について(?:は|も)?)(?P<adv>(?:(?:{time})(?:は|も|に|、)?)*)(?P<verb>おっしゃ|仰|言って|言い|言った|言われ|述べ|話され|話して|話し|教えて(?:いただ|くださ)|表明|お聞きし|伺|とのこと|申し上げ|お伝えし|説明し|指摘し|提案し)[^、。!?！？ 「」]{{0,8}}?(?:{past}|とのことでした){close}"
        ),
        marked=re.compile(rf"(?:{time}|{we})"),
        shared=re.compile(
            rf"(?:{time}|\d{{4}}年にも)(?:も|は|に|の|から|、)?[^。!?！？]{{0,60}}?(?:議論|相談|話し合|意見を?交|意見交換|やり取り|やりとり|同意|断定|確認)(?:を|が|も)?(?:し|され|わ|換|い|重ね|進め|行|続け|紛れ|紛糾|あ)[^、。!?！？]{{0,8}}?{past}{close}"
        ),
        you=re.compile(
            r"あなた|ユーザー|お客様|ご本人|おっしゃ|仰|伺|お聞きし|教えて(?:いただ|くださ)|[^\s、。]{1,12}さん(?:は|が|も)"
        ),
        me=re.compile(r"私(?:が|は|から|も)|申し上げ|お伝えし"),
    )


_THIRD: Final = re.compile(
    r"(?:会社|委員会|裁判所|報告書|著者|彼|彼女|二人|両国|政府|研究|説明書|論文|科学的|町|同社|[^\s、。]{1,10}(?:者|氏|たち|官|庁|省))(?:は|が|に|の|ら)"
)
_NEGATED_JA: Final = re.compile(r"ない|ません|なかっ|いず|せず|か[。?？]?\s*$")


def _japanese(text: str) -> Iterator[Claim]:
    rules = _ja()
    for match in rules.adverbial.finditer(text):
        before = text[max(0, match.start() - 4) : match.start()]
        if (
            not re.search(rf"{_NOTICE}(?:で|に|の|記で)?$", before)
            and not _NEGATED_JA.search(match[0])
            and not _THIRD.search(text[: match.start()][-14:])
        ):
            yield _ja_claim(rules, match, text, clause=match.span(), content=(0, 0), adverbial=True, strong=True)
    for pattern in (rules.said, rules.main):
        for match in pattern.finditer(text):
            begin = _ja_begin(text, match.start(), rules)
            if _NEGATED_JA.search(match[0]) or _THIRD.search(text[begin : match.start()]):
                continue
            strong = bool(rules.marked.search(text[: match.end()])) or "ね" in match[0][-3:]
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
        if not _NEGATED_JA.search(match[0]) and not _THIRD.search(text[: match.end()]):
            yield Claim(
                *match.span(), (_ja_head(text), match.end()), (_ja_head(text), match.end()), "we", False, False, True
            )
    for match in rules.noun.finditer(text):
        strong = match["bare"] is None
        yield Claim(*match.span(), match.span(), (0, 0), "we", False, True, strong)


def _ja_head(text: str) -> int:
    match = re.match(
        r"[\s>*_#・•-]*(?:\d{1,3}[.)]\s+)?(?:(?:はい|では|それでは|また|なお|そして|さて|つまり|したがって|ですので|ちなみに|ただ|ええ)、?)*",
        text,
    )
    return match.end() if match else 0


def _ja_begin(text: str, stop: int, rules: _Japanese) -> int:
    """Where the content begins: behind connecting words and the words that only say when and who."""
    at = _ja_head(text)
    lead = re.compile(
        rf"(?:(?:{rules.marked.pattern}|あなた|ユーザー|お客様|[^\s、。]{{1,8}}さん)(?:は|が|も|に|で|から|の間で)?、?)+"
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
    saying = bool(re.match(_any(load("ja")["saying_you"]) + "|" + _any(load("ja")["saying_i"]), match["verb"]))
    speaker: Speaker = (
        "you" if rules.you.search(words) else "i" if saying and (rules.me.search(words) or adverbial) else "we"
    )
    return Claim(
        match.start(), match.end(), clause, content, speaker, saying, adverbial, strong or (saying and speaker == "you")
    )


_ZH_ADVERBIAL: Final = re.compile(
    r"(?:正如|如|像|按照|根据|基于|就像)?(?:我们|咱们|你|您|我|大家)?(?:之前|以前|上次|先前|早些时候|已经|刚才|此前|昨天|共同|一起)*(?:所|都)?(?P<verb>讨论|商量|同意|确认|决定|确定|达成|约定|说|提到|提|告诉|得出|聊|谈)(?:过|好|了|到|一致)?的?(?:那样|一样|结论|共识|内容|讨论|约定|决定)?[，,]\s*"
)
_ZH_MAIN: Final = re.compile(
    r"(?P<who>我们|咱们|你|您)(?:之前|以前|上次|先前|已经|都|刚才|此前|昨天|一起|共同|也|就)*(?P<verb>讨论|商量|同意|确认|决定|确定|达成一致|达成共识|约定|说过|提到过|提到|提过|告诉过我|告诉我|得出结论|得出的结论是|的结论是|知道|说)(?:过|了|好了)?(?:是|[：:，,])?"
)


def _chinese(text: str) -> Iterator[Claim]:
    for match in _ZH_ADVERBIAL.finditer(text):
        if re.match(r"正如|如|像|按照|根据|基于|就像|我们|咱们|你|您", match[0]):
            saying = match["verb"] in ("说", "提到", "提", "告诉")
            yield Claim(
                *match.span(),
                match.span(),
                (0, 0),
                "you" if saying and "我们" not in match[0] else "we",
                saying,
                True,
                True,
            )
    for match in _ZH_MAIN.finditer(text):
        if re.search(r"(?:如果|要是|是否|当|等|若|假如|[^，,。]*吗)$", text[: match.start()]) or text.rstrip().endswith(
            ("?", "？")
        ):
            continue
        end = re.search(r"[。！!；;]|$", text[match.end() :])
        stop = match.end() + (end.start() if end else 0)
        saying = match["verb"][0] in "说提告"
        strong = match["verb"] != "知道" and (match["who"] not in ("你", "您") or match["verb"] != "说")
        yield Claim(
            *match.span(),
            (match.start(), stop),
            (match.end(), stop),
            "we" if match["who"] in ("我们", "咱们") else "you",
            saying,
            False,
            strong,
        )
