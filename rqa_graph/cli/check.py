"""`rqa check`: what would be used, where does each setting come from, and what would leave this machine?

Nothing is written, and no secret is shown. The exit code says whether a turn could run: 5 if the model that was named
does not answer, 6 if the home cannot be written.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import typer

from rqa_graph.cli.common import Common, Model, with_common
from rqa_graph.cli.output import Output
from rqa_graph.errors import ExitCode
from rqa_graph.messages import keys, say

if TYPE_CHECKING:
    from rqa_graph.check import CheckReport, EngineState, EvaluatorState, HomeState, KeyState, Leaving, ToolState

__all__ = ["register"]


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("check")(with_common(check))


def check(common: Common, *, model: Model = "") -> int:
    """Show which model answers, what is set where, what leaves here.

    Exit code 5: the model that was named does not answer. 6: the home cannot be written.

    Example: rqa check
    """
    from rqa_graph.check import examine
    from rqa_graph.cli.session import load_settings

    output = common.output("check")
    found = examine(load_settings(common, model=model), lang=output.lang)
    output.result(found.to_dict(), lambda out: _render(found, out), ok=found.ok)
    if found.engine.error:
        return ExitCode.model_unavailable
    return ExitCode.ok if found.home.writable else ExitCode.home


def _render(found: CheckReport, out: Output) -> None:
    lang = out.lang
    lines = {
        "model": _engine(found.engine, lang),
        "evaluator": _evaluator(found.evaluator, lang),
        "keys": [_key(key, lang) for key in found.keys],
        "tools": [_tool(tool, lang) for tool in found.tools],
        "leaving": _leaving(found.leaving, lang),
        "embedder": [found.embedder],
        "index": [found.index],
        "log": [found.log],
        "checkpointer": [found.checkpointer],
        "home": _home(found.home, lang),
        "ignored": list(found.ignored),
    }
    settings = [[origin.name, origin.value, _origin(origin.source, lang)] for origin in found.settings]
    out.table([say("check.setting", lang), say("value", lang), say("check.source", lang)], settings)
    out.text("")
    rows = [
        ["" if number and out.is_terminal else say(f"check.{name}", lang), line]
        for name, several in lines.items()
        for number, line in enumerate(several)
    ]
    out.table([say("field", lang), say("value", lang)], rows)


def _origin(source: str, lang: str) -> str:
    """Where a value comes from, in words; a file is its own name."""
    shipped, _, name = source.partition(" ")
    if shipped == "shipped":
        return say("origin.shipped", lang, name=name)
    return say(f"origin.{source}", lang) if _is_known(source) else source


def _is_known(source: str) -> bool:
    """False for a file, which is shown as its path."""
    return f"origin.{source}" in keys()


def _engine(engine: EngineState, lang: str) -> list[str]:
    if engine.error:
        return [say("fault.model_unavailable", lang, message=engine.error), engine.hint]
    where = say("check.here" if engine.is_local else "check.elsewhere", lang)
    why = say("check.asked", lang, asked=engine.asked)
    return [f"{engine.engine} ({where})", engine.notice or why]


def _evaluator(evaluator: EvaluatorState, lang: str) -> list[str]:
    from rqa_nodes.reflect.degrade import reason_text

    lines = [f"{evaluator.model} ({evaluator.endpoint})"] if evaluator.model else []
    if evaluator.problem:
        reason = reason_text(evaluator.problem, lang)
        lines.append(say("check.not_scored", lang, reason=reason, detail=evaluator.detail))
    if evaluator.fingerprint:
        lines.append(say("check.fingerprint", lang, fingerprint=evaluator.fingerprint))
    return lines


def _key(key: KeyState, lang: str) -> str:
    if not key.is_set:
        return say("check.key_missing", lang, name=key.name)
    source = _origin(key.source, lang)
    return say("check.key_set", lang, name=key.name, source=source)


def _tool(tool: ToolState, lang: str) -> str:
    if not tool.enabled:
        return say("check.tool_off", lang, name=tool.name)
    detail = f" ({tool.detail})" if tool.detail else ""
    return say("check.tool_on", lang, name=tool.name, detail=detail, calls=tool.calls, seconds=f"{tool.seconds:g}")


def _leaving(leaving: Sequence[Leaving], lang: str) -> list[str]:
    if not leaving:
        return [say("check.nothing_leaves", lang)]
    return [say("check.leaves", lang, what=say(f"leaving.{row.what}", lang), to=row.to) for row in leaving]


def _home(home: HomeState, lang: str) -> list[str]:
    lines = [home.path]
    if not home.writable:
        lines.append(say("check.home_not_writable", lang))
    elif not home.exists:
        lines.append(say("check.home_new", lang))
    if home.holder:
        held = home.holder
        lines.append(say("check.home_held", lang, pid=held.pid, command=held.command, since=held.since))
    return lines
