"""Sheets of a workbook, with blocks of labelled numbers, one below the other: a block for each head."""

from __future__ import annotations

from collections.abc import Sequence
from typing import IO, Any

from openpyxl import Workbook
from openpyxl.cell.cell import ILLEGAL_CHARACTERS_RE
from openpyxl.formatting.rule import ColorScaleRule
from openpyxl.styles import Alignment, Font, PatternFill
from openpyxl.utils import get_column_letter
from openpyxl.worksheet.properties import PageSetupProperties

from core.exchange.labels import Labels

ENTERED, PINNED, COMPUTED = "FFF3C4", "F6C6C6", "FFFFFF"
SHADE = "5B8DB8"
_FIRST_ROW, _FIRST_COLUMN = 4, 2  # of the first number; above it the title and the labels

Value = float | int | str


class Sheet:
    """One sheet. Places are counted from 0: block (head), row, column."""

    def __init__(self, sheet: Any, title: str, entered: bool) -> None:
        self._sheet = sheet
        self._entered = entered
        self._rows = self._columns = 0
        self.blocks = 0
        _text(sheet.cell(1, 1), title).font = Font(bold=True, size=13)
        if entered:
            sheet.sheet_properties.tabColor = ENTERED

    def lay_out(self, blocks: Sequence[str], rows: Sequence[str], columns: Sequence[str]) -> None:
        """Say how large it is, and write the labels."""
        self.blocks, self._rows, self._columns = len(blocks), len(rows), len(columns)
        for block, name in enumerate(blocks):
            top = self._row(block, 0) - 1
            _text(self._sheet.cell(top, 1), name).font = Font(bold=True)
            for column, label in enumerate(columns):
                cell = _text(self._sheet.cell(top, _FIRST_COLUMN + column), label)
                cell.font, cell.alignment = Font(color="666666"), Alignment(horizontal="right")
            for row, label in enumerate(rows):
                _text(self._sheet.cell(self._row(block, row), 1), label).font = Font(color="666666")
        self._sheet.column_dimensions["A"].width = 16
        self._sheet.freeze_panes = self._sheet.cell(_FIRST_ROW, _FIRST_COLUMN)
        _set_up_print(self._sheet, _FIRST_ROW - 1 if self.blocks == 1 else 1)

    def _row(self, block: int, row: int) -> int:
        return _FIRST_ROW + block * (self._rows + 2) + row

    def set(self, block: int, row: int, column: int, value: Value) -> None:
        """A number, or a formula that begins with =."""
        cell = self._sheet.cell(self._row(block, row), _FIRST_COLUMN + column, value)
        if self._entered:
            cell.fill = _fill(ENTERED)
        else:
            cell.number_format = "0.0000"

    def pin(self, block: int, row: int, column: int, value: float) -> None:
        """A what-if value in place of the formula, marked."""
        self._sheet.cell(self._row(block, row), _FIRST_COLUMN + column, value).fill = _fill(PINNED)

    def cell(self, block: int, row: int, column: int) -> str:
        """How formulas of other sheets call a number."""
        return f"'{self._sheet.title}'!{get_column_letter(_FIRST_COLUMN + column)}{self._row(block, row)}"

    def row(self, block: int, row: int) -> str:
        """A whole row of a block."""
        return f"{self.cell(block, row, 0)}:{self._end(block, row, self._columns - 1)}"

    def column(self, block: int, column: int) -> str:
        """A whole column of a block."""
        return f"{self.cell(block, 0, column)}:{self._end(block, self._rows - 1, column)}"

    def _end(self, block: int, row: int, column: int) -> str:
        return f"{get_column_letter(_FIRST_COLUMN + column)}{self._row(block, row)}"

    def shade(self) -> None:
        """Cells as dark as their numbers, from 0 to 1."""
        last = self._end(self.blocks - 1, self._rows - 1, self._columns - 1)
        scale = {"start_type": "num", "start_value": 0, "end_type": "num", "end_value": 1}
        rule = ColorScaleRule(**scale, start_color="FFFFFF", end_color=SHADE)
        self._sheet.conditional_formatting.add(f"{self._end(0, 0, 0)}:{last}", rule)


class Book:
    """The workbook, its sheets by name. It asks to be computed when it is opened."""

    def __init__(self, labels: Labels) -> None:
        self._book = Workbook()
        self._book.calculation.fullCalcOnLoad = True
        self._settings = self._book.active
        self._settings.title = labels.settings
        self._settings.column_dimensions["A"].width = 28
        self._settings.column_dimensions["C"].width = 28
        self.sheets: dict[str, Sheet] = {}
        for row, (word, colour) in enumerate(
            ((labels.entered, ENTERED), (labels.computed, COMPUTED), (labels.what_if, PINNED)), 1
        ):
            _text(self._settings.cell(row, 1), word).fill = _fill(colour)
        self._next = 5
        if labels.rows:
            _text(self._settings.cell(self._next, 1), labels.rows)
            self._next += 2

    def setting(self, name: str, value: Value, remark: str = "") -> str:
        """One more line of the first sheet; how formulas call its number."""
        row, self._next = self._next, self._next + 1
        _text(self._settings.cell(row, 1), name)
        cell = self._settings.cell(row, 2, value)
        if not isinstance(value, str):
            cell.fill = _fill(ENTERED)
        _text(self._settings.cell(row, 3), remark).font = Font(color="666666")
        return f"'{self._settings.title}'!$B${row}"

    def add(self, name: str, title: str, *, entered: bool) -> Sheet:
        """A new sheet behind the others."""
        self.sheets[name] = Sheet(self._book.create_sheet(name), title, entered)
        return self.sheets[name]

    def save(self, file: IO[bytes]) -> None:
        """Write it."""
        self._book.save(file)


def _set_up_print(sheet: Any, above: int) -> None:
    """Across the paper, as wide as one page; names of rows and the first rows, which hold for all, on every page."""
    sheet.page_setup.orientation, sheet.page_setup.paperSize = "landscape", sheet.PAPERSIZE_A4
    sheet.sheet_properties.pageSetUpPr = PageSetupProperties(fitToPage=True)
    sheet.page_setup.fitToWidth, sheet.page_setup.fitToHeight = 1, 0
    sheet.print_title_rows, sheet.print_title_cols = f"1:{above}", "A:A"


def _text(cell: Any, text: str) -> Any:
    """A text in a cell, as it is: also one that begins with = is no formula."""
    if text:
        cell.value = ILLEGAL_CHARACTERS_RE.sub("", text.encode("utf-8", "replace").decode("utf-8"))[
            :32_000
        ]
        cell.data_type = "s"
    return cell


def _fill(colour: str) -> PatternFill:
    return PatternFill("solid", start_color=colour)
