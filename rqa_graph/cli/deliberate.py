"""`rqa deliberate`: the verified answer to one question, or why there is none."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

import typer

from rqa_graph.cli.common import Common, with_common
from rqa_graph.cli.output import Output
from rqa_graph.errors import ExitCode, UsageFaultError
from rqa_graph.inputs import read_message
from rqa_graph.messages import say

__all__ = ["register"]


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("deliberate")(with_common(deliberate))


def deliberate(
    common: Common,
    text: Annotated[str, typer.Argument(metavar="TEXT|-", help="The question; `-` reads it from standard input.")],
    *,
    domain: Annotated[str, typer.Option("--domain", metavar="NAME", help="To which domain it belongs.")] = "facts",
    locale: Annotated[str, typer.Option("--locale", metavar="LOCALE", help="Default: the question's language.")] = "",
    jurisdiction: Annotated[str, typer.Option("--jurisdiction", metavar="NAME", help="Where the answer holds.")] = "",
    cacheable: Annotated[
        bool | None, typer.Option("--cacheable/--no-cacheable", help="May it be kept? Default: by the domain.")
    ] = None,
    bypass_cache: Annotated[bool, typer.Option("--bypass-cache", help="Do not ask the library first.")] = False,
    no_store: Annotated[bool, typer.Option("--no-store", help="Keep nothing of it.")] = False,
    as_of: Annotated[str, typer.Option("--as-of", metavar="DATE", help="For a date: neither read nor kept.")] = "",
    tighten: Annotated[
        list[str] | None, typer.Option("--tighten", metavar="NAME=N", help="Raise a threshold, in thousandths.")
    ] = None,
) -> int:
    """Answer from verified sources, or say why not.

    Example: rqa deliberate "Which port does the server listen on?" --domain docs
    """
    from rqa_graph.cli.session import load_settings
    from rqa_graph.integrity import Question, answer_with_integrity
    from rqa_graph.services import open_services
    from rqa_nodes.deliberate.retrieve import language_of

    question = Question(
        text=read_message(text),
        domain=domain,
        locale=locale,
        jurisdiction=jurisdiction,
        cacheable=cacheable,
        as_of=as_of,
        bypass_cache=bypass_cache,
        no_store=no_store,
        tighten=_thresholds(tighten or ()),
    )
    services = open_services(load_settings(common), lang=common.ui_lang)
    try:
        found = answer_with_integrity(question, services=services)
    finally:
        services.close()
    lang = common.lang_beside(language_of(question.locale, question.text))
    common.output("deliberate").result(found, lambda out: _render(found, out.speaking(lang)))
    return ExitCode.ok


def _thresholds(given: Sequence[str]) -> dict[str, int]:
    found = {}
    for text in given:
        name, equals, value = text.partition("=")
        if not equals or not value.isascii() or not value.isdigit():
            choices = "exact_gi=N, baseline_gi=N, similarity=N"
            raise UsageFaultError("option.choice", option="--tighten", value=text, choices=choices)
        found[name] = int(value)
    return found


def _render(found: Mapping[str, Any], out: Output) -> None:
    lang = out.lang
    if found["answer"] is None:
        out.text(say("deliberate.none", lang, reason=say(f"deliberate.reason.{found['reason']}", lang)))
    else:
        if found["status"] == "pending_review":
            out.text(say("deliberate.unverified", lang))
        out.text(found["answer"])
    for source in found["sources"]:
        out.text(f"[{source['handle']}] {source['locator']} ({source['publisher']}, {source['retrievedAt'][:10]})")
    if found["reviewId"]:
        out.text(say("deliberate.review", lang, item=found["reviewId"]))
    out.text(_line(found, lang))


def _line(found: Mapping[str, Any], lang: str) -> str:
    """Where the answer comes from, with its score and how long it holds."""
    words = [say(f"deliberate.source.{found['source']}", lang)]
    if found["giScore"] is not None:
        words.append(say("deliberate.score", lang, score=f"{found['giScore']:.3f}"))
    if found["gi"]["caps"]:
        caps = ", ".join(say(f"deliberate.cap.{name}", lang) for name in found["gi"]["caps"])
        words.append(say("deliberate.caps", lang, caps=caps))
    if found["validUntil"]:
        words.append(say("deliberate.until", lang, date=found["validUntil"][:10]))
    elif found["status"] == "ok":
        words.append(say("deliberate.unkept", lang, reason=found["trace"]["bypassReason"]))
    return say("deliberate.joint", lang).join(words)
