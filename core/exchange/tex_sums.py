"""A worked sum in LaTeX."""

from __future__ import annotations

import math

from core.explain.derivation import Step, Term

DECIMALS = 4
MOST_TERMS = 24  # written out; what is longer is cut in its middle
HUGE = 1e7


def rounded(value: float) -> str:
    """A number with four decimals; from ten million on with a power of ten."""
    if math.isinf(value):
        return r"{-\infty}" if value < 0 else r"\infty"
    if abs(value) >= HUGE:
        mantissa, exponent = f"{value:.{DECIMALS}e}".split("e")
        return rf"{mantissa} \times 10^{{{int(exponent)}}}"
    text = f"{value:.{DECIMALS}f}"
    return text if text.strip("-0.") else text.removeprefix("-")


def worked_sum(step: Step) -> str:
    """What stands right of the first =: the sum with its numbers, then its value."""
    written = _written(step)
    value = rounded(step.value)
    result = value if written in ("", value) else f"{written} = {value}"
    return result if step.pinned is None else rf"{result} \ \to\ {rounded(step.pinned)}"


def _written(step: Step) -> str:
    numbers = [rounded(term.factors[0].value) for term in step.terms]
    first = numbers[0] if numbers else ""
    data = step.data
    match step.kind:
        case "sinusoid":
            name = ("sin", "cos")[step.cell.column % 2]
            return rf"\{name}({rounded(data['angle'])})"
        case "max":
            return rf"\max({', '.join(_cut(numbers))})"
        case "scale":
            return rf"{first} \cdot {_in_parentheses(data['factor'])}"
        case "bias":
            return rf"{first} - {_in_parentheses(data['slope'])} \cdot {int(data['distance'])}"
        case "exp":
            return _power(step, first)
        case "quotient":
            return rf"{first} / {_in_parentheses(data['total'])}"
        case "function":
            terms = [_in_parentheses(term.value) for term in step.terms]
            constants = {name: _in_parentheses(value) for name, value in data.items()}
            return step.latex.format(*terms, **constants)
        case "mask" | "copy" | "entered":
            return first
    return " + ".join(_cut([_factors(term) for term in step.terms]))


def _power(step: Step, score: str) -> str:
    base = step.data["base"]
    shown = "e" if base == math.e else f"{base:g}"
    highest = f" - {_in_parentheses(step.data['maximum'])}" if "maximum" in step.data else ""
    return f"{shown}^{{{score}{highest}}}"


def _factors(term: Term) -> str:
    return r" \cdot ".join(_in_parentheses(factor.value) for factor in term.factors)


def _in_parentheses(value: float) -> str:
    text = rounded(value)
    return f"({text})" if text.startswith("-") else text


def _cut(terms: list[str]) -> list[str]:
    if len(terms) <= MOST_TERMS:
        return terms
    return [*terms[: MOST_TERMS // 2], r"\cdots", *terms[-MOST_TERMS // 2 :]]
