"""A worked sum once more, with as many digits as make it come out, where the digits chosen do not. Free of Qt."""

from __future__ import annotations

from dataclasses import replace
from decimal import Context, Decimal
from fractions import Fraction
from functools import lru_cache

from core.base.number_format import HUGE, MAX_DECIMALS, MINUS, show
from core.explain.derivation import Step
from gui.texts.rich_text import Line, Span, add, divide, equals, multiply, operator
from gui.texts.sum_style import SumStyle, signed
from gui.texts.translation import tr

MORE = 4  # digits at the most, beside those that were chosen
_EXACT = Context(
    prec=100
)  # of differences of numbers as printed; Decimals are several times as fast as fractions

Parts = tuple[str, list[float]]  # a sign, and the numbers that stand on both sides of it


def closer_sum(sheet: SumStyle, step: Step) -> Line:
    """The last numbers before the result and the result, with more digits; () where those printed give the result,
    where some of them are left out, and where no number of digits does better.

    With 0.10 − 0.01 + 0.04 − 0.08 ≈ 0.06 nobody is left alone who adds that up to 0.05.
    """
    if sheet.hidden or step.pinned is not None or sheet.shortens(step.terms):
        return ()
    parts = _parts(sheet, step)
    if parts is None or not all(abs(value) < HUGE for value in (*parts[1], step.value)):
        return ()
    if _close(_seen(sheet, parts), step.value, sheet.decimals):
        return ()
    decimals = _decimals(sheet, parts, step.value)
    return (
        ()
        if decimals is None
        else _line(_finer(sheet, decimals), parts, step.value, sheet.decimals)
    )


def _parts(sheet: SumStyle, step: Step) -> Parts | None:
    """What the result is made of in its last step; None where it is not made by arithmetic that rounding disturbs."""
    first = step.terms[0].factors[0].value if len(step.terms) else 0.0
    match step.kind:
        case "dot" if len(step.terms) == 1 and len(step.terms[0].factors) == 2:
            return "×", [factor.value for factor in step.terms[0].factors]
        case "dot" | "rotate" | "add" | "sum":
            return "+", step.values.tolist()
        case "scale" if sheet.document.scale.kind == "sqrt_dk":
            return "÷", [first, 1.0 / step.data["factor"]]
        case "scale":
            return "×", [first, step.data["factor"]]
        case "bias":
            return MINUS, [first, step.data["slope"] * step.data["distance"]]
        case "quotient" if step.data["total"]:
            return "÷", [first, step.data["total"]]
    return None


def _seen(sheet: SumStyle, parts: Parts) -> Decimal | Fraction:
    """What the numbers as printed give."""
    sign, values = parts
    numbers = [sheet.round(value) for value in values]
    if sign == "+":
        return add(numbers)
    if sign == MINUS:
        return add([numbers[0], -numbers[1]])
    return multiply(numbers) if sign == "×" else divide(numbers[0], numbers[1])


def _decimals(sheet: SumStyle, parts: Parts, value: float) -> int | None:
    """The fewest digits with which it comes out; if there are none, the fewest that lead to the result as it stands."""
    all_of = range(sheet.decimals + 1, min(sheet.decimals + MORE, MAX_DECIMALS) + 1)
    tried = [
        more for more in all_of if _close(Decimal(f"{value:.{more}f}"), value, sheet.decimals)
    ] or all_of
    seen = {decimals: _seen(_finer(sheet, decimals), parts) for decimals in tried}
    leading = [
        decimals for decimals in tried if _leads(seen[decimals], value, sheet.decimals, decimals)
    ]
    best = [
        decimals for decimals in leading if _off(seen[decimals], value, decimals) <= _half(decimals)
    ]
    return next(iter((*best, *leading)), None)


def _finer(sheet: SumStyle, decimals: int) -> SumStyle:
    """Another number of digits, the same for all numbers, however small."""
    return replace(sheet, decimals=decimals, noise=1.0)


def _leads(seen: Decimal | Fraction, value: float, printed: int, decimals: int) -> bool:
    """Whether it gives the result with the digits chosen, or with more of them exactly."""
    return _close(seen, value, printed) or not _off(seen, value, decimals)


def _close(seen: Decimal | Fraction, value: float, decimals: int) -> bool:
    return _off(seen, value, decimals) < _half(decimals)


def _off(seen: Decimal | Fraction, value: float, decimals: int) -> Decimal | Fraction:
    """How far what is seen lies from the result as it is printed, exactly; a division by what is printed as zero lies
    infinitely far."""
    printed = f"{value:.{decimals}f}"
    if isinstance(seen, Fraction):
        return abs(seen - Fraction(printed))
    return abs(_EXACT.subtract(seen, Decimal(printed))) if seen.is_finite() else Decimal("Infinity")


@lru_cache(maxsize=32)
def _half(decimals: int) -> Decimal:
    """Half a unit of the last digit."""
    return Decimal(5).scaleb(-decimals - 1)


def _line(sheet: SumStyle, parts: Parts, value: float, printed: int) -> Line:
    sign, values = parts
    if sign == "+":
        made = signed(sheet, values)
    else:
        whole = (
            replace(sheet, decimals=printed)
            if float(f"{values[1]:.{printed}f}") == values[1]
            else sheet
        )
        made = (sheet.number(values[0]), operator(sign), whole.factor(values[1]))
    line = (
        Span(tr("With more digits: "), "muted"),
        *made,
        equals(_seen(sheet, parts), sheet.round(value)),
    )
    rounded, result = show(value, sheet.decimals), show(value, printed)
    exact = Decimal(f"{value:.{sheet.decimals}f}") == Decimal(f"{value:.{printed}f}")
    return (*line, Span(rounded), operator("=" if exact else "≈"), Span(result))
