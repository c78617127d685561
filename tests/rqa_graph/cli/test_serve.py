"""`rqa serve` and `rqa token` as a person uses them."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from rqa_checkpoints.home import Home
from rqa_graph.clock import utc_now
from rqa_graph.server.serving import ADDRESS_FILE, address_of
from tests.support.cli import Cli


@contextmanager
def _serving(
    rqa: Path, home: Path, *options: str, command: str = "serve", port: tuple[str, ...] = ("--port", "0")
) -> Iterator[tuple[subprocess.Popen[str], dict[str, Any]]]:
    words = [str(rqa), command, "--home", str(home), *port, "--json", *options]
    env = {name: value for name, value in os.environ.items() if not name.startswith("RQA_")}
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=env) as process:
        assert process.stdout is not None
        try:
            yield process, json.loads(process.stdout.readline())
        finally:
            process.kill()


@pytest.mark.parametrize("told", [signal.SIGINT, signal.SIGTERM])
def test_it_serves_until_it_is_told_to_stop(tmp_path: Path, programs: Path, told: signal.Signals) -> None:
    with _serving(programs / "rqa", tmp_path, "--user", "mara", "--model", "builtin") as (process, said):
        with httpx.Client(base_url=said["url"], timeout=30) as client:
            assert client.get("/whoami").json()["user"] == "mara"
            body = {"messages": [{"role": "user", "content": "I keep bees near Lund."}]}
            assert client.post("/v1/chat/completions", json=body).json()["rqa"]["stored"] is True
        process.send_signal(told)
        _, notes = process.communicate(timeout=20)
        assert process.returncode == 0
    lines = [json.loads(line) for line in notes.splitlines() if line.startswith("{")]
    assert [line["route"] for line in lines] == ["/whoami", "/v1/chat/completions"]
    assert "Traceback" not in notes
    assert "bees" not in notes


def test_the_curl_of_the_readme_streams_a_reply(tmp_path: Path, programs: Path) -> None:
    readme = (Path(__file__).parents[3] / "README.md").read_text("utf-8")
    line = next(line for line in readme.splitlines() if line.startswith("curl "))
    if shutil.which("curl") is None:
        pytest.skip("curl is not installed")
    with _serving(programs / "rqa", tmp_path, "--model", "builtin") as (_, said):
        command = line.replace("http://127.0.0.1:8321", said["url"])
        done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout.endswith("data: [DONE]\n\n")


def test_a_second_server_on_one_home_is_told_who_holds_it(tmp_path: Path, programs: Path) -> None:
    with _serving(programs / "rqa", tmp_path, "--model", "builtin") as (_, said):
        second = subprocess.run(
            [programs / "rqa", "serve", "--home", str(tmp_path), "--port", "0"],
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )
        assert httpx.get(f"{said['url']}/healthz").status_code == 200
    assert second.returncode == 6
    assert second.stdout == ""


def test_what_keeps_turns_from_being_loaded_ends_the_server_in_words(tmp_path: Path, programs: Path) -> None:
    (tmp_path / "config").mkdir()
    (tmp_path / "config" / "router.yaml").write_text("router: [", "utf-8")
    with _serving(programs / "rqa", tmp_path, "--model", "builtin") as (process, _said):
        rest, notes = process.communicate(timeout=60)
    assert process.returncode == 2
    assert json.loads(rest)["error"]["code"] == "config"
    assert "Traceback" not in notes


def test_an_open_address_without_tokens_is_refused(cli: Cli) -> None:
    done = cli("serve", "--host", "0.0.0.0")
    assert done.code == 2
    assert "nothing was opened" in done.err
    assert "待ち受けは始めていません" in cli("serve", "--host", "0.0.0.0", "--lang", "ja").err


@pytest.mark.parametrize("lang", ["en", "ja"])
def test_tokens_are_made_listed_and_revoked(cli: Cli, lang: str) -> None:
    made = cli("token", "add", "phone", "--user", "ann", "--lang", lang)
    token = made.out.strip()
    assert (made.code, token[:4]) == (0, "rqa_")
    assert "ann" in made.err
    listed = cli("token", "list", "--lang", lang)
    assert "phone" in listed.out
    assert token not in listed.out
    assert cli("token", "list", "--json").json["tokens"][0]["user"] == "ann"
    assert cli("token", "add", "phone").code == 2
    assert cli("token", "revoke", "phone", "--lang", lang).code == 0
    assert cli("token", "revoke", "phone").code == 2
    assert cli("token", "list", "--json").json["tokens"] == []
    assert cli("token", "add", "x", "--user", "@home", "--tenant", "@home").code == 2


@pytest.mark.parametrize("lang", ["en", "ja"])
def test_the_inspector_is_served_on_a_free_port_and_found_again(tmp_path: Path, programs: Path, lang: str) -> None:
    options = ("--user", "mara", "--model", "builtin", "--lang", lang)
    with _serving(programs / "rqa", tmp_path, *options, command="inspect", port=()) as (_, said):
        page = httpx.get(said["url"])
        assert (page.status_code, f'<html lang="{lang}">' in page.text) == (200, True)
        second = [str(programs / "rqa"), "inspect", "--home", str(tmp_path), "--lang", lang, "--no-browser"]
        found = subprocess.run(second, capture_output=True, text=True, check=False, timeout=300)
        assert (found.returncode, said["url"] in found.stdout) == (0, True), found.stderr
        assert {"en": "Another process serves", "ja": "別のプロセス"}[lang] in found.stdout


def test_a_home_that_is_held_without_a_server_is_said_so(tmp_path: Path, programs: Path) -> None:
    with Home(tmp_path).acquire(clock=utc_now):
        for stale in ("", "[]", '{"url": "http://127.0.0.1:1", "pid": 1}', '{"pid": 1}'):
            (tmp_path / ADDRESS_FILE).write_text(stale, "utf-8")
            assert address_of(tmp_path) is None
        command = [str(programs / "rqa"), "inspect", "--home", str(tmp_path), "--no-browser"]
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 6
    assert done.stdout == ""
