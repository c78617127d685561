"""The files of the inspector: all ours, the same words in both languages, and a policy that runs nothing else."""

from __future__ import annotations

import re
from pathlib import Path

import httpx
import pytest

from rqa_graph.server import inspector_page
from rqa_graph.server.inspector_page import page_words
from tests.support.http_server import Served

_FOLDER = Path(inspector_page.__file__).parent / "inspector"
_FILES = sorted(path.name for path in _FOLDER.iterdir())
_SCRIPTS = {path.name: path.read_text("utf-8") for path in _FOLDER.glob("*.js")}


def test_both_languages_say_the_same_things() -> None:
    english, japanese = page_words("en"), page_words("ja")
    assert english.keys() == japanese.keys()
    for key, words in english.items():
        assert set(re.findall(r"\{\w+\}", words)) == set(re.findall(r"\{\w+\}", japanese[key])), key
        assert key.startswith("verdict.valid") or (words and japanese[key])


def test_every_word_that_is_asked_for_is_there_and_every_word_is_asked_for() -> None:
    page, scripts = (_FOLDER / "index.html").read_text("utf-8"), "\n".join(_SCRIPTS.values())
    groups = set(re.findall(r'named\("([a-z.]+)"', scripts))
    asked = set(re.findall(r'"([a-z]+\.[a-z_]+)"', scripts)) | set(re.findall(r"\{\{([a-z]+\.[a-z_]+)\}\}", page))
    asked -= {*_FILES, *groups}
    begun = (*(f"{group}." for group in groups), *re.findall(r"`([a-z]+\.[a-z_]*)\$\{", scripts))
    words = page_words("en").keys()
    assert asked - words == set()
    assert {key for key in words if key not in asked and not key.startswith(begun)} == set()


@pytest.mark.parametrize("name", _FILES)
def test_no_file_loads_from_elsewhere_or_reads_markup(name: str) -> None:
    text = (_FOLDER / name).read_text("utf-8").replace("http://www.w3.org/2000/svg", "")
    assert "://" not in text
    for forbidden in ("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "new Function"):
        assert forbidden not in text
    assert not re.search(r"<script(?! type=\"module\" src=\"/inspect/)|\sstyle=|\son\w+=", text)


@pytest.mark.parametrize(("asked", "lang"), [("ja,en;q=0.5", "ja"), ("en-GB", "en"), ("fr", "en"), ("", "en")])
def test_the_page_comes_in_the_language_of_the_browser(client: httpx.Client, asked: str, lang: str) -> None:
    page = client.get("/inspect", headers={"accept-language": asked})
    assert f'<html lang="{lang}">' in page.text
    assert "{{" not in page.text
    assert f'<html lang="{lang}">' in client.get("/inspect", params={"lang": lang}).text
    policy = page.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "frame-ancestors 'none'" in policy
    assert "unsafe" not in policy
    assert "http" not in policy


def test_files_are_served_with_their_types_and_only_once(client: httpx.Client) -> None:
    for name in _FILES:
        answer = client.get(f"/inspect/{name}")
        if name == "index.html":
            assert answer.status_code == 404
            continue
        assert answer.status_code == 200, name
        assert answer.headers["x-content-type-options"] == "nosniff"
        again = client.get(f"/inspect/{name}", headers={"if-none-match": answer.headers["etag"]})
        assert (again.status_code, again.content) == (304, b"")
    for path in ("/inspect/..%2fapp.py", "/inspect/app.py", "/inspect/words?lang=fr"):
        assert client.get(path).status_code in (400, 404), path


def test_with_tokens_the_files_are_open_and_the_rest_is_not(server: Served, client: httpx.Client) -> None:
    server.token("ann")
    assert client.get("/inspect").status_code == 200
    assert client.get("/inspect/main.js").status_code == 200
    for path in ("/whoami", "/conversations", "/inspector", "/inspections"):
        assert client.get(path).status_code == 401, path
