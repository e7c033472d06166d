"""Import dialog: the form of choices, the preview of the matrix, and the sentences about both."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPaintEvent
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QGridLayout,
    QLabel,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from core.base.arrays import Array
from core.document.document import Document
from core.document.orientation import Orientation
from core.explain.timeline import has_heads
from gui.dialogs.import_plan import (
    ALL,
    ImportPlan,
    TensorPlace,
    current_shape,
    is_vector,
    rows_are_tokens,
)
from gui.painting.color_scale import levels_of
from gui.painting.matrix import MatrixSpec, longest_text, paint_matrix
from gui.painting.shapes import write
from gui.painting.text_size import factor, in_units, px, set_font, set_least, size_in_units
from gui.painting.theme import BODY, CAPTION, Colours, font, role_colour
from gui.session.state import State
from gui.texts.names import axes_of, head_name, header, long_name, symbol, visible_token
from gui.texts.translation import tr
from gui.widgets.forms import caption, label_field, sentence_label, theme_of, without_mnemonic
from gui.widgets.layouts import Gap, fill


class ImportForm(QWidget):
    """Choose part, tensor, head and orientation.

    `part_wanted`: read other numbers; `tensor_wanted`: another tensor; `changed`: any other choice.
    """

    part_wanted = Signal()
    tensor_wanted = Signal()
    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.part, self.tensor, self.head, self.piece = (_combo() for _ in range(4))
        self.part.activated.connect(self.part_wanted)
        self.tensor.activated.connect(self.tensor_wanted)
        self.head.activated.connect(self.changed)
        self.piece.activated.connect(self.changed)
        self.turn, self.labels = (
            QCheckBox(tr("&Transpose")),
            QCheckBox(tr("Use the &labels as tokens")),
        )
        for box in (self.turn, self.labels):
            box.setAccessibleName(without_mnemonic(box.text()))
            box.clicked.connect(self.changed)
        self.turn_note, self.outcome, self.others = caption(), sentence_label(), caption()
        self.changes = QLabel(tr("What changes"))
        set_font(self.changes, BODY, bold=True)
        for label in (self.turn_note, self.outcome, self.others):
            label.setTextFormat(Qt.TextFormat.PlainText)
        self._rows: dict[QWidget, QLabel] = {}
        self._lay_out()

    def _lay_out(self) -> None:
        grid = QGridLayout()
        grid.setHorizontalSpacing(14)
        grid.setVerticalSpacing(8)
        grid.setColumnStretch(1, 1)
        texts = (tr("&Array"), tr("&Becomes"), tr("&Head"), tr("&Matrix"))
        for text, widget in zip(
            texts, (self.part, self.tensor, self.head, self.piece), strict=True
        ):
            label = QLabel()
            label.setBuddy(widget)
            label_field(label, widget, text)
            grid.addWidget(label, grid.rowCount(), 0)
            grid.addWidget(widget, grid.rowCount() - 1, 1)
            self._rows[widget] = label
        column = fill(QVBoxLayout(self), grid, Gap(4), spacing=8)
        for line in (self.turn, self.turn_note, self.labels):
            column.addWidget(line)
        column.addSpacing(12)
        for label in (self.changes, self.outcome, self.others):
            column.addWidget(label)
        column.addStretch(1)

    # Choices

    @property
    def name(self) -> str:
        """The name of the part."""
        return str(self.part.currentData() or "")

    @property
    def place(self) -> TensorPlace:
        """The chosen tensor and head."""
        return TensorPlace(str(self.tensor.currentData()), int(self.head.currentData() or 0))

    # Entries

    def fill(self, combo: QComboBox, entries: Iterable[tuple[str, object]], chosen: object) -> None:
        """Replace the entries: text and value."""
        combo.clear()
        for text, value in entries:
            combo.addItem(text, value)
        combo.setCurrentIndex(max(0, combo.findData(chosen)))

    def choose(self, combo: QComboBox, value: object) -> None:
        """Choose an entry."""
        combo.setCurrentIndex(max(0, combo.findData(value)))

    def tell(self, outcome: str, others: str, note: str) -> None:
        """Show what will change."""
        for label, text in ((self.outcome, outcome), (self.others, others), (self.turn_note, note)):
            label.setText(text)
            label.setVisible(bool(text))
        self.changes.setVisible(bool(outcome))

    def fit(self, *, there: bool, stacked: bool, turns: bool, labelled: bool) -> None:
        """Show the fields that apply."""
        self._show(self.part, self.part.count() > 1)
        self._show(self.tensor, there)
        self._show(self.head, there and self.head.count() > 1)
        self._show(self.piece, stacked and self.place.head != ALL)
        self.turn.setVisible(turns)
        self.labels.setVisible(labelled)

    def _show(self, widget: QWidget, on: bool) -> None:
        widget.setVisible(on)
        self._rows[widget].setVisible(on)


def _combo() -> QComboBox:
    combo = QComboBox()
    set_least(combo, 200)
    combo.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
    return combo


MOST = 12
_TITLE, _LABEL, _GAP, _DOTS = 28.0, 20.0, 8.0, 16.0
_SIDE, _LEAST = 72.0, 24.0
_LARGEST = (62.0, 34.0)
TALLEST = math.ceil(_TITLE + _LABEL + _DOTS + MOST * _LEAST)  # pixels, with the lowest cells


@dataclass(frozen=True, slots=True, eq=False)
class PreviewMatrix:
    """A matrix with title and labels for the preview."""

    tensor: str
    title: str
    values: Array
    rows: Sequence[str]
    columns: Sequence[str]
    decimals: int


class MatrixPreview(QWidget):
    """Show at most 12 × 12 numbers; dots stand for the others."""

    def __init__(self) -> None:
        super().__init__()
        self.shown: PreviewMatrix | None = None
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)

    def sizeHint(self) -> QSize:
        """A size for small matrices."""
        return QSize(px(420), px(min(TALLEST, self._wanted())))

    def minimumSizeHint(self) -> QSize:
        """The smallest readable size."""
        return QSize(px(360), px(min(260, self._wanted())))

    def _wanted(self) -> int:
        """The height with the largest cells."""
        rows = MOST if self.shown is None else min(MOST, self.shown.values.shape[0])
        return math.ceil(_TITLE + _LABEL + _DOTS + rows * _LARGEST[1])

    def show_matrix(self, shown: PreviewMatrix | None) -> None:
        """Show a matrix, or nothing."""
        self.shown = shown
        name = "" if shown is None else f"{shown.title} {shape_text(shown.values)}"
        self.setAccessibleName(tr("Preview: {tensors}", tensors=name))
        self.updateGeometry()
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint title, labels and coloured cells."""
        if self.shown is None:
            return
        with QPainter(self) as painter, in_units(painter, self.rect(), factor()):
            self._paint(painter, self.shown, theme_of(self))

    def _paint(self, painter: QPainter, shown: PreviewMatrix, theme: Colours) -> None:
        self._paint_title(painter, shown, theme)
        part = self._part(shown)
        rect = self._rect(part)
        paint_matrix(
            painter,
            rect,
            MatrixSpec(part, levels_of(shown.values, shown.tensor), shown.decimals),
            theme,
        )
        self._paint_labels(painter, rect, shown, part.shape, theme)

    def _room(self) -> QRectF:
        return size_in_units(self.rect(), factor())

    def _part(self, shown: PreviewMatrix) -> Array:
        """The first numbers, as many as are readable."""
        widest = QFontMetricsF(font(CAPTION)).horizontalAdvance(
            longest_text(shown.values[:MOST, :MOST], shown.decimals)
        )
        rows = int((self._room().height() - _TITLE - _LABEL - _DOTS) / _LEAST)
        columns = int((self._room().width() - _SIDE - _GAP - _DOTS) / (widest + 12.0))
        return shown.values[: max(1, min(MOST, rows)), : max(1, min(MOST, columns))]

    def _rect(self, part: Array) -> QRectF:
        rows, columns = part.shape
        width = (self._room().width() - _SIDE - _GAP - _DOTS) / columns
        height = (self._room().height() - _TITLE - _LABEL - _DOTS) / rows
        cell = min(_LARGEST[0], width), min(_LARGEST[1], height)
        return QRectF(_SIDE + _GAP, _TITLE + _LABEL, cell[0] * columns, cell[1] * rows)

    def _paint_title(self, painter: QPainter, shown: PreviewMatrix, theme: Colours) -> None:
        line = QRectF(_SIDE + _GAP, 0, self._room().width() - _SIDE - _GAP, _TITLE)
        left = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop
        write(
            painter,
            line,
            shown.title,
            font(BODY, bold=True),
            role_colour(theme, shown.tensor),
            left,
        )
        drawn = painter.fontMetrics().horizontalAdvance(shown.title)
        write(
            painter,
            line.adjusted(drawn + 8, 1, 0, 0),
            shape_text(shown.values),
            font(CAPTION),
            theme.muted,
            left,
        )

    def _paint_labels(
        self,
        painter: QPainter,
        rect: QRectF,
        shown: PreviewMatrix,
        size: tuple[int, ...],
        theme: Colours,
    ) -> None:
        face = font(CAPTION)
        metrics, cut = QFontMetricsF(face), Qt.TextElideMode.ElideRight
        painter.setFont(face)
        painter.setPen(QColor(theme.muted))
        rows, columns = size
        width, height = rect.width() / columns, rect.height() / rows
        middle = Qt.AlignmentFlag.AlignVCenter
        for i, label in enumerate(shown.rows[:rows]):
            place = QRectF(0, rect.y() + i * height, _SIDE, height)
            painter.drawText(
                place, Qt.AlignmentFlag.AlignRight | middle, metrics.elidedText(label, cut, _SIDE)
            )
        for j, label in enumerate(shown.columns[:columns]):
            place = QRectF(rect.x() + j * width, _TITLE, width, _LABEL)
            painter.drawText(
                place,
                Qt.AlignmentFlag.AlignHCenter | middle,
                metrics.elidedText(label, cut, width - 2),
            )
        if shown.values.shape[1] > columns:
            beside = QRectF(rect.right(), rect.y(), _DOTS, rect.height())
            painter.drawText(beside, Qt.AlignmentFlag.AlignCenter, "…")
        if shown.values.shape[0] > rows:
            below = QRectF(rect.x(), rect.bottom(), rect.width(), _DOTS)
            painter.drawText(below, Qt.AlignmentFlag.AlignCenter, "⋮")


def shape_text(values: Array) -> str:
    """A shape as text: 3 × 4."""
    return " × ".join(map(str, values.shape))


def tensor_entry(document: Document, tensor: str) -> str:
    """The entry of a tensor in the list."""
    entry = f"{symbol(tensor, document)} · {long_name(tensor)}"
    return entry if tensor in document.inputs else tr("{name} (new)", name=entry)


def title(document: Document, place: TensorPlace) -> str:
    """The symbol of a tensor, with the head if there are several."""
    name = symbol(place.tensor, document)
    heads = document.scope(place.tensor).heads
    if not has_heads(place.tensor) or (len(heads) == 1 and place.head != ALL):
        return name
    of = tr("all heads") if place.head == ALL else head_name(place.head, heads[place.head].name)
    return tr("{name}, {head}", name=name, head=of)


def outcome(state: State, plan: ImportPlan) -> str:
    """The size of the tensor before and after."""
    tensor, document = plan.place.tensor, state.document
    before = current_shape(document, tensor)
    after = (plan.values.shape[-2], plan.values.shape[-1])
    name, now = title(document, plan.place), _size(after, state.orientation)
    if tensor not in document.inputs:
        return tr("{name} is new: {shape}", name=name, shape=now)
    if before == after:
        return tr("{name} gets new numbers and stays {shape}.", name=name, shape=now)
    return tr(
        "{name}: {before} becomes {after}",
        name=name,
        before=_size(before, state.orientation),
        after=now,
    )


def _size(shape: tuple[int, int], orientation: Orientation) -> str:
    return " × ".join(map(str, orientation.pair(*shape)))


def transpose_reason(plan: ImportPlan, orientation: Orientation) -> str:
    """Why a matrix is taken as transposed."""
    if is_vector(plan.place.tensor):
        return ""
    if not rows_are_tokens(plan.place.tensor):
        return tr("It looks transposed: PyTorch stores weights this way.")
    return (
        tr("The tokens seem to be rows.")
        if orientation.columns
        else tr("The tokens seem to be columns.")
    )


def preview_matrix(state: State, plan: ImportPlan) -> PreviewMatrix:
    """The matrix with labels as the window will show it; the first one of a stack."""
    tensor = plan.place.tensor
    values = plan.values[0] if plan.values.ndim == 3 else plan.values
    axes = zip(axes_of(tensor), values.shape, strict=True)
    down, across = (_labels(state.document, tensor, axis, size, plan.tokens) for axis, size in axes)
    rows, columns = state.orientation.pair(down, across)
    name = title(state.document, plan.place)
    return PreviewMatrix(
        tensor, name, state.orientation.matrix(values), rows, columns, state.decimals
    )


def _labels(
    document: Document, tensor: str, axis: str, size: int, tokens: tuple[str, ...]
) -> list[str]:
    indices = range(min(size, MOST))
    sentence = document.labels(axis)
    if sentence is None:
        return [header(tensor, axis, index, document) if axis else "" for index in indices]
    known = tokens if len(tokens) == size else sentence
    return [visible_token(known[index]) if index < len(known) else tr("new") for index in indices]
