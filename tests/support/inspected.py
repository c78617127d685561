"""A home with something to see in every view of the inspector, in English and Japanese, hostile words among it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from rqa_checkpoints.provenance import CACHE_USER, Kind, Proposal, Scope, SourceClass
from rqa_nodes.deliberate.score import WEIGHTS
from rqa_nodes.scripted import ScriptedChatModel
from tests.support.graphs import scripted_services
from tests.support.http_server import Served, served
from tests.support.wishes import WISH

__all__ = ["HOSTILE", "SCRIPTED_REPLY", "inspected"]

_TALKS: Final = {
    "en": [
        ("I keep bees near Lund.", "Bees need water. Maybe you are afraid of winter."),
        ("The honey is sold in August.", "Then July is the month to prepare in."),
        (
            "What do you know about my bees?",
            (
                "As we established, you are afraid of winter. You said you keep bees near Lund {m:bees near Lund}. "
                "You also wrote that you lost a hive in May [m:7zq4kd]."
            ),
        ),
    ],
    "ja": [
        ("私は大阪で織物の店をしています。", "織物の店ですね。もしかすると冬を恐れているのかもしれません。"),
        ("店は八月に休みます。", "では七月に準備するとよいですね。"),
        (
            "私の織物の店について何を知っていますか？",
            (
                "先ほど確認した通り、冬を恐れているのが理由です。大阪で織物の店をしているとおっしゃいました{m:大阪で織物}。"
                "五月に休んだという記録もあります[m:4kz9qd]。"
            ),
        ),
    ],
}
"""What the person says and what the model writes: it guesses, and later builds on the guess."""

SCRIPTED_REPLY: Final = "Keep going. As we agreed, you hate winter. <img src=x onerror=alert(5)>"
"""What the model says to whatever is asked after the script."""

HOSTILE: Final = (
    "<script>window.pwned = 1; alert(1)</script>",
    '<img src=x onerror="window.pwned = 2"> <svg/onload=alert(2)>',
    "[click](javascript:window.pwned=3) <a href='javascript:alert(3)'>here</a>",
    "\u202ereversed\u202c and \u2066isolated without an end",
    "「<b onmouseover=window.pwned=4>太字</b>」と書かれた<style>*{display:none}</style>記憶",
    "{{constructor.constructor('window.pwned=5')()}} ${window.pwned=6} </textarea></pre><!--",
    "Z\u0335\u0321a\u0334" + "\u0316\u0317\u0318\u0319" * 40 + " towers over its neighbours",
    "a" * 3000,
    "\u200b\u200b\U000e0041 nothing to see",
)
"""Texts that would do harm if any of them were read as markup, or drawn as it likes."""


@contextmanager
def inspected(folder: Path) -> Iterator[Served]:
    """Serve it."""
    replies = [reply for talk in _TALKS.values() for _, reply in talk] + [SCRIPTED_REPLY] * 50
    services = scripted_services(folder / "home", ScriptedChatModel(replies), embedder="hash")
    try:
        with served(services, folder, allowed={"requests_per_minute": 100_000}) as server:
            _talk(server)
            for text in HOSTILE:
                source = SourceClass.external if "click" in text else SourceClass.user
                locator = "javascript:alert(4)" if source is SourceClass.external else ""
                server.home.memory.add(text, scope=server.home.scope, source=source, author="mara", locator=locator)
            _relate(server)
            _queue(server)
            yield server
    finally:
        services.close()


def _talk(server: Served) -> None:
    with server.client() as client:
        for lang, talk in _TALKS.items():
            for text, _ in talk:
                body = {"messages": [{"role": "user", "content": text}]}
                client.post("/v1/chat/completions", json=body, headers={"x-rqa-thread": lang}).raise_for_status()


def _relate(server: Served) -> None:
    """Claims that exclude each other, a question without an answer, and one that hangs on nothing."""
    memory, scope = server.home.memory, server.home.scope

    def add(text: str, kind: Kind, source: SourceClass) -> str:
        return memory.add(text, scope=scope, source=source, author="mara", kind=kind).id

    old = add("Bees need no water in winter.", Kind.claim, SourceClass.external)
    new = add("<b>Bees</b> drink whenever it is above ten degrees.", Kind.claim, SourceClass.user)
    tension = add("Winter feed against winter rest.", Kind.tension, SourceClass.assistant)
    question = add("蜂は冬に水を必要としますか？", Kind.question, SourceClass.user)
    add("What would the canal be without its mill?", Kind.question, SourceClass.assistant)
    relations = ((new, old, "contradicts"), (tension, new, "mentions"), (question, new, "asks"))
    for src, dst, kind in relations:
        memory.relate(src, dst, kind, scope=scope)


def _queue(server: Served) -> None:
    """A wish in each language, and an answer that the person of the home has edited."""
    queue, scope = server.home.memory.queue, server.home.scope
    at = "2026-06-01T09:00:00+00:00"
    for lang, wish in WISH.items():
        queue.put(Proposal(kind="self_update", payload=wish, requester="some-model", key=lang), scope=scope, at=at)
    counted = {f"part_{name}": 500 for name in WEIGHTS}
    answer = {
        "ask": {"question": "When do bees drink?", "domain": "docs", "locale": "en", "jurisdiction": ""},
        "answer": "Above ten degrees. <script>window.pwned = 9</script>",
        "sources": [{"locator": "bees.md", "publisher": "Us", "span": "Bees drink above ten degrees."}],
        "candidates": [],
        "authors": ["mara"],
        "caps": [],
        "gi_components": counted,
        "gi": 700,
        "gi_version": "1",
        "importance": "normal",
        "reason": "below_band",
        "run": "r1",
    }
    proposal = Proposal(kind="cache_answer", payload=answer, requester="some-model", key="bees")
    queue.put(proposal, scope=Scope(scope.tenant, CACHE_USER), at=at)
