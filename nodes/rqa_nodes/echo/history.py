"""Is a claim about earlier talk backed, and what becomes of it if not?

Saying verbs are backed by a message of that speaker. Establishing verbs and "we" are backed only by a statement of the
user or of an external text: an assistant message never backs them, though everybody can see it. What an assistant
message carries is never only cut: the assistant is named as its source, and the reader learns that it is unverified.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from rqa_nodes.echo.claims import Claim, find_claims
from rqa_nodes.echo.draft import Finding
from rqa_nodes.echo.lexicon import load
from rqa_nodes.echo.sentence import Sentence
from rqa_nodes.echo.support import Support, content_words, is_negated
from rqa_nodes.echo.types import VerdictKind

__all__ = ["check_history"]

_COMMA: Final = re.compile(r"\s*[,、，]\s*")
_HEAD: Final = re.compile(r"[\s>*_#•・-]*(?:\d{1,3}[.)]\s+)?")
_CONNECTING: Final = re.compile(
    r"(?:(?:so|and|but|well|okay|ok|now|also|therefore|thus|however|then|indeed|right|great|yes|sure|that)\b[\s,:]*|また、|つまり、|そして、|では、)+",
    re.IGNORECASE,
)
_POINTS_BACK: Final = re.compile(r"(?<![a-z])(?:this|that|it|so|these|those)(?![a-z])|これ|それ|この|その|这|那")
_LEFTOVER: Final = re.compile(r"^[\s,;:、，—–-]*(?:(?:so|and|but|which|because|therefore|then)\b[\s,]*)?", re.IGNORECASE)


def check_history(
    sentence: Sentence, support: Support, *, before: frozenset[str], honest_said: bool
) -> Iterator[Finding]:
    """The first unbacked claim of a sentence, if there is one: the sentence is read again after each repair.

    Args:
        sentence: The sentence, its references already checked.
        support: What the texts of this turn support.
        before: Content words of the sentence before, for claims that only say "this".
        honest_said: True if the honest form stands in the reply already.
    """
    cited = {item.source for item in sentence.cited}
    if cited & {"user", "external", "system"}:
        return
    for claim in find_claims(sentence):
        finding = _check(sentence, claim, support, before=before, honest_said=honest_said, cited=bool(cited))
        if finding is not None:
            yield finding
            return


def _check(
    sentence: Sentence, claim: Claim, support: Support, *, before: frozenset[str], honest_said: bool, cited: bool
) -> Finding | None:
    content = _content(sentence, claim)
    words = content_words(content)
    points_back = not words or (len(words) == 1 and bool(_POINTS_BACK.search(content)))
    if points_back and before and (not words or not support.carried_by_assistant(words)):
        words = words | before if words else before
    if _backed(claim, words, support, negated=is_negated(content)):
        return None
    carried = cited or support.carried_by_assistant(words)
    if not carried and not claim.strong:
        return None
    wording = load(sentence.lang)["wording"]
    if carried:
        return _credited(sentence, claim, wording, points_back=points_back and not content_words(content))
    return _uncredited(sentence, claim, "" if honest_said else wording["no_record"])


def _content(sentence: Sentence, claim: Claim) -> str:
    """What the claim is about: what it names, else the rest of the sentence."""
    if claim.adverbial:
        return sentence.plain[: claim.start] + " " + sentence.plain[claim.end :]
    return sentence.plain[claim.content[0] : claim.content[1]]


def _backed(claim: Claim, words: frozenset[str], support: Support, *, negated: bool) -> bool:
    if claim.saying and claim.speaker == "i":
        return support.said_by_assistant(words)
    if claim.saying and claim.speaker == "you":
        return support.said_by_user(words)
    return support.affirmed(words, negated=negated)


def _finding(sentence: Sentence, claim: Claim, cut: tuple[int, int], **rest: str) -> Finding:
    start, end = sentence.folded.span(claim.start, claim.end)
    return Finding(
        kind=VerdictKind.unbacked_history,
        start=start,
        end=end,
        reason=rest["reason"],
        action=rest["action"],  # type: ignore[arg-type]  # one of the literals, from the two callers below
        replacement=rest["replacement"],
        cut=cut,
    )


def _credited(sentence: Sentence, claim: Claim, wording: dict[str, str], *, points_back: bool) -> Finding:
    """The assistant is named as the source: "I suggested earlier (unverified): X"."""
    text = sentence.text
    prefix = wording["suggestion"]
    reason = "only an assistant message carries it"
    if points_back and not claim.adverbial:
        first, last = sentence.folded.span(*claim.clause)
        tail = text[last:]
        return _finding(sentence, claim, (first, last), reason=reason, action="rewritten", replacement=wording["suggestion_of_it"][: -1 if tail.strip()[:1] in (".", "。", "!") else None])
    if prefix.strip() in text:
        return _finding(sentence, claim, _adverbial_cut(sentence, claim), reason=reason, action="cut", replacement="")
    if claim.adverbial:
        head = _HEAD.match(text)
        begin = head.end() if head else 0
        first, last = _adverbial_cut(sentence, claim)
        body = _CONNECTING.sub("", text[begin:first], count=1) if _CONNECTING.match(text, begin) else text[begin:first]
        return _finding(sentence, claim, (begin, last), reason=reason, action="rewritten", replacement=prefix + body)
    first, last = sentence.folded.span(*claim.clause)
    inner_first, inner_last = sentence.folded.span(*claim.content)
    body = text[inner_first:inner_last].strip(" ,:、")
    lead = text[:first]
    if _CONNECTING.fullmatch(lead[_head_end(lead) :]):
        first = _head_end(lead)
    ends = "" if text[last:].strip()[:1] in tuple(".。!！;") or not text[last:].strip() and _bare_end(text) else ". " if sentence.lang == "en" and text[last:].strip() else "。" if sentence.lang != "en" and text[last:].strip() else ""
    return _finding(sentence, claim, (first, _past_comma(text, last)) if ends else (first, last), reason=reason, action="rewritten", replacement=prefix + body + ends)


def _bare_end(text: str) -> bool:
    return bool(text.strip())


def _head_end(text: str) -> int:
    head = _HEAD.match(text)
    return head.end() if head else 0


def _past_comma(text: str, at: int) -> int:
    comma = _COMMA.match(text, at)
    end = comma.end() if comma else at
    while end < len(text) and text[end] == " ":
        end += 1
    return end


def _adverbial_cut(sentence: Sentence, claim: Claim) -> tuple[int, int]:
    """The adverbial with the commas or brackets that set it off."""
    text = sentence.text
    start, end = sentence.folded.span(claim.start, claim.end)
    lead = text[:start].rstrip()
    opens = lead.endswith((",", "、", "，"))
    after = _COMMA.match(text, end)
    if not text[_head_end(text) : start].strip():
        return start, after.end() if after else _skip_spaces(text, end)
    if opens and after:
        return len(lead) - 1, after.start() + len(after[0].rstrip()) if sentence.lang == "en" else after.end()
    if opens:
        return (len(lead) - 1, end) if not text[end:].strip(" .。!?！？\n") or sentence.lang == "en" else (start, end)
    if lead.endswith(("(", "（")) and text[end : end + 1] in (")", "）"):
        return len(lead) - 1, end + 1
    return start, after.end() if after and sentence.lang != "en" else end


def _skip_spaces(text: str, at: int) -> int:
    while at < len(text) and text[at] in " \t":
        at += 1
    return at


def _uncredited(sentence: Sentence, claim: Claim, honest: str) -> Finding:
    """Nobody carries it: an adverbial is cut, a main clause becomes the honest form once, then goes."""
    text = sentence.text
    reason = "no message, item or document carries it"
    if claim.adverbial and content_words(_content(sentence, claim)):
        return _finding(sentence, claim, _adverbial_cut(sentence, claim), reason=reason, action="cut", replacement="")
    first, last = sentence.folded.span(*claim.clause) if not claim.adverbial else (_head_end(text), len(text.rstrip(" \n.。!?！？")))
    lead = text[_head_end(text) : first]
    if len(content_words(lead.lower())) < 2 or sentence.lang != "en":  # noqa: PLR2004  # what is left would be no statement
        first = _head_end(text)
    rest = _LEFTOVER.sub("", text[last:].lstrip(" .。!！?？"), count=1)
    keeps = bool(content_words(rest.lower()))
    stop = len(text) - len(rest) if keeps else len(text.rstrip())
    action = "rewritten" if honest else "dropped"
    joined = honest + " " if honest and keeps and sentence.lang == "en" else honest
    if honest and not keeps and text[first:stop] == honest:
        stop = first
    return _finding(sentence, claim, (first, stop), reason=reason, action=action, replacement=joined)
