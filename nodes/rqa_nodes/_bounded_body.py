"""How long may the body of an answer take as a whole?

Invariant: reading a response through `bound` ends with `httpx.ReadTimeout` once the read limit of its request has
passed since the headers, however steadily bytes drip in.
The outside fact that forces the shape: an HTTP client's read limit is a limit on silence, and starts again with each
byte; a blocking call that reads a whole body has no other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import httpx

__all__ = ["bound"]


def bound(monotonic: Callable[[], float]) -> Callable[[httpx.Response], None]:
    """A response hook for `httpx.Client(event_hooks=...)`."""

    def hook(response: httpx.Response) -> None:
        limit_s = response.request.extensions.get("timeout", {}).get("read")
        if limit_s is not None and isinstance(response.stream, httpx.SyncByteStream):
            response.stream = _BoundedStream(response.stream, monotonic, monotonic() + limit_s)

    return hook


class _BoundedStream(httpx.SyncByteStream):
    def __init__(self, inner: httpx.SyncByteStream, monotonic: Callable[[], float], end: float) -> None:
        self._inner = inner
        self._monotonic = monotonic
        self._end = end

    def __iter__(self) -> Iterator[bytes]:
        for piece in self._inner:
            if self._monotonic() > self._end:
                raise httpx.ReadTimeout("the body took longer than the read limit")
            yield piece

    def close(self) -> None:
        self._inner.close()
