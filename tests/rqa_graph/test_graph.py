"""Which way a turn takes, what it leaves, and what the next one finds: the graph as drawn, in both forms."""

from __future__ import annotations

import asyncio
import importlib
import importlib.util
import json
from pathlib import Path
from typing import Any

import pytest
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph.state import CompiledStateGraph

from rqa_checkpoints.provenance import Kind, Scope, SourceClass
from rqa_graph.errors import LyingCommandError
from rqa_graph.graph import build_graph, graph
from rqa_graph.reachability import assert_verified
from rqa_nodes.errors import ForeignTurnError, ModelUnavailableError
from rqa_nodes.state import Context
from tests.support.graphs import analysis, evaluation, with_memory_saver
from tests.support.opened import Opened
from tests.support.turns import FORMS, LEVELS, ByTask, Form, tell

pytestmark = pytest.mark.thinned

ROOT = Path(__file__).parents[2]
MARA = Scope("local", "mara")

_REPLY = {"en": "Stockholm is the capital.", "ja": "首都はストックホルムです。"}
_QUESTIONS = {
    "en": ["What would the mill lose?", "Who pays if the river dries up?", "Is place the thing to choose here?"],
    "ja": ["製粉所は何を失いますか？", "川が干上がったら誰が払いますか？", "選ぶべきものは場所でしょうか？"],
}
_JUDGED = evaluation((9, 9, 8, 9), (5, 5, 5, 5), (4, 4, 4, 4), rationale="")

both = pytest.mark.parametrize("lang", ["en", "ja"])
forms = pytest.mark.parametrize("form", FORMS)


class TestRoutesAsDrawn:
    @both
    @forms
    def test_level_0_is_a_fixed_reply_that_opens_no_memory(self, lang: str, form: Form, opened: Opened) -> None:
        services = opened()
        services._open_memory = _must_not_open
        told = tell(with_memory_saver(services), LEVELS[lang][0], form=form)
        assert told.nodes == ["route", "verify"]
        assert (told.result.level, told.result.lang, told.result.stored) == (0, lang, True)
        assert told.result.text == told.shown("fixed") != ""
        assert told.result.memory == {"injected": [], "cited": [], "written": []}
        assert [m.type for m in told.state["messages"]] == ["human", "ai"]

    @both
    @forms
    def test_level_1_recalls_and_answers_without_a_question(self, lang: str, form: Form, opened: Opened) -> None:
        services = opened([_REPLY[lang]])
        told = tell(with_memory_saver(services), LEVELS[lang][1], form=form)
        assert told.nodes == ["route", "recall", "answer", "verify"]
        assert told.result.text == told.shown("answer") == _REPLY[lang]
        assert (told.result.question, told.result.question_reason) == (None, "not_routed")

    @both
    @forms
    def test_level_2_commits_the_answer_before_it_reflects(self, lang: str, form: Form, opened: Opened) -> None:
        services = opened([_REPLY[lang], analysis(_QUESTIONS[lang])], [_JUDGED])
        told = tell(with_memory_saver(services), LEVELS[lang][2], form=form)
        assert told.nodes == ["route", "recall", "answer", "verify", "analyse", "rank", "evaluate", "govern", "verify"]
        kinds = [event["type"] for event in told.events]
        assert kinds.index("prelude") < kinds.index("text") < kinds.index("committed") < kinds.index("progress")
        assert [(e["part"], e["stored"]) for e in told.events if e["type"] == "committed"] == [
            ("answer", True),
            ("question", True),
        ]
        assert told.result.question == told.shown("question") == _QUESTIONS[lang][0]
        assert told.result.question_reason == "earned"
        assert [m.text for m in told.state["messages"]] == [LEVELS[lang][2], _REPLY[lang], _QUESTIONS[lang][0]]

    @both
    @forms
    def test_level_3_opens_the_panel(self, lang: str, form: Form, opened: Opened) -> None:
        services = opened([analysis(_QUESTIONS[lang])], [_JUDGED])
        told = tell(with_memory_saver(services), LEVELS[lang][3], form=form)
        assert told.nodes == ["route", "recall", "analyse", "rank", "evaluate", "govern", "verify"]
        panel = told.result.panel
        assert panel is not None
        assert panel["question"]["question"] == told.result.question == _QUESTIONS[lang][0]
        assert told.result.stop_reason == "depth_threshold_reached"
        assert told.result.text == told.shown("answer")
        assert ("主張" if lang == "ja" else "Claims") in told.result.text

    @forms
    def test_a_failed_evaluator_is_seen_as_a_node(self, form: Form, opened: Opened) -> None:
        services = opened([analysis(_QUESTIONS["en"])], [ModelUnavailableError("429")])
        told = tell(with_memory_saver(services), LEVELS["en"][3], form=form)
        assert told.nodes == ["route", "recall", "analyse", "rank", "evaluate", "degrade", "govern", "verify"]

    @forms
    def test_the_longest_reflection_that_a_person_may_ask_for_ends(self, form: Form, opened: Opened) -> None:
        services = opened([analysis(_QUESTIONS["en"])] * 5, [ModelUnavailableError("429")] * 5)
        told = tell(with_memory_saver(services), LEVELS["en"][3], form=form, depth=5)
        assert told.nodes.count("degrade") == 5
        assert told.result.stop_reason == "max_reflection_depth"

    def test_an_input_without_any_message_is_asked_for_one(self, opened: Opened) -> None:
        result = with_memory_saver(opened()).invoke({"messages": []}, {"configurable": {"thread_id": "t"}})
        assert result["messages"][-1].text == "Nothing arrived that I could read. What would you like to ask?"

    def test_a_document_without_a_word_is_reviewed(self, opened: Opened) -> None:
        services = opened([analysis(_QUESTIONS["en"])], [_JUDGED])
        document = {"locator": "note.md", "text": "The mill always pays for itself. Therefore we move it."}
        given: Any = {"messages": [], "documents": [document]}
        result = with_memory_saver(services).invoke(given, {"configurable": {"thread_id": "t"}})
        assert result["question"] == _QUESTIONS["en"][0]

    def test_the_graph_runs_without_a_checkpointer_and_without_context(self, opened: Opened) -> None:
        bare = build_graph(services=opened(["Stockholm it is."]))
        given: Any = {"messages": [{"role": "user", "content": LEVELS["en"][1]}]}
        result = bare.invoke(given)
        assert set(result) == {"messages", "report", "question", "stop_reason", "degraded"}
        assert result["messages"][-1].text == "Stockholm it is."


def _must_not_open() -> Any:
    raise AssertionError("a level-0 turn touched the memory")


class TestWhatATurnLeaves:
    @both
    def test_the_users_message_and_the_reply_each_as_whose_they_are(self, lang: str, opened: Opened) -> None:
        said = {"en": "My sister Ines keeps bees near Lund.", "ja": "妹のイネスはルンドの近くで蜂を飼っています。"}[
            lang
        ]
        reply = {
            "en": "Heather honey is harvested in August.",
            "ja": "ヒースの蜂蜜は八月に採れます。",
        }[lang]
        services = opened([reply])
        told = tell(with_memory_saver(services), said)
        nodes = services.memory.list(scope=MARA)
        assert {(node.source, node.text) for node in nodes} == {
            (SourceClass.user, said),
            (SourceClass.assistant, reply),
        }
        assert {node.kind for node in nodes} == {Kind.statement, Kind.answer}
        (part,) = services.memory.turn(told.result.turn, scope=MARA)
        assert (part.user_text, part.reply_text, part.thread) == (said, reply, "t")
        assert sorted(row["id"] for row in told.result.memory["written"]) == sorted(node.id for node in nodes)

    @both
    def test_the_second_turn_of_a_thread_another_thread_and_nobody_else(self, lang: str, opened: Opened) -> None:
        said, asked = {
            "en": ("I keep bees near Lund.", "What do you know about my bees?"),
            "ja": ("私はルンドの近くで蜂を飼っています。", "ルンドの近くの蜂について何を知っていますか？"),
        }[lang]
        reply = {"en": "You keep them near Lund {m:keep bees near}.", "ja": "ルンドの近くで飼っています{m:で蜂を}。"}[
            lang
        ]
        services = opened([_REPLY[lang], reply, reply, reply])
        bound = with_memory_saver(services)
        first = tell(bound, said)
        second, elsewhere = tell(bound, asked), tell(bound, asked, thread="other")
        own = next(node.id for node in services.memory.list(scope=MARA) if node.text == said)
        assert own in [row["id"] for row in first.result.memory["written"]]
        for told in (second, elsewhere):
            assert own in [row["id"] for row in told.result.memory["injected"]]
            assert [row["id"] for row in told.result.memory["cited"]] == [own]
        assert [m.type for m in second.state["messages"]] == ["human", "ai", "human", "ai"]
        stranger = tell(bound, asked, thread="third", user="juno")
        assert stranger.result.memory["injected"] == []
        assert services.memory.list(scope=MARA, limit=100) != services.memory.list(scope=Scope("local", "juno"))

    @both
    def test_a_question_about_the_person_gets_what_the_person_said_last_however_far_in_words(
        self, lang: str, opened: Opened
    ) -> None:
        said, asked = {
            "en": ("The kiln broke on Tuesday.", "What do you know about me?"),
            "ja": ("窯が火曜日に壊れました。", "私について何を知っていますか？"),
        }[lang]
        services = opened([_REPLY[lang], _REPLY[lang]])
        bound = with_memory_saver(services)
        tell(bound, said)
        told = tell(bound, asked, thread="other")
        own = next(node.id for node in services.memory.list(scope=MARA) if node.text == said)
        assert own in [row["id"] for row in told.result.memory["injected"]]

    def test_nothing_of_level_0_is_stored_and_nothing_of_one_turn_leaks_into_the_next(self, opened: Opened) -> None:
        services = opened([_REPLY["en"], analysis(_QUESTIONS["en"])], [_JUDGED])
        bound = with_memory_saver(services)
        tell(bound, LEVELS["en"][2])
        before = services.memory.state_hash()
        thanks = tell(bound, "thanks")
        assert services.memory.state_hash() == before
        result = thanks.result
        assert (result.question, result.panel, result.stop_reason, result.engine) == (None, None, "", "")
        assert (result.memory["written"], result.rounds, result.degraded) == ([], [], False)

    def test_the_thread_keeps_the_last_sixteen_messages_and_the_log_all(self, opened: Opened) -> None:
        services = opened([f"Reply number {i} about otters." for i in range(12)])
        bound = with_memory_saver(services)
        for i in range(12):
            told = tell(bound, f"What about the colour number {i}?")
        assert len(told.state["messages"]) == 16
        assert told.state["messages"][0].text == "What about the colour number 4?"
        assert len(services.memory.turns(scope=MARA, thread="t", limit=100)) == 12

    @both
    def test_a_long_message_and_a_document_are_in_the_state_only_as_digests(self, lang: str, opened: Opened) -> None:
        filler = {"en": "The weir holds. ", "ja": "堰は持ちこたえます。"}[lang] * 900
        text = {"en": "Analyse this critically. ", "ja": "批判的に分析してください。"}[lang] + filler
        services = opened([analysis(_QUESTIONS[lang])], [_JUDGED])
        document = {"locator": "note.md", "text": "SECRET-DOCUMENT " + filler}
        told = tell(with_memory_saver(services), text, documents=[document])
        state = repr(told.state)
        assert filler[:200] not in state
        assert "SECRET-DOCUMENT" not in state
        (kept,) = told.state["documents"]
        assert services.memory.get_blob(kept["digest"], scope=MARA) == document["text"]
        assert services.memory.turn(told.result.turn, scope=MARA)[0].user_text == text

    async def test_turns_of_many_threads_at_once_stay_apart(self, opened: Opened) -> None:
        services = opened(ByTask("It is so [m:zqzqz9].", analysis(_QUESTIONS["en"])), [_JUDGED] * 12)
        bound = with_memory_saver(services)

        async def one(number: int) -> Any:
            given: Any = {"messages": [{"role": "user", "content": f"{LEVELS['en'][2]} Mill number {number}."}]}
            return await bound.ainvoke(given, {"configurable": {"thread_id": f"th{number}"}}, context=Context())

        results = await asyncio.gather(*map(one, range(12)))
        for number, result in enumerate(results):
            asked, *said = [message.text for message in result["messages"]]
            assert asked.endswith(f"Mill number {number}.")
            assert said == ["It is so.", _QUESTIONS["en"][0]]
        parts = services.memory.turns(scope=MARA, limit=100)
        assert len(parts) == 24
        assert len({(part.turn_id, part.thread) for part in parts}) == 12
        assert services.memory.verify_chain() is None
        assert services.memory.state_hash() == services.memory.log.replayed_hash()


class TestGuards:
    def test_every_graph_that_langgraph_json_names_ends_in_its_verifier(self) -> None:
        config = json.loads((ROOT / "langgraph.json").read_text("utf-8"))
        assert config["graphs"]
        for entry in config["graphs"].values():
            assert_verified(_load(entry["path"] if isinstance(entry, dict) else entry))

    def test_the_exported_graph_has_no_persistence_of_its_own(self) -> None:
        assert (graph.checkpointer, graph.store, graph.name) == (None, None, "rqa")

    @forms
    def test_a_node_that_goes_where_it_did_not_declare_is_stopped(
        self, form: Form, opened: Opened, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        from langgraph.graph import END
        from langgraph.types import Command

        def lying(state: Any, turn: Any) -> Command[Any]:
            return Command(update={"draft": None}, goto=END)

        monkeypatch.setattr("rqa_graph.graph.recall", lying)
        services = opened(["never"])
        bound = with_memory_saver(services)
        with pytest.raises(LyingCommandError, match="'recall' went to '__end__'"):
            tell(bound, LEVELS["en"][1], form=form)
        assert services.memory.list(scope=MARA) == []

    def test_a_context_given_as_a_mapping_counts(self, opened: Opened) -> None:
        services = opened([_REPLY["en"]])
        bound = build_graph(services=services, checkpointer=InMemorySaver())
        given: Any = {"messages": [{"role": "user", "content": LEVELS["en"][1]}]}
        bound.invoke(given, {"configurable": {"thread_id": "t"}}, context=Context(user="juno"))
        assert services.memory.list(scope=MARA) == []
        assert services.memory.list(scope=Scope("local", "juno")) != []


def _load(path: str) -> CompiledStateGraph[Any, Any, Any, Any]:
    place, _, name = path.rpartition(":")
    if place.endswith(".py"):
        spec = importlib.util.spec_from_file_location("walked", ROOT / place)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
    else:
        module = importlib.import_module(place)
    found: CompiledStateGraph[Any, Any, Any, Any] = getattr(module, name)
    return found


class TestWhoseThread:
    @both
    @forms
    def test_a_thread_is_closed_to_another_user(self, lang: str, form: Form, opened: Opened) -> None:
        services = opened([_REPLY[lang]] * 2)
        graph = with_memory_saver(services)
        tell(graph, LEVELS[lang][1], form=form)
        with pytest.raises(ForeignTurnError):
            tell(graph, LEVELS[lang][1], form=form, user="juno")

    def test_the_schemas_that_a_form_is_made_of_can_be_read(self) -> None:
        given = {"messages", "documents", "cacheable", "domain", "jurisdiction"}
        assert set(graph.get_input_jsonschema()["properties"]) == given
        assert {"messages", "report", "question"} <= set(graph.get_output_jsonschema()["properties"])
        context: Any = graph.get_context_jsonschema()
        assert {"tenant", "user", "lang", "model"} <= set(context["properties"])
