"""Gradients: against central differences of the run itself, against plain loops, and where they must be 0."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.base.arrays import Array, frozen
from core.base.cell import Cell
from core.base.errors import UserError
from core.compute.backward import Gradients, backward, half_square
from core.compute.trace import Trace, run
from core.document.document import Document, Pin
from core.document.edits import with_cell, with_pin, with_tensor
from core.stages import softmax_source
from core.storage.archive import dumps
from tests.core.documents import documents, make

SOME = 6  # cells of each array that are moved a little

KINDS = {
    "plain": make(20),
    "one head": make(21, sizes={"n": 4, "d": 3, "h": 1, "k": 5, "v": 2}),
    "rotary, causal, biases, W_O": make(
        22, positional="rotary", mask="causal", biases=True, output=True
    ),
    "alibi, custom mask, a head off": make(
        23, positional="alibi", mask="custom", output=True, off=(1,), slopes=True
    ),
    "learned, base 2": make(24, positional="learned", base="2", output=True, biases=True),
    "sinusoidal, window, no shift": make(
        25, positional="sinusoidal", mask="window", shift=False, base="3"
    ),
    "qkv, rotary with an odd column": make(
        26,
        sizes={"n": 4, "d": 5, "h": 2, "k": 3, "v": 1},
        source="qkv",
        positional="rotary",
        scale="factor",
    ),
    "pins everywhere": make(
        27, pins=12, output=True, positional="learned", mask="custom", scale="none"
    ),
    "another sentence, learned": make(
        29, context=4, positional="learned", mask="window", biases=True, output=True
    ),
    "another sentence without places, alibi": make(
        30, context=7, positional="alibi", mask="custom", pins=5
    ),
    "one head off, no W_O": make(28, sizes={"n": 3, "d": 2, "h": 1, "k": 4, "v": 5}, off=(0,)),
}


def target_of(trace: Trace) -> Array:
    return frozen(np.random.default_rng(7).normal(size=trace["Y"].shape))


def loss(document: Document, target: Array) -> float:
    return 0.5 * math.fsum(
        float(y - t) ** 2 for y, t in zip(run(document)["Y"].flat, target.flat, strict=True)
    )


def slope(up: Document, down: Document, target: Array, width: float) -> float:
    return (loss(up, target) - loss(down, target)) / width


def stage_cells(trace: Trace, rng: np.random.Generator) -> Iterator[tuple[str, tuple[int, ...]]]:
    for stage in trace.plan:
        every = list(np.ndindex(trace[stage.id].shape))
        for place in rng.permutation(len(every))[:SOME]:
            yield stage.id, every[place]


def cell_of(stage: str, index: tuple[int, ...]) -> Cell:
    return Cell(stage, index[-2], index[-1], index[0] if len(index) == 3 else 0)


@pytest.mark.parametrize("kind", KINDS)
def test_every_stage_equals_its_finite_differences(kind: str) -> None:
    document = KINDS[kind]
    trace = run(document)
    target = target_of(trace)
    gradients = backward(document, trace, trace["Y"] - target)
    pinned, step = {pin.cell for pin in document.pins}, 1e-5
    for stage, index in stage_cells(trace, np.random.default_rng(1)):
        value, cell = float(trace[stage][index]), cell_of(stage, index)
        found = float(gradients[stage][index])
        if cell in pinned or value == -math.inf:
            assert found == 0.0
            continue
        if stage == "exp" and not trace["exp"][index[:2]].any():
            assert found == 0.0  # the quotient has no slope where the sum is 0
            continue
        up, down = with_pin(document, cell, value + step), with_pin(document, cell, value - step)
        assert found == pytest.approx(slope(up, down, target, 2 * step), rel=1e-5, abs=1e-7), (
            stage,
            index,
        )


@pytest.mark.parametrize("kind", KINDS)
def test_every_entered_number_equals_its_finite_difference(kind: str) -> None:
    document = KINDS[kind]
    trace = run(document)
    target = target_of(trace)
    gradients = backward(document, trace, trace["Y"] - target)
    rng, step = np.random.default_rng(2), 1e-5
    used = {name for stage in trace.plan for name in stage.inputs}
    assert {name for name, _ in gradients.tensors} == used
    for (name, head), found in gradients.tensors.items():
        tensor = document.tensor(name, head)
        assert tensor is not None
        assert found.shape == tensor.shape
        every = list(np.ndindex(tensor.shape))
        for place in rng.permutation(len(every))[:SOME]:
            index = every[place]
            cell = Cell(name, index[0] if len(index) == 2 else 0, index[-1], head)
            up, down = (
                with_cell(document, cell, float(tensor[index]) + sign * step) for sign in (1, -1)
            )
            wanted = slope(up, down, target, 2 * step)
            assert found[index] == pytest.approx(wanted, rel=1e-5, abs=1e-7), (name, head, index)


def test_gradients_are_those_of_plain_loops() -> None:
    """Two heads, biases, W_O and a causal mask; the softmax by its full Jacobian diag(a) − a aᵀ."""
    document = make(
        31, sizes={"n": 3, "d": 4, "h": 2, "k": 2, "v": 5}, biases=True, output=True, mask="causal"
    )
    trace = run(document)
    seed = target_of(trace)
    gradients = backward(document, trace, seed)
    n, d, k, v = 3, 4, 2, 5
    W_O = document.tensor("W_O")
    x = trace["X"]
    assert W_O is not None
    to_x = np.zeros((n, d))
    for h, head in enumerate(document.heads):
        a, q, key, value = (trace[name][h] for name in ("weights", "Q", "K", "V"))
        z = [
            [sum(seed[i, o] * W_O[h * v + c, o] for o in range(d)) for c in range(v)]
            for i in range(n)
        ]
        to_a = [[sum(z[i][c] * value[j, c] for c in range(v)) for j in range(n)] for i in range(n)]
        s = [
            [
                sum(to_a[i][m] * (a[i, m] * (m == j) - a[i, m] * a[i, j]) for m in range(n))
                for j in range(n)
            ]
            for i in range(n)
        ]
        raw = [[s[i][j] / math.sqrt(k) for j in range(n)] for i in range(n)]
        to_q = [[sum(raw[i][j] * key[j, c] for j in range(n)) for c in range(k)] for i in range(n)]
        to_k = [[sum(raw[i][j] * q[i, c] for i in range(n)) for c in range(k)] for j in range(n)]
        to_v = [[sum(a[i, j] * z[i][c] for i in range(n)) for c in range(v)] for j in range(n)]
        for name, found in (
            ("weights", to_a),
            ("masked", s),
            ("scores", raw),
            ("Q", to_q),
            ("K", to_k),
            ("V", to_v),
        ):
            np.testing.assert_allclose(
                gradients.matrix(name, h), found, rtol=1e-11, atol=1e-13, err_msg=name
            )
        for letter, g in (("Q", to_q), ("K", to_k), ("V", to_v)):
            weights = getattr(head, f"W_{letter}")
            wanted = [
                [sum(x[i, r] * g[i][c] for i in range(n)) for c in range(weights.shape[1])]
                for r in range(d)
            ]
            np.testing.assert_allclose(
                gradients.tensor(f"W_{letter}", h), wanted, rtol=1e-11, atol=1e-13
            )
            down = [sum(g[i][c] for i in range(n)) for c in range(weights.shape[1])]
            np.testing.assert_allclose(
                gradients.tensor(f"b_{letter}", h), down, rtol=1e-11, atol=1e-13
            )
            to_x += [
                [sum(g[i][c] * weights[r, c] for c in range(weights.shape[1])) for r in range(d)]
                for i in range(n)
            ]
    np.testing.assert_allclose(gradients["X"], to_x, rtol=1e-11, atol=1e-13)
    np.testing.assert_allclose(
        gradients.tensor("b_O"), [sum(seed[i, o] for i in range(n)) for o in range(d)]
    )


def test_the_gradient_of_one_output_is_its_row_of_the_jacobian() -> None:
    document = make(32, sizes={"n": 3, "d": 2, "h": 1, "k": 4, "v": 5}, mask="causal")
    trace = run(document)
    seed = np.zeros(trace["Y"].shape)
    seed[1, 3] = 1.0
    gradients = backward(document, trace, frozen(seed))
    np.testing.assert_array_equal(gradients["V"][0][:, 3], trace["weights"][0, 1])
    assert not gradients["Q"][0, [0, 2]].any()  # the other rows of Y ask nothing
    assert not gradients["V"][0, 2].any()  # and the last token comes after the second


@given(documents(max_pins=6, any_size=True), st.floats(-1e3, 1e3))
@settings(max_examples=60)
def test_laws(document: Document, value: float) -> None:
    """Shapes, finiteness, pins and masks; scores' gradients of a row sum to 0, since a shift changes no weight."""
    trace = run(document)
    gradients = backward(document, trace, frozen(np.full(trace["Y"].shape, value)))
    for stage in trace.plan:
        assert gradients[stage.id].shape == trace[stage.id].shape
        assert np.isfinite(gradients[stage.id]).all()
        assert not gradients[stage.id].flags.writeable
    for pin in document.pins:
        assert pin.stage not in trace or gradients[pin.stage][pin.index] == 0.0
    last = gradients[softmax_source(trace.plan)]
    assert not last[np.isneginf(trace[softmax_source(trace.plan)])].any()
    if not {pin.stage for pin in document.pins} & {"exp", softmax_source(trace.plan)}:
        reach = max(1.0, float(np.abs(gradients["weights"]).max()))
        np.testing.assert_allclose(last.sum(axis=-1), 0.0, atol=1e-9 * reach)


def test_a_row_that_sees_nothing_gets_and_gives_nothing() -> None:
    document = make(33, mask="custom")  # its last query may look at nothing
    gradients = of_squares(document)
    for stage in ("masked", "scaled", "scores", "Q"):
        assert not gradients[stage][:, -1].any(), stage


def test_nothing_goes_back_through_a_pin() -> None:
    document = make(34)
    pinned = document.with_(
        pins=tuple(Pin("weights", (h, 2, j), 0.2) for h in range(3) for j in range(5))
    )
    free, held = of_squares(document), of_squares(pinned)
    assert free["scores"][:, 2].any()
    assert not held["scores"][:, 2].any()
    np.testing.assert_array_equal(free["scores"][:, 0], held["scores"][:, 0])


def test_a_head_that_is_off_learns_nothing() -> None:
    gradients = of_squares(make(35, off=(1,), output=True))
    assert not gradients.tensor("W_V", 1).any()
    assert gradients.tensor("W_V", 0).any()
    assert not gradients.tensor("W_O")[4:8].any()


def test_saturation_kills_the_gradient() -> None:
    """Scores far apart: the weights stand at 0 and 1, and what comes back to the scores vanishes."""
    document = make(36)
    sizes = []
    for sharpness in (1.0, 10.0, 100.0, 10000.0):
        sharp = document
        for head in range(3):
            sharp = with_tensor(
                sharp, "W_Q", np.asarray(document.tensor("W_Q", head)) * sharpness, head
            )
        sizes.append(float(np.linalg.norm(of_squares(sharp)["scaled"])))
    assert sizes == sorted(sizes, reverse=True)
    assert 1e-12 > sizes[-1]
    assert sizes[0] > 1.0


def test_huge_numbers_stay_finite() -> None:
    document = make(37, shift=False, base="10", output=True)
    document = with_cell(document, Cell("W_Q", 0, 0, 0), 1e300)
    trace = run(document)
    gradients = backward(document, trace, frozen(np.full(trace["Y"].shape, 1e300)))
    for array in (*gradients.stages.values(), *gradients.tensors.values()):
        assert np.isfinite(array).all()
    assert math.isfinite(half_square(trace["Y"], frozen(np.full(trace["Y"].shape, -1e300))))


def test_a_seed_of_another_shape_is_refused() -> None:
    document = make(38)
    with pytest.raises(UserError) as caught:
        backward(document, run(document), frozen(np.zeros((5, 3))))
    assert caught.value.data["expected"] == (5, 12)


def test_the_document_is_left_alone() -> None:
    document = make(39, pins=4)
    before = dumps(document)
    of_squares(document)
    assert dumps(document) == before


def of_squares(document: Document) -> Gradients:
    """The gradients of the sum of squares of Y, halved."""
    trace = run(document)
    return backward(document, trace, trace["Y"])
