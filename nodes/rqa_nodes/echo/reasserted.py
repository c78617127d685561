"""Is a guess of the assistant's said again as a fact, though nothing has been told since that could make it one?

"He is overtired by then" after "He is most likely overtired by then": no word claims a memory, and yet the guess has
come back as a fact. A clause counts as the guess again if it holds most of the guess's words and little else, says it
flatly where the guess was hedged, and if the words that make its point are nobody else's. Where the user has told
anything since (a question tells nothing), or a document or a tool has, new evidence may have settled it: who reasons on
from a guess is not an echo.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from typing import Final, NamedTuple

from rqa_nodes.echo.content import LEAST_SHARED, content_words
from rqa_nodes.echo.draft import Finding
from rqa_nodes.echo.fold import fold
from rqa_nodes.echo.labels import cause_words, label_before, topic_end
from rqa_nodes.echo.lazily import lazily
from rqa_nodes.echo.mood import affirms, has_finite_verb, is_hedged, is_negated, without_certainty
from rqa_nodes.echo.restate import restated
from rqa_nodes.echo.sentence import Sentence
from rqa_nodes.echo.status import is_conditional
from rqa_nodes.echo.support import Guess, Support

__all__ = ["reasserted", "says_again"]

_OWN: Final = 0.7
"""Share of the clause's words that the guess holds."""

_WHOLE: Final = 0.6
"""Share of the guess's words that the clause holds."""

_MOST: Final = 0.6
"""The same where an English clause holds the whole guess: "your jealousy of your sister shows"."""

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
    r"thought|opinion|diagnosis|explanation)|in (?:my|his|her|their) (?:view|opinion|eyes)|whether|rule out|"
    r"according to|stud(?:y|ies)|research|finds?|in one|"
    r"(?:was|were|is|am) (?:wrong|mistaken|false|untrue)|retract|withdraw|take (?:it |that )?back|hardly|nobody|"
    r"far from|too (?:early|soon) to|premature|"
    r"says|claims|no (?:sign|evidence|indication|reason|proof)|not the case|contrary|in the other|scenario|thesis|case|"
    r"most|many|people)(?![a-z])|^\W*where(?:ver)?(?![a-z])"
    r"|推測|推察|仮説|仮定|見立て|想像|可能性|かも|思[いうっわ]|と(?:考え|見[らて])|見込|疑[いうっわ]|提案|"
    r"未確認|未検証|裏付け|裏づけ|申し上げ|お伝え|勧め|薦め|すすめ|でしょう|だろう|はず|らし[いく]|よう[でだな]|そう[でだな]|っぽ|みたい|どうか|"
    r"案(?:です|でし|は)|(?:私|僕|俺|当方|わたし)(?:が|の|から|は)|まだ|か$|"
    r"か[。、?？]|と言[わいう]|とされ|によれば|によると|"
    r"研究|調査|学派|諸説|主張|多くの|一般に|ではなく|じゃなく|でなく|ではあり|じゃあり|ではな[いか]|誤り|間違いで|撤回|取り消|訂正|早合点|見当違い|決めつけ"
    r"|可能|也许|或许|大概|恐怕|估计|猜|推测|建议|提议|假设|是否|应该|未经|怀疑|说不定|似乎|好像|没准|不是|错|收回|并非|没有证据"
)
"""Words that own up to a guess, ask, or speak of people at large: the whole sentence is read with them."""

_OPEN: Final = lazily(
    r"(?<![a-z])(?:could|would|should|can|must|will|looks|sounds|points?|if|unless|let|lets|verify|check|test|confirm|"
    r"find out|make sure|when|where|whereas|until)(?![a-z])"
    r"|もし|仮に|なら|たら|れば|場合|確認|確かめ|検証|調べ|試[しすせ]|見て|ましょう|ください|下さい|"
    r"ませんか|懸念|早い|なく|点検|見ます|候補|先看|查看|待查|候选|如果|要是|确认|检查|試|试"
)
"""Words that leave a clause open: advice, a condition, something to be found out."""

_BREAK: Final = lazily(
    r"(?:[.。](?=[\s*_\"”)]|$)|(?<!\d)[,:]|[,:](?!\d)|[;()（）、，；：|\n—–=→\]]|\s-\s)"
    r"|(?<![a-z])(?:because|since|so|and|but|which|as|while|although|though|where|means)(?![a-z])"
    r"|(?<=[るたうすいだつくむぶぬんな])(?:からこそ|から|ので|のに|が|けど|けれど|けれども|ものの|以上|ため|し)(?=、)|因为|所以|因此"
)
"""Where one statement ends and another begins."""

_STATES: Final = lazily(
    r"(?:[るたうすつぬむぐぶいだん][ねよなわさぞぜ]*|原因|せい|ため|(?<=[るたいだ])(?:こと|の)[がはもでを]?)\W*$"
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
    labelled: bool
    """What stands before it is its label."""


def says_again(sentence: Sentence, support: Support, *, before: str = "") -> Again | None:
    """The clause in which a sentence says a guess again, flatly and with nothing to back it.

    Args:
        sentence: The sentence.
        support: What the texts of this turn support.
        before: The sentence before, which may be a heading.
    """
    plain = sentence.prose
    if sentence.voice or not support.may_hold_guess(plain):
        return None
    plain = without_certainty(plain)
    if support.words_are_asked_for or "?" in plain:
        return None
    opened = False
    for start, end, past in _clauses(plain):
        label = label_before(plain[:start] if any(map(str.isalnum, plain[:start])) else fold(before).text)
        opened = opened or label == "open"
        if label == "open" or (opened and not start):  # in the end, all of it
            continue
        topic = topic_end(plain[start:end])
        named = bool(topic) or label == "cause"
        guess = _guess_of(plain[start + topic : end], sentence.lang, support, named=named)
        if guess is not None and not is_conditional(plain[:end]):
            said = without_certainty(sentence.folded.text[: _with_tag(plain, end)])
            return None if _OWNED_UP.search(said) or is_hedged(said) else Again(start, end, past, guess, named)
    return None


def _with_tag(plain: str, end: int) -> int:
    """Where a clause ends with the few words behind it that may take it back: "..., I think"."""
    tag = _TAG.match(plain, end)
    return tag.end() if tag else end


_TAG: Final = lazily(
    r"\W{0,3}(?:(?:[a-z'’]+ ?){1,3}|or so i [a-z]+|[^\x00-\x7f、。，]{1,12})(?=[\s.。!！、,)）]*$)|、?と[^、。]{1,20}"
)


def reasserted(sentence: Sentence, support: Support, *, before: str = "") -> Finding | None:
    """The assistant's own sentence, under its own name, in place of the fact that was made of it."""
    again = says_again(sentence, support, before=before)
    if again is None:
        return None
    finding = restated(sentence, support, again.start, again.end, again.guess, past=again.past)
    value = _value(sentence, again)
    finding = replace(
        finding, cut=value or finding.cut, replacement=_with_own_references(sentence, finding.replacement)
    )
    return finding if value or again.labelled else _behind_what_stands(sentence, support, again.start, finding)


def _clauses(plain: str) -> Iterator[tuple[int, int, int]]:
    """The clauses of a sentence, then all of it: begin, end, and the end with the word that joins it to the next."""
    start, last = 0, len(plain.rstrip())
    for match in _BREAK.finditer(plain):
        yield start, match.start(), match.start() if match[0].isascii() else match.end()
        start = match.end()
    yield start, last, last
    if start:
        yield 0, last, last


def _guess_of(clause: str, lang: str, support: Support, *, named: bool) -> Guess | None:
    """The guess that a clause says again; one that is named as a cause needs no verb, and not much of the guess."""
    words = content_words(clause)
    guess = support.hedged_guess_of(words) if words else None
    if guess is None or _OPEN.search(clause) or not affirms(clause):
        return None
    if not (named or (_STATES.search(clause) if lang == "ja" else lang != "en" or has_finite_verb(clause))):
        return None
    own, whole = _MEASURES[lang](clause, guess)
    shared = words & guess.words
    same = (own >= _OWN and whole >= _WHOLE) or (own >= _ALMOST_ALL and (whole >= _HALF or named))
    same = same or (lang == "en" and whole == 1 and own >= _MOST)
    if len(shared) < LEAST_SHARED and named:
        return None
    denies = is_negated(clause)
    if not same or denies is not _denies(guess, shared):
        return None
    if support.denied_by_user(shared, negated=denies):
        return guess
    alone = len(support.unstated(shared)) >= _UNSAID * len(shared)
    return guess if alone and support.only_guessed(shared) else None


def _denies(guess: Guess, shared: frozenset[str]) -> bool:
    """Does the guess deny what the clause takes from it? "I cannot tell, but it may be the valve" does not."""
    parts = _COMMA.split(fold(guess.text).text)
    return is_negated(" ".join(_SMALL.sub("", part) for part in parts if content_words(part) & shared))


def _by_words(clause: str, guess: Guess) -> tuple[float, float]:
    """Which share of the clause's words the guess holds, and which share of the guess's the clause."""
    words = content_words(clause) - (cause_words() - guess.words)
    shared = len(words & guess.words)
    return shared / max(1, len(words)), shared / max(1, len(guess.words))


def _by_runs(clause: str, guess: Guess) -> tuple[float, float]:
    """The same in Japanese words of one script: a long word is one word, however many character pairs it has."""
    folded = fold(guess.text).text
    mine = {run for run in _RUN.findall(clause) if run in folded or run not in cause_words()} - _ITS_READER
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
_SMALL: Final = lazily(
    r"说不定|可能|也许|或许|大概|恐怕|多半|好像|似乎|没准|我?怀疑|我?猜|应该|估计|看来|用户|有点|已经|[是的了点就都太很您你]"
)
"""Chinese words that a guess has and a fact has not, and those that change nothing."""


def _with_own_references(sentence: Sentence, words: str) -> str:
    """The assistant's sentence without references to what others said: those stand beside it only."""
    for reference, pointers in sentence.references:
        if any(pointer.item is None or pointer.item.source != "assistant" for pointer in pointers):
            mark = sentence.text[slice(*sentence.folded.span(reference.start, reference.end))]
            words = words.replace(f" {mark}", "").replace(mark, "")
    return words


def _value(sentence: Sentence, again: Again) -> tuple[int, int] | None:
    """The place between the quotation marks, if the clause is a string in a notation such as JSON."""
    text = sentence.text
    start, end = sentence.folded.span(again.start, again.end)
    start = end - len(text[start:end].lstrip(' "'))
    first, last = text.rfind('"', 0, start + 1), text.find('"', end - 1)
    alone = first >= 0 and last >= 0 and not (text[first + 1 : start].strip() or text[end:last].strip(" .!"))
    return (first + 1, last) if alone and text[last + 1 :].lstrip()[:1] in tuple(":,}]") else None


_NO_STATEMENT: Final = lazily(
    r"\W*(?:for|in|on|at|by|to|of|with|from|about|after|before|because|since|as|if|when|while|although|though|given|"
    r"considering|and|but|so|that|this|also|then)(?![a-z])"
)
_JOINING: Final = lazily(
    r"(?i)[\s,;:(—–-]*(?:\b(?:because|since|so|and|but|which|as|while|although|though|where)\b[\s,;:(—–-]*)*$"
)


def _behind_what_stands(sentence: Sentence, support: Support, start: int, finding: Finding) -> Finding:
    """A statement before the clause stays, as a sentence of its own."""
    first = finding.place[0]
    at = sentence.folded.span(start, start)[0]
    lead = _JOINING.sub("", sentence.text[first:at]).rstrip("、")
    words = content_words(lead.lower())
    english = sentence.lang == "en"
    if len(words) < LEAST_SHARED or support.guess_of(words):
        return finding
    if _NO_STATEMENT.match(lead.lower()) if english else not _ENDS_JA.search(lead):
        return finding
    stop = ". " if english else "。"
    return replace(finding, cut=(first + len(lead), finding.place[1]), replacement=stop + finding.replacement)


_ENDS_JA: Final = lazily(r"(?:ます|です|ました|でした|ください|下さい|ましょう|だ|よう)$")
