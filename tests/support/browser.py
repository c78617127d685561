"""A real browser on a real server of this machine, where one is installed.

Debian's Chromium, by its path: no browser is downloaded. The API of Playwright that waits for each answer keeps an
event loop of its own running, so it is opened for one file of tests at a time and closed behind it.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Literal

import pytest

pytest.importorskip("playwright.sync_api", reason="Playwright is not installed: it comes with the extra `dev`")
from playwright.sync_api import Browser, ConsoleMessage, Dialog, Page, Request, sync_playwright

__all__ = ["SIZES", "Opened", "chromium", "opened_page"]

SIZES = {"phone": (360, 640), "laptop": (1280, 800), "wall": (3840, 2160)}
_PATIENCE_MS = 15_000
"""The machine that runs this may be busy with other things; nothing here measures time."""


@dataclass(frozen=True, kw_only=True)
class Opened:
    """A page, and what it did that nobody asked for."""

    page: Page
    url: str
    faults: list[str] = field(default_factory=list)
    """Errors of scripts, refusals of the content security policy, and requests that left the server."""

    def view(self, place: str) -> Page:
        """Go to a view, and wait until it is drawn."""
        self.page.evaluate("place => { location.hash = place }", place)
        self.page.wait_for_function(
            "view => document.querySelector(`main:not([aria-busy]) > .view-${view}`)", arg=place.split("/")[0]
        )
        return self.page

    def wide(self) -> list[str]:
        """Elements that stick out of the window."""
        found: list[str] = self.page.evaluate(
            """() => [...document.querySelectorAll('body *')]
                .filter(e => { const r = e.getBoundingClientRect(); return r.width && r.right > innerWidth + 1; })
                .filter(e => !e.closest('.unseen, .skip, .scrolls, .views, pre'))
                .map(e => `${e.tagName}.${e.getAttribute('class')}`)"""
        )
        return found


@contextmanager
def chromium() -> Iterator[Browser]:
    """The browser; the test is skipped where there is none."""
    path = shutil.which("chromium")
    if path is None:
        pytest.skip("chromium is not installed here; `.ci/run` installs it")
    with sync_playwright() as playwright:
        options: list[str] = ["--no-sandbox"] if os.getuid() == 0 else []
        browser = playwright.chromium.launch(executable_path=path, args=options)
        try:
            yield browser
        finally:
            browser.close()


@contextmanager
def opened_page(
    browser: Browser,
    url: str,
    *,
    lang: str = "en",
    size: str = "laptop",
    scheme: Literal["light", "dark"] = "light",
    strict: bool = True,
    drawn: bool = True,
) -> Iterator[Opened]:
    """The inspector in a window of its own.

    Args:
        browser: Where.
        url: Of the server.
        lang: What the browser's person reads.
        size: One of `SIZES`.
        scheme: What the browser's person prefers.
        strict: False lifts the page's policy, for a tool that brings its own scripts.
        drawn: False for a page that asks for something before it can show anything.
    """
    width, height = SIZES[size]
    options: dict[str, Any] = {"viewport": {"width": width, "height": height}, "color_scheme": scheme}
    with browser.new_context(locale={"en": "en-GB", "ja": "ja-JP"}[lang], bypass_csp=not strict, **options) as context:
        page = context.new_page()
        page.set_default_timeout(_PATIENCE_MS)
        opened = Opened(page=page, url=url)
        _watch(opened)
        page.goto(f"{url}/inspect")
        if drawn:
            page.wait_for_selector("main:not([aria-busy])")
        yield opened


def _watch(opened: Opened) -> None:
    """Note what goes wrong in a page."""

    def said(line: ConsoleMessage) -> None:
        if line.type == "error":
            opened.faults.append(line.text)

    def asked(sent: Request) -> None:
        if not sent.url.startswith(opened.url):
            opened.faults.append(sent.url)

    def interrupted(dialog: Dialog) -> None:
        opened.faults.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    opened.page.on("pageerror", lambda error: opened.faults.append(f"script: {error}"))
    opened.page.on("console", said)
    opened.page.on("request", asked)
    opened.page.on("dialog", interrupted)
