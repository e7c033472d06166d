"""The canvas of the heatmaps: one pyqtgraph image a pane, with everything else painted around and over them."""

from __future__ import annotations

import pyqtgraph as pg
from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFocusEvent,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPen,
    QResizeEvent,
    QTransform,
    QWheelEvent,
)
from PySide6.QtWidgets import QGraphicsRectItem, QGraphicsView, QToolTip, QWidget

from core.base.cell import Cell
from gui.painting.matrix import cell_at
from gui.painting.text_size import factor, px, room_in_units, set_least
from gui.painting.theme import colours
from gui.views.heatmaps.axes import bar_numbers, paint_axes, paint_bar
from gui.views.heatmaps.heatmap_data import Pane, map_threaded
from gui.views.heatmaps.heatmap_spec import HeatmapSpec
from gui.views.heatmaps.layout import HeatmapLayout, LayoutRequest, lay_out
from gui.views.heatmaps.painting import (
    MARGIN,
    OFF_OPACITY,
    focused_value,
    paint_between,
    paint_over,
    paint_under,
    pane_colours,
    smallest_digits,
)
from gui.views.heatmaps.visible_cells import NOTCH, VisibleCells, Zoom, find_visible, visible_pane

DRAG = 4  # pixels before a press becomes a drag
ROW, AROUND, MOST_ROWS = (
    16,
    48,
    10,
)  # units: of a row with digits, above and below; rows that have room
WHEEL_FROM = 24  # rows or columns from which the wheel zooms; below, it belongs to the window


class HeatmapView(pg.GraphicsView):  # type: ignore[misc]
    """Shows a sheet. Tells which cell was clicked, which head's title, and that Enter was pressed."""

    cell_clicked = Signal(object)
    cell_doubled = Signal(object)
    head_clicked = Signal(int)
    entered = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        self._sheet: HeatmapSpec | None = None
        self._layout: HeatmapLayout | None = None
        self._placed: tuple[HeatmapLayout, Zoom, tuple[VisibleCells, ...]] | None = None
        self._drawn: list[tuple[Pane, VisibleCells, str] | None] = []
        self._zoom = Zoom()
        self._windows: list[QGraphicsRectItem] = []
        self.images: list[pg.ImageItem] = []
        self._pressed: QPointF | None = None
        self._dragged = False
        super().__init__(parent, background=None)
        self.setCacheMode(QGraphicsView.CacheModeFlag.CacheNone)
        self.setViewportUpdateMode(QGraphicsView.ViewportUpdateMode.FullViewportUpdate)
        self._keep_room()
        self.viewport().setFocusPolicy(
            Qt.FocusPolicy.NoFocus
        )  # the view itself takes the keyboard, though Qt hands
        self.setFocusPolicy(
            Qt.FocusPolicy.StrongFocus
        )  # what is said of the viewport on to its proxy, the view
        while self.scene().contextMenu:  # pyqtgraph's own export, which nobody can reach
            exporting = self.scene().contextMenu.pop()
            exporting.setParent(None)
            exporting.deleteLater()

    def sizeHint(self) -> QSize:
        """Room for a few dozen cells."""
        return QSize(px(420), px(240))

    # What is shown

    def show_spec(self, sheet: HeatmapSpec) -> None:
        """Show a sheet; images are set only where another pane, theme or part of it is seen than before."""
        old, self._sheet = self._sheet, sheet
        if old is None or old.shape != sheet.shape:
            self._zoom = Zoom()
        if old is None or len(old.panes) != len(sheet.panes):
            self._make_images(len(sheet.panes))
            old = None
        if old is None or old.shape != sheet.shape:
            self._keep_room()
        for index, pane in enumerate(sheet.panes):
            self._windows[index].setOpacity(OFF_OPACITY if pane.head in sheet.off else 1.0)
        if sheet.focus is not None and (old is None or old.focus != sheet.focus):
            self._zoom = self._zoom.showing(sheet.focus.row, sheet.focus.column, sheet.shape)
        self._place()

    def _keep_room(self) -> None:
        """With larger text the panel scrolls rather than that a few rows have no room for digits."""
        rows = (
            min(self._sheet.shape[0], MOST_ROWS)
            if self._sheet is not None and factor() > 1.0
            else 0
        )
        set_least(self, 160, max(90, rows * ROW + AROUND))

    def _make_images(self, count: int) -> None:
        self._placed, self._drawn = None, [None] * count
        for window in self._windows:
            self.scene().removeItem(window)
        self._windows = [QGraphicsRectItem() for _ in range(count)]
        self.images = [pg.ImageItem(axisOrder="row-major") for _ in range(count)]
        for window, image in zip(self._windows, self.images, strict=True):
            window.setPen(Qt.PenStyle.NoPen)
            window.setFlag(QGraphicsRectItem.GraphicsItemFlag.ItemClipsChildrenToShape)
            image.setParentItem(window)
            self.scene().addItem(window)

    def _draw(self, looks: tuple[VisibleCells, ...]) -> None:
        assert self._sheet is not None
        wanted = [
            (pane, look, self._sheet.shade)
            for pane, look in zip(self._sheet.panes, looks, strict=True)
        ]
        new = [index for index, one in enumerate(wanted) if one != self._drawn[index]]
        theme, cells = (
            colours(self._sheet.shade),
            sum(wanted[index][0].values.size for index in new),
        )
        pictures = map_threaded(
            lambda index: pane_colours(visible_pane(*wanted[index][:2]), theme), new, cells
        )
        for index, pixels in zip(new, pictures, strict=True):
            # Colours, not places with a table of them: pyqtgraph would make a table of 65,536 for each image.
            self.images[index].setImage(pixels, autoLevels=False)
        self._drawn[:] = wanted

    def _room(self) -> QRectF:
        """The view in units: pixels at a text size of 100 %."""
        return room_in_units(self.viewport().rect(), factor())

    def updateMatrix(self, propagate: bool = True) -> None:
        """pyqtgraph's view of one scene unit a pixel, magnified with the text."""
        self.setSceneRect(self._room())
        self.setTransform(QTransform.fromScale(factor(), factor()))

    def changeEvent(self, event: QEvent) -> None:
        """Another text size is another layout."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._keep_room()
            self.updateMatrix()
            self._place()

    def _place(self) -> None:
        """Lay everything out for the size and the zoom."""
        if self._sheet is None:
            return
        rows, columns = self._sheet.shape
        numbers = bar_numbers(self._chosen_pane().levels, self._sheet.decimals)
        sheet = self._sheet
        request = LayoutRequest(
            len(sheet.panes),
            rows,
            columns,
            sheet.rows,
            sheet.captions,
            sheet.plain_captions,
            numbers,
        )
        area = self._room().adjusted(MARGIN, MARGIN, -MARGIN, -MARGIN)
        self._layout = lay_out(area, request)
        looks = self._looks()
        self._draw(looks)
        if self._placed != (self._layout, self._zoom, looks):
            self._placed = self._layout, self._zoom, looks
            self._place_images(looks)
        self.viewport().update()

    def _looks(self) -> tuple[VisibleCells, ...]:
        """Which cells are seen of each pane, and how many share a pixel."""
        assert self._sheet is not None
        scale, windows = factor() * self.devicePixelRatioF(), self.current_layout.matrices
        shown = zip(self._sheet.panes, windows, self._wholes(), strict=True)
        return tuple(
            find_visible(pane.shape, window, whole, scale) for pane, window, whole in shown
        )

    def _place_images(self, looks: tuple[VisibleCells, ...]) -> None:
        assert self._sheet is not None
        shape, rects = self._sheet.shape, self.current_layout.matrices
        for index, whole in enumerate(self._wholes()):
            self._windows[index].setRect(rects[index])
            self.images[index].setRect(looks[index].rect(whole, shape))
        fine = rects[0].width() / self._zoom.across / shape[1] < 1
        self.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform, fine)

    def _wholes(self) -> tuple[QRectF, ...]:
        return tuple(self._zoom.whole(window) for window in self.current_layout.matrices)

    @property
    def current_layout(self) -> HeatmapLayout:
        """Where things lie; only once a sheet is shown."""
        assert self._layout is not None
        return self._layout

    def _chosen_pane(self) -> Pane:
        assert self._sheet is not None
        return next(
            (pane for pane in self._sheet.panes if pane.head == self._sheet.head),
            self._sheet.panes[0],
        )

    # Painting

    def drawBackground(self, painter: QPainter, rect: QRectF | object) -> None:
        """The surface, and hatching under masked cells."""
        if self._sheet is None or self._layout is None:
            return
        painter.fillRect(self.sceneRect(), QColor(colours(self._sheet.shade).surface))
        paint_under(painter, self._layout, self._sheet)

    def drawForeground(self, painter: QPainter, rect: QRectF | object) -> None:
        """Digits, marks, tokens, the bar, and a ring while the keyboard is here."""
        if self._sheet is None or self._layout is None:
            return
        sheet, pane, wholes = self._sheet, self._chosen_pane(), self._wholes()
        paint_between(painter, self._layout, wholes, sheet)
        paint_axes(painter, self._layout, wholes, sheet)
        paint_over(painter, self._layout, wholes, sheet, smallest_digits(factor()))
        paint_bar(painter, self._layout, pane.levels, sheet, focused_value(sheet, pane))
        if self.hasFocus():
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(QColor(colours(sheet.shade).accent), 1.5))
            painter.drawRoundedRect(self.sceneRect().adjusted(1, 1, -1, -1), 6, 6)

    # Mouse and keyboard

    def cell_under(self, point: QPointF) -> Cell | None:
        """The cell at a point of the view in units (its tensor left empty), None beside the matrices."""
        if self._layout is None or self._sheet is None:
            return None
        for pane, window, whole in zip(
            self._sheet.panes, self._layout.matrices, self._wholes(), strict=True
        ):
            place = cell_at(whole, *pane.shape, point) if window.contains(point) else None
            if place is not None:
                return Cell("", *place, pane.head)
        return None

    def point_of(self, cell: Cell) -> QPointF:
        """The middle of a cell in the view, in units."""
        assert self._sheet is not None
        index = next((i for i, pane in enumerate(self._sheet.panes) if pane.head == cell.head), 0)
        whole, (rows, columns) = self._wholes()[index], self._sheet.shape
        return QPointF(
            whole.x() + (cell.column + 0.5) / columns * whole.width(),
            whole.y() + (cell.row + 0.5) / rows * whole.height(),
        )

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """A press is the start of a click or of a drag."""
        if event.button() is Qt.MouseButton.LeftButton:
            self._pressed, self._dragged = event.position() / factor(), False
        event.accept()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Drag the part that is looked at."""
        if self._pressed is None or self._layout is None or self._zoom.size == 1.0:
            return
        at = event.position() / factor()
        way = at - self._pressed
        if self._dragged or way.manhattanLength() > DRAG:
            window = self._layout.matrices[0]
            self._zoom = self._zoom.moved(-way.x() / window.width(), -way.y() / window.height())
            self._pressed, self._dragged = at, True
            self._place()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """A click focuses a cell; on a title it chooses the head."""
        pressed, self._pressed = self._pressed, None
        if pressed is None or self._dragged or self._layout is None or self._sheet is None:
            return
        at = event.position() / factor()
        cell, pane = self.cell_under(at), self._layout.matrix_at(at)
        if cell is not None:
            self.cell_clicked.emit(cell)
        elif pane is not None and self._sheet.has_several_heads:
            self.head_clicked.emit(self._sheet.panes[pane].head)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """The whole matrix again; where it is whole already, edit the number."""
        cell = self.cell_under(event.position() / factor()) if self._sheet is not None else None
        if self._zoom != Zoom():
            self._set_zoom(Zoom())
        elif cell is not None:
            self.cell_doubled.emit(cell)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Closer or farther in a matrix with many cells."""
        place = event.position() / factor()
        pane = None if self._layout is None else self._layout.matrix_at(place)
        if pane is None or self._sheet is None or max(self._sheet.shape) < WHEEL_FROM:
            event.ignore()
            return
        window = self.current_layout.matrices[pane]
        at = place - window.topLeft()
        part = QPointF(at.x() / window.width(), at.y() / window.height())
        self._set_zoom(
            self._zoom.by(NOTCH ** (event.angleDelta().y() / 120), part, self._sheet.shape)
        )
        event.accept()

    def _set_zoom(self, zoom: Zoom) -> None:
        if zoom != self._zoom:
            self._zoom = zoom
            self._place()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Enter brings the focused cell here; + − 0 zoom. Everything else belongs to the window."""
        key, shape = event.key(), None if self._sheet is None else self._sheet.shape
        if key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.entered.emit()
        elif key in (Qt.Key.Key_Plus, Qt.Key.Key_Equal) and shape is not None:
            self._set_zoom(self._zoom.by(NOTCH, self._centre(), shape))
        elif key == Qt.Key.Key_Minus and shape is not None:
            self._set_zoom(self._zoom.by(1 / NOTCH, self._centre(), shape))
        elif key == Qt.Key.Key_0:
            self._set_zoom(Zoom())
        else:
            event.ignore()

    def _centre(self) -> QPointF:
        """The focused cell in parts of the window, or its middle."""
        if self._sheet is None or self._sheet.focus is None:
            return QPointF(0.5, 0.5)
        (rows, columns), focus = self._sheet.shape, self._sheet.focus
        x = ((focus.column + 0.5) / columns - self._zoom.left) / self._zoom.across
        y = ((focus.row + 0.5) / rows - self._zoom.top) / self._zoom.down
        return QPointF(min(max(x, 0.0), 1.0), min(max(y, 0.0), 1.0))

    def focusInEvent(self, event: QFocusEvent) -> None:
        """The ring appears."""
        super().focusInEvent(event)
        self.viewport().update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """The ring goes."""
        super().focusOutEvent(event)
        self.viewport().update()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Lay out anew."""
        super().resizeEvent(event)
        self._place()

    def viewportEvent(self, event: QEvent) -> bool:
        """The tip under the pointer reads the cell out."""
        if (
            event.type() == QEvent.Type.ToolTip
            and isinstance(event, QHelpEvent)
            and self._sheet is not None
        ):
            cell = self.cell_under(QPointF(event.pos()) / factor())
            QToolTip.showText(
                event.globalPos(),
                "" if cell is None else self._sheet.describe_cell(cell),
                self.viewport(),
            )
            return True
        return bool(super().viewportEvent(event))
