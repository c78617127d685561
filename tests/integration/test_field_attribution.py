"""Wrong attribution as users of memory systems have reported it, as tests of the kind: a class a fault, both languages.

The stories are ours; the letters are those under which the kinds are collected. What a model says here is scripted, so
that the fault is really tried every time.
"""

from __future__ import annotations

import inspect
from typing import Any

import pytest
from langchain_core.messages import AIMessage, HumanMessage

from rqa_checkpoints.memory import ProvenanceMemory
from rqa_checkpoints.provenance import Kind, MemoryNode, SourceClass
from rqa_nodes.reflect.schema import Analysis
from tests.support.field_cases import MARA, nodes_of, talk, words_of_the_user
from tests.support.graphs import with_memory_saver
from tests.support.opened import Opened
from tests.support.turns import config_of

_EXPLAINED = {
    "en": ("How is a small kiln fired?", "Raise it slowly to 600 degrees, then close the vents.", "600 degrees"),
    "ja": ("小さな窯はどう焚きますか？", "600度までゆっくり上げ、それから通気口を閉じます。", "600度"),
}
_LATER = {"en": "What have I told you about my kiln?", "ja": "私の窯について何を話しましたか？"}


class TestF01WhatTheAssistantExplainedIsNotWhatTheUserDid:
    @pytest.mark.parametrize(
        ("lang", "claim", "mark"),
        [
            ("en", "You said that you raise it slowly to 600 degrees {m:600}.", "You said"),
            ("en", "You told me to raise it slowly to 600 degrees {m:600}.", "You told me"),
            ("en", "You mentioned raising it slowly to 600 degrees and closing the vents.", "You mentioned"),
            ("ja", "600度までゆっくり上げるとおっしゃいました{m:600}。", "おっしゃいました"),
            ("ja", "あなたは600度までゆっくり上げると述べました{m:600}。", "述べました"),
            ("ja", "600度までゆっくり上げ、通気口を閉じるとあなたが言いました。", "あなたが言いました"),
        ],
    )
    def test_it_is_never_said_to_be_the_users(self, lang: str, claim: str, mark: str, opened: Opened) -> None:
        asked, explained, words = _EXPLAINED[lang]
        services = opened([explained, claim])
        told = talk(with_memory_saver(services), asked, _LATER[lang])
        assert mark not in told.result.text
        assert told.result.report["counts"].keys() & {"wrong_speaker", "unbacked_history"}
        assert words not in words_of_the_user(services)
        assert any(words in node.text for node in nodes_of(services, SourceClass.assistant))


class TestF02AnAnswerIsNeverStoredAsTheUsers:
    @pytest.mark.parametrize(
        ("asked", "answer", "name"),
        [
            ("Which tent should I get?", "A tunnel tent by Borg & Lie suits you best.", "Borg"),
            ("Which bakery is good?", "You love rye bread, so go to Vesterbrot.", "Vesterbrot"),
            ("どのテントを買うべきですか？", "北星社のトンネル型があなたに合います。", "北星社"),
            ("おすすめのパン屋は？", "ライ麦がお好きなので、麦の家がよいです。", "麦の家"),
        ],
    )
    def test_the_recommendation_is_the_assistants(self, asked: str, answer: str, name: str, opened: Opened) -> None:
        services = opened([answer])
        talk(with_memory_saver(services), asked)
        assert name not in words_of_the_user(services)
        (own,) = [node for node in nodes_of(services, SourceClass.assistant) if name in node.text]
        assert (own.origin, own.seen) == ((SourceClass.assistant,), 1)


class TestF03WhatAnAgentOrderedIsNotThePersonsWish:
    @pytest.mark.parametrize(
        ("order", "asked", "claim", "mark"),
        [
            (
                "Tove, keep every reply to two lines from now on.",
                "What is the tide at noon?",
                "You told me to keep every reply to two lines. High water is at noon.",
                "You told me",
            ),
            (
                "Tove, write without adjectives from today.",
                "What is the tide at noon?",
                "As you told me, I write without adjectives from today. High water is at noon.",
                "you told me",
            ),
            (
                "トーベ、これからは返事を二行にしてください。",
                "正午の潮はどうですか？",
                "返事を二行にするようにとおっしゃいました。正午は満潮です。",
                "おっしゃいました",
            ),
        ],
    )
    def test_the_speaker_stays_the_speaker(self, order: str, asked: str, claim: str, mark: str, opened: Opened) -> None:
        services = opened([claim])
        graph = with_memory_saver(services)
        rows = [AIMessage(order, name="Signe"), AIMessage("Fine.", name="Tove"), HumanMessage(asked, name="Kenji")]
        result: Any = graph.invoke({"messages": rows}, config_of())
        assert mark not in result["messages"][-1].text
        assert order not in words_of_the_user(services)
        assert {node.kind for node in nodes_of(services, SourceClass.user)} == {Kind.question}


class TestF05TheUsersFactsAreNotTheAssistantsIdentity:
    @pytest.mark.parametrize(
        ("fact", "echo", "asked", "place"),
        [
            (
                "I was born in Falun.",
                "As you were born in Falun, the winters there are known to you.",
                "Who are you?",
                "Falun",
            ),
            ("I am a cooper from Falun.", "A cooper from Falun, then.", "What is your name?", "Falun"),
            ("私は飛騨で生まれました。", "飛騨のお生まれなら、冬はよくご存じですね。", "あなたは誰ですか？", "飛騨"),
            ("私は飛騨の桶職人です。", "飛騨の桶職人ですね。", "あなたの名前は？", "飛騨"),
        ],
    )
    def test_who_it_is_comes_from_the_application(
        self, fact: str, echo: str, asked: str, place: str, opened: Opened
    ) -> None:
        services = opened([echo])
        told = talk(with_memory_saver(services), fact, asked)
        assert (told.result.level, told.result.mode) == (0, "fixed")
        assert place not in told.result.text
        assert [node.text for node in nodes_of(services, SourceClass.user)] == [fact]


class TestF07WhoIsAskedAboutIsNotTheUser:
    @pytest.mark.parametrize(
        ("asked", "name", "later"),
        [
            ("When does the bus for Renske leave?", "Renske", "What is my name?"),
            ("Is Renske Visser the new cellist?", "Renske", "What is my name?"),
            ("蓮子さんのバスはいつ出ますか？", "蓮子", "私の名前は何ですか？"),
            ("新しいチェロ奏者は蓮子さんですか？", "蓮子", "私の名前は何ですか？"),
        ],
    )
    def test_a_question_is_stored_as_a_question_and_gives_no_name(
        self, asked: str, name: str, later: str, opened: Opened
    ) -> None:
        services = opened(["At nine."])
        graph = with_memory_saver(services)
        talk(graph, asked)
        (own,) = nodes_of(services, SourceClass.user)
        assert (own.kind, own.text) == (Kind.question, asked)
        text = talk(graph, later, model="builtin").result.text
        for claim in (f"Your name is {name}", f"you are {name}", f"名前は{name}", f"{name}さんです"):
            assert claim not in text

    @pytest.mark.parametrize(
        ("asked", "claim", "mark"),
        [
            ("When does the bus for Renske leave?", "You told me that your name is Renske.", "You told me"),
            ("蓮子さんのバスはいつ出ますか？", "お名前は蓮子だとおっしゃいました。", "おっしゃいました"),
        ],
    )
    def test_a_question_backs_no_claim(self, asked: str, claim: str, mark: str, opened: Opened) -> None:
        services = opened(["At nine.", claim])
        assert mark not in talk(with_memory_saver(services), asked, "What is my name?").result.text


class TestF08NothingIsBornWithoutASource:
    @pytest.mark.parametrize("verb", ["add", "plan"])
    def test_every_write_must_name_it(self, verb: str) -> None:
        source = inspect.signature(getattr(ProvenanceMemory, verb)).parameters["source"]
        assert source.default is inspect.Parameter.empty

    def test_an_item_has_no_default_source_or_turn(self) -> None:
        parameters = inspect.signature(MemoryNode).parameters
        for name in ("source", "turn_id", "tenant", "user"):
            assert parameters[name].default is inspect.Parameter.empty, name

    @pytest.mark.parametrize("source", ["", "unknown", "User", None])
    @pytest.mark.parametrize("text", ["Ines winds the tower clock.", "イネスが塔の時計を巻いています。"])
    def test_a_source_outside_the_four_is_refused(self, source: Any, text: str, opened: Opened) -> None:
        memory = opened().memory
        with pytest.raises(ValueError, match="SourceClass"):
            memory.add(text, scope=MARA, source=source, author="x")
        assert memory.list(scope=MARA) == []

    def test_a_model_has_no_field_to_name_one(self) -> None:
        assert not [name for name in Analysis.__annotations__ if "source" in name or "class" in name]

    def test_every_item_that_turns_leave_says_whose_it_is(self, opened: Opened) -> None:
        services = opened(["The vents stay open.", "通気口は開けておきます。"])
        told = talk(with_memory_saver(services), "I fire a kiln.", "窯を焚きます。")
        nodes = services.memory.list(scope=MARA)
        assert len(nodes) == 4
        assert all(node.turn_id and node.author and node.origin for node in nodes)
        assert told.result.turn in {node.turn_id for node in nodes}
