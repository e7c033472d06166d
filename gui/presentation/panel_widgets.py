"""Widgets of the audience's window: panels and the timeline."""

from __future__ import annotations

from PySide6.QtCore import (
    QEasingCurve,
    QPointF,
    QPropertyAnimation,
    QRect,
    QSize,
    Qt,
    QTimer,
    Signal,
)
from PySide6.QtGui import QColor, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QGraphicsOpacityEffect, QWidget

from core.base.cell import Cell
from gui.painting.text_size import in_units, size_in_units
from gui.painting.theme import colours
from gui.presentation.slide import PAINTERS, text_height, unit_for
from gui.session.session import Session
from gui.session.spoken_cell import spoken_cell
from gui.session.state import State
from gui.views.diagram.view import DiagramView
from gui.views.heatmaps.painting import make_heatmap
from gui.views.stage.view import StageView
from gui.views.timeline import TimelineBar
from gui.widgets.scene_reader import panel_name


class PaintedPanel(QWidget):
    """A painted panel. In the heatmap a click focuses a cell, a double click edits it."""

    edit_wanted = Signal(object)

    def __init__(self, session: Session, panel: str, parent: QWidget) -> None:
        super().__init__(parent)
        self._session, self._panel, self._unit = session, panel, 1.0
        self.setObjectName(panel)
        self.setMouseTracking(True)

    def show_state(self, old: State | None, new: State) -> None:
        """Repaint, and describe the cell for screen readers."""
        self.setAccessibleName(panel_name(self._panel))
        only_visible = self._panel != "heatmap" or new.is_covered(new.focus)
        self.setAccessibleDescription(spoken_cell(new, new.focus, only_visible=only_visible))
        self.update()

    def magnify(self, unit: float) -> None:
        """Set the pixels of a unit."""
        self._unit = unit
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the panel."""
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            with in_units(painter, self.rect(), self._unit) as room:
                PAINTERS[self._panel](painter, room, self._session.state)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Focus the cell of the heatmap."""
        if self._panel != "heatmap" or event.button() is not Qt.MouseButton.LeftButton:
            event.ignore()
            return
        cell = self._cell_under(event.position())
        if cell is not None:
            self._session.set_focus(cell)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Edit the cell of the heatmap."""
        cell = self._cell_under(event.position()) if self._panel == "heatmap" else None
        if cell is not None:
            self.edit_wanted.emit(cell)

    def _cell_under(self, at: QPointF) -> Cell | None:
        state = self._session.state
        heatmap = make_heatmap(state, size_in_units(self.rect(), self._unit))
        cell = heatmap.cell_at(state, at / self._unit)
        return None if cell is None or state.hides(cell) else cell


Pane = DiagramView | StageView | PaintedPanel


class PanelWidgets:
    """The panels of the audience's window, created on demand."""

    def __init__(self, session: Session, parent: QWidget) -> None:
        self._session, self._parent = session, parent
        self.all: dict[str, Pane] = {}

    def get(self, panel: str) -> Pane:
        """A panel, created if necessary."""
        if panel not in self.all:
            self.all[panel] = self._make(panel)
            self.all[panel].show_state(None, self._session.state)
        return self.all[panel]

    def _make(self, panel: str) -> Pane:
        pane: Pane
        if panel == "diagram":
            pane = DiagramView(self._session, self._parent)
        elif panel == "stage":
            pane = StageView(self._session, self._parent)
        else:
            pane = PaintedPanel(self._session, panel, self._parent)
        pane.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # keys belong to the room
        pane.setMinimumSize(1, 1)
        return pane

    def place_of(self, cell: Cell, panels: tuple[str, ...]) -> QRect | None:
        """The rectangle of a cell in the stage panel, in window pixels; None if not visible."""
        stage = self.all.get("stage")
        if "stage" not in panels or not isinstance(stage, StageView):
            return None
        place = stage.cell_rect(cell)
        return None if place is None else place.translated(stage.pos())

    def magnify(self, height: int) -> None:
        """Scale all panels for a screen height."""
        for panel, pane in self.all.items():
            pane.magnify(unit_for(panel, height))

    def show_state(self, old: State | None, new: State) -> None:
        """Update all panels."""
        for pane in self.all.values():
            pane.show_state(old, new)


IDLE_TIME, FADE_TIME = 2500, 220  # milliseconds
LINE, AIR = 36, 8  # units
EDGE = 0.3  # the part of its height, at the edge of the screen, from which it comes


class TimelineStrip(QWidget):
    """The timeline at the lower edge; fades in when the mouse is there."""

    def __init__(self, session: Session, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("strip")
        self._session = session
        self.timeline = TimelineBar(session, self)
        self.timeline.setMouseTracking(True)
        self.setMouseTracking(True)
        self._effect = QGraphicsOpacityEffect(self, opacity=0.0)
        self.setGraphicsEffect(self._effect)
        self._fade = QPropertyAnimation(self._effect, b"opacity", self)
        self._fade.setEasingCurve(QEasingCurve.Type.OutCubic)
        self._fade.finished.connect(lambda: self.setVisible(self._effect.opacity() > 0.0))
        self._rest = QTimer(self, singleShot=True, interval=IDLE_TIME)
        self._rest.timeout.connect(self.sleep)
        self.hide()

    def place(self, width: int, height: int) -> None:
        """Set the geometry for a screen size."""
        unit = unit_for("words", text_height(QSize(width, height)))
        line, air = round(LINE * unit), round(AIR * unit)
        self.setGeometry(0, height - line - air, width, line + air)
        self.timeline.magnify(unit)
        self.timeline.setGeometry(2 * air, air, width - 4 * air, line)

    def show_state(self, old: State | None, new: State) -> None:
        """Update the timeline."""
        self.timeline.show_state(old, new)
        self.update()

    @property
    def is_awake(self) -> bool:
        """Whether it is visible or fading in."""
        return not self.isHidden() and self._fade.endValue() != 0.0

    def follow(self, y: float) -> None:
        """Fade in at the lower edge, fade out when the mouse leaves."""
        if y >= self.geometry().bottom() + 1 - self.height() * EDGE:
            self.wake()
        elif self.is_awake and y >= self.y():
            self._rest.start()
        elif self.is_awake:
            self._rest.stop()
            self.sleep()

    def wake(self) -> None:
        """Fade in for a while."""
        self._rest.start()
        if not self.is_awake:
            self.show()
            self._to(1.0)

    def sleep(self) -> None:
        """Fade out."""
        self._to(0.0)

    def end(self) -> None:
        """Hide at once."""
        self._rest.stop()
        self._fade.stop()
        self.hide()

    def _to(self, opacity: float) -> None:
        self._fade.stop()
        self._fade.setStartValue(self._effect.opacity())
        self._fade.setEndValue(opacity)
        self._fade.setDuration(FADE_TIME if self._session.state.motion else 0)
        self._fade.start()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the background with its edge."""
        theme = colours(self._session.state.shade)
        with QPainter(self) as painter:
            painter.fillRect(self.rect(), QColor(theme.surface))
            painter.fillRect(0, 0, self.width(), 1, QColor(theme.line))
