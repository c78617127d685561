"""How many requests, how long, and what was removed: counters for Prometheus, without any words.

Routes are counted by their template (`/memory/{handle}`), so that no handle, thread or person becomes a label.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest

if TYPE_CHECKING:
    from rqa_graph.turns import TurnResult

__all__ = ["Measures"]


class Measures:
    """The counters of one server."""

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        self._requests = Counter(
            "rqa_http_requests", "Requests", ("method", "route", "status"), registry=self._registry
        )
        self._seconds = Histogram(
            "rqa_http_request_seconds", "Until the last byte", ("route",), registry=self._registry
        )
        self._turns = Counter("rqa_turns", "Turns", ("level", "degraded"), registry=self._registry)
        self._claims = Counter("rqa_claims", "Memory claims", ("verdict", "action"), registry=self._registry)

    def request(self, method: str, route: str, status: int, seconds: float) -> None:
        """Count a request."""
        self._requests.labels(method, route, str(status)).inc()
        self._seconds.labels(route).observe(seconds)

    def turn(self, result: TurnResult) -> None:
        """Count a turn and its claims."""
        self._turns.labels(str(result.level), str(result.degraded).lower()).inc()
        for verdict in result.report.get("verdicts", ()):
            self._claims.labels(verdict["kind"], verdict["action"]).inc()

    def text(self) -> bytes:
        """All of them in Prometheus' text format."""
        return generate_latest(self._registry)
