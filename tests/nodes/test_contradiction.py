"""What excludes what, and what is merely newer, in both languages."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rqa_nodes.contradiction import Claim, Contradiction, judge, scan, which_holds
from rqa_nodes.echo import Injected, verify

AT, SAME_DAY, MONTHS_LATER = "2026-03-01T09:00:00+00:00", "2026-03-01T15:00:00+00:00", "2026-06-01T09:00:00+00:00"


def claim(text: str, at: str = AT, handle: str = "k3v9xq") -> Claim:
    return Claim(id=f"n_{handle}{text}", handle=handle, text=text, at=at)


EXCLUDE = [
    ("I live in Lund.", "I live in Malmö.", "value"),
    ("My locker is 41.", "My locker is 52.", "value"),
    ("My blood group is B negative.", "My blood group is A positive.", "value"),
    ("I have three hives.", "I have five hives.", "number"),
    ("The workshop costs 300 euros.", "The workshop costs 450 euros.", "number"),
    ("I keep bees.", "I do not keep bees.", "polarity"),
    ("The mill is open on Sundays.", "The mill is not open on Sundays.", "polarity"),
    ("I gave up coffee.", "I am back on coffee.", "state"),
    ("I gave up coffee.", "Back on espresso since Monday.", "state"),
    ("大阪に住んでいます。", "金沢に住んでいます。", "value"),
    ("ロッカーは41番です。", "ロッカーは52番です。", "value"),
    ("血液型はB型です。", "血液型はA型です。", "value"),
    ("巣箱が三つあります。", "巣箱が五つあります。", "number"),
    ("店の定員は30人です。", "店の定員は45人です。", "number"),
    ("日曜日に水車小屋を公開しています。", "日曜日に水車小屋を公開していません。", "polarity"),
    ("コーヒーをやめました。", "月曜日からまたエスプレッソを飲んでいます。", "state"),
]

AGREE = [
    ("I live in Lund.", "I work in Malmö."),
    ("I live in Lund.", "I live in Lund, near the station."),
    ("I met Ilse on 3 May.", "I met Ilse on 5 May."),
    ("I bought 3 frames.", "I bought 5 frames."),
    ("I keep bees.", "My sister keeps hens."),
    ("I gave up coffee.", "I am back on my bike."),
    ("My locker is 41.", "My favourite number is 52."),
    ("I like tea.", "I like coffee."),
    ("My dentist appointment is on March 3.", "My haircut was moved to March 10."),
    ("My sister moved to Lund in 2019.", "My sister was moved to Malmö in 2021."),
    ("歯医者の予約は3月3日です。", "美容院の予約は3月10日に変わりました。"),
    ("3月3日に歯医者に行きました。", "3月10日に歯医者に行きました。"),
    ("大阪に住んでいます。", "金沢で働いています。"),
    ("三月三日に会いました。", "三月五日に会いました。"),
    ("お茶が好きです。", "コーヒーが好きです。"),
    ("コーヒーをやめました。", "また自転車に乗り始めました。"),
]


@pytest.mark.parametrize(("one", "two", "reason"), EXCLUDE)
def test_two_claims_that_exclude_each_other_are_found_whichever_came_first(one: str, two: str, reason: str) -> None:
    for first, second in ((one, two), (two, one)):
        found = judge(claim(first), claim(second, SAME_DAY))
        assert found is not None
        assert (found.reason, found.earlier.text, found.confidence >= 0.6) == (reason, first, True)


@pytest.mark.parametrize(("one", "two"), AGREE)
def test_what_can_both_hold_is_left_alone(one: str, two: str) -> None:
    assert judge(claim(one), claim(two, SAME_DAY)) is None
    assert judge(claim(two), claim(one, MONTHS_LATER)) is None


@pytest.mark.parametrize(
    ("one", "two", "at", "relation"),
    [
        ("I live in Lund.", "I live in Malmö.", SAME_DAY, "tension"),
        ("I live in Lund.", "I live in Malmö.", MONTHS_LATER, "update"),
        ("I live in Lund.", "I moved to Malmö.", SAME_DAY, "update"),
        ("I have three hives.", "I have five hives now.", SAME_DAY, "update"),
        ("I gave up coffee.", "Back on espresso since Monday.", SAME_DAY, "update"),
        ("My blood group is B negative.", "My blood group is A positive.", MONTHS_LATER, "tension"),
        ("My blood group is B negative.", "Actually, my blood group is A positive.", SAME_DAY, "update"),
        ("My dentist appointment is on March 3.", "My dentist appointment was moved to March 10.", SAME_DAY, "update"),
        ("My dentist appointment is on Monday.", "The dentist moved my appointment to Tuesday.", SAME_DAY, "update"),
        ("The exam is at nine.", "The exam has been postponed to eleven.", SAME_DAY, "update"),
        ("歯医者の予約は3月3日です。", "歯医者の予約は3月10日に変わりました。", SAME_DAY, "update"),
        ("歯医者の予約は3月3日です。", "歯医者は3月10日になりました。", SAME_DAY, "update"),
        ("会議は10時からです。", "会議は11時に変更されました。", SAME_DAY, "update"),
        ("来週の発表は水曜日です。", "発表が木曜日にずれました。", SAME_DAY, "update"),
        ("大阪に住んでいます。", "金沢に住んでいます。", SAME_DAY, "tension"),
        ("大阪に住んでいます。", "金沢に引っ越しました。", SAME_DAY, "update"),
        ("大阪に住んでいます。", "金沢に住んでいます。", MONTHS_LATER, "update"),
        ("血液型はB型です。", "血液型はA型です。", MONTHS_LATER, "tension"),
        ("血液型はB型です。", "訂正します。血液型はA型です。", SAME_DAY, "update"),
    ],
)
def test_a_difference_that_comes_from_time_is_an_update(one: str, two: str, at: str, relation: str) -> None:
    found = judge(claim(one), claim(two, at))
    assert found is not None
    assert (found.relation, found.is_asked) == (relation, relation == "tension")


def test_a_claim_of_which_only_the_day_is_known_is_compared_with_one_whose_time_is_known_too() -> None:
    found = judge(claim("I live in Lund.", "2026-03-01"), claim("I live in Malmö.", MONTHS_LATER))
    assert found is not None
    assert found.relation == "update"


def test_what_was_said_again_is_the_newer_one() -> None:
    found = judge(claim("I live in Lund.", MONTHS_LATER), claim("I live in Malmö.", AT))
    assert found is not None
    assert (found.earlier.text, found.later.text, found.relation) == ("I live in Malmö.", "I live in Lund.", "update")


class _Model:
    def __init__(self, probability: float) -> None:
        self.probability = probability

    def contradiction(self, premise: str, hypothesis: str) -> float:
        return self.probability if "vegan" in premise + hypothesis else 0.0


def test_a_model_finds_more_and_takes_nothing_away() -> None:
    vegan, ham = claim("I am a vegan."), claim("Ham is my breakfast.", SAME_DAY)
    assert judge(vegan, ham) is None
    found = judge(vegan, ham, nli=_Model(0.8))
    assert found is not None
    assert (found.reason, found.confidence) == ("model", 0.8)
    assert judge(vegan, ham, nli=_Model(0.4)) is None
    assert judge(claim("I live in Lund."), claim("I live in Malmö."), nli=_Model(0.0)) is not None


def _found(one: str, two: str) -> Contradiction:
    found = judge(claim(one), claim(two, SAME_DAY))
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("one", "two", "lang", "words"),
    [
        ("I live in Lund.", "I live in Malmö.", "en", "Which of the two holds now"),
        ("大阪に住んでいます。", "金沢に住んでいます。", "ja", "どちらが正しいですか。"),
    ],
)
def test_the_question_names_both_claims_and_passes_the_verifier(one: str, two: str, lang: str, words: str) -> None:
    asked = which_holds(_found(one, two), lang)
    assert words in asked
    report = verify(
        asked, injected=[Injected(handle="k3v9xq", source="user", text=one)], user_text=two, transcript=[("user", two)]
    )
    assert (report.text, report.cited) == (asked, ("k3v9xq",))


def test_a_scan_finds_the_pairs_among_many_claims() -> None:
    others = [claim(f"The boat number {n} is in harbour {chr(97 + n % 20)}.", handle=f"b{n}") for n in range(60)]
    told = [claim("I live in Lund."), *others, claim("I live in Malmö.", SAME_DAY, "p8r2wd")]
    found = scan(told)
    assert found[0].earlier.text == "I live in Lund."
    assert {row.confidence for row in found} == {found[0].confidence} or found[0].confidence >= found[-1].confidence


@given(st.text(max_size=60), st.text(max_size=60))
def test_no_text_breaks_it_and_the_order_of_two_does_not_matter(one: str, two: str) -> None:
    first, second = claim(one), replace(claim(two, SAME_DAY), handle="p8r2wd")
    assert judge(first, second) == judge(second, first)
    assert judge(first, replace(first, at=SAME_DAY)) is None


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ("Mill number 3 is closed on Mondays.", "Mill number 5 is closed on Tuesdays."),
        ("On day 2 I walk the hill loop.", "On day 3 I walk the canal path."),
        ("2日目の朝は運河の道を歩きます。", "3日目の朝は運河の道を歩きます。"),
        ("第3章は短いです。", "第4章は長いです。"),
    ],
)
def test_a_number_that_is_a_name_tells_two_things_apart(one: str, two: str) -> None:
    assert judge(claim(one), claim(two, handle="p8r2wd")) is None
