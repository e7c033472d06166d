"""The next stage in words, and the path of a query–key pair from score to weight. Free of Qt."""

from __future__ import annotations

from core.base.cell import Cell
from core.base.number_format import MINUS, show
from core.compute.trace import Trace
from core.document.document import Document
from core.document.orientation import ROWS, Orientation
from core.explain.derivation import Step, pair_steps
from core.explain.timeline import Cursor, Reach, reveals
from gui.texts.names import role_of, symbol_here
from gui.texts.rich_text import (
    Line,
    Span,
    add,
    divide,
    equals,
    factor,
    number,
    operator,
    rounded,
    softmax_power,
)
from gui.texts.stage_sentences import stage_text
from gui.texts.translation import tr


def next_stage_line(
    document: Document, trace: Trace, stage_id: str, orientation: Orientation = ROWS
) -> Line:
    """The next stage in words."""
    plan = trace.plan
    index = plan.index(stage_id) + 1
    if index == len(plan):
        return (Span(tr("this is the last step"), "muted"),)
    return (
        Span(tr("next: "), "muted"),
        Span(stage_text("next", document, plan.stages[index], orientation), "muted"),
    )


def path_line(
    document: Document,
    trace: Trace,
    cursor: Cursor,
    cell: Cell,
    decimals: int,
    orientation: Orientation = ROWS,
) -> Line:
    """The path of a query–key pair: values up to the cursor, names for the steps ahead."""
    line: list[Span] = []
    label = Span(tr("next: "), "muted")
    for step in pair_steps(document, trace, cell):
        line += [operator("→")] if line else []
        if _is_visible(trace, cursor, step):
            line += _visible_step(document, step, decimals, orientation)
        else:
            line += [] if label in line else [label]
            line.append(Span(_step_name(document, step, orientation), "muted"))
    return tuple(line)


def _is_visible(trace: Trace, cursor: Cursor, step: Step) -> bool:
    """Whether a step is visible at a cursor; the sub-step of a row is once the cursor is in that
    row.
    """
    cell = step.cell
    if (
        step.kind in ("max", "sum")
        and cell.tensor == cursor.stage
        and cursor.reach is not Reach.WHOLE
    ):
        return cell.row <= cursor.row
    return reveals(trace.plan, cursor, cell.tensor, cell.row, cell.column)


def _visible_step(document: Document, step: Step, decimals: int, orientation: Orientation) -> Line:
    """A visible step: its operation and its result."""
    role = role_of(step.cell.tensor)
    value, result = rounded(step.value, decimals), Span(show(step.value, decimals), role)
    pin = (
        () if step.pinned is None else (Span(tr(", ") + _pinned(step.pinned, decimals), "pinned"),)
    )
    if step.kind == "quotient" and step.data["total"]:
        total = step.data["total"]
        seen = divide(rounded(step.terms[0].value, decimals), rounded(total, decimals))
        return (
            Span(f"÷ {factor(total, decimals).text}", "operator"),
            equals(seen, value),
            result,
            *pin,
        )
    if step.kind == "exp" and step.data.get("maximum") != -float("inf"):
        return *_power(document, step, decimals), result, *pin
    name, sign = Span(_step_name(document, step, orientation), "operator"), operator("=")
    if step.pinned is not None:
        return name, Span(": ", "operator"), Span(_pinned(step.pinned, decimals), "pinned")
    if step.kind == "scale" and document.scale.kind == "sqrt_dk":
        root = rounded(1.0 / step.data["factor"], decimals)
        sign = equals(divide(rounded(step.terms[0].factors[0].value, decimals), root), value)
    return name, sign, result


def _pinned(value: float, decimals: int) -> str:
    """The what-if value of a step."""
    return tr("pinned {value}", value=show(value, decimals))


def _power(document: Document, step: Step, decimals: int) -> Line:
    """The base, its exponent as printed, and the equals sign."""
    source, maximum = step.terms[0].value, step.data.get("maximum")
    raised, seen = number(source, decimals).text, rounded(source, decimals)
    if maximum is not None:
        raised += f" {MINUS} {factor(maximum, decimals).text}"
        seen = add([seen, -rounded(maximum, decimals)])
    base = document.softmax.base
    sign = equals(softmax_power(base, seen), rounded(step.value, decimals))
    return Span(base, "operator"), Span(raised, "operator", 1), sign


def _step_name(document: Document, step: Step, orientation: Orientation) -> str:
    """The name of a step, without numbers."""
    if step.kind == "max":
        return tr("column's maximum") if orientation.columns else tr("row's maximum")
    if step.kind == "sum":
        return tr("column's sum") if orientation.columns else tr("row's sum")
    if step.kind == "scale" and document.scale.kind == "sqrt_dk":
        return f"÷ √{document.scope(step.cell.tensor).k}"
    if step.kind == "quotient":
        return tr("÷ column's sum") if orientation.columns else tr("÷ row's sum")
    return symbol_here(document, step.cell.tensor, orientation)
