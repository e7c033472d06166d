"""Diagram widget: steps, zoom, pan and clicks."""

from __future__ import annotations

from msgspec import Struct
from PySide6.QtCore import QEvent, QPoint, QPointF, QRectF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import (
    QColor,
    QContextMenuEvent,
    QFocusEvent,
    QHideEvent,
    QMouseEvent,
    QNativeGestureEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QApplication, QGestureEvent, QPinchGesture, QSizePolicy, QWidget

from core.base.cell import Cell
from core.explain.timeline import reveals
from gui.painting.text_size import in_units, size_in_units
from gui.painting.theme import colours
from gui.session.session import Session
from gui.session.spoken_cell import spoken_cell
from gui.session.state import State
from gui.texts.translation import tr
from gui.views.diagram.animator import Animator
from gui.views.diagram.geometry import unit_for_digits
from gui.views.diagram.labels import accessible_text
from gui.views.diagram.picture import (
    AnimationFrame,
    label_rect,
    label_text,
    paint_layout,
    paint_overflow,
)
from gui.views.diagram.shapes import WORDS, CardBox, DiagramLayout
from gui.views.diagram.stack_layout import unit_for_stack
from gui.views.diagram.stack_painting import folded_at
from gui.views.diagram.viewport import ZOOM_STEP, Camera, Viewport
from gui.views.diagram.zoom_buttons import ZoomButtons


class HitTarget(Struct, frozen=True):
    """Clicked part: a shown cell, a card (`stage_id` alone), or another head's edge (`head`)."""

    stage_id: str = ""
    cell: Cell | None = None
    head: int | None = None

    def given(self, state: State) -> bool:
        """Return whether the cell is an entered number."""
        return (
            self.cell is not None
            and self.cell.tensor == self.stage_id
            and self.stage_id in state.document.inputs
        )

    def perform(self, session: Session) -> None:
        """Perform the click: focus the cell, select the head, or jump to the stage."""
        if self.cell is not None:
            session.set_focus(self.cell)
        elif self.head is not None:
            session.select_head(self.head)
        else:
            session.go_to_stage(self.stage_id)


def hit(state: State, layout: DiagramLayout, x: float, y: float, scale: float) -> HitTarget | None:
    """Return the part of the diagram at a point, or None."""
    for box in layout.boxes:
        if box.rect.contains(x, y):
            return None if box.stage_id in WORDS else _on_card(state, box, x, y)
    for box in layout.boxes:
        for level in range(1, box.depth + 1):
            if box.edge(level).contains(x, y):
                return HitTarget(box.stage_id, head=(state.cursor.head + level) % state.document.h)
    folded = folded_at(layout.stream, x, y)
    if folded is not None:
        return HitTarget(folded.target)
    for arrow in layout.arrows:
        if not arrow.inputs or not label_text(state, arrow, scale):
            continue
        if label_rect(state, arrow, scale).contains(x, y):
            return HitTarget(arrow.target, cell=Cell(arrow.inputs[0], 0, 0, state.cursor.head))
    return None


def _on_card(state: State, box: CardBox, x: float, y: float) -> HitTarget:
    place = box.cell_at(x, y)
    if place is None:
        return HitTarget(box.stage_id)
    row, column = place
    if not reveals(state.trace.plan, state.cursor, box.stage_id, row, column):
        return HitTarget(box.stage_id)
    head = state.cursor.head if state.trace.plan[box.stage_id].headwise else 0
    return HitTarget(box.stage_id, cell=Cell(box.stage_id, row, column, head))


_BY_KEYBOARD = (
    Qt.FocusReason.TabFocusReason,
    Qt.FocusReason.BacktabFocusReason,
    Qt.FocusReason.ShortcutFocusReason,
)


class DiagramView(QWidget):
    """Widget of the session's state as a data-flow picture; clicks call the session."""

    edit_wanted = Signal(object)
    menu_wanted = Signal(object, QPoint)

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._state = session.state
        self._player = Animator(self)
        self._player.frame.connect(self.update)
        self._layout_timer = QTimer(self, singleShot=True, interval=0)
        self._layout_timer.timeout.connect(self._update_after_layout)
        self._camera: Camera | None = None
        self._viewport: Viewport | None = None
        self._pressed: QPointF | None = None
        self._dragged = False
        self._ringed = False
        self._text, self._bare = 1.0, False
        self._corner = ZoomButtons(self)
        self._corner.zoom_in.clicked.connect(self.zoom_in)
        self._corner.zoom_out.clicked.connect(self.zoom_out)
        self._corner.fit.clicked.connect(self.fit)
        self.setObjectName("diagram")
        self.setMouseTracking(True)
        self.grabGesture(Qt.GestureType.PinchGesture)
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)  # nothing below has to be painted
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self._update_description()

    # State and size

    def show_state(self, old: State | None, new: State) -> None:
        """Show a state: animate a step forward, flash the cells that an edit has changed."""
        self._state = new
        if old is not None and not _same_picture(old, new):
            self._animate(old, new)
            if old.cursor.stage != new.cursor.stage:
                self._camera = self.viewport.followed()
        if old is None or (old.language, old.shade) != (new.language, new.shade):
            self._update_buttons()
        if old is None or not _same_picture(old, new) or old.language != new.language:
            self._place_corner()
            self._camera = self.viewport.clamped()
            self._corner.update_enabled(self.viewport.enlarged)
        self._update_description()
        self.update()

    def _update_buttons(self) -> None:
        """Set language and colours of the buttons in the corner."""
        self._corner.label()
        self._corner.colour(colours(self._state.shade))
        self._corner.update_enabled(self.viewport.enlarged)
        self._corner.adjustSize()

    def _animate(self, old: State, new: State) -> None:
        self._player.cut()
        if not new.motion or not self.isVisible():
            return
        from gui.views.diagram.motion import (
            changed_cells,
            motion_between,
        )  # no animation is needed at the start

        if motion := motion_between(old, new, self.layout_now()):
            self._player.move(motion, new.preferences.speed)
        if changed := changed_cells(old, new):
            self._player.flash(changed, new.preferences.speed)

    def _update_description(self) -> None:
        self.setAccessibleName(tr("Diagram"))
        self.setAccessibleDescription(_accessible_description(self._state))

    @property
    def moving(self) -> bool:
        """Return whether a motion or flash is active."""
        return self._player.running

    @property
    def viewport(self) -> Viewport:
        """Return the current viewport; the same object while it is unchanged."""
        wanted, known = (self._state, self._area(), self._text != 1.0, self._camera), self._viewport
        if (
            known is None
            or known.state is not wanted[0]
            or (known.area, known.large, known.user_camera) != wanted[1:]
        ):
            known = self._viewport = Viewport(*wanted)
        return known

    def layout_now(self) -> DiagramLayout:
        """Return the layout for the size of the widget."""
        return self.viewport.layout

    @property
    def camera(self) -> Camera:
        """Return the camera from layout units to the widget."""
        return self.viewport.camera

    def _area(self) -> QRectF:
        return size_in_units(self.rect(), self._unit)

    @property
    def _unit(self) -> float:
        """Return pixels per unit; grows with the text size while digits fit the height."""
        if self._state.document.is_stack:
            return unit_for_stack(self.width(), self.height(), self._text)
        if self._bare:
            return self._text
        return unit_for_digits(
            self._state.document, self._state.orientation, self.height(), self._text
        )

    def magnify(self, unit: float, *, bare: bool = True) -> None:
        """Enlarge the whole drawing; `bare` hides the buttons, such as on a presentation screen."""
        if (unit, bare) != (self._text, self._bare):
            self._text, self._bare = unit, bare
            self._player.cut()
            self._corner.setVisible(not bare)
            self._corner.adjustSize()
            self._camera = None
            self._layout_timer.start()
            self.update()

    def _update_after_layout(self) -> None:
        """Update after the layout has settled: growing texts first reduce the diagram's area."""
        self._layout_timer.stop()
        self._place_corner()
        self._set_viewport(self.viewport.clamped())

    def sizeHint(self) -> QSize:
        """Return the size in a window of 1280 × 720."""
        return QSize(1240, 270)

    def minimumSizeHint(self) -> QSize:
        """Return the minimum readable size."""
        return QSize(320, 140)

    # Painting

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the view, and a ring for keyboard focus."""
        theme, player = colours(self._state.shade), self._player
        with QPainter(self) as painter:
            painter.fillRect(self.rect(), QColor(theme.surface))
            with in_units(painter, self.rect(), self._unit) as area:
                painter.setClipRect(area)
                viewport = self.viewport
                moving = AnimationFrame(
                    player.motion, player.progress, player.changed, player.brightness
                )
                paint_layout(painter, self._state, viewport.layout, viewport.camera, moving)
                if self._camera is None:
                    paint_overflow(painter, area, viewport.crop, theme)
            if self._ringed and self.hasFocus():
                painter.setPen(QPen(QColor(theme.accent), 2))
                painter.drawRoundedRect(self.rect().adjusted(1, 1, -1, -1), 6, 6)

    # Zoom and pan

    def zoom_in(self) -> None:
        """Zoom in around the current stage if it is in view, else around the middle."""
        self._zoom_here(ZOOM_STEP)

    def zoom_out(self) -> None:
        """Zoom out, at most until everything is shown."""
        self._zoom_here(1 / ZOOM_STEP)

    def fit(self) -> None:
        """Show everything, also after the window changes its size."""
        self._set_viewport(None)

    def _set_viewport(self, camera: Camera | None) -> None:
        self._camera = camera
        self._corner.update_enabled(self.viewport.enlarged)
        self.update()

    def _zoom_here(self, factor: float) -> None:
        here = self.viewport.middle_of_stage()
        self._zoom(factor, self._area().center() if here is None else here)
        if here is not None:
            self._set_viewport(self.viewport.followed())

    def _zoom(self, factor: float, at: QPointF) -> None:
        self._set_viewport(self.viewport.zoomed(factor, at))

    def _pan(self, by: QPointF) -> None:
        self._set_viewport(self.viewport.panned(by))

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Zoom at the pointer with Ctrl; else pan an enlarged picture."""
        self._tell_zoom()
        turned = event.angleDelta()
        if event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            self._zoom(ZOOM_STEP ** (turned.y() / 120.0), event.position() / self._unit)
        elif not self.viewport.enlarged:
            event.ignore()
            return
        else:
            across = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
            self._pan(QPointF(turned.y(), turned.x()) / 2 if across else QPointF(turned) / 2)
        event.accept()

    def event(self, event: QEvent) -> bool:
        """Zoom at two fingers, on a touchpad or a touch screen."""
        if isinstance(event, QNativeGestureEvent):
            if event.gestureType() is Qt.NativeGestureType.ZoomNativeGesture:
                self._zoom(1.0 + event.value(), event.position() / self._unit)
                return True
        elif isinstance(event, QGestureEvent):
            pinch = event.gesture(Qt.GestureType.PinchGesture)
            if isinstance(pinch, QPinchGesture):
                at = self.mapFromGlobal(pinch.centerPoint())
                self._zoom(pinch.scaleFactor(), at / self._unit)
                event.accept(Qt.GestureType.PinchGesture)
                return True
        return super().event(event)

    def _tell_zoom(self) -> None:
        """Say once, when the diagram is first used, how it zooms."""
        if not self._bare and not self._state.preferences.knows_zoom:
            self._session.set_preferences(knows_zoom=True)
            self._session.told.emit(tr("Ctrl and the wheel, or two fingers, zoom the diagram."))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Preserve the scale of an enlarged picture."""
        self._player.cut()
        self._update_after_layout()

    def _place_corner(self) -> None:
        if self._bare:
            return
        self._corner.move_clear(
            self.viewport.default_camera, self.layout_now(), self._area(), self._unit
        )

    def hideEvent(self, event: QHideEvent) -> None:
        """End animations of a hidden widget."""
        self._player.cut()

    # Mouse

    def hit_at(self, point: QPointF) -> HitTarget | None:
        """Return the part of the diagram at a point of the widget."""
        camera = self.camera
        return hit(
            self._state, self.layout_now(), *camera.to_layout(point / self._unit), camera.scale
        )

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Begin a click or a drag."""
        if event.button() is Qt.MouseButton.LeftButton:
            self._pressed, self._dragged = event.position(), False

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Pan an enlarged picture while dragging; show by the cursor what is clickable."""
        if self._pressed is not None:
            moved = event.position() - self._pressed
            if self._dragged or moved.manhattanLength() >= QApplication.startDragDistance():
                self._dragged, self._pressed = True, event.position()
                self._pan(moved / self._unit)
        self._point(event.position())

    def _point(self, point: QPointF) -> None:
        if self._dragged and self.viewport.enlarged:
            self.setCursor(Qt.CursorShape.ClosedHandCursor)
        elif self.hit_at(point) is not None:
            self.setCursor(Qt.CursorShape.PointingHandCursor)
        elif self.viewport.enlarged:
            self.setCursor(Qt.CursorShape.OpenHandCursor)
        else:
            self.unsetCursor()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Complete a click: focus a cell, jump to a stage or bring a head to the front."""
        clicked = self._pressed is not None and not self._dragged
        self._pressed, self._dragged = None, False
        if clicked and (found := self.hit_at(event.position())):
            found.perform(self._session)
            self._tell_zoom()
        self._point(event.position())

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Edit the entered number at the pointer, or jump to the stage."""
        found = self.hit_at(event.position())
        if found is not None and found.given(self._state):
            self.edit_wanted.emit(found.cell)
        elif found is not None and found.stage_id:
            self._session.go_to_stage(found.stage_id)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Ask for the menu of the cell at the pointer, or of the focused one for the menu key."""
        by_key = event.reason() is QContextMenuEvent.Reason.Keyboard
        cell = self._state.focus if by_key else self._cell_under(QPointF(event.pos()))
        if cell is None or self._bare:
            event.ignore()
        else:
            at = self._place_of_menu(cell) if by_key else event.globalPos()
            self.menu_wanted.emit(cell, at)

    def _cell_under(self, point: QPointF) -> Cell | None:
        """The cell at a point, also one that is not reached; elsewhere on a card its first one."""
        found, state = self.hit_at(point), self._state
        if found is None or found.cell is not None:
            return None if found is None else found.cell
        x, y = self.camera.to_layout(point / self._unit)
        row, column = self.layout_now().box(found.stage_id).cell_at(x, y) or (0, 0)
        head = state.cursor.head if found.head is None else found.head
        return Cell(found.stage_id, row, column, head)

    def _place_of_menu(self, cell: Cell) -> QPoint:
        """Below the card of a cell, or the middle where it has none."""
        boxes = (box for box in self.layout_now().boxes if box.stage_id == cell.tensor)
        rects = (self.camera.to_screen(box.outer) for box in boxes)
        middle = self._area().center()
        return self.mapToGlobal(
            (next((rect.bottomLeft() for rect in rects), middle) * self._unit).toPoint()
        )

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Show the focus ring for keyboard users; a click needs none."""
        if event.reason() in _BY_KEYBOARD:
            self._ringed = True
        elif event.reason() is not Qt.FocusReason.ActiveWindowFocusReason:
            self._ringed = False
        super().focusInEvent(event)


def _same_picture(old: State, new: State) -> bool:
    same_place = old.cursor == new.cursor and old.hidden == new.hidden
    same_way = old.orientation == new.orientation
    return old.trace is new.trace and same_place and same_way and old.document is new.document


def _accessible_description(state: State) -> str:
    cell = spoken_cell(state, state.focus, only_visible=True)
    return accessible_text(state.document, state.cursor.stage, cell, state.orientation)
