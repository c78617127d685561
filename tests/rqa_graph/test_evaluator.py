"""Who judges is what a person approved last; an outage costs no waiting, and a round never more than one request."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from langchain_core.messages import BaseMessage
from langgraph.checkpoint.memory import InMemorySaver

from rqa_checkpoints.provenance import HOME_SCOPE, Adopted, Attestation, Proposal
from rqa_graph.evaluator import LEAST_SECONDS, BoundEvaluator, judge
from rqa_graph.graph import build_graph
from rqa_graph.services import AppServices, open_services
from rqa_graph.settings import Settings
from rqa_nodes.errors import BindingRefusedError, NotAskedError, ProposalRefusedError, RuleError
from rqa_nodes.prompt_parts import PromptParts
from rqa_nodes.prompts import render
from rqa_nodes.reflect.binding import Binding
from rqa_nodes.reflect.degrade import reason_of
from rqa_nodes.reflect.evaluate import judge as read_verdict
from rqa_nodes.reflect.evaluator_change import AREA, EVALUATOR_BINDING
from rqa_nodes.reflect.rubric import rubric_hash
from rqa_nodes.reflect.schema import evaluation_schema
from tests.support.graphs import analysis, evaluation
from tests.support.model_servers import Fault, ModelServer, OllamaServer, OpenAIServer, Reply
from tests.support.turns import FORMS, LEVELS, Form, Told, tell

pytestmark = pytest.mark.thinned

AT = "2026-06-01T09:00:00+00:00"
both = pytest.mark.parametrize("lang", ["en", "ja"])
forms = pytest.mark.parametrize("form", FORMS)

_GOOD = evaluation(*[(9, 9, 8, 9)] * 3)
_ANSWER = {"en": "Both can work, each at its price.", "ja": "どちらにも利点があり、費用も異なります。"}
_QUESTIONS = {
    "en": ["What would the mill lose upstream?", "Who pays for the mill?", "Is upstream the thing to choose?"],
    "ja": ["製粉所は上流で何を失いますか？", "製粉所の費用は誰が払いますか？", "選ぶべきなのは上流ですか？"],
}


def _payload(endpoint: str, **changed: str) -> dict[str, str]:
    row = {"release": "own", "endpoint": endpoint, "model": "m:1b", "key_variable": "", "rubric_hash": rubric_hash()}
    return row | changed


def _adopted(endpoint: str, *, version: int = 1, **changed: str) -> Adopted:
    content = _payload(endpoint, **changed)
    return Adopted(area=AREA, version=version, content=content, by="mio", at=AT, item=f"q{version}", restores=-1)


def _approve(services: AppServices, endpoint: str) -> None:
    """A person's approval, as the review graph writes it."""
    queue, payload = services.memory.queue, _payload(endpoint)
    proposal = Proposal(kind=AREA, payload=payload, requester="mio", key=endpoint)
    item = queue.put(proposal, scope=HOME_SCOPE, at=AT).id
    decision = Attestation(item=item, version=1, verdict="approve", by="mio", at=AT, thread="t")
    queue.decide(decision, scope=HOME_SCOPE, effects=lambda read: EVALUATOR_BINDING.apply(payload, read, decision))


def _settings(home: Path, **models: Any) -> Settings:
    return Settings.load(home=home, overrides={"models": {"chat": "builtin", **models}, "memory": {"embedder": "hash"}})


@pytest.fixture(autouse=True)
def _nothing_set(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("GROQ_API_KEY", "JUDGE_API_KEY", "RQA_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)


class TestALocalJudge:
    """Without any account, a judge on this machine earns side questions too."""

    @both
    @forms
    @pytest.mark.parametrize("server", [OllamaServer, OpenAIServer])
    def test_scores_what_a_local_model_drafted_and_the_question_follows(
        self, server: type[ModelServer], lang: str, form: Form, tmp_path: Path
    ) -> None:
        with server(models=("m:1b",)) as running:
            url: str = running.url  # type: ignore[attr-defined]  # both have one
            running.then(Reply(text=_ANSWER[lang]), Reply(text=analysis(_QUESTIONS[lang])), Reply(text=_GOOD))
            where: dict[str, Any] = (
                {"chat": "ollama:m:1b", "ollama_url": url}
                if server is OllamaServer
                else {"chat": "openai:m:1b", "base_url": url}
            )
            services = open_services(_settings(tmp_path / "home", **where))
            _approve(services, url)
            assert services.evaluator.unusable() == ""
            assert services.evaluator.is_local
            told = _told(services, lang, form)
            services.close()
        assert (told.result.question, told.result.question_reason) == (_QUESTIONS[lang][0], "earned")
        assert told.result.degraded is False
        assert len(running.chats) == 3
        assert "authorization" not in running.chats[2].headers or "none" in running.chats[2].headers["authorization"]

    def test_takes_over_in_a_running_process_as_soon_as_it_is_approved(self, tmp_path: Path) -> None:
        services = open_services(_settings(tmp_path / "home"))
        assert services.evaluator.unusable() == "no_key"
        with OllamaServer(models=("m:1b",), reply=Reply(text=_GOOD)) as running:
            _approve(services, running.url)
            assert services.evaluator.unusable() == ""
            assert _ask(services.evaluator) == _GOOD
        services.close()


def _told(services: AppServices, lang: str, form: Form) -> Told:
    return tell(build_graph(services=services, checkpointer=InMemorySaver()), LEVELS[lang][2], form=form)


def _messages() -> list[BaseMessage]:
    return render(PromptParts(task="evaluate", lang="en", user_text="x", candidates=3))


def _ask(evaluator: Any, *, seconds: float = 60.0) -> str:
    deadline = datetime.now(UTC) + timedelta(seconds=seconds)
    text: str = evaluator.complete(_messages(), deadline=deadline, schema=evaluation_schema(3))
    return text


class TestTheOneInUse:
    def test_is_the_shipped_one_as_the_project_ships_it(self, tmp_path: Path) -> None:
        found = judge(_settings(tmp_path), None)
        assert (found.problem, found.binding and found.binding.model) == ("no_key", "openai/gpt-oss-120b")
        assert found.approval is not None
        assert found.approval.source == "shipped approvals.yaml"
        assert "project" in found.approval.who

    def test_is_the_one_that_a_person_approved_last(self, tmp_path: Path) -> None:
        found = judge(_settings(tmp_path), _adopted("http://127.0.0.1:1/v1"))
        assert (found.problem, found.binding and found.binding.endpoint) == ("", "http://127.0.0.1:1/v1")
        assert found.approval is not None
        assert (found.approval.who, found.approval.when, found.approval.source) == ("mio", AT, "log")

    def test_does_not_judge_by_another_rubric_than_the_approved_one(self, tmp_path: Path) -> None:
        found = judge(_settings(tmp_path), _adopted("http://127.0.0.1:1/v1", rubric_hash=rubric_hash("softer")))
        assert found.problem == "binding_refused"
        assert "rubric" in found.detail

    def test_does_not_judge_where_a_file_says_another_than_the_approved_one(self, tmp_path: Path) -> None:
        (tmp_path / "config").mkdir()
        own = tmp_path / "config" / "evaluator_binding.yaml"
        own.write_text("model: another\nkey_variable: ''\n", "utf-8")
        assert judge(_settings(tmp_path), None).problem == "binding_refused"
        assert judge(_settings(tmp_path), _adopted("http://127.0.0.1:1/v1")).problem == "binding_refused"
        own.write_text("endpoint: http://127.0.0.1:1/v1\nmodel: m:1b\nkey_variable: ''\nrelease: own\n", "utf-8")
        assert judge(_settings(tmp_path), _adopted("http://127.0.0.1:1/v1")).problem == ""

    def test_an_approval_in_the_log_outranks_one_in_a_file(self, tmp_path: Path) -> None:
        (tmp_path / "config").mkdir()
        row = _payload("http://127.0.0.1:2/v1")
        (tmp_path / "config" / "evaluator_binding.yaml").write_text(
            "\n".join(f"{name}: '{value}'" for name, value in row.items()), "utf-8"
        )
        approval = f"evaluator_binding: [{{who: x, when: y, hash: '{Binding.from_mapping(row).fingerprint}'}}]\n"
        (tmp_path / "config" / "approvals.yaml").write_text(approval, "utf-8")
        assert judge(_settings(tmp_path), None).problem == ""
        assert judge(_settings(tmp_path), _adopted("http://127.0.0.1:1/v1")).problem == "binding_refused"

    def test_that_cannot_be_read_is_refused(self, tmp_path: Path) -> None:
        broken = Adopted(area=AREA, version=1, content={"model": "m"}, by="mio", at=AT, item="q1", restores=-1)
        found = judge(_settings(tmp_path), broken)
        assert (found.problem, found.binding) == ("binding_refused", None)

    def test_reads_the_key_of_an_approved_api_key_variable_and_no_other(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("JUDGE_API_KEY", "judge-123456")
        monkeypatch.setenv("LETTERS", "private")
        changed = _adopted("http://127.0.0.1:1/v1", key_variable="JUDGE_API_KEY")
        assert judge(_settings(tmp_path), changed).problem == ""
        other = _adopted("http://127.0.0.1:1/v1", key_variable="LETTERS")
        assert judge(_settings(tmp_path), other).problem == "no_key"


class TestAProposedChange:
    @pytest.mark.parametrize(
        ("changed", "problem"),
        [
            ({"endpoint": "ftp://x/v1"}, "endpoint"),
            ({"endpoint": "https://ann:secretsecret@x.example/v1"}, "endpoint"),
            ({"endpoint": "https://x.example/v1?key=secretsecret"}, "endpoint"),
            ({"endpoint": "file:///etc/passwd"}, "endpoint"),
            ({"endpoint": "http://[::1"}, "endpoint"),
            ({"key_variable": "HOME"}, "key_variable"),
            ({"key_variable": "AWS_SECRET_ACCESS_KEY"}, "key_variable"),
            ({"key_variable": "gsk_abcdefghijklmnop"}, "key_variable"),
            ({"model": "m 1; rm -rf"}, "model"),
            ({"model": ""}, "model"),
            ({"release": "\n"}, "release"),
            ({"rubric_hash": rubric_hash("softer")}, "rubric"),
            ({"temperature": "0"}, "fields"),
            ({"model": "m" * 200}, "limits"),
        ],
    )
    def test_is_refused_where_it_is_no_plain_binding(self, changed: dict[str, str], problem: str) -> None:
        with pytest.raises(ProposalRefusedError) as refused:
            EVALUATOR_BINDING.check(_payload("https://x.example/v1") | changed)
        assert refused.value.problem == problem
        assert "secretsecret" not in refused.value.message

    @both
    def test_says_what_would_leave_the_machine_and_how(self, lang: str) -> None:
        far = _payload("http://x.example/v1", key_variable="JUDGE_API_KEY")
        shown = EVALUATOR_BINDING.render(far, lambda _area: _adopted("http://127.0.0.1:1/v1"), lang)
        near = EVALUATOR_BINDING.render(_payload("http://127.0.0.1:1/v1"), lambda _area: None, lang)
        for word in ("x.example", "JUDGE_API_KEY", Binding.from_mapping(far).fingerprint, "127.0.0.1:1"):
            assert word in shown
        assert len(near.splitlines()) < len(shown.splitlines())
        assert {"en": "stay", "ja": "出ません"}[lang] in near


def _evaluator(
    home: Path, url: str, *, monotonic: Callable[[], float] = time.monotonic, limit_s: float = 1.0
) -> BoundEvaluator:
    models = {"timeouts": {"answer_s": 5.0, "evaluator_s": limit_s}}
    adopted = _adopted(url)
    return BoundEvaluator(
        _settings(home, **models), clock=lambda: datetime.now(UTC), monotonic=monotonic, adopted=lambda: adopted
    )


def _round(evaluator: BoundEvaluator, *, seconds: float = 60.0) -> str:
    """One round as the nodes take it: "" where scores came, else why not."""
    refused = evaluator.unusable()
    if refused:
        return refused
    try:
        read_verdict(_ask(evaluator, seconds=seconds), (0, 1, 2))
    except NotAskedError as error:
        return reason_of(error).value
    except RuleError:
        evaluator.judged(usable=False)
        return "failed"
    evaluator.judged(usable=True)
    return ""


_FAULTS = [
    Reply(fault=Fault.server_error),
    Reply(fault=Fault.rate_limited),
    Reply(fault=Fault.unauthorized),
    Reply(fault=Fault.empty),
    Reply(fault=Fault.length, text="{"),
    Reply(fault=Fault.garbage),
    Reply(fault=Fault.html),
    Reply(fault=Fault.schema_refused, text=_GOOD),
    Reply(text="no object at all"),
]
_STEPS = st.lists(
    st.tuples(st.integers(-1, len(_FAULTS) - 1), st.sampled_from([0.0, 10.0, 61.0])), min_size=1, max_size=10
)


@pytest.mark.parametrize("server", [OllamaServer, OpenAIServer])
def test_a_round_is_at_most_one_request_and_exactly_one_once_the_judge_is_up_again(
    server: type[ModelServer], tmp_path: Path
) -> None:
    with server(models=("m:1b",)) as running:

        @settings(max_examples=8, deadline=None)
        @given(_STEPS)
        def check(steps: list[tuple[int, float]]) -> None:
            now = [0.0]
            running.default = Reply(text=_GOOD)
            evaluator = _evaluator(tmp_path, running.url, monotonic=lambda: now[0])  # type: ignore[attr-defined]  # both have one
            failed = 0
            for fault, passed in steps:
                now[0] += passed
                running.script.clear()
                if fault >= 0:
                    running.then(_FAULTS[fault])
                before = len(running.chats)
                said = _round(evaluator)
                sent = len(running.chats) - before
                assert sent == (0 if said == "circuit_open" else 1)
                assert said != "circuit_open" or failed >= 3
                failed = failed + (said == "failed") if said else 0
                assert said != "" or sent == 1
            now[0] += 60.0
            running.script.clear()
            for _ in range(3):
                before = len(running.chats)
                assert _round(evaluator) == ""
                assert len(running.chats) == before + 1

        check()


def test_a_server_that_takes_no_schema_is_asked_in_words_from_then_on(tmp_path: Path) -> None:
    with OpenAIServer(reply=Reply(fault=Fault.schema_refused, text=_GOOD)) as running:
        evaluator = _evaluator(tmp_path, running.url)
        assert [_round(evaluator) for _ in range(3)] == ["failed", "", ""]
        assert len(running.chats) == 3


@pytest.mark.parametrize("fault", [Fault.silent, Fault.server_error])
def test_an_outage_costs_next_to_nothing_a_turn_once_the_circuit_is_open(fault: Fault, tmp_path: Path) -> None:
    def took(said: str) -> float:
        begun = time.perf_counter()
        assert _round(evaluator) == said
        return time.perf_counter() - begun

    with OllamaServer(reply=Reply(fault=fault)) as running:
        evaluator = _evaluator(tmp_path, running.url, limit_s=0.3)
        asked = [took("failed") for _ in range(3)]
        refused = [took("circuit_open") for _ in range(20)]
        assert statistics.median(refused) < min(asked) / 20
        assert len(running.chats) == 3


def test_of_many_turns_one_tries_whether_it_is_up_again_and_nobody_else_waits(tmp_path: Path) -> None:
    now = [0.0]
    with OllamaServer(reply=Reply(fault=Fault.server_error)) as running:
        evaluator = _evaluator(tmp_path, running.url, monotonic=lambda: now[0])
        assert [_round(evaluator) for _ in range(3)] == ["failed"] * 3
        now[0] += 61.0
        running.default = Reply(text=_GOOD, delay_s=0.3)
        with ThreadPoolExecutor(8) as pool:
            said = sorted(pool.map(lambda _: _round(evaluator), range(8)))
        assert said == ["", *["circuit_open"] * 7]
        assert len(running.chats) == 4
        assert _round(evaluator) == ""


def test_a_turn_without_time_is_no_fault_of_the_judge(tmp_path: Path) -> None:
    with OllamaServer(reply=Reply(text=_GOOD)) as running:
        evaluator = _evaluator(tmp_path, running.url)
        assert [_round(evaluator, seconds=LEAST_SECONDS / 2) for _ in range(5)] == ["out_of_time"] * 5
        assert [_round(evaluator, seconds=-1) for _ in range(2)] == ["out_of_time"] * 2
        assert running.chats == []
        assert _round(evaluator) == ""
        assert len(running.chats) == 1


def test_a_refused_binding_is_never_asked(tmp_path: Path) -> None:
    evaluator = BoundEvaluator(
        _settings(tmp_path),
        clock=lambda: datetime.now(UTC),
        monotonic=time.monotonic,
        adopted=lambda: _adopted("http://127.0.0.1:1", rubric_hash=rubric_hash("softer")),
    )
    assert evaluator.unusable() == "binding_refused"
    with pytest.raises(RuleError) as refused:
        _ask(evaluator)
    assert not isinstance(refused.value, BindingRefusedError)
