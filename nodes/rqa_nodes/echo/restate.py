"""What stands in place of a sentence that presents an assistant's guess as settled?

The assistant's own sentence, under its true speaker: whatever the wording was, the result is a sentence. What follows
the claim and rests on nothing ("so order a new one") stays as a sentence of its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from rqa_nodes.echo.claims import find_claims
from rqa_nodes.echo.content import content_words
from rqa_nodes.echo.draft import Finding
from rqa_nodes.echo.fold import fold
from rqa_nodes.echo.lazily import lazily
from rqa_nodes.echo.lexicon import SUGGESTIONS, load
from rqa_nodes.echo.mood import is_hedged, is_negated, without_certainty
from rqa_nodes.echo.receipts import find_receipt
from rqa_nodes.echo.sentence import Sentence, read_sentence
from rqa_nodes.echo.status import Status, find_status
from rqa_nodes.echo.support import Guess, Support
from rqa_nodes.echo.types import VerdictKind

__all__ = ["bounds", "find_guess", "quotable", "reads_badly", "restated", "unsettled"]

_CLAUSE: Final = lazily(r"(?:[^,;:()|、\n—–]|(?<=\d)[,:](?=\d))+")
_HEAD: Final = lazily(r"[\s>#•・]*(?:[-*+][ \t]+)?(?:\d{1,3}[.)]\s+)?(?:\[[ x]\][ \t]+)?[ \t]*", re.IGNORECASE)
_JOINING: Final = lazily(
    r"^[\s,;:)、—–.。-]*(?:(?:so|and|but|which means|therefore|thus|then)\b[\s,]*)?", re.IGNORECASE
)
_END: Final = lazily(r"[.!?。！？\s*_\"”」』)）]*$")
_LONGEST_QUOTE_CHARS: Final = 240
_BAD_START: Final = lazily(
    r"[\s*_\"“]*(?:[,:;)\]、。]|\[\]\(|(?:is|was|are|were|that|to|as|for|on|in|of|it follows|it turned out|"
    r"confirmed|a fact|the "
    r"fact|what|still|and|from|which|about|with|all|out|up|down|off|over|through|regarding|concerning)(?![a-z])|[のでにはがをもと](?![かっしてきも])|さっき|前々|"
    r"先の|前の|これで)",
    re.IGNORECASE,
)
_BROKEN: Final = lazily(r" [,:;]|:[,;]|\[\]\(|\*\s+\*|[(（]\s*[,)）、]|to [,.]|: \*(?!\*?\w)|: [\"“][,.]")


class _Carried(NamedTuple):
    """A stretch of the sentence that is the assistant's guess again."""

    clause: str
    """Folded; empty where the guess is spread over the whole sentence."""
    end: int
    words: frozenset[str]
    guess: Guess
    negated: bool


def reads_badly(before: str, body: str) -> bool:
    """Would a credited sentence, with these words before the credit and these behind it, be none?"""
    lead = _HEAD.sub("", before, count=1)
    return bool(lead.strip(' *_"“|')) or bool(_BAD_START.match(body)) or bool(_BROKEN.search(": " + body))


def find_guess(sentence: Sentence, support: Support, statuses: list[Status]) -> Iterator[_Carried]:
    """What the sentence takes over from the assistant, clause by clause and, if no clause does, as a whole."""
    plain = sentence.plain
    for status in statuses:  # length for length, so that places stay
        plain = plain[: status.start] + _BLANK * (status.end - status.start) + plain[status.end :]
    found = False
    for match in _CLAUSE.finditer(sentence.plain):
        words = content_words(plain[slice(*match.span())])
        if not words:  # "with the pipe agreed": the words of settling hold what is settled
            words = content_words(match[0])
        guess = support.guess_of(words) if words else None
        if guess is not None:
            found = True
            yield _Carried(match[0], match.end(), words, guess, is_negated(without_certainty(match[0])))
    for whole in () if found else (plain, sentence.plain):
        words = content_words(whole)
        guess = support.guess_of(words) if words else None
        if guess is not None:
            yield _Carried("", len(whole), words, guess, is_negated(without_certainty(whole)))
            return
    if not found and any(status.firm and not status.saying for status in statuses):
        yield from _introduced(sentence, support)


def _introduced(sentence: Sentence, support: Support) -> Iterator[_Carried]:
    """The first clause that names what the assistant has brought up."""
    for match in _CLAUSE.finditer(sentence.plain):
        guess = support.introduced(match[0])
        if guess is not None:
            words = content_words(match[0]) & guess.words
            yield _Carried(match[0], match.end(), words, guess, is_negated(match[0]))
            return


_BLANK: Final = " "


def unsettled(sentence: Sentence, support: Support) -> Finding | None:
    """A guess that is presented as settled, and nobody settled it."""
    if not support.may_hold_guess(sentence.plain):
        return None
    statuses = sorted(find_status(sentence), key=lambda status: status.end)
    if not statuses:
        return None
    for carried in find_guess(sentence, support, statuses):
        if _is_quoted_as_guess(sentence, carried.guess) or _is_denied(carried):
            continue
        if support.affirmed(carried.words, negated=carried.negated):
            continue
        for status in statuses:
            if status.own and not is_hedged(carried.guess.text):
                continue
            denied = support.denied_by_user(carried.words, negated=carried.negated)
            said = support.said_by_user(carried.words) and not denied
            if not (status.saying and (said or support.doubted(sentence.plain))):
                return restated(sentence, support, status.start, status.end, carried.guess, past=carried.end)
    return None


_TAKES_BACK: Final = lazily(
    r"^\W*(?:i|we) (?:was|were) (?:wrong|mistaken)(?! to)|"
    r"(?<![a-z])(?:no (?:sign|evidence|indication|proof) (?:that|of)|"
    r"(?:is|was) (?:false|untrue|wrong)|i (?:retract|withdraw|take back))(?![a-z])|"
    r"(?:という)?のは(?:私の)?(?:誤り|間違い)(?:で|だ)|のではありません|撤回し|取り消し"
)
_DOES_NOT: Final = lazily(
    r"(?<![a-z])(?:do|does|did|is|are|was|were|has|have)(?: not|n['’]t)(?! (?:only|object|disagree|mind|deny|doubt|"
    r"dispute|question))(?![a-z])"
)


def _is_denied(carried: _Carried) -> bool:
    """Does the clause say that it is not as the assistant guessed, or take the guess back?"""
    if _TAKES_BACK.search(carried.clause):
        return True
    return bool(_DOES_NOT.search(carried.clause)) and not is_negated(fold(carried.guess.text).text)


_AS_GUESS: Final = lazily(
    r"(?:(?:in this conversation )?i suggested (?:earlier )?\(unverified[^()]{0,20}\)"
    r"|[^\s()。]{0,8}(?:私の(?:提案|推測)|私が提案しました)\(未[^()。]{2,16}\)"
    r"|[^\s()。]{0,8}我[^\s()。]{0,4}(?:建议|推测|提议过)\(未经[^()。]{2,16}\)"
    r"): *[「“\"](?P<words>[^「」“”\"\n]+)[」”\"]"
)


def _is_quoted_as_guess(sentence: Sentence, guess: Guess) -> bool:
    """Is the guess, word for word, all that the sentence says, and does it say that it is the assistant's?"""
    text = sentence.folded.text
    head = _HEAD.match(text)
    match = _AS_GUESS.match(text, head.end() if head else 0)
    if match is None or match["words"].rstrip(" .。") not in fold(guess.text).text:
        return False
    after = text[match.end() :]
    for reference, _ in sentence.references:
        after = after.replace(text[reference.start : reference.end], "")
    return not any(map(str.isalnum, after))


def restated(  # the claim's place is two numbers
    sentence: Sentence, support: Support, start: int, end: int, guess: Guess, *, past: int = 0
) -> Finding:
    """The assistant's own sentence in place of the claim."""
    text = sentence.text
    first, last = bounds(sentence, (start + end) // 2)
    stop = sentence.folded.span(0, max(end, past))[1]
    rest, stop = _rest(sentence, support, stop, last)
    wording = load(sentence.lang)["wording"]
    quote = _quoted(guess, sentence, support)
    marks = "".join(
        sentence.text[slice(*sentence.folded.span(reference.start, reference.end))]
        for reference, _ in sentence.references
    )
    ended = bool(rest) or bool(re.search(r"[.!?。！？]", text[stop:last] or text[last - 1 : last]))
    prefixes = tuple(wording[name] for name in SUGGESTIONS.values())
    body = _END.sub("", quote) if quote.startswith(prefixes) else quote.rstrip(".。")
    gap = " " if sentence.lang == "en" or body.isascii() else ""
    words = body + (gap + marks if marks else "") + (_stop(quote) if ended else "")
    if rest:
        words += (" " if sentence.lang == "en" else "") + rest
    place = sentence.folded.span(start, end)
    return Finding(
        kind=VerdictKind.wrong_speaker if sentence.cited else VerdictKind.unbacked_history,
        start=place[0],
        end=place[1],
        node=(sentence.cited[0].id or sentence.cited[0].handle) if sentence.cited else "",
        reason="only an assistant message carries it",
        action="rewritten",
        replacement=words,
        cut=(first, last if not rest else stop),
    )


def _stop(quote: str) -> str:
    return "." if quote.isascii() or not re.search(r"[\u3040-\u30ff\u3400-\u9fff]", quote) else "。"


def bounds(sentence: Sentence, start: int) -> tuple[int, int]:
    """The sentence without its bullet and its line break; in a table, the cell."""
    text = sentence.text
    head = _HEAD.match(text)
    first, last = head.end() if head else 0, len(text.rstrip())
    opened = _OPENED.match(text, first)
    if opened and opened[0] not in text[opened.end() :]:  # what closes it stands behind the sentence
        first = opened.end()
    if text[first : first + 1] == "|":
        at = sentence.folded.span(start, start)[0]
        first = max(first, text.rfind("|", first, max(at, first + 1)) + 1)
        close = text.find("|", max(at, first))
        last = close if close >= 0 else last
        first += len(text[first:last]) - len(text[first:last].lstrip())
        last = first + len(text[first:last].rstrip())
    elif text[first : first + 1] in ("(", "（"):  # a sentence in brackets before another one
        at = sentence.folded.span(start, start)[0]
        closed = _CLOSED.search(text, at)
        if closed and text[closed.end() :].strip():
            first, last = first + 1, closed.start()
    return first, last


_CLOSED: Final = lazily(r"[)）]")
_OPENED: Final = lazily(r"\*{1,3}|_{1,3}")


def _rest(sentence: Sentence, support: Support, stop: int, last: int) -> tuple[str, int]:
    """What follows the claim and stands on its own, and where it begins."""
    text = sentence.text
    ended = _ENDED.match(text, stop, last)
    match = re.search(r"[,;、—–]|\bso\b|\band\b", text[stop:last])
    if ended is not None:
        begin = ended.end()
    elif match is None or text[stop : stop + match.start()].strip(' )）*_"”」'):
        return "", last
    else:
        begin = last - len(_JOINING.sub("", text[stop + match.start() : last], count=1))
    words = content_words(text[begin:last].lower())
    if not words or support.guess_of(words) or _NO_SENTENCE.match(text, begin):
        return "", last
    return text[begin : begin + 1].upper(), begin + 1


_ENDED: Final = lazily(r"[.!?。！？][*_\"”」』)）]+\s+(?=\S)|[ \t]*\n(?=\S)")
"""The end of a sentence in bold print or in quotation marks, with another one behind it in the same unit."""
_NO_SENTENCE: Final = lazily(
    r"(?:since|because|as|given|which|who|that|is|are|was|were|has|have|had|does|did|will|from|of)(?![a-z])",
    re.IGNORECASE,
)
"""What begins so hangs on what is gone."""


def _quoted(guess: Guess, sentence: Sentence, support: Support) -> str:
    """The credit and the guess; the credit alone where the guess makes claims itself."""
    wording = load(sentence.lang)["wording"]
    if not quotable(guess.text, support):
        return str(wording["suggestion_of_it"])
    return str(wording[SUGGESTIONS[support.answer_to(guess.text)]]) + _HEAD.sub("", guess.text, count=1)


def quotable(text: str, support: Support) -> bool:
    """Can a text stand in a repaired sentence without making a claim of its own?"""
    if len(text) > _LONGEST_QUOTE_CHARS or re.search(r"[\n`\[\]()（）「」『』\"“”*|]", text):
        return False
    sentence = read_sentence(text, base="", resolver=support.resolver, own_words="", code=False, carried_cue=True)
    clean = not sentence.references and "own" not in sentence.signals and find_receipt(sentence) is None
    return clean and not any(True for _ in find_claims(sentence)) and not any(True for _ in find_status(sentence))
