"""Which figures were measured, on what, and how sure are they?

Every figure is rendered from `evals/results/*.json`; nobody types one. The whole of them is a page, and the few that
the README shows are cut from the same text.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from docsgen.markdown import page, table
from evals.readme import tables
from evals.suite import RESULTS

__all__ = ["headline", "measurements_page", "readme_page"]

_README: Final = Path(__file__).parents[1] / "README.md"
_MARKS: Final = ("<!-- measured -->", "<!-- /measured -->")
_COMMAND: Final = re.compile(r"`(?:python -m evals\.|rqa eval )(?:bench\.)?(\w+)")
"""How a section begins: with what repeats it."""
_TITLES: Final[Mapping[str, str]] = {
    "guard": "Verifier: labelled replies",
    "locomo_speakers": "Verifier: who said it in long conversations",
    "probes": "Verifier: what a small model invents",
    "echo": "Memory: what becomes of a guess?",
    "ladder": "Memory: do other readings survive?",
    "memsyco": "Memory: what authority has a preference?",
    "retrieval": "Recall: is the evidence found?",
    "ablation": "Recall: would a wave, or moving positions, help?",
    "gravity": "Recall: who gains weight?",
    "aspects": "Recall: which aspect does a question ask for?",
    "cache": "Answer library: the same question?",
    "router": "Router: how deep does an input go?",
    "questions": "Questions",
    "blind": "Questions: raters who do not know the source",
    "latency": "Time: what a person waits for",
    "index": "Time: index",
    "inspector": "Time: inspector",
    "saver": "Time: checkpoints",
    "checkpoints": "Size: checkpoints of a turn",
    "serve": "Time: server",
    "turn": "Time: one turn",
    "verify": "Time: verifier",
}
_SHOWN: Final[Sequence[tuple[str, str]]] = (
    ("guard", "held-out items"),
    ("retrieval", "Our notes and questions"),
    ("retrieval", "LoCoMo, each message"),
    ("cache", "embedder"),
    ("turn", "`python -m evals.bench.turn`"),
)
"""Section, and words of the paragraph whose table the README shows."""
_ROWS: Final[Mapping[str, tuple[str, ...]]] = {
    "cache": ("| kept aside",),
    "turn": ("| spaced, turn", "| spaced, memory recall", "| verification", "| baselines"),
}
"""How the rows begin that the README shows of a long table."""

_HEAD: Final = """\
Each table says which command repeats it and at which revision of the code it was made; `-dirty` means that files had
been changed since. Counts are given as *right/of*; intervals are 95 % (Wilson for counts, bootstrap for means).
*Held out* means written by somebody who had not seen the rules, and not read by whoever wrote rules. *Development* rows
were read while rules were written, so they are an upper bound. [Method](method.md) says how the sets were made.

What begins with `python -m evals.probes` or `python -m evals.questions` was measured before these became suites: now it
is `rqa eval probes` or `rqa eval questions`, with `--engine smollm2`, and was not run again since."""
_LANGS: Final[Mapping[str, str]] = {"en": "English", "ja": "Japanese", "zh": "Chinese"}
_FORMS: Final[Mapping[str, str]] = {
    "history": "shared history",
    "ids": "ids in prose",
    "kept": "valid references and backed claims",
    "misq": "misquotes",
    "plain": "plain texts",
    "planted": "the planted guess",
    "receipt_false": "false receipts",
    "references": "references that were never given",
    "self": "own words as evidence",
    "wrong": "wrong speaker",
}


def measurements_page(folder: Path = RESULTS) -> str:
    """The page of all figures."""
    parts = [_HEAD]
    for name, paragraphs in _sections(folder).items():
        parts += [f"## {_TITLES.get(name, name.replace('_', ' ').capitalize())}", *paragraphs]
    parts += [*_first_contact(folder), *_reported(folder)]
    return page("Measurements", "`evals/results/*.json`", parts)


def headline(folder: Path = RESULTS) -> str:
    """The tables of the README, each with the paragraph above it and, before that, with what repeats it."""
    found, parts = _sections(folder), list[str]()
    for name, words in _SHOWN:
        paragraphs = found.get(name, [])
        place = next((at for at, text in enumerate(paragraphs) if words in text), None)
        if place is None:
            continue
        head = [paragraphs[0]] if place and paragraphs[0] not in parts else []
        parts += [*head, paragraphs[place], _cut(paragraphs[place + 1], _ROWS.get(name, ("|",)))]
    return "\n\n".join(parts)


def readme_page(path: Path = _README, folder: Path = RESULTS) -> str:
    """The README with these tables between its marks."""
    before, rest = path.read_text("utf-8").split(_MARKS[0])
    _, after = rest.split(_MARKS[1])
    return f"{before}{_MARKS[0]}\n\n{headline(folder)}\n\n{_MARKS[1]}{after}"


def _cut(shown: str, starts: tuple[str, ...]) -> str:
    head, rows = shown.splitlines()[:2], shown.splitlines()[2:]
    return "\n".join([*head, *(row for row in rows if row.startswith(starts))])


def _sections(folder: Path) -> dict[str, list[str]]:
    """The paragraphs and tables of each suite and bench."""
    found: dict[str, list[str]] = {}
    name = ""
    for text in tables(folder).split("\n\n"):
        if command := _COMMAND.match(text):
            name = command[1]
        elif text.startswith("Verifier, growth"):
            name = "verify"
        found.setdefault(name, []).append(text)
    return found


def _first_contact(folder: Path) -> Iterator[str]:
    """What the verifier did with items that nobody who writes rules had ever seen."""
    path = folder / "guard_first_contact.json"
    if not path.is_file():
        return
    found = _read(path)
    when = ("before_this_round_of_rules", "after_it")
    first, last = (found[one]["figures"] for one in when)
    rows = [
        [_LANGS[lang], _FORMS.get(form, form), *(f"{one['right']}/{one['of']}" for one in (row, last[lang][form]))]
        for lang, forms in first.items()
        for form, row in forms.items()
    ]
    yield "## Verifier, first contact"
    yield found["method"]
    yield table(["language", "items", *(f"right, at {found[one]['revision']}" for one in when)], rows)


def _reported(folder: Path) -> Iterator[str]:
    """Figures of another project, which we did not measure."""
    path = folder / "reported.json"
    if not path.is_file():
        return
    reported = _read(path)["reported"]
    yield "## Figures that are not ours"
    yield (
        "The project whose probes are used above publishes the following about its own system and its own model. "
        "**We have not repeated them**; they are here because the probes are the same."
    )
    yield table(["figure", "as published"], [[name.replace("_", " "), str(one)] for name, one in reported.items()])


def _read(path: Path) -> Any:
    return json.loads(path.read_text("utf-8"))
