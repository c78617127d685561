"""Which arm's questions do raters prefer who do not know which arm wrote them?

A sheet holds one question of each arm for each input, in an order that says nothing about the arm; the key stays apart.
Raters give four integers from 0 to 10 a question. What comes out is, by language and arm, the mean of each axis and of
the total, how often an arm has the highest total for an input, and how far two raters agree (Spearman's rank
correlation of totals and quadratically weighted kappa of each axis). Raters are named as what they are; nothing here is
about people. Where a model is named beside the built-in engine and the template, it is asked, after three examples, for
nothing but one question, which a small one does better than it fills a schema.

The inputs are our own, or the frames of a folder that is not ours (`--data`): of these the sheet is not kept, only the
key and what the raters said.

Run: python -m evals.blind sheet OUT [--data FOLDER] [--engine MODEL] [--replies FILE]
     python -m evals.blind score RATINGS RATINGS ... [--frames] [--write]
"""

from __future__ import annotations

import argparse
import hashlib
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from itertools import combinations
from operator import attrgetter
from pathlib import Path
from statistics import fmean
from typing import Any, Final

from langchain_core.messages import AIMessage, HumanMessage, SystemMessage

from evals.agreement import kappa, spearman
from evals.replies import remembered
from evals.runner.setup import STRUCTURAL, Engine, Setup, open_engine
from evals.suite import RESULTS, command_of, read_rows, report, write_rows
from evals.suites.questions import (
    ENGINE,
    FRAMES,
    TEMPLATE,
    TEMPLATE_QUESTIONS,
    Given,
    Writer,
    first_question,
    load,
    written_by,
)
from rqa_nodes.errors import ModelOutputError, ModelUnavailableError
from rqa_nodes.language import detect
from rqa_nodes.models import ResolvedModel, builtin, stream

__all__ = ["AXES", "ON_FRAMES", "OURS", "main", "score", "sheet"]

OURS: Final = "questions_blind"
ON_FRAMES: Final = "questions_blind_frames"
"""Names of the two results, and the beginning of the names of their files."""

AXES: Final = ("depth", "sharpness", "novelty", "actionability")
_HIGHEST: Final = 10
_Row = dict[str, Any]


def sheet(inputs: Mapping[str, str], questions: Mapping[tuple[str, str], str]) -> tuple[list[_Row], list[_Row]]:
    """The rows that raters see, and the key.

    Args:
        inputs: Texts by their id.
        questions: By input and arm; an empty one is not put to raters, and stands in the key without a row.

    Returns:
        Rows `{id, input, question}` in the order of a digest, and key rows `{id, input_id, lang, arm}` in the same
        order; an arm without a question has the id "".
    """
    digests = {
        pair: hashlib.sha256("\x00".join((*pair, text)).encode()).hexdigest() for pair, text in questions.items()
    }
    items: list[_Row] = []
    key: list[_Row] = []
    for pair in sorted(questions, key=lambda pair: digests[pair]):
        input_id, arm = pair
        name = f"b{len(items) + 1:03d}" if questions[pair] else ""
        if name:
            items.append({"id": name, "input": inputs[input_id], "question": questions[pair]})
        key.append({"id": name, "input_id": input_id, "lang": detect(inputs[input_id]), "arm": arm})
    return items, key


def score(key: Path, ratings: Sequence[Path]) -> _Row:
    """What the raters of one sheet said.

    Args:
        key: JSON lines of `sheet`, in a file `NAME_key.jsonl`; the result is called NAME.
        ratings: One file of JSON lines `{id, depth, sharpness, novelty, actionability}` a rater; the first line may be
            `{"rater": ...}`, which says who rated.

    Raises:
        ValueError: a rating is missing, unknown, or no integer from 0 to 10.
    """
    rows = read_rows(key)
    asked = {row["id"]: row for row in rows if row["id"]}
    given = [_ratings(path, asked) for path in ratings]
    arms = list(dict.fromkeys(sorted(row["arm"] for row in rows)))
    return {
        "suite": key.stem.removesuffix("_key"),
        "raters": [rater for rater, _ in given],
        "inputs": len({row["input_id"] for row in rows}),
        "questions": len(asked),
        "rows": {
            lang: {arm: _of_arm(arm, own, [scores for _, scores in given]) for arm in arms}
            for lang in dict.fromkeys(sorted(row["lang"] for row in rows))
            if (own := [row for row in rows if row["lang"] == lang])
        },
        "agreement": [
            {
                "raters": [left[0], right[0]],
                "spearman_of_totals": round(spearman(_totals(left[1]), _totals(right[1])), 3),
                "weighted_kappa": {axis: round(kappa(_axis(left[1], axis), _axis(right[1], axis)), 3) for axis in AXES},
            }
            for left, right in combinations(given, 2)
        ],
    }


def _ratings(path: Path, asked: Mapping[str, _Row]) -> tuple[str, dict[str, _Row]]:
    rows = read_rows(path)
    rater = path.stem
    if rows and "rater" in rows[0]:
        rater = str(rows.pop(0)["rater"])
    scores = {row["id"]: row for row in rows}
    if set(scores) != set(asked):
        missing, unknown = sorted(set(asked) - set(scores)), sorted(set(scores) - set(asked))
        raise ValueError(f"{path.name}: expected one rating a row; missing {missing[:5]!r}, unknown {unknown[:5]!r}")
    wrong = [row["id"] for row in rows if not all(_is_score(row.get(axis)) for axis in AXES)]
    if wrong:
        raise ValueError(f"{path.name}: expected integers from 0 to {_HIGHEST} on {AXES!r}; not so in {wrong[:5]!r}")
    return rater, {name: scores[name] for name in asked}


def _is_score(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= _HIGHEST


def _of_arm(arm: str, rows: Sequence[_Row], given: Sequence[Mapping[str, _Row]]) -> _Row:
    own = [row["id"] for row in rows if row["arm"] == arm and row["id"]]
    return {
        "questions": len(own),
        "without_question": sum(row["arm"] == arm and not row["id"] for row in rows),
        "by_rater": [
            {
                **{axis: round(fmean(scores[name][axis] for name in own), 2) for axis in AXES},
                "total": round(fmean(_total(scores[name]) for name in own), 2),
                "best_of_input": _wins(rows, scores)[arm],
            }
            for scores in given
            if own
        ],
    }


def _wins(rows: Sequence[_Row], scores: Mapping[str, _Row]) -> Counter[str]:
    """How often each arm alone has the highest total for an input."""
    by_input: dict[str, dict[str, int]] = defaultdict(dict)
    for row in rows:
        by_input[row["input_id"]][row["arm"]] = _total(scores[row["id"]]) if row["id"] else -1
    wins: Counter[str] = Counter()
    for totals in by_input.values():
        best = [arm for arm, total in totals.items() if total == max(totals.values())]
        wins.update(best if len(best) == 1 else ())
    return wins


def _total(row: Mapping[str, Any]) -> int:
    return sum(int(row[axis]) for axis in AXES)


def _totals(scores: Mapping[str, _Row]) -> list[int]:
    return [_total(row) for row in scores.values()]


def _axis(scores: Mapping[str, _Row], axis: str) -> list[int]:
    return [int(row[axis]) for row in scores.values()]


_DEADLINE_SECONDS: Final = 120.0
_LONGEST_REPLY_TOKENS: Final = 200
_END: Final = re.compile(r"[?？]")
_ONE_QUESTION: Final = {
    "en": "Read the text. Ask its author the one question that is most worth answering. Write that question only.",
    "ja": "文章を読み、書いた人に、答える価値が最もある問いを一つだけ尋ねてください。その問いだけを書いてください。",
}
_EXAMPLES: Final = {
    "en": (
        ("We must plant the hedge before winter.", "What would be lost if the hedge were planted in spring instead?"),
        ("The choir sings better since it moved to the chapel.", "What else has changed since the choir moved?"),
        ("Either we sell the boat or we give up the holiday.", "What could be sold other than the boat?"),
    ),
    "ja": (
        ("冬が来る前に生け垣を植えなければならない。", "春に植えたら何が失われますか？"),
        ("礼拝堂に移ってから合唱団の歌がよくなった。", "移った後にほかに変わったことは何ですか？"),
        ("船を売るか、休暇をあきらめるかだ。", "船のほかに売れるものは何ですか？"),
    ),
}
_ENOUGH_CHARS: Final = 240
"""A reply that has not asked by then is cut there."""


def _one_question(model: ResolvedModel) -> Writer:
    """The small model's own question, up to its first question mark."""

    def ask(given: Given) -> str:
        text = ""
        shown = [m for said, asked in _EXAMPLES[given.lang] for m in (HumanMessage(said), AIMessage(asked))]
        messages = [SystemMessage(_ONE_QUESTION[given.lang]), *shown, HumanMessage(given.text)]
        try:
            for piece in stream(model, messages, deadline_s=_DEADLINE_SECONDS):
                text += piece
                if (end := _END.search(text)) or len(text) > _ENOUGH_CHARS:
                    return " ".join(text[: end.end() if end else _ENOUGH_CHARS].split())
        except (ModelOutputError, ModelUnavailableError):
            return ""
        return " ".join(text.split())

    return ask


def _asked(data: Path | None) -> list[Given]:
    """Our own inputs, or the frames below a folder. Raises MissingDataError where it has none."""
    if data:
        return load(Setup(suite=OURS, data=data).below(FRAMES)[0].parent)["frames"]
    return [row for rows in load().values() for row in rows if row.form == "deep"]


def _write_sheet(out: Path, asked: Sequence[Given], engine: str, replies: Path | None) -> None:
    """One question an arm for each input, and beside it the key."""
    arms: dict[str, Writer] = {
        ENGINE: lambda row: first_question(written_by(Engine(ENGINE, builtin()))(row)),
        TEMPLATE: lambda row: TEMPLATE_QUESTIONS[row.lang][0],
    }
    with ExitStack() as stack:
        if engine != STRUCTURAL:
            model = open_engine(engine, stack, longest_reply=_LONGEST_REPLY_TOKENS).model
            arms[engine] = remembered(_one_question(model), replies, key=attrgetter("id"))
        questions = {(row.id, arm): ask(row) for row in asked for arm, ask in arms.items()}
    items, key = sheet({row.id: row.text for row in asked}, questions)
    write_rows(out, items)
    write_rows(out.with_name(f"{out.stem}_key.jsonl"), key)


def main(arguments: Sequence[str] | None = None) -> int:
    """Write a sheet for raters, or print or write what they said."""
    parser = argparse.ArgumentParser(prog="python -m evals.blind", description="Rate questions without their source.")
    commands = parser.add_subparsers(dest="command", required=True)
    writing = commands.add_parser("sheet", help="one question an arm, arms hidden, and OUT_key.jsonl")
    writing.add_argument("out", type=Path)
    writing.add_argument("--data", type=Path, help="ask of the frames below this folder, not of our own inputs")
    writing.add_argument("--engine", default=STRUCTURAL, help="a model beside engine and template")
    writing.add_argument("--replies", type=Path, help="keep its replies here, and ask only for the others")
    scoring = commands.add_parser("score", help="what raters said of the committed sheet")
    scoring.add_argument("ratings", type=Path, nargs="+")
    scoring.add_argument("--frames", action="store_true", help="the sheet of the frames, not that of our own inputs")
    scoring.add_argument("--write", action="store_true", help="write the result file instead of printing")
    given = parser.parse_args(arguments)
    if given.command == "sheet":
        _write_sheet(given.out, _asked(given.data), given.engine, given.replies)
        return 0
    command = command_of("blind", sys.argv[1:] if arguments is None else arguments)
    key = RESULTS / f"{ON_FRAMES if given.frames else OURS}_key.jsonl"
    report(score(key, given.ratings), command=command, write=given.write)
    return 0


if __name__ == "__main__":
    sys.exit(main())
