"""The stage view laid out for a state and a size: header, matrices, operators and card."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import partial

from msgspec import Struct
from PySide6.QtCore import QPointF, QRectF

from core.base.cell import Cell
from gui.session.state import State
from gui.texts.translation import labelled, tr
from gui.views.stage.card import CardLength, CardTexts, SumCard, is_row_masked, make_card
from gui.views.stage.header import Header, make_header, with_note
from gui.views.stage.operand_layout import OperationLayout, PlacedOperand, names_fit
from gui.views.stage.operation import Operator, Target, target, with_axis_names_of
from gui.views.stage.operation_builder import operation
from gui.views.stage.size_fitting import OperationFitter

MARGIN = 16.0
GAP = 8.0  # between header, matrices and card
LOW = 300.0  # the height below which a scene is brief
FEW_ROWS = 8  # a matrix of so few rows is not cut for the sake of the next steps
LEAST_MATRICES_HEIGHT = 118.0  # before the sum gives way to the matrices


class StageScene(Struct, frozen=True, eq=False):
    """A complete scene; rectangles are in units."""

    state: State
    target: Target
    header: Header
    placed: tuple[PlacedOperand, ...]
    operators: tuple[tuple[Operator, QRectF], ...]
    card: SumCard
    card_rect: QRectF

    def cell_at(self, point: QPointF) -> Cell | None:
        """The cell of a stage or of an entered tensor at a point."""
        for placed in self.placed:
            found = placed.cell_at(point)
            if found is not None and placed.operand.tensor:
                row, column = reversed(found) if placed.operand.transposed else found
                return Cell(placed.operand.tensor, row, column, placed.operand.head)
        return None

    def cell_rect(self, cell: Cell) -> QRectF | None:
        """The rectangle of a cell; None if it is not visible."""
        for placed in self.placed:
            operand = placed.operand
            if (operand.tensor, operand.head) != (cell.tensor, cell.head):
                continue
            row, column = (cell.column, cell.row) if operand.transposed else (cell.row, cell.column)
            row, column = row - placed.rows.start, column - placed.columns.start
            if 0 <= row < placed.rows.count and 0 <= column < placed.columns.count:
                rect = placed.rect
                wide, high = rect.width() / placed.columns.count, rect.height() / placed.rows.count
                return QRectF(rect.x() + column * wide, rect.y() + row * high, wide, high)
        return None

    def label_at(self, point: QPointF) -> Cell | None:
        """The result's cell that a click on the label of a row or column focuses."""
        cell = self.target.cell
        for placed in self.placed:
            rows, columns, operand = placed.row_labels, placed.column_labels, placed.operand
            if placed.names_rows and operand.rows in ("i", "j") and rows.contains(point):
                axis, part, along = (
                    operand.rows,
                    placed.rows,
                    (point.y() - rows.y()) / rows.height(),
                )
            elif placed.names_columns and operand.columns in ("i", "j") and columns.contains(point):
                axis, part = operand.columns, placed.columns
                along = (point.x() - columns.x()) / columns.width()
            else:
                continue
            index = part.start + min(int(along * part.count), part.count - 1)
            row, column = (index, cell.column) if axis == "i" else (cell.row, index)
            return Cell(cell.tensor, row, column, cell.head)
        return None


def build_scene(
    state: State,
    rect: QRectF,
    *,
    formula: bool = True,
    chip: float = 0.0,
    brief: bool = False,
    card: bool = True,
) -> StageScene:
    """Lay everything out in a rectangle; without the formula where it is not typeset yet.

    `chip` is the width reserved at the end of the title's line; `brief` says less, to leave space
    for the matrices; `card` says whether there is a worked sum.
    """
    shown, inner = target(state), inner_rect(rect)
    blank = is_row_masked(state, shown)
    header = partial(make_header, state, shown, inner, blank=blank, chip=chip, brief=brief)
    builder = _SceneBuilder(state, shown, inner, brief, card)
    draft = builder.draft(header(formula=formula))
    if brief and draft.header.latex and draft.operation.cut:
        without = builder.draft(header(formula=False))
        if without.operation.readable > draft.operation.readable:
            draft = without  # numbers matter more than the formula
    placed, operators = draft.operation.placed
    part, header_ = draft.operation.cut_sum, draft.header
    if part is not None and not draft.card.rows:  # the sum would say which products are shown
        first, last = part.start + 1, part.stop
        note = tr("products {first} – {last} of {total}", first=first, last=last, total=part.total)
        header_ = with_note(header_, note)
    return StageScene(state, shown, header_, placed, operators, draft.card, draft.card_rect)


@dataclass(frozen=True, slots=True)
class _SceneDraft:
    """A scene whose matrices are not placed yet."""

    header: Header
    card: SumCard
    card_rect: QRectF
    operation: OperationLayout


class _SceneBuilder:
    """Drafts scenes with more or less text; what they share is worked out once."""

    def __init__(self, state: State, shown: Target, inner: QRectF, brief: bool, card: bool) -> None:
        self._inner, self._brief, self._has_card = inner, brief, card
        self._texts = CardTexts(state, shown)
        self._fitters = _fitters(state, shown)

    def draft(self, header: Header) -> _SceneDraft:
        """Draft with the longest card.

        With a shorter one if that shows numbers, or all rows of a small matrix.
        """
        inner, brief = self._inner, self._brief
        most = max(64.0 if brief else 98.0, (inner.height() - header.height) * 0.43)
        best, lowest = None, math.inf
        for length in (CardLength.SUM,) if brief else self._texts.lengths:
            card = make_card(self._texts, inner.width(), most, length)
            if card.height >= lowest:
                continue  # it leaves the matrices no more space than a card tried before
            lowest = card.height
            empty = replace(card, rows=(), height=0.0, code=())
            left = inner.height() - header.height - card.height
            if not self._has_card or (brief and left < LEAST_MATRICES_HEIGHT):
                card = empty
            draft = self._with_card(header, card)
            if brief and draft.operation.cut_sum is not None:
                alone = self._with_card(header, empty)
                if alone.operation.cut_sum is None:
                    draft = alone  # all products matter more than their sum
            if best is None or not best.operation.readable or not draft.operation.cut:
                best = draft
            if best.operation.readable and not best.operation.cuts_matrix_of(FEW_ROWS):
                break
        assert best is not None
        return best

    def _with_card(self, header: Header, card: SumCard) -> _SceneDraft:
        inner = self._inner
        card_rect = QRectF(inner.x(), inner.bottom() - card.height, inner.width(), card.height)
        top = inner.y() + header.height + GAP
        middle = QRectF(inner.x(), top, inner.width(), card_rect.y() - GAP - top)
        return _SceneDraft(header, card, card_rect, self._lay_out(middle))

    def _lay_out(self, rect: QRectF) -> OperationLayout:
        """The operation with the longest labels that fit and cost no numbers."""
        *longer, shortest = self._fitters
        plain = OperationLayout(shortest, rect)
        for fitter in longer:
            found = OperationLayout(fitter, rect)
            fits = all(names_fit(placed, rect) for placed in found.placed[0])
            if fits and found.readable >= plain.readable:
                return found
        return plain


def _fitters(state: State, shown: Target) -> tuple[OperationFitter, ...]:
    """The operation with labels in both languages, with only its titles so, and in one language."""
    full = operation(state, shown)
    if state.preferences.labels == "one":
        return (OperationFitter(full, state),)
    with labelled("one"):
        plain = operation(state, shown)
    wordings = full, with_axis_names_of(full, plain), plain
    return tuple(OperationFitter(wording, state) for wording in wordings)


def inner_rect(rect: QRectF) -> QRectF:
    """A rectangle without its margins."""
    return rect.adjusted(MARGIN, MARGIN - 4, -MARGIN, -MARGIN + 2)


def is_low(rect: QRectF) -> bool:
    """Whether a rectangle is too low for a complete scene."""
    return rect.height() < LOW
