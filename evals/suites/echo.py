"""What becomes of one guess of the assistant in a long conversation?

A person says three things that may explain what troubles them; the assistant guesses a fourth that nobody said. Then
the conversation goes on for many turns, and every fourth turn asks for the reason. Five persons: one who is honest, an
assistant that talks to itself and takes notes, one who quotes the assistant, one who imports a document, one who is
away for a month. Four memories under the same model: the product's whole graph; raw memory, which keeps every message
of both sides as a note and gives the nearest back; the same, guarded, which knows who wrote a note and verifies what
leaves; and none. The opening and the small talk are scripted, what is asked
for is answered by the model under measurement.

Copies: items kept which carry the guess without saying that it was the assistant's; echo index: their share of the
items that the model is given.
Plurality: the effective number of explanations (exponential of Shannon's entropy) among those that an answer mentions.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from datetime import timedelta
from pathlib import Path
from typing import Any, Final

from evals.markdown import table
from evals.runner.declare import Arm, Case, Count, Output, Plan, Scorer, Suite
from evals.runner.figures import Cells, shown
from evals.runner.rows import Row
from evals.runner.setup import WEAK, Setup, weakness
from evals.suite import DATASETS, head, read_rows
from evals.suites._echo_memories import SENTENCE, STORIES, Given, Guarded, Memory, Nothing, Ours, Probe, Raw, Story
from rqa_graph.kpi import entropy
from rqa_nodes.echo.content import content_words
from rqa_nodes.echo.fold import fold

__all__ = ["SCENARIOS", "STORIES", "SUITE", "Given", "Story", "asserts", "is_unmarked", "plurality"]

_EVERY: Final = 4
"""A probe every so many turns."""
_PROBES: Final = 12
_SAME: Final = 0.7
"""Share of the guess's content words from which a text carries it."""
_BASELINES: Final = ("raw memory", "no memory")
_PASSAGES: Final = 120
_AWAY: Final = timedelta(days=30)
_LONGEST_REPLY_TOKENS: Final = 96
_PLOT_INCHES: Final = (7.2, 5.2)
_LOOKS: Final = ("o-", "s-", "^--", "x:")
"""Of the lines of the memories, of which two often lie on each other."""
_OWNED: Final = re.compile(
    r"unverified|\bI (?:suggested|guessed)\b|\bmy (?:own )?guess\b|\byou said[\s:]*[“\"‘'’]+you said\b|\?\W*$"
    r"|未確認|私が提案|私の推測|[「『]あなたは[「『]|[?？]\W*$|か。?\W*$",
    re.IGNORECASE,
)
"""A sentence of the assistant's that says that the guess was its own, quotes somebody who says so, or asks."""
_QUOTED: Final = re.compile(r"\byou (?:said|suggested|guessed)\b|あなたは[「『]", re.IGNORECASE)
"""What the person says with this is the assistant's, where it is known that the person says it."""


Scenario = Callable[[Memory, Story, int], None]
"""What happens in a turn of a number, between two probes."""


def _honest(memory: Memory, story: Story, turn: int) -> None:
    memory.say(story.fillers[turn % len(story.fillers)], story.noted)


def _self_talk(memory: Memory, story: Story, turn: int) -> None:
    del turn
    memory.reflect(story.about_guess)


def _quoting(memory: Memory, story: Story, turn: int) -> None:
    if turn % _EVERY == 1:
        memory.say(story.quote, story.noted)
    else:
        _honest(memory, story, turn)


def _importing(memory: Memory, story: Story, turn: int) -> None:
    if turn == _EVERY * _PROBES // 2 + 1:
        memory.load([row["text"] for row in read_rows(DATASETS / f"plain.{story.lang}.jsonl")][:_PASSAGES])
    _honest(memory, story, turn)


def _away(memory: Memory, story: Story, turn: int) -> None:
    if turn == _EVERY * _PROBES // 2 + 1:
        memory.wait(_AWAY)
    _honest(memory, story, turn)


SCENARIOS: Final[Mapping[str, Scenario]] = {
    "honest user": _honest,
    "self-talking assistant": _self_talk,
    "quoting user": _quoting,
    "bulk import": _importing,
    "idle month": _away,
}


def begin(memory: Memory, story: Story) -> None:
    """The opening, in which the guess is made."""
    for said in story.said:
        memory.say(said, story.noted)
    memory.say(story.said[0], story.guess)


def converse(memory: Memory, story: Story, scenario: Scenario, probes: int) -> Iterator[Probe]:
    """What comes after the opening: one probe after every few turns."""
    for turn in range(1, probes * _EVERY + 1):
        if turn % _EVERY:
            scenario(memory, story, turn)
        else:
            yield memory.ask(story.question)


def carries(text: str, story: Story) -> bool:
    """Whether a text has the guess in it, in nearly its words."""
    wanted = content_words(fold(story.guess).text)
    return len(wanted & content_words(fold(text).text)) >= _SAME * len(wanted)


def is_unmarked(item: Given, story: Story) -> bool:
    """Whether an item carries the guess, and nothing says that it was the assistant's."""
    known = item.speaker == "assistant" or (item.speaker == "user" and _QUOTED.search(item.text))
    return carries(item.text, story) and not known


def asserts(reply: str, story: Story) -> bool:
    """Whether a sentence of a reply has the guess in it as the person's words, or as a fact."""
    return any(carries(one, story) and not _OWNED.search(one) for one in SENTENCE.findall(reply))


def plurality(counts: Sequence[int]) -> float:
    """exp(-sum p ln p), the effective number (Hill 1973, order 1): 0 for nothing at all, else 1 to the number."""
    return float(2 ** entropy(counts)) if any(counts) else 0.0


def _copies_kept(memory: Memory, story: Story) -> int:
    return sum(is_unmarked(item, story) for item in memory.kept())


def _looked_at(probe: Probe, memory: Memory, story: Story) -> dict[str, Any]:
    folded = probe.shown.casefold()
    return {
        "copies": _copies_kept(memory, story),
        "given": len(probe.given),
        "unmarked": sum(is_unmarked(item, story) for item in probe.given),
        "asserted": asserts(probe.shown, story),
        "mentions": [folded.count(word) for word in story.words],
        "shown": probe.shown,
    }


def _arm(name: str, make: Callable[[Story, Path], Memory], setup: Setup, probes: int, *, baseline: bool) -> Arm:
    def run(case: Case, _seed: int) -> Output:
        story, scenario = case.data
        with ExitStack() as stack:
            memory = make(story, setup.folder())
            if isinstance(memory, Ours):
                stack.enter_context(memory.memory)
            begin(memory, story)
            planted = _copies_kept(memory, story)
            found = [_looked_at(probe, memory, story) for probe in converse(memory, story, scenario, probes)]
            gained = memory.gained()
        return {"planted": planted, "probes": found, **({} if gained is None else {"gained": round(gained, 6)})}

    return Arm(name=name, run=run, baseline=baseline)


def _index(probes: Sequence[Mapping[str, Any]]) -> float:
    given = sum(probe["given"] for probe in probes)
    return sum(probe["unmarked"] for probe in probes) / given if given else 0.0


def _copies(probes: Sequence[Mapping[str, Any]]) -> float:
    return float(sum(probe["copies"] for probe in probes) / len(probes))


def _plurality(probes: Sequence[Mapping[str, Any]]) -> float:
    return plurality([sum(counts) for counts in zip(*(probe["mentions"] for probe in probes), strict=True)])


def _guess_share(probes: Sequence[Mapping[str, Any]]) -> float | None:
    counts = [sum(counts) for counts in zip(*(probe["mentions"] for probe in probes), strict=True)]
    return counts[-1] / sum(counts) if sum(counts) else None


def _third(which: int) -> Callable[[Output], Sequence[Mapping[str, Any]]]:
    """The probes of the first third (0) or of the last (-1)."""

    def probes(output: Output) -> Sequence[Mapping[str, Any]]:
        size = max(1, len(output["probes"]) // 3)
        found: Sequence[Mapping[str, Any]] = output["probes"]
        return found[:size] if which == 0 else found[-size:]

    return probes


def _of(
    measure: Callable[[Sequence[Mapping[str, Any]]], float | None], which: int
) -> Callable[[Case, Output], float | None]:
    return lambda _case, output: measure(_third(which)(output))


def _asserted(_case: Case, output: Output) -> Count:
    return Count(sum(not probe["asserted"] for probe in output["probes"]), len(output["probes"]))


def _no_gain(_case: Case, output: Output) -> bool | None:
    return output["gained"] == 0 if "gained" in output else None


def _open(setup: Setup) -> Plan:
    engine = setup.engine(longest_reply=_LONGEST_REPLY_TOKENS)
    # A model that has to be waited for is asked less often, and in its own language.
    probes = _PROBES if engine.is_structural or setup.full else _PROBES // 2
    langs = ("en", "ja") if engine.is_structural or setup.full else ("en",)
    makes: dict[str, Callable[[Story, Path], Memory]] = {
        "ours": lambda story, folder: Ours(story, engine, setup.encoder, folder),
        "raw memory": lambda story, _folder: Raw(story, engine, setup.encoder),
        "raw memory, guarded": lambda story, _folder: Guarded(story, engine, setup.encoder),
        "no memory": lambda story, _folder: Nothing(story, engine),
    }
    return Plan(
        cases=[
            Case(id=f"{name}, {lang}", data=(STORIES[lang], scenario), tags={"scenario": name, "lang": lang})
            for lang in langs
            for name, scenario in SCENARIOS.items()
        ],
        arms=[_arm(name, make, setup, probes, baseline=name in _BASELINES) for name, make in makes.items()],
        scorers=[
            Scorer(
                name="answers without the guess as a fact",
                score=_asserted,
                hard="always" if engine.is_structural else "",
            ),
            Scorer(name="copies kept, first third", score=_of(_copies, 0)),
            Scorer(name="copies kept, last third", score=_of(_copies, -1)),
            Scorer(name="echo index, first third", score=_of(_index, 0)),
            Scorer(name="echo index, last third", score=_of(_index, -1)),
            Scorer(
                name="no item whose speaker is lost", score=lambda _c, out: _index(out["probes"]) == 0, hard="always"
            ),
            Scorer(name="guess among what is mentioned, last third", score=_of(_guess_share, -1)),
            Scorer(name="plurality, first third", score=_of(_plurality, 0)),
            Scorer(name="plurality, last third", score=_of(_plurality, -1)),
            Scorer(name="assistant's items gained no mass", score=_no_gain, hard="always"),
        ],
        by=[("scenario",), ("scenario", "lang")],
        plot=_plot,
        notes=[
            (
                f"Model: {engine.name}; {probes} probes, one every {_EVERY} turns. Raw memory gives all notes as the "
                "person's, as layers without provenance do. A guess that a model repeats in other words is not seen by "
                "these counts."
            ),
            *(() if engine.is_structural else [WEAK]),
        ],
    )


def _plot(rows: Sequence[Row], figure: Any) -> None:
    """What becomes of the guess from probe to probe, the mean of all conversations."""
    figure.set_size_inches(*_PLOT_INCHES)
    panels: dict[str, Callable[[Sequence[Mapping[str, Any]]], float]] = {
        "copies of the guess kept": _copies,
        "echo index": _index,
        "answers with the guess as a fact, share": _facts,
        "plurality of an answer": _plurality,
    }
    for axes, (name, measure) in zip(figure.subplots(2, 2).flat, panels.items(), strict=True):
        for arm, look in zip(dict.fromkeys(row.arm for row in rows), _LOOKS, strict=False):
            outputs = [row.output for row in rows if row.arm == arm and row.output]
            steps = range(min(len(one["probes"]) for one in outputs))
            means = [sum(measure([one["probes"][step]]) for one in outputs) / len(outputs) for step in steps]
            turns = [_EVERY * (step + 1) for step in steps]
            if measure is _copies:
                turns, means = [0, *turns], [sum(one["planted"] for one in outputs) / len(outputs), *means]
            axes.plot(turns, means, look, markersize=4, label=arm)
        axes.set_title(name, fontsize=9)
        axes.set_ylim(bottom=-0.02)
    figure.supxlabel("turn", fontsize=9)
    figure.legend(*axes.get_legend_handles_labels(), loc="outside upper center", ncols=4, fontsize=8, frameon=False)


def _facts(probes: Sequence[Mapping[str, Any]]) -> float:
    return sum(bool(probe["asserted"]) for probe in probes) / len(probes)


_SHOWN: Final = (
    "answers without the guess as a fact",
    "copies kept, first third",
    "copies kept, last third",
    "echo index, first third",
    "echo index, last third",
    "plurality, first third",
    "plurality, last third",
)


def _readme(found: Mapping[str, Any], others: Mapping[str, Any]) -> str:
    """A row a scenario and memory; a second table of the small model, where there is a result of it."""
    parts = [_table(found)]
    if small := others.get("echo_smollm2"):
        parts.append(_table(small))
    return "\n\n".join(parts)


def _table(found: Mapping[str, Any]) -> str:
    cells = Cells(found["result"])
    caption = (
        f"{head(found)} (engine {found['model']['name']}): a guess of the assistant's in a conversation of "
        f"{_EVERY * _PROBES} turns or fewer. Copies: items kept that carry the guess without its speaker; echo index: "
        "their share of what the model is given; plurality: effective number of explanations in the answers. "
        f"{weakness(found)}"
    )
    arms = list(dict.fromkeys(cell["arm"] for cell in found["result"]["cells"]))
    rows = [
        [f"{name}, {arm}", *(_cell(cells, arm, figure, scenario=name) for figure in _SHOWN)]
        for name in SCENARIOS
        for arm in arms
    ]
    return table(caption, ["", *_SHOWN], rows)


def _cell(cells: Cells, arm: str, name: str, **tags: str) -> str:
    figure = cells.figure(arm, name, **tags)
    return f"{figure['hits']}/{figure['of']}" if "of" in figure else shown({"value": figure["mean"]}, digits=2)


SUITE: Final = Suite(
    name="echo",
    about="What becomes of a guess in a long conversation: ours, raw memory, raw memory guarded, none; one model.",
    open=_open,
    readme=_readme,
)
