"""Matrices of transformer blocks in a text: names of lectures and of models, and what they make."""

from __future__ import annotations

import json

import numpy as np
import pytest

from core.base.errors import UserError
from core.compute.trace import run
from core.document.document import Document
from core.document.parts import split_layer
from core.exchange.assemble import Draft, assemble
from core.exchange.role_names import role_of_name
from core.exchange.roles import parse_role, propose_roles
from core.exchange.sources import entries_of_text
from core.exchange.stack_names import stack_name
from tests.core.stacks import make_stack, plain_stack

SIZES = {"n": 3, "d": 4, "h": 1, "k": 2, "v": 4, "f": 5, "u": 4}
STACK = make_stack(1, sizes=SIZES, mask="none")
# The names of the tensors of a layer in PyTorch's encoder, in GPT-2 and in BERT.
LINEAR = ("W_Q", "W_K", "W_V", "W_O", "W_1", "W_2")
TORCH = (
    "self_attn.q_proj self_attn.k_proj self_attn.v_proj self_attn.out_proj linear1 linear2 "
    "norm1 norm2"
)
GPT2 = "attn.q_proj attn.k_proj attn.v_proj attn.c_proj mlp.c_fc mlp.c_proj ln_1 ln_2"
BERT = (
    "attention.self.query attention.self.key attention.self.value attention.output.dense "
    "intermediate.dense output.dense attention.output.LayerNorm output.LayerNorm"
)
OUTSIDE = {
    "W_U": "lm_head.weight",
    "b_U": "lm_head.bias",
    "final_norm.gamma": "ln_f.weight",
    "final_norm.beta": "ln_f.bias",
    "embedding_norm.gamma": "embeddings.LayerNorm.weight",
    "embedding_norm.beta": "embeddings.LayerNorm.bias",
}


def named(style: str, prefix: str) -> dict[str, str]:
    """The tensors of a layer by the names of a model."""
    names = dict(zip((*LINEAR, "attention_norm", "mlp_norm"), style.split(), strict=True))
    found = {f"{norm}.gamma": f"{names[norm]}.weight" for norm in ("attention_norm", "mlp_norm")}
    found |= {f"{norm}.beta": f"{names[norm]}.bias" for norm in ("attention_norm", "mlp_norm")}
    found |= {name: f"{names[name]}.weight" for name in LINEAR}
    found |= {f"b_{name[2:]}": f"{names[name]}.bias" for name in LINEAR}
    return {name: prefix + found for name, found in found.items()}


def text_of(document: Document, style: str = "", prefix: str = "") -> str:
    lines = ["vocabulary = ['w0', 'w1', 'w2', 'w3']"]
    for name in document.inputs:
        layer, base = split_layer(name)
        called = OUTSIDE.get(name, name) if style else name
        if layer is not None and style:
            called = named(style, prefix.format(layer - 1))[base]
        for head in range(document.scope(name).h if base.startswith(("W_Q", "W_K", "W_V")) else 1):
            tensor = document.tensor(name, head)
            if tensor is not None:
                lines.append(f"{called} = {np.atleast_2d(tensor).tolist()}")
    return "\n".join(lines)


def draft_of(text: str, transposed: bool | None = None) -> Draft:
    entries = entries_of_text(text)
    return assemble(entries, propose_roles(entries), transposed=transposed)


def stage(document: Document, name: str) -> list[list[float]]:
    return run(document)[name].tolist()  # type: ignore[no-any-return]


@pytest.mark.parametrize(
    ("style", "prefix"),
    [
        ("", ""),
        (TORCH, "encoder.layers.{}."),
        (GPT2, "transformer.h.{}."),
        (BERT, "encoder.layer.{}."),
    ],
)
def test_a_stack_is_read_by_its_names(style: str, prefix: str) -> None:
    draft = draft_of(text_of(STACK, style, prefix), transposed=False)
    assert draft.problem is None
    assert draft.document is not None
    assert np.allclose(
        stage(draft.document, "logits"), plain_stack(STACK)["logits"], rtol=0, atol=1e-12
    )
    assert draft.document.output is not None
    assert draft.document.output.vocabulary == ("w0", "w1", "w2", "w3")


def test_weights_stored_transposed_are_turned_where_shapes_decide() -> None:
    lines = []
    for line in text_of(STACK, TORCH, "layers.{}.").splitlines():
        name, _, numbers = line.partition(" = ")
        turns = name.endswith(("proj.weight", "linear1.weight", "linear2.weight", "head.weight"))
        if turns and name != "vocabulary":
            numbers = str(np.array(json.loads(numbers)).T.tolist())
        lines.append(f"{name} = {numbers}")
    asked = draft_of("\n".join(lines))
    assert asked.document is None
    assert asked.problem is not None
    assert asked.problem.code == "role.transposed"  # square ones are asked about
    draft = draft_of("\n".join(lines), transposed=True)
    assert draft.document is not None
    assert np.allclose(
        stage(draft.document, "logits"), plain_stack(STACK)["logits"], rtol=0, atol=1e-12
    )


@pytest.mark.parametrize("place", ["pre", "post"])
@pytest.mark.parametrize("activation", ["gelu", "silu"])
def test_printed_results_decide_norm_place_and_activation(place: str, activation: str) -> None:
    stack = make_stack(
        2, layers=1, sizes=SIZES, mask="causal", place=place, activation=activation, around=False
    )
    logits = np.round(plain_stack(stack)["logits"], 4).tolist()
    draft = draft_of(f"{text_of(stack)}\nlogits = {logits}", transposed=False)
    assert draft.document is not None
    layer = draft.document.layers[0]
    assert layer.mlp is not None
    assert (layer.norm.place, layer.mlp.activation) == (place, activation)
    assert draft.document.mask.kind == "causal"
    assert [printed.matched for _, _, printed in draft.results.values()] == [12]


def test_fewer_keys_than_queries_are_shared_by_neighbours() -> None:
    text = (
        "X = [[1, 2], [3, 4]]\nL1.W_1 = [[1, 0, 2], [0, 1, 1]]\nL1.W_2 = [[1, 0], [0, 1], [1, 1]]"
    )
    for name, count in (("W_Q", 4), ("W_K", 2), ("W_V", 2)):
        for head in range(1, count + 1):
            text += f"\nL1.{name}_{head} = [[{head}, 0], [0, {head}]]"
    text += f"\nL1.W_O = {np.eye(8, 2).tolist()}"
    draft = draft_of(text, transposed=False)
    assert draft.document is not None
    assert [head.kv_from for head in draft.document.layers[0].heads] == [None, 0, None, 2]
    W_K = draft.document.tensor("L1.W_K", 2)
    assert W_K is not None
    assert W_K.tolist() == [[2, 0], [0, 2]]


BLOCK = """X = [[1, 2], [3, 4], [5, 6]]
W_Q = [[1, 0], [0, 1]]
W_K = [[1, 1], [0, 1]]
W_V = [[1, 0], [1, 1]]
W1 = [[1, 0, 2], [0, 1, 1]]
b1 = [[1, 2, 3]]
W2 = [[1, 0], [0, 1], [1, 1]]
"""


def test_a_block_without_layers_is_layer_1() -> None:
    draft = draft_of(BLOCK)
    assert draft.roles == ("X", "W_Q", "W_K", "W_V", "W_1", "b_1", "W_2")
    assert draft.document is not None
    assert (
        stage(draft.document, "L1.mlp_hidden")[0]
        == (
            np.array(stage(draft.document, "L1.attention_residual"))[0] @ [[1, 0, 2], [0, 1, 1]]
            + [1, 2, 3]
        ).tolist()
    )


def test_a_norm_in_doubt_is_asked_for() -> None:
    draft = draft_of(BLOCK + "γ = [[1, 2]]")
    assert draft.document is None
    assert [problem.code for problem in draft.faults.values()] == ["role.norm"]
    roles = (*draft.roles[:-1], "L1.mlp_norm.gamma")
    chosen = assemble(entries_of_text(BLOCK + "γ = [[1, 2]]"), roles)
    assert chosen.document is not None
    norm = chosen.document.layers[0].norm.mlp
    assert norm is not None
    assert norm.gamma is not None
    assert norm.gamma.tolist() == [1, 2]


def test_matrices_of_attention_alone_are_never_a_stack() -> None:
    for text in ("W1 = [[1, 2]]\nW2 = [[1, 2]]", "W_out = [[1]]\nW_Q = [[1]]", "Layer = [[1, 2]]"):
        assert not any(
            "L1" in role or role == "W_1" for role in propose_roles(entries_of_text(text))
        )


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (BLOCK.replace("W2", "Z2").replace("W1", "L1.W_1"), "role.missing"),
        ("L1.W_1 = [[1]]\nL1.W_2 = [[1]]", "role.missing"),
        (BLOCK.replace("[[1, 0], [0, 1], [1, 1]]", "[[1, 0], [0, 1]]"), "role.shape"),
        (BLOCK + "vocab = ['a', 'b', 'c']\nlm_head = [[1, 2], [3, 4]]", "role.vocabulary"),
    ],
)
def test_what_is_missing_or_does_not_fit_is_said(text: str, code: str) -> None:
    draft = draft_of(text, transposed=False)
    assert draft.document is None
    assert draft.problem is not None
    assert draft.problem.code == code


@pytest.mark.parametrize(
    ("name", "role", "layer"),
    [
        ("L2.W_1", "W_1", 2),
        ("model.layers.0.mlp.gate_proj.weight", "W_gate", 0),
        ("model.layers.3.mlp.up_proj.weight", "W_1", 3),
        ("model.layers.3.mlp.down_proj.weight", "W_2", 3),
        ("model.layers.3.input_layernorm.weight", "attention_norm.gamma", 3),
        ("model.layers.3.post_attention_layernorm.weight", "mlp_norm.gamma", 3),
        ("model.norm.weight", "final_norm.gamma", None),
        ("h.5.ln_2.bias", "mlp_norm.beta", 5),
        ("γ_2", "mlp_norm.gamma", None),
        ("β₁", "attention_norm.beta", None),
        ("第 2 层 W_1", "W_1", 2),
        ("banana", "", None),
    ],
)
def test_names_of_models(name: str, role: str, layer: int | None) -> None:
    assert stack_name(name)[:2] == (role, layer)


@pytest.mark.parametrize("text", ["L1.W_Q.2.T", "L2.mlp_norm.gamma", "check:L1.weights.2", "W_U"])
def test_roles_of_stacks_are_read(text: str) -> None:
    part = parse_role(text)
    assert (part.head, part.turned) == (2 if ".2" in text else 1, text.endswith(".T"))


@pytest.mark.parametrize("text", ["L0.W_1", "L1.", "L1.X", "L1.W_U2", "check:L1.nothing"])
def test_unknown_roles_of_stacks_are_refused(text: str) -> None:
    with pytest.raises(UserError) as caught:
        parse_role(text)
    assert caught.value.code == "role.unknown"


def test_names_of_attention_mean_what_they_did() -> None:
    assert role_of_name("W_out").role == "W_O"
