"""Trained models of the sizes of two public ones, with random numbers: from the file to all layers."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from core.models import open_model
from core.models.forward import run_layers, run_model
from tests.bench.measure import Plan, Row, Rows, timed
from tests.core.gguf_kit import gguf_bytes, gguf_tensors, settings_of
from tests.core.model_kit import Tensors, random_tensors, write_checkpoint

ENCODER = {  # MiniLM
    "hidden_size": 384,
    "intermediate_size": 1536,
    "max_position_embeddings": 512,
    "num_attention_heads": 12,
    "num_hidden_layers": 6,
    "vocab_size": 1000,
}
DECODER = {  # SmolLM2-135M
    "attention_bias": False,
    "head_dim": 64,
    "hidden_size": 576,
    "intermediate_size": 1536,
    "max_position_embeddings": 2048,
    "mlp_bias": False,
    "num_attention_heads": 9,
    "num_hidden_layers": 30,
    "num_key_value_heads": 3,
    "vocab_size": 1000,
}
Q4_1, BLOCK, BYTES = 3, 32, 20


def models(plan: Plan) -> Rows:
    """An encoder in 32 bits, and a decoder in blocks of 4 bits; weights are read again each time."""
    with tempfile.TemporaryDirectory() as folder:
        for name, path, n, most in _made(Path(folder), plan.quick):
            ids = tuple(range(3, 3 + n))

            def first(path: Path = path, ids: tuple[int, ...] = ids) -> object:
                return next(run_layers(open_model(path), ids))

            def whole(path: Path = path, ids: tuple[int, ...] = ids) -> object:
                return run_model(open_model(path), ids)

            layers = open_model(path).layers
            parts: tuple[tuple[str, Callable[[], object], float], ...] = (
                ("first layer", first, 300.0),
                (f"all {layers} layers", whole, most),
            )
            for what, work, at_most in parts:
                measure = timed(work)
                ours = tuple(measure() for _ in range(plan.rounds))
                yield Row("model", f"{name}, {what}", "-", f"{n} tokens", at_most, ours)


def _made(folder: Path, quick: bool) -> Iterator[tuple[str, Path, int, float]]:
    """Name, place, tokens and target of each model. A quick one has two layers."""
    few: dict[str, Any] = {"num_hidden_layers": 2} if quick else {}
    encoder = ENCODER | few
    tensors = random_tensors("bert", **encoder)
    small = {name: array * np.float32(0.1) for name, array in tensors.items()}
    yield "encoder", write_checkpoint(folder / "encoder", "bert", small, **encoder), 12, 1000.0
    decoder = DECODER | few
    path = folder / "decoder.gguf"
    path.write_bytes(_quantised(random_tensors("llama", **decoder), decoder))
    yield "quantised decoder", path, 14, 3000.0


def _quantised(tensors: Tensors, settings: dict[str, Any]) -> bytes:
    """A GGUF file whose matrices are random blocks of small numbers."""
    draw = np.random.default_rng(0)
    found = gguf_tensors("llama", tensors, **settings)
    for name, (shape, _, _) in found.items():
        if len(shape) == 2:
            count = shape[0] * shape[1] // BLOCK
            blocks = draw.integers(0, 256, (count, BYTES), dtype=np.uint8)
            blocks[:, :4] = np.array([0.01, -0.075], "<f2").view(np.uint8)
            found[name] = (shape, Q4_1, blocks.tobytes())
    return gguf_bytes(settings_of("llama", **settings), found)
