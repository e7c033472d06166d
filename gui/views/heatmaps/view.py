"""The canvas of the heatmaps: a pyqtgraph image for each pane, the rest painted around it."""

from __future__ import annotations

import pyqtgraph as pg
from PySide6.QtCore import QEvent, QPoint, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QContextMenuEvent,
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
from gui.painting.matrix import cell_rect
from gui.painting.shapes import draw_box
from gui.painting.text_size import factor, px, set_least, size_in_units
from gui.painting.theme import colours
from gui.views.heatmaps.heatmap_data import Pane, map_threaded
from gui.views.heatmaps.heatmap_spec import HeatmapSpec
from gui.views.heatmaps.layout import Heatmap, HeatmapLayout, lay_out_heatmap
from gui.views.heatmaps.painting import (
    MARGIN,
    OFF_OPACITY,
    paint_around,
    paint_under,
    pane_colours,
    smallest_digits,
)
from gui.views.heatmaps.visible_cells import NOTCH, VisibleCells, Zoom, find_visible, visible_pane

DRAG = 4  # pixels before a press becomes a drag
ROW_HEIGHT, AROUND_ROWS, MOST_ROWS = 20, 48, 10  # units that are kept for rows with large digits
WHEEL_FROM = 24  # rows or columns from which the wheel zooms; below, it belongs to the window


class HeatmapView(pg.GraphicsView):  # type: ignore[misc]
    """Shows a HeatmapSpec; reports clicks on cells and on titles of heads, and the Enter key."""

    cell_clicked = Signal(object)
    cell_doubled = Signal(object)
    head_clicked = Signal(int)
    menu_wanted = Signal(object, QPoint)
    entered = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        self.spec: HeatmapSpec | None = None
        self._heatmap: Heatmap | None = None
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
        self._set_least_size()
        # Qt passes the policy of the viewport on to its proxy, the view: the order matters.
        self.viewport().setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        while self.scene().contextMenu:  # pyqtgraph's own export, which cannot be reached
            exporting = self.scene().contextMenu.pop()
            exporting.setParent(None)
            exporting.deleteLater()

    def sizeHint(self) -> QSize:
        """Enough for a few dozen cells."""
        return QSize(px(420), px(240))

    # What is shown

    def show_spec(self, spec: HeatmapSpec) -> None:
        """Show a specification; images are set only where pane, theme or visible part changed."""
        old, self.spec = self.spec, spec
        has_new_shape = old is None or old.shape != spec.shape
        if has_new_shape:
            self._zoom = Zoom()
        if old is None or len(old.panes) != len(spec.panes):
            self._make_images(len(spec.panes))
            old = None
        for index, pane in enumerate(spec.panes):
            self._windows[index].setOpacity(OFF_OPACITY if pane.head in spec.off else 1.0)
        if spec.focus is not None and (old is None or old.focus != spec.focus):
            self._zoom = self._zoom.showing(spec.focus.row, spec.focus.column, spec.shape)
        if has_new_shape:
            self._set_least_size()  # may resize and place at once: the images are made before
        self._place()

    def _set_least_size(self) -> None:
        """With larger text the panel scrolls, so that a few rows have enough height for digits."""
        rows = 0
        if self.spec is not None and factor() > 1.0:
            rows = min(self.spec.shape[0], MOST_ROWS)
        set_least(self, 160, max(90, rows * ROW_HEIGHT + AROUND_ROWS))

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

    def _draw(self, spec: HeatmapSpec, visible: tuple[VisibleCells, ...]) -> None:
        pairs = zip(spec.panes, visible, strict=True)
        wanted = [(pane, part, spec.shade) for pane, part in pairs]
        new = [index for index, one in enumerate(wanted) if one != self._drawn[index]]
        theme, cells = colours(spec.shade), sum(wanted[index][0].values.size for index in new)
        images = map_threaded(
            lambda index: pane_colours(visible_pane(*wanted[index][:2]), theme), new, cells
        )
        for index, pixels in zip(new, images, strict=True):
            # Colours: for a lookup table pyqtgraph would make 65,536 entries for each image.
            self.images[index].setImage(pixels, autoLevels=False)
        self._drawn[:] = wanted

    def _area(self) -> QRectF:
        """The view in units: pixels at a text size of 100 %."""
        return size_in_units(self.viewport().rect(), factor())

    def updateMatrix(self, propagate: bool = True) -> None:
        """Map one scene unit to one pixel, magnified with the text."""
        self.setSceneRect(self._area())
        self.setTransform(QTransform.fromScale(factor(), factor()))

    def changeEvent(self, event: QEvent) -> None:
        """Lay out for another text size."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._set_least_size()
            self.updateMatrix()
            self._place()

    def _place(self) -> None:
        """Lay everything out for the size and the zoom."""
        spec = self.spec
        if spec is None:
            return
        area = self._area().adjusted(MARGIN, MARGIN, -MARGIN, -MARGIN)
        self._heatmap = heatmap = lay_out_heatmap(
            spec, area, self._zoom, smallest=smallest_digits(factor())
        )
        scale, matrices = factor() * self.devicePixelRatioF(), heatmap.layout.matrices
        visible = tuple(
            find_visible(pane.shape, matrix, full, scale)
            for pane, matrix, full in zip(spec.panes, matrices, heatmap.full, strict=True)
        )
        self._draw(spec, visible)
        if self._placed != (heatmap.layout, self._zoom, visible):
            self._placed = heatmap.layout, self._zoom, visible
            for index, full in enumerate(heatmap.full):
                self._windows[index].setRect(matrices[index])
                self.images[index].setRect(visible[index].rect(full, spec.shape))
            fine = matrices[0].width() / self._zoom.across / spec.shape[1] < 1
            self.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform, fine)
        self.viewport().update()

    @property
    def current_layout(self) -> HeatmapLayout:
        """The layout; only once a specification is shown."""
        assert self._heatmap is not None
        return self._heatmap.layout

    # Painting

    def drawBackground(self, painter: QPainter, rect: QRectF | object) -> None:
        """Paint the surface, and hatching under masked cells."""
        if self._heatmap is not None:
            surface = colours(self._heatmap.spec.shade).surface
            painter.fillRect(self.sceneRect(), QColor(surface))
            paint_under(painter, self._heatmap)

    def drawForeground(self, painter: QPainter, rect: QRectF | object) -> None:
        """Paint digits, marks, tokens and bar, and a ring while the view has the keyboard focus."""
        if self._heatmap is None:
            return
        paint_around(painter, self._heatmap)
        if self.hasFocus():
            accent = colours(self._heatmap.spec.shade).accent
            draw_box(
                painter, self.sceneRect().adjusted(1, 1, -1, -1), QPen(QColor(accent), 1.5), None, 6
            )

    # Mouse and keyboard

    def cell_under(self, point: QPointF) -> Cell | None:
        """The cell at a point of the view in units (its tensor empty).

        None outside the matrices.
        """
        return None if self._heatmap is None else self._heatmap.place_at(point)

    def point_of(self, cell: Cell) -> QPointF:
        """The middle of a cell in the view, in units."""
        assert self._heatmap is not None
        spec = self._heatmap.spec
        index = next((i for i, pane in enumerate(spec.panes) if pane.head == cell.head), 0)
        return cell_rect(self._heatmap.full[index], *spec.shape, cell.row, cell.column).center()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Begin a click or a drag."""
        if event.button() is Qt.MouseButton.LeftButton:
            self._pressed, self._dragged = event.position() / factor(), False
        event.accept()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Drag the visible part."""
        if self._pressed is None or self._heatmap is None or self._zoom.size == 1.0:
            return
        at = event.position() / factor()
        moved = at - self._pressed
        if self._dragged or moved.manhattanLength() > DRAG:
            matrix = self.current_layout.matrices[0]
            self._zoom = self._zoom.moved(-moved.x() / matrix.width(), -moved.y() / matrix.height())
            self._pressed, self._dragged = at, True
            self._place()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Report a click on a cell or on the title of a head."""
        pressed, self._pressed = self._pressed, None
        if pressed is None or self._dragged or self._heatmap is None:
            return
        at, spec = event.position() / factor(), self._heatmap.spec
        cell, index = self.cell_under(at), self.current_layout.matrix_at(at)
        if cell is not None:
            self.cell_clicked.emit(cell)
        elif index is not None and spec.has_several_heads:
            self.head_clicked.emit(spec.panes[index].head)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Show the whole matrix again; where it is whole already, edit the number."""
        cell = self.cell_under(event.position() / factor())
        if self._zoom != Zoom():
            self._set_zoom(Zoom())
        elif cell is not None:
            self.cell_doubled.emit(cell)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Report the cell at the pointer, or the focused one for the menu key."""
        by_key = event.reason() is QContextMenuEvent.Reason.Keyboard
        focus = None if self.spec is None else self.spec.focus
        cell = focus if by_key else self.cell_under(QPointF(event.pos()) / factor())
        if cell is None:
            event.ignore()
        else:
            at = self.mapToGlobal((self.point_of(cell) * factor()).toPoint())
            self.menu_wanted.emit(cell, at if by_key else event.globalPos())

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Zoom a matrix with many cells."""
        place, spec = event.position() / factor(), self.spec
        index = None if self._heatmap is None else self.current_layout.matrix_at(place)
        if index is None or spec is None or max(spec.shape) < WHEEL_FROM:
            event.ignore()
            return
        matrix = self.current_layout.matrices[index]
        at = place - matrix.topLeft()
        part = QPointF(at.x() / matrix.width(), at.y() / matrix.height())
        self._set_zoom(self._zoom.by(NOTCH ** (event.angleDelta().y() / 120), part, spec.shape))
        event.accept()

    def _set_zoom(self, zoom: Zoom) -> None:
        if zoom != self._zoom:
            self._zoom = zoom
            self._place()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Enter moves the focus here; + − 0 zoom. Other keys belong to the window."""
        key, shape = event.key(), None if self.spec is None else self.spec.shape
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
        """The focused cell in parts of the visible matrix, or its middle."""
        if self.spec is None or self.spec.focus is None:
            return QPointF(0.5, 0.5)
        (rows, columns), focus = self.spec.shape, self.spec.focus
        x = ((focus.column + 0.5) / columns - self._zoom.left) / self._zoom.across
        y = ((focus.row + 0.5) / rows - self._zoom.top) / self._zoom.down
        return QPointF(min(max(x, 0.0), 1.0), min(max(y, 0.0), 1.0))

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Paint the ring."""
        super().focusInEvent(event)
        self.viewport().update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Paint without the ring."""
        super().focusOutEvent(event)
        self.viewport().update()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Lay out for another size."""
        super().resizeEvent(event)
        self._place()

    def viewportEvent(self, event: QEvent) -> bool:
        """Describe the cell under the pointer in a tooltip."""
        if (
            event.type() == QEvent.Type.ToolTip
            and isinstance(event, QHelpEvent)
            and self.spec is not None
        ):
            cell = self.cell_under(QPointF(event.pos()) / factor())
            text = "" if cell is None else self.spec.describe_cell(cell)
            QToolTip.showText(event.globalPos(), text, self.viewport())
            return True
        return bool(super().viewportEvent(event))
