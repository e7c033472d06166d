"""The worked sum of a cell as spans, and once more with more digits where rounding hides it. Free
of Qt.
"""

from __future__ import annotations

import re
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
from core.document.parts import is_headwise
from core.explain.derivation import Step
from core.stages import spec_of
from core.stages.multiply import DOT_PRODUCT
from core.stages.terms import Written
from gui.texts.rich_text import (
    Line,
    Span,
    add,
    cell_role,
    divide,
    equals,
    multiply,
    operator,
    row_symbol,
    softmax_power,
)
from gui.texts.rich_text import power as raised
from gui.texts.sum_style import (
    NEVER,
    SumStyle,
    join_terms,
    product,
    product_seen,
    signed_sum,
    total_seen,
)
from gui.texts.translation import tr

MORE = 4  # digits at most, in addition to those chosen
_EXACT = Context(prec=100)  # for differences of printed numbers; faster than fractions

Parts = tuple[str, list[float]]  # a sign and its operands


def finer_sum(style: SumStyle, step: Step) -> Line:
    """The last operation of a sum with more digits, where the printed numbers do not give the
    printed result.

    For example 0.10 − 0.01 + 0.04 − 0.08 ≈ 0.06, whose printed numbers add up to 0.05. () where the
    printed numbers do give it, where some terms are left out, and where more digits do not help.
    """
    if style.hidden or step.pinned is not None or style.shortens(step.terms):
        return ()
    parts = _parts(style, step)
    if parts is None or not all(abs(value) < HUGE for value in (*parts[1], step.value)):
        return ()
    if _close(_seen(style, parts), step.value, style.decimals):
        return ()
    decimals = _decimals(style, parts, step.value)
    if decimals is None:
        return ()
    return _line(_finer(style, decimals), parts, step.value, style.decimals)


def _parts(style: SumStyle, step: Step) -> Parts | None:
    """The operands of the last operation; None where rounding does not matter."""
    first = step.terms[0].factors[0].value if len(step.terms) else 0.0
    match step.kind:
        case "dot" if len(step.terms) == 1 and len(step.terms[0].factors) == 2:
            return "×", [factor.value for factor in step.terms[0].factors]
        case "dot" | "rotate" | "add" | "sum":
            return "+", step.values.tolist()
        case "scale" if style.document.scale.kind == "sqrt_dk":
            return "÷", [first, 1.0 / step.data["factor"]]
        case "scale":
            return "×", [first, step.data["factor"]]
        case "bias":
            return MINUS, [first, step.data["slope"] * step.data["distance"]]
        case "quotient" if step.data["total"]:
            return "÷", [first, step.data["total"]]
    return None


def _seen(style: SumStyle, parts: Parts) -> Decimal | Fraction:
    """The result of the printed numbers."""
    sign, values = parts
    numbers = [style.round(value) for value in values]
    if sign == "+":
        return add(numbers)
    if sign == MINUS:
        return add([numbers[0], -numbers[1]])
    return multiply(numbers) if sign == "×" else divide(numbers[0], numbers[1])


def _decimals(style: SumStyle, parts: Parts, value: float) -> int | None:
    """The fewest digits whose sum gives the result exactly, else the fewest that round to it."""
    all_of = range(style.decimals + 1, min(style.decimals + MORE, MAX_DECIMALS) + 1)
    tried = [
        more for more in all_of if _close(Decimal(f"{value:.{more}f}"), value, style.decimals)
    ] or all_of
    seen = {decimals: _seen(_finer(style, decimals), parts) for decimals in tried}
    leading = [
        decimals for decimals in tried if _leads(seen[decimals], value, style.decimals, decimals)
    ]
    best = [
        decimals for decimals in leading if _off(seen[decimals], value, decimals) <= _half(decimals)
    ]
    return next(iter((*best, *leading)), None)


def _finer(style: SumStyle, decimals: int) -> SumStyle:
    """The style with other decimals, also for tiny numbers."""
    return replace(style, decimals=decimals, noise=1.0)


def _leads(seen: Decimal | Fraction, value: float, printed: int, decimals: int) -> bool:
    """Whether printed numbers give the result with the chosen digits, or exactly with more."""
    return _close(seen, value, printed) or not _off(seen, value, decimals)


def _close(seen: Decimal | Fraction, value: float, decimals: int) -> bool:
    return _off(seen, value, decimals) < _half(decimals)


def _off(seen: Decimal | Fraction, value: float, decimals: int) -> Decimal | Fraction:
    """The exact difference from the printed result; infinite for a division by a printed zero."""
    printed = f"{value:.{decimals}f}"
    if isinstance(seen, Fraction):
        return abs(seen - Fraction(printed))
    return abs(_EXACT.subtract(seen, Decimal(printed))) if seen.is_finite() else Decimal("Infinity")


@lru_cache(maxsize=32)
def _half(decimals: int) -> Decimal:
    """Half a unit of the last digit."""
    return Decimal(5).scaleb(-decimals - 1)


def _line(style: SumStyle, parts: Parts, value: float, printed: int) -> Line:
    sign, values = parts
    if sign == "+":
        made = signed_sum(style, values)
    else:
        whole = (
            replace(style, decimals=printed)
            if float(f"{values[1]:.{printed}f}") == values[1]
            else style
        )
        made = (style.number(values[0]), operator(sign), whole.factor(values[1]))
    line = (
        Span(tr("With more digits: "), "muted"),
        *made,
        equals(_seen(style, parts), style.round(value)),
    )
    rounded, result = show(value, style.decimals), show(value, printed)
    exact = Decimal(f"{value:.{style.decimals}f}") == Decimal(f"{value:.{printed}f}")
    return (*line, Span(rounded), operator("=" if exact else "≈"), Span(result))


def worked_sum(style: SumStyle, step: Step) -> Line:
    """The derivation of a number on one line: symbol = factors = products = result.

    "≈" replaces "=" where the printed numbers do not give the result exactly. Of more than
    `style.most` terms the largest are written. A what-if value follows the computed one, so that
    the line ends with what the tables show.
    """
    line = _KINDS[step.kind](style, step)
    if step.pinned is None or style.hidden:
        return line
    *before, computed = line
    held = Span(show(step.pinned, style.decimals), "result")
    return (*before, Span(computed.text, "muted"), Span(tr(", pinned to "), "pinned"), held)


def noted_sum(style: SumStyle, step: Step) -> Line:
    """The worked sum and a note on left-out terms or on a limited result."""
    few = few_terms_note(style.most or 0, len(step.terms)) if style.shortens(step.terms) else ""
    note = (Span(few, "muted"),) if few else limit_note(style, step)
    return (*worked_sum(style, step), *((Span("   "), *note) if note else ()))


def few_terms_note(few: int, terms: int) -> str:
    """The note on a sum that leaves terms out."""
    return tr("the {few} largest of {n} terms", few=few, n=terms)


def pinned_row_note(style: SumStyle, trace: Trace, cell: Cell) -> Line:
    """The note on a row of weights that a what-if value keeps from adding up to 1."""
    here = (cell.tensor, cell.head, cell.row)
    if not trace.plan[cell.tensor].kind.shares or all(
        (pin.stage, pin.cell.head, pin.cell.row) != here for pin in style.document.pins
    ):
        return ()
    total = show(float(row_sum(trace.matrix(cell.tensor, cell.head)[cell.row])[0]), style.decimals)
    if total == show(1.0, style.decimals):
        return ()
    if style.orientation.columns:
        return (Span(tr("its column now adds up to {total}, not 1", total=total), "pinned"),)
    return (Span(tr("its row now adds up to {total}, not 1", total=total), "pinned"),)


def worked_lines(style: SumStyle, step: Step) -> tuple[Line, Line]:
    """The noted sum, and the sum with more digits, () where it needs none."""
    return noted_sum(style, step), finer_sum(style, step)


def limit_note(style: SumStyle, step: Step) -> Line:
    """The note on numbers beyond all doubles; () where there are none."""
    if style.hidden or step.pinned is not None:
        return ()
    if abs(step.value) == LARGEST and step.kind in _LIMITED:
        return (
            Span(
                tr(
                    "beyond the largest number that can be stored, about 1.8×10³⁰⁸; it stays at "
                    "that limit"
                ),
                "muted",
            ),
        )
    if step.kind == "dot" and not np.isfinite(step.values).all():
        said = tr("some products exceed the largest number that can be stored; their sum does not")
        return (Span(said, "muted"),)
    return ()


def _dot(style: SumStyle, step: Step) -> Line:
    """A row times a column (and a bias, if there is one)."""
    line = (*_dot_symbol(style, step), operator("="))
    values = step.values.tolist()
    line += join_terms(
        style, np.abs(step.values).tolist(), lambda i: product(style, step.terms[i]), operator("+")
    )
    if len(step.terms) == 1:
        return line + style.result(product_seen(style, step.terms[0]), step.value)
    if not np.isfinite(step.values).all():
        return line + style.result(NEVER, step.value)
    if style.shortens(
        step.terms
    ):  # the products again, of which most are missing, would say nothing
        return line + style.result(total_seen(style, step), step.value)
    exact = all(product_seen(style, term) == style.round(term.value) for term in step.terms)
    line += (operator("=" if exact else "≈"), *signed_sum(style, values))
    return line + style.result(add([style.round(value) for value in values]), step.value)


def _dot_symbol(style: SumStyle, step: Step) -> Line:
    """q·k or k·q for a score, for other products the letter of the result."""
    cells = [part.cell for part in style.factors(step.terms[0])]
    of_scores = spec_of(step.cell.tensor).kind is DOT_PRODUCT
    if not of_scores or cells[0] is None or cells[1] is None:
        return style.symbol(step.cell)
    first, second = (row_symbol(style.document, cell.tensor, cell.row) for cell in cells if cell)
    return (*first, Span("·", "operator"), *second)


def _entered(style: SumStyle, step: Step) -> Line:
    return (*style.symbol(step.cell), *style.result(style.round(step.value), step.value))


def _add(style: SumStyle, step: Step) -> Line:
    values = [term.value for term in step.terms]
    line = (*_left(style, step), *signed_sum(style, values))
    return line + style.result(add([style.round(value) for value in values]), step.value)


def _sinusoid(style: SumStyle, step: Step) -> Line:
    """sin or cos of the position over the pair's wavelength."""
    data, wave = step.data, "cos" if step.cell.column % 2 else "sin"
    base, power = f"{data['base']:.10g}", f"{2 * int(data['pair'])}/{int(data['width'])}"
    line = (*style.symbol(step.cell), operator("="))
    line += (Span(f"{wave}(", "plain"), Span(str(int(data["position"]))), operator("÷"), Span(base))
    wave_length = raised(
        Decimal(base), Decimal(2 * int(data["pair"])) / Decimal(int(data["width"]))
    )
    seen = divide(Decimal(int(data["position"])), wave_length)
    line += (Span(power, "plain", 1), Span(")"), equals(seen, style.round(data["angle"])))
    line += (Span(f"{wave}("), style.number(data["angle"]), Span(")"))
    return line + style.result(NEVER, step.value)


_LIMITED = (
    "add",
    "dot",
    "rotate",
    "scale",
    "bias",
    "exp",
    "sum",
)  # ways to a number that may go beyond all doubles


def _rotate(style: SumStyle, step: Step) -> Line:
    """a·cos θ − b·sin θ, or a·sin θ + b·cos θ, with the signs of the formula."""
    odd = step.cell.column % 2
    (a, first), (b, second) = (term.factors for term in step.terms)
    own = [style.factor(part.value, cell_role(part.cell)) for part in (a, b)]
    turn = [style.factor(first.value), style.factor(second.value if odd else -second.value)]
    names = ("sin θ", "cos θ") if odd else ("cos θ", "sin θ")
    between, times = operator("+" if odd else MINUS), Span("×", "operator")
    line = (*style.symbol(step.cell), operator("="))
    exact = all(style.round(factor.value) == Decimal(factor.value) for factor in (first, second))
    line += (
        own[0],
        Span("·" + names[0]),
        between,
        own[1],
        Span("·" + names[1]),
        operator("=" if exact else "≈"),
    )
    line += (own[0], times, turn[0], between, own[1], times, turn[1])
    return line + style.result(add([product_seen(style, term) for term in step.terms]), step.value)


def _scale(style: SumStyle, step: Step) -> Line:
    source = step.terms[0].factors[0]
    line = (*style.symbol(source.cell), *_scale_sign(style, step), operator("="))  # type: ignore[arg-type]
    line += (style.number(source.value, cell_role(source.cell)),)
    if style.document.scale.kind != "sqrt_dk":
        line += (Span("×", "operator"), style.factor(step.data["factor"]))
        return line + style.result(
            multiply([style.round(source.value), style.round(step.data["factor"])]), step.value
        )
    root = 1.0 / step.data["factor"]
    line += (operator("÷"), style.number(root))
    return line + style.result(divide(style.round(source.value), style.round(root)), step.value)


def _scale_sign(style: SumStyle, step: Step) -> Line:
    if style.document.scale.kind == "sqrt_dk":
        return operator("÷"), Span(f"√{int(step.data['k'])}")
    return Span("×", "operator"), style.factor(step.data["factor"])


def _bias(style: SumStyle, step: Step) -> Line:
    source, slope = step.terms[0].factors[0], step.data["slope"]
    i, j = style.orientation.pair(step.cell.row + 1, step.cell.column + 1)
    distance = int(step.data["distance"])
    line: Line = (
        *style.symbol(step.cell),
        operator("="),
        style.number(source.value),
        operator(MINUS),
        style.factor(slope),
        Span("×", "operator"),
    )
    bias = max(-LARGEST, min(LARGEST, slope * distance))
    away = equals(multiply([style.round(slope), Decimal(distance)]), style.round(bias))
    line += (Span(f"|{i} {MINUS} {j}|"), away, style.number(source.value), operator(MINUS))
    line += (style.factor(bias),)
    seen = add([style.round(source.value), -style.round(bias)])
    return line + style.result(seen, step.value)


def _mask(style: SumStyle, step: Step) -> Line:
    """Allowed: + 0, the score stays; forbidden: − ∞."""
    source = step.terms[0].factors[0]
    allowed = bool(step.data["allowed"])
    sign = (operator("+"), Span("0")) if allowed else (operator(MINUS), Span("∞"))
    seen = style.round(source.value) if allowed else Decimal("-Infinity")
    line = (
        *style.symbol(step.cell),
        Span(" + M", "operator"),
        operator("="),
        style.number(source.value),
    )
    return (*line, *sign, *style.result(seen, step.value))


def _max(style: SumStyle, step: Step) -> Line:
    values = step.values.tolist()
    listed = join_terms(style, values, lambda i: (style.number(values[i]),), Span(", ", "operator"))
    return (Span("max("), *listed, Span(")"), *style.result(style.round(max(values)), step.value))


def _exp(style: SumStyle, step: Step) -> Line:
    source, maximum = step.terms[0].factors[0], step.data.get("maximum")
    if maximum == -float("inf"):
        return (*style.symbol(step.cell), *style.result(Decimal(0), step.value))
    base, exponent = Span(style.document.softmax.base, "weights"), source.value
    line: Line = ()
    if maximum is not None:
        exponent = source.value - maximum
        difference = f"{style.number(source.value).text} {MINUS} {style.factor(maximum).text}"
        seen = add([style.round(source.value), -style.round(maximum)])
        line = (base, Span(difference, "plain", 1), equals(seen, style.round(exponent)))
    line += (base, Span(style.number(exponent).text, "plain", 1))
    return line + _sharp(style).result(softmax_power(base.text, style.round(exponent)), step.value)


def _sharp(style: SumStyle) -> SumStyle:
    """The style for powers and weights, which are never zero by rounding: 0.00 ÷ 1.07 = 0.00 would
    be wrong.
    """
    return replace(style, noise=SMALLEST)


def _sum(style: SumStyle, step: Step) -> Line:
    roles = [cell_role(step.terms[0].factors[0].cell)] * len(step.terms)  # all of one row
    return signed_sum(style, step.values.tolist(), roles) + style.result(
        total_seen(style, step), step.value
    )


def _quotient(style: SumStyle, step: Step) -> Line:
    source, total, style = step.terms[0].factors[0], step.data["total"], _sharp(style)
    line = _left(style, step)
    if total == 0.0:
        return line[:-1] + style.result(Decimal(0), step.value)
    line += (style.number(source.value, cell_role(source.cell)), operator("÷"), style.factor(total))
    return line + style.result(divide(style.round(source.value), style.round(total)), step.value)


def _copy(style: SumStyle, step: Step) -> Line:
    source = step.terms[0].factors[0]
    line = _left(style, step)[:-1]
    if source.cell is not None and step.data["enabled"]:
        line += (operator("="), *style.symbol(source.cell), *_of_head(style, source.cell))
    return line + style.result(style.round(step.value), step.value)


def _of_head(style: SumStyle, cell: Cell) -> Line:
    """The head's number, raised, in brackets, where there are several."""
    if style.document.scope(cell.tensor).h == 1 or not is_headwise(cell.tensor):
        return ()
    return (Span(f"({cell.head + 1})", cell_role(cell), 1),)


def _mean(style: SumStyle, step: Step) -> Line:
    """The sum of the terms, or of their squares, divided by how many they are."""
    values = [term.factors[0].value for term in step.terms]
    if any(len(term.factors) > 1 for term in step.terms):
        sizes = [abs(value) for value in values]
        squares = [(style.factor(value), Span("2", "plain", 1)) for value in values]
        line = join_terms(style, sizes, lambda i: squares[i], operator("+"))
    else:
        line = signed_sum(style, values)
    count = Decimal(int(step.data["count"]))
    line = (*_left(style, step), Span("("), *line, Span(")"), operator("÷"), Span(str(count)))
    return line + style.result(divide(total_seen(style, step), count), step.value)


def _left(style: SumStyle, step: Step) -> Line:
    """The symbol of the number and the equals sign."""
    symbol = (Span(step.symbol),) if step.symbol else style.symbol(step.cell)
    return (*symbol, operator("="))


def _function(style: SumStyle, step: Step) -> Line:
    """A formula that the stage's kind gives as a template, with its numbers put in.

    What is raised is written ^[…].
    """
    terms = [Written(style.factor(term.value).text) for term in step.terms]
    data = {name: Written(style.factor(value).text) for name, value in step.data.items()}
    pieces = _RAISED.split(step.text.format(*terms, **data))
    written = (Span(piece, level=place % 2) for place, piece in enumerate(pieces) if piece)
    return (*_left(style, step), *written, *style.result(_of_printed(style, step), step.value))


def _of_printed(style: SumStyle, step: Step) -> Decimal | Fraction:
    """The result of the printed numbers of a template; NEVER where that is not known."""
    if step.seen is None:
        return NEVER
    try:
        terms = [Fraction(style.round(term.value)) for term in step.terms]
        return step.seen(terms, {name: Fraction(style.round(x)) for name, x in step.data.items()})
    except (ZeroDivisionError, OverflowError, ValueError):
        return NEVER


_RAISED = re.compile(r"\^\[([^]]*)\]")
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
    "mean": _mean,
    "quotient": _quotient,
    "copy": _copy,
    "function": _function,
}
