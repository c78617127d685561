"""What words find what, in English and in Japanese."""

from __future__ import annotations

import math
import subprocess
import sys
import tracemalloc

import pytest

from rqa_checkpoints.sparse import SparseVector, coverage, encode_document, encode_query, idf, rank
from tests.support.growth import assert_linear


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("織物", "去年の秋に京都で織物の展示会を開きました。"),
        ("猫", "うちの猫は十歳です。"),
        ("うどん", "昼はうどんを食べた。"),
        ("コーヒー", "朝はコーヒーしか飲まない。"),
        ("ｺｰﾋｰ", "朝はコーヒーしか飲まない。"),
        ("展示会はいつ？", "去年の秋に京都で織物の展示会を開きました。"),
        ("ＡＰＩ", "the api is slow"),
        ("loom", "The loom broke in October."),
        ("Launch", "We LAUNCHED it in October."),
        ("naïve", "A nai\u0308ve plan."),
        ("v2.1", "We released v2.1 yesterday."),
        ("привет", "Он сказал: Привет!"),
        ("展览", "我们在北京看了展览。"),
    ],
)
def test_a_word_is_found_inside_a_sentence(query: str, text: str) -> None:
    assert [row.id for row in rank(query, [("n_x", "…"), ("n_a", text)], limit=5)] == ["n_a"]
    assert coverage(query, text) > 0


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("織物", "編み物と物置を片付けた。"),
        ("絵画", "去年の秋に京都で織物の展示会を開きました。"),
        ("loom", "The blooming roses."),
        ("The and of to", "The end of the story and its moral."),
        ("です ます", "これは机です。本を読みます。"),
    ],
)
def test_what_shares_no_word_is_covered_little_or_not_at_all(query: str, text: str) -> None:
    assert coverage(query, text) < 0.34


def test_coverage_is_a_share_of_the_query() -> None:
    assert coverage("loom kiln", "a kiln and a loom") == pytest.approx(1)
    assert coverage("loom kiln", "a kiln") == pytest.approx(0.5)
    assert coverage("", "a kiln") == 0
    assert coverage("the of", "the end of it") == 0
    assert coverage("loom", "") == 0


def test_the_weight_of_a_document_gram_is_bm25() -> None:
    # "kiln kiln pot": `kiln` twice; each `kiln` gives 1 word and 4 trigrams (^ki kil iln ln$), `pot` 1 word: 11 grams.
    # norm = 1.2 * (1 - 0.75 + 0.75 * 11 / 60) = 0.465; twice: 2 * 2.2 / 2.465 = 1.78499; once: 2.2 / 1.465 = 1.50171.
    weights = sorted({round(value, 4) for value in encode_document("kiln kiln pot").values})
    assert weights == [1.5017, 1.785]
    assert len(encode_document("kiln kiln pot").indices) == 6


def test_the_document_frequency_is_the_engines() -> None:
    # ln((10 - 3 + 0.5) / (3 + 0.5) + 1) = ln(3.142857)
    assert idf(10, 3) == pytest.approx(math.log(3.142857), abs=1e-6)


@pytest.mark.parametrize("text", ["", "   ", "…！？", "the of and", "\0", "🙂🙂"])
def test_a_text_without_words_has_no_grams(text: str) -> None:
    assert encode_query(text) == SparseVector()
    assert not encode_document(text)


@pytest.mark.parametrize("text", ["\ud800 loom", "a\0loom", "loom\u202e", "loom" * 3, "ﷺ loom"])
def test_odd_characters_break_nothing(text: str) -> None:
    vector = encode_document(text)
    assert vector.indices == tuple(sorted(set(vector.indices)))
    assert all(0 <= index < 2**32 for index in vector.indices)
    assert all(value > 0 for value in vector.values)


def test_grams_are_the_same_in_every_process() -> None:
    code = "from rqa_checkpoints.sparse import encode_query; print(encode_query('loom 織物').indices)"
    runs = {
        subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True, env={"PYTHONHASHSEED": seed}
        ).stdout.strip()
        for seed in ("1", "2")
    }
    assert runs == {str(encode_query("loom 織物").indices)}


def test_rare_words_weigh_more_than_frequent_ones() -> None:
    texts = [(f"n_{number}", "the kiln is warm") for number in range(8)] + [("n_loom", "the loom is warm")]
    assert rank("kiln loom", texts, limit=1)[0].id == "n_loom"


def test_ranking_is_by_score_then_id_and_limited() -> None:
    texts = [("n_c", "loom"), ("n_a", "loom"), ("n_b", "loom"), ("n_d", "kiln")]
    assert [row.id for row in rank("loom", texts, limit=9)] == ["n_a", "n_b", "n_c"]
    assert [row.id for row in rank("loom", texts, limit=2)] == ["n_a", "n_b"]
    assert rank("", texts, limit=9) == []
    assert rank("loom", [], limit=9) == []


@pytest.mark.parametrize("unit", ["a", "織", "あ", "word ", "織物の展示会。", "ab1_", "\u3000"])
def test_time_and_memory_grow_with_the_text_and_not_faster(unit: str) -> None:
    assert_linear(encode_document, lambda times: unit * times, largest=40_000 // len(unit))


def test_one_long_word_is_not_kept() -> None:
    tracemalloc.start()
    for number in range(8):
        encode_document(f"{number}" + "x" * 10_000)
    kept, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert kept < 1_000_000
