"""To whom does an English sentence give what it cites: to a named speaker, to a document, to "you" or to "me"?

Words of speech decide ("Mira said", "Mira's point about", "according to Mira", "the venue list says"); a name that only
stands in what was said gives nothing to anybody. The lists are data (`lexicon/en_speakers.yaml`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Final, Literal, NamedTuple

from rqa_nodes.echo.claim import any_of
from rqa_nodes.echo.lazily import lazily
from rqa_nodes.echo.lexicon import load

__all__ = ["Given", "given_to_me", "given_to_names", "given_to_others", "given_to_papers", "given_to_you"]


class Given(NamedTuple):
    """Words that give something to somebody, in the folded sentence."""

    start: int
    end: int
    name: str
    """The name, the document or the person, as it is folded."""
    place: tuple[int, int]
    """Where the name stands."""
    form: Literal["clause", "adverbial", "possessive"]


_AUX: Final = (
    r"(?:(?:,| who| that)?(?: (?:has|had|have|once|also|already|just|even|first|repeatedly|later|did|then|was the one "
    r"who|is the one who|"
    r"herself|himself|themselves|clearly|earlier|previously|really|often|always|both|actually|kindly|openly|again|"
    r"[a-z]+ly)|['’](?:s|d|ve)))*"
)


@cache
def _words() -> tuple[str, str, str]:
    lists = load("en_speakers")
    return any_of(lists["verbs"]), any_of(lists["things"]), any_of(lists["sources"])


@cache
def _named(names: tuple[str, ...]) -> re.Pattern[str]:
    verbs, things, sources = _words()
    name = rf"(?P<{{}}>{any_of(names)})(?:,? (?:and|or|&) (?:{any_of(names)}))?"
    return lazily(
        rf"(?<![\w])(?:(?P<as>as |like )?{name.format('a')}{_AUX} (?:{verbs}|let (?:[a-z]+ ){{1,2}}know)(?![a-z])"
        rf"(?: (?:me|us|you|{any_of(names)}))?(?: that(?![a-z])|:)?"
        rf"|{name.format('b')}['’]s? (?:[a-z-]+ ){{0,2}}?(?:{things})(?![a-z])"
        rf"|(?:{sources}) {name.format('c')}(?!['’][a-z])(?![\w])"
        rf"|(?:it (?:was|is)|that was|the one (?:to|who) [a-z ]{{1,30}} (?:was|is)|remember|recall|i heard) "
        rf"{name.format('d')}"
        rf"(?: who| that)?(?: (?:{verbs})| saying| telling| mentioning| talking about)(?![a-z])"
        rf"|(?:^|(?<=[-*•>\n])[ ]?|^[\W_]*){name.format('e')}[*_]*(?: \([^()\n]{{1,30}}\))?:"
        rf"|(?:[–—-] ?|\(){name.format('f')}(?=\)?\s*(?:\[|[.]?$)))"
    )


_FORMS: Final[dict[str, Literal["clause", "adverbial", "possessive"]]] = {
    "a": "clause", "b": "possessive", "c": "adverbial", "d": "clause", "e": "clause", "f": "adverbial",
}  # fmt: skip


def given_to_names(text: str, names: frozenset[str]) -> Iterator[Given]:
    """What a folded sentence gives to the speakers of this turn, in order."""
    present = tuple(sorted(name for name in names if name in text))
    if not present:
        return
    for match in _named(present).finditer(text):
        group = next(name for name in "abcdef" if match[name])
        yield Given(*match.span(), match[group], match.span(group), "adverbial" if match["as"] else _FORMS[group])


@cache
def _papers() -> re.Pattern[str]:
    lists = load("en_speakers")
    paper, verb = any_of(lists["papers"]), any_of(lists["paper_verbs"])
    file = r"[\w-]+\.(?:pdf|docx?|xlsx?|txt|md|csv|html|pptx)(?![\w])"
    kind = rf"(?:the|your|this|that|our|a) (?P<{{0}}>(?:[a-z0-9'’-]+ ){{{{0,3}}}}?(?:{paper}))(?![a-z])"
    found = r"(?: (?:that |which )?you (?:found|sent|gave|shared|pasted|uploaded|showed|linked|mentioned)(?: me| us)?)?"
    name = rf"(?:{kind}|(?P<{{1}}>{file}))"
    return lazily(
        rf"(?<![a-z])(?:{name.format('a', 'b')}{found} (?:(?:also|clearly|itself|now) )*(?:{verb})(?![a-z])(?: "
        rf"that(?![a-z]))?"
        rf"|(?:according to|as (?:stated|written|noted|listed|described|shown|given|set out) (?:in|by|on)|per|as per|"
        rf"going by|based on|quoting|citing|from|in)"
        rf" {name.format('c', 'd')}(?=,| ?\[|[.]?$|:))"
    )


def given_to_papers(text: str) -> Iterator[Given]:
    """What a folded sentence gives to a document."""
    for match in _papers().finditer(text):
        group = next(name for name in "abcd" if match[name])
        yield Given(*match.span(), match[group], match.span(group), "clause" if group in "ab" else "adverbial")


@cache
def _others() -> re.Pattern[str]:
    lists = load("en_speakers")
    people = any_of([*lists["people"], *lists["kin"]])
    verbs = rf"(?:{_words()[0]}|(?:is|was|are|were) the ones? who [a-z]+)"
    whose = r"(?:the|your|my|his|her|our|an?) (?:[a-z'’-]+ ){0,2}?"
    return lazily(
        rf"(?:^|(?<=[.,;:!?] ))[\W_]*(?P<g>{any_of(lists['authorities'])}){_AUX} "
        rf"(?:{_words()[0]}|{any_of(lists['plural_verbs'])})(?![a-z])(?: that(?![a-z])|:)?"
        rf"|(?:^|(?<=[.,;:!?] ))[\W_]*(?:{whose}(?P<p>{people})|"
        rf"(?P<n>[a-z][\w'’-]+(?: [a-z][\w'’-]+)?)){_AUX} (?:{verbs})(?![a-z])(?: (?:me|us|you))?(?: that(?![a-z])|:)?"
        rf"|(?:^|(?<=[.,;:!?] ))[\W_]*your (?:[a-z-]+ ){{0,2}}?(?P<k>{any_of(lists['kin'])}){_AUX} "
        rf"(?:{any_of(lists['told_verbs'])})(?![a-z])(?: that(?![a-z]))?"
        rf"|(?:^|(?<=[.,;:!?] ))[\W_]*your (?:[a-z-]+ ){{0,2}}?(?P<o>{any_of(lists['kin'])})['’]s? "
        rf"(?:own )?(?:[a-z]+ )?"
        rf"(?:{_words()[1]}|plan|guess|decision|choice) (?:is|was|are|were)(?: that| to)?(?![a-z])"
        rf"|(?<![a-z])(?:according to|as per|per|going by|in the words of|in the view of|on the advice of|says|said) "
        rf"{whose}(?P<s>{people}|{any_of(lists['bodies'])})(?![a-z'’])"
    )


def given_to_others(text: str, original: str) -> Iterator[Given]:
    """What a sentence gives to somebody who has said nothing this turn: a person by name, or "the team".

    Args:
        text: The folded sentence.
        original: The sentence as it is written, of the same length: names begin with a capital there.
    """
    for match in _others().finditer(text):
        group = next(name for name in "pgnkos" if match[name])
        place = match.span(group)
        if group == "n" and (
            re.split(r"['’ ]", match["n"])[0] in load("en_speakers")["nobody"]
            or not all(word[0].isupper() for word in original[slice(*place)].split())
        ):
            continue
        yield Given(
            match.start() + len(match[0]) - len(match[0].lstrip(' *_-•>"“')),
            match.end(),
            match[group],
            place,
            "adverbial" if group == "s" else "clause",
        )


_ME: Final = lazily(
    r"(?<![a-z])(?:as |like )?i(?:['’]ve|['’]d)?(?: (?:once|earlier|already|previously|have|had|also|first|just|even|"
    r"then))* "
    r"(?:suggested|recommended|proposed|advised|said|mentioned|guessed|argued|noted|pointed out|explained|warned|told "
    r"you|"
    r"informed you|reminded you|let you know|assured you|brought up|put forward|estimated|assumed|"
    r"speculated|hypothesised|hypothesized|came up with)(?: you)?(?: that| to)?(?![a-z])"
    r"|(?<![a-z])i (?:(?:still|do|clearly|distinctly) )*(?:recall|remember) (?:telling you|saying|"
    r"mentioning|suggesting|"
    r"explaining|pointing out|advising|warning you)(?: that| to)?(?![a-z])"
    r"|(?<![a-z])my (?:own )?(?:earlier |previous |first |last )?(?:suggestion|idea|proposal|advice|recommendation|"
    r"guess|"
    r"point|view|answer|hypothesis|theory|estimate)(?: (?:was|is|that|about|to|of|from)(?: that| to)?)(?![a-z])"
)


def given_to_me(text: str) -> Iterator[Given]:
    """What a folded sentence gives to the assistant itself."""
    for match in _ME.finditer(text):
        adverbial = match[0].startswith(("as ", "like "))
        yield Given(*match.span(), "i", match.span(), "adverbial" if adverbial else "clause")


@cache
def _you() -> re.Pattern[str]:
    return lazily(
        rf"(?<![a-z])your (?:own )?(?:earlier |previous |first |last )?(?:{_words()[1]}|plan|guess|decision|choice)"
        r"(?: (?:was|is|were|are|that|about)(?: that| to)?|:)(?![a-z])"
        r"|(?<![a-z])(?:in|by) your (?:own )?(?:words|view|opinion|account|estimate|admission)(?![a-z]),?"
        r"|(?<![a-z])as you (?:put it|see it|say|phrased it|describe it|tell it|have it)(?![a-z])"
        r"|(?<![a-z])(?:according to|heard from|know from|learned from|came from|comes from|quoting|to quote|said by|"
        r"mentioned by|raised by|"
        r"suggested by|told by) you(?![a-z'’])"
    )


def given_to_you(text: str) -> Iterator[Given]:
    """What a folded sentence gives to the user, beyond "you said"."""
    for match in _you().finditer(text):
        clause = match[0].startswith("your")
        yield Given(*match.span(), "you", match.span(), "clause" if clause else "adverbial")
