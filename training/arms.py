"""How is a model asked that is to be compared?

Either as it will be served, through the product's own model factory, or in this process from its weights, which is what
there is before anything was exported.
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any, Final

from langchain_core.messages import convert_to_messages

from rqa_graph.settings import Settings
from rqa_nodes.errors import ModelOutputError
from rqa_nodes.models import complete, resolve_chat
from rqa_nodes.reflect.schema import analysis_schema
from training.corpus import Example, Message
from training.evaluate import Ask, Task
from training.models import load_base, load_tokenizer, require_extra, with_adapter

__all__ = ["WEIGHTS", "served", "weights"]

WEIGHTS: Final = "hf:"
"""Before a name that means weights: `hf:MODEL`, or `hf:MODEL+ADAPTER` with the adapter's folder."""

_DEADLINE_SECONDS: Final = 300.0
_MOST_TOKENS: Final = 1536


def served(name: str, *, home: Path | None = None) -> Ask:
    """A model by the name that `--model` takes; analyses are constrained to the schema where the server can.

    Raises:
        ModelUnavailableError: It is not there.
    """
    model = resolve_chat(Settings.load(home=home).model_choice(name))

    def ask(example: Example, task: Task, messages: list[Message]) -> tuple[str, float]:
        schema = analysis_schema(example.candidates) if task == "analyse" else None
        begun = time.monotonic()
        try:
            text = complete(model, convert_to_messages(messages), schema=schema, deadline_s=_DEADLINE_SECONDS)
        except ModelOutputError:
            text = ""
        return text, time.monotonic() - begun

    return ask


def weights(name: str, *, most_tokens: int = _MOST_TOKENS) -> Ask:
    """A model from its weights, decoded greedily: `hf:MODEL` or `hf:MODEL+ADAPTER`.

    Raises:
        ModelError: It cannot be loaded.
        MissingToolError: The extra is not installed.
    """
    require_extra()
    base, _, adapter = name.removeprefix(WEIGHTS).partition("+")
    tokenizer, model = load_tokenizer(base), load_base(base)
    if adapter:
        model = with_adapter(model, Path(adapter))
    model.eval()

    def ask(example: Example, task: Task, messages: list[Message]) -> tuple[str, float]:
        del example, task
        begun = time.monotonic()
        return _generated(model, tokenizer, messages, most_tokens), time.monotonic() - begun

    return ask


def _generated(model: Any, tokenizer: Any, messages: list[Message], most_tokens: int) -> str:
    import torch

    shown = tokenizer.apply_chat_template(messages, add_generation_prompt=True, return_dict=True, return_tensors="pt")
    shown = shown.to(model.device)
    with torch.no_grad():
        written = model.generate(**shown, max_new_tokens=most_tokens, do_sample=False, use_cache=True)
    return str(tokenizer.decode(written[0, shown["input_ids"].shape[1] :], skip_special_tokens=True))
