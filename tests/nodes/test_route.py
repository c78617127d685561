"""The router's decisions: the same in both languages, bounded in time, and each rule of the table is alive."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from rqa_graph.resources import load_config
from rqa_nodes.echo import verify
from rqa_nodes.errors import RouterRulesError
from rqa_nodes.route import Router
from tests.support.growth import assert_no_more_than

TABLE: dict[str, Any] = dict(load_config("router"))
ROUTER = Router.from_rules(TABLE)
LEVELS = {rule["id"]: rule["level"] for rule in TABLE["rules"]}
CASES: list[dict[str, str]] = yaml.safe_load(Path(__file__).with_name("route_cases.yaml").read_text("utf-8"))
LONG_EN = "Every service writes its own log and nobody reads them. " * 6
LONG_JA = "どのサービスも自分のログを書くが、誰も読まない。" * 8


def _rows(lang: str) -> list[Any]:
    return [pytest.param(case[lang], case, id=f"{lang}-{case[lang][:40]}") for case in CASES if lang in case]


@pytest.mark.parametrize(("text", "case"), [*_rows("en"), *_rows("ja"), *_rows("zh")])
def test_an_input_is_decided_by_the_rule_that_is_right_for_it(text: str, case: dict[str, str]) -> None:
    route = ROUTER.route(text)
    assert (route.reason, route.level) == (case["rule"], LEVELS[case["rule"]])
    if "budget" in case:
        assert route.budget == case["budget"]


def test_the_table_of_cases_has_sixty_pairs_and_more() -> None:
    assert len(CASES) >= 60
    assert all({"en", "ja"} <= set(case) for case in CASES)


def test_each_rule_decides_at_least_one_case() -> None:
    reached = {case["rule"] for case in CASES}
    reached |= {ROUTER.route("anything", instrument=True).reason, ROUTER.route("anything", has_documents=True).reason}
    reached |= {ROUTER.route(LONG_EN).reason}
    assert reached == set(ROUTER.rule_ids)


def test_each_budget_row_decides_at_least_one_input() -> None:
    stakes, short = "Audit the rules", "Analyse the rules"
    inputs = [
        short,
        stakes,
        "Analyse the design of a bridge",
        short + " of the garden club" * 8,
        short + "\nand\nmore",
        "x" * 501,
    ]
    rows = {ROUTER.route(text, instrument=True).budget_reason for text in inputs}
    assert rows | {ROUTER.route("", has_documents=True).budget_reason} == set(ROUTER.budget_ids)


@pytest.mark.parametrize("text", [LONG_EN, LONG_JA])
def test_a_long_text_is_guided(text: str) -> None:
    route = ROUTER.route(text)
    assert (route.level, route.reason, route.budget, route.side_question) == (2, "long_or_multiline", "quick", True)


@pytest.mark.parametrize("text", ["Review this spec", "この仕様をレビューして", "hello", "こんにちは", ""])
def test_a_document_opens_the_panel_with_the_full_budget(text: str) -> None:
    route = ROUTER.route(text, has_documents=True)
    assert (route.level, route.mode, route.budget) == (3, "instrument", "full")


@pytest.mark.parametrize(("text", "budget"), [("Is tea better hot?", "quick"), ("お茶は熱い方がおいしい", "quick")])
def test_the_panel_can_be_asked_for(text: str, budget: str) -> None:
    route = ROUTER.route(text, instrument=True)
    assert (route.level, route.reason, route.budget) == (3, "instrument_flag", budget)


@pytest.mark.parametrize("text", ["Review this spec", "この仕様をレビューして"])
def test_a_missing_target_is_asked_for_even_if_the_panel_was_wanted(text: str) -> None:
    assert ROUTER.route(text, instrument=True).mode == "clarify"


@pytest.mark.parametrize(
    "text", ["What do you think of this?", "これ、どう思いますか？", "Fix this for me", "これを直して"]
)
def test_a_bare_this_may_mean_an_answer_that_was_given(text: str) -> None:
    assert ROUTER.route(text).reason == "missing_referent"
    assert ROUTER.route(text, answered=True).level > 0


@pytest.mark.parametrize("text", ["Review this spec", "この仕様をレビューして"])
def test_an_answer_that_was_given_is_no_document(text: str) -> None:
    assert ROUTER.route(text, answered=True).reason == "missing_target"


@pytest.mark.parametrize(
    "text",
    ["Who are you in the story that I sent you last week?", "先週送った物語の中で、あなたは誰の役を演じますか"],
)
def test_identity_inside_a_substantive_request_is_not_light(text: str) -> None:
    assert ROUTER.route(text).level > 0


def test_only_level_two_may_be_followed_by_a_side_question() -> None:
    for case in CASES:
        route = ROUTER.route(case["en"])
        assert route.side_question == (route.level == 2)
        assert (route.budget is None) == (route.level < 2)


@pytest.mark.parametrize(
    ("text", "lang"), [("hello", "en"), ("こんにちは", "ja"), ("你好", "zh"), ("Review this spec", "en")]
)
def test_a_light_reply_is_in_the_language_of_the_user(text: str, lang: str) -> None:
    route = ROUTER.route(text)
    rule = next(rule for rule in TABLE["rules"] if rule["id"] == route.reason)
    assert (route.lang, route.reply) == (lang, rule["reply"][lang])


@pytest.mark.parametrize("lang", ["en", "ja", "zh"])
def test_no_fixed_reply_claims_anything_that_the_verifier_would_remove(lang: str) -> None:
    for rule in TABLE["rules"]:
        reply = rule.get("reply", {}).get(lang, "")
        assert verify(reply, injected=(), user_text="?", lang=lang).verdicts == ()


def test_the_language_of_the_reply_can_be_set() -> None:
    assert ROUTER.route("hello", lang="ja").reply == ROUTER.route("こんにちは").reply
    assert ROUTER.route("hello", lang="xx").lang == "en"


def test_other_levels_have_no_fixed_reply() -> None:
    assert ROUTER.route("What is the capital of France?").reply == ""


@pytest.mark.parametrize("mark", ["\u200b", "\u00ad", "\ufeff"])
def test_invisible_characters_change_nothing(mark: str) -> None:
    assert ROUTER.route(f"he{mark}llo").reason == "greeting"
    assert ROUTER.route(f"こん{mark}にちは").reason == "greeting"


@given(st.text(max_size=3000), st.booleans(), st.booleans())
@settings(max_examples=150, deadline=None)
def test_any_text_gets_one_and_the_same_decision(text: str, documents: bool, instrument: bool) -> None:
    first = ROUTER.route(text, has_documents=documents, instrument=instrument)
    assert first == ROUTER.route(text, has_documents=documents, instrument=instrument)
    assert first.reason in ROUTER.rule_ids
    assert bool(first.reply) == (first.level == 0)


def test_lone_surrogates_and_controls_are_routed() -> None:
    assert ROUTER.route("\ud800\udc00 why \x00\x1b[31m?").reason == "open_question"


@pytest.mark.parametrize("unit", ["a b ", "why ", "あ。\n", "review ", "((((", "hi, ", "./", "ありがとうを"])
def test_two_megabytes_cost_no_more_than_a_few_kilobytes(unit: str) -> None:
    small, big = unit * (4000 // len(unit)), unit * (2_000_000 // len(unit))
    assert_no_more_than(20, lambda _: ROUTER.route(small), lambda _: ROUTER.route(big))


@pytest.mark.parametrize(
    ("matching", "passing"),
    [
        (
            "利用者はもっと機能を欲しがると私たちは考えています。それは正しいでしょうか？",
            "聞いて、先週ようやく運転免許の試験に受かったよ！リスボンに引っ越した後の話だよ。",
        ),
        (
            "Should personal answers be cached at all, and what would be lost?",
            "My sister moved to Lisbon last week and likes the tram a great deal.",
        ),
    ],
)
def test_a_rule_that_holds_costs_no_more_than_the_rules_that_do_not(matching: str, passing: str) -> None:
    decided = [ROUTER.route(text).reason for text in (matching, passing)]
    assert decided == ["open_question", "casual"], "an early rule and the last one"
    times = range(50)
    assert_no_more_than(
        1.5, lambda _: [ROUTER.route(passing) for _ in times], lambda _: [ROUTER.route(matching) for _ in times]
    )


def _broken(**changes: Any) -> dict[str, Any]:
    return copy.deepcopy(TABLE) | changes


def _rule(**values: Any) -> dict[str, Any]:
    return {"id": "extra", "level": 1, "mode": "direct"} | values


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"rules": [_rule(), _rule()]}, "more than once"),
        ({"rules": [_rule(when={"min_lines": 2})]}, "does not always hold"),
        ({"rules": []}, "does not always hold"),
        ({"rules": [_rule(level=4)]}, "level 4"),
        ({"rules": [_rule(mode="loud")]}, "'loud'"),
        ({"rules": [_rule(level=0, mode="fixed", reply={"en": "Hi"})]}, "replies in"),
        ({"rules": [_rule(when={"weather": 1})]}, "'weather'"),
        ({"rules": [_rule(patterns={"en": ["(?=x)"]})]}, "not valid RE2"),
        ({"rules": [_rule(patterns={"en": ["{nowhere}"]})]}, "'nowhere'"),
        ({"rules": [{"level": 1}]}, "`id`"),
        ({"budgets": [{"id": "all", "budget": "vast"}]}, "'vast'"),
        ({"rules": "none"}, "`rules`"),
        ({"window": {"head_chars": "many", "tail_chars": 1}}, "`head_chars`"),
    ],
)
def test_a_broken_table_is_refused_as_a_whole_with_a_reason(changes: dict[str, Any], words: str) -> None:
    with pytest.raises(RouterRulesError, match=words) as caught:
        Router.from_rules(_broken(**changes))
    assert caught.value.hint


def test_a_rule_of_ones_own_is_obeyed() -> None:
    own = _broken(rules=[_rule(id="tea", level=2, mode="guided", patterns={"en": [r"\btea\b"]}), *TABLE["rules"]])
    assert Router.from_rules(own).route("I like tea").reason == "tea"
    assert Router.from_rules(own).route("I like coffee").reason == "casual"
