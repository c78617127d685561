"""Is a guess of the assistant's said again as a fact, though nothing has been said that could make it one?

"He is overtired by then" after "He is most likely overtired by then": no word claims a memory, and yet the guess has
come back as a fact. A clause counts as the guess again if it holds most of the guess's words and little else, says it
flatly where the guess was hedged, and if the words that make its point stand in no statement of the user's, of a
document's or of a tool's: then no new evidence can have settled it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from typing import Final, NamedTuple

from rqa_nodes.echo.content import LEAST_SHARED, content_words
from rqa_nodes.echo.draft import Finding
from rqa_nodes.echo.fold import fold
from rqa_nodes.echo.lazily import lazily
from rqa_nodes.echo.mood import affirms, has_finite_verb, is_hedged, is_negated
from rqa_nodes.echo.restate import restated
from rqa_nodes.echo.sentence import Sentence
from rqa_nodes.echo.status import is_conditional
from rqa_nodes.echo.support import Guess, Support

__all__ = ["reasserted", "says_again"]

_OWN: Final = 0.7
"""Share of the clause's words that the guess holds."""

_WHOLE: Final = 0.6
"""Share of the guess's words that the clause holds."""

_ALMOST_ALL: Final = 0.9
_HALF: Final = 0.5
"""A clause of the guess's words alone need not hold as many of them: "it is the inlet valve"."""

_UNSAID: Final = 0.4
"""Share of the common words that nobody else has said: what the user has said the most of is the user's matter."""

_OWNED_UP: Final = lazily(
    r"(?<![a-z])(?:guess[a-z]*|suggest[a-z]*|propos[a-z]+|hypothes[a-z]+|assum[a-z]+|suppos[a-z]+|suspect[a-z]*|"
    r"suspicion|speculat[a-z]+|theory|idea|hunch|possib[a-z]+|probab[a-z]+|perhaps|maybe|likely|unlikely|chances?|may|"
    r"might|seems?|seemed|appears?|unverified|unconfirmed|untested|not (?:sure|certain|evidence|proven|known)|"
    r"i (?:said|meant|mentioned|wrote|thought)|wonder[a-z]*|my (?:[a-z]+ )?(?:take|view|bet|impression|feeling|reading|"
    r"thought|opinion|diagnosis|explanation)|in my (?:view|opinion|eyes)|whether|rule out)(?![a-z])"
    r"|推測|推察|仮説|仮定|見立て|想像|可能性|かも|思[いうっわ]|と(?:考え|見[らて])|見込|疑[いうっわ]|提案|未確認|未検証|裏付け|裏づけ|"
    r"申し上げ|お伝え|勧め|薦め|すすめ|でしょう|だろう|はず|らし[いく]|よう[でだな]|そう[でだな]|っぽ|みたい|どうか|"
    r"案(?:です|でし|は)|(?:私|僕|俺|当方|わたし)(?:が|の|から|は)|まだ|か$|か[。、?？]|と言われ|とされ"
    r"|可能|也许|或许|大概|恐怕|估计|猜|推测|建议|提议|假设|是否|应该|未经|怀疑|说不定|似乎|好像|没准"
)
"""Words that own up to a guess, or ask: the whole sentence is read with them."""

_OPEN: Final = lazily(
    r"(?<![a-z])(?:could|would|should|can|must|will|looks|sounds|points?|if|unless|let|lets|verify|check|test|confirm|"
    r"find out|make sure|when|until)(?![a-z])"
    r"|もし|仮に|なら|たら|れば|場合|確認|確かめ|検証|調べ|試[しすせ]|見て|ましょう|ください|下さい|"
    r"ませんか|懸念|早い|如果|要是|确认|检查|試|试"
)
"""Words that leave a clause open: advice, a condition, something to be found out."""

_BREAK: Final = lazily(
    r"(?:[.。](?=[\s*_\"”)]|$)|(?<!\d)[,:]|[,:](?!\d)|[;()（）、，；：|\n—–])"
    r"|(?<![a-z])(?:because|since|so|and|but|which|as|while|although|though|where)(?![a-z])"
    r"|(?:から|ので|のに)(?=[^。])|因为|所以|因此"
)
"""Where one statement ends and another begins."""

_STATES: Final = lazily(
    r"(?:[るたうくすつぬむぐぶいだしん]|です|ます|から|ので|のに)[ねよなわさ]*[\s。!！」』*_]*$|(?:原因|せい|ため)[。\s]*$"
)
"""How a Japanese clause ends that says something of its subject."""

_RUN: Final = lazily(r"[\u30a1-\u30fa\u30fc]+|[\u3400-\u9fff々]+|[a-z0-9_]+")
_ITS_READER: Final = frozenset({"ユーザー", "ユーザ", "利用者"})
"""Whom a note calls so, the reply calls "you"."""


class Again(NamedTuple):
    """A clause that says a guess again."""

    start: int
    end: int
    past: int
    """Where the word ends that joins it to the next clause."""
    guess: Guess


def says_again(sentence: Sentence, support: Support) -> Again | None:
    """The clause in which a sentence says a guess again, flatly and with nothing to back it."""
    plain = sentence.plain
    if sentence.voice or not support.may_be_guess(content_words(plain)):
        return None
    whole = sentence.folded.text
    if support.words_are_asked_for or "?" in plain or _OWNED_UP.search(whole) or is_hedged(whole):
        return None
    for start, end, past in _clauses(plain):
        guess = _guess_of(plain[start:end], sentence.lang, support)
        if guess is not None and not is_conditional(plain[:end]):
            return Again(start, end, past, guess)
    return None


def reasserted(sentence: Sentence, support: Support) -> Finding | None:
    """The assistant's own sentence, under its own name, in place of the fact that was made of it."""
    again = says_again(sentence, support)
    if again is None:
        return None
    finding = restated(sentence, support, again.start, again.end, again.guess, past=again.past)
    return _behind_what_stands(sentence, support, again.start, finding)


def _clauses(plain: str) -> Iterator[tuple[int, int, int]]:
    """The whole sentence, then its clauses."""
    end = len(plain.rstrip())
    yield 0, end, end
    start = 0
    for match in _BREAK.finditer(plain):
        joins = match.end() if not match[0].isascii() else match.start()
        yield start, match.end() if match[0] in ("から", "ので", "のに") else match.start(), joins
        start = match.end()
    if start:
        yield start, end, end


def _guess_of(clause: str, lang: str, support: Support) -> Guess | None:
    clause = _REFERENCE.sub(" ", clause)
    words = content_words(clause)
    guess = support.hedged_guess_of(words) if words else None
    if guess is None or _OPEN.search(clause) or not affirms(clause):
        return None
    if not (_STATES.search(clause) if lang == "ja" else lang != "en" or has_finite_verb(clause)):
        return None
    own, whole = _MEASURES[lang](clause, guess)
    same = (own >= _OWN and whole >= _WHOLE) or (own >= _ALMOST_ALL and whole >= _HALF)
    shared = words & guess.words
    if not same or len(support.unstated(shared)) < _UNSAID * len(shared):
        return None
    return guess if is_negated(clause) is _denies(guess, shared) and support.only_guessed(shared) else None


def _denies(guess: Guess, shared: frozenset[str]) -> bool:
    """Does the guess deny what the clause takes from it? "I cannot tell, but it may be the valve" does not."""
    parts = _COMMA.split(fold(guess.text).text)
    return is_negated(" ".join(_SMALL.sub("", part) for part in parts if content_words(part) & shared))


def _by_words(clause: str, guess: Guess) -> tuple[float, float]:
    """Which share of the clause's words the guess holds, and which share of the guess's the clause."""
    words = content_words(clause)
    shared = len(words & guess.words)
    return shared / len(words), shared / max(1, len(guess.words))


def _by_runs(clause: str, guess: Guess) -> tuple[float, float]:
    """The same in Japanese words of one script: a long word is one word, however many character pairs it has."""
    folded = fold(guess.text).text
    mine = set(_RUN.findall(clause)) - _ITS_READER
    its = {run for run in _RUN.findall(folded) if content_words(run) & guess.words} - _ITS_READER
    shared = sum(run in folded for run in mine)
    return shared / max(1, len(mine)), sum(run in clause for run in its) / max(1, len(its))


def _by_pairs(clause: str, guess: Guess) -> tuple[float, float]:
    """The same in pairs of Chinese characters, without the small words between them."""
    mine, its = (_pairs(_SMALL.sub("", text)) for text in (clause, fold(guess.text).text))
    shared = len(mine & its)
    return shared / max(1, len(mine)), shared / max(1, len(its))


def _pairs(text: str) -> set[str]:
    return {"".join(pair) for pair in pairwise(text) if all(map(str.isalnum, pair))}


_MEASURES: Final = {"en": _by_words, "ja": _by_runs, "zh": _by_pairs}
_COMMA: Final = lazily(r"[,、，]")
_REFERENCE: Final = lazily(r"\[\s*m\s*:[^\]]*\]?")
_SMALL: Final = lazily(
    r"说不定|可能|也许|或许|大概|恐怕|多半|好像|似乎|没准|我?怀疑|我?猜|应该|估计|看来|用户|有点|已经|[是的了点就都太很您你]"
)
"""Chinese words that a guess has and a fact has not, and those that change nothing."""

_NO_STATEMENT: Final = lazily(
    r"\W*(?:for|in|on|at|by|to|of|with|from|about|after|before|because|since|as|if|when|while|although|though|given|"
    r"considering|and|but|so|that|this|also|then)(?![a-z])"
)
_JOINING: Final = lazily(
    r"(?i)[\s,;:(—–-]*(?:\b(?:because|since|so|and|but|which|as|while|although|though|where)\b)?[\s,;:(—–-]*$"
)


def _behind_what_stands(sentence: Sentence, support: Support, start: int, finding: Finding) -> Finding:
    """An English statement before the clause stays, as a sentence of its own."""
    first = finding.place[0]
    at = sentence.folded.span(start, start)[0]
    lead = _JOINING.sub("", sentence.text[first:at])
    words = content_words(lead.lower())
    stands = len(words) >= LEAST_SHARED and not _NO_STATEMENT.match(lead.lower()) and not support.guess_of(words)
    if sentence.lang != "en" or not stands:
        return finding
    return replace(finding, cut=(first + len(lead), finding.place[1]), replacement=". " + finding.replacement)
