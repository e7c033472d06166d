"""Sequence: a recurrent network reads token by token, attention reads all tokens at once.

Compared as in Vaswani et al. 2017, Table 1: sequential steps (n against 1), longest path of a
signal (n against 1), and multiply-adds of a layer (n·d² against n²·d, equal at n = d). An LSTM reads
token by token as well; its cell keeps a signal longer.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from core.arithmetic.attention import attend
from core.base.arrays import Array, frozen
from core.compute.trace import run
from core.document.document import Document, Head
from core.labs.controls import ChoiceControl, Clock, Control, Seed, Slider
from core.labs.lab import Lab, Setting

EPSILON = 1e-5  # step of the central differences in the first token
INPUT = 0.5  # spread of x_t U, small enough not to saturate tanh


@dataclass(frozen=True, slots=True, eq=False)
class Recurrent:
    """The RNN's tokens X (n, d) and states H (n, d).

    W (d, d) = gain · an orthogonal matrix, U (d, d).
    """

    X: Array
    W: Array
    U: Array
    H: Array


@dataclass(frozen=True, slots=True, eq=False)
class Sensitivity:
    """Sensitivity to the first token: the spectral norm of its Jacobian at every token, (n,).

    `exact` by the chain rule, `finite` by central differences.
    """

    exact: Array
    finite: Array


@lru_cache(maxsize=32)
def tokens(n: int, d: int, seed: int) -> Array:
    """Draw n token vectors from N(0, 1).  # -> (n, d)"""
    return frozen(np.random.default_rng([seed, 0]).standard_normal((n, d)))


@lru_cache(maxsize=32)
def recurrent(n: int, d: int, seed: int, gain: float) -> Recurrent:
    """Run the RNN over the tokens from h_0 = 0; all singular values of W equal the gain."""
    generator = np.random.default_rng([seed, 1])
    orthogonal, triangle = np.linalg.qr(generator.standard_normal((d, d)))
    W = (
        gain * orthogonal * np.sign(np.diagonal(triangle))
    )  # the sign makes it uniform over all rotations
    U = generator.standard_normal((d, d)) * (INPUT / np.sqrt(d))
    X = tokens(n, d, seed)
    return Recurrent(X, frozen(W), frozen(U), frozen(states(X, W, U)))


def states(X: Array, W: Array, U: Array) -> Array:
    """Compute h_1 … h_n in sequence.  # (…, n, d) -> (…, n, d)"""
    H = np.empty_like(X)
    h = np.zeros_like(X[..., 0, :])
    for t in range(X.shape[-2]):
        h = np.tanh(h @ W + X[..., t, :] @ U)
        H[..., t, :] = h
    return H


@lru_cache(maxsize=32)
def rnn_sensitivity(n: int, d: int, seed: int, gain: float) -> Sensitivity:
    """Compute ∂h_t/∂x_1 = U D_1 · W D_2 ⋯ W D_t, D_t = diag(1 − h_t²), and by differences."""
    net = recurrent(n, d, seed, gain)
    jacobians = np.empty((n, d, d))
    jacobian = net.U * (1.0 - net.H[0] ** 2)
    jacobians[0] = jacobian
    for t in range(1, n):
        jacobian = (jacobian @ net.W) * (1.0 - net.H[t] ** 2)
        jacobians[t] = jacobian
    return Sensitivity(
        _norms(jacobians), _norms(_differences(states(_nudged(net.X), net.W, net.U)))
    )


@dataclass(frozen=True, slots=True, eq=False)
class Lstm:
    """An LSTM's weights in the order of GATES: W (4, d, d) = gain · orthogonal, U (4, d, d), b (4, d).

    The bias of the forget gate is a control, the others are 0.
    """

    X: Array
    W: Array
    U: Array
    b: Array


GATES = ("forget", "input", "output", "candidate")


@lru_cache(maxsize=32)
def lstm(n: int, d: int, seed: int, gain: float, forget: float) -> Lstm:
    """Draw an LSTM (Hochreiter & Schmidhuber 1997, with the forget gate of Gers et al. 2000)."""
    generator = np.random.default_rng([seed, 3])
    W = gain * np.linalg.qr(generator.standard_normal((4, d, d)))[0]
    U = generator.standard_normal((4, d, d)) * (INPUT / np.sqrt(d))
    b = np.zeros((4, d))
    b[0] = forget
    return Lstm(tokens(n, d, seed), frozen(W), frozen(U), frozen(b))


def lstm_states(net: Lstm, X: Array) -> Array:
    """Compute h_1 … h_n: c = f·c + i·g, h = o·tanh c, both 0 at first.  # (…, n, d) -> (…, n, d)"""
    H = np.empty_like(X)
    h = c = np.zeros_like(X[..., 0, :])
    for t in range(X.shape[-2]):
        f, i, o, g = _gates(net, X[..., t, :], h)
        c = f * c + i * g
        h = o * np.tanh(c)
        H[..., t, :] = h
    return H


def _gates(net: Lstm, x: Array, h: Array) -> list[Array]:
    """Compute the three gates, from 0 to 1, and the candidate, from −1 to 1."""
    z = [x @ U + h @ W + b for U, W, b in zip(net.U, net.W, net.b, strict=True)]
    return [*(1.0 / (1.0 + np.exp(-gate)) for gate in z[:3]), np.tanh(z[3])]


@lru_cache(maxsize=32)
def lstm_sensitivity(n: int, d: int, seed: int, gain: float, forget: float) -> Sensitivity:
    """Compute ∂h_t/∂x_1 by the chain rule through cell and gates, and by differences."""
    net = lstm(n, d, seed, gain, forget)
    h = c = np.zeros(d)
    dh = dc = np.zeros((d, d))
    jacobians = np.empty((n, d, d))
    for t in range(n):
        f, i, o, g = _gates(net, net.X[t], h)
        through = [dh @ W + (U if t == 0 else 0.0) for W, U in zip(net.W, net.U, strict=True)]
        df, di, do = (
            gate * (1.0 - gate) * dz for gate, dz in zip((f, i, o), through, strict=False)
        )
        dc = f * dc + c * df + g * di + i * (1.0 - g**2) * through[3]
        c = f * c + i * g
        dh = np.tanh(c) * do + o * (1.0 - np.tanh(c) ** 2) * dc
        h = o * np.tanh(c)
        jacobians[t] = dh
    return Sensitivity(_norms(jacobians), _norms(_differences(lstm_states(net, _nudged(net.X)))))


@lru_cache(maxsize=32)
def attending(n: int, d: int, seed: int) -> Document:
    """Build one head over the tokens, d_k = d_v = d, weights N(0, 1/d)."""
    generator = np.random.default_rng([seed, 2])
    W_Q, W_K, W_V = (frozen(generator.standard_normal((d, d)) / np.sqrt(d)) for _ in range(3))
    names = tuple(str(place + 1) for place in range(n))
    return Document(names, (Head(W_Q=W_Q, W_K=W_K, W_V=W_V),), X=tokens(n, d, seed))


@lru_cache(maxsize=32)
def attended(n: int, d: int, seed: int) -> tuple[Array, Array]:
    """Return output and weights of that head.  # -> (n, d), (n, n)"""
    trace = run(attending(n, d, seed))
    return trace["Y"], trace["weights"][0]


@lru_cache(maxsize=32)
def attention_sensitivity(n: int, d: int, seed: int) -> Sensitivity:
    """Compute ∂y_t/∂x_1 = a_t1 (W_V + W_K q_t (v_1 − y_t)/√d), and by differences.

    At t = 1 the query depends on x_1 too.
    """
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
    return Sensitivity(_norms(jacobians), _norms(_differences(outputs)))


def _nudged(X: Array) -> Array:
    """Vary each coordinate of the first token up, then down.  # -> (2d, n, d)"""
    d = X.shape[1]
    many = np.repeat(X[None], 2 * d, axis=0)
    many[:d, 0] += EPSILON * np.eye(d)
    many[d:, 0] -= EPSILON * np.eye(d)
    return many


def _differences(outputs: Array) -> Array:
    """Compute the Jacobian at every token from varied outputs.  # (2d, n, d) -> (n, d, d)"""
    half = len(outputs) // 2
    return np.asarray((outputs[:half] - outputs[half:]).swapaxes(0, 1) / (2.0 * EPSILON))


def _norms(jacobians: Array) -> Array:
    """Return the largest singular value of each.  # (n, d, d) -> (n,)"""
    return frozen(np.linalg.norm(jacobians, 2, axis=(1, 2)))


VIEWS = ("run", "nudge", "paths", "cost")
MOST_N, MOST_D = 48, 32  # largest sizes of the networks that run
FAR_N, FAR_D = 65536, 8192  # largest sizes of the counts


@dataclass(frozen=True, slots=True, eq=False)
class SequenceCost:
    """Multiply-adds of one layer for n tokens of width d.

    `recurrence` h W alone, n·d²; `rnn` with x U, 2·n·d². `pairs` Q Kᵀ alone, n²·d; `attention` with
    the projections and A V, 3·n·d² + 2·n²·d.
    """

    n: int
    d: int

    @property
    def recurrence(self) -> int:
        """n·d²"""
        return self.n * self.d**2

    @property
    def pairs(self) -> int:
        """n²·d"""
        return self.n**2 * self.d

    @property
    def rnn(self) -> int:
        """2·n·d²"""
        return 2 * self.recurrence

    @property
    def attention(self) -> int:
        """3·n·d² + 2·n²·d"""
        return 3 * self.recurrence + 2 * self.pairs


@dataclass(frozen=True, slots=True, eq=False)
class SequenceResult:
    """Result of the lab; `nets` is None if only counts are shown.

    `paths` (n, n): how many times a signal passes through the RNN from input i (column) to output t
    (row); 0 from later to earlier tokens. Through attention every path has length 1.
    """

    n: int
    d: int
    step: int
    cost: SequenceCost
    nets: Nets | None


@dataclass(frozen=True, slots=True, eq=False)
class Nets:
    """The RNN, the attention's output Y (n, d) and weights A (n, n), sensitivities and paths.

    `by_lstm` is None unless an LSTM is compared.
    """

    rnn: Recurrent
    Y: Array
    A: Array
    by_rnn: Sensitivity
    by_attention: Sensitivity
    paths: Array
    by_lstm: Sensitivity | None = None

    @property
    def worst(self) -> float:
        """Return the largest difference between exact and finite sensitivities of all networks."""
        felt = (self.by_rnn, self.by_attention, *((self.by_lstm,) if self.by_lstm else ()))
        return max(float(np.abs(one.exact - one.finite).max()) for one in felt)


def rnn_paths(n: int) -> Array:
    """Compute t − i + 1 for inputs up to t, 0 for later ones.  # -> (n, n)"""
    t, i = np.indices((n, n))
    return frozen(np.where(t >= i, t - i + 1, 0))


class SequenceLab(Lab):
    """Controls: the view, sizes, gain and seed; the clock runs the RNN token by token."""

    id = "sequence"

    def controls(self, setting: Setting) -> tuple[Control, ...]:
        """Limit the sizes of networks that run; counts may be large."""
        view = setting.get("view", "run")
        choice = ChoiceControl("view", VIEWS, "run")
        if view == "cost":
            sizes = (
                Slider("n", 2, FAR_N, 12, 1, log=True, whole=True),
                Slider("d", 2, FAR_D, 8, 1, log=True, whole=True),
            )
            return (choice, *sizes)
        n = int(setting.get("n", 12))
        shared: tuple[Control, ...] = (
            choice,
            Slider("n", 2, MOST_N, 12, 1, whole=True),
            Slider("d", 2, MOST_D, 8, 1, whole=True),
            Slider("gain", 0.1, 2.0, 0.9, 0.05),
            Seed(),
        )
        if view == "nudge":
            return (*shared, Slider("forget", 0.0, 6.0, 3.0, 0.1))
        return (*shared, Clock("step", n, min(4, n))) if view == "run" else shared

    def compute(self, setting: Setting) -> SequenceResult:
        """Run both networks over the same tokens, or compute the counts alone."""
        n, d = int(setting["n"]), int(setting["d"])
        step = int(setting.get("step", n))
        nets = None
        if setting["view"] != "cost":
            nets = _nets(n, d, setting["seed"], setting["gain"], setting.values.get("forget"))
        return SequenceResult(n, d, step, SequenceCost(n, d), nets)

    def document(self, setting: Setting) -> Document | None:
        """Return the attention head over the tokens; None for the counts."""
        if setting["view"] == "cost":
            return None
        return attending(int(setting["n"]), int(setting["d"]), setting["seed"])


def _nets(n: int, d: int, seed: int, gain: float, forget: Any = None) -> Nets:
    Y, A = attended(n, d, seed)
    return Nets(
        recurrent(n, d, seed, gain),
        Y,
        A,
        rnn_sensitivity(n, d, seed, gain),
        attention_sensitivity(n, d, seed),
        rnn_paths(n),
        None if forget is None else lstm_sensitivity(n, d, seed, gain, float(forget)),
    )


LAB = SequenceLab()
