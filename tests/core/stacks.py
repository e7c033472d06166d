"""Stacks of transformer blocks for tests, and the same computation in plain loops."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from core.base.arrays import Array, frozen
from core.document.document import Document, Head, Mask, Positional, Scale, Softmax
from core.document.parts import Layer, Mlp, Norm, Norms, Output, Sampling
from core.storage.examples import EXAMPLES, load_example

SIZES = {"n": 4, "d": 6, "h": 3, "k": 2, "v": 5, "f": 7, "u": 8}


STACK_EXAMPLES = tuple(example for example in EXAMPLES if load_example(example).is_stack)
ATTENTION_EXAMPLES = tuple(example for example in EXAMPLES if example not in STACK_EXAMPLES)


def make_stack(
    seed: int = 0,
    *,
    layers: int = 2,
    sizes: dict[str, int] | None = None,
    norm: str = "layer",
    place: str = "pre",
    activation: str = "relu",
    gate: bool = False,
    residual: bool = True,
    biases: bool = True,
    factors: bool = True,
    borrowed: bool = False,
    mlp: bool = True,
    norms: bool = True,
    around: bool = True,
    output: bool = True,
    eps: float = 1e-5,
    temperature: float = 1.0,
    positional: str = "none",
    mask: str = "causal",
    scale: str = "sqrt_dk",
    base: str = "e",
    decimals: int = 3,
    off: tuple[int, ...] = (),
) -> Document:
    """A stack with seeded numbers of a few decimals; sizes k, v, f differ from layer to layer.

    `factors`: gamma and beta; `around`: the norms outside the layers; `borrowed`: the last head
    reads the keys and values of the first; `off`: heads that are off in every layer.
    """
    s, rng = SIZES if sizes is None else sizes, np.random.default_rng(seed)
    d = s["d"]

    def matrix(*shape: int) -> Array:
        return frozen(np.round(rng.normal(size=shape), decimals))

    def make_norm(present: bool = True) -> Norm | None:
        if not present:
            return None
        gamma = frozen(np.round(1 + rng.normal(size=d) / 3, decimals)) if factors else None
        beta = matrix(d) if factors and norm == "layer" else None
        return Norm(norm, eps, gamma, beta)

    def make_head(index: int, k: int, v: int) -> Head:
        lends = borrowed and index == s["h"] - 1 and index > 0
        tensors: dict[str, Any] = {"W_Q": matrix(d, k)}
        if not lends:
            tensors |= {"W_K": matrix(d, k), "W_V": matrix(d, v)}
        if biases:
            tensors |= {"b_Q": matrix(k)} | ({} if lends else {"b_V": matrix(v)})
        return Head(enabled=index not in off, kv_from=0 if lends else None, **tensors)

    def make_layer(index: int) -> Layer:
        k, v, f = s["k"] + index, s["v"] + index, s["f"] + index
        attention = make_norm(norms)
        heads = tuple(make_head(head, k, v) for head in range(s["h"]))
        part = None
        if mlp:
            part = Mlp(
                matrix(d, f),
                matrix(f, d),
                matrix(f) if biases else None,
                matrix(d) if biases else None,
                activation,
                matrix(d, f) if gate else None,
                matrix(f) if gate and biases else None,
            )
        return Layer(
            heads,
            residual=residual,
            W_O=matrix(s["h"] * v, d),
            b_O=matrix(d) if biases else None,
            norm=Norms(norm, place, eps, attention, make_norm(norms and mlp)),
            mlp=part,
        )

    return Document(
        tokens=tuple(f"t{i}" for i in range(s["n"])),
        heads=(),
        X=matrix(s["n"], d),
        embedding_norm=make_norm(around),
        layers=tuple(make_layer(index) for index in range(layers)),
        final_norm=make_norm(around),
        output=Output(
            matrix(d, s["u"]),
            tuple(f"w{i}" for i in range(s["u"])),
            matrix(s["u"]) if biases else None,
        )
        if output
        else None,
        sampling=Sampling(temperature),
        positional=Positional(positional, P=matrix(s["n"], d) if positional == "learned" else None),
        mask=Mask(mask),
        scale=Scale(scale, 0.75 if scale == "factor" else 1.0),
        softmax=Softmax(base),
    )


# The same in plain loops over Python floats. Nothing here comes from core but the numbers.

Matrix = list[list[float]]


def times(a: Matrix, b: Matrix, bias: Any = None) -> Matrix:
    extra = [0.0] * len(b[0]) if bias is None else list(bias)
    return [
        [sum(row[p] * b[p][j] for p in range(len(b))) + extra[j] for j in range(len(b[0]))]
        for row in a
    ]


def plus(a: Matrix, b: Matrix) -> Matrix:
    return [[x + y for x, y in zip(p, q, strict=True)] for p, q in zip(a, b, strict=True)]


def normed(rows: Matrix, norm: Norm) -> Matrix:
    result = []
    for row in rows:
        d = len(row)
        mean = sum(row) / d if norm.kind == "layer" else 0.0
        square = sum((x - mean) ** 2 for x in row) / d
        numbers = [(x - mean) / math.sqrt(square + norm.eps) for x in row]
        if norm.gamma is not None:
            numbers = [x * float(g) for x, g in zip(numbers, norm.gamma, strict=True)]
        if norm.beta is not None:
            numbers = [x + float(b) for x, b in zip(numbers, norm.beta, strict=True)]
        result.append(numbers)
    return result


ACTIVE = {
    "relu": lambda x: x if x > 0 else 0.0,
    "gelu": lambda x: x * (1 + math.erf(x / math.sqrt(2))) / 2,
    "gelu_tanh": lambda x: x * (1 + math.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3))) / 2,
    "silu": lambda x: x / (1 + math.exp(-x)),
}


def softmax(row: list[float]) -> list[float]:
    powers = [math.exp(x - max(row)) for x in row]
    return [power / sum(powers) for power in powers]


def plain_stack(document: Document) -> dict[str, Any]:
    """Every stage of a stack but those of scale, mask and numerators; positions are learned, if there
    are any, and the mask is causal, if there is one.
    """
    stages: dict[str, Any] = {}

    def keep(name: str, value: Any) -> Any:
        stages[name] = value
        return value

    x = keep("X", np.asarray(document.X).tolist())
    if document.positional.P is not None:
        x = keep("input", plus(x, keep("P", document.positional.P.tolist())))
    if document.embedding_norm is not None:
        x = keep("embedding_norm", normed(x, document.embedding_norm))
    for number, layer in enumerate(document.layers, 1):
        x = plain_layer(
            document, layer, x, lambda name, value, at=number: keep(f"L{at}.{name}", value)
        )
    if document.final_norm is not None:
        x = keep("final_norm", normed(x, document.final_norm))
    if document.output is not None:
        z = keep("logits", times(x, document.output.W_U.tolist(), document.output.b_U))
        temperature = document.sampling.temperature
        keep("probabilities", [softmax([number / temperature for number in row]) for row in z])
    return stages


def plain_layer(document: Document, layer: Layer, x: Matrix, keep: Any) -> Matrix:
    """One layer; `keep` stores each stage."""
    pre = layer.norm.place == "pre"
    came, norm = x, layer.norm.attention
    if pre and norm is not None:
        x = keep("attention_norm", normed(x, norm))
    x = keep("Y", plain_attention(document, layer, x, keep))
    if layer.residual:
        x = keep("attention_residual", plus(came, x))
    if not pre and norm is not None:
        x = keep("attention_norm", normed(x, norm))
    if layer.mlp is None:
        return x
    came, norm, mlp = x, layer.norm.mlp, layer.mlp
    if pre and norm is not None:
        x = keep("mlp_norm", normed(x, norm))
    hidden = keep("mlp_hidden", times(x, mlp.W_1.tolist(), mlp.b_1))
    act = ACTIVE[mlp.activation]
    if mlp.W_gate is None:
        active = [[act(h) for h in row] for row in hidden]
    else:
        gate = keep("mlp_gate", times(x, mlp.W_gate.tolist(), mlp.b_gate))
        active = [
            [act(g) * h for g, h in zip(*rows, strict=True)]
            for rows in zip(gate, hidden, strict=True)
        ]
    x = keep("mlp_out", times(keep("mlp_active", active), mlp.W_2.tolist(), mlp.b_2))
    if layer.residual:
        x = keep("mlp_residual", plus(came, x))
    if not pre and norm is not None:
        x = keep("mlp_norm", normed(x, norm))
    return x


def plain_attention(document: Document, layer: Layer, x: Matrix, keep: Any) -> Matrix:
    """Attention of one layer, with grouped queries where a head reads another one's keys."""
    own = [head if head.kv_from is None else layer.heads[head.kv_from] for head in layer.heads]
    q = [times(x, head.W_Q.tolist(), head.b_Q) for head in layer.heads]
    k = [times(x, head.W_K.tolist(), head.b_K) for head in own]
    v = [times(x, head.W_V.tolist(), head.b_V) for head in own]
    scores, weights, heads = [], [], []
    for a, b, c in zip(q, k, v, strict=True):
        dots = times(a, [list(column) for column in zip(*b, strict=True)])
        scores.append(dots)
        shares = []
        for i, row in enumerate(dots):
            most = i + 1 if document.mask.kind == "causal" else len(row)
            scale = math.sqrt(len(a[0])) if document.scale.kind == "sqrt_dk" else 1.0
            seen = [score / scale for score in row[:most]]
            shares.append(softmax(seen) + [0.0] * (len(row) - most))
        weights.append(shares)
        heads.append(times(shares, c))
    for name, value in zip("QKV", (q, k, v), strict=True):
        keep(name, value)
    keep("scores", scores)
    keep("weights", weights)
    keep("heads", heads)
    joined = [
        [
            number if head.enabled else 0.0
            for head, rows in zip(layer.heads, heads, strict=True)
            for number in rows[i]
        ]
        for i in range(len(x))
    ]
    keep("concat", joined)
    return joined if layer.W_O is None else times(joined, layer.W_O.tolist(), layer.b_O)
