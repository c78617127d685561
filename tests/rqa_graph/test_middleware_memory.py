"""What a guarded agent is given of memory, and what a turn of it leaves behind."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

import pytest
from langchain.agents import create_agent
from langchain_core.messages import AIMessage, HumanMessage, ToolCall
from langchain_core.tools import StructuredTool, ToolException
from langgraph.checkpoint.memory import InMemorySaver

from rqa_checkpoints.errors import StoreUnavailableError
from rqa_checkpoints.memory import ProvenanceMemory
from rqa_checkpoints.provenance import CommitResult, Scope, SourceClass, TurnPart
from rqa_graph import EchoGuardMiddleware
from tests.support.agents import ScriptedAgentModel, scripted
from tests.support.graphs import counting_ids, ticking_clock

_ANN: Final = Scope("local", "ann")


@pytest.fixture
def memory() -> Iterator[ProvenanceMemory]:
    with ProvenanceMemory.open(":memory:", clock=ticking_clock(), ids=counting_ids(), embedder="hash") as opened:
        yield opened


def note(text: str) -> str:
    """Keep a note."""
    return f"kept: {text}"


def _agent(model: ScriptedAgentModel, memory: ProvenanceMemory, **options: Any) -> Any:
    settings: dict[str, Any] = {"scope": _ANN, "remember": True, "clock": ticking_clock(), **options}
    guard = EchoGuardMiddleware(memory, **settings)
    return create_agent(model, tools=[note], middleware=[guard], checkpointer=InMemorySaver())


def _ask(agent: Any, text: str, thread: str = "t", message: str | None = None) -> AIMessage:
    result = agent.invoke({"messages": [HumanMessage(text, id=message)]}, {"configurable": {"thread_id": thread}})
    said = result["messages"][-1]
    assert isinstance(said, AIMessage)
    return said


def _kept(memory: ProvenanceMemory, scope: Scope = _ANN) -> dict[str, SourceClass]:
    return {node.text: node.source for node in memory.list(scope=scope)}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Case:
    told: str
    guess: str
    asked: str
    elsewhere: str
    echo: str
    shown: str


_CASES: Final = {
    "en": _Case(
        told="I keep missing my morning run.",
        guess="Maybe you are afraid of failing at the half-marathon.",
        asked="What do you know about why I miss my morning run?",
        elsewhere="Am I afraid of failing at the half-marathon?",
        echo="As we established, you are afraid of failing at the half-marathon.",
        shown="I suggested earlier (unverified): you are afraid of failing at the half-marathon.",
    ),
    "ja": _Case(
        told="発表の準備が進みません。",
        guess="上司の佐伯さんの評価を恐れているのかもしれません。",
        asked="発表の準備が進まない理由について、何が分かっていますか？",
        elsewhere="上司の佐伯さんの評価を恐れているのが理由ですか？",
        echo="先ほど確認した通り、上司の佐伯さんの評価を恐れているのが理由です。",
        shown="以前私が提案しました(未確認): 上司の佐伯さんの評価を恐れているのが理由です。",
    ),
}


@pytest.mark.parametrize("case", _CASES.values(), ids=list(_CASES))
@pytest.mark.parametrize("elsewhere", [False, True])
def test_a_guess_of_the_first_turn_is_no_fact_in_the_second(
    case: _Case, elsewhere: bool, memory: ProvenanceMemory
) -> None:
    agent = _agent(scripted(case.guess, case.echo), memory)
    assert _ask(agent, case.told).text == case.guess
    said = _ask(agent, case.elsewhere, "another thread") if elsewhere else _ask(agent, case.asked)
    assert said.text == case.shown
    kept = _kept(memory)
    assert kept[case.told] is SourceClass.user
    assert kept[case.guess] is SourceClass.assistant
    assert case.echo not in kept


@pytest.mark.parametrize("case", _CASES.values(), ids=list(_CASES))
async def test_a_guess_of_the_first_turn_is_no_fact_in_the_second_async(case: _Case, memory: ProvenanceMemory) -> None:
    agent = _agent(scripted(case.guess, case.echo), memory)
    for text in (case.told, case.asked):
        result = await agent.ainvoke({"messages": [("user", text)]}, {"configurable": {"thread_id": "t"}})
    assert result["messages"][-1].text == case.shown


def test_the_model_reads_who_said_what_and_may_cite_it(memory: ProvenanceMemory) -> None:
    node = memory.add("I keep bees near Lund.", scope=_ANN, source=SourceClass.user, author="ann")
    model = scripted(f"You said you keep bees near Lund [m:{node.handle}].")
    said = _ask(_agent(model, memory), "Where do I keep my bees?")
    assert f"[m:{node.handle}]" in said.text
    assert said.response_metadata["rqa"]["cited"] == [node.handle]
    assert f"[m:{node.handle}] (source=user" in model.prompts[0][-1].text


def test_nothing_is_written_unless_it_is_to_be_remembered(memory: ProvenanceMemory) -> None:
    _ask(_agent(scripted("Good."), memory, remember=False), "I keep bees near Lund.")
    assert not _kept(memory)


@pytest.mark.parametrize("text", ["Thanks!", "ありがとう"])
def test_thanks_are_not_kept(text: str, memory: ProvenanceMemory) -> None:
    said = _ask(_agent(scripted("You are welcome."), memory), text)
    assert not _kept(memory)
    assert "stored" not in said.response_metadata["rqa"]


def test_whose_memory_may_depend_on_the_run(memory: ProvenanceMemory) -> None:
    agent = _agent(scripted("Good.", "Nothing."), memory, scope=lambda runtime: Scope("local", runtime.context))
    for user, text in (("ann", "I keep bees near Lund."), ("ben", "Where are my bees?")):
        agent.invoke({"messages": [("user", text)]}, {"configurable": {"thread_id": user}}, context=user)
    assert "I keep bees near Lund." in _kept(memory)
    assert "I keep bees near Lund." not in _kept(memory, Scope("local", "ben"))


def test_a_turn_that_runs_again_is_committed_once_and_other_words_are_a_fork(memory: ProvenanceMemory) -> None:
    agent = _agent(scripted("Good.", "Good.", "Fine then."), memory)
    first, again, other = (_ask(agent, "I keep bees near Lund.", message="m1") for _ in range(3))
    turns = [said.response_metadata["rqa"]["turn_id"] for said in (first, again, other)]
    assert turns[0] == turns[1] != turns[2]
    assert [part.forked_from for part in memory.turn(turns[2], scope=_ANN)] == [turns[0]]
    assert len(memory.turns(scope=_ANN)) == 2


@pytest.mark.parametrize(
    ("text", "receipt"),
    [("I keep bees near Lund.", "I have saved that."), ("ルンドで蜂を飼っています。", "記録しました。")],
)
def test_a_receipt_is_true_if_the_turn_was_written_and_says_so_if_not(
    text: str, receipt: str, memory: ProvenanceMemory, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert _ask(_agent(scripted(receipt), memory), text).text == receipt

    def full(_part: TurnPart) -> CommitResult:
        raise StoreUnavailableError("the disk is full")

    monkeypatch.setattr(memory, "commit", full)
    said = _ask(_agent(scripted(receipt), memory), text, "another")
    assert said.text != receipt
    assert said.response_metadata["rqa"]["stored"] is False
    assert said.response_metadata["rqa"]["counts"] == {"false_receipt": 1}


def test_a_receipt_beside_a_tool_call_waits_for_the_commit_of_what_was_said(memory: ProvenanceMemory) -> None:
    call = AIMessage("I have saved that.", tool_calls=[ToolCall(name="note", args={"text": "x"}, id="c1")])
    agent = _agent(scripted(call, "The hive is full."), memory)
    kept_then: list[set[str]] = []
    for part in agent.stream({"messages": [("user", "I keep bees.")]}, {"configurable": {"thread_id": "t"}}):
        if "model" in part:
            kept_then.append(set(_kept(memory)))
            assert part["model"]["messages"][0].text in ("I have saved that.", "The hive is full.")
    assert kept_then == [{"I keep bees."}, {"I keep bees.", "The hive is full."}]


@pytest.mark.parametrize("status", ["success", "error"])
def test_a_tool_that_saves_makes_a_receipt_true_only_if_it_succeeded(status: str) -> None:
    def keep(text: str) -> str:
        """Keep a note."""
        if status == "error":
            raise ToolException("no room")
        return text

    tool = StructuredTool.from_function(keep, handle_tool_error=True)
    call = AIMessage("", tool_calls=[ToolCall(name="keep", args={"text": "x"}, id="c1")])
    guard = EchoGuardMiddleware(saving_tools={"keep"})
    agent: Any = create_agent(scripted(call, "I have saved that."), tools=[tool], middleware=[guard])
    said = agent.invoke({"messages": [("user", "I keep bees.")]})["messages"][-1]
    assert (said.text == "I have saved that.") is (status == "success")


def test_what_was_given_and_what_the_verifier_wrote_leaves_no_item_of_the_assistant(memory: ProvenanceMemory) -> None:
    memory.add("I keep bees near Lund.", scope=_ANN, source=SourceClass.user, author="ann")
    reply = "I keep bees near Lund. As we established, the hive is empty. You told me that you love winter."
    _ask(_agent(scripted(reply), memory), "What about my bees?")
    own = [text for text, source in _kept(memory).items() if source is SourceClass.assistant]
    assert own == ["The hive is empty."]


def test_removed_words_stand_in_the_audit_record_alone(memory: ProvenanceMemory) -> None:
    said = _ask(_agent(scripted("As we established, the hive is empty."), memory), "What about my bees?")
    (part,) = memory.turn(said.response_metadata["rqa"]["turn_id"], scope=_ANN)
    assert "As we established" in part.removed[0]["text"]
    assert "As we established" not in repr(said)


def test_what_a_person_changes_is_marked_as_in_a_turn_of_ours(memory: ProvenanceMemory) -> None:
    agent = _agent(scripted("Noted.", "Noted."), memory)
    _ask(agent, "My locker is 41.")
    _ask(agent, "My locker is 52 now.")
    nodes = {node.text: node.id for node in memory.list(scope=_ANN)}
    newer = memory.newer(list(nodes.values()), scope=_ANN)
    assert {old: row[0].text for old, row in newer.items()} == {nodes["My locker is 41."]: "My locker is 52 now."}
