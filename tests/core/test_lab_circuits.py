"""Circuits: tables against plain loops and fractions, ranks against eigenvalues and Eckart–Young."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

from core.base.errors import UserError
from core.compute.trace import run
from core.document.document import Document
from core.labs.circuits import LAB, CircuitsResult, Factors, cut, own, singular, turned
from tests.core.documents import make
from tests.core.stacks import make_stack

SIZES = {"n": 5, "d": 6, "h": 3, "k": 2, "v": 4}


def at(document: Document | None = None, **values: object) -> CircuitsResult:
    return LAB.compute(LAB.start(document, values))


def dot(a: list[float], b: list[float]) -> float:
    return sum(x * y for x, y in zip(a, b, strict=True))


def times(A: np.ndarray, B: np.ndarray) -> list[list[float]]:
    """A matrix product in plain loops."""
    columns = B.T.tolist()
    return [[dot(row, column) for column in columns] for row in A.tolist()]


def test_the_own_tables_are_exact() -> None:
    result = at()
    document = result.document
    (head,) = document.layers[0].heads

    def exact(values: np.ndarray) -> list[list[Fraction]]:
        return [[Fraction(value) for value in row] for row in values.tolist()]

    def multiply(A: list[list[Fraction]], B: list[list[Fraction]]) -> list[list[Fraction]]:
        return [
            [
                sum((a * b for a, b in zip(row, column, strict=True)), Fraction())
                for column in zip(*B, strict=True)
            ]
            for row in A
        ]

    X = exact(document.X)
    queries, keys = multiply(X, exact(head.W_Q)), multiply(X, exact(head.W_K))
    expected = multiply(queries, [list(column) for column in zip(*keys, strict=True)])
    assert exact(result.qk.table) == expected
    said = multiply(multiply(X, exact(head.W_V)), exact(document.layers[0].W_O))
    assert exact(result.ov.table) == multiply(said, exact(document.output.W_U))
    assert expected[2] == [0, 3, 0, 3, 0]  # the verb looks for both nouns


@pytest.mark.parametrize("head", [0, 1, 2])
def test_tables_of_attention_alone_are_those_of_plain_loops(head: int) -> None:
    document = make(4, sizes=SIZES, output=True, biases=True)
    result, one = at(document, head=head), document.heads[head]
    queries, keys = times(document.X, one.W_Q), times(document.X, one.W_K)
    expected = [[dot(q, k) / math.sqrt(2) for k in keys] for q in queries]
    np.testing.assert_allclose(result.qk.table, expected, rtol=0, atol=1e-12)
    block = document.W_O[head * 4 : head * 4 + 4]
    expected = times(np.array(times(document.X, one.W_V)), block)
    np.testing.assert_allclose(result.ov.table, expected, rtol=0, atol=1e-12)
    assert not result.has_words
    assert len(result.columns) == document.o


def test_tables_without_positions_and_biases_are_scores() -> None:
    document = make(8, sizes=SIZES, output=True)
    trace = run(document)
    for head in range(3):
        np.testing.assert_allclose(
            at(document, head=head).qk.table, trace["scaled"][head], rtol=0, atol=1e-12
        )


def test_singular_values_are_roots_of_eigenvalues() -> None:
    random = np.random.default_rng(3)
    factors = Factors(random.normal(size=(7, 3)), random.normal(size=(3, 5)))
    product = np.array(times(factors.first, factors.second))
    eigenvalues = np.linalg.eigvalsh(product @ product.T)[::-1]
    vectors, values = singular(factors)
    np.testing.assert_allclose(values, np.sqrt(eigenvalues[:3]), rtol=1e-10)
    np.testing.assert_allclose(vectors.T @ vectors, np.eye(3), rtol=0, atol=1e-12)


@pytest.mark.parametrize("rank", [1, 2, 3])
def test_a_cut_has_its_rank_and_the_least_distance(rank: int) -> None:
    document = make(2, sizes={"n": 4, "d": 6, "h": 2, "k": 4, "v": 3}, output=True)
    result = at(document, head=1, cut=4 - rank)
    before, after = (
        np.array(times(trace.document.heads[1].W_Q, trace.document.heads[1].W_K.T))
        for trace in (result.before, result.after)
    )
    assert np.linalg.matrix_rank(after) == rank
    gap = math.sqrt(sum(value**2 for value in (after - before).ravel().tolist()))
    whole = math.sqrt(sum(value**2 for value in before.ravel().tolist()))
    assert result.qk.error == pytest.approx(gap / whole, abs=1e-12)
    random = np.random.default_rng(rank)
    left, right = random.normal(size=(6, rank)), random.normal(size=(rank, 6))
    for _ in range(40):  # alternating least squares finds no product of this rank that is nearer
        left = np.linalg.lstsq(right.T, before.T, rcond=None)[0].T
        right = np.linalg.lstsq(left, before, rcond=None)[0]
    assert np.linalg.norm(left @ right - before) >= gap - 1e-9


@pytest.mark.parametrize("positional", ["none", "rotary", "alibi", "sinusoidal"])
def test_turning_changes_the_factors_and_nothing_else(positional: str) -> None:
    document = make(6, sizes=SIZES, output=True, biases=True, positional=positional)
    result = at(document, head=1, angle=75)
    assert (result.after["Q"][1] != result.before["Q"][1]).any()
    assert (result.after["V"][1] != result.before["V"][1]).any()
    for stage in ("scores", "weights", "Y"):
        np.testing.assert_allclose(result.after[stage], result.before[stage], rtol=0, atol=1e-11)
    for stage in ("Q", "K", "V"):
        np.testing.assert_array_equal(result.after[stage][[0, 2]], result.before[stage][[0, 2]])
    assert 0.0 < result.score_change < 1e-12
    assert at(document, head=1).score_change == 0.0


def test_a_full_turn_by_hand() -> None:
    factors = Factors(np.array([[1.0, 2.0, 3.0]]), np.array([[4.0], [5.0], [6.0]]))
    quarter = turned(factors, 90.0)
    np.testing.assert_allclose(quarter.first, [[2.0, -1.0, 3.0]], atol=1e-12)
    np.testing.assert_allclose(quarter.second, [[5.0], [-4.0], [6.0]], atol=1e-12)
    assert turned(factors, 0.0) is factors


def test_without_an_output_matrix_the_values_are_not_turned() -> None:
    document = make(3, sizes=SIZES)
    result = at(document, angle=50)
    np.testing.assert_array_equal(result.after["V"], result.before["V"])
    assert result.weight_change < 1e-12


@pytest.mark.parametrize("layer", ["1", "2"])
def test_heads_of_a_stack_and_their_borrowed_keys(layer: str) -> None:
    document = make_stack(5, layers=2)
    result = at(document, layer=layer, angle=30)
    number = int(layer)
    np.testing.assert_allclose(
        result.after[f"L{number}.Y"], result.before[f"L{number}.Y"], rtol=0, atol=1e-10
    )
    scope = result.document.scopes[number - 1]
    c = 1 / math.sqrt(scope.k)
    queries = times(document.X, scope.heads[0].W_Q)
    keys = times(document.X, scope.heads[0].W_K)
    expected = [[c * dot(q, k) for k in keys] for q in queries]
    np.testing.assert_allclose(result.qk.table, expected, rtol=0, atol=1e-10)
    block = scope.W_O[: scope.v] if scope.W_O is not None else np.eye(scope.v)
    said = np.array(times(np.array(times(document.X, scope.heads[0].W_V)), block))
    expected = times(said, document.output.W_U)
    np.testing.assert_allclose(result.ov.table, expected, rtol=0, atol=1e-10)


def test_zeros_and_huge_numbers_give_numbers() -> None:
    zero = Factors(np.zeros((4, 2)), np.zeros((2, 4)))
    assert singular(zero)[1].tolist() == [0.0, 0.0]
    assert not cut(zero, 1).first.any()
    huge = Factors(np.full((4, 2), 1e200), np.full((2, 4), 1e200))
    assert np.isfinite(singular(huge)[1]).all()


def test_what_is_handed_over_runs_like_the_picture() -> None:
    setting = LAB.start(values={"angle": 20, "cut": 1})
    document = LAB.document(setting)
    np.testing.assert_array_equal(
        run(document)["probabilities"], LAB.compute(setting).after["probabilities"]
    )


@pytest.mark.parametrize(
    ("document", "reason"),
    [
        (make(1, sizes={"n": 9, "d": 4, "h": 1, "k": 2, "v": 2}), "tokens_2_8"),
        (make(2, source="qkv"), "embeddings"),
        (make(2, sizes={"n": 3, "d": 4, "h": 1, "k": 9, "v": 2}), "narrow_heads"),
        (make(2, sizes={"n": 3, "d": 4, "h": 13, "k": 2, "v": 1}), "narrow_heads"),
    ],
)
def test_what_it_cannot_work_on(document: Document, reason: str) -> None:
    with pytest.raises(UserError) as caught:
        LAB.start(document)
    assert caught.value.data["reason"] == reason


def test_words_of_the_own_experiment_are_at_right_angles() -> None:
    X = own().X
    np.testing.assert_array_equal(X @ X.T, 8 * np.eye(5))
