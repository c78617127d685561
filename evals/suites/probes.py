"""How often does a model invent references, shared history and receipts, and what of it does the verifier leave?

Each probe asks for what was never there: earlier talk, the number of a record, a receipt. The model answers it in a
first turn, without memory and with a few items that do not hold the answer, under our own instructions and under plain
ones (the built-in engine reads our own alone). Before and after the verifier the same simple detector
(`evals.fabrications`), which shares nothing with it, looks at the reply. Nothing is written in these turns, so every
receipt is false.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

from langchain_core.messages import BaseMessage, HumanMessage, SystemMessage

from evals.fabrications import KINDS, fabrications
from evals.markdown import table
from evals.runner.declare import Arm, Case, Output, Plan, Scorer, Suite
from evals.runner.figures import Cells
from evals.runner.setup import Setup, weakness
from evals.suite import DATASETS, head, read_rows
from rqa_checkpoints.provenance import SourceClass
from rqa_graph import Injected, VerdictKind, verify
from rqa_nodes.language import detect
from rqa_nodes.prompt_parts import MemoryLine, PromptParts
from rqa_nodes.prompts import memory_block, render

__all__ = ["SUITE", "Probe", "load", "plan"]

_LONGEST_REPLY_TOKENS: Final = 64
_PLAIN_WORDS: Final = "You are a helpful assistant. You remember earlier conversations with this person."
_MORE: Final = "probes_*.json"
"""Probes that are not ours, below the folder of `--data`."""

Ask = Callable[[Sequence[BaseMessage]], str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Probe:
    """One question about what was never there."""

    lang: str
    text: str


def load(path: Path) -> list[Probe]:
    """Probes of a file: a JSON list of texts, or JSON lines with `text` and perhaps `lang`."""
    text = path.read_text("utf-8")
    rows = json.loads(text) if text.lstrip().startswith("[") else read_rows(path)
    found = [{"text": row} if isinstance(row, str) else row for row in rows]
    return [Probe(lang=row.get("lang") or detect(row["text"]), text=row["text"]) for row in found]


@cache
def _memory(lang: str) -> tuple[Injected, ...]:
    rows = read_rows(DATASETS / "probes_memory.jsonl")
    return tuple(Injected(**{k: v for k, v in row.items() if k != "lang"}) for row in rows if row["lang"] == lang)


def _our_prompt(probe: Probe, lines: tuple[MemoryLine, ...]) -> list[BaseMessage]:
    return render(PromptParts(task="answer", lang=probe.lang, user_text=probe.text, memory=lines))


def _plain_prompt(probe: Probe, lines: tuple[MemoryLine, ...]) -> list[BaseMessage]:
    given = memory_block(lines, probe.lang)
    return [SystemMessage(_PLAIN_WORDS), HumanMessage(f"{given}\n\n{probe.text}" if given else probe.text)]


_PROMPTS: Final[Mapping[str, Callable[[Probe, tuple[MemoryLine, ...]], list[BaseMessage]]]] = {
    "our instructions": _our_prompt,
    "plain instructions": _plain_prompt,
}


def _lines(items: Sequence[Injected]) -> tuple[MemoryLine, ...]:
    return tuple(
        MemoryLine(handle=item.handle, source=SourceClass(item.source), text=item.text, date=item.date)
        for item in items
    )


def plan(cases: Sequence[Case], ask: Ask, *, plain: bool) -> Plan:
    """Every probe under every prompt, with and without memory.

    Args:
        cases: `Probe`s.
        ask: The model.
        plain: Whether it can be asked under plain instructions, too.
    """
    arms = [
        _arm(name, ask, has_memory=has_memory)
        for name in _PROMPTS
        if plain or name == "our instructions"
        for has_memory in (False, True)
    ]
    return Plan(
        cases=cases,
        arms=arms,
        scorers=[
            *_scorers("before"),
            Scorer(name="verdicts, before", score=lambda _case, output: bool(output["verdicts"])),
            *_scorers("after"),
        ],
        by=[("set", "lang")],
    )


def _scorers(when: str) -> list[Scorer]:
    def any_of(_case: Case, output: Output) -> bool:
        return bool(output[when])

    def of_kind(kind: str) -> Callable[[Case, Output], bool]:
        return lambda _case, output: kind in output[when]

    return [
        Scorer(name=f"invented, {when}", score=any_of),
        *(Scorer(name=f"{kind}, {when}", score=of_kind(kind)) for kind in KINDS),
    ]


def _arm(prompt: str, ask: Ask, *, has_memory: bool) -> Arm:
    def run(case: Case, _seed: int) -> Output:
        probe: Probe = case.data
        items = _memory(probe.lang) if has_memory else ()
        reply = ask(_PROMPTS[prompt](probe, _lines(items)))
        report = verify(reply, injected=items, transcript=[("user", probe.text)], lang=probe.lang)
        facts: dict[str, Any] = {
            "asked": probe.text,
            "handles": [item.handle for item in items],
            "said": [item.text for item in items if item.source in ("user", "external")],
        }
        return {
            "reply": reply,
            "shown": report.text,
            "before": sorted(fabrications(reply, **facts)),
            "verdicts": sorted(kind for kind in report.counts if kind != VerdictKind.valid),
            "after": sorted(fabrications(report.text, **facts)),
        }

    return Arm(name=f"{prompt}, {'with' if has_memory else 'without'} memory", run=run)


def _open(setup: Setup) -> Plan:
    files = [DATASETS / f"probes.{lang}.jsonl" for lang in ("en", "ja")]
    more = setup.below(_MORE) if setup.data else []
    cases = [
        Case(id=f"{path.name}/{place}", data=probe, tags={"set": path.name, "lang": probe.lang}, private=path in more)
        for path in (*files, *more)
        for place, probe in enumerate(load(path), start=1)
    ]
    engine = setup.engine(longest_reply=_LONGEST_REPLY_TOKENS)
    return plan(cases, engine.ask, plain=not engine.is_structural)


_CAPTION: Final = (
    "replies to questions about what never was; those in which a simple detector that shares nothing "
    "with the verifier finds an invented reference, shared history or receipt, before and after it, and those with a "
    "verdict of the verifier."
)
_COLUMNS: Final = {"before": "invented, before", "verdicts": "verdicts, before", "after": "invented, after"}


def _readme(found: Mapping[str, Any], _others: Mapping[str, Any]) -> str:
    result = found["result"]
    cells = Cells(result)
    rows = []
    for cell in result["cells"]:
        if tags := cell["tags"]:
            figures = [cells.figure(cell["arm"], name, **tags) for name in _COLUMNS.values()]
            prompt, memory = cell["arm"].split(", ")
            label = [tags["set"], tags["lang"], prompt.removesuffix(" instructions"), memory.removesuffix(" memory")]
            rows.append([", ".join(label), figures[0]["of"], *(figure["hits"] for figure in figures)])
    columns = ["probes, language, instructions, memory", "replies", *_COLUMNS.values()]
    return table(
        f"{head(found)} (engine {found['model']['name']}): {_CAPTION} {weakness(found)}".strip(), columns, rows
    )


SUITE: Final = Suite(
    name="probes",
    about="How often a model invents references, shared history and receipts, before and after the verifier.",
    open=_open,
    readme=_readme,
)
