"""Rows of changes, as a person tells them: the newest is what the built-in engine says first."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from functools import cache
from itertools import count
from pathlib import Path

import pytest

from rqa_checkpoints.provenance import Kind, MemoryNode, SourceClass
from rqa_checkpoints.sentences import split_sentences
from rqa_nodes.crossing import crossings, relations_of
from rqa_nodes.facts import Facts
from rqa_nodes.prompt_parts import PromptParts
from rqa_nodes.structure.answer import reply

_BEGIN = datetime(2026, 3, 1, 9, tzinfo=UTC)
_ROWS = [
    row.split("\t")
    for row in Path(__file__).with_name("changes.tsv").read_text("utf-8").splitlines()
    if row and not row.startswith("#")
]
_QUOTED = re.compile(r"“(.*?)”|「(.*?)」")


@cache
def said(messages: tuple[str, ...]) -> tuple[list[MemoryNode], dict[str, str]]:
    """The items of these messages, a minute apart, and which of them stands in place of which."""
    nodes: list[MemoryNode] = []
    last: dict[str, str] = {}
    numbers = count(1)
    for minute, message in enumerate(messages):
        at = (_BEGIN + timedelta(minutes=minute)).isoformat()
        new = [_node(f"{next(numbers):06}", text, at) for text in split_sentences(message)]
        for later, earlier, name in relations_of(crossings(new, nodes, at=at)):
            last |= {earlier: later} if name == "supersedes" else {}
        nodes += new
    return nodes, {item: _end(item, last) for item in last}


def _node(handle: str, text: str, at: str) -> MemoryNode:
    return MemoryNode(
        id=f"n_{handle}", handle=handle, tenant="local", user="ann", thread="t", turn_id=at, source=SourceClass.user,
        author="ann", kind=Kind.statement, text=text, recorded_at=at,
    )  # fmt: skip


def _end(item: str, last: dict[str, str]) -> str:
    while item in last:
        item = last[item]
    return item


def _answer(messages: tuple[str, ...], question: str, lang: str) -> list[str]:
    nodes, newer = said(messages)
    memory = Facts(lang=lang, user_text="", nodes=tuple(nodes), recalled=len(nodes), newer=newer).lines()
    text = "".join(reply(PromptParts(task="answer", lang=lang, user_text=question, memory=memory)))
    return ["".join(groups).casefold() for groups in _QUOTED.findall(text)]


@pytest.mark.parametrize(("lang", "messages", "question", "wanted"), _ROWS)
def test_what_was_said_last_is_what_is_said_first(lang: str, messages: str, question: str, wanted: str) -> None:
    quotes = [one for one in _answer(tuple(messages.split(" | ")), question, lang) if one != question.casefold()]
    words = [word.casefold() for word in wanted.split(" | ")]
    assert quotes
    assert words[0] in quotes[0]
    places = [next((at for at, quote in enumerate(quotes) if word in quote), -1) for word in words]
    assert places == sorted(places)
    assert -1 not in places


@pytest.mark.parametrize(
    "messages",
    [
        ("I live in Graz.", "My sister moved to Linz."),
        ("I drink coffee every morning.", "Max stopped drinking coffee."),
        ("I drink coffee every morning.", "I want to stop drinking coffee."),
        ("I drive a red Golf.", "I might sell the Golf."),
        ("I live in Linz.", "I lived in Graz before that."),
        ("I live in Linz.", "We moved the meeting to Friday."),
        ("I quit my job.", "I bought a Fiat."),
        ("I live in Graz.", "No, I have to go."),
        ("I play the violin.", "I play chess now."),
        ("I am allergic to nuts.", "My mother isn't allergic to nuts."),
        ("Jonas works as a chef.", "Jonas moved to Lund."),
        ("My brother lives in Malmö.", "I moved to Lund."),
        ("私はそばアレルギーです。", "母はそばアレルギーではありません。"),
        ("健太は料理人です。", "健太は函館に引っ越しました。"),
        ("名古屋に住んでいます。", "姉が岐阜に引っ越しました。"),
        ("毎朝コーヒーを飲みます。", "姉はコーヒーをやめました。"),
        ("毎朝コーヒーを飲みます。", "コーヒーをやめたいです。"),
        ("好きな色は青です。", "姉の好きな色は赤です。"),
        ("リンツに住んでいます。", "その前はグラーツに住んでいました。"),
        ("会社を辞めました。", "車を買いました。"),
    ],
)
def test_what_is_somebody_elses_or_not_done_or_long_past_replaces_nothing(messages: tuple[str, ...]) -> None:
    nodes, newer = said(messages)
    assert newer == {}
    assert crossings(nodes[1:], nodes[:1], at=nodes[-1].recorded_at) == ()


def test_what_a_message_takes_back_is_replaced_by_all_of_it_and_last_by_its_end() -> None:
    nodes, newer = said(("I think Max broke the lamp.", "It wasn't Max. The cat did it."))
    assert newer == {nodes[0].id: nodes[2].id}


def test_what_took_the_place_of_something_given_up_asks_nobody_which_holds() -> None:
    nodes, newer = said(("My girlfriend is Anna.", "Anna and I broke up.", "My girlfriend is Lena."))
    assert newer == {nodes[0].id: nodes[2].id, nodes[1].id: nodes[2].id}
