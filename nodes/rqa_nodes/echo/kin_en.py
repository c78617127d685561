"""Is somebody of the reader's, or a paper, given the reader's own words, where no reference stands beside them?

What the reader told in the first person is his own word: "your sister said that she wants to sell the house", over "I
want to sell the house", names the wrong speaker. A sentence that speaks of that person, or follows one that does with
"she", is the person's.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Final

from rqa_nodes.echo.claim import any_of
from rqa_nodes.echo.content import content_words
from rqa_nodes.echo.draft import Finding
from rqa_nodes.echo.elsewhere import is_quoted
from rqa_nodes.echo.fold import fold
from rqa_nodes.echo.lazily import lazily
from rqa_nodes.echo.lexicon import load
from rqa_nodes.echo.screen import Screen, Screened
from rqa_nodes.echo.sentence import Sentence
from rqa_nodes.echo.support import Support
from rqa_nodes.echo.types import VerdictKind

__all__ = ["given_to_others_of_yours", "screen_of_given"]

_FIRST: Final = lazily(r"(?<![a-z])(?:i|i['’](?:m|d|ve|ll)|me|my|mine|we|we['’](?:re|d|ve|ll)|us|our)(?![a-z])")
_THIRD: Final = lazily(r"(?<![a-z])(?:he|she|they|him|her|them|his|their)(?![a-z])")
_OPEN: Final = lazily(
    r"(?:(?<![a-z])(?:if|whether|when|once|unless|until|should|would|could|may|might|ask|asked|tell|as if|what|what if|"
    r"suppose|imagine|let|hope|hopefully|maybe|perhaps|not|in case)|n['’]t)(?: [a-z]+){0,2} ?$"
)
_STOP: Final = lazily(r"[.;!?]|, (?:so|but|and)(?![a-z])| so (?=[a-z])|$")


@cache
def _given() -> Screened[tuple[re.Pattern[str]]]:
    lists = load("en_speakers")
    verbs, modes = any_of([*lists["verbs"], *lists["told_verbs"]]), any_of(lists["told_modes"])
    kin = any_of(lists["kin"])

    def person(name: str) -> str:
        return rf"your (?:[a-z-]+ ){{0,2}}?(?P<{name}>{kin})"

    end = r"(?: (?:me|us|you))?(?:,? that(?![a-z])|:)?"
    given = lazily(
        rf"(?<![a-z])(?:(?:as |like )?{person('a')}(?: (?:{modes}))* (?:{verbs})(?![a-z]){end}"
        rf"|(?:according to|per|as per|going by|to quote|in the words of|in the view of|on the advice of) "
        rf"{person('b')}(?!['’])(?![a-z])"
        rf"|{person('c')}['’]s? (?:own )?(?:[a-z]+ )?(?:{any_of(lists['things'])}) "
        r"(?:that|to|about|of|was|is)(?![a-z]))"
    )
    return Screened((given,))


def screen_of_given() -> Screen:
    """Could such a statement stand there?"""
    return _given().screen


def given_to_others_of_yours(sentence: Sentence, support: Support) -> Finding | None:
    """A statement of the reader's under the name of somebody of theirs, put right with the reader's own sentence."""
    text = sentence.plain
    if sentence.lang != "en" or "your " not in text or sentence.voice:
        return None
    (given,) = _given().on(text)
    for match in given.finditer(text):
        if _OPEN.search(text[max(0, match.start() - 40) : match.start()]) or is_quoted(
            text, match.start(), match.end()
        ):
            continue
        stop = _stop(text, match)
        words = content_words(text[match.end() : stop])
        if not words and match[0].startswith(("as ", "like ")):
            words = content_words(text[: match.start()])
        own = _own_words(support, match["a"] or match["b"] or match["c"], words)
        if own:
            return _corrected(sentence, match, stop, own)
    return None


def _stop(text: str, match: re.Match[str]) -> int:
    """Where what was said ends: at the comma, where it is the reason for what follows."""
    reason = _REASON.search(text[max(0, match.start() - 20) : match.start()])
    comma = text.find(",", match.end()) if reason else -1
    end = _STOP.search(text, match.end())
    return comma if comma >= 0 else end.start() if end else len(text)


_REASON: Final = lazily(r"(?<![a-z])(?:since|because|given that|as|now that|considering(?: that)?) $")


def _own_words(support: Support, person: str, words: frozenset[str]) -> str:
    """The reader's sentence in the first person that says this, if none says it of the person."""
    if not words:
        return ""
    least = min(2, len(words))
    found = ""
    for told in support.told_sentences:
        shared = len(words & told.words)
        if shared < least or shared * 2 < len(words):
            continue
        if person in told.folded and _clause_of_mine(told.folded, person, words):
            found = found or told.text
            continue
        if person in told.folded or (_THIRD.search(told.folded) and person in told.before):
            return ""
        if _FIRST.search(told.folded) and not _somebody().search(told.folded):
            found = found or told.text
    return found


_CLAUSE: Final = lazily(r"[,;:—–]| (?:but|while|though|whereas|and) ")


def _clause_of_mine(told: str, person: str, words: frozenset[str]) -> bool:
    """Does a clause of the reader's own say it, and not the one that speaks of the person: "I am afraid, she isn't"?"""
    clauses = _CLAUSE.split(told)
    theirs = [clause for clause in clauses if person in clause]
    if any(words & content_words(clause) for clause in theirs):
        return False
    return any(
        _FIRST.search(clause) and 2 * len(words & content_words(clause)) >= len(words)
        for clause in clauses
        if clause not in theirs and not _THIRD.search(clause)
    )


@cache
def _somebody() -> re.Pattern[str]:
    """Somebody else speaks or acts in it."""
    lists = load("en_speakers")
    verbs = any_of(lists["verbs"])
    return lazily(
        rf"(?<![a-z])(?:he|she|they|(?:my|the|our|his|her|their) (?:[a-z]+ )?(?:{any_of(lists['kin'])})) "
        rf"(?:(?:has|have|had|also|just|already) )*(?:{verbs})(?![a-z])"
    )


def _corrected(sentence: Sentence, match: re.Match[str], stop: int, own: str) -> Finding:
    """The reader's sentence under the reader's name; what follows from it stays."""
    text = sentence.text
    begin, end = sentence.folded.span(match.start(), max(match.end(), stop))
    head = _HEAD.match(text)
    first = head.end() if head else 0
    rest = _JOINING.sub("", text[end:])
    words = load("en")["wording"]["you_said"] + own.rstrip(".!?")
    last = len(text.rstrip(" \n.!?"))
    if content_words(fold(rest).text):
        words += ". " + rest[0].upper()
        last = len(text) - len(rest) + 1
    return Finding(
        kind=VerdictKind.wrong_speaker,
        start=begin,
        end=sentence.folded.span(match.start(), match.end())[1],
        reason="the reader said it",
        action="rewritten",
        replacement=words,
        cut=(first, last),
    )


_HEAD: Final = lazily(r"(?:[\s>#•・]|[-*+] |\d{1,3}[.)] )*")
_JOINING: Final = lazily(r"^[\s,;.!?]*(?:(?:so|but|and)(?![a-z])[\s,]*)?", re.IGNORECASE)
