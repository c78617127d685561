"""`rqa kpi`: figures of real turns, as a table, as JSON and as pictures."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from rqa_graph.cli.main import run
from rqa_graph.telemetry import TELEMETRY_FILE, TelemetryFile
from rqa_nodes.telemetry import SCHEMA

_PNG = b"\x89PNG"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    part = {"schema": SCHEMA, "kind": "part", "turn": "a", "part": "answer", "level": 2, "seconds": 1.5}
    row = {"schema": SCHEMA, "kind": "round", "turn": "a", "round": 1, "shortlist": [0, 1], "degraded": ""}
    TelemetryFile(tmp_path / TELEMETRY_FILE).record(
        [
            {**part, "found": {"unknown_id": 2, "valid": 1}, "left": {}, "question": ""},
            {**part, "part": "question", "found": {}, "left": {}, "question": "earned"},
            {
                **row,
                "layers": ["L3", "L4", "L5", "L7"],
                "stances": ["claim_skeptic", "claim_skeptic", "steelman", "frame_skeptic"],
                "score": 33,
                "single_shot": 30,
                "adopted": True,
                "uses_memory": True,
                "violations": [],
                "stripped": {},
            },
        ]
    )
    return tmp_path


@pytest.mark.parametrize(
    ("lang", "words"),
    [
        (
            "en",
            [
                "turns: 1, rounds of reflection: 1",
                "selector lift: selected minus single-shot score\t+3.0 / 40\t1",
                "graph leverage: adopted questions that use memory\t100.0 %\t1/1",
                "diversity over layers, bits (reference)\t2.000 (1.886)\t4",
                "left at levels 0-1, of all turns\t0.0 %\t0/1",
                "fabricated citations, before -> after the verifier\t2 -> 0\t3",
                "seconds to the answer, level 2: median / p95\t1.50 s / 1.50 s\t1",
                "earned\t1",
            ],
        ),
        (
            "ja",
            [
                "ターン: 1、内省のラウンド: 1",
                "選択の効果: 選んだ問いと初案の得点差\t+3.0 / 40\t1",
                "グラフ活用率: 採用された問いのうち記憶を使うもの\t100.0 %\t1/1",
                "層の多様性、ビット（参照値）\t2.000 (1.886)\t4",
                "レベル0-1にとどまったターン\t0.0 %\t0/1",
                "存在しない参照、検証前 -> 検証後\t2 -> 0\t3",
                "回答までの秒数、レベル2: 中央値 / p95\t1.50 s / 1.50 s\t1",
                "earned\t1",
            ],
        ),
    ],
)
def test_the_figures_are_a_table_in_both_languages(
    lang: str, words: list[str], home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["kpi", "--home", str(home), "--lang", lang]) == 0
    shown = capsys.readouterr().out
    assert [word for word in words if word not in shown] == []


def test_the_figures_as_json(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["kpi", "--home", str(home), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["schema"], found["ok"], found["turns"], found["plots"]) == ("rqa.kpi/1", True, 1, [])
    assert found["graph_leverage"] == {"count": 1, "of": 1, "value": 1.0}
    assert found["degradation"] == {"count": 0, "of": 1, "value": 0.0}
    assert found["latency"] == {"2": {"median": 1.5, "p95": 1.5, "of": 1}}


@pytest.mark.parametrize(("lang", "words"), [("en", "Nothing has been measured yet"), ("ja", "まだ測定値がありません")])
def test_a_home_without_turns_says_so(
    lang: str, words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["kpi", "--home", str(tmp_path / "none"), "--lang", lang]) == 0
    assert words in capsys.readouterr().out
    assert not (tmp_path / "none").exists()


@pytest.mark.parametrize("lang", ["en", "ja"])
def test_pictures_are_drawn(lang: str, home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("matplotlib", reason="the extra `plots` is not installed")
    folder = home / "new" / "figures"
    assert run(["kpi", "--home", str(home), "--plot", str(folder), "--lang", lang]) == 0
    files = sorted(path.name for path in folder.iterdir())
    assert files == ["diversity.png", "latency.png", "levels.png", "outcomes.png"]
    assert all((folder / name).read_bytes().startswith(_PNG) for name in files)
    assert str(folder / "levels.png") in capsys.readouterr().out


@pytest.mark.parametrize("lang", ["en", "ja"])
def test_without_matplotlib_one_line_names_the_extra(
    lang: str, home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    assert run(["kpi", "--home", str(home), "--plot", str(home / "figures"), "--lang", lang]) == 2
    assert "rqa-graph[plots]" in capsys.readouterr().err
    assert not (home / "figures").exists()


def test_a_file_where_the_folder_should_be_is_said(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("matplotlib", reason="the extra `plots` is not installed")
    assert run(["kpi", "--home", str(home), "--plot", str(home / TELEMETRY_FILE)]) == 2
    assert "cannot be opened" in capsys.readouterr().err
