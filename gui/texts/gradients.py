"""Gradients in formulas and worked sums. Free of Qt."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal

from core.base.cell import Cell
from core.base.number_format import MINUS
from core.document.document import Document
from core.document.parts import is_headwise, is_of_head, is_stage, split_layer
from core.explain.derivation import BackStep, Term
from core.stages import Plan, Stage, spec_of
from gui.texts.names import axes_of, header, role_of
from gui.texts.rich_text import (
    Line,
    Span,
    add,
    cell_role,
    divide,
    letter_of,
    multiply,
    operator,
    short_token,
)
from gui.texts.sum_style import SumStyle, join_terms, product, product_seen, signed_sum
from gui.texts.translation import mark, tr, tr_marked

# The sentences of the gradient rules that signs do not say.
_RULES = {
    "turned_back": mark("{gradient} rotated back"),
    "block_of_head": mark("this head's block of {gradient}"),
}


def matrix_name(name: str) -> str:
    """The name of a stage or an entered tensor in gradient rules."""
    return spec_of(name).matrix if is_stage(name) else split_layer(name)[1]


def gradient_symbol(name: str) -> str:
    """∂L/∂ of a stage or an entered tensor, as short plain text."""
    return f"∂L/∂{matrix_name(name)}"


def gradient_rule(document: Document, plan: Plan, name: str, aim: str) -> str:
    """The formula of a gradient from later ones. `aim`: L is "target" ½‖Y − T‖², "zero" ½‖Y‖² or
    "one" a y.
    """
    if name not in plan:
        return f"{gradient_symbol(name)} = {_input_rule(plan, name)}"
    readers = plan.readers(name)
    if not readers:
        if aim == "one":
            return f"{gradient_symbol(name)} = {tr('1 at the chosen number, 0 elsewhere')}"
        return f"{gradient_symbol(name)} = " + ("Y" if aim == "zero" else f"Y {MINUS} T")
    # A part that ends with a definition comes last, so that nothing seems to belong to it.
    parts = sorted((_back(document, reader, name) for reader in readers), key=_has_definition)
    return f"{gradient_symbol(name)} = " + " + ".join(parts)


def _has_definition(rule: str) -> bool:
    return ",  " in rule


def _input_rule(plan: Plan, name: str) -> str:
    stage = next(stage for stage in plan if name in stage.inputs)
    return stage.kind.input_rule(stage, name, gradient_symbol(stage.id), matrix_name)


def _back(document: Document, reader: Stage, name: str) -> str:
    after = gradient_symbol(reader.id)
    sentence = reader.kind.back_sentence
    if sentence:
        return tr_marked(_RULES[sentence], gradient=after)
    return reader.kind.back_rule(document, reader, name, after, matrix_name)


def row_names(document: Document, name: str) -> tuple[str, ...]:
    """The names of all rows: tokens, or letters with numbers; () for a vector."""
    return _axis_names(document, name, axes_of(name)[0])


def column_names(document: Document, name: str) -> tuple[str, ...]:
    """The names of all columns."""
    return _axis_names(document, name, axes_of(name)[1])


def _axis_names(document: Document, name: str, axis: str) -> tuple[str, ...]:
    size = document.sizes_at(name)[axis] if axis else 0
    return tuple(header(name, axis, index, document) for index in range(size))


def cell_gradient(document: Document, cell: Cell) -> Line:
    """∂L/∂ of one number: the letter of a stage or the name of a tensor, with lowered indices."""
    role = role_of(cell.tensor)
    rows, columns = axes_of(cell.tensor)
    places = [(rows, cell.row), (columns, cell.column)] if rows else [(columns, cell.column)]
    index = ",".join(
        str(at + 1) if labels is None else short_token(labels, at)
        for labels, at in ((document.labels(axis), at) for axis, at in places)
    )
    letter = letter_of(cell.tensor) or matrix_name(cell.tensor).lower()
    base, _, below = letter.partition("_")
    raised: Line = (Span(below.upper(), role, 1),) if below else ()
    head: Line = ()
    if document.scope(cell.tensor).h > 1 and (is_of_head(cell.tensor) or is_headwise(cell.tensor)):
        head = (Span(f"({cell.head + 1})", role, 1),)
    return (Span("∂L/∂", "muted"), Span(base, role), *raised, *head, Span(index, role, -1))


def worked_gradient(style: SumStyle, step: BackStep, target: float | None) -> tuple[Line, ...]:
    """The derivation of one gradient in one or two lines. `target`: the target of Y there, None
    without one.
    """
    return _KINDS[step.kind](style, step, target)


def _seed(style: SumStyle, step: BackStep, target: float | None) -> tuple[Line, ...]:
    line = (*cell_gradient(style.document, step.cell),)
    if target is None:
        return ((*line, *style.result(style.round(step.value), step.value)),)
    value = step.value + target
    line += (
        operator("="),
        Span("y"),
        operator(MINUS),
        Span("t"),
        operator("="),
        style.number(value),
    )
    line += (operator(MINUS), style.factor(target))
    return ((*line, *style.result(add([style.round(value), -style.round(target)]), step.value)),)


def _pinned(style: SumStyle, step: BackStep, target: float | None) -> tuple[Line, ...]:
    line = (*cell_gradient(style.document, step.cell), *style.result(Decimal(0), step.value))
    return line, (Span(tr("Pinned: a constant, nothing goes back through it."), "muted"),)


def _products(style: SumStyle, step: BackStep, target: float | None) -> tuple[Line, ...]:
    symbol = cell_gradient(style.document, step.cell)
    if not step.terms:
        why = tr("Nothing comes back here: no output depends on this number.")
        return (*symbol, *style.result(Decimal(0), step.value)), (Span(why, "muted"),)
    return ((*symbol, *_sum(style, step.terms, step.value)),)


def _sum(style: SumStyle, terms: tuple[Term, ...], value: float) -> Line:
    """= factors = products = result."""
    values = [term.value for term in terms]
    if all(len(term.factors) == 1 for term in terms):
        if len(terms) == 1:
            return style.result(style.round(value), value)
        line: Line = (
            operator("="),
            *signed_sum(style, values, [cell_role(term.factors[0].cell) for term in terms]),
        )
        return line + style.result(add(_seen(style, values)), value)
    sizes = [abs(each) for each in values]
    line = (
        operator("="),
        *join_terms(style, sizes, lambda i: product(style, terms[i]), operator("+")),
    )
    if len(terms) == 1:
        return line + style.result(product_seen(style, terms[0]), value)
    if style.shortens(terms):
        return line + style.result(add([product_seen(style, term) for term in terms]), value)
    exact = all(product_seen(style, term) == style.round(term.value) for term in terms)
    line += (operator("=" if exact else "≈"), *signed_sum(style, values))
    return line + style.result(add(_seen(style, values)), value)


def _seen(style: SumStyle, values: list[float]) -> list[Decimal]:
    return [style.round(value) for value in values]


def _softmax(style: SumStyle, step: BackStep, target: float | None) -> tuple[Line, ...]:
    """The sum of the row, then the cell's own difference from it."""
    data, mean = step.data, _mean(step)
    line: Line = (
        *cell_gradient(style.document, step.cell),
        operator("="),
        Span("a", "weights"),
        _TIMES,
    )
    line += (Span("(∂L/∂a"), operator(MINUS), Span("Σ)"), *_log_name(style), operator("="))
    line += (style.number(data["weight"], "weights"), _TIMES, *_difference(style, step, mean))
    factors = [data["weight"], data["own"] - mean, *_log(step)]
    line += _log_factor(style, step)
    seen = multiply(
        [style.round(factors[0]), _seen_difference(style, step, mean), *_seen(style, factors[2:])]
    )
    return _mean_line(style, step, mean), line + style.result(seen, step.value)


def _quotient(style: SumStyle, step: BackStep, target: float | None) -> tuple[Line, ...]:
    data, mean = step.data, _mean(step)
    line: Line = (*cell_gradient(style.document, step.cell), operator("="))
    line += (*_difference(style, step, mean), operator("÷"), style.factor(data["total"]))
    seen = divide(_seen_difference(style, step, mean), style.round(data["total"]))
    return _mean_line(style, step, mean), line + style.result(seen, step.value)


def _power(style: SumStyle, step: BackStep, target: float | None) -> tuple[Line, ...]:
    """e times its own gradient; at the row's maximum less the sum of the row."""
    data, mean = step.data, _mean(step)
    line: Line = (*cell_gradient(style.document, step.cell), operator("="))
    line += (
        style.number(data["numerator"], "weights"),
        _TIMES,
        style.factor(data["own"]),
        *_log_factor(style, step),
    )
    seen = multiply(_seen(style, [data["numerator"], data["own"], *_log(step)]))
    if step.terms:
        line += (operator(MINUS), style.factor(mean))
        seen = add([seen, -style.round(mean)])
        return _mean_line(style, step, mean), line + style.result(seen, step.value)
    return (line + style.result(seen, step.value),)


_TIMES = Span("×", "operator")


def _mean(step: BackStep) -> float:
    return sum(term.value for term in step.terms)


def _mean_line(style: SumStyle, step: BackStep, mean: float) -> Line:
    """Σ: the sum over a row."""
    return (Span("Σ"), *(_sum(style, step.terms, mean)))


def _difference(style: SumStyle, step: BackStep, mean: float) -> Line:
    return Span("("), style.number(step.data["own"]), operator(MINUS), style.factor(mean), Span(")")


def _seen_difference(style: SumStyle, step: BackStep, mean: float) -> Decimal:
    return add([style.round(step.data["own"]), -style.round(mean)])


def _log(step: BackStep) -> list[float]:
    return [] if step.data["log"] == 1.0 else [step.data["log"]]


def _log_name(style: SumStyle) -> Line:
    base = style.document.softmax.base
    return () if base == "e" else (_TIMES, Span(f"ln {base}"))


def _log_factor(style: SumStyle, step: BackStep) -> Line:
    return tuple(piece for value in _log(step) for piece in (_TIMES, style.factor(value)))


_KINDS: dict[str, Callable[[SumStyle, BackStep, float | None], tuple[Line, ...]]] = {
    "seed": _seed,
    "pinned": _pinned,
    "products": _products,
    "softmax": _softmax,
    "quotient": _quotient,
    "power": _power,
}
