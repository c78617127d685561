"""May these words leave? The incremental verifier, of which batch verification is the fold.

Each unit is read and repaired until nothing is left to repair, so that a second look at what left finds nothing.
Deterministic: no network, no model, no clock, no randomness; what was released is never taken back.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from typing import Any, Final

from rqa_nodes.echo.annotate import annotated
from rqa_nodes.echo.attribution import check_attribution
from rqa_nodes.echo.confirmed import check_answers, with_answers
from rqa_nodes.echo.draft import Draft, Finding
from rqa_nodes.echo.facts import TranscriptRow, TurnFacts
from rqa_nodes.echo.gate import lets_in
from rqa_nodes.echo.handed_back import with_true_speakers
from rqa_nodes.echo.history import check_history
from rqa_nodes.echo.lexicon import LANGUAGES, load
from rqa_nodes.echo.outcome import Circumstances, Outcome, Outcomes, changed_stretch
from rqa_nodes.echo.pointing import check_references
from rqa_nodes.echo.receipts import check_receipt, find_receipt
from rqa_nodes.echo.references import may_refer
from rqa_nodes.echo.seals import seal_on
from rqa_nodes.echo.seams import Seams
from rqa_nodes.echo.segment import Segmenter, Unit, is_single
from rqa_nodes.echo.sentence import Look, Sentence, look, read_sentence, sentence_language
from rqa_nodes.echo.support import Support
from rqa_nodes.echo.types import (
    MODES,
    Injected,
    Mode,
    Verdict,
    VerdictKind,
    VerificationReport,
)
from rqa_nodes.echo.voices import Voices
from rqa_nodes.language import detect

__all__ = ["IncrementalVerifier", "verify"]

_MAX_ROUNDS: Final = 8
"""A unit that still changes after this many repairs is built to do so, and is dropped."""

_HEAD_CHARS: Final = 2000
"""How much of a reply tells its language."""

_MAX_DEPTH: Final = 3
"""Sentences within repaired sentences within repaired sentences."""

_GATED: Final = frozenset({"claim", "proof"})
"""Signals of which a rule makes something only beside a reference, or where more of its words stand."""

_WORD: Final = re.compile(r"\w")


class IncrementalVerifier:
    """Verifies a text while it is written.

    Args:
        injected: The items given to the model this turn.
        transcript: (role, text) rows, oldest first; the role is user, assistant, system or tool, with an optional
            name ("assistant:Orla").
        written: Ids of the user's items written or planned this turn, or True / False.
        known: (handle, id) pairs or plain strings of this user's other items, or an object with `lookup(reference)`
            that returns "exact", "prefix" or None.
        user_text: The message being answered; by default the last user row of the transcript.
        documents: Texts of the documents of this turn.
        lang: "en", "ja", "zh" or None (detected).
        mode: `strict`, `annotate` or `report`.
        code: False where nothing can be code (a field of a structure): then backticks are text.

    Raises:
        ValueError: The mode is none of these.
        TypeError: A row of the transcript is no (role, text) pair.
    """

    def __init__(
        self,
        *,
        injected: Sequence[Injected] = (),
        transcript: Sequence[TranscriptRow] = (),
        written: Sequence[str] | bool = (),
        known: Any = (),
        user_text: str | None = None,
        documents: Sequence[str] = (),
        lang: str | None = None,
        mode: Mode = "strict",
        code: bool = True,
    ) -> None:
        if mode not in MODES:
            raise ValueError(f"mode is {mode!r}; it must be one of {', '.join(MODES)}")
        self._facts = TurnFacts.of(
            injected=injected,
            transcript=transcript,
            written=written,
            known=known,
            user_text=user_text,
            documents=documents,
            lang=lang,
        )
        self._mode = mode
        self._code = code
        self._segmenter = Segmenter(code=code)
        self._seams = Seams(code=code)
        self._head = ""
        self._digest = hashlib.sha256()
        self._verdicts: list[Verdict] = []
        self._removed: list[dict[str, Any]] = []
        self._cited: dict[str, None] = {}
        self._out: list[str] = []
        self._out_length = 0
        self._held: list[str] = []
        self._had_words = False
        self._has_words = False
        self._cue = False
        self._support = Support(self._facts)
        self._voices = Voices(self._facts.user_text, self._facts.user_names)
        self._outcomes = Outcomes()
        self._now = Outcome()
        """What came of the unit at hand so far."""
        self._before = ""
        self._honest_said = False
        self.holding = False
        """True from the first receipt sentence on: what follows leaves with `finish`, after the caller's commit."""

    def feed(self, chunk: str) -> str:
        """Take more text; return the verified text that may be shown now."""
        if len(self._head) < _HEAD_CHARS:
            self._head += chunk[:_HEAD_CHARS]
        self._digest.update(chunk.encode("utf-8", "surrogatepass"))
        return self._release(self._segmenter.feed(chunk))

    def finish(self) -> tuple[str, VerificationReport]:
        """No more text: return what is left to show, and the report on the whole."""
        rest = self._release(self._segmenter.finish())
        tail = rest + "".join(self._held)
        self._held.clear()
        if self._mode == "strict" and self._had_words and not self._has_words:
            honest = load(self._lang())["wording"]["nothing_left"]
            self._out.append(honest)
            tail += honest
        return tail, self._report()

    def _lang(self) -> str:
        """Language of the reply: as the caller says, as the user writes, else as the reply itself is written."""
        return self._facts.lang if self._facts.knows_lang else detect(self._head[:_HEAD_CHARS])

    def _release(self, units: Any) -> str:
        shown: list[str] = []
        for unit in units:
            first_removed = len(self._removed)
            text = unit.text if unit.code else self._check(unit)
            last = text
            if self._mode == "strict":
                text, last = self._seams.join(text, unit)
            for row in self._removed[first_removed:]:
                row["at"] = [self._out_length + place for place in changed_stretch(unit.text, text)]
            self._out_length += len(text)
            if not unit.code and _WORD.search(last):
                self._before = last
                self._voices.keep(text)
            if unit.code or _WORD.search(text):
                self._has_words = True
            self._had_words = self._had_words or unit.code or bool(_WORD.search(unit.text))
            self._out.append(text)
            (self._held if self.holding else shown).append(text)
        return "".join(shown)

    def _check(self, unit: Unit) -> str:
        """What the mode lets out of a unit."""
        circumstances = Circumstances(
            unit.text,
            unit.start == 0,
            unit.line_start,
            unit.fences,
            unit.continued and self._cue,
            self._before,
            self._honest_said,
            self._voices.frame,
        )
        came = self._outcomes.get(circumstances)
        if came is None:
            came = self._now = Outcome()
            came.text = self._checked(unit)
            if came.cited and came.text != unit.text and self._mode == "strict":
                came.cited = self._still_cited(came.text, unit)
            came.cue, came.before, came.honest_said = self._cue, self._before, self._honest_said
            self._outcomes.keep(circumstances, came)
        self._cue, self._before, self._honest_said = came.cue, came.before, came.honest_said
        self.holding = self.holding or came.holding
        if came.verdicts:
            self._verdicts += came.verdicts_at(unit.start)
            self._removed += came.removed_at(unit.start)
            self._cited.update(dict.fromkeys(came.cited))
        return came.text

    def _still_cited(self, text: str, unit: Unit) -> list[str]:
        """Which items found cited are so in what was left of a unit: a reference can go with its sentence."""
        standing = {item.handle or item.id for item in self._read(text, unit, first=False, seen=None).cited}
        return [name for name in self._now.cited if name in standing]

    def _checked(self, unit: Unit) -> str:
        """Repair a unit until nothing is left to repair."""
        seen = look(unit.text, own_words=self._facts.own_words, code=self._code)
        seal = seal_on(unit.text, seen.plain, self._before)
        if seal is not None:
            self._record(seal, Draft(unit.text))
            return self._let_out(_line_breaks(unit.text), unit)
        if self._is_silent(seen, unit.text, unit):
            self._cue = False
            return unit.text
        text = self._repaired(Draft(unit.text), unit, depth=0, seen=seen)
        if text == unit.text and self._mode == "strict":
            return text
        return self._let_out(self._capital(text, unit) if _WORD.search(text) else _line_breaks(unit.text), unit)

    def _let_out(self, repaired: str, unit: Unit) -> str:
        """What the mode lets out of a unit in which something was found."""
        if self._mode == "strict":
            return repaired
        return unit.text if self._mode == "report" else annotated(unit.text, self._now.verdicts, self._facts.lang)

    def _is_silent(self, seen: Look, text: str, unit: Unit) -> bool:
        """Can no rule find anything in what a unit has become? Then it leaves as it is, unread."""
        facts = self._facts
        if not seen.signals <= _GATED or may_refer(
            seen.plain, cue=unit.continued and self._cue, resolver=facts.resolver
        ):
            return False
        if any(name in seen.plain for name in self._support.speakers):
            return False
        if ('"' in seen.plain or "“" in seen.plain) and self._support.papers:
            return False
        if seen.signals and (facts.answered or lets_in(sentence_language(text, facts.base), seen.plain)):
            return False
        return not (self._support.has_guesses and self._support.may_hold_guess(seen.plain))

    def _capital(self, text: str, unit: Unit) -> str:
        """A repaired sentence that begins a line begins with a capital, if the original did not begin without one."""
        first = len(text) - len(text.lstrip(" \t"))
        if (
            unit.start
            and unit.line_start
            and text[first : first + 1].isascii()
            and not unit.text.lstrip(" \t")[:1].islower()
        ):
            text = text[:first] + text[first : first + 1].upper() + text[first + 1 :]
        return text

    def _repaired(self, draft: Draft, unit: Unit, *, depth: int, seen: Look | None = None) -> str:
        before = draft.text
        for number in range(_MAX_ROUNDS):
            findings = self._found(draft.text, unit, seen=None if number else seen)
            changes = [finding for finding in findings if finding.action != "kept"]
            for finding in changes if number or depth else findings:
                self._record(finding, draft)
            if not changes:
                return draft.text if draft.text == before else self._read_apart(draft, unit, depth)
            draft.apply(changes)
        return ""

    def _found(self, text: str, unit: Unit, *, seen: Look | None) -> list[Finding]:
        """What is wrong now in a unit; with what a first look saw, if this is the first time that it is read."""
        first = seen is not None
        if seen is None:
            seen = look(text, own_words=self._facts.own_words, code=self._code)
            if self._is_silent(seen, text, unit):
                return []
        return self._findings(self._read(text, unit, first=first, seen=seen))

    def _read_apart(self, draft: Draft, unit: Unit, depth: int) -> str:
        """A repair can leave more than one sentence, or another one: read what is there now."""
        if is_single(draft.text):
            return draft.text
        segmenter = Segmenter(code=self._code, line_start=unit.line_start, fences=unit.fences)
        pieces = [*segmenter.feed(draft.text), *segmenter.finish()]
        if len(pieces) < 2 or depth == _MAX_DEPTH:  # one piece has been read already
            return draft.text
        out: list[str] = []
        for piece in pieces:
            part = draft.part(piece.start, piece.start + len(piece.text))
            out.append(piece.text if piece.code else self._repaired(part, unit, depth=depth + 1))
            if _WORD.search(out[-1]):
                self._before = out[-1]
        joined = "".join(out)
        if joined == draft.text:
            return joined
        segmenter = Segmenter(code=self._code, line_start=unit.line_start, fences=unit.fences)
        again = [piece.text.strip() for piece in (*segmenter.feed(joined), *segmenter.finish())]
        if [words for words in again if words] == [words for one in out if (words := one.strip())]:
            return joined
        return "\n\n".join(words for one in out if (words := one.strip())) + "\n\n"

    def _read(self, text: str, unit: Unit, *, first: bool, seen: Look | None) -> Sentence:
        facts = self._facts
        sentence = read_sentence(
            text,
            base=facts.base,
            resolver=facts.resolver,
            own_words=facts.own_words,
            code=self._code,
            carried_cue=unit.continued and self._cue,
            voice=self._voices.of(text),
            seen=seen,
        )
        if first:
            self._cue = "cue" in sentence.signals or (unit.continued and self._cue)
        return sentence

    def _findings(self, sentence: Sentence) -> list[Finding]:
        """What is wrong now. Claims are read only once the references in the sentence are right."""
        found = list(check_references(sentence, self._support, honest_said=self._honest_said))
        if any(finding.action != "kept" for finding in found):
            self._honest_said = self._honest_said or _says_no_record(found)
            return found
        receipt = None if sentence.voice else find_receipt(sentence)
        if receipt is not None:
            self._now.holding = True
            broken = check_receipt(sentence, receipt, self._facts.written)
            if broken is not None:
                return [*found, broken]
            sentence = replace(sentence, plain=_blanked(sentence.plain, receipt.start, receipt.end))
        sentence = with_true_speakers(sentence)
        answer = check_answers(sentence, self._facts, self._support)
        if answer is not None:
            return [*found, answer]
        sentence = with_answers(sentence, self._facts, self._support)
        wrong = list(check_attribution(sentence, self._facts.names, self._facts.user_names, self._facts.own_words))
        if not wrong:
            wrong = list(check_history(sentence, self._support, before=self._before, honest_said=self._honest_said))
            self._honest_said = self._honest_said or _says_no_record(wrong)
        return found + wrong

    def _record(self, finding: Finding, draft: Draft) -> None:
        strict, changed = self._mode == "strict", finding.action != "kept"
        self._now.verdicts.append(
            Verdict(
                kind=finding.kind,
                span=draft.original(finding.start, finding.end),
                ref=finding.ref,
                node=finding.node,
                reason=finding.reason,
                action=finding.action if strict else "marked" if changed and self._mode == "annotate" else "kept",
            )
        )
        if finding.kind is VerdictKind.valid:
            item = self._facts.resolver.resolve(finding.ref)[1]
            if item is not None:
                self._now.cited.append(item.handle or item.id)
        elif strict and changed:
            words = draft.text[slice(*finding.place)]
            span = list(draft.original(*finding.place))
            self._now.removed.append({"span": span, "kind": finding.kind.value, "text": words})

    def _report(self) -> VerificationReport:
        names = [item.handle or item.id for item in self._facts.resolver.injected]
        return VerificationReport(
            text="".join(self._out),
            verdicts=tuple(sorted(self._verdicts, key=lambda verdict: verdict.span)),
            cited=tuple(self._cited),
            injected_not_cited=tuple(name for name in dict.fromkeys(names) if name not in self._cited),
            counts=dict(Counter(verdict.kind.value for verdict in self._verdicts)),
            before_hash=self._digest.hexdigest(),
            removed=tuple(self._removed),
        )


def _says_no_record(findings: Sequence[Finding]) -> bool:
    return any(one.replacement.startswith(_honest_forms()) for one in findings)


@cache
def _honest_forms() -> tuple[str, ...]:
    return tuple(load(lang)["wording"]["no_record"] for lang in LANGUAGES)


def _blanked(text: str, start: int, end: int) -> str:
    """A true receipt ("I will remember that") is no claim about earlier talk."""
    return text[:start] + "\x1a" * (end - start) + text[end:]


def _line_breaks(text: str) -> str:
    """What stays of a sentence that is gone: the line breaks behind it."""
    return "\n" * (len(text) - len(text.rstrip("\n")))


def verify(
    text: str,
    *,
    injected: Sequence[Injected] = (),
    transcript: Sequence[TranscriptRow] = (),
    written: Sequence[str] | bool = (),
    known: Any = (),
    user_text: str | None = None,
    documents: Sequence[str] = (),
    lang: str | None = None,
    mode: Mode = "strict",
    code: bool = True,
) -> VerificationReport:
    """Check a whole reply: the fold of `IncrementalVerifier`.

    Never raises on any text: lone surrogates, control characters and megabytes of brackets included.

    Args:
        text: The reply.
        injected: The items given to the model this turn; a claim may point to these and to nothing else.
        transcript: The visible messages, oldest first: (role, text) pairs, or mappings with role and text (or
            content). The role is user, assistant, system or tool, with an optional name ("assistant:Orla").
        written: Ids of the user's items written or planned this turn, or True / False. What was hidden or erased is
            named "hide:<id>" or "erase:<id>". Without any, "I saved that" is no true receipt.
        known: This user's other items: (handle, id) pairs, plain strings, or an object with `lookup(reference)` that
            returns "exact", "prefix" or None. They make an id stale instead of unknown.
        user_text: The message being answered; by default the last user row of the transcript.
        documents: Texts of the documents of this turn: they support claims, and quotations of them are never touched.
        lang: Language of the reply, "en", "ja" or "zh"; None: that of the user's message, else of the reply.
        mode: "strict" repairs the text, "annotate" only adds a marker behind each wrong claim, "report" leaves the
            text untouched.
        code: False where nothing can be code (a field of a structure): then backticks are text.

    Returns:
        The text that may leave, and what was found in it.

    Raises:
        ValueError: The mode is none of the three.
        TypeError: A row of the transcript is no (role, text) pair.
    """
    verifier = IncrementalVerifier(
        injected=injected,
        transcript=transcript,
        written=written,
        known=known,
        user_text=user_text,
        documents=documents,
        lang=lang,
        mode=mode,
        code=code,
    )
    verifier.feed(text)
    return verifier.finish()[1]
