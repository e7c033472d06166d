"""Blocks of numbers to and from the clipboard, as text with tabs."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QItemSelection
from PySide6.QtGui import QGuiApplication

from core.arrays import BoolArray
from core.numbers import exact, read
from core.problems import Problem
from gui.language import mark, tr
from gui.session import Session
from gui.tables.contents import Contents
from gui.tables.editing import with_values
from gui.texts.labels import symbol
from gui.texts.problems import sentence


def chosen(selection: QItemSelection, shown: Contents) -> BoolArray:
    """Which cells of a table are selected, from the selection's blocks.  # -> (rows, columns)"""
    result: BoolArray = np.zeros(shown.values.shape, dtype=bool)
    for block in selection.toList():
        result[block.top() : block.bottom() + 1, block.left() : block.right() + 1] = True
    return result


def copy(shown: Contents, cells: BoolArray) -> None:
    """The block around the given cells, with exact numbers; cells in it that are not given, or not shown yet,
    stay empty."""
    if shown.open_part is not None:
        standing, more = shown.open_part
        cells = shown.orientation.matrix(cells.copy())
        cells[standing + 1 :], cells[standing : standing + 1, more:] = False, False
        cells = shown.orientation.matrix(cells)
    if not cells.any():
        return
    rows, columns = (np.flatnonzero(cells.any(axis=1 - axis)) for axis in (0, 1))
    block = np.s_[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]
    lines = (
        "\t".join(exact(value) if given else "" for value, given in zip(*line, strict=True))
        for line in zip(shown.values[block].tolist(), cells[block].tolist(), strict=True)
    )
    QGuiApplication.clipboard().setText("\n".join(lines))


def paste(session: Session, shown: Contents, row: int, column: int) -> str:
    """The clipboard's block put in at a place; what is wrong with it as a sentence, "" if nothing is."""
    lines = QGuiApplication.clipboard().text().rstrip("\r\n").splitlines()
    block = [line.split("\t") for line in lines]
    height, width = len(block), max(map(len, block), default=0)
    rows, columns = shown.values.shape[0] - row, shown.values.shape[1] - column
    if height > rows or width > columns:
        return tr(
            "The block is {height} × {width}, but from here only {rows} × {columns} fit.",
            height=height, width=width, rows=rows, columns=columns,
        )  # fmt: skip
    values: dict[tuple[int, int], float] = {}
    for i, line in enumerate(block):
        for j, text in enumerate(line):
            try:
                values[row + i, column + j] = read(text)
            except Problem as problem:
                return tr(
                    "Row {row}, column {column} of the block: {sentence}",
                    row=i + 1, column=j + 1, sentence=sentence(problem),
                )  # fmt: skip
    cells = {shown.cell(*place): value for place, value in values.items()}
    name = symbol(shown.tensor, shown.document, shown.orientation)
    session.change(with_values, cells, text=mark("Paste into {name}"), name=name)
    return ""
