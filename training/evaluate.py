"""Does the adapter do better than its base on inputs that neither was trained on?

Everything is counted by production's own checks; no judge is asked. What a person prefers comes from a blind sheet, in
an order that says nothing about who wrote what. Beside the analyses both arms answer the same inputs as an assistant
would: an adapter that was taught to write JSON may have forgotten how to talk.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any, Final, Literal

from rqa_graph import lint_analysis, verify
from rqa_graph.kpi import entropy
from rqa_nodes.language import detect
from rqa_nodes.prompt_parts import PromptParts
from rqa_nodes.reflect.diversity import check
from rqa_nodes.structure.text import content_terms
from training.corpus import Example, Message, deepens, parsed, rendered
from training.errors import CorpusError

__all__ = ["ARMS", "Arm", "Ask", "Reply", "ask_all", "blind_sheet", "count_votes", "measure", "table"]

Arm = Literal["base", "adapter"]
ARMS: Final[tuple[Arm, ...]] = ("base", "adapter")
Task = Literal["analyse", "answer"]
_TASKS: Final[tuple[Task, ...]] = ("analyse", "answer")

Ask = Callable[[Example, Task, list[Message]], tuple[str, float]]
"""An arm: example, task and messages; the text that came, "" for none, and the seconds that it took."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """What one arm wrote."""

    id: str
    arm: Arm
    task: Task
    text: str
    seconds: float


def ask_all(holdout: Iterable[Example], arms: Mapping[Arm, Ask]) -> list[Reply]:
    """Put every input to both arms, as an analysis and as a question to answer."""
    return [
        Reply(id=example.id, arm=arm, task=task, text=text, seconds=round(seconds, 3))
        for example in holdout
        for arm, ask in arms.items()
        for task in _TASKS
        for text, seconds in [ask(example, task, _messages(example, task))]
    ]


def _messages(example: Example, task: Task) -> list[Message]:
    if task == "analyse":
        return example.prompt()
    return rendered(PromptParts(task="answer", lang=example.lang, user_text=example.user_text))


def measure(holdout: Sequence[Example], replies: Iterable[Reply]) -> dict[str, dict[str, Any]]:
    """Counts by arm; see `_measured`."""
    by_arm: dict[Arm, list[Reply]] = {arm: [] for arm in ARMS}
    for reply in replies:
        by_arm[reply.arm].append(reply)
    return {arm: _measured(holdout, rows) for arm, rows in by_arm.items()}


def _measured(holdout: Sequence[Example], replies: Sequence[Reply]) -> dict[str, Any]:
    """What one arm made of the holdout.

    Returns:
        `inputs` and, of them, `parsed`; `diverse` of the `deep` ones (those that the example deepens) without an issue
        of the diversity check; `kept` candidates of `asked`; `restraint`, of the `plain` ones those left without
        tension, assumption and frame; `search_mismatch`, where the wish to search is not the example's, or no query has
        a word of the input; `fabricated`, analyses in which the verifier finds a claim about memory that nothing backs;
        entropies in bits over layers and stances of what was kept; `answers` that hold (see `_holds`) of `answered`;
        median seconds of an analysis.
    """
    texts = {(reply.id, reply.task): reply for reply in replies}
    counts: Counter[str] = Counter()
    layers: Counter[str] = Counter()
    stances: Counter[str] = Counter()
    seconds: list[float] = []
    for example in holdout:
        analysed, answered = texts.get((example.id, "analyse")), texts.get((example.id, "answer"))
        if analysed:
            seconds.append(analysed.seconds)
            kept = _count(example, analysed.text, counts)
            layers.update(draft[0] for draft in kept)
            stances.update(draft[1] for draft in kept)
        if answered:
            counts["answered"] += 1
            counts["answers"] += _holds(example, answered.text)
    names = ("inputs", "parsed", "deep", "diverse", "kept", "asked", "plain", "restraint", "search_mismatch")
    return {
        **{name: counts[name] for name in (*names, "fabricated", "answered", "answers")},
        "layer_bits": round(entropy(layers.values()), 3),
        "stance_bits": round(entropy(stances.values()), 3),
        "median_seconds": round(median(seconds), 3) if seconds else None,
    }


def _count(example: Example, text: str, counts: Counter[str]) -> list[tuple[str, str]]:
    """Add one analysis to the counts; the layers and stances of the candidates that count."""
    wanted, found = parsed(example.assistant, example.candidates), parsed(text, example.candidates)
    if wanted is None:
        raise CorpusError(f"the example {example.id!r} has no analysis", hint="Lint the holdout first.")
    plain = not deepens(wanted)
    counts.update(inputs=1, plain=plain, deep=not plain, asked=example.candidates, parsed=found is not None)
    if found is None:
        counts["search_mismatch"] += 1
        return []
    varied = check(found, example.candidates)
    decision = found["search_decision"]
    needed = wanted["search_decision"]["search_needed"]
    anchored = any(content_terms(query) & content_terms(example.user_text) for query in decision["queries"])
    counts.update(
        kept=len(varied.kept),
        diverse=not plain and not varied.issues,
        restraint=plain and not deepens(found),
        search_mismatch=decision["search_needed"] != needed or (needed and not anchored),
        fabricated=_fabricates(example, text),
    )
    drafts = [found["question_candidates"][index] for index in varied.kept]
    return [(draft["target_layer"], draft["stance"]) for draft in drafts]


def _fabricates(example: Example, text: str) -> bool:
    found = lint_analysis(
        text,
        candidates=example.candidates,
        user_text=example.user_text,
        lang=example.lang,
        injected=example.memory,
    )
    return any(fault.startswith("verifier: ") for fault in found)


def _holds(example: Example, text: str) -> bool:
    """Is it an answer: words in the input's language, no analysis, and nothing that the verifier would change?"""
    words = text.strip()
    if not words or words.startswith(("{", "```")) or detect(words) != example.lang:
        return False
    return verify(text, injected=(), user_text=example.user_text, lang=example.lang).text == text


def blind_sheet(
    holdout: Sequence[Example], replies: Sequence[Reply]
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """The rows that a person fills in, and the key.

    Returns:
        Rows of an example with the completions `a` and `b` and an empty `winner` ("a", "b" or "tie"), and key rows
        `{id, a, b}` with the arms. Inputs that an arm has no readable analysis for are left out: they would show who
        wrote them. The order is that of a digest.
    """
    texts = {(reply.id, reply.arm): reply.text for reply in replies if reply.task == "analyse"}
    rows: list[dict[str, Any]] = []
    key: list[dict[str, Any]] = []
    for example in holdout:
        both = {arm: texts.get((example.id, arm), "") for arm in ARMS}
        if not all(parsed(text, example.candidates) for text in both.values()):
            continue
        digest = hashlib.sha256("\x00".join((example.id, *both.values())).encode("utf-8", "surrogatepass")).digest()
        first, second = ARMS if digest[0] % 2 else ARMS[::-1]
        shown = {name: value for name, value in example.to_row().items() if name not in ("assistant", "review")}
        rows.append({**shown, "a": both[first], "b": both[second], "winner": "", "rater": ""})
        key.append({"id": example.id, "a": first, "b": second})
    order = sorted(range(len(rows)), key=lambda place: hashlib.sha256(rows[place]["id"].encode()).digest())
    return [rows[place] for place in order], [key[place] for place in order]


def count_votes(votes: Iterable[Mapping[str, Any]], key: Iterable[Mapping[str, Any]]) -> dict[str, int]:
    """How often each arm won, and how often none did.

    Raises:
        CorpusError: A vote is none of "a", "b" and "tie", or about an input that the key does not know.
    """
    arms = {row["id"]: row for row in key}
    wins = Counter({"base": 0, "adapter": 0, "tie": 0})
    for vote in votes:
        winner, name = vote.get("winner"), vote.get("id")
        if winner not in ("a", "b", "tie") or name not in arms:
            raise CorpusError(f"the vote on {name!r} is {winner!r}, expected a, b or tie for an input of the sheet")
        wins[arms[name][winner] if winner != "tie" else "tie"] += 1
    return dict(wins)


_ROWS: Final = (
    ("schema parsed", "parsed", "inputs"),
    ("diversity passed", "diverse", "deep"),
    ("candidates that count", "kept", "asked"),
    ("restraint on plain inputs", "restraint", "plain"),
    ("search mismatch", "search_mismatch", "inputs"),
    ("fabricated memory", "fabricated", "inputs"),
    ("answers that hold", "answers", "answered"),
)


def table(report: Mapping[str, Any]) -> list[tuple[str, str, str]]:
    """Name, base and adapter of each figure, as counts of how many."""
    base, adapter = report["arms"]["base"], report["arms"]["adapter"]
    rows = [(name, f"{base[n]} of {base[of]}", f"{adapter[n]} of {adapter[of]}") for name, n, of in _ROWS]
    rows += [(name, str(base[name]), str(adapter[name])) for name in ("layer_bits", "stance_bits", "median_seconds")]
    if "blind" in report:
        wins = report["blind"]
        rows.append((f"blind wins ({wins['tie']} ties)", str(wins["base"]), str(wins["adapter"])))
    return rows
