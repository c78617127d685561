"""What does `langgraph.json` mount beside the graphs, and who may reach any of it?

`http.app`: the routes of `rqa serve` over the home that the graphs of this process use. Their gate comes to stand
before the routes of LangGraph Server too, so a token, or its absence, means the same everywhere.

Studio is a page of another origin in a browser of this machine. It is let in without a token, and so is a page that
this machine serves itself; Chrome asks for leave to reach a private address first, which LangGraph's own CORS layer
refuses, so the answer is given here, outside of it.
"""

from __future__ import annotations

from typing import Final

from fastapi import FastAPI
from starlette.middleware.cors import CORSMiddleware

from rqa_graph.opened import OpenHome
from rqa_graph.savers import shared_saver
from rqa_graph.server.app import create_app
from rqa_graph.services import default_services
from rqa_graph.settings import Settings

__all__ = ["ORIGINS", "app"]

ORIGINS: Final = r"https://([a-z0-9-]+\.)?smith\.langchain\.com|http://(localhost|127\.0\.0\.1)(:\d{1,5})?"
"""LangGraph Studio, and pages of this machine; the same as `http.cors` in `langgraph.json`."""

_READ_BY_PAGES: Final = ("content-location", "x-pagination-total", "x-pagination-next", "x-request-id")
"""Headers that Studio reads; LangGraph Server's own list, and the id of the request."""


def _mounted() -> FastAPI:
    settings = Settings.load()
    home = OpenHome.over(settings, default_services(settings), shared_saver(settings))
    made = create_app(home, origins=ORIGINS)
    made.add_middleware(
        CORSMiddleware,
        allow_origin_regex=ORIGINS,
        allow_methods=["*"],
        allow_headers=["*"],
        expose_headers=_READ_BY_PAGES,
        allow_private_network=True,
    )
    return made


app = _mounted()
