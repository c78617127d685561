"""What the user really said may be said again, and what the assistant only guessed is never settled."""

from __future__ import annotations

from pathlib import Path

import pytest

from rqa_nodes.echo import Injected, verify

HERE = Path(__file__).parent


def rows(name: str) -> list[list[str]]:
    lines = (HERE / name).read_text(encoding="utf-8").splitlines()
    return [line.split("\t") for line in lines if not line.startswith("#")]


@pytest.mark.parametrize(("lang", "said", "reply"), rows("backed_cjk.tsv"))
def test_what_the_user_said_is_backed_by_an_item_and_by_the_talk(lang: str, said: str, reply: str) -> None:
    item = Injected(handle="h1zz1q", source="user", text=said, id="n_h1zz1q77ab12cd34ef56")
    assert verify(reply, injected=[item], lang=lang).text == reply
    assert verify(reply, transcript=[("user", said), ("assistant", "わかりました。")], lang=lang).text == reply


@pytest.mark.parametrize(("lang", "guess", "asked", "reply", "gone"), rows("planted_cjk.tsv"))
def test_a_guess_is_never_settled_and_what_owns_up_to_it_stays(
    lang: str, guess: str, asked: str, reply: str, gone: str
) -> None:
    talk = [("user", asked), ("assistant", guess), ("user", "次は？" if lang == "ja" else "然后呢？")]
    report = verify(reply, transcript=talk, lang=lang)
    if gone:
        assert not any(words in report.text for words in gone.split("|"))
    else:
        assert report.text == reply
    assert verify(report.text, transcript=talk, lang=lang).text == report.text


def test_a_reference_to_a_question_settles_nothing() -> None:
    asked = [Injected(handle="m1s0fz", source="user", text="味噌は冷凍できますか？", id="n_m1s0fz77ab12cd34ef56")]
    reply = "前に確認しましたように、味噌は冷凍できます [m:m1s0fz]。"
    assert verify(reply, injected=asked, lang="ja").text == "味噌は冷凍できます [m:m1s0fz]。"
    quoted = "味噌が冷凍できるかお尋ねでしたね [m:m1s0fz]。冷凍できます。"
    assert verify(quoted, injected=asked, lang="ja").text == quoted
    stated = [Injected(handle="m1s0fz", source="user", text="味噌は冷凍できると確認した", id="n_m1s0fz77ab12cd34ef56")]
    assert verify(reply, injected=stated, lang="ja").text == reply
