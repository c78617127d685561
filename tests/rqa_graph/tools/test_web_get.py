"""A page comes from the address that was judged, or not at all; in time, and no larger than allowed."""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler

import pytest

from rqa_graph.tools.web_get import WebGet
from rqa_nodes.errors import ToolError
from tests.support.web import WebServer, serving

_PATIENCE_SECONDS = 15
"""What a busy machine may add to a time limit of less than a second."""


@pytest.fixture
def server() -> Iterator[WebServer]:
    with serving() as running:
        yield running


def _here(address: str) -> bool:
    return address == "127.0.0.1"


def _web(max_bytes: int = 10_000) -> WebGet:
    return WebGet(max_bytes=max_bytes, is_allowed=_here)


def _resolved(monkeypatch: pytest.MonkeyPatch, *answers: list[str]) -> list[str]:
    """Names resolve to these addresses, one list after the other; returns the names that were asked for."""
    asked: list[str] = []
    waiting = list(answers)

    def resolve(host: str, port: int, *_args: object, **_options: object) -> list[tuple[object, ...]]:
        if host.replace(".", "").isdigit():
            return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (host, port))]
        asked.append(host)
        rows = waiting.pop(0) if len(waiting) > 1 else waiting[0]
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, port)) for address in rows]

    monkeypatch.setattr(socket, "getaddrinfo", resolve)
    return asked


def test_a_page_is_fetched_with_its_kind_and_charset(server: WebServer) -> None:
    server.page("/tax", "税は二倍になった。".encode("cp932"), Content_Type="Text/HTML; charset=Shift_JIS")
    page = _web().get(f"{server.url}/tax#top", seconds=5)
    assert (page.url, page.kind, page.charset) == (f"{server.url}/tax", "text/html", "shift_jis")
    assert page.data.decode("cp932") == "税は二倍になった。"
    path, headers = server.asked[0]
    assert (path, headers["Host"], headers["Accept-Encoding"]) == ("/tax", f"127.0.0.1:{server.port}", "identity")
    assert not {"Cookie", "Authorization", "Referer"} & headers.keys()


@pytest.mark.parametrize("given", ["text/html; Charset=Shift_JIS", 'text/html; charset="shift_jis"; level=1'])
def test_a_charset_is_read_however_it_is_written(given: str, server: WebServer) -> None:
    server.page("/tax", b"1", Content_Type=given)
    assert _web().get(f"{server.url}/tax", seconds=5).charset == "shift_jis"


@pytest.mark.parametrize(
    "url",
    [
        *("http://127.0.0.1:{port}/", "http://localhost:{port}/", "http://2130706433:{port}/", "http://0x7f.1:{port}/"),
        *("http://[::ffff:127.0.0.1]:{port}/", "http://0:{port}/", "http://127.1:{port}/"),
    ],
)
def test_this_machine_is_never_asked_however_it_is_written(url: str, server: WebServer) -> None:
    server.page("/", b"secret")
    with pytest.raises(ToolError) as found:
        WebGet(max_bytes=1000).get(url.format(port=server.port), seconds=5)
    assert found.value.reason in {"refused", "failed"}
    assert server.asked == []


@pytest.mark.parametrize(
    "url",
    [
        *(
            "file:///etc/passwd",
            "ftp://example.org/",
            "gopher://example.org/",
            "http://",
            "https:///x",
            "http://[",
            "x",
        ),
        *("http://user:word@example.org/", "javascript:alert(1)", "http://example.org:99999/", "data:text/html,x"),
    ],
)
def test_what_is_no_plain_web_address_is_refused_before_anything_is_asked(url: str) -> None:
    with pytest.raises(ToolError):
        _web().get(url, seconds=5)


def test_one_private_address_among_several_refuses_the_name(server: WebServer, monkeypatch: pytest.MonkeyPatch) -> None:
    _resolved(monkeypatch, ["127.0.0.1", "10.0.0.1"])
    with pytest.raises(ToolError, match=r"10\.0\.0\.1"):
        _web().get(f"http://mill.example:{server.port}/", seconds=5)
    assert server.asked == []


def test_a_name_that_answers_otherwise_the_second_time_changes_nothing(
    server: WebServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.page("/", b"public")
    asked = _resolved(monkeypatch, ["127.0.0.1"], ["10.0.0.1"])
    assert _web().get(f"http://mill.example:{server.port}/", seconds=5).data == b"public"
    assert asked == ["mill.example"], "it is resolved once, and that address is connected to"


def test_the_address_at_the_other_end_is_judged_too(server: WebServer, monkeypatch: pytest.MonkeyPatch) -> None:
    judged: list[str] = []

    def once(address: str) -> bool:
        judged.append(address)
        return len(judged) == 1

    with pytest.raises(ToolError, match="no public address"):
        WebGet(max_bytes=1000, is_allowed=once).get(f"{server.url}/", seconds=5)
    assert (judged, server.asked) == (["127.0.0.1"] * 2, [])


@pytest.mark.parametrize(
    "target", ["http://10.0.0.1/", "http://169.254.169.254/latest", "file:///etc/passwd", "//10.0.0.1/"]
)
def test_a_redirect_is_judged_like_the_first_request(target: str, server: WebServer) -> None:
    server.page("/", b"", status=302, Location=target)
    with pytest.raises(ToolError):
        _web().get(f"{server.url}/", seconds=5)
    assert [path for path, _ in server.asked] == ["/"]


def test_a_redirect_is_followed_and_only_so_often(server: WebServer) -> None:
    server.page("/old", b"", status=301, Location="/new?a=1")
    server.page("/new", b"moved")
    assert _web().get(f"{server.url}/old", seconds=5).url == f"{server.url}/new?a=1"
    server.page("/round", b"", status=307, Location="/round")
    with pytest.raises(ToolError, match="more than 5 times"):
        _web().get(f"{server.url}/round", seconds=5)


def test_what_is_too_large_is_refused_with_and_without_a_length(server: WebServer) -> None:
    server.page("/said", b"x" * 20_000, Content_Length="20000")
    server.page("/unsaid", b"x" * 20_000)
    for path in ("/said", "/unsaid"):
        with pytest.raises(ToolError, match="more than 10000 bytes"):
            _web().get(server.url + path, seconds=5)


def test_a_packed_page_and_another_status_are_refused(server: WebServer) -> None:
    server.page("/packed", b"\x1f\x8b", Content_Encoding="gzip")
    server.page("/gone", b"", status=410)
    for path, words in {"/packed": "packed", "/gone": "410", "/none": "404"}.items():
        with pytest.raises(ToolError, match=words):
            _web().get(server.url + path, seconds=5)


@pytest.mark.parametrize("where", ["head", "body"])
def test_bytes_that_drip_do_not_outlast_the_deadline(where: str, server: WebServer) -> None:
    def drip(handler: BaseHTTPRequestHandler) -> None:
        handler.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n" + (b"\r\n" if where == "body" else b""))
        for _ in range(40 * _PATIENCE_SECONDS):
            handler.wfile.write(b"x" if where == "body" else b"x: y\r\n")
            handler.wfile.flush()
            time.sleep(0.05)

    server.pages["/"] = drip
    began = time.monotonic()
    with pytest.raises(ToolError) as found:
        _web().get(f"{server.url}/", seconds=0.5)
    assert found.value.reason == "timed_out"
    assert time.monotonic() - began < _PATIENCE_SECONDS


def test_a_machine_that_is_not_there_is_said_so(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with pytest.raises(ToolError, match="cannot be reached"):
        _web().get(f"http://127.0.0.1:{port}/", seconds=5)
