"""Does the verifier notice that a thing was said by the other of two speakers?

Takes the adversarial questions of LoCoMo, which ask one person about what the other said. The memory of a question is
the evidence with what was said around it, each message under its speaker's name; scripted replies, in wordings drawn by
seed, then give the evidence to the person whom the question names (wrong, if that is not the speaker) and to the
speaker (right). Caught is a wrong attribution that gets a verdict of wrong speaker and is rewritten; touched is a right
one of which a character changed. The wordings were written before the rules were tuned; half of the questions, by the
hash of their text, may be looked at while rules are written, the other half is reported.
"""

from __future__ import annotations

import hashlib
import random
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from evals.locomo import messages, read_talk
from evals.markdown import table
from evals.runner.declare import Arm, Case, Output, Plan, Scorer, Suite
from evals.runner.figures import Cells
from evals.runner.setup import Setup
from evals.suite import HALVES, Half, half, head, read_rows
from rqa_graph import Injected, verify

__all__ = ["SUITE", "WORDINGS", "Attribution", "load", "plan"]

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
class Attribution:
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


def load(folder: Path) -> tuple[list[Attribution], int]:
    """The cases of a data folder, and how many questions are none (no single name, or the named person said it).

    Args:
        folder: Holds `locomo_adversarial.jsonl` and `locomo/CONVERSATION.json`.
    """
    rows = read_rows(folder / "locomo_adversarial.jsonl")
    talks = {conv: messages(read_talk(folder, conv)) for conv in {row["conv"] for row in rows}}
    cases = [case for row in rows if (case := _case(row, talks[row["conv"]])) is not None]
    return cases, len(rows) - len(cases)


def _case(row: Mapping[str, Any], talk: Sequence[Mapping[str, Any]]) -> Attribution | None:
    names = [name for name in (row["speaker_a"], row["speaker_b"]) if re.search(rf"\b{name}\b", row["question"])]
    at = next((n for n, message in enumerate(talk) if message["dia_id"] in row["evidence"]), None)
    if len(names) != 1 or at is None or talk[at]["speaker"] == names[0]:
        return None
    key = f"{row['conv']}/{row['question']}"
    quote = re.split(r"(?<=[.!?])\s", talk[at]["text"].replace('"', "'"))[0][:_LONGEST_CHARS]
    return Attribution(
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


def _verified(case: Attribution, reply: str) -> tuple[bool, str]:
    """(a verdict of wrong speaker, what left)."""
    report = verify(reply, injected=case.memory, lang="en", user_text="")
    return "wrong_speaker" in report.counts, report.text


def _run(case: Case, _seed: int) -> Output:
    one, wording = case.data
    wrong, right = one.reply(wording, one.named), one.reply(wording, one.speaker)
    found, text = _verified(one, wrong)
    return {"caught": found and text != wrong, "touched": _verified(one, right)[1] != right}


def _as_it_is(_case: Case, _seed: int) -> Output:
    return {"caught": False, "touched": False}


def plan(found: Sequence[Attribution]) -> Plan:
    """Every question in every wording that was drawn for it."""
    return Plan(
        cases=[
            Case(
                id=f"{hashlib.sha256(one.id.encode()).hexdigest()[:12]}/{WORDINGS.index(wording)}",
                data=(one, wording),
                tags={"half": one.half, "wording": wording},
                private=True,
            )
            for one in found
            for wording in one.wordings
        ],
        arms=[Arm(name="verifier", run=_run), Arm(name="nothing", run=_as_it_is, baseline=True)],
        scorers=[
            Scorer(name=name, score=_outcome(name.split()[0])) for name in ("caught, if wrong", "touched, though right")
        ],
        by=[("half",), ("wording",)],
    )


def _outcome(name: str) -> Callable[[Case, Output], bool]:
    return lambda _case, output: bool(output[name.rstrip(",")])


def _open(setup: Setup) -> Plan:
    return plan(load(setup.below("locomo_adversarial.jsonl")[0].parent)[0])


def _readme(found: Mapping[str, Any], _others: Mapping[str, Any]) -> str:
    """How many wrong speakers were caught and how many right ones touched, by half of the questions."""
    cells = Cells(found["result"])
    caption = (
        f"{head(found)}: {found['result']['cases'] // _WORDINGS_EACH} questions of LoCoMo whose evidence another "
        "person said; scripted replies attribute it wrongly and rightly. Both halves share their wordings."
    )
    names = ("caught, if wrong", "touched, though right")
    rows = [[f"{half} half", *(cells.counts("verifier", name, half=half) for name in names)] for half in HALVES]
    return table(caption, ["", "wrong attributions caught", "right ones touched"], rows)


SUITE: Final = Suite(
    name="locomo_speakers",
    about="Whether a thing that the other of two speakers said is noticed, on LoCoMo (--data).",
    open=_open,
    readme=_readme,
)
