"""Does the verifier notice that a thing was said by the other of two speakers?

Takes the adversarial questions of LoCoMo, which ask one person about what the other said. The memory of a question is
the evidence with what was said around it, each message under its speaker's name; scripted replies, in wordings drawn by
seed, then give the evidence to the person whom the question names (wrong, if that is not the speaker) and to the
speaker (right). Caught is a wrong attribution that gets a verdict of wrong speaker and is rewritten; touched is a right
one of which a character changed. The wordings were written before the rules were tuned; half of the questions, by the
hash of their text, may be looked at while rules are written, the other half is reported.

Run: python -m evals.locomo_speakers FOLDER [--missed] [--write]
"""

from __future__ import annotations

import argparse
import hashlib
import random
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from evals.intervals import rounded, wilson
from evals.locomo import messages, read_talk
from evals.suite import HALVES, Half, half, read_rows, report
from rqa_graph import Injected, verify

__all__ = ["WORDINGS", "Case", "load", "main", "measure"]

_AROUND: Final = 3
"""Messages before and behind the evidence that are injected with it."""

_LONGEST_CHARS: Final = 160
_SEED: Final = 20260613
_WORDINGS_EACH: Final = 4

WORDINGS: Final[tuple[str, ...]] = (
    "{name} said that {answer} [m:{handle}].",
    "{name} mentioned {answer} [m:{handle}].",
    "{name} told {other} about {answer} [m:{handle}].",
    "{name} told me that it was {answer} [m:{handle}].",
    "According to {name}, it was {answer} [m:{handle}].",
    'In {name}\'s words, "{quote}" [m:{handle}].',
    "{name}'s point about {answer} is worth keeping in mind [m:{handle}].",
    "{name}'s answer was {answer} [m:{handle}].",
    "It was {name} who spoke of {answer} [m:{handle}].",
    'As {name} put it, "{quote}" [m:{handle}].',
    '{name} wrote: "{quote}" [m:{handle}]',
    '"{quote}", said {name} [m:{handle}].',
    "The answer is {answer}, as {name} explained [m:{handle}].",
    "{name} has shared this with {other}: {answer} [m:{handle}].",
    "From what {name} said, it is {answer} [m:{handle}].",
    "We know from {name} that it is {answer} [m:{handle}].",
)
"""How a reply can attribute a thing to somebody; written before the rules were tuned on the data."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One question whose evidence another person said than the one whom it names."""

    id: str
    speaker: str
    """Who said it."""
    named: str
    """Whom the question names."""
    answer: str
    quote: str
    handle: str
    memory: tuple[Injected, ...]
    wordings: tuple[str, ...]

    @property
    def half(self) -> Half:
        """Whether rules may be tuned on it."""
        return half(self.id)

    def reply(self, wording: str, name: str) -> str:
        """The reply that attributes the evidence to somebody."""
        other = self.named if name == self.speaker else self.speaker
        return wording.format(name=name, other=other, answer=self.answer, quote=self.quote, handle=self.handle)


def load(folder: Path) -> tuple[list[Case], int]:
    """The cases of a data folder, and how many questions are none (no single name, or the named person said it).

    Args:
        folder: Holds `locomo_adversarial.jsonl` and `locomo/CONVERSATION.json`.
    """
    rows = read_rows(folder / "locomo_adversarial.jsonl")
    talks = {conv: messages(read_talk(folder, conv)) for conv in {row["conv"] for row in rows}}
    cases = [case for row in rows if (case := _case(row, talks[row["conv"]])) is not None]
    return cases, len(rows) - len(cases)


def _case(row: Mapping[str, Any], talk: Sequence[Mapping[str, Any]]) -> Case | None:
    names = [name for name in (row["speaker_a"], row["speaker_b"]) if re.search(rf"\b{name}\b", row["question"])]
    at = next((n for n, message in enumerate(talk) if message["dia_id"] in row["evidence"]), None)
    if len(names) != 1 or at is None or talk[at]["speaker"] == names[0]:
        return None
    key = f"{row['conv']}/{row['question']}"
    quote = re.split(r"(?<=[.!?])\s", talk[at]["text"].replace('"', "'"))[0][:_LONGEST_CHARS]
    return Case(
        id=key,
        speaker=talk[at]["speaker"],
        named=names[0],
        answer=str(row["adversarial_answer"]).strip(" .") or quote.strip(" .!?"),
        quote=quote.strip(),
        handle=_handle(row["conv"], talk[at]["dia_id"]),
        memory=tuple(_item(row["conv"], message) for message in talk[max(0, at - _AROUND) : at + _AROUND + 1]),
        wordings=tuple(random.Random(f"{_SEED}/{key}").sample(WORDINGS, _WORDINGS_EACH)),
    )


def _handle(conv: str, place: str) -> str:
    digest = hashlib.sha256(f"{conv}/{place}".encode()).digest()
    return "".join("0123456789abcdefghjkmnpqrstvwxyz"[byte % 32] for byte in digest[:6])


def _item(conv: str, message: Mapping[str, Any]) -> Injected:
    return Injected(
        handle=_handle(conv, message["dia_id"]), source="user", text=message["text"], author=message["speaker"]
    )


def _verified(case: Case, reply: str) -> tuple[bool, str]:
    """(a verdict of wrong speaker, what left)."""
    report = verify(reply, injected=case.memory, lang="en", user_text="")
    return "wrong_speaker" in report.counts, report.text


def _outcomes(case: Case) -> Iterator[tuple[str, bool, bool]]:
    """(wording, the wrong attribution is caught, the right one is touched)."""
    for wording in case.wordings:
        wrong, right = case.reply(wording, case.named), case.reply(wording, case.speaker)
        found, text = _verified(case, wrong)
        yield wording, found and text != wrong, _verified(case, right)[1] != right


def measure(cases: Sequence[Case]) -> dict[str, Any]:
    """Counts over all cases, and by wording.

    Returns:
        `caught` of all wrong attributions, `touched` of as many right ones, each with a 95 % interval (Wilson), and by
        wording (caught, touched, of).
    """
    wordings = {wording: [0, 0, 0] for wording in WORDINGS}
    for case in cases:
        for wording, caught, touched in _outcomes(case):
            for place, count in enumerate((caught, touched, True)):
                wordings[wording][place] += count
    total = [sum(cell[place] for cell in wordings.values()) for place in range(3)]
    return {
        "caught": _figure(total[0], total[2]),
        "touched": _figure(total[1], total[2]),
        "by_wording": {
            wording: dict(zip(("caught", "touched", "of"), cell, strict=True)) for wording, cell in wordings.items()
        },
    }


def _figure(count: int, of: int) -> dict[str, Any]:
    return {"count": count, "of": of, "interval": rounded(wilson(count, of))}


def _missed(cases: Sequence[Case]) -> Iterator[str]:
    for case in cases:
        for wording, caught, touched in _outcomes(case):
            for kind, shown, name in (("missed", not caught, case.named), ("touched", touched, case.speaker)):
                reply = case.reply(wording, name)
                if shown:
                    yield f"{kind}: {reply}\n    -> {_verified(case, reply)[1]}"


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the result as JSON, or what was wrong in the tuning half."""
    parser = argparse.ArgumentParser(description="Measure how often a wrong speaker is noticed on LoCoMo.")
    parser.add_argument("folder", type=Path, help="holds locomo_adversarial.jsonl and locomo/CONVERSATION.json")
    parser.add_argument("--missed", action="store_true", help="list what was wrong in the tuning half")
    parser.add_argument("--write", action="store_true", help="write evals/results/locomo_speakers.json")
    given = parser.parse_args(arguments)
    cases, others = load(given.folder)
    halves = {name: [case for case in cases if case.half == name] for name in HALVES}
    if given.missed:
        for line in _missed(halves["tune"]):
            print(line)
        return 0
    result = {"suite": "locomo_speakers", "seed": _SEED, "cases": len(cases), "no_case": others}
    result |= {"halves": {name: measure(part) for name, part in halves.items()}}
    report(result, command="python -m evals.locomo_speakers FOLDER --write", write=given.write)
    return 0


if __name__ == "__main__":
    sys.exit(main())
