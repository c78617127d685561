"""What makes another question is seen, and what is only another wording is not."""

from __future__ import annotations

import sys
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rqa_checkpoints.cache.guard import compare, is_self_contained, sign
from rqa_checkpoints.cache.guard.lexicon import stem as _stem
from rqa_checkpoints.chain import canonical

_DIFFERENT = """
en|How do I open the sluice gate?|How do I close the sluice gate?
en|How do I turn the heating on?|How do I turn the heating off?
en|Is jaywalking legal?|Is jaywalking illegal?
en|Does Wren owe money to Ash?|Does Ash owe money to Wren?
en|How do I convert USD to JPY?|How do I convert JPY to USD?
en|How do I travel from Oslo to Lund?|How do I travel to Oslo from Lund?
en|Who may vote at 16?|Who must vote at 16?
en|What costs more than 5 euros?|What costs less than 5 euros?
en|What happens before the vote?|What happens after the vote?
en|Are all mushrooms edible?|Are some mushrooms edible?
en|Which mammals lay eggs?|Which mammals do not lay eggs?
en|What was the GDP of Chile in 2023?|What was the GDP of Chile in 2024?
en|How much is 5 mg of salt?|How much is 50 mg of salt?
en|How much is 5 mg of salt?|How much is 5 g of salt?
en|Who founded the company?|When was the company founded?
en|Why did the bridge fall?|When did the bridge fall?
en|When did Apollo 11 land?|When did Apollo 12 land?
en|When did World War I end?|When did World War II end?
en|How does it affect us in Peru?|How does it affect the US in Peru?
en|Can a landlord evict a tenant?|Can a tenant evict a landlord?
en|What does -i do in grep?|What does -I do in grep?
en|What does > do in a shell?|What does >> do in a shell?
en|Is C fast?|Is C++ fast?
en|What is 5!?|What is 5?
en|What do 5 ten-year bonds cost?|What do 11 four-year bonds cost?
en|Is 9007199254740993 million prime?|Is 9007199254740992 million prime?
en|Is 12345678901234567890123456789012 prime?|Is 12345678901234567890123456789013 prime?
en|How much is 1/2 million yen?|How much is 1/3 million yen?
en|What is x² at 3?|What is x2 at 3?
en|How are tips taxed in Quebec?|How are tips taxed in Ontario?
en|Explain photosynthesis in one sentence.|Explain photosynthesis in detail.
en|Is it OK to not tip in Peru?|Is it not OK to tip in Peru?
en|Was Pluto a planet?|Is Pluto a planet?
en|Is a lion hunted by a hyena?|Is a lion a hunter of a hyena?
ja|水門を開ける方法は？|水門を閉める方法は？
ja|副業は合法ですか？|副業は違法ですか？
ja|18歳以上は投票できますか？|18歳未満は投票できますか？
ja|ドルを円に換える方法は？|円をドルに換える方法は？
ja|会員は無料ですか？|会員は有料ですか？
ja|この薬は食前に飲みますか？|この薬は食後に飲みますか？
ja|2023年のGDPは？|2024年のGDPは？
ja|令和7年の祝日は？|令和8年の祝日は？
ja|米1合は何グラムですか？|米1升は何グラムですか？
ja|生の豆は食べられますか？|生の豆は食べられませんか？
ja|猫は犬を追いますか？|犬は猫を追いますか？
ja|申請はいつ始まりますか？|申請はどこで始まりますか？
ja|すべての茸は食用ですか？|一部の茸は食用ですか？
ja|JavaScriptの==は何ですか？|JavaScriptの===は何ですか？
ja|SimpleDateFormatのmmは何ですか？|SimpleDateFormatのMMは何ですか？
ja|札幌市の税率は？|仙台市の税率は？
ja|12345678901234567890123456789012は素数ですか？|12345678901234567890123456789013は素数ですか？
"""

_SAME = """
en|How tall is Mount Fuji?|What is the height of Mount Fuji?
en|What is the capital of France?|What is France's capital?
en|Who wrote Hamlet?|Who is the author of Hamlet?
en|How many people live in Tokyo?|What is the population of Tokyo?
en|What colour is an emerald?|What color is an emerald?
en|How do I delete a branch in Git?|Please tell me how to remove a branch in Git.
en|When did the Second World War end?|When did World War Two end?
en|What should not be composted?|What shouldn't be composted?
en|Where was Frida Kahlo born?|What was Frida Kahlo's place of birth?
en|Is glass a liquid?|Silly question maybe, but is glass a liquid?
ja|富士山の高さは？|富士山の標高を教えてください
ja|東京の人口は？|東京には何人が住んでいますか？
ja|令和8年の祝日は？|2026年の祝日は？
ja|三月の行事は？|3月の行事は？
ja|ねこは何時間寝ますか？|猫は何時間寝ますか？
ja|味噌汁の作り方を教えて|味噌汁の作り方を教えていただけますか？
ja|ヴァイオリンの弦は何本ですか？|バイオリンの弦は何本ですか？
ja|２０２６年の人口は？|2026年の人口は？
"""


def _rows(text: str) -> list[list[str]]:
    return [line.split("|") for line in text.strip().splitlines()]


def _compare(lang: str, one: str, two: str) -> tuple[str, ...]:
    found = compare(sign(one, lang), sign(two, lang)).facets
    assert found == compare(sign(two, lang), sign(one, lang)).facets  # it does not matter which was first
    return found


@pytest.mark.parametrize(("lang", "one", "two"), _rows(_DIFFERENT))
def test_another_question_is_seen(lang: str, one: str, two: str) -> None:
    assert _compare(lang, one, two)


@pytest.mark.parametrize(("lang", "one", "two"), _rows(_SAME))
def test_another_wording_is_the_same_question(lang: str, one: str, two: str) -> None:
    assert _compare(lang, one, two) == ()


@pytest.mark.parametrize("question", ["Isn't Pluto a planet?", "Pluto is a planet, isn't it?"])
def test_a_rhetorical_negation_is_in_doubt_even_beside_itself(question: str) -> None:
    assert compare(sign(question, "en"), sign(question, "en")).facets == ("rhetorical",)


@pytest.mark.parametrize("question", ["冥王星は惑星ではないですか？", "誰がそんな話を信じるものか"])
def test_so_is_one_in_japanese(question: str) -> None:
    assert "rhetorical" in compare(sign(question, "ja"), sign(question, "ja")).facets


@pytest.mark.parametrize(
    ("lang", "question", "alone"),
    [
        ("en", "How tall is Mount Fuji?", True),
        ("en", "Is it legal to jaywalk?", True),
        ("en", "How long does it take to boil an egg?", True),
        ("en", "How does it work?", False),
        ("en", "And in Japan?", False),
        ("en", "What about cats?", False),
        ("en", "Why?", False),
        ("ja", "富士山の高さは？", True),
        ("ja", "それはなぜですか？", False),
        ("ja", "日本では？", False),
        ("ja", "じゃあ東京は？", False),
    ],
)
def test_what_leans_on_something_said_before(lang: str, question: str, alone: bool) -> None:
    assert is_self_contained(question, lang) == alone


def test_a_relative_time_is_that_of_its_asking() -> None:
    one, two = datetime(2025, 5, 1, tzinfo=UTC), datetime(2026, 5, 1, tzinfo=UTC)
    for lang, question, year in (("en", "Who won the cup this year?", "2026"), ("ja", "今年の祝日は？", "2026")):
        assert compare(sign(question, lang, one), sign(question, lang, two)).facets == ("number",)
        assert sign(question, lang, two).facets["number"] == (year,)


@pytest.mark.parametrize(
    ("lang", "question", "number"),
    [
        ("en", "How much is 1.50 million yen?", "1500000 yen"),
        ("en", "How far are 1,000.50 km?", "1000.5 km"),
        ("en", "How big is ½ or ² million?", None),
        ("en", "How much is 3/4 million yen?", "3/4e6 yen"),
        ("ja", "1.5億円は何ドルですか？", "150000000 円"),
    ],
)
def test_a_number_is_read_whatever_it_is_written_in(lang: str, question: str, number: str | None) -> None:
    found = sign(question, lang).facets.get("number", ())
    assert number is None or number in found


def test_a_year_of_an_era_that_is_none_breaks_nothing() -> None:
    assert sign(f"令和{'1' * 5000}年の祝日は？", "ja").facets["number"]


def test_questions_of_two_languages_are_two() -> None:
    assert "language" in compare(sign("GDP 2026", "en"), sign("GDP 2026", "ja")).facets


@pytest.mark.parametrize("lang", ["en", "ja"])
@given(text=st.text(max_size=80))
def test_no_text_breaks_the_guard(lang: str, text: str) -> None:
    signature = sign(text, lang)
    assert canonical(signature.to_dict())
    assert set(compare(signature, signature).facets) <= {"rhetorical", "double_negation", "follow_up", "case"}


def test_words_are_stemmed_the_same_however_many_threads_read_at_once() -> None:
    """The stemmer keeps the word that it works on in itself."""
    words = [f"{stem}{end}" for stem in ("relat", "condit", "operat", "nation") for end in ("ional", "ing", "ions")]
    alone = {word: _stem.__wrapped__(word) for word in words}
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(8) as pool:
            found = list(pool.map(_stem.__wrapped__, words * 200))
    finally:
        sys.setswitchinterval(before)
    assert found == [alone[word] for word in words * 200]
