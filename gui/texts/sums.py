"""The worked sum of a cell as spans, and once more with more digits where rounding hides it. Free of Qt."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from decimal import Context, Decimal
from fractions import Fraction
from functools import lru_cache

import numpy as np

from core.arithmetic.stable_sum import LARGEST, row_sum
from core.base.cell import Cell
from core.base.number_format import HUGE, MAX_DECIMALS, MINUS, SMALLEST, show
from core.compute.trace import Trace
from core.document.parts import STAGE_AXES
from core.explain.derivation import Step
from core.stages import spec_of
from core.stages.multiply import DOT_PRODUCT
from gui.texts.rich_text import (
    Line,
    Span,
    add,
    divide,
    equals,
    multiply,
    operator,
    role_of,
    row_symbol,
    softmax_power,
)
from gui.texts.rich_text import power as raised
from gui.texts.sum_style import NEVER, SumStyle, joined, product, product_seen, signed, total_seen
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


def worked_sum(sheet: SumStyle, step: Step) -> Line:
    """How a number comes about, on one line: symbol = factors = products = result.

    "≈" stands where the numbers as shown do not add up exactly, so that nobody who checks with a pencil is puzzled.
    Of a sum of more than `sheet.most` terms the largest are written. Where a what-if value stands in the place of what
    comes out, the line ends with that: the result is always the number that the tables show.
    """
    line = _KINDS[step.kind](sheet, step)
    if step.pinned is None or sheet.hidden:
        return line
    *before, computed = line
    held = Span(show(step.pinned, sheet.decimals), "result")
    return (*before, Span(computed.text, "muted"), Span(tr(", pinned to "), "pinned"), held)


def noted_sum(sheet: SumStyle, step: Step) -> Line:
    """The worked sum, and behind it which terms are written, where some are left out, or what is said of its result."""
    few = few_words(sheet.most or 0, len(step.terms)) if sheet.shortens(step.terms) else ""
    note = (Span(few, "muted"),) if few else limit_note(sheet, step)
    return (*worked_sum(sheet, step), *((Span("   "), *note) if note else ()))


def few_words(few: int, terms: int) -> str:
    """Which terms are written of a sum that leaves some out."""
    return tr("the {few} largest of {n} terms", few=few, n=terms)


def pinned_row_note(sheet: SumStyle, trace: Trace, cell: Cell) -> Line:
    """What the weights of a query add up to where a what-if value among them has made that something else than 1."""
    here = (cell.tensor, cell.head, cell.row)
    if not trace.plan[cell.tensor].kind.shares or all(
        (pin.stage, pin.cell.head, pin.cell.row) != here for pin in sheet.document.pins
    ):
        return ()
    total = show(float(row_sum(trace.matrix(cell.tensor, cell.head)[cell.row])[0]), sheet.decimals)
    if total == show(1.0, sheet.decimals):
        return ()
    if sheet.orientation.columns:
        return (Span(tr("its column now adds up to {total}, not to 1", total=total), "pinned"),)
    return (Span(tr("its row now adds up to {total}, not to 1", total=total), "pinned"),)


def worked_lines(sheet: SumStyle, step: Step) -> tuple[Line, Line]:
    """What a paper says of a number: the noted sum, and the sum with more digits, () where it needs none."""
    return noted_sum(sheet, step), closer_sum(sheet, step)


def limit_note(sheet: SumStyle, step: Step) -> Line:
    """What is said of numbers beyond all doubles; empty where there are none."""
    if sheet.hidden or step.pinned is not None:
        return ()
    if abs(step.value) == LARGEST and step.kind in _LIMITED:
        return (
            Span(
                tr("beyond the largest number that can be stored, about 1.8×10³⁰⁸: it stays there"),
                "muted",
            ),
        )
    if step.kind == "dot" and not np.isfinite(step.values).all():
        said = tr(
            "single products are beyond the largest number that can be stored; their sum is not"
        )
        return (Span(said, "muted"),)
    return ()


def _dot(sheet: SumStyle, step: Step) -> Line:
    """A row times a column (and a bias, if there is one)."""
    line = (*_dot_symbol(sheet, step), operator("="))
    values = step.values.tolist()
    line += joined(
        sheet, np.abs(step.values).tolist(), lambda i: product(sheet, step.terms[i]), operator("+")
    )
    if len(step.terms) == 1:
        return line + sheet.result(product_seen(sheet, step.terms[0]), step.value)
    if not np.isfinite(step.values).all():
        return line + sheet.result(NEVER, step.value)
    if sheet.shortens(
        step.terms
    ):  # the products again, of which most are missing, would say nothing
        return line + sheet.result(total_seen(sheet, step), step.value)
    exact = all(product_seen(sheet, term) == sheet.round(term.value) for term in step.terms)
    line += (operator("=" if exact else "≈"), *signed(sheet, values))
    return line + sheet.result(add([sheet.round(value) for value in values]), step.value)


def _dot_symbol(sheet: SumStyle, step: Step) -> Line:
    """The two vectors of a score, q·k or k·q; for other products the letter of the result."""
    cells = [part.cell for part in sheet.factors(step.terms[0])]
    of_scores = spec_of(step.cell.tensor).kind is DOT_PRODUCT
    if not of_scores or cells[0] is None or cells[1] is None:
        return sheet.symbol(step.cell)
    first, second = (row_symbol(sheet.document, cell.tensor, cell.row) for cell in cells if cell)
    return (*first, Span("·", "operator"), *second)


def _entered(sheet: SumStyle, step: Step) -> Line:
    return (*sheet.symbol(step.cell), *sheet.result(sheet.round(step.value), step.value))


def _add(sheet: SumStyle, step: Step) -> Line:
    values = [term.value for term in step.terms]
    line = (*sheet.symbol(step.cell), operator("="), *signed(sheet, values))
    return line + sheet.result(add([sheet.round(value) for value in values]), step.value)


def _sinusoid(sheet: SumStyle, step: Step) -> Line:
    """sin or cos of the position over the pair's wavelength."""
    data, wave = step.data, "cos" if step.cell.column % 2 else "sin"
    base, power = _constant(data["base"]), f"{2 * int(data['pair'])}/{int(data['width'])}"
    line = (*sheet.symbol(step.cell), operator("="))
    line += (Span(f"{wave}(", "plain"), Span(str(int(data["position"]))), operator("÷"), Span(base))
    wave_length = raised(
        Decimal(base), Decimal(2 * int(data["pair"])) / Decimal(int(data["width"]))
    )
    seen = divide(Decimal(int(data["position"])), wave_length)
    line += (Span(power, "plain", 1), Span(")"), equals(seen, sheet.round(data["angle"])))
    line += (Span(f"{wave}("), sheet.number(data["angle"]), Span(")"))
    return line + sheet.result(NEVER, step.value)


def _constant(value: float) -> str:
    """A constant such as the base, as short as it can be written."""
    return f"{value:.10g}"


_LIMITED = (
    "add",
    "dot",
    "rotate",
    "scale",
    "bias",
    "exp",
    "sum",
)  # ways to a number that may go beyond all doubles


def _rotate(sheet: SumStyle, step: Step) -> Line:
    """a·cos θ − b·sin θ, or a·sin θ + b·cos θ; the numbers keep the signs of the formula, whatever their own."""
    odd = step.cell.column % 2
    (a, first), (b, second) = (term.factors for term in step.terms)
    own = [sheet.factor(part.value, role_of(part.cell)) for part in (a, b)]
    turn = [sheet.factor(first.value), sheet.factor(second.value if odd else -second.value)]
    names = ("sin θ", "cos θ") if odd else ("cos θ", "sin θ")
    between, times = operator("+" if odd else MINUS), Span("×", "operator")
    line = (*sheet.symbol(step.cell), operator("="))
    exact = all(sheet.round(factor.value) == Decimal(factor.value) for factor in (first, second))
    line += (
        own[0],
        Span("·" + names[0]),
        between,
        own[1],
        Span("·" + names[1]),
        operator("=" if exact else "≈"),
    )
    line += (own[0], times, turn[0], between, own[1], times, turn[1])
    return line + sheet.result(add([product_seen(sheet, term) for term in step.terms]), step.value)


def _scale(sheet: SumStyle, step: Step) -> Line:
    source = step.terms[0].factors[0]
    line = (*sheet.symbol(source.cell), *_scale_sign(sheet, step), operator("="))  # type: ignore[arg-type]
    line += (sheet.number(source.value, role_of(source.cell)),)
    if sheet.document.scale.kind != "sqrt_dk":
        line += (Span("×", "operator"), sheet.factor(step.data["factor"]))
        return line + sheet.result(
            multiply([sheet.round(source.value), sheet.round(step.data["factor"])]), step.value
        )
    root = 1.0 / step.data["factor"]
    line += (operator("÷"), sheet.number(root))
    return line + sheet.result(divide(sheet.round(source.value), sheet.round(root)), step.value)


def _scale_sign(sheet: SumStyle, step: Step) -> Line:
    if sheet.document.scale.kind == "sqrt_dk":
        return operator("÷"), Span(f"√{int(step.data['k'])}")
    return Span("×", "operator"), sheet.factor(step.data["factor"])


def _bias(sheet: SumStyle, step: Step) -> Line:
    source, slope = step.terms[0].factors[0], step.data["slope"]
    i, j = sheet.orientation.pair(step.cell.row + 1, step.cell.column + 1)
    distance = int(step.data["distance"])
    line: Line = (
        *sheet.symbol(step.cell),
        operator("="),
        sheet.number(source.value),
        operator(MINUS),
        sheet.factor(slope),
        Span("×", "operator"),
    )
    bias = max(-LARGEST, min(LARGEST, slope * distance))
    away = equals(multiply([sheet.round(slope), Decimal(distance)]), sheet.round(bias))
    line += (Span(f"|{i} {MINUS} {j}|"), away, sheet.number(source.value), operator(MINUS))
    line += (sheet.factor(bias),)
    seen = add([sheet.round(source.value), -sheet.round(bias)])
    return line + sheet.result(seen, step.value)


def _mask(sheet: SumStyle, step: Step) -> Line:
    """Allowed: + 0, the score stays; forbidden: − ∞."""
    source = step.terms[0].factors[0]
    allowed = bool(step.data["allowed"])
    sign = (operator("+"), Span("0")) if allowed else (operator(MINUS), Span("∞"))
    seen = sheet.round(source.value) if allowed else Decimal("-Infinity")
    line = (
        *sheet.symbol(step.cell),
        Span(" + M", "operator"),
        operator("="),
        sheet.number(source.value),
    )
    return (*line, *sign, *sheet.result(seen, step.value))


def _max(sheet: SumStyle, step: Step) -> Line:
    values = step.values.tolist()
    listed = joined(sheet, values, lambda i: (sheet.number(values[i]),), Span(", ", "operator"))
    return (Span("max("), *listed, Span(")"), *sheet.result(sheet.round(max(values)), step.value))


def _exp(sheet: SumStyle, step: Step) -> Line:
    source, maximum = step.terms[0].factors[0], step.data.get("maximum")
    if maximum == -float("inf"):
        return (*sheet.symbol(step.cell), *sheet.result(Decimal(0), step.value))
    base, exponent = Span(sheet.document.softmax.base, "weights"), source.value
    line: Line = ()
    if maximum is not None:
        exponent = source.value - maximum
        difference = f"{sheet.number(source.value).text} {MINUS} {sheet.factor(maximum).text}"
        seen = add([sheet.round(source.value), -sheet.round(maximum)])
        line = (base, Span(difference, "plain", 1), equals(seen, sheet.round(exponent)))
    line += (base, Span(sheet.number(exponent).text, "plain", 1))
    return line + _sharp(sheet).result(softmax_power(base.text, sheet.round(exponent)), step.value)


def _sharp(sheet: SumStyle) -> SumStyle:
    """For powers and weights, which are never the rounding of a sum: 0.00 ÷ 1.07 = 0.00 would not be true."""
    return replace(sheet, noise=SMALLEST)


def _sum(sheet: SumStyle, step: Step) -> Line:
    roles = [role_of(step.terms[0].factors[0].cell)] * len(step.terms)  # all of one row
    return signed(sheet, step.values.tolist(), roles) + sheet.result(
        total_seen(sheet, step), step.value
    )


def _quotient(sheet: SumStyle, step: Step) -> Line:
    source, total, sheet = step.terms[0].factors[0], step.data["total"], _sharp(sheet)
    line = (*sheet.symbol(step.cell), operator("="))
    if total == 0.0:
        return line[:-1] + sheet.result(Decimal(0), step.value)
    line += (sheet.number(source.value, role_of(source.cell)), operator("÷"), sheet.factor(total))
    return line + sheet.result(divide(sheet.round(source.value), sheet.round(total)), step.value)


def _copy(sheet: SumStyle, step: Step) -> Line:
    source = step.terms[0].factors[0]
    line = sheet.symbol(step.cell)
    if source.cell is not None and step.data["enabled"]:
        line += (operator("="), *sheet.symbol(source.cell), *_of_head(sheet, source.cell))
    return line + sheet.result(sheet.round(step.value), step.value)


def _of_head(sheet: SumStyle, cell: Cell) -> Line:
    """The head's number, raised in brackets, where there are several."""
    if sheet.document.h == 1 or STAGE_AXES[cell.tensor][0] != "h":
        return ()
    return (Span(f"({cell.head + 1})", role_of(cell), 1),)


def _function(sheet: SumStyle, step: Step) -> Line:
    """A formula that the stage's kind gives as a template, with its numbers put in."""
    terms = [sheet.factor(term.value).text for term in step.terms]
    data = {name: sheet.factor(value).text for name, value in step.data.items()}
    written = Span(step.text.format(*terms, **data))
    return (
        *sheet.symbol(step.cell),
        operator("="),
        written,
        *sheet.result(NEVER, step.value),
    )


_KINDS: dict[str, Callable[[SumStyle, Step], Line]] = {
    "entered": _entered,
    "sinusoid": _sinusoid,
    "add": _add,
    "dot": _dot,
    "rotate": _rotate,
    "scale": _scale,
    "bias": _bias,
    "mask": _mask,
    "max": _max,
    "exp": _exp,
    "sum": _sum,
    "quotient": _quotient,
    "copy": _copy,
    "function": _function,
}
