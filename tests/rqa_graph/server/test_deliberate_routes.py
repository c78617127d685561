"""A verified answer over HTTP, and a flag that takes it out."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from rqa_nodes.deliberate.body import body
from tests.support.deliberations import answering, deliberating_services
from tests.support.http_server import Served, served

FUJI = {"question": "How tall is Mount Fuji?", "domain": "facts"}


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Served]:
    services = deliberating_services(tmp_path / "documents", answering())
    with served(services, tmp_path) as found:
        yield found
    services.close()


def test_a_fresh_answer_a_stored_one_and_a_flag(server: Served) -> None:
    with server.client() as client:
        first, second = (client.post("/v1/deliberate", json=FUJI).json() for _ in range(2))
        assert (first["source"], second["source"]) == ("deliberation", "integrity_cache_exact")
        assert set(first) == set(body())
        assert (second["trace"]["cacheHit"], second["ledgerTx"]) == (True, first["ledgerTx"])
        flagged = client.post("/v1/feedback", json={"entry": second["entry"], "note": "no"}).json()
        third = client.post("/v1/deliberate", json=FUJI).json()
        assert third["source"] == "deliberation"
        assert flagged["reviewId"] in [row["id"] for row in client.get("/reviews").json()["items"]]


def test_bad_requests_are_refused(server: Served) -> None:
    bad: tuple[tuple[str, Any, int], ...] = (
        ("/v1/deliberate", {"question": ""}, 400),
        ("/v1/deliberate", {"question": "x" * 3000}, 413),
        ("/v1/deliberate", {"question": "Why?", "cacheable": "perhaps"}, 400),
        ("/v1/deliberate", {"question": "Why?", "threshold": 1}, 400),
        ("/v1/deliberate", {"question": "Why?", "tighten": {"speed": 1}}, 400),
        ("/v1/feedback", {"entry": "nobody"}, 404),
        ("/v1/feedback", {}, 400),
    )
    with server.client() as client:
        for path, sent, status in bad:
            assert client.post(path, json=sent).status_code == status, (path, sent)


def test_a_token_that_is_none_decides_and_flags_nothing(server: Served) -> None:
    server.token("ann")  # from now on a token is asked for
    with server.client("no-token-of-ours") as stranger:
        for path in ("/v1/deliberate", "/v1/feedback", "/reviews/q1/decision"):
            assert stranger.post(path, json=FUJI).status_code == 401
