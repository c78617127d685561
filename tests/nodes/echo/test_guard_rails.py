"""What the verifier says to a caller who hands it something that it cannot use."""

from __future__ import annotations

from typing import Any

import pytest

from rqa_nodes.echo import Injected, verify


@pytest.mark.parametrize("mode", ["lenient", "STRICT", ""])
def test_an_unknown_mode_is_refused_and_the_known_ones_are_named(mode: Any) -> None:
    with pytest.raises(ValueError, match=r"strict, annotate, report") as caught:
        verify("Tea is served.", mode=mode)
    assert repr(mode) in str(caught.value)


@pytest.mark.parametrize("source", ["model", "User", "", "tool"])
def test_an_unknown_source_is_refused_and_the_classes_are_named(source: str) -> None:
    with pytest.raises(ValueError, match="user, assistant, external, system") as caught:
        Injected(handle="k3v9xq", source=source, text="I drink green tea.")
    assert repr(source) in str(caught.value)


@pytest.mark.parametrize("row", ["user", ("user",), ("user", "a", "b"), {"role": "user"}, ("user", None), 7, None])
def test_a_transcript_row_that_is_no_pair_is_refused_in_words(row: Any) -> None:
    with pytest.raises(TypeError, match=r"a row of the transcript is .* pair"):
        verify("Tea is served.", transcript=[row])


@pytest.mark.parametrize("key", ["text", "content"])
def test_a_mapping_with_role_and_text_is_a_transcript_row(key: str) -> None:
    reply = "You said that your train leaves at nine."
    row = {"role": "user", key: "My train leaves at nine."}
    assert verify(reply, transcript=[row]).text == reply
    assert verify(reply).text != reply


@pytest.mark.parametrize(
    ("lang", "words"),
    [("en", "1 found and left in place (unknown id)"), ("ja", "検出のみ1件(不明なID)"), ("zh", "仅检出1条")],
)
def test_report_mode_says_in_its_line_what_it_found(lang: str, words: str) -> None:
    reply = "Tea is served at four [m:qq77rr]."
    report = verify(reply, mode="report")
    assert report.text == reply
    assert words in report.one_line(lang)
