"""Promises of a reply with its marks: nothing that was shown is lost, and what was removed stands where it stood."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from rqa_graph.woven import Piece, weave
from rqa_nodes.echo import Injected, VerificationReport, verify

_GIVEN = (
    Injected(handle="k3v9xq", source="user", text="The alarm goes off at 5:40.", id="n_alarm"),
    Injected(handle="x8r2wd", source="user", text="最初の1枚で手が止まります。", id="n_first"),
)
_SAID = (("assistant", "Maybe you are afraid of failing."), ("user", "What do you know about me?"))

_SENTENCES = st.sampled_from(
    [
        "As we established, you are afraid of failing. ",
        "You said the alarm goes off at 5:40 [m:k3v9xq]. ",
        "You also wrote that you slept badly [m:7zq4kd]. ",
        "Putting the shoes beside the bed helps.\n\n",
        "先ほど確認した通り、失敗を恐れています。",
        "最初の1枚で手が止まるとおっしゃいました[m:x8r2wd]。",
        "記録にもあります[m:4kz9qd]。",
        "`[m:k3v9xq]` ",
        "- 一つ\n",
    ]
)


def _report(text: str) -> VerificationReport:
    return verify(text, injected=_GIVEN, transcript=_SAID)


def _woven(text: str) -> tuple[VerificationReport, list[Piece]]:
    report = _report(text)
    return report, weave(report.text, report.to_dict(), report.removed)


@settings(max_examples=40)
@given(st.lists(_SENTENCES, max_size=8).map("".join))
def test_the_shown_words_are_all_there_in_order_and_each_removal_once(text: str) -> None:
    report, pieces = _woven(text)
    assert "".join(piece.text for piece in pieces if piece.kind != "removed") == report.text
    removed = [piece.text for piece in pieces if piece.kind == "removed"]
    assert sorted(removed) == sorted(str(row["text"]) for row in report.removed)
    assert all(0 <= start <= end <= len(report.text) for start, end in (row["at"] for row in report.removed))


def test_a_cut_adverbial_stands_before_what_was_put_in_its_place() -> None:
    _, pieces = _woven("As we established, you are afraid of failing. It rains.")
    assert [(piece.kind, piece.text) for piece in pieces] == [
        ("removed", "As we established, "),
        ("put", "I suggested earlier (unverified):"),
        ("text", " you are afraid of failing. "),
        ("text", "It rains."),
    ]
    assert (pieces[0].verdict, pieces[0].action) == ("unbacked_history", "rewritten")


def test_a_sentence_is_a_claim_as_far_as_its_reference_holds() -> None:
    _, pieces = _woven("最初の1枚で手が止まるとおっしゃいました[m:x8r2wd]。記録にもあります[m:4kz9qd]。")
    assert [(piece.kind, piece.text, piece.node) for piece in pieces] == [
        ("claim", "最初の1枚で手が止まるとおっしゃいました", ""),
        ("reference", "[m:x8r2wd]", "n_first"),
        ("claim", "。", ""),
        ("text", "記録にもあります", ""),
        ("removed", "[m:4kz9qd]", ""),
        ("text", "。", ""),
    ]


def test_what_has_no_place_in_the_text_is_left_out() -> None:
    rows = [{"kind": "unknown_id", "span": [0, 4], "text": "gone", "part": "tensions[0]", "at": [0, 0]}]
    assert weave("It rains.", {}, rows) == [Piece(kind="text", text="It rains.")]
    assert weave("", {}, [{"kind": "unknown_id", "span": [0, 4], "text": "gone", "at": [9, 9]}])[0].text == "gone"
