"""Which words in a sentence point to an item of memory, and do they point to one that was given?

Our own brackets, full ids and UUIDs called memory count everywhere. Numbers count only with a memory cue in the same
sentence, or when the injected handles are numbers: plain prose is full of years, prices and lists.
All patterns read one folded unit of bounded length.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Final, NamedTuple

from rqa_nodes.echo.fold import fold_reference
from rqa_nodes.echo.lazily import lazily
from rqa_nodes.echo.references_bare import bare_handles, may_be_bare
from rqa_nodes.echo.references_cjk import named_in_cjk
from rqa_nodes.echo.references_en import may_name, named_ids
from rqa_nodes.echo.resolver import Resolver

__all__ = ["Reference", "Token", "find_references", "may_refer"]


class Token(NamedTuple):
    """One id inside a reference, by its folded place."""

    start: int
    end: int
    text: str


class Reference(NamedTuple):
    """A stretch of the folded sentence that points to items."""

    start: int
    end: int
    tokens: tuple[Token, ...]
    label: str = ""
    """"label" where a word such as node goes with it, "noun" where the word before stays, "" for brackets."""


_OURS: Final = lazily(
    r"(?:\[\s*\^?m\s*:\s*(?=\[\s*\^?m\s*:))*\[\s*\^?m\s*:(?:([^\[\]]*)\]|\s*\[([^\[\]]*)\]{1,2}|\s*([0-9a-z_-]*))"
)
"""Nested openings are one reference."""
_HANDLE: Final = r"(?=[0-9a-z]*\d[0-9a-z]*[a-z])(?=\d*[a-z])[0-9a-z]{6,8}"
"""Letters and digits mixed: a name with a number at its end, as footnotes have, is none."""
_TAG: Final = r"(?:ref|cite|citation|mem|memory|source|note|node|record|item)"
_LIKE_OURS: Final = lazily(
    r"\[\s*(?:\^?m\s*[=/#.\- ]|(?:mem|ref|id|memory|node|note|record|source|src|cite)\s*[:=#\- ])\s*"
    r"((?=[a-z]*\d)(?=\d*[a-z])[0-9a-z]{6,8})\s*\]"
    rf"|\[\s*[\^#]\s*({_HANDLE}|mem-?\d{{1,6}})\s*\]|\(\s*(?:mem|ref|memory)\s*[:=#\- ]\s*({_HANDLE})\s*\)"
    rf"|<{_TAG}(?:\s[^<>]{{0,40}})?>\s*(?:m:)?({_HANDLE}|n_[0-9a-z]{{8,60}})\s*</\w{{1,10}}>"
    rf"|<{_TAG}\s(?:[^<>]{{0,40}}\s)?(?:id|name|m|key|ref|source|src|handle|target|node|item)\s?=\s?[\"'“”]?\[?(?:m:)?"
    rf"({_HANDLE}|n_[0-9a-z]{{8,60}}|(?:mem|memory|node|note|record)[-_:#]?\d{{1,6}})\]?[\"'“”]?(?:\s[^<>]{{0,40}})?\s?/?>"
    rf"(?:\s?</{_TAG}>)?"
    r"|<(?:mem|memory)\s(?:id|ref|node|key|item)=[\"']?#?(\d{1,7})[\"']?\s*/?>(?:\s?</(?:mem|memory)>)?"
)
"""Our brackets with another word or mark before a handle."""
_OURS_OTHER: Final = lazily(
    r"(?<![0-9a-z_\[])[({<]\s*m:\s*([0-9a-z]{4,52})\s*[)}>]|"
    r"(?<![0-9a-z_\[:/])m:(?=[a-z]*\d)([0-9a-z]{6,52})(?![0-9a-z_])"
)
_NODE_ID: Final = lazily(r"(?<![0-9a-z_/])n_(?=[a-z]*\d)([0-9a-z]{8,60})(?![0-9a-z_])")
_NODE_PREFIX: Final = lazily(r"n_[a-z]{0,5}\d[0-9a-z]{2,}")
"""The beginning of a full id, in brackets."""
_UUID_HYPHENS: Final = 4
_UUID: Final = lazily(r"(?<![0-9a-z_-])[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}(?![0-9a-z_-])")
_MENTIONED: Final = lazily(
    r"(?<![a-z])(?:tag|marker|string|label|token|code|bracket|characters) |in your (?:paste|text|message|log|"
    r"snippet|file|"
    r"output|question|input)(?![a-z])"
)
"""Speaks of what the user wrote as of a piece of text."""
_PARTS: Final = lazily(r"[^\s;,、|/]+")

_LIST: Final = r"#?\d+(?:\s*(?:,|/|;|&|-|–|〜|~|、|・|と|and|or|to)\s*#?\d+)*"
_ID: Final = r"(?=[a-z]*\d)(?=\d*[a-z])[0-9a-z]{6,52}"
_NOT_COUNTED: Final = (
    r"(?![\d.,:-]*\d|\s*(?:%|gb|mb|kb|tb|g\b|m\b|ghz|mhz|px|km|kg|cm|mm|ml|million|billion|thousand|"
    r"percent|times|years?|"
    r"months?|weeks?|days?|hours?|minutes?|seconds?|pages?|people|lts|年|月|日|時|分|秒|回|件|個|人|つ|円|章|節|"
    r"項|ページ|頁|行|メートル|キロ|センチ|ミリ|グラム|トン|ポイント|ドル|ユーロ|パーセント|リットル|勝|敗|打|便|号室|歩|杯|着|票|桁|"
    r"ビット|バイト|列|字|段|級|棟|戸|社|校|試合|连|米|公里|公斤|天|次|元|张|岁|"
    r"歳|名|枚|冊|本|台|倍|点|度|種|文字|語|版|世紀|週|か月|ヶ月|カ月|割|位|階|条|万|億|千|百))"
)
_LABEL_EN: Final = lazily(
    r"(?<![\w.-])(?:node|note|memory|memories|record|memo)s?\s*(?:ids?\b|nos?\.|numbers?\b|nr\.?)?\s*[:#]?\s*"
    rf"(?:[(\[]\s*(?P<b>{_LIST}|{_ID})\s*[)\]]|(?P<a>{_LIST}|{_ID})(?!\w){_NOT_COUNTED}(?!\s*(?:\+|lts\b)))"
)
_LABEL_JA: Final = lazily(
    r"(?P<noun>ノード|ノート|メモリー?|メモ|記憶|記録|エントリー?|节点|節點|记忆|记录|笔记)(?:の?番号|id|"
    r"no\.?)?\s*[:#]?\s*"
    rf"(?:[(\[]\s*(?P<b>{_LIST}|{_ID})\s*[)\]]|(?P<a>{_LIST}|{_ID})(?![0-9a-z])(?:番(?![目地線]))?{_NOT_COUNTED})"
)
_TALK_CJK: Final = lazily(
    r"(?P<noun>過去ログ|ログ|履歴|議論|会話|発言|質問|回答|対話|やり取り|相談|記録|記憶|メモ|備忘録?|讨论|对话|发言|备忘录?|记忆|记录|聊天)\s*"
    r"(?:[(\[]\s*)?(?:(?:の?番号|の?id|编号|編号|no\.?|#|第(?=\d{1,6}(?:号|番|条)))\s*[:#]?\s*)(?P<a>#?\d{1,6})(?:号|番|"
    r"条)?(?:\s*[)\]])?"
    rf"(?!\d){_NOT_COUNTED}"
    r"|(?P<old>過去ログ|履歴番号|记忆编号|記憶番号)\s*[:#]?\s*(?P<b>\d{1,6})(?!\d)"
    r"|(?:第(?P<c>\d{1,6})(?:番|号)(?:目)?の?|id\s*[:#]\s*(?P<d>\d{1,6})\s*(?P<of>[の的]))"
    r"(?=記録|記憶|メモ|発言|会話|ノード|记忆|记录|讨论|发言|对话|笔记)"
    r"|第(?P<e>\d{1,6})[条号]的?(?P<zh>记忆|发言|对话|笔记|记录)"
)
"""A number that a word of talk or memory counts: 議論#146, 過去ログ 1187, 第73番の記録."""
_NOUNS: Final = frozenset({"記録", "記憶", "メモ", "记录", "笔记"})
"""Behind "の" these words say something without the number: 過去の記録."""
_PAST_JA: Final = lazily(
    rf"(?:過去|以前|前回)?(?:の?(?:議論|会話|発言|対話|やり取り|話|讨论|对话))?\s*[(\[]\s*({_LIST})\s*[)\]]"
)
_BAN: Final = lazily(
    r"(?<![\d第])(\d{2,6})番(?!目|地|線|組|手|茶|人|館|台|街|号|勝負)(?:\s*[(\[][\d/.\-年月日 ]{4,14}[)\]])?"
)
_HASH: Final = lazily(
    r"(?<![\w#&/])(?<!issue )(?<!pr )(?<!bug )(?<!ticket )(?<!request )(?<!room )(?<!number )(?<!issue"
    r"s )#(\d{1,6})(?![\w-])"
)
_SQUARE: Final = lazily(r"(?<![a-z0-9_)!])\[\s*(#?\d{1,6}(?:\s*[,;/、]\s*#?\d{1,6})*)\s*\](?![(:\[])")
_ROUND: Final = lazily(r"(?<![a-z0-9_\])])\(\s*(#?\d{1,6}(?:\s*[,;/、]\s*#?\d{1,6})*)\s*\)(?!\s?-?\d)")
_LEADING: Final = lazily(r"^\s*(\d{1,6})(?=[ではのにともを])")
_BARE_BRACKET: Final = lazily(r"\[\s*([^\[\]\s]{1,60})\s*\](?![(:])")
_YEAR: Final = lazily(r"(?:19|20)\d\d")
_DATE: Final = lazily(r"(?:19|20)\d\d[-/.]\d{1,2}(?:[-/.]\d{1,2})?")
_THOUSANDS: Final = lazily(r"\d{1,3}(?:,\d{3})+")
_NUMBER: Final = lazily(r"\d+")
_MIN_DIGITS: Final = 2
_VERSIONED_NODE: Final = lazily(r"node\s*(?:1\d|2\d)\b")
_VERSION_WORDS: Final = lazily(
    r"node\.js|nodejs|\bnpm\b|\blts\b|\bversion|\binstall|\bupgrade|\bruntime|\bend of life|\beol\b|\brelease|"
    r"\bsupport|\bdeprecat"
)

_TECHNICAL: Final = lazily(
    r"(?<![a-z])(?:(?:leaf|index|inner|root|parent|child|training|compute|worker|head|master|control|cluster|"
    r"storage|sensor|"
    r"graph|tree|gpu|cpu|login|edge|core|exit|relay|server|mesh|network|router|validator|primary|replica|data|start|"
    r"end|"
    r"source|target|sink) nodes?|clusters?|servers?|gpus?|cpus?|ram|disks?|heap|kubernetes|pods?|packets?|latency|"
    r"firmware|"
    r"b-trees?|trees?|graphs?|edges?|vert(?:ex|ices)|shortest path|database|tables?|columns?|rows?|csv|primary key|"
    r"crash(?:ed|es)?|reboot(?:ed|s)?|restart(?:ed|s)?|offline|online|unreachable|went down|is down|timed out|"
    r"voltage|solder(?:ed)?|board|slot|vinyl|album|score|"
    r"lymph|adjacent|path|walking|cycling|cyclists?|junction|numa|bytes?|kernel|cache|register)(?![a-z])"
)
"""Speaks of machines and data structures, which have nodes, records and memory too."""
_TECHNICAL_JA: Final = lazily(
    r"遅延|サーバ|クラスタ|隣接|引数|関数|変数|配列|sql|api|テーブル|例外|選手|グラフ|ポート|パケット|経路|gpu|cpu|コミット|チケット|"
    r"キャッシュ|データベース|カラム|クエリ|デプロイ|再起動|クラッシュ|障害|課題|イシュー|プルリク|番地|出走|レース|リポジトリ"
)
"""Speaks of machines, races and tickets, which have nodes, entries and records too."""
_OURS_JA: Final = lazily(r"私の|私たち|あなた|以前|過去|前回|先日|記憶|会話|対話|議論|お話|メモ(?!リ)")
_OURS_TO_REMEMBER: Final = lazily(
    r"(?<![a-z])(?:(?:my|our|your|long-term|the) (?:[a-z]+ )?(?:memory|memories|notes?|records?)|memory (?:node|"
    r"note|record|"
    r"item|entry|id)|past|earlier|previous|we (?:discussed|talked|agreed|decided|established)|you (?:said|told|"
    r"mentioned)|"
    r"remember|recall|discussions?|conversations?)(?![a-z])"
)
"""Speaks of this talk as well."""
_TENS: Final = r"(?:twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)"
_ONES: Final = r"(?:one|two|three|four|five|six|seven|eight|nine)"
_SPELLED: Final = lazily(
    rf"(?<![\w.-])memory (?:node|note|record|item|entry)s? (?:number )?(?P<a>{_TENS}(?:[- ]{_ONES})?)(?!\w)"
)
_ENTRY: Final = lazily(
    rf"(?<![\w.-])(?:memory (?:item|entry|slot|ref)s?|(?:log )?(?:entry|item) (?=\d+ (?:of|in|from) (?:my|our) ))\s*"
    rf"(?:no\.|number)?\s*#?(?P<a>{_LIST})(?!\w){_NOT_COUNTED}(?: (?:of|in|from) (?:my|our) (?:[a-z]+ )?(?:log|"
    rf"memory|notes|records|history))?"
)
_UNDER: Final = lazily(
    r"(?:(?<=memory)|(?<=memories)|(?<=records)|(?<=notes)),? (?:under|with|at|as)? ?(?:the )?(?:hash|id|key|ref\.?|"
    r"reference|number|no\.) "
    rf"#?(?P<a>{_ID}|\d{{2,6}}|[0-9a-f]{{6,}})(?!\w)|(?:(?<=memory)|(?<=memories)|(?<=records)|(?<=notes)) "
    r"\((?:ref|id|no|nr|key)\.? ?#?(?P<b>\d{1,6}|[0-9a-f]{6,})\)"
)
_TAGGED: Final = lazily(r"(?<![\w.-])(?:note|record|memory) [\"“'](?P<a>[a-z]{1,3}-\d{1,6})[\"”']")


_SIGNS: Final[Mapping[re.Pattern[str], tuple[str, ...]]] = {
    _LABEL_EN: ("node", "note", "memo", "record"),
    _BAN: ("番",),
    _HASH: ("#",),
    _SQUARE: ("[",),
    _ROUND: ("(",),
    _PAST_JA: ("(", "["),
    _LEADING: tuple("ではのにともを"),
    _SPELLED: ("memory ",),
    _ENTRY: ("memory ", "entry", "item"),
    _UNDER: ("memor", "records", "notes"),
    _TAGGED: ("note ", "record ", "memory "),
}
"""A pattern matches nothing in a text without one of its signs, and to look for these costs next to nothing."""


def _matches(pattern: re.Pattern[str], text: str) -> Iterable[re.Match[str]]:
    for sign in _SIGNS[pattern]:
        if sign in text:
            return pattern.finditer(text)
    return ()


def _other_names(text: str) -> Iterable[Reference]:
    """Ids under other names than "node 54": an entry of our log, a key of my memory, a spelled number."""
    for pattern in (_SPELLED, _ENTRY, _UNDER, _TAGGED):
        for match in _matches(pattern, text):
            group = "a" if match["a"] else "b"
            label = "" if pattern is _UNDER else "label"
            if pattern is _ENTRY:
                tokens = _numbers(match[group], match.start(group))
            else:
                tokens = (Token(match.start(group), match.end(group), match[group]),)
            yield Reference(match.start(), match.end(), tokens, label)


def may_refer(text: str, *, cue: bool, resolver: Resolver) -> bool:
    """Could `find_references` find anything? Without a cue, only our own forms and named ids count."""
    if (
        cue
        or resolver.numeric
        or "[" in text
        or "m:" in text
        or "n_" in text
        or "</" in text
        or ("<" in text and "=" in text)
        or text.count("-") >= _UUID_HYPHENS
    ):
        return True
    return bool(_NUMBER.search(text)) and (may_name(text) or may_be_bare(text, resolver))


def find_references(text: str, *, cue: bool, resolver: Resolver) -> list[Reference]:
    """Find what points to memory in a folded sentence, in order, without overlap.

    Args:
        text: The folded unit, code already blanked out.
        cue: True if a memory cue stands in the sentence.
        resolver: The ids of this turn.
    """
    if not may_refer(text, cue=cue, resolver=resolver):
        return []
    found = list(_named(text, cue, resolver)) if _NUMBER.search(text) else []
    found += _own_forms(text, cue, resolver)
    if _NUMBER.search(text):
        for start, end, ids in bare_handles(text, resolver):
            found.append(Reference(start, end, tuple(Token(*place, text[slice(*place)]) for place in ids)))
    if cue or resolver.numeric:
        found += _cued_forms(text, resolver)
    if cue:
        found += _other_names(text)
    found.sort(key=lambda reference: (reference.start, -reference.end))
    kept: list[Reference] = []
    for reference in found:
        if not kept or reference.start >= kept[-1].end:
            kept.append(reference)
    return kept


def _named(text: str, cue: bool, resolver: Resolver) -> Iterable[Reference]:
    for start, end, ids in named_ids(text, cue=cue):
        if text[start:end] not in resolver.given:
            tokens = tuple(Token(*place, text[slice(*place)].lstrip("#")) for place in ids)
            yield Reference(*_whole_tag(text, start, end), tokens, "label")


_TAG_END: Final = lazily(r"[\"'”\s]{0,2}/?>")


def _whole_tag(text: str, start: int, end: int) -> tuple[int, int]:
    """The tag that consists of these words, else the words."""
    close = _TAG_END.match(text, end) if text[start - 1 : start] == "<" else None
    return (start - 1, close.end()) if close else (start, end)


def _own_forms(text: str, cue: bool, resolver: Resolver) -> Iterable[Reference]:
    """What counts everywhere: our brackets, full ids, UUIDs called memory."""
    if "[" in text or "m:" in text or "<" in text or "(" in text:
        yield from _bracketed(text, resolver)
    if "n_" in text:
        for match in _NODE_ID.finditer(text):
            yield Reference(
                match.start(),
                match.end(),
                (Token(match.start(), match.end(), match[0]),),
                "label",
            )
    if text.count("-") >= _UUID_HYPHENS:
        for match in _UUID.finditer(text):
            if cue or fold_reference(match[0]) in resolver.by_key:
                yield Reference(
                    match.start(),
                    match.end(),
                    (Token(match.start(), match.end(), match[0]),),
                    "label",
                )


def _bracketed(text: str, resolver: Resolver) -> Iterable[Reference]:
    for pattern in (_OURS, _OURS_OTHER, _LIKE_OURS):
        for match in pattern.finditer(text):
            group = next(number for number, body in enumerate(match.groups(), 1) if body is not None)
            ids = _ids(match[group], match.start(group))
            if (
                match[0] in resolver.given
                and _MENTIONED.search(text)
                and not any(fold_reference(one.text) in resolver.by_key for one in ids)
            ):
                continue
            yield Reference(match.start(), match.end(), ids)
    for match in _BARE_BRACKET.finditer(text):
        name = match[1].lstrip("#")
        if fold_reference(name) in resolver.by_key or _NODE_PREFIX.fullmatch(name):
            yield Reference(match.start(), match.end(), (Token(match.start(1), match.end(1), name),))


def _ids(body: str, at: int) -> tuple[Token, ...]:
    """The ids between our brackets; a body without any is one empty id."""
    tokens = []
    for match in _PARTS.finditer(body):
        word = match[0].removeprefix("m:").strip("<>{}()[]\"'`*_") if match[0] not in ("m", "m:") else ""
        if word:
            start = at + match.start() + match[0].find(word)
            tokens.append(Token(start, start + len(word), word))
    return tuple(tokens) or (Token(at, at + len(body), body.strip()),)


def _cued_forms(text: str, resolver: Resolver) -> Iterable[Reference]:
    if not _NUMBER.search(_OURS.sub("", text) if "[" in text else text):
        return
    foreign = not text.isascii() and not (_TECHNICAL_JA.search(text) and not _OURS_JA.search(text))
    for match in (*_labels_en(text), *(_LABEL_JA.finditer(text) if foreign else ())):
        if match[0].strip() in resolver.given:
            continue
        group = "a" if match["a"] else "b"
        start = match.start()
        if "noun" in match.re.groupindex and match["noun"] in _NOUNS and text[:start].endswith("の"):
            start = match.end("noun")
        label = "label" if start == match.start() else "noun"
        yield Reference(start, match.end(), _numbers(match[group], match.start(group)), label)
    if foreign:
        yield from _talk_numbers(text, resolver)
        yield from _named_cjk(text, resolver)
    for pattern in (_BAN, _HASH, _SQUARE, _ROUND, _PAST_JA) + ((_LEADING,) if resolver.numeric else ()):
        for match in _matches(pattern, text) if foreign or text.isascii() or pattern is not _HASH else ():
            if match[0].strip() not in resolver.given and _counts(pattern, match[1], resolver):
                start = match.start() if pattern is not _PAST_JA else _bracket_before(text, match.start(1))
                yield Reference(start, match.end(), _numbers(match[1], match.start(1)))


def _named_cjk(text: str, resolver: Resolver) -> Iterable[Reference]:
    for start, end, ids, label in named_in_cjk(text):
        if text[start:end].strip() not in resolver.given:
            yield Reference(start, end, tuple(Token(*place, text[slice(*place)].lstrip("#")) for place in ids), label)


def _talk_numbers(text: str, resolver: Resolver) -> Iterable[Reference]:
    for match in _TALK_CJK.finditer(text):
        group = next(name for name in "abcde" if match[name])
        if match[0].strip() in resolver.given:
            continue
        start = match.end("noun") if match["noun"] else match.start()
        label = "noun" if match["noun"] or group in "cd" else "label"
        yield Reference(start, match.end(), _numbers(match[group], match.start(group)), label)


def _labels_en(text: str) -> list[re.Match[str]]:
    """Numbered nodes and records, but not those of something else: a version of Node, a machine, a data structure."""
    found = list(_matches(_LABEL_EN, text))
    if not found or (_TECHNICAL.search(text) and not _OURS_TO_REMEMBER.search(text)):
        return []
    versions = _VERSION_WORDS.search(text) is not None
    return [match for match in found if not (versions and _VERSIONED_NODE.match(match[0]))]


def _bracket_before(text: str, at: int) -> int:
    while at > 0 and text[at] not in "([":
        at -= 1
    return at


def _counts(pattern: re.Pattern[str], body: str, resolver: Resolver) -> bool:
    """Years, dates, sums and single digits in round brackets are prose, unless such a number was handed out."""
    numbers = _NUMBER.findall(body)
    if any(number in resolver.by_key for number in numbers):
        return True
    if pattern is _SQUARE and resolver.footnotes.issuperset(numbers):
        return False
    if _THOUSANDS.fullmatch(body) or _DATE.fullmatch(body) or all(map(_YEAR.fullmatch, numbers)):
        return False
    return resolver.numeric or pattern in (_SQUARE, _HASH) or min(map(len, numbers)) >= _MIN_DIGITS


def _numbers(body: str, at: int) -> tuple[Token, ...]:
    return tuple(
        Token(at + match.start(), at + match.end(), match[0].lstrip("#"))
        for match in re.finditer(r"#?[0-9a-z]*\d[0-9a-z]*", body)
    )
