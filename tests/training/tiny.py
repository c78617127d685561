"""Models small enough to train in a test: random weights in the shape of a real family, and a tokenizer of the seed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.training.support import seed

__all__ = ["save_tiny", "tiny_vision"]

_VOCABULARY = 1024
_SHAPE = {
    "hidden_size": 32,
    "intermediate_size": 64,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
    "num_key_value_heads": 1,
    "head_dim": 16,
    "max_position_embeddings": 8192,
    "sliding_window": 256,
}
_TEMPLATE = (
    "{{ bos_token }}{% for m in messages %}<start_of_turn>{{ 'model' if m.role == 'assistant' else m.role }}\n"
    "{{ m.content }}<end_of_turn>\n{% endfor %}"
    "{% if add_generation_prompt %}<start_of_turn>model\n{% endif %}"
)
"""The turns of Gemma's template; the system message has a turn of its own."""


def _tokenizer() -> Any:
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
    from transformers import PreTrainedTokenizerFast

    special = ["<pad>", "<bos>", "<eos>", "<start_of_turn>", "<end_of_turn>"]
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=_VOCABULARY, special_tokens=special, initial_alphabet=pre_tokenizers.ByteLevel.alphabet()
    )
    texts = [text for example in seed()[:40] for text in (*(m["content"] for m in example.prompt()), example.assistant)]
    tokenizer.train_from_iterator(texts, trainer)
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        pad_token="<pad>",
        bos_token="<bos>",
        eos_token="<end_of_turn>",
        chat_template=_TEMPLATE,
    )


def save_tiny(folder: Path) -> Path:
    """A random text model with Gemma's blocks, and its tokenizer."""
    import torch
    from transformers import Gemma3ForCausalLM, Gemma3TextConfig

    tokenizer = _tokenizer()
    torch.manual_seed(7)
    config = Gemma3TextConfig(
        vocab_size=len(tokenizer),
        pad_token_id=tokenizer.pad_token_id,
        bos_token_id=tokenizer.bos_token_id,
        eos_token_id=tokenizer.eos_token_id,
        query_pre_attn_scalar=16,
        **_SHAPE,
    )
    Gemma3ForCausalLM(config).save_pretrained(str(folder))
    tokenizer.save_pretrained(str(folder))
    return folder


def tiny_vision() -> Any:
    """A random model with Gemma's vision tower beside its language tower."""
    from transformers import Gemma3Config, Gemma3ForConditionalGeneration

    vision = {
        "hidden_size": 32,
        "intermediate_size": 64,
        "num_hidden_layers": 2,
        "num_attention_heads": 2,
        "image_size": 28,
        "patch_size": 14,
    }
    config = Gemma3Config(
        text_config={**_SHAPE, "vocab_size": 64}, vision_config=vision, mm_tokens_per_image=1, image_token_index=63
    )
    return Gemma3ForConditionalGeneration(config)
