"""Blocks of numbers to and from the clipboard, as text with tabs."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QModelIndex
from PySide6.QtGui import QGuiApplication

from core.numbers import exact, read
from core.problems import Problem
from gui.language import mark, tr
from gui.session import Session
from gui.tables.contents import Contents
from gui.tables.editing import with_values
from gui.tables.labels import symbol
from gui.texts.problems import sentence


def copy(shown: Contents, chosen: Sequence[QModelIndex]) -> None:
    """The block around the chosen cells, with exact numbers; cells in it that are not chosen stay empty."""
    places = {(index.row(), index.column()) for index in chosen}
    if not places:
        return
    rows, columns = (sorted({place[axis] for place in places}) for axis in (0, 1))
    lines = (
        "\t".join(
            exact(float(shown.values[row, column])) if (row, column) in places else ""
            for column in range(columns[0], columns[-1] + 1)
        )
        for row in range(rows[0], rows[-1] + 1)
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
    name = symbol(shown.tensor, shown.document)
    session.change(with_values, cells, text=mark("Paste into {name}"), name=name)
    return ""
