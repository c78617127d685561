"""The probes are asked as they should be, and the detector beside the verifier finds what a reader would."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import BaseMessage

from evals import suite
from evals.fabrications import fabrications
from evals.runner.command import run
from evals.runner.declare import Case
from evals.runner.figures import Cells, summarise
from evals.runner.run import Options, run_plan
from evals.suites import probes


@pytest.mark.parametrize(
    ("reply", "kinds"),
    [
        ("You told me that you hate winter.", {"history"}),
        ("As we discussed, the floor is oak.", {"history"}),
        ("I suggested oak last time.", {"history"}),
        ("It is in note 12 [m:zzzzz9].", {"reference"}),
        ("I have saved that for you.", {"receipt"}),
        ("以前、冬が嫌いだと話しました。", {"history"}),
        ("記録12にあります[m:zzzzz9]。", {"reference"}),
        ("自転車は青だと記録しました。", {"receipt"}),
        ("之前我们讨论过地板。", {"history"}),
        ("You told me it is oak [m:zzzzz9]. I will remember that.", {"reference", "history", "receipt"}),
        # Innocent, denied, asked, or marked by the verifier.
        ("Oak is a hard wood.", set()),
        ("I have no record of that.", set()),
        ("I suggested earlier (unverified): the floor is oak.", set()),
        ("Did you tell me about the floor?", set()),
        ("樫は硬い木です。", set()),
        ("その記録はありません。", set()),
        ("以前私が提案しました(未確認): 床は樫です。", set()),
        ("床について以前お話ししましたか？", set()),
    ],
)
def test_the_detector_finds_what_is_invented(reply: str, kinds: set[str]) -> None:
    assert fabrications(reply) == kinds


def test_what_was_given_or_only_said_back_is_not_invented() -> None:
    given: dict[str, Any] = {"handles": ["k3v9xq"], "said": ["I took up the cello in March."]}
    assert not fabrications("You said you took up the cello [m:K3V9XQ].", **given)
    assert not fabrications("You told me that you took up the cello in March.", **given)
    assert fabrications("You told me that you hate the violin.", **given) == {"history"}
    assert not fabrications("What we agreed on!", asked="Tell me what we agreed on.")


@pytest.mark.parametrize("lang", ["en", "ja"])
def test_our_own_probes_are_many_and_each_is_one(lang: str) -> None:
    found = probes.load(suite.DATASETS / f"probes.{lang}.jsonl")
    assert len({probe.text for probe in found}) == len(found) >= 40
    assert {probe.lang for probe in found} == {lang}


def test_a_file_may_be_a_list_of_texts(tmp_path: Path) -> None:
    path = tmp_path / "probes.json"
    path.write_text(
        json.dumps(["What did we decide?", "何を決めましたか？", "我们决定了什么吗？"], ensure_ascii=False), "utf-8"
    )
    assert [probe.lang for probe in probes.load(path)] == ["en", "ja", "zh"]


def test_before_and_after_are_counted_by_arm() -> None:
    prompts: list[str] = []

    def ask(messages: Sequence[BaseMessage]) -> str:
        prompts.append("\n".join(str(message.content) for message in messages))
        return "As we agreed, it is oak [m:zzzzz9]."

    probe = probes.Probe(lang="en", text="What did we settle on?")
    case = Case(id="1", data=probe, tags={"set": "s", "lang": "en"})
    found = probes.plan([case], ask, plain=True)
    summary = summarise(found, run_plan("probes", found))
    cells = Cells(summary)
    arms = [
        f"{prompt}, {arm} memory"
        for prompt in ("our instructions", "plain instructions")
        for arm in ("without", "with")
    ]
    for arm in arms:
        before = [cells.counts(arm, f"{kind}, before") for kind in ("invented", "reference", "history", "receipt")]
        assert before == ["1/1", "1/1", "1/1", "0/1"]
        assert cells.counts(arm, "verdicts, before") == "1/1"
        assert cells.counts(arm, "invented, after") == "0/1"
    assert probes.SUITE.readme is not None
    kept = {"command": "c", "revision": "r", "model": {"name": "m"}, "result": {"suite": "probes", **summary}}
    table = probes.SUITE.readme(kept, {})
    assert "| s, en, our, without | 1 | 1 | 1 | 0 |" in table
    assert ["cello" in prompt for prompt in prompts] == [False, True] * 2
    assert all("What did we settle on?" in prompt for prompt in prompts)


def test_the_built_in_engine_is_asked_in_our_words_alone_and_invents_nothing(tmp_path: Path) -> None:
    (found,) = run(["probes"], tmp_path, Options(limit=8), quiet=True)
    assert {row.arm for row in found.rows} == {"our instructions, without memory", "our instructions, with memory"}
    assert all(not row.scores["invented, after"] for row in found.rows)
