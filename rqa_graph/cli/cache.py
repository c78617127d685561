"""`rqa cache`: what does the Integrity Cache hold, what would it answer, and how far may it go?

Lists and gates read the log beside whoever holds the home; the kill switch writes there too, and holds from the next
look-up on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from rqa_graph.cli.cache_drift import drift
from rqa_graph.cli.cache_upkeep import Entry, flag, report, revalidate, withdraw
from rqa_graph.cli.common import Common, add_group
from rqa_graph.cli.output import Output, envelope
from rqa_graph.error_description import describe_error
from rqa_graph.errors import ExitCode, GateFailedError, InputError, RowError, UsageFaultError
from rqa_graph.inputs import check_text, read_message, read_rows
from rqa_graph.messages import say

if TYPE_CHECKING:
    from rqa_checkpoints.cache.integrity import IntegrityCache
    from rqa_checkpoints.cache.pairing import Pairing
    from rqa_checkpoints.cache.rollout import Gate
    from rqa_graph.settings import Settings

__all__ = ["COMMANDS", "register"]

_FIELDS: Final = "id, a, b, lang"
_LANGS: Final = ("en", "ja")
_ANY: Final = "*"
_FIRST, _LAST = 0, 4

Domain = Annotated[str, typer.Option("--domain", metavar="NAME", help="The domain.")]
Locale = Annotated[str, typer.Option("--locale", metavar="en|ja", help="The language of the questions.")]
Reason = Annotated[str, typer.Option("--reason", metavar="TEXT", help="Why; it stands in the ledger.")]


def register(app: typer.Typer) -> None:
    """Add the group of commands."""
    help_text = 'Show, try and steer the cache of verified answers.\n\nExample: rqa cache compare "A?" "B?"'
    add_group(app, "cache", help_text, COMMANDS)


def compare(
    common: Common,
    a: Annotated[str, typer.Argument(metavar="A", help="The question that is stored.")] = "",
    b: Annotated[str, typer.Argument(metavar="B", help="The question that is asked.")] = "",
    *,
    domain: Domain = "compare",
    batch: Annotated[
        str, typer.Option("--batch", metavar="FILE.jsonl", help=f"Rows of {_FIELDS}; answers JSONL in input order.")
    ] = "",
) -> int:
    """Would B be given the answer of A, as if A had a fresh entry?

    The language of the questions is --lang, else that of A. Nothing is stored.

    Example: rqa cache compare "How do I open the gate?" "How do I close the gate?"
    """
    output = common.output("cache.compare")
    if batch:
        return _compare_rows(common, batch, output, domain=domain)
    one, two = read_message(a), read_message(b)
    found = _pairing(common)(one, two, common.lang or _lang_of(one), domain)
    output.result(_fields(found), lambda out: _render(found, out))
    return ExitCode.ok


def _pairing(common: Common) -> Callable[[str, str, str, str], Pairing]:
    from rqa_checkpoints.cache.pairing import pair
    from rqa_checkpoints.embedding import open_embedder
    from rqa_graph.cli.session import load_settings
    from rqa_graph.clock import utc_now

    encoder = open_embedder(load_settings(common).memory.embedder)
    return lambda one, two, lang, domain: pair(one, two, lang=lang, encoder=encoder, at=utc_now(), domain=domain)


def _lang_of(text: str) -> str:
    from rqa_nodes.language import detect

    return "en" if detect(text) == "en" else "ja"


def _compare_rows(common: Common, path: str, output: Output, *, domain: str) -> int:
    code, compared = ExitCode.ok, _pairing(common)
    for number, row in read_rows(path, fields=_FIELDS):
        key = {"id": row.get("id", number)}
        try:
            one, two, lang = _pair_of(row, line=number, path=path)
        except InputError as error:
            code = ExitCode.usage
            output.row(
                {"schema": "rqa.cache.compare/1", "ok": False, "error": describe_error(error, output.lang), **key}
            )
        else:
            output.row(envelope("cache.compare", key | _fields(compared(one, two, lang, domain))))
    return code


def _pair_of(row: Mapping[str, Any], *, line: int, path: str) -> tuple[str, str, str]:
    one, two, lang = row.get("a"), row.get("b"), row.get("lang", "en")
    for name, value in (("a", one), ("b", two)):
        if not isinstance(value, str):
            raise RowError("row.invalid", line=line, path=path, reason=f"{name} is {value!r}", fields=_FIELDS)
    if lang not in _LANGS:
        raise RowError("row.invalid", line=line, path=path, reason=f"lang is {lang!r}", fields=_FIELDS)
    return check_text(str(one)), check_text(str(two)), str(lang)


def _fields(found: Pairing) -> dict[str, Any]:
    return {
        "decision": found.decision,
        "reason": found.reason,
        "similarity": found.similarity / 1000 if found.similarity is not None else None,
        "cosine": found.cosine,
        "differs": list(found.differs),
        "guards": list(found.guards),
    }


def _render(found: Pairing, out: Output) -> None:
    out.text(say(f"cache.compare.{found.decision}", out.lang, reason=found.reason))
    if found.differs:
        out.text(say("cache.compare.differs", out.lang, facets=", ".join(found.differs)))
    if found.similarity is not None:
        out.text(say("cache.compare.similarity", out.lang, similarity=found.similarity / 1000, cosine=found.cosine))


@contextmanager
def _opened(common: Common, *, read_only: bool) -> Iterator[tuple[IntegrityCache, Settings]]:
    from rqa_graph.caching import open_cache
    from rqa_graph.cli.session import load_settings
    from rqa_graph.clock import new_id, utc_now

    settings = load_settings(common)
    with open_cache(settings, clock=utc_now, ids=new_id, read_only=read_only) as cache:
        yield cache, settings


def list_entries(
    common: Common,
    *,
    domain: Domain = "",
    all_: Annotated[bool, typer.Option("--all", help="Also those that have ended.")] = False,
) -> int:
    """List the entries of your tenant, the oldest first.

    Example: rqa cache list --domain docs
    """
    from rqa_checkpoints.cache.records import EntryStatus

    status = None if all_ else EntryStatus.active
    with _opened(common, read_only=True) as (cache, settings):
        found = cache.store.entries(tenant=settings.memory.tenant, domain=domain, status=status)
    rows = [
        {
            "id": entry.id,
            "question": entry.question,
            "domain": entry.payload["domain"],
            "locale": entry.payload["locale"],
            "jurisdiction": entry.payload["jurisdiction"],
            "gi": entry.gi / 1000,
            "status": entry.status.value,
            "servable": entry.servable,
            "quarantined": entry.quarantined,
            "valid_until": entry.valid_until,
        }
        for entry in found
    ]

    def render(out: Output) -> None:
        if not rows:
            out.text(say("cache.none", out.lang))
            return
        shown = ("id", "question", "domain", "gi", "status", "valid_until")
        out.table([say(f"cache.column.{name}", out.lang) for name in shown], [[row[n] for n in shown] for row in rows])

    common.output("cache.list").result({"entries": rows}, render)
    return ExitCode.ok


def show(
    common: Common,
    entry: Entry,
    *,
    receipt: Annotated[bool, typer.Option("--receipt", help="Print the receipt.")] = False,
) -> int:
    """Show one entry with its sources, after proving it; --receipt prints what proves it elsewhere.

    Example: rqa cache show ENTRY --receipt > receipt.json
    """
    with _opened(common, read_only=True) as (cache, settings):
        if receipt:
            common.output("cache.show").row(cache.receipt(entry, tenant=settings.memory.tenant))
            return ExitCode.ok
        found = cache.entry(entry, tenant=settings.memory.tenant)

    def render(out: Output) -> None:
        out.text(found.question)
        out.text(found.answer)
        names = ("status", "gi", "verified_at", "valid_until", "attestation")
        values = [found.status.value, found.gi / 1000, found.verified_at, found.valid_until, found.attestation]
        out.table([say("field", out.lang), say("value", out.lang)], list(map(list, zip(names, values, strict=True))))
        out.table(
            [say(f"cache.column.{name}", out.lang) for name in ("publisher", "locator", "retrieved_at", "span")],
            [[s.publisher, s.locator, s.retrieved_at, s.span] for s in found.sources],
        )

    fields = {"entry": found.id, "status": found.status.value, "servable": found.servable, "payload": found.payload}
    common.output("cache.show").result(fields, render)
    return ExitCode.ok


def audit(
    common: Common,
    entry: Entry,
    verdict: Annotated[str, typer.Argument(metavar="right|wrong", help="Whether its answer is right.")],
) -> int:
    """Write down that you looked at an entry and whether it is right: the gate of phase 1 counts it.

    Example: rqa cache audit ENTRY right
    """
    if verdict not in ("right", "wrong"):
        raise UsageFaultError("option.choice", option="verdict", value=verdict, choices="right, wrong")
    with _opened(common, read_only=False) as (cache, settings):
        by = settings.user()
        cache.store.audit(entry, tenant=settings.memory.tenant, right=verdict == "right", by=by)
    common.output("cache.audit").result(
        {"entry": entry, "verdict": verdict, "by": by}, lambda out: out.text(say("cache.audited", out.lang, by=by))
    )
    return ExitCode.ok


def gates(common: Common, *, domain: Domain = "", locale: Locale = "") -> int:
    """Show in which phase each domain and language is, and what it takes to leave it.

    Example: rqa cache gates --domain docs --locale en
    """
    with _opened(common, read_only=True) as (cache, settings):
        domains = [domain] if domain else list(cache.policies.domains)
        locales = [locale] if locale else list(_LANGS)
        lines, tenant = _lines(settings), settings.memory.tenant
        rows = [_gate_row(cache, lines, (tenant, name, one)) for name in domains for one in locales]

    def render(out: Output) -> None:
        columns = [say(f"cache.column.{name}", out.lang) for name in ("domain", "locale", "phase", "gate", "held")]
        shown = [
            [
                row["domain"],
                row["locale"],
                row["phase"],
                _worded(gate),
                say("cache.held" if gate["holds"] else "cache.open", out.lang),
            ]
            for row in rows
            for gate in row["gates"]
        ]
        out.table(columns, shown)

    common.output("cache.gates").result({"rows": rows}, render)
    return ExitCode.ok


def _worded(gate: Mapping[str, Any]) -> str:
    sign = ">=" if gate["at_least"] else "<="
    return f"{gate['name']} {gate['found']:g} ({sign} {gate['needed']:g})"


def _lines(settings: Settings) -> Sequence[Mapping[str, Any]]:
    from rqa_graph.cache_figures import read_figures
    from rqa_graph.telemetry import TELEMETRY_FILE

    return read_figures(settings.home / TELEMETRY_FILE)


def _gates(
    cache: IntegrityCache, lines: Sequence[Mapping[str, Any]], scope: tuple[str, str, str]
) -> tuple[int, list[Gate]]:
    from rqa_checkpoints.cache.rollout import figures, gates, phase_of, since_of
    from rqa_graph.clock import utc_now

    with cache.store.reading() as view:
        rollouts = cache.store.rollouts(view, tenant=scope[0])
        audits = cache.store.audits(view, tenant=scope[0], domain=scope[1], locale=scope[2])
    phase = phase_of(rollouts, cache.policies, scope)
    found = figures(lines, audits, scope=scope, since=since_of(rollouts, scope), now=utc_now())
    return phase, gates(phase, found)


def _gate_row(cache: IntegrityCache, lines: Sequence[Mapping[str, Any]], scope: tuple[str, str, str]) -> dict[str, Any]:
    phase, found = _gates(cache, lines, scope)
    return {"domain": scope[1], "locale": scope[2], "phase": phase, "gates": [gate.to_dict() for gate in found]}


def phase(
    common: Common,
    domain: Annotated[str, typer.Argument(metavar="DOMAIN", help="A domain of the policies; `*`: all.")],
    locale: Annotated[str, typer.Argument(metavar="en|ja", help="The language of its questions; `*`: all.")],
    number: Annotated[int, typer.Argument(metavar="0-4", min=_FIRST, max=_LAST, help="The phase.")],
    *,
    override: Annotated[
        str, typer.Option("--override", metavar="REASON", help="Go up although a gate does not hold; kept with why.")
    ] = "",
) -> int:
    """Put a domain and language into a phase. Up goes one step at a time, and only where the gates hold.

    What is set for all only lowers: `rqa cache phase "*" "*" 4 --override REASON` ends a kill of everything.

    Exit code 4: a gate does not hold.

    Example: rqa cache phase docs en 1 --override "one household"
    """
    with _opened(common, read_only=False) as (cache, settings):
        tenant = settings.memory.tenant
        _check_domain(cache, domain, "DOMAIN")
        now, found = _gates(cache, _lines(settings), (tenant, domain, locale))
        failed = [_worded(gate.to_dict()) for gate in found if not gate.holds]
        if not override and number > now and (failed or number > now + 1):
            raise GateFailedError(
                f"{domain!r} in {locale!r} stays in phase {now}: {'; '.join(failed) or 'one step at a time'}",
                hint="`rqa cache gates` shows what is missing; `--override REASON` goes up all the same.",
            )
        cache.store.set_phase(
            number, tenant=tenant, domain=domain, locale=locale, by=settings.user(), reason=override or "gates"
        )
        now = cache.phase(tenant, domain, locale)
    common.output("cache.phase").result(
        {"domain": domain, "locale": locale, "phase": now},
        lambda out: out.text(say("cache.phase", out.lang, domain=domain, locale=locale, phase=now)),
    )
    return ExitCode.ok


def _check_domain(cache: IntegrityCache, domain: str, option: str) -> None:
    if domain not in (_ANY, *cache.policies.domains):
        choices = ", ".join((*cache.policies.domains, _ANY))
        raise UsageFaultError("option.choice", option=option, value=domain, choices=choices)


def kill(common: Common, *, domain: Domain = _ANY, locale: Locale = _ANY, reason: Reason = "kill") -> int:
    """Stop serving at once: everything named falls back to phase 1, and what is kept stays.

    Without --domain and --locale it is everything of your tenant. Works beside a running server.

    Example: rqa cache kill --domain law
    """
    with _opened(common, read_only=False) as (cache, settings):
        _check_domain(cache, domain, "--domain")
        tenant = settings.memory.tenant
        cache.store.set_phase(1, tenant=tenant, domain=domain, locale=locale, by=settings.user(), reason=reason)
    common.output("cache.kill").result(
        {"domain": domain, "locale": locale, "phase": 1},
        lambda out: out.text(say("cache.killed", out.lang, domain=domain, locale=locale)),
    )
    return ExitCode.ok


COMMANDS: Final[Mapping[str, Callable[..., int]]] = {
    "compare": compare,
    "list": list_entries,
    "show": show,
    "audit": audit,
    "gates": gates,
    "phase": phase,
    "kill": kill,
    "flag": flag,
    "withdraw": withdraw,
    "revalidate": revalidate,
    "report": report,
    "drift": drift,
}
"""Name and function of each command of the group."""
