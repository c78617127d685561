"""A fabricated id is found in every dress, and nothing of the dress is left behind."""

from __future__ import annotations

import pytest

from rqa_nodes.echo import IncrementalVerifier, Injected, verify
from rqa_nodes.echo.fold import fold

ITEM = Injected(handle="k3v9xq", source="user", text="Tea is at four.", id="n_K3V9XQ77AB12CD34EF56")

DRESSES = [
    "[m:qq77rr]",
    "[m\u200b:qq77rr]",
    "[\u2060m:q\u200dq77rr]",
    "［ｍ：ｑｑ77ｒｒ］",
    "[м:qq77rr]",
    "[[m:qq77rr]]",
    "[m:[qq77rr]]",
    "[(m:qq77rr)]",
    "&#91;m:qq77rr&#93;",
    "&lbrack;m:qq77rr&rbrack;",
    "&#x5b;m:qq77rr&#x5D;",
    "[m&colon;qq77rr]",
    "[m&#58;qq77rr]",
    "%5Bm:qq77rr%5D",
    "[m%3Aqq77rr]",
    "\\[m:qq77rr\\]",
    "\\[m\\:qq77rr\\]",
    "[m:qq77rr](https://x.y/z)",
    "[^m:qq77rr]",
    "<m:qq77rr>",
    "{m:qq77rr}",
    "【m:qq77rr】",
    "〔m：qq77rr〕",
    "⁅m:qq77rr⁆",
    "〈m:qq77rr〉",
    "[M:QQ77RR]",
    "[ m : qq77rr ]",
    "[m:qq77\u202err]",
    "[m꞉qq77rr]",
    "[mem:qq77rr]",
    "[memory:qq77rr]",
    "[m=qq77rr]",
    "[m-qq77rr]",
    "[m qq77rr]",
    "[m/qq77rr]",
    "[id:qq77rr]",
    "**[m:qq77rr]**",
    "*[m:qq77rr]*",
    "~~[m:qq77rr]~~",
    "[m:**qq77rr**]",
    "[m:`qq77rr`]",
    "[m:\nqq77rr]",
    "<b>[m:qq77rr]</b>",
    "[𝐦:𝐪𝐪𝟕𝟕𝐫𝐫]",
    "[ⓜ:qq77rr]",
    "[m:qq⑦⑦rr]",
    "[m\u0301:qq77rr]",
    "n_QQ77RR1122AB33CD44EF",
    "n\\_QQ77RR1122AB33CD44EF",
]


@pytest.mark.parametrize("dress", DRESSES)
def test_a_fabricated_id_goes_with_its_dress(dress: str) -> None:
    assert verify(f"Tea is at four {dress}.", injected=[ITEM]).text == "Tea is at four."
    assert verify(f"お茶は四時です{dress}。", injected=[ITEM]).text == "お茶は四時です。"


@pytest.mark.parametrize("dress", DRESSES)
def test_chunks_do_not_hide_it(dress: str) -> None:
    verifier = IncrementalVerifier(injected=[ITEM])
    shown = "".join(verifier.feed(char) for char in f"Tea is at four {dress}. And cake.")
    tail, _ = verifier.finish()
    assert shown + tail == "Tea is at four. And cake."


@pytest.mark.parametrize(
    "dress",
    [
        "[m:k3v9xq]",
        "［ｍ：ｋ３ｖ９ｘｑ］",
        "[[m:k3v9xq]]",
        "&#91;m:k3v9xq&#93;",
        "\\[m:k3v9xq\\]",
        "[^m:k3v9xq]",
        "[m=k3v9xq]",
    ],
)
def test_a_given_id_is_kept_in_the_same_dress(dress: str) -> None:
    text = f"Tea is at four {dress}."
    report = verify(text, injected=[ITEM])
    assert report.text == text
    assert report.cited == ("k3v9xq",)


@pytest.mark.parametrize("dash", ["-", "‐", "‑", "‒", "−"])
def test_a_uuid_called_memory_goes_whatever_its_dashes(dash: str) -> None:
    uuid = "7d1c6f0e-52aa-4c1e-9b1f-0a6b7c8d9e10".replace("-", dash)
    assert "7d1c" not in fold(verify(f"From memory {uuid}, tea is at four.").text).text


def test_a_row_of_references_to_nothing_goes_as_a_whole() -> None:
    report = verify("Tea is at four. " + "[m:qq77rr]" * 200 + "\nCake is at five.", injected=[ITEM])
    assert report.text.replace("\n", " ").split() == ["Tea", "is", "at", "four.", "Cake", "is", "at", "five."]


@pytest.mark.parametrize(
    ("text", "gone"),
    [
        ("See also memory N\u2067o. 5: tea is at four.", "5"),
        ("Ａｓ ｗｅ\nｄｉｓｃｕｓｓｅｄ, the moon is green.", "ｄｉｓｃｕｓｓｅｄ"),
        ("As we\n\u202bdiscussed, the moon is green.", "discussed"),
        ("Saved.\u202e Anything else?", "Saved"),
        ("Tea is at four [ｍ\n:ｑｑ77ｒｒ].", "ｑｑ77ｒｒ"),
        ("Tea is at four \\&lsqb;m\\&#58;qq77rr&#93;.", "qq77rr"),
    ],
)
def test_what_nobody_sees_hides_no_claim(text: str, gone: str) -> None:
    assert gone not in verify(text, injected=[ITEM], lang="en").text


def test_a_quotation_with_unseen_characters_is_still_one() -> None:
    report = verify("You said '\u200dCats, yes; dogs, never\u200c' [m:k3v9xq].", injected=[ITEM])
    assert "misquote" in report.counts


@pytest.mark.parametrize("text", ["\ud800As we agreed, tea is at four.", "先ほど確認した通り、\udfffお茶は四時です。"])
def test_half_a_character_stops_no_check(text: str) -> None:
    assert verify(text).counts == {"unbacked_history": 1}


CLAIM = "As we agreed, the bridge is blue."
HIDDEN_FENCES = ("`\u200b``", "\u200b```", "~~\u00ad~", "> ``\u2060`", "`\u115f``py")


@pytest.mark.parametrize("hidden", HIDDEN_FENCES)
@pytest.mark.parametrize(
    "around",
    [
        "{hidden}\nx = 1\n```\n\n{claim}",
        "{hidden}\n{claim}\n```\n",
        "```\nx = 1\n{hidden}\n\n{claim}\n",
        "{hidden}\n```\nx = 1\n```\n\n{claim}",
        "```\nx = 1\n{hidden}\n```\n\n{claim}",
    ],
)
def test_behind_a_fence_with_unseen_characters_nothing_is_code(hidden: str, around: str) -> None:
    text = around.format(hidden=hidden, claim=CLAIM)
    report = verify(text, lang="en")
    assert "we agreed" not in report.text
    assert "x = 1" in report.text or "x = 1" not in text
    assert verify(report.text, lang="en").text == report.text
    verifier = IncrementalVerifier(lang="en")
    assert "".join(verifier.feed(char) for char in text) + verifier.finish()[0] == report.text


@pytest.mark.parametrize("line", ["\u3000```", "～～～", "｀｀｀", "- `a` `b` `c`\u200b", "```py\u200b\n```"])
def test_what_only_resembles_a_hidden_fence_leaves_code_alone(line: str) -> None:
    text = f"{line}\n\n```\n{CLAIM}\n```\n"
    assert verify(text, lang="en").text == text
