"""Fifty false answers of our own making: none becomes a source, none is served."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from rqa_checkpoints.cache.inspection import inspect_ledger
from rqa_checkpoints.cache.integrity import IntegrityCache
from rqa_checkpoints.cache.records import Ask, Outcome
from rqa_checkpoints.cache.signing import KeyRing
from rqa_checkpoints.provenance import CachedSource, Scope
from rqa_graph.integrity import Question, answer_with_integrity
from rqa_graph.services import AppServices
from rqa_nodes.deliberate.sentences import sentences_of
from tests.support.caches import SetClock, book, draft, source, write
from tests.support.deliberate_and_die import lake_services, question
from tests.support.deliberations import Sage, deliberating_services, marks, write_documents
from tests.support.memories import take_turn

POISON = 50
_SCOPE = Scope("local", "mara")


def _false(number: int) -> str:
    return f"Lake {number} is {number + 900} metres deep."


def _own(number: int) -> CachedSource:
    """An answer of ours, given out as a source."""
    return source(_false(number), locator="library/answers.md", family="integrity-cache")


def _ask(text: str) -> Ask:
    return Question(text=text, domain="facts").ask("local", listed=True)


def _poison(services: AppServices, ring: KeyRing) -> None:
    """What somebody can do who writes the log of a home without its key: whole entries, chained and signed."""
    forger = IntegrityCache(services.memory.log, ring=ring, policies=book(), clock=SetClock())
    for number in range(POISON):
        write(forger, draft(question(number), _false(number), run=f"false-{number}", sources=[_own(number)]))


def test_none_of_fifty_entries_with_a_foreign_signature_is_served_and_each_is_reported(
    tmp_path: Path, asked: int
) -> None:
    services = lake_services(":memory:", tmp_path, POISON)
    _poison(services, KeyRing.in_memory(b"\1" * 32))
    looked = [services.answer_library.cache.look(_ask(question(number))) for number in range(POISON)]
    assert [found.outcome is Outcome.hit for found in looked] == [False] * POISON
    assert [str(found.reason) for found in looked] == ["quarantined"] * POISON
    reported = {fault.entry for fault in inspect_ledger(services.answer_library.store).faults}
    assert len(reported) >= POISON
    for number in range(asked):
        _is_true(answer_with_integrity(question(number), services=services), number)
        _is_true(answer_with_integrity(question(number), services=services), number)
    assert len(services.answer_library.store.entries(tenant="local")) == asked


def _is_true(found: dict[str, Any], number: int) -> None:
    assert found["answer"].split(" [")[0] == f"Lake {number} is {number + 10} metres deep"
    assert {row["locator"] for row in found["sources"]} <= {"survey/lakes.md", "atlas/lakes.md"}
    assert all(str(number + 900) not in row["span"] for row in found["sources"])


def test_what_the_assistant_said_fifty_times_is_no_source_of_a_deliberation(tmp_path: Path, asked: int) -> None:
    services = lake_services(":memory:", tmp_path, POISON)
    for number in range(POISON):
        take_turn(services.memory, question(number), _false(number), turn=f"t{number}", scope=_SCOPE)
    for number in range(asked):
        _is_true(answer_with_integrity(question(number), user="mara", services=services), number)


def test_engines_that_repeat_an_answer_of_ours_get_nothing_kept(tmp_path: Path, asked: int) -> None:
    """The kept answer to a near question is shown to them as a guess; citing it carries no claim."""
    services = _parrots(tmp_path)
    for number in range(asked):
        prior = {"entry": f"e{number}", "question": question(number), "answer": _false(number)}
        given: Any = {"question": question(number), "domain": "facts", "cacheable": True, "prior": prior}
        result = services.deliberation.invoke(given)["result"]
        assert result["ledgerTx"] is None
        assert str(number + 900) not in str(result["sources"])
    assert services.answer_library.store.entries(tenant="local") == []


def _parrots(tmp_path: Path) -> AppServices:
    def repeat(parts: Any) -> str:
        for line in parts.memory:
            if line.source == "assistant":
                return f"{line.text[:-1]} [m:{line.handle}]."
        line = parts.memory[0]
        return f"{_false(int(parts.user_text.split()[-1].rstrip('?')))[:-1]} [m:{line.handle}]."

    text = "\n".join(f"Lake {n} is {n + 10} metres deep." for n in range(POISON))
    sources = write_documents(tmp_path, {"survey/lakes.md": text, "atlas/lakes.md": text})
    sages = {
        "alpha:1": Sage("scripted:alpha1", repeat),
        "beta:1": Sage("scripted:beta1", repeat),
        "gamma:1": Sage("scripted:gamma1", marks()),
    }
    return deliberating_services(tmp_path, sages, sources=sources)


def test_a_second_question_reads_no_document_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A search over the corpus costs what is near the question, not what the corpus holds."""
    documents = {f"survey/{n}.md": f"Lake {n} is {n} metres deep.\nCarp live in it." for n in range(POISON)}
    documents["survey/gate.md"] = "The sluice gate opens by the left wheel."
    services = deliberating_services(tmp_path, {}, sources=write_documents(tmp_path, documents))
    corpus = services.deliberating.corpus
    wanted = "How does the sluice gate open?"
    first = corpus.search(wanted, domain="facts", limit=6)
    reads: list[Path] = []
    real = Path.open

    def counted(self: Path, *args: Any, **named: Any) -> Any:
        reads.append(self)
        return real(self, *args, **named)

    monkeypatch.setattr(Path, "open", counted)
    split = sentences_of.cache_info().misses
    assert corpus.search(wanted, domain="facts", limit=6) == first
    assert [path.name for path in reads] == ["gate.md"]
    assert sentences_of.cache_info().misses == split
