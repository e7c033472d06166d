"""An Excel workbook that computes the run itself: a sheet for each stage, formulas that read the sheets before it.

Only functions that every spreadsheet has: MMULT of a row and a column (one number, no array formula), SUMPRODUCT,
SUM, MAX, EXP, SIN, COS, IF. Entered numbers are yellow; change one and everything after it follows. Spreadsheets know
no −∞: a masked score is the text "−∞", which MAX passes over and the exponentials count as 0.
"""

from __future__ import annotations

import io
import math

from core.base.errors import UserError
from core.document.document import Document
from core.exchange.labels import Labels
from core.exchange.sheets import Book
from core.exchange.workbook_formulas import Formulas
from core.stages import Stage, plan

LARGEST = 300_000  # cells of all stages together
WIDEST = 16_000  # columns; Excel ends at 16,384


def workbook(document: Document, labels: Labels) -> bytes:
    """The workbook's bytes. Raises UserError "export.too_large" (format, size, limit)."""
    _require_size(document)
    book = Book(labels)
    formulas = Formulas(document, book, labels)
    for stage in plan(document):
        _stage_sheet(document, book, formulas, stage)
    content = io.BytesIO()
    book.save(content)
    return content.getvalue()


def _require_size(document: Document) -> None:
    cells = 0
    for stage in plan(document):
        shape = document.stage_shape(stage.id)
        cells += math.prod(shape)
        if shape[-1] > WIDEST:
            raise UserError("export.too_large", format="xlsx", size=shape[-1], limit=WIDEST)
    if cells > LARGEST:
        raise UserError("export.too_large", format="xlsx", size=cells, limit=LARGEST)


def _stage_sheet(document: Document, book: Book, formulas: Formulas, stage: Stage) -> None:
    formulas.prepare(stage)
    shape = document.stage_shape(stage.id)
    sheet = book.add(
        stage.id, f"{stage.symbol}   {' × '.join(map(str, shape))}", entered=stage.entered
    )
    rows, columns = (
        document.labels(axis) or tuple(map(str, range(1, document.sizes[axis] + 1)))
        for axis in stage.axes[-2:]
    )
    sheet.lay_out(formulas.head_names if stage.headwise else [""], rows, columns)
    pins = {pin.cell: pin.value for pin in document.pins if pin.stage == stage.id}
    cell = formulas.cell_of(stage)
    for head in range(sheet.blocks):
        for row in range(shape[-2]):
            for column in range(shape[-1]):
                sheet.set(head, row, column, cell(head, row, column))
    for place, value in pins.items():
        sheet.pin(place.head, place.row, place.column, value)
    if stage.kind.shares:
        sheet.shade()
