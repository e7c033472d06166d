"""Weights that hold W_Q, W_K and W_V of all heads are cut, or asked about, as PyTorch and GPT-2 mean them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from core.base.arrays import Array
from core.compute.trace import run
from core.document.document import Document
from core.exchange.assemble import Draft, assemble
from core.exchange.fused import heads_in
from core.exchange.roles import propose_roles
from core.exchange.source_files import text_source
from core.storage import archive
from gui.cli import run_command_line
from gui.dialogs.import_proposal import proposal_of_text, with_reading
from tests.core.check_kit import softmax

N, D, H = 3, 6, 2
RNG = np.random.default_rng(5)
X = np.round(RNG.normal(size=(N, D)), 2)
ALL = np.round(RNG.normal(size=(D, 3 * D)), 2)  # columns: Q, K, V, of each the heads
BIAS = np.round(RNG.normal(size=3 * D), 2)
# Rows of query_key_value: for each head its rows of Q, K and V.
MIXED = [
    part * D + head * (D // H) + i for head in range(H) for part in range(3) for i in range(D // H)
]


def attention(heads: int) -> Array:
    """What multi-head attention makes of X, by the definition of the fused product."""
    q, k, v = np.split(X @ ALL + BIAS, 3, axis=1)
    size = D // heads
    parts = [np.s_[:, head * size : (head + 1) * size] for head in range(heads)]
    return np.hstack([softmax(q[p] @ k[p].T / np.sqrt(size)) @ v[p] for p in parts])


def text(name: str, weight: Array, bias: str = "", lead: str = "") -> str:
    lines = [lead, f"X = {X.tolist()}", f"{name} = {weight.tolist()}"]
    return "\n".join([*lines, f"{bias} = {BIAS.tolist()}"] if bias else lines)


def draft_of(page: str, heads: int | None = None) -> Draft:
    entries = text_source(page, heads).entries
    return assemble(entries, propose_roles(entries))


def output(document: Document | None) -> Any:
    assert document is not None
    trace = run(document)
    return trace["concat"] if "concat" in trace else trace["heads"][0]


@pytest.mark.parametrize(
    ("name", "weight"),
    [
        ("attn.c_attn.weight", ALL),
        ("c_attn.weight", ALL.T),
        ("in_proj_weight", ALL.T),
        ("self_attn.in_proj_weight", ALL.T),
        ("qkv.weight", ALL.T),
        ("to_qkv.weight", ALL.T),
        ("W_qkv", ALL),
        ("attention.query_key_value.weight", ALL.T[MIXED]),
    ],
)
def test_fused_weights_are_cut_into_the_heads_that_the_text_gives(name: str, weight: Array) -> None:
    bias = name.replace("weight", "bias") if "weight" in name else "b_qkv"
    page = text(name, weight, lead=f"n_head = {H}")
    values = BIAS[MIXED] if "query_key_value" in name else BIAS
    draft = draft_of(f"{page}\n{bias} = {values.tolist()}")
    assert draft.problem is None
    assert draft.document is not None
    assert draft.document.h == H
    assert np.allclose(output(draft.document), attention(H), rtol=0, atol=1e-12)


@pytest.mark.parametrize("heads", [1, 2, 3, 6])
def test_a_number_of_heads_can_be_given(heads: int) -> None:
    draft = draft_of(text("in_proj_weight", ALL.T, "in_proj_bias"), heads)
    assert np.allclose(output(draft.document), attention(heads), rtol=0, atol=1e-12)


@pytest.mark.parametrize("lead", ["", "n_head = 4", "n_heads = 2\nnum_heads = 3"])
def test_an_unknown_or_unfitting_number_of_heads_is_asked(lead: str) -> None:
    page = text("in_proj_weight", ALL.T, "in_proj_bias", lead)
    draft = draft_of(page)
    assert draft.document is None
    assert draft.problem is not None
    assert draft.problem.code == "role.heads"
    assert draft.problem.data["known"] == (1, 2, 3, 6)
    proposal = proposal_of_text(page)
    asked = [i for i, entry in enumerate(proposal.entries) if entry.question is not None]
    assert [proposal.entries[i].name for i in asked] == ["in_proj_weight", "in_proj_bias"]
    answered = with_reading(proposal, asked[0], 1)  # 2 heads: the answer holds for both
    assert answered.ready
    assert np.allclose(output(answered.draft.document), attention(2), rtol=0, atol=1e-12)


def test_layers_keep_their_fused_weights() -> None:
    page = "".join(
        f"transformer.h.{layer}.attn.c_attn.weight = {(ALL + layer).tolist()}\n"
        f"transformer.h.{layer}.mlp.c_fc.weight = {np.ones((D, 4)).tolist()}\n"
        f"transformer.h.{layer}.mlp.c_proj.weight = {np.ones((4, D)).tolist()}\n"
        for layer in range(2)
    )
    document = draft_of(f"num_attention_heads = 3\nX = {X.tolist()}\n{page}").document
    assert document is not None
    assert [len(layer.heads) for layer in document.layers] == [3, 3]
    for layer in (1, 2):
        for head in range(3):
            for place, name in enumerate(("W_Q", "W_K", "W_V")):
                wanted = ALL[:, place * D + head * 2 :][:, :2] + layer - 1
                tensor = document.tensor(f"L{layer}.{name}", head)
                assert tensor is not None
                assert np.allclose(tensor, wanted, rtol=0, atol=1e-12)


@pytest.mark.parametrize(
    ("page", "count"),
    [
        ("config.n_head = 12", 12),
        ('"num_attention_heads": 8,', 8),
        ("nn.MultiheadAttention(16, 4, batch_first=True)", 4),
        ("MultiheadAttention(embed_dim=d, num_heads=2)", 2),
        ("with 4 attention heads", 4),
        ("num_key_value_heads = 2", None),
        ("n_head = 2; later n_head = 4", None),
        ("", None),
    ],
)
def test_a_text_gives_the_number_of_heads(page: str, count: int | None) -> None:
    assert heads_in(page) == count


def test_the_command_asks_and_takes_the_number(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page, out = tmp_path / "page.json", tmp_path / "out.attn.json"
    page.write_text(json.dumps({"X": X.tolist(), "in_proj_weight": ALL.T.tolist()}))
    assert run_command_line(["import", str(page), "-o", str(out)]) == 2
    said = capsys.readouterr().err
    assert "in_proj_weight" in said
    assert "?" in said
    assert not out.exists()
    assert run_command_line(["import", str(page), "--heads", "3", "-o", str(out)]) == 0
    assert archive.load(out).h == 3
