"""The sums behind gradients: worked out with a pencil they give the gradient, at every cell of every kind."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings

from core.base.cell import Cell
from core.compute.backward import Gradients, backward
from core.compute.trace import Trace, run
from core.document.document import Document, Pin
from core.explain.derivation import BackStep, derive_back
from tests.core.documents import documents, make


def worked(step: BackStep, seed: float) -> float:
    """What the step says, worked out with plain Python."""
    total = math.fsum(math.prod(factor.value for factor in term.factors) for term in step.terms)
    data = step.data
    if step.kind == "softmax":
        return data["weight"] * (data["own"] - total) * data["log"]
    if step.kind == "quotient":
        return (data["own"] - total) / data["total"]
    if step.kind == "power":
        return data["numerator"] * data["own"] * data["log"] - total
    return seed if step.kind == "seed" else total


def run_back(document: Document) -> tuple[Trace, Gradients]:
    trace = run(document)
    seed = np.random.default_rng(5).normal(size=trace["Y"].shape)
    return trace, backward(document, trace, seed)


@given(documents(max_pins=4))
@settings(max_examples=40)
def test_sums_give_the_gradient(document: Document) -> None:
    trace, gradients = run_back(document)
    rng = np.random.default_rng(6)
    names = [
        (stage.id, head)
        for stage in trace.plan
        for head in range(document.h if stage.headwise else 1)
    ]
    names += [(name, head) for name, head in gradients.tensors if name not in trace]
    for name, head in names:
        array = gradients.matrix(name, head)
        row, column = (int(rng.integers(size)) for size in array.shape)
        step = derive_back(document, trace, gradients, Cell(name, row, column, head))
        assert step.value == array[row, column]
        assert worked(step, step.value) == pytest.approx(step.value, rel=1e-9, abs=1e-9), (
            name,
            head,
            step.kind,
        )


def test_a_score_is_told_by_the_softmax() -> None:
    document = make(40, mask="causal")
    trace, gradients = run_back(document)
    step = derive_back(document, trace, gradients, Cell("masked", 3, 1, 2))
    assert (step.kind, len(step.terms)) == ("softmax", 5)
    assert step.data["weight"] == pytest.approx(trace["weights"][2, 3, 1], rel=1e-15)
    assert step.data["own"] == gradients["weights"][2, 3, 1]
    assert derive_back(document, trace, gradients, Cell("masked", 1, 3, 2)).terms == ()


def test_factors_are_where_they_are_said_to_stand() -> None:
    document = make(41, biases=True, output=True)
    trace, gradients = run_back(document)
    step = derive_back(document, trace, gradients, Cell("W_K", 4, 1, 2))
    assert [term.factors[0].cell for term in step.terms] == [Cell("X", i, 4) for i in range(5)]
    assert [term.factors[1].value for term in step.terms] == gradients["K"][2, :, 1].tolist()
    x = derive_back(document, trace, gradients, Cell("X", 1, 3))
    assert len(x.terms) == 3 * (2 + 2 + 4)  # every head, columns of Q, K and V
    assert {term.factors[1].cell.tensor for term in x.terms if term.factors[1].cell} == {
        "W_Q",
        "W_K",
        "W_V",
    }
    bias = derive_back(document, trace, gradients, Cell("b_V", 0, 3, 1))
    assert [term.factors[0].value for term in bias.terms] == gradients["V"][1][:, 3].tolist()


def test_a_pinned_numerator_and_a_pinned_cell() -> None:
    document = make(42).with_(pins=(Pin("exp", (0, 2, 3), 0.4),))
    trace, gradients = run_back(document)
    for column in range(5):
        step = derive_back(document, trace, gradients, Cell("scaled", 2, column, 0))
        assert step.kind == "power"
        assert worked(step, 0.0) == pytest.approx(step.value, rel=1e-12, abs=1e-14)
    assert derive_back(document, trace, gradients, Cell("exp", 2, 3, 0)) == BackStep(
        "pinned", Cell("exp", 2, 3, 0), (), 0.0
    )
    assert derive_back(document, trace, gradients, Cell("scaled", 1, 0, 0)).kind == "softmax"
