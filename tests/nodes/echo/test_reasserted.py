"""A guess of the assistant's does not come back as a fact, not even where no word claims a memory."""

from __future__ import annotations

from typing import Any

import pytest

from rqa_graph import Injected, verify

_DRIP = "The drip most likely comes from the inlet valve."
_TIRED = "He is most likely overtired by then."
_HATE = "Perhaps you hate your job at the mill."
_FEAR = "You may fear being left alone."
_LOOKS = "It looks as if they need a new boiler."
_ENVY = "Perhaps you are jealous of your sister."
_HAIR = "It might be that the pump is clogged with hair."
_TRADE = "仕事が嫌いなのかもしれません。"
_FAST = "距離を増やすペースが速すぎるんじゃないかな。"
_CRACK = "かび臭さの原因は壁の裏の排水管のひびかもしれません。"
_BATTERY = "电动车的电瓶可能老化了。"
_EN, _JA, _ZH = "I suggested earlier (unverified): ", "以前私が提案しました(未確認): ", "我之前提议过（未经确认）："
_NO_PROOF = {"en": " (my earlier suggestion, not evidence)", "ja": "(以前の私の提案であり、証拠ではありません)"}


def _after(guess: str, reply: str, *, then: str = "OK.", **facts: Any) -> str:
    return verify(reply, transcript=[("user", "Hello."), ("assistant", guess), ("user", then)], **facts).text


@pytest.mark.parametrize(
    ("guess", "reply", "expected"),
    [
        (_DRIP, "The drip comes from the inlet valve. Get a wrench.", f"{_EN}{_DRIP} Get a wrench."),
        (_DRIP, "**The drip comes from the inlet valve.** Get a wrench.", f"{_EN}{_DRIP} Get a wrench."),
        (_DRIP, "You need a wrench, because the drip comes from the inlet valve.", f"You need a wrench. {_EN}{_DRIP}"),
        (_DRIP, "Since the drip comes from the inlet valve, get a wrench.", f"{_EN}{_DRIP} Get a wrench."),
        (_TIRED, "He's overtired by then. Try four o'clock.", f"{_EN}{_TIRED} Try four o'clock."),
        (_TIRED, "Try four o'clock, since he's overtired by then.", f"Try four o'clock. {_EN}{_TIRED}"),
        (_FAST, "距離を増やすペースが速すぎます。一週目は軽く。", f"{_JA}{_FAST}一週目は軽く。"),
        (_FAST, "距離を増やすペースが速すぎるから、軽く走りましょう。", f"{_JA}{_FAST}軽く走りましょう。"),
        (_BATTERY, "电动车的电瓶老化了。先问保修期。", f"{_ZH}{_BATTERY}先问保修期。"),
        (_DRIP, '{"cause": "The drip comes from the inlet valve."}', f'{{"cause": "{_EN}{_DRIP[:-1]}"}}'),
        (_DRIP, "the drip comes from the inlet valve\nturn the water off", f"{_EN}{_DRIP} Turn the water off"),
        (_DRIP, "Water off, and as the drip comes from the inlet valve, wait.", f"Water off. {_EN}{_DRIP} Wait."),
        (_FAST, "**距離を増やすペースが速すぎます。** 靴は幅で選びます。", f"**{_JA}{_FAST}** 靴は幅で選びます。"),
        (_FAST, "靴は幅で選んでください、距離を増やすペースが速すぎます。", f"靴は幅で選んでください。{_JA}{_FAST}"),
        (_FAST, "距離を増やすペースが速すぎることが、原因です。", f"{_JA}{_FAST}"),
        (_HATE, "You hate your job at the mill. Write it down.", f"{_EN}{_HATE} Write it down."),
        (_HATE, "Second, you clearly hate your job at the mill.", f"{_EN}{_HATE}"),
        (_FEAR, "You fear being left alone.", f"{_EN}{_FEAR}"),
        (_ENVY, "Your jealousy of your sister shows.", f"{_EN}{_ENVY}"),
        (_HAIR, "Hair clogs the pump.", f"{_EN}{_HAIR}"),
        (_TRADE, "仕事が嫌いなので、転職を考えましょう。", f"{_JA}{_TRADE}転職を考えましょう。"),
        (_LOOKS, "They need a new boiler.", f"{_EN}{_LOOKS}"),
    ],
)  # fmt: skip
def test_a_guess_that_is_said_again_flatly_stands_under_its_speaker(guess: str, reply: str, expected: str) -> None:
    assert _after(guess, reply) == expected
    assert _after(guess, expected) == expected


@pytest.mark.parametrize(
    ("guess", "reply"),
    [
        (_DRIP, "The drip probably comes from the inlet valve."),
        (_DRIP, "If the drip comes from the inlet valve, get a wrench."),
        (_DRIP, "Does the drip come from the inlet valve?"),
        (_DRIP, "The drip does not come from the inlet valve, because you found it dry."),
        (_DRIP, "Feel the inlet valve to find out whether the drip comes from it."),
        (_DRIP, "My guess was that the drip comes from the inlet valve."),
        (_DRIP, "An inlet valve has a rubber seal, which wears out."),
        ("It's probably normal.", "Normal temperatures range from 36 to 37 degrees."),
        (_TIRED, "Overtired children sleep badly."),
        (_HATE, "Your job at the mill, with its hours."),
        (_ENVY, "Ask your sister what she knows of jealousy in families like yours."),
        (_HAIR, "Hair on the pump is no fault."),
        ("You may take the tablet with food.", "You take the tablet with food."),
        ("You can be asked for the receipt.", "You can be asked for the receipt at the desk."),
        (_FAST, "距離を増やすペースが速すぎるのかもしれません。"),
        (_FAST, "もし距離を増やすペースが速すぎるなら、一週目は軽く。"),
        (_CRACK, "排水管のひびが原因かどうか、業者に見てもらいましょう。"),
        ("枕の高さが合っていないのかもしれません。", "枕が高すぎると、首の筋肉に負担がかかると言われています。"),
        (_BATTERY, "电动车的电瓶可能老化了，先检查一下。"),
    ],
)
def test_what_owns_up_to_the_guess_asks_denies_or_says_something_else_stays(guess: str, reply: str) -> None:
    assert _after(guess, reply) == reply


@pytest.mark.parametrize(
    "facts",
    [
        {"then": "I looked: the drip comes from the inlet valve."},
        {"documents": ["Service report: the drip comes from the inlet valve."]},
        {"injected": [Injected(handle="abc234", source="external", text="The drip comes from the inlet valve.")]},
    ],
)
def test_what_the_user_or_a_document_has_said_since_is_a_fact(facts: dict[str, Any]) -> None:
    reply = "The drip comes from the inlet valve. Get a wrench."
    assert _after(_DRIP, reply, **facts) == reply


@pytest.mark.parametrize("then", ["Please rephrase that as a headline.", "Write a story about it."])
def test_who_asks_for_words_gets_words(then: str) -> None:
    assert _after(_DRIP, "The drip comes from the inlet valve.", then=then) == "The drip comes from the inlet valve."


@pytest.mark.parametrize(
    ("guess", "then", "reply"),
    [
        ("Maybe she eats too fast.", "Her bowl is empty in 40 seconds.", "Forty seconds: she eats too fast."),
        ("I guess it is an elephant.", "Bingo!", "It is an elephant! My turn."),
        ("The print head is likely clogged.", "Two cleanings, no stripes.", "So the print head was clogged."),
        ("バッテリーが寿命なのかもしれません。", "テスターで11.3Vでした。", "バッテリーが寿命です。"),
        ("ヘッドが詰まっているのかもしれません。", "クリーニング2回で消えました。", "ヘッドが詰まっていたわけですね。"),
    ],
)  # fmt: skip
def test_who_was_told_something_new_may_reason_on(guess: str, then: str, reply: str) -> None:
    assert _after(guess, reply, then=then) == reply


def test_a_question_tells_nothing_new() -> None:
    shown = _after(
        _DRIP, "The drip comes from the inlet valve.", then="Hm, I see. What tools do I need? Please list them."
    )
    assert shown == f"{_EN}{_DRIP}"


def test_a_yes_of_the_user_settles_it() -> None:
    reply = "The drip comes from the inlet valve. Get a wrench."
    assert _after(_DRIP, reply, then="Yes, that's right. What next?") == reply


@pytest.mark.parametrize(
    ("lang", "guess", "flat", "stop"),
    [
        ("en", "Perhaps you are afraid of failing.", "You are afraid of failing [m:abc234]", "."),
        ("ja", "失敗を恐れているのかもしれません。", "失敗を恐れています[m:abc234]", "。"),
    ],
)
def test_a_reference_to_the_guess_makes_no_fact_of_it(lang: str, guess: str, flat: str, stop: str) -> None:
    item = Injected(handle="abc234", source="assistant", text=guess)
    found = verify(flat + stop, injected=[item], transcript=[("user", "Why do I put off my thesis?")])
    assert found.text == flat + _NO_PROOF[lang] + stop
    assert found.cited == ("abc234",)
    assert verify(found.text, injected=[item]).text == found.text


@pytest.mark.parametrize(
    ("guess", "reply"),
    [
        (_DRIP, "I was wrong that the drip comes from the inlet valve."),
        (_DRIP, "There is no sign that the drip comes from the inlet valve."),
        ("給水弁から水が漏れているのかもしれません。", "給水弁ではなくホースから水が漏れています。"),
        ("給水弁から水が漏れているのかもしれません。", "給水弁から水が漏れているというのは誤りでした。"),
        ("冷蔵庫から音がしているのかもしれません。", "冷蔵庫から牛乳と卵を出してください。"),
    ],
)
def test_who_takes_a_guess_back_or_speaks_of_something_else_is_not_made_to_say_it(guess: str, reply: str) -> None:
    assert _after(guess, reply) == reply


def test_a_reference_to_somebody_elses_item_does_not_carry_the_guess() -> None:
    items = [
        Injected(handle="p8r2wd", source="assistant", text="Perhaps you are afraid of failing."),
        Injected(handle="k3v9xq", source="user", text="I keep bees near Lund."),
    ]
    reply = "You keep bees [m:k3v9xq] and you are afraid of failing."
    shown = verify(reply, transcript=[("user", "Plan my week.")], injected=items)
    assert shown.text == f"You keep bees [m:k3v9xq]. {_EN}Perhaps you are afraid of failing."


_ASHAMED = "Maybe you are ashamed of playing in front of your daughter."
_DENIAL = "Not true: I am not ashamed of playing in front of my daughter. What should I practise?"


@pytest.mark.parametrize(
    ("lang", "guess", "denial", "reply"),
    [
        ("en", _ASHAMED, _DENIAL, "As you told me, you are ashamed of playing in front of your daughter."),
        ("en", _ASHAMED, _DENIAL, "You are ashamed of playing in front of your daughter."),
        (
            "ja",
            "締め切りが心配なのかもしれません。",
            "締め切りは心配ではありません。予定を立てて。",
            "締め切りが心配です。",
        ),
    ],
)
def test_a_denial_backs_nothing_and_settles_nothing_else(lang: str, guess: str, denial: str, reply: str) -> None:
    shown = _after(guess, reply, then=denial)
    assert shown.startswith(_EN if lang == "en" else _JA)


def test_who_tells_something_else_beside_a_denial_has_told_something() -> None:
    reply = "The print head was clogged."
    assert _after("The print head is likely clogged.", reply, then="The cable is not loose.") == reply


@pytest.mark.parametrize(
    ("guess", "reply"),
    [
        (_DRIP, "You don't need a wrench, now that the inlet valve is settled as the source of the drip."),
        (_DRIP, "The neighbour was wrong, and the inlet valve is confirmed as the source of the drip."),
        (_DRIP, "There is no sign of rust, and the drip from the inlet valve is a settled matter."),
        (
            "給水弁から水が漏れているのかもしれません。",
            "予約を取り消しましたが、給水弁から水が漏れている件はもう決着ですね。",
        ),
        (
            "給水弁から水が漏れているのかもしれません。",
            "鍵が要るのではありませんが、給水弁から水が漏れている線で話がついています。",
        ),
    ],
)
def test_a_denial_in_another_clause_is_no_way_round(guess: str, reply: str) -> None:
    assert guess in _after(guess, reply, then="I looked at the hose. Which tools?")
