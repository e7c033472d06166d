"""What is drawn of an operand's matrix: the cells of its windows, with their frames and marks."""

from __future__ import annotations

from PySide6.QtGui import QColor

from core.base.cell import Cell
from gui.painting.math_text import span_colour
from gui.painting.matrix import Frame, MatrixSpec, shown_part
from gui.painting.theme import Colours, colours
from gui.session.state import State
from gui.views.stage.layout import Window
from gui.views.stage.operation import Mark, Operand, Range


def picture_of(
    item: Operand, rows: Window, columns: Window, state: State, digits: float | None, squeeze: float
) -> MatrixSpec:
    """A matrix with digits so large (None: without) and squeezed so far."""
    theme = colours(state.shade)
    part = slice(rows.start, rows.stop), slice(columns.start, columns.stop)
    return MatrixSpec(
        item.values[part],
        item.levels,
        0 if item.whole_numbers else state.decimals,
        _part_of(item, item.shown, rows, columns),
        tuple(
            frame
            for mark in item.marks
            if (frame := _frame(mark, rows, columns, theme)) is not None
        ),
        _cells(item, rows, columns, frozenset(pin.cell for pin in state.document.pins)),
        _cells(item, rows, columns, state.document.filled),
        off=item.off,
        digits=digits,
        squeeze=squeeze,
        by_column=item.by_column,
        asked=_part_of(item, item.asked, rows, columns),
        scores=None if item.scores is None else item.scores[part],
    )


def _part_of(item: Operand, extent: Range, rows: Window, columns: Window) -> Range:
    """How far an extent of the matrix (what stands there, what is asked) reaches in the window."""
    lines, places = (columns, rows) if item.by_column else (rows, columns)
    return shown_part(extent, (lines.start, lines.stop), (places.start, places.stop))


def _cells(
    item: Operand, rows: Window, columns: Window, wanted: frozenset[Cell]
) -> frozenset[tuple[int, int]]:
    """Which cells of the window are among the wanted ones."""
    if not wanted or not item.tensor:
        return frozenset()
    found = set()
    for row in range(rows.start, rows.stop):
        for column in range(columns.start, columns.stop):
            own = (column, row) if item.transposed else (row, column)
            if Cell(item.tensor, *own, item.head) in wanted:
                found.add((row - rows.start, column - columns.start))
    return frozenset(found)


def _frame(mark: Mark, rows: Window, columns: Window, theme: Colours) -> Frame | None:
    part = _clip(mark.rows, rows), _clip(mark.columns, columns)
    if part[0] is None or part[1] is None:
        return None
    colour = span_colour(theme, mark.role)
    return Frame(part[0], part[1], QColor(colour).name(), 3.0 if mark.role == "result" else 2.5)


def _clip(wanted: Range, part: Window) -> tuple[int, int] | None:
    """A range in the coordinates of a window, None where nothing of it is inside."""
    if wanted is None:
        return 0, part.count
    start, stop = max(wanted[0] - part.start, 0), min(wanted[1] - part.start, part.count)
    return (start, stop) if start < stop else None
