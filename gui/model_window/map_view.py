"""The map: a small heatmap for each head of each layer."""

from __future__ import annotations

import operator

import numpy as np
from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QHelpEvent, QImage, QKeyEvent, QMouseEvent, QPainter, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from core.base.arrays import Array, sealed
from core.base.number_format import show
from gui.model_window.canvas import Canvas, ring
from gui.model_window.edits import HeadOff
from gui.model_window.head_filters import filter_name, matches, order, value_of
from gui.model_window.map_layout import LABEL, LEFT, TOP, MapLayout, Place, grid, in_order
from gui.model_window.state import ALL, BY_LAYER, CHANGE, EDITED, ModelState
from gui.model_window.wording import head_title
from gui.painting.color_scale import Levels
from gui.painting.matrix_image import matrix_image
from gui.painting.shapes import draw_box
from gui.painting.text_layout import CENTRE, RIGHT, draw_text
from gui.painting.text_layout import LEFT as AT_LEFT
from gui.painting.theme import CAPTION, Colours, font
from gui.texts.translation import tr
from gui.widgets.announcer import announce
from gui.widgets.shortcut_filter import claim_key

DIMMED = 0.42
ARROWS = {
    Qt.Key.Key_Left: (-1, 0),
    Qt.Key.Key_Right: (1, 0),
    Qt.Key.Key_Up: (0, -1),
    Qt.Key.Key_Down: (0, 1),
}
ENTER = (Qt.Key.Key_Return, Qt.Key.Key_Enter)


class MapView(Canvas):
    """Paints the map. `chosen(layer, head)`: a click or an arrow; `opened()`: Enter or a double
    click.
    """

    chosen = Signal(int, int)
    opened = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._images: dict[Place, tuple[tuple[Array, ...], QImage]] = {}
        self._high = 1.0
        self._painted_with: object = None
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)

    def layout_in(self, area: QRectF) -> MapLayout | None:
        """The places of the heatmaps; None without a model."""
        model = self.state.model
        if model is None:
            return None
        found = order(self.state)
        if found:
            return in_order(area, model.layers, model.heads, found)
        return grid(area, model.layers, model.heads, model.kv_heads)

    def heightForWidth(self, width: int) -> int:
        """The height that the heatmaps need at least."""
        least = self.layout_in(QRectF(0, 0, width / self.unit, 1.0))
        return 120 if least is None else round(least.height * self.unit)

    def minimumSizeHint(self) -> QSize:
        """Wide enough for the longer axis."""
        model = self.state.model
        across = 12 if model is None else max(model.layers, model.heads)
        return QSize(round((LEFT + across * 17.0) * self.unit), round(120 * self.unit))

    def sizeHint(self) -> QSize:
        """A usual size."""
        return QSize(780, 380)

    def show_state(self, old: ModelState | None, new: ModelState) -> None:
        """Repaint, and describe the selected head."""
        again = old is None or (old.look, old.model) != (new.look, new.model)
        super().show_state(old, new)
        if old is None or old.runs is not new.runs or old.look.show != new.look.show:
            self._high = self._highest()
        if again or old is None or old.language != new.language:
            self.setAccessibleName(tr("Map of the heads"))
            self.setAccessibleDescription(self.spoken((new.look.layer, new.look.head)))
        if old is None or (old.look.sort, old.model) != (new.look.sort, new.model):
            self.updateGeometry()

    def spoken(self, place: Place) -> str:
        """A head in words, with its score."""
        name = head_title(place)
        sought = self._sought()
        value = None if sought == ALL else value_of(self.state, place, sought)
        if value is None:
            return name
        score = f"{filter_name(self.state, sought)} {show(value, self.state.decimals)}"
        return tr(", ").join((name, score))

    def _sought(self) -> str:
        """The score that is shown: that of the sort, else that of the filter."""
        look = self.state.look
        return look.sort if look.sort != BY_LAYER else look.filter

    # Painting

    def paint(self, painter: QPainter, area: QRectF, theme: Colours) -> None:
        """Paint labels and heatmaps."""
        places = self.layout_in(area)
        if places is None:
            return
        if not places.order:
            self._paint_axes(painter, places, theme)
        look = self.state.look
        off = self._heads_off()
        for place in places.order or places.places:
            rect = places.rect(place)
            fits = matches(self.state, place, look.filter)
            painter.setOpacity(1.0 if fits else DIMMED)
            self._paint_head(painter, rect, place, theme)
            if place in off:
                self._paint_cross(painter, rect, theme)
            painter.setOpacity(1.0)
            marked = fits and look.filter != ALL
            if marked:
                ring(painter, rect, theme.weights, 1.8, 0.5)
            if places.labelled and (marked or places.order):
                self._paint_label(painter, rect, place, theme, bool(places.order))
            if place == (look.layer, look.head):
                ring(painter, rect, theme.accent, 3.2 if self.hasFocus() else 2.4, 2.0)

    def _paint_head(self, painter: QPainter, rect: QRectF, place: Place, theme: Colours) -> None:
        image = self._image(place, theme)
        if image is None:
            pen = QPen(QColor(theme.ghost), 1.0, Qt.PenStyle.DotLine)
            draw_box(painter, rect, pen, None, 2.0)
            return
        smooth = max(image.width(), image.height()) > rect.width() * self.unit
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform, smooth)
        painter.drawImage(rect, image, QRectF(image.rect()))
        draw_box(painter, rect, theme.line, None)
        self._paint_follow(painter, rect, place, theme)

    def _paint_follow(self, painter: QPainter, rect: QRectF, place: Place, theme: Colours) -> None:
        """Frame the row of the token that is followed."""
        query, sources = self.state.look.query, self.state.weight_sources(place[0])
        if query is None or sources is None or query >= sources[0].shape[1]:
            return
        step = rect.height() / sources[0].shape[1]
        row = QRectF(rect.x(), rect.y() + query * step, rect.width(), step)
        draw_box(painter, row.adjusted(0, -0.5, 0, 0.5), QPen(QColor(theme.query), 1.0))

    def _image(self, place: Place, theme: Colours) -> QImage | None:
        layer, head = place
        sources = self.state.weight_sources(layer)
        if sources is None:
            return None
        key = (theme, self._high)
        if key != self._painted_with:
            self._images.clear()
            self._painted_with = key
        known = self._images.get(place)
        if known is not None and _are_same(known[0], sources):
            return known[1]
        levels = Levels(-self._high, self._high) if len(sources) > 1 else Levels(0.0, 1.0)
        shown = sources[0][head] if len(sources) == 1 else sources[0][head] - sources[1][head]
        image = matrix_image(sealed(rooted(shown)), levels, theme)
        self._images[place] = sources, image
        return image

    def _highest(self) -> float:
        """The end of the scale of differences."""
        if not self.state.is_difference or self.state.model is None:
            return 1.0
        found = map(self.state.shown_weights, range(self.state.model.layers))
        most = max((float(np.abs(each).max()) for each in found if each is not None), default=0.0)
        return float(np.sqrt(most)) or 1.0

    def _heads_off(self) -> set[Place]:
        if self.state.look.show not in (EDITED, CHANGE):
            return set()
        edits = self.state.setting.edits
        return {(each.layer, each.head) for each in edits if isinstance(each, HeadOff)}

    def _paint_cross(self, painter: QPainter, rect: QRectF, theme: Colours) -> None:
        painter.setPen(QPen(QColor(theme.accent), 1.6))
        painter.drawLine(rect.topLeft(), rect.bottomRight())
        painter.drawLine(rect.topRight(), rect.bottomLeft())

    def _paint_label(
        self, painter: QPainter, rect: QRectF, place: Place, theme: Colours, named: bool
    ) -> None:
        value = value_of(self.state, place, self._sought())
        number = "" if value is None else show(value, min(self.state.decimals, 2))
        room = QRectF(rect.center().x() - 40.0, rect.bottom() + 1.0, 80.0, LABEL)
        name = f"{place[0] + 1}.{place[1] + 1}"
        text = f"{name}: {number}" if named and number else number
        draw_text(painter, room, CENTRE, text or name, font(CAPTION, bold=not named), theme.weights)

    def _paint_axes(self, painter: QPainter, places: MapLayout, theme: Colours) -> None:
        corner = QRectF(places.area.x(), places.area.y(), LEFT - 4.0, TOP - 2.0)
        draw_text(painter, corner, AT_LEFT, tr("√ scale"), font(CAPTION), theme.muted)
        look, across = self.state.look, places.layers_across
        for index in range(places.layers if across else places.heads):
            rect = places.rect((index, 0) if across else (0, index))
            chosen = index == (look.layer if across else look.head)
            thin = places.pitch[0] < 26.0 and not chosen and index and (index + 1) % 5
            if not thin:
                room = QRectF(rect.center().x() - 20.0, places.area.y(), 40.0, TOP - 2.0)
                self._paint_number(painter, room, CENTRE, str(index + 1), theme, chosen)
        for index in range(places.heads if across else places.layers):
            rect = places.rect((0, index) if across else (index, 0))
            room = QRectF(places.area.x(), rect.y(), rect.x() - places.area.x() - 7, rect.height())
            chosen = index == (look.head if across else look.layer)
            text = str(index + 1) if across else tr("Layer {number}", number=index + 1)
            self._paint_number(painter, room, RIGHT, text, theme, chosen)
        self._paint_groups(painter, places, theme)

    def _paint_number(
        self,
        painter: QPainter,
        room: QRectF,
        at: float,
        text: str,
        theme: Colours,
        chosen: bool,
    ) -> None:
        ink = theme.accent if chosen else theme.muted
        draw_text(painter, room, at, text, font(CAPTION, bold=chosen), ink)

    def _paint_groups(self, painter: QPainter, places: MapLayout, theme: Colours) -> None:
        """Brackets around heads that share keys and values."""
        if places.groups < 2:
            return
        each = places.heads // places.groups
        for group in range(places.groups):
            first = places.rect((0, group * each))
            last = places.rect((0, (group + 1) * each - 1))
            painter.setPen(QPen(QColor(theme.key), 1.4))
            text = tr("K, V {number}", number=group + 1)
            if places.layers_across:
                x = places.area.x() + 17.0
                ends = (first.top(), last.bottom())
                points = [
                    QPointF(x + 4, ends[0]),
                    QPointF(x, ends[0]),
                    QPointF(x, ends[1]),
                    QPointF(x + 4, ends[1]),
                ]
                painter.drawPolyline(points)
                painter.save()
                painter.translate(places.area.x() + 7.0, (ends[0] + ends[1]) / 2)
                painter.rotate(-90)
                room = QRectF(-40, -8, 80, 16)
                draw_text(painter, room, CENTRE, text, font(CAPTION), theme.key)
                painter.restore()

    # Input

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Select the head at the pointer."""
        place = self._place_at(self.point(event))
        if place is not None and event.button() == Qt.MouseButton.LeftButton:
            self.chosen.emit(*place)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Open the head."""
        if self._place_at(self.point(event)) is not None:
            self.opened.emit()

    def _place_at(self, point: QPointF) -> Place | None:
        places = self.layout_in(self.room())
        return None if places is None else places.at(point)

    def event(self, event: QEvent) -> bool:
        """Keep arrow keys and Enter; show which head is under the pointer."""
        if claim_key(event, lambda key: Qt.Key(key.key()) in (*ARROWS, *ENTER)):
            return True
        if isinstance(event, QHelpEvent):
            place = self._place_at(QPointF(event.pos()) / self.unit)
            self.setToolTip("" if place is None else self.spoken(place))
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Move over the map by arrows; open a head by Enter."""
        key, places = Qt.Key(event.key()), self.layout_in(self.room())
        if places is not None and key in ARROWS and not event.modifiers():
            place = places.moved((self.state.look.layer, self.state.look.head), *ARROWS[key])
            self.chosen.emit(*place)
            announce(self, self.spoken(place))
        elif key in ENTER:
            self.opened.emit()
        else:
            super().keyPressEvent(event)


def rooted(weights: Array) -> Array:
    """The root of each weight, with the sign of a difference."""
    root: Array = np.sign(weights) * np.sqrt(np.abs(weights))
    return root


def _are_same(some: tuple[Array, ...], others: tuple[Array, ...]) -> bool:
    return len(some) == len(others) and all(map(operator.is_, some, others))
