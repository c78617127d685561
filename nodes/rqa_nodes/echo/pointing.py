"""What happens to a reference that points nowhere?

The reference goes, and a clause that exists only to carry it goes too; the statement that it stood beside stays.
In a list of references only the wrong ones go.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from rqa_nodes.echo.content import content_words
from rqa_nodes.echo.draft import Finding
from rqa_nodes.echo.lazily import lazily
from rqa_nodes.echo.lexicon import load
from rqa_nodes.echo.mood import is_negated
from rqa_nodes.echo.references import Reference
from rqa_nodes.echo.sentence import Pointer, Sentence
from rqa_nodes.echo.support import Support
from rqa_nodes.echo.types import VerdictKind

__all__ = ["check_references"]

_CARRIER_BEFORE: Final = lazily(
    r"(?:,\s*)?(?:\b(?:(?:as|like)\s+)?(?:(?:was\s+)?(?:noted|stated|recorded|mentioned|discussed|"
    r"described|seen|shown|documented|"
    r"logged|saved|stored|established|confirmed|agreed|decided)\s+(?:earlier\s+)?(?:in|under|at|as|by|"
    r"with)|according to|based on|"
    r"see(?:\s+also)?|cf\.|per|via|from|in|under|of|by|with|to|at|as)\s+)?(?:\b(?:the|my|our|your|an?|this)\s+)?$"
)
_SAYS_AFTER: Final = lazily(
    r"\s*(?:clearly\s+|also\s+)?(?:says|shows|states|notes|records|indicates|mentions|suggests|"
    r"confirms|tells us|show|say|confirm|state)"
    r"(?:\s+(?:that\s+)?|[,:]\s*)"
)
_AS: Final = lazily(r"(?P<head>[\s>*_•-]*)(?:as )?")
_MARKED_LABEL: Final = lazily(r"[*_]+\s*[,:]\s*|[,:][*_]+\s*")
_COMMA_AFTER: Final = lazily(r"\s*[,:]\s*")
_JA_AFTER: Final = lazily(
    r" ?(?:(?:の?(?:記録|議論|内容|発言|メモ|記述|情報))?"
    r"(?:によると|によれば|に基づくと|に基づいて|に基づき|からすると)|"
    r"の(?:記録|議論|内容|発言|メモ|記述|情報)(?:では|には|だと)|という(?:記録|メモ|記憶|項目|ノード)(?:に(?:は)?|では?|によると)|"
    r"に(?:記載|記録|保存|記述|書かれ(?:ている|た)|残(?:る|っている))(?:の|された|されている)?(?:通り|とおり|ように)|"
    r"にある(?:通り|とおり|ように)?|の(?:通り|とおり)|"
    r"(?:を|も)?(?:参照|ご覧)(?:してください|ください)?|と(?:同様|同じ)(?:に|く)?|では|でも|には|にも|からは|"
    r"より|から|で|に|の|を|は|が|も|と)、?|、"
)
_REASONS: Final = {
    VerdictKind.unknown_id: "not given this turn",
    VerdictKind.stale_id: "known, but not given this turn",
    VerdictKind.ambiguous_prefix: "the beginning of an id, not an id",
}


_MOST: Final = 24
"""No sentence of this length is about more items."""


def check_references(sentence: Sentence, support: Support, *, honest_said: bool) -> Iterator[Finding]:
    """One finding for each id in the sentence.

    Args:
        sentence: The sentence.
        support: What the texts of this turn support.
        honest_said: True if the honest form stands in the reply already.
    """
    if (only_recorded := _only_recorded(sentence, support, honest_said=honest_said)) is not None:
        yield only_recorded
        return
    if len(sentence.references) > _MOST and (nowhere := _only_nowhere(sentence)):
        yield nowhere
        return
    for reference, pointers in sentence.references:
        wrong = [pointer for pointer in pointers if pointer.item is None]
        for pointer in pointers:
            if pointer.item is not None:
                yield _kept(pointer)
        if not wrong:
            continue
        whole = len(wrong) == len(pointers)
        for number, pointer in enumerate(wrong):
            cut = _whole_cut(sentence, reference) if whole and not number else _part_cut(sentence, pointer)
            yield Finding(
                kind=pointer.kind,
                start=pointer.start,
                end=pointer.end,
                ref=pointer.ref,
                reason=_REASONS[pointer.kind],
                action="removed",
                cut=cut,
            )


_RECORDED: Final = lazily(
    r"(?:という|との|って)(?:ような)?(?:お?(?:記録|メモ|発言|やり取り|やりとり|履歴|記憶|記述|ログ|書き込み|話))(?:も|が|は|なら)?、?"
    r"(?:あります|残っています|残っております|残っていました|"
    r"ございます|ありました|ございました|ある|残っている|見つかりました|見られます|です)(?:よ|ね|が)* ?[。]?$"
    r"|と(?:記録|記憶|メモ|保存)(?:に残|され|して)[^、。]{0,6}(?:います|おります|あります|いる|ある)(?:よ|ね)* ?[。]?$"
)
"""A Japanese sentence whose content stands only as what a record says."""
_RECORDED_ZH: Final = lazily(
    r"(?:也|还|還|都)?有(?:过|一条|一條|相关|相關|这样的)?的?(?:记录|記錄|笔记|筆記|记忆|記憶)"
    r"(?:显示|顯示|表明|说|說|写着|寫著|写道|提到|称)?[，,:：]?"
    r"|(?:有记录(?:可查|为证|在案)|有記錄可查|记录在案|記錄在案|记录里(?:也)?(?:有|写着|是这么写的))[。]?$"
)


def _only_recorded(sentence: Sentence, support: Support, *, honest_said: bool) -> Finding | None:
    """The honest form for a sentence that rests on a record alone, if the record is not there and nobody states it."""
    pointers = sentence.pointers
    if sentence.lang == "en" or not pointers or any(pointer.item is not None for pointer in pointers):
        return None
    text = sentence.plain
    for reference, _ in reversed(sentence.references):
        text = text[: reference.start] + text[reference.end :]
    text = re.sub(r"[(（\[]\s*[)）\]]", "", text).rstrip()
    carrier = (_RECORDED if sentence.lang == "ja" else _RECORDED_ZH).search(text)
    if carrier is None:
        return None
    content = text[: carrier.start()] + text[carrier.end() :]
    if support.affirmed(content_words(content), negated=is_negated(content)):
        return None
    head = _HEAD.match(sentence.text)
    return Finding(
        kind=pointers[0].kind,
        start=pointers[0].start,
        end=pointers[-1].end,
        ref=pointers[0].ref,
        reason=_REASONS[pointers[0].kind],
        action="removed",
        replacement="" if honest_said else str(load(sentence.lang)["wording"]["no_record"]),
        cut=(head.end() if head else 0, len(sentence.text.rstrip())),
    )


_HEAD: Final = lazily(r"[\s>*_#・•-]*(?:\d{1,3}[.)]\s+)?")


def _only_nowhere(sentence: Sentence) -> Finding | None:
    """So many references of which none points anywhere say nothing, and go with what stands between them."""
    pointers = sentence.pointers
    if any(pointer.item is not None for pointer in pointers):
        return None
    first, last = pointers[0], pointers[-1]
    return Finding(
        kind=first.kind,
        start=first.start,
        end=last.end,
        ref=first.ref,
        reason=f"{len(pointers)} references, none of them given this turn",
        action="removed",
        cut=sentence.folded.span(sentence.references[0][0].start, sentence.references[-1][0].end),
    )


def _kept(pointer: Pointer) -> Finding:
    assert pointer.item is not None
    return Finding(
        kind=VerdictKind.valid,
        start=pointer.start,
        end=pointer.end,
        ref=pointer.ref,
        node=pointer.item.id or pointer.item.handle,
    )


_SEPARATOR_BEFORE: Final = lazily(r"(?:\s*(?:[;,、/|&・と]|\band\b|\bor\b)\s*)(?:m:\s*)?#?$")
_SEPARATOR_AFTER: Final = lazily(r"\s*(?:[;,、/|&・と]|\band\b|\bor\b)\s*(?:m:\s*(?=\w))?")


def _part_cut(sentence: Sentence, pointer: Pointer) -> tuple[int, int]:
    """An id and the separator that joins it to the next or the last one."""
    folded = sentence.plain
    token = next(
        token
        for token in pointer.reference.tokens
        if sentence.folded.span(token.start, token.end) == (pointer.start, pointer.end)
    )
    start, end = token.start, token.end
    before = _SEPARATOR_BEFORE.search(folded, pointer.reference.start, start)
    after = _SEPARATOR_AFTER.match(folded, end, pointer.reference.end)
    if before:
        start = before.start()
    elif after:
        end = after.end()
        if "m:" in after[0] and not folded[:start].rstrip().endswith("m:"):
            end -= len(after[0]) - after[0].index("m:")
    return sentence.folded.span(start, end)


def _whole_cut(sentence: Sentence, reference: Reference) -> tuple[int, int]:
    """A reference, its brackets, and the words that only carry it."""
    text = sentence.plain
    start, end = reference.start, reference.end
    if sentence.lang == "en":
        start, end = _english_cut(text, reference)
    elif (kept := _kept_noun(text, reference)) is not None:
        start = kept
        end += text.startswith(" ", end)
    else:
        bracketed = text[start - 1 : start] in ("(", "[") and text[end : end + 1] in (")", "]")
        after = _JA_AFTER.match(text, end + bracketed)
        if bracketed and after and "、" in after[0] and not text[: start - 1].strip(" -*・"):
            return sentence.folded.span(start - 1, after.end())
        aside = text[start : start + 1] == "(" and text[:start].strip(" -*・")  # the noun before it stays
        if (after and reference.label == "label" and not bracketed and not aside) or (
            after and not bracketed and not text[:start].strip(" -*・")
        ):
            end = after.end()
        carrier = _CARRIER_JA.search(text, 0, start)
        if carrier and not bracketed and end == reference.end:
            start = carrier.start()
        quoted = _QUOTED_SOURCE.match(text, end) if text[start - 1 : start] in ("「", "『") else None
        if quoted:
            start, end = start - 1, quoted.end()
    first, last = sentence.folded.span(start, end)
    ours = end == reference.end and text.startswith(("[m", "[^m"), reference.start)
    target = _TARGET.match(sentence.text, last) if ours else None
    return first, target.end() if target else last


_CARRIER_JA: Final = lazily(
    r"(?:という|との)(?:記録|メモ|発言|やり取り)(?:も|が|は)(?:あります|残っています|ございます|ある) ?$"
)
"""A Japanese clause that says only that there is a record."""
_QUOTED_SOURCE: Final = lazily(
    r"[」』](?:に(?:ある|よる)(?:とおり|通り|ように|と)|によると|によれば|では|"
    r"には)、?"
)
_TARGET: Final = lazily(r"\([^()\s]{0,300}\)")
"""Where a link leads that was made of the reference."""


_NOUN_CJK: Final = lazily(r"[\u30a1-\u30fc\u3400-\u9fff]+")
_ARGUMENT: Final = lazily(r" ?(?:[をがもと]|は(?!、)|に(?![はもよ基あ従記保書、])|のほう)")


def _kept_noun(text: str, reference: Reference) -> int | None:
    """Where a number is cut whose noun the sentence needs: the memo is newer, both nodes say so."""
    noun = _NOUN_CJK.match(text, reference.start, reference.tokens[0].start)
    if reference.label != "label" or noun is None or not _ARGUMENT.match(text, reference.end):
        return None
    return noun.end()


def _whole_label(text: str, reference: Reference, start: int, end: int) -> tuple[int, int] | None:
    """A reference that begins a sentence, with what only leads over to what it is said to say."""
    lead, says = _AS.match(text), _SAYS_AFTER.match(text, end)
    if lead and says and not reference.label and lead.end() == start:
        return lead.end("head"), says.end()
    marked = _MARKED_LABEL.match(text, end)
    if marked and not text[:start].strip(" -*>_"):
        return len(text[:start].rstrip("*_")), marked.end()
    return None


def _english_cut(text: str, reference: Reference) -> tuple[int, int]:
    start, end = reference.start, reference.end
    if joined := _joined(text, start, end):
        return joined
    start -= text[start - 1 : start] == "^"
    if start and text[start - 1] == text[end : end + 1] == '"':
        start, end = start - 1, end + 1
    if whole := _whole_label(text, reference, start, end):
        return whole
    lead = text[max(0, start - 60) : start]
    before = _CARRIER_BEFORE.search(lead) if lead[-1:].isspace() or lead[-1:].isalnum() else None
    carrier = bool(before and before[0].strip(" ,"))
    if reference.label == "label":
        if before:
            start -= len(lead) - before.start()
        says = _SAYS_AFTER.match(text, end)
        if says and not text[:start].strip(" -*>"):
            return start, says.end()
        if not carrier and not text[:start].strip(" -*>") and text[end : end + 2].strip(" .,;:!?)"):
            return start, len(text.rstrip())
    elif before and carrier and (before[0].strip(" ,") not in _SHORT or not text[end : end + 1].strip(" .,;:!?)\n")):
        start -= len(lead) - before.start()
    comma = _COMMA_AFTER.match(text, end)
    if comma and not text[:start].strip(" -*>"):
        end = comma.end()
    return start, end


_ITEM: Final = r"(?:the |my |our )?(?:memory|note|node|record|entry|item)s? ?"
_JOINED_BEFORE: Final = lazily(rf"[\d\])],? (?:and|or|&) (?:{_ITEM})?#?$")
_JOINED_BEHIND: Final = lazily(rf" ?,? ?(?:and|or|&) (?={_ITEM}#?\d)")


def _joined(text: str, start: int, end: int) -> tuple[int, int] | None:
    """One of two items, with the word that joins them: "memory #198 and memory #195 say"."""
    before = _JOINED_BEFORE.search(text, max(0, start - 30), start)
    if before:
        return before.start() + 1, end
    behind = _JOINED_BEHIND.match(text, end)
    return (start, behind.end()) if behind else None


_SHORT: Final = frozenset({"to", "of", "as", "at"})
