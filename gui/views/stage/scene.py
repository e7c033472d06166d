"""Everything that the stage view draws, laid out: built once for a state and a size, then painted and clicked on."""

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
from gui.views.stage.operand_layout import (
    OperationLayout,
    OperationLayouter,
    PlacedOperand,
    names_fit,
)
from gui.views.stage.operation import Operator, Target, target, with_axis_names_of
from gui.views.stage.operation_builder import operation

MARGIN = 16.0
BETWEEN = 8.0
LOW = 300.0
FEW_ROWS = 8  # of a matrix that is not cut for a road's sake
LEAST_ROOM = 118.0  # of the matrices, before the sum gives way to them


class StageScene(Struct, frozen=True, eq=False):
    """The whole picture."""

    state: State
    target: Target
    header: Header
    placed: tuple[PlacedOperand, ...]
    operators: tuple[tuple[Operator, QRectF], ...]
    card: SumCard
    card_rect: QRectF

    def cell_at(self, point: QPointF) -> Cell | None:
        """The cell that a click at a point means: of a stage or of an entered tensor."""
        for placed in self.placed:
            found = placed.cell_at(point)
            if found is not None and placed.operand.tensor:
                row, column = reversed(found) if placed.operand.transposed else found
                return Cell(placed.operand.tensor, row, column, placed.operand.head)
        return None

    def cell_rect(self, cell: Cell) -> QRectF | None:
        """Where a cell is seen; None where it is not."""
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
        """The result's cell that a click on a row's or a column's label means."""
        cell = self.target.cell
        for placed in self.placed:
            for area, axis, part in (
                (placed.row_labels, placed.operand.rows, placed.rows),
                (placed.column_labels, placed.operand.columns, placed.columns),
            ):
                named = placed.names_rows if area == placed.row_labels else placed.names_columns
                if axis not in ("i", "j") or not named or not area.contains(point):
                    continue
                along = (
                    (point.y() - area.y()) / area.height()
                    if area == placed.row_labels
                    else ((point.x() - area.x()) / area.width())
                )
                index = part.start + min(int(along * part.count), part.count - 1)
                row, column = (index, cell.column) if axis == "i" else (cell.row, index)
                return Cell(cell.tensor, row, column, cell.head)
        return None


def build_scene(
    state: State, rect: QRectF, *, formula: bool = True, chip: float = 0.0, brief: bool = False
) -> StageScene:
    """Lay everything out in a rectangle; without the formula where it is not typeset yet.

    `chip` is the width that is kept free at the end of the title's line; `brief` says less, so that little room is
    enough for the matrices.
    """
    looked_at = target(state)
    inner = inner_rect(rect)
    header = partial(
        make_header,
        state,
        looked_at,
        inner,
        blank=is_row_masked(state, looked_at),
        chip=chip,
        brief=brief,
    )
    making = _SceneBuilder(state, looked_at, inner, brief)
    draft = making.draft(header(formula=formula))
    if brief and draft.header.latex and draft.operation.cut:
        bare = making.draft(header(formula=False))
        if bare.operation.readable > draft.operation.readable:
            draft = bare  # a formula is worth less than a row of numbers
    placed, signs = draft.operation.placed
    summed, said = draft.operation.cut_sum, draft.header
    if summed is not None and not draft.card.rows:  # the sum itself would tell
        said = with_note(
            said,
            tr(
                "products {first} – {last} of {total}",
                first=summed.start + 1,
                last=summed.stop,
                total=summed.total,
            ),
        )
    return StageScene(state, looked_at, said, placed, signs, draft.card, draft.card_rect)


@dataclass(frozen=True, slots=True)
class _SceneDraft:
    """A scene before all is in its place."""

    header: Header
    card: SumCard
    card_rect: QRectF
    operation: OperationLayout


class _SceneBuilder:
    """A scene in the making: what is the same in every draft of it is worked out once."""

    def __init__(self, state: State, looked_at: Target, inner: QRectF, brief: bool) -> None:
        self._inner, self._brief = inner, brief
        self._telling = CardTexts(state, looked_at)
        self._wordings = _wordings(state, looked_at)

    def draft(self, header: Header) -> _SceneDraft:
        """With all that the card has to say; with less where that shows numbers, or all rows of a small matrix."""
        inner, brief = self._inner, self._brief
        most = max(64.0 if brief else 98.0, (inner.height() - header.height) * 0.43)
        best, lowest = None, math.inf
        for said in (CardLength.SUM,) if brief else self._telling.lengths:
            card = make_card(self._telling, inner.width(), most, said)
            if card.height >= lowest:
                continue  # as little room for the matrices as with what was tried before
            lowest = card.height
            if brief and inner.height() - header.height - card.height < LEAST_ROOM:
                card = _silent(card)
            draft = self._with_card(header, card)
            if brief and draft.operation.cut_sum is not None:
                alone = self._with_card(header, _silent(card))
                draft = (
                    alone if alone.operation.cut_sum is None else draft
                )  # all products, rather than their sum
            if best is None or not best.operation.readable or not draft.operation.cut:
                best = draft  # rather numbers without the road to them than a road without numbers
            if best.operation.readable and not best.operation.loses(FEW_ROWS):
                break
        assert best is not None, "there is always something to say"
        return best

    def _with_card(self, header: Header, card: SumCard) -> _SceneDraft:
        inner = self._inner
        card_rect = QRectF(inner.x(), inner.bottom() - card.height, inner.width(), card.height)
        top = inner.y() + header.height + BETWEEN
        middle = QRectF(inner.x(), top, inner.width(), card_rect.y() - BETWEEN - top)
        return _SceneDraft(header, card, card_rect, self._arranged(middle))

    def _arranged(self, rect: QRectF) -> OperationLayout:
        """The operation in the fullest wording that has room and costs no numbers."""
        *fuller, least = self._wordings
        plain = least.lay_out(rect)
        for wording in fuller:
            found = wording.lay_out(rect)
            if (
                all(names_fit(placed, rect) for placed in found.placed[0])
                and found.readable >= plain.readable
            ):
                return found
        return plain


def _silent(card: SumCard) -> SumCard:
    """A card that says nothing."""
    return replace(card, rows=(), height=0.0, code=())


def _wordings(state: State, looked_at: Target) -> tuple[OperationLayouter, ...]:
    """The operation with its labels: in both languages, or only its titles, or in one language."""
    full = operation(state, looked_at)
    if state.preferences.labels == "one":
        return (OperationLayouter(full, state),)
    with labelled("one"):
        plain = operation(state, looked_at)
    return tuple(
        OperationLayouter(wording, state)
        for wording in (full, with_axis_names_of(full, plain), plain)
    )


def inner_rect(rect: QRectF) -> QRectF:
    """A rectangle without its margins."""
    return rect.adjusted(MARGIN, MARGIN - 4, -MARGIN, -MARGIN + 2)


def is_low(rect: QRectF) -> bool:
    """Whether a rectangle is too low for all that a stage has to say."""
    return rect.height() < LOW
