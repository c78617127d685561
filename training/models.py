"""Which layers of a model are trained, and in which precision is the rest held?

Only the language tower: a vision or audio tower saw no example of ours, and a change there would be noise. The layers
are found by looking at the model, because their names differ between families and between versions of one. torch and
its relatives are imported inside the functions: the package must be readable, and checked, without them.
"""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any, Final

from training.config import TrainingConfig
from training.errors import MissingToolError, ModelError

__all__ = [
    "adapted",
    "can_quantise",
    "language_targets",
    "load_base",
    "load_tokenizer",
    "require_extra",
    "with_adapter",
]

_NEEDED: Final = ("torch", "transformers", "peft", "trl", "datasets", "accelerate")
_NOT_PROJECTIONS: Final = ("router", "gate.")
"""Parts of names of linear layers that choose between experts: training them moves the choice, not the words."""


def require_extra() -> None:
    """Raise MissingToolError unless the extra `training` is installed."""
    missing = [name for name in _NEEDED if importlib.util.find_spec(name) is None]
    if missing:
        raise MissingToolError(
            f"training needs {', '.join(missing)}",
            hint="pip install 'rqa-graph[training]', in an environment of its own: it brings torch.",
        )


def can_quantise() -> bool:
    """Is there a GPU, and the library that holds weights in 4 bit on it?"""
    import torch

    return bool(torch.cuda.is_available()) and importlib.util.find_spec("bitsandbytes") is not None


def load_tokenizer(base: str) -> Any:
    """The tokenizer of a base model, with a chat template.

    Raises:
        ModelError: It cannot be loaded, or it has no chat template.
    """
    from transformers import AutoTokenizer

    where, options = _place(base)
    try:
        tokenizer = AutoTokenizer.from_pretrained(where, **options)
    except (OSError, ValueError) as error:
        raise ModelError(f"no tokenizer at {base!r}: {_first_line(error)}", hint=_WHERE) from error
    if not tokenizer.chat_template:
        raise ModelError(
            f"the tokenizer of {base!r} has no chat template", hint="Take the instruction-tuned variant of the model."
        )
    return tokenizer


def load_base(base: str, *, quantise: bool | None = None) -> Any:
    """A base model, in 4 bit where that is possible, else in full precision.

    Args:
        base: A folder, a `.gguf` file (which is dequantised), or a name on a hub.
        quantise: None: where a GPU and bitsandbytes are there, and the file is no GGUF.

    Raises:
        ModelError: It cannot be loaded.
    """
    import torch
    from transformers import AutoModelForCausalLM

    where, options = _place(base)
    on_gpu = bool(torch.cuda.is_available())
    if quantise if quantise is not None else (can_quantise() and "gguf_file" not in options):
        options["quantization_config"] = _four_bit()
    dtype = torch.bfloat16 if on_gpu else torch.float32
    try:
        model = AutoModelForCausalLM.from_pretrained(
            where, dtype=dtype, device_map={"": 0} if on_gpu else None, **options
        )
    except (OSError, ValueError) as error:
        raise ModelError(f"no model at {base!r}: {_first_line(error)}", hint=_WHERE) from error
    if "gguf_file" in options:
        _plain(model)
    model.config.use_cache = False  # it is of no use in training, and at odds with checkpointing
    return model


def _plain(model: Any) -> None:
    """Forget that the file was quantised: the weights are whole by now, and trainers refuse what is marked."""
    model.is_quantized = False
    model.hf_quantizer = None
    model.quantization_method = None
    if hasattr(model.config, "quantization_config"):
        del model.config.quantization_config


_WHERE: Final = "Name a folder with a model, a .gguf file, or a model of a hub that this machine can reach."


def _place(base: str) -> tuple[str, dict[str, Any]]:
    path = Path(base)
    if path.suffix == ".gguf":
        return str(path.parent), {"gguf_file": path.name}
    return base, {}


def _first_line(error: Exception) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0]


def _four_bit() -> Any:
    """NF4 with double quantisation, computing in bfloat16 (Dettmers et al. 2023)."""
    import torch
    from transformers import BitsAndBytesConfig

    return BitsAndBytesConfig(
        load_in_4bit=True,
        bnb_4bit_quant_type="nf4",
        bnb_4bit_use_double_quant=True,
        bnb_4bit_compute_dtype=torch.bfloat16,
    )


def language_targets(model: Any) -> list[str]:
    """Names of the linear layers inside the blocks of the language tower, in the order of the model.

    Raises:
        ModelError: The model has no tower of blocks that could be one.
    """
    from torch import nn

    decoder = model.get_decoder()
    blocks = getattr(decoder, "layers", None)
    prefix = next((name for name, module in model.named_modules() if module is blocks), "")
    if not isinstance(blocks, nn.ModuleList) or not prefix:
        raise ModelError(f"{type(model).__name__} has no list of language blocks", hint="Use a decoder-only model.")
    return [
        name
        for name, module in model.named_modules()
        if name.startswith(f"{prefix}.")
        and isinstance(module, nn.Linear)
        and not any(part in f"{name}." for part in _NOT_PROJECTIONS)
    ]


def adapted(model: Any, config: TrainingConfig) -> Any:
    """The model with a fresh adapter on its language tower."""
    from peft import LoraConfig, get_peft_model

    lora = LoraConfig(
        r=config.rank,
        lora_alpha=config.alpha,
        lora_dropout=config.dropout,
        target_modules=language_targets(model),
        task_type="CAUSAL_LM",
    )
    return get_peft_model(_ready(model, config), lora)


def with_adapter(model: Any, adapter: Path, *, config: TrainingConfig | None = None) -> Any:
    """The model with a saved adapter; to train it further, give a config.

    Raises:
        ModelError: The folder holds no adapter, or one for another model.
    """
    from peft import PeftModel

    if not (adapter / "adapter_config.json").is_file():
        raise ModelError(f"{str(adapter)!r} holds no adapter", hint="Name the folder `adapter` of a finished run.")
    base = _ready(model, config) if config else model
    try:
        return PeftModel.from_pretrained(base, str(adapter), is_trainable=config is not None)
    except (OSError, ValueError, RuntimeError) as error:
        raise ModelError(f"the adapter {str(adapter)!r} does not fit: {_first_line(error)}") from error


def _ready(model: Any, config: TrainingConfig) -> Any:
    """What 4-bit weights need before they are trained around; others are left as they are."""
    if not getattr(model, "is_loaded_in_4bit", False):
        return model
    from peft import prepare_model_for_kbit_training

    return prepare_model_for_kbit_training(
        model,
        use_gradient_checkpointing=config.checkpointing,
        gradient_checkpointing_kwargs={"use_reentrant": False},
    )
