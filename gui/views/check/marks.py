"""The marks of numbers (tick, arrow, cross), and a line that counts them."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPaintEvent, QPen, QPolygonF
from PySide6.QtWidgets import QSizePolicy, QWidget

from core.check.report import FOLLOWS, NEARLY, RIGHT, WRONG, CheckReport
from gui.painting.text_size import face, px
from gui.painting.theme import BODY, LIGHT, Colours
from gui.texts.translation import tr
from gui.views.check.wording import counted, verdict_counts

Polylines = tuple[tuple[tuple[float, float], ...], ...]

# In a square of 1 × 1.
_SHAPES: dict[str, Polylines] = {
    RIGHT: (((0.1, 0.55), (0.4, 0.85), (0.92, 0.15)),),
    NEARLY: (
        ((0.05, 0.4), (0.3, 0.24), (0.68, 0.42), (0.95, 0.26)),
        ((0.05, 0.74), (0.3, 0.58), (0.68, 0.76), (0.95, 0.6)),
    ),
    FOLLOWS: (((0.05, 0.5), (0.92, 0.5)), ((0.6, 0.18), (0.92, 0.5), (0.6, 0.82))),
    WRONG: (((0.15, 0.15), (0.85, 0.85)), ((0.85, 0.15), (0.15, 0.85))),
}


def mark_colour(theme: Colours, verdict: str) -> QColor:
    """Green, blue or red; the text's colour where there is no verdict."""
    names = {RIGHT: theme.value, NEARLY: theme.value, FOLLOWS: theme.accent, WRONG: theme.error}
    return QColor(names.get(verdict, theme.text))


def paint_mark(painter: QPainter, rect: QRectF, verdict: str, theme: Colours) -> None:
    """Paint the mark of a verdict into a rectangle; nothing for none."""
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    pen = QPen(mark_colour(theme, verdict), max(1.5, rect.width() * 0.17))
    pen.setCapStyle(Qt.PenCapStyle.RoundCap)
    pen.setJoinStyle(Qt.PenJoinStyle.RoundJoin)
    painter.setPen(pen)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    for line in _SHAPES.get(verdict, ()):
        points = [
            QPointF(rect.x() + x * rect.width(), rect.y() + y * rect.height()) for x, y in line
        ]
        painter.drawPolyline(QPolygonF(points))
    painter.restore()


MARK_SIZE, GAP, APART = 10.0, 6.0, 18.0


class ScoreLine(QWidget):
    """A mark and a count for each verdict; with words where they fit."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = LIGHT
        self._counts: list[tuple[str, int]] = []
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)

    def show_report(self, report: CheckReport | None, stage: str, theme: Colours) -> None:
        """Show how many numbers of a stage have each verdict."""
        self._theme, self._counts = theme, verdict_counts(report, stage)
        self.setAccessibleName(self.text)
        self.setToolTip(self.text)
        self.setVisible(bool(self._counts))
        self.update()

    @property
    def text(self) -> str:
        """All counts with words."""
        return tr(" · ").join(counted(*count) for count in self._counts)

    def sizeHint(self) -> QSize:
        """One line."""
        return QSize(px(200), px(20))

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint marks, counts and words."""
        with QPainter(self) as painter:
            metrics = QFontMetricsF(face(BODY))
            texts = [counted(*count) for count in self._counts]
            mark, gap, apart = px(MARK_SIZE), px(GAP), px(APART)
            wide = (
                sum(metrics.horizontalAdvance(text) + mark + gap + apart for text in texts) - apart
            )
            if wide > self.width():
                texts = [str(count) for _, count in self._counts]
            painter.setFont(face(BODY))
            x, middle = 1.0, self.height() / 2
            for (verdict, _), text in zip(self._counts, texts, strict=True):
                paint_mark(painter, QRectF(x, middle - mark / 2, mark, mark), verdict, self._theme)
                painter.setPen(QColor(self._theme.text))
                line = QRectF(x + mark + gap, 0, metrics.horizontalAdvance(text) + 2, self.height())
                painter.drawText(
                    line, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, text
                )
                x = line.right() + apart
