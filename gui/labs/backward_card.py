"""The worked sum of one gradient and its check by a finite difference."""

from __future__ import annotations

from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter

from core.labs.backward import Backward
from gui.labs.charts import write
from gui.labs.exhibit import LabView
from gui.labs.wording import measured
from gui.painting.shapes import paint_shape
from gui.painting.text_layout import LEADING, MathRow, wrap
from gui.painting.text_layout import paint_line as paint_sum
from gui.painting.theme import BODY, CAPTION, font
from gui.texts.gradients import gradient_symbol, worked_gradient
from gui.texts.names import axes_of, header
from gui.texts.rich_text import plain_text
from gui.texts.sum_style import SumStyle
from gui.texts.translation import tr
from gui.widgets.subscripts import width_of

PADDING, EDGE = 10.0, 6.0
LINE = 20.0
AIR = 4.0  # units above the check
SIZES = (32, 24, 19, 16, BODY)  # font sizes of the worked sum, in order of preference
LEAST_WHOLE = 19  # a smaller font breaks the sum into lines
FEWEST_TERMS = 2


def paint_card(painter: QPainter, area: QRectF, view: LabView) -> None:
    """Paint the worked sum between its position and its check, as large as fits."""
    inside = area.adjusted(PADDING, EDGE, -PADDING, -EDGE)
    rows = sum_rows(view, inside.width(), inside.height() - 2 * LINE - AIR)
    inside.setHeight(min(inside.height(), 2 * LINE + AIR + sum(size * LEADING for _, size in rows)))
    paint_shape(
        painter, inside.adjusted(-PADDING, -EDGE, PADDING, EDGE), fill=view.theme.sunken, radius=10
    )
    write(
        painter,
        QRectF(inside.left(), inside.top(), inside.width(), LINE),
        _where(view),
        view.theme.muted,
        font(CAPTION),
    )
    checked = QRectF(inside.left(), inside.bottom() - LINE, inside.width(), LINE)
    text = check_text(view)
    if width_of(text, font(CAPTION)) > inside.width():
        text = short_check(view)
    write(painter, checked, text, view.theme.text, font(CAPTION))
    y = inside.top() + LINE
    for row, size in rows:
        paint_sum(
            painter, inside.left(), y + size * (LEADING / 2 + 0.36), row.spans, size, view.theme
        )
        y += size * LEADING


def _where(view: LabView) -> str:
    result: Backward = view.result
    document, cell = result.run.document, result.cell
    rows, columns = axes_of(result.name)
    column = header(result.name, columns, cell.column, document)
    place = f"{header(result.name, rows, cell.row, document)}, {column}" if rows else column
    return tr(
        "Worked out: {gradient} at ({place})", gradient=gradient_symbol(result.name), place=place
    )


def target_at(result: Backward) -> float | None:
    """Return the target of Y at the selected cell, None without a target."""
    target = result.run.target
    if (
        target is None
        or result.aim != "target"
        or result.name != result.run.trace.plan.stages[-1].id
    ):
        return None
    return float(target[result.cell.row, result.cell.column])


def sum_rows(view: LabView, width: float, height: float) -> list[tuple[MathRow, float]]:
    """Return the worked sum as large and complete as fits, preferably on one line."""
    result: Backward = view.result
    terms = len(result.step.terms)
    tries: list[tuple[int, int | None, bool]] = [
        (size, None, True) for size in SIZES if size >= LEAST_WHOLE
    ]
    tries += [(size, None, False) for size in SIZES]
    tries += [(BODY, most, False) for most in range(min(terms - 1, 16), FEWEST_TERMS - 1, -1)]
    rows: list[tuple[MathRow, float]] = []
    for size, most, whole in tries:
        sheet = SumStyle(result.run.document, view.decimals, most)
        lines = worked_gradient(sheet, result.step, target_at(result))
        rows = [(row, float(size)) for line in lines for row in wrap(line, size, width)]
        if whole and len(rows) > len(lines):
            continue
        if len(rows) * size * LEADING <= height and all(row.width <= width for row, _ in rows):
            break
    return rows


def check_text(view: LabView) -> str:
    """Return the finite difference at the cell and its distance from the gradient."""
    if view.result.difference is None:
        return tr("No finite difference here: this number cannot be changed slightly.")
    return tr(
        "Check: (L(x+ε) − L(x−ε)) ÷ 2ε = {slope}, off by {gap}",
        slope=view.show(view.result.difference),
        gap=gap_text(view),
    )


def short_check(view: LabView) -> str:
    """Return the check for a narrow card."""
    if view.result.difference is None:
        return check_text(view)
    slope = view.show(view.result.difference)
    return tr("Finite difference: {slope}, off by {gap}", slope=slope, gap=gap_text(view))


def gap_text(view: LabView) -> str:
    """Return the distance of the finite difference from the gradient."""
    result: Backward = view.result
    assert result.difference is not None
    return measured(abs(result.difference - result.step.value), view.decimals)


def sum_text(view: LabView) -> str:
    """Return the worked sum as plain text with its three largest terms."""
    result: Backward = view.result
    sheet = SumStyle(result.run.document, view.decimals, 3)
    return "; ".join(
        plain_text(line) for line in worked_gradient(sheet, result.step, target_at(result))
    )
