"""Do these words, inside a sentence of the assistant's own, speak of another talk than this one?

Direct speech and examples of language are somebody else's words. A denial by form ("as agreed between the two
railways", "as established in lemma 2") names its own parties or place, and what the user himself said of earlier talk
is the user's to say.
"""

from __future__ import annotations

import re
from typing import Final

from rqa_nodes.echo.lazily import lazily
from rqa_nodes.echo.sentence import Sentence

__all__ = ["is_quoted", "speaks_elsewhere"]

_QUOTATION: Final = lazily(
    r"\"[^\"\n]*\"|“[^”\n]*”|「[^」\n]*」|『[^』\n]*』|(?<!\w)['‘](?=\w)[^'’\n]*(?:(?<=\w)['’](?=\w)[^'’\n]*)*['’](?!\w)"
)
_LANGUAGE: Final = lazily(
    r"(?<![a-z])(?:japanese|english|german|french|spanish|italian|chinese|latin|korean|russian|phrase|expression|"
    r"idiom|"
    r"word|verb|sentence|proverb|saying) (?:for|form|such as|like|is|means|\W{0,2}$)|"
    r"(?<![a-z])(?:translates? (?:as|to)|means literally|past tense|"
    r"is pronounced)(?![a-z])"
)
_TAGGED: Final = lazily(
    r", (?:said|says|sang|sings|cried|asked|replied|answered|whispered|shouted|muttered|laughed|sighed|growled|wrote|"
    r"writes) (?:the |a |an |my |his |her |our |old )?[a-z]+"
)
_PARTIES: Final = lazily(
    r"\s+(?:between|with|by|among) (?!(?:us|you|me|both of us|the two of us|you and|ourselves)(?![a-z]))[a-z]"
    r"|\s+in (?:(?:lemma|theorem|proposition|corollary|equation|eq\.|definition|article|clause|paragraph|"
    r"appendix|annex|"
    r"figure|table|chapter|section|part|volume|act|scene)s? [\w(]|the (?:[a-z]+ ){0,2}"
    r"(?:contract|lease|treaty|statutes|minutes|paper|"
    r"literature|manual|report|proof|policy|introduction|agreement|schedule|guidelines?|rules|tender|offer|"
    r"paragraph|section|chapter|sentence)(?![a-z]))"
    r"|\s+(?:in|at|on) (?:(?:the )?(?:first|last|second|top|beginning|start|end|opening)[a-z ]{0,16} of )?(?:this|"
    r"my) (?:reply|"
    r"answer|message|text|response|article|section)|\s+in (?:step|point|item|note|line|page|answer|my answer) \d"
    r"|\s+of (?:this|my) (?:reply|answer|message|text|response|article|section)(?![a-z])"
    r"|(?<=agreed) to disagree"
    r"|,? (?:above|below)(?![a-z])"
)
_OWN_MENTION: Final = lazily(
    r"(?<![a-z])your (?:question|message|remark|text|note|mail) (?:mentions?|says?|states?|asks?) that $"
)
_SOMEBODY_SAYS: Final = lazily(
    r"(?<![a-z])(?:the|a|an|his|her|their|one|this) (?:[a-z]+ )?(?:song|poem|letter|minutes|text|sign|book|play|film|"
    r"article|script|story|"
    r"e-?mail|contract|advert|label|king|queen|hero|doctor|boss|teacher|witness|judge|chorus|narrator|character) "
    r"(?:says?|said|reads?|states?|goes|claims?|tells?|wrote|writes|asks?|asked|sings?|thinks?|begins?|began|opens?|opened|ends?|ended)"
    r"(?:(?: that|:)? ?[\"“]?|: [^:]*)$"
)
_SAYS_SOMEBODY: Final = lazily(
    r", (?:the|a|an|his|her|their|one) (?:[a-z]+ )?(?!assistant|user|bot|model)[a-z]+ (?:says?|said|writes?|wrote|"
    r"reports?|reported|claims?|claimed|reads?|"
    r"noted?|tells us)[.!?]*\s*$"
    r"|, (?:he|she|they) (?:wrote|writes|noted|said|thought) (?:in|into|on) (?:his|her|their|a|the) [a-z ]+[.!?]*\s*$"
    r"|, you (?:write|ask|say)[;:,.!?]"
)
_STEP: Final = lazily(
    r"(?<![a-z])in (?:lemma|theorem|proposition|corollary|equation|definition|chapter|section|part|step|case|problem|"
    r"exercise|figure|table) [\w.]{1,8},? $"
)
"""A place in a text or in a proof, in front of "we showed"."""

_PEOPLE: Final = lazily(
    r"(?<![a-z])as (?!partners|collaborators)(?:[a-z]+ )?[a-z]+(?:ans|ens|ers|ors|ists|ents), $(?P<we>)|"
    r"(?<![a-z])as an? (?:[a-z]+ )?[a-z]+,? $"
)
_TOLD_THIRD: Final = lazily(r"you (?:have )?(?:told|asked|shown|informed|promised|given) (?:the|an?|his|her) ")
"""A role gives the rule ("as a tenant you have told the landlord"), and a people its "we"."""

_EXCLAIMED: Final = lazily(r"you said it(?=\s*[:!,.])|we (?:have )?agreed? to disagree")


def is_quoted(text: str, start: int, end: int) -> bool:
    """Does it stand in a quotation inside a longer sentence? Then somebody else may be speaking."""
    for match in _QUOTATION.finditer(text):
        if match.start() <= start and end <= match.end():
            return bool(re.search(r"\w", text[: match.start()] + text[match.end() :]))
    return False


def speaks_elsewhere(sentence: Sentence, start: int, end: int) -> bool:
    """Do the words at this place speak of another talk?"""
    text = sentence.plain
    if is_quoted(text, start, start + 1) or _PARTIES.match(text, end) or _EXCLAIMED.match(text, start):
        return True
    if _STEP.search(text[max(0, start - 40) : start]) or _is_role(text, start):
        return True
    if _SOMEBODY_SAYS.search(text[max(0, start - 80) : start]) or _SAYS_SOMEBODY.search(text, end):
        return True
    if _TAGGED.search(text, end) or _LANGUAGE.search(text[:start]) or _OWN_MENTION.search(text[:start]):
        return True
    words = text[start:end].strip()
    return words.count(" ") > 1 and f" {words}" in f" {sentence.own_words}"


def _is_role(text: str, start: int) -> bool:
    """Does a role or a people stand before "we" or "you", so that neither is a party of this talk?"""
    role = _PEOPLE.search(text[max(0, start - 60) : start])
    if role is None:
        return False
    return text.startswith("we ", start) if role["we"] is not None else bool(_TOLD_THIRD.match(text, start))
