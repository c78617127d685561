"""A passage is words of the file as they stand there, on the line that it names, and fits one vector."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from rqa_checkpoints.passages import PASSAGE_CHARACTERS, cut_passages

TEXTS = st.lists(st.sampled_from([*"ab. !?\n#　。水車は\t", "\n\n", "\n# ", "long " * 99]), max_size=200).map("".join)


def test_paragraphs_stay_whole_and_headings_begin_a_passage() -> None:
    text = "# Hives\n\nFour of them.\n\nAt the wall.\n\n## Feeding\n\nTwelve litres.\n"
    found = [(passage.line, passage.text) for passage in cut_passages(text)]
    assert found == [(1, "# Hives\n\nFour of them.\n\nAt the wall."), (7, "## Feeding\n\nTwelve litres.")]


def test_a_long_paragraph_is_cut_at_the_ends_of_sentences() -> None:
    for sentence in ("The mill is old. ", "水車は古い。"):
        found = cut_passages(sentence * 200)
        assert len(found) > 1
        assert {passage.text[-1] for passage in found} == {sentence.strip()[-1]}
        assert {passage.line for passage in found} == {1}


def test_a_blank_text_has_none() -> None:
    assert cut_passages("") == cut_passages(" \n\n　\n") == []


@given(TEXTS)
def test_every_word_is_in_one_passage_on_the_line_that_it_names(text: str) -> None:
    found = cut_passages(text)
    assert "".join("".join(passage.text.split()) for passage in found) == "".join(text.split())
    lines = text.split("\n")
    for passage in found:
        assert 0 < len(passage.text) <= PASSAGE_CHARACTERS
        assert passage.text in text
        assert passage.text.split("\n")[0] in lines[passage.line - 1]
    assert [passage.line for passage in found] == sorted(passage.line for passage in found)
