"""Caution: the same output from other weights, contributions, rollout and entropy, against plain loops."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.base.arrays import Array, frozen
from core.base.errors import UserError
from core.compute.trace import run
from core.document.document import Document, Head
from core.labs.caution import (
    LAB,
    MOST_LAYERS,
    USED,
    VIEWS,
    allowed,
    contributions,
    entropies,
    farthest,
    null_space,
    own,
    rollout,
    stack,
    twin,
)
from core.labs.lab import traced
from core.storage.examples import load_example
from tests.core.documents import make

DOCUMENTS = {
    "own": own(),
    "three heads": make(1, output=True),
    "causal": make(2, mask="causal", output=True),
    "custom": make(3, mask="custom"),
    "entered": make(4, source="qkv"),
    "eight heads": load_example("eight-heads"),
}
NARROW = {"n": 6, "d": 5, "h": 1, "k": 3, "v": 2}


def times(A: Array | list[list[float]], B: Array | list[list[float]]) -> list[list[float]]:
    """A·B, cell by cell."""
    return [
        [sum(A[i][t] * B[t][j] for t in range(len(B))) for j in range(len(B[0]))]
        for i in range(len(A))
    ]


def entropy_of(row: Array) -> float:
    return -math.fsum(weight * math.log(weight) for weight in row if weight > 0.0)


# Other weights, same output


@pytest.mark.parametrize("name", DOCUMENTS)
@pytest.mark.parametrize("share", [-1.0, -0.4, 0.5, 1.0])
def test_other_weights_are_weights_and_give_the_same_output(name: str, share: float) -> None:
    document = DOCUMENTS[name]
    for head in range(document.h):
        pair = twin(document, head, share)
        ours, theirs = (np.array(times(matrix, pair.V)) for matrix in (pair.A, pair.B))
        scale = max(1.0, float(np.abs(pair.V).max()))
        assert np.abs(ours - theirs).max() < 1e-12 * scale
        assert (pair.B >= 0.0).all()
        assert np.allclose(pair.B.sum(axis=1), pair.A.sum(axis=1), atol=1e-12)
        assert not pair.B[~allowed(traced(document))[head]].any()
        assert math.isclose(pair.moved, np.abs(pair.B - pair.A).max())
        assert math.isclose(pair.gap, np.abs(pair.twins - pair.outputs).max(), abs_tol=1e-18)


def test_in_the_labs_own_experiment_the_two_differ_by_a_lot() -> None:
    document = own()
    assert (document.n, document.v) == (5, 2)
    pair = twin(document, 0, 1.0)
    assert pair.moved > 0.5
    assert pair.gap < 1e-12
    assert (pair.free == 2).all()
    assert (pair.A[1].argmax(), pair.B[1].argmax()) == (3, 1)


def test_at_the_end_a_weight_of_every_row_is_nearly_used_up_and_a_softmax_gives_the_rest() -> None:
    for share in (-1.0, 1.0):
        pair = twin(own(), 0, share)
        left = (pair.B / pair.A).min(axis=1)
        assert np.allclose(left, 1.0 - USED)
        powers = np.exp(np.log(pair.B) - np.log(pair.B).max(axis=1, keepdims=True))
        np.testing.assert_allclose(powers / powers.sum(axis=1, keepdims=True), pair.B, rtol=1e-12)
    assert twin(own(), 0, 0.0).moved == 0.0


@given(st.integers(0, 400), st.floats(-1.0, 1.0))
def test_any_experiment_with_enough_tokens_has_such_a_twin(seed: int, share: float) -> None:
    pair = twin(make(seed, sizes=NARROW), 0, share)
    assert (pair.free == 3).all()
    assert pair.gap < 1e-12 * max(1.0, float(np.abs(pair.V).max()))
    assert (pair.B >= 0.0).all()
    assert np.allclose(pair.B.sum(axis=1), 1.0)
    assert pair.moved > 0.0 or abs(share) < 1e-6


def test_too_few_tokens_leave_no_freedom() -> None:
    pair = twin(make(1), 0, 1.0)  # 5 tokens, d_v 4
    assert not pair.free.any()
    assert pair.moved == 0.0


def test_the_null_space_is_all_of_it() -> None:
    rng = np.random.default_rng(3)
    V = rng.normal(size=(7, 3))
    basis = null_space(V)
    assert basis.shape == (3, 7)
    assert np.allclose(basis @ V, 0.0, atol=1e-12)
    assert np.allclose(basis.sum(axis=1), 0.0, atol=1e-12)
    assert np.allclose(basis @ basis.T, np.eye(3))
    same = np.tile(V[0], (4, 1))
    assert null_space(same).shape == (3, 4)  # equal values: any share of them will do


def test_a_direction_is_followed_until_the_first_weight_is_zero() -> None:
    weights = np.array([0.5, 0.3, 0.2])
    direction, forward, back = farthest(weights, null_space(np.zeros((3, 1))))
    assert math.isclose(np.abs(direction).sum(), 1.0)
    for step, sign in ((forward, 1), (back, -1)):
        assert math.isclose((weights + sign * step * direction).min(), 0.0, abs_tol=1e-15)
        assert (weights + sign * step * 1.01 * direction).min() < 0.0


def test_what_is_handed_over_has_the_other_weights() -> None:
    for share in (-1.0, 0.3, 1.0):
        setting = LAB.start(values={"share": share, "head": "1"})
        trace, pair = run(LAB.document(setting)), LAB.compute(setting).twin
        assert pair is not None
        assert np.abs(trace["weights"][1] - pair.B).max() < 1e-15
        assert np.abs(trace["Y"] - run(own())["Y"]).max() < 1e-12
    assert LAB.document(LAB.start(values={"share": 0.0})) is own()


# What flows


@pytest.mark.parametrize("name", DOCUMENTS)
def test_contributions_are_the_lengths_of_what_is_added_up(name: str) -> None:
    document = DOCUMENTS[name]
    trace = run(document)
    total = np.zeros_like(trace["Y"])
    for head in range(document.h):
        flows = contributions(document, head)
        for i in range(document.n):
            row = []
            for j in range(document.n):
                value = list(trace["V"][head, j])
                if document.W_O is not None:
                    block = document.W_O[head * document.v : (head + 1) * document.v]
                    value = [
                        sum(value[t] * block[t][c] for t in range(document.v))
                        for c in range(document.o)
                    ]
                    total[i] += trace["weights"][head, i, j] * np.array(value)
                row.append(
                    trace["weights"][head, i, j] * math.sqrt(sum(part * part for part in value))
                )
            assert np.allclose(flows.norms[i], row)
            assert np.allclose(flows.share[i], np.array(row) / sum(row) if sum(row) else 0.0)
    if document.W_O is not None:
        assert np.allclose(total + (0.0 if document.b_O is None else document.b_O), trace["Y"])


def test_the_full_stop_has_the_weight_and_brings_little() -> None:
    flows = contributions(own(), 1)
    assert (flows.A[:, 4] > 0.5).all()
    assert (flows.share[:, 4] < 0.12).all()
    assert flows.differs == (0, 1, 2, 3, 4)


def test_values_of_zero_bring_nothing() -> None:
    nothing = Head(Q=frozen(np.eye(3)), K=frozen(np.eye(3)), V=frozen(np.zeros((3, 2))))
    flows = contributions(Document(("a", "b", "c"), (nothing,), source="qkv"), 0)
    assert not flows.share.any()


# Rollout


@pytest.mark.parametrize("name", DOCUMENTS)
def test_rollout_is_the_product_of_halves(name: str) -> None:
    document = DOCUMENTS[name]
    rolled = rollout(document, 4)
    flow = np.eye(document.n).tolist()
    for layer in range(4):
        half = [
            [
                (rolled.layers[layer][i][j] + (i == j)) / (1 + sum(rolled.layers[layer][i]))
                for j in range(document.n)
            ]
            for i in range(document.n)
        ]
        flow = times(half, flow)
        assert np.allclose(rolled.flow[layer], flow)
        assert np.allclose(rolled.flow[layer].sum(axis=1), 1.0)


def test_layers_read_the_ones_before() -> None:
    document = make(5, sizes={"n": 5, "d": 6, "h": 3, "k": 2, "v": 4}, output=True)
    weights, stacked = stack(document)
    assert stacked
    assert weights.shape == (MOST_LAYERS, 5, 5)
    X, heads = np.array(document.X), document.heads
    for layer in range(MOST_LAYERS):
        means, joined = np.zeros((5, 5)), []
        for head in heads:
            scores = (X @ head.W_Q) @ (X @ head.W_K).T / math.sqrt(2)
            A = np.exp(scores - scores.max(axis=1, keepdims=True))
            A /= A.sum(axis=1, keepdims=True)
            means += A / 3
            joined.append(A @ (X @ head.W_V))
        assert np.allclose(weights[layer], means), layer
        summed = X + np.concatenate(joined, axis=1) @ document.W_O
        X = (summed - summed.mean(axis=1, keepdims=True)) / summed.std(axis=1, keepdims=True)


def test_positions_that_are_added_are_added_once() -> None:
    document = make(6, sizes={"n": 4, "d": 4, "h": 2, "k": 3, "v": 2}, positional="sinusoidal")
    first, stacked = stack(document)
    trace = run(document)
    assert stacked
    summed = trace["input"] + trace["Y"]
    X = (summed - summed.mean(axis=1, keepdims=True)) / summed.std(axis=1, keepdims=True)
    second = run(Document(document.tokens, document.heads, X=frozen(X)))["weights"].mean(axis=0)
    assert np.allclose(first[1], second)


def test_where_nothing_feeds_the_next_layer_all_are_the_same() -> None:
    for document in (make(4, source="qkv"), make(5)):  # entered; or 12 columns of Y for 6 of X
        weights, stacked = stack(document)
        assert not stacked
        assert all(np.array_equal(layer, weights[0]) for layer in weights)


# Entropy


@pytest.mark.parametrize("name", DOCUMENTS)
def test_entropies_are_sums_over_rows_and_never_beyond_equal_shares(name: str) -> None:
    document = DOCUMENTS[name]
    spread, trace = entropies(document), run(document)
    seen = allowed(trace)[0]
    for head in range(document.h):
        rows = [entropy_of(row) for row in trace["weights"][head]]
        assert np.allclose(spread.rows[head], rows)
        assert math.isclose(spread.means[head], sum(rows) / len(rows))
        assert (spread.rows[head] <= spread.most + 1e-12).all()
    assert np.allclose(spread.most, [math.log(max(int(row.sum()), 1)) for row in seen])


def test_equal_shares_have_the_most_entropy() -> None:
    zero = frozen(np.zeros((4, 2)))
    document = Document(("a", "b", "c", "d"), (Head(Q=zero, K=zero, V=zero),), source="qkv")
    assert np.allclose(entropies(document).rows, math.log(4))


# The lab


@pytest.mark.parametrize("view", VIEWS)
def test_a_view_brings_its_own_numbers_alone(view: str) -> None:
    result = LAB.compute(LAB.start(values={"view": view}))
    given = [
        name
        for name in ("twin", "contributions", "rollout", "entropies")
        if getattr(result, name) is not None
    ]
    assert given == [
        {"same": "twin", "norms": "contributions", "rollout": "rollout", "entropy": "entropies"}[
            view
        ]
    ]


def test_experiments_that_do_not_fit_are_refused() -> None:
    with pytest.raises(UserError) as refused:
        LAB.start(load_example("translation"))
    assert refused.value.data["reason"] == "context"
    with pytest.raises(UserError) as refused:
        LAB.start(make(1, sizes={"n": 17, "d": 2, "h": 1, "k": 2, "v": 2}))
    assert refused.value.data["reason"] == "tokens_2_16"


def test_what_if_values_are_left_out() -> None:
    document = make(1, pins=4)
    assert not LAB.compute(LAB.start(document)).document.pins


def test_another_view_begins_with_the_head_that_shows_most() -> None:
    setting = LAB.with_value(LAB.start(), "view", "norms")
    assert setting["head"] == "1"
    assert LAB.with_value(LAB.with_value(setting, "head", "0"), "token", "2")["head"] == "0"
    assert LAB.with_value(setting, "view", "same")["head"] == "0"
    assert "head" not in LAB.with_value(setting, "view", "rollout").values
