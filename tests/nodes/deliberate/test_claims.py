"""A claim is carried by words that stand in a source, or by nothing."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rqa_graph.deliberating import differing
from rqa_nodes.deliberate.agreement import agreement, claim_f1, contradictions
from rqa_nodes.deliberate.claims import Claim, Document, claims_of, span_in, supports

FUJI = Document(
    handle="aaaaaa",
    text="Mount Fuji is 3,776 metres high. Visitors may not climb it in winter.",
    family="survey",
    authority=True,
)
ATLAS = Document(handle="bbbbbb", text="Mount Fuji is 3,776 metres high.", family="atlas", authority=False)
富士 = Document(
    handle="cccccc", text="富士山の高さは3776メートルです。冬の登山は禁止されています。", family="s", authority=True
)


@pytest.mark.parametrize(
    ("claim", "lang", "span"),
    [
        ("Mount Fuji is 3,776 metres high.", "en", "Mount Fuji is 3,776 metres high."),
        ("Mount Fuji is 3,776 metres high", "en", "Mount Fuji is 3,776 metres high."),
        ("Mount Fuji is 3,767 metres high.", "en", ""),
        ("Mount Fuji is not 3,776 metres high.", "en", ""),
        ("Mount Fuji is 3,776 feet high.", "en", ""),
        ("Visitors may climb Mount Fuji in winter.", "en", ""),
        ("Mount Fuji is the most beautiful mountain.", "en", ""),
        ("富士山の高さは3776メートルです。", "ja", "富士山の高さは3776メートルです。"),
        ("富士山の高さは3767メートルです。", "ja", ""),
        ("富士山の高さは3776メートルではありません。", "ja", ""),
        ("冬の登山は許可されています。", "ja", ""),
    ],
)
def test_only_words_that_say_it_carry_a_claim(claim: str, lang: str, span: str) -> None:
    text = 富士.text if lang == "ja" else FUJI.text
    assert span_in(claim, text, differing, lang) == span


def test_a_claim_counts_only_where_a_source_that_it_cites_carries_it() -> None:
    said = "Mount Fuji is 3,776 metres high."
    cited = supports(Claim(text=said, refs=("aaaaaa",)), [FUJI, ATLAS], differing, "en")
    assert [(one.handle, one.span) for one in cited] == [("aaaaaa", said), ("bbbbbb", said)]
    assert supports(Claim(text=said, refs=()), [FUJI, ATLAS], differing, "en") == ()
    assert supports(Claim(text=said, refs=("cccccc",)), [FUJI, ATLAS], differing, "en") == ()


def test_a_reference_behind_the_full_stop_belongs_to_the_sentence_before_it() -> None:
    found = claims_of("Mount Fuji is high. [m:aaaaaa] It is cold. [m:bbbbbb]", [FUJI, ATLAS])
    assert [claim.refs for claim in found] == [("aaaaaa",), ("bbbbbb",)]
    found = claims_of("富士山は高い。[m:aaaaaa]寒い[m:bbbbbb]。", [FUJI, ATLAS])
    assert [claim.refs for claim in found] == [("aaaaaa",), ("bbbbbb",)]


def test_a_quotation_claims_what_it_quotes() -> None:
    reply = "survey/fuji.md says: “Mount Fuji is 3,776 metres high” [m:aaaaaa]."
    (claim,) = claims_of(reply, [FUJI], ["survey/fuji.md", "The survey"])
    assert claim == Claim(text="Mount Fuji is 3,776 metres high", refs=("aaaaaa",))
    other = "My neighbour doubts that “Mount Fuji is 3,776 metres high” [m:aaaaaa]."
    (claim,) = claims_of(other, [FUJI], ["survey/fuji.md"])
    assert claim.text.startswith("My neighbour doubts")


def test_what_the_built_in_engine_says_of_itself_is_no_claim() -> None:
    assert claims_of("Without a language model I do not answer from general knowledge.") == ()


def test_two_wordings_agree_and_a_third_contradicts() -> None:
    one, other = ["Mount Fuji is 3,776 metres high."], ["The height of Mount Fuji is 3,776 metres."]
    assert claim_f1(one, one, differing, "en") == 1000
    assert agreement(one, [one, []], differing, "en") == 500
    assert agreement(one, [], differing, "en") == 0
    assert contradictions(one, one, differing, "en") == 0
    assert contradictions(one, ["Mount Fuji is 3,770 metres high."], differing, "en") == 1
    assert contradictions(one, ["Mount Fuji is not 3,776 metres high."], differing, "en") == 1
    assert contradictions(one, ["The Shinano River is 367 kilometres long."], differing, "en") == 0
    del other


@settings(max_examples=20)
@given(st.lists(st.sampled_from([FUJI.text, "Ann sells cloth.", "富士山は高い。", ""]), max_size=4))
def test_agreement_with_oneself_is_whole(claims: list[str]) -> None:
    said = [claim for claim in claims if claim.strip()]
    strict = lambda one, other, _lang: () if one == other else ("content",)  # noqa: E731  # one line of a test
    assert claim_f1(said, said, strict, "en") == 1000
    assert 0 <= claim_f1(said, claims[:1], strict, "en") <= 1000


@settings(max_examples=30)
@given(st.text(max_size=200), st.text(max_size=200))
def test_nothing_that_a_model_writes_makes_it_raise(answer: str, text: str) -> None:
    document = Document(handle="aaaaaa", text=text, family="f", authority=False)
    for claim in claims_of(answer, [document], ["x.md"]):
        for one in supports(claim, [document], differing, "en"):
            assert one.span in text
