"""Small random checkpoints of every family, and plain loops that run them.

Sizes are all different. The loops follow the papers and share nothing with the program.
"""

from __future__ import annotations

import json
import math
import struct
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

Tensors = dict[str, np.ndarray[Any, Any]]
Matrix = list[list[float]]

CONFIGS: dict[str, dict[str, Any]] = {
    "bert": {
        "model_type": "bert",
        "vocab_size": 31,
        "hidden_size": 6,
        "num_hidden_layers": 2,
        "num_attention_heads": 3,
        "intermediate_size": 7,
        "max_position_embeddings": 9,
        "type_vocab_size": 2,
        "hidden_act": "gelu",
        "layer_norm_eps": 1e-6,
    },
    "distilbert": {
        "model_type": "distilbert",
        "vocab_size": 29,
        "dim": 8,
        "n_layers": 2,
        "n_heads": 2,
        "hidden_dim": 5,
        "max_position_embeddings": 7,
        "activation": "relu",
    },
    "roberta": {
        "model_type": "roberta",
        "vocab_size": 31,
        "hidden_size": 6,
        "num_hidden_layers": 2,
        "num_attention_heads": 3,
        "intermediate_size": 7,
        "max_position_embeddings": 11,
        "pad_token_id": 1,
        "type_vocab_size": 1,
        "hidden_act": "gelu",
        "layer_norm_eps": 1e-5,
    },
    "gpt2": {
        "model_type": "gpt2",
        "vocab_size": 23,
        "n_embd": 8,
        "n_layer": 3,
        "n_head": 2,
        "n_positions": 10,
        "layer_norm_epsilon": 1e-5,
        "activation_function": "gelu_new",
    },
    "llama": {
        "model_type": "llama",
        "vocab_size": 19,
        "hidden_size": 10,
        "num_hidden_layers": 2,
        "num_attention_heads": 6,
        "num_key_value_heads": 2,
        "head_dim": 4,
        "intermediate_size": 7,
        "max_position_embeddings": 12,
        "rms_norm_eps": 1e-6,
        "rope_theta": 500.0,
        "hidden_act": "silu",
        "attention_bias": True,
        "mlp_bias": True,
    },
    "qwen2": {
        "model_type": "qwen2",
        "vocab_size": 17,
        "hidden_size": 12,
        "num_hidden_layers": 3,
        "num_attention_heads": 2,
        "num_key_value_heads": 1,
        "intermediate_size": 5,
        "max_position_embeddings": 12,
        "rms_norm_eps": 1e-6,
        "rope_theta": 10000.0,
        "use_sliding_window": True,
        "sliding_window": 3,
        "max_window_layers": 1,
        "tie_word_embeddings": True,
    },
    "mistral": {
        "model_type": "mistral",
        "vocab_size": 13,
        "hidden_size": 8,
        "num_hidden_layers": 2,
        "num_attention_heads": 4,
        "num_key_value_heads": 2,
        "intermediate_size": 9,
        "max_position_embeddings": 12,
        "rms_norm_eps": 1e-5,
        "rope_theta": 100.0,
        "sliding_window": 2,
    },
}
TYPES = {"float64": "F64", "float32": "F32", "float16": "F16", "uint16": "BF16", "int64": "I64"}


def random_tensors(family: str, seed: int = 0, **settings: Any) -> Tensors:
    """Tensors under the names that the library of the family gives them; `settings` replace some."""
    config, draw = {**CONFIGS[family], **settings}, np.random.default_rng(seed)

    def some(*shape: int, mean: float = 0.0) -> np.ndarray[Any, Any]:
        return (mean + draw.normal(size=shape) * 0.5).astype(np.float32)

    found: Tensors = {}

    def linear(name: str, inner: int, outer: int, bias: bool = True, turned: bool = True) -> None:
        found[f"{name}.weight"] = some(outer, inner) if turned else some(inner, outer)
        if bias:
            found[f"{name}.bias"] = some(outer)

    def norm(name: str, width: int, bias: bool = True) -> None:
        found[f"{name}.weight"] = some(width, mean=1.0)
        if bias:
            found[f"{name}.bias"] = some(width)

    if family in ("bert", "roberta"):
        prefix = "roberta." if family == "roberta" else ""
        d, f = config["hidden_size"], config["intermediate_size"]
        start = f"{prefix}embeddings."
        found[f"{start}word_embeddings.weight"] = some(config["vocab_size"], d)
        found[f"{start}position_embeddings.weight"] = some(config["max_position_embeddings"], d)
        found[f"{start}token_type_embeddings.weight"] = some(config["type_vocab_size"], d)
        norm(f"{start}LayerNorm", d)
        for layer in range(config["num_hidden_layers"]):
            at = f"{prefix}encoder.layer.{layer}."
            for part in ("query", "key", "value"):
                linear(f"{at}attention.self.{part}", d, d)
            linear(f"{at}attention.output.dense", d, d)
            norm(f"{at}attention.output.LayerNorm", d)
            linear(f"{at}intermediate.dense", d, f)
            linear(f"{at}output.dense", f, d)
            norm(f"{at}output.LayerNorm", d)
    elif family == "distilbert":
        d, f = config["dim"], config["hidden_dim"]
        found["distilbert.embeddings.word_embeddings.weight"] = some(config["vocab_size"], d)
        positions = config["max_position_embeddings"]
        found["distilbert.embeddings.position_embeddings.weight"] = some(positions, d)
        norm("distilbert.embeddings.LayerNorm", d)
        for layer in range(config["n_layers"]):
            at = f"distilbert.transformer.layer.{layer}."
            for part in ("q_lin", "k_lin", "v_lin", "out_lin"):
                linear(f"{at}attention.{part}", d, d)
            norm(f"{at}sa_layer_norm", d)
            linear(f"{at}ffn.lin1", d, f)
            linear(f"{at}ffn.lin2", f, d)
            norm(f"{at}output_layer_norm", d)
    elif family == "gpt2":
        d = config["n_embd"]
        found["wte.weight"] = some(config["vocab_size"], d)
        found["wpe.weight"] = some(config["n_positions"], d)
        for layer in range(config["n_layer"]):
            at = f"h.{layer}."
            norm(f"{at}ln_1", d)
            linear(f"{at}attn.c_attn", d, 3 * d, turned=False)
            linear(f"{at}attn.c_proj", d, d, turned=False)
            norm(f"{at}ln_2", d)
            linear(f"{at}mlp.c_fc", d, 4 * d, turned=False)
            linear(f"{at}mlp.c_proj", 4 * d, d, turned=False)
        norm("ln_f", d)
    else:
        d, f, h = config["hidden_size"], config["intermediate_size"], config["num_attention_heads"]
        k, g = config.get("head_dim", d // h), config["num_key_value_heads"]
        found["model.embed_tokens.weight"] = some(config["vocab_size"], d)
        for layer in range(config["num_hidden_layers"]):
            at = f"model.layers.{layer}."
            own = config.get("attention_bias", False)
            norm(f"{at}input_layernorm", d, bias=False)
            for part, width in (("q", h * k), ("k", g * k), ("v", g * k)):
                linear(f"{at}self_attn.{part}_proj", d, width, bias=own or family == "qwen2")
            linear(f"{at}self_attn.o_proj", h * k, d, bias=own)
            norm(f"{at}post_attention_layernorm", d, bias=False)
            for part in ("gate", "up"):
                linear(f"{at}mlp.{part}_proj", d, f, bias=config.get("mlp_bias", False))
            linear(f"{at}mlp.down_proj", f, d, bias=config.get("mlp_bias", False))
        norm("model.norm", d, bias=False)
        if not config.get("tie_word_embeddings", False):
            found["lm_head.weight"] = some(config["vocab_size"], d)
    return found


def safetensors_bytes(tensors: Tensors) -> bytes:
    """A safetensors file."""
    header: dict[str, Any] = {"__metadata__": {"format": "pt"}}
    numbers = b""
    for name, array in tensors.items():
        data = array.astype(array.dtype.newbyteorder("<")).tobytes()
        offsets = [len(numbers), len(numbers) + len(data)]
        kind = TYPES[array.dtype.name]
        header[name] = {"dtype": kind, "shape": list(array.shape), "data_offsets": offsets}
        numbers += data
    text = json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + numbers


def write_checkpoint(
    folder: Path, family: str, tensors: Tensors | None = None, **settings: Any
) -> Path:
    """A folder with config.json and model.safetensors."""
    folder.mkdir(parents=True, exist_ok=True)
    config = {**CONFIGS[family], **settings}
    (folder / "config.json").write_text(json.dumps(config), encoding="utf-8")
    data = safetensors_bytes(random_tensors(family) if tensors is None else tensors)
    (folder / "model.safetensors").write_bytes(data)
    return folder


# Plain loops


def rows(table: Any) -> Matrix:
    """An array as lists of numbers."""
    return [[float(number) for number in row] for row in table]


def times(x: Matrix, W: Any, b: Any = None) -> Matrix:
    """x W + b for W (in, out)."""
    columns = list(zip(*rows(W), strict=True))
    bias = [0.0] * len(columns) if b is None else [float(number) for number in b]
    return [
        [
            math.fsum(a * c for a, c in zip(row, column, strict=True)) + bias[j]
            for j, column in enumerate(columns)
        ]
        for row in x
    ]


def plus(x: Matrix, y: Matrix) -> Matrix:
    """The sum of two matrices."""
    return [[a + b for a, b in zip(one, two, strict=True)] for one, two in zip(x, y, strict=True)]


def normed(x: Matrix, gamma: Any, beta: Any, eps: float) -> Matrix:
    """LayerNorm; RMSNorm where beta is None."""
    result = []
    for row in x:
        mean = 0.0 if beta is None else math.fsum(row) / len(row)
        root = math.sqrt(math.fsum((a - mean) ** 2 for a in row) / len(row) + eps)
        shift = [0.0] * len(row) if beta is None else beta
        result.append(
            [
                (a - mean) / root * float(g) + float(s)
                for a, g, s in zip(row, gamma, shift, strict=True)
            ]
        )
    return result


def active(name: str, x: float) -> float:
    """The activations as their papers have them."""
    if name == "gelu":
        return x * 0.5 * (1 + math.erf(x / math.sqrt(2)))
    if name == "gelu_new":
        return 0.5 * x * (1 + math.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))
    return max(x, 0.0) if name == "relu" else x / (1 + math.exp(-x))


def turned_halves(row: Sequence[float], position: int, base: float) -> list[float]:
    """Rotary positions as the libraries store them: column p turns with p + k/2."""
    half, result = len(row) // 2, list(row)
    for p in range(half):
        angle = position * base ** (-2 * p / len(row))
        a, b = row[p], row[p + half]
        result[p] = a * math.cos(angle) - b * math.sin(angle)
        result[p + half] = b * math.cos(angle) + a * math.sin(angle)
    return result


class PlainModel:
    """A family run by loops over lists: `weights` and `hidden` by layer, `logits` at the end."""

    def __init__(self, family: str, tensors: Mapping[str, Any], **settings: Any) -> None:
        self.family, self.config = family, {**CONFIGS[family], **settings}
        prefix = {"roberta": "roberta.", "distilbert": "distilbert."}.get(family, "")
        self.tensors = {name.removeprefix(prefix): array for name, array in tensors.items()}

    def linear(self, x: Matrix, name: str) -> Matrix:
        W = self.tensors[f"{name}.weight"]
        return times(x, W if self.family == "gpt2" else W.T, self.tensors.get(f"{name}.bias"))

    def norm(self, x: Matrix, name: str) -> Matrix:
        keys = ("layer_norm_eps", "layer_norm_epsilon", "rms_norm_eps")
        eps = next((self.config[key] for key in keys if key in self.config), 1e-12)
        return normed(x, self.tensors[f"{name}.weight"], self.tensors.get(f"{name}.bias"), eps)

    def attention(self, Q: Matrix, K: Matrix, V: Matrix, layer: int) -> tuple[Matrix, list[Matrix]]:
        config = self.config
        h = next(
            config[key] for key in ("num_attention_heads", "n_head", "n_heads") if key in config
        )
        g = config.get("num_key_value_heads", h)
        k, n = len(Q[0]) // h, len(Q)
        causal = self.family in ("gpt2", "llama", "qwen2", "mistral")
        window = (
            config.get("sliding_window") if layer >= config.get("max_window_layers", 0) else None
        )
        joined: Matrix = [[] for _ in Q]
        weights = []
        for head in range(h):
            own, shared = slice(head * k, head * k + k), head * g // h * k
            q, key = [row[own] for row in Q], [row[shared : shared + k] for row in K]
            if "rope_theta" in config:
                q = [turned_halves(row, i, config["rope_theta"]) for i, row in enumerate(q)]
                key = [turned_halves(row, i, config["rope_theta"]) for i, row in enumerate(key)]
            A = []
            for i in range(n):
                seen = [
                    j
                    for j in range(n)
                    if not causal or (j <= i and (window is None or i - j < window))
                ]
                scores = [
                    math.fsum(a * b for a, b in zip(q[i], key[j], strict=True)) / math.sqrt(k)
                    for j in seen
                ]
                powers = [math.exp(score - max(scores)) for score in scores]
                A.append([0.0] * n)
                for j, power in zip(seen, powers, strict=True):
                    A[i][j] = power / math.fsum(powers)
                joined[i] += [
                    math.fsum(A[i][j] * V[j][shared + column] for j in range(n))
                    for column in range(k)
                ]
            weights.append(A)
        return joined, weights

    def start(self, ids: Sequence[int]) -> Matrix:
        t = self.tensors
        if self.family == "gpt2":
            return [
                [
                    float(a) + float(b)
                    for a, b in zip(t["wte.weight"][i], t["wpe.weight"][p], strict=True)
                ]
                for p, i in enumerate(ids)
            ]
        if self.family in ("llama", "qwen2", "mistral"):
            return rows(t["model.embed_tokens.weight"][list(ids)])
        first, places = 0, list(range(len(ids)))
        if self.family == "roberta":
            pad = self.config["pad_token_id"]
            first, seen, places = pad + 1, 0, []
            for i in ids:
                seen += i != pad
                places.append(seen + pad if i != pad else pad)
        x = plus(
            rows(t["embeddings.word_embeddings.weight"][list(ids)]),
            rows(t["embeddings.position_embeddings.weight"][places]),
        )
        assert first in (0, 2)
        if self.family != "distilbert":
            x = plus(x, rows([t["embeddings.token_type_embeddings.weight"][0]] * len(ids)))
        return self.norm(x, "embeddings.LayerNorm")

    def run(self, ids: Sequence[int]) -> None:
        config = self.config
        keys = ("num_hidden_layers", "n_layer", "n_layers")
        layers = next(config[key] for key in keys if key in config)
        x = self.start(ids)
        self.hidden, self.weights = [x], []
        for layer in range(layers):
            x, weights = getattr(self, f"layer_{self.family}", self.layer_llama)(x, layer)
            self.hidden.append(x)
            self.weights.append(weights)
        self.logits: Matrix | None = None
        if self.family == "gpt2":
            self.final = self.norm(x, "ln_f")
            self.logits = times(self.final, self.tensors["wte.weight"].T)
        elif self.family in ("llama", "qwen2", "mistral"):
            self.final = self.norm(x, "model.norm")
            tied = self.tensors["model.embed_tokens.weight"]
            self.logits = times(self.final, self.tensors.get("lm_head.weight", tied).T)
        else:
            self.final = x

    def mlp(self, x: Matrix, up: str, down: str, gate: str = "") -> Matrix:
        keys = ("hidden_act", "activation_function", "activation")
        name = next((self.config[key] for key in keys if key in self.config), "silu")
        hidden = self.linear(x, up)
        if gate:
            pairs = zip(self.linear(x, gate), hidden, strict=True)
            hidden = [[active(name, a) * b for a, b in zip(*pair, strict=True)] for pair in pairs]
        else:
            hidden = [[active(name, a) for a in row] for row in hidden]
        return self.linear(hidden, down)

    def post(self, x: Matrix, layer: int, names: Sequence[str]) -> tuple[Matrix, list[Matrix]]:
        query, key, value, output, norm_1, up, down, norm_2 = names
        Q, K, V = (self.linear(x, name) for name in (query, key, value))
        joined, weights = self.attention(Q, K, V, layer)
        x = self.norm(plus(x, self.linear(joined, output)), norm_1)
        return self.norm(plus(x, self.mlp(x, up, down)), norm_2), weights

    def layer_bert(self, x: Matrix, layer: int) -> tuple[Matrix, list[Matrix]]:
        at = f"encoder.layer.{layer}."
        parts = [f"attention.self.{part}" for part in ("query", "key", "value")]
        parts += ["attention.output.dense", "attention.output.LayerNorm"]
        parts += ["intermediate.dense", "output.dense", "output.LayerNorm"]
        return self.post(x, layer, [at + part for part in parts])

    layer_roberta = layer_bert

    def layer_distilbert(self, x: Matrix, layer: int) -> tuple[Matrix, list[Matrix]]:
        at = f"transformer.layer.{layer}."
        parts = [f"attention.{part}_lin" for part in ("q", "k", "v", "out")]
        parts += ["sa_layer_norm", "ffn.lin1", "ffn.lin2", "output_layer_norm"]
        return self.post(x, layer, [at + part for part in parts])

    def layer_gpt2(self, x: Matrix, layer: int) -> tuple[Matrix, list[Matrix]]:
        at, d = f"h.{layer}.", len(x[0])
        joined = self.linear(self.norm(x, f"{at}ln_1"), f"{at}attn.c_attn")
        Q, K, V = ([row[start : start + d] for row in joined] for start in (0, d, 2 * d))
        mixed, weights = self.attention(Q, K, V, layer)
        x = plus(x, self.linear(mixed, f"{at}attn.c_proj"))
        normal = self.norm(x, f"{at}ln_2")
        return plus(x, self.mlp(normal, f"{at}mlp.c_fc", f"{at}mlp.c_proj")), weights

    def layer_llama(self, x: Matrix, layer: int) -> tuple[Matrix, list[Matrix]]:
        at = f"model.layers.{layer}."
        normal = self.norm(x, f"{at}input_layernorm")
        Q, K, V = (self.linear(normal, f"{at}self_attn.{part}_proj") for part in "qkv")
        mixed, weights = self.attention(Q, K, V, layer)
        x = plus(x, self.linear(mixed, f"{at}self_attn.o_proj"))
        normal = self.norm(x, f"{at}post_attention_layernorm")
        names = [f"{at}mlp.{part}_proj" for part in ("up", "down", "gate")]
        return plus(x, self.mlp(normal, *names)), weights
