"""Softmax: how scores become weights.

α_i = b^(z_i − max z) / Σ_j b^(z_j − max z) with z = (s + c) / T. The constant c and the maximum
cancel; temperature T and base b set how much a score difference of 1 counts: base b equals base e
at T / ln b.

Without subtracting the maximum, powers are what plain NumPy gives, np.exp(z) / np.exp(z).sum():
where they overflow or all underflow, weights are NaN. Only this lab shows them; the experiment in
the main window keeps such values finite.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from core.arithmetic import attention
from core.arithmetic.stable_sum import row_sum
from core.base.arrays import Array, frozen
from core.document.document import SOFTMAX_BASES, Context, Document, Head, Scale, Softmax
from core.labs.controls import ChoiceControl, Control, Numbers, Slider, Switch
from core.labs.lab import Lab, Setting
from core.labs.sharpness import entropy, jacobian_norm

SCORES = (2.1, 0.5, 1.8, 3.2)
REACH = 6.0  # largest |score|
COLDEST, HOTTEST = 0.05, 20.0
FARTHEST = 800.0  # largest constant: e^710 overflows a double
VIEWS = ("shares", "sweep")
SWEEP = 121  # temperatures


@dataclass(frozen=True, slots=True, eq=False)
class SoftmaxResult:
    """All steps from m scores to m weights, every array (m,), and their measures.

    `warnings` are those of NumPy, without the maximum subtracted; `numerators` and `total` may then
    be infinite, and `weights`, `difference`, `entropy` and `gradient` NaN. `hardmax` assigns 1 to
    the largest score (in equal parts to several). `difference` is the largest |Δα| to the weights
    of the scores without the constant, their maximum subtracted. `gradient` is ‖∂α/∂s‖, the
    Frobenius norm. `sweep` (t, m) are the weights at the temperatures `temperatures` (t,).
    """

    scores: Array
    shifted: Array
    z: Array
    numerators: Array
    total: float
    weights: Array
    warnings: tuple[str, ...]
    hardmax: Array
    difference: float
    entropy: float
    gradient: float
    equal_temperature: float
    temperatures: Array
    sweep: Array

    @property
    def winner(self) -> int:
        """Return the index of the largest score, the first of several."""
        return int(self.scores.argmax())

    @property
    def most_entropy(self) -> float:
        """Return ln m, the entropy of equal weights."""
        return math.log(len(self.scores))

    @property
    def overflows(self) -> bool:
        """Return whether a numerator or their sum exceeds the largest double."""
        return math.isinf(self.total)

    @property
    def vanishes(self) -> bool:
        """Return whether every numerator underflows to 0."""
        return self.total == 0.0


def exponents(scores: Array, constant: float, temperature: float) -> Array:
    """Compute z = (s + c) / T.  # (m,) -> (m,)"""
    return attention.multiply(scores + constant, 1.0 / temperature)


def shares(z: Array, base: float = math.e) -> tuple[Array, Array]:
    """Compute numerators and weights, the maximum subtracted.  # (m,) -> (m,), (m,)"""
    numerators = attention.exponentials(z[None], base=base)
    return numerators[0], attention.normalise(numerators)[0]


def plain_shares(z: Array, base: float = math.e) -> tuple[Array, Array, tuple[str, ...]]:
    """Compute np.exp(z) and np.exp(z) / np.exp(z).sum() and return NumPy's warnings.

    Bases other than e take base ** z. Infinite and NaN where NumPy is.  # (m,) -> (m,), (m,), texts
    """
    said: list[str] = []
    function = "exp"

    def note(kind: str, _flag: int) -> None:
        said.append(f"{kind} encountered in {function}")

    with np.errstate(over="call", invalid="call", divide="call", call=note):
        if base == math.e:
            numerators = np.exp(z)
        else:
            function = "power"
            numerators = np.power(base, z)
        function = "reduce"
        total = numerators.sum()
        function = "divide"
        weights = numerators / total
    return numerators, weights, tuple(dict.fromkeys(said))


def hardmax(scores: Array) -> Array:
    """Assign 1 to the largest score, shared equally among equal ones, and 0 to all others.

    # (m,) -> (m,)
    """
    largest = scores == scores.max()
    return np.where(largest, 1.0 / largest.sum(), 0.0)


class SoftmaxLab(Lab):
    """Controls: scores, temperature, constant, base; with or without subtracting the maximum."""

    id = "softmax"

    def controls(self, setting: Setting) -> tuple[Control, ...]:
        """Return the scores, then the parameters of the softmax."""
        return (
            Numbers("scores", SCORES, -REACH, REACH),
            Slider("temperature", COLDEST, HOTTEST, 1.0, log=True),
            Slider("constant", -FARTHEST, FARTHEST, 0.0, step=10.0),
            ChoiceControl("base", SOFTMAX_BASES, "e"),
            Switch("subtract", True),
            Switch("hardmax"),
            ChoiceControl("view", VIEWS, "shares"),
        )

    def compute(self, setting: Setting) -> SoftmaxResult:
        """Compute every number from score to weight."""
        scores = frozen(setting["scores"])
        temperature, constant = float(setting["temperature"]), float(setting["constant"])
        base = Softmax(setting["base"]).number
        z = exponents(scores, constant, temperature)
        warnings: tuple[str, ...] = ()
        if setting["subtract"]:
            numerators, weights = shares(z, base)
        else:
            numerators, weights, warnings = plain_shares(z, base)
        _, exact = shares(exponents(scores, 0.0, temperature), base)
        broken = bool(np.isnan(weights).any())
        temperatures = np.geomspace(COLDEST, HOTTEST, SWEEP)
        sweep = attention.normalise(
            attention.exponentials(scores / temperatures[:, None], base=base)
        )
        return SoftmaxResult(
            scores=scores,
            shifted=frozen(scores + constant),
            z=frozen(z),
            numerators=frozen(numerators),
            total=float(row_sum(numerators)[0] if setting["subtract"] else numerators.sum()),
            weights=frozen(weights),
            warnings=warnings,
            hardmax=frozen(hardmax(scores)),
            difference=float(np.abs(weights - exact).max()),
            entropy=math.nan if broken else float(entropy(weights)),
            gradient=float(jacobian_norm(weights)) * math.log(base) / temperature,
            equal_temperature=temperature / math.log(base),
            temperatures=frozen(temperatures),
            sweep=frozen(sweep),
        )

    def document(self, setting: Setting) -> Document:
        """Build the experiment: q = 1, K = s + c, so that q·k are the scores; V = I, so Y = A.

        The scale is 1/T; base and shift of the softmax are as set.
        """
        scores = np.asarray(setting["scores"], dtype=np.float64) + float(setting["constant"])
        temperature = float(setting["temperature"])
        names = tuple(f"k{number}" for number in range(1, len(scores) + 1))
        head = Head(Q=frozen([[1.0]]), K=frozen(scores[:, None]), V=frozen(np.eye(len(scores))))
        return Document(
            ("q",),
            (head,),
            title="softmax",
            source="qkv",
            context=Context(names),
            scale=Scale("none") if temperature == 1.0 else Scale("factor", 1.0 / temperature),
            softmax=Softmax(setting["base"], setting["subtract"]),
        )


LAB = SoftmaxLab()
