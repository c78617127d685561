"""Each row of the corpora: what is wrong goes, what is right stays, plain prose is untouched."""

from __future__ import annotations

from pathlib import Path

import pytest

from rqa_nodes.echo import Injected, verify

HERE = Path(__file__).parent
ITEMS = (
    Injected(
        handle="k3v9xq",
        source="user",
        text="Tea is at four. お茶は四時です。",
        id="n_K3V9XQ77AB12CD34EF56",
        author="mika",
    ),
    Injected(
        handle="ab0l1x",
        source="user",
        text="The lamp is blue. 灯りは青です。",
        id="n_AB01XX77AB12CD34EF56",
        author="mika",
    ),
    Injected(
        handle="zz11yy",
        source="assistant",
        text="The gasket may be worn. ガスケットの摩耗かもしれません。",
        id="n_ZZ11YY77AB12CD34EF56",
        author="model",
    ),
    Injected(
        handle="ee22ff", source="external", text="The pump needs oil.", id="n_EE22FF77AB12CD34EF56", author="manual.pdf"
    ),
)
KNOWN = (("st00le", "n_ST00LE77AB12CD34EF56"),)
TALK = (("assistant:Orla", "Good morning. おはようございます。"),)


def rows(lang: str) -> list[tuple[str, str, str, str, str]]:
    lines = (HERE / f"rows_{lang}.tsv").read_text(encoding="utf-8").splitlines()
    return [(lang, *line.split("\t")) for line in lines if not line.startswith("#")]  # type: ignore[misc]  # four columns


def plain(lang: str) -> list[str]:
    return (HERE / f"plain_{lang}.txt").read_text(encoding="utf-8").splitlines()


@pytest.mark.parametrize(("lang", "kind", "reply", "gone", "stands"), [*rows("en"), *rows("ja")])
def test_a_row_gets_its_verdict_and_its_repair(lang: str, kind: str, reply: str, gone: str, stands: str) -> None:
    report = verify(reply, injected=ITEMS, known=KNOWN, transcript=TALK, lang=lang)
    assert kind in report.counts
    assert stands in report.text
    for words in filter(None, gone.split("|")):
        assert words not in report.text
    assert verify(report.text, injected=ITEMS, known=KNOWN, transcript=TALK, lang=lang).text == report.text


@pytest.mark.parametrize("lang", ["en", "ja"])
def test_the_corpora_are_as_large_as_promised(lang: str) -> None:
    assert len(rows(lang)) >= 60
    assert len(set(plain(lang))) >= 150


@pytest.mark.parametrize("lang", ["en", "ja"])
def test_plain_sentences_are_untouched(lang: str) -> None:
    changed = {line: report.text for line in plain(lang) if (report := verify(line, lang=lang)).text != line}
    assert not changed


@pytest.mark.parametrize("lang", ["en", "ja"])
def test_plain_sentences_are_untouched_beside_items_and_in_one_text(lang: str) -> None:
    text = (" " if lang == "en" else "").join(plain(lang)[:120])
    report = verify(text, injected=ITEMS, known=KNOWN, transcript=TALK, lang=lang)
    assert report.text == text
    assert not report.verdicts


@pytest.mark.parametrize(
    ("reply", "clean"),
    [
        ("As mentioned in our previous chats, geese are loud.", "Geese are loud."),
        ("As you'll recall from our earlier session, geese are loud.", "Geese are loud."),
        ("As we discussed on Monday, the bill is due.", "The bill is due."),
        ("The bill, as we agreed in March, is due.", "The bill is due."),
        ("Back when we planned the garden, you chose roses.", "Nothing that I recalled this turn says so."),
        ("In the garden, you told me, roses grow.", "Nothing that I recalled this turn says so."),
        ("*You told me once that you fear geese.* Walk on.", "Nothing that I recalled this turn says so. Walk on."),
        ("**Memory updated.** Geese are loud.", "**I could not save that.** Geese are loud."),
        ("Given what you told me, the pond is deep.", "The pond is deep."),
    ],
)
def test_what_is_left_after_a_cut_is_a_sentence(reply: str, clean: str) -> None:
    assert verify(reply, lang="en").text == clean
    assert verify(clean, lang="en").text == clean


@pytest.mark.parametrize(
    ("reply", "said"),
    [
        ("As you said, the bus is late.", "The bus is late. What now?"),
        ("Given your history of asthma, avoid dust.", "I have a history of asthma. May I clean?"),
        ("Based on what you told me, the pump is blocked.", "The pump is noisy and blocked."),
        ('You said "never again", which sounds final.', "Never again! What now?"),
        ("You brought the lease up, so read clause four.", "My lease ends in May."),
        ("You ruled the fuse out. Try the cable.", "I have ruled out the fuse. What next?"),
        ("You did say that the fuse is fine. Try the cable.", "The fuse is fine. What next?"),
        ("You, as a nurse, told me that nights are hard.", "I'm a nurse and nights are hard. Help."),
        ("You told me you have decided to sell the piano.", "I have decided to sell the piano. How?"),
    ],
)
def test_what_the_user_said_may_be_taken_up(reply: str, said: str) -> None:
    assert verify(reply, user_text=said, lang="en").text == reply


BOILER = (
    ("user", "My boiler is from 2009 and it leaks a bit. I have a budget of 3000 euros. My landlord pays half."),
    ("assistant", "A new boiler costs between 2500 and 4000 euros. A heat pump may suit you better."),
    ("user", "I don't want a heat pump, we have no garden. What now?"),
)


@pytest.mark.parametrize("reply", (HERE / "backed_en.txt").read_text(encoding="utf-8").splitlines())
def test_what_was_said_stays_wherever_it_is_taken_up(reply: str) -> None:
    assert verify(reply, transcript=BOILER, lang="en").text == reply


@pytest.mark.parametrize(
    ("reply", "clean"),
    [
        ("You want a pool, you said; fine.", "Nothing that I recalled this turn says so. Fine."),
        ("As you want a pool, as you told me, ask first.", "As you want a pool, ask first."),
        ("You ruled out gas, so oil it is.", "Nothing that I recalled this turn says so. Oil it is."),
    ],
)
def test_what_was_not_said_goes_wherever_it_is_taken_up(reply: str, clean: str) -> None:
    assert verify(reply, transcript=BOILER, lang="en").text == clean


@pytest.mark.parametrize(
    ("reply", "clean"),
    [
        ("As seen in memory #195 and #198, the tide turns.", "As seen in memory #195, the tide turns."),
    ],
)
def test_of_two_items_the_one_that_was_given_stays(reply: str, clean: str) -> None:
    item = Injected(handle="195", source="user", text="The tide turns at noon.")
    assert verify(reply, injected=[item], lang="en").text == clean
