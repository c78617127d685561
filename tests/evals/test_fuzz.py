"""Promises of the fuzzer: it repeats itself, its detector sees what it must, and it finds a verifier that fails."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest

from evals import _fuzz_checks, fuzz
from evals._fuzz_checks import failures, foreign_ids
from evals._fuzz_detector import undisguised
from evals._fuzz_replies import KINDS, Reply
from evals.fuzz import main, make, run, tally
from rqa_graph import Injected, verify

FACTS: dict[str, Any] = {
    "injected": [Injected(handle="k3v9xq", source="user", text="Tea is at four.", id="n_K3V9XQ77AB12CD34EF56")],
    "transcript": [],
    "known": [],
    "written": [],
    "user_text": None,
    "documents": [],
    "lang": "en",
}


def reply(text: str, *, gone: tuple[str, ...] = ()) -> Reply:
    return Reply(text=text, facts=FACTS, kinds=("by_hand",), gone=gone)


@pytest.mark.parametrize(
    "text",
    [
        "[m:qq77rr]",
        "［ｍ：ｑｑ77ｒｒ］",
        "&#91;m&colon;qq77rr&#93;",
        "\\[m\\:qq77rr\\]",
        "[м:q\u200bq77rr]",
        "%5Bm:qq77rr%5D",
    ],
)
def test_the_detector_sees_an_id_in_every_dress(text: str) -> None:
    assert foreign_ids(f"Tea {text}.", reply("")) == ["qq77rr"]


@pytest.mark.parametrize(
    "text", ["[m:k3v9xq]", "[m:K3V9XQ]", "n_K3V9XQ77AB12CD34EF56", "`[m:qq77rr]`", "[see](x)", "[12]"]
)
def test_the_detector_passes_over_what_was_given_code_and_other_brackets(text: str) -> None:
    assert foreign_ids(f"Tea {text}.", reply("")) == []


def test_a_disguise_is_taken_off() -> None:
    assert undisguised("Ａｓ ｗе\u202e agreed") == "as we agreed"


def test_a_reply_is_the_same_whoever_makes_it() -> None:
    numbers = range(30)
    assert [make(number, seed=5)[0] for number in numbers] == [make(number, seed=5)[0] for number in numbers]
    assert make(1, seed=5)[0].text != make(1, seed=6)[0].text


def test_four_hundred_replies_of_every_kind_show_no_fault() -> None:
    found = tally(range(400), seed=7)
    assert found.failed == []
    assert set(KINDS) <= set(found.kinds)


class _Broken:
    """Verifiers that fail in one way each."""

    @staticmethod
    def crash(text: str, **facts: Any) -> Any:
        raise RuntimeError("no")

    @staticmethod
    def keep(text: str, **facts: Any) -> Any:
        return verify(text, **{**facts, "mode": "report"})


@pytest.mark.parametrize(
    ("broken", "text", "gone", "wrong"),
    [
        (_Broken.crash, "Tea.", (), "crashed: RuntimeError('no')"),
        (_Broken.keep, "Tea [m:qq77rr].", (), "an id that was not given is left: 'qq77rr'"),
        (_Broken.keep, "As we agreed, tea is hot.", ("As we agreed",), "a false claim is left: 'As we agreed'"),
    ],
)
def test_a_verifier_that_fails_is_found_out(
    monkeypatch: pytest.MonkeyPatch, broken: Any, text: str, gone: tuple[str, ...], wrong: str
) -> None:
    monkeypatch.setattr(_fuzz_checks, "verify", broken)
    assert wrong in list(failures(reply(text, gone=gone), random.Random(1)))


def test_a_run_that_was_stopped_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fuzz, "_CHUNK", 20)
    state = tmp_path / "state.json"
    whole = run(60, seed=3, jobs=1)
    run(40, seed=3, jobs=1, state=state)
    kept = json.loads(state.read_text("utf-8"))
    assert sorted(kept["done"]) == ["0", "20"]
    kept["done"]["0"]["kinds"]["marked"] = 1
    state.write_text(json.dumps(kept), "utf-8")
    gone_on = run(60, seed=3, jobs=1, state=state)
    assert gone_on["mutations"].pop("marked") == 1  # not done again
    assert gone_on == whole


def test_a_state_of_another_seed_is_not_taken_over(tmp_path: Path) -> None:
    state = tmp_path / "state.json"
    run(10, seed=3, jobs=1, state=state)
    assert run(10, seed=4, jobs=1, state=state) == run(10, seed=4, jobs=1)


def test_one_reply_can_be_looked_at(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--seed", "7", "--only", "3"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert shown["reply"] == make(3, seed=7)[0].text
    assert shown["wrong"] == []
