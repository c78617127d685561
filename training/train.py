"""How does a corpus become an adapter?

The libraries do the work (trl's trainers over peft's adapters); what is ours is what goes in - production's prompts,
loss on the completion alone, no sequence cut - and what is written down: `training.json` beside the adapter names the
data by its hash, every number of the config, and what was measured. A run that was stopped goes on with `resume`.
"""

from __future__ import annotations

import importlib.metadata
import json
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

from training.config import TrainingConfig
from training.corpus import Example, Message, file_hash, read_examples
from training.errors import CorpusError, ModelError
from training.lint import lint_corpus
from training.models import adapted, load_base, load_tokenizer, require_extra, with_adapter
from training.pairs import Pair, lint_pairs, read_pairs

__all__ = [
    "ADAPTER",
    "RECORD",
    "adapter_hash",
    "make_dpo",
    "make_sft",
    "train_dpo",
    "train_sft",
]

ADAPTER: Final = "adapter"
RECORD: Final = "training.json"
_SCHEMA: Final = "rqa.training/1"
_WEIGHTS: Final = "adapter_model.safetensors"
_LIBRARIES: Final = ("torch", "transformers", "peft", "trl", "bitsandbytes")

Row = dict[str, list[Message]]


def _sft_rows(examples: Sequence[Example]) -> list[Row]:
    """Prompt and completion, as messages."""
    return [{"prompt": e.prompt(), "completion": _said(e.assistant)} for e in examples]


def _dpo_rows(pairs: Sequence[Pair]) -> list[Row]:
    """Prompt, better and worse completion, as messages."""
    return [
        {
            "prompt": pair.side(pair.chosen).prompt(),
            "chosen": _said(pair.chosen),
            "rejected": _said(pair.rejected),
        }
        for pair in pairs
    ]


def _said(text: str) -> list[Message]:
    return [{"role": "assistant", "content": text}]


def train_sft(corpus: Path, out: Path, config: TrainingConfig, *, resume: bool = False) -> dict[str, Any]:
    """Fine-tune a fresh adapter on examples.

    Args:
        corpus: `train.jsonl` of `prepare`.
        out: Where checkpoints, TensorBoard's events, the adapter and the record go.
        config: Every number.
        resume: Go on from the newest checkpoint in `out`.

    Returns:
        The record, as it is written.

    Raises:
        CorpusError: The corpus has faults, or everything in it is too long.
        ModelError: The base cannot be loaded, or there is no checkpoint to resume from.
        MissingToolError: The extra is not installed.
    """
    examples = read_examples(corpus)
    _refuse(lint_corpus(examples).faults, corpus)
    require_extra()
    tokenizer = load_tokenizer(config.base)
    rows = _fitting(_sft_rows(examples), tokenizer, config, ("completion",))
    trainer = make_sft(adapted(load_base(config.base), config), tokenizer, rows, out, config)
    return _run(trainer, "sft", corpus, out, config, resume=resume, left_out=len(examples) - len(rows))


def train_dpo(
    corpus: Path, out: Path, config: TrainingConfig, *, adapter: Path | None = None, resume: bool = False
) -> dict[str, Any]:
    """Optimise an adapter for preferences; see `train_sft`.

    Args:
        corpus: `pairs.jsonl` of `prepare`.
        out: As for `train_sft`.
        config: Every number.
        adapter: The adapter of a fine-tuning, which is trained further and is the reference; None begins afresh.
        resume: Go on from the newest checkpoint in `out`.
    """
    pairs = read_pairs(corpus)
    _refuse(lint_pairs(pairs).faults, corpus)
    require_extra()
    tokenizer = load_tokenizer(config.base)
    rows = _fitting(_dpo_rows(pairs), tokenizer, config, ("chosen", "rejected"))
    base = load_base(config.base)
    model = with_adapter(base, adapter, config=config) if adapter else adapted(base, config)
    trainer = make_dpo(model, tokenizer, rows, out, config)
    return _run(
        trainer, "dpo", corpus, out, config, resume=resume, left_out=len(pairs) - len(rows), started_from=adapter
    )


def _refuse(faults: Sequence[str], corpus: Path) -> None:
    if faults:
        raise CorpusError(
            f"{str(corpus)!r} has {len(faults)} faults, the first: {faults[0]}",
            hint=f"python -m training lint {corpus}",
        )


def _fitting(rows: Sequence[Row], tokenizer: Any, config: TrainingConfig, sides: Sequence[str]) -> list[Row]:
    """The rows that fit whole."""

    def tokens(row: Row, side: str) -> int:
        return len(tokenizer.apply_chat_template(row["prompt"] + row[side], return_dict=True)["input_ids"])

    kept = [row for row in rows if all(tokens(row, side) <= config.max_tokens for side in sides)]
    if not kept:
        raise CorpusError(
            f"all {len(rows)} sequences are longer than {config.max_tokens} tokens",
            hint="Take shorter examples, or raise `max_tokens` in training/config.py.",
        )
    return kept


def make_sft(model: Any, tokenizer: Any, rows: Sequence[Row], out: Path, config: TrainingConfig) -> Any:
    """A trainer whose loss counts the completion's tokens alone."""
    from datasets import Dataset
    from trl import SFTConfig, SFTTrainer

    settings = SFTConfig(**_settings(out, config), completion_only_loss=True, packing=False)
    return SFTTrainer(model=model, args=settings, train_dataset=Dataset.from_list(rows), processing_class=tokenizer)


def make_dpo(model: Any, tokenizer: Any, rows: Sequence[Row], out: Path, config: TrainingConfig) -> Any:
    """A trainer whose reference is the model as it comes: the base, or a copy of the adapter that it brings."""
    from datasets import Dataset
    from trl import DPOConfig, DPOTrainer

    settings = DPOConfig(**_settings(out, config), beta=config.beta)
    return DPOTrainer(model=model, args=settings, train_dataset=Dataset.from_list(rows), processing_class=tokenizer)


def _settings(out: Path, config: TrainingConfig) -> dict[str, Any]:
    """What both trainers are told."""
    import torch

    from training.models import can_quantise

    on_gpu = bool(torch.cuda.is_available())
    return {
        "output_dir": str(out),
        "per_device_train_batch_size": config.batch,
        "gradient_accumulation_steps": config.accumulation,
        "learning_rate": config.learning_rate,
        "lr_scheduler_type": "cosine",
        "warmup_steps": config.warmup_share,
        "num_train_epochs": config.epochs,
        "max_steps": config.max_steps,
        "max_length": None,  # nothing is cut: what does not fit was left out before
        "gradient_checkpointing": config.checkpointing,
        "gradient_checkpointing_kwargs": {"use_reentrant": False},
        "optim": "paged_adamw_8bit" if can_quantise() else "adamw_torch",
        "bf16": on_gpu,
        "use_cpu": not on_gpu,
        "dataloader_pin_memory": on_gpu,
        "seed": config.seed,
        "data_seed": config.seed,
        "logging_steps": 1,
        "save_strategy": "steps",
        "save_steps": config.save_steps,
        "save_total_limit": 2,
        "report_to": ["tensorboard"],
        "disable_tqdm": True,
    }


def _run(
    trainer: Any,
    method: str,
    corpus: Path,
    out: Path,
    config: TrainingConfig,
    *,
    resume: bool,
    left_out: int,
    started_from: Path | None = None,
) -> dict[str, Any]:
    """Train, save the adapter, and write the record."""
    if resume and not any(out.glob("checkpoint-*")):
        raise ModelError(f"{str(out)!r} has no checkpoint to resume from", hint="Begin without --resume.")
    _say_steps(trainer)
    begun = time.monotonic()
    trainer.train(resume_from_checkpoint=resume or None)
    seconds = time.monotonic() - begun
    _save(trainer, out / ADAPTER)
    losses = [round(float(row["loss"]), 5) for row in trainer.state.log_history if "loss" in row]
    record = {
        "schema": _SCHEMA,
        "method": method,
        "config": asdict(config),
        "corpus": file_hash(corpus),
        "sequences": len(trainer.train_dataset),
        "left_out_too_long": left_out,
        "targets": len(trainer.model.peft_config["default"].target_modules),
        "adapter": adapter_hash(out / ADAPTER),
        "steps": int(trainer.state.global_step),
        "losses": losses,
        "seconds": round(seconds, 1),
        "versions": _versions(),
        "from_adapter": adapter_hash(started_from) if started_from else "",
    }
    (out / RECORD).write_text(json.dumps(record, indent=1) + "\n", "utf-8")
    return record


def _say_steps(trainer: Any) -> None:
    """A line a step on stderr, in place of everything that the library knows about it."""
    from transformers import PrinterCallback, TrainerCallback

    class Steps(TrainerCallback):  # type: ignore[misc]  # its base is known where the extra is installed alone
        def on_log(self, _args: Any, state: Any, _control: Any, logs: Mapping[str, Any], **_: Any) -> None:
            if "loss" in logs:
                print(f"step {state.global_step} of {state.max_steps}: loss {logs['loss']:.4f}", file=sys.stderr)

    trainer.remove_callback(PrinterCallback)
    trainer.add_callback(Steps)


def _save(trainer: Any, folder: Path) -> None:
    """The trained adapter alone: DPO's copy of what it began with is no part of it."""
    trainer.model.save_pretrained(str(folder), selected_adapters=["default"])
    trainer.processing_class.save_pretrained(str(folder))


def adapter_hash(folder: Path) -> str:
    """SHA-256 of an adapter's weights. Raises ModelError where there are none."""
    if not (folder / _WEIGHTS).is_file():
        raise ModelError(f"{str(folder)!r} holds no {_WEIGHTS}", hint="Name the folder `adapter` of a finished run.")
    return file_hash(folder / _WEIGHTS)


def _versions() -> Mapping[str, str]:
    found = {}
    for name in _LIBRARIES:
        try:
            found[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            continue
    return found
