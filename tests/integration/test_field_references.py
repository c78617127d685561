"""Ids, quotations and citations that are not what they seem, as users have reported them: a class a fault.

The stories are ours; the letters are those under which the kinds are collected.
"""

from __future__ import annotations

from typing import Any

import pytest

from rqa_checkpoints.provenance import SourceClass
from rqa_graph import Injected, verify
from rqa_nodes.echo import verify_fields
from tests.support.field_cases import MARA, talk
from tests.support.graphs import analysis, evaluation, with_memory_saver
from tests.support.opened import Opened
from tests.support.turns import LEVELS

TIDE = {"en": "The tide turns at six", "ja": "潮は六時に変わります"}


def _items(*handles: str, source: str = "user") -> list[Injected]:
    return [Injected(handle=handle, source=source, text=f"Row {handle} of the tide table.") for handle in handles]


class TestF18AnIndexThatWasNeverHandedOut:
    @pytest.mark.parametrize("lang", TIDE)
    @pytest.mark.parametrize("index", ["7", "-1", "02", "2.0", "2a", "20", "0x2", "٧", "1e0"])
    def test_is_taken_out_and_what_was_offered_is_told(self, index: str, lang: str) -> None:
        report = verify(f"{TIDE[lang]} [m:{index}].", injected=_items("0", "1", "2"), lang=lang)
        assert f"m:{index}" not in report.text
        assert TIDE[lang] in report.text
        assert report.cited == ()
        assert report.injected_not_cited == ("0", "1", "2")

    @pytest.mark.parametrize("lang", TIDE)
    @pytest.mark.parametrize("index", ["2", " 2 ", "２"])
    def test_one_that_was_is_kept_however_wide_it_is_written(self, index: str, lang: str) -> None:
        assert verify(f"{TIDE[lang]} [m:{index}].", injected=_items("0", "1", "2"), lang=lang).cited == ("2",)

    @pytest.mark.parametrize(
        ("given", "is_good"), [(2, True), ("2", True), ("02", False), (2.0, False), (7, False), ("7", False)]
    )
    def test_as_a_number_and_as_a_string_it_is_the_same(self, given: Any, is_good: bool) -> None:
        rows = {"rows": [{"tension": "The table and the log differ.", "memory_ref": given}]}
        clean, report = verify_fields(rows, injected=_items("0", "1", "2"))
        assert bool(clean["rows"]) is is_good
        assert report.counts == ({"valid": 1} if is_good else {"unknown_id": 1})
        assert report.cited == (("2",) if is_good else ())

    @pytest.mark.parametrize("lang", LEVELS)
    def test_in_what_a_model_returns_it_breaks_no_turn_and_writes_nothing(self, lang: str, opened: Opened) -> None:
        questions = ["What would the mill lose upstream?", "Who pays for the move?"]
        broken = analysis(
            questions,
            self_ranking=[7, -1, 99],
            feature_map={"tensions_memory_cross": [{"tension": "The move and the vow differ.", "memory_ref": "7"}]},
        )
        services = opened(["The river decides.", broken], [evaluation((9, 9, 9, 9), (8, 8, 8, 8), best=41)])
        told = talk(with_memory_saver(services), LEVELS[lang][2])
        assert told.result.text
        assert "vow" not in "\n".join(node.text for node in services.memory.list(scope=MARA))


class TestF20QuotationMarksAroundWordsThatStandNowhere:
    @pytest.mark.parametrize(
        ("said", "asked", "claim", "mark"),
        [
            (
                "I might sell the barge in autumn.",
                "What did I say about the barge?",
                'You told me "I have decided to sell the barge" {m:barge}.',
                '"',
            ),
            (
                "I might sell the barge in autumn.",
                "What did I say about the barge?",
                "You wrote “the barge is sold” {m:barge}.",
                "“",
            ),
            (
                "秋に艀舟を売るかもしれません。",
                "艀舟について私は何と言いましたか？",
                "「艀舟を売ると決めました」とのことでした{m:艀舟}。",
                "「",
            ),
            (
                "秋に艀舟を売るかもしれません。",
                "艀舟について私は何と言いましたか？",
                "『艀舟は売れた』と書いていました{m:艀舟}。",
                "『",
            ),
        ],
    )
    def test_lose_their_marks_and_keep_the_reference(
        self, said: str, asked: str, claim: str, mark: str, opened: Opened
    ) -> None:
        services = opened(["Fine.", claim])
        told = talk(with_memory_saver(services), said, asked)
        assert told.result.report["counts"]["misquote"] == 1
        assert mark not in told.result.text
        assert "[m:" in told.result.text

    @pytest.mark.parametrize(
        ("said", "quote"),
        [
            ("I might sell the barge in autumn.", "“i might sell  the barge in Autumn…”"),
            ("秋に艀舟を売るかもしれません。", "「秋に艀舟を売るかもしれません」"),
        ],
    )
    def test_words_that_stand_there_keep_theirs(self, said: str, quote: str) -> None:
        item = Injected(handle="k3v9xq", source="user", text=said)
        text = f"You said {quote} [m:k3v9xq]." if said.isascii() else f"{quote}とおっしゃいました[m:k3v9xq]。"
        assert verify(text, injected=[item]).text == text


class TestF22WhatWasFoundIsNotWhatWasCited:
    @pytest.mark.parametrize(
        ("facts", "asked", "claim"),
        [
            (
                ["My weir is at Hov.", "My weir was built in oak.", "My weir leaks in March."],
                "What do you know about my weir?",
                "You said your weir leaks in March {m:March}.",
            ),
            (
                ["私の堰は保にあります。", "私の堰は樫で造りました。", "私の堰は三月に漏れます。"],
                "私の堰について何を知っていますか？",
                "堰は三月に漏れるとおっしゃいました{m:三月}。",
            ),
        ],
    )
    def test_the_two_are_shown_apart(self, facts: list[str], asked: str, claim: str, opened: Opened) -> None:
        services = opened([claim])
        for fact in facts:
            services.memory.add(fact, scope=MARA, source=SourceClass.user, author="mara")
        result = talk(with_memory_saver(services), asked).result
        injected = {row["handle"] for row in result.memory["injected"]}
        assert len(injected) == 3
        [cited] = result.report["cited"]
        assert injected - {cited} == set(result.report["injected_not_cited"])
        assert [row["handle"] for row in result.memory["cited"]] == [cited]


class TestF23NodeNumbersInProse:
    @pytest.mark.parametrize(
        ("reply", "gone", "kept"),
        [
            ("Is that not the same claim as in records 195/198?", "198", "195"),
            ("The weir leaks (memory #195, memory #198).", "198", "195"),
            ("As nodes 195 and 198 show, the weir leaks.", "198", "195"),
            ("The weir leaks (195, 198), as we discussed.", "198", "195"),
            ("過去の記録 195/198 と同じ断定ではないでしょうか。", "198", "195"),
            ("堰は漏れます（ノード195、ノード198）。", "198", "195"),
            ("以前の記録195番と198番では、堰は漏れます。", "198", "195"),
        ],
    )
    def test_what_was_not_given_goes_and_what_was_stays(self, reply: str, gone: str, kept: str) -> None:
        report = verify(reply, injected=_items("195"))
        assert gone not in report.text
        assert kept in report.text
        assert report.counts["unknown_id"] == 1
        assert report.cited == ("195",)

    @pytest.mark.parametrize(
        "plain",
        [
            "The weir was built in 1985 for 198 crowns and lasted 198 days.",
            "See section 198 of version 1.98, page 198.",
            "Call 555-0198 between 1:98 and 3.",
            "堰は1985年に198円で造られ、198日もちました。",
            "第198条、版1.98、198ページを見てください。",
        ],
    )
    def test_years_prices_versions_and_sections_are_untouched(self, plain: str) -> None:
        assert verify(plain, injected=_items("195")).text == plain
