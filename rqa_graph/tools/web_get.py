"""How is a page fetched without anybody being able to send us elsewhere?

The name is resolved here and the connection is made to the very address that was judged, so that a name that answers
differently the second time (DNS rebinding) changes nothing; the address of the other end is judged once more when the
connection stands. Each redirect is a new request and is judged like the first. No proxy of the environment is used: it
would resolve names itself. Size is counted as bytes come in, and one deadline holds over everything.
"""

from __future__ import annotations

import socket
import ssl
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from email.message import Message
from typing import Any, Final

import httpcore
import httpx

from rqa_graph.tools.addresses import is_public
from rqa_nodes.errors import ToolError

__all__ = ["Page", "WebGet"]

_REDIRECTS: Final = 5
_MOVED: Final = frozenset({301, 302, 303, 307, 308})
_AGENT: Final = "rqa-graph"
_ACCEPT: Final = "text/html, text/plain, text/markdown, application/xhtml+xml, application/pdf;q=0.9, text/*;q=0.8"


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """What came back."""

    url: str
    """After redirects."""
    data: bytes
    kind: str
    """Media type in lower case, without parameters."""
    charset: str
    """As the server says; "" if it does not."""


class WebGet:
    """Fetches public pages."""

    def __init__(
        self,
        *,
        max_bytes: int,
        is_allowed: Callable[[str], bool] = is_public,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        """`is_allowed` judges an address that a name resolved to."""
        self._max_bytes = max_bytes
        self._is_allowed = is_allowed
        self._monotonic = monotonic

    def get(self, url: str, *, seconds: float) -> Page:
        """Fetch a page. Raises ToolError for a refused address, another status than 200, and what is too large."""
        deadline = self._monotonic() + seconds
        current = _parsed(url)
        for _ in range(_REDIRECTS + 1):
            page, moved = self._request(current, deadline)
            if page is not None:
                return page
            following = _parsed(str(current.join(moved)))
            if current.scheme == "https" and following.scheme != "https":
                raise ToolError(
                    f"{current.host} leads from https to http", ja=f"{current.host} が https から http へ導いている"
                )
            current = following
        raise ToolError(
            f"{_parsed(url).host} leads on more than {_REDIRECTS} times",
            ja=f"{_parsed(url).host} の転送が {_REDIRECTS} 回を超えた",
        )

    def _request(self, url: httpx.URL, deadline: float) -> tuple[Page | None, str]:
        """The page, or where it has moved to."""
        backend = _JudgedBackend(self._is_allowed, lambda: deadline - self._monotonic())
        headers = [
            ("Host", url.netloc.decode("ascii")),
            ("User-Agent", _AGENT),
            ("Accept", _ACCEPT),
            ("Accept-Encoding", "identity"),
        ]
        try:
            with (
                httpcore.ConnectionPool(network_backend=backend) as pool,
                pool.stream("GET", str(url), headers=headers, extensions=self._timeouts(deadline)) as response,
            ):
                found = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in response.headers}
                if response.status in _MOVED and found.get("location"):
                    return None, found["location"]
                if response.status != 200:
                    raise ToolError(
                        f"{url.host} answers with status {response.status}",
                        ja=f"{url.host} の応答は状態コード {response.status}",
                    )
                return self._page(url, found, response.iter_stream(), deadline), ""
        except httpcore.TimeoutException:
            raise _too_slow(url) from None
        except (httpcore.NetworkError, httpcore.ProtocolError, httpcore.UnsupportedProtocol) as error:
            raise ToolError(
                f"{url.host} cannot be reached (`{type(error).__name__}`)",
                reason="failed",
                ja=f"{url.host} に接続できない (`{type(error).__name__}`)",
            ) from None

    def _page(self, url: httpx.URL, headers: dict[str, str], chunks: Iterable[bytes], deadline: float) -> Page:
        if headers.get("content-encoding", "identity") not in {"", "identity"}:
            raise ToolError(
                f"{url.host} sends a packed page that was not asked for",
                ja=f"{url.host} が求めていない圧縮形式で送ってきた",
            )
        length = headers.get("content-length", "")
        if length.isdigit() and int(length) > self._max_bytes:
            raise self._too_large(url)
        data = bytearray()
        for chunk in chunks:
            data += chunk
            if len(data) > self._max_bytes:
                raise self._too_large(url)
            if self._monotonic() > deadline:
                raise _too_slow(url)
        given = Message()
        given["Content-Type"] = headers.get("content-type", "")
        kind = headers.get("content-type", "").partition(";")[0].strip().lower()
        return Page(url=str(url), data=bytes(data), kind=kind, charset=given.get_content_charset(""))

    def _too_large(self, url: httpx.URL) -> ToolError:
        return ToolError(
            f"{url.host} sends more than {self._max_bytes} bytes",
            ja=f"{url.host} は {self._max_bytes} バイトを超えて送ってきた",
        )

    def _timeouts(self, deadline: float) -> dict[str, Any]:
        left = max(deadline - self._monotonic(), 0.001)
        return {"timeout": dict.fromkeys(("connect", "read", "write", "pool"), left)}


def _too_slow(url: httpx.URL) -> ToolError:
    return ToolError(f"{url.host} is too slow", reason="timed_out", ja=f"{url.host} の応答が遅すぎる")


def _no_address(url: str) -> ToolError:
    return ToolError(
        f"{url[:80]!r} is no address of http or https", ja=f"{url[:80]!r} は http や https のアドレスではない"
    )


def _parsed(url: str) -> httpx.URL:
    """A web address without a user and a password, in its normal form."""
    try:
        parsed = httpx.URL(url)
    except (httpx.InvalidURL, ValueError):
        raise _no_address(url) from None
    if parsed.scheme not in {"http", "https"} or not parsed.host:
        raise _no_address(url)
    if parsed.port is not None and not 0 < parsed.port < 65_536:
        raise _no_address(url)
    if parsed.userinfo:
        raise ToolError(
            "an address with a user or a password is not fetched", ja="利用者名やパスワード付きのアドレスは取得しない"
        )
    return parsed.copy_with(fragment=None)


class _JudgedBackend(httpcore.NetworkBackend):
    """Connects to addresses that were judged, and to nothing else."""

    def __init__(self, is_allowed: Callable[[str], bool], left: Callable[[], float]) -> None:
        """`left` is how many seconds there are until the deadline."""
        self._is_allowed = is_allowed
        self._left = left
        self._inner = httpcore.SyncBackend()

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,
    ) -> httpcore.NetworkStream:
        """Resolve, judge every address, and connect to the first that answers: one private one refuses the name."""
        addresses = self._resolve(host, port)
        for address in addresses:
            self._judge(host, address)
        failure: httpcore.NetworkError | None = None
        for address in addresses:
            try:
                stream = self._inner.connect_tcp(address, port, timeout, local_address, socket_options)
            except httpcore.ConnectError as error:
                failure = error
                continue
            try:
                self._judge(host, str(stream.get_extra_info("server_addr")[0]))
            except BaseException:
                stream.close()
                raise
            return _BoundedStream(stream, self._left)
        raise failure or httpcore.ConnectError(host)

    def connect_unix_socket(
        self,
        path: str,
        timeout: float | None = None,
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,
    ) -> httpcore.NetworkStream:
        """Never."""
        del timeout, socket_options
        raise ToolError(f"a socket of this machine is no web address: {path!r}")

    def _judge(self, host: str, address: str) -> None:
        if not self._is_allowed(address):
            raise ToolError(
                f"{host} is at {address}, which is no public address",
                ja=f"{host} は公開されていないアドレス {address} にある",
            )

    def _resolve(self, host: str, port: int) -> list[str]:
        try:
            rows = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        except OSError:
            raise ToolError(
                f"there is no machine called {host!r}", reason="failed", ja=f"{host!r} というマシンはない"
            ) from None
        return [str(row[4][0]) for row in rows]


class _BoundedStream(httpcore.NetworkStream):
    """A connection on which nothing is waited for beyond the deadline, however steadily bytes drip in."""

    def __init__(self, inner: httpcore.NetworkStream, left: Callable[[], float]) -> None:
        self._inner = inner
        self._left = left

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        """Read what has come."""
        return self._inner.read(max_bytes, self._bounded(timeout))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        """Write all of it."""
        self._inner.write(buffer, self._bounded(timeout))

    def close(self) -> None:
        """Hang up."""
        self._inner.close()

    def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore.NetworkStream:
        """Go on encrypted; the certificate is checked against the name, not the address."""
        return _BoundedStream(self._inner.start_tls(ssl_context, server_hostname, self._bounded(timeout)), self._left)

    def get_extra_info(self, info: str) -> Any:
        """What is known of the connection."""
        return self._inner.get_extra_info(info)

    def _bounded(self, timeout: float | None) -> float:
        left = self._left()
        if left <= 0:
            raise httpcore.ReadTimeout("the deadline is over")
        return left if timeout is None else min(left, timeout)
