"""A GPT-2-shaped network in NumPy with its gradient and Adam, for tools/train_model.py.

The loops of training are the only use: the program itself runs models by core/models.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.floating[Any]]
Ints = npt.NDArray[np.integer[Any]]

EPSILON = 1e-5  # of LayerNorm
HIDDEN = -1e9  # score of a later token
BETA_1, BETA_2, ADAM_EPSILON = 0.9, 0.99, 1e-8
LONGEST_GRADIENT = 1.0
EMBEDDING_SPREAD, POSITION_SIZE = 0.1, 0.5  # of the initial weights
FASTEST, SLOWEST_RATIO = 2.0, 15.0  # radians per position of the first sines, and of the last ones


@dataclass(frozen=True, slots=True)
class Sizes:
    """Sizes of a network, by the names that GPT-2's config.json uses."""

    vocab_size: int
    n_positions: int
    n_embd: int
    n_layer: int
    n_head: int
    n_inner: int

    def shapes(self) -> dict[str, tuple[int, ...]]:
        """The shape of every weight by GPT-2's names. Matrices are (in, out)."""
        d, f = self.n_embd, self.n_inner
        shapes: dict[str, tuple[int, ...]] = {
            "wte.weight": (self.vocab_size, d),
            "wpe.weight": (self.n_positions, d),
        }
        for layer in range(self.n_layer):
            names = {
                "ln_1": (d,),
                "attn.c_attn": (d, 3 * d),
                "attn.c_proj": (d, d),
                "ln_2": (d,),
                "mlp.c_fc": (d, f),
                "mlp.c_proj": (f, d),
            }
            for name, shape in names.items():
                shapes[f"h.{layer}.{name}.weight"] = shape
                shapes[f"h.{layer}.{name}.bias"] = shape[-1:]
        return shapes | {"ln_f.weight": (d,), "ln_f.bias": (d,)}

    @property
    def parameters(self) -> int:
        """The number of weights."""
        return sum(math.prod(shape) for shape in self.shapes().values())

    def split(self, vector: Floats) -> dict[str, Floats]:
        """Views of a vector of all weights, by name."""
        views, at = {}, 0
        for name, shape in self.shapes().items():
            size = math.prod(shape)
            views[name] = vector[at : at + size].reshape(shape)
            at += size
        return views


class Network:
    """Weights and their gradient: each one vector, with views by name."""

    def __init__(self, sizes: Sizes, seed: int, dtype: npt.DTypeLike = np.float32) -> None:
        self.sizes = sizes
        self.vector: Floats = np.zeros(sizes.parameters, dtype)
        self.gradient: Floats = np.zeros(sizes.parameters, dtype)
        self.weights = sizes.split(self.vector)
        self.gradients = sizes.split(self.gradient)
        self._initialise(np.random.default_rng(seed))

    def _initialise(self, rng: np.random.Generator) -> None:
        """Draw the weights. Positions begin as sines and cosines, so that neighbours are similar."""
        for name, weight in self.weights.items():
            if weight.ndim == 1:
                weight[:] = float("ln_" in name and name.endswith("weight"))
                continue
            spread = EMBEDDING_SPREAD if name == "wte.weight" else 1 / math.sqrt(len(weight))
            if (
                "c_proj" in name
            ):  # as GPT-2: what adds to the stream starts smaller in deep networks
                spread /= math.sqrt(2 * self.sizes.n_layer)
            weight[:] = rng.normal(0, spread, weight.shape)
        positions = self.weights["wpe.weight"]
        n, d = positions.shape
        rates = FASTEST * SLOWEST_RATIO ** (-2 * np.arange(d // 2) / d)
        angles = np.arange(n)[:, None] * rates
        positions[:, ::2], positions[:, 1::2] = np.sin(angles), np.cos(angles)
        positions *= POSITION_SIZE

    def forward(self, ids: Ints, off: Collection[tuple[int, int]] = ()) -> Pass:
        """Run sentences; `off` are (layer, head) that add nothing.  # ids (b, n)"""
        w = self.weights
        x = w["wte.weight"][ids] + w["wpe.weight"][: ids.shape[1]]
        layers = []
        for layer in range(self.sizes.n_layer):
            own = _of_layer(w, layer)
            heads_off = [head for at, head in off if at == layer]
            attention = Attention(own, x, self.sizes.n_head, heads_off)
            x = x + attention.out
            mlp = Mlp(own, x)
            x = x + mlp.out
            layers.append((attention, mlp))
        norm = Norm(x, w["ln_f.weight"], w["ln_f.bias"])
        return Pass(layers, norm, norm.out @ w["wte.weight"].T)

    def loss(self, ids: Ints, targets: Ints, share: Floats) -> float:
        """Cross-entropy of the next tokens, and its gradient in `gradients`.

        `share` weighs each position and sums to 1.  # all (b, n)
        """
        done, (b, n) = self.forward(ids), ids.shape
        logits = done.logits
        logits -= logits.max(-1, keepdims=True)
        np.exp(logits, out=logits)
        logits /= logits.sum(-1, keepdims=True)
        right = np.take_along_axis(logits, targets[..., None], -1)
        loss = -(np.log(np.maximum(right[..., 0], 1e-30)) * share).sum()
        np.put_along_axis(logits, targets[..., None], right - 1, -1)
        logits *= share[..., None]
        self._backward(done, ids, logits.reshape(b * n, -1))
        return float(loss)

    def _backward(self, done: Pass, ids: Ints, to_logits: Floats) -> None:
        w, g, (b, n) = self.weights, self.gradients, ids.shape
        g["wte.weight"][:] = to_logits.T @ _flat(done.norm.out)
        to_x = done.norm.backward(
            (to_logits @ w["wte.weight"]).reshape(b, n, -1), g["ln_f.weight"], g["ln_f.bias"]
        )
        for layer in reversed(range(self.sizes.n_layer)):
            attention, mlp = done.layers[layer]
            own = _of_layer(g, layer)
            to_x = to_x + mlp.backward(to_x, own)
            to_x = to_x + attention.backward(to_x, own)
        words = np.zeros((b * n, self.sizes.vocab_size), to_x.dtype)
        words[np.arange(b * n), ids.ravel()] = 1
        g["wte.weight"] += words.T @ _flat(to_x)
        g["wpe.weight"][:] = 0
        g["wpe.weight"][:n] = to_x.sum(0)


def _flat(x: Floats) -> Floats:
    return x.reshape(-1, x.shape[-1])


def _of_layer(views: Mapping[str, Floats], layer: int) -> dict[str, Floats]:
    prefix = f"h.{layer}."
    return {name.removeprefix(prefix): a for name, a in views.items() if name.startswith(prefix)}


class Norm:
    """LayerNorm of x, kept for its gradient.  # (b, n, d) -> (b, n, d)"""

    def __init__(self, x: Floats, gamma: Floats, beta: Floats) -> None:
        centred = x - x.mean(-1, keepdims=True)
        self.rate = 1 / np.sqrt(np.square(centred).mean(-1, keepdims=True) + EPSILON)
        self.unit, self.gamma = centred * self.rate, gamma
        self.out = self.unit * gamma + beta

    def backward(self, to_out: Floats, to_gamma: Floats, to_beta: Floats) -> Floats:
        """Write the gradients of gamma and beta; return that of x."""
        to_gamma[:] = (to_out * self.unit).sum((0, 1))
        to_beta[:] = to_out.sum((0, 1))
        to_unit = to_out * self.gamma
        across = (to_unit * self.unit).mean(-1, keepdims=True)
        result: Floats = self.rate * (
            to_unit - to_unit.mean(-1, keepdims=True) - self.unit * across
        )
        return result


class Attention:
    """Causal attention behind its norm, kept for its gradient.  # (b, n, d) -> (b, n, d)"""

    def __init__(self, w: Mapping[str, Floats], x: Floats, heads: int, off: list[int]) -> None:
        b, n, d = x.shape
        self.w, self.norm = w, Norm(x, w["ln_1.weight"], w["ln_1.bias"])
        joined = _flat(self.norm.out) @ w["attn.c_attn.weight"] + w["attn.c_attn.bias"]
        parts = joined.reshape(b, n, 3, heads, d // heads).transpose(2, 0, 3, 1, 4)
        self.Q, self.K, self.V = (np.ascontiguousarray(part) for part in parts)
        self.divisor = math.sqrt(d // heads)
        scores = self.Q @ self.K.swapaxes(-1, -2) / self.divisor
        scores += np.triu(np.full((n, n), HIDDEN, x.dtype), 1)
        scores -= scores.max(-1, keepdims=True)
        np.exp(scores, out=scores)
        scores /= scores.sum(-1, keepdims=True)
        self.A = scores  # (b, h, n, n)
        mixed = self.A @ self.V
        mixed[:, off] = 0
        self.mixed = mixed.transpose(0, 2, 1, 3).reshape(b * n, d)
        out = self.mixed @ w["attn.c_proj.weight"] + w["attn.c_proj.bias"]
        self.out = out.reshape(b, n, d)

    def backward(self, to_out: Floats, g: Mapping[str, Floats]) -> Floats:
        """Write the gradients of the weights; return that of x."""
        (b, n, d), heads, flat = to_out.shape, self.A.shape[1], _flat(to_out)
        g["attn.c_proj.weight"][:] = self.mixed.T @ flat
        g["attn.c_proj.bias"][:] = flat.sum(0)
        to_mixed = (flat @ self.w["attn.c_proj.weight"].T).reshape(b, n, heads, -1)
        to_mixed = np.ascontiguousarray(to_mixed.transpose(0, 2, 1, 3))
        to_S = to_mixed @ self.V.swapaxes(-1, -2)
        to_S -= (to_S * self.A).sum(-1, keepdims=True)
        to_S *= self.A
        to_S /= self.divisor
        to_V = self.A.swapaxes(-1, -2) @ to_mixed
        parts = np.stack([to_S @ self.K, to_S.swapaxes(-1, -2) @ self.Q, to_V])
        to_joined = parts.transpose(1, 3, 0, 2, 4).reshape(b * n, 3 * d)
        g["attn.c_attn.weight"][:] = _flat(self.norm.out).T @ to_joined
        g["attn.c_attn.bias"][:] = to_joined.sum(0)
        to_norm = (to_joined @ self.w["attn.c_attn.weight"].T).reshape(b, n, d)
        return self.norm.backward(to_norm, g["ln_1.weight"], g["ln_1.bias"])


class Mlp:
    """MLP with GELU (by tanh) behind its norm, kept for its gradient.  # (b, n, d) -> (b, n, d)"""

    SCALE, CUBE = math.sqrt(2 / math.pi), 0.044715

    def __init__(self, w: Mapping[str, Floats], x: Floats) -> None:
        self.w, self.norm = w, Norm(x, w["ln_2.weight"], w["ln_2.bias"])
        u = _flat(self.norm.out) @ w["mlp.c_fc.weight"] + w["mlp.c_fc.bias"]
        self.u, self.tanh = u, np.tanh(self.SCALE * (u + self.CUBE * u * u * u))
        self.active = u * (1 + self.tanh) / 2
        out = self.active @ w["mlp.c_proj.weight"] + w["mlp.c_proj.bias"]
        self.out = out.reshape(x.shape)

    def backward(self, to_out: Floats, g: Mapping[str, Floats]) -> Floats:
        """Write the gradients of the weights; return that of x."""
        flat, u, t = _flat(to_out), self.u, self.tanh
        g["mlp.c_proj.weight"][:] = self.active.T @ flat
        g["mlp.c_proj.bias"][:] = flat.sum(0)
        slope = (1 + t) / 2 + u * (1 - t * t) / 2 * self.SCALE * (1 + 3 * self.CUBE * u * u)
        to_u = flat @ self.w["mlp.c_proj.weight"].T * slope
        g["mlp.c_fc.weight"][:] = _flat(self.norm.out).T @ to_u
        g["mlp.c_fc.bias"][:] = to_u.sum(0)
        to_norm = (to_u @ self.w["mlp.c_fc.weight"].T).reshape(to_out.shape)
        return self.norm.backward(to_norm, g["ln_2.weight"], g["ln_2.bias"])


@dataclass(frozen=True, slots=True, eq=False)
class Pass:
    """A forward pass: the parts of each layer, the final norm, logits (b, n, vocabulary)."""

    layers: list[tuple[Attention, Mlp]]
    norm: Norm
    logits: Floats


class Adam:
    """Adam with weight decay on matrices; long gradients are shortened."""

    def __init__(self, network: Network, decay: float) -> None:
        self.network, self.steps = network, 0
        self.mean = np.zeros_like(network.vector)
        self.square = np.zeros_like(network.vector)
        self.decay = np.zeros_like(network.vector)
        for weight in network.sizes.split(self.decay).values():
            weight[:] = decay if weight.ndim == 2 else 0.0

    def step(self, rate: float) -> None:
        """Change the weights by the gradient that the network holds."""
        vector, gradient = self.network.vector, self.network.gradient
        length = float(np.linalg.norm(gradient))
        gradient *= min(1.0, LONGEST_GRADIENT / max(length, ADAM_EPSILON))
        self.steps += 1
        self.mean += (1 - BETA_1) * (gradient - self.mean)
        self.square += (1 - BETA_2) * (np.square(gradient) - self.square)
        spread = np.sqrt(self.square / (1 - BETA_2**self.steps)) + ADAM_EPSILON
        vector -= rate * (self.mean / (1 - BETA_1**self.steps) / spread + self.decay * vector)
