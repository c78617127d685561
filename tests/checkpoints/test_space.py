"""Room on the disk is asked for before anything is written."""

from __future__ import annotations

import shutil
from pathlib import Path
from types import SimpleNamespace

import pytest

from rqa_checkpoints.errors import HomeNotWritableError
from rqa_checkpoints.space import FOR_NEW_SHARD_BYTES, FOR_WRITING_BYTES, require_space


def test_a_disk_with_room_is_no_hindrance(tmp_path: Path) -> None:
    require_space(tmp_path, least=1)


@pytest.mark.parametrize("least", [FOR_WRITING_BYTES, FOR_NEW_SHARD_BYTES])
def test_the_last_byte_that_is_needed_decides(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, least: int) -> None:
    for free, enough in ((least, True), (least - 1, False)):
        monkeypatch.setattr(shutil, "disk_usage", lambda _path, free=free: SimpleNamespace(total=2**40, free=free))
        if enough:
            require_space(tmp_path, least=least)
            continue
        with pytest.raises(HomeNotWritableError, match=f"{least // 2**20} MB are needed") as caught:
            require_space(tmp_path, least=least)
        assert str(tmp_path) in caught.value.message
        assert "--home" in caught.value.hint


def test_a_folder_whose_disk_reports_nothing_is_trusted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda _path: SimpleNamespace(total=0, free=0))
    require_space(tmp_path)
