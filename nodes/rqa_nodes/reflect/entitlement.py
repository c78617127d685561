"""May this be said, with nothing looked up?

Gates 0 and 2. No question may ask for a way to hurt a person or for somebody's credentials. Nothing may be told as
found where no search ran, and no volatile fact - a price, a rate, who holds an office - as it stands "now" without a
date, unless the input or memory brought it: a model's knowledge of such things is old, and it does not know how old.
The patterns judge what is said, never a topic, and are linear (re2).
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from typing import Final

import re2

from rqa_nodes.structure.text import clean

__all__ = ["asks_credential", "harmful", "says_found", "undated_volatile"]

_HARM: Final = re2.compile(
    r"(?i)\bhow (?:would|could|can|do|should) (?:you|one|we|i) (?:best )?(?:kill|poison|murder|stab|hurt|harm) "
    r"(?:yourself|myself|oneself|him|her|them|someone|people)\b"
    r"|\b(?:best|easiest|quickest|painless) way to (?:kill yourself|die|end your life|commit suicide)\b"
    r"|\bhow (?:would|could|can|do|should) (?:you|one|we|i) (?:best )?(?:build|make|assemble|synthesi[sz]e) "
    r"(?:an? |the )?(?:\w+ )?(?:bombs?|explosives?|nerve (?:agent|gas)|poison gas|bioweapons?)\b"
    r"|(?:自殺|自傷|自死)(?:する|の)?(?:方法|手段|やり方)|楽に死ね(?:る|ます)|(?:殺す|殺害する|毒を盛る)(?:方法|手段|やり方)"
    r"|(?:爆弾|爆発物|神経ガス|毒ガス|生物兵器)(?:を作る|の)(?:作り方|方法|手順|製造方法|製造手順)"
)
"""A question that asks for a way to hurt a person. The gate holds back the question; it judges no topic."""

_CREDENTIAL_EN: Final = (
    r"(?:password|passcode|passphrase|pin(?: code| number)?|cvv|cvc|(?:credit|debit) card number|api key|private key"
    r"|secret key|seed phrase|recovery (?:code|phrase)|one-time (?:code|password)|social security number)"
)
_CREDENTIAL_JA: Final = (
    r"(?:パスワード|暗証番号|APIキー|秘密鍵|クレジットカード(?:の)?番号|カード番号|セキュリティコード|ワンタイムパスワード"
    r"|マイナンバー|個人番号|復元フレーズ)"
)
_ASKS_SECRET: Final = re2.compile(
    rf"(?i)\b(?:what(?:'s|’s| is| was| are)|which is) (?:your|the) (?:\w+ ){{0,3}}{_CREDENTIAL_EN}\W*$"
    rf"|\b(?:tell|give|send|show)(?: me| us)? your (?:\w+ ){{0,3}}{_CREDENTIAL_EN}\b"
    rf"|\b(?:share|enter|provide|type(?: in)?|paste|confirm) your (?:\w+ ){{0,3}}{_CREDENTIAL_EN}\b"
    rf"|(?:あなたの|ご自身の|お客様の)[^。、?？]{{0,12}}{_CREDENTIAL_JA}は(?:何|どれ|いくつ)"
    rf"|{_CREDENTIAL_JA}を(?:教えて|入力して|送って|貼り付けて|お知らせ|見せて)(?:ください|下さい|くれ|もらえ|いただけ)"
)
"""A question whose answer would be somebody's credential."""

_FOUND_ELSEWHERE: Final = re2.compile(
    r"(?i)\b(?:i (?:have )?(?:searched|looked (?:it |this )?up|checked online|browsed)"
    r"|(?:the |my |a )?(?:web |online )?search (?:results?|shows?|showed|returned|found|confirms?|confirmed)"
    r"|according to (?:my|the|a) (?:web |online )?search|i found online)"
    r"|検索(?:した|の)?結果(?:に|で|、|から|を見|では|によ)|検索したところ|検索してみ(?:た|まし)|調べたところ|ネットで確認した"
)
"""Words that say something was looked up."""

_SENTENCE: Final = re2.compile(r"[^.!?。！？\n]+(?:\.\d[^.!?。！？\n]*)*[.!?。！？]*")
_VOLATILE_EN: Final = (
    r"(?:(?:share |stock |house |oil |market )?prices?|(?:exchange|interest|inflation|unemployment|mortgage|tax|birth|"
    r"approval) rates?|population|market (?:share|cap(?:italisation|italization)?)|minimum wage|temperature|(?:latest|"
    r"current|newest|stable) (?:version|release)|world record|membership|headcount)"
)
_VOLATILE_JA: Final = (
    r"(?:価格|株価|値段|為替(?:レート)?|金利|物価上昇率|インフレ率|失業率|出生率|支持率|税率|人口|市場占有率|シェア|時価総額"
    r"|最低賃金|気温|最新(?:版|バージョン)|会員数|利用者数|従業員数|世界記録)"
)
_AMOUNT_FOLLOWS: Final = re2.compile(
    rf"(?i)\b{_VOLATILE_EN}\b[^.?!]{{0,60}}?\b(?:is|are|stands? at|trades? at|has (?:reached|risen to|fallen to)|now"
    rf"|currently|today)\b[^.?!]{{0,30}}?\d"
    rf"|\b(?:current|today's|today’s|latest|present)\b[^.?!]{{0,20}}\b{_VOLATILE_EN}\b[^.?!]{{0,20}}\d"
    r"|\b(?:latest|current|newest|stable) (?:version|release)\b[^.?!]{0,20}\d"
    rf"|{_VOLATILE_JA}(?:は|が)[^。、?？]{{0,24}}\d"
    rf"|(?:現在|今|いま|今日|本日|最新)の[^。、?？]{{0,16}}{_VOLATILE_JA}[^。、?？]{{0,16}}\d"
)
"""A volatile quantity, told with its number."""
_HOLDS_OFFICE: Final = re2.compile(
    r"\b(?:current|present|new) (?:CEO|CFO|CTO|president|prime minister|chancellor|chair(?:man|woman|person)?|governor"
    r"|mayor|minister)(?: of (?:the )?[\w ]{1,40}?)?,? (?:is|named|called) ([A-Z][\w'-]+)"
    r"|(?:現在の|現|今の)(?:CEO|社長|会長|首相|総理大臣|大統領|知事|市長|大臣)は([^\s、。はがの?？]{2,12})(?:氏|さん|です|で、|だ)"
)
"""Who holds an office now, by name."""
_AS_OF: Final = re2.compile(
    r"(?i)\bas of\b|\b(?:in|since|by|until|on|of|for|from|dated) (?:\w+ ){0,2}(?:1[89]|20)\d\d\b|\b20\d\d-\d\d"
    r"|(?:1[89]|20)\d\d年|時点|\d{1,2}月(?:\d{1,2}日|現在)"
)
"""A date that says when it was so."""
_SUPPOSED: Final = re2.compile(
    r"(?i)\b(?:if|suppose|supposing|assum(?:e|ing)|imagine|let us say|what would)\b|もし|仮に|なら|たら|とすれば|場合"
)
"""A number that is only supposed is no fact."""
_NUMBER: Final = re2.compile(r"\d+(?:\.\d+)?")


def harmful(text: str) -> bool:
    """Does it ask for a way to hurt a person?"""
    return bool(_HARM.search(text))


def asks_credential(text: str) -> bool:
    """Would the answer be a password, a card number or the like?"""
    return bool(_ASKS_SECRET.search(text))


def says_found(text: str) -> bool:
    """Does it say that something was looked up?"""
    return bool(_FOUND_ELSEWHERE.search(clean(text)))


def undated_volatile(text: str, given: str) -> bool:
    """Does a sentence tell a volatile fact as it stands, with no date and nothing given to take it from?

    Args:
        text: What a model wrote.
        given: The input, its documents and the injected memory: what they say may be repeated.
    """
    known = _folded(given)
    sentences = (s for s in _SENTENCE.findall(_folded(text)) if not _AS_OF.search(s) and not _SUPPOSED.search(s))
    return any(_is_new(sentence, known) for sentence in sentences)


def _is_new(sentence: str, known: str) -> bool:
    if _AMOUNT_FOLLOWS.search(sentence):
        return not set(_NUMBER.findall(sentence)) <= set(_NUMBER.findall(known))
    return any(name not in known for name in _names(sentence))


def _names(sentence: str) -> Iterator[str]:
    for groups in _HOLDS_OFFICE.findall(sentence):
        yield from filter(None, groups)


def _folded(text: str) -> str:
    """One width, and numbers without separators: 1,200 is 1200."""
    text = unicodedata.normalize("NFKC", clean(text))
    return str(re2.sub(r"(\d),(\d{3})", r"\1\2", text))
