"""Every stage once more, from its own inputs, in exact fractions and in sixty digits; core.arithmetic.attention is not asked.

Each function gives the true value of one cell; `agrees` says whether a double is as near as a double can be.
"""

from __future__ import annotations

import math
import sys
from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np

from core.compute.trace import Trace
from core.document.document import Document
from core.stages import softmax_source

LARGEST = Fraction(sys.float_info.max)
EPSILON = Fraction(1, 2**52)
SMALLEST = Fraction(5, 10**324)  # the smallest double above 0, and a little more
DIGITS = 60

Matrix = np.ndarray[tuple[int, ...], np.dtype[np.float64]]


def fractions(array: Matrix) -> list[list[Fraction]]:
    """A matrix of doubles, exactly; −∞ is not among them."""
    return [[Fraction(float(value)) for value in row] for row in array]


def held(value: Fraction) -> Fraction:
    """What is beyond the largest double stays at it."""
    return max(-LARGEST, min(LARGEST, value))


def agrees(got: float, terms: list[Fraction], slack: int = 4) -> bool:
    """Whether a double is the sum of those terms, as far as a sum of doubles can tell."""
    true, size = sum(terms, Fraction(0)), sum(map(abs, terms), Fraction(0))
    room = slack * (len(terms) + 1) * (EPSILON * size + SMALLEST)
    near = abs(Fraction(got) - held(true)) <= room
    return near or (abs(true) + room >= LARGEST and abs(got) == sys.float_info.max)


def product_faults(
    name: str, got: Matrix, A: Matrix, B: Matrix, add: Matrix | None = None
) -> list[str]:
    """Where A·B (+ a row b added) is wrong."""
    a, b = fractions(A), fractions(B.T)
    extra = None if add is None else [Fraction(float(value)) for value in add]
    found = []
    for i, row in enumerate(a):
        for j, column in enumerate(b):
            terms = [x * y for x, y in zip(row, column, strict=True)]
            whole = held(sum(terms, Fraction(0)))
            if extra is not None:
                terms = [whole, extra[j]] if abs(whole) == LARGEST else [*terms, extra[j]]
            if not agrees(float(got[i, j]), terms):
                found.append(f"{name}[{i},{j}] is {got[i, j]!r}, not {float(whole)!r}")
    return found


def power(base: str, exponent: Fraction) -> Decimal:
    """base^exponent in sixty digits; 0 far below every double, ∞ far above."""
    with localcontext() as context:
        context.prec, context.Emax, context.Emin = DIGITS, 10**9, -(10**9)
        x = Decimal(exponent.numerator) / Decimal(exponent.denominator)
        scaled = x if base == "e" else x * Decimal(base).ln()
        if scaled > 10**5:
            return Decimal("Infinity")
        return Decimal(0) if scaled < -(10**5) else scaled.exp()


def power_agrees(got: float, true: Decimal, exponent: Fraction) -> bool:
    """Whether a double is that power. An error of the exponent's own rounding counts |exponent| times."""
    if true > Decimal(sys.float_info.max):
        return got == sys.float_info.max
    size = min(abs(exponent), Fraction(10**4))
    with localcontext() as context:
        context.prec = DIGITS
        room = true * (Decimal(4) + Decimal(float(size))) * Decimal(2) ** -51 + Decimal("1e-323")
        return abs(Decimal(got) - true) <= room


def exp_faults(document: Document, trace: Trace) -> list[str]:
    """Numerators of the softmax, from the scores before them."""
    source, found = trace[softmax_source(trace.plan)], []
    pinned = {pin.index for pin in document.pins if pin.stage == "exp"}
    for h, i, j in np.ndindex(*source.shape):
        score, row, got = source[h, i, j], source[h, i], float(trace["exp"][h, i, j])
        if (h, i, j) in pinned:
            continue
        if math.isinf(score):
            found += [f"exp[{h},{i},{j}] of a masked score is {got!r}"] if got else []
            continue
        top = (
            Fraction(float(row[np.isfinite(row)].max())) if document.softmax.shift else Fraction(0)
        )
        exponent = Fraction(float(score)) - top
        if not power_agrees(got, power(document.softmax.base, exponent), exponent):
            found.append(f"exp[{h},{i},{j}] is {got!r} at a score of {score!r}")
    return found


def weight_faults(trace: Trace) -> list[str]:
    """Quotients of the numerators; all 0 where there is nothing to divide."""
    found = []
    for h, rows in enumerate(trace["exp"]):
        for i, row in enumerate(fractions(rows)):
            total = sum(row, Fraction(0))
            for j, value in enumerate(row):
                true = value / total if total else Fraction(0)
                got = Fraction(float(trace["weights"][h, i, j]))
                if abs(got - true) > 16 * EPSILON * max(Fraction(1), abs(true)):
                    found.append(f"weights[{h},{i},{j}] is {float(got)!r}, not {float(true)!r}")
    return found


def stage_faults(document: Document, trace: Trace) -> list[str]:
    """Everything that is wrong with a trace without pins, stage by stage."""
    found = [
        *_projections(document, trace),
        *_scores(document, trace),
        *exp_faults(document, trace),
    ]
    found += weight_faults(trace)
    for head in range(document.h):
        found += product_faults(
            "heads", trace["heads"][head], trace["weights"][head], trace["V"][head]
        )
    if document.W_O is not None:
        blocks = np.concatenate(
            [
                block if head.enabled else np.zeros_like(block)
                for head, block in zip(document.heads, trace["heads"], strict=True)
            ],
            axis=1,
        )
        found += product_faults("Y", trace["Y"], blocks, document.W_O, document.b_O)
    return found


def _projections(document: Document, trace: Trace) -> list[str]:
    if document.source == "qkv":
        return []
    found = []
    own = trace["input"] if "input" in trace else trace["X"]
    for name in ("Q", "K", "V"):
        there = own
        if document.context is not None and name != "Q":
            there = trace["input_context"] if "input_context" in trace else trace["X_context"]
        for index, head in enumerate(document.heads):
            weights, bias = getattr(head, f"W_{name}"), getattr(head, f"b_{name}")
            found += product_faults(name, trace[name][index], there, weights, bias)
    return found


def _scores(document: Document, trace: Trace) -> list[str]:
    """Scores, their scale and ALiBi's bias."""
    found = []
    turned = "Q_rot" in trace
    for head in range(document.h):
        Q, K = trace["Q_rot" if turned else "Q"][head], trace["K_rot" if turned else "K"][head]
        found += product_faults("scores", trace["scores"][head], Q, K.T)
    if "scaled" in trace:
        factor = Fraction(document.scale.value) if document.scale.kind == "factor" else None
        for raw, got in zip(trace["scores"].flat, trace["scaled"].flat, strict=True):
            true = Fraction(float(raw)) * (
                factor if factor is not None else Fraction(1 / math.sqrt(document.k))
            )
            if not agrees(float(got), [true]):
                found.append(f"scaled is {got!r} of {raw!r}")
    return found
