"""Block: parts add up to the logit, lengths and likeness equal plain loops, and switches do what they say."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest

from core.base.errors import UserError
from core.compute.trace import run
from core.document.document import Document, Pin
from core.document.stack_edits import with_layer, with_norm
from core.labs.block import LAB, MOST_TIMES, BlockResult, depth_curve, norm_place, switched
from core.labs.block_stream import (
    contributions,
    cosine,
    length,
    likeness,
    parts_of_row,
    sublayers,
)
from core.storage.examples import load_example
from tests.core.documents import make
from tests.core.stacks import make_stack, normed, plain_layer, plain_stack

SMALL = {"n": 4, "d": 6, "h": 2, "k": 2, "v": 3, "f": 5, "u": 7}


def at(document: Document | None = None, **values: object) -> BlockResult:
    return LAB.compute(LAB.start(document, values))


def plain_likeness(rows: list[list[float]]) -> float:
    """Mean cosine of two centred rows, term by term."""
    centred = [[x - sum(row) / len(row) for x in row] for row in rows]
    found = []
    for a, b in combinations(centred, 2):
        sizes = math.sqrt(sum(x * x for x in a) * sum(x * x for x in b))
        found.append(sum(x * y for x, y in zip(a, b, strict=True)) / sizes)
    return sum(found) / len(found)


def last_of_layer(document: Document, rows: list[list[float]], number: int) -> list[list[float]]:
    return plain_layer(document, document.layers[number], rows, lambda name, value: value)


STACKS = [
    make_stack(seed, place=place, norm=kind, residual=residual, mlp=mlp, positional=positional)
    for seed, (place, kind, residual, mlp, positional) in enumerate(
        [
            ("pre", "layer", True, True, "none"),
            ("post", "layer", True, True, "learned"),
            ("pre", "rms", True, True, "none"),
            ("post", "rms", True, False, "none"),
            ("pre", "layer", False, True, "learned"),
            ("post", "layer", False, False, "none"),
        ]
    )
]


@pytest.mark.parametrize("document", [*STACKS, make_stack(9, around=False, norms=False)])
@pytest.mark.parametrize("word", [0, 5])
def test_parts_add_up_to_the_logit(document: Document, word: int) -> None:
    expected = plain_stack(document)["logits"]
    trace = run(document)
    for row in range(document.n):
        found = contributions(trace, row, word)
        scale = max(1.0, *(abs(part.value) for part in found))
        total = math.fsum(part.value for part in found)
        assert total == pytest.approx(expected[row][word], abs=1e-12 * scale)


def test_with_a_final_norm_alone_a_part_is_its_share_of_the_normalised_row() -> None:
    """By the definition of LayerNorm, with mean and root of the whole row."""
    document = replace(make_stack(4, biases=False), embedding_norm=None)
    stages, norm, row = plain_stack(document), document.final_norm, 2
    assert norm is not None
    assert norm.gamma is not None
    whole = stages["L2.mlp_residual"][row]
    mean = sum(whole) / len(whole)
    root = math.sqrt(sum((x - mean) ** 2 for x in whole) / len(whole) + norm.eps)
    found = {(part.layer, part.part): part.value for part in contributions(run(document), row, 3)}
    names = [(None, "X", "X"), *((i, "attention", f"L{i}.Y") for i in (1, 2))]
    names += [(i, "mlp", f"L{i}.mlp_out") for i in (1, 2)]
    assert document.output is not None
    column = document.output.W_U[:, 3]
    for layer, part, stage in names:
        added = stages[stage][row]
        own = sum(added) / len(added)
        value = sum(
            (x - own) / root * float(g) * float(w)
            for x, g, w in zip(added, norm.gamma, column, strict=True)
        )
        assert found[layer, part] == pytest.approx(value, abs=1e-12)
    assert {key for key in found if key[1] == "constant"} == {(None, "constant")}  # beta


def test_without_residual_connections_only_the_last_part_is_left() -> None:
    parts = [(part.layer, part.part) for part in at(residual=False).contributions]
    assert parts == [(2, "mlp")]
    assert [(part.layer, part.part) for part in at(residual=False, mlp=False).contributions] == [
        (2, "attention")
    ]


def test_parts_after_norms_of_sums_are_scaled_in_turn() -> None:
    """The parts of post-norm add up to the normalised row itself."""
    document = make_stack(2, place="post", layers=3)
    for row in range(document.n):
        total = sum(parts_of_row(run(document), row).values())
        np.testing.assert_allclose(
            total, plain_stack(document)["final_norm"][row], rtol=0, atol=1e-12
        )


@pytest.mark.parametrize("place", ["pre", "post"])
def test_sublayers_add_what_they_compute(place: str) -> None:
    document = make_stack(5, place=place)
    stages, trace = plain_stack(document), run(document)
    found = sublayers(trace)
    assert [(sub.layer, sub.part) for sub in found] == [
        (layer, part) for layer in (1, 2) for part in ("attention", "mlp")
    ]
    for sub in found:
        for row in range(document.n):
            before, added = stages[sub.before][row], stages[sub.added][row]
            total = [x + y for x, y in zip(before, added, strict=True)]
            np.testing.assert_allclose(trace[sub.total][row], total, rtol=0, atol=1e-12)
            assert length(trace[sub.added][row]) == pytest.approx(
                math.sqrt(sum(x * x for x in added))
            )
            assert cosine(trace[sub.added][row], trace[sub.before][row]) == pytest.approx(
                sum(x * y for x, y in zip(before, added, strict=True))
                / math.sqrt(sum(x * x for x in before) * sum(x * x for x in added))
            )
    assert all(bool(sub.norm) == (place == "post") for sub in found)


@pytest.mark.parametrize("place", ["pre", "post"])
@pytest.mark.parametrize("residual", [True, False])
@pytest.mark.parametrize("mlp", [True, False])
def test_the_curve_is_that_of_the_layers_repeated(place: str, residual: bool, mlp: bool) -> None:
    """Computed layer by layer in plain loops, for a stack with positions and a norm before."""
    document = make_stack(8, sizes=SMALL, positional="learned")
    same = make_stack(8, sizes=SMALL, positional="learned", place=place, residual=residual)
    if not mlp:
        layers = (replace(one, mlp=None, norm=replace(one.norm, mlp=None)) for one in same.layers)
        same = replace(same, layers=tuple(layers))
    rows = plain_stack(same)["embedding_norm"]
    expected = [plain_likeness(rows)]
    for _ in range(3):
        for number in range(2):
            rows = last_of_layer(same, rows, number)
            expected.append(plain_likeness(rows))
    curve = depth_curve(switched(document, residual, mlp, place), 3)
    np.testing.assert_allclose(curve, expected, rtol=0, atol=1e-9)


def test_a_layer_that_is_off_passes_its_rows_on() -> None:
    document = with_layer(make_stack(3, layers=3), 2, enabled=False)
    curve = depth_curve(document, 1)
    assert curve[1] == curve[2]
    assert {sub.layer for sub in sublayers(run(document))} == {1, 3}


def test_likeness_of_rows_by_hand() -> None:
    assert likeness(np.array([[1.0, 3.0], [10.0, 30.0]])) == pytest.approx(1.0)
    assert likeness(np.array([[1.0, 3.0], [3.0, 1.0]])) == pytest.approx(-1.0)
    assert likeness(np.array([[1.0, 0.0, -1.0], [1.0, -2.0, 1.0]])) == pytest.approx(0.0)
    assert likeness(np.array([[2.0, 2.0], [1.0, 3.0]])) == 0.0  # equal numbers: no direction
    assert likeness(np.array([[1e308, -1e308], [-1e308, 1e308]])) == pytest.approx(-1.0)
    assert length(np.array([1e308, 1e308])) == pytest.approx(math.sqrt(2) * 1e308)
    assert length(np.full(9, 1e308)) == np.finfo(float).max


def test_rank_collapses_without_residual_connections_as_the_lab_says() -> None:
    result = at(times=MOST_TIMES)
    ends = {(curve.residual, curve.mlp): float(curve.values[-1]) for curve in result.curves}
    assert len(result.curve.values) == 2 * MOST_TIMES + 1
    assert min(ends[False, True], ends[False, False]) > 0.9999
    assert max(ends[True, True], ends[True, False]) < 0.0


def test_norms_after_the_sums_keep_every_stream_at_the_root_of_d() -> None:
    result = at(place="post")
    for sub in result.sublayers:
        norms = [length(row) for row in result.trace[sub.after]]
        assert norms == pytest.approx([2.0] * 3, abs=1e-4)


def test_the_place_of_norms() -> None:
    document = make_stack(1)
    assert norm_place(document) == "pre"
    assert norm_place(switched(document, True, True, "post")) == "post"
    assert norm_place(switched(document, True, True, "none")) == "none"
    mixed = with_norm(document, "L2.mlp_norm", False)
    assert norm_place(mixed) == "own"
    assert LAB.start(mixed)["place"] == "own"
    assert switched(mixed, True, True, "own") is mixed
    bare = load_example("not-bad")
    assert norm_place(bare) == "none"
    assert "own" not in LAB.control(LAB.start(bare), "place").options  # type: ignore[union-attr]
    norm = switched(bare, True, True, "pre").norm("L1.mlp_norm")
    row = [[1.0, 2.0, 4.0, 8.0]]
    assert normed(row, norm) == normed(row, replace(norm, gamma=None, beta=None))


def test_weights_are_the_mean_of_the_heads_that_are_on() -> None:
    document = make_stack(6, off=(1,), sizes=SMALL | {"h": 3})
    result = at(document, token="2")
    weights = plain_stack(document)["L1.weights"]
    expected = [(weights[0][2][key] + weights[2][2][key]) / 2 for key in range(document.n)]
    np.testing.assert_allclose(result.weights(1), expected, rtol=0, atol=1e-14)


def test_switches_are_offered_for_what_the_stack_has() -> None:
    induction = LAB.start(load_example("induction"))
    assert "mlp" not in induction.values
    assert len(LAB.compute(induction).curves) == 2
    assert "word" not in LAB.start(make_stack(1, output=False)).values
    assert at(make_stack(1, output=False)).contributions == ()


def test_what_if_values_do_not_count() -> None:
    document = make_stack(1)
    pinned = document.with_(pins=(Pin("L1.Y", (0, 0), 99.0),))
    assert at(pinned).logit == at(document).logit


@pytest.mark.parametrize(
    ("document", "reason"),
    [
        (make(1), "no_stack"),
        (make_stack(1, sizes=SMALL | {"n": 7}), "stack_size"),
        (make_stack(1, sizes=SMALL | {"n": 1}), "stack_size"),
        (make_stack(1, layers=5), "stack_size"),
        (with_layer(make_stack(1, layers=1), 1, enabled=False), "stack_size"),
    ],
)
def test_what_it_cannot_work_on(document: Document, reason: str) -> None:
    with pytest.raises(UserError) as caught:
        LAB.start(document)
    assert caught.value.data["reason"] == reason
