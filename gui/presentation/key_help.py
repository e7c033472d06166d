"""The keys of the lecture room on a page over the hall's picture, in letters that the last row can read."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QFontMetricsF, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from gui.painting.scaling import in_units
from gui.painting.theme import BODY, DISPLAY, TITLE, colours, font
from gui.presentation.keys import HELP
from gui.presentation.sizes import unit_for
from gui.texts.translation import tr, tr_marked
from gui.widgets.keycaps import cap_places, paint_caps

# Units: the margin, between caps and words, a cap's height and its air, the title, and the most for a line.
MARGIN, GAP, CAP, AIR, HEAD, LINE = 24.0, 24.0, 23.0, 14.0, 48.0, 30.0


class KeysPage(QWidget):
    """Hidden until it is asked for; the same key, Esc or a click takes it away. `changed()`: it came or went."""

    changed = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("keys_page")
        self._shade = "light"
        self.hide()

    def toggle(self, shade: str) -> None:
        """There, or away again."""
        if not self.away():
            self._shade = shade
            self.setAccessibleName(tr(", ").join(tr_marked(text) for _, text in HELP))
            self.show()
            self.raise_()
            self.changed.emit()

    def away(self) -> bool:
        """Take it away; whether it was there."""
        was = not self.isHidden()
        if was:
            self.hide()
            self.changed.emit()
        return was

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """A click takes it away, and means nothing else."""
        self.away()

    def paintEvent(self, event: QPaintEvent) -> None:
        """All of it."""
        with QPainter(self) as painter:
            paint_page(painter, QRectF(self.rect()), self._shade)


def paint_page(painter: QPainter, screen: QRectF, shade: str) -> None:
    """The list of keys in the middle of a screen, however small."""
    theme = colours(shade)
    painter.fillRect(screen, QColor(theme.window))
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    name, words = font(BODY), font(TITLE)
    with in_units(painter, screen.toRect(), unit_for("words", round(screen.height()))) as room:
        rows = [
            (cap_places(keys, QFontMetricsF(name), CAP, AIR), tr_marked(text))
            for keys, text in HELP
        ]
        caps = max(places[-1][0].right() for places, _ in rows)
        wide = caps + GAP + max(QFontMetricsF(words).horizontalAdvance(text) for _, text in rows)
        line = min(LINE, (room.height() - 2 * MARGIN - HEAD) / len(rows))
        left, top = (
            max(MARGIN, (room.width() - wide) / 2),
            (room.height() - HEAD - line * len(rows)) / 2,
        )
        _paint_title(painter, QPointF(left, top), theme.text)
        for number, (places, text) in enumerate(rows):
            y = top + HEAD + number * line
            painter.setFont(name)
            paint_caps(painter, [(rect.translated(left, y), key) for rect, key in places], theme)
            painter.setFont(words)
            painter.setPen(QColor(theme.text))
            place = QRectF(left + caps + GAP, y, room.width() - left - caps - GAP, CAP)
            painter.drawText(place, Qt.AlignmentFlag.AlignVCenter, text)


def _paint_title(painter: QPainter, at: QPointF, colour: str) -> None:
    face = font(DISPLAY, bold=True)
    painter.setFont(face)
    painter.setPen(QColor(colour))
    painter.drawText(at + QPointF(0.0, QFontMetricsF(face).ascent()), tr("Presenting"))
