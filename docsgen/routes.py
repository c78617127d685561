"""Which routes has `rqa serve`?

Read from the schema of the application itself, opened over an empty home that is thrown away.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from tempfile import TemporaryDirectory
from typing import Any

from docsgen.markdown import code, page, table

__all__ = ["routes_page"]

_HEAD = """\
The schema with all fields and examples is at `/openapi.json` of a running server. Errors come in OpenAI's shape,
`{"error": {"message", "type", "param", "code"}}`; [Errors and exit codes](errors.md) lists the codes. `/mcp` is a
[server of the Model Context Protocol](../guides/mcp.md), `/inspect` a [page for people](../guides/inspector.md)."""


def routes_page() -> str:
    """The page of all routes."""
    parts = [_HEAD]
    for tag, rows in _rows(_schema()).items():
        parts += [f"## {tag}", table(["route", "what", "parameters", "body"], rows)]
    return page("Routes of the server", "the application's own schema", parts)


def _schema() -> Mapping[str, Any]:
    from rqa_graph.opened import open_home
    from rqa_graph.server.app import create_app
    from rqa_graph.settings import Settings

    with TemporaryDirectory() as folder:
        settings = Settings.load(home=folder, folder=folder, overrides={"models": {"chat": "builtin"}})
        with open_home(settings) as home:
            return create_app(home).openapi()


def _rows(schema: Mapping[str, Any]) -> Mapping[str, list[list[str]]]:
    found: dict[str, list[list[str]]] = defaultdict(list)
    for path, methods in schema["paths"].items():
        for method, route in methods.items():
            parameters = ", ".join(code(one["name"]) for one in route.get("parameters", ()) if one["in"] == "query")
            row = [code(f"{method.upper()} {path}"), route.get("summary", ""), parameters, _body(route, schema)]
            found[route.get("tags", ["Server"])[0]].append(row)
    return found


def _body(route: Mapping[str, Any], schema: Mapping[str, Any]) -> str:
    content = route.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema", {})
    name = content.get("$ref", "").rpartition("/")[2]
    shape = schema.get("components", {}).get("schemas", {}).get(name, content)
    return ", ".join(code(field) for field in shape.get("properties", ()))
