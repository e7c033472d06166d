"""Operands as they are seen: transposed, with tokens as columns."""

from __future__ import annotations

from dataclasses import replace

from core.document.orientation import Orientation
from gui.views.stage.operation import Mark, Operand, Pile, Sign


def seen(orientation: Orientation, item: Operand | Pile | Sign) -> Operand | Pile | Sign:
    """An item of an operation in a convention. What the operands were made of does not change."""
    if isinstance(item, Sign) or not orientation.columns:
        return item
    if isinstance(item, Pile):
        return replace(
            item, operands=tuple(_turned(orientation, operand) for operand in item.operands)
        )
    return _turned(orientation, item)


def _turned(orientation: Orientation, operand: Operand) -> Operand:
    rows, columns = orientation.pair(operand.rows, operand.columns)
    row_name, column_name = orientation.pair(operand.row_name, operand.column_name)
    return replace(
        operand,
        values=orientation.matrix(operand.values),
        rows=rows,
        columns=columns,
        row_name=row_name,
        column_name=column_name,
        transposed=not operand.transposed,
        by_column=True,
        scores=None if operand.scores is None else orientation.matrix(operand.scores),
        marks=tuple(
            Mark(*orientation.pair(mark.rows, mark.columns), mark.role) for mark in operand.marks
        ),
    )
