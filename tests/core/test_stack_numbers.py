"""Stacks against plain loops and central differences; the pencil stack against its own numbers."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

from core.base.arrays import Array
from core.base.cell import Cell
from core.compute.backward import backward
from core.compute.trace import run
from core.document.document import Document
from core.document.edits import with_cell
from core.document.parts import is_of_head
from core.exchange.tex import formula
from core.explain.derivation import derive_back
from tests.core.stacks import make_stack, plain_stack

CASES: list[dict[str, Any]] = [
    {},
    {"place": "post"},
    {"norm": "rms", "activation": "silu", "gate": True, "biases": False},
    {"norm": "rms", "place": "post", "activation": "gelu_tanh"},
    {"activation": "gelu", "borrowed": True, "mask": "none"},
    {"factors": False, "eps": 0.01, "temperature": 0.7},
    {"residual": False, "place": "post", "activation": "gelu", "gate": True},
    {"norms": False, "around": False, "mlp": False, "layers": 3, "off": (1,)},
    {
        "output": False,
        "borrowed": True,
        "off": (0,),
        "sizes": {"n": 3, "d": 4, "h": 2, "k": 1, "v": 3, "f": 2, "u": 5},
    },
    {"sizes": {"n": 2, "d": 3, "h": 1, "k": 2, "v": 2, "f": 5, "u": 1}, "temperature": 2.0},
]
SEEDS = range(4)


@pytest.mark.parametrize("case", range(len(CASES)))
@pytest.mark.parametrize("seed", SEEDS)
def test_every_stage_is_that_of_plain_loops(case: int, seed: int) -> None:
    document = make_stack(seed, **CASES[case])
    trace, plain = run(document), plain_stack(document)
    assert set(plain) <= set(trace)
    assert {name.rpartition(".")[2] for name in set(trace) - set(plain)} <= {
        "scaled",
        "masked",
        "exp",
    }
    for name, wanted in plain.items():
        np.testing.assert_allclose(trace[name], wanted, rtol=1e-12, atol=1e-12, err_msg=name)


def weighted(document: Document, weights: Array) -> float:
    trace = run(document)
    return float((trace[trace.plan.stages[-1].id] * weights).sum())


@pytest.mark.parametrize("case", range(len(CASES)))
def test_the_gradient_of_every_tensor_is_the_central_difference(case: int) -> None:
    document = make_stack(11 + case, **CASES[case])
    trace, rng = run(document), np.random.default_rng(case)
    weights = rng.normal(size=trace[trace.plan.stages[-1].id].shape)
    gradients = backward(document, trace, weights)
    tensors = [
        (name, head)
        for name in document.inputs
        for head in range(document.scope(name).h if is_of_head(name) else 1)
        if document.tensor(name, head) is not None
    ]
    assert set(gradients.tensors) == {(name, head) for name, head in tensors}
    for name, head in tensors:
        tensor = np.atleast_2d(np.asarray(document.tensor(name, head)))
        for _ in range(3):
            row, column = (int(rng.integers(size)) for size in tensor.shape)
            cell, value = Cell(name, row, column, head), float(tensor[row, column])
            up, down = (
                weighted(with_cell(document, cell, value + by), weights) for by in (1e-5, -1e-5)
            )
            found = gradients.matrix(name, head)[row, column]
            assert found == pytest.approx((up - down) / 2e-5, rel=1e-4, abs=1e-7), cell


def test_only_what_an_edit_reaches_is_computed_again() -> None:
    document = make_stack(3)
    before = run(document)
    after = run(with_cell(document, Cell("L2.W_1", 0, 0), 9.0), before)
    kept = {name for name in after if after[name] is before[name]}
    assert "L2.mlp_norm" in kept
    assert {"L2.mlp_hidden", "L2.mlp_active", "L2.mlp_out", "final_norm", "logits"}.isdisjoint(kept)


def test_swapping_tokens_of_a_stack_without_positions_swaps_rows_bit_for_bit() -> None:
    document = make_stack(4, mask="none", activation="gelu")
    order = [2, 0, 3, 1]
    turned = document.with_(X=np.ascontiguousarray(document.X[order]))
    one, other = run(document), run(turned)
    for name in ("L1.mlp_norm", "L1.mlp_active", "L2.mlp_residual", "final_norm", "probabilities"):
        np.testing.assert_array_equal(other[name], one[name][order], err_msg=name)


def test_the_worked_gradient_of_every_tensor_adds_up_also_where_heads_borrow() -> None:
    document = make_stack(3, borrowed=True, gate=True)
    trace, rng = run(document), np.random.default_rng(0)
    gradients = backward(document, trace, rng.normal(size=trace["probabilities"].shape))
    assert ("L1.W_K", 2) not in gradients.tensors
    for name, head in gradients.tensors:
        array = gradients.matrix(name, head)
        row, column = array.shape[0] - 1, array.shape[1] - 1
        step = derive_back(document, trace, gradients, Cell(name, row, column, head))
        if step.kind == "products":
            total = sum(term.value for term in step.terms)
            assert total == pytest.approx(array[row, column], abs=1e-12), (name, head)


def test_formulas_in_latex_never_have_two_indices_on_one_side() -> None:
    """TeX refuses a^b^c and a_b_c; braces make one letter of a symbol with its layer."""
    for case in CASES:
        document = make_stack(5, **case)
        for stage in run(document).plan:
            text = formula(document, stage)
            while (inner := re.sub(r"\{[^{}^_]*\}|\{[^{}]*\}(?=[_^])", "x", text)) != text:
                text = inner
            assert not re.search(r"\^(\\?\w+|.)\^|_(\\?\w+|.)_", text), formula(document, stage)
