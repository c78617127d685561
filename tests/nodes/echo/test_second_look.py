"""A second look at what left changes nothing: the soups that once did, and a fixed draw of new ones.

`python -m tests.nodes.echo.test_second_look 200000 7` draws as many as it is told, with a seed of its own.
"""

from __future__ import annotations

import random
import sys

import pytest

from rqa_nodes.echo import IncrementalVerifier, Injected, verify

ITEMS = (
    Injected(handle="k3v9xq", source="user", text="I might move to Tromso in spring.", id="n_K3V9XQ77AB12CD34EF56"),
    Injected(handle="zz11yy", source="assistant", text="The gasket may be worn.", id="n_ZZ11YY77AB12CD34EF56"),
)
TALK = (
    ("user", "The harbour pump leaks. 港のポンプが水漏れします。"),
    ("assistant", "My guess is that the gasket is worn. ガスケットの摩耗が原因です。"),
    ("user", "Let us paint the boat."),
)
PIECES = (
    *("As we established, ", "we agreed that ", "You said ", "the gasket is worn", ". ", ", ", "! ", "\n", "\n\n", "x"),
    *("[m:k3v9xq]", "[m:zz11yy]", "[m:nope99]", "[m:", "]", "[", "(", ")", "「", "」", "『", "』", "【", '"', "“", "”"),
    *(
        "`",
        "``",
        "```\n",
        "~~~\n",
        "```\nx\n```\n",
        "> ",
        "- ",
        "1. ",
        "**",
        "| ",
        "# ",
        "node 54",
        "#146",
        " (237, 238) ",
    ),
    *(
        "確認した通り、",
        "ガスケットの摩耗が原因",
        "だと確認しました",
        "とおっしゃいました",
        "。",
        "合意済み",
        "記録しました",
        "以前",
    ),
    *(
        "I saved that",
        "Nothing that I recalled this turn says so.",
        "I suggested earlier (unverified): ",
        "(we settled this)",
        "confirmed",
    ),
    *(
        "\u200b",
        "\u202e",
        "\u2028",
        "［ｍ：ｚｚ］",
        "正如我们之前讨论的，",
        "word " * 30,
        "語" * 60,
        "no. ",
        "a.b",
        "you and i ",
    ),
)
ONCE = (
    "「ガスケットの摩耗が原因」［ｍ：ｚｚ］As we established, | [Nothing that I recalled this turn says so.』# that "
    + "word " * 60
    + "You said ]]：",
    "n_ABCD1234EFGH5678> ［ｍ：ｚｚ］…I suggested earlier (unverified): 。> ```\nx\n```\nYou said 」“x語",
    "？you and i the gasket is wornとおっしゃいました    ’\tnode 54this I said 【[m:k3v9]"
    + "word " * 30
    + "\u2028you and i ",
    "[m:```\nx\n```\n)))I saved that以前n_ABCD1234EFGH5678worn gasketconfirmedとおっしゃいました",
    "confirmed[m:k3v9]摩耗Nothing that I recalled this turn says so.(ノード169)\tだと確認しました(confirmed)！",
    "」worn gasketnode 54|\n``node 54! you and i 2019年",
)


def soup(draw: random.Random) -> str:
    return "".join(draw.choice(PIECES) for _ in range(draw.randint(1, draw.choice((6, 12, 24, 40)))))


def stands(text: str) -> bool:
    once = verify(text, injected=ITEMS, transcript=TALK).text
    return verify(once, injected=ITEMS, transcript=TALK).text == once


@pytest.mark.parametrize("text", ONCE)
def test_what_once_changed_at_a_second_look_stands_now(text: str) -> None:
    assert stands(text)


def test_a_second_look_at_a_thousand_soups_changes_nothing() -> None:
    draw = random.Random(20)
    assert [text for text in (soup(draw) for _ in range(1000)) if not stands(text)] == []


def test_a_stream_never_shows_what_the_whole_does_not_begin_with() -> None:
    draw = random.Random(21)
    for _ in range(300):
        text = soup(draw)
        whole = verify(text, injected=ITEMS, transcript=TALK)
        verifier, shown, at = IncrementalVerifier(injected=ITEMS, transcript=TALK), "", 0
        while at < len(text):
            size = draw.choice((1, 2, 3, 5, 9, 40, 200))
            shown += verifier.feed(text[at : at + size])
            at += size
            assert whole.text.startswith(shown)
        tail, report = verifier.finish()
        assert shown + tail == whole.text
        assert report == whole


def _main(count: int, seed: int) -> int:
    draw = random.Random(seed)
    changed = [text for text in (soup(draw) for _ in range(count)) if not stands(text)]
    sys.stdout.write(f"{count} soups, seed {seed}: {len(changed)} changed at a second look\n")
    sys.stdout.writelines(f"{text!r}\n" for text in changed[:5])
    return bool(changed)


if __name__ == "__main__":
    raise SystemExit(_main(int(sys.argv[1]), int(sys.argv[2])))
