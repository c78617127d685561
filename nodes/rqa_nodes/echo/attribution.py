"""Does a valid reference bear out what the sentence says about it: who said it, in which words, and as what?

The item's own class decides who speaks. Quoted words must stand in the item. An assistant's item proves nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from rqa_nodes.echo.attribution_en import misgiven, renamed
from rqa_nodes.echo.claim import Claim
from rqa_nodes.echo.claims import find_claims
from rqa_nodes.echo.content import content_words
from rqa_nodes.echo.credited import find_credit
from rqa_nodes.echo.draft import Finding
from rqa_nodes.echo.elsewhere import is_quoted
from rqa_nodes.echo.facts import names_of
from rqa_nodes.echo.fold import fold
from rqa_nodes.echo.lazily import lazily
from rqa_nodes.echo.lexicon import SUGGESTIONS, load
from rqa_nodes.echo.repair import credit
from rqa_nodes.echo.restate import reads_badly
from rqa_nodes.echo.sentence import Sentence
from rqa_nodes.echo.speakers_ja import fits, read_attributions
from rqa_nodes.echo.speakers_zh import read_chinese_attributions
from rqa_nodes.echo.types import Injected, VerdictKind

__all__ = ["check_attribution", "holds_quote", "in_own_words", "is_marked", "marked"]

_DOCUMENT: Final = lazily(
    r"(?:資料|文書|ドキュメント|報告書|ファイル|ページ|記事|マニュアル)(?:によると|によれば|には|では)、?"
    r"|(?:资料|文件|文档|报告|网页|文章|手册|规定)(?:里|中|上)?(?:显示|表明|指出|说|写道|提到)[，,]?|"
    r"(?:根据|据)(?:资料|文件|文档|报告|网页|文章|手册|规定)[，,]"
)
_NAMED: Final = (
    r"(?<![\w])(?P<name>{names})(?:さん|氏)?(?:によると、?|によれば、?|いわく、?|曰く、?|(?:は|が)(?=[^。]*(?:言|述べ|話し|おっしゃ))"
    r"|に(?:は|も)?、?(?=[^。]*(?:とあ[りる]|って(?:ある|書)|と(?:書|記|述べ|載)|[がは](?:書|記|載)))|では、?(?=[^。]*とされ))"
)
_QUOTED: Final = lazily(
    r"\"([^\"\n]+)\"|“([^”\n]+)”|「([^「」\n]+)」|『([^『』\n]+)』|«([^»\n]+)»|„([^“”\n]+)[“”]"
    r"|(?<!\w)['‘](?=\w)([^'’\n]{2,}(?:(?<=\w)['’](?=\w)[^'’\n]*)*)['’](?!\w)"
)
_FOLDED_AWAY: Final = lazily(r"[\"“”„«»「」『』'‘’]")
_ELLIPSIS: Final = lazily(r"\.{2,}|…+|・{2,}")
_PROOF: Final = lazily(
    r"(?<![a-z])(?:proves?|proof|proven|evidence|confirms?|confirmed|shows?|shown|demonstrates?|"
    r"establishes|verif(?:y|ies|ied)|because|since|therefore|fact|showed|proved|supports?|supported|backs|backed|"
    r"documented|documents|follows from|clear from|settles|source|sources|no doubt|beyond doubt|undoubtedly|certain|"
    r"certainly|surely|sure|definitely|conclusive|conclusively|validates?|validated|data|analysis|findings|records|"
    r"(?:given|per|under|following|by|after|since) the (?:[a-z]+ )?(?:diagnosis|decision|finding|verdict|conclusion|"
    r"agreement)|known facts?|(?:established|agreed|known) facts?|facts)"
    r"(?![a-z])"
    r"|証拠|証明|立証|裏[付づ]け(?![のはがも]?な)|根拠|示して|示され|示しま|物語って|の証|断定|からそう言え|ことから|したがって|確か|"
    r"(?:診断|決定|結論|合意)(?:に基づ|を受け|を踏まえ|に従)|に決まった|共通認識|明らか(?!に(?:なっ|なり|し))|证明|證明|证据|證據|铁证|鐵證|佐证|因为|因此"
)
_OWN_WORD: Final = lazily(
    r"(?<![a-z])(?:i (?:(?:once|earlier|already|previously|have|had) )*(?:suggested|guessed|proposed|said)|"
    r"my (?:own )?(?:earlier |previous |first )?(?:suggestion|guess|"
    r"idea|hunch|hypothesis|assumption|speculation))(?![a-z])|以前私が提案|私の(?:以前の)?提案|我之前提议"
)


_READERS: Final = {"ja": read_attributions, "zh": read_chinese_attributions}
"""Who reads the attributions of a language; English ones are read here."""


def check_attribution(
    sentence: Sentence, names: frozenset[str], users: frozenset[str], own_words: str
) -> Iterator[Finding]:
    """What is wrong about the valid references of a sentence, the speaker first.

    Args:
        sentence: The sentence; all its references are valid.
        names: Folded names of the authors and speakers of this turn.
        users: Those of them who are users.
        own_words: Folded words of the user and the documents of this turn.
    """
    cited = sentence.cited
    if not cited:
        return
    speaker = _wrong_speaker(sentence, names, users)
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


_OWN_CREDIT: Final = lazily(
    r"\W*(?:i suggested earlier \(unverified[^)]*\)|以前(?:の|に)?私(?:が|の)提案[^:]{0,4}\(未確認[^)]*\)): ?"
    r"(?:“[^”]*”|「[^」]*」|\"[^\"]*\")\s*(?:\[m:[0-9a-z]+\])?[\s。.]*"
)
"""The engine's own credit of a guess that it quotes, and nothing else."""


def _is_own_credit(sentence: Sentence) -> bool:
    return _OWN_CREDIT.fullmatch(sentence.folded.text) is not None


def _wrong_speaker(sentence: Sentence, names: frozenset[str], users: frozenset[str]) -> Finding | None:
    if _is_own_credit(sentence) and all(item.source == "assistant" for item in sentence.cited):
        return None
    claims = list(find_claims(sentence))
    loose = [claim for claim in claims if _leaves_torso(sentence, claim)]
    wrong = _wrong_claim(sentence, [claim for claim in claims if claim not in loose])
    if wrong is not None:
        return wrong
    if sentence.lang == "en":
        wrong = _wrong_in_english(sentence, names, users)
    else:
        wrong = _wrong_by_form(sentence) or _wrong_name(sentence, names)
    return wrong or _wrong_claim(sentence, loose) or _wrong_credit(sentence)


def _leaves_torso(sentence: Sentence, claim: Claim) -> bool:
    """Is a Japanese or Chinese statement without these words none? Then whatever else is wrong is put right first."""
    return sentence.lang != "en" and claim.adverbial and not claim.strong


def _wrong_claim(sentence: Sentence, claims: Sequence[Claim]) -> Finding | None:
    for claim in claims:
        if is_quoted(sentence.plain, claim.start, claim.start + 1):
            continue  # somebody else's words, which the item must hold
        items = _nearest(sentence, claim)
        allowed = _allowed(claim)
        if allowed and not any(item.source in allowed for item in items):
            return _reattributed(sentence, claim, items[0])
    return None


def _wrong_credit(sentence: Sentence) -> Finding | None:
    """The item's own words, where those of the sentence credit somebody else with them."""
    credited = find_credit(sentence)
    if credited is None:
        return None
    around = (credited.start, credited.end)
    claim = Claim(*around, around, (0, 0), "", True, True, False)
    item = _nearest(sentence, claim)[0]
    return _quoting_item(sentence, _credited(sentence, claim, item), _prefix(sentence, item), item)


def _wrong_by_form(sentence: Sentence) -> Finding | None:
    for match in _DOCUMENT.finditer(sentence.plain):
        claim = _as_claim(sentence, match)
        items = _nearest(sentence, claim)
        if not any(item.source == "external" for item in items):
            return _reattributed(sentence, claim, items[0])
    for told in _READERS[sentence.lang](sentence.plain):
        around = (told.start, told.end)
        claim = Claim(*around, around, told.body or (told.end, told.end), "", True, told.body is None, True)
        items = _nearest(sentence, claim)
        if not any(fits(told, item) for item in items):
            return _reattributed(sentence, claim, items[0])
    return None


def _wrong_in_english(sentence: Sentence, names: frozenset[str], users: frozenset[str]) -> Finding | None:
    wrong = misgiven(sentence, names=names, users=users)
    if wrong is None:
        return None
    given, item = wrong
    adverbial = given.form == "adverbial"
    stop = len(sentence.plain.rstrip(" \n.!?"))
    clause = (given.start, given.end if adverbial else stop)
    claim = Claim(given.start, given.end, clause, (given.end, stop), "", True, adverbial, True)
    return renamed(sentence, given, item, users=users) or _reattributed(sentence, claim, item)


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
    pattern = lazily(_NAMED.format(names="|".join(map(re.escape, sorted(present, key=len, reverse=True)))))
    for match in pattern.finditer(sentence.plain):
        claim = _as_claim(sentence, match)
        items = _nearest(sentence, claim)
        if not any(match["name"] in names_of(item) for item in items):
            return _reattributed(sentence, claim, items[0])
    return None


def _as_claim(sentence: Sentence, match: re.Match[str]) -> Claim:
    start, end = match.span()
    stop = len(sentence.plain.rstrip(" \n.!?。"))
    return Claim(start, end, (start, end), (end, stop), "", True, True, True)


def _prefix(sentence: Sentence, item: Injected) -> str:
    """The words that name whose an item is."""
    wording = load(sentence.lang)["wording"]
    own = {"assistant": wording[SUGGESTIONS[sentence.answers.get(item, "")]], "user": wording["you_said"]}.get(
        item.source
    )
    named = wording["source_says"].format(name=item.author or item.locator or wording["source_unnamed"])
    return str(own or named)


def _credited(sentence: Sentence, claim: Claim, item: Injected) -> Finding:
    return credit(
        sentence,
        claim,
        prefix=_prefix(sentence, item),
        kind=VerdictKind.wrong_speaker,
        reason=f"the item is of class {item.source}",
        node=item.id or item.handle,
    )


def _reattributed(sentence: Sentence, claim: Claim, item: Injected) -> Finding:
    prefix, finding = _prefix(sentence, item), _credited(sentence, claim, item)
    body = finding.replacement.removeprefix(prefix) + sentence.text[finding.place[1] :]
    if sentence.lang != "en" and (_leaves_torso(sentence, claim) or _is_torso(body)):
        return _quoting_item(sentence, finding, prefix, item)
    if sentence.lang == "en" and (not content_words(fold(body).text) or reads_badly("", body)):
        return _quoting_item(sentence, finding, prefix, item)
    return finding


def in_own_words(sentence: Sentence, start: int, end: int, item: Injected) -> Finding:
    """The item's own words under their speaker, in place of a sentence that says too much of it from start to end."""
    claim = Claim(start, end, (start, end), (end, end), "", True, True, True)
    return _quoting_item(sentence, _credited(sentence, claim, item), _prefix(sentence, item), item)


def _is_torso(body: str) -> bool:
    """Is a Japanese or Chinese statement without its attribution none any more?"""
    folded = fold(body).text
    return not content_words(folded) or bool(_TORSO.search(folded))


_TORSO: Final = lazily(
    r"^(?:やん|やつ|じゃん|よね|から|けど)|(?:って|と|は|が)?(?:君|あなた|貴方|きみ)\s*(?:\[[^\]]*\])?[\s。.]*$"
)
_LONGEST_QUOTE_CHARS: Final = 240
_NOT_QUOTED: Final = lazily(r"[\n`\[\]()\"“”*|<>]")


def _quoting_item(sentence: Sentence, finding: Finding, prefix: str, item: Injected) -> Finding:
    """The item's own words, where those of the sentence would be no sentence under its true speaker."""
    if len(item.text) > _LONGEST_QUOTE_CHARS or _NOT_QUOTED.search(item.text):
        return finding
    text = sentence.text
    marks = [sentence.folded.span(reference.start, reference.end) for reference, _ in sentence.references]
    head = _HEAD.match(text)
    cited = "".join(text[slice(*place)] for place in marks)
    own, first = item.text.strip().rstrip(".!?。！？"), head.end() if head else 0
    if sentence.lang != "en":
        words, last = f"{prefix}{own}{cited}。", len(text.rstrip())
    else:
        words, last = f"{prefix}{own} {cited}", len(text.rstrip(" \n.!?"))
    return replace(finding, action="rewritten", replacement=words, cut=(first, last))


_HEAD: Final = lazily(r"(?:[\s>#•・]|[-*+] |\d{1,3}[.)] )*")


def _plain_words(text: str) -> str:
    return " ".join(_FOLDED_AWAY.sub("", fold(text).text).split())


def _misquotes(sentence: Sentence, cited: list[Injected], own_words: str) -> Iterator[Finding]:
    if not _FOLDED_AWAY.search(sentence.text):
        return
    sources = [_plain_words(text) for text in (*(item.text for item in cited), own_words)]
    wording = load(sentence.lang)["wording"]
    for match in _QUOTED.finditer(sentence.folded.text):
        if any(one.start <= match.start() and match.end() <= one.end for one, _ in sentence.references):
            continue  # as in <ref id="...">
        if _follows(sentence, match.start()):
            continue
        inner_place = next(match.span(number) for number, group in enumerate(match.groups(), 1) if group)
        start, end = sentence.folded.span(*match.span())
        inner = sentence.text[slice(*sentence.folded.span(*inner_place))]
        if "`" in inner or any(_stands_in(inner, source) for source in sources):
            continue
        already = sentence.text[:start].endswith(wording["roughly"])
        if not already and _is_nothing_like_it(sentence, inner, end):
            own = in_own_words(sentence, *match.span(), cited[0])
            yield replace(own, kind=VerdictKind.misquote, start=start, end=end, reason=_NOT_HELD)
            return
        yield Finding(
            kind=VerdictKind.misquote,
            start=start,
            end=end,
            node=cited[0].id or cited[0].handle,
            reason=_NOT_HELD,
            action="rewritten",
            replacement=("" if already else wording["roughly"]) + inner,
        )


_NOT_HELD: Final = "the item does not hold these words"
_ROUGHLY: Final = 0.5
"""More than this share of the quoted words an item must hold for the quotation to be roughly what it says."""


def _is_nothing_like_it(sentence: Sentence, quoted: str, end: int) -> bool:
    """Does a sentence that ends with the quotation say "roughly" of other words? Then the item's own words are due."""
    words = content_words(fold(quoted).text)
    if len(sentence.references) != 1 or len(sentence.cited) != 1 or not words:
        return False
    if len(words & content_words(fold(sentence.cited[0].text).text)) > _ROUGHLY * len(words):
        return False
    after = sentence.text[end:]
    for reference, _ in sentence.references:
        after = after.replace(sentence.text[slice(*sentence.folded.span(reference.start, reference.end))], "")
    return not content_words(fold(after).text)


_SO: Final = lazily(r"[,;:—–]? *(?:and )?(?:so|hence|therefore|thus|which is why|that['’]s why)(?![a-z])")


def _follows(sentence: Sentence, at: int) -> bool:
    """Does what stands at a place only follow from what is cited before it ("you asked for X [ref], so it is 'Y'")?"""
    ends = [reference.end for reference, _ in sentence.references if reference.end <= at]
    return len(ends) == len(sentence.references) and bool(_SO.match(sentence.plain, max(ends)))


def holds_quote(text: str, quote: str) -> bool:
    """Does a text hold quoted words, whatever its marks, case and width?"""
    return _stands_in(quote, _plain_words(text))


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
    if "proof" in sentence.signals and _PROOF.search(sentence.plain) and not is_marked(sentence):
        yield marked(sentence)


def is_marked(sentence: Sentence) -> bool:
    """Does a sentence say that what it refers to is the assistant's own, and no evidence?"""
    marked_so = load(sentence.lang)["wording"]["not_evidence"].strip() in sentence.text
    return marked_so or _is_own_credit(sentence)


def marked(sentence: Sentence) -> Finding:
    """A sentence with that said behind its last reference."""
    reference = sentence.references[-1][0]
    start, end = sentence.folded.span(reference.start, reference.end)
    item = sentence.cited[-1]
    return Finding(
        kind=VerdictKind.self_evidence,
        start=start,
        end=end,
        ref=sentence.pointers[-1].ref,
        node=item.id or item.handle,
        reason="an assistant's item is no proof",
        action="marked",
        replacement=load(sentence.lang)["wording"]["not_evidence"],
        cut=(end, end),
    )
