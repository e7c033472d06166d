"""The zoom buttons in a corner of the diagram, at a place that no card needs."""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtCore import QPointF, QRectF, QSizeF, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QHBoxLayout, QToolButton, QWidget

from gui.painting.icons import icon
from gui.painting.shapes import draw_box
from gui.painting.text_size import set_fixed, set_icon_size
from gui.painting.theme import LIGHT, Colours
from gui.texts.translation import tr
from gui.views.diagram.shapes import DiagramLayout, Rect
from gui.views.diagram.viewport import Camera
from gui.widgets.buttons import name_widget
from gui.widgets.layouts import fill

SIZE = 22
EDGE, STEP = 4, 8
CLEAR = 5.0  # pixels kept free around cards


class ZoomButtons(QWidget):
    """Zoom buttons in the corner; the diagram connects them."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = LIGHT
        self._place_key: tuple[object, ...] = ()
        self._free_place: QRectF | None = None
        self._buttons = {name: self._button(name) for name in ("zoom_in", "zoom_out", "fit")}
        self.zoom_in, self.zoom_out, self.fit = self._buttons.values()
        fill(QHBoxLayout(self), *self._buttons.values(), spacing=2, margins=(1, 1, 1, 1))

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
        """Set names in the current language."""
        names = (tr("Zoom in"), tr("Zoom out"), tr("Fit the diagram"))
        for button, name in zip(self._buttons.values(), names, strict=True):
            name_widget(button, name, name)

    def colour(self, theme: Colours) -> None:
        """Set icons in the theme's colour."""
        self._theme = theme
        for name, button in self._buttons.items():
            button.setIcon(icon(name, theme.muted, theme.ghost))

    def move_clear(self, camera: Camera, layout: DiagramLayout, area: QRectF, unit: float) -> None:
        """Move to the nearest free place at the upper or lower edge; hide if there is none.

        `area` is in units of `unit` pixels. Menu and Ctrl with the wheel offer the same actions.
        """
        predicted = camera, layout, area, unit, self.sizeHint()
        if predicted != self._place_key:
            self._place_key, self._free_place = (
                predicted,
                self._place(camera, layout, area, QSizeF(self.sizeHint()) / unit),
            )
        self.setVisible(self._free_place is not None)
        if self._free_place is not None:
            self.setGeometry(
                QRectF(self._free_place.topLeft() * unit, QSizeF(self.sizeHint())).toRect()
            )

    def _place(
        self, camera: Camera, layout: DiagramLayout, area: QRectF, size: QSizeF
    ) -> QRectF | None:
        """Return the nearest free place."""
        taken = [
            camera.to_screen(rect).adjusted(-CLEAR, -CLEAR, CLEAR, CLEAR)
            for rect in _occupied(layout)
        ]
        steps = range(int(area.width() - size.width()) - EDGE, EDGE - 1, -STEP)
        places = (
            QRectF(QPointF(x, y), size)
            for y in (EDGE, area.height() - size.height() - EDGE)
            for x in steps
        )
        return next(
            (place for place in places if not any(place.intersects(one) for one in taken)), None
        )

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint a patch behind the buttons, over an enlarged picture."""
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            draw_box(
                painter,
                QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5),
                QPen(QColor(self._theme.line), 1),
                self._theme.surface,
                6,
            )

    def update_enabled(self, enlarged: bool) -> None:
        """Enable the buttons that have an effect."""
        self.zoom_out.setEnabled(enlarged)
        self.fit.setEnabled(enlarged)


def _occupied(layout: DiagramLayout) -> Iterator[Rect]:
    """Return the rectangles of cards and of the labels of arrows."""
    yield from (box.outer for box in layout.boxes)
    if layout.softmax is not None:
        yield Rect(layout.softmax.x, layout.softmax.y, layout.softmax.w, 22.0)
    for arrow in layout.arrows:
        if arrow.label:
            yield Rect(
                arrow.at[0] - arrow.label_space / 2,
                arrow.at[1] - 8.0,
                min(arrow.label_space, 90.0),
                16.0,
            )
