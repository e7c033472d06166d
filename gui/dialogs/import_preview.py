"""The first numbers of a matrix that is to come in, with its labels, before anything changes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from core.base.arrays import Array
from gui.painting.color_scale import levels_of
from gui.painting.matrix import MatrixSpec, longest_text, paint_matrix
from gui.painting.scaling import in_units, room_in_units
from gui.painting.text_size import factor, px
from gui.painting.theme import BODY, CAPTION, Colours, font, role_colour
from gui.texts.translation import tr
from gui.widgets.forms import theme_of

MOST = 12
_TITLE, _LABEL, _GAP, _DOTS = 28.0, 20.0, 8.0, 16.0
_SIDE, _LEAST = 72.0, 24.0
_LARGEST = (62.0, 34.0)
TALLEST = math.ceil(_TITLE + _LABEL + _DOTS + MOST * _LEAST)  # pixels, with cells that are low


@dataclass(frozen=True, slots=True, eq=False)
class Shown:
    """A matrix as it will be seen: its symbol, its numbers, and what stands beside and above them."""

    tensor: str
    title: str
    values: Array
    rows: Sequence[str]
    columns: Sequence[str]
    decimals: int


class Preview(QWidget):
    """At most 12 × 12 numbers; dots say that there are more."""

    def __init__(self) -> None:
        super().__init__()
        self.shown: Shown | None = None
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)

    def sizeHint(self) -> QSize:
        """Room for a small matrix."""
        return QSize(px(420), px(min(TALLEST, self._wanted())))

    def minimumSizeHint(self) -> QSize:
        """The least at which numbers can be read."""
        return QSize(px(360), px(min(260, self._wanted())))

    def _wanted(self) -> int:
        """The height in which the first numbers have their largest cells."""
        rows = MOST if self.shown is None else min(MOST, self.shown.values.shape[0])
        return math.ceil(_TITLE + _LABEL + _DOTS + rows * _LARGEST[1])

    def show_matrix(self, shown: Shown | None) -> None:
        """Draw this one, or nothing."""
        self.shown = shown
        name = "" if shown is None else f"{shown.title} {shape_text(shown.values)}"
        self.setAccessibleName(tr("Preview: {tensors}", tensors=name))
        self.updateGeometry()
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Title, labels, cells in the colours of their values."""
        if self.shown is None:
            return
        with QPainter(self) as painter, in_units(painter, self.rect(), factor()):
            self._paint(painter, self.shown, theme_of(self))

    def _paint(self, painter: QPainter, shown: Shown, theme: Colours) -> None:
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
        return room_in_units(self.rect(), factor())

    def _part(self, shown: Shown) -> Array:
        """The first numbers, as many as can be read."""
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

    def _paint_title(self, painter: QPainter, shown: Shown, theme: Colours) -> None:
        line = QRectF(_SIDE + _GAP, 0, self._room().width() - _SIDE - _GAP, _TITLE)
        left = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop
        painter.setFont(font(BODY, bold=True))
        painter.setPen(role_colour(theme, shown.tensor))
        painter.drawText(line, left, shown.title)
        drawn = painter.fontMetrics().horizontalAdvance(shown.title)
        painter.setFont(font(CAPTION))
        painter.setPen(QColor(theme.muted))
        painter.drawText(line.adjusted(drawn + 8, 1, 0, 0), left, shape_text(shown.values))

    def _paint_labels(
        self, painter: QPainter, rect: QRectF, shown: Shown, size: tuple[int, ...], theme: Colours
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
    """3 × 4."""
    return " × ".join(map(str, values.shape))
