"""Promises of the turn's benchmark: it runs, it compares, and it says where the time of a turn goes."""

from __future__ import annotations

import json
import random
import subprocess
from pathlib import Path

import pytest

from evals.bench._timed import Stopwatch
from evals.bench._turn_texts import draw_messages, draw_reply
from evals.bench.turn import main
from rqa_graph.resources import load_config
from rqa_nodes.echo import Injected
from rqa_nodes.route import Router

_ROOT = Path(__file__).parents[2]
_PARTS = ("turn", "encode_query", "memory_plan", "memory_commit", "checkpoint_put", "cpu")


def test_it_measures_turns_and_their_parts_beside_two_baselines(capsys: pytest.CaptureFixture[str]) -> None:
    main(["--nodes", "50", "--turns", "3", "--verifications", "2"])
    printed = json.loads(capsys.readouterr().out)
    assert (printed["unit"], printed["nodes"], printed["turns"], printed["verifications"]) == ("ms", 50, 3, 2)
    results = printed["results"]
    for kind in ("spaced", "back_to_back"):
        for part in _PARTS:
            assert 0 < results[kind][part]["median"] <= results[kind][part]["p99"], part
        assert results[kind]["calls_a_turn"]["encode_query"] == 1
        assert results[kind]["calls_a_turn"]["memory_commit"] == 1
    assert 0 < results["spaced"]["recall_without_encoder"]["median"] < results["spaced"]["turn"]["median"]
    assert set(results["baselines"]) == {"bare_chat_turn", "bare_edge_query"}
    for compared in (*results["baselines"].values(), results["verification_2kb_8_injected"]):
        assert 0 < compared["median"] <= compared["p99"]


def test_the_messages_have_thirty_words_and_want_an_answer_of_level_1() -> None:
    messages = draw_messages(40, source=random.Random(3))
    router = Router.from_rules(load_config("router"))
    assert {router.route(message).level for message in messages} == {1}
    assert {len(message.split()) for message in messages if message.isascii()} == {30}
    assert sum(message.isascii() for message in messages) == 20


@pytest.mark.parametrize("lang", ["en", "ja"])
def test_a_reply_has_its_size_and_cites_each_item(lang: str) -> None:
    given = [Injected(handle=f"k3v9x{n}", source="user", text="The loom moved.", id=f"n_{n}") for n in range(8)]
    reply = draw_reply(given, lang="en" if lang == "en" else "ja", size=2048)
    assert 2040 < len(reply.encode()) <= 2048
    assert all(f"[m:{item.handle}]" in reply for item in given)


def test_a_stopwatch_sums_the_parts_of_a_lap_and_leaves_out_what_ran_between_two() -> None:
    watch = Stopwatch()
    for _ in range(2):
        with watch.running("between"):
            pass
        watch.start_lap()
        for _ in range(3):
            with watch.running("part"):
                pass
        watch.end_lap(turn=1.5)
    watch.end_lap()
    assert watch.calls(after=0) == {"part": 2.0}
    assert watch.times(after=1) == {"part": [watch.times(after=0)["part"][1], 0.0], "turn": [1.5, 0.0]}


@pytest.mark.parametrize(("arguments", "code", "words"), [(["--help"], 0, "--large"), (["nothing"], 2, "nothing")])
def test_the_runner_names_its_benches(arguments: list[str], code: int, words: str, programs: Path) -> None:
    command: list[str | Path] = [programs / "python", "-m", "evals.bench", *arguments]
    done = subprocess.run(command, cwd=_ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == code
    for name in (words, "index", "saver", "turn"):
        assert name in done.stdout + done.stderr
