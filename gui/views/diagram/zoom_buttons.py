"""Three small buttons on the diagram, where nothing else stands: larger, smaller, everything."""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtCore import QPointF, QRectF, QSizeF, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QHBoxLayout, QToolButton, QWidget

from gui.painting.icons import icon
from gui.painting.text_size import set_fixed, set_icon_size
from gui.painting.theme import LIGHT, Colours
from gui.texts.translation import tr
from gui.views.diagram.shapes import Layout, Rect
from gui.views.diagram.viewport import Camera

SIZE = 22
EDGE, STEP = 4, 8
CLEAR = 5.0  # pixels kept free around cards


class Corner(QWidget):
    """The buttons; what they do is connected by the diagram."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = LIGHT
        self._asked: tuple[object, ...] = ()
        self._free: QRectF | None = None
        row = QHBoxLayout(self)
        row.setContentsMargins(1, 1, 1, 1)
        row.setSpacing(2)
        self.zoom_in, self.zoom_out, self.fit = (
            self._button(name) for name in ("zoom_in", "zoom_out", "fit")
        )
        for button in (self.zoom_in, self.zoom_out, self.fit):
            row.addWidget(button)

    def _button(self, name: str) -> QToolButton:
        button = QToolButton(self)
        button.setObjectName(f"diagram_{name}")
        button.setAutoRaise(True)
        set_fixed(button, SIZE, SIZE)
        set_icon_size(button, 16)
        button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        button.setCursor(Qt.CursorShape.ArrowCursor)
        return button

    def label(self) -> None:
        """Names in the current language."""
        names = (tr("Zoom in"), tr("Zoom out"), tr("Fit the diagram"))
        for button, name in zip((self.zoom_in, self.zoom_out, self.fit), names, strict=True):
            button.setAccessibleName(name)
            button.setToolTip(name)

    def colour(self, theme: Colours) -> None:
        """Icons in a theme's colour."""
        self._theme = theme
        for button, name in (
            (self.zoom_in, "zoom_in"),
            (self.zoom_out, "zoom_out"),
            (self.fit, "fit"),
        ):
            button.setIcon(icon(name, theme.muted, theme.ghost))

    def stand_clear(self, camera: Camera, where: Layout, room: QRectF, unit: float) -> None:
        """Move to the nearest free place of a room in units, so many pixels each: at the upper edge, from the right,
        or at the lower one; hide if there is none (the menu and Ctrl with the wheel do the same)."""
        asked = camera, where, room, unit, self.sizeHint()
        if asked != self._asked:
            self._asked, self._free = (
                asked,
                self._place(camera, where, room, QSizeF(self.sizeHint()) / unit),
            )
        self.setVisible(self._free is not None)
        if self._free is not None:
            self.setGeometry(QRectF(self._free.topLeft() * unit, QSizeF(self.sizeHint())).toRect())

    def _place(self, camera: Camera, where: Layout, room: QRectF, size: QSizeF) -> QRectF | None:
        """The nearest free place."""
        taken = [
            camera.to_screen(rect).adjusted(-CLEAR, -CLEAR, CLEAR, CLEAR) for rect in _taken(where)
        ]
        steps = range(int(room.width() - size.width()) - EDGE, EDGE - 1, -STEP)
        places = (
            QRectF(QPointF(x, y), size)
            for y in (EDGE, room.height() - size.height() - EDGE)
            for x in steps
        )
        return next(
            (place for place in places if not any(place.intersects(one) for one in taken)), None
        )

    def paintEvent(self, event: QPaintEvent) -> None:
        """A patch behind the buttons, for what may lie under them in an enlarged picture."""
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(QPen(QColor(self._theme.line), 1))
            painter.setBrush(QColor(self._theme.surface))
            painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), 6, 6)

    def offer(self, enlarged: bool) -> None:
        """Only what does something can be pressed."""
        self.zoom_out.setEnabled(enlarged)
        self.fit.setEnabled(enlarged)


def _taken(where: Layout) -> Iterator[Rect]:
    """Where cards and the labels of arrows stand."""
    yield from (box.outer for box in where.boxes)
    yield Rect(where.softmax.x, where.softmax.y, where.softmax.w, 22.0)
    for arrow in where.arrows:
        if arrow.label:
            yield Rect(arrow.at[0] - arrow.room / 2, arrow.at[1] - 8.0, min(arrow.room, 90.0), 16.0)
