"""How does an adapter become something that Ollama serves?

Merged: the adapter is folded into full-precision weights, converted to GGUF and quantised. Apart: the adapter alone is
converted and named beside the base in the Modelfile. The converters belong to llama.cpp and come from its checkout;
where there is none, the exact commands are written down to be run elsewhere. Where they ran, the GGUF is read back and
compared with the merged weights, token for token.
"""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from training.corpus import read_json
from training.errors import MissingToolError, ModelError
from training.models import load_base, load_tokenizer, require_extra, with_adapter
from training.train import RECORD as TRAINING_RECORD
from training.train import adapter_hash

__all__ = ["RECORD", "Plan", "export", "merge", "modelfile", "plan", "round_trip"]

RECORD: Final = "export.json"
_COMMANDS: Final = "commands.sh"
_MODELFILE: Final = "Modelfile"
_MERGED: Final = "merged"
_SCHEMA: Final = "rqa.export/1"
_CONVERT_MODEL: Final = "convert_hf_to_gguf.py"
_CONVERT_ADAPTER: Final = "convert_lora_to_gguf.py"
_PROMPT: Final = "What would have to be true for this to hold?"
_CHECKOUT: Final = "$LLAMA_CPP"
"""Stands for the checkout where none was named."""
_CONTEXT_TOKENS: Final = 16384
"""What the product asks of a server, so that a prompt is never cut."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What is run, in which order, and what Ollama is told."""

    commands: tuple[tuple[str, ...], ...]
    """With paths as they are from the export's folder."""
    modelfile: str
    gguf: str
    """The file that the converters write, in the export's folder."""


def plan(adapter: Path, *, name: str, base: str, merged: bool, llama_cpp: str, quantisation: str, serves: str) -> Plan:
    """The commands and the Modelfile.

    Args:
        adapter: Its folder.
        name: Of the model in Ollama.
        base: Folder or hub name of the base's weights.
        merged: Fold the adapter into the weights, or keep it apart.
        llama_cpp: Folder of a checkout of llama.cpp, as written into the commands.
        quantisation: Of merged weights, such as Q4_K_M.
        serves: The base in Ollama, for an adapter that is kept apart.
    """
    create = ("ollama", "create", name, "-f", _MODELFILE)
    if not merged:
        gguf = f"{name}-adapter.gguf"
        script = f"{llama_cpp}/{_CONVERT_ADAPTER}"
        options = ("--base-model-id", base) if not Path(base).is_dir() else ("--base", str(Path(base).resolve()))
        adapt = ("python", script, str(adapter.resolve()), *options, "--outfile", gguf, "--outtype", "f16")
        return Plan(commands=(adapt, create), modelfile=modelfile(serves, adapter=gguf), gguf=gguf)
    full, small = f"{name}-f16.gguf", f"{name}-{quantisation}.gguf"
    convert = ("python", f"{llama_cpp}/{_CONVERT_MODEL}", _MERGED, "--outfile", full, "--outtype", "f16")
    quantise = (f"{llama_cpp}/build/bin/llama-quantize", full, small, quantisation)
    return Plan(commands=(convert, quantise, create), modelfile=modelfile(f"./{small}"), gguf=full)


def modelfile(weights: str, *, adapter: str = "") -> str:
    """What `ollama create` reads; the template of the chat comes with the weights."""
    lines = [f"FROM {weights}", *([f"ADAPTER ./{adapter}"] if adapter else [])]
    return "\n".join([*lines, f"PARAMETER num_ctx {_CONTEXT_TOKENS}", "PARAMETER temperature 0.7"]) + "\n"


def merge(base: str, adapter: Path, folder: Path) -> None:
    """Fold an adapter into full-precision weights, and save them with their tokenizer."""
    require_extra()
    merged = with_adapter(load_base(base, quantise=False), adapter).merge_and_unload()
    merged.config.use_cache = True
    merged.save_pretrained(str(folder))
    load_tokenizer(base).save_pretrained(str(folder))


def export(
    adapter: Path,
    out: Path,
    *,
    name: str,
    merged: bool = True,
    llama_cpp: Path | None = None,
    quantisation: str = "Q4_K_M",
    serves: str = "gemma4:12b",
) -> dict[str, Any]:
    """Write everything that serving takes, and run what is installed.

    Args:
        adapter: The folder `adapter` of a run; the run's record beside it names the base.
        out: Where it is written.
        name: Of the model in Ollama.
        merged: See `plan`.
        llama_cpp: A checkout of llama.cpp; None writes the commands only.
        quantisation: See `plan`.
        serves: See `plan`.

    Returns:
        The record, as it is written; `round_trip` is None where nothing was converted.

    Raises:
        ModelError: The adapter or its base cannot be used, or a converter failed.
        MissingToolError: The extra is not installed, or the checkout has no converter.
    """
    digest = adapter_hash(adapter)
    base = str(read_json(adapter.parent / TRAINING_RECORD)["config"]["base"])
    shown = plan(
        adapter,
        name=name,
        base=base,
        merged=merged,
        llama_cpp=str(llama_cpp.resolve()) if llama_cpp else _CHECKOUT,
        quantisation=quantisation,
        serves=serves,
    )
    if llama_cpp and not (llama_cpp / (_CONVERT_MODEL if merged else _CONVERT_ADAPTER)).is_file():
        raise MissingToolError(
            f"{str(llama_cpp)!r} has no {_CONVERT_MODEL if merged else _CONVERT_ADAPTER}",
            hint="Name a checkout of llama.cpp, or leave --llama-cpp out and run commands.sh elsewhere.",
        )
    out.mkdir(parents=True, exist_ok=True)
    if merged:
        merge(base, adapter, out / _MERGED)
    (out / _MODELFILE).write_text(shown.modelfile, "utf-8")
    (out / _COMMANDS).write_text(_script(shown.commands), "utf-8")
    if llama_cpp:
        _run(shown.commands[0], out)
    record = {
        "schema": _SCHEMA,
        "name": name,
        "adapter": digest,
        "base": base,
        "merged": merged,
        "commands": [" ".join(map(_word, command)) for command in shown.commands],
        "round_trip": round_trip(out / _MERGED, out / shown.gguf) if llama_cpp and merged else None,
    }
    (out / RECORD).write_text(json.dumps(record, indent=1) + "\n", "utf-8")
    return record


def _script(commands: Sequence[Sequence[str]]) -> str:
    lines = [" ".join(map(_word, command)) for command in commands]
    head = ["#!/usr/bin/env bash", "# LLAMA_CPP: a checkout of llama.cpp, built.", "set -euo pipefail"]
    return "\n".join([*head, 'cd "$(dirname "$0")"', *lines]) + "\n"


def _word(argument: str) -> str:
    """Quoted for a shell, which has to see the variable."""
    return f'"{argument}"' if argument.startswith(_CHECKOUT) else shlex.quote(argument)


def _run(command: Sequence[str], folder: Path) -> None:
    """Run a converter with this interpreter, whose libraries it needs."""
    done = subprocess.run(  # noqa: S603  # the checkout that the person named
        [sys.executable, *command[1:]], cwd=folder, check=False, capture_output=True, text=True, errors="replace"
    )
    if done.returncode:
        raise ModelError(f"the converter failed: {(done.stderr.strip().splitlines() or ['no word'])[-1]}")


def round_trip(merged: Path, gguf: Path) -> dict[str, Any]:
    """Do the weights say the same after the conversion?

    Returns:
        `tokens` compared, `same_choice` of them whose likeliest next token is the same, and `largest_difference` of
        all logits.
    """
    import torch

    tokenizer = load_tokenizer(str(merged))
    shown = tokenizer(_PROMPT, return_tensors="pt")["input_ids"]
    with torch.no_grad():
        before, after = (
            load_base(where, quantise=False).eval()(input_ids=shown).logits[0].float().cpu()
            for where in (str(merged), str(gguf))
        )
    return {
        "tokens": int(shown.shape[1]),
        "same_choice": int((before.argmax(-1) == after.argmax(-1)).sum()),
        "largest_difference": round(float((before - after).abs().max()), 4),
    }
