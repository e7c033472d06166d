"""The worked sum behind every cell gives the number that stands in the trace."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given, settings

from core.base.cell import Cell
from core.compute.trace import Trace, run
from core.document.document import POSITIONAL_KINDS, Document, Pin
from core.explain.derivation import Step, derive, derive_lead, pair_steps, row_is_masked
from tests.core.documents import ODD_SIZES, SIZES, documents, make

KINDS = {
    "X": {"entered"},
    "P": {"entered", "sinusoid"},
    "input": {"add"},
    "X_context": {"entered"},
    "P_context": {"entered", "sinusoid"},
    "input_context": {"add"},
    "Q": {"entered", "dot"},
    "K": {"entered", "dot"},
    "V": {"entered", "dot"},
    "Q_rot": {"rotate", "copy"},
    "K_rot": {"rotate", "copy"},
    "scores": {"dot"},
    "scaled": {"scale"},
    "biased": {"bias"},
    "masked": {"mask"},
    "exp": {"exp"},
    "weights": {"quotient"},
    "heads": {"dot"},
    "concat": {"copy"},
    "Y": {"dot", "copy"},
}


def recomputed(step: Step) -> float:
    """What the step's own numbers give, in plain arithmetic."""
    data, values = (
        step.data,
        [math.prod(factor.value for factor in term.factors) for term in step.terms],
    )
    if step.kind in ("dot", "add", "rotate", "sum"):
        return math.fsum(values)
    if step.kind == "max":
        return max(values)
    if step.kind == "sinusoid":
        angle = data["position"] / data["base"] ** (2 * data["pair"] / data["width"])
        assert angle == pytest.approx(data["angle"], rel=1e-12)
        return math.sin(angle) if step.cell.column % 2 == 0 else math.cos(angle)
    (value,) = values
    if step.kind == "mask":
        return value if data["allowed"] else -math.inf
    if step.kind == "exp":
        return 0.0 if value == -math.inf else data["base"] ** (value - data.get("maximum", 0.0))
    if step.kind == "quotient":
        return value / data["total"] if data["total"] else 0.0
    factors = {"scale": data.get("factor"), "copy": data.get("enabled"), "entered": 1.0}
    if step.kind == "bias":
        return value - data["slope"] * data["distance"]
    factor = factors[step.kind]
    assert factor is not None
    return value * factor


def cells(trace: Trace) -> Iterator[Cell]:
    for stage in trace.plan:
        shape = trace[stage.id].shape
        for head in range(shape[0] if len(shape) == 3 else 1):
            for row in range(shape[-2]):
                for column in range(shape[-1]):
                    yield Cell(stage.id, row, column, head)


def check_all(document: Document) -> None:
    trace = run(document)
    pins = {pin.cell: pin.value for pin in document.pins}
    for cell in cells(trace):
        step = derive(document, trace, cell)
        assert step.cell == cell
        assert step.kind in KINDS[cell.tensor]
        assert step.value == pytest.approx(recomputed(step), rel=1e-12, abs=1e-12)
        assert step.pinned == pins.get(cell)
        assert step.shown == trace.value(cell)
        for term in step.terms:
            assert term.value == math.prod(factor.value for factor in term.factors)
            for factor in term.factors:
                check_factor(document, trace, factor.value, factor.cell)


def check_factor(document: Document, trace: Trace, value: float, cell: Cell | None) -> None:
    """A factor that names a cell holds the number that stands there."""
    if cell is None:
        return
    tensor = document.tensor(cell.tensor, cell.head) if cell.tensor not in trace else None
    if tensor is None:
        assert value == trace.value(cell)
    else:
        assert value == (tensor[cell.row, cell.column] if tensor.ndim == 2 else tensor[cell.column])


@pytest.mark.parametrize("positional", POSITIONAL_KINDS)
@pytest.mark.parametrize("sizes", [SIZES, ODD_SIZES], ids=["even", "odd"])
def test_every_cell_with_every_positional_encoding(positional: str, sizes: dict[str, int]) -> None:
    check_all(
        make(
            3,
            sizes=sizes,
            positional=positional,
            mask="custom",
            biases=True,
            output=True,
            off=(1,),
            slopes=True,
        )
    )


@given(documents())
@settings(max_examples=25)
def test_every_cell_of_any_experiment(document: Document) -> None:
    check_all(document)


def test_a_score_is_written_out_as_products_of_a_query_and_a_key() -> None:
    document = make()
    trace = run(document)
    step = derive(document, trace, Cell("scores", 3, 1, 2))
    assert [[factor.cell for factor in term.factors] for term in step.terms] == [
        [Cell("Q", 3, i, 2), Cell("K", 1, i, 2)] for i in range(2)
    ]


def test_a_projection_ends_with_its_bias() -> None:
    document = make(biases=True, output=True)
    trace = run(document)
    step = derive(document, trace, Cell("V", 4, 3, 1))
    assert [factor.cell for factor in step.terms[5].factors] == [
        Cell("X", 4, 5),
        Cell("W_V", 5, 3, 1),
    ]
    assert [factor.cell for factor in step.terms[6].factors] == [Cell("b_V", 0, 3, 1)]
    step = derive(document, trace, Cell("Y", 4, 5))
    assert len(step.terms) == 13
    assert [factor.cell for factor in step.terms[12].factors] == [Cell("b_O", 0, 5)]


def test_rotary_angles_and_the_odd_last_column() -> None:
    document = make(sizes=ODD_SIZES, positional="rotary")
    trace = run(document)
    turned = derive(document, trace, Cell("Q_rot", 3, 1, 1))
    assert turned.kind == "rotate"
    assert turned.data == {"position": 3, "pair": 0, "angle": 3.0}
    assert derive(document, trace, Cell("Q_rot", 3, 2, 1)).kind == "copy"


def test_head_is_ignored_where_a_stage_has_none() -> None:
    document = make(output=True)
    trace = run(document)
    assert derive(document, trace, Cell("Y", 1, 2, 2)) == derive(document, trace, Cell("Y", 1, 2))


def test_a_pinned_cell_shows_both_numbers() -> None:
    free = make(mask="causal")
    document = free.with_(pins=(Pin("weights", (0, 2, 1), 0.5), Pin("weights", (0, 2, 0), 0.25)))
    step = derive(document, run(document), Cell("weights", 2, 1, 0))
    assert (step.pinned, step.shown) == (0.5, 0.5)
    assert step.value == run(free)["weights"][0, 2, 1]


def test_a_pinned_entered_cell_shows_the_entered_number() -> None:
    free = make()
    document = free.with_(pins=(Pin("X", (2, 1), 9.0),))
    step = derive(document, run(document), Cell("X", 2, 1))
    assert free.X is not None
    assert (step.kind, step.value, step.shown) == ("entered", free.X[2, 1], 9.0)


@given(documents())
@settings(max_examples=25)
def test_sub_steps_of_the_softmax(document: Document) -> None:
    trace = run(document)
    for head in range(document.h):
        for row in range(document.n):
            leads = (
                {"exp": "max", "weights": "sum"} if document.softmax.shift else {"weights": "sum"}
            )
            for stage, kind in leads.items():
                step = derive_lead(document, trace, stage, row, head)
                assert step.kind == kind
                assert len(step.terms) == document.m
                assert step.value == pytest.approx(recomputed(step), rel=1e-12, abs=1e-12)
                after = derive(document, trace, Cell(stage, row, 0, head))
                assert step.value == after.data["maximum" if kind == "max" else "total"]


def test_road_from_the_raw_score_to_the_weight() -> None:
    document = make(positional="alibi", mask="causal")
    steps = pair_steps(document, run(document), Cell("weights", 3, 1, 2))
    assert [step.kind for step in steps] == [
        "dot",
        "scale",
        "bias",
        "mask",
        "max",
        "exp",
        "sum",
        "quotient",
    ]
    assert {(step.cell.row, step.cell.head) for step in steps} == {(3, 2)}
    for before, after in pairwise(steps):
        if len(after.terms) == 1 and before.kind not in ("max", "sum"):
            assert after.terms[0].value == before.shown
    short = make(scale="none")
    assert [step.kind for step in pair_steps(short, run(short), Cell("scores", 0, 0))] == [
        "dot",
        "max",
        "exp",
        "sum",
        "quotient",
    ]


def test_a_wholly_masked_row_says_so() -> None:
    document = make(mask="custom")
    trace = run(document)
    assert [row_is_masked(trace, row, 1) for row in range(5)] == [False, False, False, False, True]
    assert derive(document, trace, Cell("weights", 4, 0)).value == 0.0
    assert derive(document, trace, Cell("exp", 4, 0)).data["maximum"] == -math.inf


@pytest.mark.parametrize("base", [1e-300, 1e300, 3.0])
def test_extreme_bases_are_no_trouble(base: float) -> None:
    document = make(positional="sinusoidal")
    document = document.with_(positional=replace(document.positional, base=base))
    trace = run(document)
    for row in range(5):
        for column in range(6):
            step = derive(document, trace, Cell("P", row, column))
            function = math.sin if column % 2 == 0 else math.cos
            assert step.value == pytest.approx(function(step.data["angle"]), abs=1e-12)
