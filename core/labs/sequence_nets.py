"""A tanh RNN and one attention head over the same tokens, and what is left at each token of a nudge of the first.

Rows are vectors: h_t = tanh(h_{t−1} W + x_t U) (Elman 1990), y = softmax(Q Kᵀ/√d) V (Vaswani et al. 2017). The
Jacobians ∂h_t/∂x_1 and ∂y_t/∂x_1 are given by the chain rule, and once more by central differences.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from core.arithmetic.attention import attend
from core.base.arrays import Array, frozen
from core.compute.trace import run
from core.document.document import Document, Head

EPSILON = 1e-5  # the nudge, in each coordinate of the first token both ways
INPUT = 0.5  # the spread of x_t U: small enough that tanh is not saturated by the tokens alone


@dataclass(frozen=True, slots=True, eq=False)
class Recurrent:
    """X (n, d) tokens, W (d, d) = gain · an orthogonal matrix, U (d, d), H (n, d) the states after each token."""

    X: Array
    W: Array
    U: Array
    H: Array


@dataclass(frozen=True, slots=True, eq=False)
class Felt:
    """How much of a nudge of the first token arrives: the spectral norm of its Jacobian at every token, (n,).

    `exact` by the chain rule, `finite` by central differences: the largest change of the output for a nudge of
    length 1.
    """

    exact: Array
    finite: Array


@lru_cache(maxsize=32)
def tokens(n: int, d: int, seed: int) -> Array:
    """n token vectors, N(0, 1).  # -> (n, d)"""
    return frozen(np.random.default_rng([seed, 0]).standard_normal((n, d)))


@lru_cache(maxsize=32)
def recurrent(n: int, d: int, seed: int, gain: float) -> Recurrent:
    """The RNN run over the tokens from h_0 = 0. All singular values of W are the gain."""
    generator = np.random.default_rng([seed, 1])
    orthogonal, triangle = np.linalg.qr(generator.standard_normal((d, d)))
    W = (
        gain * orthogonal * np.sign(np.diagonal(triangle))
    )  # the sign makes it uniform over all rotations
    U = generator.standard_normal((d, d)) * (INPUT / np.sqrt(d))
    X = tokens(n, d, seed)
    return Recurrent(X, frozen(W), frozen(U), frozen(states(X, W, U)))


def states(X: Array, W: Array, U: Array) -> Array:
    """h_1 … h_n, one after the other.  # (…, n, d) -> (…, n, d)"""
    H = np.empty_like(X)
    h = np.zeros_like(X[..., 0, :])
    for t in range(X.shape[-2]):
        h = np.tanh(h @ W + X[..., t, :] @ U)
        H[..., t, :] = h
    return H


@lru_cache(maxsize=32)
def felt_by_rnn(n: int, d: int, seed: int, gain: float) -> Felt:
    """∂h_t/∂x_1 = U D_1 · W D_2 ⋯ W D_t with D_t = diag(1 − h_t²), and by differences."""
    net = recurrent(n, d, seed, gain)
    jacobians = np.empty((n, d, d))
    jacobian = net.U * (1.0 - net.H[0] ** 2)
    jacobians[0] = jacobian
    for t in range(1, n):
        jacobian = (jacobian @ net.W) * (1.0 - net.H[t] ** 2)
        jacobians[t] = jacobian
    return Felt(_norms(jacobians), _norms(_differences(states(_nudged(net.X), net.W, net.U))))


@lru_cache(maxsize=32)
def attending(n: int, d: int, seed: int) -> Document:
    """One head over the tokens, d_k = d_v = d, weights N(0, 1/d)."""
    generator = np.random.default_rng([seed, 2])
    W_Q, W_K, W_V = (frozen(generator.standard_normal((d, d)) / np.sqrt(d)) for _ in range(3))
    names = tuple(str(place + 1) for place in range(n))
    return Document(names, (Head(W_Q=W_Q, W_K=W_K, W_V=W_V),), X=tokens(n, d, seed))


@lru_cache(maxsize=32)
def attended(n: int, d: int, seed: int) -> tuple[Array, Array]:
    """Output and weights of that head.  # -> (n, d), (n, n)"""
    trace = run(attending(n, d, seed))
    return trace["Y"], trace["weights"][0]


@lru_cache(maxsize=32)
def felt_by_attention(n: int, d: int, seed: int) -> Felt:
    """∂y_t/∂x_1 = a_t1 (W_V + W_K q_t (v_1 − y_t)/√d), at t = 1 also through the query; and by differences."""
    document = attending(n, d, seed)
    head, trace = document.heads[0], run(document)
    assert head.W_Q is not None
    assert head.W_K is not None
    assert head.W_V is not None
    Q, K, V, A, Y = trace["Q"][0], trace["K"][0], trace["V"][0], trace["weights"][0], trace["Y"]
    scale = 1.0 / np.sqrt(d)
    through_key = (Q @ head.W_K.T)[:, :, None] * (V[0] - Y)[:, None, :] * scale
    jacobians = A[:, 0, None, None] * (head.W_V + through_key)
    jacobians[0] += scale * head.W_Q @ (K * A[0][:, None]).T @ (V - Y[0])
    nudged = _nudged(tokens(n, d, seed))
    outputs = attend(nudged @ head.W_Q, nudged @ head.W_K, nudged @ head.W_V).output
    return Felt(_norms(jacobians), _norms(_differences(outputs)))


def _nudged(X: Array) -> Array:
    """The tokens with each coordinate of the first one a little larger, then a little smaller.  # -> (2d, n, d)"""
    d = X.shape[1]
    many = np.repeat(X[None], 2 * d, axis=0)
    many[:d, 0] += EPSILON * np.eye(d)
    many[d:, 0] -= EPSILON * np.eye(d)
    return many


def _differences(outputs: Array) -> Array:
    """The Jacobian at every token from the outputs of nudged tokens.  # (2d, n, d) -> (n, d, d)"""
    half = len(outputs) // 2
    return np.asarray((outputs[:half] - outputs[half:]).swapaxes(0, 1) / (2.0 * EPSILON))


def _norms(jacobians: Array) -> Array:
    """The largest singular value of each.  # (n, d, d) -> (n,)"""
    return frozen(np.linalg.norm(jacobians, 2, axis=(1, 2)))
