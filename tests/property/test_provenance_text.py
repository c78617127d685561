"""Laws of folding, cutting, naming and wording, for any text in any script."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from rqa_checkpoints.answers import asks_back, denies, is_bare_denial, is_plain, repeats, without_affirmation
from rqa_checkpoints.likeness import restates, sketch
from rqa_checkpoints.provenance import (
    Kind,
    SourceClass,
    affirms,
    clean,
    fingerprint,
    fold,
    handle_base,
    has_block_markers,
    is_question,
    merge_origin,
    node_id,
    normal_reference,
    settle_kind,
    speaker_phrase,
    split_sentences,
    unique_handle,
)
from tests.support.memories import ANN

_ENGLISH = ["I keep bees. ", "Is it? ", "e.g. ", "3.5", "[m:a] ", "```\n", "- ", "\n"]
_JAPANESE = ["はい、その通り。", "「", "」", "。", "？", "😀"]
ANY = st.text(st.characters(), max_size=120)
MIXED = st.lists(st.sampled_from(_ENGLISH + _JAPANESE) | ANY, max_size=12).map("".join)


@given(MIXED)
def test_sentences_are_disjoint_substrings_in_order_with_every_letter(text: str) -> None:
    at = 0
    for sentence in split_sentences(text):
        at = text.index(sentence, at) + len(sentence)
    kept = [ch for sentence in split_sentences(text) for ch in sentence if ch.isalnum()]
    assert kept == [ch for ch in text if ch.isalnum()]


@given(MIXED)
def test_cutting_a_sentence_again_leaves_it_whole_unless_it_held_line_ends(text: str) -> None:
    for sentence in split_sentences(text):
        if len(sentence.splitlines()) == 1 and "「" not in sentence and "“" not in sentence:
            assert "".join(split_sentences(sentence)).replace(" ", "") == sentence.replace(" ", "")


@given(MIXED)
def test_folding_is_idempotent_and_blind_to_case_and_space(text: str) -> None:
    assert fold(fold(text)) == fold(text)
    assert fold(f"  {text}\n") == fold(text)


@given(MIXED)
def test_no_rule_raises_and_each_is_a_function_of_its_text(text: str) -> None:
    answers = (affirms, is_plain, without_affirmation, is_bare_denial, asks_back)
    for rule in (fingerprint, has_block_markers, is_question, sketch, clean, *answers):
        assert rule(text) == rule(text)
    assert restates(text, text)
    assert not repeats("", text)
    assert not denies(text, text) or is_bare_denial(text)
    assert not (affirms(text) and is_bare_denial(text))


@given(MIXED)
def test_cleaning_makes_a_text_that_can_be_stored_and_changes_no_other(text: str) -> None:
    cleaned = clean(text)
    assert len(cleaned.encode()) >= len(cleaned)
    assert clean(cleaned) == cleaned
    if not any("\ud800" <= ch <= "\udfff" for ch in text):
        assert cleaned == text


@given(MIXED, st.sampled_from([None, *Kind]))
def test_a_question_is_never_settled_as_an_assertion(text: str, asked: Kind | None) -> None:
    settled = settle_kind(text, asked)
    if is_question(text):
        assert settled not in {Kind.statement, Kind.claim, Kind.answer, Kind.value, Kind.intention, Kind.commitment}


@given(st.lists(ANY, min_size=1, max_size=6, unique=True), st.integers(0, 9))
def test_ids_differ_where_texts_differ_and_handles_are_free(texts: list[str], index: int) -> None:
    ids = [node_id(ANN, thread="th", turn_id="t", role="user", index=index, text=text) for text in texts]
    assert len(set(ids)) == len(texts)
    taken: set[str] = set()
    for item in ids:
        handle = unique_handle(item, taken)
        assert handle not in taken
        assert handle_base(item).startswith(handle)
        assert normal_reference(f"[m:{handle}]") == normal_reference(handle.upper()) == handle
        taken.add(handle)


@given(st.sampled_from(SourceClass), st.lists(st.lists(st.sampled_from(SourceClass))))
def test_an_origin_only_ever_grows(own: SourceClass, parents: Sequence[Sequence[SourceClass]]) -> None:
    origin = merge_origin(own, parents)
    assert set(origin) == {own, *(source for parent in parents for source in parent)}
    assert list(origin) == sorted(set(origin))
    assert merge_origin(own, [origin]) == origin


@given(st.sampled_from(["en", "ja", "zh"]), ANY, ANY)
def test_only_an_external_wording_depends_on_names(lang: str, author: str, locator: str) -> None:
    for source in SourceClass:
        phrase = speaker_phrase(source, lang, author=author, locator=locator)
        assert "\n" not in phrase
        if source is not SourceClass.external:
            assert phrase == speaker_phrase(source, lang)
