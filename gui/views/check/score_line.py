"""How many numbers are right, follow, are wrong: one quiet line."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from core.check import FOLLOWS, RIGHT, WRONG
from gui.painting.text_size import face, px
from gui.painting.theme import BODY, LIGHT, Colours
from gui.texts.translation import tr
from gui.views.check.marks import paint_mark
from gui.views.check.wording import counted

MARK, GAP, APART = 10.0, 6.0, 18.0


class Tally(QWidget):
    """A mark and a number for each verdict that occurs; words as far as there is room."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = LIGHT
        self._counts: tuple[tuple[str, int], ...] = ()
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)

    def show_counts(self, counts: dict[str, int], theme: Colours) -> None:
        """These counts, those of 0 left out."""
        self._theme = theme
        self._counts = tuple(
            (verdict, counts[verdict]) for verdict in (RIGHT, FOLLOWS, WRONG) if counts[verdict]
        )
        self.setAccessibleName(self.text)
        self.setToolTip(self.text)
        self.setVisible(bool(self._counts))
        self.update()

    @property
    def text(self) -> str:
        """The line in words."""
        return tr(" · ").join(counted(*count) for count in self._counts)

    def sizeHint(self) -> QSize:
        """One line."""
        return QSize(px(200), px(20))

    def paintEvent(self, event: QPaintEvent) -> None:
        """Marks drawn, words beside them."""
        with QPainter(self) as painter:
            metrics = QFontMetricsF(face(BODY))
            texts = [counted(*count) for count in self._counts]
            mark, gap, apart = px(MARK), px(GAP), px(APART)
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
