"""Files of stacks: exact both ways, switched-off parts included; bad ones are refused with the place."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from core.base.arrays import frozen
from core.base.errors import UserError
from core.document.document import Document, Head, Layer, Mlp, Norm, Output, Pin, Sampling
from core.document.parts import ACTIVATIONS, Norms
from core.storage.archive import dumps, loads
from tests.core.test_archive import same

GOLDEN = Path(__file__).parents[1] / "golden" / "format-2-stack.attn.json"


def random_stack(seed: int) -> Document:
    """A stack in which every part is present, switched off or missing by chance."""
    rng = np.random.default_rng(seed)
    n, d, u = (int(size) for size in rng.integers(1, 6, 3))

    def numbers(*shape: int) -> Any:
        return frozen(rng.normal(size=shape) * 10.0 ** rng.integers(-9, 9, shape))

    def maybe(*shape: int) -> Any:
        return numbers(*shape) if rng.random() < 0.5 else None

    def chance() -> bool:
        return bool(rng.random() < 0.5)

    def norm(kind: str, eps: float = 1e-5) -> Norm | None:
        beta = maybe(d) if kind == "layer" else None
        return Norm(kind, eps, maybe(d), beta, chance()) if chance() else None

    def layer(number: int) -> Layer:
        h, k, v, f = (int(size) for size in rng.integers(1, 4, 4))
        heads = [
            Head("", chance(), numbers(d, k), numbers(d, k), numbers(d, v), maybe(k), maybe(k))
        ]
        for _ in range(h - 1):
            lent = chance()
            own = {} if lent else {"W_K": numbers(d, k), "W_V": numbers(d, v), "b_V": maybe(v)}
            heads.append(Head("x", W_Q=numbers(d, k), kv_from=0 if lent else None, **own))
        gate = maybe(d, f)
        bias = None if gate is None else maybe(f)
        activation = ACTIVATIONS[number % len(ACTIVATIONS)]
        mlp = Mlp(
            numbers(d, f), numbers(f, d), maybe(f), maybe(d), activation, gate, bias, chance()
        )
        kind, place, eps = ("layer", "rms")[number % 2], ("pre", "post")[seed % 2], 1e-5 + seed
        part = mlp if chance() else None
        norms = Norms(kind, place, eps, norm(kind), None if part is None else norm(kind))
        W_O = numbers(h * v, d)
        return Layer(tuple(heads), f"{number}", chance(), chance(), W_O, maybe(d), norms, part)

    return Document(
        tokens=tuple(f"t{i}" for i in range(n)),
        X=numbers(n, d),
        layers=tuple(layer(number) for number in range(int(rng.integers(1, 4)))),
        embedding_norm=norm("rms", 0.0),
        final_norm=norm("layer"),
        output=Output(numbers(d, u), tuple("w" * u), maybe(u)) if chance() else None,
        sampling=Sampling(0.1 + seed, 3 if chance() else None, 0.1 if chance() else None, seed),
        pins=(Pin("L1.Y", (n - 1, 0), 0.1), Pin("X", (0, d - 1), -0.0)),
    )


@pytest.mark.parametrize("seed", range(40))
def test_a_stack_comes_back_to_the_last_bit(seed: int) -> None:
    document = random_stack(seed)
    data = dumps(document)
    assert json.loads(data)["version"] == 2
    assert same(loads(data), document)


def test_layout_stays_as_it_is() -> None:
    data = GOLDEN.read_bytes()
    assert dumps(loads(data)) == data


def test_what_is_as_by_default_is_left_out() -> None:
    head = Head(W_Q=frozen([[1.0]]), W_K=frozen([[1.0]]), W_V=frozen([[1.0]]))
    file = json.loads(dumps(Document(("a",), X=frozen([[1.0]]), layers=(Layer((head,)),))))
    assert set(file) == {"format", "version", "tokens", "source", "X", "layers"}
    assert set(file["layers"][0]) == {"heads"}


def stack() -> dict[str, Any]:
    """A small valid file."""
    head = {"W_Q": [[1], [2]], "W_K": [[1], [2]], "W_V": [[1], [4]]}
    norm = {"gamma": [1, 2], "beta": [0, 1]}
    layer = {
        "heads": [dict(head), {"W_Q": [[3], [4]], "kv_from": 0}],
        "W_O": [[1, 0], [0, 1]],
        "norm": {"kind": "layer", "attention": dict(norm), "mlp": dict(norm)},
        "mlp": {"W_1": [[1, 2, 3]] * 2, "W_2": [[1, 2]] * 3, "b_1": [0, 0, 1]},
    }
    return {
        "format": "self-attention-experiment",
        "version": 2,
        "tokens": ["a", "b", "c"],
        "source": "embeddings",
        "X": [[1, 2], [3, 4], [5, 6]],
        "layers": [json.loads(json.dumps(layer)) for _ in range(2)],
        "final_norm": {"kind": "rms"},
        "output": {"W_U": [[1, 2, 3], [4, 5, 6]], "vocabulary": ["x", "y", "z"]},
    }


def test_the_small_file_itself_is_good() -> None:
    document = loads(json.dumps(stack()).encode())
    assert document.stage_shape("L2.Q") == (2, 3, 1)
    assert document.stage_shape("L2.mlp_hidden") == (3, 3)
    assert document.lender("L2.W_K", 1) == 0
    assert document.tensor("L2.W_K", 1) is None
    assert document.norm("L1.mlp_norm").eps == 1e-5


Change = Callable[[dict[str, Any]], object]
REFUSED: dict[str, tuple[Change, str, dict[str, Any]]] = {
    "no layers": (lambda f: f.update(layers=[]), "stack.no_layers", {"place": "layers"}),
    "version 1": (lambda f: f.update(version=1), "stack.version", {"version": 1}),
    "version 3": (lambda f: f.update(version=3), "file.newer", {"version": 3, "known": 2}),
    "context": (lambda f: f.update(context={"tokens": ["x"]}), "stack.context", {}),
    "another source": (lambda f: f.update(source="qkv"), "stack.source", {"source": "qkv"}),
    "heads at the top": (
        lambda f: f.update(heads=f["layers"][0]["heads"][:1]),
        "stack.in_layers",
        {"name": "heads"},
    ),
    "W_O at the top": (lambda f: f.update(W_O=[[1]]), "stack.in_layers", {"name": "W_O"}),
    "no heads": (
        lambda f: f["layers"][1].update(heads=[]),
        "layer.no_heads",
        {"place": "layers[1]"},
    ),
    "an unknown key of a layer": (
        lambda f: f["layers"][1].update(dropout=0.1),
        "file.unknown_key",
        {"place": "layers[1]", "key": "dropout"},
    ),
    "an unknown key of the mlp": (
        lambda f: f["layers"][1]["mlp"].update(gamma=[1]),
        "file.unknown_key",
        {"place": "layers[1].mlp", "key": "gamma"},
    ),
    "an unknown key of a norm": (
        lambda f: f["layers"][1]["norm"]["mlp"].update(W_1=[1]),
        "file.unknown_key",
        {
            "place": "layers[1].norm.mlp",
            "key": "W_1",
            "known": ("enabled", "gamma", "beta"),
        },
    ),
    "an unknown key of a head": (
        lambda f: f["layers"][1]["heads"][0].update(A=[[1]]),
        "file.unknown_key",
        {"place": "layers[1].heads[0]", "key": "A"},
    ),
    "a borrower that lends": (
        lambda f: f["layers"][0]["heads"].append({"W_Q": [[1], [1]], "kv_from": 1}),
        "head.kv_from_borrows",
        {"place": "layers[0].heads[2]", "kv_from": 1},
    ),
    "a head that lends to itself": (
        lambda f: f["layers"][0]["heads"][1].update(kv_from=1),
        "head.kv_from_borrows",
        {"kv_from": 1},
    ),
    "a lender that is not there": (
        lambda f: f["layers"][0]["heads"][1].update(kv_from=2),
        "head.kv_from_range",
        {"place": "layers[0].heads[1]", "kv_from": 2, "h": 2},
    ),
    "a lender below 0": (
        lambda f: f["layers"][0]["heads"][1].update(kv_from=-1),
        "head.kv_from_range",
        {"kv_from": -1},
    ),
    "keys of its own beside kv_from": (
        lambda f: f["layers"][0]["heads"][1].update(b_K=[1]),
        "head.kv_from_own",
        {"name": "b_K", "place": "layers[0].heads[1]"},
    ),
    "no keys": (
        lambda f: f["layers"][1]["heads"][0].pop("W_K"),
        "head.missing",
        {"name": "W_K", "place": "layers[1].heads[0]"},
    ),
    "another d in a layer": (
        lambda f: f["layers"][1]["heads"][0].update(W_Q=[[1], [2], [3]]),
        "shape",
        {"name": "layers[1].heads[0].W_Q", "expected": (2, 1), "actual": (3, 1)},
    ),
    "another d after W_O": (
        lambda f: f["layers"][1].update(W_O=[[1, 0, 0], [0, 1, 0]]),
        "shape",
        {"name": "layers[1].W_O", "expected": (2, 2), "actual": (2, 3)},
    ),
    "W_O of another height": (
        lambda f: f["layers"][1].update(W_O=[[1, 0]]),
        "output.height",
        {"place": "layers[1].W_O", "expected": 2},
    ),
    "no W_O where heads are not d wide": (
        lambda f: (f["layers"][1].pop("W_O"), f["layers"][1]["heads"].pop()),
        "layer.width",
        {"place": "layers[1].W_O", "c": 1, "d": 2},
    ),
    "b_O without W_O": (
        lambda f: (f["layers"][1].pop("W_O"), f["layers"][1].update(b_O=[1, 2])),
        "output.bias_without_weights",
        {"place": "layers[1]"},
    ),
    "an unknown activation": (
        lambda f: f["layers"][0]["mlp"].update(activation="tanh"),
        "kind.unknown",
        {"place": "layers[0].mlp.activation", "kind": "tanh", "known": ACTIVATIONS},
    ),
    "W_2 of another height": (
        lambda f: f["layers"][0]["mlp"].update(W_2=[[1, 2]] * 2),
        "shape",
        {"name": "layers[0].mlp.W_2", "expected": (3, 2), "actual": (2, 2)},
    ),
    "no W_1": (
        lambda f: f["layers"][0]["mlp"].pop("W_1"),
        "file.missing_key",
        {"place": "layers[0].mlp", "key": "W_1"},
    ),
    "b_gate without W_gate": (
        lambda f: f["layers"][0]["mlp"].update(b_gate=[1, 2, 3]),
        "mlp.bias_without_gate",
        {"place": "layers[0].mlp.b_gate"},
    ),
    "an unknown norm": (
        lambda f: f["layers"][0]["norm"].update(kind="batch"),
        "kind.unknown",
        {"place": "layers[0].norm.kind", "kind": "batch"},
    ),
    "an unknown place": (
        lambda f: f["layers"][0]["norm"].update(place="both"),
        "kind.unknown",
        {"place": "layers[0].norm.place", "kind": "both"},
    ),
    "eps below 0": (
        lambda f: f["layers"][0]["norm"].update(eps=-1e-5),
        "norm.eps",
        {"place": "layers[0].norm.eps", "value": -1e-5},
    ),
    "gamma of another width": (
        lambda f: f["layers"][0]["norm"]["attention"].update(gamma=[1, 2, 3]),
        "shape",
        {"name": "layers[0].norm.attention.gamma", "expected": (2,), "actual": (3,)},
    ),
    "beta of an rms norm": (
        lambda f: f["final_norm"].update(beta=[1, 2]),
        "norm.rms_beta",
        {"place": "final_norm.beta"},
    ),
    "a norm without an mlp": (
        lambda f: f["layers"][0].pop("mlp"),
        "layer.norm_without_mlp",
        {"place": "layers[0].norm.mlp"},
    ),
    "a vocabulary of another size": (
        lambda f: f["output"].update(vocabulary=["x", "y"]),
        "output.vocabulary",
        {"place": "output.W_U", "u": 2, "actual": (2, 3)},
    ),
    "an empty vocabulary": (
        lambda f: f["output"].update(vocabulary=[]),
        "output.no_vocabulary",
        {"place": "output.vocabulary"},
    ),
    "W_U of another height": (
        lambda f: f["output"].update(W_U=[[1, 2, 3]] * 3),
        "shape",
        {"name": "output.W_U", "expected": (2, 3), "actual": (3, 3)},
    ),
    "b_U of another width": (
        lambda f: f["output"].update(b_U=[1]),
        "shape",
        {"name": "output.b_U", "expected": (3,), "actual": (1,)},
    ),
    "temperature 0": (
        lambda f: f.update(sampling={"temperature": 0}),
        "sampling.temperature",
        {"place": "sampling.temperature", "value": 0.0},
    ),
    "top_k 0": (lambda f: f.update(sampling={"top_k": 0}), "sampling.top_k", {"value": 0}),
    "top_p 0": (lambda f: f.update(sampling={"top_p": 0}), "sampling.top_p", {"value": 0.0}),
    "a seed below 0": (lambda f: f.update(sampling={"seed": -1}), "sampling.seed", {"value": -1}),
    "slopes for another number of heads": (
        lambda f: f.update(positional={"kind": "alibi", "slopes": [1]}),
        "layer.slopes",
        {"place": "layers[0]", "h": 2, "actual": (1,)},
    ),
    "a pin in a layer that is not there": (
        lambda f: f.update(pins=[{"stage": "L3.Y", "index": [0, 0], "value": 1}]),
        "pin.stage",
        {"place": "pins[0]", "stage": "L3.Y"},
    ),
    "a pin without a layer": (
        lambda f: f.update(pins=[{"stage": "weights", "index": [0, 0, 0], "value": 1}]),
        "pin.stage",
        {"place": "pins[0]", "stage": "weights"},
    ),
    "a pin beyond the edge": (
        lambda f: f.update(pins=[{"stage": "L2.mlp_active", "index": [0, 3], "value": 1}]),
        "pin.index",
        {"stage": "L2.mlp_active", "shape": (3, 3)},
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_bad_stack_is_refused_with_the_place(name: str) -> None:
    change, code, details = REFUSED[name]
    file = stack()
    change(file)
    with pytest.raises(UserError) as caught:
        loads(json.dumps(file).encode())
    assert caught.value.code == code
    for key, value in details.items():
        assert caught.value.data[key] == value, key


def test_parts_of_a_stack_without_layers_are_refused() -> None:
    document = loads(json.dumps(stack()).encode())
    with pytest.raises(UserError, match=r"stack\.part_alone"):
        replace(document, layers=(), heads=document.layers[0].heads[:1])


def test_heads_borrow_only_in_layers() -> None:
    document = loads(json.dumps(stack()).encode())
    heads = document.layers[0].heads
    with pytest.raises(UserError, match=r"head\.kv_from_alone"):
        Document(document.tokens, heads, X=document.X)
