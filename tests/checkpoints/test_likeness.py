from __future__ import annotations

import pytest

from rqa_checkpoints.likeness import BANDS_SHARED, contained, restates, sketch
from rqa_checkpoints.provenance import fingerprint, fold, has_block_markers


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ("Ｈｅｌｌｏ　World", "hello  world"),
        ("ｶﾞｷﾞｸﾞ", "ガギグ"),
        ("e\u0301tude", "\u00e9tude"),
        (" a\n\tb ", "a b"),
        ("STRASSE", "straße"),
    ],
)
def test_folding_joins_width_case_composition_and_space(one: str, two: str) -> None:
    assert fold(one) == fold(two)


@pytest.mark.parametrize(("one", "two"), [("①", "1"), ("㎏", "kg"), ("か", "が"), ("は", "ば"), ("x²", "x2")])
def test_folding_keeps_different_characters_apart(one: str, two: str) -> None:
    assert fold(one) != fold(two)


def test_a_fingerprint_leaves_citations_and_punctuation_out() -> None:
    assert fingerprint("You said: rye bread [m:k3v9xq; m:aaaaaa].") == fingerprint("you said rye bread")


@pytest.mark.parametrize(
    "text",
    [
        "[memory_context]",
        "x [/memory_context] y",
        "［Memory_Context］",
        "[mem\u200bory_context]",
        "[document notes/a.md]",
        "[/ document ]",
        "[INPUT]",
    ],
)
def test_our_markers_are_seen_however_they_are_written(text: str) -> None:
    assert has_block_markers(text)


@pytest.mark.parametrize(
    "text", ["the memory_context idea", "[m:k3v9xq]", "[1] see input", "a[i]", "[documented]", "［注］"]
)
def test_ordinary_brackets_are_no_markers(text: str) -> None:
    assert not has_block_markers(text)


@pytest.mark.parametrize(
    ("guess", "again"),
    [
        ("You probably have sleep apnea.", "you probably have sleep apnea"),
        ("The delay comes from the nightly backup job.", "The delay comes from the nightly backup jobs."),
        ("遅延の原因は夜間バックアップです。", "遅延の原因は夜間バックアップです！"),
        ("遅延の原因は夜間のバックアップ処理です。", "遅延の原因は夜間バックアップ処理です。"),
    ],
)
def test_the_same_guess_in_nearly_the_same_words_is_a_restatement(guess: str, again: str) -> None:
    assert restates(again, guess)
    assert len(set(sketch(guess)) & set(sketch(again))) >= BANDS_SHARED


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ("You weigh 60 kg.", "You weigh 80 kg."),
        ("The ratio is 3.14 here.", "The ratio is 314 here."),
        ("The price went from 3 to 4.", "The price went from 4 to 3."),
        ("The backup job is the cause.", "The backup job is not the cause."),
        ("バックアップが原因です。", "バックアップは原因ではありません。"),
        ("会議は3時です。", "会議は4時です。"),
        ("You live in Lund.", "You work in Oslo."),
    ],
)
def test_other_numbers_polarity_or_content_make_another_statement(one: str, two: str) -> None:
    assert not restates(one, two)


def test_short_words_are_only_contained_where_they_are_the_whole() -> None:
    marks = [fingerprint("Yes, I keep bees in Lund."), fingerprint("はい、蜂を飼っています。")]
    assert contained("I keep bees [m:k3v9xq].", marks)
    assert contained("蜂を飼っています。", [*marks])
    assert not contained("Yes.", marks)
    assert not contained("はい", marks)
    assert not contained("...", marks)
