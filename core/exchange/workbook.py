"""An Excel workbook that computes the run itself: a sheet for each stage, formulas that read the
sheets before it.

Each formula has its value beside it, for programs that do not compute. A last sheet holds the
experiment, with the ranges of its numbers, so that the workbook can be imported.

Only functions that every spreadsheet has: MMULT of a row and a column (one number, no array
formula), SUMPRODUCT, SUM, MAX, EXP, SIN, COS, IF. Entered numbers are yellow; change one and
everything after it follows. Spreadsheets know no −∞: a masked score is the text "−∞", which MAX
passes over and the exponentials count as 0.
"""

from __future__ import annotations

import io
import json
import math
import zipfile
from collections.abc import Callable, Mapping, Sequence
from typing import Any
from xml.etree import ElementTree

from openpyxl import Workbook
from openpyxl.formatting.rule import ColorScaleRule
from openpyxl.styles import Alignment, Font, PatternFill
from openpyxl.utils import get_column_letter
from openpyxl.worksheet.properties import PageSetupProperties

from core.base.errors import UserError
from core.base.text import clean_text
from core.compute.trace import Trace, run
from core.document.document import Document
from core.document.parts import is_of_head, tensor_axes
from core.exchange.entered import KEY, MASK, settings, stored_name
from core.exchange.labels import Labels
from core.stages import Stage, plan
from core.stages.dialect import heads_of
from core.stages.mask import MASKED_TEXT

LARGEST = 300_000  # cells of all stages together
WIDEST = 16_000  # columns; Excel ends at 16,384
_SPREADSHEET = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_LONGEST = 32_000  # characters of a cell; Excel ends at 32,767


def workbook(document: Document, labels: Labels) -> bytes:
    """The workbook's bytes. Raises UserError "export.too_large" (format, size, limit)."""
    _require_size(document)
    book = WorkbookWriter(labels)
    formulas = WorkbookFormulas(document, book, labels)
    trace = run(document)
    for stage in trace.plan:
        _stage_sheet(trace, book, formulas, stage)
    text = json.dumps(settings(document, formulas.entered_range), indent=1)
    book.add_texts(KEY, labels.experiment, text)
    return book.content()


def _require_size(document: Document) -> None:
    cells = 0
    for stage in plan(document):
        shape = document.stage_shape(stage.id)
        cells += math.prod(shape)
        if shape[-1] > WIDEST:
            raise UserError("export.too_large", format="xlsx", size=shape[-1], limit=WIDEST)
    if cells > LARGEST:
        raise UserError("export.too_large", format="xlsx", size=cells, limit=LARGEST)


def _stage_sheet(
    trace: Trace, book: WorkbookWriter, formulas: WorkbookFormulas, stage: Stage
) -> None:
    document = trace.document
    formulas.prepare(stage)
    shape = document.stage_shape(stage.id)
    sheet = book.add(
        stage.id, f"{stage.symbol}   {' × '.join(map(str, shape))}", entered=stage.entered
    )
    rows, columns = (
        document.labels(axis) or tuple(map(str, range(1, size + 1)))
        for axis, size in zip(stage.axes[-2:], shape[-2:], strict=True)
    )
    sheet.lay_out(formulas.head_names(stage.id) if stage.headwise else [""], rows, columns)
    pins = {pin.cell: pin.value for pin in document.pins if pin.stage == stage.id}
    cell = formulas.cell_of(stage)
    for head in range(sheet.blocks):
        for row, values in enumerate(trace.matrix(stage.id, head).tolist()):
            for column, value in enumerate(values):
                stored = value if math.isfinite(value) else MASKED_TEXT
                sheet.set(head, row, column, cell(head, row, column), stored)
    for place, value in pins.items():
        sheet.pin(place.head, place.row, place.column, value)
    if stage.kind.shares:
        sheet.shade()


Value = float | int | str
Cell = Callable[[int, int, int], Value]


class WorkbookFormulas:
    """Addresses of numbers for the formulas of stages: `prepare` a stage, add its sheet, then get
    its cells.
    """

    def __init__(self, document: Document, book: WorkbookWriter, labels: Labels) -> None:
        self.document = document
        self.labels = labels
        self.settings: dict[str, str] = {}
        self._book = book

    def head_names(self, name: str) -> list[str]:
        """The names of the heads of a stage or an entered tensor."""
        return [
            head.name or self.labels.head.format(number=number)
            for number, head in enumerate(self.document.scope(name).heads, 1)
        ]

    def prepare(self, stage: Stage) -> None:
        """Add the numbers that a stage needs besides other stages."""
        if not stage.entered:
            for name in stage.inputs:
                self._add_input(name)
        stage.kind.prepare_workbook(self, stage)

    def set(
        self, key: str, name: str, value: Value, remark: str = "", stored: float | None = None
    ) -> None:
        """Add a line to the settings, unless the key has one; `stored` is the value of a formula."""
        if key not in self.settings:
            self.settings[key] = self._book.setting(name, value, remark, stored)

    def sheet(self, name: str) -> WorkbookSheet:
        """The sheet of a tensor."""
        return self._book.sheets[name]

    def add_table(self, name: str, title: str, values: Sequence[Sequence[float | int]]) -> None:
        """Add a sheet of entered numbers, with queries as rows and keys as columns, unless there is
        one of that name.
        """
        if name in self._book.sheets:
            return
        sheet = self._book.add(name, title, entered=True)
        sheet.lay_out([""], self.document.tokens, self.document.key_tokens)
        for row, entries in enumerate(values):
            for column, value in enumerate(entries):
                sheet.set(0, row, column, value)

    def entered_range(self, name: str, head: int) -> str:
        """The range of an entered tensor, on a sheet of its own where no stage has needed one."""
        sheets = self._book.sheets
        if name == MASK:
            mask, used = self.document.mask, self.document.mask.kind == "custom"
            assert mask.allow is not None
            stored = name if used else f"{name}_entered"
            if not used:
                title = f"{self.labels.mask}   ({self.labels.allowed})"
                self.add_table(stored, title, mask.allow.astype(int).tolist())
            return sheets[stored].block(0)
        stored = stored_name(self.document, name)
        if stored not in sheets:
            self._add_input(name, stored)
        if is_of_head(name) and len(tensor_axes(name)) == 1:
            return sheets[stored].row(0, head)
        return sheets[stored].block(head)

    def _add_input(self, name: str, stored: str = "") -> None:
        """Add an entered tensor: a block for each head, or a row for each head of a bias."""
        document, bias = self.document, len(tensor_axes(name)) == 1
        heads = self.head_names(name) if is_of_head(name) else [""]
        if not is_of_head(name):
            tensor = document.tensor(name)
            assert tensor is not None, name  # the plan lists only inputs that the document has
            values = tensor.reshape(1, -1, tensor.shape[-1])
        else:
            values = heads_of(document, name)
            values = values[None] if bias else values
        blocks = [""] if bias else heads
        rows = heads if bias and is_of_head(name) else _counted(values.shape[1])
        title = f"{name}   {' × '.join(map(str, values.shape[1:]))}"
        sheet = self._book.add(stored or name, title, entered=True)
        sheet.lay_out(blocks, rows, _counted(values.shape[2]))
        for head, matrix in enumerate(values.tolist()):
            for row, numbers in enumerate(matrix):
                # A borrowed number is a formula, so that it follows the number of its lender.
                own = head if len(blocks) > 1 else row if is_of_head(name) else 0
                lender = document.lender(name, own)
                for column, value in enumerate(numbers):
                    if lender == own:
                        sheet.set(head, row, column, value)
                        continue
                    place = (lender, row) if len(blocks) > 1 else (0, lender)
                    sheet.set(head, row, column, f"={sheet.cell(*place, column)}", value)

    def cell_of(self, stage: Stage) -> Cell:
        """The formula, or the entered number, of each cell."""
        if not stage.entered:
            return stage.kind.workbook(self, stage)
        name = stage.inputs[0]
        values = heads_of(self.document, name) if stage.headwise else [self.document.tensor(name)]
        return lambda head, row, column: float(values[head][row, column])  # type: ignore[index]


def _counted(length: int) -> list[str]:
    return [str(number) for number in range(1, length + 1)]


ENTERED, PINNED, COMPUTED = "FFF3C4", "F6C6C6", "FFFFFF"
SHADE = "5B8DB8"
_FIRST_ROW, _FIRST_COLUMN = 4, 2  # of the first number; above it the title and the labels


class WorkbookSheet:
    """One sheet. Block (head), row and column count from 0."""

    def __init__(self, sheet: Any, title: str, entered: bool) -> None:
        self._sheet = sheet
        self._entered = entered
        self.values: dict[str, float | str] = {}  # by address
        self._rows = self._columns = 0
        self.blocks = 0
        _text(sheet.cell(1, 1), title).font = Font(bold=True, size=13)
        if entered:
            sheet.sheet_properties.tabColor = ENTERED

    def lay_out(self, blocks: Sequence[str], rows: Sequence[str], columns: Sequence[str]) -> None:
        """Set the size and write the labels."""
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

    @property
    def entry(self) -> str:
        """Its name in the archive, once the workbook is saved."""
        return str(self._sheet.path).lstrip("/")

    def set(
        self, block: int, row: int, column: int, value: Value, stored: float | str | None = None
    ) -> None:
        """A number, or a formula that begins with = and its value."""
        cell = self._sheet.cell(self._row(block, row), _FIRST_COLUMN + column, value)
        self.values[cell.coordinate] = value if stored is None else stored
        if self._entered:
            cell.fill = _fill(ENTERED)
        else:
            cell.number_format = "0.0000"

    def pin(self, block: int, row: int, column: int, value: float) -> None:
        """Replace a formula by a what-if value and mark it."""
        self.set(block, row, column, value)
        self._sheet.cell(self._row(block, row), _FIRST_COLUMN + column).fill = _fill(PINNED)

    def cell(self, block: int, row: int, column: int) -> str:
        """The address of a number for formulas of other sheets."""
        return f"'{self._sheet.title}'!{get_column_letter(_FIRST_COLUMN + column)}{self._row(block, row)}"

    def block(self, block: int) -> str:
        """The range of a block."""
        return f"{self.cell(block, 0, 0)}:{self._end(block, self._rows - 1, self._columns - 1)}"

    def row(self, block: int, row: int) -> str:
        """The range of a row of a block."""
        return f"{self.cell(block, row, 0)}:{self._end(block, row, self._columns - 1)}"

    def column(self, block: int, column: int) -> str:
        """The range of a column of a block."""
        return f"{self.cell(block, 0, column)}:{self._end(block, self._rows - 1, column)}"

    def _end(self, block: int, row: int, column: int) -> str:
        return f"{get_column_letter(_FIRST_COLUMN + column)}{self._row(block, row)}"

    def shade(self) -> None:
        """Shade the cells by their numbers, from 0 to 1."""
        last = self._end(self.blocks - 1, self._rows - 1, self._columns - 1)
        scale = {"start_type": "num", "start_value": 0, "end_type": "num", "end_value": 1}
        rule = ColorScaleRule(**scale, start_color="FFFFFF", end_color=SHADE)
        self._sheet.conditional_formatting.add(f"{self._end(0, 0, 0)}:{last}", rule)


class WorkbookWriter:
    """A new workbook with sheets by name; programs recompute it when they open it."""

    def __init__(self, labels: Labels) -> None:
        self._book = Workbook()
        self._book.calculation.fullCalcOnLoad = True
        self._settings = self._book.active
        self._settings.title = labels.settings
        self._settings.column_dimensions["A"].width = 28
        self._settings.column_dimensions["C"].width = 28
        self.sheets: dict[str, WorkbookSheet] = {}
        self._values: dict[str, float | str] = {}  # of the settings
        for row, (word, colour) in enumerate(
            ((labels.entered, ENTERED), (labels.computed, COMPUTED), (labels.what_if, PINNED)), 1
        ):
            _text(self._settings.cell(row, 1), word).fill = _fill(colour)
        self._next = 5
        for note in filter(None, (labels.not_imported, labels.rows)):
            _text(self._settings.cell(self._next, 1), note)
            self._next += 1
        self._next += 1

    def setting(
        self, name: str, value: Value, remark: str = "", stored: float | None = None
    ) -> str:
        """Add a line to the settings; returns the address of its number."""
        row, self._next = self._next, self._next + 1
        _text(self._settings.cell(row, 1), name)
        cell = self._settings.cell(row, 2, value)
        if not isinstance(value, str):
            cell.fill = _fill(ENTERED)
        self._values[cell.coordinate] = value if stored is None else stored
        _text(self._settings.cell(row, 3), remark).font = Font(color="666666")
        return f"'{self._settings.title}'!$B${row}"

    def add(self, name: str, title: str, *, entered: bool) -> WorkbookSheet:
        """Add a sheet at the end."""
        self.sheets[name] = WorkbookSheet(self._book.create_sheet(name), title, entered)
        return self.sheets[name]

    def add_texts(self, name: str, title: str, text: str) -> None:
        """Add a sheet with the lines of a text in its first column, below a title."""
        sheet = self._book.create_sheet(name)
        _text(sheet.cell(1, 1), title).font = Font(bold=True, size=13)
        _set_up_print(sheet, 1)
        for line in text.splitlines():
            for start in range(0, len(line), _LONGEST):
                _text(sheet.cell(sheet.max_row + 1, 1), line[start : start + _LONGEST])

    def content(self) -> bytes:
        """The bytes of the file."""
        file = io.BytesIO()
        self._book.save(file)
        values = {sheet.entry: sheet.values for sheet in self.sheets.values()}
        values[str(self._settings.path).lstrip("/")] = self._values
        return _with_values(file.getvalue(), values)


def _set_up_print(sheet: Any, above: int) -> None:
    """Print in landscape, one page wide, with the header rows on every page.

    Without title columns, which a single page across does not need: with both, LibreOffice takes
    0.3 s longer for each sheet.
    """
    sheet.page_setup.orientation, sheet.page_setup.paperSize = "landscape", sheet.PAPERSIZE_A4
    sheet.sheet_properties.pageSetUpPr = PageSetupProperties(fitToPage=True)
    sheet.page_setup.fitToWidth, sheet.page_setup.fitToHeight = 1, 0
    sheet.print_title_rows = f"1:{above}"


def _text(cell: Any, text: str) -> Any:
    """Write a text to a cell as text, even if it begins with =."""
    if text:
        cell.value = clean_text(text)[:_LONGEST]
        cell.data_type = "s"
    return cell


def _fill(colour: str) -> PatternFill:
    return PatternFill("solid", start_color=colour)


def _with_values(content: bytes, values: Mapping[str, Mapping[str, float | str]]) -> bytes:
    """Put computed values beside the formulas: values by entry of the archive and address.

    For readers that do not compute. openpyxl writes either a formula or a value, and numbers with
    16 digits, one too few for some.
    """
    result = io.BytesIO()
    with (
        zipfile.ZipFile(io.BytesIO(content)) as before,
        zipfile.ZipFile(result, "w", zipfile.ZIP_DEFLATED) as after,
    ):
        for entry in before.infolist():
            data = before.read(entry)
            if values.get(entry.filename):
                data = _sheet_with_values(data, values[entry.filename])
            after.writestr(entry, data)
    return result.getvalue()


def _sheet_with_values(data: bytes, values: Mapping[str, float | str]) -> bytes:
    ElementTree.register_namespace("", _SPREADSHEET)
    root = ElementTree.fromstring(data)
    for cell in root.iter(f"{{{_SPREADSHEET}}}c"):
        value = values.get(cell.get("r", ""))
        if value is None:
            continue
        stored = cell.find(f"{{{_SPREADSHEET}}}v")
        assert stored is not None  # openpyxl writes one for each number and formula
        stored.text = value if isinstance(value, str) else repr(value)
        if isinstance(value, str):
            cell.set("t", "str")  # the result of a formula that is a text
    result: bytes = ElementTree.tostring(root, encoding="utf-8", xml_declaration=True)
    return result
