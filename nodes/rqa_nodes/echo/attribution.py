"""Does a valid reference bear out what the sentence says about it: who said it, in which words, and as what?

The item's own class decides who speaks. Quoted words must stand in the item. An assistant's item proves nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from rqa_nodes.echo.claim import Claim
from rqa_nodes.echo.claims import find_claims
from rqa_nodes.echo.draft import Finding
from rqa_nodes.echo.fold import fold
from rqa_nodes.echo.lexicon import load
from rqa_nodes.echo.repair import credit
from rqa_nodes.echo.screen import Screened
from rqa_nodes.echo.sentence import Sentence
from rqa_nodes.echo.speakers_ja import fits, read_attributions
from rqa_nodes.echo.speakers_zh import read_chinese_attributions
from rqa_nodes.echo.types import Injected, VerdictKind

__all__ = ["check_attribution"]

_PAPERS: Final = (
    r"(?P<{name}>document|file|report|page|article|manual|source|website|paper|docs?|documentation|guide|study|"
    r"handbook|"
    r"brochure|contract|lease|leaflet|survey|book|policy|guidelines?|blog|spreadsheet)"
)
_DOCUMENT: Final = re.compile(
    r"(?<![a-z])(?:the|your|this|that) (?:[a-z-]+ )?" + _PAPERS.format(name="one") + " (?:says|said|states|stated|"
    r"notes|"
    r"mentions|shows|confirms|reports|describes|explains)(?: that)?"
    r"|(?<![a-z])(?:according to|as (?:stated|written|noted) in|per) (?:(?:the|your|this|that) (?:[a-z-]+ )?"
    + _PAPERS.format(name="two")
    + r"|[\w-]+\.(?:pdf|docx?|xlsx?|txt|md|csv|html|pptx)(?![\w]))"
    r"|(?:資料|文書|ドキュメント|報告書|ファイル|ページ|記事|マニュアル)(?:によると|によれば|には|では)、?"
    r"|(?:资料|文件|文档|报告|网页|文章|手册|规定)(?:里|中|上)?(?:显示|表明|指出|说|写道|提到)[，,]?|"
    r"(?:根据|据)(?:资料|文件|文档|报告|网页|文章|手册|规定)[，,]"
)
_YOURS: Final = re.compile(
    r"(?<![a-z])your (?:own )?(?:idea|suggestion|proposal|plan|guess|words?|advice) (?:was|is|were)(?: that|"
    r" to)?(?![a-z])"
)
_RULES: Final = Screened((_DOCUMENT, _YOURS))
_NAMED: Final = (
    r"(?<![\w])(?P<as>as )?(?P<name>{names})(?:さん|氏)?(?: (?:has |had |also |once )*(?:said|mentioned|told (?:me|us|"
    r"you)|"
    r"stated|wrote|noted|explained|confirmed|agreed|decided|suggested|insisted|claimed|argued|reported|warned|"
    r"promised|proposed|recommended|pointed out)(?: that)?|によると、?|によれば、?|(?:は|"
    r"が)(?=[^。]*(?:言|述べ|話し|おっしゃ)))|(?<![\w])according to (?P<name2>{names})(?![\w])"
)
_QUOTED: Final = re.compile(
    r"\"([^\"\n]+)\"|“([^”\n]+)”|「([^「」\n]+)」|『([^『』\n]+)』|«([^»\n]+)»|„([^“”\n]+)[“”]"
    r"|(?<!\w)['‘](?=\w)([^'’\n]{2,}(?:(?<=\w)['’](?=\w)[^'’\n]*)*)['’](?!\w)"
)
_FOLDED_AWAY: Final = re.compile(r"[\"“”„«»「」『』'‘’]")
_ELLIPSIS: Final = re.compile(r"\.{2,}|…+|・{2,}")
_PROOF: Final = re.compile(
    r"(?<![a-z])(?:proves?|proof|proven|evidence|confirms?|confirmed|shows?|shown|demonstrates?|"
    r"establishes|verif(?:y|ies|ied)|because|since|therefore|fact)(?![a-z])"
    r"|証拠|証明|裏付け|裏づけ|根拠|示して|示され|ことから|したがって|確か|明らか|证明|证据|因为|因此"
)
_OWN_WORD: Final = re.compile(
    r"(?<![a-z])(?:i (?:(?:once|earlier|already|previously|have|had) )*(?:suggested|guessed|proposed|said)|"
    r"my (?:earlier )?(?:suggestion|guess|"
    r"idea))(?![a-z])|以前私が提案|私の(?:以前の)?提案|我之前提议"
)


_READERS: Final = {"ja": read_attributions, "zh": read_chinese_attributions}
"""Who reads the attributions of a language; English ones are read here."""


def check_attribution(sentence: Sentence, names: frozenset[str], own_words: str) -> Iterator[Finding]:
    """What is wrong about the valid references of a sentence, the speaker first.

    Args:
        sentence: The sentence; all its references are valid.
        names: Folded names of the authors and speakers of this turn.
        own_words: Folded words of the user and the documents of this turn.
    """
    cited = sentence.cited
    if not cited:
        return
    speaker = _wrong_speaker(sentence, names)
    if speaker is not None:
        yield speaker
        return
    yield from _misquotes(sentence, cited, own_words)
    yield from _self_evidence(sentence, cited)


def _nearest(sentence: Sentence, claim: Claim) -> list[Injected]:
    """The items of the reference that follows the claim, else of the last one before it."""
    groups = [(ref.start, [p.item for p in pointers if p.item is not None]) for ref, pointers in sentence.references]
    groups = [group for group in groups if group[1]]
    later = [items for start, items in groups if start >= claim.end]
    return later[0] if later else groups[-1][1]


def _wrong_speaker(sentence: Sentence, names: frozenset[str]) -> Finding | None:
    for claim in find_claims(sentence):
        items = _nearest(sentence, claim)
        allowed = _allowed(claim)
        if allowed and not any(item.source in allowed for item in items):
            return _reattributed(sentence, claim, items[0])
    of_paper, of_yours = _RULES.on(sentence.plain)
    for match in of_paper.finditer(sentence.plain):
        claim = _as_claim(sentence, match)
        items = _nearest(sentence, claim)
        paper = match["one"] or match["two"] or ""
        tells = bool(paper) and any(paper in fold(item.text).text for item in items)
        if not tells and not any(item.source == "external" for item in items):
            return _reattributed(sentence, claim, items[0])
    reader = _READERS.get(sentence.lang)
    if reader is not None:
        for told in reader(sentence.plain):
            around = (told.start, told.end)
            claim = Claim(*around, around, told.body or (told.end, told.end), "", True, told.body is None, True)
            items = _nearest(sentence, claim)
            if not any(fits(told, item) for item in items):
                return _reattributed(sentence, claim, items[0])
    for match in of_yours.finditer(sentence.plain):
        claim = _as_claim(sentence, match)
        items = _nearest(sentence, claim)
        if not any(item.source == "user" for item in items):
            return _reattributed(sentence, claim, items[0])
    return _wrong_name(sentence, names)


def _allowed(claim: Claim) -> frozenset[str]:
    """Classes that fit an attribution; none: nothing is attributed."""
    if claim.speaker == "i":
        if claim.saying:
            return frozenset({"assistant"})
        return frozenset({"user", "external", "system"}) if claim.strong else frozenset()
    if claim.speaker == "you":
        return frozenset({"user"})
    return frozenset({"user", "external", "system"})


def _wrong_name(sentence: Sentence, names: frozenset[str]) -> Finding | None:
    present = [name for name in names if name in sentence.plain]
    if not present:
        return None
    pattern = re.compile(_NAMED.format(names="|".join(map(re.escape, sorted(present, key=len, reverse=True)))))
    for match in pattern.finditer(sentence.plain):
        claim = _as_claim(sentence, match)
        items = _nearest(sentence, claim)
        name = match["name"] or match["name2"]
        if not any(fold(item.author).text == name for item in items):
            return _reattributed(sentence, claim, items[0])
    return None


def _as_claim(sentence: Sentence, match: re.Match[str]) -> Claim:
    start, end = match.span()
    adverbial = match[0].startswith(("according", "per ", "as ")) or sentence.lang != "en"
    stop = len(sentence.plain.rstrip(" \n.!?。"))
    return Claim(start, end, (start, end if adverbial else stop), (end, stop), "", True, adverbial, True)


def _reattributed(sentence: Sentence, claim: Claim, item: Injected) -> Finding:
    wording = load(sentence.lang)["wording"]
    prefix = {
        "assistant": wording["suggestion"],
        "user": wording["you_said"],
    }.get(item.source) or wording["source_says"].format(name=item.author or wording["source_unnamed"])
    return credit(
        sentence,
        claim,
        prefix=prefix,
        kind=VerdictKind.wrong_speaker,
        reason=f"the item is of class {item.source}",
        node=item.id or item.handle,
    )


def _plain_words(text: str) -> str:
    return " ".join(_FOLDED_AWAY.sub("", fold(text).text).split())


def _misquotes(sentence: Sentence, cited: list[Injected], own_words: str) -> Iterator[Finding]:
    if not _FOLDED_AWAY.search(sentence.text):
        return
    sources = [_plain_words(item.text) for item in cited]
    wording = load(sentence.lang)["wording"]
    for match in _QUOTED.finditer(sentence.folded.text):
        inner_place = next(match.span(number) for number, group in enumerate(match.groups(), 1) if group)
        start, end = sentence.folded.span(*match.span())
        inner = sentence.text[slice(*sentence.folded.span(*inner_place))]
        if "`" in inner or any(_stands_in(inner, source) for source in (*sources, own_words)):
            continue
        already = sentence.text[:start].endswith(wording["roughly"])
        yield Finding(
            kind=VerdictKind.misquote,
            start=start,
            end=end,
            node=cited[0].id or cited[0].handle,
            reason="the item does not hold these words",
            action="rewritten",
            replacement=("" if already else wording["roughly"]) + inner,
        )


def _stands_in(quote: str, source: str) -> bool:
    """Are the quoted words in the source, in order, where an ellipsis leaves something out?"""
    at = 0
    for piece in _ELLIPSIS.split(_plain_words(quote)):
        words = piece.strip(" .,;:!?。、！？")
        found = source.find(words, at)
        if found < 0:
            return False
        at = found + len(words)
    return True


def _self_evidence(sentence: Sentence, cited: list[Injected]) -> Iterator[Finding]:
    if any(item.source != "assistant" for item in cited) or _OWN_WORD.search(sentence.plain):
        return
    marker = load(sentence.lang)["wording"]["not_evidence"]
    if "proof" not in sentence.signals or not _PROOF.search(sentence.plain) or marker.strip() in sentence.text:
        return
    reference = sentence.references[-1][0]
    start, end = sentence.folded.span(reference.start, reference.end)
    yield Finding(
        kind=VerdictKind.self_evidence,
        start=start,
        end=end,
        ref=sentence.pointers[-1].ref,
        node=cited[-1].id or cited[-1].handle,
        reason="an assistant's item is no proof",
        action="marked",
        replacement=marker,
        cut=(end, end),
    )
