"""Which words of an English sentence claim shared history, or that somebody said something?

Subjects and past verbs make a claim; a condition, a question, a plan or a denial does not. Passive forms without a
word of time, and verbs of general knowledge, are weak: they claim only what an assistant message carries.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Final, NamedTuple

from rqa_nodes.echo.claim import Claim, Speaker, any_of, any_verb, particle_verb
from rqa_nodes.echo.claims_en_acts import act_claims
from rqa_nodes.echo.claims_en_memory import memory_claims, screen_of_memory
from rqa_nodes.echo.claims_en_talk import talk_claims
from rqa_nodes.echo.content import content_words
from rqa_nodes.echo.emphasis import Marked
from rqa_nodes.echo.grammar import screen_of
from rqa_nodes.echo.lazily import lazily
from rqa_nodes.echo.lexicon import load
from rqa_nodes.echo.screen import Screen, Screened

__all__ = ["english_claims", "screens_of_claims"]


class _English(NamedTuple):
    adverbial: re.Pattern[str]
    bare: re.Pattern[str]
    noun: re.Pattern[str]
    clause: re.Pattern[str]
    main: re.Pattern[str]
    passive: re.Pattern[str]
    dummy: re.Pattern[str]
    result: re.Pattern[str]
    recall: re.Pattern[str]
    condition: re.Pattern[str]
    loose: re.Pattern[str]
    having: re.Pattern[str]
    saying: frozenset[str]
    weak: frozenset[str]


@cache
def _en() -> Screened[_English]:
    words = load("en")
    time = rf"(?:{any_of(words['time'])})"
    groups = ("establishing", "establishing_weak", "saying")
    establish, weak, say = (any_of(words[group]) for group in groups)
    split = any_verb([word for group in groups for word in words[group]])
    base = any_of(words["base_forms"])
    aux = (
        r"(?:(?:[ ](?:have|had|both|yourself|yourselves|ourselves|even|all|did|also|just|now|clearly|firmly|"
        r"explicitly|jointly|finally|"
        r"then|first|originally|kept|two|repeatedly|often|always|once|actually|basically|"
        r"collectively)|['’](?:ve|d)|[ ]" + time + r"|"
        r", (?:(?:as|being|like) (?:an?|the|my|your|one) [a-z-]+(?: [a-z-]+)?|after all|of course|in fact|indeed|too),"
        r"))*"
    )
    subject = r"(?P<who>we|you|u|ya|i|you and i|the two of us|both of us)"
    verb = (
        rf"(?P<verb>{establish}|{weak}|{say}|(?<=did )(?:{base})(?![a-z]))"
        r"(?: so(?= (?:yourself|before|more|many|often|earlier)))?(?: (?:yourself|more than once))*"
    )
    verb_or_split = verb.replace("(?P<verb>", f"(?P<verb>{split}|", 1)
    after = (
        rf"(?:[ ](?:on|about|upon|to|with|me|you(?! (?:{say}|{establish})(?![a-z]))|us|each other|over|through|for|"
        rf"into|this|that|"
        rf"it)(?![\w]))*(?:[ ]{time})*"
    )
    participle = (
        r"(?P<verb>established|confirmed|agreed|decided|concluded|determined|settled|resolved|discussed|mentioned|"
        r"noted|stated|said|described|explained|covered|verified|suggested|promised|pointed out)"
    )
    nouns = any_of(words["shared_nouns"])
    adjective = (
        r"(?:[ ](?:earlier|previous|last|prior|past|recent|shared|joint|mutual|first|initial|other|agreed|own|long|"
        r"latest|final))*"
    )
    rules = _English(
        adverbial=lazily(rf"(?<![a-z])(?:just |exactly |much )?(?:as|like){_SP}{subject}{aux} {verb}{after}(?![\w'’])"),
        bare=lazily(
            rf"(?<![a-z])(?:just )?as (?P<t1>(?:{time} |was |were |has been |had been |we |"
            rf")*){participle}(?![\w])(?:[ ](?:on|upon|by us|between us|"
            rf"together))*(?P<t2>(?:[ ]{time})*)(?: (?:in|by|under)(?= ?\[m:))?"
            rf"(?! (?:on(?![a-z])|upon|above|below|in (?:section|chapter|the|this|a|"
            rf"step|paragraph)|by (?!us)|on page))"
        ),
        noun=lazily(
            rf"(?<![a-z])(?:per|following|based on|according to|given|in line with|from|in|during|"
            rf"under|consistent with|building on|going by|after|as per|in keeping with|by)"
            rf" (?:(?:our|my|your){adjective}|the (?:earlier|previous|last|prior|"
            rf"past)) (?:{nouns})(?: with (?:you|me))?(?:[ ]{time})*(?![\w])(?! of | with (?!you|me))"
            rf"|(?<![a-z])(?:when|since|the last time|last time) (?P<who>we) (?:last )?(?:spoke|talked|"
            rf"met|chatted|discussed (?:this|it|that))(?:[ ]{time})*(?![\w])"
        ),
        clause=lazily(
            rf"(?<![a-z])(?:since|because|now that|given(?: that)?|considering(?: that)?|seeing (?:that|as)|"
            rf"knowing that|"
            rf"(?:from|based on|given|considering|after|going by|in (?:view|light) of|with) (?:what|everything|all|"
            rf"all that)) {subject}{aux} {verb}{after}(?: that)?(?![\w'’])"
        ),
        main=lazily(rf"(?<![a-z'’]){subject}{aux} {verb_or_split}{after}(?: that)?(?![\w'’])(?!-)"),
        passive=lazily(
            rf"(?<![a-z])(?:was|were|is|are|has been|have been|had been)(?P<t1>(?: (?:now|also|firmly|"
            rf"clearly|both|jointly|mutually|{time}))*) (?P<verb>established|confirmed|agreed|decided|"
            rf"concluded|settled|verified|determined|resolved|discussed)(?: (?:on|"
            rf"upon))?(?P<t2>(?: (?:by us|by both of us|between us|{time}))*)(?=\s*(?:[.,;!]|$|\band\b|"
            rf"\bso\b))"
        ),
        dummy=lazily(
            rf"(?<![a-z])it(?: (?:was|is|has been|had been)|['’]s)(?P<t1>(?: (?:now|also|"
            rf"{time}))*) (?P<verb>established|confirmed|agreed|decided|concluded|settled|verified|"
            rf"determined|known)(?P<t2>(?: (?:by us|between us|{time}))*),? (?:that|to) "
        ),
        result=lazily(
            rf"(?<![a-z])(?:(?P<who>our){adjective}|the{adjective}) (?:conclusion|decision|agreement|"
            rf"finding|consensus|verdict|diagnosis)(?P<t1>(?: (?:(?:that )?we (?:reached|made|came to|"
            rf"had|drew)|{time}))*) (?:was|is|has been|remains|stands)(?: that| to|:)? ?"
        ),
        recall=lazily(
            rf"(?<![a-z])(?:i (?:still |also |clearly |do )*(?:remember|recall)|remember|recall|"
            rf"you(?:['’]ll| will| may| might)? (?:remember|recall))(?: that| when| how|"
            rf",)* (?P<who>you|we)(?: (?:saying|telling me|mentioning|deciding|"
            rf"agreeing)(?: that)?)?(?:{aux} {verb}{after}(?: that)?)?(?![\w])"
        ),
        condition=lazily(rf"(?:(?<![a-z])(?:{any_of(words['conditional'])})|n['’]t)(?: that)?$"),
        loose=lazily(
            rf"(?<![a-z])(?:here(?:['’]s| is) )?(?:which|what) {subject}{aux} {verb}{after}(?![\w'’])"
            r"|(?<![a-z])(?:established|agreed|agreed-upon|confirmed|known|decided)(?= (?:root )?(?:cause|"
            r"fact|conclusion|diagnosis|"
            r"plan|reason|answer|result|finding|decision|choice|culprit|problem|explanation|theory|approach|"
            r"solution)(?![a-z]))"
            rf"|(?<![a-z])(?:our{adjective}|the (?:earlier|previous|shared)) (?:finding|conclusion|agreement|"
            rf"decision|consensus) that"
            r"(?![a-z])"
        ),
        having=lazily(rf"(?<![a-z])having {verb}{after}(?: that)?(?![\w'’])"),
        saying=frozenset([*words["saying"], *words["base_saying"]]),
        weak=frozenset(words["establishing_weak"]),
    )
    return Screened(rules)


_NO_SUBJECT: Final = lazily(
    r"(?:nothing|no|none|neither|nobody|what|which|who|that|whatever|hardly|"
    r"not)(?![a-z])"
)
_OPEN_SUBJECT: Final = lazily(
    r"(?:if|once|when|whenever|until|unless|whether|in case|provided|before|as soon as)(?![a-z])"
)
_SP: Final = r"[ \n]"
_CLAUSE_END: Final = lazily(
    r";|,? (?:so|but|which|and (?:i|you|we|it|that|this|the|so|now|then)|therefore)\b|[ ]?[—–]|"
    r", (?=(?:then|therefore|thus|hence|and)\b)|[.!?]+[*_\"”)]{1,3}(?= )|"
    r"(?<=[a-z]{3})[.!?]+(?= [a-z]{2})|[.!?]+(?:</[a-z]\w{0,9}>)+|[.!?]*\s*$"
)
_SINCE_END: Final = lazily(r",|;|[.!?]*\s*$")
_CONNECTOR: Final = lazily(
    r"^[\s\x1a>*_#\"“(\[•・-]*(?:\d{1,3}[.)]\s+)?(?:(?:so|and|but|well|okay|ok|now|also|therefore|thus|"
    r"however|then|indeed|right|great|yes|sure|again|first|second|finally|additionally|moreover|still|"
    r"anyway|of course|certainly|absolutely|thanks|thank you|good question|in fact|basically|remember|"
    r"again)\b[\s,:!.]*)*"
)


def _head(text: str) -> int:
    """Where the sentence proper begins, behind bullets and connecting words."""
    match = _CONNECTOR.match(text)
    return match.end() if match else 0


def _who(match: re.Match[str]) -> Speaker:
    who = match.groupdict().get("who") or ""
    if who in ("you", "u", "ya", "i"):
        return "i" if who == "i" else "you"
    return "we" if who else ""


def screens_of_claims() -> Iterator[tuple[Screen, frozenset[int]]]:
    """Of all patterns of English claims, each with the numbers of those that make no claim by themselves."""
    yield _en().screen, _en().numbers("condition")
    for screen in (screen_of_memory(), screen_of("en_talk"), screen_of("en_acts")):
        yield screen, frozenset()


def english_claims(text: str) -> Iterator[Claim]:
    """The claims of a folded English sentence, the most telling form first."""
    marked = Marked.of(text)
    if marked is None:
        yield from _claims(text)
        return
    for claim in _claims(marked.bare):
        start, end = marked.place(claim.start, claim.end)
        clause, content = marked.place(*claim.clause), marked.place(*claim.content)
        yield claim._replace(start=start, end=end, clause=clause, content=content)


def _claims(text: str) -> Iterator[Claim]:
    rules = _en().on(text)
    yield from talk_claims(text, conditional=rules.condition)
    yield from _en_adverbials(text, rules)
    for match in rules.clause.finditer(text):
        end = _SINCE_END.search(text, match.end())
        stop = end.start() if end else len(text)
        if not text[match.end() : stop].strip() and text[stop : stop + 1] == ",":  # "given what you told me, X"
            yield _verb_claim(match, rules, clause=match.span(), content=(0, 0), adverbial=True)
            continue
        yield _verb_claim(
            match, rules, clause=(match.start(), min(len(text), stop + 1)), content=(match.end(), stop), adverbial=False
        )
    for match in rules.having.finditer(text):
        end = _SINCE_END.search(text, match.end())
        stop = end.start() if end else len(text)
        yield _verb_claim(
            match, rules, clause=(match.start(), min(len(text), stop + 1)), content=(match.end(), stop), adverbial=False
        )._replace(speaker="we", strong=False)
    yield from _en_recall(text, rules)
    yield from _en_main(text, rules)
    yield from memory_claims(text, conditional=rules.condition)
    yield from _en_passive(text, rules)
    yield from act_claims(text)
    for match in rules.loose.finditer(text):
        yield Claim(*match.span(), match.span(), (0, 0), "we", False, True, False)


def _en_adverbials(text: str, rules: _English) -> Iterator[Claim]:
    for match in rules.adverbial.finditer(text):
        yield _verb_claim(match, rules, clause=match.span(), content=(0, 0), adverbial=True)
    for match in rules.bare.finditer(text):
        timed = bool(match["t1"].strip() or match["t2"].strip())
        saying = match["verb"] in (
            "mentioned",
            "noted",
            "stated",
            "said",
            "described",
            "explained",
            "covered",
            "suggested",
            "pointed out",
        )
        if timed or not saying:
            yield Claim(*match.span(), match.span(), (0, 0), "we", False, True, timed or not saying)
    for match in rules.noun.finditer(text):
        if not _NOTHING.search(text, max(0, match.start() - 24), match.start()):
            yield Claim(*match.span(), match.span(), (0, 0), "we", False, True, True)


_NOTHING: Final = lazily(r"(?<![a-z])(?:nothing|none|neither|no [a-z]+) $")


def _verb_claim(
    match: re.Match[str], rules: _English, *, clause: tuple[int, int], content: tuple[int, int], adverbial: bool
) -> Claim:
    verb, thing = particle_verb(match["verb"] or "said")
    speaker, end = _who(match), match.end()
    if thing and not adverbial and content[0] == end and content_words(thing):
        last = match.end("verb") - len(verb.rpartition(" ")[2]) - 1
        content = (last - len(thing), last)
    if speaker == "you" and not adverbial and content[0] == end and match[0].endswith(" you"):
        # Whoever speaks is not spoken to: in "you said you ..." the second begins what was said.
        end -= len("you")
        content = (end, content[1])
    return Claim(
        start=match.start(),
        end=end,
        clause=clause,
        content=content,
        speaker=speaker,
        saying=verb in rules.saying,
        adverbial=adverbial,
        strong=verb not in rules.weak and not (speaker == "you" and verb in _OWN_WORK and thing),
    )


_OWN_WORK: Final = frozenset({"worked out", "figured out"})
"""With "it", a sum or a bug of the user's own: "you worked it out correctly"."""


def _en_recall(text: str, rules: _English) -> Iterator[Claim]:
    for match in rules.recall.finditer(text):
        bare = match["verb"] is None and match[0].startswith(("remember that", "recall that"))
        if bare or _conditional(text, match.start(), rules):
            continue
        stop = _clause_stop(text, match.end())
        claim = _verb_claim(match, rules, clause=(match.start(), stop), content=(match.end(), stop), adverbial=False)
        yield claim._replace(strong=True)


def _clause_stop(text: str, at: int) -> int:
    end = _CLAUSE_END.search(text, at)
    return end.start() if end else len(text)


def _conditional(text: str, at: int, rules: _English) -> bool:
    """Does the word before make it a condition, a question or a plan?"""
    before = text[max(0, at - 40) : at].rstrip(" ,")
    return bool(rules.condition.search(before)) or bool(_REPORTED.search(before))


_REPORTED: Final = lazily(
    r"(?<![a-z])(?!i |you |we )[a-z]+ (?:say|says|said|state|states|stated|claim|claims|claimed|argue|argues|"
    r"argued|write|writes|"
    r"wrote|report|reports|reported|show|shows|think|thinks|believe|believes)(?: that)?$"
)
"""Somebody else's words: "the minutes state that we agreed"."""


def _en_main(text: str, rules: _English) -> Iterator[Claim]:
    for match in rules.main.finditer(text):
        if _SUBORDINATE.search(text, max(0, match.start() - 24), match.start()):
            continue
        if _conditional(text, match.start(), rules) or (match["who"] == "i" and _is_narrative(text, match)):
            continue
        relative = _NOUN_BEFORE.search(text, max(0, match.start() - 60), match.start())
        if relative and _SAID_THAT.search(text, relative.start(), match.start()):
            relative = None
        if (
            relative and _who(match) == "you" and particle_verb(match["verb"])[0] not in rules.saying - _WRITTEN
        ) or _OTHERS_TOO.search(text[: match.start()]):
            continue
        stop = _clause_stop(text, match.end())
        claim = _verb_claim(match, rules, clause=(match.start(), stop), content=(match.end(), stop), adverbial=False)
        if relative and _BE.match(text, match.end()):
            start = relative.start("rel")
            claim = claim._replace(
                start=start, adverbial=True, clause=(start, match.end()), content=(relative.start(), start)
            )
        yield claim


_SUBORDINATE: Final = lazily(
    r"(?<![a-z])(?:since|because|now that|given(?: that)?|considering(?: that)?|seeing (?:that|as)|knowing that|"
    r"(?:what|everything|all|all that)) $"
)
"""Read with the clause that it begins."""

_BE: Final = lazily(
    r"\s*(?:(?:is|was|are|were|has|have|had|should|must|needs?|will|would|can|could|may|might|still|also|works?|"
    r"looks?|seems?|"
    r"sounds?|makes?|fits?|does|do)(?![a-z])|[.,;:!?)|]|$)"
)
_NOUN_BEFORE: Final = lazily(
    r"(?<![a-z])(?:the|a|an|our|your|this)(?: (?!(?:is|was|are|were|has|have|had|that|"
    r"something)(?![a-z]))[a-z-]+){1,6}?"
    r"(?P<rel> (?:(?:that|which) )?)$"
)
"""A noun before and no object behind: "the cause we identified is X" is a relative clause."""

_SAID_THAT: Final = lazily(
    r"(?:remark|claim|statement|idea|point|fact|news|note|message|worry|feeling|sense|impression|belief|view|comment|"
    r"assumption|hope|wish|fear|thought|memory) that $"
)
"""What follows is what was said, and no relative clause."""

_WRITTEN: Final = frozenset({"wrote", "written", "noted", "indicated", "expressed"})
"""In a relative clause, the other verbs of saying speak of talk; "the letter you wrote" does not."""

_OTHERS_TOO: Final = lazily(r"(?<![a-z])(?:your|the|his|her|my|their) [a-z]+ and $")
"""Somebody else was there: "your doctor and you agreed"."""

_TALK: Final = lazily(r" (?:that|earlier|before|previously|already|last time|yesterday|you)(?![a-z])|told|suggested")


def _is_narrative(text: str, match: re.Match[str]) -> bool:
    """Does the first person tell a story ("a card that I wrote") or repeat our own wording, not speak of this talk?"""
    relative = text[: match.start()].rstrip().endswith(("that", "which", "who", "whom"))
    return (
        relative
        or bool(_TOLD_OTHERS.match(text, match.start()))
        or not _TALK.search(match[0])
        or text[match.end() :].lstrip().startswith("(unverified)")
    )


_TOLD_OTHERS: Final = lazily(r"i(?: [a-z]+)? told (?!you|that|us)[a-z]")

_IS: Final = lazily(r" is(?: that| to|:)? ?$")
"""A conclusion that is drawn here and now."""


def _en_passive(text: str, rules: _English) -> Iterator[Claim]:
    for match in rules.dummy.finditer(text):
        stop = _clause_stop(text, match.end())
        timed = bool(match["t1"].strip() or match["t2"].strip())
        yield Claim(*match.span(), (match.start(), stop), (match.end(), stop), "we", False, False, timed)
    for match in rules.result.finditer(text):
        stop = _clause_stop(text, match.end())
        strong = bool(match["who"] or match["t1"].strip())
        if not strong and _IS.search(match[0]):
            continue
        yield Claim(*match.span(), (match.start(), stop), (match.end(), stop), "we", False, False, strong)
    for match in rules.passive.finditer(text):
        begin = max(text.rfind(",", 0, match.start()) + 1, text.rfind(";", 0, match.start()) + 1, _head(text))
        subject = text[begin : match.start()].strip()
        if subject and not _NO_SUBJECT.match(subject) and not _OPEN_SUBJECT.match(subject):
            timed = bool(match["t1"].strip() or match["t2"].strip())
            yield Claim(*match.span(), (begin, match.end()), (begin, match.start()), "we", False, False, timed)
