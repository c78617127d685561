"""Nothing that a rule could find is left unread: the screens let through too much and never too little."""

from __future__ import annotations

import gc
import random
import re
from collections.abc import Iterator
from functools import cache
from typing import Any, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evals.suites.guard import load
from rqa_nodes.echo import IncrementalVerifier, Injected, references, verify
from rqa_nodes.echo.fold import fold
from rqa_nodes.echo.grammar import _compiled, _grammar
from rqa_nodes.echo.lazily import lazily
from rqa_nodes.echo.lexicon import load as load_words
from rqa_nodes.echo.screen import Screened
from rqa_nodes.echo.segment import Unit
from rqa_nodes.echo.sentence import Look
from rqa_nodes.echo.verbs_ja import Verbs, deed

ITEMS = (
    Injected(handle="k3v9xq", source="user", text="The pump leaks.", id="n_K3V9XQ77AB12CD34EF56"),
    Injected(handle="p8r2wd", source="assistant", text="ガスケットの摩耗が原因かもしれません。"),
)
TALK = (("user", "The pump leaks."), ("assistant", "My guess is that the gasket is worn."), ("user", "Why?"))


@cache
def corpus() -> tuple[str, ...]:
    """Every text of the corpora."""
    return tuple(str(item.row.get("reply", item.row.get("text"))) for item in load())


def cut_up(draw: random.Random) -> str:
    """Pieces of the corpora, put together anew."""
    parts = []
    for _ in range(draw.randint(1, 5)):
        text = draw.choice(corpus())
        at = draw.randint(0, len(text))
        parts.append(text[at : at + draw.randint(1, 40)])
    return "".join(parts)


def texts() -> Iterator[str]:
    draw = random.Random(4)
    yield from draw.sample(corpus(), 700)
    yield from (cut_up(draw) for _ in range(300))


def patterns(rules: tuple[Any, ...]) -> list[re.Pattern[str]]:
    found = []
    for field in rules:
        rows = field if isinstance(field, tuple) else (field,)
        found += [row for row in (row[0] if isinstance(row, tuple) else row for row in rows) if hasattr(row, "pattern")]
    return found


def screens() -> list[Screened[Any]]:
    """Every screen that the verifier has made, once it has read something in each language."""
    for text in texts():
        verify(text, injected=ITEMS, transcript=TALK)
    return [thing for thing in gc.get_objects() if isinstance(thing, Screened)]


def test_every_screen_keeps_each_pattern_that_matches() -> None:
    found = screens()
    assert len(found) > 5
    for screened in found:
        every = patterns(screened._rules)
        for text in (fold(text).text for text in texts()):
            kept = {pattern.pattern for pattern in patterns(screened.on(text))}
            missed = [pattern for pattern in every if pattern.pattern not in kept and pattern.search(text)]
            assert missed == [], text


class Pair(NamedTuple):
    word: re.Pattern[str]
    rows: tuple[tuple[re.Pattern[str], str], ...]
    name: str


PAIR = Pair(re.compile(r"(?<!x)tea$"), ((re.compile(r"caf[eé]\b"), "a"), (re.compile("水{2,3}"), "b")), "n")


@pytest.mark.parametrize(
    ("text", "word", "rows"),
    [
        ("tea", True, ""),
        ("a café", False, "a"),
        ("水水", False, "b"),
        ("tea and 水水水 café", True, "ab"),
        ("", False, ""),
    ],
)
def test_what_cannot_match_never_does(text: str, word: bool, rows: str) -> None:
    chosen = Screened(PAIR).on(text)
    assert (chosen.word is PAIR.word, "".join(name for _, name in chosen.rows), chosen.name) == (word, rows, "n")


def test_a_pattern_that_takes_capitals_for_small_letters_is_always_tried() -> None:
    assert Screened((re.compile("tea", re.IGNORECASE),)).on("TEA")[0].search("TEA")


def test_no_sentence_of_a_grammar_is_kept_from_its_rules() -> None:
    found = 0
    for lexicon in ("en_acts", "en_ids", "en_receipts", "en_talk"):
        every = _grammar(lexicon)
        for text in (fold(text).text for text in texts() if text.isascii()):
            kept = {row.rule["id"] for row in every.worth(text)}
            holds = {row.rule["id"] for row in every.rows if row.compiled.search(text)}
            found += len(holds)
            assert holds <= kept, text
        assert all(_compiled(row.unless) for row in every.rows), lexicon
    assert found > 50


def test_a_pattern_is_compiled_when_a_sentence_calls_for_it() -> None:
    word = lazily("tea")
    screened = Screened((word,))
    screened.on("water")
    assert "search" not in vars(word)
    assert screened.on("hot tea")[0].search("hot tea")
    assert word.search("hot tea")
    assert "search" in vars(word)


@given(st.text(alphabet="ab水[]^-\\ .", max_size=8), st.text(alphabet="ab水[]^-\\ .", max_size=12))
def test_an_escaped_text_is_found_where_it_stands(word: str, around: str) -> None:
    pattern = re.compile(rf"(?<!z){re.escape(word)}(?!z)")
    assert Screened((pattern,)).on(around + word + around)[0] is pattern


class Unscreened(IncrementalVerifier):
    """Reads every sentence."""

    def _is_silent(self, seen: Look, text: str, unit: Unit) -> bool:
        return False


def test_a_sentence_that_is_left_unread_is_one_in_which_nothing_is_found() -> None:
    draw = random.Random(5)
    for text in (*texts(), *(" ".join(cut_up(draw) for _ in range(3)) for _ in range(200))):
        reader = Unscreened(injected=ITEMS, transcript=TALK)
        reader.feed(text)
        assert reader.finish()[1] == verify(text, injected=ITEMS, transcript=TALK), text


def test_a_pattern_of_references_matches_only_beside_its_signs() -> None:
    for text in (fold(text).text for text in texts()):
        for pattern, signs in references._SIGNS.items():
            assert not pattern.search(text) or any(sign in text for sign in signs), (pattern, text)


def test_a_verb_of_talking_begins_with_one_of_its_first_characters() -> None:
    groups = load_words("ja")["deeds"]
    pattern = deed(Verbs.of(groups["say"], groups["talk"], groups["settle"]))
    first, whole = re.compile(pattern[: pattern.index(")") + 1]), re.compile(pattern[pattern.index(")") + 1 :])
    found = 0
    for text in (fold(text).text for text in corpus()):
        for match in whole.finditer(text):
            found += 1
            assert first.match(text, match.start()), match[0]
    assert found > 500


def test_a_sentence_that_stands_twice_is_judged_twice() -> None:
    once = "As we established, the gasket is worn [m:k3v9xq]. See node 54. "
    for text in (once, "Tea is hot. " + once):
        report = verify(text * 3, injected=ITEMS, transcript=TALK)
        spans = [verdict.span for verdict in report.verdicts]
        first = [span for span in spans if span[0] < len(text)]
        assert spans == sorted({(a + n * len(text), b + n * len(text)) for a, b in first for n in range(3)})
