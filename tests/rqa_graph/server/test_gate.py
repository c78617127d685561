"""Who gets in, as whom, how often and with how much."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from rqa_checkpoints.provenance import Scope, SourceClass
from rqa_graph.server.serving import listen
from rqa_graph.server.tokens import TokenFile
from tests.support.graphs import ticking_clock
from tests.support.http_server import Served, served
from tests.support.opened import Opened


def _remember(server: Served, user: str, text: str) -> str:
    memory = server.home.memory
    return memory.add(text, scope=Scope("local", user), source=SourceClass.user, author=user).handle


def test_without_tokens_it_is_the_person_of_the_settings(server: Served) -> None:
    with server.client() as client:
        assert client.get("/whoami").json() == {"tenant": "local", "user": "mara", "token": ""}


def test_a_name_that_is_not_this_machines_is_turned_away(client: httpx.Client) -> None:
    for host in ("evil.example", "evil.example:8321", "127.0.0.1.evil.example", "[::2]:80", "localhost."):
        answer = client.get("/memory", headers={"host": host})
        assert answer.status_code == 403, host
        assert answer.json()["error"]["code"] == "foreign_host", host


def test_a_name_of_this_machine_is_let_in(client: httpx.Client) -> None:
    for host in ("localhost", "localhost:8321", "127.0.0.1:1", "[::1]:8321"):
        assert client.get("/memory", headers={"host": host}).status_code == 200, host


def test_a_page_on_the_web_cannot_send_a_form(server: Served) -> None:
    """A cross-site form or `fetch` without preflight has one of three content types; none of them is read.

    A browser says from where it asks, and is turned away by that already.
    """
    body = json.dumps({"text": "I agreed to everything."})
    for origin, status in (
        ("https://evil.example", 403),
        ("null", 403),
        ("http://[", 403),
        ("http://localhost:3000", 400),
    ):
        with server.client(origin=origin) as client:
            for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"):
                assert client.post("/memory", content=body, headers={"content-type": kind}).status_code == status
    with server.client(origin="https://evil.example") as client:
        preflight = client.options("/memory", headers={"access-control-request-method": "POST"})
    assert "access-control-allow-origin" not in preflight.headers
    assert server.home.memory.list(scope=server.home.scope, limit=5) == []


def test_with_tokens_nobody_gets_in_without_one(server: Served) -> None:
    token = server.token("ann")
    wrong = ["", "Bearer", "Bearer x", f"Basic {token}", f"Bearer {token}x", token]
    for given in wrong:
        with server.client(authorization=given) as client:
            answer = client.get("/memory")
        assert (answer.status_code, answer.headers["www-authenticate"]) == (401, "Bearer"), given
    with server.client(token) as client:
        assert client.get("/whoami").json()["user"] == "ann"
        server.tokens.revoke("local-ann")
        server.token("bo")
        assert client.get("/whoami").status_code == 401
        assert client.get("/healthz").json() == {"status": "ok", "server": "rqa"}


def test_nothing_that_a_client_sends_chooses_the_person(server: Served) -> None:
    handle = _remember(server, "bo", "Bo's locker code is 4117.")
    token = server.token("ann")
    claims = {"x-user": "bo", "x-rqa-user": "bo", "x-forwarded-user": "bo", "cookie": "user=bo"}
    with server.client(token, **claims) as client:
        assert client.get("/memory", params={"user": "bo", "tenant": "local"}).json() == {"items": []}
        assert client.post("/memory/recall", json={"query": "locker code"}).json()["items"] == []
        for method, path in (("GET", ""), ("POST", "/forget"), ("POST", "/restore"), ("DELETE", "")):
            answer = client.request(method, f"/memory/{handle}{path}")
            assert (answer.status_code, answer.json()["error"]["code"]) == (404, "unknown_node")
        assert client.get("/memory/export").text.count("\n") == 1
        foreign = client.get("/memory/zzzzzz").json()
        mine = client.get(f"/memory/{handle}").json()
    assert str(foreign).replace("zzzzzz", "H") == str(mine).replace(handle, "H"), "a foreign item looks like none"


def test_requests_a_minute_are_counted_by_token(opened: Opened, tmp_path: Path) -> None:
    with served(opened(), tmp_path, allowed={"requests_per_minute": 3}) as server:
        ann, bo = server.token("ann"), server.token("bo")
        with server.client(ann) as client:
            answers = [client.get("/whoami") for _ in range(5)]
        with server.client(bo) as client:
            assert client.get("/whoami").status_code == 200
    assert [answer.status_code for answer in answers] == [200, 200, 200, 429, 429]
    assert 1 <= int(answers[-1].headers["retry-after"]) <= 60
    assert answers[-1].json()["error"]["type"] == "rate_limit_error"


@pytest.mark.parametrize("declared", [True, False])
def test_a_body_that_is_too_large_is_not_read(opened: Opened, tmp_path: Path, declared: bool) -> None:
    body = json.dumps({"text": "x" * 3_000}).encode()

    def pieces() -> Iterator[bytes]:
        for start in range(0, len(body), 500):
            yield body[start : start + 500]

    with served(opened(), tmp_path, allowed={"largest_body": 2_000}) as server, server.client() as client:
        headers = {"content-type": "application/json"}
        answer = client.post("/memory", content=body if declared else pieces(), headers=headers)
        kept = server.home.memory.list(scope=server.home.scope, limit=5)
    assert answer.status_code == (413 if declared else 400)
    assert kept == []


def test_log_lines_and_counters_hold_no_words(server: Served, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO", logger="rqa.access")
    handle = _remember(server, "mara", "My locker code is 4117.")
    with server.client(**{"x-request-id": "req-1"}) as client:
        assert client.get(f"/memory/{handle}").headers["x-request-id"] == "req-1"
        client.post("/memory/recall", json={"query": "locker 4117"})
        client.get("/nowhere/4117")
        counted = client.get("/metrics").text
    with server.client(**{"x-request-id": "bad\tid"}) as client:
        assert client.get("/healthz").headers["x-request-id"] != "bad\tid"
    lines = [json.loads(record.message) for record in caplog.records if record.name == "rqa.access"]
    assert [line["route"] for line in lines[:3]] == ["/memory/{handle}", "/memory/recall", "(none)"]
    assert lines[0]["request"] == "req-1"
    for text in (caplog.text, counted):
        assert "4117" not in text
        assert handle not in text
    assert 'rqa_http_requests_total{method="GET",route="/memory/{handle}",status="200"} 1.0' in counted


def test_another_address_is_refused_without_tokens(tmp_path: Path) -> None:
    tokens = TokenFile(tmp_path / "tokens.json", clock=ticking_clock())
    for host in ("0.0.0.0", "::", "192.168.0.7", "example.org"):
        with pytest.raises(Exception, match="no_tokens"):
            listen(host, 0, tokens=tokens)
    tokens.add("phone", Scope("local", "ann"))
    with listen("0.0.0.0", 0, tokens=tokens) as taken:
        assert taken.getsockname()[1] > 0


def test_a_port_that_is_taken_is_said(tmp_path: Path) -> None:
    tokens = TokenFile(tmp_path / "tokens.json", clock=ticking_clock())
    with listen("127.0.0.1", 0, tokens=tokens) as taken, pytest.raises(Exception, match="address"):
        listen("127.0.0.1", taken.getsockname()[1], tokens=tokens)


def test_an_unforeseen_error_keeps_its_words(server: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(**_options: object) -> None:
        raise RuntimeError("secret 4117")

    monkeypatch.setattr(server.home.memory, "list", fails)
    with httpx.Client(base_url=server.url) as client:
        answer = client.get("/memory")
    assert answer.status_code == 500
    assert "4117" not in answer.text
    assert answer.json()["error"]["code"] == "internal"
