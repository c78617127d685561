"""Of pairs by kind of wording: none that asks something else is the same, and most that ask the same are."""

from __future__ import annotations

import csv
from itertools import combinations
from pathlib import Path

import pytest

from rqa_checkpoints.cache.guard import compare, sign
from rqa_checkpoints.cache.guard.lexicon import japanese
from rqa_checkpoints.cache.guard.spelling import one_writing

_ROWS = list(csv.DictReader(Path(__file__).with_name("pairs.ja.tsv").read_text("utf-8").splitlines(), delimiter="\t"))
_LOST_AT_MOST = 42
"""Of 271; each would need one more word in a list, or says it in quite other words."""


def _differs(row: dict[str, str]) -> tuple[str, ...]:
    return compare(sign(row["a"], "ja"), sign(row["b"], "ja")).facets


def test_no_pair_that_asks_something_else_is_the_same() -> None:
    others = [row for row in _ROWS if row["same"] == "other"]
    assert len(others) > 210
    assert [row for row in others if not _differs(row)] == []


def test_most_pairs_that_ask_the_same_are() -> None:
    same = [row for row in _ROWS if row["same"] == "same"]
    lost = [f"{row['a']} | {row['b']}" for row in same if _differs(row)]
    assert len(same) > 270
    assert len(lost) <= _LOST_AT_MOST, lost


@pytest.mark.parametrize(
    ("lang", "frame", "words"),
    [
        (
            "en",
            "What is the {} temple in Japan?",
            "largest oldest longest deepest highest smallest cheapest youngest best worst",
        ),
        ("en", "Is the Rhine {} than the Elbe?", "longer older bigger faster deeper higher heavier"),
        ("en", "What is the largest {} of Asia?", "city country place river temple"),
        ("en", "How do you {} miso?", "make use sell store cook freeze"),
        ("ja", "日本{}の寺は？", "最大 最古 最長 最速 最深 最多 最小 最短 最少 最安 最高 最低 最強 最悪"),
        (
            "ja",
            "日本で最も{}町は？",
            "大きい 古い 長い 深い 多い 小さい 短い 少ない 安い 高い 低い 若い 重い 広い 寒い 暑い",
        ),
        ("ja", "アジアで一番大きい{}は？", "国 都市 町 川 寺"),
        ("ja", "京都で茶碗を{}方法は？", "見る 買う 作る 使う 売る 食べる 読む 書く 持つ 調べる 考える 聞く 得る"),
        ("en", "What is the {} of jazz?", "name meaning type process standard history total year"),
        ("en", "How do I {} a visa?", "get give show find take call make use have"),
        ("en", "Why do people {} horses?", "get like look take call have give find work ride"),
        ("en", "Is the {} tax high?", "typical standard total official whole new average"),
        ("ja", "国鳥の{}は？", "意味 名前 種類 基本 数 場所 時期 歴史 説明 実際"),
        ("ja", "祭りで{}のは？", "踊る 来る 起きる 使う 行う 言う 呼ぶ できる"),
        ("ja", "京都で{}な店は？", "有名 正式 正確 基本 実際 本当"),
        ("ja", "{}の旬は？", "しらす ひじき わかめ あおさ たらこ"),
    ],
)
def test_of_one_question_with_other_words_no_two_are_the_same(lang: str, frame: str, words: str) -> None:
    signed = [(word, sign(frame.format(word), lang)) for word in words.split()]
    same = [(one, two) for (one, a), (two, b) in combinations(signed, 2) if not compare(a, b).facets]
    assert same == []


@pytest.mark.parametrize(
    ("written", "wanted"),
    [
        ("きゅうりの漬け方", "胡瓜の漬け方"),
        ("キュウリの漬け方", "胡瓜の漬け方"),
        ("にんじんをまぜる時間", "人参を混ぜる時間"),
        ("猫がしているか", "猫がしているか"),
        ("取り出しの手順", "取り出しの手順"),
        ("静電気はどうして起きる", "静電気はどうして起きる"),
    ],
)
def test_a_word_in_kana_is_read_where_a_word_can_stand(written: str, wanted: str) -> None:
    assert one_writing(written) == wanted


def test_a_writing_stands_for_itself() -> None:
    for row in _ROWS:
        once = one_writing(row["a"])
        assert one_writing(once) == once, row["a"]


def test_no_wording_of_grammar_is_cut_by_a_spelling() -> None:
    grammar = [
        text for text in _wordings() if one_writing(text) != text and all("\u3041" <= char <= "\u309f" for char in text)
    ]
    assert grammar == []


def _wordings() -> list[str]:
    automaton = japanese().automaton
    return [
        wording
        for wording, (_, roles) in automaton.items()
        if all(role.part in ("facet", "light", "follow_up") for role in roles)
    ]
