"""What does a person decide on when the evaluator is to change?

The payload is a whole binding: where questions are judged, by which model, under which key, by which rubric. An
approval makes it the version of the area `evaluator_binding` that stands, and with that the one that judges. A key is
never in it, only the name of its variable; and that name must be that of an API key, because its value will be sent to
the endpoint.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final
from urllib.parse import urlsplit

from rqa_checkpoints.provenance import Attestation, Effect, adoption
from rqa_nodes.addresses import is_loopback
from rqa_nodes.errors import ProposalRefusedError
from rqa_nodes.reflect.binding import Binding
from rqa_nodes.reflect.rubric import rubric_hash
from rqa_nodes.review_kinds import Payload, Reader, ReviewKind, text_fields, text_schema

__all__ = ["AREA", "EVALUATOR_BINDING"]

AREA: Final = "evaluator_binding"
"""Name of the kind, and of the area that an approval changes."""
_LIMITS: Final = {"release": 40, "endpoint": 300, "model": 120, "key_variable": 64, "rubric_hash": 80}
_KEY_VARIABLE: Final = re.compile(r"[A-Z][A-Z0-9_]{0,55}_API_KEY")
_PLAIN: Final = re.compile(r"[\w.:/@+-]{1,120}")
_WORDS: Final = {
    "en": {
        "release": "release",
        "endpoint": "endpoint",
        "model": "model",
        "key_variable": "variable with the key",
        "rubric_hash": "rubric",
        "fingerprint": "fingerprint",
        "replaces": "replaces",
        "stays": "Inputs and drafted questions stay on this machine.",
        "leaves": "Inputs and drafted questions will leave this machine for {host}; memory never does.",
        "open": "They go over http, without encryption.",
        "key": "The value of {variable} will be sent there.",
    },
    "ja": {
        "release": "リリース",
        "endpoint": "接続先",
        "model": "モデル",
        "key_variable": "鍵の変数",
        "rubric_hash": "採点基準",
        "fingerprint": "指紋",
        "replaces": "置き換える設定",
        "stays": "入力と問いの案はこのマシンの外に出ません。",
        "leaves": "入力と問いの案が {host} に送られます(記憶は送られません)。",
        "open": "http のため、暗号化されずに送られます。",
        "key": "{variable} の値が送られます。",
    },
}


def _check(payload: Payload) -> dict[str, str]:
    fields = text_fields(payload, _LIMITS)
    _check_endpoint(fields["endpoint"])
    if fields["key_variable"] and not _KEY_VARIABLE.fullmatch(fields["key_variable"]):
        raise ProposalRefusedError(
            f"`key_variable` is {fields['key_variable']!r}; a name such as JUDGE_API_KEY was expected",
            problem="key_variable",
            hint="Put the key in an environment variable whose name ends in _API_KEY, and name that.",
        )
    for name in ("release", "model"):
        if not _PLAIN.fullmatch(fields[name]):
            raise ProposalRefusedError(f"`{name}` is {fields[name]!r}; a plain name was expected", problem=name)
    if fields["rubric_hash"] != rubric_hash():
        raise ProposalRefusedError(
            f"the proposal was made for the rubric {fields['rubric_hash']!r}; in use is {rubric_hash()!r}",
            problem="rubric",
            hint="Propose it again: `rqa evaluator propose`.",
        )
    return fields


def _check_endpoint(endpoint: str) -> None:
    try:
        parts = urlsplit(endpoint)
        usable = parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.port != 0
        bare = not (parts.username or parts.password or parts.query or parts.fragment)
    except ValueError:
        usable = bare = False
    if not usable or not bare:
        # A key may be in it, so the address is not repeated.
        raise ProposalRefusedError(
            "`endpoint` is no plain http(s) address with a host and without user, password or query",
            problem="endpoint",
            hint="Give an Ollama URL without a path, or an OpenAI-compatible one that ends in /v1.",
        )


def _render(payload: Payload, read: Reader, lang: str) -> str:
    words = _WORDS["ja" if lang == "ja" else "en"]
    binding, current = Binding.from_mapping(payload), read(AREA)
    rows = [f"{words[name]}: {payload[name]}" for name in _LIMITS if payload[name]]
    rows.append(f"{words['fingerprint']}: {binding.fingerprint}")
    if current and current.content:
        rows.append(f"{words['replaces']}: {current.content['model']} ({current.content['endpoint']})")
    if is_loopback(binding.endpoint):
        return "\n".join([*rows, words["stays"]])
    rows.append(words["leaves"].format(host=urlsplit(binding.endpoint).hostname))
    if not binding.endpoint.startswith("https:"):
        rows.append(words["open"])
    if binding.key_variable:
        rows.append(words["key"].format(variable=binding.key_variable))
    return "\n".join(rows)


def _apply(payload: Payload, read: Reader, attestation: Attestation) -> Sequence[Effect]:
    return [adoption(AREA, payload, current=read(AREA), attestation=attestation)]


EVALUATOR_BINDING: Final = ReviewKind(
    name=AREA, reach="home", schema=text_schema(_LIMITS), check=_check, render=_render, apply=_apply
)
"""Another evaluator, or the same one by another rubric."""
