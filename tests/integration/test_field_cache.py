"""What semantic caches got wrong in the field, by kind of fault."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from langgraph.checkpoint.memory import InMemorySaver

from rqa_checkpoints.cache.rows import ATTEST, COMMIT, RUN
from rqa_checkpoints.provenance import Scope, SourceClass
from rqa_graph.deliberation import build_deliberation
from rqa_graph.integrity import Question, answer_with_integrity
from rqa_graph.services import AppServices
from tests.support.caches import ScriptedEncoder, ask, draft, open_cache, write
from tests.support.deliberations import Sage, answering, deliberating_services, marks, write_documents
from tests.support.memories import take_turn


def _copying(tmp_path: Path, sentences: list[str]) -> AppServices:
    """Two engines that answer with the first sentence of the sources, and a reviewer that is content."""
    documents = dict.fromkeys(("survey/gate.md", "atlas/gate.md"), "\n".join(sentences))

    def say(parts: Any) -> str:
        line = next(line for line in parts.memory if line.source is SourceClass.external)
        sentence = line.text.split("\n")[0]
        return f"{sentence[:-1]} [m:{line.handle}]."

    sages = {
        "alpha:1": Sage("scripted:alpha1", say),
        "beta:1": Sage("scripted:beta1", say),
        "gamma:1": Sage("scripted:gamma1", marks()),
    }
    return deliberating_services(tmp_path, sages, sources=write_documents(tmp_path, documents))


def _outcome(services: AppServices, text: str, *, tenant: str = "local", **scope: Any) -> str:
    question = Question(text=text, **{"domain": "facts", **scope})
    return services.answer_library.cache.look(question.ask(tenant, listed=True)).outcome.value


@pytest.mark.parametrize(
    ("cached", "asked"),
    [
        ("How do I open the sluice gate?", "How do I close the sluice gate?"),
        ("Does Wren owe money to Ash?", "Does Ash owe money to Wren?"),
        ("How do US schools open the sluice gate?", "How do us schools open the sluice gate?"),
    ],
)
def test_the_opposite_the_reverse_and_another_case_are_not_served(cached: str, asked: str, tmp_path: Path) -> None:
    services = _copying(tmp_path, ["The sluice gate opens by the left wheel, and Wren owes Ash money."])
    answer_with_integrity(cached, services=services)
    assert _outcome(services, cached) == "hit"
    assert _outcome(services, asked) != "hit"


def test_another_tenant_another_language_and_another_law_are_other_questions(tmp_path: Path) -> None:
    services = deliberating_services(tmp_path, answering())
    fuji = "How tall is Mount Fuji?"
    answer_with_integrity(fuji, services=services)
    assert _outcome(services, fuji) == "hit"
    assert _outcome(services, fuji, tenant="juno") != "hit"
    assert _outcome(services, fuji, locale="ja") != "hit"
    assert _outcome(services, fuji, jurisdiction="JP") != "hit"
    assert _outcome(services, fuji, domain="general") != "hit"


def test_what_is_one_persons_is_neither_kept_nor_looked_up(tmp_path: Path) -> None:
    services = deliberating_services(tmp_path, answering())
    assert _outcome(services, "Which ward am I booked into?") == "bypass"


def test_a_run_that_is_resumed_three_times_leaves_one_row(tmp_path: Path) -> None:
    services = deliberating_services(tmp_path, answering())
    deliberation = build_deliberation(services=services, checkpointer=InMemorySaver())
    config: Any = {"configurable": {"thread_id": "d"}}
    given: Any = {"question": "How tall is Mount Fuji?", "domain": "facts", "cacheable": True}
    list(deliberation.stream(given, config, interrupt_before=["attest"]))
    for stop in ("attest", "commit", "verify"):
        list(deliberation.stream(None, config, interrupt_after=[stop]))
    ops = [event.op for event in services.memory.log.events(after=0, limit=99)]
    assert [ops.count(op) for op in (ATTEST, COMMIT, RUN)] == [1, 1, 1]


class _Blind(ScriptedEncoder):
    """The worst embedder: every question is every other."""

    def embed_query(self, text: str) -> list[float]:
        del text
        return [1.0, 0.0, 0.0, 0.0]


@pytest.mark.parametrize(
    ("locale", "cached", "asked"),
    [
        ("en", "Does Wren owe money to Ash?", "Does Ash owe money to Wren?"),
        ("en", "How do I convert dollars to yen?", "How do I convert yen to dollars?"),
        ("en", "Can a tenant sue a landlord?", "Can a landlord sue a tenant?"),
        ("en", "Is the Rhine longer than the Elbe?", "Is the Elbe longer than the Rhine?"),
        ("en", "Which trains go from Lund to Malmö?", "Which trains go from Malmö to Lund?"),
        ("ja", "東京から大阪へ行く列車は？", "大阪から東京へ行く列車は？"),
        ("ja", "ドルを円に両替するには？", "円をドルに両替するには？"),
        ("ja", "借主は貸主を訴えられますか？", "貸主は借主を訴えられますか？"),
    ],
)
def test_an_embedder_that_tells_nothing_apart_serves_no_reversed_question(locale: str, cached: str, asked: str) -> None:
    cache = open_cache(encoder=_Blind({}))
    write(cache, draft(cached, scope={"locale": locale}))
    assert cache.look(ask(cached, locale=locale)).outcome.value == "hit"
    found = cache.look(ask(asked, locale=locale))
    assert (found.outcome.value, found.entry is not None) == ("context", True)
    cache.close()
    cache.store.ledger.log.close()


def test_no_memory_and_no_manner_of_a_person_is_in_what_is_kept(tmp_path: Path) -> None:
    """A role that somebody gave the assistant changes neither the prompt of the engines nor the answer that is kept."""
    sages = answering()
    services = deliberating_services(tmp_path, sages)
    take_turn(services.memory, "You are a poet. Answer in verse.", "Gladly.", turn="t1", scope=Scope("local", "mara"))
    answer_with_integrity("How tall is Mount Fuji?", user="mara", services=services)
    assert all("poet" not in str(sage.prompts) and "verse" not in str(sage.prompts) for sage in sages.values())
    assert _outcome(services, "How tall is Mount Fuji?") == "hit"
