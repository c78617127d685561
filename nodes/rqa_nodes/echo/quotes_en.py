"""Does a sentence quote the user, or a document of this turn, in words that neither holds?

Where no reference stands beside a quotation, the source is named in prose: "your message says", "the report states". A
quotation that is not there word for word is no quotation: what shares enough of a statement stays without its marks,
called rough; what nobody states goes.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Final, NamedTuple

from rqa_nodes.echo.attribution import holds_quote
from rqa_nodes.echo.claim import Claim, any_of
from rqa_nodes.echo.content import content_words
from rqa_nodes.echo.draft import Finding
from rqa_nodes.echo.fold import fold
from rqa_nodes.echo.lazily import lazily
from rqa_nodes.echo.lexicon import load
from rqa_nodes.echo.mood import is_negated
from rqa_nodes.echo.repair import discredit
from rqa_nodes.echo.screen import Screen, Screened
from rqa_nodes.echo.sentence import Sentence
from rqa_nodes.echo.support import Support
from rqa_nodes.echo.types import VerdictKind

__all__ = ["misquoted", "screen_of_quotes"]

_QUOTE: Final = r"[\"“](?P<q>[^\"“”\n]{3,}?)[\"”]"
_OTHER_QUOTE: Final = _QUOTE.replace("<q>", "<p>")
"""The same before the words that name its source."""
_OPEN: Final = lazily(
    r"(?:(?<![a-z])(?:if|whether|when|once|unless|until|should|could|would|may|might|not|suppose|imagine|say|where)|n['’]t)"
    r"(?: [a-z]+)? ?$"
)
_STOP: Final = lazily(r"[,;:.!?](?=\s|$)|$")


class _Rules(NamedTuple):
    of_user: re.Pattern[str]
    of_paper: re.Pattern[str]


@cache
def _rules() -> Screened[_Rules]:
    return Screened(_Rules(of_user=_of_user(), of_paper=_of_paper()))


def _of_user() -> re.Pattern[str]:
    lists = load("en_speakers")
    texts, verbs = any_of(lists["user_texts"]), any_of(lists["quoting_verbs"])
    return lazily(
        rf"(?<![a-z])(?:your (?:[a-z]+ ){{0,2}}?(?:{texts})(?: (?:here|above))? "
        rf"(?:{verbs}|is|was|were|are)(?: that|:|,)* ?"
        rf"|(?:in your (?:[a-z]+ ){{0,2}}?(?:{texts}),? )?(?:as |like )?you (?:[a-z]+ly |also |just |once )?(?:{verbs})"
        rf"(?: it| me| that| about|:|,)* ?"
        rf"|(?:to quote|quoting|i quote|in) (?:you|your (?:[a-z]+ ){{0,2}}?(?:{texts}))[:,]? "
        rf"|your (?:exact |own |very )+(?:{texts})[:,] ){_QUOTE}"
        rf"|{_OTHER_QUOTE},? (?:as |is what |was what |in )?"
        rf"(?:you (?:{verbs})|your (?:[a-z]+ )?(?:{texts})(?: (?:{verbs}))?)(?![a-z])"
    )


def _of_paper() -> re.Pattern[str]:
    lists = load("en_speakers")
    paper, verbs = any_of(lists["papers"]), any_of([*lists["paper_verbs"], "puts it", "calls it", "concludes", "warns"])
    named = rf"(?:the|your|this) (?:[a-z]+ )?(?:{paper})(?:['’]s (?:[a-z]+ )?[a-z]+)?"
    yours = r"(?: (?:that |which )?you (?:found|sent|gave|shared|pasted|uploaded|showed|linked|attached)(?: me)?)?"
    return lazily(
        rf"(?<![a-z])(?:(?:as )?{named}{yours} (?:[a-z]+ly |also )?(?:{verbs})(?: that|:|,)* ?"
        rf"|(?:according to|quoting|per|from) {named}{yours}[:,]? ){_QUOTE}"
        rf"|{_OTHER_QUOTE},? (?:(?:{verbs}) {named}|{named}{yours} (?:{verbs}))(?![a-z])"
    )


def screen_of_quotes() -> Screen:
    """Which of these patterns could match."""
    return _rules().screen


def misquoted(sentence: Sentence, support: Support, *, honest_said: bool) -> Finding | None:
    """The first quotation without a reference that its named source does not hold."""
    text = sentence.plain
    if sentence.lang != "en" or sentence.voice or ('"' not in text and "“" not in text):
        return None
    rules = _rules().on(text)
    for pattern, sources in ((rules.of_user, support.told_texts), (rules.of_paper, support.papers)):
        for match in pattern.finditer(text) if sources else ():
            group = "q" if match["q"] else "p"
            said = match[group]
            if " " not in said.strip() or _OPEN.search(text[max(0, match.start() - 30) : match.start()]):
                continue
            if any(holds_quote(one, said) for one in (*support.told_texts, *support.papers)):
                continue
            return _corrected(sentence, support, match, group, honest_said=honest_said)
    return None


_CLOSE: Final = 0.75
"""Share of a quotation's content words that one text must hold, to be that text in other words."""


def _is_close(words: frozenset[str], support: Support) -> bool:
    texts = (*support.told_texts, *support.papers)
    return any(len(words & content_words(fold(text).text)) >= _CLOSE * len(words) for text in texts)


def _corrected(sentence: Sentence, support: Support, match: re.Match[str], group: str, *, honest_said: bool) -> Finding:
    said, wording = match[group], load("en")["wording"]
    words = content_words(said)
    if _is_close(words, support) and support.affirmed(words, negated=is_negated(said)):
        start, end = sentence.folded.span(match.start(group) - 1, match.end(group) + 1)
        inner = sentence.text[slice(*sentence.folded.span(*match.span(group)))]
        return Finding(
            kind=VerdictKind.misquote,
            start=start,
            end=end,
            reason="the source does not hold these words",
            action="rewritten",
            replacement=wording["roughly"] + inner,
        )
    stop = _STOP.search(sentence.plain, match.end())
    last = stop.start() if stop else match.end()
    claim = Claim(match.start(), match.end(), (match.start(), last), match.span(group), "you", True, False, True)
    finding = discredit(sentence, claim, "" if honest_said else wording["no_record"], content=said)
    return Finding(
        kind=VerdictKind.misquote,
        start=finding.start,
        end=finding.end,
        reason="the source does not hold these words",
        action=finding.action,
        replacement=finding.replacement,
        cut=finding.cut,
    )
