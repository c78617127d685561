"""How is an adapter trained?

One frozen object holds every number; it is written beside the adapter. The defaults are those of the run that the
reference figures come from (rank 16, alpha 32, two epochs over a base of 12 billion parameters in 4 bit); they have not
been measured here.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

__all__ = ["BASE", "SMOKE_STEPS", "TrainingConfig", "for_dpo", "for_sft"]

BASE: Final = "google/gemma-4-12B-it"
SMOKE_STEPS: Final = 4
"""A smoke run takes so many optimizer steps: enough to see that everything is wired, and nothing learnt."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainingConfig:
    """Everything that decides what comes out, besides the data."""

    base: str = BASE
    """A folder, a `.gguf` file, or a name on a hub."""
    rank: int = 16
    alpha: int = 32
    dropout: float = 0.05
    learning_rate: float = 2e-4
    """2e-4 is what QLoRA used up to 13 billion parameters (Dettmers et al. 2023, table 9)."""
    beta: float = 0.1
    """DPO: how strongly the policy is held to the reference (Rafailov et al. 2023)."""
    epochs: float = 2.0
    batch: int = 1
    """Sequences a forward pass."""
    accumulation: int = 8
    """Forward passes an optimizer step."""
    warmup_share: float = 0.03
    max_tokens: int = 4096
    """Longer sequences are left out and counted, never cut: half an analysis is no analysis."""
    max_steps: int = -1
    """-1: as many as the epochs take."""
    save_steps: int = 50
    """Optimizer steps between checkpoints that a run can be resumed from."""
    checkpointing: bool = True
    """Recompute activations in the backward pass, so that a long sequence fits."""
    seed: int = 7
    """Of initialisation, dropout and the order of the data."""

    def smoke(self) -> TrainingConfig:
        """The same for a handful of steps, each of them on one batch."""
        return replace(self, max_steps=SMOKE_STEPS, accumulation=1, save_steps=SMOKE_STEPS // 2)


def for_sft(base: str, *, seed: int) -> TrainingConfig:
    """What supervised fine-tuning begins with."""
    return TrainingConfig(base=base, seed=seed)


def for_dpo(base: str, *, seed: int) -> TrainingConfig:
    """What preference optimisation begins with: a much lower rate, and one epoch, since pairs are easily learnt."""
    return TrainingConfig(base=base, seed=seed, learning_rate=5e-6, epochs=1.0)
