"""A document that does not fit is read in parts, within the time and with every part accounted for."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from rqa_nodes.errors import ModelUnavailableError
from rqa_nodes.models import estimate_prompt
from rqa_nodes.prompts import read
from rqa_nodes.reflect.reading import NOTES
from rqa_nodes.scripted import ScriptedChatModel, ScriptedEvaluator
from tests.support.graphs import analysis, evaluation, with_memory_saver
from tests.support.opened import Opened
from tests.support.turns import Form, Told, tell

ROOM = 3600
WORDS = {"en": "Read this note.", "ja": "この覚え書きを分析してください。"}
TEXTS = {
    "en": "".join(
        f"The mill number {number} pays for itself, because the river is free.\n\n" for number in range(1500)
    ),
    "ja": "".join(f"第{number}の製粉所は元が取れる。川は無料だからだ。\n\n" for number in range(1500)),
}
QUESTIONS = {
    "en": ["What would the mill lose?", "Who pays for the mill?", "Is the river free to all?"],
    "ja": ["製粉所は何を失うのか？", "製粉所の費用は誰が払うのか？", "川は誰にとって無料なのか？"],
}
langs = pytest.mark.parametrize("lang", ["en", "ja"])


class _Reader(ScriptedChatModel):
    """Answers every analysis; a part with these words in it may fail."""

    def __init__(self, lang: str, *, fails: Callable[[str], Exception | None] = lambda _text: None) -> None:
        super().__init__([], room=ROOM)
        self._lang, self._fails = lang, fails

    def _next(self, messages: Any) -> str:
        assert estimate_prompt(messages) <= ROOM, "a prompt that does not fit is never sent"
        shown = read(list(messages)).documents
        self._replies = [self._fails(shown[0].text if shown else "") or analysis(QUESTIONS[self._lang])]
        return super()._next(messages)

    @property
    def locators(self) -> list[str]:
        return [document.locator for prompt in self.prompts for document in read(prompt).documents]


def _review(opened: Opened, model: _Reader, lang: str, form: Form = "sync", text: str = "") -> Told:
    graph = with_memory_saver(opened(model, [evaluation((5, 5, 5, 5), (4, 4, 4, 4), (3, 3, 3, 3))] * 5))
    documents = [{"locator": "note.md", "text": text or TEXTS[lang]}]
    return tell(graph, WORDS[lang], form=form, documents=documents, instrument=True)


@pytest.mark.parametrize(("lang", "form"), [("en", "sync"), ("ja", "async")])
def test_all_parts_are_read_and_the_panel_says_so(lang: str, form: Form, opened: Opened) -> None:
    model = _Reader(lang)
    told = _review(opened, model, lang, form)
    [row] = told.result.panel["reading"]  # type: ignore[index]  # a review has a panel
    assert row["parts"] > 4
    assert (row["read"], row["unread"]) == (list(range(1, row["parts"] + 1)), [])
    parts = [name for name in model.locators if name != NOTES]
    assert parts == [f"note.md {number}/{row['parts']}" for number in row["read"]], "each part once, in order"
    assert model.locators.count(NOTES) == 3, "the rounds are made over the notes, and read nothing twice"
    counted = {
        "en": f"in {row['parts']} parts; read: 1-{row['parts']}; not read: none",
        "ja": f"{row['parts']}個に分割",
    }
    assert counted[lang] in told.result.text
    shown = [read(prompt).documents[0].text for prompt in model.prompts if read(prompt).documents[0].locator != NOTES]
    assert "".join(shown) == TEXTS[lang], "nothing between the parts is left out"
    assert [e["stage"] for e in told.events if e["type"] == "progress"].count("read") == row["parts"]
    assert len(repr(told.state)) < 60_000, "the state holds neither the text nor the notes"


@langs
def test_a_part_that_fails_is_named_as_not_read(lang: str, opened: Opened) -> None:
    third = {"en": "number 300 ", "ja": "第300の"}[lang]
    model = _Reader(lang, fails=lambda text: ModelUnavailableError("no") if third in text else None)
    told = _review(opened, model, lang)
    [row] = told.result.panel["reading"]  # type: ignore[index]  # a review has a panel
    assert len(row["unread"]) == 1
    assert f"{'not read' if lang == 'en' else '読んでいない部分'}: {row['unread'][0]}" in told.result.text


@langs
def test_a_server_that_is_gone_is_not_asked_for_every_part(lang: str, opened: Opened) -> None:
    model = _Reader(lang, fails=lambda _text: ModelUnavailableError("gone"))
    told = _review(opened, model, lang)
    assert len(model.prompts) == 2
    assert (told.result.engine, told.result.degraded) == ("builtin", True)
    [row] = told.result.panel["reading"]  # type: ignore[index]  # a review has a panel
    assert (row["parts"], row["unread"]) == (1, []), "the built-in engine reads the whole"


@langs
def test_time_ends_the_reading_and_the_rest_is_named(lang: str, opened: Opened) -> None:
    passed = [timedelta()]

    def slowly(text: str) -> None:
        if "reading notes" not in text:
            passed[0] += timedelta(seconds=100)

    model = _Reader(lang, fails=slowly)
    services = opened(model)
    clock = services.clock
    services.clock = lambda: clock() + passed[0]
    graph = with_memory_saver(services)
    told = tell(
        graph, WORDS[lang], documents=[{"locator": "n.md", "text": TEXTS[lang]}], instrument=True, evaluator=False
    )
    [row] = told.result.panel["reading"]  # type: ignore[index]  # a review has a panel
    assert row["read"] == [1, 2, 3, 4], "600 s, of which reading takes 60 %: the fourth begins at 300 s"
    assert row["unread"]
    assert told.result.stop_reason == "time_limit"


@langs
def test_what_fits_is_given_whole(lang: str, opened: Opened) -> None:
    model = _Reader(lang)
    text = TEXTS[lang][:2000]
    told = _review(opened, model, lang, text=text)
    assert set(model.locators) == {"note.md"}
    assert told.result.panel["reading"] == [  # type: ignore[index]  # a review has a panel
        {"locator": "note.md", "characters": len(text), "parts": 1, "read": [1], "unread": []}
    ]


@langs
def test_a_judge_with_less_room_is_shown_the_passages_and_the_panel_says_so(lang: str, opened: Opened) -> None:
    judge = ScriptedEvaluator([evaluation((9, 9, 9, 9), (4, 4, 4, 4), (3, 3, 3, 3))] * 5, room=4000)
    told = tell(
        with_memory_saver(opened(_Reader(lang), judge)),
        WORDS[lang],
        documents=[{"locator": "note.md", "text": TEXTS[lang]}],
        instrument=True,
    )
    assert estimate_prompt(judge.prompts[0]) <= 4000
    [row] = [row["evaluator"] for row in told.result.panel["reading"] if "evaluator" in row]  # type: ignore[index]
    assert row["characters"] < row["of"]
    assert f"{row['of']}" in told.result.text
    assert not told.result.degraded
