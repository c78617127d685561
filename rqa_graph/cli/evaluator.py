"""`rqa evaluator`: who judges questions, who approved that, and how another one is put in its place.

Another evaluator, also a local one, is proposed, looked at and approved by a person; the approval lies in the home's
log with who and when. Nothing is sent to it here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from rqa_graph.cli.common import Common, add_group
from rqa_graph.cli.review_options import Item, Note, Version
from rqa_graph.errors import ExitCode
from rqa_graph.messages import keys, say

if TYPE_CHECKING:
    from rqa_checkpoints.memory import ProvenanceMemory
    from rqa_checkpoints.provenance import QueueItem
    from rqa_graph.cli.output import Output
    from rqa_graph.evaluator import Judge
    from rqa_graph.settings import Settings

__all__ = ["COMMANDS", "register"]


def register(app: typer.Typer) -> None:
    """Add the group of commands."""
    help_text = "Show who judges questions; change it with your approval.\n\nExample: rqa evaluator show"
    add_group(app, "evaluator", help_text, COMMANDS)


def show(common: Common) -> int:
    """Show the evaluator in use, its rubric, who approved it, and whether it would be asked.

    Example: rqa evaluator show
    """
    from rqa_graph.cli.session import load_settings, open_memory

    settings = load_settings(common)
    with open_memory(common, needs="log") as session:
        found, waiting, history = _state(settings, session.memory)
    fields = {**_fields(found), "pending": [item.to_dict() for item in waiting], "history": history}
    common.output("evaluator.show").result(fields, lambda out: _show(out, found, waiting), ok=not found.problem)
    return ExitCode.ok


def _state(settings: Settings, memory: ProvenanceMemory) -> tuple[Judge, list[QueueItem], list[dict[str, Any]]]:
    from rqa_checkpoints.provenance import HOME_SCOPE, QueueStatus
    from rqa_graph.evaluator import adopted_in, judge
    from rqa_nodes.reflect.evaluator_change import AREA

    waiting = memory.queue.items(scope=HOME_SCOPE, kind=AREA, status=QueueStatus.pending)
    history = [row.to_dict() for row in memory.queue.history(AREA, scope=HOME_SCOPE)]
    return judge(settings, adopted_in(memory)), waiting, history


def _fields(found: Judge) -> dict[str, Any]:
    from rqa_nodes.reflect.rubric import rubric_hash

    binding = asdict(found.binding) if found.binding else None
    return {
        "binding": binding,
        "fingerprint": found.binding.fingerprint if found.binding else "",
        "rubric_in_use": rubric_hash(),
        "approval": asdict(found.approval) if found.approval else None,
        "is_local": _is_local(found),
        "problem": found.problem,
        "detail": found.detail,
    }


def _is_local(found: Judge) -> bool:
    from rqa_nodes.addresses import is_loopback

    return found.binding is not None and is_loopback(found.binding.endpoint)


def _show(out: Output, found: Judge, waiting: list[QueueItem]) -> None:
    from rqa_nodes.addresses import shown_url
    from rqa_nodes.reflect.degrade import reason_text
    from rqa_nodes.reflect.rubric import rubric_hash

    lang, rows = out.lang, []
    if found.binding:
        binding = found.binding
        rows += [
            [say("check.model", lang), binding.model],
            [say("evaluator.endpoint", lang), shown_url(binding.endpoint)],
            [say("evaluator.key_variable", lang), binding.key_variable or "-"],
            [say("evaluator.fingerprint", lang), binding.fingerprint],
            [say("evaluator.rubric", lang), binding.rubric_hash],
            [say("evaluator.rubric_in_use", lang), rubric_hash()],
        ]
    if found.approval:
        key = f"evaluator.from.{found.approval.source}"
        source = say(key, lang) if key in keys() else found.approval.source
        said = {"who": found.approval.who, "when": found.approval.when, "source": source}
        rows.append([say("evaluator.approved", lang), say("evaluator.approved_by", lang, **said)])
    out.table([say("field", lang), say("value", lang)], rows)
    if found.problem:
        out.text(say("check.not_scored", lang, reason=reason_text(found.problem, lang), detail=found.detail))
    else:
        out.text(say("evaluator.stays" if _is_local(found) else "evaluator.leaves", lang))
    if waiting:
        out.text(say("evaluator.waiting", lang, items=", ".join(item.id for item in waiting)))


def propose(
    common: Common,
    *,
    endpoint: Annotated[
        str, typer.Option("--endpoint", metavar="URL", help="An Ollama URL, or an OpenAI-compatible one ending in /v1.")
    ] = "",
    model: Annotated[str, typer.Option("--model", metavar="NAME", help="The model there.")] = "",
    key_variable: Annotated[
        str, typer.Option("--key-variable", metavar="NAME", help="The variable with its key, such as JUDGE_API_KEY.")
    ] = "",
    release: Annotated[str, typer.Option("--release", metavar="NAME", help="A name for this version of it.")] = "",
) -> int:
    """Propose another evaluator; without options, the one that the settings name, with the rubric in use.

    It is not used before a person approves it.

    Example: rqa evaluator propose --endpoint http://127.0.0.1:11434 --model gemma4:12b
    """
    from rqa_checkpoints.provenance import HOME_SCOPE, Proposal
    from rqa_graph.cli.reviews import find, show_item
    from rqa_graph.cli.session import load_settings, open_memory
    from rqa_graph.clock import new_id, utc_now
    from rqa_graph.reviewing import rendered
    from rqa_nodes.reflect.evaluator_change import EVALUATOR_BINDING
    from rqa_nodes.reflect.rubric import rubric_hash

    base = {name: str(value) for name, value in load_settings(common).evaluator_binding.items()}
    given = {"endpoint": endpoint, "model": model, "key_variable": key_variable, "release": release}
    if endpoint:
        base |= {"key_variable": "", "release": "own"}
    payload = {**base, **{name: value for name, value in given.items() if value}, "rubric_hash": rubric_hash()}
    checked = EVALUATOR_BINDING.check(payload)
    with open_memory(common) as session:
        at = utc_now().isoformat(timespec="seconds")
        proposal = Proposal(kind=EVALUATOR_BINDING.name, payload=checked, requester=session.scope.user, key=new_id())
        queued = session.memory.queue.put(proposal, scope=HOME_SCOPE, at=at)
        item = find(session.memory, queued.id, HOME_SCOPE)
        text = rendered(session.memory, item, common.ui_lang)

    def render(out: Any) -> None:
        show_item(out, item, text)
        out.text(say("evaluator.approve_with", out.lang, item=item.id))

    common.output("evaluator.propose").result({**item.to_dict(), "text": text}, render)
    return ExitCode.ok


def approve(common: Common, item: Item, *, version: Version = 0, note: Note = "") -> int:
    """Approve an evaluator: from then on it judges, in every process of this home.

    Exit code 4: somebody decided before, it has changed since that version, or it may not judge all the same.

    Example: rqa evaluator approve q5f624da5ce
    """
    from rqa_graph.cli.reviews import decided, find, open_reviews
    from rqa_nodes.reflect.evaluator_change import AREA

    with open_reviews(common) as session:
        memory = session.services.memory
        done = decided(
            common,
            session,
            find(memory, item, session.scope, kind=AREA),
            decision="approve",
            version=version,
            note=note,
        )
        found, waiting, _ = _state(session.settings, memory)
    fields = {**done, **_fields(found)}

    def render(out: Any) -> None:
        out.text(done["text"])
        _show(out, found, waiting)

    refused = found.problem == "binding_refused"
    common.output("evaluator.approve").result(fields, render, ok=not refused)
    return ExitCode.check_failed if refused else ExitCode.ok


COMMANDS: Final[Mapping[str, Callable[..., int]]] = {
    "show": show,
    "propose": propose,
    "approve": approve,
}
"""Name and function of each command of the group."""
