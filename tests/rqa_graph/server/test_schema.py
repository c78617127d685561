"""Requests made from the server's own schema, fitting and not: each is answered as documented, none with a fault."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

import httpx
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.support.http_server import Served, served
from tests.support.opened import Opened

_ANY: Final = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**20), 10**20) | st.floats(allow_nan=False) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)


@pytest.fixture
def server(opened: Opened, tmp_path: Path) -> Iterator[Served]:
    with served(opened(["Noted."] * 10_000), tmp_path, allowed={"requests_per_minute": 1_000_000}) as found:
        yield found


@pytest.fixture
def examples(request: pytest.FixtureRequest) -> int:
    """Requests to each operation."""
    return 400 if request.config.getoption("--full") else 6


def _document(server: Served) -> dict[str, Any]:
    with server.client() as client:
        found: dict[str, Any] = client.get("/openapi.json").json()
    return found


def _examples_of(document: Mapping[str, Any], operation: Mapping[str, Any]) -> list[dict[str, Any]]:
    if "requestBody" not in operation:
        return []
    name = operation["requestBody"]["content"]["application/json"]["schema"]["$ref"].rsplit("/", 1)[1]
    found: list[dict[str, Any]] = document["components"]["schemas"][name]["examples"]
    return found


@st.composite
def _request(draw: st.DrawFn, path: str, operation: Mapping[str, Any], bodies: list[dict[str, Any]]) -> dict[str, Any]:
    """An example as it stands, or with a field, a parameter or the whole body replaced by anything."""
    options: dict[str, Any] = {"params": {}, "headers": {}}
    for parameter in operation.get("parameters", ()):
        value = draw(_ANY.map(str) | st.sampled_from(["1", "true", "user", "k3v9xq", ""]))
        if parameter["in"] == "path":
            path = path.replace(f"{{{parameter['name']}}}", quote(value, safe="") or "-")
        elif parameter["in"] == "query" and draw(st.booleans()):
            options["params"][parameter["name"]] = value
    if bodies:
        body = dict(draw(st.sampled_from(bodies)))
        if draw(st.booleans()):
            body[draw(st.sampled_from(sorted(body)) | st.text(max_size=8))] = draw(_ANY)
        options["json"] = draw(_ANY) if draw(st.integers(0, 4)) == 0 else body
    return {"url": path, **options}


def test_every_operation_answers_as_documented(server: Served, examples: int) -> None:
    document, tried = _document(server), 0
    with server.client() as client:
        for path, methods in document["paths"].items():
            for method, operation in methods.items():
                requests = _request(path, operation, _examples_of(document, operation))
                _try(client, method, operation, requests, examples)
                tried += 1
    assert tried >= 20


def _try(
    client: httpx.Client,
    method: str,
    operation: Mapping[str, Any],
    requests: st.SearchStrategy[dict[str, Any]],
    examples: int,
) -> None:
    quiet = [HealthCheck.too_slow, HealthCheck.function_scoped_fixture]

    @given(asked=requests)
    @settings(max_examples=examples, derandomize=True, deadline=None, database=None, suppress_health_check=quiet)
    def ask(asked: dict[str, Any]) -> None:
        _check(client.request(method, **asked), operation)

    ask()


def _check(answer: httpx.Response, operation: Mapping[str, Any]) -> None:
    documented = operation["responses"].get(str(answer.status_code))
    assert documented is not None, (answer.status_code, answer.text)
    assert answer.status_code < 500, answer.text
    kind = answer.headers["content-type"].partition(";")[0]
    assert kind in documented["content"], (kind, answer.text)
    if answer.status_code >= 400:
        error = answer.json()["error"]
        assert set(error) == {"message", "type", "param", "code"}
        assert error["message"]
        assert error["code"]


def test_every_operation_and_body_of_the_schema_is_described_with_an_example(server: Served) -> None:
    document = _document(server)
    operations = [row for path in document["paths"].values() for row in path.values()]
    assert all(row.get("summary") and row.get("tags") for row in operations)
    bodies = [row for row in operations if "requestBody" in row]
    assert len(bodies) >= 6
    assert all(_examples_of(document, row) for row in bodies)
