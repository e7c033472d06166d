"""What the colours of the diagram and the marks of the table mean."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from core.check.report import FOLLOWS, RIGHT, WRONG
from core.classroom.marking import BLANK
from gui.classroom.error_diagram import ErrorPicture, colour_of
from gui.classroom.student_table import paint_mark
from gui.painting.text_size import px, set_font
from gui.painting.theme import CAPTION, colours
from gui.texts.translation import tr

SIDE, LINE = 11, 22  # pixels of a mark and of a line at 100 %


def verdict_names() -> dict[str, str]:
    """The verdicts with their short names, in the current language."""
    return {
        WRONG: tr("Wrong"),
        FOLLOWS: tr("Following"),
        RIGHT: tr("Right"),
        BLANK: tr("Blank"),
    }


class Scale(QWidget):
    """The colours of the counts, from 0 to the largest."""

    STEPS = 5

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._picture: ErrorPicture | None = None
        set_font(self, CAPTION)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

    def show_picture(self, picture: ErrorPicture) -> None:
        """Show the scale of a picture."""
        self._picture = picture
        self.setAccessibleName(tr("Colours from 0 to {most}", most=picture.most))
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        """Five boxes between two numbers."""
        return QSize(px(150), px(20))

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint the boxes and numbers."""
        picture = self._picture
        if picture is None:
            return
        theme = colours(picture.state.shade)
        with QPainter(self) as painter:
            painter.setPen(QColor(theme.muted))
            inner = QRectF(self.rect())
            side = (inner.width() - px(50)) / self.STEPS
            left = inner.adjusted(0, 0, -inner.width() + px(18), 0)
            right = inner.adjusted(inner.width() - px(24), 0, 0, 0)
            painter.drawText(
                left, int(Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight), "0"
            )
            painter.drawText(right, int(Qt.AlignmentFlag.AlignVCenter), str(picture.most))
            for step in range(self.STEPS):
                place = QRectF(
                    px(22) + step * side, inner.y() + px(5), side, inner.height() - px(10)
                )
                most = self.STEPS - 1
                painter.fillRect(place, colour_of(theme, picture.verdict, step, most))
            painter.setPen(QColor(theme.line))
            painter.drawRect(QRectF(px(22), px(5), self.STEPS * side, inner.height() - px(10)))


class Marks(QWidget):
    """What the marks of the table mean."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._shade = "light"
        set_font(self, CAPTION)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def paint_in(self, shade: str) -> None:
        """Apply a theme and the language."""
        self._shade = shade
        self.setAccessibleName(tr(", ").join(verdict_names().values()))
        self.update()

    def sizeHint(self) -> QSize:
        """A line."""
        return QSize(px(300), px(LINE))

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint each mark with its word."""
        theme, side, x = colours(self._shade), px(SIDE), 0
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            for verdict, word in verdict_names().items():
                top = (self.height() - side) / 2
                paint_mark(painter, QRectF(x, top, side, side), verdict, theme)
                painter.setPen(QColor(theme.muted))
                place = QRectF(x + side + px(5), 0, self.width(), self.height())
                painter.drawText(place, int(Qt.AlignmentFlag.AlignVCenter), word)
                x += side + painter.fontMetrics().horizontalAdvance(word) + px(22)
