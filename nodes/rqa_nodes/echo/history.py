"""Is a claim about earlier talk backed, and what becomes of it if not?

Saying verbs are backed by a message of that speaker. Establishing verbs and "we" are backed only by a statement of the
user or of an external text: an assistant message never backs them, though everybody can see it. What an assistant
message carries is never only cut: the assistant is named as its source, and the reader learns that it is unverified.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from rqa_nodes.echo.attribution import is_marked, marked
from rqa_nodes.echo.claim import Claim
from rqa_nodes.echo.claims import find_claims
from rqa_nodes.echo.content import content_words
from rqa_nodes.echo.contradicted import contradicted
from rqa_nodes.echo.draft import Finding
from rqa_nodes.echo.elsewhere import is_quoted, speaks_elsewhere
from rqa_nodes.echo.fold import fold
from rqa_nodes.echo.kin_cjk import given_to_kin
from rqa_nodes.echo.kin_en import given_to_others_of_yours
from rqa_nodes.echo.lazily import lazily
from rqa_nodes.echo.lexicon import SUGGESTIONS, load
from rqa_nodes.echo.mood import affirms, has_finite_verb, is_negated
from rqa_nodes.echo.quotes_en import misquoted
from rqa_nodes.echo.reasserted import reasserted, says_again
from rqa_nodes.echo.repair import credit, credit_what_was_said, discredit, is_credited
from rqa_nodes.echo.restate import find_guess, reads_badly, restated, unsettled
from rqa_nodes.echo.sentence import Sentence
from rqa_nodes.echo.speakers_en import given_to_names
from rqa_nodes.echo.status import Status
from rqa_nodes.echo.support import Support
from rqa_nodes.echo.types import Injected, VerdictKind

__all__ = ["check_history"]

_POINTS_BACK: Final = lazily(r"(?<![a-z])(?:this|that|it|so|these|those)(?![a-z])|これ|それ|この|その|这|那")


def check_history(sentence: Sentence, support: Support, *, before: str, honest_said: bool) -> Iterator[Finding]:
    """The first unbacked claim of a sentence, if there is one: the sentence is read again after each repair.

    Args:
        sentence: The sentence. A valid reference to anybody's but the assistant's item backs it: whether that fits is
            a question of attribution.
        support: What the texts of this turn support.
        before: The sentence before, for claims that only say "this".
        honest_said: True if the honest form stands in the reply already.
    """
    if sentence.voice == "draft" and not sentence.cited:
        return
    if sentence.cited:
        yield from _beside_references(sentence, support, before=before, honest_said=honest_said)
        return
    backed: list[tuple[int, int]] = []
    said = (0, 0)
    for claim in find_claims(sentence):
        if any(start <= claim.start < end for start, end in backed) or _quotes_user(sentence, claim):
            continue
        if claim.clause == said and not claim.adverbial:
            continue  # another reading of what the user really said
        if _is_backed(sentence, claim, support, before=before):
            backed.append(_vouched(claim))
            said = claim.clause if claim.saying and claim.speaker == "you" and not claim.adverbial else said
            continue
        finding = _check(sentence, claim, support, before=before, honest_said=honest_said)
        if finding is not None:
            yield finding
            return
        if claim.saying and claim.speaker == "you" and not claim.adverbial:
            backed.append(claim.content)  # what the user really said may itself speak of a decision
    finding = (
        unsettled(sentence, support)
        or given_to_kin(sentence, support)
        or misquoted(sentence, support, honest_said=honest_said)
        or given_to_others_of_yours(sentence, support)
        or _unsaid(sentence, support, honest_said=honest_said)
        or reasserted(sentence, support, before=before)
    )
    if finding is not None:
        yield finding


def _beside_references(sentence: Sentence, support: Support, *, before: str, honest_said: bool) -> Iterator[Finding]:
    """A guess that its own reference presents as settled, or the first claim that the references do not back."""
    own = all(item.source == "assistant" for item in sentence.cited)
    if own and not is_marked(sentence) and not sentence.says_answer:
        presented = unsettled(sentence, support)
        if presented is None and says_again(sentence, support, before=before):
            presented = marked(sentence)
        if presented is not None:
            yield presented
            return
    asked = next(_over_a_question(sentence, support, honest_said=honest_said), None)
    if asked is not None:
        yield asked
        return
    yield from _in_other_clauses(sentence, support, before=before, honest_said=honest_said)
    if not own and not is_marked(sentence):
        decorated = reasserted(sentence, support, before=before) or contradicted(sentence, support)
        if decorated is not None:
            yield decorated


def _over_a_question(sentence: Sentence, support: Support, *, honest_said: bool) -> Iterator[Finding]:
    """A claim of what was settled, beside a reference to what the user only asked."""
    if sentence.lang == "en" or not all(_is_asked(item) for item in sentence.cited):
        return
    for claim in find_claims(sentence):
        if is_quoted(sentence.plain, claim.start, claim.start + 1):
            continue  # the question itself, word for word: whether the item holds it is a matter of quotation
        content = _content(sentence, claim)
        words = content_words(content)
        if not claim.saying and claim.strong and not support.affirmed(words, negated=is_negated(content)):
            honest = "" if honest_said else load(sentence.lang)["wording"]["no_record"]
            yield discredit(sentence, claim, honest, content=content)
            return


def _is_asked(item: Injected) -> bool:
    return item.source == "user" and not affirms(fold(item.text).text)


def _in_other_clauses(sentence: Sentence, support: Support, *, before: str, honest_said: bool) -> Iterator[Finding]:
    """A claim in a clause of its own, which the references in other clauses do not back."""
    text = sentence.plain
    if ";" not in text:
        return
    for claim in find_claims(sentence):
        begin, end = text.rfind(";", 0, claim.start) + 1, text.find(";", claim.start)
        apart = not any(begin <= ref.start and (ref.start < end or end < 0) for ref, _ in sentence.references)
        if not apart or _is_backed(sentence, claim, support, before=before):
            continue
        finding = _check(sentence, claim, support, before=before, honest_said=honest_said)
        if finding is not None:
            yield finding
            return


def _unsaid(sentence: Sentence, support: Support, *, honest_said: bool) -> Finding | None:
    """What a speaker of this turn is told to have said, and has not."""
    if sentence.lang != "en" or not support.speakers:
        return None
    text = sentence.plain
    for given in given_to_names(text, support.speakers):
        if given.form != "clause" or speaks_elsewhere(sentence, given.start, given.end):
            continue
        follows = _CONSEQUENCE.search(text, given.end)
        stop = follows.start() if follows else len(text.rstrip(" \n.!?"))
        content = text[given.end : stop]
        words = content_words(content)
        if words and not support.said_by(given.name, words):
            claim = Claim(given.start, given.end, (given.start, stop), (given.end, stop), "", True, False, True)
            honest = "" if honest_said else load("en")["wording"]["no_record"]
            return discredit(sentence, claim, honest, content=content)
    return None


def _vouched(claim: Claim) -> tuple[int, int]:
    """Where no other claim is looked for once this one is backed: its own words, and what the user really said.

    Of "as you said", "you said" is no second claim; what was said may itself speak of a decision.
    """
    told = claim.saying and claim.speaker == "you" and not claim.adverbial
    return claim.start, claim.content[1] if told else claim.end


def _is_backed(sentence: Sentence, claim: Claim, support: Support, *, before: str) -> bool:
    """Does anybody whom the claim may rest on say so?"""
    content = _content(sentence, claim)
    words, negated = content_words(content), is_negated(content)
    if claim.event and support.touched_on(content_words(sentence.plain[claim.clause[0] : claim.clause[1]])):
        return True
    if claim.saying and claim.speaker == "you" and _sums_up(sentence, before, support):
        return True
    if claim.saying and claim.speaker == "you" and (support.doubted(content) or _is_verbatim(content, words, support)):
        return True
    if _guessed_inside(sentence, claim, support) and not _names_backed(sentence, claim, support):
        return False
    if _points_back(content, words) and before and not support.carried_by_assistant(words):
        if words and claim.saying and _backed(claim, words, support, negated=negated):
            return True
        words = words | content_words(fold(before).text)
    if _backed(claim, words, support, negated=negated) or _names_backed(sentence, claim, support):
        return True
    if sentence.lang != "en":
        return False
    if not claim.saying:
        rejects = _REJECTED.search(sentence.plain, claim.start, claim.end)
        return rejects is not None and _backed(claim, words, support, negated=not negated)
    others = _beside(sentence.plain, claim) if claim.adverbial else _around(sentence.plain, claim)
    return any(_backed(claim, content_words(part), support, negated=is_negated(part)) for part in others)


_ALL_OF_THEM: Final = lazily(
    r"[\s>*_-]*(?:(?:both|all|each|either|these|those)(?![a-z])|どちらも|いずれも|どれも|これらは|以上は|すべて|全て|[二三四]つとも)"
)
_CITED: Final = lazily(r"\[m:([0-9a-z]+)\]")


def _sums_up(sentence: Sentence, before: str, support: Support) -> bool:
    """Does it speak of a list whose last line cites the user ("all of these you named yourself")?"""
    if not _ALL_OF_THEM.match(sentence.plain):
        return False
    cited = [support.resolver.resolve(found)[1] for found in _CITED.findall(fold(before).text)]
    return bool(cited) and all(item is not None and item.source == "user" for item in cited)


def _is_verbatim(content: str, words: frozenset[str], support: Support) -> bool:
    """Are words without any content, such as an adjective in kana, the user's own?"""
    bare = content.strip(' 、。,.!?「」“”"')
    return not words and len(bare) > 1 and bare in support.told


_REJECTED: Final = lazily(r"(?<![a-z])(?:ruled|rejected|refused|dropped|excluded|dismissed|turned|against)(?![a-z])")
"""To rule something out is to say no to it."""


def _points_back(content: str, words: frozenset[str]) -> bool:
    return not words or (len(words) == 1 and bool(_POINTS_BACK.search(content)))


_BEFORE_IT: Final = lazily(r"(?:^|[,;:—–(]|(?<![a-z])(?:and|but|so|since|because)(?![a-z]))([^,;:—–(]{4,})[,(—–-] *$")
_BEHIND_IT: Final = lazily(r" *[,)—–-]? *([^,;:—–)]{4,}?)(?=[,;:—–)]|[.!?](?:\s|$)|$| (?:and|but|so) )")


def _beside(text: str, claim: Claim) -> list[str]:
    """The clauses beside an adverbial, to either of which it may belong: "X, as you said, is Y"."""
    found = (_BEFORE_IT.search(text, 0, claim.start), _BEHIND_IT.match(text, claim.end))
    return [match[1] for match in found if match]


def _around(text: str, claim: Claim) -> Iterator[str]:
    """What a clause of saying may be about besides what follows it: "X, you said, is Y"; "you said X: do Y"."""
    told = text[slice(*claim.content)]
    if ":" in told.rstrip(" :"):
        yield told.partition(":")[0]
    aside = text[: claim.start].rstrip(' *_"“').endswith((",", "(", "—", "–"))
    if aside and text[claim.end :].lstrip(' *_"”')[:1] in tuple(",;:.?!)—–"):
        yield text[: claim.start] + " " + text[claim.end :]
        yield from _beside(text, claim)


def _guessed_inside(sentence: Sentence, claim: Claim, support: Support) -> frozenset[str]:
    """What an adverbial itself names, if an assistant message carries it: "given that we agreed X, ..."."""
    if not claim.adverbial or not claim.start <= claim.content[0] <= claim.content[1] <= claim.end:
        return frozenset()
    named = content_words(sentence.plain[slice(*claim.content)])
    return named if len(named) > 1 and support.carried_by_assistant(named) else frozenset()


def _check(sentence: Sentence, claim: Claim, support: Support, *, before: str, honest_said: bool) -> Finding | None:
    """What becomes of a claim that nobody backs."""
    content = _content(sentence, claim)
    words = content_words(content)
    points_back = _points_back(content, words)
    if points_back and before and not support.carried_by_assistant(words):
        words = words | content_words(fold(before).text)
    if named := _guessed_inside(sentence, claim, support):  # X is what is claimed
        past = claim.end + sentence.plain.startswith(",", claim.end)
        claim, words = claim._replace(adverbial=False, clause=(claim.start, past)), named
    carried = support.carried_by_assistant(words)
    if carried and not claim.strong and len(words) == 1:
        return None
    strong = (
        claim.strong
        or _decides(sentence, claim, before)
        or (not claim.saying and _raised(sentence, claim, words, support))
    )
    if not carried and (not strong or sentence.voice or speaks_elsewhere(sentence, claim.start, claim.end)):
        return None
    wording = load(sentence.lang)["wording"]
    if not carried:
        guess = next(find_guess(sentence, support, [Status(claim.start, claim.end, False)]), None)
        if guess is not None and not support.affirmed(guess.words, negated=guess.negated):
            return restated(sentence, support, claim.start, claim.end, guess.guess, past=guess.end)
        return discredit(sentence, claim, "" if honest_said else wording["no_record"], content=content)
    if is_credited(sentence, claim):
        return None
    if points_back and not claim.adverbial and not content_words(content):
        return credit_what_was_said(sentence, claim, wording["suggestion_of_it"])
    prefix = wording[SUGGESTIONS[support.answer_to_all(words)]]
    finding = credit(
        sentence,
        claim,
        prefix=prefix,
        kind=VerdictKind.unbacked_history,
        reason="only an assistant message carries it",
    )
    return (
        finding
        if (claim.strong or sentence.lang == "en") and _reads_well(sentence, claim, finding, prefix)
        else _quoting(sentence, claim, support, words, finding)
    )


_DECISION: Final = lazily(r"決|合意|確定|取り決め|約束|了承|承認|固ま|まとま|既定|確立し|确定|决定|商定|约定|达成|说好")
_BY_LAW: Final = lazily(
    r"(?:法|法律|法令|規則|規定|制度|条例|契約|ルール|校則|仕様|規格|憲法|定款|国|法规|规定|合同)(?:で|に|により|上|的)?"
)


def _raised(sentence: Sentence, claim: Claim, words: frozenset[str], support: Support) -> bool:
    """Is it called settled, though the user only asked for it, denied it or made it a condition?

    What a main clause calls known may be known from elsewhere: it must be something that people decide.
    """
    said = sentence.plain[claim.start : claim.end]
    if sentence.lang != "en" and support.only_asked(words):
        return True
    return (
        bool(claim.adverbial or _DECISION.search(said))
        and not _BY_LAW.search(sentence.plain)
        and support.said_by_user(words)
    )


def _decides(sentence: Sentence, claim: Claim, before: str) -> bool:
    """Does it only point back at what was just said to be the assistant's guess ("as decided, go on")?"""
    credited = before.startswith(load(sentence.lang)["wording"]["suggestion"].strip())
    return claim.adverbial and not claim.saying and credited


_LOOSE_LEAD: Final = lazily(r"(?:which|what|here|our|the)(?![a-z])")
"""A claim that begins so is part of a longer phrase: cutting it leaves a torso."""


def _reads_well(sentence: Sentence, claim: Claim, finding: Finding, prefix: str) -> bool:
    """Is the sentence still one with its claim cut out? In Japanese, only where an adverbial goes."""
    if sentence.lang != "en" and not claim.adverbial:
        return False
    if claim.adverbial and not claim.strong and _LOOSE_LEAD.match(sentence.plain, claim.start):
        return False
    text, (start, end) = sentence.text, finding.place
    if not finding.replacement.startswith(prefix):
        return not reads_badly("", text[:start] + text[end:])
    body = finding.replacement.removeprefix(prefix)
    if sentence.lang == "en" and not claim.adverbial and not has_finite_verb(body):
        return False
    return not reads_badly(text[:start], body + text[end:])


def _quoting(sentence: Sentence, claim: Claim, support: Support, words: frozenset[str], otherwise: Finding) -> Finding:
    """The assistant's own sentence, if the claim can be traced to one."""
    guess = next(find_guess(sentence, support, [Status(claim.start, claim.end, False)]), None)
    if guess is not None:
        return restated(sentence, support, claim.start, claim.end, guess.guess, past=guess.end)
    closest = support.closest_guess(words) if sentence.lang == "en" else None
    if closest is None:
        return otherwise
    return restated(sentence, support, claim.start, claim.end, closest, past=claim.content[1])


_OWN_QUOTE: Final = lazily(r"[\s,:]*\x1a{3}")
"""Words of this turn in quotation marks, which the sentence has blanked out."""


_ONLY_QUOTE: Final = lazily(r"\x1a{3,}[とっ]?て?[^\s\x1a、。]{1,16}$")
"""The same directly before the verb."""


def _quotes_user(sentence: Sentence, claim: Claim) -> bool:
    if claim.speaker != "you" or not claim.saying:
        return False
    return bool(_OWN_QUOTE.match(sentence.plain, claim.end) or _ONLY_QUOTE.search(sentence.plain[: claim.end]))


def _names_backed(sentence: Sentence, claim: Claim, support: Support) -> bool:
    """Is what an adverbial itself names ("given your history of X, ...") backed?"""
    if not claim.adverbial or not claim.content[1]:
        return False
    named = sentence.plain[slice(*claim.content)]
    return _backed(claim, content_words(named), support, negated=is_negated(named))


_CONSEQUENCE: Final = lazily(r";|, so(?![a-z])")
"""What follows from a content is none of it."""


def _content(sentence: Sentence, claim: Claim) -> str:
    """What the claim is about: what it names, else the rest of the sentence."""
    if claim.adverbial:
        before, after = sentence.plain[: claim.start], sentence.plain[claim.end :]
        return before[before.rfind(";") + 1 :] + " " + _CONSEQUENCE.split(after, maxsplit=1)[0]
    return sentence.plain[claim.content[0] : claim.content[1]]


def _backed(claim: Claim, words: frozenset[str], support: Support, *, negated: bool) -> bool:
    if claim.saying and claim.speaker == "i":
        return support.said_by_assistant(words)
    if claim.saying and claim.speaker == "you":
        return support.said_by_user(words) and not support.denied_by_user(words, negated=negated)
    return support.affirmed(words, negated=negated)
