"""What did the user answer to what a sentence refers to, and does the sentence say that, and no more?

What the user has confirmed is the user's affirmation (P5): "as you confirmed" and "we agreed" fit a reference to it.
"You said" does not, because the words were the assistant's. An answer counts only where it was given this turn, and for
the item that it answers alone: of a guess that nobody answered, no reference to any other item makes a confirmed one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from typing import Final, NamedTuple

from rqa_nodes.echo.attribution import in_own_words
from rqa_nodes.echo.claims import find_claims
from rqa_nodes.echo.content import best_share, content_words
from rqa_nodes.echo.draft import Finding
from rqa_nodes.echo.facts import TurnFacts
from rqa_nodes.echo.fold import fold
from rqa_nodes.echo.lazily import lazily
from rqa_nodes.echo.lexicon import LANGUAGES, SUGGESTIONS, load
from rqa_nodes.echo.needed import needs_of
from rqa_nodes.echo.screen import Screen
from rqa_nodes.echo.sentence import Sentence
from rqa_nodes.echo.support import Support
from rqa_nodes.echo.types import Answer, Injected, VerdictKind

__all__ = ["check_answers", "screen_of_credits", "with_answers"]

_SAID_YES: Final = lazily(
    r"(?<![a-z])(?:you(?:['’]ve| have| had)?(?: also| then| since| later)? (?:confirmed|affirmed|agreed|said yes)"
    r"|(?:which |and )?(?:was |were |is )?confirmed by you)(?: (?:it|that|this|so))?(?![a-z])"
    r"|(?:ご本人|あなた)(?:が|も|は|に)[^、。]{0,12}?(?:認め|確認|同意|肯定)[^、。\s]{0,8}"
    r"|(?:你|您)(?:也|已经?)?(?:确认|確認|承认|同意)(?:了|过)?"
)
_SAID_NO: Final = lazily(
    r"(?<![a-z])(?:you(?:['’]ve| have| had)?(?: also| then| since| later)? (?:denied|rejected|disagreed|said no)"
    r"|(?:which |and )?(?:was |were |is )?denied by you)(?: (?:it|that|this|so))?(?![a-z])"
    r"|(?:ご本人|あなた)(?:が|も|は|に)[^、。]{0,12}?否定[^、。\s]{0,8}|(?:你|您)(?:也|已经?)?否认(?:了|过)?"
)
_NO_ANSWER: Final = lazily(r"[^、。]{0,10}(?:ませ?ん|ない|なかっ|わけ(?:では|じゃ))")
"""Behind a Japanese verb of answering: it was not done."""
_BLANK: Final = "\x1a"
_ENOUGH: Final = 0.5
"""Share of a guess's content words that the user's own statement must hold to be about it."""


class _Said(NamedTuple):
    """Where a sentence says that the user answered."""

    start: int
    end: int
    answer: Answer
    lang: str = ""
    """Language of a credit in the verifier's own words; "" for other words."""


@cache
def _credits() -> tuple[tuple[str, Answer, str], ...]:
    """The verifier's own credits that name an answer, folded."""
    answers: tuple[Answer, ...] = ("confirmed", "denied")
    return tuple(
        (fold(load(lang)["wording"][SUGGESTIONS[answer]]).text.strip(), answer, lang)
        for lang in LANGUAGES
        for answer in answers
    )


def screen_of_credits() -> Screen:
    """Which of these credits could stand there?"""
    return Screen(needs_of(re.escape(words)) for words, _, _ in _credits())


def _said(sentence: Sentence) -> Iterator[_Said]:
    plain = sentence.plain
    own = [
        _Said(at, at + len(words), answer, lang) for words, answer, lang in _credits() if (at := plain.find(words)) >= 0
    ]
    if own:
        yield from own
        return
    answers: tuple[tuple[re.Pattern[str], Answer], ...] = ((_SAID_YES, "confirmed"), (_SAID_NO, "denied"))
    for pattern, answer in answers:
        for match in pattern.finditer(plain):
            if not _NO_ANSWER.search(match[0]) and not _NO_ANSWER.match(plain, match.end()):
                yield _Said(*match.span(), answer)


def _own(sentence: Sentence) -> list[Injected]:
    return [item for item in sentence.cited if item.source == "assistant"]


def _answer(sentence: Sentence, facts: TurnFacts, support: Support, said: _Said | None = None) -> Answer:
    """What the user said to the guess that the sentence refers to or, without a reference, says again."""
    own = _own(sentence)
    if own:
        answers = {facts.answer_to(item) for item in own}
        return answers.pop() if len(answers) == 1 else ""
    return support.answer_to_all(content_words(sentence.plain[said.end :])) if said and said.lang else ""


def check_answers(sentence: Sentence, facts: TurnFacts, support: Support) -> Finding | None:
    """The first answer that a sentence ascribes to the user, and that was not given to what it refers to."""
    for said in _said(sentence):
        if not said.lang and (not _own(sentence) or _said_themselves(sentence)):
            continue  # a claim like any other
        answer = _answer(sentence, facts, support, said)
        if answer == said.answer:
            continue
        if said.lang:
            return _other_credit(sentence, said, answer)
        return in_own_words(_with(sentence, facts), said.start, said.end, _own(sentence)[0])
    return None


def _said_themselves(sentence: Sentence) -> bool:
    """Does the sentence also refer to what the user said of the guess in words of their own?"""
    told = [content_words(fold(item.text).text) for item in sentence.cited if item.source == "user"]
    guesses = [content_words(fold(item.text).text) for item in _own(sentence)]
    return bool(told) and all(best_share(guess, told) >= _ENOUGH for guess in guesses)


def _other_credit(sentence: Sentence, said: _Said, answer: Answer) -> Finding:
    place = sentence.folded.span(said.start, said.end)
    own = _own(sentence)
    return Finding(
        kind=VerdictKind.wrong_speaker if own else VerdictKind.unbacked_history,
        start=place[0],
        end=place[1],
        node=(own[0].id or own[0].handle) if own else "",
        reason="the user gave no such answer to it",
        action="rewritten",
        replacement=str(load(said.lang)["wording"][SUGGESTIONS[answer]]).strip(),
        cut=place,
    )


def _with(sentence: Sentence, facts: TurnFacts) -> Sentence:
    return replace(sentence, answers={item: facts.answer_to(item) for item in _own(sentence)})


def with_answers(sentence: Sentence, facts: TurnFacts, support: Support) -> Sentence:
    """The sentence, without the words that the user's answer to what it refers to bears out."""
    if not facts.answered:
        return sentence
    said = [one for one in _said(sentence) if _answer(sentence, facts, support, one) == one.answer]
    spans = [(one.start, one.end) for one in said]
    if _answer(sentence, facts, support) == "confirmed":
        claims = (claim for claim in find_claims(sentence) if not claim.saying and claim.speaker != "i")
        spans += [(claim.start, claim.end) for claim in claims]
    plain = sentence.plain
    for start, end in spans:
        plain = plain[:start] + _BLANK * (end - start) + plain[end:]
    return replace(_with(sentence, facts), plain=plain, says_answer=bool(said))
