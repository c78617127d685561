"""The analysis of the built-in engine: what a careful reader must find, and what may never happen."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rqa_checkpoints.provenance import SourceClass
from rqa_nodes.prompt_parts import DocumentPart, MemoryLine, PromptParts
from rqa_nodes.structure.analyse import analyse
from rqa_nodes.structure.text import fold
from tests.support.engine_inputs import INPUTS, Input
from tests.support.examples import share

FULL = 6
LISTS = ("surface_terms", "claims", "evidence", "tensions_input_internal", "assumptions", "frames")
NOTES = {"en": "sync_service_en.md", "ja": "summer_festival_ja.md"}


def run(text: str, *, lang: str = "en", k: int = FULL, **more: Any) -> dict[str, Any]:
    return analyse(PromptParts(task="analyse", lang=lang, user_text=text, candidates=k, **more))


def note(lang: str) -> DocumentPart:
    path = Path(__file__).parent / "data" / NOTES[lang]
    return DocumentPart(locator=path.name, text=path.read_text(encoding="utf-8"))


def element(analysis: dict[str, Any], target: str) -> Any:
    path = re.fullmatch(r"([a-z_]+)\[(\d)\]", target)
    assert path, target
    return analysis["feature_map"][path[1]][int(path[2])]


def assert_valid(analysis: dict[str, Any], text: str) -> None:
    """Everything that holds for any input."""
    json.dumps(analysis)
    features, candidates = analysis["feature_map"], analysis["question_candidates"]
    for name in LISTS:
        assert len(features[name]) <= 5
        assert len(set(features[name])) == len(features[name])
        assert all(isinstance(item, str) and item for item in features[name])
    assert len(features["tensions_memory_cross"]) <= 5
    questions = [candidate["question"] for candidate in candidates]
    targets = [candidate["target_element"] for candidate in candidates]
    assert len({fold(question) for question in questions}) == len(questions)
    assert len(set(targets)) == len(targets)
    assert all(element(analysis, target) for target in targets)
    assert analysis["self_ranking"] == list(range(len(candidates)))
    assert analysis["self_update_proposal"] is None
    assert analysis["tool_request"] is None
    for question in questions:
        assert question.endswith(("?", "？"))
        assert quotations(question), question
        assert all(in_words_of(quotation, text) for quotation in quotations(question)), question


def quotations(text: str) -> list[str]:
    return re.findall(r"“([^“”]+)”|「([^「」]+)」", text) and [
        one or other for one, other in re.findall(r"“([^“”]+)”|「([^「」]+)」", text)
    ]


def bare(text: str) -> str:
    return re.sub(r"[\s\W_]+", "", fold(text))


def in_words_of(quotation: str, text: str) -> bool:
    return bare(quotation) in bare(text)


@pytest.mark.parametrize("given_input", INPUTS, ids=lambda row: row.id)
def test_what_a_careful_reader_finds_is_found(given_input: Input) -> None:
    analysis = run(given_input.text, lang=given_input.lang)
    for name, words in given_input.must.items():
        for word in words:
            assert any(word in item for item in analysis["feature_map"][name]), (name, word)


@pytest.mark.parametrize("given_input", INPUTS, ids=lambda row: row.id)
def test_every_analysis_is_valid_and_in_the_words_of_the_input(given_input: Input) -> None:
    assert_valid(run(given_input.text, lang=given_input.lang), given_input.text)


@pytest.mark.parametrize("given_input", [row for row in INPUTS if not row.plain], ids=lambda row: row.id)
def test_questions_spread_over_layers_and_stances(given_input: Input) -> None:
    candidates = run(given_input.text, lang=given_input.lang)["question_candidates"]
    layers = {candidate["target_layer"] for candidate in candidates}
    # A bare question has no claim to stand up for: two layers are all that it allows.
    assert len(layers) >= (2 if given_input.text.endswith(("?", "か。")) else 3)
    assert len({candidate["stance"] for candidate in candidates}) >= 2


@pytest.mark.parametrize("given_input", [row for row in INPUTS if row.plain], ids=lambda row: row.id)
def test_a_simple_fact_is_not_deepened(given_input: Input) -> None:
    analysis = run(given_input.text, lang=given_input.lang)
    assert analysis["feature_map"]["tensions_input_internal"] == []
    assert analysis["feature_map"]["claims"] == []
    assert analysis["search_decision"]["reason"] in (
        "A plain factual question: it needs no deepening.",
        "単純な事実の質問であり、深める必要はない。",
    )


@pytest.mark.parametrize(
    ("question", "known", "lang"),
    [("What is my locker number?", "My locker is 41.", "en"), ("ロッカーは何番ですか？", "ロッカーは41番です。", "ja")],
)
def test_a_known_fact_is_the_claim(question: str, known: str, lang: str) -> None:
    line = MemoryLine(handle="k3v9xq", source=SourceClass.user, text=known)
    assert run(question, lang=lang, memory=(line,))["feature_map"]["claims"] == [known]


@pytest.mark.parametrize("k", range(-1, 13))
def test_never_more_than_k_candidates(k: int) -> None:
    for lang in NOTES:
        assert len(run("", lang=lang, k=k, documents=(note(lang),))["question_candidates"]) <= max(k, 0)


@pytest.mark.parametrize("lang", ["en", "ja"])
@pytest.mark.parametrize("k", [3, 4, 6, 12])
def test_a_design_note_is_read_whole(lang: str, k: int) -> None:
    document = note(lang)
    analysis = run("", lang=lang, k=k, documents=(document,))
    assert_valid(analysis, document.text)
    assert len(analysis["question_candidates"]) == k
    assert len({c["target_layer"] for c in analysis["question_candidates"]}) >= 3
    assert all(in_words_of(claim, document.text) for claim in analysis["feature_map"]["claims"])
    assert all(in_words_of(item, document.text) for item in analysis["feature_map"]["evidence"])
    assert "return server" not in json.dumps(analysis)


@pytest.mark.parametrize(
    ("lang", "figures"),
    [("en", ("30 days", "90 days")), ("ja", ("50人", "80人"))],
)
def test_two_figures_of_a_note_are_set_against_each_other(lang: str, figures: tuple[str, str]) -> None:
    tensions = run("", lang=lang, documents=(note(lang),))["feature_map"]["tensions_input_internal"]
    assert any(all(figure in tension for figure in figures) for tension in tensions)


@pytest.mark.parametrize(
    ("known", "text", "lang", "source", "confidence"),
    [
        ("Backups are kept for 30 days.", "Backups are kept for 90 days.", "en", "user", "high"),
        ("バックアップは30日保存する。", "バックアップは90日保存する。", "ja", "user", "high"),
        ("We never store user data on phones.", "We store user data on phones.", "en", "user", "high"),
        ("利用者のデータは端末に保存しない。", "利用者のデータを端末に保存する。", "ja", "user", "high"),
        ("Backups are kept for 30 days.", "Backups are kept for 90 days.", "en", "assistant", "low"),
        ("バックアップは30日保存する。", "バックアップは90日保存する。", "ja", "assistant", "low"),
    ],
)
def test_a_remembered_item_that_pulls_against_the_input_is_named(
    known: str, text: str, lang: str, source: str, confidence: str
) -> None:
    line = MemoryLine(handle="k3v9xq", source=SourceClass(source), text=known, date="2026-05-02")
    analysis = run(text, lang=lang, memory=(line,))
    (tension,) = analysis["feature_map"]["tensions_memory_cross"]
    assert tension["memory_ref"] == "k3v9xq"
    assert tension["recorded_at"] == "2026-05-02"
    assert tension["confidence"] == confidence
    assert "[m:k3v9xq]" in tension["tension"]


@pytest.mark.parametrize(
    ("known", "text", "lang"),
    [
        ("The choir rehearses on Fridays.", "Backups are kept for 90 days.", "en"),
        ("合唱団は金曜に練習する。", "バックアップは90日保存する。", "ja"),
        ("Backups are kept for 90 days.", "Backups are kept for 90 days.", "en"),
        ("バックアップは90日保存する。", "バックアップは90日保存する。", "ja"),
        ("How many litres does each hive get in May?", "Each hive gets twelve litres in May.", "en"),
        ("巣箱には五月に何リットル入れますか？", "巣箱には五月に十二リットル入れます。", "ja"),
    ],
)
def test_an_unrelated_or_equal_item_and_a_question_that_is_answered_are_no_tension(
    known: str, text: str, lang: str
) -> None:
    line = MemoryLine(handle="k3v9xq", source=SourceClass.user, text=known)
    assert run(text, lang=lang, memory=(line,))["feature_map"]["tensions_memory_cross"] == []


@pytest.mark.parametrize(
    ("said", "other", "same", "lang"),
    [
        (
            "“{}” says what has to be, not what for.",
            ("Everybody must use the ferry", "Everybody wants the new gate."),
            ("Backups are kept for 30 days", "Backups are kept for 90 days."),
            "en",
        ),
        (
            "「{}」は、そうあるべきだと述べるが、何のためかは書かれていない。",
            ("誰もが船を使うべきだ", "誰もが新しい門を望んでいる。"),
            ("バックアップは30日保存する", "バックアップは90日保存する。"),
            "ja",
        ),
    ],
)
def test_of_what_it_said_of_a_text_only_the_words_of_that_text_are_held_against_another(
    said: str, other: tuple[str, str], same: tuple[str, str], lang: str
) -> None:
    for (quoted, text), count in ((other, 0), (same, 1)):
        line = MemoryLine(handle="k3v9xq", source=SourceClass.assistant, text=said.format(quoted), kind="tension")
        found = run(text, lang=lang, memory=(line,))["feature_map"]["tensions_memory_cross"]
        assert [tension["confidence"] for tension in found] == ["low"] * count


@pytest.mark.parametrize("lang", ["en", "ja"])
def test_a_second_round_asks_other_questions_one_layer_below(lang: str) -> None:
    document = note(lang)
    first = run("", lang=lang, k=4, documents=(document,))["question_candidates"]
    best = first[0]
    feedback = f"{best['question']} ({best['target_layer']})"
    second = run("", lang=lang, k=4, documents=(document,), feedback=feedback)["question_candidates"]
    assert best["question"] not in [candidate["question"] for candidate in second]
    below = {"L3": "L4", "L4": "L5", "L5": "L7", "L7": "L7"}[best["target_layer"]]
    assert second[0]["target_layer"] == below


def test_a_japanese_document_can_be_discussed_in_english() -> None:
    analysis = run("Please review this plan.", lang="en", documents=(note("ja"),))
    assert_valid(analysis, note("ja").text)
    assert all(candidate["question"].isascii() is False for candidate in analysis["question_candidates"])
    assert any(
        candidate["question"].startswith(("Which", "What", "How")) for candidate in analysis["question_candidates"]
    )


@pytest.mark.parametrize("text", ["", "\x00\x00", "\ud800", "```\nx = 1\n```", "!!!", "***"])
def test_an_input_without_sentences_says_so(text: str) -> None:
    analysis = run(text)
    assert analysis["question_candidates"] == [] or text == "\ud800"
    assert analysis["search_decision"]["reason"]


HOSTILE = st.one_of(
    st.text(max_size=400),
    st.lists(
        st.sampled_from([row.text for row in INPUTS] + ["“", "”", "「", "」", "{c}", "{0}", "[m:x]", "\ud83d"]),
        max_size=8,
    ).map(" ".join),
)


@given(HOSTILE, st.sampled_from(["en", "ja", "zh"]))
@share(50)
def test_any_text_gives_a_well_formed_analysis_and_always_the_same(text: str, lang: str) -> None:
    analysis = run(text, lang=lang)
    assert json.dumps(run(text, lang=lang)) == json.dumps(analysis)
    for candidate in analysis["question_candidates"]:
        assert element(analysis, candidate["target_element"])
        assert candidate["question"].endswith(("?", "？"))
    json.dumps(analysis, ensure_ascii=False).encode("utf-8")


@pytest.mark.parametrize(
    ("text", "lang", "reason"),
    [
        ("The meeting is at three on the second floor.", "en", "Nothing here calls for deepening."),
        ("会議は二階で三時からです。", "ja", "ここには深める必要のあるものがない。"),
        ("what's 2+2", "en", "A plain factual question: it needs no deepening."),
    ],
)
def test_a_light_input_is_not_deepened_and_says_so(text: str, lang: str, reason: str) -> None:
    analysis = run(text, lang=lang)
    assert analysis["search_decision"]["reason"] == reason
    assert analysis["feature_map"]["tensions_input_internal"] == []
    assert_valid(analysis, text)


def test_a_text_in_a_language_without_rules_is_not_called_plain() -> None:
    reason = run("只要加强监管，人工智能的风险就一定能避免。", lang="zh")["search_decision"]["reason"]
    assert "English and Japanese only" in reason


def test_an_unclosed_fence_of_one_document_does_not_swallow_the_next() -> None:
    documents = (
        DocumentPart(locator="a.md", text="```\ncode"),
        DocumentPart(locator="b.md", text="We must always sync."),
    )
    assert run("", documents=documents)["feature_map"]["claims"] == ["We must always sync."]
