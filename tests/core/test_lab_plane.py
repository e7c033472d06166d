"""The plane against plain loops: the mean in the hull, a path that is straight, projections that lose least."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.base.arrays import Array
from core.base.cell import Cell
from core.base.errors import UserError
from core.compute.trace import run
from core.document.document import Mask
from core.document.edits import with_mask, with_pin
from core.labs.plane import LAB, STEPS, Plane, hull, own, projection
from core.storage.examples import load_example
from tests.core.documents import make
from tests.core.stacks import ATTENTION_EXAMPLES

coordinates = st.floats(-4.0, 4.0)
point = st.tuples(coordinates, coordinates)
four = st.tuples(point, point, point, point)


def worked(**values: object) -> Plane:
    return LAB.compute(
        LAB.start(values={name.replace("_", "-"): value for name, value in values.items()})
    )


def softmax(scores: list[float]) -> list[float]:
    powers = [math.exp(score - max(scores)) for score in scores]
    return [power / math.fsum(powers) for power in powers]


def distance_outside(corners: Array, y: Array) -> float:
    """How far a point is beyond the farthest edge of a convex polygon, by half planes."""
    if len(corners) == 1:
        return math.dist(corners[0], y)
    beyond = 0.0
    for a, b in zip(corners, np.roll(corners, -1, axis=0), strict=True):
        along = (b - a) / math.dist(a, b)
        beyond = max(beyond, float(along[1] * (y - a)[0] - along[0] * (y - a)[1]))
    return beyond


@given(point, four, four)
def test_the_output_is_the_mean_of_a_plain_loop_and_never_leaves_the_hull(
    q: tuple[float, float],
    keys: tuple[tuple[float, float], ...],
    values: tuple[tuple[float, float], ...],
) -> None:
    result = worked(query_0_1=(q,), keys_0=keys, values_0=values)
    weights = softmax([(q[0] * k[0] + q[1] * k[1]) / math.sqrt(2) for k in keys])
    assert result.weights.tolist() == pytest.approx(weights, abs=1e-12)
    y = [math.fsum(w * v[axis] for w, v in zip(weights, values, strict=True)) for axis in (0, 1)]
    assert result.output.tolist() == pytest.approx(y, abs=1e-12)
    assert distance_outside(result.corners, result.output) < 1e-6
    assert result.sums_to_one
    assert result.key_exact
    assert result.value_exact


@given(four, st.integers(0, 3))
def test_the_path_is_where_y_is_with_the_key_at_each_place(
    keys: tuple[tuple[float, float], ...], key: int
) -> None:
    result = worked(keys_0=keys, key=str(key))
    path = result.path
    assert path is not None
    for step in (0, 17, STEPS - 1):
        part = step / (STEPS - 1)
        place = path.ends[0] + part * (path.ends[1] - path.ends[0])
        moved = [tuple(place) if j == key else k for j, k in enumerate(keys)]
        weights = softmax([float(result.query @ np.array(k)) / math.sqrt(2) for k in moved])
        assert path.weights[step] == pytest.approx(weights[key], abs=1e-12)
        y = sum(w * v for w, v in zip(weights, result.values, strict=True))
        assert path.outputs[step].tolist() == pytest.approx(y.tolist(), abs=1e-12)


@given(four)
def test_the_path_is_a_straight_line_from_the_mean_of_the_others_to_the_value(
    keys: tuple[tuple[float, float], ...],
) -> None:
    result = worked(keys_0=keys, key="2")
    path = result.path
    assert path is not None
    others = np.array([weight for j, weight in enumerate(result.weights) if j != 2])
    rest = sum(
        w * v
        for w, v in zip(others / others.sum(), np.delete(result.values, 2, axis=0), strict=True)
    )
    assert path.rest.tolist() == pytest.approx(rest.tolist(), abs=1e-9)
    for y, weight in zip(path.outputs, path.weights, strict=True):
        expected = (1.0 - weight) * path.rest + weight * result.values[2]
        assert y.tolist() == pytest.approx(expected.tolist(), abs=1e-9)
    assert (np.diff(path.weights) >= 0.0).all()


def test_a_query_of_zero_asks_nobody_in_particular_and_leads_nowhere() -> None:
    result = worked(query_0_1=((0.0, 0.0),))
    assert result.weights.tolist() == pytest.approx([0.25] * 4)
    assert result.path is None


@given(st.lists(st.tuples(st.integers(-5, 5), st.integers(-5, 5)), min_size=1, max_size=12))
def test_the_hull_holds_every_point_and_only_corners(points: list[tuple[int, int]]) -> None:
    corners = hull(np.array(points, dtype=float))
    assert {tuple(map(int, corner)) for corner in corners} <= set(points)
    if len(corners) > 2:
        assert all(distance_outside(corners, np.array(p, dtype=float)) < 1e-9 for p in points)
        for place in range(len(corners)):
            without = np.delete(corners, place, axis=0)
            assert len(without) == 2 or distance_outside(without, corners[place]) > 1e-9


def test_a_projection_keeps_what_it_says() -> None:
    vectors = np.random.default_rng(3).normal(size=(9, 5)) * [5.0, 0.1, 3.0, 1.0, 0.5]
    to = projection(vectors)
    assert to.directions.T @ to.directions == pytest.approx(np.eye(2), abs=1e-12)
    assert (to(vectors) ** 2).sum() / (vectors**2).sum() == pytest.approx(to.share)
    second = np.sort(np.linalg.eigvalsh(vectors.T @ vectors))[::-1]
    assert to.share == pytest.approx(second[:2].sum() / second.sum())
    turned = projection(-vectors)
    assert turned.directions == pytest.approx(to.directions)
    for width in (1, 2):
        exact = projection(vectors[:, :width])
        assert exact.exact
        assert exact(vectors[:, :width])[:, :width].tolist() == vectors[:, :width].tolist()
    assert projection(np.zeros((3, 4))).share == 1.0


@pytest.mark.parametrize("name", ATTENTION_EXAMPLES)
def test_every_example_opens_with_its_own_weights(name: str) -> None:
    document = load_example(name)
    trace = run(document)
    setting = LAB.start(document)
    for head in range(document.h):
        for row in {0, document.n - 1}:
            chosen = LAB.with_value(setting, "row", str(row))
            chosen = LAB.with_value(chosen, "head", str(head)) if document.h > 1 else chosen
            result = LAB.compute(chosen)
            assert result.document is document
            assert result.weights.tolist() == trace["weights"][head, row].tolist()
            mean = sum(w * v for w, v in zip(result.weights, result.values, strict=True))
            assert result.output.tolist() == pytest.approx(mean.tolist(), abs=1e-9)
            assert distance_outside(result.corners, result.output) < 1e-6
            assert 0.0 < result.key_share <= 1.0


def test_a_masked_key_has_no_path_and_a_wholly_masked_row_no_mean() -> None:
    document = with_mask(
        own(),
        Mask("custom", allow=np.array([[0, 0, 0, 0], [1, 0, 1, 1], [1] * 4, [1] * 4], dtype=bool)),
    )
    setting = LAB.start(document, {"key": "1", "row": "1"})
    assert LAB.compute(setting).path is None
    empty = LAB.compute(LAB.with_value(setting, "row", "0"))
    assert not empty.sums_to_one
    alone = with_mask(own(), Mask("custom", allow=np.eye(4, dtype=bool)))
    path = LAB.compute(LAB.start(alone, {"key": "1", "row": "1"})).path
    assert path is not None
    assert path.outputs.tolist() == [path.rest.tolist()] * STEPS


def test_arrows_of_entered_vectors_are_entered_anew() -> None:
    keys = ((1.0, -1.0), (0.5, 0.25), (-3.0, 2.0), (0.0, 0.0))
    setting = LAB.start(values={"keys-0": keys, "query-0-1": ((-1.0, 2.0),)})
    document = LAB.document(setting)
    assert document.pins == ()
    K, Q = document.tensor("K"), document.tensor("Q")
    assert K is not None
    assert Q is not None
    assert K.tolist() == [list(k) for k in keys]
    assert Q.tolist() == [[1.5, -0.5], [-1.0, 2.0], [0.5, 1.0], [-1.0, 2.0]]
    assert LAB.document(LAB.start()) is own()


def test_arrows_of_computed_vectors_are_pinned_in_their_head_alone() -> None:
    document = load_example("apple-released-iphone")
    setting = LAB.start(document, {"head": "2"})
    values = ((2.0, -1.0), *setting["values-2"][1:])
    setting = LAB.with_value(setting, "values-2", values)
    edited = LAB.document(setting)
    assert {pin.cell for pin in edited.pins} == {Cell("V", 0, 0, 2), Cell("V", 0, 1, 2)}
    result, trace = LAB.compute(setting), run(edited)
    assert result.values[0].tolist() == [2.0, -1.0]
    assert result.output.tolist() == trace["heads"][2, 0].tolist()
    assert LAB.compute(LAB.with_value(setting, "head", "0")).document is document


def test_a_pinned_key_can_be_dragged_too() -> None:
    document = with_pin(own(), Cell("K", 3, 0), -2.0)
    setting = LAB.start(document)
    assert setting["keys-0"][3] == (-2.0, 0.4)
    moved = LAB.compute(LAB.with_value(setting, "keys-0", (*setting["keys-0"][:3], (1.0, 0.4))))
    assert moved.keys[3].tolist() == [1.0, 0.4]


def test_what_cannot_be_shown_is_refused() -> None:
    document = make(0)
    assert LAB.start(document)["row"] == "0"
    one = document.with_(tokens=("a",), X=document.X[:1])  # type: ignore[index]
    with pytest.raises(UserError) as caught:
        LAB.start(one)
    assert caught.value.data["reason"] == "tokens_2_64"
