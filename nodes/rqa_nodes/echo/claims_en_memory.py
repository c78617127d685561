"""Which English wordings claim earlier talk without a plain "we agreed" or "you said"?

The assistant's records ("my notes show", "I remember that your ..."), what the user is told to have done ("you keep
asking", "the third time you asked me"), and phrases that lead back to an earlier talk ("in the spirit of our previous
brainstorm"). A phrase alone leads nowhere: a word of time or of the two of us must stand in it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Final

from rqa_nodes.echo.claim import Claim, Speaker
from rqa_nodes.echo.lazily import lazily
from rqa_nodes.echo.screen import Screen, Screened

__all__ = ["memory_claims", "screen_of_memory"]

_TALK: Final = (
    r"(?:talks?|conversations?|chats?|discussions?|sessions?|exchanges?|meetings?|calls?|brainstorms?|correspondence|"
    r"dialogues?|phone calls?|messages)(?![a-z])"
)
_MONTH: Final = r"(?:january|february|march|april|may|june|july|august|september|october|november|december)"
_REMOTE: Final = (
    r"(?:last (?:week|month|time|year|night|spring|summer|autumn|fall|winter|[a-z]+day)(?! of)|yesterday|"
    r"(?:(?:a|an|some|few|couple|several|many|two|three|of) ){0,3}(?:days|weeks|months|week|month) (?:ago|back)|"
    r"the other (?:day|week)|back then|a while (?:ago|back)|for (?:weeks|days|months|ages)|back in [a-z]+|in the past"
    r")(?![a-z])"
)
_WHEN: Final = rf"(?:{_REMOTE}|(?:earlier|before|in (?:{_MONTH}|spring|summer|autumn|winter))(?![a-z]))"
_PAST: Final = r"(?:(?:earlier|previous|last|past|prior|first|recent|other|many|long|latest) )"

_TELLING: Final = (
    r"(?:said|told|shared|mentioned|wrote|sent|gave|raised|described|explained|asked|pointed|noted|expressed|voiced|"
    r"outlined)"
)
_LEADS: Final = lazily(
    r"(?<![a-z])(?:following up on|picking up (?:on|from)|coming back to|going back to|back to|keeping in mind|"
    r"mindful of|bearing in mind|remembering|recalling|considering|thinking (?:back to|of)|drawing on|building on|"
    r"in (?:line|keeping) with|in the spirit of|in (?:view|light) of|given|based on|judging by|going by|thanks to|"
    r"after|following|knowing|from|with|as per|(?<!as )per|true to|looking (?:back )?(?:at|through)) "
    r"(?P<what>(?P<you>your (?:[a-z]+ ){0,2}(?:remarks?|comments?|concerns?|wish(?:es)?|worr(?:y|ies)|words|"
    r"preferences?|"
    r"points?|advice|feedback|story|stories|messages?|requests?|questions?|history|account|description)(?![a-z])"
    r"|(?:what|everything|all|all that|the [a-z]+(?: [a-z]+)?) (?:that )?you(?:['’]ve| have| had)?(?: [a-z]+ly|"
    r" yourself)? " + _TELLING + r"(?![a-z]))"
    r"|our|(?:what|everything|all|all that|the [a-z]+(?: [a-z]+)?) (?:that )?we(?:['’]ve| have| had)?(?![a-z]))"
    r"(?P<of>[^,;:.!?\n()]{0,90}?)(?=\s*(?:,|[.!]\s*$))"
)
_LEADS_BACK: Final = lazily(
    rf"(?<![a-z])(?:{_WHEN}|our {_PAST}+{_TALK}|looking (?:back )?(?:at|through) our|our (?:shared )?history|"
    rf"your history of|"
    r"(?:with|to|told) me(?![a-z])|(?:made|drew up|wrote|built|set up|worked out|came up with|put) together|"
    r"shared with me)"
)
_RECORDS: Final = (
    r"my (?:own )?(?:records?|notes?|memory|memories|files?|logs?)"
    r"(?: (?:of|on|from|about) (?:you|us|our [a-z]+|your [a-z]+|[a-z]+))?"
)
_ADVERBIAL: Final = lazily(
    rf"(?<![a-z])(?:(?:according to|as per|per|judging by|going by|based on|from) {_RECORDS}(?=\s*(?:,|[.!]\s*$))"
    rf"|since our {_PAST}+{_TALK}|if i (?:remember|recall) (?:correctly|rightly|right)(?=, (?:you|your|we|"
    rf"our)(?![a-z]))"
    r"|(?:just |exactly )?like last time(?=,)|when you (?:first |last )?(?:wrote|came|spoke|talked|"
    r"reached out) to me(?=,)"
    rf"|(?:in|from|during) (?:an? |some )?(?:earlier|previous|past) (?:conversations?|chats?)(?=,? (?:you|we|"
    rf"i)(?![a-z]))"
    rf"|which you (?:yourself |once )?(?:mentioned|told me about|brought up|described to me|"
    rf"shared with me)(?: {_WHEN})?(?=,)"
    rf"|(?:every|each|the last|last) time we (?:talk|talked|speak|spoke|chat|chatted|meet|met)(?={_TALK}|\s*,)"
    rf"|(?:during|in|at|on) our (?:{_PAST}+(?:call|meeting|phone call|talk|brainstorm)(?![a-z])(?: {_WHEN})?|"
    rf"(?:call|meeting|phone call|talk|brainstorm) {_REMOTE})"
    r"|as (?:we|you) (?:yourself |both )?(?:found out|worked out|noticed|saw|learned) (?:together|"
    r"with me)(?: (?:some |a few )?"
    r"(?:days|weeks|months) ago)?)"
)
_SAYING: Final = (
    r"(?:saying|telling me|mentioning|asking(?: me)?|complaining to me|coming back to|talking about)(?![a-z])"
)
_SAID: Final = r"(?:told|brought|mentioned|said|suggested|asked|raised|taught|proposed|wanted|pointed)(?![a-z])"
_MAIN: Final = lazily(
    rf"(?<![a-z])(?:(?P<you>(?:last (?:time|week|month)|back in [a-z]+),? you (?:wanted|asked|chose|decided|planned|"
    rf"seemed|"
    r"were (?:worried|leaning|against|for|torn|unsure))(?![a-z])"
    r"|you used to (?:tell|say|mention|ask)(?: me)?(?![a-z])|you(?:['’]re| are) on record as saying"
    rf"|thank(?:s| you) for (?:telling me|sharing|mentioning|letting me know)[^,;.!?\n]{{0,50}}? {_REMOTE}(?: that)?"
    r"|(?:is|was)n['’]t (?:that|this|it) what you (?:said|told)|(?:did you not|didn['’]t you) (?:tell|mention|"
    r"say)(?![a-z])"
    r"|remember what you (?:told me|said)|"
    rf"you (?:keep|kept|were|are always|always keep) (?:always |just |often )?{_SAYING}"
    rf"|you(?:['’]ve| have) been {_SAYING}"
    r"|you (?:(?:once|first|even|had|have|also) )*(?:let slip|(?<=had )asked me about|confided in me|opened up to me|"
    r"trusted me with)"
    rf"|(?:it was you who|you(?:['’]re| are| were) the (?:one|person) (?:who|that)) (?:first |once |"
    rf"originally )?{_SAID}"
    rf"|(?:this|that|it)(?: is|['’]s| was) the [a-z]+ time (?:that )?you(?:['’]ve| have)? {_SAID} (?:me|about|for|"
    rf"that|it|this|up)(?![a-z])"
    r"|the [a-z]+(?: [a-z]+)? (?:that )?you (?:gave|told|sent|named) me (?:was|were)(?![a-z])"
    rf"|you (?:asked|told|sent|showed|gave) me(?:(?! to | what| how| which| whe| if )[^,;.!?\n]){{0,50}}? {_REMOTE}"
    r"|you(?:['’]ve| have) (?:shown|expressed|voiced|displayed|had) [^,;.!?\n]{1,60}? (?:with|to) me(?![a-z])"
    r"|your (?:earlier|previous|past) (?:claim|remark|comment|preference|concern|worry|complaint|assertion|confession|"
    r"wish)(?: (?:that|about|of))?"
    r"|your (?:stated |declared |expressed )?(?:preference|wish|claim|remark|request) from (?:before|earlier|last|"
    r"our)(?![a-z])"
    r")"
    r"|(?P<i>i (?:(?:still|do|also|clearly|distinctly|vaguely|well|seem to|happen to) )*(?:remember|recall) (?:that )?"
    r"(?=(?:you|your|you['’]re|you['’]ve|we|our|us)(?![a-z]))(?:your (?:saying|telling me|mentioning) )?"
    r"|i (?:still )?(?:have|keep|carry) your (?:words?|remarks?|wish) in mind"
    r"|i(?:['’]ve| have) known [^,;.!?\n]{0,30}?since (?:our|we|you)(?![a-z])"
    r"|my (?:memory|recollection|impression|understanding) of our"
    rf"|{_RECORDS} (?:also |clearly |still )?(?:shows?|says?|indicates?|tells?(?: me)?|suggests?|lists?|has|have|"
    rf"contains?|"
    r"mentions?|states?|confirms?|holds?|reflects?)(?![a-z])(?: (?:me )?that)?"
    rf"|i (?:warned|reminded|promised|advised|brought|asked) (?:you|this|that|"
    rf"it)(?![a-z])[^,;.!?\n]{{0,40}}?(?:in an? {_PAST}{_TALK}|"
    rf"(?:with you )?{_WHEN}))"
    rf"|our {_PAST}+{_TALK} (?:also |clearly )?(?:show(?:ed|s)?|revealed|made (?:it )?clear|suggested|established|"
    rf"indicated|"
    r"touched|covered|brought|ended|closed|dealt|turned|left off|was about)(?![a-z])(?: that)?"
    rf"|we(?:['’]ve| have) (?:already )?been (?:over|through) (?:this|that|it)(?: before)?"
    r"|we went (?:over|through) [^,;.!?\n]{1,40}? together"
    rf"|remember our {_PAST}*{_TALK}"
    r"|i (?:have|see|find|read) (?:it |this |that )?in my (?:notes|records|memory|files)(?: that)?"
    rf"|our (?:plan|idea|list|agreement|decision|draft|budget|notes|deal) from {_REMOTE}"
    r"|the notes i (?:keep|have|made|took) (?:on|about) you"
    r"|our (?:shared|common|joint|mutual) understanding(?: so far)? (?:is|was)(?: that)?"
    r"|the (?:issue|point|question|topic|matter|idea|subject)s? (?:that (?:was|were) |we )?(?:discussed|raised|"
    r"mentioned|covered)"
    rf"(?: earlier)?(?: between us| in our {_PAST}*{_TALK})"
    rf"|(?:an?|one) (?:issue|point|question|topic|matter|idea) (?:that (?:was|were) )?(?:discussed|raised|mentioned|"
    rf"covered)"
    rf"(?: earlier)? (?:between us|in our {_PAST}*{_TALK})"
    rf"|what (?:was|has been) (?:said|discussed|agreed) (?:here|between us|by us)(?: {_WHEN})?"
    rf"|what we (?:agreed|discussed|decided|settled)(?: on)? {_WHEN}"
    r"|did(?:n['’]t| not) we already [a-z]+(?! to)"
    rf"|we (?:chatted|caught up)(?: about (?:that|this|it)(?![a-z])|[^,;.!?\n]{{0,40}}? {_REMOTE})"
    r"|you (?:(?:may|might|will|surely) )?(?:remember|recall) (?:us|our|me)(?![a-z])"
    r")"
)
_STOP: Final = lazily(
    r"[.!?]+[*_)\]\"”]*(?:\s|$)|;|"
    r",? (?:so|but|therefore)(?![a-z])|, (?=(?:and|then|therefore|thus|hence)(?![a-z]))|[ ]?[—–]|$"
)


@cache
def _rules() -> Screened[tuple[re.Pattern[str], re.Pattern[str], re.Pattern[str]]]:
    return Screened((_LEADS, _ADVERBIAL, _MAIN))


def screen_of_memory() -> Screen:
    """Which of these patterns could match."""
    return _rules().screen


def _stop(text: str, at: int) -> int:
    match = _STOP.search(text, at)
    return match.start() if match else len(text)


def memory_claims(text: str, *, conditional: re.Pattern[str]) -> Iterator[Claim]:
    """The claims of a folded English sentence that need no verb of establishing or saying.

    Args:
        text: The sentence.
        conditional: What, standing directly before, makes it a condition or a question.
    """
    leads, adverbial, main = _rules().on(text)
    for match in leads.finditer(text):
        if _LEADS_BACK.search(match[0]):
            yield _claim(match, (match.start("what"), match.end()), "you" if match["you"] else "we", adverbial=True)
    for match in adverbial.finditer(text):
        yield _claim(match, (0, 0), "we", adverbial=True)
    for match in main.finditer(text):
        if not conditional.search(text[max(0, match.start() - 40) : match.start()].rstrip(" ,")):
            speaker: Speaker = "you" if match["you"] else "we"
            yield _claim(match, (match.end(), _stop(text, match.end())), speaker, adverbial=False)


def _claim(match: re.Match[str], content: tuple[int, int], speaker: Speaker, *, adverbial: bool) -> Claim:
    clause = match.span() if adverbial else (match.start(), content[1])
    return Claim(*match.span(), clause, content, speaker, speaker == "you", adverbial, True)
