"""How is a sentence put right once a claim in it is known to be wrong?

The statement survives under its true speaker; what nobody carries is cut, or replaced by an honest word. All cuts are
made in the original text, by the places that the claim had in the folded one.
"""

from __future__ import annotations

import re
from typing import Final

from rqa_nodes.echo.claim import Claim
from rqa_nodes.echo.content import content_words
from rqa_nodes.echo.draft import Finding
from rqa_nodes.echo.lazily import lazily
from rqa_nodes.echo.lexicon import LANGUAGES, SUGGESTIONS, load
from rqa_nodes.echo.sentence import Sentence
from rqa_nodes.echo.types import Action, VerdictKind

__all__ = ["credit", "credit_what_was_said", "discredit", "is_credited"]

_COMMA: Final = lazily(r"[*_]{0,3}[ \t]*[,、，:：][ \t]*(?:\n(?=[^\n]))?")
_TAG: Final = r"<[a-z]\w{0,10}(?:\s[^<>]{0,200})?>"
_HEAD: Final = lazily(rf"(?:[\s>*_#•・-]|{_TAG})*(?:\d{{1,3}}[.)]\s+)?", re.IGNORECASE)
_OPENED: Final = lazily(rf"(?:{_TAG}|[\"“‘「『])$", re.IGNORECASE)
_CLOSED: Final = lazily(r"</[a-z]\w{0,10}>|[\"”’」』]", re.IGNORECASE)
_LONGEST_TAG: Final = 220
_CONNECTING: Final = lazily(
    r"(?:(?:so|and|but|well|okay|ok|now|also|"
    r"therefore|thus|however|then|indeed|right|great|"
    r"yes|sure|that|earlier|previously|last time|"
    r"before|yesterday)\b[\s,:]*|また、|つまり、|そして、|では、)+",
    re.IGNORECASE,
)
_LEFTOVER: Final = lazily(r"^[\s,;:、，—–-]*(?:(?:so|and|but|which|because|therefore|then)\b[\s,]*)?", re.IGNORECASE)
_STATEMENT_WORDS: Final = 2
"""A beginning with fewer content words is no statement of its own."""


def _finding(
    sentence: Sentence,
    claim: Claim,
    cut: tuple[int, int],
    replacement: str,
    *,
    action: Action,
    reason: str,
    kind: VerdictKind = VerdictKind.unbacked_history,
    node: str = "",
) -> Finding:
    start, end = sentence.folded.span(claim.start, claim.end)
    return Finding(
        kind=kind, start=start, end=end, node=node, reason=reason, action=action, replacement=replacement, cut=cut
    )


def credit_what_was_said(sentence: Sentence, claim: Claim, words: str) -> Finding:
    """Replace "we established this" over a suggestion: say whose it was."""
    first, last = sentence.folded.span(*claim.clause)
    if sentence.text[last:].strip()[:1] in (".", "。", "!", "！"):
        words = words[:-1]
    return _finding(
        sentence, claim, (first, last), words, action="rewritten", reason="only an assistant message carries it"
    )


def credit(sentence: Sentence, claim: Claim, *, prefix: str, kind: VerdictKind, reason: str, node: str = "") -> Finding:
    """The true speaker is named: "I suggested earlier (unverified): X"."""
    text = sentence.text
    if any(one in text for one in _prefixes()):
        cut = _adverbial_cut(sentence, claim)
        return _finding(sentence, claim, cut, "", action="cut", reason=reason, kind=kind, node=node)
    place, words = (_credited_rest if claim.adverbial else _credited_clause)(sentence, claim)
    return _finding(sentence, claim, place, prefix + words, action="rewritten", reason=reason, kind=kind, node=node)


def is_credited(sentence: Sentence, claim: Claim) -> bool:
    """Is the claim all that stands behind "I suggested earlier (unverified):"? Then it is said as what it is."""
    start, end = sentence.folded.span(claim.start, claim.end)
    alone = not any(character.isalnum() for character in sentence.text[end:])
    return alone and sentence.text[:start].rstrip().endswith(_prefixes())


def _prefixes() -> tuple[str, ...]:
    return tuple(load(lang)["wording"][name].strip() for lang in LANGUAGES for name in SUGGESTIONS.values())


def _credited_rest(sentence: Sentence, claim: Claim) -> tuple[tuple[int, int], str]:
    """Without its adverbial, the whole sentence is the content."""
    text = sentence.text
    first, last = _adverbial_cut(sentence, claim)
    begin = min(_head_end(text), first)
    body = _CONNECTING.sub("", text[begin:first], count=1) if _CONNECTING.match(text, begin) else text[begin:first]
    if not body.strip(" *_"):
        body, last = "", _skip_spaces(text, last)
    return (begin, last), body


def _credited_clause(sentence: Sentence, claim: Claim) -> tuple[tuple[int, int], str]:
    """The content of a main clause, and a full stop where another clause follows."""
    text = sentence.text
    first, last = sentence.folded.span(*claim.clause)
    inner_first, inner_last = sentence.folded.span(*claim.content)
    body = text[inner_first:inner_last].strip(" ,:、")
    lead = text[_head_end(text) : first]
    if _CONNECTING.fullmatch(lead):
        first = _head_end(text)
    if not text[last:].strip() or text[last:].strip()[:1] in tuple(".。!！;[［"):
        return (first, last), body
    last = _past_comma(text, last)
    stop = ". " if sentence.lang == "en" else "。"
    return (first, min(len(text), last + 1)), body + stop + text[last : last + 1].upper()


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
    start = _fragment_start(sentence, start)
    end = _past_circumstance(sentence, start, end)
    while start > 0 and end < len(text) and text[start - 1] in "*_" and text[end] == text[start - 1]:
        start, end = start - 1, end + 1
    start, end = _unwrapped(text, start, end)
    lead = text[:start].rstrip()
    opens = lead.endswith((",", "、", "，"))
    after = _COMMA.match(text, end)
    if not text[max(_head_end(text), text.rfind("|", 0, start) + 1) : start].strip(' "“*_'):  # of a line, or of a cell
        return start, after.end() if after else _skip_spaces(text, end)
    if opens and after and sentence.lang == "en" and _LEADING.match(_CLAUSES.split(lead[:-1])[-1]):
        return len(lead), after.start() + len(after[0].rstrip())
    if opens and after:
        return len(lead) - 1, after.start() + len(after[0].rstrip()) if sentence.lang == "en" else after.end()
    if opens:
        return (len(lead) - 1, end) if not text[end:].strip(" .。!?！？\n") or sentence.lang == "en" else (start, end)
    if lead.endswith(("(", "（")) and text[end : end + 1] in (")", "）"):
        return len(lead[:-1].rstrip()), end + 1
    if text[start - 1 : start] == " " == text[end : end + 1]:
        return start, end + 1
    return start, after.end() if after and sentence.lang != "en" else end


def _unwrapped(text: str, start: int, end: int) -> tuple[int, int]:
    """An adverbial with the tag or the quotation marks that hold nothing else."""
    opened = _OPENED.search(text[max(0, start - _LONGEST_TAG) : start])
    closed = _CLOSED.match(text, end)
    if opened is None or closed is None or (opened[0][0] == "<") is not (closed[0][0] == "<"):
        return start, end
    return start - len(opened[0]), closed.end()


_CIRCUMSTANCE: Final = lazily(
    r"(?:(?<=[a-z]) |(?<= (?:on|in|at|to) ))?(?:(?:on|in|at|during|over|by|via|when|while|after|before|about|regarding|"
    r"last|this|late|earlier|back|with|for) )?(?:[\w'’-]+ ?){0,6}(?<! )(?=[,.!?)]|\s*$)",
    re.IGNORECASE,
)
_PREPOSITION: Final = lazily(
    r"(?:on|in|at|during|over|by|via|when|while|after|before|about|regarding|last|this|late|earlier|back|with|for|"
    r"yesterday|[a-z]+day|january|february|march|april|may|june|july|august|september|october|november|december|"
    r"yourself|ourselves|together|above|more than once|once|twice)(?![a-z])",
    re.IGNORECASE,
)


def _past_circumstance(sentence: Sentence, start: int, end: int) -> int:
    """The end of what belongs to the adverbial: "as we discussed on Monday in the office, ..."."""
    text = sentence.text
    if sentence.lang != "en" or text[end : end + 1] != " ":
        return end
    if not _PREPOSITION.match(text, end + 1) and not _DANGLING.search(text[start:end]):
        return end
    match = _CIRCUMSTANCE.match(text, end + 1)
    if match is None or (not text[_head_end(text) : start].strip() and text[match.end() : match.end() + 1] != ","):
        return end
    return match.end()


_DANGLING: Final = lazily(r" (?:on|in|at|with|about|to|for|over)$", re.IGNORECASE)


_FRAGMENT: Final = lazily(
    r"(?:^|(?<=[、，,;:：]))(?P<en>\s*(?:as (?:mentioned|noted|said|discussed|stated|agreed|"
    r"you(?:['’]ll| will| may| might)? (?:recall|remember|know))|"
    r"in keeping with|going (?:back to|by)|based on|given|according to|from|"
    r"with|per|in line with|"
    r"in view of|in light of|as for|building on|back to|following)\s+(?:what\s+)?)$|"
    r"(?P<ja>[^、，,;:：\s]{1,12}[でにがのともをはて])$",
    re.IGNORECASE,
)
"""What only leads up to an adverbial, and would hang in the air without it."""


def _fragment_start(sentence: Sentence, start: int) -> int:
    head = _head_end(sentence.text)
    match = _FRAGMENT.search(sentence.text[head:start])
    if match is None or (
        match["ja"]
        and (
            sentence.lang == "en"
            or (re.search(r"[、，]", sentence.text[head:start]) is None and len(match["ja"]) < start - head)
        )
    ):
        return start
    group = "en" if match["en"] else "ja"
    begin = head + match.start(group)
    return begin + len(match[group]) - len(match[group].lstrip())


def _skip_spaces(text: str, at: int) -> int:
    while at < len(text) and text[at] in " \t":
        at += 1
    return at


_EMPHASIS_END: Final = lazily(r"[.!?]*([*_]{1,3})(?![\w*_])")
"""Marks that close what was opened before the claim: they go together."""

_PARENTHESIS_END: Final = lazily(r"[^()（）\n]{0,200}[)）]")
_RELATIVE: Final = lazily(r"[\s,]*(?:which|who|where)(?![a-z])", re.IGNORECASE)
"""What goes on like this has lost what it speaks of."""

_INDEPENDENT: Final = lazily(r"(?:[;:—–-]|,? (?:and|but|so|yet))\s*$|,\s*(?:and|but|so|yet)?\s*$", re.IGNORECASE)


_LEADING: Final = lazily(
    r"[\W_]*(?:back )?(?:when|while|since|after|before|if|although|though|as|in|during|from|at|on|with|given|"
    r"because)(?![a-z])",
    re.IGNORECASE,
)
"""A lead that begins so is no sentence without what it leads to."""


def _stands_alone(lead: str) -> bool:
    """Do the words before a claim make a statement that ends before it?"""
    lead = lead.rstrip(" *_")
    if lead.endswith(",") and _LEADING.match(lead):
        return False
    least = 1 if lead.endswith((";", ":")) else _STATEMENT_WORDS
    return len(content_words(lead.lower())) >= least and bool(_INDEPENDENT.search(lead))


_CLAUSES: Final = lazily(r"[,;:—–.(]\s*(?:and |but |so )?")


def _ends_with_it(sentence: Sentence, claim: Claim) -> bool:
    """Is what stands before a clause of saying what was said: "X, you told me."?"""
    told = content_words(sentence.plain[slice(*claim.content)])
    return not claim.adverbial and not told and sentence.plain[: claim.start].rstrip().endswith(",")


_TORSO: Final = lazily(
    r"^[\s>*_#\"“-]*[,;:)]|(?<![\s,]) ,|,\s*[,.;!?](?!\.)|\(\s*\)|(?<![a-z])(?:of|from|between|as|the|a|an|and|or|our|"
    r"your|my|per|than)"
    r"\s*[.,;!?]|(?<![a-z])(?:as|per|given|following|with|from|by),",
    re.IGNORECASE,
)


def _is_torso(rest: str, whole: str) -> bool:
    """Would a cut leave what is no sentence, in a text that was one?"""
    return bool(_TORSO.search(rest)) and not _TORSO.search(whole)


def discredit(sentence: Sentence, claim: Claim, honest: str, *, content: str) -> Finding:
    """Nobody carries it: an adverbial is cut, a main clause becomes the honest form once, then goes."""
    text = sentence.text
    reason = "no message, item or document carries it"
    if claim.adverbial and content_words(content):
        cut = _adverbial_cut(sentence, claim)
        if not _is_torso(text[: cut[0]] + text[cut[1] :], text):
            return _finding(sentence, claim, cut, "", action="cut", reason=reason)
    first, last = (
        (_head_end(text), len(text.rstrip(" \n.。!?！？"))) if claim.adverbial else sentence.folded.span(*claim.clause)
    )
    lead = text[_head_end(text) : first]
    if "|" in lead:  # the cell of a table
        return _finding(sentence, claim, (first, last), honest, action="rewritten", reason=reason)
    if lead.rstrip().endswith(("(", "（")) and (close := _PARENTHESIS_END.match(text, first)):
        start = len(text[:first].rstrip().rstrip("(（").rstrip(" "))
        return _finding(sentence, claim, (start, close.end()), "", action="cut", reason=reason)
    if sentence.lang != "en" or not _stands_alone(lead) or _ends_with_it(sentence, claim):
        first = _head_end(text)
    closing = _EMPHASIS_END.match(text, last)
    if closing and text[:first].endswith(closing[1]) and first >= len(closing[1]):
        first, last = first - len(closing[1]), closing.end()
    rest = "" if _RELATIVE.match(text, last) else _LEFTOVER.sub("", text[last:].lstrip(" .。!?！？"), count=1)
    keeps = bool(content_words(rest.lower()))
    stop = len(text) - len(rest) if keeps else len(text.rstrip())
    words = honest + " " if honest and keeps and sentence.lang == "en" else honest
    if keeps and "a" <= rest[:1] <= "z":
        words, stop = words + rest[0].upper(), stop + 1
    return _finding(sentence, claim, (first, stop), words, action="rewritten" if honest else "dropped", reason=reason)
