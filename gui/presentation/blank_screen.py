"""A black or a white screen, and words that stand over the picture for a moment."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt, QTimer, Signal
from PySide6.QtGui import QColor, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from gui.presentation.overlay import Said, paint_words

NONE, BLACK, WHITE = "", "black", "white"
MOMENT = 1200  # milliseconds


class BlankScreen(QWidget):
    """Covers everything in one colour until it is lifted by a key or a click. `changed()`: drawn or lifted."""

    changed = Signal()

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
        self.changed.emit()

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
    """A few large words in the middle, such as the number that is being typed, and smaller ones below.

    `changed()`: others, or none any more; `gone()`: none any more.
    """

    changed = Signal()
    gone = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("words")
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self._said, self._shade = Said(), "light"
        self._moment = QTimer(self, singleShot=True, interval=MOMENT)
        self._moment.timeout.connect(self.end)
        self.hide()

    @property
    def large(self) -> str:
        """The large words that were said last."""
        return self._said.large

    @property
    def small(self) -> str:
        """The small ones."""
        return self._said.small

    @property
    def said(self) -> Said:
        """What is seen of them."""
        return Said() if self.isHidden() else self._said

    def say(
        self, large: str, small: str, shade: str, moment: int = MOMENT, *, aside: bool = False
    ) -> None:
        """Show words for a moment, in milliseconds; `aside` in the upper right corner, where they hide less."""
        self._said, self._shade = Said(large, small, aside), shade
        self.setAccessibleName(f"{large} {small}".strip())
        self._moment.start(moment)
        self.show()
        self.raise_()
        self.update()
        self.changed.emit()

    def end(self) -> None:
        """Take them away."""
        self._moment.stop()
        if not self.isHidden():
            self.hide()
            self.gone.emit()
            self.changed.emit()

    def paintEvent(self, event: QPaintEvent) -> None:
        """On a patch in the middle."""
        with QPainter(self) as painter:
            paint_words(painter, QRectF(self.rect()), self._said, self._shade)
