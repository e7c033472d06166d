"""A black or a white screen, and words that stand over the picture for a moment."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, Qt, QTimer, Signal
from PySide6.QtGui import QColor, QFontMetricsF, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from gui.presenting.sizes import unit_for
from gui.theme import DISPLAY, TITLE, colours, font
from gui.units import in_units

NONE, BLACK, WHITE = "", "black", "white"
MOMENT = 1200  # milliseconds
AIR = 16.0


class Curtain(QWidget):
    """Covers everything in one colour until it is lifted by a key or a click."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("curtain")
        self.colour = NONE
        self.hide()

    def toggle(self, colour: str) -> None:
        """Black or white; the same colour again lifts it."""
        self.colour = NONE if self.colour == colour else colour
        self.setVisible(self.colour != NONE)
        self.raise_()
        self.update()

    def lift(self) -> bool:
        """Away with it; whether it was there."""
        was = self.colour != NONE
        self.toggle(self.colour)
        return was

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """A click lifts it, and means nothing else."""
        self.lift()

    def paintEvent(self, event: QPaintEvent) -> None:
        """One colour."""
        with QPainter(self) as painter:
            painter.fillRect(self.rect(), QColor(self.colour or BLACK))


class Words(QWidget):
    """A few large words in the middle, such as the number that is being typed, and smaller ones below."""

    gone = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("words")
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.large, self.small, self._shade, self._aside = "", "", "light", False
        self._moment = QTimer(self, singleShot=True, interval=MOMENT)
        self._moment.timeout.connect(self.end)
        self.hide()

    def say(self, large: str, small: str, shade: str, moment: int = MOMENT, *, aside: bool = False) -> None:
        """Show words for a moment, in milliseconds; `aside` in the upper right corner, where they hide less."""
        self.large, self.small, self._shade, self._aside = large, small, shade, aside
        self.setAccessibleName(f"{large} {small}".strip())
        self._moment.start(moment)
        self.show()
        self.raise_()
        self.update()

    def end(self) -> None:
        """Take them away."""
        self._moment.stop()
        if not self.isHidden():
            self.hide()
            self.gone.emit()

    def paintEvent(self, event: QPaintEvent) -> None:
        """On a patch in the middle."""
        theme = colours(self._shade)
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            with in_units(painter, self.rect(), unit_for("words", self.height())) as room:
                large, small = font(DISPLAY * 2, bold=True), font(TITLE)
                if len(self.large) > 4:
                    large = font(DISPLAY, bold=True)
                above, below = QFontMetricsF(large), QFontMetricsF(small)
                wide = max(above.horizontalAdvance(self.large), below.horizontalAdvance(self.small), 60.0)
                patch = QRectF(0, 0, wide + 48, above.height() + (26 if self.small else 0) + 20)
                if self._aside:
                    patch.moveTopRight(room.topRight() + QPointF(-AIR, AIR))
                else:
                    patch.moveCenter(room.center())
                painter.setPen(QColor(theme.accent))
                painter.setBrush(QColor(theme.surface))
                painter.drawRoundedRect(patch, 14, 14)
                inner = patch.adjusted(0, 8, 0, -10)
                painter.setPen(QColor(theme.text))
                painter.setFont(large)
                painter.drawText(inner, int(Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignTop), self.large)
                painter.setPen(QColor(theme.muted))
                painter.setFont(small)
                painter.drawText(inner, int(Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignBottom), self.small)
