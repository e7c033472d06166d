"""The lab of sequences, against plain loops, counted operations, and searches through the graph of dependencies."""

from __future__ import annotations

import math
from collections import deque

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.compute.trace import run
from core.labs.controls import ends
from core.labs.sequence import (
    LAB,
    Lstm,
    Nets,
    SequenceCost,
    attended,
    attending,
    attention_sensitivity,
    lstm,
    lstm_sensitivity,
    lstm_states,
    recurrent,
    rnn_paths,
    rnn_sensitivity,
    states,
    tokens,
)

N, D, SEED, GAIN = 7, 5, 3, 0.9


def nets_of(**values: object) -> Nets:
    nets = LAB.compute(LAB.start(values=values)).nets
    assert nets is not None
    return nets


def test_states_are_those_of_plain_loops() -> None:
    net = recurrent(N, D, SEED, GAIN)
    h = [0.0] * D
    for t in range(N):
        h = [
            math.tanh(
                sum(h[i] * net.W[i, j] for i in range(D))
                + sum(net.X[t, i] * net.U[i, j] for i in range(D))
            )
            for j in range(D)
        ]
        np.testing.assert_allclose(net.H[t], h, atol=1e-12)


@pytest.mark.parametrize("gain", [0.1, 0.9, 2.0])
def test_every_singular_value_of_the_recurrence_is_the_gain(gain: float) -> None:
    np.testing.assert_allclose(np.linalg.svd(recurrent(N, D, SEED, gain).W, compute_uv=False), gain)


def test_attention_is_that_of_its_document() -> None:
    Y, A = attended(N, D, SEED)
    trace = run(attending(N, D, SEED))
    np.testing.assert_array_equal(Y, trace["Y"])
    np.testing.assert_allclose(A.sum(axis=1), 1.0)
    assert attending(N, D, SEED).X is tokens(N, D, SEED)


@given(
    st.integers(2, 16),
    st.integers(2, 8),
    st.integers(0, 200),
    st.sampled_from([0.1, 0.7, 1.0, 1.3]),
)
@settings(max_examples=40)
def test_jacobians_agree_with_nudges(n: int, d: int, seed: int, gain: float) -> None:
    for felt in (rnn_sensitivity(n, d, seed, gain), attention_sensitivity(n, d, seed)):
        np.testing.assert_allclose(felt.exact, felt.finite, rtol=1e-6, atol=1e-8)


def test_a_nudge_along_any_direction_changes_the_end_by_no_more_than_the_norm() -> None:
    net, felt = recurrent(N, D, SEED, GAIN), rnn_sensitivity(N, D, SEED, GAIN)
    largest = 0.0
    for direction in np.random.default_rng(1).standard_normal((200, D)):
        X = np.array(net.X)
        X[0] += 1e-6 * direction / np.linalg.norm(direction)
        largest = max(
            largest, float(np.linalg.norm(states(X, net.W, net.U)[-1] - net.H[-1])) / 1e-6
        )
    assert 0.6 * felt.exact[-1] < largest <= felt.exact[-1] * (1 + 1e-4)


@pytest.mark.parametrize("gain", [0.1, 0.5, 0.9, 1.0])
def test_through_an_rnn_a_nudge_fades_at_least_as_fast_as_the_powers_of_its_gain(
    gain: float,
) -> None:
    """tanh never lengthens: every step multiplies the norm by at most the gain (Pascanu et al. 2013)."""
    felt = rnn_sensitivity(20, 6, 2, gain).exact
    assert np.all(felt[1:] <= gain * felt[:-1] * (1 + 1e-12))


def test_with_a_large_gain_it_grows() -> None:
    felt = rnn_sensitivity(48, 16, 1, 2.0).exact
    assert felt[-1] > 10 * felt[0]


def test_attention_feels_it_at_the_end_as_well() -> None:
    nets = nets_of(n=48)
    assert nets.by_attention.exact[-1] > 100 * nets.by_rnn.exact[-1]
    assert nets.worst < 1e-8


@pytest.mark.parametrize("n", [2, 5, 11])
def test_paths_are_the_shortest_ways_through_the_graph(n: int) -> None:
    """x_i feeds h_i, and h_{t−1} feeds h_t: each edge passes through the network once."""
    edges = {("x", i): [("h", i)] for i in range(n)} | {
        ("h", t): [("h", t + 1)] for t in range(n - 1)
    }
    paths = rnn_paths(n)
    for i in range(n):
        found = {("x", i): 0}
        queue = deque(found)
        while queue:
            node = queue.popleft()
            for following in edges.get(node, []):
                if following not in found:
                    found[following] = found[node] + 1
                    queue.append(following)
        for t in range(n):
            assert paths[t, i] == found.get(("h", t), 0)
    assert paths.max() == n


@pytest.mark.parametrize(("n", "d"), [(2, 3), (6, 4), (5, 5)])
def test_multiply_adds_are_counted_one_by_one(n: int, d: int) -> None:
    counts = {"W": 0, "U": 0, "project": 0, "pairs": 0, "mix": 0}
    for _ in range(n):
        for _ in range(d):
            for _ in range(d):
                counts["W"] += 1
                counts["U"] += 1
                counts["project"] += 3
        for _ in range(n):
            for _ in range(d):
                counts["pairs"] += 1
                counts["mix"] += 1
    cost = SequenceCost(n, d)
    assert cost.recurrence == counts["W"]
    assert cost.rnn == counts["W"] + counts["U"]
    assert cost.pairs == counts["pairs"]
    assert cost.attention == counts["project"] + counts["pairs"] + counts["mix"]


@given(st.integers(2, 8192), st.integers(2, 8192))
def test_they_cross_where_n_is_d(n: int, d: int) -> None:
    cost = SequenceCost(n, d)
    assert (cost.pairs > cost.recurrence) == (n > d)
    assert (cost.pairs == cost.recurrence) == (n == d)


def test_counts_alone_have_no_networks_and_no_experiment() -> None:
    setting = LAB.start(values={"view": "cost", "n": 50000, "d": 8000})
    assert LAB.compute(setting).nets is None
    assert LAB.document(setting) is None
    back = LAB.with_value(setting, "view", "run")
    assert (back["n"], back["d"]) == (12, 8)


def test_sizes_that_fit_stay_when_the_picture_changes() -> None:
    setting = LAB.with_value(LAB.start(values={"n": 20, "d": 6}), "view", "cost")
    assert (setting["n"], setting["d"]) == (20, 6)


@pytest.mark.parametrize("view", ["run", "nudge", "paths", "cost"])
def test_every_end_gives_finite_numbers(view: str) -> None:
    start = LAB.start(values={"view": view})
    for control in LAB.valued(start):
        for end in ends(control):
            result = LAB.compute(LAB.with_value(start, control.id, end))
            if result.nets is not None:
                for array in (
                    result.nets.rnn.H,
                    result.nets.Y,
                    result.nets.by_rnn.finite,
                    result.nets.by_rnn.exact,
                ):
                    assert np.isfinite(array).all()
                assert np.isfinite(result.nets.worst)


def lstm_slowly(X: list[list[float]], net: Lstm) -> list[list[float]]:
    """States of an LSTM, number by number."""
    d = len(X[0])
    h, c, found = [0.0] * d, [0.0] * d, []
    for x in X:
        gates = []
        for U, W, b in zip(net.U, net.W, net.b, strict=True):
            gates.append(
                [
                    sum(x[i] * float(U[i, j]) + h[i] * float(W[i, j]) for i in range(d))
                    + float(b[j])
                    for j in range(d)
                ]
            )
        f, i_, o = ([1.0 / (1.0 + math.exp(-z)) for z in gate] for gate in gates[:3])
        g = [math.tanh(z) for z in gates[3]]
        c = [f[j] * c[j] + i_[j] * g[j] for j in range(d)]
        h = [o[j] * math.tanh(c[j]) for j in range(d)]
        found.append(h)
    return found


@pytest.mark.parametrize("forget", [0.0, 3.0])
def test_the_lstm_is_that_of_a_plain_loop(forget: float) -> None:
    net = lstm(7, 5, 3, 0.8, forget)
    np.testing.assert_allclose(
        lstm_states(net, net.X), lstm_slowly(net.X.tolist(), net), atol=1e-12
    )


@pytest.mark.parametrize(
    ("n", "d", "seed", "gain", "forget"), [(9, 4, 2, 0.9, 3.0), (20, 8, 1, 1.5, 0.0)]
)
def test_the_lstm_feels_what_differences_measure(
    n: int, d: int, seed: int, gain: float, forget: float
) -> None:
    felt = lstm_sensitivity(n, d, seed, gain, forget)
    np.testing.assert_allclose(felt.exact, felt.finite, rtol=1e-4, atol=1e-8)


@pytest.mark.parametrize("seed", range(4))
def test_a_cell_that_forgets_little_keeps_a_signal_longer_than_the_rnn(seed: int) -> None:
    rnn = rnn_sensitivity(40, 8, seed, 0.9).exact
    keeping, forgetting = (lstm_sensitivity(40, 8, seed, 0.9, b).exact for b in (3.0, 0.0))
    assert keeping[-1] > 1000 * rnn[-1]
    assert forgetting[-1] < 1e-3 * keeping[-1]
