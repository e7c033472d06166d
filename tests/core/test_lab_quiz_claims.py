"""What the quiz's cards on roles, scores, softmax and masks claim, worked out."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from core.arithmetic.attention import attend
from core.base.cell import Cell
from core.compute.trace import run
from core.document.document import Mask
from core.document.edits import with_cell, with_mask, with_positional
from core.labs.roles import table
from core.labs.sharpness import jacobian_norm
from tests.core.quiz_kit import RNG, checks_in, experiment, result, softmax, weights_of

# Roles


def check_key_and_value() -> None:
    document = experiment("key-and-value")
    trace = run(document)
    assert (document.k, document.v) == (4, 2)
    head = document.heads[0]
    assert head.W_K is not None
    assert head.W_V is not None
    assert np.array_equal(trace["K"][0], trace["X"] @ head.W_K)
    assert np.array_equal(trace["V"][0], trace["X"] @ head.W_V)


def check_widths() -> None:
    Q, K, V = RNG.normal(size=(1, 5, 2)), RNG.normal(size=(1, 6, 2)), RNG.normal(size=(1, 6, 4))
    assert attend(Q, K, V).output.shape == (1, 5, 4)
    for wrong in ((Q, K[..., :1], V), (Q, K, V[:, :5])):
        with pytest.raises(ValueError, match="shape"):
            attend(*wrong)


def check_self_most() -> None:
    document = table()
    trace = run(document)
    row = trace["weights"][0, 1]
    assert row[1] < 0.1 * row.max()
    assert any(
        float(q @ k) < 0
        for q, k in zip(RNG.normal(size=(9, 3)), RNG.normal(size=(9, 3)), strict=True)
    )
    assert any(row.argmax() != place for place, row in enumerate(trace["weights"][0]))


def check_mutual() -> None:
    trace = run(experiment("mutual"))
    assert np.array_equal(trace["scores"][0], trace["scores"][0].T)
    assert np.abs(trace["weights"][0] - trace["weights"][0].T).max() > 0.1


def check_value_matrix() -> None:
    document = experiment("value-matrix")
    changed = with_cell(document, Cell("W_V", 1, 2), 9.0)
    before, after = run(document), run(changed)
    assert np.array_equal(before["weights"], after["weights"])
    assert not np.array_equal(before["Y"], after["Y"])


def check_cross() -> None:
    document = experiment("cross")
    assert document.context is not None
    assert weights_of(document).shape[1:] == (document.n, document.m)


def check_dictionary() -> None:
    scores = np.array([2.1, 0.5, 1.8, 3.2])
    assert (softmax(scores) > 0).all()
    assert softmax(scores * 60).max() > 1 - 1e-12


# Scores


def check_why_scaling() -> None:
    q, k = RNG.standard_normal((4000, 256)), RNG.standard_normal((4000, 256))
    products = (q * k).sum(axis=1)
    assert math.isclose(products.var(), 256, rel_tol=0.1)
    rows = products.reshape(-1, 8)
    raw, scaled = (jacobian_norm(softmax(each)).mean() for each in (rows, rows / 16))
    assert raw < 0.4 * scaled


def check_root() -> None:
    for d_k in (16, 400):
        products = (RNG.standard_normal((8000, d_k)) * RNG.standard_normal((8000, d_k))).sum(axis=1)
        assert math.isclose((products / math.sqrt(d_k)).std(), 1.0, rel_tol=0.05)
        assert math.isclose((products / d_k).std(), 1 / math.sqrt(d_k), rel_tol=0.05)
    shown = result("root")
    assert shown.divisor == shown.d_k
    assert math.isclose(shown.measures["entropy"][1], math.log(8), abs_tol=0.01)


def check_temperature() -> None:
    for scores in RNG.normal(size=(50, 6)) * 3:
        cold, warm = softmax(scores), softmax(scores / 2)
        assert np.array_equal(np.argsort(cold), np.argsort(warm))
        assert warm.max() - warm.min() < cold.max() - cold.min()
        assert math.isclose(warm.sum(), 1.0)


def check_key_bias() -> None:
    document = experiment("key-bias")
    bare = replace(document, heads=tuple(replace(head, b_K=None) for head in document.heads))
    assert document.heads[0].b_K is not None
    assert np.abs(run(document)["scores"] - run(bare)["scores"]).max() > 1
    assert np.abs(weights_of(document) - weights_of(bare)).max() < 1e-15
    turned = (
        with_positional(each, replace(each.positional, kind="rotary")) for each in (document, bare)
    )
    one, other = map(weights_of, turned)
    assert np.abs(one - other).max() > 0.01


def check_cosine() -> None:
    q, k = RNG.normal(size=(2, 5))
    cosine = q @ k / np.linalg.norm(q) / np.linalg.norm(k)
    assert math.isclose(q @ k, np.linalg.norm(q) * np.linalg.norm(k) * cosine)
    longer = attend(q[None, None], np.stack([k, 2 * k])[None], np.eye(2)[None])
    assert math.isclose(longer.scores[0, 0, 1], 2 * longer.scores[0, 0, 0])


def check_negative() -> None:
    scores = np.array([-1.0, -3.0, -2.0, -0.5])
    weights = softmax(scores)
    assert (weights > 0).all()
    assert np.array_equal(np.argsort(weights), np.argsort(scores))
    assert math.isclose(weights.sum(), 1.0)


# Softmax and masks


def check_rows_and_columns() -> None:
    A = weights_of(experiment("rows-and-columns"))[0]
    assert np.allclose(A.sum(axis=1), 1.0)
    assert A[0, 0] == 1.0
    assert A[:, 0].sum() > 1.0
    assert A[:, -1].sum() < 1.0


def check_mask_when() -> None:
    document = experiment("mask-when")
    A, free = weights_of(document)[0], weights_of(with_mask(document, Mask()))[0]
    late = np.tril(free)
    assert (late.sum(axis=1)[:-1] < 1.0).all()
    assert np.allclose(A.sum(axis=1), 1.0)
    assert np.abs(A - late).max() > 0.1


def check_masked_zero() -> None:
    A = weights_of(experiment("masked-zero"))[0]
    assert (A[np.triu_indices(4, 1)] == 0.0).all()
    assert math.exp(-1e9) == 0.0


def check_all_masked() -> None:
    trace = run(experiment("all-masked"))
    assert np.isneginf(trace["masked"][0, 1]).all()
    assert not trace["weights"][0, 1].any()
    assert not trace["Y"][1].any()
    assert sum(math.exp(score) for score in trace["masked"][0, 1]) == 0.0
    assert np.allclose(softmax(np.full(3, -1e9)), 1 / 3)


def check_shift() -> None:
    scores = RNG.normal(size=7)
    assert np.abs(softmax(scores + 100.0) - softmax(scores)).max() < 1e-13


def check_hard() -> None:
    assert np.array_equal(softmax(np.array([1.0, 3.0, 3.0, -2.0]) * 1e6), [0.0, 0.5, 0.5, 0.0])
    assert jacobian_norm(softmax(np.array([[1.0, 3.0, 2.0]]) * 100))[0] < 1e-30


def check_zero_weight() -> None:
    A = weights_of(experiment("zero-weight"))[0]
    assert np.array_equal(A, [[1.0, 0.0], [1.0, 0.0]])
    assert math.exp(-745.0) > 0.0
    assert math.exp(-746.0) == 0.0
    assert (softmax(np.array([0.0, -3.0, 1.0])) > 0).all()


def check_first_row() -> None:
    trace = run(experiment("first-row"))
    assert np.array_equal(trace["heads"][0, 0], trace["V"][0, 0])


CHECKS = checks_in(globals())


@pytest.mark.parametrize("card_id", CHECKS)
def test_what_a_card_claims(card_id: str) -> None:
    CHECKS[card_id]()


def test_labs_that_prove_a_card_are_set_for_it() -> None:
    assert result("shift").difference < 1e-12
    assert result("why-scaling").d_k == 512
    assert result("self-most").speaker == 1
    assert (result("negative").weights > 0).all()
