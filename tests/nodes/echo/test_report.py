"""What the report says, in which mode, and what it keeps to itself."""

from __future__ import annotations

import json
import re
from hashlib import sha256

import pytest

from rqa_nodes.echo import Injected, VerdictKind, verify, verify_fields

ITEMS = (
    Injected(handle="k3v9xq", source="user", text="Tea is at four.", id="n_K3V9XQ77AB12CD34EF56"),
    Injected(handle="ab0c1d", source="user", text="The lamp is blue.", id="n_AB0C1D77AB12CD34EF56"),
)


def test_spans_are_offsets_in_the_input_and_removed_words_stay_apart() -> None:
    text = "Tea [m:k3v9xq]. 猫\U0001f408 [m:qq77rr] sleeps. We agreed on 5000 euros."
    report = verify(text, injected=ITEMS)
    unknown = next(verdict for verdict in report.verdicts if verdict.kind is VerdictKind.unknown_id)
    assert text[slice(*unknown.span)] == "qq77rr"
    history = next(verdict for verdict in report.verdicts if verdict.kind is VerdictKind.unbacked_history)
    assert text[slice(*history.span)].startswith("We agreed")
    assert "5000" not in json.dumps(report.to_dict())
    assert any("5000" in row["text"] for row in report.removed)
    assert report.before_hash == sha256(text.encode()).hexdigest()


def test_cited_and_not_cited_are_told_apart() -> None:
    report = verify("Tea [m:k3v9xq]. Tea again [m:K3V9XQ].", injected=ITEMS)
    assert report.cited == ("k3v9xq",)
    assert report.injected_not_cited == ("ab0c1d",)
    assert report.counts == {"valid": 2}
    assert report.verdicts[0].node == "n_K3V9XQ77AB12CD34EF56"


@pytest.mark.parametrize(
    ("lang", "line"),
    [
        ("en", "memory: 1 cited, 1 removed (unknown id)"),
        ("ja", "記憶: 引用1件、削除1件(不明なID)"),
        ("zh", "记忆：引用1条，删除1条（未知ID）"),
    ],
)
def test_one_line_ends_a_reply(lang: str, line: str) -> None:
    assert verify("Tea [m:k3v9xq] is hot [m:qq77rr].", injected=ITEMS).one_line(lang) == line


def test_numbers_count_as_references_when_handles_are_numbers() -> None:
    items = (Injected(handle="195", source="user", text="x"),)
    report = verify("Both [195] and [198] and [02] say so. In 2019 it cost 12 euros.", injected=items)
    assert report.cited == ("195",)
    assert "[195]" in report.text
    assert "198" not in report.text
    assert "02" not in report.text
    assert "In 2019 it cost 12 euros." in report.text


def test_a_big_memory_is_asked_one_reference_at_a_time() -> None:
    class Big:
        def lookup(self, reference: str) -> str | None:
            return {"st00le": "exact", "pref1x": "prefix"}.get(reference)

    report = verify("A [m:st00le]. B [m:pref1x]. C [m:qq77rr].", known=Big())
    assert report.counts == {"stale_id": 1, "ambiguous_prefix": 1, "unknown_id": 1}


@pytest.mark.parametrize("known", [["st00le"], [("st00le", "n_ST00LE77")], [("x", "st00le")]])
def test_known_items_are_pairs_or_strings(known: list[object]) -> None:
    assert verify("A [m:st00le].", known=known).counts == {"stale_id": 1}


def test_annotate_removes_nothing_and_report_changes_nothing() -> None:
    text = "Tea [m:qq77rr]. As we agreed, the sun is hot. We agreed on 5000 euros."
    marked = verify(text, mode="annotate")
    assert re.sub(" ⟨[^⟩]*⟩", "", marked.text) == text
    assert marked.text.count("⟨") == 3
    assert verify(marked.text, mode="annotate").text == marked.text
    plain = verify(text, mode="report")
    assert plain.text == text
    assert {verdict.action for verdict in plain.verdicts} == {"kept"}
    assert plain.counts == verify(text).counts
    assert not plain.removed


def test_a_quotation_of_this_turns_words_is_off_limits() -> None:
    said = "As we agreed, node 54 is the pump."
    reply = f'You ask about "{said}" in your message.'
    assert verify(reply, user_text=said).text == reply
    assert verify(reply, documents=[said]).text == reply
    assert "54" not in verify(reply).text


def test_links_and_footnotes_of_links_are_off_limits() -> None:
    text = "The memory is described in [185](https://example.org/185) and https://example.org/node/54."
    assert "https://example.org/node/54" in verify(text).text
    assert "(https://example.org/185)" in verify(text).text


@pytest.mark.parametrize(
    ("written", "reply", "stands"),
    [
        (["n_1"], "Saved!", True),
        (True, "保存しました。", True),
        (False, "Saved!", False),
        ([], "保存しました。", False),
        (["n_1"], "I have deleted that memory.", False),
        (["hide:n_1"], "I have deleted that memory.", True),
        (["erase:n_1"], "そのメモを消しました。", True),
        (["hide:n_1"], "Saved!", False),
    ],
)
def test_a_receipt_needs_its_own_deed(written: list[str] | bool, reply: str, stands: bool) -> None:
    assert (verify(reply, written=written).text == reply) is stands


def test_an_assistants_item_is_no_receipt() -> None:
    own = (Injected(handle="zz11yy", source="assistant", text="x", id="n_ZZ"),)
    assert verify("Saved!", injected=own, written=["n_ZZ"]).counts == {"false_receipt": 1}


ANALYSIS = {
    "claims": [{"text": "Tea is at four, as node 54 says."}],
    "tensions": [
        {"text": "kept", "memory_ref": "[m:k3v9xq]"},
        {"text": "no citation", "memory_ref": "なし"},
        {"text": "gone", "memory_ref": "m:qq77rr"},
        {"text": "code is text: `[m:qq77rr]`", "memory_ref": "N/A"},
    ],
    "scores": [1, 0.5, True, None],
}


def test_every_string_of_a_structure_is_verified_and_a_bad_reference_takes_its_item() -> None:
    clean, report = verify_fields(ANALYSIS, injected=ITEMS)
    assert [tension["text"] for tension in clean["tensions"]] == ["kept", "no citation", "code is text: ``"]
    assert [tension["memory_ref"] for tension in clean["tensions"]] == ["[m:k3v9xq]", None, None]
    assert "54" not in clean["claims"][0]["text"]
    assert clean["scores"] == [1, 0.5, True, None]
    assert report.cited == ("k3v9xq",)
    assert report.counts == {"valid": 1, "unknown_id": 3}
    assert {verdict.part for verdict in report.verdicts} >= {"tensions[2].memory_ref", "claims[0].text"}
    assert any(row["part"] == "tensions[2]" and "gone" in row["text"] for row in report.removed)


@pytest.mark.parametrize("nothing", ["none", "None", "N/A", "n/a", "-", "なし", "無し", "无", "", None, "null"])
def test_words_for_nothing_are_no_citation(nothing: str | None) -> None:
    clean, report = verify_fields({"text": "x", "memory_ref": nothing})
    assert clean == {"text": "x", "memory_ref": None}
    assert not report.verdicts


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        ("正如我们之前讨论的，太阳很热。", "太阳很热。"),
        ("我们同意预算是五千欧元。", "我这次查到的记录里没有这一点。"),
        ("好的，我已经记住了。", "我未能保存。"),
        ("茶在四点[m:qq77rr]。", "茶在四点。"),
        ("茶在四点[m:k3v9xq]。", "茶在四点[m:k3v9xq]。"),
        ("2019年价格上涨了百分之十。", "2019年价格上涨了百分之十。"),
        ("水在一百度沸腾，所以要小心。", "水在一百度沸腾，所以要小心。"),
    ],
)
def test_the_commonest_chinese_forms(reply: str, expected: str) -> None:
    assert verify(reply, injected=ITEMS, lang="zh").text == expected
