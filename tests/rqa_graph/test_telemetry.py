"""The file of figures: appended, never in the way, and read back with what is torn left out."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from rqa_graph.services import open_services
from rqa_graph.settings import Settings
from rqa_graph.telemetry import TELEMETRY_FILE, TelemetryFile, read_telemetry
from rqa_nodes.telemetry import SCHEMA
from tests.support.graphs import with_memory_saver
from tests.support.turns import LEVELS, tell


def _line(turn: str, **values: Any) -> dict[str, Any]:
    return {"schema": SCHEMA, "kind": "round", "turn": turn, "round": 1, **values}


def test_what_was_recorded_is_read_in_order_and_each_line_once(tmp_path: Path) -> None:
    file = TelemetryFile(tmp_path / TELEMETRY_FILE)
    file.record([_line("a", score=1), _line("b")])
    file.record([_line("a", score=2), _line("a", round=2)])
    rows = read_telemetry(tmp_path / TELEMETRY_FILE)
    assert [(row["turn"], row["round"], row.get("score")) for row in rows] == [
        ("a", 1, 2),
        ("b", 1, None),
        ("a", 2, None),
    ]
    assert (tmp_path / TELEMETRY_FILE).stat().st_mode & 0o077 == 0


@pytest.mark.parametrize(
    "torn", ['{"schema": "rqa.te', "[]", "null", "", '{"schema": "other/1"}', "\x00\xff", "[" * 9999]
)
def test_a_line_that_cannot_be_used_is_left_out(torn: str, tmp_path: Path) -> None:
    path = tmp_path / TELEMETRY_FILE
    path.write_text(f"{json.dumps(_line('a'))}\n{torn}\n{json.dumps(_line('b'))}\n", "utf-8")
    assert [row["turn"] for row in read_telemetry(path)] == ["a", "b"]


def test_no_file_is_no_lines_and_no_home_is_no_error(tmp_path: Path) -> None:
    TelemetryFile(tmp_path / "nowhere" / TELEMETRY_FILE).record([_line("a")])
    assert read_telemetry(tmp_path / "nowhere" / TELEMETRY_FILE) == []
    assert not (tmp_path / "nowhere").exists()


def test_a_turn_of_the_real_services_lands_in_the_home(tmp_path: Path) -> None:
    settings = Settings.load(home=tmp_path, folder=tmp_path, overrides={"models": {"chat": "builtin"}})
    services = open_services(settings)
    try:
        tell(with_memory_saver(services), LEVELS["en"][0])
    finally:
        services.close()
    (row,) = read_telemetry(tmp_path / TELEMETRY_FILE)
    assert (row["part"], row["level"], row["reason"]) == ("fixed", 0, "greeting")
