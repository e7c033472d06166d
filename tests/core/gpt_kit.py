"""A plain run of a GPT-2-shaped checkpoint: NumPy alone, nothing of the program."""

from __future__ import annotations

import json
import math
from collections.abc import Collection
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.integer[Any]]


def read_tensors(path: Path) -> dict[str, Floats]:
    """The tensors of a safetensors file in half precision, as float64."""
    data = path.read_bytes()
    begin = 8 + int.from_bytes(data[:8], "little")
    tensors = {}
    for name, entry in json.loads(data[8:begin]).items():
        if name != "__metadata__":
            assert entry["dtype"] == "F16"
            first, last = entry["data_offsets"]
            numbers = np.frombuffer(data[begin + first : begin + last], "<f2")
            tensors[name] = numbers.reshape(entry["shape"]).astype(float)
    return tensors


class PlainGpt:
    """A checkpoint in a folder; `file` is its last weights or a snapshot."""

    def __init__(self, folder: Path, file: str = "model.safetensors") -> None:
        self.config: dict[str, Any] = json.loads(
            (folder / "config.json").read_text(encoding="utf-8")
        )
        self.vocabulary: dict[str, int] = json.loads(
            (folder / "tokenizer.json").read_text(encoding="utf-8")
        )["model"]["vocab"]
        self.tensors = read_tensors(folder / file)
        self.layers, self.heads = self.config["n_layer"], self.config["n_head"]

    def run(self, ids: Ints, off: Collection[tuple[int, int]] = ()) -> tuple[Floats, list[Floats]]:
        """Logits (b, n, u) and the weights of each layer (b, h, n, n); `off`: (layer, head)."""
        t, n = self.tensors, ids.shape[1]
        x = t["wte.weight"][ids] + t["wpe.weight"][:n]
        weights = []
        for layer in range(self.layers):
            name = f"h.{layer}."
            joined = self._linear(self._norm(x, name + "ln_1"), name + "attn.c_attn")
            queries, keys, values = np.split(joined, 3, axis=-1)
            size = queries.shape[-1] // self.heads
            mixed, own = np.zeros_like(queries), []
            for head in range(self.heads):
                part = slice(head * size, (head + 1) * size)
                scores = queries[..., part] @ keys[..., part].transpose(0, 2, 1) / math.sqrt(size)
                powers = np.exp(scores - scores.max(-1, keepdims=True)) * np.tri(n)
                own.append(powers / powers.sum(-1, keepdims=True))
                if (layer, head) not in off:
                    mixed[..., part] = own[-1] @ values[..., part]
            x = x + self._linear(mixed, name + "attn.c_proj")
            u = self._linear(self._norm(x, name + "ln_2"), name + "mlp.c_fc")
            active = u / 2 * (1 + np.tanh(math.sqrt(2 / math.pi) * (u + 0.044715 * u**3)))
            x = x + self._linear(active, name + "mlp.c_proj")
            weights.append(np.stack(own, axis=1))
        return self._norm(x, "ln_f") @ t["wte.weight"].T, weights

    def _linear(self, x: Floats, name: str) -> Floats:
        result: Floats = x @ self.tensors[name + ".weight"] + self.tensors[name + ".bias"]
        return result

    def _norm(self, x: Floats, name: str) -> Floats:
        centred = x - x.mean(-1, keepdims=True)
        unit = centred / np.sqrt((centred**2).mean(-1, keepdims=True) + 1e-5)
        result: Floats = unit * self.tensors[name + ".weight"] + self.tensors[name + ".bias"]
        return result
