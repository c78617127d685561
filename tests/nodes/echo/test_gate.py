"""The gate hides no rule: with it and without it, every reply gets the same report."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rqa_nodes.echo import Injected, VerificationReport, engine, gate, verify
from rqa_nodes.echo.fold import fold
from tests.nodes.echo.test_screen import ITEMS, TALK, corpus, cut_up


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """The gate stands from the first sentence on."""
    monkeypatch.setattr(gate, "_PAYS", 0)


FACTS: Mapping[str, Mapping[str, Any]] = {
    "nothing given": {},
    "items and a guess": {"injected": ITEMS, "transcript": TALK},
    "people, and what the reader said": {
        "transcript": (
            ("user:Mira", "I want to sell the house. 私は家を売りたいです。"),
            ("assistant:Orla", "Perhaps the roof leaks. 屋根が雨漏りしているのかもしれません。"),
            ("user:Tom", "What did we settle? 何を決めましたか？"),
        ),
        "documents": ("The minutes say that the pump was replaced in May. 議事録によるとポンプは五月に交換された。",),
    },
    "an answered guess": {
        "injected": (
            Injected(handle="p8r2wd", source="assistant", text="The gasket is worn."),
            Injected(handle="k3v9xq", source="user", text="Yes.", confirms=("p8r2wd",)),
        ),
    },
}


def test_the_gate_is_put_together_when_it_pays(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gate, "_PAYS", 2)
    monkeypatch.setattr(gate, "_asked", {"en": 0})
    assert [gate.lets_in("en", "the landlord moved the boiler.") for _ in range(4)] == [True, True, False, False]


def ungated(text: str, facts: Mapping[str, Any]) -> VerificationReport:
    """The report of a verifier that reads every sentence with a signal word."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(engine, "lets_in", lambda lang, text: True)
        return verify(text, **facts)


@pytest.mark.parametrize("name", FACTS)
def test_corpora_get_the_same_report_without_the_gate(name: str) -> None:
    draw = random.Random(name)
    for text in (*draw.sample(corpus(), 90), *(" ".join(cut_up(draw) for _ in range(3)) for _ in range(30))):
        assert verify(text, **FACTS[name]) == ungated(text, FACTS[name]), text


@given(st.integers(), st.sampled_from(sorted(FACTS)), st.sampled_from(["en", "ja", "zh", None]))
@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_mutated_texts_get_the_same_report_without_the_gate(seed: int, name: str, lang: str | None) -> None:
    text = cut_up(random.Random(seed))
    facts = {**FACTS[name], "lang": lang}
    assert verify(text, **facts) == ungated(text, facts)


@pytest.mark.parametrize(
    ("lang", "text", "let_in"),
    [
        ("en", "The landlord moved the boiler because of the rain.", False),
        ("en", "As we agreed, the boiler moves.", True),
        ("en", "As **we** *agreed*, the boiler moves.", True),
        ("en", "Your sister said that she wants to sell the house.", True),
        ("en", "“Sell the house”, as the letter says.", True),
        ("ja", "大家さんがボイラーを移動させました。", False),
        ("ja", "先ほど確認した通り、ボイラーは移動します。", True),
        ("zh", "房东搬走了锅炉。", True),
    ],
)
def test_who_is_let_in(lang: str, text: str, let_in: bool) -> None:
    assert gate.lets_in(lang, fold(text).text) is let_in
