"""What can be answered from what was given this turn, in whose words, and what is missing?

Extractive: every sentence about the world or a person is a quotation with its source, word for word; the rest are fixed
sentences. The user's words come first, then documents, then, set apart, the engine's own earlier guesses. Nothing is
ever promised about memory: receipts belong to the application.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final, assert_never

from rqa_checkpoints.provenance import SourceClass, is_bare_answer
from rqa_nodes.language import detect
from rqa_nodes.prompt_parts import DocumentPart, MemoryLine, PromptParts
from rqa_nodes.structure.clause import quotable
from rqa_nodes.structure.contrast import compare, mark
from rqa_nodes.structure.features import find
from rqa_nodes.structure.intent import Intent, classify, is_personal, is_question, is_request, statement
from rqa_nodes.structure.lexicon import language, phrases, wording
from rqa_nodes.structure.marks import single
from rqa_nodes.structure.ordering import in_order, newer_lines
from rqa_nodes.structure.passages import Passage, best_passages, without_own_sentences
from rqa_nodes.structure.segment import Unit, segment
from rqa_nodes.structure.text import content_terms, coverage, fold, weigh

__all__ = ["reply"]

_MOST: Final[Mapping[str, int]] = {"user": 4, "external": 3, "system": 2, "assistant": 2}
"""Quotations a class: more is a list nobody reads."""
_READ_CHARS: Final = 2000
"""Characters of a statement that decide what it is about."""
_NAMES_TOPIC: Final = re.compile(r"\b(?:about|regarding|concerning)\b|について|に関して|关于", re.IGNORECASE)
_SHORT_STATEMENT_CHARS: Final = 160
"""A statement of several sentences is quoted whole up to this length."""
_QUOTE_MARK: Final = re.compile(r"[\"“”「」『』]")
_TOUCHED: Final = 0.2
_TOUCHED_WEIGHT: Final = 3.0
"""A single Han character in common is no topic."""
_RELATED: Final = 0.4
"""Share of a statement's terms from which an older item is about the same."""
_TURNS: Final = 3
_LONG_STATEMENT_SENTENCES: Final = 3
_OVERVIEW: Final = 5


class _Speaker:
    """The fixed sentences of one language, with quotations filled in."""

    def __init__(self, lang: str, memory: Sequence[MemoryLine] = ()) -> None:
        self.words = phrases(lang)
        self.answers = [line for line in memory if line.confirms or line.denies]
        self.lang = lang
        self.joint = " " if lang == "en" else ""

    def say(self, key: str, **slots: str) -> str:
        return self.words[key].format(**slots)

    def quote(self, text: str) -> str:
        return single(_trim_end(text))

    def passage(self, passage: Passage, *, dated: bool = False) -> str:
        x = self.quote(passage.text)
        if passage.line is not None:
            return self.line(passage.line, x, dated=dated)
        if passage.origin == "document":
            return self.say("said_document", where=passage.locator or self.words["a_document"], x=x)
        return self.say("said_now" if passage.speaker == "user" else "said_now_assistant", x=x)

    def line(self, line: MemoryLine, x: str, *, dated: bool) -> str:
        where = line.locator or line.author or self.words["a_document"]
        key = f"said_{line.source.value}"
        if line.source is SourceClass.assistant and (line.confirmed or line.denied):
            return self.answered(line, x)
        if line.source is SourceClass.user:
            told = "said_user_before" if line.superseded_by else "said_user_dated"
            key = "asked_user" if line.kind == "question" else told if dated and line.date else key
        return self.say(key, x=x, handle=line.handle, where=where, date=line.date)

    def answered(self, line: MemoryLine, x: str) -> str:
        """A guess of the engine's, and what the person answered to it."""
        by = next((one.handle for one in self.answers if line.handle in (*one.confirms, *one.denies)), "")
        key, date = ("said_confirmed", line.confirmed) if line.confirmed else ("said_denied", line.denied)
        return self.say(key, x=x, handle=line.handle, date=date, by=f" [m:{by}]" if by else "")


def _trim_end(text: str) -> str:
    """The text on one line without its closing full stop: a question mark stays, it changes the sense."""
    return " ".join(text.split()).rstrip("。．. ")


def reply(parts: PromptParts) -> Iterator[str]:
    """The reply in pieces, a sentence or a list line each; joined they are the whole text, never empty."""
    parts = replace(parts, memory=without_own_sentences(parts.memory))
    speaker = _Speaker(parts.lang, parts.memory)
    sentences = _asked_list(parts, speaker) if parts.listing else _sentences(parts, speaker, classify(parts.user_text))
    return _joined(sentences, speaker.joint)


def _sentences(parts: PromptParts, speaker: _Speaker, intent: Intent) -> Iterator[str]:
    if parts.documents and (intent is Intent.empty or is_request(parts.user_text)):
        return _overview(parts.documents, speaker)
    match intent:
        case Intent.empty | Intent.thanks:
            return iter([speaker.words["no_text" if intent is Intent.empty else "welcome"]])
        case Intent.request:
            return iter([speaker.say("cannot", x=_short(parts.user_text, parts.lang))])
        case Intent.about_user:
            return _listing(parts, parts.memory, speaker)
        case Intent.survey:
            return _survey(parts, speaker)
        case Intent.own:
            return _own(parts, speaker)
        case Intent.record:
            return _on_record(parts, speaker)
        case Intent.statement:
            return _acknowledge(parts, speaker)
        case Intent.fact | Intent.concept:
            return _answer(parts, speaker, intent)
        case _:
            assert_never(intent)


def _joined(sentences: Iterator[str], joint: str) -> Iterator[str]:
    previous = ""
    for sentence in sentences:
        if previous:
            as_lines = sentence.startswith("- ") or previous.startswith("- ")
            yield "\n" if as_lines else joint
        yield sentence
        previous = sentence


def _short(text: str, lang: str) -> str:
    units = segment(text)
    asked = next((unit.text for unit in units if is_question(unit.text)), units[0].text if units else text.strip()[:80])
    return quotable(asked, language(lang))


def _verbatim(text: str) -> str:
    """What was said as it was said: "I think" in front of it is part of it; of more than a few words, the beginning."""
    units, whole = segment(text), " ".join(text.split())
    short = len(units) > 1 and len(whole) <= _SHORT_STATEMENT_CHARS and not _QUOTE_MARK.search(whole)
    return (whole if short else units[0].text if units else text.strip()[:80]).rstrip(" .。！!")


def _survey(parts: PromptParts, speaker: _Speaker) -> Iterator[str]:
    """What is known of a matter: the lines that share a word with the question; of others, that they are only near."""
    wanted = content_terms(parts.user_text)
    related = [line for line in parts.memory if _touches(wanted, content_terms(line.text))]
    if any(_tells(line) or line.confirmed for line in related):
        return _listing(parts, related, speaker)
    related = [line for line in related if line.source is SourceClass.assistant]
    if related or not parts.memory or parts.documents or parts.transcript or not _NAMES_TOPIC.search(parts.user_text):
        return _listing(parts, parts.memory, speaker)
    return _missing(parts, speaker, Intent.fact)


def _tells(line: MemoryLine) -> bool:
    """Is it said by anybody but the engine, and no question?"""
    return line.source is not SourceClass.assistant and line.kind != "question"


def _touches(wanted: frozenset[str], found: frozenset[str]) -> bool:
    return coverage(wanted, found) >= _TOUCHED and weigh(wanted & found) >= _TOUCHED_WEIGHT


def _listing(parts: PromptParts, lines: Sequence[MemoryLine], speaker: _Speaker) -> Iterator[str]:
    """What is known: the user's words, then documents and settings, then, set apart, the engine's own guesses."""
    given = _spoken(parts, speaker) if not lines else []
    own = [line for line in lines if line.source is SourceClass.user and not _only_answers(line)]
    # What somebody asked tells less about them than what they stated.
    own.sort(key=lambda line: line.kind == "question")
    given += [speaker.line(line, speaker.quote(line.text), dated=True) for line in own]
    confirmed = [line for line in lines if line.source is SourceClass.assistant and line.confirmed]
    given += [speaker.line(line, speaker.quote(line.text), dated=False) for line in confirmed]
    others = [line for line in lines if line.source in (SourceClass.external, SourceClass.system)]
    given += [speaker.line(line, speaker.quote(line.text), dated=False) for line in others]
    given += [speaker.passage(passage) for passage in best_passages(parts.user_text, (), parts.documents)]
    # A question of the engine's own says nothing about anybody.
    guesses = [line for line in lines if line.source is SourceClass.assistant and line.kind != "question"]
    guesses = [line for line in guesses if line not in confirmed]
    if not own and not confirmed and not (given and not lines):
        yield speaker.words["nothing_about_you"]
    yield from ("- " + sentence for sentence in given)
    if guesses:
        yield speaker.words["list_assistant" if given else "only_assistant"]
    yield from ("- " + speaker.line(line, speaker.quote(line.text), dated=False) for line in guesses)


def _only_answers(line: MemoryLine) -> bool:
    """Is a line nothing but a yes or no to another one, which says so itself?"""
    return bool(line.confirms or line.denies) and is_bare_answer(line.text)


def _asked_list(parts: PromptParts, speaker: _Speaker) -> Iterator[str]:
    """The list that is asked for; where nothing was declared for it, what was merely said may still answer."""
    declared = [line for line in parts.memory if line.listed]
    if not declared and best_passages(parts.user_text, parts.memory, parts.documents, parts.transcript):
        return _answer(parts, speaker, Intent.fact)
    return _listing(replace(parts, transcript=()), declared, speaker)


def _spoken(parts: PromptParts, speaker: _Speaker) -> list[str]:
    said = [line for line in parts.transcript if line.role.split(":", 1)[0] == "user"]
    return [speaker.say("said_now", x=_short(line.text, parts.lang)) for line in said[-_MOST["user"] :]]


def _own(parts: PromptParts, speaker: _Speaker) -> Iterator[str]:
    """The engine's own earlier words, marked as what they are."""
    lines = [line for line in parts.memory if line.source is SourceClass.assistant and line.kind != "question"]
    if not lines:
        yield speaker.words["nothing_own"]
    yield from (speaker.line(line, speaker.quote(line.text), dated=False) for line in lines[: _MOST["user"]])


def _overview(documents: Sequence[DocumentPart], speaker: _Speaker) -> Iterator[str]:
    for document in documents:
        units = segment(document.text)
        where = document.locator or speaker.words["a_document"]
        if not units:
            yield speaker.say("document_empty", where=where)
            continue
        yield speaker.say("document_is", where=where)
        firsts = list({unit.heading: unit for unit in reversed(units)}.values())[::-1]
        chosen = sorted(firsts if len(firsts) > 1 else units, key=lambda unit: unit.index)
        for unit in chosen[:_OVERVIEW]:
            yield "- " + speaker.words["open"] + speaker.quote(unit.text) + speaker.words["close"]


def _acknowledge(parts: PromptParts, speaker: _Speaker) -> Iterator[str]:
    units = segment(parts.user_text)
    if len(units) > _LONG_STATEMENT_SENTENCES:
        yield speaker.words["understood_plain"]
        yield from _turns(parts, speaker, "turns_statement")
    else:
        yield speaker.say("understood", x=_verbatim(statement(parts.user_text)))
    older = _older(parts)
    if older is not None:
        line, differs = older
        yield speaker.words["differs" if differs else "touches"]
        yield speaker.line(line, speaker.quote(line.text), dated=True)


def _older(parts: PromptParts) -> tuple[MemoryLine, bool] | None:
    """The user's own remembered statement on the topic of this one, and whether the two pull against each other."""
    head = parts.user_text[:_READ_CHARS]
    wanted, given = content_terms(head), fold(head)
    now = mark(Unit(text=head))
    for line in parts.memory:
        if line.source is not SourceClass.user or line.kind == "question" or fold(line.text) in given:
            continue
        before = mark(Unit(text=line.text))
        if coverage(wanted, before.terms) >= _RELATED:
            other_figures = bool(now.figures and before.figures and now.figures != before.figures)
            return line, other_figures or compare(before, now) is not None
    return None


def _on_record(parts: PromptParts, speaker: _Speaker) -> Iterator[str]:
    """What was said on it, word for word, and that there is no more: who asks what was agreed has not agreed to it."""
    said = list(_found(parts, speaker))
    yield from said
    yield speaker.words["no_more_record" if said else "no_record"]


def _answer(parts: PromptParts, speaker: _Speaker, intent: Intent) -> Iterator[str]:
    said = list(_found(parts, speaker))
    yield from said
    if not said:
        yield from _missing(parts, speaker, intent)
    elif intent is Intent.concept:
        yield speaker.words["no_model"]


def _found(parts: PromptParts, speaker: _Speaker) -> Iterator[str]:
    """What was given this turn and bears on the question, each with who says it, guesses last."""
    found = best_passages(parts.user_text, parts.memory, parts.documents, parts.transcript)
    by_class: dict[str, list[Passage]] = {"user": [], "confirmed": [], "external": [], "system": [], "assistant": []}
    for passage in found:
        name = "confirmed" if passage.line is not None and passage.line.confirmed else passage.speaker
        kept = by_class.get(name)
        if kept is not None and (name == "user" or len(kept) < _MOST[passage.speaker]):
            kept.append(passage)
    guesses = by_class.pop("assistant")
    by_class["user"] = in_order(by_class["user"], parts.memory, parts.user_text)[: _MOST["user"]]
    given = [passage for kept in by_class.values() for passage in kept]
    for passage in given:
        yield speaker.passage(passage, dated=len(by_class["user"]) > 1)
    if guesses:
        yield speaker.words["list_assistant" if given else "only_assistant"]
        yield from (speaker.passage(passage) for passage in guesses)


def _missing(parts: PromptParts, speaker: _Speaker, intent: Intent) -> Iterator[str]:
    x = _short(parts.user_text, parts.lang)
    if intent is Intent.concept and not parts.documents:
        yield from _turns(parts, speaker, "turns")
        yield speaker.words["no_model"]
        return
    yield speaker.say("nothing_anywhere", x=x)
    own = (
        line
        for line in parts.memory
        if line.source is SourceClass.user and line.kind != "question" and not _only_answers(line)
    )
    nearest = next(own, None)
    if nearest is not None:
        nearest = next(iter(newer_lines(nearest, parts.memory)), nearest)
    if nearest is not None and is_personal(parts.user_text):
        yield speaker.words["nearest"]
        yield speaker.line(nearest, speaker.quote(nearest.text), dated=True)
        return
    yield speaker.words["tell"]
    yield speaker.words["no_model"]


def _turns(parts: PromptParts, speaker: _Speaker, key: str) -> Iterator[str]:
    """What the user's own words leave to be settled; nothing about the world."""
    table = wording(language(parts.lang))
    points: dict[str, int] = {}
    for finding in find(segment(parts.user_text), language(detect(parts.user_text))):
        row = table.get(finding.feature)
        slots = finding.slots()
        if row and (point := row.turn.fill(slots)):
            points.setdefault(point, row.weight)
    best = sorted(points, key=lambda point: -points[point])[:_TURNS]
    if best and parts.lang in ("en", "ja"):
        yield speaker.say(key, x=speaker.words["or"].join(best))
    elif key == "turns":
        yield speaker.say("turns_own", x=_short(parts.user_text, parts.lang))
