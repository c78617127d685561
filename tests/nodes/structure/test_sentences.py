"""Every sentence that the engine makes is whole: its quotations, its particles, its end and its language.

`data/notes.jsonl` has notes as people bring them, bullets, dialogues, letters and typing without full stops among them.
They were written before the rules that read them, forty a language in front of each round of rules.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rqa_nodes.prompt_parts import PromptParts
from rqa_nodes.structure.analyse import analyse
from rqa_nodes.structure.answer import reply
from rqa_nodes.structure.features import find
from rqa_nodes.structure.lexicon import Language, language, phrases, wording
from rqa_nodes.structure.segment import segment
from rqa_nodes.structure.template import Template
from tests.support.engine_inputs import INPUTS
from tests.support.examples import share

DATA = Path(__file__).parent / "data"
DATASETS = Path(__file__).parents[3] / "evals" / "datasets"
FILES = (
    DATA / "notes.jsonl",
    DATA / "kinds.jsonl",
    *(DATASETS / f"{name}.{lang}.jsonl" for name in ("questions", "router") for lang in ("en", "ja")),
)
TEXTS = sorted(
    {(row["lang"], row["text"]) for path in FILES for row in map(json.loads, path.read_text("utf-8").splitlines())}
    | {(row.lang, row.text) for row in INPUTS}
)

QUOTED = re.compile(r"“([^“”]*)”|「([^「」]*)」")
TWICE = {
    "en": re.compile(r"\b(\w+) \1\b|  | [,.;:?]|,,|\.\.|“ | ”", re.IGNORECASE),
    "ja": re.compile(r"([をがはにのもへ])\1|、、|。。|、。|？。|という」という"),
}
STARTS = {
    "en": re.compile(
        r"(?:than|which|whose|of|and|or|nor|but|because|means|is|are|was|were|'s|n't|me|him|us|them)\b|[,;:.?]"
    ),
    "ja": re.compile(
        r"[をっんゃゅょー、。]|が[^んっく]|へ[^やい]|しょう|すが|ので|のに|から[^だくめ]|ません|ました|と(?:しか|いう|言)"
    ),
}
ENDS = {
    "en": re.compile(
        r"\b(?:the|an?|of|to|and|or|but|nor|with|than|that|which|because|although|if|when|my|our|is|are|was)$|[,;:]$"
    ),
    "ja": re.compile(r"(?:[をへ、]|ので|のに|から|けど|けれど|てい|っ|まし|という)$"),
}
FOREIGN = {"en": re.compile(r"[^\x00-\x7f…]"), "ja": re.compile(r"[A-Za-z]{3}")}


def parts(text: str, lang: str) -> PromptParts:
    return PromptParts(task="analyse", lang=lang, user_text=text, candidates=6)


@cache
def analysed(text: str, lang: str) -> dict[str, Any]:
    return analyse(parts(text, lang))


def said_of(text: str, lang: str) -> Iterator[str]:
    """All that the analysis says in words of the engine: questions, tensions, assumptions, frames."""
    analysis = analysed(text, lang)
    yield from (draft["question"] for draft in analysis["question_candidates"])
    for name in ("tensions_input_internal", "assumptions", "frames"):
        yield from analysis["feature_map"][name]


def assert_whole(sentence: str, lang: str) -> None:
    assert all(one or other for one, other in QUOTED.findall(sentence)), sentence
    bare = QUOTED.sub("", sentence)
    assert not set("“”「」{}") & set(bare), sentence
    assert TWICE[lang].search(QUOTED.sub("Q", sentence)) is None, sentence
    assert FOREIGN[lang].search(bare) is None, sentence


def statements(text: str, lang: Language) -> Iterator[tuple[str, str]]:
    """Every phrase that fills a slot for statements, with the sentence it stands in."""
    for finding in find(segment(text), lang):
        row = wording(lang)[finding.feature]
        for template in (row.tension, row.assumption, row.frame, row.turn, *(form.text for form in row.questions)):
            if sentence := template.fill(finding.slots()):
                yield from ((finding.slots()[name], sentence) for name in _statement_slots(template))


def _statement_slots(template: Template) -> Iterator[str]:
    return (name for name, kinds in template.kinds.items() if kinds == {"clause"})


def test_the_corpora_are_there() -> None:
    assert len(TEXTS) > 800
    assert sum(lang == "ja" for lang, _ in TEXTS) > 400


@pytest.mark.parametrize("lang", ["en", "ja"])
def test_every_sentence_is_whole(lang: str) -> None:
    count = 0
    for text in (text for given_lang, text in TEXTS if given_lang == lang):
        for sentence in said_of(text, lang):
            assert_whole(sentence, lang)
            count += 1
    assert count > 3000


@pytest.mark.parametrize("lang", ["en", "ja"])
def test_every_question_ends_in_its_only_question_mark(lang: str) -> None:
    for text in (text for given_lang, text in TEXTS if given_lang == lang):
        for draft in analysed(text, lang)["question_candidates"]:
            bare = QUOTED.sub("", draft["question"])
            assert re.findall("[?？]", bare) == [bare[-1]] == ["?" if lang == "en" else "？"], draft["question"]


@pytest.mark.parametrize("lang", ["en", "ja"])
def test_what_stands_for_a_statement_begins_and_ends_as_one(lang: str) -> None:
    count = 0
    for text in (text for given_lang, text in TEXTS if given_lang == lang):
        for phrase, sentence in statements(text, language(lang)):
            assert STARTS[lang].match(phrase) is None, sentence
            assert ENDS[lang].search(phrase) is None, sentence
            assert not phrase.endswith("…"), sentence
            count += 1
    assert count > 1000


@pytest.mark.parametrize("lang", ["en", "ja"])
def test_what_an_answer_turns_on_is_said_in_whole_words(lang: str) -> None:
    openings = {phrases(lang)[name].split("{x}")[0] for name in ("turns", "turns_statement")}
    for text in (text for given_lang, text in TEXTS if given_lang == lang):
        answer = "".join(reply(PromptParts(task="answer", lang=lang, user_text=text)))
        if any(opening in answer for opening in openings):
            assert_whole(answer, lang)


def _pasted(lang: str) -> st.SearchStrategy[tuple[str, str]]:
    """A language, and a text pasted from pieces of its corpora, cut anywhere."""
    long = [text for given_lang, text in TEXTS if given_lang == lang and len(text) > 40]
    cut = st.tuples(st.sampled_from(long), st.integers(0, 200), st.integers(1, 300))
    pieces = cut.map(lambda of: of[0][of[1] : of[1] + of[2]])
    return st.lists(pieces, min_size=1, max_size=4).map("\n".join).map(lambda text: (lang, text))


@given(st.one_of(_pasted("en"), _pasted("ja")))
@share(50)
def test_whatever_is_cut_and_pasted_the_sentences_stay_whole(pasted: tuple[str, str]) -> None:
    lang, text = pasted
    for sentence in said_of(text, lang):
        assert all(one or other for one, other in QUOTED.findall(sentence)), sentence
        assert FOREIGN[lang].search(QUOTED.sub("", sentence)) is None, sentence
