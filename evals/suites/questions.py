"""Are the questions of the built-in engine valid, varied, in the words of the input, and absent where none is due?

Every arm answers the same prompt for K = 6 and goes through the parser and the diversity check of the product: the
built-in engine; a template, six questions that fit any text; and, where another model is named, that model (one try,
held to the schema). Beside them stand plain inputs, which must be left alone: by the router at level 0 or 1, and by the
engine in so many words.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from evals.markdown import table
from evals.runner.declare import Arm, Case, Count, Output, Plan, Scorer, Suite
from evals.runner.figures import Cells
from evals.runner.rows import Row
from evals.runner.setup import WEAK, Engine, Setup, is_small
from evals.suite import DATASETS, head, read_rows
from rqa_graph.kpi import entropy
from rqa_graph.resources import load_config
from rqa_nodes.errors import ModelOutputError
from rqa_nodes.language import detect
from rqa_nodes.models import builtin
from rqa_nodes.prompt_parts import PromptParts
from rqa_nodes.prompts import render
from rqa_nodes.reflect.diversity import check
from rqa_nodes.reflect.parse import parse_analysis
from rqa_nodes.reflect.schema import Analysis, analysis_schema
from rqa_nodes.route import Router
from rqa_nodes.structure.lexicon import phrases
from rqa_nodes.structure.segment import segment
from rqa_nodes.structure.text import content_terms

__all__ = [
    "ENGINE",
    "FRAMES",
    "SUITE",
    "TEMPLATE",
    "TEMPLATE_QUESTIONS",
    "Given",
    "Writer",
    "first_question",
    "load",
    "plan",
    "template",
    "written_by",
]

ENGINE: Final = "built-in engine"
TEMPLATE: Final = "template"

_K: Final = 6
_OURS: Final = {"English": "en", "Japanese": "ja"}
_LONGEST_REPLY_TOKENS: Final = 1200
_LIGHT_LEVEL: Final = 1
FRAMES: Final = "*live_alternatives*.json"
"""Texts that are not ours, below the folder of `--data`."""
_LEVELS: Final = ("L3", "L4", "L5", "L7", "L3", "L4")
_STANCES: Final = ("claim_skeptic", "claim_skeptic", "frame_skeptic", "steelman", "claim_skeptic", "steelman")
TEMPLATE_QUESTIONS: Final = {
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

Writer = Callable[["Given"], str]
"""An input, and the analysis as a model wrote it."""


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
        name: [Given(**row) for row in read_rows(DATASETS / f"questions.{lang}.jsonl")] for name, lang in _OURS.items()
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
    rows = zip(TEMPLATE_QUESTIONS[given.lang], _LEVELS, targets, _STANCES, strict=True)
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


def written_by(engine: Engine) -> Writer:
    """The analyses of a model."""
    return lambda given: engine.ask(render(given.parts), analysis_schema(_K))


def _parsed(text: str) -> Analysis | None:
    try:
        return parse_analysis(text, _K)
    except ModelOutputError:
        return None


def plan(sets: Mapping[str, Sequence[Given]], writers: Mapping[str, Writer]) -> Plan:
    """Every input that has something to question by every writer, and the plain ones by router and engine."""
    router = Router.from_rules(load_config("router"))
    return Plan(
        cases=[
            Case(
                id=row.id,
                data=row,
                tags={"set": name, "form": row.form},
                private=name not in _OURS,
            )
            for name, rows in sets.items()
            for row in rows
        ],
        arms=[
            *(_writer_arm(name, write) for name, write in writers.items()),
            Arm(name="router", run=lambda case, _seed: {"level": router.route(case.data.text).level}, takes=_is_plain),
        ],
        scorers=[
            Scorer(name="valid", score=_of_deep(lambda output: bool(output["valid"]))),
            Scorer(name="varied enough", score=_of_deep(lambda output: bool(output["varied"]))),
            Scorer(name="kept an input", score=_of_deep(lambda output: float(len(output["layers"])))),
            Scorer(name="three layers, two stances", score=_of_deep(lambda output: bool(output["spread"]))),
            Scorer(
                name="in words of the input",
                score=_of_deep(lambda output: Count(output["own_words"], len(output["layers"]))),
            ),
            Scorer(name="left alone", score=_left_alone, hard="always"),
        ],
        metrics={
            "layers, bits": lambda rows: _bits(rows, "layers"),
            "stances, bits": lambda rows: _bits(rows, "stances"),
        },
        by=[("form", "set")],
    )


def _is_plain(case: Case) -> bool:
    return bool(case.data.form == "simple")


def _writer_arm(name: str, write: Writer) -> Arm:
    def run(case: Case, _seed: int) -> Output:
        given: Given = case.data
        text = write(given)
        analysis = _parsed(text)
        if analysis is None:
            return {"reply": text, "valid": False, "varied": False, "spread": False, "own_words": 0, **_EMPTY}
        found = check(analysis, _K)
        kept = [analysis["question_candidates"][index] for index in found.kept]
        terms = content_terms(given.text)
        return {
            "reply": text,
            "valid": True,
            "varied": not found.issues,
            "spread": found.layers >= 3 and found.stances >= 2,
            "own_words": sum(bool(terms & content_terms(draft["question"])) for draft in kept),
            "layers": [draft["target_layer"] for draft in kept],
            "stances": [draft["stance"] for draft in kept],
            "plain": _says_plain(given, analysis),
        }

    return Arm(name=name, run=run, baseline=name != ENGINE, takes=lambda case: name == ENGINE or not _is_plain(case))


_EMPTY: Final[Mapping[str, Any]] = {"layers": [], "stances": [], "plain": False}


def _of_deep(score: Callable[[Output], Any]) -> Callable[[Case, Output], Any]:
    return lambda case, output: None if _is_plain(case) or "layers" not in output else score(output)


def _left_alone(case: Case, output: Output) -> bool | None:
    if not _is_plain(case):
        return None
    return output["level"] <= _LIGHT_LEVEL if "level" in output else bool(output["plain"])


def _says_plain(row: Given, analysis: Analysis) -> bool:
    words = phrases(row.lang)
    says = analysis["search_decision"]["reason"] in (words["plain_fact"], words["plain_other"])
    return says and not analysis["feature_map"]["tensions_input_internal"]


def _bits(rows: Sequence[Row], name: str) -> float | None:
    """Shannon entropy in bits over kept questions; 0 for none, at most 2 for four layers, 1.585 for three stances."""
    found = [row.output for row in rows if row.output and row.tags["form"] == "deep" and name in row.output]
    return entropy(Counter(value for output in found for value in output[name]).values()) if found else None


def first_question(text: str) -> str:
    """The question that a model puts first among those that count, else its first draft, else nothing."""
    analysis = _parsed(text)
    drafts = analysis["question_candidates"] if analysis else []
    kept = set(check(analysis, _K).kept) if analysis else set()
    ranking = [*(analysis["self_ranking"] if analysis else ()), *range(len(drafts))]
    order = sorted(
        dict.fromkeys(index for index in ranking if index < len(drafts)), key=lambda index: index not in kept
    )
    return next((drafts[index]["question"] for index in order if drafts[index]["question"]), "")


def _open(setup: Setup) -> Plan:
    writers = {ENGINE: written_by(Engine(ENGINE, builtin())), TEMPLATE: template}
    engine = setup.engine(longest_reply=_LONGEST_REPLY_TOKENS)
    if not engine.is_structural:
        writers[engine.name] = written_by(engine)
    frames = setup.below(FRAMES)[0].parent if setup.data else None
    return plan(load(frames), writers)


def _readme(found: Mapping[str, Any], _others: Mapping[str, Any]) -> str:
    """Counts of every arm and set, and the plain inputs that were left alone."""
    cells = Cells(found["result"])
    deep = [cell for cell in found["result"]["cells"] if cell["tags"].get("form") == "deep"]
    sets = list(dict.fromkeys(cell["tags"]["set"] for cell in deep))
    plain = ", ".join(
        f"{name} {cells.counts('router', 'left alone', form='simple', set=name)} by the router and "
        f"{cells.counts(ENGINE, 'left alone', form='simple', set=name)} by the engine"
        for name in sets
    )
    small = f" {WEAK}" if is_small(found) else ""
    caption = (
        f"{head(found)}: K = {_K} questions an input; these counts say nothing of how good a question is, and a "
        f"template passes most of them. Plain inputs left alone: {plain}.{small}"
    )
    names = ("valid", "varied enough", "kept an input", "in words of the input", "layers, bits", "stances, bits")
    rows = [
        [f"{arm}, {name}", *(_cell(cells, arm, figure, name) for figure in names)]
        for arm in dict.fromkeys(cell["arm"] for cell in deep)
        for name in sets
    ]
    return table(caption, ["arm, set", *names], rows)


def _cell(cells: Cells, arm: str, figure: str, name: str) -> str:
    found = cells.figure(arm, figure, form="deep", set=name)
    return (
        f"{found['hits']}/{found['of']}" if "of" in found else f"{cells.value(arm, figure, form='deep', set=name):.2f}"
    )


SUITE: Final = Suite(
    name="questions",
    about="Whether questions are valid, varied, in the words of the input, and absent where none is due.",
    open=_open,
    readme=_readme,
)
