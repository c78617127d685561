"""`rqa memory declare` and the verbs of tasks: what a person stands for, and what they have undertaken.

These are the person's own words and acts; nothing that a model writes comes through here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Annotated, Any, Final

import typer

from rqa_graph.cli.common import Common
from rqa_graph.cli.verbs import Days, Handle, Other, span
from rqa_graph.errors import ExitCode, UsageFaultError
from rqa_graph.messages import say

__all__ = ["COMMANDS"]

_KINDS: Final = ("value", "intention", "commitment")

Serves = Annotated[str, typer.Option("--serves", metavar="HANDLE", help="What it serves, declared before.")]
Text = Annotated[str, typer.Argument(metavar="TEXT|-", help="Your own words.")]


def declare(
    common: Common,
    kind: Annotated[str, typer.Argument(metavar="|".join(_KINDS), help="What you declare.")],
    text: Text,
    *,
    serves: Serves = "",
    days: Days = None,
) -> int:
    """Declare a value, an intention or a commitment.

    An intention serves a value, and a commitment fulfils an intention. A commitment stands for 14 days; declaring it
    again renews it. The others have no end.

    Example: rqa memory declare value "Health comes first."
    """
    if kind not in _KINDS:
        raise UsageFaultError("option.choice", option="KIND", value=kind, choices=", ".join(_KINDS))
    from rqa_checkpoints.provenance import Kind
    from rqa_graph.cli.session import open_memory
    from rqa_graph.inputs import read_message
    from rqa_graph.memory_fields import bare

    words = read_message(text)
    with open_memory(common) as session:
        node = session.memory.persona.declare(
            Kind(kind), words, scope=session.scope, serves=bare(serves), lifetime=span(days)
        )
    return _shown(common, "memory.declare", node)


def commit(common: Common, text: Text, *, serves: Serves = "", days: Days = None) -> int:
    """Undertake a task, for 30 days.

    The same words again renew it.

    Example: rqa memory commit "Order the frames." --days 7
    """
    from rqa_graph.cli.session import open_memory
    from rqa_graph.inputs import read_message
    from rqa_graph.memory_fields import bare

    words = read_message(text)
    with open_memory(common) as session:
        node = session.memory.tasks.commit(words, scope=session.scope, serves=bare(serves), lifetime=span(days))
    return _shown(common, "memory.commit", node)


def _shown(common: Common, command: str, node: Any) -> int:
    from rqa_graph.cli.items import show_items
    from rqa_graph.memory_fields import item_fields

    def render(out: Any) -> None:
        show_items(out, [node])
        if node.expires_at:
            out.text(say("memory.stands_until", out.lang, until=node.expires_at[:10]))

    common.output(command).result(item_fields(node), render)
    return ExitCode.ok


def start(common: Common, handle: Handle) -> int:
    """Begin to work on a task, or take up one that was ended.

    Its 30 days begin anew.

    Example: rqa memory start k3v9xq
    """
    from rqa_graph.cli.session import open_memory
    from rqa_graph.memory_fields import bare, item_fields

    with open_memory(common) as session:
        task = session.memory.tasks.start(bare(handle), scope=session.scope)
    output = common.output("memory.start")
    output.result(item_fields(task), lambda out: out.text(say("task.started", out.lang, text=task.text)))
    return ExitCode.ok


def complete(
    common: Common,
    handle: Handle,
    outcome: Annotated[str, typer.Argument(metavar="OUTCOME|-", help="What came of it.")],
) -> int:
    """Say that a task is done, and what came of it.

    It is kept as a record, without an end.

    Example: rqa memory complete k3v9xq "Forty frames came."
    """
    return _end(common, handle, outcome, "complete")


def abandon(
    common: Common,
    handle: Handle,
    reason: Annotated[str, typer.Argument(metavar="REASON|-", help="Why.")],
) -> int:
    """Give a task up, and say why.

    It is kept as a record, without an end.

    Example: rqa memory abandon k3v9xq "The frames are not made any more."
    """
    return _end(common, handle, reason, "abandon")


def _end(common: Common, handle: str, text: str, verb: str) -> int:
    from rqa_graph.cli.session import open_memory
    from rqa_graph.inputs import read_message
    from rqa_graph.memory_fields import bare, item_fields

    words = read_message(text)
    with open_memory(common) as session:
        ended = getattr(session.memory.tasks, verb)(bare(handle), words, scope=session.scope)
    fields = {**item_fields(ended.task), "said": item_fields(ended.words)}
    key = {"complete": "task.completed", "abandon": "task.abandoned"}[verb]
    common.output(f"memory.{verb}").result(fields, lambda out: out.text(say(key, out.lang, text=ended.task.text)))
    return ExitCode.ok


def depend(
    common: Common,
    handle: Handle,
    other: Other,
    *,
    blocking: Annotated[bool, typer.Option("--blocking", help="It cannot start before the other is over.")] = False,
) -> int:
    """Let a task wait for another one.

    Example: rqa memory depend k3v9xq p8r2wd --blocking
    """
    from rqa_graph.cli.session import open_memory
    from rqa_graph.memory_fields import bare

    task, before = bare(handle), bare(other)
    with open_memory(common) as session:
        changed = session.memory.tasks.depend(task, before, scope=session.scope, blocking=blocking)
    fields = {"task": task, "on": before, "blocking": blocking, "changed": changed}
    key = "task.depends" if changed else "task.depends_already"
    output = common.output("memory.depend")
    output.result(fields, lambda out: out.text(say(key, out.lang, task=task, on=before)))
    return ExitCode.ok


COMMANDS: Final[Mapping[str, Callable[..., int]]] = {
    "declare": declare,
    "commit": commit,
    "start": start,
    "complete": complete,
    "abandon": abandon,
    "depend": depend,
}
"""Name and function of each command; they belong to the group `rqa memory`."""
