"""Which English nouns call a matter settled, or said, by the user: "your agreement to X", "X was your idea"?

The rules are data (`lexicon/en_acts.yaml`). Such nouns stand in honest sentences too ("your decision to move"), so they
make weak claims: what only an assistant message carries is then not the user's. Before the noun, "without", "need" or
"if" leaves it open, and behind it a word such as "should".
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Final, NamedTuple

from rqa_nodes.echo.claim import Claim, any_of
from rqa_nodes.echo.claims_en_place import place_of
from rqa_nodes.echo.content import content_words
from rqa_nodes.echo.elsewhere import is_quoted
from rqa_nodes.echo.grammar import Found, find_rules
from rqa_nodes.echo.lazily import lazily
from rqa_nodes.echo.lexicon import load

__all__ = ["act_claims"]

_PARTIES: Final = ("you", "ur ", "my ", "what i", "as i", "like i")
_OPEN_CHARS: Final = 48
"""How far before a noun the word stands that leaves it open."""
_NOTHING: Final = lazily(r" (?:nothing|no|not|neither|little|less|only)(?![a-z])")
_STOP: Final = lazily(r"[,;:()]|\s[-–—]|[.!?]+[*_)\]\"”]*(?:\s|$)|$")
_CLAUSE: Final = lazily(r"[,;:.!?]\s+|\s[-–—]\s|^[\s>*_#\"“(-]*(?:\d{1,3}[.)]\s+)?")


class _Words(NamedTuple):
    opened: re.Pattern[str]
    """What, before the noun, leaves it open."""
    open_behind: re.Pattern[str]
    main: re.Pattern[str]
    """Verbs that a noun of saying is the subject of, and hardly ever its content."""
    judged: re.Pattern[str]
    verb: re.Pattern[str]
    """Verbs that can be either."""
    no_adjectives: frozenset[str]


@cache
def _words() -> _Words:
    kinds = load("en_acts")["kinds"]
    modal = any_of(kinds["modal"])
    return _Words(
        opened=lazily(rf"(?:(?<![a-z'’])(?:{any_of(kinds['open'])})|n['’]t)(?: [a-z]+)?[\s*_]*$"),
        open_behind=lazily(rf" (?:{modal})(?![a-z])"),
        main=lazily(rf" (?:[a-z]+ly |also |now |just |then |alone )?(?:{any_of(kinds['main'])})(?![a-z])"),
        judged=lazily(
            rf" (?:is|was|are|were|has been)(?: [a-z]+ly| very| quite| so| all| also| just)* "
            rf"(?:(?:{any_of(kinds['judged'])})(?![a-z])|(?:all|what|why|how) "
            rf"|(?:the|a|an) (?:[a-z]+ ){{0,2}}(?:{any_of(kinds['worth'])})(?![a-z]))"
        ),
        verb=lazily(rf" (?:is|was|are|were|has|had|have|been|{modal})(?![a-z])"),
        no_adjectives=frozenset(kinds["no_adjectives"]),
    )


def act_claims(text: str) -> Iterator[Claim]:
    """The claims that a noun makes in a folded English sentence."""
    if not any(word in text for word in _PARTIES):
        return
    if text.rstrip(' \n"”)*_').endswith("?"):
        return
    for found in find_rules("en_acts", text):
        if is_quoted(text, found.start, found.end) or _is_open(text, found) or _NOTHING.match(text, found.end):
            continue
        yield from _claim(text, found)


def _is_open(text: str, found: Found) -> bool:
    """Is it asked for, denied, awaited or a condition?"""
    if found.rule["at"] == "before":
        begin = _clause_start(text, found.start)
        return text.startswith(("whether", "if "), begin) or "whether " in text[begin : found.start]
    before = text[max(0, found.start - _OPEN_CHARS) : found.start]
    if (
        found.rule["at"] == "behind"
        and found.inner
        and not _words().no_adjectives.isdisjoint(text[slice(*found.inner)].split())
    ):
        return True
    return bool(_words().opened.search(before)) and not before.endswith(("thanks for ", "thank you for "))


def _claim(text: str, found: Found) -> Iterator[Claim]:
    speaker = found.rule["speaker"]
    saying = speaker == "you"
    start, end = found.start, found.end
    if found.rule["at"] == "before":
        begin = _clause_start(text, start)
        yield Claim(start, end, (begin, _stop(text, end)), (begin, start), speaker, saying, False, False)
        return
    if found.rule["at"] == "rest":
        end -= text[end - 1] in ",.!?;)"
        yield Claim(start, end, (start, end), (0, 0), speaker, saying, True, False)
        return
    last = _content_end(text, end, subject=_clause_start(text, start) == start)
    strong = "strong" in found.rule and bool(content_words(text[end:last]))
    if _words().open_behind.match(text, last):
        return
    that = text.endswith((" that", " as"), 0, end)
    told = (
        found.inner[0]
        if found.inner and found.rule["at"] == "inside"
        else end
        if that
        else text.rfind(" ", start, end) + 1
    )
    place = place_of(text, start, end)
    if place.adverbial:
        yield Claim(place.start, place.end, (place.start, place.end), (told, place.end), speaker, saying, True, strong)
        return
    content = (told, max(told, min(last, place.end)))
    yield Claim(start, end, (place.start, place.end), content, speaker, saying, False, strong)


def _content_end(text: str, at: int, *, subject: bool) -> int:
    """Where the noun's content ends and the main verb begins, as well as words alone tell.

    A subject must have a verb behind it: if there is only one, it is that one.
    """
    stop = _stop(text, at)
    for match in _words().main.finditer(text, at, stop):
        if len(content_words(text[at : match.start()])) > 1:
            return match.start()
    judged = _words().judged.search(text, at, stop)
    if judged and len(content_words(text[at : judged.start()])) > 1:
        return judged.start()
    verbs = [match.start() for match in _words().verb.finditer(text, at, stop)]
    inner = text.endswith(" that", 0, at)
    return verbs[inner] if len(verbs) > inner else verbs[0] if verbs and subject else stop


def _stop(text: str, at: int) -> int:
    match = _STOP.search(text, at)
    return match.start() if match else len(text)


def _clause_start(text: str, at: int) -> int:
    begin = 0
    for match in _CLAUSE.finditer(text, 0, at):
        begin = match.end()
    return begin
